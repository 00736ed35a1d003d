package dd_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/model"
)

// The references of these tests have wide bits: what they miss is a 2^-500th of any bound.
const wide = 900

func wideOf(v float64) *big.Float { return new(big.Float).SetPrec(wide).SetFloat64(v) }
func plus(xs ...*big.Float) *big.Float {
	z := wideOf(0)
	for _, x := range xs {
		z.Add(z, x)
	}
	return z
}
func minus(x, y *big.Float) *big.Float { return wideOf(0).Sub(x, y) }
func times(xs ...*big.Float) *big.Float {
	z := wideOf(1)
	for _, x := range xs {
		z.Mul(z, x)
	}
	return z
}
func over(x, y *big.Float) *big.Float { return wideOf(0).Quo(x, y) }
func abs(x *big.Float) *big.Float     { return wideOf(0).Abs(x) }
func wholeOf(n int) *big.Float        { return wideOf(0).SetInt64(int64(n)) }
func pow(x *big.Float, n int) *big.Float {
	z := wideOf(1)
	for range n {
		z.Mul(z, x)
	}
	return z
}

// accuracy holds u, v, u² and η of a format.
type accuracy struct{ u, v, uu, eta *big.Float }

func accuracyOf[T kernels.Float]() accuracy {
	f := model.Binary32
	if eft.Precision[T]() == 53 {
		f = model.Binary64
	}
	u := wideOf(f.U())
	return accuracy{u, over(u, plus(u, wideOf(1))), times(u, u), wideOf(0).SetMantExp(wideOf(1), f.EtaExp())}
}

// one returns 1 + k·u², k = a/b.
func (c accuracy) one(a, b int) *big.Float {
	return plus(wideOf(1), over(times(wholeOf(a), c.uu), wholeOf(b)))
}

// within fails unless |got - want| <= limit, and returns the ratio.
func within[T kernels.Float](t *testing.T, got T, want, limit *big.Float, format string, args ...any) float64 {
	t.Helper()
	require.Zero(t, got-got, append([]any{format}, args...)...)
	e := abs(minus(wideOf(float64(got)), want))
	if e.Cmp(limit) > 0 {
		t.Fatalf("%s: got %x, want %.20g, error %.5g above %.5g", fmt.Sprintf(format, args...), got, want, e, limit)
	}
	if e.Sign() == 0 {
		return 0
	}
	r, _ := over(e, limit).Float64()
	return r
}

// draw returns n numbers of exponents up to span apart, some of which cancel.
func draw[T kernels.Float](rng *rand.Rand, n, span int, offset float64) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(offset + math.Ldexp(rng.Float64()-0.5, -rng.IntN(span+1)))
		if i > 0 && rng.IntN(4) == 0 {
			x[i] = -x[i-1] + T(math.Ldexp(float64(x[i]), -20))
		}
	}
	return x
}

var lengths = []int{1, 2, 3, 4, 5, 8, 17, 100}

func rounds() int {
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		return 500
	}
	return 25
}

// sums returns Σx_i, Σ|x_i|.
func sums[T kernels.Float](x []T) (s, a *big.Float) {
	s, a = wideOf(0), wideOf(0)
	for _, v := range x {
		w := wideOf(float64(v))
		s, a = plus(s, w), plus(a, abs(w))
	}
	return s, a
}

func TestTotalIsWithinItsBound(t *testing.T) { bothFormats(t, testTotal[float32], testTotal[float64]) }

func bothFormats(t *testing.T, f, g func(t *testing.T)) {
	t.Run("float32", f)
	t.Run("float64", g)
}

func testTotal[T kernels.Float](t *testing.T) {
	rng, c, worst := rand.New(rand.NewPCG(1, 1)), accuracyOf[T](), 0.0
	for _, n := range lengths {
		for r := range rounds() {
			x := draw[T](rng, n, 6*r%140, float64(r%3))
			z := dd.Total(x)
			require.True(t, z.Normal())
			s, a := sums(x)
			e := abs(minus(plus(wideOf(float64(z.Hi)), wideOf(float64(z.Lo))), s))
			limit := times(wholeOf(max(n-2, 0)), c.uu, a)
			require.LessOrEqual(t, e.Cmp(limit), 0, "%x", x)
			if e.Sign() > 0 {
				f, _ := over(e, limit).Float64()
				worst = max(worst, f)
			}
			require.Equal(t, z.Hi, dd.Sum(x))
		}
	}
	t.Logf("error/bound at most %.3f", worst)
	require.Positive(t, worst)
}

