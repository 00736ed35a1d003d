package model_test

import (
	"maps"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// thorough reports whether the long tests are asked for.
func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// rats parses "1/5 9/25 1".
func rats(t *testing.T, s string) []*big.Rat {
	t.Helper()
	var list []*big.Rat
	for _, w := range strings.Fields(s) {
		r, ok := new(big.Rat).SetString(w)
		require.True(t, ok, w)
		list = append(list, r)
	}
	return list
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// requireAbove fails unless bound is at least sup, and returns sup/bound.
func requireAbove(t *testing.T, sup *big.Rat, bound float64, format string, args ...any) float64 {
	t.Helper()
	require.LessOrEqual(t, sup.Cmp(rat(bound)), 0, append([]any{format + ": supremum %s above the bound %v"}, append(args, sup.RatString(), bound)...)...)
	if bound == 0 {
		return 1
	}
	r, _ := new(big.Rat).Quo(sup, rat(bound)).Float64()
	return r
}

func u(p int) float64 { return model.Format{P: p}.U() }

func TestSupremaOfAllTreesAreTheGoldenOnes(t *testing.T) {
	for _, g := range []struct {
		p    int
		dir  direction
		from int
		sups string
	}{
		{3, rne, 2, "1/9 1/5 3/11 1/3 5/13 3/7 9/19 11/21 13/23 3/5 7/11 2/3 59/85"},
		{3, rna, 6, "3/7 1/2 5/9 3/5 2/3 5/7 3/4 7/9 9/11"},
		{2, rne, 2, "1/5 1/3 3/7"},
		{2, rna, 2, "1/5 1/3 1/2"},
		{4, rne, 2, "1/17 1/9 3/19"},
		{5, rne, 2, "1/33 1/17 3/35"},
	} {
		want := rats(t, g.sups)
		d := newToyTree(toy{p: g.p, quantum: 1, top: g.p + 6, dir: g.dir}, nil)
		got := d.supLeaves(g.from - 1 + len(want))
		for i, w := range want {
			require.Equal(t, w.RatString(), got[g.from-1+i].RatString(), "p=%d %v n=%d", g.p, g.dir, g.from+i)
		}
	}
}

// The rest of the table of suprema by leaves: one value for each n given.
func TestSupremaOfLongerSumsAreTheGoldenOnes(t *testing.T) {
	for _, g := range []struct {
		p    int
		dir  direction
		n    []int
		sups string
	}{
		{2, rne, []int{6, 8, 10, 12}, "5/9 7/11 9/13 17/23"},
		{2, rna, []int{6, 8, 10, 12}, "5/7 11/13 1 25/23"},
		{2, anyTie, []int{6, 8, 10, 12}, "5/7 11/13 1 25/23"},
		{3, anyTie, []int{6, 8, 10, 12}, "3/7 5/9 2/3 3/4"},
		{4, rne, []int{6, 8, 10, 12}, "5/21 7/23 9/25 53/123"},
		{4, rna, []int{10, 12}, "5/13 7/15"},
		{5, rne, []int{6, 8, 10}, "5/37 7/39 9/41"},
	} {
		want := rats(t, g.sups)
		most := g.n[len(g.n)-1]
		got := newToyTree(toy{p: g.p, quantum: 1, top: g.p + 6, dir: g.dir}, nil).supLeaves(most)
		for i, w := range want {
			require.Equal(t, w.RatString(), got[g.n[i]-1].RatString(), "p=%d %v n=%d", g.p, g.dir, g.n[i])
		}
	}
}

func TestSupremaByHeightAreTheGoldenOnes(t *testing.T) {
	for _, g := range []struct {
		p    int
		dir  direction
		top  int
		sups string
	}{
		{2, rne, 14, "1/5 9/25 61/125 195/317"},
		{3, rne, 16, "1/9 17/81 217/729 1703/4441"},
		{4, rne, 18, "1/17 33/289 817/4913 17985/83521"},
		{2, rna, 12, "1/5 7/17 77/115"},
		{3, rna, 14, "1/9 7/33 163/477"},
		{4, rna, 16, "1/17 527/4623 169/983"},
	} {
		d := newToyTree(toy{p: g.p, quantum: 1, top: g.top, dir: g.dir}, nil)
		for i, w := range rats(t, g.sups) {
			got := d.supHeight(i + 1)
			require.Equal(t, w.RatString(), got.RatString(), "p=%d %v h=%d", g.p, g.dir, i+1)
			ratio := requireAbove(t, got, model.HeightFactor(i+1, u(g.p)), "p=%d %v h=%d", g.p, g.dir, i+1)
			t.Logf("p=%d %v h=%d: sup %s is %.4f of (1+v)^h-1", g.p, g.dir, i+1, got.RatString(), ratio)
		}
	}
}

func TestSupremaOfBalancedTreesAreTheGoldenOnes(t *testing.T) {
	d := newToyTree(toy{p: 4, quantum: 1, top: 18}, nil)
	ns := []int{3, 4, 5, 6, 7, 8, 9, 12, 16, 20}
	for i, w := range rats(t, "1/9 33/289 49/305 25/153 51/307 817/4913 1073/5169 553/2601 17985/83521 22609/88145") {
		require.Equal(t, w.RatString(), d.supPairwise(ns[i]).RatString(), "p=4 n=%d", ns[i])
	}
	// For n = 2^h and h <= p it is 1-(1+u)^-h.
	for p := 2; p <= 4; p++ {
		d := newToyTree(toy{p: p, quantum: 1, top: p*p + 2}, nil)
		q, w := fraction(1<<p, 1<<p+1), fraction(1, 1)
		for h := 1; h <= p; h++ {
			w.Mul(w, q)
			want := new(big.Rat).Sub(fraction(1, 1), w)
			require.Equal(t, want.RatString(), d.supPairwise(1<<h).RatString(), "p=%d h=%d", p, h)
		}
	}
}

// Every order-free bound and every height bound is above the supremum over all inputs and all trees.
func TestSumBoundsAreAboveTheSuprema(t *testing.T) {
	most := map[int]int{2: 14, 3: 14, 4: 10, 5: 8}
	if thorough() {
		most = map[int]int{2: 24, 3: 24, 4: 20, 5: 14}
	}
	for p := 2; p <= 5; p++ {
		// Downward is upward, mirrored.
		for _, dir := range []direction{rne, rna, anyTie, zero, truncOrNear, up, anyNeighbour} {
			if dir == anyTie && p > 3 && !thorough() {
				continue // never differed from rna
			}
			d := newToyTree(toy{p: p, quantum: 1, top: p + 6, dir: dir}, nil)
			claim := model.Claim{In: d.format(), Rounding: dir.rounding(), Mixed: dir == truncOrNear}
			worst := 0.0
			for i, sup := range d.supLeaves(most[p]) {
				n := i + 1
				for _, b := range model.SumBounds(claim, n, -1) {
					require.Zero(t, b.S+b.Abs+b.Lost)
					require.Equal(t, model.SumEnclosure, b.Law)
					ratio := requireAbove(t, sup, b.A, "%s p=%d %v n=%d", b.Name, p, dir, n)
					if n > 1 {
						worst = max(worst, ratio)
					}
				}
				require.Equal(t, dir.rounding().Nearest() && n > 1 && n-1 <= 1<<(p-1), len(model.SumBounds(claim, n, -1)) == 2)
				if dir == rne && n > 1 && n-1 <= 1<<(p-1) { // attained
					k := int64(n - 1)
					require.Equal(t, fraction(k, k+1<<p).RatString(), sup.RatString(), "p=%d n=%d", p, n)
				}
			}
			heights := 4
			if p > 3 {
				heights = 3
			}
			for h := 1; h <= heights; h++ {
				sup := d.supHeight(h)
				for _, b := range model.SumBounds(claim, 1<<h, h) {
					if b.Law == model.SumHeight {
						worst = max(worst, requireAbove(t, sup, b.A, "%s p=%d %v h=%d", b.Name, p, dir, h))
					}
				}
			}
			t.Logf("p=%d %v: supremum/bound at most %.6f", p, dir, worst)
		}
	}
}

// The supremum passes k·u/(1+k·u) soon after the limit of OrderFreeSharp: the first such k.
func TestSharpOrderFreeBoundEndsWhereItSays(t *testing.T) {
	for _, g := range []struct {
		p     int
		dir   direction
		first int
	}{{2, rna, 3}, {3, rna, 5}, {4, rna, 9}, {2, rne, 11}, {3, rne, 7}, {4, rne, 10}} {
		d := newToyTree(toy{p: g.p, quantum: 1, top: g.p + 6, dir: g.dir}, nil)
		first := 0
		for i, sup := range d.supLeaves(g.first + 1) {
			k := int64(i)
			if sup.Cmp(fraction(k, k+1<<g.p)) > 0 {
				first = i
				break
			}
		}
		require.Equal(t, g.first, first, "p=%d %v", g.p, g.dir)
		require.Panics(t, func() { model.OrderFreeSharp(2+1<<(g.p-1), u(g.p)) })
		require.NotPanics(t, func() { model.OrderFreeSharp(1+1<<(g.p-1), u(g.p)) })
	}
}

// The literature's h·u is exceeded by some tree, at the least heights on record.
func TestHeightTimesUIsFalse(t *testing.T) {
	type row struct {
		p   int
		dir direction
		h   int
		top int
	}
	rows := []row{{2, rna, 5, 20}, {3, rna, 6, 20}, {4, rna, 8, 20}, {2, rne, 12, 20}, {3, rne, 11, 20}, {4, rne, 13, 20}}
	if thorough() {
		rows = append(rows, row{5, rna, 10, 20}, row{5, rne, 16, 28})
	}
	for _, g := range rows {
		d := newToyTree(toy{p: g.p, quantum: 1, top: g.top, dir: g.dir}, nil)
		first := 0
		for h := 1; h <= g.h && first == 0; h++ {
			num, den := int64(h), int64(1)<<g.p
			q, value := d.byHeight(h, num, den).best(num, den)
			if value > 0 {
				first = h
				t.Logf("p=%d %v h=%d: error/A = %d/%d > hu = %d/%d", g.p, g.dir, h, q.e, q.a, num, den)
			}
		}
		require.Equal(t, g.h, first, "p=%d %v", g.p, g.dir)
	}
}

// Nor is h·u/(1+h·u) right for trees: the balanced tree of four leaves exceeds it.
func TestHeightTimesUOverOnePlusItIsFalse(t *testing.T) {
	for p := 2; p <= 4; p++ {
		d := newToyTree(toy{p: p, quantum: 1, top: 2*p + 4}, nil)
		require.Positive(t, d.supPairwise(4).Cmp(fraction(2, 2+1<<p)), "p=%d", p)
	}
}

// In directed rounding, (n-1)·2u is exceeded from n-1 = 2^(P-1)+1: "replace u by 2u" has a limit.
func TestOrderFreeTwoUIsFalseUpward(t *testing.T) {
	first := map[int]int{2: 4, 3: 6, 4: 10}
	for p := 2; p <= 4; p++ {
		d := newToyTree(toy{p: p, quantum: 1, top: p + 8, dir: up}, nil)
		n := 0
		for i, sup := range d.supLeaves(first[p]) {
			if sup.Cmp(fraction(2*int64(i), 1<<p)) > 0 {
				n = i + 1
				break
			}
		}
		t.Logf("p=%d: exceeded at n=%d", p, n)
		require.Equal(t, first[p], n, "p=%d", p)
	}
}

// products returns the products of two numbers of precision p, integers up to 2^most.
func products(p, most int) []int64 {
	seen := map[int64]bool{}
	factors := toy{p: p, quantum: 1, top: most}.numbers()
	for _, x := range factors {
		for _, y := range factors {
			if t := x * y; t >= -(1<<most) && t <= 1<<most {
				seen[t] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestSupremaOfDotProductsAreTheGoldenOnes(t *testing.T) {
	for _, g := range []struct {
		p     int
		chain bool
		sups  string
	}{
		{2, false, "1/9 13/45 11/27 31/63 5/9"},
		{3, false, "1/9 17/81 13/45 35/99 11/27"},
		{2, true, "1/9 3/11 5/13 7/15"},
		{3, true, "1/9 1/5 3/11 1/3 5/13"},
	} {
		want := rats(t, g.sups)
		a := toy{p: g.p, quantum: 1, top: 2*g.p + 6}
		d := newToyTree(a, products(g.p, a.top))
		if g.chain {
			d.fuse(true)
		}
		for i, got := range d.supLeaves(len(want)) {
			require.Equal(t, want[i].RatString(), got.RatString(), "p=%d chain=%v n=%d", g.p, g.chain, i+1)
		}
	}
}

// rationed returns the rational number k/2^20 next below the coefficient.
func rationed(coefficient float64) (num, den int64) {
	return int64(math.Floor(coefficient * (1 << 20))), 1 << 20
}

// requireCovers fails unless e <= A·a + Abs for every point that run's levels stand for, in units of
// 2^unit. It returns what of Abs was needed, and is strict: A is rounded down first.
func requireCovers(t *testing.T, b model.Bound, unit int, run func(num, den int64) level, format string, args ...any) float64 {
	t.Helper()
	require.Zero(t, b.S)
	num, den := rationed(b.A)
	q, value := run(num, den).best(num, den)
	abs := math.Ldexp(b.Abs, b.AbsExp-unit)
	require.LessOrEqual(t, float64(value), abs*float64(den),
		append([]any{format + ": %s: error %d over terms of %d above %v·A + %v"}, append(args, b.Name, q.e, q.a, b.A, abs)...)...)
	if abs == 0 {
		return 0
	}
	return float64(value) / float64(den) / abs
}

// Dot products, with and without underflow of products: unfused, FMA chains, and any mix.
func TestDotBoundsAreAboveTheSuprema(t *testing.T) {
	most := map[int]int{2: 6, 3: 5}
	if thorough() {
		most = map[int]int{2: 10, 3: 8, 4: 4}
	}
	for p, n := range most {
		for _, fusion := range []model.Fusion{model.Unfused, model.FusedChain, model.FusedAny} {
			for _, dir := range []direction{rne, rna, zero, truncOrNear, up, anyNeighbour} {
				for _, fine := range []int{0, p + 1} {
					// A product of two numbers on the grid 2^-fine is on the grid 2^(-2·fine).
					a := toy{p: p, quantum: 1 << fine, top: 2*p + fine + 3, dir: dir}
					d := newToyTree(a, products(p, a.top))
					if fusion != model.Unfused {
						d.fuse(fusion == model.FusedChain)
					}
					claim := model.Claim{In: wide(p, -fine), Fusion: fusion, Rounding: dir.rounding(), Mixed: dir == truncOrNear}
					relative, absolute := 0.0, 0.0
					for k := 1; k <= n; k++ {
						for _, b := range model.DotBounds(claim, k, -1) {
							require.Equal(t, model.DotEnclosure, b.Law)
							if fine == 0 {
								require.Zero(t, b.Abs)
								sup := supremum(fraction(0, 1), func(num, den int64) level {
									return d.byLeaves(k, num, den)[k-1]
								})
								relative = max(relative, requireAbove(t, sup, b.A, "p=%d %v %v n=%d", p, fusion, dir, k))
								continue
							}
							require.NotZero(t, b.Abs)
							absolute = max(absolute, requireCovers(t, b, -2*fine, func(num, den int64) level {
								return d.byLeaves(k, num, den)[k-1]
							}, "p=%d %v %v n=%d", p, fusion, dir, k))
						}
					}
					t.Logf("p=%d %q %v: at most %.3f of A's part, %.3f of η's", p, fusion, dir, relative, absolute)
				}
			}
		}
	}
}

// By height: every term counted with one rounding more than its additions.
func TestDotHeightBoundsAreAboveTheSuprema(t *testing.T) {
	check := func(p, fine int, dir direction, fusion model.Fusion) {
		a := toy{p: p, quantum: 1 << fine, top: 2*p + fine + 3, dir: dir}
		d := newToyTree(a, products(p, a.top))
		if fusion != model.Unfused {
			d.fuse(fusion == model.FusedChain)
		}
		claim := model.Claim{In: wide(p, -fine), Fusion: fusion, Rounding: dir.rounding(), Mixed: dir == truncOrNear}
		for h := range 3 {
			run := func(num, den int64) level { return d.byHeight(h, num, den) }
			for _, b := range model.DotBounds(claim, 1<<h, h) {
				switch {
				case b.Law != model.DotHeight:
				case fine == 0:
					requireAbove(t, supremum(fraction(0, 1), run), b.A, "p=%d %v %q h=%d", p, dir, fusion, h)
				default:
					requireCovers(t, b, -2*fine, run, "p=%d %v %q h=%d", p, dir, fusion, h)
				}
			}
		}
	}
	for p := 2; p <= 3; p++ {
		for _, dir := range []direction{rne, rna, zero, truncOrNear, up} {
			for _, fine := range []int{0, p + 1} {
				for _, fusion := range []model.Fusion{model.Unfused, model.FusedChain, model.FusedAny} {
					check(p, fine, dir, fusion)
				}
			}
		}
	}
}

// Flushing sums: results, operands or both, decided after rounding or before.
func TestFlushBoundsAreAboveTheSuprema(t *testing.T) {
	most := 6
	if thorough() {
		most = 10
	}
	for p := 2; p <= 4; p++ {
		for _, dir := range []direction{rne, rna, zero, truncOrNear, up} {
			for _, flush := range []model.Flush{{In: true}, {Out: true}, {Out: true, Before: true}, {In: true, Out: true}} {
				d := newToyTree(toy{p: p, quantum: 1, top: p + 5, dir: dir, flush: flush}, nil)
				claim := model.Claim{In: d.format(), Rounding: dir.rounding(), Mixed: dir == truncOrNear, Flush: flush}
				need := 0.0
				for n := 1; n <= most; n++ {
					for _, b := range model.SumBounds(claim, n, -1) {
						need = max(need, requireCovers(t, b, 0, func(num, den int64) level {
							return d.byLeaves(n, num, den)[n-1]
						}, "p=%d %v %v n=%d", p, dir, flush, n))
					}
					if dir == rne {
						// No loss is ever amplified, and each is at most normal-1.
						num, den := int64(n-1), int64(1<<p+1)
						_, value := d.byLeaves(n, num, den)[n-1].best(num, den)
						require.LessOrEqual(t, value, den*int64(model.FlushEvents(n, flush))*(d.normal()-1))
					}
				}
				for h := 1; h <= 2; h++ {
					for _, b := range model.SumBounds(claim, 1<<h, h) {
						if b.Law == model.SumHeight {
							requireCovers(t, b, 0, func(num, den int64) level { return d.byHeight(h, num, den) },
								"p=%d %v %v h=%d", p, dir, flush, h)
						}
					}
				}
				t.Logf("p=%d %v flush %v: at most %.3f of the flushes' part", p, dir, flush, need)
			}
		}
	}
}

// "The number of additions times 2^emin" does not pay for flushed operands.
func TestOneFlushAnAdditionIsFalseForOperands(t *testing.T) {
	p := 4
	d := newToyTree(toy{p: p, quantum: 1, top: p + 4, flush: model.Flush{In: true, Out: true}}, nil)
	num, den := rationed(model.OrderFree(2, u(p)))
	_, value := d.byLeaves(2, num, den)[1].best(num, den)
	require.Greater(t, value, den*d.normal())
	require.Equal(t, 2, model.FlushEvents(2, model.Flush{In: true}))
	require.Equal(t, 1, model.FlushEvents(2, model.Flush{Out: true}))
	require.Equal(t, 1, model.FlushEventsNormal(3))
}
