package complex_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/kernels/dd"
)

// doubles returns n double words with exponents around 0.
func doubles(rng *rand.Rand, n int) []float32 {
	x := make([]float32, 0, 2*n)
	for range n {
		d := dd.FromFloat64[float32](math.Ldexp(rng.Float64()-0.5, rng.IntN(12)-6))
		x = append(x, d.Hi, d.Lo)
	}
	return x
}

func rat(words ...float32) *big.Rat {
	sum := new(big.Rat)
	for _, w := range words {
		sum.Add(sum, new(big.Rat).SetFloat64(float64(w)))
	}
	return sum
}

// within holds |got - want| to half an ulp of got and more.
func within(t *testing.T, got float32, want, more *big.Rat) {
	t.Helper()
	half := math.Ldexp(1, max(math.Ilogb(float64(got)), -126)-24)
	if got == 0 {
		half = 0x1p-150
	}
	e := new(big.Rat).Sub(rat(got), want)
	limit := new(big.Rat).Add(more, new(big.Rat).SetFloat64(half))
	require.LessOrEqual(t, e.Abs(e).Cmp(limit), 0, "%x", got)
}

func mul(x ...*big.Rat) *big.Rat {
	p := big.NewRat(1, 1)
	for _, v := range x {
		p.Mul(p, v)
	}
	return p
}

func TestComplexMultiplyExtendedRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 3000
	u, k := doubles(rng, 2*n), doubles(rng, 2*n)
	for i := 0; i < n; i += 2 { // real parts that cancel
		copy(k[4*i:], []float32{u[4*i+2], u[4*i+3], u[4*i], u[4*i+1] * 1.5})
	}
	dst, pairs := make([]float32, 2*n), make([]float32, 4*n)
	complex.ComplexMultiplyExtended(dst, u, k)
	complex.ComplexMultiplyExtendedDD(pairs, u, k)
	plainWorse := 0
	for i := range n {
		a, b, c, d := rat(u[4*i:4*i+2]...), rat(u[4*i+2:4*i+4]...), rat(k[4*i:4*i+2]...), rat(k[4*i+2:4*i+4]...)
		re := new(big.Rat).Sub(mul(a, c), mul(b, d))
		im := new(big.Rat).Add(mul(a, d), mul(b, c))
		// 9u² of |re|+|im| of the factors bounds (4√2+3)u² of the norms, and its terms of u³.
		norm := new(big.Rat).Add(a.Abs(a), b.Abs(b))
		norm.Mul(norm, new(big.Rat).Add(c.Abs(c), d.Abs(d)))
		norm.Mul(norm, big.NewRat(9, 1<<48))
		within(t, dst[2*i], re, norm)
		within(t, dst[2*i+1], im, norm)
		for part, want := range []*big.Rat{re, im} {
			z := rat(pairs[4*i+2*part], pairs[4*i+2*part+1])
			require.Equal(t, dst[2*i+part], pairs[4*i+2*part])
			require.LessOrEqual(t, z.Sub(z, want).Abs(z).Cmp(norm), 0)
		}
		plain := complex.Number[float32]{Re: u[4*i], Im: u[4*i+2]}.TimesPlain(complex.Number[float32]{Re: k[4*i], Im: k[4*i+2]})
		if plain.Re != dst[2*i] {
			plainWorse++
		}
	}
	require.Positive(t, plainWorse)

	inPlace := append([]float32(nil), u...)
	complex.ComplexMultiplyExtended(inPlace[:2*n], inPlace, k)
	require.Equal(t, dst, inPlace[:2*n])
	inPlace = append([]float32(nil), u...)
	complex.ComplexMultiplyExtendedDD(inPlace, k, inPlace)
	require.NotEqual(t, u, inPlace)
	sum := make([]float32, 4*n)
	complex.AddDD(sum, u, k)
	complex.AddDD(u, u, k)
	require.Equal(t, sum, u)
}

