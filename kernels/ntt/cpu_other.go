//go:build !amd64

package ntt

// detect finds no vector instructions: there is assembly for amd64 alone.
func detect() features { return features{} }
