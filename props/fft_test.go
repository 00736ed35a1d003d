package props

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/spectra"
	"gamma/props/judge"
)

// radix2 is a plain transform of powers of two, with the places where faults are planted.
type radix2 struct {
	twiddle func(n, k int) complex128                // nil: rounded once
	order   func(n, k int) int                       // of the input; nil: bit-reversed
	skip    func(n, half int) bool                   // a stage that is left out
	after   func(t fourier.Transform, y []complex64) // what is done to the result
	scale   func(t fourier.Transform) float64
	sign    func(s fourier.Sign) fourier.Sign
}

// reversal returns the reverse of the bits of k.
func reversal(n, k int) int {
	if n == 1 {
		return 0
	}
	return int(bits.Reverse64(uint64(k)) >> (65 - bits.Len(uint(n))))
}

func exactTwiddle(n, k int) complex128 {
	return cmplx.Exp(complex(0, -2*math.Pi*float64(k)/float64(n)))
}

func (r radix2) plan(t fourier.Transform) (func(dst, src []complex64) error, error) {
	n := t.N
	if n&(n-1) != 0 {
		return nil, fmt.Errorf("%d points: powers of two alone", n)
	}
	twiddle, order, sign, s := r.twiddle, r.order, t.Sign, 1.0
	if twiddle == nil {
		twiddle = exactTwiddle
	}
	if order == nil {
		order = reversal
	}
	if r.sign != nil {
		sign = r.sign(sign)
	}
	switch t.Scale {
	case fourier.ByN:
		s = 1 / float64(n)
	case fourier.ByRootN:
		s = 1 / math.Sqrt(float64(n))
	}
	if r.scale != nil {
		s = r.scale(t)
	}
	return func(dst, src []complex64) error {
		if len(src) != n || len(dst) != n {
			return fmt.Errorf("%d and %d numbers: %d alone", len(dst), len(src), n)
		}
		y := make([]complex64, n)
		for i := range y {
			y[i] = src[order(n, i)]
		}
		for half := 1; half < n; half *= 2 {
			if r.skip != nil && r.skip(n, half) {
				continue
			}
			for j := range half {
				w := complex64(twiddle(2*half, j))
				if sign == fourier.Inverse {
					w = complex(real(w), -imag(w))
				}
				for i := j; i < n; i += 2 * half {
					a, b := y[i], y[i+half]
					b = complex(float32(real(b)*real(w))-float32(imag(b)*imag(w)), float32(real(b)*imag(w))+float32(imag(b)*real(w)))
					y[i], y[i+half] = a+b, a-b
				}
			}
		}
		for i, z := range y {
			if s != 1 {
				y[i] = complex(float32(float64(real(z))*s), float32(float64(imag(z))*s))
			}
		}
		if r.after != nil {
			r.after(t, y)
		}
		copy(dst, y)
		return nil
	}, nil
}

// radix4 is decimation in frequency by passes of radix 4, the last of radix 2 where log2 N is odd. The third factor number 2 of the pass of 32 points is wrong.
func radix4(x []complex64) []complex64 {
	n := len(x)
	if n < 4 {
		y := make([]complex64, n)
		copy(y, x)
		if n == 2 {
			y[0], y[1] = x[0]+x[1], x[0]-x[1]
		}
		return y
	}
	var part [4][]complex64
	for k := range n / 4 {
		a, b, c, d := x[k], x[k+n/4], x[k+n/2], x[k+3*n/4]
		turned := complex(imag(b-d), -real(b-d))
		for j, v := range [4]complex64{(a + c) + (b + d), (a - c) + turned, (a + c) - (b + d), (a - c) - turned} {
			w := exactTwiddle(n, j*k)
			if n == 32 && j == 3 && k == 2 {
				w += 0.001
			}
			f := complex64(w)
			part[j] = append(part[j], complex(float32(real(v)*real(f))-float32(imag(v)*imag(f)), float32(real(v)*imag(f))+float32(imag(v)*real(f))))
		}
	}
	y := make([]complex64, n)
	for j := range part {
		for k, v := range radix4(part[j]) {
			y[4*k+j] = v
		}
	}
	return y
}