// TestSumsKeepTheirClaims judges Sum, Mean and Dot by the model's bounds.
func TestSumsKeepTheirClaims(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, k := range dd.Sums() {
		worst := 0.0
		for _, n := range lengths {
			for r := range rounds() {
				scale := []int{0, -60, -120, 40}[r%4]
				x, y := draw[float64](rng, n, 6*r%140, float64(r%3)), draw[float64](rng, n, r%30, 0)
				for i := range x {
					x[i] = math.Ldexp(x[i], scale)
					if k.Claim.In.P == 24 {
						x[i], y[i] = float64(float32(x[i])), float64(float32(y[i]))
					}
				}
				var got float64
				s, a := sums(x)
				switch {
				case k.Sum32 != nil:
					got = float64(k.Sum32(narrow(x)))
				case k.Sum64 != nil:
					got = k.Sum64(x)
				case k.Dot32 != nil:
					got = float64(k.Dot32(narrow(x), narrow(y)))
				default:
					got = k.Dot64(x, y)
				}
				bounds := model.SumBounds(k.Claim, n, -1)
				if k.IsDot() {
					s, a = wideOf(0), wideOf(0)
					for i := range x {
						p := times(wideOf(x[i]), wideOf(y[i]))
						s, a = plus(s, p), plus(a, abs(p))
					}
					bounds = model.DotBounds(k.Claim, n, -1)
				}
				require.NotEmpty(t, bounds)
				g := wideOf(got)
				if k.Claim.Mean {
					g = times(g, wholeOf(n))
				}
				e := abs(minus(g, s))
				for _, b := range bounds {
					limit := plus(times(wideOf(b.S), abs(s)), times(wideOf(b.A), a), wideOf(0).SetMantExp(wideOf(b.Abs), b.AbsExp))
					require.LessOrEqual(t, e.Cmp(limit), 0, "%s n=%d %s: %x %x", k.Name, n, b.Name, x, y)
					if e.Sign() > 0 {
						f, _ := over(e, limit).Float64()
						worst = max(worst, f)
					}
				}
			}
		}
		t.Logf("%s: error/bound at most %.4f", k.Name, worst)
	}
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// Means in the subnormal range are rounded once: every sum of two and three small numbers.
func TestMeansOfSubnormalNumbersAreRoundedOnce(t *testing.T) {
	const least = 0x1p-149
	for n := 1; n <= 9; n++ {
		for a := range 40 {
			for _, far := range []float32{0, least * 3, 0x1p-126, -0x1p-127} {
				x := make([]float32, n)
				x[0] = float32(a) * least
				x[n-1] += far
				s, _ := sums(x)
				exact, _ := s.Rat(nil)
				exact.Quo(exact, big.NewRat(int64(n), 1))
				want, _ := exact.Float32()
				require.Equal(t, want, dd.Mean(x), "%x", x)
			}
		}
	}
	// Quotients in the highest subnormal binade, where a word has one bit more than the result: 3k+1 over 3 looks like a tie, and
	// 6k+3 over 6 is one that the low word of the sum hides.
	rng := rand.New(rand.NewPCG(8, 1))
	for range 5000 {
		n := 3 + rng.IntN(7)
		units := n<<22 + rng.IntN(n<<22)
		x := make([]float32, n)
		x[0], x[1] = float32(units&^0xff)*least, float32(units&0xff)*least
		if rng.IntN(2) == 0 {
			x[0], x[1] = -x[0], -x[1]
			units = -units
		}
		exact := new(big.Rat).SetFloat64(least)
		want, _ := exact.Mul(exact, big.NewRat(int64(units), int64(n))).Float32()
		require.Equal(t, want, dd.Mean(x), "%d units over %d", units, n)
	}
}

func TestMeanOfMoreThan2To24Numbers(t *testing.T) {
	x := make([]float32, 1<<24+3)
	for i := range x {
		x[i] = 3 + float32(i%2)*0x1p-20
	}
	ones := float64(len(x) / 2)
	want := big.NewRat(0, 1).SetFloat64(3*float64(len(x)) + ones*0x1p-20)
	want.Quo(want, big.NewRat(int64(len(x)), 1))
	f, _ := want.Float32()
	require.Equal(t, f, dd.Mean(x))
}

// moments returns μ, σ² of x and the bound of |m-μ|.
func moments[T kernels.Float](c accuracy, x []T) (mu, variance, delta *big.Float) {
	n := len(x)
	s, a := sums(x)
	mu = over(s, wholeOf(n))
	variance = wideOf(0)
	for _, v := range x {
		d := minus(wideOf(float64(v)), mu)
		variance = plus(variance, times(d, d))
	}
	loss := times(wholeOf(max(n-2, 0)), c.uu, a, c.one(3, 1))
	if n&(n-1) != 0 {
		loss = plus(loss, times(wholeOf(3), c.uu, abs(s)))
	}
	delta = plus(over(loss, wholeOf(n)), times(wholeOf(4), c.eta))
	return mu, over(variance, wholeOf(n)), delta
}

// theta returns θ of Variance.
func (c accuracy) theta(n int) *big.Float {
	t := times(c.one(2, 1), c.one(2, 1), c.one(4, 1), pow(c.one(3, 1), n))
	return plus(minus(t, wideOf(1)), times(wholeOf(n), c.uu, c.uu))
}

func TestVarianceIsWithinItsBound(t *testing.T) {
	bothFormats(t, testVariance[float32], testVariance[float64])
}

func testVariance[T kernels.Float](t *testing.T) {
	rng, c := rand.New(rand.NewPCG(3, 1)), accuracyOf[T]()
	worst, naive := 0.0, 0
	for _, n := range lengths {
		for r := range rounds() {
			x := draw[T](rng, n, r%20, math.Ldexp(1, r%25))
			for i, scale := 0, []int{0, 0, -100, -140, 90, 30}[r%6]; i < n; i++ {
				x[i] = T(math.Ldexp(float64(x[i]), scale))
			}
			_, variance, delta := moments(c, x)
			theta, square := c.theta(n), times(delta, delta)
			limit := plus(times(plus(c.v, theta, times(c.v, theta)), plus(variance, square)), square)
			if over(plus(variance, limit), wideOf(0x1p127)).Cmp(wideOf(1)) < 0 {
				worst = max(worst, within(t, dd.Variance(x), variance, plus(limit, c.eta), "n=%d %x", n, x))
				if n > 1 {
					f := over(wholeOf(n), wholeOf(n-1))
					within(t, dd.SampleVariance(x), times(f, variance), plus(times(f, limit), c.eta), "sample n=%d %x", n, x)
				}
				var s, q T // the same in words, by the textbook's formula
				for _, v := range x {
					s, q = s+v, q+T(v*v)
				}
				q = (q - T(s*s)/T(n)) / T(n)
				if q-q != 0 || abs(minus(wideOf(float64(q)), variance)).Cmp(plus(limit, c.eta)) > 0 {
					naive++
				}
			}
		}
	}
	t.Logf("error/bound at most %.4f", worst)
	require.Greater(t, worst, 0.7)
	require.Positive(t, naive, "the bound passes anything")
}

func TestLayerNormIsWithinItsBound(t *testing.T) {
	bothFormats(t, testLayerNorm[float32], testLayerNorm[float64])
}

func testLayerNorm[T kernels.Float](t *testing.T) {
	rng, c, worst := rand.New(rand.NewPCG(4, 1)), accuracyOf[T](), 0.0
	one, beyond := wideOf(1), 0
	for _, n := range lengths {
		for r := range rounds() {
			x := draw[T](rng, n, r%20, math.Ldexp(1, r%10))
			gain, bias := draw[T](rng, n, 3, 1), draw[T](rng, n, 3, 0)
			epsilon := T([]float64{1e-5, 1e-12, 1, 1e-30}[r%4])
			for i, scale := 0, []int{0, 0, -100, -140, 90}[r%5]; i < n; i++ {
				x[i] = T(math.Ldexp(float64(x[i]), scale))
			}
			mu, variance, delta := moments(c, x)
			s2 := plus(variance, wideOf(float64(epsilon)))
			s := wideOf(0).Sqrt(s2)
			square := times(delta, delta)
			tt := plus(over(plus(times(c.theta(n), plus(variance, square)), square), s2), times(wholeOf(n), c.uu, c.uu))
			tt = plus(times(tt, c.one(2, 1)), times(wholeOf(2), c.uu))
			if tt.Cmp(one) >= 0 { // the mean may be farther off than all deviations
				beyond++
				continue
			}
			div := plus(c.one(15, 1), times(wholeOf(56), c.uu, c.u))
			rho := minus(over(times(c.one(2, 1), div), times(minus(one, tt), c.one(-25, 8))), one)
			got := slices.Clone(x)
			dd.LayerNorm(got, got, gain, bias, epsilon)
			for i, v := range x {
				z := over(minus(wideOf(float64(v)), mu), s)
				g := wideOf(float64(gain[i]))
				y := plus(times(z, g), wideOf(float64(bias[i])))
				zeta := plus(times(abs(z), rho), over(times(plus(one, rho), delta), s))
				e := times(abs(g), plus(minus(times(c.one(2, 1), plus(zeta, abs(z))), abs(z)), times(c.uu, c.uu)))
				inner := plus(times(c.one(2, 1), e), times(wholeOf(2), c.uu, abs(y)))
				limit := plus(times(c.v, abs(y)), inner, times(c.v, inner), times(wholeOf(4), c.eta))
				worst = max(worst, within(t, got[i], y, limit, "n=%d i=%d epsilon %g %x", n, i, epsilon, x))
			}
		}
	}
	t.Logf("error/bound at most %.4f; %d rows outside its domain", worst, beyond)
	require.Greater(t, worst, 0.7)
}

// wideExp returns exp(x), x <= 0, with an error of 2^-400 of it.
func wideExp(x *big.Float) *big.Float {
	const halvings = 40
	r := wideOf(0).SetMantExp(x, -halvings)
	term, sum := wideOf(1), wideOf(1)
	for k := 1; k < 40 && term.Sign() != 0; k++ {
		term = over(times(term, r), wholeOf(k))
		sum = plus(sum, term)
	}
	for range halvings {
		sum = times(sum, sum)
	}
	return sum
}

func TestSoftmaxIsWithinItsBound(t *testing.T) {
	bothFormats(t, testSoftmax[float32], testSoftmax[float64])
}

func testSoftmax[T kernels.Float](t *testing.T) {
	rng, c, worst := rand.New(rand.NewPCG(5, 1)), accuracyOf[T](), 0.0
	one := wideOf(1)
	epsilon := plus(wideOf(0x1p-52), wideOf(0x1p-53), wideOf(0x1p-80))
	primed := minus(times(plus(one, epsilon), c.one(1, 1)), one)
	for _, n := range lengths {
		for r := range 1 + rounds()*2/(n+3) {
			x := make([]T, n)
			for i := range x {
				x[i] = T((rng.Float64() - 0.5) * []float64{1, 10, 250, 1e-4, 800}[r%5])
			}
			m := wideOf(float64(slices.Max(x)))
			total, e := wideOf(0), make([]*big.Float, n)
			for i, v := range x {
				e[i] = wideExp(minus(wideOf(float64(v)), m))
				total = plus(total, e[i])
			}
			kappa := over(times(plus(one, primed), plus(c.one(15, 1), times(wholeOf(56), c.uu, c.u))), times(minus(one, primed), pow(c.one(-3, 1), n-1)))
			kappa = plus(minus(kappa, one), times(wholeOf(n), c.uu, c.uu))
			got := make([]T, n)
			dd.Softmax(got, x)
			for i := range x {
				p := over(e[i], total)
				limit := plus(times(p, plus(c.v, kappa, times(c.v, kappa))), times(wholeOf(8), c.eta))
				worst = max(worst, within(t, got[i], p, limit, "n=%d i=%d %x", n, i, x))
			}
			dd.Softmax(x, x)
			require.Equal(t, got, x)
		}
	}
	t.Logf("error/bound at most %.4f", worst)
	require.Greater(t, worst, map[bool]float64{true: 0.9, false: 0.1}[c.u.Cmp(wideOf(0x1p-24)) == 0])
}

func TestLinearAndMatMulAreWithinTheirBounds(t *testing.T) {
	bothFormats(t, testLinear[float32], testLinear[float64])
}

func testLinear[T kernels.Float](t *testing.T) {
	rng, c, worst := rand.New(rand.NewPCG(6, 1)), accuracyOf[T](), 0.0
	one := wideOf(1)
	for _, n := range []int{0, 1, 2, 3, 7, 30} {
		for r := range rounds() {
			rows, scale := 1+r%4, []int{0, -70, -75, 30}[r%4]
			w, x, bias := draw[T](rng, rows*n, 20, 0), draw[T](rng, n, 20, 0), draw[T](rng, rows, 20, 0)
			for i := range w {
				w[i] = T(math.Ldexp(float64(w[i]), scale))
			}
			for i := range x {
				x[i] = T(math.Ldexp(float64(x[i]), scale))
			}
			for i := range bias {
				bias[i] = T(math.Ldexp(float64(bias[i]), 2*scale))
			}
			got, dots := make([]T, rows), make([]T, rows)
			dd.Linear(got, w, x, bias)
			dd.Linear(dots, w, x, nil)
			product := make([]T, rows)
			dd.MatMul(product, w, x, rows, n, 1)
			require.Equal(t, product, dots)
			for i := range got {
				y, a := wideOf(0), wideOf(0)
				for j := range n {
					p := times(wideOf(float64(w[i*n+j])), wideOf(float64(x[j])))
					y, a = plus(y, p), plus(a, abs(p))
				}
				require.Equal(t, dots[i], dd.Dot(w[i*n:(i+1)*n], x))
				b := wideOf(float64(bias[i]))
				y = plus(y, b)
				loss := times(wholeOf(max(2*n-1, 0)), c.uu)
				inner := plus(times(loss, plus(a, times(wholeOf(2), c.v, a), abs(b))), times(wholeOf(n), plus(one, times(wholeOf(3), loss)), c.eta))
				limit := plus(times(c.v, abs(y)), inner, times(c.v, inner))
				worst = max(worst, within(t, got[i], y, limit, "n=%d row %d", n, i))
			}
		}
	}
	t.Logf("error/bound at most %.4f", worst)
	require.Greater(t, worst, 0.7)
}

func TestMatMulIsDotOfRowsAndColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, s := range [][3]int{{0, 0, 0}, {2, 0, 3}, {1, 1, 1}, {3, 4, 5}, {5, 1, 2}, {2, 7, 1}, {0, 3, 2}, {2, 3, 0}} {
		rows, n, columns := s[0], s[1], s[2]
		a, b := draw[float32](rng, rows*n, 20, 0), draw[float32](rng, n*columns, 20, 0)
		dst := make([]float32, rows*columns)
		for i := range dst {
			dst[i] = 7
		}
		dd.MatMul(dst, a, b, rows, n, columns)
		for i := range rows {
			for j := range columns {
				column := make([]float32, n)
				for k := range column {
					column[k] = b[k*columns+j]
				}
				require.Equal(t, dd.Dot(a[i*n:(i+1)*n], column), dst[i*columns+j])
			}
		}
	}
}

