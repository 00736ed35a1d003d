package model_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// ratio returns the greatest e/a of the fronts.
func ratio(results map[int64]front) *big.Rat {
	best := point{0, 1}
	for _, f := range results {
		for _, p := range f {
			if p.a > 0 && p.e*best.a > best.e*p.a {
				best = p
			}
		}
	}
	return fraction(best.e, best.a)
}

// requireBounds fails unless every result obeys every bound of the given law, in units of 2^unit,
// and returns the largest error/bound. Positive errors suffice: negative ones are their mirrors.
func requireBounds(t *testing.T, bounds []model.Bound, law model.LawID, unit int, results map[int64]front, format string, args ...any) float64 {
	t.Helper()
	worst, found := 0.0, false
	scale := func(x int64) *big.Rat {
		if unit < 0 {
			return fraction(x, 1<<-unit)
		}
		return fraction(x<<unit, 1)
	}
	for _, b := range bounds {
		if b.Law != law {
			continue
		}
		found = true
		abs := math.Ldexp(b.Abs, b.AbsExp-unit)
		for r, f := range results {
			for _, p := range f {
				if p.e <= 0 {
					continue
				}
				s := r - p.e
				bound := b.S*math.Abs(float64(s)) + b.A*float64(p.a) + abs
				if bound > 0 {
					worst = max(worst, float64(p.e)/bound)
				}
				if float64(p.e) < bound*(1-0x1p-40) {
					continue // far enough from the bound for binary64 to tell
				}
				exact := b.Max(scale(s), scale(p.a), new(big.Rat))
				require.LessOrEqual(t, scale(p.e).Cmp(exact), 0,
					append([]any{format + ": %s: result %d, exact %d, A %d"}, append(args, b.Name, r, s, p.a)...)...)
			}
		}
	}
	require.True(t, found, "no bound of "+string(law))
	return worst
}

// scheme is a compensated sum with its claim.
type scheme struct {
	name  string
	claim model.Claim
	run   func(t toy) (stream, func(state) int64)
}

var schemes = []scheme{
	{name: "kahan", claim: model.Claim{Compensation: model.Kahan}, run: func(t toy) (stream, func(state) int64) {
		return t.kahan(), func(w state) int64 { return w[0] }
	}},
	{name: "sum2", claim: model.Claim{Compensation: model.Sum2}, run: func(t toy) (stream, func(state) int64) {
		return t.sum2(), func(w state) int64 { return t.one(w[0] + w[1]) }
	}},
	{name: "klein", claim: model.Claim{Compensation: model.Klein}, run: func(t toy) (stream, func(state) int64) {
		return t.klein(), func(w state) int64 { return t.one(w[0] + t.one(w[1]+w[2])) }
	}},
	{name: "klein-left", claim: model.Claim{Compensation: model.KleinLeft}, run: func(t toy) (stream, func(state) int64) {
		return t.klein(), func(w state) int64 { return t.one(t.one(w[0]+w[1]) + w[2]) }
	}},
	{name: "sumk", claim: model.Claim{Compensation: model.SumK, Folds: 3}, run: func(t toy) (stream, func(state) int64) {
		return t.sum3()
	}},
	{name: "sum2 as sumk", claim: model.Claim{Compensation: model.SumK, Folds: 2}, run: func(t toy) (stream, func(state) int64) {
		return t.sum2(), func(w state) int64 { return t.one(w[0] + w[1]) }
	}},
}

func TestCompensatedBoundsAreAboveEveryResult(t *testing.T) {
	type size struct{ p, n, top int }
	sizes := []size{{2, 5, 6}, {3, 4, 7}, {4, 3, 8}}
	if thorough() {
		sizes = []size{{2, 7, 8}, {3, 6, 9}, {4, 5, 10}, {5, 4, 11}}
	}
	for _, c := range schemes {
		for _, z := range sizes {
			for _, dir := range []direction{rne, rna} {
				a := toy{p: z.p, quantum: 1, top: z.top, dir: dir}
				s, finish := c.run(a)
				s.leaves, s.window = terms(a.numbers()), 1<<a.top
				claim := c.claim
				claim.In, claim.Rounding = a.format(), dir.rounding()
				m := s.first()
				worst, plain := 0.0, 0.0
				for n := 1; n <= z.n; n++ {
					results := m.results(finish)
					bounds := model.SumBounds(claim, n, -1)
					worst = max(worst, requireBounds(t, bounds, model.SumCompensated, 0, results, "%s p=%d %v n=%d", c.name, z.p, dir, n))
					plain = max(plain, requireBounds(t, bounds, model.SumEnclosure, 0, results, "%s p=%d %v n=%d", c.name, z.p, dir, n))
					if n < z.n {
						m = s.next(m)
					}
				}
				t.Logf("%s p=%d %v n<=%d: error/bound at most %.4f, of the enclosure %.4f", c.name, z.p, dir, z.n, worst, plain)
			}
		}
	}
}

