package props

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// drawn is an expanded recipe.
type drawn struct {
	r    Recipe
	f    model.Format
	x, y corpus.Values
}

// at returns leaf i exactly, and product i of a dot product.
func (d *drawn) at(i int) oracle.Dyadic {
	v := oracle.FromBits(d.f, d.x.At(i))
	switch {
	case d.r.Dot:
		v = v.Mul(oracle.FromBits(d.f, d.y.At(i)))
	case d.r.Squares:
		v = v.Mul(v)
	}
	return v
}

// total returns the exact sum of the terms, and that of their magnitudes.
func (d *drawn) total() (sum, abs oracle.Dyadic) {
	for i := range d.x.Len() {
		v := d.at(i)
		sum, abs = sum.Add(v), abs.Add(v.Abs())
	}
	return sum, abs
}

// everyDraw calls check with draws of a family in formats, lengths and parameters of all kinds.
func everyDraw(family string, formats []model.Format, sizes []int, check func(d *drawn)) {
	rng := draw.Splitmix(11)
	for _, f := range formats {
		for _, n := range sizes {
			for k := range 36 {
				d := drawn{f: f, r: Recipe{
					Family: family, N: n, A: uint8(rng.Next()), B: uint8(rng.Next()), Seed: rng.Next(),
					Dot: k%3 == 1, Squares: k%3 == 2,
				}}
				d.x, d.y = d.r.Expand(f)
				check(&d)
			}
		}
	}
}

var (
	wideFormats = []model.Format{model.Binary32, model.Binary64}
	allFormats  = []model.Format{model.Binary32, model.Binary64, model.Binary16, model.BFloat16, model.E4M3, model.E5M2, model.Toy(3)}
)

// TestFamiliesFinite: every value of every family is an encoding of its format, and finite unless the
// family says special.
func TestFamiliesFinite(t *testing.T) {
	for _, family := range Families() {
		notFinite := 0
		everyDraw(family.Name, allFormats, []int{0, 1, 2, 3, 4, 5, 8, 33, 300}, func(d *drawn) {
			for _, v := range []corpus.Values{d.x, d.y} {
				for i := range v.Len() {
					b := v.At(i)
					require.Zero(t, b>>(d.f.Bits()-1)>>1, "%v in %s: %#x is no encoding", d.r, d.f, b)
					if !d.f.IsFinite(b) {
						notFinite++
					}
				}
			}
		})
		require.Equal(t, family.Special, notFinite > 0, "%s: %d values are not finite", family.Name, notFinite)
		require.NotEmpty(t, family.Text)
	}
}

// TestFamiliesExact: in families that promise it, all terms are multiples of a unit of which their
// magnitudes sum to at most 2^P, so that every sum of them in any order is a number of the format.
func TestFamiliesExact(t *testing.T) {
	for _, family := range Families() {
		if !family.Exact {
			continue
		}
		everyDraw(family.Name, allFormats, []int{0, 1, 2, 3, 7, 64, 1000}, func(d *drawn) {
			_, abs := d.total()
			if abs.IsZero() {
				return
			}
			for i := range d.x.Len() {
				k, ok := d.at(i).Exponent()
				require.True(t, !ok || k >= 0, "%v in %s: term %d is no integer", d.r, d.f, i)
			}
			require.LessOrEqual(t, abs.Cmp(oracle.FromInt(1).Scale(d.f.P)), 0, "%v in %s", d.r, d.f)
			require.LessOrEqual(t, abs.Cmp(oracle.FromBits(d.f, d.f.MaxBits())), 0, "%v in %s", d.r, d.f)
		})
	}
}

// TestFamilyIntegersFill: sums of integers that are meant to come near 2^P do.
func TestFamilyIntegersFill(t *testing.T) {
	most := oracle.Dyadic{}
	everyDraw("integers", []model.Format{model.Binary32}, []int{64}, func(d *drawn) {
		if _, abs := d.total(); abs.Cmp(most) > 0 {
			most = abs
		}
	})
	require.Positive(t, most.Cmp(oracle.FromInt(1<<22)), "the largest is %v", most)
}

// TestFamilyPairs: the pairs cancel, so that the sum is what has no partner.
func TestFamilyPairs(t *testing.T) {
	everyDraw("pairs", allFormats, []int{2, 3, 4, 9, 64}, func(d *drawn) {
		if d.r.Squares {
			return
		}
		count := map[string]int{}
		for i := range d.r.N {
			v := d.at(i)
			key := v.Abs().String()
			count[key] += v.Sign()
		}
		rest := 0
		for _, c := range count {
			rest += max(c, -c)
		}
		switch {
		case d.r.B&1 == 1 && d.r.N%2 == 0:
			require.Zero(t, rest, "%v in %s", d.r, d.f)
		case d.r.B&1 == 1 || d.r.N%2 == 1:
			require.LessOrEqual(t, rest, 1, "%v in %s", d.r, d.f)
		default: // the rest stands in the place of a partner
			require.LessOrEqual(t, rest, 2, "%v in %s", d.r, d.f)
		}
	})
}

