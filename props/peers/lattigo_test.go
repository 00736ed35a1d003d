package main

import (
	"testing"

	"gamma/props"
)

func TestPropLattigo(t *testing.T) {
	for _, s := range lattigo {
		t.Run(s.Name, props.NTT(s).Check)
	}
}

// TestReplayLattigo replays what Lattigo gets wrong: NewRing takes primes of 62 and 63 bits, and NTTLazy leaves the range that its
// documentation gives. Replays fail when one of them starts to pass.
func TestReplayLattigo(t *testing.T) {
	for _, s := range lattigoWrong() {
		t.Run(s.Name, props.NTT(s.NTT).Replay)
	}
}
