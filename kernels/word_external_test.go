package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/model/word"
	"gamma/oracle"
)

// binary32 and binary64 are the hardware's arithmetic, with the oracle's fused multiply-add, which is not the kernels'.
type (
	binary32 struct{}
	binary64 struct{}
)

func (binary32) Add(a, b float32) float32    { return a + b }
func (binary32) Mul(a, b float32) float32    { return float32(a * b) }
func (binary32) Div(a, b float32) float32    { return a / b }
func (binary32) Fma(a, b, c float32) float32 { return oracle.Fma32(a, b, c) }
func (binary32) Sqrt(a float32) float32      { return float32(math.Sqrt(float64(a))) }
func (binary32) Neg(a float32) float32       { return -a }
func (binary32) One() float32                { return 1 }
func (binary32) Splitter() float32           { return 4097 }

func (binary64) Add(a, b float64) float64    { return a + b }
func (binary64) Mul(a, b float64) float64    { return float64(a * b) }
func (binary64) Div(a, b float64) float64    { return a / b }
func (binary64) Fma(a, b, c float64) float64 { return math.FMA(a, b, c) }
func (binary64) Sqrt(a float64) float64      { return math.Sqrt(a) }
func (binary64) Neg(a float64) float64       { return -a }
func (binary64) One() float64                { return 1 }
func (binary64) Splitter() float64           { return 1<<27 + 1 }

// wordKernel is what the packages' kernels have in common.
type wordKernel struct {
	name  string
	claim word.Claim
	run32 func(dst, src []float32)
	run64 func(dst, src []float64)
}

func wordKernels() []wordKernel {
	var all []wordKernel
	for _, k := range eft.All() {
		all = append(all, wordKernel{k.Name, k.Claim, k.Run32, k.Run64})
	}
	for _, k := range dd.All() {
		all = append(all, wordKernel{k.Name, k.Claim, k.Run32, k.Run64})
	}
	for _, k := range complex.All() {
		all = append(all, wordKernel{k.Name, k.Claim, k.Run32, k.Run64})
	}
	return all
}

// family says which operands are drawn: with exponents of the whole format and special values, or of a few binades around 1.
type family int

const (
	middle family = iota // no step overflows or underflows
	wide                 // anything
)

// drawWord returns a word with one of the significands that rounding depends on.
func drawWord[T kernels.Float](rng *rand.Rand, p, emin, emax int, f family) T {
	sign := float64(1 - 2*rng.IntN(2))
	if f == wide {
		switch rng.IntN(12) {
		case 0:
			return T(sign * []float64{0, math.Inf(1), math.NaN(), 1, 0}[rng.IntN(5)])
		case 1:
			return T(sign * math.Ldexp(2-math.Ldexp(1, 1-p), emax)) // the largest
		case 2:
			return T(sign * math.Ldexp(float64(rng.IntN(9)), emin-p+1)) // the smallest
		}
	}
	u := math.Ldexp(1, 1-p)
	m := 1.0
	switch rng.IntN(6) {
	case 0:
		m += u * float64(rng.IntN(5))
	case 1:
		m = 2 - u*float64(1+rng.IntN(4))
	case 2: // few bits
		m += math.Ldexp(1, -1-rng.IntN(p-1)) + math.Ldexp(1, -1-rng.IntN(p-1))
	case 3: // ones and zeros in runs
		m += math.Ldexp(1, -rng.IntN(p/2)) - math.Ldexp(1, -p/2-rng.IntN(p/2))
	default:
		m += u * float64(rng.Uint64()>>(64-p+1))
	}
	e := rng.IntN(12) - 6
	if f == wide {
		e = emin + rng.IntN(emax-emin)
	}
	return T(sign * math.Ldexp(m, e))
}

// drawNumber appends a number of the given words: double words are normalised, with low words that are 0, half an ulp of an even
// high word, nearly that, or anything below; some are not double words in the wide family.
func drawNumber[T kernels.Float](rng *rand.Rand, row []T, words, p, emin, emax int, f family) []T {
	h := drawWord[T](rng, p, emin, emax, f)
	if words == 1 {
		return append(row, h)
	}
	_, e := math.Frexp(float64(h))
	half := math.Ldexp(1, e-1-p)
	l := half
	switch rng.IntN(6) {
	case 0:
		l = 0
	case 1:
	case 2:
		l -= math.Ldexp(half, -p) * float64(1+rng.IntN(3))
	case 3:
		l = math.Ldexp(half, -rng.IntN(p))
	default:
		l *= rng.Float64()
	}
	if rng.IntN(2) == 0 {
		l = -l
	}
	lo := T(l)
	if f == wide && rng.IntN(8) == 0 {
		lo = drawWord[T](rng, p, emin, emax, f)
		return append(row, h, lo)
	}
	if h+lo != h { // a tie to an odd high word
		lo /= 2
	}
	return append(row, h, lo)
}

// drawRows returns rows of operands for an operation.
func drawRows[T kernels.Float](rng *rand.Rand, op word.Op, rows, p, emin, emax int) []T {
	var src []T
	for i := range rows {
		f := middle
		if i%3 == 0 {
			f = wide
		}
		start := len(src)
		for _, words := range op.Operands() {
			src = drawNumber(rng, src, words, p, emin, emax, f)
		}
		if row := src[start:]; op.Function != word.Root && len(row) == 2*(len(row)/2) && rng.IntN(4) == 0 {
			// The second half nearly cancels the first.
			for k := range row[len(row)/2:] {
				row[len(row)/2+k] = -row[k] * T(1-math.Ldexp(float64(rng.IntN(3)), 2-p))
			}
		}
	}
	return src
}

