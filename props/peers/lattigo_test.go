package main

import (
	"testing"

	"gamma/model/modular"
	"gamma/props"
	"gamma/props/judge"
)

func TestPropLattigo(t *testing.T) {
	for _, s := range lattigo {
		t.Run(s.Name, props.NTT(s).Check)
	}
}

// TestReplayLattigo replays what Lattigo gets wrong: NewRing takes primes of 62 and 63 bits, and NTTLazy leaves the range that its
// documentation gives. Replays fail when one of them starts to pass.
func TestReplayLattigo(t *testing.T) {
	for _, s := range []judge.NTT{
		{Name: "lattigo.ring.NTT(any)", Plan: lattigoPlan(false), Claim: lattigoClaim(1, 1, modular.Moduli{})},
		{Name: "lattigo.ring.NTTLazy(2q)", Plan: lattigoPlan(true), Claim: lattigoClaim(2, 2, below61)},
	} {
		t.Run(s.Name, props.NTT(s).Replay)
	}
}
