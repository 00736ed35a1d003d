package model_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// shape is a format by its precision and the exponent of its least number.
type shape struct{ p, grid int }

// newMixed returns the programme of a claim whose formats are the given shapes, and the exponent of
// its unit; terms on a finer grid than all formats need unit to say so.
func newMixed(claim *model.Claim, in, acc, out shape, unit, top int, dir direction) *mixed {
	claim.In, claim.Acc, claim.Out = wide(in.p, in.grid), wide(acc.p, acc.grid), wide(out.p, out.grid)
	claim.Rounding, claim.Mixed = dir.rounding(), dir == truncOrNear
	m := &mixed{same: acc == out, mean: claim.Mean}
	m.acc = toy{p: acc.p, quantum: 1 << (acc.grid - unit), top: top, dir: dir, flush: claim.Flush}
	m.out = toy{p: out.p, quantum: 1 << (out.grid - unit), top: top, dir: dir, flush: claim.Flush}
	return m
}

// Accumulators wider and narrower than input and output, with means and with flushing.
func TestMixedBoundsAreAboveEveryResult(t *testing.T) {
	formats := [][3]shape{
		{{3, 0}, {3, 0}, {3, 0}},
		{{3, 0}, {2, 0}, {2, 0}},
		{{2, 0}, {3, 0}, {2, 0}},
		{{2, 0}, {4, -2}, {2, 1}},
		{{4, -1}, {3, 1}, {2, 0}},
		{{2, 0}, {2, 2}, {4, 0}},
		{{3, 1}, {3, 0}, {2, 2}},
		{{3, -1}, {4, 1}, {4, -1}},
		{{3, 3}, {4, 3}, {2, 0}}, // a quotient in the accumulator underflows
	}
	most := 3
	if thorough() {
		most = 4
	}
	for _, f := range formats {
		unit := min(f[0].grid, f[1].grid, f[2].grid)
		for _, dir := range []direction{rne, rna, zero, truncOrNear, up} {
			for _, flush := range []model.Flush{{}, {In: true}, {Out: true}, {In: true, Out: true, Before: true}} {
				for _, mean := range []string{"", "out", "acc"} {
					if mean == "acc" && f[1].p <= f[2].p {
						continue // the quotient of a narrower accumulator is not a mean rounded in Out
					}
					claim := model.Claim{Mean: mean != "", Flush: flush}
					m := newMixed(&claim, f[0], f[1], f[2], unit, 8, dir)
					m.wideMean = mean == "acc"
					leaves := toy{p: f[0].p, quantum: 1 << (f[0].grid - unit), top: 7}
					for _, x := range leaves.numbers() {
						m.leaf(x, flush.In && max(x, -x) < leaves.normal(), 0)
					}
					worst := 0.0
					for i, sums := range m.sums(most) {
						n := i + 1
						results := m.results(sums, int64(n))
						bounds := model.SumBounds(claim, n, n-1)
						for _, law := range []model.LawID{model.SumEnclosure, model.SumHeight} {
							worst = max(worst, requireBounds(t, bounds, law, unit, results, "%v %v flush %v mean %q n=%d", f, dir, flush, mean, n))
						}
					}
					t.Logf("%v %v flush %v mean %q: error/bound at most %.4f", f, dir, flush, mean, worst)
				}
			}
		}
	}
}

