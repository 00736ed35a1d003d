package props

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// lostFarBelow returns the exact sum, rounded once, of the leaves that are not 2^-200 of the largest or less.
func lostFarBelow(x []float32) float32 {
	most, plain := 0.0, float32(0)
	for i, v := range x {
		if most = max(most, math.Abs(float64(v))); i == 0 {
			plain = v
		} else {
			plain += v
		}
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return plain
	}
	sum := new(big.Float).SetPrec(1000)
	for _, v := range x {
		if math.Abs(float64(v)) >= most*0x1p-200 {
			sum.Add(sum, new(big.Float).SetFloat64(float64(v)))
		}
	}
	s, _ := sum.Float32()
	return s
}

// TestBeyond: faults that no draw reaches are found beyond the draws, and not before: a search for one case fewer than a test draws does
// not go there.
func TestBeyond(t *testing.T) {
	set := settingsOf(t)
	set.Save = "off"
	scaled := func(x []float32) float32 { // by 2^-10, if that is needed: overflows past 1024 terms
		most, f, g := float32(0), float32(1), float32(1)
		for _, v := range x {
			most = max(most, v, -v)
		}
		if most > 0x1p100 {
			f, g = 1.0/1024, 1024
		}
		var s float32
		for _, v := range x {
			s += float32(v * f)
		}
		return s * g
	}
	rows := func(mask int) func(dst, x []float32, n int) {
		return func(dst, x []float32, n int) {
			for r := range dst {
				k, s := r&mask, float32(0)
				for _, v := range x[k*n : (k+1)*n] {
					s += v
				}
				dst[k] = s
			}
		}
	}
	for _, c := range []struct {
		name string
		law  model.LawID
		r    Reduction
	}{
		{"opposed", model.SumEnclosure, Reduction{Run: scaled, Claim: model.Claim{OverflowSafe: true, MinN: 1}}},
		{"ladder", model.SumRounded, Reduction{Run: lostFarBelow, Claim: model.Claim{Compensation: model.Rounded, MinN: 1}}},
		{"rows of 8 bits", model.SumEnclosure, Reduction{RunRows: rows(1<<8 - 1)}},
		{"rows of 16 bits", model.SumEnclosure, Reduction{RunRows: rows(1<<16 - 1)}},
	} {
		c.r.Name = "beyond." + c.name
		sub, err := vectorSubject(c.r)
		require.NoError(t, err)
		l, err := judge.LawByID(judge.Laws(), c.law)
		require.NoError(t, err)
		for _, n := range []int{set.Checks - 1, set.Checks} {
			_, v, _, err := engine.New(vectors.NewRun(sub, set)).Find(engine.Erase(&l), n)
			require.NoError(t, err)
			require.Equal(t, n == set.Checks, v.Fails(), "%s in %d cases: %v", c.name, n, v)
		}
	}
	word := func(name string) modular.Word { return modular.Word{Name: name, Range: 1} }
	claim := modular.Claim{
		Function: modular.Product, Bits: 64, Moduli: modular.Moduli{Min: 3, Max: 1<<62 - 1}, In: []modular.Word{word("a"), word("b")}, Out: []modular.Word{word("z")},
	}
	for _, width := range []int{8, 16} {
		s := Modular{Name: "beyond.mul", Claim: claim, Run: func(q uint64, dst, src []uint64) error {
			if q < 3 || q >= 1<<62 || q%2 == 0 {
				return fmt.Errorf("modulus %d", q)
			}
			for i := range len(dst) & (1<<width - 1) {
				hi, lo := bits.Mul64(src[2*i], src[2*i+1])
				_, dst[i] = bits.Div64(hi%q, lo, q)
			}
			return nil
		}}
		p, err := s.Subject()
		require.NoError(t, err)
		l, err := judge.LawByID(judge.ModularLaws(), model.MontValue)
		require.NoError(t, err)
		for _, n := range []int{set.Checks - 1, set.Checks} {
			_, v, _, err := engine.New(residues.NewModularRun(p, set)).Find(engine.Erase(&l), n)
			require.NoError(t, err)
			require.Equal(t, n == set.Checks, v.Fails(), "%d rows, counted in %d bits: %v", n, width, v)
		}
	}
}

// TestBeyondFFT: batches of transforms have more rows than an index of 8 or 16 bits counts.
func TestBeyondFFT(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "50")
	set := settingsOf(t)
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	require.NoError(t, err)
	for _, mask := range []int{math.MaxInt, 1<<16 - 1, 1<<8 - 1} {
		f := FFT{Name: "beyond.FFT", Claim: fourier.Claim{Batched: true, OneWay: true, Repeats: true, MaxN: 8}, Call: func(c *FFTCall) error {
			run, err := radix2{}.plan(c.Transform)
			dst, src := c.Complex64("dst"), c.Complex64("src")
			for i := 0; err == nil && i < c.Rows; i++ {
				from, to := i&mask*c.N, i*c.N
				err = run(dst[to:to+c.N], src[from:from+c.N])
			}
			return err
		}}
		_, _, v, err := judge.Search(l, f, set.Checks)
		require.NoError(t, err)
		require.Equal(t, mask != math.MaxInt, v.Fails(), "%#x", mask)
	}
}

// TestBeyondFormula: matrices have more rows than an index of 16 bits counts.
func TestBeyondFormula(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "50")
	set := settingsOf(t)
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	for _, mask := range []int{math.MaxInt, 1<<16 - 1} {
		k := Kernel{Name: "beyond.RowSums", Formula: formula.Sum(formula.Matrix("x", "row", "n"), "n"), Call: func(call *KernelCall) error {
			x, dst, n := call.Float32("x"), call.Float32("dst"), call.Size("n")
			for i := range dst {
				dst[i] = 0
				for j := range n {
					dst[i] += x[i&mask*n+j]
				}
			}
			return nil
		}}
		_, _, v, err := judge.Search(l, k, set.Checks)
		require.NoError(t, err)
		require.Equal(t, mask != math.MaxInt, v.Fails(), "%#x", mask)
	}
}
