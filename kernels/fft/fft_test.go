package fft

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/dd"
	"gamma/model/fourier"
	enclose "gamma/oracle/real"
)

// digits are the bits of exact numbers in these tests.
const digits = 240

func float(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }

// exact is a complex number.
type exact struct{ re, im *big.Float }

// exactRoots are exp(∓2πik/n), enclosed by an oracle that shares nothing with this package.
var exactRoots = map[fourier.Transform][]exact{}

func rootsOf(n int, sign fourier.Sign) []exact {
	key := fourier.Transform{N: n, Sign: sign}
	if exactRoots[key] == nil {
		b := enclose.Bits(digits)
		for k := range n {
			angle := b.Mul(b.Pi(), b.Rat(big.NewRat(2*int64(k), int64(n))))
			cos, sin := b.Cos(angle).Lo, b.Sin(angle).Lo
			if sign == fourier.Forward {
				sin = new(big.Float).Neg(sin)
			}
			exactRoots[key] = append(exactRoots[key], exact{cos, sin})
		}
	}
	return exactRoots[key]
}

// definitions are the transforms that definition has computed: kinds of numbers share inputs.
var definitions = map[string][]exact{}

// definition returns the transform by its definition of x, which has a name.
func definition(t fourier.Transform, name string, x []exact) []exact {
	key := fmt.Sprint(name, t)
	if definitions[key] == nil {
		definitions[key] = compute(t, x)
	}
	return definitions[key]
}

func compute(t fourier.Transform, x []exact) []exact {
	w := rootsOf(t.N, t.Sign)
	factor := float(1)
	switch t.Scale {
	case fourier.ByN:
		factor.Quo(factor, float(float64(t.N)))
	case fourier.ByRootN:
		factor.Quo(factor, new(big.Float).Sqrt(float(float64(t.N))))
	}
	product := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Mul(a, b) }
	y := make([]exact, t.N)
	for k := range y {
		re, im := float(0), float(0)
		for j, v := range x {
			r := w[j*k%t.N]
			re.Add(re, product(v.re, r.re)).Sub(re, product(v.im, r.im))
			im.Add(im, product(v.re, r.im)).Add(im, product(v.im, r.re))
		}
		y[k] = exact{re.Mul(re, factor), im.Mul(im, factor)}
	}
	return y
}

// kit is one type of numbers, with what tests need of it.
type kit[T Number, R Real] struct {
	name    string
	options []Option
	u, mu   float64 // of the arithmetic: 2^-24, 2^-53, or the bound of a sum of double words; twiddles' own error
	final   float64 // the rounding of each result
	number  func(re, im float64) T
	parts   func(T) exact
	real    func(v float64) R
}

func ofDouble(d dd.DD64) *big.Float {
	return new(big.Float).SetPrec(digits).Add(float(d.Hi), float(d.Lo))
}

func kits() (single, wide, direct kit[complex64, float32], plain kit[complex128, float64], double kit[Double, dd.DD64]) {
	number := func(re, im float64) complex64 { return complex(float32(re), float32(im)) }
	parts := func(z complex64) exact { return exact{float(float64(real(z))), float(float64(imag(z)))} }
	narrow := func(v float64) float32 { return float32(v) }
	single = kit[complex64, float32]{"float32", nil, 0x1p-24, 0x1p-24, 0, number, parts, narrow}
	wide = kit[complex64, float32]{"wide", []Option{Wide}, 0x1p-53, 0x1p-53, 0x1p-24, number, parts, narrow}
	direct = kit[complex64, float32]{"direct", []Option{Direct}, 0x1p-53, 0x1p-53, 0x1p-24, number, parts, narrow}
	plain = kit[complex128, float64]{
		"float64", nil, 0x1p-53, 0x1p-53, 0, func(re, im float64) complex128 { return complex(re, im) },
		func(z complex128) exact { return exact{float(real(z)), float(imag(z))} }, func(v float64) float64 { return v },
	}
	double = kit[Double, dd.DD64]{
		"dd", nil, 4.25 * 0x1p-106, 0x1p-100, 0, func(re, im float64) Double { return Double{Re: dd.FromWord(re), Im: dd.FromWord(im)} },
		func(z Double) exact { return exact{ofDouble(z.Re), ofDouble(z.Im)} }, dd.FromWord[float64],
	}
	return single, wide, direct, plain, double
}

