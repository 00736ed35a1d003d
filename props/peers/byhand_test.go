package main

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/foreign"
	"gamma/props/judge"
	"gamma/props/process"
)

// libraryCalled returns a library of the table, opened; where it is absent the test skips.
func libraryCalled(t *testing.T, name string) *opened {
	t.Helper()
	o := &options{source: ".", built: t.TempDir()}
	require.NoError(t, defaultPython())
	for _, l := range libraries() {
		if l.title() == name || l.Name == name && l.Setting == "1 thread" {
			c := &closing{}
			t.Cleanup(c.close)
			of, err := l.open(o, c)
			if fault := (*uncompiled)(nil); errors.As(err, &fault) {
				t.Fatal(err)
			} else if err != nil {
				t.Skipf("%s is absent; %s: %v", name, l.install(), err)
			}
			return of
		}
	}
	t.Fatalf("the table has no %s", name)
	return nil
}

// exact returns a number with 300 bits.
func exact(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

// rounded returns a number as so many bits hold it, to nearest even.
func rounded(x *big.Float, bits uint) float64 {
	v, _ := new(big.Float).SetPrec(bits).SetMode(big.ToNearestEven).Set(x).Float64()
	return v
}

// add32 returns x + y in binary32, by math/big.
func add32(x, y float64) float64 { return rounded(new(big.Float).Add(exact(x), exact(y)), 24) }

// TestByHand computes by math/big what the page says of claims that are violated, at the inputs that were found.
func TestByHand(t *testing.T) {
	t.Run("numpy.sum", func(t *testing.T) {
		of := libraryCalled(t, "NumPy")
		x := make([]float32, 8193)
		x[0], x[4096], x[8192] = 1, 1, 1<<24
		got, err := of.run.Sum("np_sum")(x)
		require.NoError(t, err)
		// One tree splits at 4096, and the halves are 1 and 1 + 2^24 = 2^24, a tie; two buffers are 1 + 1 and 2^24.
		require.Equal(t, float64(1<<24), add32(1, add32(1, 1<<24)))
		require.Equal(t, add32(add32(1, 1), 1<<24), float64(got))
	})
	t.Run("numpy.sum.slow", func(t *testing.T) {
		if testing.Short() {
			t.Skip("left out with -short: it sums 2^24 numbers")
		}
		of := libraryCalled(t, "NumPy")
		n := 1<<24 + 64
		x := make([]float32, n)
		for i := range x {
			x[i] = 1
		}
		slow, err := of.run.Sum("np_sum_slow")(x)
		require.NoError(t, err)
		fast, err := of.run.Sum("np_sum")(x)
		require.NoError(t, err)
		require.Equal(t, float32(1<<24), slow, "1 + 2^24 is 2^24")
		require.Equal(t, float32(n), fast)
		// γ_h·n with h additions: the error, 64, is larger.
		h := new(big.Rat).SetFrac64(int64(pairwiseHeight(n)), 1<<24)
		bound := new(big.Rat).Quo(h, new(big.Rat).Sub(big.NewRat(1, 1), h))
		require.Positive(t, big.NewRat(64, 1).Cmp(bound.Mul(bound, big.NewRat(int64(n), 1))))
	})
	t.Run("sleef", func(t *testing.T) {
		of := libraryCalled(t, "SLEEF")
		at := func(function string, x float32) float64 {
			got, err := of.run32(function, x)
			require.NoError(t, err)
			return float64(got)
		}
		// 8205624.5·π is an even multiple of π and a half of it: the sine is 1. Of the odd 8388609 the cosine is -1.
		require.Equal(t, 8205624.5, float64(float32(8205624.5)))
		require.Greater(t, math.Abs(at("Sleef_sinpif_u05", 8205624.5)-1), 0.5)
		require.Greater(t, math.Abs(at("Sleef_cospif_u05", 8388609)+1), 0.5)
		// erf x = 2x/√π·(1 - x²/3 + …), and x² is below 2^-250. π to 64 digits.
		x := float32(0x1.70af9p-127)
		pi, _, err := big.ParseFloat(decimalPi, 10, 300, big.ToNearestEven)
		require.NoError(t, err)
		want := new(big.Float).Quo(exact(2*float64(x)), new(big.Float).SetPrec(300).Sqrt(pi))
		off := new(big.Float).Sub(want, exact(at("Sleef_erff_u10", x)))
		units, _ := off.Quo(off, exact(0x1p-149)).Float64()
		require.Greater(t, math.Abs(units), 1.5, "units of the least subnormal number")
	})
	t.Run("libqd", func(t *testing.T) {
		of := libraryCalled(t, "libqd")
		z := make([]float64, 2)
		require.NoError(t, of.lib.Operation64("void dd_sqrt(double *dst, const double *src, int64_t rows)", 2)(z, []float64{0x1.bc988aac9d3c5p+1, 0x1p-84}))
		root := new(big.Float).SetPrec(300).Sqrt(new(big.Float).Add(exact(0x1.bc988aac9d3c5p+1), exact(0x1p-84)))
		off := new(big.Float).Sub(new(big.Float).Add(exact(z[0]), exact(z[1])), root)
		relative, _ := off.Quo(off, root).Float64()
		require.Greater(t, math.Abs(relative), 1.08*0x1p-104)
		// A quotient of quad-doubles, as a fraction.
		x, y := []float64{0x1.0000000588p+0, 0x1.df8p-54, 0, 0}, []float64{0x1.038p+0, -0x1.f9eea6ffac342p-54, 0x1p-108, 0}
		q := make([]float64, 4)
		require.NoError(t, of.lib.Operation64("void qd_div(double *dst, const double *src, int64_t rows)", 8)(q, append(append([]float64{}, x...), y...)))
		fraction := func(words []float64) *big.Rat {
			sum := new(big.Rat)
			for _, w := range words {
				sum.Add(sum, new(big.Rat).SetFloat64(w))
			}
			return sum
		}
		quotient := new(big.Rat).Quo(fraction(x), fraction(y))
		rest := new(big.Rat).Sub(fraction(q), quotient)
		rest.Quo(rest.Abs(rest), quotient)
		require.Positive(t, rest.Cmp(new(big.Rat).SetFrac64(133, 100).Mul(big.NewRat(133, 100), new(big.Rat).SetFloat64(0x1p-209))))
	})
	t.Run("gonum", func(t *testing.T) {
		inf := math.Inf(1)
		require.True(t, math.IsNaN(floats.SumCompensated([]float64{inf})), "an infinite number is its own sum")
		x, y := 0x1.8p+1023, 0x1p+1022
		sum, _ := new(big.Float).Add(exact(x), exact(y)).Float64()
		require.Equal(t, inf, sum, "2^1024 is rounded to infinity")
		require.True(t, math.IsNaN(floats.SumCompensated([]float64{x, y})))
		for _, s := range sums {
			if s.Name == "gonum.lapack64.Langb" {
				require.Equal(t, 3.0, s.Run64([]float64{1, -2}))
				require.True(t, math.IsNaN(s.Run64([]float64{inf, inf})), "the sum of two infinite magnitudes is infinite")
				return
			}
		}
		t.Fatal("the table has no Langb")
	})
	t.Run("gsl", gslByHand)
	t.Run("openblas", openblasByHand)
	t.Run("torch", torchByHand)
}

// decimalPi is π to 64 digits.
const decimalPi = "3.141592653589793238462643383279502884197169399375105820974944592"

// gslByHand shows that val ± err of GSL's functions leaves out the exact result. The shim returns a number of that interval: the nearest to what glibc returns, which is within 1.5 units
// in the last place of the exact result, and so would this one be if the interval held it.
func gslByHand(t *testing.T) {
	of := libraryCalled(t, "GSL, special functions")
	at := func(function string, x float64) float64 {
		y := make([]float64, 1)
		require.NoError(t, of.lib.Operation64("void v_gsl_sf_"+function+"_e(const double *x, double *dst, int n)", 1)(y, []float64{x}))
		return y[0]
	}
	off := func(y float64, exact *big.Float) float64 { // in units of the last place of the exact result
		e, _ := exact.Float64()
		_, exponent := math.Frexp(e)
		units, _ := new(big.Float).Sub(new(big.Float).SetPrec(300).SetFloat64(y), exact).Float64()
		return math.Abs(math.Ldexp(units, 53-exponent))
	}
	pi, _, err := big.ParseFloat(decimalPi, 10, 300, big.ToNearestEven)
	require.NoError(t, err)
	sum, term := exact(0), exact(1) // e^(1/16) - 1
	for k := 1; k < 60; k++ {
		term = new(big.Float).Quo(term, exact(float64(16*k)))
		sum = new(big.Float).Add(sum, term)
	}
	require.Greater(t, off(at("expm1", 1.0/16), sum), 2.0)
	// x is 3885.5·π and r more: cos x = ± sin r, which is r - r³/6 to 2^-190.
	x := 0x1.7d75441b78c26p+13
	r := new(big.Float).Sub(exact(x), new(big.Float).Mul(pi, exact(math.Floor(x/math.Pi)+0.5)))
	small, _ := r.Float64()
	require.Less(t, math.Abs(small), 0x1p-38)
	cube := new(big.Float).Mul(new(big.Float).Mul(r, r), r)
	sine := new(big.Float).Sub(r, cube.Quo(cube, exact(6)))
	y := at("cos", x)
	if sine.Sign() != exact(y).Sign() {
		sine.Neg(sine)
	}
	require.Greater(t, off(y, sine), 2.0)
	// Of 47·2^122 the sine is -0.949…: the rest of the division by π decides, of which 64 digits leave 26.
	large := 0x1.78p+124
	whole, _ := new(big.Float).Quo(exact(large), pi).Int(nil)
	rest, _ := new(big.Float).Sub(exact(large), new(big.Float).Mul(pi, new(big.Float).SetPrec(300).SetInt(whole))).Float64()
	require.InDelta(t, 0.949, math.Sin(rest), 0.001) // |sin x|
	require.Less(t, math.Abs(at("sin", large)), 0.5)
	require.True(t, math.IsNaN(at("erf", 0x1p205)), "1 - erf x is below e^(-x²)")
}

// openblasByHand shows that threads change the bits of a dot product, and leave it within γ_n·Σ|x·y|, exactly.
func openblasByHand(t *testing.T) {
	const n, declaration = 10001, "double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)"
	of := libraryCalled(t, "OpenBLAS")
	results := map[float64]string{}
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	sum, size := new(big.Rat), new(big.Rat)
	for i := range x {
		x[i], y[i] = rng.Float64()-0.5, rng.Float64()-0.5
		p := new(big.Rat).Mul(new(big.Rat).SetFloat64(x[i]), new(big.Rat).SetFloat64(y[i]))
		sum.Add(sum, p)
		size.Add(size, p.Abs(p))
	}
	u := big.NewRat(n, 1<<53)
	bound := size.Mul(size, u.Quo(u, new(big.Rat).Sub(big.NewRat(1, 1), u)))
	for _, threads := range []string{"1", "2"} {
		lib := foreign.Load(t, of.file, foreign.Env("OPENBLAS_NUM_THREADS="+threads))
		got, err := lib.Dot64(declaration)(x, y)
		require.NoError(t, err)
		results[got] += threads
		off := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), sum)
		require.Negative(t, off.Abs(off).Cmp(bound), "%s threads", threads)
	}
	if runtime.NumCPU() < 2 {
		t.Skip("one processor: OpenBLAS starts one thread")
	}
	require.Len(t, results, 2, "%v", results)
}