// radix4Plan makes radix4 a plan.
func radix4Plan(t fourier.Transform) (func(dst, src []complex64) error, error) {
	if t.N < 1 || t.N&(t.N-1) != 0 {
		return nil, fmt.Errorf("%d points are no power of two", t.N)
	}
	return func(dst, src []complex64) error {
		x, conj := slices.Clone(src), func(z []complex64) {
			for i := range z {
				if t.Sign == fourier.Inverse {
					z[i] = complex(real(z[i]), -imag(z[i]))
				}
			}
		}
		conj(x)
		copy(dst, radix4(x))
		conj(dst)
		for i := range dst {
			if t.Scale == fourier.ByN {
				dst[i] /= complex(float32(t.N), 0)
			}
		}
		return nil
	}, nil
}

// fftMutant is a transform with a planted fault, the law that must kill it, and the cause that its report names, "" if none.
type fftMutant struct {
	name, kills, cause string
	subject            func() FFT // a new one, with its own state
}

// shortAngle returns the factor of an angle rounded to binary32.
func shortAngle(n, k int) complex128 {
	angle := float32(-2*math.Pi) * float32(k) / float32(n)
	sin, cos := math.Sincos(float64(angle))
	return complex(cos, sin)
}

// wrapped returns factors whose index wraps in the stage of n points.
func wrapped(n, at int) func(wide, k int) complex128 {
	return func(wide, k int) complex128 {
		if wide == n {
			k %= at
		}
		return exactTwiddle(wide, k)
	}
}

func fftMutants() []fftMutant {
	of := func(name, kills, cause string, r radix2) fftMutant {
		return fftMutant{name, kills, cause, func() FFT { return FFT{Name: "mutants." + name, Plan: r.plan, Claim: fourier.Claim{Repeats: true}} }}
	}
	with := func(m fftMutant, change func(f *FFT)) fftMutant {
		was := m.subject
		m.subject = func() FFT {
			f := was()
			change(&f)
			return f
		}
		return m
	}
	scaled := func(f func(t fourier.Transform, s float64) float64) func(t fourier.Transform) float64 {
		return func(t fourier.Transform) float64 {
			s := 1.0
			if t.Scale == fourier.ByN {
				s = 1 / float64(t.N)
			}
			return f(t, s)
		}
	}
	after := func(f func(t fourier.Transform, y []complex64)) radix2 { return radix2{after: f} }
	return slices.Concat([]fftMutant{
		of("both_scaled", "fft.error", "1/N is too much", radix2{scale: func(t fourier.Transform) float64 { return 1 / float64(t.N) }}),
		of("half", "fft.error", "twice too small", radix2{scale: scaled(func(_ fourier.Transform, s float64) float64 { return s / 2 })}),
		of("reversed_output", "fft.error", "the results stand in bit-reversed order", after(func(t fourier.Transform, y []complex64) {
			x := slices.Clone(y)
			for i := range y {
				y[i] = x[reversal(t.N, i)]
			}
		})),
		of("wrong_twiddle", "fft.error", "one twiddle factor is wrong: number 3 of 16 points", radix2{twiddle: func(n, k int) complex128 {
			if n == 16 && k == 3 {
				return exactTwiddle(n, k) + 0.001
			}
			return exactTwiddle(n, k)
		}}),
		of("twiddle_sign", "fft.error", "number 8 of 32 points is off by", radix2{twiddle: func(n, k int) complex128 {
			if n == 32 && k == 8 {
				return 1i
			}
			return exactTwiddle(n, k)
		}}),
		with(of("radix4_twiddle", "fft.error", "number 6 of 32 points, in a pass of radix 4, is off by 0.001", radix2{}), func(f *FFT) { f.Plan = radix4Plan }),
		of("first_twiddle", "fft.exact", "", radix2{twiddle: func(n, k int) complex128 {
			if n == 2 {
				return complex(1-0x1p-24, 0)
			}
			return exactTwiddle(n, k)
		}}),
		of("entry", "fft.entry", "", after(func(_ fourier.Transform, y []complex64) {
			if k := len(y) - 1; k > 256 {
				y[k] *= 1 + 2e-5
			}
		})),
		of("half_ulp_scale", "fft.typical", "", radix2{twiddle: func(n, k int) complex128 { return exactTwiddle(n, k) * complex(1+0x1p-24, 0) }}),
		with(of("odd_accepted", "fft.refuses", "", radix2{}), func(f *FFT) { // the greatest power of two in n
			f.Plan = func(t fourier.Transform) (func(dst, src []complex64) error, error) {
				n := t.N
				if n > 0 {
					t.N = 1 << (bits.Len(uint(n)) - 1)
				}
				run, err := radix2{}.plan(t)
				return func(dst, src []complex64) error { return run(dst[:t.N], src[:t.N]) }, err
			}
		}),
		with(of("none_panics", "fft.refuses", "", radix2{}), func(f *FFT) {
			f.Plan = func(t fourier.Transform) (func(dst, src []complex64) error, error) {
				if t.N == 0 {
					return nil, fmt.Errorf("%d points", []int{}[t.N])
				}
				return radix2{}.plan(t)
			}
		}),
		with(of("table_angles", "fft.twiddle", "", radix2{}), func(f *FFT) {
			f.Twiddles = func(n int) (w []complex128) {
				for k := range n / 2 {
					w = append(w, shortAngle(n, k))
				}
				return w
			}
		}),
		of("symmetric_but", "fft.symmetric", "", radix2{}),
		of("wrapped_index", "fft.shift", "", radix2{twiddle: wrapped(1<<10, 1<<8)}),
	}, fftCalls(), fftOneWay())
}

