package battery

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
)

// ScalarLaw is a law about single operations. Its Judge closes over the operations under test and is a pure function of the operands,
// encodings of the battery's format.
type ScalarLaw = engine.LawOf[[]uint64, model.Format]

// Battery judges scalar operations by scalar laws. It is what Reduction is to kernels that take
// vectors: a struct literal whose method Check does the rest.
//
// Each law first judges Cases, then every pair or triple of a table of special values, then operands
// that gopter draws: exponents at the ends of the range and around each other, fractions with few or
// many bits, ties, neighbours, near-cancellations, and special values among them.
type Battery struct {
	Name   string       // of the operations under test, in reports
	Format model.Format // of every operand
	Laws   []ScalarLaw
	// Special is the table that is crossed; nil: SpecialValues(Format).
	Special []uint64
	// Cases are judged before all others, by each law that takes so many operands: put those here
	// that failed once.
	Cases [][]uint64

	// weaker names the field of what is under test that leaves operands out of a law, "" if there is none.
	weaker func(id model.LawID, x []uint64) string
	// narrow returns what says at once that a law holds of two operands, or nil.
	narrow func(id model.LawID) func(x, y uint64) bool
	// narrower are the formats that a number of Format loses bits in, by the conversions under test.
	narrower []model.Format
}

// Check judges the operations: it replays the cases on file, then searches law by law. The first violation of each law fails the test
// with a report of the simplest operands that show it, and is saved.
func (b Battery) Check(t *testing.T) { t.Helper(); check.Check(t, b.Judged) }

// Replay judges the cases on file alone, without a search.
func (b Battery) Replay(t *testing.T) { t.Helper(); check.Replay(t, b.Judged) }

// Find looks for a violation of one law and needs no testing package: it returns the report of the first one, at the simplest
// operands and not saved, or nil.
func (b Battery) Find(l ScalarLaw) (*ScalarFailure, error) {
	set, err := engine.ReadSettings()
	if err != nil {
		return nil, err
	}
	e, err := scalarsOf(b, set)
	if err != nil {
		return nil, err
	}
	f, err := e.Found(engine.Erase(&l))
	s, _ := f.(*ScalarFailure)
	return s, err
}

// maxCrossed is the number of tuples of special values up to which all are tried.
const maxCrossed = 3000

// scalarSource is the cases given, the table crossed, and operands that gopter draws.
type scalarSource struct {
	b     *Battery
	l     *ScalarLaw
	table []uint64
	d     ScalarDrawer
	seed  uint64
	n     int // operands to draw
	// learnt are operands that met the law's hypotheses.
	learnt [][]uint64
	later  bool // the cases given and the table were judged in another block
}

// Later leaves to another block what does not depend on the seed.
func (s *scalarSource) Later() { s.later = true }

func newScalarSource(b *Battery, l *ScalarLaw, set *engine.Settings) *scalarSource {
	table := b.Special
	if table == nil {
		table = SpecialValues(b.Format)
	}
	return &scalarSource{
		b: b, l: l, table: table, seed: set.SeedFor(string(l.ID), b.Name), n: set.Checks,
		d: ScalarDrawer{F: b.Format, table: table, specials: l.Specials, Exact: round.Arith{F: b.Format}},
	}
}

func (s *scalarSource) Search(try func(x []uint64) bool, late func() bool) (stopped string) {
	if !s.later {
		for _, x := range s.b.Cases {
			if len(x) == s.l.Operands && try(x) {
				return ""
			}
		}
		if s.cross(try) {
			return ""
		}
	}
	return gopterDraws(s.seed, s.n, func(rng *rand.Rand) []uint64 {
		s.d.Rng = rng
		return s.d.operands(s.l.Operands)
	}, try, late)
}

// cross tries every tuple of the table's values, the first ones alone if there are too many, until one fails.
func (s *scalarSource) cross(try func(x []uint64) bool) (fails bool) {
	k, n := s.l.Operands, len(s.table)
	for n > 1 && power(n, k) > maxCrossed {
		n--
	}
	for i := range power(n, k) {
		x := make([]uint64, k)
		for j := range x {
			x[j] = s.table[i%n]
			i /= n
		}
		if try(x) {
			return true
		}
	}
	return false
}