func TestFFTScaleExtended(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const m = 400
	x := doubles(rng, m)
	dst, pairs := make([]float32, m), make([]float32, 2*m)
	reciprocalWorse := 0
	for _, n := range []int{1, 2, 3, 7, 1 << 10, 1000, 44100, 1<<24 - 1, 1 << 24, 1<<24 + 1, 3<<23 + 1, 123456789, 1 << 40, 1<<53 - 1, math.MaxInt64} {
		complex.FFTScaleExtended(dst, x, n)
		complex.FFTScaleExtendedDD(pairs, x, n)
		for i := range m {
			want := mul(rat(x[2*i:2*i+2]...), big.NewRat(1, int64(n)))
			slack := mul(big.NewRat(3, 1<<48), new(big.Rat).Abs(want))
			if n != int(float32(n)) || n == math.MaxInt64 {
				// 16u², and n itself is a double word within u².
				slack = mul(big.NewRat(17, 1<<48), new(big.Rat).Abs(want))
			}
			within(t, dst[i], want, slack)
			z := rat(pairs[2*i : 2*i+2]...)
			if n&(n-1) == 0 {
				require.Equal(t, 0, z.Cmp(want), "%d: %x", n, x[2*i:2*i+2])
			}
			require.LessOrEqual(t, z.Sub(z, want).Abs(z).Cmp(slack), 0)
			if float32(x[2*i]*(1/float32(n))) != dst[i] {
				reciprocalWorse++
			}
		}
	}
	require.Positive(t, reciprocalWorse)
	inPlace := append([]float32(nil), x...)
	complex.FFTScaleExtended(dst, x, 7)
	complex.FFTScaleExtended(inPlace[:m], inPlace, 7)
	require.Equal(t, dst, inPlace[:m])
	complex.FFTScaleExtendedDD(pairs, x, 7)
	complex.FFTScaleExtendedDD(x, x, 7)
	require.Equal(t, pairs, x)
}

func TestDepthwise3Extended(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	a := new(big.Rat).Quo(big.NewRat(3, 1<<48), big.NewRat(1<<22-1, 1<<22))
	a.Add(mul(a, a), mul(a, big.NewRat(2, 1)))
	fmaWorse := 0
	for _, n := range []int{0, 1, 2, 3, 50} {
		const channels = 7
		x, w := make([]float32, channels*n), make([]float32, channels*3)
		for i := range x {
			x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(20)-10))
		}
		for i := range w {
			w[i] = float32(rng.Float64() - 0.5)
		}
		for i := 0; i+2 < len(x); i += 3 { // cancel with the taps of the first channel
			x[i+1] = -x[i] * w[0] / w[1]
		}
		dst := make([]float32, len(x))
		complex.Depthwise3Extended(dst, x, w)
		for i := range dst {
			c, j := i/n, i%n
			want, size, plain := new(big.Rat), new(big.Rat), float32(0)
			for k := range 3 {
				if at := j + k - 1; at >= 0 && at < n {
					p := mul(rat(x[c*n+at]), rat(w[3*c+k]))
					plain += float32(x[c*n+at] * w[3*c+k])
					want.Add(want, p)
					size.Add(size, p.Abs(p))
				}
			}
			within(t, dst[i], want, mul(a, size))
			if plain != dst[i] {
				fmaWorse++
			}
		}
		complex.Depthwise3Extended(x, x, w)
		require.Equal(t, dst, x)
	}
	require.Positive(t, fmaWorse)
	complex.Depthwise3Extended([]float32{}, nil, nil)
}

func TestVectorsAreTheirScalars(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x, y := doubles(rng, 300), doubles(rng, 300)
	dst := make([]float32, len(x))
	type number = complex.Number[float32]
	for name, f := range map[string]struct {
		vector func(dst, x, y []float32)
		scalar func(x, y number) number
	}{
		"plain": {complex.MultiplyPlain[float32], number.TimesPlain},
		"fma":   {complex.MultiplyFMA[float32], number.TimesFMA},
		"kahan": {complex.MultiplyKahan[float32], number.TimesKahan},
		"three": {complex.Multiply3[float32], number.Times3},
	} {
		f.vector(dst, x, y)
		for i := 0; i < len(x); i += 2 {
			z := f.scalar(number{x[i], x[i+1]}, number{y[i], y[i+1]})
			require.Equal(t, []float32{z.Re, z.Im}, dst[i:i+2], name)
		}
		in := append([]float32(nil), x...)
		f.vector(in, in, y)
		require.Equal(t, dst, in, name)
	}
}

