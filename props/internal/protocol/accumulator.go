package protocol

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/battery"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
)

// Accumulator holds an exact sum of numbers of type F, and merges with others of type A, its own.
//
// These methods are judged too where an accumulator has them: Sub(F), AddAbs(F), AddSlice([]F),
// AddAbsSlice([]F), AddProduct of two float32 or two float64, Float32, Float64, IsNaN, IsFinite, IsZero,
// Sign, Interval, Cmp(A) and Dyadic, each with the meaning that oracle.Acc64 gives it.
type Accumulator[F float32 | float64, A any] interface {
	Reset()
	Add(x F)
	Merge(b A) // adds the terms of b, which keeps its value
	Neg()      // changes the sign of every term
	// Round returns the encoding in f of the sum, rounded once in direction r. NaNs are one.
	Round(f model.Format, r model.Rounding) uint64
}

// AccumulatorSubject checks an accumulator against a model: an exact integer with flags for what it
// cannot hold. Gopter draws sequences of commands on two accumulators, in any order, and after each
// command compares every observable of both, or, in every other sequence, only those that a command
// asks for, so that looking cannot change what it looks at.
//
//	acc := props.AccumulatorSubject[float32, *oracle.Acc32]{Name: "oracle.Acc32", New: func() *oracle.Acc32 { return new(oracle.Acc32) }}
//	func TestPropAcc32(t *testing.T) { acc.Check(t) }
type AccumulatorSubject[F float32 | float64, A Accumulator[F, A]] struct {
	Name string
	New  func() A // an empty sum
	// Formats and Roundings are those that Round can do; nil: all.
	Formats   []model.Format
	Roundings []model.Rounding
	// NoSelfMerge says that a.Merge(a) is not allowed; otherwise it doubles the sum.
	NoSelfMerge bool
	// Finite says that no term is NaN or infinite.
	Finite bool
	// MaxCommands is the length of the longest sequence; 0: 60.
	MaxCommands int
}

// Check draws sequences and fails the test with the shortest one found that shows a difference.
func (s AccumulatorSubject[F, A]) Check(t *testing.T) { t.Helper(); check.Check(t, s.Judged) }

// Find is Check without a testing package: it returns the report of a difference, or nil.
func (s AccumulatorSubject[F, A]) Find() (*SequenceFailure, error) { return findSequence(s.Judged) }

func (s AccumulatorSubject[F, A]) Judged(set engine.Settings) (engine.Judged, error) {
	if s.Name == "" || s.New == nil {
		return nil, fmt.Errorf("props: accumulator %q needs a Name and New, which returns an empty one", s.Name)
	}
	m := &accMachine{
		term: model.Binary32, formats: s.Formats, roundings: s.Roundings, selfMerge: !s.NoSelfMerge, finite: s.Finite,
		has: bind[F](s.New(), s.New()),
	}
	if m.formats == nil {
		m.formats = model.Formats()
	}
	if m.roundings == nil {
		m.roundings = []model.Rounding{model.NearestEven, model.NearestAway, model.TowardPositive, model.TowardNegative, model.TowardZero}
	}
	if _, wide := any(F(0)).(float64); wide {
		m.term = model.Binary64
	}
	m.ops = m.operations()
	return newSequences(set.For(s), &sequenceKind[accState, accPair]{
		kind: "accumulators", what: "an accumulator", name: s.Name, law: model.AccModel,
		statement: "after any commands in any order an accumulator is the exact sum of its terms: rounded once into every format and direction, special values included; and a merge leaves the other one as it was",
		checks:    max(set.Checks/10, 1), longest: s.MaxCommands,
		first: func(rng *rand.Rand) []uint64 { return []uint64{uint64(rng.Int63() & 1)} },
		start: func(first []uint64) accState {
			return accState{[2]exactSum{newExactSum(), newExactSum()}, first[0] == 0}
		},
		open:   func() accPair { return bind[F](s.New(), s.New()) },
		draw:   m.drawCommand,
		decode: m.decode,
		offers: func(c ProtocolCommand[accState, accPair]) []ProtocolCommand[accState, accPair] {
			return c.(accCommand).simpler()
		},
		encode: func(c ProtocolCommand[accState, accPair]) []uint64 { return c.(accCommand).encode() },
	}), nil
}

