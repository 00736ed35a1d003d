package round_test

import (
	"testing"

	"gamma/model"
	"gamma/model/round"
)

// sink keeps results alive.
var sink uint64

// benchmark times op on drawn operands of which none is a NaN or an infinity.
func benchmark(b *testing.B, op func(a *round.Arith, x, y, z uint64) uint64) {
	for _, f := range []model.Format{model.Binary32, model.Binary64, model.E4M3} {
		b.Run(f.Name, func(b *testing.B) {
			a := round.Arith{F: f}
			d := newDrawer(f, 1)
			var x [1024]uint64
			mid := int(f.MaxBits()>>(f.P-1)) / 2
			for i := range x {
				x[i] = d.number(d.around(mid, 5))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				sink ^= op(&a, x[i], x[(i+1)%1024], x[(i+7)%1024])
				i = (i + 1) % 1024
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, y, _ uint64) uint64 { return a.Add(x, y) })
}

func BenchmarkMul(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, y, _ uint64) uint64 { return a.Mul(x, y) })
}

func BenchmarkDiv(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, y, _ uint64) uint64 { return a.Div(x, y) })
}

func BenchmarkFma(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, y, z uint64) uint64 { return a.Fma(x, y, z) })
}

func BenchmarkSqrt(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, _, _ uint64) uint64 { return a.Sqrt(a.Abs(x)) })
}

func BenchmarkConvert(b *testing.B) {
	benchmark(b, func(a *round.Arith, x, _, _ uint64) uint64 {
		return round.Convert(round.Arith{F: model.BFloat16}, a.F, x)
	})
}
