package shaders

import (
	_ "embed"

	"gamma/model"
)

//go:embed dot.metal
var dotSource string

func dots() []Kernel {
	chain := plain()
	chain.Fusion = model.FusedChain
	either := plain()
	either.Fusion = model.FusedAny
	tree := dot("tree", plain(), powerLaunches, powerGroup)
	tree.Schedule = treeOf
	fused := dot("fma", chain, chainLaunches, chainGroup)
	fused.Schedule = treeOf
	open := dot("open", either, powerLaunches, powerGroup)
	open.Admits.Rewrites, open.Strict = model.Rewrites{}, false
	return []Kernel{tree, fused, open}
}

// dot returns a kernel of dot.metal, called dot_name there.
func dot(name string, c model.Claim, launches func(int) []model.Launch, fits func(int, model.Launch) error) Kernel {
	p := Program{Name: "shaders/dot.metal#" + name, Source: dotSource, Function: "dot_" + name}
	return Kernel{
		Program: p, Claim: c, Launches: launches, Fits: fits, Admits: anything(), Widths: widths, Strict: true,
		Dot32: func(r *Runner, l model.Launch, x, y []float32) (float32, error) {
			if err := p.fits(fits(len(x), l)); err != nil {
				return 0, err
			}
			return p.Dot(r, l, x, y)
		},
	}
}