func same[T kernels.Float](t *testing.T, want, got T, format string, args ...any) {
	t.Helper()
	if want != want {
		require.True(t, got != got, append([]any{format + ": %v"}, append(args, got)...)...)
		return
	}
	require.Equal(t, math.Float64bits(float64(want)), math.Float64bits(float64(got)), append([]any{format}, args...)...)
}

func TestSpecialValuesOfSums(t *testing.T) {
	inf, nan, negative := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	const large = math.MaxFloat32
	for _, c := range []struct {
		x         []float32
		sum, mean float32
	}{
		{nil, 0, nan},
		{[]float32{negative}, negative, negative},
		{[]float32{negative, negative, negative}, negative, negative},
		{[]float32{negative, 0}, 0, 0},
		{[]float32{1, -1, negative}, 0, 0},
		{[]float32{nan}, nan, nan},
		{[]float32{1, inf, 2}, inf, inf},
		{[]float32{inf, -inf}, nan, nan},
		{[]float32{-inf, nan, 3}, nan, nan},
		{[]float32{large, large}, inf, inf},
		{[]float32{large, large, -large}, inf, inf}, // as plain additions
		{[]float32{-0x1.8p104, large}, 0x1.fffffcp127, 0x1.fffffcp126},
		{[]float32{large}, large, large},
		{[]float32{0x1.8p127, 0x1p125, 0x1p124}, 0x1.ep127, 0x1.4p126},
		{[]float32{3 * 0x1p-149, 0}, 3 * 0x1p-149, 2 * 0x1p-149}, // a tie, to even
		{[]float32{1, 0x1p-24, 0x1p-48}, 1, float32(1.0 / 3)},    // a tie for the low word: u² is lost
		{[]float32{1, 0x1p-24, 0x1p-47}, 1 + 0x1p-23, float32(1.0 / 3)},
	} {
		same(t, c.sum, dd.Sum(c.x), "sum of %v", c.x)
		ones := make([]float32, len(c.x))
		for i := range ones {
			ones[i] = 1
		}
		same(t, c.sum, dd.Dot(c.x, ones), "dot of %v", c.x)
		same(t, c.mean, dd.Mean(c.x), "mean of %v", c.x)
	}
	same(t, inf, dd.Dot([]float32{0x1p100, 1}, []float32{0x1p100, 1}), "product that overflows")
	same(t, nan, dd.Dot([]float32{0x1p100, 0x1p100}, []float32{0x1p100, -0x1p100}), "products that overflow")
	same(t, nan, dd.Dot([]float32{0, 1}, []float32{inf, 1}), "0·Inf")
	same(t, negative, dd.Dot([]float32{-0x1p-100, 0}, []float32{0x1p-100, negative}), "products that underflow")
	same(t, 0, dd.Dot([]float32{-0x1p-100, 0}, []float32{0x1p-100, 0}), "products that underflow")
}

