package model_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// The lemma of DoubleWordSumBound over every double word and every number of toy formats, subnormal ones too: an addition errs
// by at most u²·max(|x|, |x+y|), and by at most |y|; the supremum of the first is u²/(1+u/2+u²).
func TestDoubleWordAdditionErrsByItsLemma(t *testing.T) {
	most := 4
	if thorough() {
		most = 5
	}
	for p := 2; p <= most; p++ {
		for _, dir := range []direction{rne, rna} {
			top := 2*p + 3
			a := toy{p: p, quantum: 1, top: top, dir: dir}
			nums := a.numbers()
			one := int64(1) << (2 * p) // u^-2
			worst, relative, pairs := 0.0, 0.0, 0
			for _, hi := range nums {
				if hi <= 0 {
					continue // mirrored
				}
				for _, lo := range nums {
					if a.one(hi+lo) != hi {
						continue
					}
					for _, y := range nums {
						zh, zl := a.dwPlusFP(hi, lo, y)
						x, exact := hi+lo, hi+lo+y
						d := max(zh+zl-exact, exact-zh-zl)
						size := max(x, -x, exact, -exact)
						if d*one > size || d > max(y, -y) || zh != a.one(zh+zl) {
							t.Fatalf("p=%d %v: (%d, %d) + %d gives (%d, %d)", p, dir, hi, lo, y, zh, zl)
						}
						worst = max(worst, float64(d*one)/float64(size))
						if exact != 0 {
							relative = max(relative, float64(d*one)/float64(max(exact, -exact)))
						}
						pairs++
					}
				}
			}
			t.Logf("p=%d %v: %d additions, error at most %.4f u²·max(|x|,|x+y|) and %.4f u²·|x+y|", p, dir, pairs, worst, relative)
			u := u(p)
			require.Equal(t, 1/(1+u/2+u*u), worst) // the supremum
		}
	}
}

// Sums over all inputs, rounded and before that, in windows where every sum of the length is formed.
func TestDoubleWordSumBoundIsAboveEveryResult(t *testing.T) {
	type size struct{ p, n, top int }
	sizes := []size{{2, 6, 6}, {3, 4, 7}, {4, 3, 8}}
	if thorough() {
		sizes = []size{{2, 8, 8}, {3, 6, 9}, {4, 4, 10}, {5, 4, 11}}
	}
	for _, z := range sizes {
		for _, dir := range []direction{rne, rna} {
			a := toy{p: z.p, quantum: 1, top: z.top, dir: dir}
			s := a.doubleWord()
			s.leaves, s.window = terms(a.numbers()), 1<<a.top
			claim := model.Claim{In: a.format(), Rounding: dir.rounding(), Compensation: model.DoubleWord}
			m := s.first()
			worst, plain, inner := 0.0, 0.0, 0.0
			for n := 1; n <= z.n; n++ {
				results := m.results(func(w state) int64 { return w[0] })
				bounds := model.SumBounds(claim, n, -1)
				worst = max(worst, requireBounds(t, bounds, model.SumCompensated, 0, results, "p=%d %v n=%d", z.p, dir, n))
				plain = max(plain, requireBounds(t, bounds, model.SumEnclosure, 0, results, "p=%d %v n=%d", z.p, dir, n))
				// The theorem is about both words.
				sup := ratio(m.results(func(w state) int64 { return w[0] + w[1] }))
				loss := fraction(int64(max(n-2, 0)), 1<<(2*z.p))
				require.LessOrEqual(t, sup.Cmp(loss), 0, "p=%d %v n=%d: %s > %s", z.p, dir, n, sup, loss)
				if n > 2 {
					f, _ := new(big.Rat).Quo(sup, loss).Float64()
					inner = max(inner, f)
				}
				if n < z.n {
					m = s.next(m)
				}
			}
			t.Logf("p=%d %v n<=%d: error/bound at most %.4f, of the enclosure %.4f, of both words %.4f", z.p, dir, z.n, worst, plain, inner)
			require.Greater(t, inner, 0.4)
		}
	}
}

