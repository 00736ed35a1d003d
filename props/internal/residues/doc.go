// Package residues judges modular arithmetic.
package residues