func TestSpecialValuesOfLayers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const large = math.MaxFloat32
	for _, c := range []struct {
		x                []float32
		variance, sample float32
	}{
		{nil, nan, nan},
		{[]float32{5}, 0, nan},
		{[]float32{inf}, nan, nan},
		{[]float32{1, nan}, nan, nan},
		{[]float32{1, -inf}, nan, nan},
		{[]float32{1, 3}, 1, 2},
		{[]float32{large, -large}, inf, inf},
		{[]float32{large, large}, 0, 0},
		{[]float32{0x1p63, -0x1p63}, 0x1p126, 0x1p127},
		{[]float32{0x1p-74, -0x1p-74}, 0x1p-148, 0x1p-147},
		{[]float32{0x1p-80, -0x1p-80}, 0, 0},
		{[]float32{0x1p-149, 0}, 0, 0},
		{[]float32{0, 0, 0}, 0, 0},
		{[]float32{0x1p100, 0x1p100, 0x1p100, 0x1p100}, 0, 0},
	} {
		same(t, c.variance, dd.Variance(c.x), "variance of %v", c.x)
		same(t, c.sample, dd.SampleVariance(c.x), "sample variance of %v", c.x)
	}
	for _, c := range []struct{ x, want []float32 }{
		{nil, nil},
		{[]float32{7}, []float32{1}},
		{[]float32{-inf, 3}, []float32{0, 1}},
		{[]float32{-inf, -inf}, []float32{nan, nan}},
		{[]float32{inf, 3}, []float32{nan, nan}},
		{[]float32{nan, 3}, []float32{nan, nan}},
		{[]float32{large, -large}, []float32{1, 0}},
		{[]float32{large, large}, []float32{0.5, 0.5}},
		{[]float32{-103, 0}, []float32{0x1p-149, 1}},
		{[]float32{-200, 0}, []float32{0, 1}},
	} {
		got := make([]float32, len(c.x))
		dd.Softmax(got, c.x)
		for i := range got {
			same(t, c.want[i], got[i], "softmax of %v", c.x)
		}
	}
	norm := func(epsilon float32, gain, bias []float32, x ...float32) []float32 {
		dst := make([]float32, len(x))
		dd.LayerNorm(dst, x, gain, bias, epsilon)
		return dst
	}
	require.Equal(t, []float32{1, -1}, norm(0, nil, nil, 3, 1))
	require.Equal(t, []float32{1, -1}, norm(0, nil, nil, 0x1p-140, -0x1p-140))
	require.Equal(t, []float32{1, -1}, norm(0, nil, nil, large, -large))
	require.Equal(t, []float32{5, 2}, norm(1, []float32{2, 3}, []float32{5, 2}, 8, 8))
	require.Equal(t, []float32{inf, 0}, norm(0, []float32{large, 0}, []float32{large, 0}, 3, 1))
	require.Equal(t, []float32{inf, -inf}, norm(0, []float32{inf, 1}, []float32{0, -inf}, 3, 1))
	for _, v := range append(norm(0, nil, nil, 8, 8), norm(1, nil, nil, 8, inf)...) {
		same(t, nan, v, "norm")
	}
	require.Empty(t, norm(1, nil, nil))
}

