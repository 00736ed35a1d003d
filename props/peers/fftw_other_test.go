//go:build !linux

package main

import "testing"

// fftw skips.
func fftw(tb testing.TB, _ int, _, _ []complex64) func() {
	tb.Helper()
	tb.Skip("FFTW is loaded on Linux only")
	return nil
}