// TestFamilyCond: the terms cancel down to what truncation of the last leaf and the generator's own
// sum in binary64 leave.
func TestFamilyCond(t *testing.T) {
	everyDraw("cond", wideFormats, []int{2, 5, 64, 300}, func(d *drawn) {
		if d.r.Squares {
			return
		}
		sum, abs := d.total()
		last := d.at(d.r.N - 1).Abs()
		limit := last.Scale(2 - d.f.P).Add(abs.Mul(oracle.FromInt(int64(2 * d.r.N))).Scale(-52))
		least := oracle.FromInt(1).Scale(d.f.Emin - d.f.P + 1)
		require.LessOrEqual(t, sum.Abs().Cmp(limit.Add(least)), 0, "%v in %s: %v of %v", d.r, d.f, sum, abs)
	})
}

// TestFamilyTies: sums of two leaves lie half way between two numbers, the lower of which is even in
// some and odd in others.
func TestFamilyTies(t *testing.T) {
	for _, f := range allFormats {
		var parity [2]int
		everyDraw("ties", []model.Format{f}, []int{2, 5, 30}, func(d *drawn) {
			if d.r.B&8 != 0 || d.r.Squares {
				return
			}
			for i := 1; i < d.r.N; i++ {
				a, b := d.at(0), d.at(i)
				m, _ := a.Abs().Add(b.Abs()).Int()
				if m.BitLen() != f.P+1 || b.Abs().Cmp(a.Abs()) >= 0 {
					continue // a number, or further off
				}
				require.EqualValues(t, 1, m.Bit(0))
				parity[m.Bit(1)]++
			}
		})
		require.Greater(t, parity[0], 20, f)
		require.Greater(t, parity[1], 20, f)
	}
}

// TestFamilySubnormal: with the parameter at zero all leaves are subnormal, and products are.
func TestFamilySubnormal(t *testing.T) {
	for _, f := range allFormats {
		least := oracle.FromBits(f, f.MinNormalBits())
		var below, products int
		everyDraw("subnormal", []model.Format{f}, []int{1, 5, 64}, func(d *drawn) {
			for i := range d.r.N {
				if d.r.A%4 == 0 && !d.r.Dot && d.x.At(i)&^f.SignBit() < f.MinNormalBits() {
					below++
				} else if d.r.A%4 == 0 && !d.r.Dot {
					t.Fatalf("%v in %s: leaf %d is normal", d.r, f, i)
				}
				if v := d.at(i); d.r.Dot && !v.IsZero() && v.Abs().Cmp(least) < 0 {
					products++
				}
			}
		})
		require.Positive(t, below)
		require.Positive(t, products)
	}
}

// TestFamilyOverflow: the magnitudes sum to a quarter of the largest power of two at least.
func TestFamilyOverflow(t *testing.T) {
	over := 0
	everyDraw("overflow", allFormats, []int{1, 2, 5, 64, 300}, func(d *drawn) {
		if d.r.Dot || d.r.Squares {
			return
		}
		_, abs := d.total()
		if d.f.Emax-10 > d.f.Emin {
			require.GreaterOrEqual(t, abs.Cmp(oracle.FromInt(1).Scale(d.f.Emax-2)), 0, "%v in %s", d.r, d.f)
		}
		if abs.Cmp(oracle.FromInt(1).Scale(d.f.Emax+1)) >= 0 {
			over++
		}
	})
	require.Greater(t, over, 100)
}

// TestFamilyMask: the masks cancel, and the ones between them are the sum.
func TestFamilyMask(t *testing.T) {
	everyDraw("mask", allFormats, []int{2, 5, 64, 300}, func(d *drawn) {
		if d.r.Squares {
			return
		}
		sum, abs := d.total()
		require.Zero(t, sum.Cmp(oracle.FromInt(int64(d.r.N-2))), "%v in %s", d.r, d.f)
		swamped := oracle.FromInt(1).Scale(min(d.f.Emax-1, d.f.P) + 1)
		require.GreaterOrEqual(t, abs.Cmp(swamped), 0)
	})
}