// The law is known to -gamma.law, and no LawOf elsewhere.
var _ = engine.BuiltIn([]engine.LawOf[accState, accPair]{{ID: model.AccModel}})

// accPair is two accumulators of any type: each function takes the number of one of them, and is nil
// where they lack the method.
type accPair struct {
	reset, neg              func(i int)
	add, sub, addAbs        func(i int, x float64)
	addSlice, addAbsSlice   func(i int, x []float64) (changed int) // the place of an element that it changed, -1 if none
	product                 func(i int, x, y float64)
	narrowProduct           bool // of float32s
	merge                   func(i, j int)
	round                   func(i int, f model.Format, r model.Rounding) uint64
	float32                 func(i int) float32
	float64                 func(i int) float64
	isNaN, isFinite, isZero func(i int) bool
	sign                    func(i int) int
	interval                func(i int) (lo, hi float64)
	cmp                     func(i, j int) (int, bool)
	dyadic                  func(i int) oracle.Dyadic
}

// bind makes a pair of two accumulators.
func bind[F float32 | float64, A Accumulator[F, A]](a, b A) accPair {
	acc := [2]A{a, b}
	changed := func(x []float64, add func(y []F)) int {
		y := make([]F, len(x))
		for i, v := range x {
			y[i] = F(v)
		}
		before := slices.Clone(y)
		add(y)
		for i, v := range before {
			if math.Float64bits(float64(v)) != math.Float64bits(float64(y[i])) {
				return i
			}
		}
		return -1
	}
	p := accPair{
		reset: func(i int) { acc[i].Reset() },
		neg:   func(i int) { acc[i].Neg() },
		add:   func(i int, x float64) { acc[i].Add(F(x)) },
		merge: func(i, j int) { acc[i].Merge(acc[j]) },
		round: func(i int, f model.Format, r model.Rounding) uint64 { return acc[i].Round(f, r) },
	}
	one := any(a)
	if _, ok := one.(interface{ Sub(x F) }); ok {
		p.sub = func(i int, x float64) { any(acc[i]).(interface{ Sub(x F) }).Sub(F(x)) }
	}
	if _, ok := one.(interface{ AddAbs(x F) }); ok {
		p.addAbs = func(i int, x float64) { any(acc[i]).(interface{ AddAbs(x F) }).AddAbs(F(x)) }
	}
	if _, ok := one.(interface{ AddSlice(x []F) }); ok {
		p.addSlice = func(i int, x []float64) int {
			return changed(x, any(acc[i]).(interface{ AddSlice(x []F) }).AddSlice)
		}
	}
	if _, ok := one.(interface{ AddAbsSlice(x []F) }); ok {
		p.addAbsSlice = func(i int, x []float64) int {
			return changed(x, any(acc[i]).(interface{ AddAbsSlice(x []F) }).AddAbsSlice)
		}
	}
	if _, ok := one.(interface{ AddProduct(x, y float32) }); ok {
		p.narrowProduct = true
		p.product = func(i int, x, y float64) {
			any(acc[i]).(interface{ AddProduct(x, y float32) }).AddProduct(float32(x), float32(y))
		}
	}
	if _, ok := one.(interface{ AddProduct(x, y float64) }); ok {
		p.product = func(i int, x, y float64) { any(acc[i]).(interface{ AddProduct(x, y float64) }).AddProduct(x, y) }
	}
	p.float32 = shown(acc, func(a interface{ Float32() float32 }) float32 { return a.Float32() })
	p.float64 = shown(acc, func(a interface{ Float64() float64 }) float64 { return a.Float64() })
	p.isNaN = shown(acc, func(a interface{ IsNaN() bool }) bool { return a.IsNaN() })
	p.isFinite = shown(acc, func(a interface{ IsFinite() bool }) bool { return a.IsFinite() })
	p.isZero = shown(acc, func(a interface{ IsZero() bool }) bool { return a.IsZero() })
	p.sign = shown(acc, func(a interface{ Sign() int }) int { return a.Sign() })
	if _, ok := one.(interface{ Interval() (lo, hi float64) }); ok {
		p.interval = func(i int) (float64, float64) {
			return any(acc[i]).(interface{ Interval() (lo, hi float64) }).Interval()
		}
	}
	if _, ok := one.(interface{ Cmp(b A) (int, bool) }); ok {
		p.cmp = func(i, j int) (int, bool) { return any(acc[i]).(interface{ Cmp(b A) (int, bool) }).Cmp(acc[j]) }
	}
	p.dyadic = shown(acc, func(a interface{ Dyadic() oracle.Dyadic }) oracle.Dyadic { return a.Dyadic() })
	return p
}