// run32 calls a function of a shim on one number.
func (of *opened) run32(function string, x float32) (float32, error) {
	y := make([]float32, 1)
	err := of.lib.Operation("void v_"+function+"(const float *x, float *dst, int n)", 1)(y, []float32{x})
	return y[0], err
}

// torchByHand computes what PyTorch's documented formulas are at numbers that say all.
func torchByHand(t *testing.T) {
	bf := func(v float32) uint16 { return uint16(math.Float32bits(v) >> 16) } // of numbers that bfloat16 holds
	of := libraryCalled(t, "PyTorch")
	call := func(t *testing.T, function string, in ...process.Array) float64 {
		t.Helper()
		if strings.HasPrefix(function, "tb16_") {
			dst := in[len(in)-1]
			require.NoError(t, of.run.Call(function, in[:len(in)-1], dst))
			return float64(math.Float32frombits(uint32(dst.Data.([]uint16)[0]) << 16))
		}
		var y [1]float32
		require.NoError(t, of.run.Call(function, in, process.Vector("", y[:])))
		return float64(y[0])
	}
	vector := func(list ...float32) process.Array {
		var v []uint16
		for _, x := range list {
			v = append(v, bf(x))
		}
		return process.Vector("", v)
	}
	matrix := func(rows, columns int, list ...float32) process.Array {
		a := vector(list...)
		a.Dims = []int{rows, columns}
		return a
	}
	t.Run("layer_norm", func(t *testing.T) {
		one := []float32{15}
		got := call(t, "t_layer_norm", process.Vector("", one), process.Vector("", []float32{1}), process.Vector("", []float32{0}))
		require.NotZero(t, got, "x is its mean: (x - mean)·r is 0 for any r")
		require.NotZero(t, call(t, "tb16_layer_norm", vector(5), vector(1), vector(0), vector(0)))
		// One number is its mean, and its variance 0: by either way, times gamma = 0, the result is 0.
		got = call(t, "t_layer_norm", process.Vector("", []float32{0x1p64}), process.Vector("", []float32{0}), process.Vector("", []float32{0}))
		require.True(t, math.IsNaN(got), "%g", got)
		var y [1]float64
		require.NoError(t, of.run.Call("t_layer_norm", []process.Array{process.Vector("", []float64{0x1p512}), process.Vector("", []float64{0}), process.Vector("", []float64{0})}, process.Vector("", y[:])))
		require.True(t, math.IsNaN(y[0]), "%g", y[0])
	})
	t.Run("mean", func(t *testing.T) {
		for n, want := range map[int]uint64{65504: 0x3c00, 65520: 0x7e00} { // 1 and NaN; the largest binary16 is 65504, and 65520 is rounded to infinity
			ones := make([]uint16, n)
			for i := range ones {
				ones[i] = 0x3c00
			}
			got, err := of.run.SumBits("t16_mean")(ones)
			require.NoError(t, err)
			require.Equal(t, want, got&0x7fff, "mean of %d ones", n)
		}
	})
	t.Run("matmul", func(t *testing.T) {
		got := call(t, "tb16_matmul", matrix(1, 2, -95, 1), matrix(2, 1, -3, 1), matrix(1, 1, 0))
		require.Equal(t, 286.0, rounded(exact(95*3+1), 8), "the exact sum, which bfloat16 holds")
		require.Equal(t, rounded(exact(rounded(exact(285), 8)+1), 8), got, "285 and 285 rounded to bfloat16")
	})
	// exp by its series, with 300 bits: of |x| <= 2 forty terms leave less than 2^-100.
	exp := func(x float64) *big.Float {
		sum, term := exact(1), exact(1)
		for k := 1; k <= 60; k++ {
			term = new(big.Float).Quo(new(big.Float).Mul(term, exact(x)), exact(float64(k)))
			sum = new(big.Float).Add(sum, term)
		}
		return sum
	}
	t.Run("silu", func(t *testing.T) {
		want := rounded(new(big.Float).Quo(exact(2), new(big.Float).Add(exact(1), exp(-2))), 8)
		require.NotEqual(t, want, call(t, "tb16_silu", vector(2), vector(0)))
	})
	// ln(1 + exp(-1/2)) lies between two numbers of bfloat16, and its middle decides: its exponential does, too.
	t.Run("logsumexp", func(t *testing.T) {
		got := call(t, "tb16_logsumexp", vector(0.5, 0), process.Array{Data: []uint16{0}})
		nearest(t, exp, got, 0.97265625, 0.9765625)
	})
	t.Run("log_softmax", func(t *testing.T) {
		got := call(t, "tb16_log_softmax", vector(0, 0.5), vector(0, 0))
		nearest(t, exp, -got, 0.97265625, 0.9765625)
	})
	t.Run("gelu", func(t *testing.T) {
		// 1/2·(1 + erf(1/√2)) = 0.8413…, by erf x = 2/√π·Σ (-1)^k x^(2k+1)/(k!(2k+1)) with 300 bits.
		root := new(big.Float).SetPrec(300).Sqrt(exact(0.5))
		sum, power, factorial := exact(0), root, exact(1)
		for k := range 60 {
			term := new(big.Float).Quo(power, new(big.Float).Mul(factorial, exact(float64(2*k+1))))
			if k%2 == 1 {
				term.Neg(term)
			}
			sum = new(big.Float).Add(sum, term)
			power = new(big.Float).Mul(power, exact(0.5))
			factorial = new(big.Float).Mul(factorial, exact(float64(k+1)))
		}
		pi, _, err := big.ParseFloat(decimalPi, 10, 300, big.ToNearestEven)
		require.NoError(t, err)
		erf := new(big.Float).Quo(new(big.Float).Mul(exact(2), sum), new(big.Float).SetPrec(300).Sqrt(pi))
		want := rounded(new(big.Float).Mul(exact(0.5), new(big.Float).Add(exact(1), erf)), 8)
		require.Equal(t, 0.83984375, want)
		require.Equal(t, 0.84375, call(t, "tb16_gelu", vector(1), vector(0)))
		require.Zero(t, call(t, "tb16_gelu", vector(0x1p-126, 0), vector(0, 0)), "the half of the least normal number is a subnormal bfloat16")
	})
}