// fftCall is a mutant of calls.
func fftCall(name, kills string, c fourier.Claim, run func() func(c *FFTCall) error) fftMutant {
	return fftMutant{name, kills, "", func() FFT { return FFT{Name: "mutants." + name, Claim: c, Call: run()} }}
}

// fftOneWay are mutants whose results stand in an order of their own, with no inverse that takes them.
func fftOneWay() []fftMutant {
	claim := func(n fourier.Norm) fourier.Claim {
		return fourier.Claim{Order: fourier.OwnOrder, OneWay: true, Norm: n, Repeats: true}
	}
	as := func(r radix2, after func(dst, src []complex64)) func() func(c *FFTCall) error {
		return func() func(c *FFTCall) error {
			return func(c *FFTCall) error {
				dst, src := c.Complex64("dst"), c.Complex64("src")
				run, err := r.plan(c.Transform)
				if err == nil {
					err = run(dst, src)
				}
				after(dst, src)
				return err
			}
		}
	}
	return []fftMutant{
		fftCall("order_by_sign", "fft.linear", claim(fourier.NormBackward), as(radix2{}, func(dst, src []complex64) {
			if len(dst) > 2 && real(src[0]) < 0 {
				slices.Reverse(dst[1:])
			}
		})),
		fftCall("unscaled", "fft.parseval", claim(fourier.NormOrtho), as(radix2{scale: func(fourier.Transform) float64 { return 1 }}, func(_, _ []complex64) {})),
	}
}