func power(n, k int) int {
	p := 1
	for range k {
		p *= n
	}
	return p
}

// gopterDraws lets gopter draw so many inputs, one of them at least before it is late, until try is true of one. It returns what
// stopped gopter, or "".
func gopterDraws[I any](seed uint64, checks int, draw func(rng *rand.Rand) I, try func(in I) bool, late func() bool) (stopped string) {
	params := gopter.DefaultTestParametersWithSeed(int64(seed >> 1))
	params.MinSuccessfulTests = checks
	gen := gopter.Gen(func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(draw(p.Rng), gopter.NoShrinker)
	})
	drawn := 0
	result := prop.ForAll(func(in I) bool {
		drawn++
		return drawn > 1 && late() || !try(in)
	}, gen).Check(params)
	if result.Status == gopter.TestFailed || result.Passed() {
		return ""
	}
	return fmt.Sprintf("%s: %v", result.Status, result.Error)
}

// SpecialValues returns the encodings of f at which something changes, the simplest first: zeros,
// ones, infinities and NaNs, the ends of the subnormal and of the normal range, one and its
// neighbours, half an ulp of one, the ends of the exact integers.
func SpecialValues(f model.Format) []uint64 {
	frac := uint64(1)<<(f.P-1) - 1
	one := uint64(1-f.Emin) << (f.P - 1)
	exp2 := func(k int) uint64 { // 2^k, or the nearest normal power there is
		k = max(f.Emin, min(f.Emax, k))
		return uint64(k-f.Emin+1) << (f.P - 1)
	}
	least, most := f.MinNormalBits(), f.MaxBits()
	var list []uint64
	seen := map[uint64]bool{}
	add := func(bs ...uint64) {
		for _, b := range bs {
			for _, s := range []uint64{0, f.SignBit()} {
				if !seen[b|s] {
					seen[b|s] = true
					list = append(list, b|s)
				}
			}
		}
	}
	add(0, one)
	if f.HasInf {
		add(f.InfBits())
	}
	add(f.NaNBits())
	if f.NaNs == model.NaNIEEE && f.P > 2 {
		add(f.InfBits() | 1) // signaling
	}
	add(1, most, one+1, exp2(-f.P), least, least-1)
	add(one-1, exp2(1), exp2(-1), one|frac, one|(frac+1)>>1, exp2(1-f.P), exp2(-f.P)+1)
	add(2, 3, least+1, most-1, exp2(f.P), exp2(f.P)-1, exp2(f.Emax), exp2(f.Emin/2), exp2(f.Emax/2))
	return list
}

// ScalarDrawer draws operands that meet alignment, cancellation, ties, underflow and overflow often.
type ScalarDrawer struct {
	F        model.Format
	table    []uint64
	specials bool
	Exact    round.Arith // only proposes operands that nearly cancel or divide
	Rng      *rand.Rand
}

// operands draws n operands, each related to an earlier one in some way or in none.
func (d *ScalarDrawer) operands(n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		switch {
		case d.specials && d.Rng.Intn(2) == 0:
			x[i] = d.table[d.Rng.Intn(min(len(d.table), 10))]
		case d.Rng.Intn(8) == 0:
			x[i] = d.table[d.Rng.Intn(len(d.table))]
		case i == 0:
			x[i] = d.Alone()
		default:
			x[i] = d.related(x[:i])
		}
	}
	switch {
	case n == 1 && d.Rng.Intn(3) == 0: // nearly a square
		x[0] = d.near(d.Exact.Mul(x[0], x[0]))
	case n == 2 && d.Rng.Intn(6) == 0: // nearly a multiple
		x[0] = d.near(d.Exact.Mul(x[0], x[1]))
	case n > 1 && d.F.P > 2 && d.Rng.Intn(12) == 0:
		d.tie(x)
	}
	return x
}

// fraction draws a fraction field of one of several kinds.
func (d *ScalarDrawer) fraction() uint64 {
	w := d.F.P - 1
	full := uint64(1)<<w - 1
	bit := func() uint64 { return uint64(1) << d.Rng.Intn(w) }
	switch d.Rng.Intn(8) {
	case 0:
		return 0
	case 1:
		return bit()
	case 2:
		first := bit()
		return first | bit()
	case 3: // ones down to a bit
		return full &^ (bit() - 1)
	case 4: // ones below a bit
		return bit() - 1
	case 5:
		return full ^ bit()
	}
	return d.Rng.Uint64() & full
}

