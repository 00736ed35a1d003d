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

// codes are E4M3 numbers of one byte, made of numbers of binary32.
var codes = element{4, func(a Arrays, name string) []byte {
	if name == "dst" {
		return make([]byte, len(a.Encodings(name)))
	}
	return float32s.bytes(a, name)
}, func(a Arrays, bytes []byte) {
	for i := range a.Encodings("dst") {
		a.Encodings("dst")[i] = uint16(bytes[i])
	}
}}

func quantised() []Formula {
	product := formula.QuantizedMatMul(
		formula.Input("a", formula.Int(8), "m", "k"), formula.Input("b", formula.Int(8), "k", "n"),
		formula.Input("scaleA", formula.Float(model.Binary32), "m"), formula.Input("scaleB", formula.Float(model.Binary32), "n"), "k")
	norm, _ := formula.QuantizeRows(formula.RMSNorm(rowsOfInput("x"), formula.Vector("gamma"), formula.Const(1e-5), "n"), formula.Float(model.E4M3), 1e-12, "n")
	quantise := describe("quantised.metal", quantisedSource, "rms_norm_e4m3", norm, func(p Program) func(*Runner, model.Launch, Arrays) error {
		return p.rows(codes, []string{"x", "gamma"})
	})
	quantise.Out, quantise.Min = formula.Float(model.E4M3), oneOf("n")
	return []Formula{
		describe("quantised.metal", quantisedSource, "product_int8", product, byResult(scaledBytes, "a", "b", "scaleA", "scaleB")),
		quantise,
	}
}