// Dot products whose accumulator represents the products, or their digits, or neither; and flushed
// factors, whose products the error is credited with.
func TestMixedDotBoundsAreAboveEveryResult(t *testing.T) {
	formats := [][3]shape{
		{{2, 0}, {4, 0}, {2, 0}},   // exact products
		{{2, -1}, {4, -1}, {2, 0}}, // exact but for underflow
		{{2, -1}, {3, -1}, {3, -1}},
		{{2, -2}, {2, -2}, {2, -2}},
		{{2, -1}, {4, -2}, {4, -2}},
	}
	for _, f := range formats {
		unit := min(2*f[0].grid, f[1].grid, f[2].grid)
		for _, dir := range []direction{rne, rna, zero, truncOrNear, up} {
			for _, flush := range []model.Flush{{}, {In: true}, {Out: true}, {In: true, Out: true, Before: true}} {
				if flush.In && f[1] != f[2] {
					continue // the credit is exact only without a last rounding
				}
				claim := model.Claim{Flush: flush}
				m := newMixed(&claim, f[0], f[1], f[2], unit, 8, dir)
				factors := toy{p: f[0].p, quantum: 1, top: 5}
				for _, x := range factors.numbers() {
					for _, y := range factors.numbers() {
						p := (x * y) << (2*f[0].grid - unit)
						lost := flush.In && (max(x, -x) < factors.normal() || max(y, -y) < factors.normal())
						if max(p, -p) <= 1<<7 && x <= y {
							m.leaf(p, lost, max(p, -p))
						}
					}
				}
				worst := 0.0
				for i, sums := range m.sums(3) {
					n := i + 1
					results := m.results(sums, int64(n))
					bounds := model.DotBounds(claim, n, n-1)
					for _, b := range bounds {
						require.Equal(t, flush.In, b.Lost >= 1)
						if flush.In {
							require.Zero(t, b.S)
						}
					}
					for _, law := range []model.LawID{model.DotEnclosure, model.DotHeight} {
						worst = max(worst, requireBounds(t, bounds, law, unit, results, "%v %v flush %v n=%d", f, dir, flush, n))
					}
				}
				t.Logf("%v %v flush %v: error/bound at most %.4f", f, dir, flush, worst)
			}
		}
	}
}

// The exact result, rounded once.
func TestRoundedBoundsAreAboveEveryResult(t *testing.T) {
	for _, f := range [][2]shape{{{3, 0}, {3, 0}}, {{3, 0}, {2, 2}}, {{2, 1}, {4, 0}}} {
		unit := min(f[0].grid, f[1].grid)
		for _, dir := range []direction{rne, rna, zero, truncOrNear, up} {
			for _, flush := range []model.Flush{{}, {In: true}, {Out: true}} {
				for _, mean := range []bool{false, true} {
					claim := model.Claim{Compensation: model.Rounded, Mean: mean, Flush: flush}
					m := newMixed(&claim, f[0], f[1], f[1], unit, 7, dir)
					m.acc = toy{p: 20, quantum: 1, top: 12} // exact sums
					leaves := toy{p: f[0].p, quantum: 1 << (f[0].grid - unit), top: 6}
					for _, x := range leaves.numbers() {
						m.leaf(x, flush.In && max(x, -x) < leaves.normal(), 0)
					}
					m.same = false
					for i, sums := range m.sums(3) {
						n := i + 1
						results := m.results(sums, int64(n))
						bounds := model.SumBounds(claim, n, -1)
						for _, law := range []model.LawID{model.SumRounded, model.SumEnclosure} {
							requireBounds(t, bounds, law, unit, results, "%v %v flush %v mean %v n=%d", f, dir, flush, mean, n)
						}
					}
				}
			}
		}
	}
}