// nearest holds that ln(e^(1/2) + 1), which lies between lo and hi, two neighbours in bfloat16, is nearer to lo, and that got is hi.
func nearest(t *testing.T, exp func(x float64) *big.Float, got, lo, hi float64) {
	t.Helper()
	e := new(big.Float).Add(exp(0.5), exact(1))
	require.Negative(t, exp(lo).Cmp(e))
	require.Negative(t, e.Cmp(exp((lo+hi)/2)), "below the middle")
	require.Equal(t, hi, got)
}

// TestQuadDoubles: the law of quad-doubles sees the last word of a result: one that is left out is found.
func TestQuadDoubles(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	of := libraryCalled(t, "libqd")
	for _, left := range []int{0, 1} {
		s := rows(word.Claim{Op: word.Op{Function: word.Product, X: 4, Y: 4, Z: 4}, Splits: true, Finite: true}, quadLaw)("libqd.qd_mul", of, "void qd_mul(double *dst, const double *src, int64_t rows)").(judge.Operation)
		mul := s.Run64Err
		s.Run64Err = func(dst, src []float64) error {
			err := mul(dst, src)
			for i := 3; i < len(dst) && left > 0; i += 4 {
				dst[i] = 0
			}
			return err
		}
		_, n, v, err := judge.Search(quadLaw, s, 2000)
		require.NoError(t, err)
		require.Positive(t, n)
		require.Equal(t, left > 0, v.Outcome == judge.Violated, "%d words are left out: %+v", left, v)
	}
}