func TestBadShapesPanic(t *testing.T) {
	x := make([]float32, 12)
	for i, c := range []struct {
		want string
		f    func()
	}{
		{"dd: slices of one length are asked for, not of 2 and 3", func() { dd.Dot(x[:2], x[:3]) }},
		{"dd: slices of one length are asked for, not of 2 and 3", func() { dd.Softmax(x[:2], x[2:5]) }},
		{"dd: slices of one length are asked for, not of 2 and 3", func() { dd.LayerNorm(x[:2], x[:3], nil, nil, 1) }},
		{"dd: slices of one length are asked for, not of 2 and 3", func() { dd.LayerNorm(x[:2], x[:2], x[3:6], nil, 1) }},
		{"dd: slices of one length are asked for, not of 2 and 0", func() { dd.LayerNorm(x[:2], nil, nil, nil, 1) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.Softmax(x[:3], x[1:4]) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.LayerNorm(x[:3], x[1:4], nil, nil, 1) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.LayerNorm(x[:3], x[4:7], x[1:4], nil, 1) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.Linear(x[:2], x[2:6], x[1:3], nil) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.Linear(x[:2], x[2:6], x[6:8], x[:2]) }},
		{"dd: dst overlaps an operand from another start, or where no overlap is allowed", func() { dd.MatMul(x[:4], x[3:7], x[8:], 2, 2, 2) }},
		{"dd: a matrix of 2 rows and 2 columns is not a slice of 3 numbers", func() { dd.Linear(x[:2], x[2:5], x[6:8], nil) }},
		{"dd: a bias of 1 numbers does not fit 2 results; give as many, or nil", func() { dd.Linear(x[:2], x[2:6], x[6:8], x[9:10]) }},
		{"dd: a matrix of 2 rows and 3 columns is not a slice of 4 numbers", func() { dd.MatMul(x[:2], x[2:6], x[6:9], 2, 3, 1) }},
		{"dd: a matrix of 3 rows and 1 columns is not a slice of 2 numbers", func() { dd.MatMul(x[:2], x[2:8], x[8:10], 2, 3, 1) }},
		{"dd: a matrix of 2 rows and 1 columns is not a slice of 1 numbers", func() { dd.MatMul(x[:1], x[2:8], x[8:11], 2, 3, 1) }},
		{"dd: matrices cannot have -1×2 and 2×-1 numbers", func() { dd.MatMul(x[:1], x[1:3], x[3:5], -1, 2, -1) }},
		{"dd: LayerNorm's epsilon is finite and not negative", func() { dd.LayerNorm(x[:2], x[:2], nil, nil, -1) }},
		{"dd: LayerNorm's epsilon is finite and not negative", func() { dd.LayerNorm(x[:2], x[:2], nil, nil, float32(math.NaN())) }},
		{"dd: LayerNorm's epsilon is finite and not negative", func() { dd.LayerNorm(x[:2], x[:2], nil, nil, float32(math.Inf(1))) }},
	} {
		require.PanicsWithValue(t, c.want, c.f, "case %d", i)
	}
}
