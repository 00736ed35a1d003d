package shaders_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/word"
	"gamma/shaders"
)

// number is the exact sum of words.
func number(words ...float32) *big.Rat {
	sum := new(big.Rat)
	for _, w := range words {
		sum.Add(sum, new(big.Rat).SetFloat64(float64(w)))
	}
	return sum
}

func times(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }

// u is 2^-24, and wide numbers have so many bits that their own errors, of 2^-300, are far below any that is looked for.
var u = word.U(24)

const wide = 300

func rootOf(x *big.Rat) *big.Rat {
	r, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(wide).SetRat(x)).Rat(nil)
	return r
}

// requireRounded holds got to half an ulp of a number within error of exact: |got - exact| <= error + u·(|exact| + error), for normal results.
func requireRounded(t *testing.T, got float32, exact, allowed *big.Rat, at ...any) {
	t.Helper()
	d := new(big.Rat).Sub(number(got), exact)
	limit := new(big.Rat).Add(new(big.Rat).Abs(exact), allowed)
	limit.Add(times(limit, u), allowed)
	require.LessOrEqual(t, d.Abs(d).Cmp(limit), 0, append([]any{"%v for %v", got, exact.FloatString(12)}, at...)...)
}

// uu returns k·u²·x.
func uu(k int64, x *big.Rat) *big.Rat {
	return times(times(u, u), times(big.NewRat(k, 1), new(big.Rat).Abs(x)))
}

// numbers draws n numbers between -2 and 2, which cancel.
func numbers(n int, rng *rand.Rand) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(2*rng.Float64()-1, rng.IntN(10)-8))
		if i > 0 && rng.IntN(3) == 0 {
			x[i] = -x[i-1] * (1 + 0x1p-22*float32(rng.IntN(4)))
		}
	}
	return x
}

// eachDevice calls f on a plain device and on one that takes every liberty of a compiler.
func eachDevice(t *testing.T, f func(t *testing.T, r *shaders.Runner, rng *rand.Rand)) {
	for _, text := range []string{"rne ftz=off contract=off", "rne ftz=off contract=fast reassoc nsz recip order=stages poison seed=3"} {
		b, err := model.ParseBehaviour(text)
		require.NoError(t, err)
		t.Run(text, func(t *testing.T) {
			d := sim.New(sim.Options{Behaviour: b})
			defer d.Release()
			r := shaders.NewRunner(d)
			defer r.Release()
			f(t, r, rand.New(rand.NewPCG(5, 6)))
		})
	}
}

var launch = model.Launch1D(2, 8)

// TestVariance: the distances of the computed mean from the exact one, and the products, cost little beside the final rounding.
func TestVariance(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows = 12, 5
		x, dst := numbers(n*rows, rng), make([]float32, rows)
		require.NoError(t, shaders.Variance(r, launch, dst, x, n))
		for i, got := range dst {
			row := x[i*n : i*n+n]
			exact, size := variance(row)
			// A mean within 2n·u²·Σ|x|/n moves a square by four times its size at most.
			requireRounded(t, got, exact, uu(16*n, size), row)
		}
		require.ErrorContains(t, shaders.Variance(r, launch, dst, x[1:], n), "are not 5 rows of 12")
		require.ErrorContains(t, shaders.Variance(r, model.Launch{}, dst, x, n), "launch")
	})
}

// variance returns the exact variance of a row, and the square of its largest magnitude.
func variance(row []float32) (v, size *big.Rat) {
	n := big.NewRat(int64(len(row)), 1)
	mean := number(row...)
	mean.Quo(mean, n)
	v, size = new(big.Rat), new(big.Rat)
	for _, x := range row {
		d := new(big.Rat).Sub(number(x), mean)
		v.Add(v, times(d, d))
		if s := times(number(x), number(x)); s.Cmp(size) > 0 {
			size = s
		}
	}
	return v.Quo(v, n), size
}

