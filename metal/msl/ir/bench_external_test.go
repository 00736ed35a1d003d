package ir_test

import (
	"math/rand/v2"
	"testing"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// BenchmarkPasses reads, verifies and optimises a drawn kernel of about 500 instructions.
func BenchmarkPasses(b *testing.B) {
	text := drawKernel(rand.New(rand.NewPCG(1, 1)), 500).String()
	for b.Loop() {
		k, err := ir.Parse(text)
		if err == nil {
			err = ir.Verify(k)
		}
		if err != nil {
			b.Fatal(err)
		}
		ir.Optimise(k)
		ir.Uniform(k)
	}
}

func BenchmarkEval(b *testing.B) {
	flush := ir.Arith{Flush: model.Flush{In: true, Out: true}, Rounding: model.TowardZero}
	for _, c := range []struct {
		name string
		op   ir.Op
		typ  ir.Type
		ar   ir.Arith
	}{
		{"add-u32", ir.Add, ir.U32, ir.Arith{}},
		{"add-f32", ir.Add, ir.F32, ir.Arith{}},
		{"fma-f32", ir.Fma, ir.F32, ir.Arith{}},
		{"fma-f32-zero-ftz", ir.Fma, ir.F32, flush},
		{"div-f16", ir.Div, ir.F16, ir.Arith{}},
		{"sin-f32", ir.Sin, ir.F32, ir.Arith{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			x, y := uint64(0x3c01), uint64(0x3555)
			if c.typ == ir.F32 {
				x, y = 0x3f800001, 0x3eaaaaab
			}
			var r uint64
			for b.Loop() {
				v, _ := ir.Eval(c.op, c.typ, ir.Void, 0, c.ar, x, y, x, 0)
				r ^= v
			}
			_ = r
		})
	}
}
