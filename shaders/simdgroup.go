package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed simdgroup.metal
var simdgroupSource string

// simdgroupTile is the side of a tile that four simdgroups make.
const simdgroupTile = 16

func simdgroups() []Formula {
	e := formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k")
	all := both("simdgroup.metal", simdgroupSource, "product_simdgroup", e, tiles(simdgroupTile))
	for i, f := range all {
		all[i] = inTiles(f, model.Size3{X: 128, Y: 1, Z: 1})
		all[i].Widths = nil // matrices are held by 32 lanes
	}
	return all
}