// fftCalls are mutants of calls: orders of their own, rows, state.
func fftCalls() []fftMutant {
	call := fftCall
	batched := fourier.Claim{Batched: true, Repeats: true, OneWay: true}
	each := func(c *FFTCall, dst, src []complex64) error {
		run, err := radix2{}.plan(c.Transform)
		for i := 0; err == nil && i < len(src); i += c.N {
			err = run(dst[i:i+c.N], src[i:i+c.N])
		}
		return err
	}
	return []fftMutant{
		call("own_order", "fft.roundtrip", fourier.Claim{Order: fourier.OwnOrder, Repeats: true}, func() func(c *FFTCall) error {
			return func(c *FFTCall) error { // the forward transform leaves its results reversed, and the inverse does not take them so
				r := radix2{}
				if c.Sign == fourier.Forward {
					r.after = func(t fourier.Transform, y []complex64) {
						x := slices.Clone(y)
						for i := range y {
							y[i] = x[reversal(t.N, i)]
						}
					}
				}
				run, err := r.plan(c.Transform)
				if err != nil {
					return err
				}
				return run(c.Complex64("dst"), c.Complex64("src"))
			}
		}),
		call("order_of_input", "fft.convolution", fourier.Claim{Order: fourier.OwnOrder, Repeats: true}, func() func(c *FFTCall) error {
			turn := func(y []complex64) { // by as much as x_0's sign says: undone by the inverse, whose first number keeps it
				if len(y) > 2 && (real(y[0]) < 0) {
					slices.Reverse(y[1:])
				}
			}
			return func(c *FFTCall) error {
				src := slices.Clone(c.Complex64("src"))
				if c.Sign == fourier.Inverse {
					turn(src)
				}
				run, err := radix2{}.plan(c.Transform)
				if err != nil {
					return err
				}
				if err := run(c.Complex64("dst"), src); err != nil {
					return err
				}
				if c.Sign == fourier.Forward {
					turn(c.Complex64("dst"))
				}
				return nil
			}
		}),
		call("neighbour", "fft.independent", batched, func() func(c *FFTCall) error {
			return func(c *FFTCall) error { // the last digit depends on whether another row is zero
				dst := c.Complex64("dst")
				if err := each(c, dst, c.Complex64("src")); err != nil {
					return err
				}
				for i := c.N; i < len(dst); i += c.N {
					if dst[i-c.N] != 0 {
						dst[i] = complex(math.Float32frombits(math.Float32bits(real(dst[i]))^1), imag(dst[i]))
					}
				}
				return nil
			}
		}),
		call("stale_scratch", "fft.pure", fourier.Claim{Repeats: true, OneWay: true}, func() func(c *FFTCall) error {
			last := complex64(0)
			return func(c *FFTCall) error {
				dst := c.Complex64("dst")
				err := each(c, dst, c.Complex64("src"))
				first := dst[0]
				if last != 0 && first != 0 && cmplx.Abs(complex128(first)) < math.Inf(1) {
					dst[0] = complex(math.Float32frombits(math.Float32bits(real(first))^1), imag(first))
				}
				last = first
				return err
			}
		}),
	}
}

// TestFFTMutants: each mutant is killed by its law, half of them within 50 cases, with the cause that it has, and by no weaker law that it passes by construction.
func TestFFTMutants(t *testing.T) {
	var counts []int
	for _, m := range fftMutants() {
		t.Run(m.name, func(t *testing.T) {
			subject := m.subject()
			if m.name == "symmetric_but" {
				subject.Claim.Symmetric = true
			}
			l, err := judge.LawByID(judge.FFTLaws(), model.LawID(m.kills))
			require.NoError(t, err)
			f, n, err := judge.Find(l, subject, 600)
			require.NoError(t, err)
			require.NotNil(t, f, "it survives")
			cause := f.(*spectra.Failure).Cause
			t.Logf("%-20s %-16s after %3d: %s | %s", m.name, m.kills, n, f.Common().Verdict.Reason, cause)
			counts = append(counts, n)
			if m.cause == "" {
				require.Empty(t, cause)
			} else {
				require.Contains(t, cause, m.cause)
			}
			for _, weaker := range map[string][]string{
				"fft.typical": {"fft.error"}, "fft.exact": {"fft.error", "fft.entry"}, "fft.entry": {"fft.error"},
				"fft.linear": {"fft.parseval"}, "fft.parseval": {"fft.linear"}, "fft.shift": {"fft.linear", "fft.parseval"},
			}[m.kills] {
				if l, err = judge.LawByID(judge.FFTLaws(), model.LawID(weaker)); err == nil {
					_, _, v, err2 := judge.Search(l, m.subject(), 100)
					require.NoError(t, err)
					require.NoError(t, err2)
					require.NotEqual(t, Violated, v.Outcome, "%s: %v", weaker, v)
				}
			}
		})
	}
	slices.Sort(counts)
	require.LessOrEqual(t, counts[len(counts)/2], 50)
}

