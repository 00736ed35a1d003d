package dd_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/model"
	"gamma/model/word"
)

var updateSeed = flag.Bool("update", false, "rewrite seed-claims.md")

// seedClaim is one numeric claim of the seeds and what holds.
type seedClaim struct{ claim, holds, verdict string }

// verdict says holds or false.
func verdict(ok bool) string {
	if ok {
		return "holds"
	}
	return "**false**"
}

// digits is how many decimal digits a relative error leaves.
func digits(relative float64) float64 { return -math.Log10(relative) }

// leastPart returns the least binade of which half an ulp of float32 is e or more.
func leastPart(e float64) float64 {
	b := 0x1p-20
	for b*0x1p-24 < e {
		b *= 2
	}
	return b
}

// contest is what two kernels' errors came to on the same operands.
type contest struct {
	plain, extended       float64 // largest errors over the size of the result, in u
	meanPlain, meanDouble float64
	beyond                float64 // the largest excess of the extended error over half an ulp, over the size, in u²
	cancels               float64 // the largest error of the plain kernel in ulps of its own result
}

func (c *contest) add(got, extended float32, exact, size float64) {
	const u = 0x1p-24
	p, e := math.Abs(float64(got)-exact)/size/u, math.Abs(float64(extended)-exact)
	c.plain, c.extended = max(c.plain, p), max(c.extended, e/size/u)
	c.meanPlain += p
	c.meanDouble += e / size / u
	ulp := math.Ldexp(1, math.Ilogb(math.Abs(exact))-23)
	c.beyond = max(c.beyond, (e-ulp/2)/size/u/u)
	c.cancels = max(c.cancels, math.Abs(float64(got)-exact)/ulp)
}

// ratios returns how many times better the extended kernel is, at worst and on average.
func (c *contest) ratios() (worst, mean float64) {
	return c.plain / c.extended, c.meanPlain / c.meanDouble
}

const seedCases = 20000

// multiplyContest runs complex products of parts in [-1, 1). Float64 holds each product exactly; its sum's rounding is 2^-53.
func multiplyContest() (c contest) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range seedCases {
		var x, y [2]float32
		for i := range x {
			x[i], y[i] = float32(2*rng.Float64()-1), float32(2*rng.Float64()-1)
		}
		var plain, extended [2]float32
		complex.MultiplyPlain(plain[:], x[:], y[:])
		complex.ComplexMultiplyExtended(extended[:], []float32{x[0], 0, x[1], 0}, []float32{y[0], 0, y[1], 0})
		a, b, d, e := float64(x[0]), float64(x[1]), float64(y[0]), float64(y[1])
		size := math.Hypot(a, b) * math.Hypot(d, e)
		c.add(plain[0], extended[0], float64(a*d)-float64(b*e), size)
		c.add(plain[1], extended[1], float64(a*e)+float64(b*d), size)
	}
	return c
}

// scaleContest divides numbers by n: times the rounded reciprocal, and in double words.
func scaleContest(n int) (c contest) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range seedCases {
		x := float32(1 + rng.Float64())
		var extended [1]float32
		complex.FFTScaleExtended(extended[:], []float32{x, 0}, n)
		exact := float64(x) / float64(n)
		c.add(float32(x*float32(1/float32(n))), extended[0], exact, exact)
	}
	return c
}

// tapsContest runs three taps.
func tapsContest() (c contest) {
	rng := rand.New(rand.NewPCG(13, 1))
	for range seedCases {
		var x, y [3]float32
		exact, size, plain := 0.0, 0.0, float32(0)
		for i := range x {
			x[i], y[i] = float32(2*rng.Float64()-1), float32(2*rng.Float64()-1)
			p := float64(float64(x[i]) * float64(y[i]))
			exact, size = exact+p, size+math.Abs(p)
			plain += float32(x[i] * y[i])
		}
		c.add(plain, complex.Dot3Extended(x, y), exact, size)
	}
	return c
}

