// Package draw holds the generator of numbers that expands a few draws into a case, the same on every machine.
package draw
