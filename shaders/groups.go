package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed groups.metal
var groupsSource string

// groupOf is how many numbers have one scale.
const groupOf = 32

// shaderGroups is how many groups of a matrix are worth trying: with as many, the product of all axes is the most that is drawn of several.
const shaderGroups = 16

// groupBytes are quantised numbers called q, beside numbers of binary32.
func groupBytes(bytes func(a Arrays) []byte) element {
	return element{4, func(a Arrays, name string) []byte {
		if name == "q" {
			return bytes(a)
		}
		return float32s.bytes(a, name)
	}, float32s.store}
}

// grouped returns the kernels of matrices with a scale for each group of 32 numbers.
func grouped() []Formula {
	scale, x := formula.Matrix("scale", "m", "g"), formula.Matrix("x", "g", "l")
	of := func(function string, weight *formula.Expr, bytes func(a Arrays) []byte) Formula {
		product := formula.Sum(formula.Mul(scale, formula.MatMul(weight, x, "l")), "g")
		return describe("groups.metal", groupsSource, function, product, bySimdgroup(groupBytes(bytes), "q", "scale", "x"))
	}
	whole := of("product_groups_int8", formula.Input("q", formula.Int(8), "m", "g", "l"), func(a Arrays) (bytes []byte) {
		for _, v := range a.Int8("q") {
			bytes = append(bytes, byte(v))
		}
		return bytes
	})
	whole.Fixed = map[string]int{"l": groupOf}
	l, half, sixteen := formula.Index("l"), formula.Integer(groupOf/2), formula.Integer(16)
	two := formula.Gather(formula.Input("q", formula.Uint(8), "m", "g", "h"), "h", formula.Mod(l, half), formula.Integer(0))
	nibble := formula.Select(formula.Less(l, half), formula.Mod(two, sixteen), formula.Quo(two, sixteen))
	packed := of("product_groups_int4", formula.Sub(nibble, formula.Integer(8)), func(a Arrays) []byte { return a.Uint8("q") })
	packed.Fixed = map[string]int{"l": groupOf, "h": groupOf / 2}
	packed.MaxN = shaderGroups * groupOf * groupOf / 2 // the product of all axes is held to it, and no array has both l and h
	return []Formula{whole, packed}
}

// bySimdgroup makes the Run of a shader that takes dst, the inputs, and the numbers of rows and of groups, with a simdgroup for each row.
func bySimdgroup(e element, inputs ...string) func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
	return func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
		return func(r *Runner, l model.Launch, a Arrays) error {
			l.Groups = model.Size3{X: a.Size("m"), Y: 1, Z: 1} // enough if each has but one simdgroup
			return p.compute(e, r, l, a, inputs, nil, Uint(a.Size("m")), Uint(a.Size("g")))
		}
	}
}
