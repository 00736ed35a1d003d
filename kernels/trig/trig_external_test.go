package trig_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/trig"
	exact "gamma/oracle/real"
)

// errorInUlps returns how far y is from an exact value between lo and hi, in units of the last place of p bits at that value.
func errorInUlps(y, lo, hi float64, p int) float64 {
	_, e := math.Frexp(hi)
	return max(math.Abs(y-lo), math.Abs(y-hi)) / math.Ldexp(1, max(e, -125)-p)
}

func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := map[string]float64{}
	at := map[string]float64{}
	note := func(name string, ulps, x float64) {
		if ulps > worst[name] {
			worst[name], at[name] = ulps, x
		}
	}
	for i := range 2_000_000 {
		x := float64(math.Float32frombits(uint32(rng.Uint64())))
		if i&1 != 0 {
			x = float64(float32(8 * rng.NormFloat64()))
		}
		if x-x != 0 {
			continue
		}
		lo, hi := exact.Sin(x)
		note("Sin32", errorInUlps(float64(trig.Sin32(float32(x))), lo, hi, 24), x)
		lo, hi = exact.Cos(x)
		note("Cos32", errorInUlps(float64(trig.Cos32(float32(x))), lo, hi, 24), x)
	}
	for i := range 20_000 {
		x := math.Float64frombits(rng.Uint64())
		if i&1 != 0 {
			x = 100 * rng.NormFloat64()
		}
		if i%4 == 2 {
			x = math.Round(math.Ldexp(rng.Float64(), rng.IntN(30))) * (math.Pi / 2)
		}
		if x-x != 0 || math.Abs(x) < 0x1p-1000 {
			continue
		}
		note("Sin64", ulpsOf(trig.Sin64(x), exact.Bits.Sin, x), x)
		note("Cos64", ulpsOf(trig.Cos64(x), exact.Bits.Cos, x), x)
	}
	for name, w := range worst {
		t.Logf("%s: %.4f ulp at %x", name, w, at[name])
		require.Less(t, w, 1.5, name)
	}
}

// ulpsOf returns the error of y as f(x) in units of the last place of binary64.
func ulpsOf(y float64, f func(exact.Bits, exact.Interval) exact.Interval, x float64) float64 {
	value, _ := exact.Refine(8192, func(b exact.Bits) exact.Interval { return f(b, exact.Point(x)) }, func(i exact.Interval) bool { return i.Narrow(80) })
	d := new(big.Float).Sub(big.NewFloat(y), value.Lo)
	v, _ := d.SetMantExp(d, 53-value.Lo.MantExp(nil)).Float64()
	return math.Abs(v)
}

// TestBits computes 2/π.
func TestBits(t *testing.T) {
	pi := exact.Bits(2000).Pi()
	x := new(big.Float).SetPrec(2000).Quo(big.NewFloat(2), pi.Lo)
	for i, w := range trig.TwoOverPiBits {
		whole, _ := x.Uint64()
		require.Equal(t, whole, w, "word %d", i)
		x.Sub(x, new(big.Float).SetUint64(whole))
		x.SetMantExp(x, 64)
	}
}

// TestTwiddle compares twiddle factors with π's multiples in 300 bits.
func TestTwiddle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const prec = exact.Bits(300)
	worst := 0.0
	check := func(k, n int) {
		x := new(big.Float).SetPrec(uint(prec)).SetInt64(2 * int64(k))
		x.Quo(x, new(big.Float).SetInt64(int64(n)))
		angle := prec.Mul(prec.Pi(), exact.Interval{Lo: x, Hi: x})
		cos, sin := trig.Twiddle(k, n)
		w64, w32 := trig.Twiddle64(k, n), trig.Twiddle32(k, n)
		for _, p := range []struct {
			hi, lo float64
			value  *big.Float
			wide   float64
			narrow float32
		}{{cos.Hi, cos.Lo, prec.Cos(angle).Lo, real(w64), real(w32)}, {sin.Hi, sin.Lo, prec.Sin(angle).Lo, imag(w64), imag(w32)}} {
			d := new(big.Float).SetPrec(uint(prec)).Sub(new(big.Float).SetPrec(uint(prec)).Sub(p.value, big.NewFloat(p.hi)), big.NewFloat(p.lo))
			if p.hi == 0 || math.Abs(p.hi) == 1 && p.lo == 0 {
				require.Negative(t, d.Abs(d).Cmp(big.NewFloat(0x1p-250)), "%d/%d is exact", k, n)
				continue
			}
			ratio, _ := d.Quo(d, p.value).Float64()
			worst = max(worst, math.Abs(ratio))
			want, _ := p.value.Float64()
			require.Equal(t, want, p.wide, "%d/%d", k, n)
			short, _ := p.value.Float32()
			require.Equal(t, short, p.narrow, "%d/%d", k, n)
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 97, 1024} {
		for k := -3; k < 2*n; k++ {
			check(k, n)
		}
	}
	for range 2000 {
		n := 1 + rng.IntN(1<<rng.IntN(40))
		check(rng.IntN(n), n)
	}
	t.Logf("largest relative error 2^%.1f", math.Log2(worst))
	require.Less(t, worst, 0x1p-100)
	require.PanicsWithValue(t, "trig: a transform has 0 points, and has to have from 1 to 2^60", func() { trig.Twiddle(0, 0) })
}