func same[T kernels.Float](a, b T) bool {
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || a != a && b != b
}

// countSame counts rows on which run is the program, and returns the first row on which it is not.
func countSame[T kernels.Float, A word.Arithmetic[T]](k wordKernel, p *word.Program, a A, run func(dst, src []T), src []T) (equal int, finite int, bad []T) {
	in, out := k.claim.Op.In(), k.claim.Op.Out()
	rows := len(src) / in
	dst, values, want := make([]T, rows*out), make([]T, in+len(p.Steps)), make([]T, len(p.Results))
	run(dst, src)
	for r := range rows {
		copy(values, src[r*in:(r+1)*in])
		word.Run(p, a, values, want)
		ok, fin := true, true
		for i := range out {
			w := want[i*len(want)/out] // a result that is rounded once is the high word
			ok = ok && same(dst[r*out+i], w)
			fin = fin && w-w == 0
		}
		if ok {
			equal++
		} else if bad == nil && (k.claim.Exact || fin) {
			bad = src[r*in : (r+1)*in]
		}
		if fin {
			finite++
		}
	}
	return equal, finite, bad
}

// TestKernelsAreTheirAlgorithms holds every kernel to the program of the algorithm that it claims, bit for bit, in both formats:
// on all rows, special values among them, if the claim is exact, and otherwise where the algorithm's result is finite.
func TestKernelsAreTheirAlgorithms(t *testing.T) {
	rows := 100_000
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		rows = 3_000_000
	}
	seen := map[string]bool{}
	for i, k := range wordKernels() {
		if k.claim.Algorithm == "" {
			continue
		}
		a, ok := word.ByName(k.claim.Algorithm)
		require.True(t, ok, k.name)
		if k.claim.Exact {
			require.Equal(t, a.Op, k.claim.Op, k.name)
			seen[a.Name] = true
		}
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		src := drawRows[float32](rng, k.claim.Op, rows, 24, -126, 127)
		equal, finite, bad := countSame(k, a.Program, binary32{}, k.run32, src)
		require.Nil(t, bad, "%s: %x", k.name, bad)
		require.Greater(t, finite, rows/3, k.name)
		require.GreaterOrEqual(t, equal, finite, k.name)

		wideSrc := drawRows[float64](rng, k.claim.Op, rows, 53, -1022, 1023)
		equal, finite, bad64 := countSame(k, a.Program, binary64{}, k.run64, wideSrc)
		require.Nil(t, bad64, "%s: %x", k.name, bad64)
		require.Greater(t, finite, rows/3, k.name)
		require.GreaterOrEqual(t, equal, finite, k.name)
	}
	for _, a := range word.Algorithms() {
		require.True(t, seen[a.Name], "no kernel is %s", a.Name)
	}
}

func TestBatchesOfOtherLengths(t *testing.T) {
	for _, k := range wordKernels() {
		in, out := k.claim.Op.In(), k.claim.Op.Out()
		require.PanicsWithValue(t, batchText(in, out, 3*in, 2*out), func() { k.run32(make([]float32, 2*out), make([]float32, 3*in)) }, k.name)
		if in > 1 {
			require.PanicsWithValue(t, batchText(in, out, in+1, out), func() { k.run64(make([]float64, out), make([]float64, in+1)) }, k.name)
		}
		k.run32(nil, nil)
		k.run64(nil, []float64{})
	}
}

// TestBatchesInPlace: a batch may be overwritten from its start, and gives the same, where rows do not grow; no other overlap.
func TestBatchesInPlace(t *testing.T) {
	const rows = 50
	rng := rand.New(rand.NewPCG(3, 1))
	for _, k := range wordKernels() {
		in, out := k.claim.Op.In(), k.claim.Op.Out()
		src := drawRows[float32](rng, k.claim.Op, rows, 24, -126, 127)
		want := make([]float32, rows*out)
		k.run32(want, src)
		memory := make([]float32, rows*(in+out))
		copy(memory, src)
		if out > in {
			require.Panics(t, func() { k.run32(memory[:rows*out], memory[:rows*in]) }, k.name)
			continue
		}
		k.run32(memory[:rows*out], memory[:rows*in])
		for i, w := range want {
			require.True(t, same(w, memory[i]), k.name)
		}
		require.Panics(t, func() { k.run32(memory[1:1+rows*out], memory[:rows*in]) }, k.name)
		require.Panics(t, func() { k.run32(memory[rows*in-1:][:rows*out], memory[:rows*in]) }, k.name)
		require.NotPanics(t, func() { k.run32(memory[rows*in:][:rows*out], memory[:rows*in]) }, k.name)
	}
}

func TestOverlap(t *testing.T) {
	x := make([]float64, 10)
	require.True(t, kernels.Overlap(x[:5], x[4:]))
	require.True(t, kernels.Overlap(x[4:], x[:5]))
	require.True(t, kernels.Overlap(x[2:3], x))
	require.False(t, kernels.Overlap(x[:5], x[5:]))
	require.False(t, kernels.Overlap(x[5:], x[:5]))
	require.False(t, kernels.Overlap(x[:0], x))
	require.False(t, kernels.Overlap(x, make([]float64, 3)))
}

func batchText(in, out, src, dst int) string {
	return fmt.Sprintf("kernels: a batch of rows of %d words in and %d out does not fit vectors of %d in and %d out", in, out, src, dst)
}