// bound returns the bound of the relative error in the 2-norm that the package promises.
func (k kit[T, R]) bound(t fourier.Transform, a Algorithm) float64 {
	rho := math.Sqrt(5) * k.u
	switch {
	case k.name == "dd":
		rho = 13 * math.Sqrt2 * 0x1p-106
	case a.Fused:
		rho = 2 * k.u
	}
	stage := k.u + k.mu + rho
	growth := 0.0 // the logarithm of the product of all 1+ε
	for _, r := range a.Radices {
		if r%2 == 0 {
			growth += stage * math.Log2(float64(r))
		} else {
			growth += k.u*math.Sqrt(float64(2*r))*float64(r+7)/2 + k.mu + rho
		}
	}
	if a.Length > 0 {
		growth = 3 * (2*growth + 4*(k.mu+rho))
	}
	if a.Direct {
		growth = math.Sqrt(float64(t.N)) * 6 * k.u
	}
	if t.Data != fourier.Complex { // the pass that joins or parts, two stages
		growth += 2 * stage
	}
	if t.Scale != fourier.Unscaled {
		growth += 2 * k.u
	}
	return math.Expm1(growth+k.final) * (1 + 1e-6)
}

// distance returns ‖y - z‖/‖z‖ in the 2-norm.
func distance(y, z []exact) float64 {
	above, below := float(0), float(0)
	add := func(sum, d *big.Float) { sum.Add(sum, new(big.Float).Mul(d, d)) }
	for i := range z {
		add(above, new(big.Float).Sub(y[i].re, z[i].re))
		add(above, new(big.Float).Sub(y[i].im, z[i].im))
		add(below, z[i].re)
		add(below, z[i].im)
	}
	ratio, _ := above.Quo(above, below).Float64()
	return math.Sqrt(ratio)
}

var lengths = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 21, 23, 25, 27, 29, 30, 32, 35, 42, 48, 49, 53, 56, 60, 64, 70, 81, 97, 100, 105, 128, 256}

func specs(data fourier.Data) (list []fourier.Transform) {
	for _, n := range lengths {
		for i := range 6 {
			list = append(list, fourier.Transform{N: n, Sign: fourier.Sign(i % 2), Scale: fourier.Scale(i / 2), Data: data})
		}
	}
	return list
}

func (k kit[T, R]) draw(n int, seed uint64) ([]T, []exact) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	x, z := make([]T, n), make([]exact, n)
	for i := range x {
		x[i] = k.number(float64(rng.Float32()-0.5), float64(rng.Float32()-0.5))
		z[i] = k.parts(x[i])
	}
	return x, z
}

func exacts[T any](x []T, parts func(T) exact) []exact {
	z := make([]exact, len(x))
	for i, v := range x {
		z[i] = parts(v)
	}
	return z
}

// TestDefinition holds every kind of plan to the definition, within the bound that the package promises, and in place to out of place.
func TestDefinition(t *testing.T) {
	single, wide, direct, plain, double := kits()
	definitionOf(t, single)
	definitionOf(t, wide)
	definitionOf(t, direct)
	definitionOf(t, plain)
	definitionOf(t, double)
}

func definitionOf[T Number, R Real](t *testing.T, k kit[T, R]) {
	t.Run(k.name, func(t *testing.T) {
		for _, s := range specs(fourier.Complex) {
			if s.N > 64 && s.Scale != fourier.Scale(s.Sign) {
				continue
			}
			p, err := New[T](s, k.options...)
			require.NoError(t, err)
			x, z := k.draw(s.N, 1)
			y := make([]T, s.N)
			require.NoError(t, p.Transform(y, x))
			off := distance(exacts(y, k.parts), definition(s, "", z))
			require.LessOrEqual(t, off, k.bound(s, p.Algorithm()), "%v", s)
			require.NoError(t, p.Transform(x, x))
			require.Equal(t, y, x, "%v in place", s)
		}
	})
}

// TestReal holds real input and output to the definition.
func TestReal(t *testing.T) {
	single, wide, direct, plain, double := kits()
	realOf(t, single)
	realOf(t, wide)
	realOf(t, direct)
	realOf(t, plain)
	realOf(t, double)
}

func realOf[T Number, R Real](t *testing.T, k kit[T, R]) {
	t.Run(k.name, func(t *testing.T) {
		for _, s := range specs(fourier.RealInput) {
			if s.N > 64 || s.N > 16 && s.Scale != fourier.Scale(s.Sign) {
				continue
			}
			p, err := NewReal[R, T](s, k.options...)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(2, uint64(s.N)))
			x, z := make([]R, s.N), make([]exact, s.N)
			for i := range x {
				v := float64(float32(rng.Float64() - 0.5))
				x[i], z[i] = k.real(v), exact{float(v), float(0)}
			}
			half := make([]T, s.Out())
			require.NoError(t, p.R2C(half, x))
			y := exacts(half, k.parts)
			require.Zero(t, y[0].im.Sign())
			require.LessOrEqual(t, distance(whole(s.N, y), definition(s, "real", z)), k.bound(s, p.Algorithm()), "%v", s)

			s.Data = fourier.RealOutput
			q, err := NewReal[R, T](s, k.options...)
			require.NoError(t, err)
			signal := make([]R, s.N)
			half[0] = k.number(0.25, math.Inf(1)) // the imaginary part is not read
			y[0] = exact{float(0.25), float(0)}
			if s.N%2 == 0 {
				half[s.N/2] = k.number(0.5, math.NaN())
				y[s.N/2] = exact{float(0.5), float(0)}
			}
			require.NoError(t, q.C2R(signal, half))
			got := make([]exact, s.N)
			for i, v := range view[R](signal) {
				got[i] = exact{k.parts(joined[T](v)).re, float(0)}
			}
			require.LessOrEqual(t, distance(got, compute(s, whole(s.N, y))), k.bound(s, q.Algorithm()), "%v", s)
		}
	})
}