// TestFamilyShapes holds the simpler families to their one line.
func TestFamilyShapes(t *testing.T) {
	sizes := []int{1, 2, 5, 64, 300}
	check := func(family string, formats []model.Format, f func(d *drawn)) {
		t.Helper()
		everyDraw(family, formats, sizes, func(d *drawn) {
			f(d)
			if t.Failed() {
				t.Fatalf("family %s: %v in %s: %v", family, d.r, d.f, d.x)
			}
		})
	}
	magnitude := func(d *drawn, i int) uint64 { return d.x.At(i) &^ d.f.SignBit() }
	check("onesign", allFormats, func(d *drawn) {
		for i := 1; i < d.r.N; i++ {
			if d.x.At(i)&d.f.SignBit() != d.x.At(0)&d.f.SignBit() || d.r.Dot && d.at(i).Sign() != d.at(0).Sign() {
				t.Errorf("leaf %d has another sign", i)
			}
		}
	})
	check("unit", allFormats, func(d *drawn) {
		for i := range d.r.N {
			if oracle.FromBits(d.f, d.x.At(i)).Abs().Cmp(oracle.FromInt(1)) >= 0 {
				t.Errorf("leaf %d is 1 or more", i)
			}
		}
	})
	check("pow2", allFormats, func(d *drawn) {
		frac := uint64(1)<<(d.f.P-1) - 1
		for i := range d.r.N {
			if m := d.x.At(i) & frac; m != 0 && m != 1 && m != frac && magnitude(d, i) != d.f.MaxBits() {
				t.Errorf("leaf %d is no neighbour of a power of two", i)
			}
		}
	})
	check("sparse", allFormats, func(d *drawn) {
		full := 0
		for i := range d.r.N {
			if magnitude(d, i) != 0 {
				full++
			}
		}
		if full == 0 || full > 1+int(d.r.B)%5 {
			t.Errorf("%d leaves are not zero", full)
		}
	})
	check("zeros", allFormats, func(d *drawn) {
		for i := range d.r.N {
			if magnitude(d, i) != 0 {
				t.Errorf("leaf %d is not zero", i)
			}
		}
	})
	check("constant", allFormats, func(d *drawn) {
		for i := range d.r.N {
			if d.x.At(i) != d.x.At(0) {
				t.Errorf("leaf %d differs", i)
			}
		}
	})
	check("special", allFormats, func(d *drawn) {
		if d.r.B%6 < 4 && d.f.HasInf {
			for i := range d.r.N {
				if !d.f.IsFinite(d.x.At(i)) {
					return
				}
			}
			for i := range d.y.Len() {
				if !d.f.IsFinite(d.y.At(i)) {
					return
				}
			}
			t.Errorf("every value is finite")
		}
	})
	check("planted", allFormats, func(d *drawn) {
		other := 0
		for i := range d.r.N {
			if d.x.At(i) != d.x.At(0) {
				other++
			}
		}
		if d.r.N > 1 && other != 1 && other != d.r.N-1 {
			t.Errorf("%d leaves differ from the first", other)
		}
	})
	check("balanced", wideFormats, func(d *drawn) {
		if d.r.B&1 != 0 {
			return
		}
		v := func(i int) oracle.Dyadic { return oracle.FromBits(d.f, d.x.At(i)) }
		for i := 1; i < d.r.N; i++ { // one bit less in i is one factor of u
			if want := v(i & (i - 1)).Scale(-d.f.P); v(i).Cmp(want) != 0 && !v(i).IsZero() {
				t.Errorf("leaf %d is not u times leaf %d", i, i&(i-1))
			}
		}
	})
	check("edge", allFormats, func(d *drawn) {
		for i := range d.r.N {
			if m := magnitude(d, i); m < d.f.MinNormalBits() && d.f.P > 5 {
				t.Errorf("leaf %d is subnormal", i)
			}
			if d.f.P > 5 && i > 0 && d.x.At(i)&d.f.SignBit() != d.x.At(0)&d.f.SignBit() && d.r.N == 2 {
				diff := oracle.FromBits(d.f, d.x.At(0)).Add(oracle.FromBits(d.f, d.x.At(1)))
				if diff.Abs().Cmp(oracle.FromBits(d.f, d.f.MinNormalBits()).Scale(1)) > 0 {
					t.Errorf("the difference is large")
				}
			}
		}
	})
}

// TestFamilyNearTies: the exact sum rounds to binary64 as a tie of binary32, and is none.
func TestFamilyNearTies(t *testing.T) {
	near := 0
	everyDraw("nearties", []model.Format{model.Binary32}, []int{3, 5, 64}, func(d *drawn) {
		if d.r.Squares {
			return
		}
		sum, _ := d.total()
		m, _ := sum.Int()
		wide := oracle.FromFloat64(sum.Float64())
		n, _ := wide.Int()
		if m.BitLen() > 53 && n.BitLen() == 25 && new(big.Int).Abs(n).Bit(0) == 1 {
			near++
		}
	})
	require.Greater(t, near, 40)
}

// TestSqrt looks at the squares and their neighbours, where a root in binary64 may round up.
func TestSqrt(t *testing.T) {
	for _, r := range []uint64{1, 2, 3, 1 << 12, 4097, 94906265, 94906266, 1<<30 - 1} {
		require.Equal(t, r-1, families.Sqrt(r*r-1))
		require.Equal(t, r, families.Sqrt(r*r))
		require.Equal(t, r, families.Sqrt(r*r+1))
	}
	require.Zero(t, families.Sqrt(0))
}

// TestFamiliesAreDrawnEvenly: rapid prefers small numbers, and no family may starve for that.
func TestFamiliesAreDrawnEvenly(t *testing.T) {
	const families, draws = 12, 600
	var count [families]int
	err := check.RunRapid(draws, false, func(d engine.Draw) bool {
		count[draw.Even(d.Family, d.A, d.B, d.Seed)*families>>16]++
		return false
	})
	require.Empty(t, err)
	for i, n := range count {
		require.Greater(t, n, draws/families/2, "family %d of %v", i, count)
	}
}