// shown returns what asks either accumulator by a method of theirs, nil if they lack it.
func shown[A, M, R any](acc [2]A, ask func(M) R) func(i int) R {
	if _, ok := any(acc[0]).(M); !ok {
		return nil
	}
	return func(i int) R { return ask(any(acc[i]).(M)) }
}

// accUnit is the exponent of the model's unit: no product of two binary64 numbers has a bit below.
const accUnit = -2148

// exactSum is the model of one accumulator. A state that gopter has seen does not change: what changes
// one works on a copy.
type exactSum struct {
	sum                        *big.Int // of the finite terms, in units of 2^accUnit
	nan, posInf, negInf        bool     // among the terms
	posZero, negZero, nonzeros bool     // among the terms
}

func newExactSum() exactSum { return exactSum{sum: new(big.Int)} }

// finite reports whether the sum is a number.
func (m *exactSum) finite() bool { return !m.nan && !m.posInf && !m.negInf }

// isNaN reports whether the sum is a NaN.
func (m *exactSum) isNaN() bool { return m.nan || m.posInf && m.negInf }

// copied returns m with a sum of its own.
func (m exactSum) copied() exactSum {
	m.sum = new(big.Int).Set(m.sum)
	return m
}

// add adds the product of the factors, so many times.
func (m *exactSum) add(times int, factors ...float64) {
	neg, zero, inf := false, false, false
	p := big.NewInt(int64(times))
	e := 0
	for _, x := range factors {
		neg = neg != math.Signbit(x)
		switch {
		case math.IsNaN(x):
			m.nan = true
			return
		case math.IsInf(x, 0):
			inf = true
		case x == 0:
			zero = true
		default:
			_, k, ke := model.Binary64.Decode(math.Float64bits(x))
			p.Mul(p, new(big.Int).SetUint64(k))
			e += ke
		}
	}
	switch {
	case inf && zero:
		m.nan = true
	case inf && neg:
		m.negInf = true
	case inf:
		m.posInf = true
	case zero && neg:
		m.negZero = true
	case zero:
		m.posZero = true
	default:
		m.nonzeros = true
		p.Lsh(p, uint(e-accUnit))
		if neg {
			p.Neg(p)
		}
		m.sum.Add(m.sum, p)
	}
}

// merged returns m with the terms of b.
func (m exactSum) merged(b exactSum) exactSum {
	return exactSum{
		new(big.Int).Add(m.sum, b.sum), m.nan || b.nan, m.posInf || b.posInf, m.negInf || b.negInf,
		m.posZero || b.posZero, m.negZero || b.negZero, m.nonzeros || b.nonzeros,
	}
}