// TestSums: sums and means of rows are those of a kernel for one row, which the laws of sums judge.
func TestSums(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows = 11, 20
		x, sums, means := numbers(n*rows, rng), make([]float32, rows), make([]float32, rows)
		x[0] = math.MaxFloat32
		require.NoError(t, shaders.Sums(r, launch, sums, x, n))
		require.NoError(t, shaders.Means(r, launch, means, x, n))
		for i := range rows {
			exact, size := dotted(x[i*n:][:n], []float32{1}, 0)
			requireRounded(t, sums[i], exact, uu(n, size))
			requireRounded(t, means[i], exact.Quo(exact, big.NewRat(n, 1)), uu(4, size))
			one, err := find(t, "shaders/layers.metal#mean").Sum32(r, launch, x[i*n:][:n])
			require.NoError(t, err)
			require.Equal(t, means[i], one)
		}
		require.ErrorContains(t, shaders.Sums(r, launch, sums, x[1:], n), "are not 20 rows of 11")
		require.ErrorContains(t, shaders.Means(r, model.Launch{}, means, x, n), "launch")
	})
}

func TestLayerNorm(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows, epsilon = 9, 4, 0x1p-10
		x, gain, bias, dst := numbers(n*rows, rng), numbers(n, rng), numbers(n, rng), make([]float32, n*rows)
		require.NoError(t, shaders.LayerNorm(r, launch, dst, x, gain, bias, n, epsilon))
		for i, got := range dst {
			row := x[i/n*n:][:n]
			v, size := variance(row)
			mean := number(row...)
			mean.Quo(mean, big.NewRat(n, 1))
			z := new(big.Rat).Sub(number(x[i]), mean)
			s := rootOf(v.Add(v, big.NewRat(1, 1<<10)))
			z.Quo(z, s)
			z = times(z, number(gain[i%n]))
			g := new(big.Rat).Quo(rootOf(size), s)
			allowed := uu(1000, times(times(g, g), number(gain[i%n])))
			requireRounded(t, got, z.Add(z, number(bias[i%n])), allowed.Add(allowed, uu(4, number(bias[i%n]))), row)
		}
		require.ErrorContains(t, shaders.LayerNorm(r, launch, dst, x, gain[1:], bias, n, epsilon), "8 gains and 9 biases")
		require.ErrorContains(t, shaders.LayerNorm(r, launch, dst[1:], x, gain, bias, n, epsilon), "35 results are not 36")
	})
}

// TestSoftmax: the results add up to one and are in the ratios of the device's exponentials, which are within 4 ulp.
func TestSoftmax(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows = 7, 5
		x, dst := numbers(n*rows, rng), make([]float32, n*rows)
		x[0], x[n] = 100, -1000
		require.NoError(t, shaders.Softmax(r, launch, dst, x, n))
		for i := range rows {
			row, m, sum := x[i*n:][:n], math.Inf(-1), 0.0
			for _, v := range row {
				m = max(m, float64(v))
			}
			for _, v := range row {
				sum += math.Exp(float64(float32(float64(v) - m)))
			}
			for j, v := range row {
				// Two exponentials within 4 ulp, of 2^-23 at most, and a rounding: (1+4ε)/(1-4ε)·(1+ε/2) - 1 is 8.5ε and less than 2^-41,
				// and float64's own error here is less than 2^-48. An exponential or a result below 2^-126 errs by 4 and half a unit of 2^-149.
				want := math.Exp(float64(float32(float64(v)-m))) / sum
				require.LessOrEqual(t, math.Abs(float64(dst[i*n+j])-want), (8.5*0x1p-23+0x1p-40)*want+0x9p-150, "%v of %v", v, row)
			}
			total := number(dst[i*n:][:n]...)
			total.Sub(total, big.NewRat(1, 1))
			// Each result is rounded once, to nearest, from quotients that add up to one but for 20u².
			require.LessOrEqual(t, total.Abs(total).Cmp(new(big.Rat).Add(u, uu(50, big.NewRat(1, 1)))), 0)
		}
		require.ErrorContains(t, shaders.Softmax(r, launch, dst, x, 0), "are not")
	})
}