func TestBadVectors(t *testing.T) {
	v := make([]float32, 64)
	const overlaps = "complex: dst overlaps an operand; they may only start at the same word"
	for want, f := range map[string]func(){
		"complex: vectors of 8 and 12 words do not make 4 words of results: a number has 4 words in and 2 out": func() { complex.ComplexMultiplyExtended(v[20:24], v[:8], v[40:52]) },
		"complex: vectors of 6 and 6 words do not make 3 words of results: a number has 4 words in and 2 out":  func() { complex.ComplexMultiplyExtended(v[20:23], v[:6], v[40:46]) },
		"complex: vectors of 8 and 8 words do not make 4 words of results: a number has 4 words in and 4 out":  func() { complex.ComplexMultiplyExtendedDD(v[20:24], v[:8], v[40:48]) },
		"complex: vectors of 3 and 3 words do not make 3 words of results: a number has 2 words in and 2 out":  func() { complex.MultiplyPlain(v[20:23], v[:3], v[40:43]) },
		"complex: a vector of 5 words does not scale to 2 words: a double word has 2 words in and 1 out":       func() { complex.FFTScaleExtended(v[20:22], v[:5], 8) },
		"complex: a vector of 4 words does not scale to 2 words: a double word has 2 words in and 2 out":       func() { complex.FFTScaleExtendedDD(v[20:22], v[:4], 8) },
		"complex: a Fourier transform has one point or more, not 0":                                            func() { complex.FFTScaleExtended(v[20:22], v[:4], 0) },
		"complex: 3 taps, three for each channel, do not filter 5 words in rows of one length into 4":          func() { complex.Depthwise3Extended(v[20:24], v[:5], v[40:43]) },
		"complex: 6 taps, three for each channel, do not filter 5 words in rows of one length into 5":          func() { complex.Depthwise3Extended(v[20:25], v[:5], v[40:46]) },
		"complex: 0 taps, three for each channel, do not filter 5 words in rows of one length into 5":          func() { complex.Depthwise3Extended(v[20:25], v[:5], nil) },
		"complex: dst overlaps the taps": func() { complex.Depthwise3Extended(v[20:25], v[:5], v[24:27]) },
	} {
		require.PanicsWithValue(t, want, f)
	}
	for _, f := range []func(){
		func() { complex.MultiplyPlain(v[1:9], v[:8], v[40:48]) },
		func() { complex.MultiplyKahan(v[:8], v[40:48], v[6:14]) },
		func() { complex.ComplexMultiplyExtended(v[2:6], v[:8], v[40:48]) },
		func() { complex.ComplexMultiplyExtendedDD(v[:8], v[4:12], v[40:48]) },
		func() { complex.FFTScaleExtended(v[1:3], v[:4], 8) },
		func() { complex.Depthwise3Extended(v[1:6], v[:5], v[40:43]) },
		func() { complex.AddDD(v[1:9], v[:8], v[40:48]) },
	} {
		require.PanicsWithValue(t, overlaps, f)
	}
	complex.MultiplyPlain(v[:0], nil, nil)
	inf := float32(math.Inf(1))
	z := complex.Number[float32]{Re: inf, Im: 1}.TimesPlain(complex.Number[float32]{Re: 1, Im: 1})
	require.Equal(t, complex.Number[float32]{Re: inf, Im: inf}, z)
	dst := make([]float32, 2)
	complex.ComplexMultiplyExtended(dst, []float32{inf, 0, 1, 0}, []float32{1, 0, 1, 0})
	require.True(t, dst[0]-dst[0] != 0)
	_, ok := complex.Find("complex.Nothing")
	require.False(t, ok)
	k, ok := complex.Find("complex.FFTScaleExtended")
	require.True(t, ok)
	k.Run32(dst[:1], []float32{1, 0, 3})
	require.Equal(t, float32(1)/3, dst[0])
}

// TestMultiplyDDIsTimes1 holds the vector product, whose splits clear bits, to DD.Times1, whose products are fused.
func TestMultiplyDDIsTimes1(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 50_000
	x, y := doubles(rng, 2*n), doubles(rng, 2*n)
	for i := range x {
		for _, v := range [][]float32{x, y} {
			switch b := math.Float32bits(v[i]); rng.IntN(8) {
			case 0: // significands of ones and of zeros, in runs
				v[i] = math.Float32frombits(b | (1<<rng.IntN(24) - 1))
			case 1:
				v[i] = math.Float32frombits(b &^ (1<<rng.IntN(24) - 1))
			case 2:
				v[i] = math.Float32frombits(b ^ 1<<rng.IntN(23))
			}
		}
	}
	for i := 0; i < len(x); i += 128 { // edges
		x[i] = []float32{math.MaxFloat32, -math.MaxFloat32, 0, float32(math.Inf(1)), float32(math.NaN()), 0x1p-60}[i/128%6]
	}
	dst := make([]float32, 4*n)
	complex.MultiplyDD(dst, x, y)
	number := func(v []float32) complex.DD[float32] {
		return complex.DD[float32]{Re: dd.DD32{Hi: v[0], Lo: v[1]}, Im: dd.DD32{Hi: v[2], Lo: v[3]}}
	}
	for i := 0; i < len(x); i += 4 {
		z := number(x[i:]).Times1(number(y[i:]))
		for k, w := range []float32{z.Re.Hi, z.Re.Lo, z.Im.Hi, z.Im.Lo} {
			if g := dst[i+k]; g != w && (g == g || w == w) {
				t.Fatalf("%x · %x: %x, not %x", x[i:i+4], y[i:i+4], dst[i:i+4], z)
			}
		}
	}
	in := append([]float32(nil), y...)
	complex.MultiplyDD(in, x, in)
	for i, v := range dst {
		require.Equal(t, math.Float32bits(v), math.Float32bits(in[i]))
	}
}
