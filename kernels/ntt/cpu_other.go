//go:build !amd64

package ntt

// detect finds no vector instructions: there is assembly only for amd64.
func detect() features { return features{} }
