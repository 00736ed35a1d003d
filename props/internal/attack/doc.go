// Package attack climbs towards inputs of great error, and tells algorithms apart by their results.
package attack