func TestSupremaOfKahansSumAreTheGoldenOnes(t *testing.T) {
	type golden struct {
		p, top int
		sups   string
	}
	list := []golden{{3, 9, "1/9 9/47 11/45 23/91 6/23"}, {5, 10, "1/33 33/575"}}
	if thorough() {
		list = []golden{{3, 9, "1/9 9/47 11/45 23/91 6/23 25/93"}, {5, 13, "1/33 33/575 11/173 143/2161"}}
	}
	for _, g := range list {
		a := toy{p: g.p, quantum: 1, top: g.top}
		s := a.kahan()
		s.leaves, s.window = terms(a.numbers()), 1<<a.top
		m := s.first()
		for i, w := range rats(t, g.sups) {
			m = s.next(m)
			got := ratio(m.results(func(w state) int64 { return w[0] }))
			require.Equal(t, w.RatString(), got.RatString(), "p=%d n=%d", g.p, i+2)
			r := requireAbove(t, got, model.KahanBound(i+2, u(g.p)), "p=%d n=%d", g.p, i+2)
			t.Logf("p=%d n=%d: %s, %.4f of the bound", g.p, i+2, got.RatString(), r)
		}
	}
}

func TestSupremaOfSum2BeforeItsLastRoundingAreTheGoldenOnes(t *testing.T) {
	a := toy{p: 3, quantum: 1, top: 8}
	want := "1/71 3/83 1/17"
	if thorough() {
		a.top, want = 9, want+" 1/12 3/25"
	}
	s := a.sum2()
	s.leaves, s.window = terms(a.numbers()), 1<<a.top
	m := s.next(s.first())
	for i, w := range rats(t, want) {
		m = s.next(m)
		n := i + 3
		got := ratio(m.results(func(w state) int64 { return w[0] + w[1] }))
		require.Equal(t, w.RatString(), got.RatString(), "n=%d", n)
		_, bound := model.Sum2Bound(n, u(3))
		requireAbove(t, got, bound, "n=%d", n)
	}
}

// TestTwoUForKahanIsFalse: the exhaustive supremum exceeds 2u·A, by more than any O(n·u²) explains,
// and so do binary32 inputs on record.
func TestTwoUForKahanIsFalse(t *testing.T) {
	for _, c := range []struct {
		bits     []uint32
		result   uint32
		multiple float64 // of u·A
	}{
		{[]uint32{0x33400000, 0x3e800005, 0x3f7fffff, 0xb3800000}, 0x3fa00002, 2.2},
		{[]uint32{0x33400000, 0x3e800000, 0x32800001, 0x3f000001, 0x3e7fffff}, 0x3f800002, 2.25},
		{[]uint32{0x32c00000, 0x3e000005, 0x3effffff, 0x33000001, 0x3f900001, 0x3e7fffff}, 0x40000002, 2.3125},
	} {
		var s, k float32
		sum, abs := new(big.Rat), new(big.Rat)
		for i, b := range c.bits {
			x := math.Float32frombits(b)
			r := rat(float64(x))
			sum.Add(sum, r)
			abs.Add(abs, new(big.Rat).Abs(r))
			if i == 0 {
				s = x
				continue
			}
			y := x - k
			next := s + y
			k = (next - s) - y
			s = next
		}
		require.Equal(t, c.result, math.Float32bits(s))
		e := new(big.Rat).Sub(rat(float64(s)), sum)
		e.Abs(e)
		n := len(c.bits)
		require.Positive(t, e.Cmp(new(big.Rat).Mul(abs, rat(model.KahanOrdered(n, 0x1p-24)))), "n=%d obeys 2u", n)
		require.LessOrEqual(t, e.Cmp(new(big.Rat).Mul(abs, rat(model.KahanBound(n, 0x1p-24)))), 0)
		multiple, _ := e.Quo(e, abs).Float64()
		require.Equal(t, c.multiple, math.Round(multiple*0x1p24*1e5)/1e5)
	}
}

