package main

import (
	"testing"

	"gamma/props"
)

func TestPropGnark(t *testing.T) {
	for _, s := range gnark {
		t.Run(s.Name, props.NTT(s).Check)
	}
}
