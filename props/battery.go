package props

import (
	"fmt"
	"math/bits"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"gamma/model"
	"gamma/model/round"
)

// ScalarLaw is a law about single operations. Its Judge closes over the operations under test and is a pure function of the operands,
// encodings of the battery's format.
type ScalarLaw = LawOf[[]uint64, model.Format]

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
}

// Check judges the operations: it replays the cases on file, then searches law by law. The first violation of each law fails the test
// with a report of the simplest operands that show it, and is saved.
func (b Battery) Check(t *testing.T) { t.Helper(); check(t, b.judged) }

// Replay judges the cases on file alone, without a search.
func (b Battery) Replay(t *testing.T) { t.Helper(); replay(t, b.judged) }

// Find looks for a violation of one law and needs no testing package: it returns the report of the first one, at the simplest
// operands and not saved, or nil.
func (b Battery) Find(l ScalarLaw) (*ScalarFailure, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	e, err := scalarsOf(b, set)
	if err != nil {
		return nil, err
	}
	f, err := e.found(&l)
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
	d     scalarDrawer
	seed  uint64
	n     int // operands to draw
}

func newScalarSource(b *Battery, l *ScalarLaw, set *settings) *scalarSource {
	table := b.Special
	if table == nil {
		table = SpecialValues(b.Format)
	}
	return &scalarSource{
		b: b, l: l, table: table, seed: set.seedFor(string(l.ID), b.Name), n: set.checks,
		d: scalarDrawer{f: b.Format, table: table, specials: l.Specials, exact: round.Arith{F: b.Format}},
	}
}