// bitsOfDoubleWord returns the largest k such that every k-bit integer is a double word of float32, by integers whose last bit
// and some others are set.
func bitsOfDoubleWord() int {
	rng := rand.New(rand.NewPCG(14, 1))
	for k := 40; ; k++ {
		for i := range 2000 {
			n := int64(1)<<(k-1) | 1 | rng.Int64N(1<<(k-1))
			if i < k {
				n = int64(1)<<(k-1) | int64(1)<<i | 1
			}
			if m, ok := dd.FromInt64[float32](n).Int64(); !ok || m != n {
				return k - 1
			}
		}
	}
}

// steps returns how many operations a program has.
func steps(t *testing.T, name string) int {
	t.Helper()
	a, ok := word.ByName(name)
	require.True(t, ok, name)
	return len(a.Program.Steps)
}

func seedClaims(t *testing.T) []seedClaim {
	u, w := model.Binary32.U(), model.Binary64.U()
	accurate := func(u float64) float64 { return 3 * u * u / (1 - 4*u) }
	d32, d64 := digits(accurate(u)), digits(accurate(w))
	bits := bitsOfDoubleWord()
	var list []seedClaim
	add := func(claim, verdict, format string, args ...any) {
		list = append(list, seedClaim{claim, fmt.Sprintf(format, args...), verdict})
	}

	add("pairs of float32: ~30-32 digits", verdict(d32 >= 30 && d32 <= 32),
		"an addition errs by 3u² = %.3g, which leaves %.2f digits; pairs of float64 have %.2f", accurate(u), d32, d64)
	add("float32: 7-8 digits", verdict(digits(u) >= 7 && digits(u) <= 8), "u = 2^-24 leaves %.2f", digits(u))
	add("float64: 16 digits", verdict(math.Round(digits(w)) == 16), "u = 2^-53 leaves %.2f", digits(w))
	add("two float32: ~46 bits (guide)", verdict(bits == 46), "every integer of %d bits is a double word, and not every one of %d: 24 + 24 and the low word's sign", bits, bits+1)
	add("46 bits ≈ 30-32 decimal digits (guide)", verdict(46*math.Log10(2) >= 30), "46 bits are %.2f digits, and %d are %.2f", 46*math.Log10(2), bits, float64(bits)*math.Log10(2))
	add("float32 = 23 bits, float64 = 52 bits (guide)", verdict(model.Binary32.P == 23 && model.Binary64.P == 52),
		"%d and %d: one bit is not stored", model.Binary32.P, model.Binary64.P)

	plain, double := steps(t, "ComplexPlain"), steps(t, "ComplexDW3")
	m := multiplyContest()
	worst, mean := m.ratios()
	add("complex product: 6 roundings in float32", verdict(plain == 6), "%d operations, each rounded", plain)
	add("complex product: 1 rounding in double words", verdict(m.beyond <= 4*math.Sqrt2+3),
		"true to order u: each part is within half an ulp and 8.66u²·\\|x·y\\| (here %.2fu²). The %d operations all round, to order u²", max(m.beyond, 0), double)
	add("complex product: 10-100x better", verdict(worst >= 10 && worst <= 100),
		"largest part's error over \\|x·y\\|: %.3gu and %.3gu, %.2fx better, %.2fx on average, over %d products. Where a part cancels, float32 is off by up to %.2g ulps here and half an ulp suffices: no limit there",
		m.plain, m.extended, worst, mean, seedCases, m.cancels)
	taps := tapsContest()
	tapsWorst, tapsMean := taps.ratios()
	s7, s8 := scaleContest(1000), scaleContest(1024)
	scaleWorst, scaleMean := s7.ratios()
	add("\"4-100x better precision\"", verdict(worst >= 4 && tapsWorst >= 4 && scaleWorst >= 4),
		"%.2fx (product), %.2fx (taps), %.2fx (scaling by 1/1000) for the largest errors; %.2fx, %.2fx, %.2fx on average",
		worst, tapsWorst, scaleWorst, mean, tapsMean, scaleMean)

	for _, e := range []struct {
		what              string
		float32s, doubles float64
	}{
		{"complex product", 8.24e-7, 2.13e-7},
		{"scaling", 1.86e-7, 4.52e-8},
		{"depthwise3", 5.96e-7, 1.49e-7},
	} {
		v := "metric not stated"
		text := fmt.Sprintf("%.2gu. As an absolute error of one rounding it needs a part of %v or more", e.doubles/u, leastPart(e.doubles))
		if e.doubles <= u/(1+u) {
			text += "; as a relative error it is within v"
		} else {
			text += "; as a relative error it is more than v, so it is none of a path that rounds once"
		}
		add(fmt.Sprintf("%s: error %.3g becomes %.3g", e.what, e.float32s, e.doubles), v, "%s", text)
		ratio := e.float32s / e.doubles
		add(e.what+": \"4x better\"", verdict(ratio >= 3.5 && ratio < 4.5), "of these two numbers it is true: %.2f", ratio)
	}
	add("scaling by 1/N in float32 errs by 1.86e-7, read as a relative error", verdict(s8.plain > 0 || 1.86e-7 <= 2*u),
		"relative, two roundings err by 2u = %.3g at most; for N a power of two, as FFT sizes are, by %v (N = 1024) in either way, and for N = 1000 by %.3gu and %.3gu", 2*u, s8.plain, s7.plain, s7.extended)
	add("relative error 3.42e-5 is acceptable", "metric not stated",
		"%.0fu, where the last rounding of a path that rounds once is at most u: nearly all of it is lost elsewhere", 3.42e-5/u)

	size := func(n uintptr) int { return int(n) }
	real32, pair32 := size(unsafe.Sizeof(float32(0))), size(unsafe.Sizeof(dd.DD32{}))
	complex64s, pairs := 2*real32, size(unsafe.Sizeof(complex.DD[float32]{}))
	add("memory: 2x for real, 2x for complex, same as float64", verdict(pair32 == 2*real32 && pairs == 2*complex64s && pair32 == size(unsafe.Sizeof(float64(0)))),
		"%d bytes for %d, %d for %d; float64 has %d", pair32, real32, pairs, complex64s, size(unsafe.Sizeof(float64(0))))
	for _, o := range []struct {
		what           string
		one, two, says float64
		more           string
	}{
		{"complex product", 2.5, 6.0, 2.4, fmt.Sprintf("; operations: %d and %d, %.1fx", plain, double, float64(double)/float64(plain))},
		{"scaling", 1.8, 5.2, 2.9, fmt.Sprintf("; operations: 1 and %d", steps(t, "DWDivFP3"))},
		{"depthwise3", 3.1, 7.8, 2.5, fmt.Sprintf("; operations: 5 and %d", 3*steps(t, "2ProdFMA")+2*steps(t, "AccurateDWPlusDW"))},
	} {
		add(fmt.Sprintf("%s: overhead %.1fx", o.what, o.says), "not judged here",
			"the quotient of its own times is %.2f%s. Times of a GPU are in metal/cuda/RESULTS.md: there memory decides, and little is added; the CPU's are BenchmarkComplexMul's in package kernels", o.two/o.one, o.more)
	}
	return list
}

// TestSeedClaims checks each numeric claim of the seeds about double words and holds the table to the one on file.
func TestSeedClaims(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What the seeds claim of double words\n\n")
	b.WriteString("Written by `go test ./kernels/dd -run SeedClaims -update`; u = 2^-24. Claims are those of\n")
	b.WriteString("ember-ml-extended-precision.txt, and of numerical-precision-guide.txt where it says guide. Numbers come from the kernels of\n")
	b.WriteString("this module, or are arithmetic.\n\n| claim | what holds | verdict |\n|---|---|---|\n")
	list := seedClaims(t)
	for _, c := range list {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.claim, c.holds, c.verdict)
	}
	const file = "seed-claims.md"
	if *updateSeed {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(want), b.String(), "the table has changed; look at it, then run with -update")
}