// top is the exponent field of the largest finite number.
func (d *ScalarDrawer) top() int { return int(d.F.MaxBits() >> (d.F.P - 1)) }

func (d *ScalarDrawer) field(b uint64) int { return int(b &^ d.F.SignBit() >> (d.F.P - 1)) }

// Number draws a finite number with this exponent field, or the nearest one that there is.
func (d *ScalarDrawer) Number(field int) uint64 {
	field = max(0, min(field, d.top()))
	b := min(uint64(field)<<(d.F.P-1)|d.fraction(), d.F.MaxBits())
	if d.Rng.Intn(2) == 0 {
		b |= d.F.SignBit()
	}
	return b
}

// Alone draws a finite number: in one case of four at either end of the range.
func (d *ScalarDrawer) Alone() uint64 {
	switch d.Rng.Intn(8) {
	case 0:
		return d.Number(d.Rng.Intn(3))
	case 1:
		return d.Number(d.top() - d.Rng.Intn(3))
	case 2, 3:
		return d.Number(1 - d.F.Emin + d.Rng.Intn(5) - 2)
	}
	return d.Number(d.Rng.Intn(d.top() + 1))
}

// near moves a number by a few places in its last digits.
func (d *ScalarDrawer) near(b uint64) uint64 {
	return b&d.F.SignBit() | (b+uint64(d.Rng.Intn(7))-3)&(d.F.SignBit()-1)
}

// related draws a number that has something to do with the earlier ones.
func (d *ScalarDrawer) related(x []uint64) uint64 {
	p, bias := d.F.P, 1-d.F.Emin
	y := x[d.Rng.Intn(len(x))]
	e := d.field(y)
	around := func(n int) int { return d.Rng.Intn(2*n+1) - n }
	if len(x) == 2 && d.Rng.Intn(2) == 0 { // an addend for a product
		m := d.Exact.Mul(x[0], x[1]) ^ d.F.SignBit()
		switch d.Rng.Intn(4) {
		case 0:
			return d.near(m)
		case 1: // what is left of the product once its rounding is taken away lies far below it
			return m
		}
		return d.Number(d.field(x[0]) + d.field(x[1]) - bias + around(2*p+2))
	}
	switch d.Rng.Intn(8) {
	case 0:
		return d.Alone()
	case 1:
		return d.near(y) ^ d.F.SignBit()*uint64(d.Rng.Intn(2))
	case 2: // within a factor of two
		return d.Number(e + around(1))
	case 3, 4:
		return d.Number(e + around(p+3))
	case 5: // half an ulp of y, or nearly
		b := uint64(max(0, min(e-p+d.Rng.Intn(2), d.top()))) << (p - 1)
		if d.Rng.Intn(2) == 0 {
			b = d.near(b)
		}
		return b ^ d.F.SignBit()*uint64(d.Rng.Intn(2))
	}
	// A factor, so that the product lies near an end of the range, near one, or anywhere.
	want := []int{0, 1 - p, 1, bias, d.top(), bias + around(bias)}[d.Rng.Intn(6)]
	return d.Number(want + bias - e + around(2))
}

// tie makes the product of the first two operands lie in the middle between two numbers, being
// (1+2^-k)(1+2^(k-P)) times a power of two, and the third, if there is one, far below it.
func (d *ScalarDrawer) tie(x []uint64) {
	w := d.F.P - 1
	k := 1 + d.Rng.Intn(w)
	for i, bit := range []int{w - k, k - 1} {
		b := x[i] &^ (uint64(1)<<w - 1)
		if !d.F.IsFinite(b) || d.Rng.Intn(2) == 0 {
			b = uint64(1-d.F.Emin+d.Rng.Intn(5)) << w
		}
		x[i] = b | uint64(1)<<bit
	}
	if len(x) > 2 {
		x[2] = d.Number(d.field(x[0]) + d.field(x[1]) - (1 - d.F.Emin) - d.F.P - d.Rng.Intn(3*d.F.P))
	}
}