// TestFFTCauses: of mutants with a single fault that is known, reports name it; of others they name nothing.
func TestFFTCauses(t *testing.T) {
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	require.NoError(t, err)
	for name, cause := range map[string]string{
		"StageMissing": "points is left out", "OneTwiddle": "one twiddle factor is wrong", "Conjugated": "conjugates", "SignIgnored": "the other sign",
		"ScaleMissing": "a factor 1/N is missing", "ScaleTwice": "1/N is too much", "ScaleRoot": "√N times too large", "ReversalMissing": "the input is taken in bit-reversed order",
		"LeftTransposed": "transposed order", "HalvesSwapped": "halves exchanged",
		"StageTwice": "", "ButterflyLeft": "", "SubnormalsLost": "",
		"RealMiddle": "number 16 of 64 points, by which the spectra of even and odd numbers are joined, is off by", // i in the place of -i gives the same numbers
		"DoubleSums": "", "KahanDropped": "", "WideNever": "", "Twiddles32": "the twiddle factors are rounded to binary32",
	} {
		m, ok := mutants.FindFFT("mutants.FFT" + name)
		require.True(t, ok, name)
		f, _, err := judge.Find(l, fftSubject(m), 600)
		require.NoError(t, err)
		require.NotNil(t, f, name)
		got := f.(*spectra.Failure).Cause
		t.Logf("%s: %s", name, got)
		if !strings.Contains(got, cause) || cause == "" && got != "" {
			t.Errorf("%s: the cause is %q, and should say %q", name, got, cause)
		}
	}
	if l, err = judge.LawByID(judge.FFTLaws(), model.FFTPure); err == nil {
		for name, cause := range map[string]string{"AliasBroken": "dst = src is what it cannot do", "SourceWritten": ""} {
			m, ok := mutants.FindFFT("mutants.FFT" + name)
			require.True(t, ok, name)
			f, _, err := judge.Find(l, fftSubject(m), 600)
			require.NoError(t, err)
			require.NotNil(t, f, name)
			if got := f.(*spectra.Failure).Cause; !strings.Contains(got, cause) || cause == "" && got != "" {
				t.Errorf("%s: the cause is %q, and should say %q", name, got, cause)
			}
		}
	}
	require.NoError(t, err)
}

// TestOverflowIsSymmetric: an infinity beside a NaN, as overflow leaves it, is no violation of symmetry, which fft.error judges.
func TestOverflowIsSymmetric(t *testing.T) {
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTSymmetric)
	require.NoError(t, err)
	_, _, v, err := judge.Search(l, FFT{Name: "mutants.overflow", Claim: fourier.Claim{Symmetric: true}, Plan: func(fourier.Transform) (func(dst, src []complex64) error, error) {
		return func(dst, _ []complex64) error {
			for k := range dst {
				dst[k] = complex(float32(math.Inf(1)), float32(math.NaN()))
			}
			return nil
		}, nil
	}}, 50)
	require.NoError(t, err)
	require.NotEqual(t, Violated, v.Outcome, "%v", v)
}

// TestPropRadix2 judges the transform that the mutants are of.
func TestPropRadix2(t *testing.T) {
	FFT{Name: "plain.Radix2", Plan: radix2{}.plan, Claim: fourier.Claim{Repeats: true, Twiddle: 1}}.Check(t)
}

