package main

import (
	"testing"

	"gamma/props"
	"gamma/props/judge"
)

// TestPropGonumFFTs judges gonum's Fourier transforms: of real numbers those of lengths without a prime factor above 5, for which FFTPACK has passes of their own.
func TestPropGonumFFTs(t *testing.T) {
	for _, f := range []judge.FFT{cmplxFFT(), realFFT("gonum.fourier.FFT", 5)} {
		t.Run(f.Name, props.FFT(f).Check)
	}
}

// TestReplayGonumFFTs replays what is not so of real numbers and a prime factor above 5: their pass (radfg) makes its factors by a recurrence, each from the one before, so that
// errors grow with the factor beyond what a table's sums have. Replays fail when one of them starts to pass.
func TestReplayGonumFFTs(t *testing.T) {
	f := realFFT("gonum.fourier.FFT(any)", 0)
	t.Run(f.Name, props.FFT(f).Replay)
}
