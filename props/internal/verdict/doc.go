// Package verdict holds what a judgement is: outcome, witness, and the setting it was made in.
package verdict