// negated returns m with the sign of every term changed.
func (m exactSum) negated() exactSum {
	return exactSum{new(big.Int).Neg(m.sum), m.nan, m.negInf, m.posInf, m.negZero, m.posZero, m.nonzeros}
}

// round returns the encoding in f of the sum, rounded once.
func (m *exactSum) round(f model.Format, r model.Rounding) uint64 {
	switch {
	case m.isNaN():
		return f.NaNBits()
	case m.posInf || m.negInf:
		return report.Infinity(f, m.negInf)
	case m.sum.Sign() == 0: // terms of one sign keep it, others cancel
		alike := !m.nonzeros && !(m.posZero && m.negZero)
		return report.Signed(f, 0, alike && m.negZero || !alike && r == model.TowardNegative)
	}
	return round.Arith{F: f, R: r}.FromDyadic(false, m.sum, accUnit)
}

// sign returns the sign of the sum, 0 for a NaN.
func (m *exactSum) sign() int {
	switch {
	case m.isNaN():
		return 0
	case m.posInf:
		return 1
	case m.negInf:
		return -1
	}
	return m.sum.Sign()
}

// accState is the model of both accumulators, and whether everything is compared after each command.
type accState struct {
	acc [2]exactSum
	all bool
}

func (s accState) String() string { return fmt.Sprintf("watched=%t", s.all) }

// accMachine draws and runs the commands of one subject.
type accMachine struct {
	term      model.Format
	formats   []model.Format
	roundings []model.Rounding
	selfMerge bool
	finite    bool    // terms are
	has       accPair // tells which methods there are
	ops       []accOp // to draw from
}

// accCommand is one command; x are its numbers.
type accCommand struct {
	m     *accMachine
	op    accOp
	on    int // which accumulator
	with  int // the other operand of a merge
	times int // of an addition repeated
	x     []float64
	f     model.Format
	r     model.Rounding
}

type accOp uint8

const (
	accAdd accOp = iota
	accSub
	accAddAbs
	accAddSlice
	accAddAbsSlice
	accProduct
	accMerge
	accNeg
	accReset
	accRound
	accLook // at everything
)

var accNames = [...]string{"Add", "Sub", "AddAbs", "AddSlice", "AddAbsSlice", "AddProduct", "Merge", "Neg", "Reset", "Round", "look at"}

// String writes the command as Go does.
func (c accCommand) String() string {
	name := string(rune('a' + c.on))
	var args []string
	for i := 0; i < len(c.x); {
		b, k := math.Float64bits(c.x[i]), 1
		for i+k < len(c.x) && math.Float64bits(c.x[i+k]) == b {
			k++
		}
		i += k
		args = append(args, corpus.FormatValue(model.Binary64, b))
		if k > 1 {
			args[len(args)-1] += fmt.Sprintf(" (%d times)", k)
		}
	}
	switch c.op {
	case accLook:
		return "look at " + name
	case accMerge:
		args = []string{string(rune('a' + c.with))}
	case accRound:
		args = []string{c.f.Name, c.r.String()}
	}
	s := fmt.Sprintf("%s.%s(%s)", name, accNames[c.op], strings.Join(args, ", "))
	if c.times > 1 {
		s += fmt.Sprintf(", %d times", c.times)
	}
	return s
}

// Possible is always true: commands are legal in any order.
func (c accCommand) Possible(accState) bool { return true }

// Next carries the command out on the model.
func (c accCommand) Next(s accState) accState {
	m := &s.acc[c.on]
	if len(c.x) > 0 {
		*m = m.copied()
	}
	switch c.op {
	case accAdd, accAddSlice:
		for _, x := range c.x {
			m.add(max(c.times, 1), x)
		}
	case accSub:
		m.add(1, -c.x[0])
	case accAddAbs, accAddAbsSlice:
		for _, x := range c.x {
			m.add(1, math.Abs(x))
		}
	case accProduct:
		m.add(1, c.x...)
	case accMerge:
		*m = m.merged(s.acc[c.with])
	case accNeg:
		*m = m.negated()
	case accReset:
		*m = newExactSum()
	}
	return s
}