func (s *scalarSource) search(try func(x []uint64) bool, late func() bool) (stopped string) {
	for _, x := range s.b.Cases {
		if len(x) == s.l.Operands && try(x) {
			return ""
		}
	}
	if s.cross(try) {
		return ""
	}
	return gopterDraws(s.seed, s.n, func(rng *rand.Rand) []uint64 {
		s.d.rng = rng
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

// offering offers gopter one input after the other.
func offering[I any](list []I) gopter.Shrink {
	return func() (any, bool) {
		if len(list) == 0 {
			return nil, false
		}
		first := list[0]
		list = list[1:]
		return first, true
	}
}

// gopterShrinks lets gopter make an input that fails smaller, by the simpler ones that there are of each, the simplest first, and returns how many steps that took. An input
// that passes now is returned as it is.
func gopterShrinks[I any](in I, simpler func(in I) []I, fails func(in I) bool) (small I, steps int) {
	params := gopter.DefaultTestParametersWithSeed(1)
	params.MinSuccessfulTests = 1
	gen := gopter.Gen(func(*gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(in, func(v any) gopter.Shrink { return offering(simpler(v.(I))) })
	})
	end := time.Now().Add(reduceTime)
	result := prop.ForAll(func(in I) bool { return time.Now().After(end) || !fails(in) }, gen).Check(params)
	if result.Status != gopter.TestFailed {
		return in, 0
	}
	return result.Args[0].Arg.(I), result.Args[0].Shrinks
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

// scalarDrawer draws operands that meet alignment, cancellation, ties, underflow and overflow often.
type scalarDrawer struct {
	f        model.Format
	table    []uint64
	specials bool
	exact    round.Arith // only proposes operands that nearly cancel or divide
	rng      *rand.Rand
}

// operands draws n operands, each related to an earlier one in some way or in none.
func (d *scalarDrawer) operands(n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		switch {
		case d.specials && d.rng.Intn(2) == 0:
			x[i] = d.table[d.rng.Intn(min(len(d.table), 10))]
		case d.rng.Intn(8) == 0:
			x[i] = d.table[d.rng.Intn(len(d.table))]
		case i == 0:
			x[i] = d.alone()
		default:
			x[i] = d.related(x[:i])
		}
	}
	switch {
	case n == 1 && d.rng.Intn(3) == 0: // nearly a square
		x[0] = d.near(d.exact.Mul(x[0], x[0]))
	case n == 2 && d.rng.Intn(6) == 0: // nearly a multiple
		x[0] = d.near(d.exact.Mul(x[0], x[1]))
	case n > 1 && d.f.P > 2 && d.rng.Intn(12) == 0:
		d.tie(x)
	}
	return x
}

// fraction draws a fraction field of one of several kinds.
func (d *scalarDrawer) fraction() uint64 {
	w := d.f.P - 1
	full := uint64(1)<<w - 1
	bit := func() uint64 { return uint64(1) << d.rng.Intn(w) }
	switch d.rng.Intn(8) {
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
	return d.rng.Uint64() & full
}

// top is the exponent field of the largest finite number.
func (d *scalarDrawer) top() int { return int(d.f.MaxBits() >> (d.f.P - 1)) }

func (d *scalarDrawer) field(b uint64) int { return int(b &^ d.f.SignBit() >> (d.f.P - 1)) }

// number draws a finite number with this exponent field, or the nearest one that there is.
func (d *scalarDrawer) number(field int) uint64 {
	field = max(0, min(field, d.top()))
	b := min(uint64(field)<<(d.f.P-1)|d.fraction(), d.f.MaxBits())
	if d.rng.Intn(2) == 0 {
		b |= d.f.SignBit()
	}
	return b
}

// alone draws a finite number: in one case of four at either end of the range.
func (d *scalarDrawer) alone() uint64 {
	switch d.rng.Intn(8) {
	case 0:
		return d.number(d.rng.Intn(3))
	case 1:
		return d.number(d.top() - d.rng.Intn(3))
	case 2, 3:
		return d.number(1 - d.f.Emin + d.rng.Intn(5) - 2)
	}
	return d.number(d.rng.Intn(d.top() + 1))
}

// near moves a number by a few places in its last digits.
func (d *scalarDrawer) near(b uint64) uint64 {
	return b&d.f.SignBit() | (b+uint64(d.rng.Intn(7))-3)&(d.f.SignBit()-1)
}

// related draws a number that has something to do with the earlier ones.
func (d *scalarDrawer) related(x []uint64) uint64 {
	p, bias := d.f.P, 1-d.f.Emin
	y := x[d.rng.Intn(len(x))]
	e := d.field(y)
	around := func(n int) int { return d.rng.Intn(2*n+1) - n }
	if len(x) == 2 && d.rng.Intn(2) == 0 { // an addend for a product
		m := d.exact.Mul(x[0], x[1]) ^ d.f.SignBit()
		switch d.rng.Intn(4) {
		case 0:
			return d.near(m)
		case 1: // what is left of the product once its rounding is taken away lies far below it
			return m
		}
		return d.number(d.field(x[0]) + d.field(x[1]) - bias + around(2*p+2))
	}
	switch d.rng.Intn(8) {
	case 0:
		return d.alone()
	case 1:
		return d.near(y) ^ d.f.SignBit()*uint64(d.rng.Intn(2))
	case 2: // within a factor of two
		return d.number(e + around(1))
	case 3, 4:
		return d.number(e + around(p+3))
	case 5: // half an ulp of y, or nearly
		b := uint64(max(0, min(e-p+d.rng.Intn(2), d.top()))) << (p - 1)
		if d.rng.Intn(2) == 0 {
			b = d.near(b)
		}
		return b ^ d.f.SignBit()*uint64(d.rng.Intn(2))
	}
	// A factor, so that the product lies near an end of the range, near one, or anywhere.
	want := []int{0, 1 - p, 1, bias, d.top(), bias + around(bias)}[d.rng.Intn(6)]
	return d.number(want + bias - e + around(2))
}

// tie makes the product of the first two operands lie in the middle between two numbers, being
// (1+2^-k)(1+2^(k-P)) times a power of two, and the third, if there is one, far below it.
func (d *scalarDrawer) tie(x []uint64) {
	w := d.f.P - 1
	k := 1 + d.rng.Intn(w)
	for i, bit := range []int{w - k, k - 1} {
		b := x[i] &^ (uint64(1)<<w - 1)
		if !d.f.IsFinite(b) || d.rng.Intn(2) == 0 {
			b = uint64(1-d.f.Emin+d.rng.Intn(5)) << w
		}
		x[i] = b | uint64(1)<<bit
	}
	if len(x) > 2 {
		x[2] = d.number(d.field(x[0]) + d.field(x[1]) - (1 - d.f.Emin) - d.f.P - d.rng.Intn(3*d.f.P))
	}
}

// cost says how far operands are from simple ones; shrinking makes it less.
func cost(f model.Format, x []uint64) (c int) {
	for _, b := range x {
		m := b &^ f.SignBit()
		frac := m & (1<<(f.P-1) - 1)
		switch {
		case f.IsNaN(b):
			c += 4 * f.P
		case m != 0:
			c += 1 + 3*(f.P-1-min(f.P-1, bits.TrailingZeros64(frac|1<<(f.P-1)))) + bits.OnesCount64(frac)
			c += 2 * abs(int(m>>(f.P-1))-(1-f.Emin))
		}
		if b != m {
			c++
		}
	}
	return c
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}

// simplerOperands returns simpler operands, the simplest first: zeros and ones, fractions cut short,
// exponents nearer to that of one, alone and all together, signs removed.
func simplerOperands(f model.Format, x []uint64) (offers [][]uint64) {
	limit := cost(f, x)
	offer := func(change func(y []uint64)) {
		y := append([]uint64(nil), x...)
		change(y)
		if cost(f, y) < limit {
			offers = append(offers, y)
		}
	}
	bias := 1 - f.Emin
	top := int(f.MaxBits() >> (f.P - 1))
	frac := uint64(1)<<(f.P-1) - 1
	field := func(b uint64) int { return int(b &^ f.SignBit() >> (f.P - 1)) }
	moved := func(b uint64, by int) uint64 {
		if e := field(b); e > 0 && e <= top && f.IsFinite(b) {
			return b&(f.SignBit()|frac) | uint64(max(1, min(top, e+by)))<<(f.P-1)
		}
		return b
	}
	for i, b := range x {
		for _, s := range []uint64{0, uint64(bias) << (f.P - 1)} {
			offer(func(y []uint64) { y[i] = s })
			offer(func(y []uint64) { y[i] = s | b&f.SignBit() })
		}
		offer(func(y []uint64) { y[i] = b &^ f.SignBit() })
	}
	offer(func(y []uint64) {
		for i := range y {
			y[i] ^= f.SignBit()
		}
	})
	for _, b := range x { // all exponents together
		for _, by := range []int{bias - field(b), (bias - field(b)) / 2, 1, -1} {
			offer(func(y []uint64) {
				for i := range y {
					y[i] = moved(y[i], by)
				}
			})
		}
	}
	for i, b := range x {
		for _, by := range []int{bias - field(b), (bias - field(b)) / 2, 1, -1} {
			offer(func(y []uint64) { y[i] = moved(b, by) })
		}
		if !f.IsFinite(b) {
			continue
		}
		for k := f.P - 1; k > 0; k-- { // cut below bit k, then single bits
			offer(func(y []uint64) { y[i] = b &^ (uint64(1)<<k - 1) })
		}
		for k := range f.P - 1 {
			offer(func(y []uint64) { y[i] = b &^ (uint64(1) << k) })
		}
	}
	return offers
}

// openResidueBattery makes the operation that fields describe ready to be judged by Modular.Battery.
func openResidueBattery(fields func() (*modularSubject, error), set settings) (judged, error) {
	p, err := fields()
	if err != nil {
		return nil, err
	}
	return residueBattery(p, set), nil
}

func residueBattery(p *modularSubject, set settings) *modularEngine {
	return &modularEngine{kind: &residueBatteryRun{newModularRun(p, set)}}
}

// residueBatteryRun is the kind of operations on residues, with what gopter draws in the place of batches, and what it makes smaller.
type residueBatteryRun struct{ *modularRun }

func (r *residueBatteryRun) owns(f *caseFile) bool {
	return r.set.caseFile != "" && r.modularRun.owns(f)
}

func (r *residueBatteryRun) source(l *ModularLaw, _ bool) (source[*modularCase], error) {
	return &residueRowSource{newModularDrawer(r.p, l, &r.set), r, l}, nil
}

// findByBattery looks for a violation of one law as Modular.Battery does.
func findByBattery(l ModularLaw, fields func() (*modularSubject, error)) (*ModularFailure, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	p, err := fields()
	if err != nil {
		return nil, err
	}
	f, err := residueBattery(p, set).found(&l)
	own, _ := f.(*ModularFailure)
	return own, err
}

// residueTuple is a modulus, a row and what they run under.
type residueTuple struct {
	at  Setting
	q   uint64
	row []uint64
}

// batch returns the tuple as a batch of one row.
func (x residueTuple) batch() *modularCase {
	return &modularCase{batch: &modularBatch{at: x.at, q: x.q, in: x.row, rows: 1}}
}

// batteryModuli is how many moduli the tables of special values are crossed for.
const batteryModuli = 16

// residueRowSource is the tables of special values crossed, and rows that gopter draws one by one.
type residueRowSource struct {
	*modularDrawer
	r *residueBatteryRun
	l *ModularLaw
}

func (s *residueRowSource) search(try func(c *modularCase) bool, late func() bool) (stopped string) {
	fails := func(x residueTuple) bool { return try(x.batch()) }
	if s.r.crossResidues(s.l, fails) {
		return ""
	}
	checks := max(1, s.r.checks(s.r.set.checks)/4) // a check is one row
	return gopterDraws(s.seed, checks, func(rng *rand.Rand) residueTuple {
		x, seed := rng.Uint64(), rng.Uint64()
		b := s.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, 1).batch
		return residueTuple{b.at, b.q, slices.Clone(b.in)}
	}, fails, late)
}

// crossResidues tries every tuple of special values, at moduli from the smallest to the largest, until one fails.
func (r *modularRun) crossResidues(l *ModularLaw, fails func(x residueTuple) bool) bool {
	p := r.p
	list := p.moduli.edges
	if l.Refuses {
		list = p.moduli.refused
	}
	n := len(p.claim.In)
	var at Setting
	if d := p.device; d != nil && d.Launches != nil {
		if launches := d.Launches(1); len(launches) > 0 {
			at.Launch = launches[0]
		}
	}
	var g modularGenerator
	moduli, most := min(len(list), batteryModuli), maxCrossed/3
	if p.device != nil {
		moduli, most = min(moduli, 4), maxCrossed/20
	}
	for k := range moduli {
		q := list[k*(len(list)-1)/max(moduli-1, 1)]
		if l.Refuses {
			if x := (residueTuple{at, q, make([]uint64, n)}); fails(x) {
				return true
			}
			continue
		}
		g.begin(&p.claim, q)
		tuples := 1
		for _, s := range g.special {
			tuples *= len(s)
		}
		step := max(1, tuples*moduli/most)
		for i := 0; i < tuples; i += step {
			row, rest := make([]uint64, n), i
			for j, s := range g.special {
				row[j] = s[rest%len(s)]
				rest /= len(s)
			}
			g.mend(row)
			if x := (residueTuple{at, q, row}); fails(x) {
				return true
			}
		}
	}
	return false
}

// examine lets gopter make a row as small as it can, and saves it.
func (r *residueBatteryRun) examine(l *ModularLaw, in *modularCase, st *lawStats) failure {
	trial := newModularTrial(r.p)
	original := residueTuple{in.batch.at, in.batch.q, in.batch.in}
	x, steps := gopterShrinks(original, func(x residueTuple) []residueTuple { return r.simplerResidues(l, x) }, func(x residueTuple) bool {
		v := trial.judge(l, x.batch())
		return v.fails()
	})
	c := x.batch()
	v := trial.judge(l, c)
	f := r.describe(l, c, v)
	f.Original, f.OriginalModulus, f.Steps, f.Flaky, f.Cases, f.seen = original.row, original.q, steps, !v.fails(), st.Cases, st.seen
	f.Cause = r.cause(l, c, original.q)
	r.save(f, c)
	return f
}

// simplerResidues returns smaller moduli with rows made of the row at hand and of special words, then plainer words.
func (r *modularRun) simplerResidues(l *ModularLaw, x residueTuple) (offers []residueTuple) {
	p := r.p
	if !l.Refuses {
		m := &modularReducer{r: r, l: l}
		for _, q := range p.moduli.edges {
			if q >= x.q || len(offers) > 4000 {
				break
			}
			for _, row := range m.candidates(x.row, x.q, q) {
				offers = append(offers, residueTuple{x.at, q, row})
			}
		}
		var g modularGenerator
		g.begin(&p.claim, x.q)
		for i := range x.row {
			if p.claim.In[i].Shoup {
				continue
			}
			for _, v := range plainerWords(x.row[i], x.q, g.unit[i]) {
				if g.fit(i, v) == v && wordCost(v, x.q) < wordCost(x.row[i], x.q) {
					row := append([]uint64(nil), x.row...)
					row[i] = v
					g.mend(row)
					if row[i] == v {
						offers = append(offers, residueTuple{x.at, x.q, row})
					}
				}
			}
		}
	} else {
		for _, q := range p.moduli.refused {
			if q < x.q {
				offers = append(offers, residueTuple{x.at, q, x.row})
			}
		}
	}
	return offers
}
