//go:build !amd64

package cpu

// Detect finds no vector instructions: there is assembly only for amd64.
func Detect() Features { return Features{} }
