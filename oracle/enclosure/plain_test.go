package enclosure

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/real"
)

// intervals evaluates formulas directly, in intervals over math/big with every operation rounded outwards: what the fast enclosures are compared with. Results
// are rounded to binary32 at least, perhaps twice.
type intervals struct{ real.Bits }

// step returns how far binary32's numbers are apart at the end of x of greater magnitude.
func (b intervals) step(x real.Interval) *big.Float {
	e := max(x.Lo.MantExp(nil), x.Hi.MantExp(nil))
	return new(big.Float).SetMantExp(big.NewFloat(1), max(e-24, -149))
}

// widen returns x with so many ulps more on each side.
func (b intervals) widen(x real.Interval, ulps float64) real.Interval {
	l := b.step(x)
	l.Mul(l, big.NewFloat(ulps))
	return b.Add(x, real.Interval{Lo: new(big.Float).Neg(l), Hi: l})
}

const twiceRounded = 0.5 * (1 + 0x1p-8) // ulps

// sum returns the sum of positive numbers in any order, with the sorted bound of model.OpenRules, by its definition.
func (b intervals) sum(x []real.Interval) real.Interval {
	total, most, errors := real.Point(0), real.Point(0), real.Point(0)
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(x, y real.Interval) int { return y.Hi.Cmp(x.Hi) })
	for k, t := range sorted {
		total = b.Add(total, t)
		most = b.Add(most, real.Interval{Lo: t.Hi, Hi: t.Hi})
		if k > 0 {
			l := b.step(b.Add(most, errors))
			l.Mul(l, big.NewFloat(twiceRounded))
			errors = b.Add(errors, real.Interval{Lo: l, Hi: l})
		}
	}
	return b.Add(total, real.Interval{Lo: new(big.Float).Neg(errors.Hi), Hi: errors.Hi})
}

// softmax returns the results that a softmax of x may have, with an exponential of so many ulps.
func (b intervals) softmax(x []float64, ulps float64) (lo, hi []float64) {
	most := real.Point(slices.Max(x))
	e := make([]real.Interval, len(x))
	for i, v := range x {
		e[i] = b.widen(b.Exp(b.widen(b.Sub(real.Point(v), most), twiceRounded)), ulps)
	}
	s := b.sum(e)
	for _, t := range e {
		q := b.widen(b.Div(t, s), twiceRounded-0.5)
		least, _ := q.Lo.Float32()
		greatest, _ := q.Hi.Float32()
		lo, hi = append(lo, float64(least)), append(hi, float64(greatest))
	}
	return lo, hi
}

// softmaxOf returns a program and a row for it.
func softmaxOf(t testing.TB, n int) (*Program, map[string]Array) {
	x := formula.Vector("x")
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	claim := formula.Claim{Functions: formula.Published.With(formula.OpExp, formula.Promise{Ulps: 2})}
	claim.Functions.Name = "2 ulp"
	p, err := Compile(formula.Div(e, formula.Sum(e)), claim, formula.Float(model.Binary32))
	require.NoError(t, err)
	return p, map[string]Array{"x": normals(rand.New(rand.NewPCG(3, 4)), model.Binary32, n)}
}

// TestPlainIntervals finds the enclosures of a softmax between half and the whole of what direct evaluation in intervals gives, in 53 bits, and nowhere
// apart from it: that one has the sorted bound of a sum alone.
func TestPlainIntervals(t *testing.T) {
	for _, n := range []int{1, 2, 16, 300, 1024} {
		p, in := softmaxOf(t, n)
		r, err := p.Run(in)
		require.NoError(t, err)
		lo, hi := intervals{53}.softmax(in["x"].Values, 2)
		var ratios []float64
		for i := range lo {
			require.True(t, r.Lo[i] <= hi[i] && lo[i] <= r.Hi[i], "element %d of %d: [%v, %v] and [%v, %v]", i, n, r.Lo[i], r.Hi[i], lo[i], hi[i])
			require.True(t, lo[i] <= r.ExactLo[i] && r.ExactHi[i] <= hi[i], "element %d of %d", i, n)
			if hi[i] > lo[i] {
				ratios = append(ratios, (r.Hi[i]-r.Lo[i])/(hi[i]-lo[i]))
			}
		}
		if n > 1 {
			slices.SortFunc(ratios, cmp.Compare)
			t.Logf("n=%d: %.3f of the width in the median, %.3f to %.3f", n, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
			require.GreaterOrEqual(t, ratios[0], 0.5)
			require.LessOrEqual(t, ratios[len(ratios)-1], 1.001)
		}
	}
}

// TestVanishedExponentials finds of exponentials below all numbers of binary64, and of those near them, in one array what it finds of each alone.
func TestVanishedExponentials(t *testing.T) {
	list := []float64{-0x1p70, -1, -0x1p30, -730, -746, -748, -744, -1000, -0x1p20, 0, -0x1p120}
	for _, f := range []model.Format{model.Binary32, model.BFloat16} {
		p, err := Compile(formula.Exp(formula.Sub(formula.Vector("x"), formula.Const(0.3))), formula.Claim{Format: f}, formula.Float(f))
		require.NoError(t, err)
		run := func(x []float64) [][]float64 {
			r, err := p.Run(map[string]Array{"x": {Shape: []int{len(x)}, Values: x}})
			require.NoError(t, err)
			return [][]float64{slices.Clone(r.Lo), slices.Clone(r.Hi), slices.Clone(r.ExactLo), slices.Clone(r.ExactHi)}
		}
		all := run(list)
		for i, x := range list {
			for k, alone := range run([]float64{x}) {
				require.Equal(t, alone[0], all[k][i], "%s, end %d of e^(%g-0.3)", f, k, x)
			}
		}
	}
}

// BenchmarkPlainIntervals measures how much faster the enclosure of a softmax of 1,024 is than direct evaluation in intervals.
func BenchmarkPlainIntervals(b *testing.B) {
	p, in := softmaxOf(b, 1024)
	var slow, fast time.Duration
	for b.Loop() {
		start := time.Now()
		_, _ = intervals{53}.softmax(in["x"].Values, 2)
		slow += time.Since(start)
		start = time.Now()
		for range 20 {
			_, _ = p.Run(in)
		}
		fast += time.Since(start) / 20
	}
	b.ReportMetric(float64(slow.Microseconds())/float64(b.N), "µs/row-in-math/big")
	b.ReportMetric(float64(fast.Microseconds())/float64(b.N), "µs/row")
	b.ReportMetric(float64(slow)/math.Max(float64(fast), 1), "times")
}
