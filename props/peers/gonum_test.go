package main

import (
	"testing"

	"gamma/props"
)

// TestPropGonumSums judges gonum's sums.
func TestPropGonumSums(t *testing.T) {
	for _, s := range sums {
		t.Run(s.Name, props.Reduction(s).Check)
	}
}

// TestPropGonumDots judges gonum's dot products.
func TestPropGonumDots(t *testing.T) {
	for _, d := range dots {
		t.Run(d.Name, props.Dot(d).Check)
	}
}