func TestDoubleWordDotBoundIsAboveEveryResult(t *testing.T) {
	type size struct{ p, n, fine, top int }
	sizes := []size{{2, 3, 0, 9}, {2, 3, 3, 10}, {3, 2, 0, 10}, {3, 2, 4, 13}}
	if thorough() {
		sizes = []size{{2, 4, 0, 9}, {2, 4, 3, 10}, {3, 3, 0, 10}, {3, 3, 4, 12}, {4, 2, 0, 12}}
	}
	for _, z := range sizes {
		for _, dir := range []direction{rne, rna} {
			a := toy{p: z.p, quantum: 1 << z.fine, top: z.top, dir: dir}
			s := a.doubleWordDot()
			s.leaves, s.window = terms(products(z.p, a.top)), 1<<a.top
			claim := model.Claim{In: wide(z.p, -z.fine), Compensation: model.DoubleWord, Rounding: dir.rounding()}
			m := s.first()
			worst := 0.0
			for n := 1; n <= z.n; n++ {
				results := m.results(func(w state) int64 { return w[0] })
				bounds := model.DotBounds(claim, n, -1)
				for _, law := range []model.LawID{model.DotCompensated, model.DotEnclosure} {
					worst = max(worst, requireBounds(t, bounds, law, -2*z.fine, results, "p=%d fine=%d n=%d", z.p, z.fine, n))
				}
				if n < z.n {
					m = s.next(m)
				}
			}
			t.Logf("p=%d fine=%d n<=%d %v: error/bound at most %.4f", z.p, z.fine, z.n, dir, worst)
		}
	}
}

// Means: every double word of a toy format divided by every small n, against the quotient's bound.
func TestDoubleWordQuotientIsAboveEveryResult(t *testing.T) {
	most := 5
	if thorough() {
		most = 7
	}
	for p := 4; p <= most; p++ {
		a := toy{p: p, quantum: 1, top: 62}
		bounds := make([]float64, 1<<p)
		for n := 1; n < len(bounds); n++ {
			q, ok := model.DoubleWordQuotient(n, u(p))
			require.True(t, ok)
			bounds[n] = q
		}
		worst := 0.0
		for hi := int64(1) << (p - 1); hi < 1<<p; hi++ {
			for f := int64(-1) << p; f <= 1<<p; f++ {
				for k := range p + 2 {
					// hi·2^40, and low words of every mantissa and of p+2 exponents.
					big, lo := hi<<40, f<<(39-p-k)
					if a.one(big+lo) != big || a.one(lo) != lo {
						continue
					}
					for n := int64(1); n < 1<<p; n++ {
						zh, zl := a.divFP3(big, lo, n)
						d := (zh+zl)*n - (big + lo)
						e := float64(max(d, -d)) / float64(big+lo)
						if e > bounds[n]*(1-0x1p-40) { // too near to tell in binary64
							require.LessOrEqual(t, fraction(max(d, -d), big+lo).Cmp(rat(bounds[n])), 0, "p=%d (%d, %d)/%d", p, big, lo, n)
						}
						if e > 0 {
							worst = max(worst, e/bounds[n])
						}
					}
				}
			}
		}
		t.Logf("p=%d: error/bound at most %.4f", p, worst)
	}
}

