package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gamma/model"
)

// wide returns n random finite binary32 bit patterns.
func wide(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 32))
	x := make([]float32, n)
	for i := range x {
		for {
			x[i] = math.Float32frombits(r.Uint32())
			if x[i]-x[i] == 0 {
				break
			}
		}
	}
	return x
}

var (
	sink32 float32
	sink64 float64
)

func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}

func BenchmarkSum(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"n=1", 1}, {"n=64", 64}, {"n=256", 256}, {"n=1024", 1024}, {"n=1000000", 1_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			x := wide(c.n, 1)
			for b.Loop() {
				sink32 = SumFloat32(x)
			}
			perElement(b, c.n)
		})
	}
}

func BenchmarkSumTwin(b *testing.B) {
	b.Run("n=1024", func(b *testing.B) {
		x := wide(1024, 1)
		for b.Loop() {
			sink64, _ = SumTwin(x).Float64()
		}
		perElement(b, 1024)
	})
}

func BenchmarkDot(b *testing.B) {
	x, y := wide(1024, 1), wide(1024, 2)
	b.Run("binary32/n=1024", func(b *testing.B) {
		for b.Loop() {
			sink32 = DotFloat32(x, y)
		}
		perElement(b, 1024)
	})
	v, w := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		v[i], w[i] = float64(x[i]), float64(y[i])
	}
	b.Run("binary64/n=1024", func(b *testing.B) {
		for b.Loop() {
			sink64 = DotFloat64(v, w)
		}
		perElement(b, 1024)
	})
}

func BenchmarkSum64(b *testing.B) {
	r := source(1)
	for _, n := range []int{64, 1024} {
		x := make([]float64, n)
		for i := range x {
			x[i] = families64[1].draw(r)
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				sink64 = SumFloat64(x)
			}
			perElement(b, n)
		})
	}
}

// What a law asks for after the sum itself.
func BenchmarkVerdict(b *testing.B) {
	x := wide(1024, 1)
	var a Acc32
	a.AddSlice(x)
	bound := model.Bound{A: 0x1p-14, Abs: 1024, AbsExp: -149}
	b.Run("AbsInterval32/n=1024", func(b *testing.B) {
		for b.Loop() {
			sink64, _ = AbsInterval32(x)
		}
	})
	b.Run("Error", func(b *testing.B) {
		for b.Loop() {
			sink64, _ = a.Error(1)
		}
	})
	b.Run("Decide", func(b *testing.B) {
		e, s, t := Point(0x1p90), Point(0x1p110), Point(0x1p120)
		for b.Loop() {
			if Decide(e, s, t, Interval{}, bound) != Yes {
				b.Fatal("not decided")
			}
		}
	})
}

func BenchmarkSumBits(b *testing.B) {
	r := source(1)
	for _, f := range []model.Format{model.Binary16, model.BFloat16, model.E4M3} {
		x := make([]uint16, 1024)
		for i := range x {
			for ok := false; !ok; ok = f.IsFinite(uint64(x[i])) {
				x[i] = uint16(r.Uint64N(1 << f.Bits()))
			}
		}
		b.Run(f.Name+"/n=1024", func(b *testing.B) {
			for b.Loop() {
				var a Acc32
				a.AddBitsSlice(f, x)
				sink32 = a.Float32()
			}
			perElement(b, len(x))
		})
	}
}