// mixed returns a hash of a modulus and words.
func mixed(q uint64, in []uint64) (h uint64) {
	for h = q; len(in) > 0; in = in[1:] {
		h = (h ^ in[0]) * 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	return h
}

// TestResiduesOfLibraries: every function of FLINT and NTL on residues is found where it is wrong in one word of 2^16, or modulo one number alone.
func TestResiduesOfLibraries(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	for _, l := range []library{flint(), ntl()} {
		of, judged := libraryCalled(t, l.Name), 0
		for _, c := range l.Claims {
			s, ok := c.Make("residues", of, c.Kernel).(judge.Modular)
			if !ok {
				continue
			}
			judged++
			run, in := s.Run, len(s.Claim.In)
			for name, wrong := range map[string]func(q uint64, in []uint64) bool{
				"nowhere":             func(uint64, []uint64) bool { return false },
				"in one word of 2^16": func(q uint64, in []uint64) bool { return mixed(q, in)%(1<<16) == 1 },
				"modulo one number":   func(q uint64, in []uint64) bool { return q == s.Claim.Moduli.Max },
			} {
				planted := s
				planted.Run = func(q uint64, dst, src []uint64) error {
					err := run(q, dst, src)
					for i := range dst {
						if wrong(q, src[i*in:(i+1)*in]) {
							dst[i] = (dst[i] + 1) % q
						}
					}
					return err
				}
				most := 1 << 22
				if name == "nowhere" {
					most = 1 << 16
				}
				_, n, v, err := judge.Search(judge.ModularLaws()[0], planted, most)
				require.NoError(t, err)
				require.Positive(t, n)
				require.Equal(t, name != "nowhere", v.Outcome == judge.Violated, "%s %s, %s: %d words, %+v", l.Name, c.Name, name, n, v)
				t.Logf("%s %s, wrong %s: %d words judged, %s", l.Name, c.Name, name, n, v.Outcome)
			}
		}
		require.GreaterOrEqual(t, judged, 7, l.Name)
	}
}

// plantedIn returns a transform subject that is wrong in one number of a direction, or of the product, where a function of the transform and of the input says so.
func plantedIn(s judge.NTT, direction string, wrong func(t modular.Transform, in []uint64) bool) judge.NTT {
	plan := s.Plan
	s.Plan = func(t modular.Transform) (modular.Transforms, error) {
		out, err := plan(t)
		off := func(dst, src []uint64) {
			if wrong(t, src) {
				at := mixed(t.Modulus, src) % uint64(len(dst))
				dst[at] = (dst[at] + 1) % t.Modulus
			}
		}
		forward, inverse, product := out.Forward, out.Inverse, out.Product
		switch direction {
		case "forward":
			out.Forward = func(dst, src []uint64) error { err := forward(dst, src); off(dst, src); return err }
		case "inverse":
			out.Inverse = func(dst, src []uint64) error { err := inverse(dst, src); off(dst, src); return err }
		case "product":
			out.Product = func(dst, a, b []uint64) error { err := product(dst, a, b); off(dst, a); return err }
		}
		return out, err
	}
	return s
}

// TestTransformsOfLibraries: every transform and product of FLINT and NTL is found where one number of one call in 16 is off, of one modulus alone, or at the greatest length alone that a run draws.
func TestTransformsOfLibraries(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	law := judge.NTTLaws()[0]
	require.EqualValues(t, "ntt.exact", law.ID)
	for _, l := range []library{flint(), ntl()} {
		of, judged := libraryCalled(t, l.Name), 0
		for _, c := range l.Claims {
			s, ok := c.Make("transform", of, c.Kernel).(judge.NTT)
			if !ok {
				continue
			}
			judged++
			directions := []string{"forward", "inverse"}
			if s.Claim.Product {
				directions = []string{"product"}
			}
			greatest := min(s.Claim.MaxN, 1<<16)
			search := func(s judge.NTT, most int) (int, judge.Verdict) {
				t.Helper()
				_, n, v, err := judge.Search(law, s, most)
				require.NoError(t, err, "%s %s", l.Name, c.Name)
				require.Positive(t, n, "%s %s", l.Name, c.Name)
				return n, v
			}
			n, v := search(s, 200)
			require.Equal(t, judge.Holds, v.Outcome, "%s %s: %+v", l.Name, c.Name, v)
			t.Logf("%s %s: %d cases hold", l.Name, c.Name, n)
			for _, direction := range directions {
				var first, modulus uint64
				for name, wrong := range map[string]func(q modular.Transform, in []uint64) bool{
					"in one call of 16":      func(q modular.Transform, in []uint64) bool { return mixed(q.Modulus+1, in)%16 == 1 },
					"modulo one number":      func(q modular.Transform, _ []uint64) bool { return q.Modulus == modulus },
					"at the greatest length": func(q modular.Transform, _ []uint64) bool { return q.N == greatest },
				} {
					p, most := plantedIn(s, direction, wrong), 2000
					switch name {
					case "modulo one number": // the second that is drawn
						plan := p.Plan
						p.Plan = func(t modular.Transform) (modular.Transforms, error) {
							if first == 0 {
								first = t.Modulus
							} else if modulus == 0 && t.Modulus != first {
								modulus = t.Modulus
							}
							return plan(t)
						}
					case "at the greatest length":
						p.Claim.MinN, most = greatest, 1 // by its first case
					}
					n, v := search(p, most)
					require.Equal(t, judge.Violated, v.Outcome, "%s %s, %s wrong %s: %d cases, %+v", l.Name, c.Name, direction, name, n, v)
					t.Logf("%s %s, %s wrong %s: found after %d cases", l.Name, c.Name, direction, name, n)
				}
			}
		}
		require.GreaterOrEqual(t, judged, 2, l.Name)
	}
}
