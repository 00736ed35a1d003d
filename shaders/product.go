package shaders

import (
	_ "embed"
	"fmt"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed product.metal
var productSource string

// tile is the side of tiles of matrices.
const tile = 8

// inTiles returns f, launched with a threadgroup of so many threads for each tile.
func inTiles(f Formula, threads model.Size3) Formula {
	launch := model.Launch{Groups: model.Size3{X: 1, Y: 1, Z: 1}, Threads: threads}
	f.Launches = func(int) []model.Launch { return []model.Launch{launch} }
	f.Fits = func(_ int, l model.Launch) error {
		if l != launch {
			return fmt.Errorf("it is launched with %s", launch)
		}
		return nil
	}
	return f
}

func products() []Formula {
	e := formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k")
	return []Formula{
		describe("product.metal", productSource, "product_naive", e, byResult(float32s, "a", "b")),
		inTiles(describe("product.metal", productSource, "product_tiled", e, tiles(tile)(float32s)), model.Size3{X: tile, Y: tile, Z: 1}),
		inTiles(describe("product.metal", productSource, "product_split_k", e, tiles(tile)(float32s)), model.Size3{X: tile, Y: tile, Z: 4}),
	}
}

// byResult makes the Run of a shader that takes dst, matrices a and b and other inputs, and their sizes, with a thread for each result.
func byResult(e element, inputs ...string) func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
	return func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
		return func(r *Runner, l model.Launch, a Arrays) error {
			m, k, n := a.Size("m"), a.Size("k"), a.Size("n")
			l.Groups = model.Size3{X: (m*n + l.Threads.X - 1) / l.Threads.X, Y: 1, Z: 1}
			return p.compute(e, r, l, a, inputs, nil, Uint(m), Uint(k), Uint(n))
		}
	}
}

// tiles makes the Run of a shader that takes the arguments of product_tiled, for tiles of a side.
func tiles(side int) func(e element) func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
	return func(e element) func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
		return func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
			return func(r *Runner, l model.Launch, a Arrays) error {
				m, k, n := a.Size("m"), a.Size("k"), a.Size("n")
				l.Groups = model.Size3{X: (n + side - 1) / side, Y: (m + side - 1) / side, Z: 1}
				return p.compute(e, r, l, a, []string{"a", "b"}, nil, Uint(m), Uint(k), Uint(n))
			}
		}
	}
}
