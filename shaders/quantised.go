package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed quantised.metal
var quantisedSource string

// scaledBytes are integers of 8 bits called a and b, beside numbers of binary32.
var scaledBytes = element{4, func(a Arrays, name string) (bytes []byte) {
	if name != "a" && name != "b" {
		return float32s.bytes(a, name)
	}
	for _, v := range a.Int8(name) {
		bytes = append(bytes, byte(v))
	}
	return bytes
}, float32s.store}

func quantised() Formula {
	e := formula.QuantizedMatMul(
		formula.Input("a", formula.Int(8), "m", "k"), formula.Input("b", formula.Int(8), "k", "n"),
		formula.Input("scaleA", formula.Float(model.Binary32), "m"), formula.Input("scaleB", formula.Float(model.Binary32), "n"), "k")
	return describe("quantised.metal", quantisedSource, "product_int8", e, func(p Program) func(*Runner, model.Launch, Arrays) error {
		return func(r *Runner, l model.Launch, a Arrays) error {
			m, k, n := a.Size("m"), a.Size("k"), a.Size("n")
			l.Groups = model.Size3{X: (m*n + l.Threads.X - 1) / l.Threads.X, Y: 1, Z: 1}
			return p.compute(scaledBytes, r, l, a, []string{"a", "b", "scaleA", "scaleB"}, nil, Uint(m), Uint(k), Uint(n))
		}
	})
}