// A claim changes nothing but what it says: bounds that must be there, and bounds that must not.
func TestBoundsOfClaims(t *testing.T) {
	b32, b16, bf16, b64 := model.Binary32, model.Binary16, model.BFloat16, model.Binary64
	laws := func(bounds []model.Bound) string {
		s := ""
		for _, b := range bounds {
			s += fmt.Sprintf("%s ", b.Law)
		}
		return s
	}
	sum := func(c model.Claim, n, h int) string { return laws(model.SumBounds(c, n, h)) }
	dot := func(c model.Claim, n, h int) string { return laws(model.DotBounds(c, n, h)) }

	require.Equal(t, "sum.enclosure sum.enclosure ", sum(model.Claim{In: b32}, 100, -1))
	require.Equal(t, "sum.enclosure sum.enclosure sum.height ", sum(model.Claim{In: b32}, 100, 7))
	require.Equal(t, "sum.enclosure ", sum(model.Claim{In: bf16}, 1000, -1))
	require.Equal(t, "sum.enclosure ", sum(model.Claim{In: b32, Rounding: model.TowardZero}, 100, -1))
	require.Equal(t, "sum.enclosure ", sum(model.Claim{In: b32, Flush: model.Flush{Out: true}}, 100, -1))
	require.Equal(t, "sum.rounded sum.enclosure ", sum(model.Claim{In: b32, Compensation: model.Rounded}, 100, 7))
	require.Equal(t, "dot.enclosure dot.enclosure dot.height ", dot(model.Claim{In: b32}, 100, 7))
	for _, k := range []model.Compensation{model.Kahan, model.Sum2, model.Klein, model.KleinLeft, model.SumK, model.FABsum, model.Binned} {
		c := model.Claim{In: b32, Compensation: k, Folds: 3, Block: 24}
		require.Equal(t, "sum.compensated sum.enclosure ", sum(c, 100, 7), k)
		require.Equal(t, "dot.compensated dot.enclosure ", dot(c, 100, 7), k)
		c.Flush.Out = true
		if k == model.Kahan || k == model.Sum2 {
			require.Equal(t, "sum.compensated sum.enclosure ", sum(c, 100, 7), k)
		} else {
			require.Empty(t, sum(c, 100, 7), k)
			require.Empty(t, dot(c, 100, 7), k)
		}
		c.Flush.Out, c.Rounding = false, model.TowardZero
		require.Empty(t, sum(c, 100, 7), k)
		c.Rounding, c.Folds, c.Block = model.NearestEven, 0, 0
		if k == model.SumK || k == model.FABsum || k == model.Binned {
			require.Empty(t, sum(c, 100, 7), k)
		}
	}
	// Binary16 in binary32: products are exact and nothing underflows before the last rounding.
	for _, b := range model.DotBounds(model.Claim{In: b16, Acc: b32, Out: b32}, 100, 7) {
		require.Zero(t, b.Abs, b.Name)
	}
	require.LessOrEqual(t, model.DotBounds(model.Claim{In: b16, Acc: b32, Out: b32}, 100, 7)[0].A, model.OrderFree(100, b32.U()))
	require.NotZero(t, model.DotBounds(model.Claim{In: bf16, Acc: b32, Out: b32}, 100, 7)[0].Abs)
	require.Empty(t, model.DotBounds(model.Claim{In: b64, Acc: b32}, 100, 7))
	require.Empty(t, model.SumBounds(model.Claim{In: b32, Mean: true}, 0, 0))
	// Nothing is lost where nothing can be flushed.
	require.Equal(t, model.SumBounds(model.Claim{In: b16, Acc: b32, Out: b32}, 9, 3)[0].Abs,
		model.SumBounds(model.Claim{In: b16, Acc: b32, Out: b32, Flush: model.Flush{Out: true}}, 9, 3)[0].Abs)
	// An enclosure of a scheme is the plain one where that is implied.
	require.Zero(t, model.SumBounds(model.Claim{In: b32, Compensation: model.Kahan}, 100, -1)[1].S)
	require.Equal(t, model.OrderFree(100, b32.U()), model.SumBounds(model.Claim{In: b32, Compensation: model.Kahan}, 100, -1)[1].A)
	require.Equal(t, model.KahanBound(3, b32.U()), model.SumBounds(model.Claim{In: b32, Compensation: model.Kahan}, 3, -1)[1].A)

	require.PanicsWithValue(t, "model: a bound needs the input's format; see Claim.WithDefaults", func() { model.SumBounds(model.Claim{}, 1, 1) })
	require.PanicsWithValue(t, "model: a bound needs a length of at least 0", func() { model.DotBounds(model.Claim{In: b32}, -1, 1) })
	require.Panics(t, func() { model.Gamma(4, 0.25) })
	require.Panics(t, func() { model.SumKBound(4, 1, 0.25) })
	require.Panics(t, func() { model.FABsumBound(4, 0, 0.25) })
	require.Panics(t, func() { model.BinnedBound(4, 0, 1, 0.25) })
}

// Where a growth overflows binary64, there is no bound, rather than an infinite one.
func TestOverflowingBoundsAreLeftOut(t *testing.T) {
	c := model.Claim{In: wide(2, 0), Rounding: model.TowardPositive}
	require.Len(t, model.SumBounds(c, 1000, -1), 1)
	require.Empty(t, model.SumBounds(c, 100000, -1))
	for _, in := range model.Formats() {
		for _, acc := range model.Formats() {
			for _, out := range model.Formats() {
				for r := model.NearestEven; r <= model.TowardZero; r++ {
					c := model.Claim{In: in, Acc: acc, Out: out, Rounding: r, Mean: true, Flush: model.Flush{In: true, Out: true}}
					for _, b := range append(model.SumBounds(c, 1<<20, 20), model.DotBounds(c, 1<<20, 20)...) {
						require.True(t, b.Finite())
						require.NotEmpty(t, b.Source)
						require.Positive(t, b.Max(big.NewRat(0, 1), big.NewRat(0, 1), big.NewRat(0, 1)).Sign())
					}
				}
			}
		}
	}
}