// TestThreeFoldBoundForKleinIsFalse: with the ending s+(c+cc), a term of order n·u² remains.
func TestThreeFoldBoundForKleinIsFalse(t *testing.T) {
	a := toy{p: 4, quantum: 1, top: 12}
	s := a.klein()
	w := s.start(256)
	exact, abs := int64(256), int64(256)
	for _, x := range []int64{16, 1, -256, -16} {
		w = s.step(w, x)
		exact += x
		abs += max(x, -x)
	}
	require.EqualValues(t, 1, exact)
	right := a.one(w[0] + a.one(w[1]+w[2]))
	left := a.one(a.one(w[0]+w[1]) + w[2])
	require.EqualValues(t, 0, right)
	require.EqualValues(t, 1, left)
	sk, ak := model.SumKBound(5, 3, 0x1p-24)
	sn, an := model.KleinBound(5, 0x1p-24)
	// In binary32: 1, u, u², -1, -u sum to 0 instead of u².
	e, big := 0x1p-48, 2+0x1p-23+0x1p-48
	require.Greater(t, e, sk*0x1p-48+ak*big)
	require.LessOrEqual(t, e, sn*0x1p-48+an*big)
}

func TestFABsumBoundIsAboveEveryResult(t *testing.T) {
	type size struct{ p, b, m, top int }
	sizes := []size{{2, 2, 3, 6}, {3, 2, 2, 7}, {3, 3, 3, 6}, {2, 4, 3, 5}}
	if thorough() {
		sizes = append(sizes, size{4, 2, 3, 8}, size{3, 2, 4, 7}, size{2, 3, 4, 7})
	}
	for _, z := range sizes {
		for _, dir := range []direction{rne, rna} {
			a := toy{p: z.p, quantum: 1, top: z.top, dir: dir}
			s := a.sum2()
			s.leaves, s.window = a.blocks(z.b), 1<<a.top
			claim := model.Claim{In: a.format(), Compensation: model.FABsum, Block: z.b, Rounding: dir.rounding()}
			m := s.first()
			worst := 0.0
			for k := 1; k <= z.m; k++ {
				results := m.results(func(w state) int64 { return a.one(w[0] + w[1]) })
				for _, law := range []model.LawID{model.SumCompensated, model.SumEnclosure} {
					worst = max(worst, requireBounds(t, model.SumBounds(claim, k*z.b, -1), law, 0, results, "p=%d b=%d m=%d", z.p, z.b, k))
				}
				if k < z.m {
					m = s.next(m)
				}
			}
			t.Logf("p=%d b=%d m<=%d %v: error/bound at most %.4f", z.p, z.b, z.m, dir, worst)
		}
	}
}