func TestLinear(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows = 17, 20
		w, x, bias, dst := numbers(n*rows, rng), numbers(n, rng), numbers(rows, rng), make([]float32, rows)
		require.NoError(t, shaders.Linear(r, launch, dst, w, x, bias))
		for i, got := range dst {
			exact, size := dotted(w[i*n:][:n], x, 1)
			size.Add(size, new(big.Rat).Abs(number(bias[i])))
			requireRounded(t, got, exact.Add(exact, number(bias[i])), uu(4*n, size))
		}
		require.ErrorContains(t, shaders.Linear(r, launch, dst, w, x, bias[1:]), "19 biases for 20 results")
		require.ErrorContains(t, shaders.Linear(r, launch, dst, w[1:], x, bias), "339 numbers are not 20 rows of 17")
	})
}

// dotted returns Σ x[i]·y[i·stride] and the sum of the magnitudes.
func dotted(x, y []float32, stride int) (exact, size *big.Rat) {
	exact, size = new(big.Rat), new(big.Rat)
	for i, v := range x {
		p := times(number(v), number(y[i*stride]))
		exact.Add(exact, p)
		size.Add(size, new(big.Rat).Abs(p))
	}
	return exact, size
}

func TestMatMul(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		const n, rows, columns = 6, 4, 7
		a, b, dst := numbers(rows*n, rng), numbers(n*columns, rng), make([]float32, rows*columns)
		require.NoError(t, shaders.MatMul(r, launch, dst, a, b, rows, n, columns))
		for i, got := range dst {
			exact, size := dotted(a[i/columns*n:][:n], b[i%columns:], columns)
			requireRounded(t, got, exact, uu(4*n, size))
		}
		require.ErrorContains(t, shaders.MatMul(r, launch, dst, a, b[1:], rows, n, columns), "6 rows and 7 columns does not have 41")
		require.ErrorContains(t, shaders.MatMul(r, launch, dst[1:], a, b, rows, n, columns), "27 results are not 28")
	})
}

// TestDepthwise3: each place has its three taps, and zeros beyond the ends of its channel.
func TestDepthwise3(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		for _, n := range []int{1, 2, 3, 4, 7, 8, 13, 33} {
			const channels = 5
			x, taps, dst := numbers(n*channels, rng), numbers(3*channels, rng), make([]float32, n*channels)
			require.NoError(t, shaders.Depthwise3(r, launch, dst, x, taps, n))
			for i, got := range dst {
				c, p := i/n, i%n
				var row [3]float32
				for k := range row {
					if q := p + k - 1; q >= 0 && q < n {
						row[k] = x[c*n+q]
					}
				}
				exact, size := dotted(row[:], taps[3*c:], 1)
				requireRounded(t, got, exact, uu(7, size))
			}
			require.ErrorContains(t, shaders.Depthwise3(r, launch, dst, x, taps[1:], n), "14 taps for 5 channels")
		}
	})
}

// TestCompare holds the order of double words to that of their values.
func TestCompare(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		var src []float32
		for _, x := range [][2]float32{{1, 0}, {1, 0x1p-24}, {1, -0x1p-26}, {1 + 0x1p-23, 0}, {1 + 0x1p-23, -0x1p-25}, {-1, 0x1p-30}, {0, 0}, {float32(math.Copysign(0, -1)), 0}, {0x1p-149, 0}} {
			for _, y := range [][2]float32{{1, 0}, {1, 0x1p-24}, {1, 0x1p-25}, {-1, 0x1p-30}, {0, 0}, {0x1p-149, 0}} {
				src = append(src, x[0], x[1], y[0], y[1])
			}
		}
		dst := make([]int32, len(src)/4)
		require.NoError(t, shaders.DDCompare(r, model.Launch1D(9, 8), dst, src))
		for i, got := range dst {
			v := src[4*i:][:4]
			require.Equal(t, int32(number(v[:2]...).Cmp(number(v[2:]...))), got, "%v", v)
		}
		src = []float32{inf, 0, 1, 0, -inf, nan, inf, nan, inf, nan, inf, 0, nan, 0, 1, 0, 1, 0, 1, nan, 1, nan, 2, 0}
		dst = make([]int32, 6)
		require.NoError(t, shaders.DDCompare(r, launch, dst, src))
		require.Equal(t, []int32{1, -1, 2, 2, 2, -1}, dst)
		require.ErrorContains(t, shaders.DDCompare(r, launch, dst, src[1:]), "each has 4")
	})
}