// joined returns the number with real part v.
func joined[T Number, R Real](v R) T { return view[T]([]R{v, *new(R)})[0] }

// whole completes a half spectrum.
func whole(n int, half []exact) []exact {
	z := make([]exact, n)
	for k, v := range half {
		z[(n-k)%n] = exact{v.re, new(big.Float).Neg(v.im)}
	}
	copy(z, half)
	return z
}

// TestRoundTrip goes forward and back with one factor 1/N, and at sizes that no definition reaches.
func TestRoundTrip(t *testing.T) {
	single, wide, _, plain, double := kits()
	for _, n := range []int{1 << 9, 1000, 1 << 12, 1 << 13, 1009} {
		roundTripOf(t, single, n)
		roundTripOf(t, wide, n)
		roundTripOf(t, plain, n)
		roundTripOf(t, double, n)
	}
	for _, n := range []int{1 << 15, 1 << 16} {
		roundTripOf(t, single, n)
		roundTripOf(t, plain, n)
	}
}

func roundTripOf[T Number, R Real](t *testing.T, k kit[T, R], n int) {
	t.Run(fmt.Sprintf("%s/N=%d", k.name, n), func(t *testing.T) {
		s := fourier.Transform{N: n}
		p, err := New[T](s, k.options...)
		require.NoError(t, err)
		s.Sign, s.Scale = fourier.Inverse, fourier.ByN
		q, err := New[T](s, k.options...)
		require.NoError(t, err)
		x, z := k.draw(n, 3)
		require.NoError(t, p.Transform(x, x))
		require.NoError(t, q.Transform(x, x))
		require.LessOrEqual(t, distance(exacts(x, k.parts), z), 2*k.bound(s, p.Algorithm())*(1+k.bound(s, p.Algorithm())))
	})
}

// TestBatch has strided and padded rows, a NaN in one of them.
func TestBatch(t *testing.T) {
	p, err := New[complex64](fourier.Transform{N: 12})
	require.NoError(t, err)
	single, _, _, _, _ := kits()
	for _, r := range []Rows{{}, {Distance: 15}, {Stride: 2, Offset: 3}, {Stride: 4, Distance: 1}, {Stride: 1, Distance: 12}} {
		const rows = 4
		x, _ := single.draw(200, 4)
		d := r.defaults(12)
		x[d.Offset+2*d.Distance+5*d.Stride] = complex(float32(math.NaN()), 1)
		dst, _ := single.draw(100, 5)
		keep := append([]complex64(nil), dst...)
		require.NoError(t, p.Batch(dst, x, rows, Rows{Distance: 20, Offset: 1}, r))
		for i := range rows {
			in, out := make([]complex64, 12), make([]complex64, 12)
			for j := range in {
				in[j] = x[d.Offset+i*d.Distance+j*d.Stride]
			}
			require.NoError(t, p.Transform(out, in))
			got := dst[1+20*i : 1+20*i+12]
			if i == 2 {
				require.True(t, cmplx.IsNaN(complex128(got[0])))
				copy(got, keep[1+20*i:])
				continue
			}
			require.Equal(t, out, got)
			copy(got, keep[1+20*i:])
		}
		require.Equal(t, keep, dst, "between rows")
		require.NoError(t, p.Batch(x, x, rows, r, r))
	}
}