func TestDot2BoundIsAboveEveryResult(t *testing.T) {
	type size struct{ p, n, fine, top int }
	sizes := []size{{2, 3, 0, 9}, {2, 3, 3, 10}, {3, 2, 0, 10}, {3, 2, 4, 13}}
	if thorough() {
		sizes = []size{{2, 4, 0, 9}, {2, 4, 3, 10}, {3, 3, 0, 10}, {3, 3, 4, 12}, {4, 2, 0, 12}}
	}
	for _, z := range sizes {
		for _, dir := range []direction{rne, rna} {
			a := toy{p: z.p, quantum: 1 << z.fine, top: z.top, dir: dir}
			s := a.dot2()
			s.leaves, s.window = terms(products(z.p, a.top)), 1<<a.top
			claim := model.Claim{In: wide(z.p, -z.fine), Compensation: model.Sum2, Rounding: dir.rounding()}
			m := s.first()
			worst := 0.0
			for n := 1; n <= z.n; n++ {
				results := m.results(func(w state) int64 { return a.one(w[0] + w[1]) })
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

// Kahan's sum and Sum2 by additions that flush, Knuth's two-sum and the one by comparison.
func TestFlushedSchemeBoundsAreAboveEveryResult(t *testing.T) {
	type size struct{ p, n, top int }
	sizes := []size{{2, 4, 5}, {3, 3, 6}, {4, 2, 7}}
	if thorough() {
		sizes = []size{{2, 5, 6}, {3, 4, 7}, {4, 3, 8}}
	}
	type variant struct {
		name  string
		claim model.Claim
		run   func(t toy) stream
		end   func(t toy, w state) int64
	}
	running := func(_ toy, w state) int64 { return w[0] }
	repaid := func(t toy, w state) int64 { return t.plus(w[0], w[1]) }
	for _, c := range []variant{
		{"kahan", model.Claim{Compensation: model.Kahan}, toy.kahanFlushing, running},
		{"knuth", model.Claim{Compensation: model.Sum2}, func(t toy) stream { return t.sum2Flushing(true) }, repaid},
		{"branch", model.Claim{Compensation: model.Sum2}, func(t toy) stream { return t.sum2Flushing(false) }, repaid},
	} {
		for _, z := range sizes {
			for _, dir := range []direction{rne, rna} {
				for _, flush := range []model.Flush{{}, {In: true}, {Out: true}, {Out: true, Before: true}, {In: true, Out: true}} {
					a := toy{p: z.p, quantum: 1, top: z.top, dir: dir, flush: flush}
					s := c.run(a)
					s.leaves, s.window = terms(a.numbers()), 1<<a.top
					claim := c.claim
					claim.In, claim.Rounding, claim.Flush = a.format(), dir.rounding(), flush
					m := s.first()
					worst := 0.0
					for n := 1; n <= z.n; n++ {
						results := m.results(func(w state) int64 { return c.end(a, w) })
						bounds := model.SumBounds(claim, n, -1)
						worst = max(worst, requireBounds(t, bounds, model.SumCompensated, 0, results, "%s p=%d %v %v n=%d", c.name, z.p, dir, flush, n))
						requireBounds(t, bounds, model.SumEnclosure, 0, results, "%s p=%d %v %v n=%d", c.name, z.p, dir, flush, n)
						if n < z.n {
							m = s.next(m)
						}
					}
					t.Logf("%s p=%d %v flush %v n<=%d: error/bound at most %.4f", c.name, z.p, dir, flush, z.n, worst)
				}
			}
		}
	}
}

// binned is the K-fold binned sum of package kernels, in toy numbers: bins on grids 2^(width·i+phase),
// of which the top one has 2^(g-1) <= |M| < 2^(g+width-1) for the largest leaf M.
func (t toy) binned(x []int64, folds, width, phase int) int64 {
	var largest int64
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	g := phase - 8*width
	for g+width-1 < 63 && int64(math.Ldexp(1, g+width-1)) <= largest {
		g += width
	}
	// Slices are taken from the top; what is left over is lost.
	var sum int64
	for _, v := range x {
		rest := v
		for k := range folds {
			grid := g - width*k
			if grid <= 0 {
				sum, rest = sum+rest, 0
				break
			}
			slice := toy{p: 60, quantum: 1 << grid}.one(rest)
			sum, rest = sum+slice, rest-slice
		}
	}
	return t.one(sum)
}

func TestBinnedBoundIsAboveEveryResult(t *testing.T) {
	for _, z := range []struct{ p, folds, width, top int }{
		{2, 1, 2, 7}, {2, 2, 2, 7}, {2, 2, 3, 7}, {3, 1, 3, 7}, {3, 2, 3, 8}, {3, 2, 2, 8},
	} {
		a := toy{p: z.p, quantum: 1, top: z.top}
		nums := a.numbers()
		claim := model.Claim{In: a.format(), Compensation: model.Binned, Folds: z.folds, Block: z.width}
		worst := 0.0
		for phase := range z.width {
			for n := 1; n <= 3; n++ {
				results := map[int64]front{}
				x := make([]int64, n)
				var fill func(i, least int)
				fill = func(i, least int) { // leaves in ascending order: the order does not matter
					if i == n {
						r := a.binned(x, z.folds, z.width, phase)
						e, abs := r, int64(0)
						for _, v := range x {
							e -= v
							abs += max(v, -v)
						}
						results[r] = results[r].with(point{e, abs})
						return
					}
					for j := least; j < len(nums); j++ {
						x[i] = nums[j]
						fill(i+1, j)
					}
				}
				fill(0, 0)
				worst = max(worst, requireBounds(t, model.SumBounds(claim, n, -1), model.SumCompensated, 0, results, "p=%d K=%d W=%d n=%d", z.p, z.folds, z.width, n))
			}
		}
		t.Logf("p=%d K=%d W=%d: error/bound at most %.4f", z.p, z.folds, z.width, worst)
	}
}