// Run carries the command out on the accumulators.
func (c accCommand) Run(p accPair) (text string, differs func(s accState) string) {
	changed := -1
	switch c.op {
	case accAdd:
		for range max(c.times, 1) {
			p.add(c.on, c.x[0])
		}
	case accSub:
		p.sub(c.on, c.x[0])
	case accAddAbs:
		p.addAbs(c.on, c.x[0])
	case accAddSlice:
		changed = p.addSlice(c.on, c.x)
	case accAddAbsSlice:
		changed = p.addAbsSlice(c.on, c.x)
	case accProduct:
		p.product(c.on, c.x[0], c.x[1])
	case accMerge:
		p.merge(c.on, c.with)
	case accNeg:
		p.neg(c.on)
	case accReset:
		p.reset(c.on)
	}
	return c.String(), func(s accState) string {
		if changed >= 0 {
			return fmt.Sprintf("%c.%s changed word %d of its input", 'a'+c.on, accNames[c.op], changed)
		}
		return c.compare(&p, &s)
	}
}

// compare looks at the accumulators after c, and says what differs from the model.
func (c accCommand) compare(p *accPair, s *accState) string {
	switch {
	case s.all:
		for i := range s.acc {
			if text := c.m.look(p, s, i); text != "" {
				return text
			}
		}
	case c.op == accLook:
		return c.m.look(p, s, c.on)
	case c.op == accRound:
		return c.m.lookRound(p, &s.acc[c.on], c.on, c.f, c.r)
	}
	return ""
}

// encode writes the command as numbers, and decode reads them.
func (c accCommand) encode() []uint64 {
	list := []uint64{uint64(c.op), uint64(c.on), uint64(c.with), uint64(c.times), 0, 0}
	if c.op == accRound {
		list[4] = uint64(slices.IndexFunc(c.m.formats, func(f model.Format) bool { return f == c.f }))
		list[5] = uint64(c.r)
	}
	for _, x := range c.x {
		list = append(list, math.Float64bits(x))
	}
	return list
}

func (m *accMachine) decode(list []uint64) ProtocolCommand[accState, accPair] {
	c := accCommand{m: m, op: accOp(list[0]), on: int(list[1]), with: int(list[2]), times: int(list[3])}
	if c.op == accRound {
		c.f, c.r = m.formats[list[4]], model.Rounding(list[5])
	}
	for _, b := range list[6:] {
		c.x = append(c.x, math.Float64frombits(b))
	}
	return c
}

func (m *accMachine) lookRound(p *accPair, want *exactSum, i int, f model.Format, r model.Rounding) string {
	g, w := p.round(i, f, r), want.round(f, r)
	if report.SameBits(f, g, w) {
		return ""
	}
	return fmt.Sprintf("%c.Round(%s, %s) is %s; it should be %s", 'a'+i, f, r, corpus.FormatValue(f, g), corpus.FormatValue(f, w))
}