// TestRefusals has what is refused; dst stays as it was.
func TestRefusals(t *testing.T) {
	for _, s := range []fourier.Transform{{}, {N: -4}, {N: MaxN + 1}, {N: 4, Sign: 2}, {N: 4, Data: fourier.RealInput}} {
		_, err := New[complex64](s)
		require.Error(t, err, "%v", s)
	}
	four := fourier.Transform{N: 4}
	_, err := New[complex128](four, Wide)
	require.Error(t, err)
	_, err = New[Double](four, Direct)
	require.Error(t, err)
	_, err = New[complex64](four, Wide, Direct)
	require.Error(t, err)
	_, err = New[complex64](four, 9)
	require.Error(t, err)
	_, err = New[complex64](fourier.Transform{N: 1<<16 + 1}, Direct)
	require.Error(t, err)
	_, err = NewReal[float32, complex64](four)
	require.Error(t, err)
	four.Data = fourier.RealInput
	_, err = NewReal[float32, complex128](four)
	require.Error(t, err)
	none, err := NewReal[float32, complex64](fourier.Transform{N: MaxN + 1, Data: fourier.RealInput}, Wide)
	require.Error(t, err)
	require.Nil(t, none)
	q, err := NewReal[float32, complex64](four)
	require.NoError(t, err)
	x := make([]complex64, 8)
	require.Error(t, q.C2R(make([]float32, 4), x[:3]))
	require.Error(t, q.R2C(x[:2], make([]float32, 4)))
	require.Error(t, q.R2C(x[:3], view[float32](x)[1:5]))
	two, err := NewReal[float32, complex64](fourier.Transform{N: 2, Data: fourier.RealInput})
	require.NoError(t, err)
	require.Error(t, two.BatchR2C(x, view[float32](x), 2, Rows{}, Rows{}), "row 0 of dst is rows 0 and 1 of src")
	p, err := New[complex64](fourier.Transform{N: 4})
	require.NoError(t, err)
	require.Error(t, p.Transform(x[:4], x[:3]))
	require.Error(t, p.Transform(x[1:5], x[:4]))
	for _, r := range []Rows{{Offset: -1}, {Stride: -1}, {Distance: 1}, {Offset: 1}, {Stride: math.MaxInt}, {Distance: math.MaxInt}, {Stride: 3, Distance: 2}} {
		require.Error(t, p.Batch(x, make([]complex64, 8), 2, r, Rows{}), "%v", r)
		require.Error(t, p.Batch(make([]complex64, 8), x, 2, Rows{}, r), "%v", r)
	}
	require.Error(t, p.Batch(x, x, 2, Rows{}, Rows{Stride: 2, Distance: 1}))
	require.Error(t, p.Batch(x, x, 0, Rows{}, Rows{}))
	require.Equal(t, make([]complex64, 8), x)
}

// TestConcurrent runs one plan from several goroutines.
func TestConcurrent(t *testing.T) {
	p, err := New[complex64](fourier.Transform{N: 1 << 10})
	require.NoError(t, err)
	single, _, _, _, _ := kits()
	x, _ := single.draw(1<<10, 6)
	want := make([]complex64, 1<<10)
	require.NoError(t, p.Transform(want, x))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			y := make([]complex64, 1<<10)
			for range 20 {
				if p.Transform(y, x) != nil || y[17] != want[17] || y[1023] != want[1023] {
					t.Error("another result")
				}
			}
		})
	}
	wait.Wait()
}

// plainNumber is single[float32] under another name, for which there is no code but stage.go's and real.go's.
type plainNumber single[float32]

func (x plainNumber) plus(y plainNumber) plainNumber {
	return plainNumber(single[float32](x).plus(single[float32](y)))
}

func (x plainNumber) minus(y plainNumber) plainNumber {
	return plainNumber(single[float32](x).minus(single[float32](y)))
}

func (x plainNumber) times(y plainNumber) plainNumber {
	return plainNumber(single[float32](x).times(single[float32](y)))
}

func (x plainNumber) scaled(y plainNumber) plainNumber {
	return plainNumber(single[float32](x).scaled(single[float32](y)))
}
func (x plainNumber) turned() plainNumber   { return plainNumber(single[float32](x).turned()) }
func (x plainNumber) conj() plainNumber     { return plainNumber(single[float32](x).conj()) }
func (x plainNumber) onlyReal() plainNumber { return plainNumber(single[float32](x).onlyReal()) }

// TestQuickly holds the code for words to the general code, bit by bit.
func TestQuickly(t *testing.T) {
	from := func(re, im dd.DD64) plainNumber { return plainNumber(singleFrom[float32](re, im)) }
	kit, _, _, _, _ := kits()
	for _, n := range []int{2, 4, 8, 16, 64, 128, 210, 512} {
		for _, inverse := range []bool{false, true} {
			x, _ := kit.draw(n+1, 8)
			y, z := make([]complex64, n+1), make([]complex64, n+1)
			newStages(n, factors(n), inverse, singleFrom[float32]).run(view[single[float32]](y[:n]), view[single[float32]](x[:n]))
			newStages(n, factors(n), inverse, from).run(view[plainNumber](z[:n]), view[plainNumber](x[:n]))
			require.Equal(t, z, y)
			third := scaleOf(3, false)
			a, b := newJoint(2*n, inverse, third, singleFrom[float32]), newJoint(2*n, inverse, third, from)
			a.forward(view[single[float32]](y))
			b.forward(view[plainNumber](z))
			require.Equal(t, z, y)
			a.back(view[single[float32]](y), view[single[float32]](x))
			b.back(view[plainNumber](z), view[plainNumber](x))
			require.Equal(t, z, y)
		}
	}
}
