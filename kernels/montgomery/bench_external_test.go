package montgomery_test

import (
	"testing"

	"gamma/kernels/montgomery"
)

const rowsOfBench = 1024

// each64 reports ns/op for a step that is run on every word of a slice, whose words do not wait for each other.
func each64(b *testing.B, step func(x []uint64)) {
	x := make([]uint64, rowsOfBench)
	for i := range x {
		x[i] = uint64(i+1) * 0x1234567890ab % (1 << 60)
	}
	n := 0
	for b.Loop() {
		step(x)
		n += len(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/op")
}

func each32(b *testing.B, step func(x []uint32)) {
	x := make([]uint32, rowsOfBench)
	for i := range x {
		x[i] = uint32(i+1) * 0x12345 % (1 << 30)
	}
	n := 0
	for b.Loop() {
		step(x)
		n += len(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/op")
}

func BenchmarkMul64(b *testing.B) {
	lazy, err := montgomery.NewLazy64(0x1fffffffffe00001)
	if err != nil {
		b.Fatal(err)
	}
	m := &lazy.Modulus64
	w := m.ToMontgomery(1234567890123456789)
	b.Run("Mul", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = m.Mul(a, w)
			}
		})
	})
	b.Run("MulCarry", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = m.MulCarry(a, w)
			}
		})
	})
	b.Run("MulSum", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = lazy.MulSum(a, w)
			}
		})
	})
	b.Run("MulLazy", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = lazy.MulLazy(a, w)
			}
		})
	})
	barrett, err := montgomery.NewBarrett64(m.Q())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Barrett", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = barrett.Mul(a, w)
			}
		})
	})
}

func BenchmarkMulShoup64(b *testing.B) {
	const q = 0x1fffffffffe00001
	w := uint64(1234567890123456789)
	quotient, err := montgomery.ShoupQuotient64(w, q)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("MulShoup", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = montgomery.MulShoup64(a, w, quotient, q)
			}
		})
	})
	b.Run("MulShoupLazy", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = montgomery.MulShoupLazy64(a, w, quotient, q)
			}
		})
	})
}

func BenchmarkMul32(b *testing.B) {
	m, err := montgomery.NewModulus32(montgomery.BabyBear)
	if err != nil {
		b.Fatal(err)
	}
	w := m.ToMontgomery(123456789)
	b.Run("Mul", func(b *testing.B) {
		each32(b, func(x []uint32) {
			for i, a := range x {
				x[i] = m.Mul(a, w)
			}
		})
	})
	b.Run("BabyBear", func(b *testing.B) {
		each32(b, func(x []uint32) {
			for i, a := range x {
				x[i] = montgomery.BabyBearMul(a, w)
			}
		})
	})
	b.Run("Mersenne31", func(b *testing.B) {
		each32(b, func(x []uint32) {
			for i, a := range x {
				x[i] = montgomery.Mersenne31Mul(a, w)
			}
		})
	})
}

func BenchmarkGoldilocksMul(b *testing.B) {
	w := uint64(0x123456789abcdef)
	b.Run("Mul", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = montgomery.GoldilocksMul(a, w)
			}
		})
	})
	b.Run("MulLazy", func(b *testing.B) {
		each64(b, func(x []uint64) {
			for i, a := range x {
				x[i] = montgomery.GoldilocksMulLazy(a, w)
			}
		})
	})
}

func BenchmarkInverse(b *testing.B) {
	m, err := montgomery.NewField64(0x1fffffffffe00001)
	if err != nil {
		b.Fatal(err)
	}
	a := m.ToMontgomery(1234567890123456789)
	b.Run("Euclid", func(b *testing.B) {
		for b.Loop() {
			a, _ = m.Inverse(a)
		}
	})
	b.Run("Power", func(b *testing.B) {
		for b.Loop() {
			a, _ = m.InversePower(a)
		}
	})
	b.Run("Batch", func(b *testing.B) {
		each64(b, func(x []uint64) {
			if _, err := m.BatchInverse(x, x); err != nil {
				b.Fatal(err)
			}
		})
	})
}