// TestFrom holds conversions to their errors, and their results to be double words.
func TestFrom(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		var signed []int64
		var unsigned []uint64
		var ints []int32
		var uints []uint32
		for k := range 64 {
			for _, d := range []int64{-2, -1, 0, 1, 2} {
				v := uint64(1)<<k + uint64(d)
				w := v + uint64(rng.Int64()>>min(63, rng.IntN(64)))
				// Near ties of the high word, above and below, of both parities.
				tie := uint64(1)<<k | uint64(1)<<max(k-24, 0) + uint64(rng.IntN(2))<<max(k-23, 0)
				for _, x := range []uint64{v, w, tie, tie + 1, tie - 1} {
					unsigned = append(unsigned, x)
					signed = append(signed, int64(x), -int64(x))
					ints, uints = append(ints, int32(x)), append(uints, uint32(x))
				}
			}
		}
		checkFrom(t, r, unsigned, func(v uint64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).SetUint64(v)) }, 1<<48)
		checkFrom(t, r, signed, func(v int64) *big.Rat { return big.NewRat(v, 1) }, 1<<48)
		checkFrom(t, r, ints, func(v int32) *big.Rat { return big.NewRat(int64(v), 1) }, 1<<48)
		checkFrom(t, r, uints, func(v uint32) *big.Rat { return big.NewRat(int64(v), 1) }, 1<<48)

		src, dst := []float32{1, 0x1p-30, -0x1p-30, 1, 0x1p-149, -0x1p-149}, make([]float32, 6)
		require.NoError(t, shaders.DDFrom(r, launch, dst, src))
		require.Equal(t, []float32{1, 0x1p-30, 1, -0x1p-30, 0, 0}, dst)
		require.ErrorContains(t, shaders.DDFrom(r, launch, dst, src[1:]), "are not the double words of 5 numbers")
		require.ErrorContains(t, shaders.DDFrom(r, launch, dst, []int32{1}), "are not the double words of 1 numbers")
	})
}

func checkFrom[T int32 | uint32 | int64 | uint64](t *testing.T, r *shaders.Runner, src []T, value func(T) *big.Rat, exact int64) {
	dst := make([]float32, 2*len(src))
	require.NoError(t, shaders.DDFrom(r, model.Launch1D((len(src)+31)/32, 32), dst, src))
	for i, v := range src {
		want, h, l := value(v), dst[2*i], dst[2*i+1]
		d := new(big.Rat).Sub(number(h, l), want)
		require.LessOrEqual(t, d.Abs(d).Cmp(uu(1, want)), 0, "%v: %v %v", v, h, l)
		if new(big.Rat).Abs(want).Cmp(big.NewRat(exact, 1)) <= 0 {
			require.Zero(t, d.Sign(), "%v: %v %v", v, h, l)
		}
		require.Equal(t, h, float32(h+l), "%v: %v %v is not a double word", v, h, l)
	}
}

func TestToInt32(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, _ *rand.Rand) {
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		src := []float32{
			1, -0x1p-30, 1, 0x1p-30, -1, 0x1p-30, -1, -0x1p-30, 2.5, 0, -2.5, 0, 0x1p24, -1, 0x1p24, -0x1p-30, 0x1p31, -1, 0x1p31, -0.5, 0x1p31, 0,
			-0x1p31, 0.5, -0x1p31, -0.5, -0x1p31, -1, inf, nan, -inf, nan, nan, 0, 0x1p40, 0, -0x1p40, 0, 0, 0, 0x1p25, 1,
		}
		want := []int32{
			0, 1, 0, -1, 2, -2, 1<<24 - 1, 1<<24 - 1, math.MaxInt32, math.MaxInt32, math.MaxInt32,
			-math.MaxInt32, math.MinInt32, math.MinInt32, math.MaxInt32, math.MinInt32, 0, math.MaxInt32, math.MinInt32, 0, 1<<25 + 1,
		}
		dst := make([]int32, len(want))
		require.NoError(t, shaders.DDToInt32(r, model.Launch1D(3, 8), dst, src))
		require.Equal(t, want, dst)
		require.ErrorContains(t, shaders.DDToInt32(r, launch, dst, src[1:]), "each has 2")
	})
}