// look compares everything that accumulator i shows with the model, and says what differs first.
func (m *accMachine) look(p *accPair, s *accState, i int) string {
	want := &s.acc[i]
	for _, f := range m.formats {
		for _, r := range m.roundings {
			if text := m.lookRound(p, want, i, f, r); text != "" {
				return text
			}
		}
	}
	differ := func(what string, got, want any) string {
		return fmt.Sprintf("%c.%s is %v; it should be %v", 'a'+i, what, got, want)
	}
	if p.float32 != nil {
		if g, w := uint64(math.Float32bits(p.float32(i))), want.round(model.Binary32, model.NearestEven); !report.SameBits(model.Binary32, g, w) {
			return differ("Float32()", corpus.FormatValue(model.Binary32, g), corpus.FormatValue(model.Binary32, w))
		}
	}
	if p.float64 != nil {
		if g, w := math.Float64bits(p.float64(i)), want.round(model.Binary64, model.NearestEven); !report.SameBits(model.Binary64, g, w) {
			return differ("Float64()", corpus.FormatValue(model.Binary64, g), corpus.FormatValue(model.Binary64, w))
		}
	}
	for _, q := range []struct {
		what string
		got  func(i int) bool
		want bool
	}{
		{"IsNaN()", p.isNaN, want.isNaN()},
		{"IsFinite()", p.isFinite, want.finite()},
		{"IsZero()", p.isZero, want.finite() && want.sum.Sign() == 0},
	} {
		if q.got != nil && q.got(i) != q.want {
			return differ(q.what, !q.want, q.want)
		}
	}
	if p.sign != nil {
		if g := p.sign(i); g != want.sign() {
			return differ("Sign()", g, want.sign())
		}
	}
	if p.interval != nil {
		lo, hi := p.interval(i)
		wlo := math.Float64frombits(want.round(model.Binary64, model.TowardNegative))
		whi := math.Float64frombits(want.round(model.Binary64, model.TowardPositive))
		if nan := math.IsNaN(wlo); nan != (math.IsNaN(lo) && math.IsNaN(hi)) || !nan && (lo != wlo || hi != whi) {
			return differ("Interval()", fmt.Sprint(lo, " ", hi), fmt.Sprint(wlo, " ", whi))
		}
	}
	if p.cmp != nil {
		other := &s.acc[1-i]
		c, ok := p.cmp(i, 1-i)
		wok := !want.isNaN() && !other.isNaN()
		w := 0
		switch {
		case !wok:
		case want.finite() && other.finite():
			w = want.sum.Cmp(other.sum)
		case want.finite():
			w = -other.sign()
		case other.finite():
			w = want.sign()
		default:
			w = (want.sign() - other.sign()) / 2
		}
		if ok != wok || ok && c != w {
			return differ("Cmp(other)", fmt.Sprint(c, " ", ok), fmt.Sprint(w, " ", wok))
		}
	}
	if p.dyadic != nil && want.finite() {
		g, w := p.dyadic(i), oracle.NewDyadic(new(big.Int).Set(want.sum), accUnit)
		if g.Cmp(w) != 0 {
			return differ("Dyadic()", g, w)
		}
	}
	return ""
}

// operations returns what there is to draw, the most frequent ones more than once.
func (m *accMachine) operations() []accOp {
	ops := []accOp{accAdd, accAdd, accAdd, accMerge, accMerge, accNeg, accReset, accRound, accRound, accLook}
	for op, present := range map[accOp]bool{
		accSub: m.has.sub != nil, accAddAbs: m.has.addAbs != nil, accAddSlice: m.has.addSlice != nil,
		accAddAbsSlice: m.has.addAbsSlice != nil, accProduct: m.has.product != nil,
	} {
		if present {
			ops = append(ops, op)
		}
	}
	slices.Sort(ops) // the order of a map is no seed's
	return ops
}

// drawCommand draws a command for the state; without a generator, a cheap one.
func (m *accMachine) drawCommand(s accState, _ []uint64, rng *rand.Rand) (ProtocolCommand[accState, accPair], []uint64) {
	c := accCommand{m: m, op: accNeg}
	if rng != nil {
		c = m.draw(rng, &s)
	}
	return c, c.encode()
}

