package shaders

import (
	_ "embed"
	"fmt"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed block.metal
var blockSource string

// blockSize is how many numbers of a row a thread holds.
const blockSize = 4

func blocks() []Formula {
	x := rowsOfInput("x")
	softmax := describe("block.metal", blockSource, "softmax_block", formula.Softmax(x, "n"), byRows([]int{1}, "x")(float32s))
	softmax.Launches = func(n int) []model.Launch {
		threads := max((n+blockSize-1)/blockSize, 1)
		return []model.Launch{model.Launch1D(1, threads), model.Launch1D(1, (threads+31)/32*32), model.Launch1D(1, threads+5)}
	}
	softmax.Fits = func(n int, l model.Launch) error {
		if err := anyThreads(n, l); err != nil {
			return err
		}
		if l.Threads.X*blockSize < n {
			return fmt.Errorf("launch %s: %d threads hold %d numbers, and a row may have %d; use %d", l, l.Threads.X, l.Threads.X*blockSize, n, (n+blockSize-1)/blockSize)
		}
		return nil
	}
	return []Formula{softmax, describe("block.metal", blockSource, "cumsum_block", formula.CumSum(x, "n"), byRows([]int{2}, "x")(float32s))}
}