func TestDoubleWordBoundsAreTheirFormulas(t *testing.T) {
	const u = 0x1p-24
	v := new(big.Rat).SetFrac64(1, 1<<24+1)
	one := big.NewRat(1, 1)
	times := func(xs ...*big.Rat) *big.Rat {
		p := big.NewRat(1, 1)
		for _, x := range xs {
			p.Mul(p, x)
		}
		return p
	}
	plus := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
	isCeil := func(exact *big.Rat, got float64) {
		t.Helper()
		require.GreaterOrEqual(t, rat(got).Cmp(exact), 0)
		require.LessOrEqual(t, rat(got).Cmp(times(exact, plus(one, fraction(1, 1<<50)))), 0)
	}
	uu := times(rat(u), rat(u))
	for _, n := range []int64{2, 3, 4, 17, 1000, 1 << 24, 1<<24 + 1} {
		s, a := model.DoubleWordSumBound(int(n), u)
		isCeil(v, s)
		isCeil(times(plus(one, v), fraction(n-2, 1), uu), a)
		s, a, eta := model.DoubleWordDotBound(int(n), u)
		isCeil(v, s)
		isCeil(times(plus(one, v), fraction(2*n-2, 1), uu, plus(one, plus(v, v))), a)
		isCeil(times(plus(one, v), fraction(n, 1), plus(one, times(fraction(6*n-6, 1), uu))), eta)
		q := new(big.Rat)
		switch {
		case n&(n-1) == 0:
		case n < 1<<24:
			q = times(fraction(3, 1), uu)
		default:
			q = times(fraction(49, 5), uu)
		}
		got, ok := model.DoubleWordQuotient(int(n), u)
		require.True(t, ok)
		isCeil(q, got)
		s, a, eta, ok = model.DoubleWordMeanBound(int(n), u)
		require.True(t, ok)
		isCeil(plus(times(plus(one, v), plus(one, q)), fraction(-1, 1)), s)
		isCeil(times(plus(one, v), plus(one, q), fraction(n-2, 1), uu), a)
		isCeil(times(fraction(n, 1), plus(fraction(2, 1), v)), eta)
	}
	for _, n := range []int{0, 1} {
		s, a := model.DoubleWordSumBound(n, u)
		require.Zero(t, s+a)
	}
	s, a, eta := model.DoubleWordDotBound(0, u)
	require.Zero(t, s+a+eta)
	for _, none := range []struct {
		n int
		u float64
	}{{0, u}, {-1, u}, {3, 0x1p-3}, {9, 0x1p-3}, {33, 0x1p-5}} {
		_, ok := model.DoubleWordQuotient(none.n, none.u)
		require.False(t, ok, none)
		_, _, _, ok = model.DoubleWordMeanBound(none.n, none.u)
		require.False(t, ok, none)
	}
}

// What a claim of a double word is granted, and what not.
func TestBoundsOfDoubleWordClaims(t *testing.T) {
	b16, b32, b64 := model.Binary16, model.Binary32, model.Binary64
	c := model.Claim{In: b32, Compensation: model.DoubleWord}
	sum2 := model.Claim{In: b32, Compensation: model.Sum2}
	for _, n := range []int{2, 3, 10, 1000} {
		mine, other := model.SumBounds(c, n, -1), model.SumBounds(sum2, n, -1)
		require.Len(t, mine, 2)
		require.Equal(t, []model.LawID{model.SumCompensated, model.SumEnclosure}, []model.LawID{mine[0].Law, mine[1].Law})
		require.Equal(t, "[Gamma W1]", mine[0].Source)
		require.LessOrEqual(t, mine[0].A, other[0].A)
		require.Equal(t, other[1].A, mine[1].A) // the enclosure is the plain one
		mine, other = model.DotBounds(c, n, -1), model.DotBounds(sum2, n, -1)
		require.Len(t, mine, 2)
		require.Equal(t, "[Gamma W2]", mine[0].Source)
		require.LessOrEqual(t, mine[0].A, other[0].A)
	}
	mean := c
	mean.Mean = true
	list := model.SumBounds(mean, 7, -1)
	require.Equal(t, "[Gamma W3]", list[0].Source)
	s, a, eta, ok := model.DoubleWordMeanBound(7, b32.U())
	require.True(t, ok)
	require.Equal(t, []float64{s, a, eta}, []float64{list[0].S, list[0].A, list[0].Abs})
	require.Equal(t, b32.EtaExp(), list[0].AbsExp)
	require.Empty(t, model.DotBounds(mean, 7, -1))
	mean.Acc, mean.Out = b64, b32
	require.Greater(t, model.SumBounds(mean, 7, -1)[0].S, b32.U()/2)
	// Products that are numbers of the accumulator are leaves.
	half := model.Claim{In: b16, Acc: b32, Out: b32, Compensation: model.DoubleWord}
	require.Equal(t, "[Gamma W1]", model.DotBounds(half, 7, -1)[0].Source)
	for _, bad := range []model.Claim{
		{In: b32, Compensation: model.DoubleWord, Rounding: model.TowardZero},
		{In: b32, Compensation: model.DoubleWord, Flush: model.Flush{Out: true}},
	} {
		require.Empty(t, model.SumBounds(bad, 7, -1))
		require.Empty(t, model.DotBounds(bad, 7, -1))
	}
}
