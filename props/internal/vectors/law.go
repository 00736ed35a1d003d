package vectors

import (
	"slices"

	"gamma/model"
	"gamma/props/internal/engine"
)

// Law is a law about kernels that take vectors: sums and dot products.
type Law = engine.LawOf[*Trial, model.Claim]

// BuiltIn holds the built-in laws, each family in its own file.
var BuiltIn = engine.BuiltIn(sumLaws, dotLaws, KernelLaws, DeviceLaws)

// Laws returns the built-in laws.
func Laws() []Law { return slices.Clone(BuiltIn) }