// TestEveryPairOfScales: with a factor N^-a forward and N^-b back, fft.roundtrip finds every a and b whose sum is not that of the convention that is claimed, so that 1/N is there
// once, twice, by a half or not at all; and fft.error the others.
func TestEveryPairOfScales(t *testing.T) {
	powers := map[fourier.Scale]float64{fourier.ByN: 1, fourier.ByRootN: 0.5}
	for _, norm := range []fourier.Norm{fourier.NormBackward, fourier.NormForward, fourier.NormOrtho, fourier.NormNone} {
		want := [2]float64{powers[norm.Scale(fourier.Forward)], powers[norm.Scale(fourier.Inverse)]}
		for _, forward := range []float64{0, 0.5, 1} {
			for _, inverse := range []float64{0, 0.5, 1} {
				has := [2]float64{forward, inverse}
				f := FFT{Name: "test.Scaled", Claim: fourier.Claim{Norm: norm}, Plan: radix2{scale: func(t fourier.Transform) float64 {
					return math.Pow(float64(t.N), -has[t.Sign])
				}}.plan}
				for id, wrong := range map[model.LawID]bool{model.FFTRoundtrip: forward+inverse != want[0]+want[1], model.FFTError: has != want} {
					l, err := judge.LawByID(judge.FFTLaws(), id)
					require.NoError(t, err)
					c, _, v, err := judge.Search(l, f, 40)
					require.NoError(t, err)
					require.Equal(t, wrong, c != nil, "%s of norm %s, with N^-%g and N^-%g: %s", id, norm, forward, inverse, v.Reason)
				}
			}
		}
	}
}

// TestRelations: of lengths beyond those that are compared with exact transforms fft.shift, fft.linear and fft.parseval each find a fault that the other two let pass,
// and nothing in a sound kernel.
func TestRelations(t *testing.T) {
	const n = 1 << 18
	t.Setenv("GAMMA_MAXN", fmt.Sprint(n))
	sound := FFT{Name: "test.Long", Plan: radix2{}.plan, Claim: fourier.Claim{MinN: n, MaxN: n, OneWay: true}}
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	require.NoError(t, err)
	_, _, _, err = judge.Search(l, sound, 1)
	require.ErrorContains(t, err, "none of them is at most", "no exact transform is drawn so long")
	faulty := func(r radix2) FFT { return FFT{Name: "test.Long", Plan: r.plan, Claim: sound.Claim} }
	dropped := faulty(radix2{})
	dropped.Plan = func(tr fourier.Transform) (func(dst, src []complex64) error, error) {
		run, err := radix2{}.plan(tr)
		return func(dst, src []complex64) error {
			if err := run(dst, src); err != nil {
				return err
			}
			if real(src[0]) < 0 {
				slices.Reverse(dst[1:])
			}
			return nil
		}, err
	}
	relations := []model.LawID{model.FFTLinear, model.FFTShift, model.FFTParseval}
	for _, c := range []struct {
		name  string
		f     FFT
		kills model.LawID
	}{
		{"sound", sound, ""},
		{"an index of 16 bits", faulty(radix2{twiddle: wrapped(n, 1<<16)}), model.FFTShift},
		{"scaled", faulty(radix2{scale: func(fourier.Transform) float64 { return 1.001 }}), model.FFTParseval},
		{"reversed by a sign", dropped, model.FFTLinear},
	} {
		for _, id := range relations {
			l, err := judge.LawByID(judge.FFTLaws(), id)
			require.NoError(t, err)
			found, judged, v, err := judge.Search(l, c.f, 4)
			require.NoError(t, err)
			require.Positive(t, judged)
			t.Logf("%s, %s: %s %.3g", c.name, id, v.Outcome, v.Ratio)
			if c.kills == model.FFTLinear && id == model.FFTShift {
				continue // an order that depends on the input is no shift either
			}
			require.Equal(t, id == c.kills, found != nil, "%s, %s: %s", c.name, id, v.Reason)
		}
	}
}