// draw draws a command for the state.
func (m *accMachine) draw(rng *rand.Rand, s *accState) accCommand {
	c := accCommand{m: m, op: m.ops[rng.Intn(len(m.ops))], on: rng.Intn(2)}
	sum := &s.acc[c.on]
	d := &battery.ScalarDrawer{F: m.term, Exact: round.Arith{F: m.term}, Rng: rng}
	number := func() float64 {
		var b uint64
		switch k := rng.Intn(24); {
		case k == 0: // anything special, one time in twenty-four: it stays in the sum
			table := battery.SpecialValues(m.term)
			b = table[rng.Intn(len(table))]
		case k < 4: // takes the leading bits of the sum away
			b = sum.round(m.term, m.roundings[rng.Intn(len(m.roundings))]) ^ m.term.SignBit()
		case k < 7: // carries and borrows across limbs
			b = d.Number(1 - m.term.Emin + 32*(rng.Intn(8)-4) + rng.Intn(3) - 1)
		case k == 7:
			b = m.term.SignBit() * uint64(rng.Intn(2))
		default:
			b = d.Alone()
		}
		if !m.term.IsFinite(b) && rng.Intn(4) > 0 {
			b = d.Alone()
		}
		for m.finite && !m.term.IsFinite(b) {
			b = d.Alone()
		}
		if m.term.P == 53 {
			return math.Float64frombits(b)
		}
		return float64(math.Float32frombits(uint32(b)))
	}
	vector := func() {
		n := rng.Intn(12)
		if rng.Intn(8) == 0 {
			n = 200 + rng.Intn(1200) // past what fits between two carries
		}
		c.x = make([]float64, n)
		same := rng.Intn(3) == 0
		for i := range c.x {
			if c.x[i] = number(); same && i > 0 {
				c.x[i] = c.x[0]
			}
		}
	}
	switch c.op {
	case accAdd:
		c.x, c.times = []float64{number()}, 1
		if rng.Intn(8) == 0 {
			c.times = 2 + rng.Intn(1200)
		}
	case accSub, accAddAbs:
		c.x = []float64{number()}
	case accAddSlice, accAddAbsSlice:
		vector()
	case accProduct:
		c.x = []float64{number(), number()}
		if m.has.narrowProduct {
			for i, x := range c.x {
				c.x[i] = float64(float32(x))
			}
		}
	case accMerge:
		c.with = 1 - c.on
		if m.selfMerge && rng.Intn(6) == 0 {
			c.with = c.on
		}
	case accReset:
		if rng.Intn(3) > 0 && sum.finite() {
			c.op = accNeg // sums should grow
		}
	case accRound:
		c.f, c.r = m.formats[rng.Intn(len(m.formats))], m.roundings[rng.Intn(len(m.roundings))]
	}
	return c
}

// simpler returns simpler commands of the same kind: fewer times, shorter slices, and simpler
// numbers, all of the format that the terms have.
func (c accCommand) simpler() (offers []ProtocolCommand[accState, accPair]) {
	if c.times > 1 {
		for _, k := range []int{1, c.times / 2, c.times - 1} {
			if k < c.times {
				o := c
				o.times = k
				offers = append(offers, o)
			}
		}
	}
	if c.op == accAddSlice || c.op == accAddAbsSlice {
		for chunk := (len(c.x) + 1) / 2; chunk > 0 && len(c.x) > 0; chunk /= 2 {
			for at := 0; at+chunk <= len(c.x) && len(offers) < 64; at += chunk {
				o := c
				o.x = slices.Concat(c.x[:at], c.x[at+chunk:])
				offers = append(offers, o)
			}
		}
	}
	f := c.m.term
	narrow := f
	if c.op == accProduct && c.m.has.narrowProduct {
		narrow = model.Binary32
	}
	for i, x := range c.x {
		if len(c.x) > 16 {
			break
		}
		b := math.Float64bits(x)
		if narrow.P == 24 {
			b = uint64(math.Float32bits(float32(x)))
		}
		for _, y := range reduce.Simpler(narrow, b) {
			o := c
			o.x = slices.Clone(c.x)
			if o.x[i] = math.Float64frombits(y); narrow.P == 24 {
				o.x[i] = float64(math.Float32frombits(uint32(y)))
			}
			offers = append(offers, o)
		}
	}
	return offers
}
