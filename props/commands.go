package props

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
)

// AccModel is the law of exact accumulators: whatever the commands and their order, every observable
// is that of the exact sum.
const AccModel model.LawID = "acc.model"

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
// asks for, so that looking cannot mend what it looks at.
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
	// MaxCommands is the length of the longest sequence; 0: 60.
	MaxCommands int
}

// Check draws sequences and fails the test with the shortest one found that shows a difference.
func (s AccumulatorSubject[F, A]) Check(t *testing.T) {
	t.Helper()
	m, err := s.machine()
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.HasPrefix(string(AccModel), m.set.law) {
		return
	}
	switch f, err := m.find(s.MaxCommands); {
	case err != nil:
		t.Error(err)
	case f != nil:
		f.Test = t.Name()
		t.Error(f.Text())
	default:
		t.Logf("%s on %s: %d sequences, %d commands, seed %s", AccModel, s.Name, m.sequences, m.steps, m.set.seedText)
	}
}

// Find is Check without a testing package: it returns the report of a difference, or nil.
func (s AccumulatorSubject[F, A]) Find() (*AccumulatorFailure, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	return m.find(s.MaxCommands)
}

// machine makes what draws and runs sequences.
func (s AccumulatorSubject[F, A]) machine() (*accMachine, error) {
	set, err := readSettings()
	switch {
	case err != nil:
		return nil, err
	case s.Name == "" || s.New == nil:
		return nil, fmt.Errorf("props: accumulator %q needs a Name and New, which returns an empty one", s.Name)
	}
	m := &accMachine{
		name: s.Name, set: &set, term: model.Binary32, formats: s.Formats, roundings: s.Roundings, selfMerge: !s.NoSelfMerge,
		open: func() accPair { return bind[F](s.New(), s.New()) },
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
	return m, nil
}

// accPair is two accumulators of any type: each function takes the number of one of them, and is nil
// where they lack the method.
type accPair struct {
	reset, neg              func(i int)
	add, sub, addAbs        func(i int, x float64)
	addSlice, addAbsSlice   func(i int, x []float64)
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
	narrow := func(x []float64) []F {
		y := make([]F, len(x))
		for i, v := range x {
			y[i] = F(v)
		}
		return y
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
		p.addSlice = func(i int, x []float64) { any(acc[i]).(interface{ AddSlice(x []F) }).AddSlice(narrow(x)) }
	}
	if _, ok := one.(interface{ AddAbsSlice(x []F) }); ok {
		p.addAbsSlice = func(i int, x []float64) { any(acc[i]).(interface{ AddAbsSlice(x []F) }).AddAbsSlice(narrow(x)) }
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
	if _, ok := one.(interface{ Float32() float32 }); ok {
		p.float32 = func(i int) float32 { return any(acc[i]).(interface{ Float32() float32 }).Float32() }
	}
	if _, ok := one.(interface{ Float64() float64 }); ok {
		p.float64 = func(i int) float64 { return any(acc[i]).(interface{ Float64() float64 }).Float64() }
	}
	if _, ok := one.(interface{ IsNaN() bool }); ok {
		p.isNaN = func(i int) bool { return any(acc[i]).(interface{ IsNaN() bool }).IsNaN() }
	}
	if _, ok := one.(interface{ IsFinite() bool }); ok {
		p.isFinite = func(i int) bool { return any(acc[i]).(interface{ IsFinite() bool }).IsFinite() }
	}
	if _, ok := one.(interface{ IsZero() bool }); ok {
		p.isZero = func(i int) bool { return any(acc[i]).(interface{ IsZero() bool }).IsZero() }
	}
	if _, ok := one.(interface{ Sign() int }); ok {
		p.sign = func(i int) int { return any(acc[i]).(interface{ Sign() int }).Sign() }
	}
	if _, ok := one.(interface{ Interval() (lo, hi float64) }); ok {
		p.interval = func(i int) (float64, float64) {
			return any(acc[i]).(interface{ Interval() (lo, hi float64) }).Interval()
		}
	}
	if _, ok := one.(interface{ Cmp(b A) (int, bool) }); ok {
		p.cmp = func(i, j int) (int, bool) { return any(acc[i]).(interface{ Cmp(b A) (int, bool) }).Cmp(acc[j]) }
	}
	if _, ok := one.(interface{ Dyadic() oracle.Dyadic }); ok {
		p.dyadic = func(i int) oracle.Dyadic { return any(acc[i]).(interface{ Dyadic() oracle.Dyadic }).Dyadic() }
	}
	return p
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
		return infinity(f, m.negInf)
	case m.sum.Sign() == 0: // terms of one sign keep it, others cancel
		alike := !m.nonzeros && !(m.posZero && m.negZero)
		return signed(f, 0, alike && m.negZero || !alike && r == model.TowardNegative)
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

// accMachine draws and runs sequences for one subject.
type accMachine struct {
	name      string
	set       *settings
	term      model.Format
	formats   []model.Format
	roundings []model.Rounding
	selfMerge bool
	open      func() accPair
	last      *AccumulatorFailure // the last one seen, which gopter's shrinking leaves the simplest
	sequences int
	steps     int // commands run
	lastStep  int // up to which shrinking goes on
}

// shrinkSteps is how many commands are run to simplify a sequence that fails.
const shrinkSteps = 60_000

// accSystem is the system under test of one sequence.
type accSystem struct {
	m       *accMachine
	pair    accPair
	history []accCommand
	failed  bool
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

// accResult is what a command showed.
type accResult struct {
	sys *accSystem
	// differs compares what was seen with the model after the command, and returns "" if it agrees.
	differs func(s accState) string
}

// PreCondition is always true: commands are legal in any order.
func (c accCommand) PreCondition(commands.State) bool { return true }

// NextState carries the command out on the model.
func (c accCommand) NextState(state commands.State) commands.State {
	s := state.(accState)
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
func (c accCommand) Run(system commands.SystemUnderTest) (result commands.Result) {
	sys := system.(*accSystem)
	sys.history = append(sys.history, c)
	c.m.steps++
	r := accResult{sys: sys}
	defer func() {
		if p := recover(); p != nil {
			r.differs = func(accState) string { return fmt.Sprintf("%s panics: %v", c, p) }
			result = r
		}
	}()
	p := &sys.pair
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
		p.addSlice(c.on, c.x)
	case accAddAbsSlice:
		p.addAbsSlice(c.on, c.x)
	case accProduct:
		p.product(c.on, c.x[0], c.x[1])
	case accMerge:
		p.merge(c.on, c.with)
	case accNeg:
		p.neg(c.on)
	case accReset:
		p.reset(c.on)
	}
	r.differs = c.compare(p)
	return r
}

// PostCondition compares what was seen with the model.
func (c accCommand) PostCondition(state commands.State, result commands.Result) *gopter.PropResult {
	r := result.(accResult)
	text := ""
	if c.m.last != nil && c.m.steps > c.m.lastStep {
		return gopter.NewPropResult(true, "") // enough of shrinking
	}
	if !r.sys.failed && r.differs != nil {
		text = r.differs(state.(accState))
	}
	if text != "" {
		r.sys.failed = true
		if c.m.last == nil {
			c.m.lastStep = c.m.steps + shrinkSteps
		}
		var list []string
		for _, h := range r.sys.history {
			list = append(list, h.String())
		}
		c.m.last = &AccumulatorFailure{Subject: c.m.name, Commands: list, Reason: text, Seed: c.m.set.seedText}
	}
	return gopter.NewPropResult(text == "", text)
}

// compare looks at the accumulators after c. What is looked at depends on the state, which Run does
// not see; so it returns a function that looks, to be called before the next command.
func (c accCommand) compare(p *accPair) func(s accState) string {
	return func(s accState) (text string) {
		defer func() {
			if v := recover(); v != nil {
				text = fmt.Sprintf("it panics when looked at: %v", v)
			}
		}()
		switch {
		case s.all:
			for i := range s.acc {
				if text := c.m.look(p, &s, i); text != "" {
					return text
				}
			}
		case c.op == accLook:
			return c.m.look(p, &s, c.on)
		case c.op == accRound:
			return c.m.lookRound(p, &s.acc[c.on], c.on, c.f, c.r)
		}
		return ""
	}
}

func (m *accMachine) lookRound(p *accPair, want *exactSum, i int, f model.Format, r model.Rounding) string {
	g, w := p.round(i, f, r), want.round(f, r)
	if sameBits(f, g, w) {
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
		if g, w := uint64(math.Float32bits(p.float32(i))), want.round(model.Binary32, model.NearestEven); !sameBits(model.Binary32, g, w) {
			return differ("Float32()", corpus.FormatValue(model.Binary32, g), corpus.FormatValue(model.Binary32, w))
		}
	}
	if p.float64 != nil {
		if g, w := math.Float64bits(p.float64(i)), want.round(model.Binary64, model.NearestEven); !sameBits(model.Binary64, g, w) {
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

// find lets gopter draw sequences and shrink the first that fails.
func (m *accMachine) find(longest int) (*AccumulatorFailure, error) {
	if longest == 0 {
		longest = 60
	}
	has := m.open()
	ops := []accOp{accAdd, accAdd, accAdd, accMerge, accMerge, accNeg, accReset, accRound, accRound, accLook}
	for op, present := range map[accOp]bool{
		accSub: has.sub != nil, accAddAbs: has.addAbs != nil, accAddSlice: has.addSlice != nil,
		accAddAbsSlice: has.addAbsSlice != nil, accProduct: has.product != nil,
	} {
		if present {
			ops = append(ops, op)
		}
	}
	slices.Sort(ops) // the order of a map is no seed's
	params := gopter.DefaultTestParametersWithSeed(int64(m.set.seedFor(string(AccModel), m.name) >> 1))
	params.MinSuccessfulTests = max(m.set.checks/10, 1)
	params.MinSize, params.MaxSize = 1, longest+1
	start := time.Now()
	late := false
	shrinking := func() bool { return m.last != nil }
	result := commands.Prop(&commands.ProtoCommands{
		NewSystemUnderTestFunc: func(commands.State) commands.SystemUnderTest {
			m.sequences++
			return &accSystem{m: m, pair: m.open()}
		},
		InitialStateGen: func(p *gopter.GenParameters) *gopter.GenResult {
			return gopter.NewGenResult(accState{[2]exactSum{newExactSum(), newExactSum()}, p.NextBool()}, gopter.NoShrinker)
		},
		InitialPreConditionFunc: func(commands.State) bool { return true },
		GenCommandFunc: func(state commands.State) gopter.Gen {
			s := state.(accState)
			return func(p *gopter.GenParameters) *gopter.GenResult {
				if !shrinking() && time.Since(start) > m.set.budget {
					late = true // the rest are cheap commands
					return gopter.NewGenResult(accCommand{m: m, op: accNeg}, gopter.NoShrinker)
				}
				return gopter.NewGenResult(m.draw(p, &s, ops, has.narrowProduct), shrinkCommand)
			}
		},
	}).Check(params)
	switch {
	case m.last != nil:
		m.last.Sequences = m.sequences
		return m.last, nil
	case result.Passed() || late:
		return nil, nil
	}
	return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s %v", AccModel, m.name, result.Status, result.Error)
}

// draw draws a command for the state.
func (m *accMachine) draw(p *gopter.GenParameters, s *accState, ops []accOp, narrowProduct bool) accCommand {
	rng := p.Rng
	c := accCommand{m: m, op: ops[rng.Intn(len(ops))], on: rng.Intn(2)}
	sum := &s.acc[c.on]
	d := &scalarDrawer{f: m.term, exact: round.Arith{F: m.term}, rng: rng}
	number := func() float64 {
		var b uint64
		switch k := rng.Intn(24); {
		case k == 0: // anything special, one time in twenty-four: it stays in the sum
			table := SpecialValues(m.term)
			b = table[rng.Intn(len(table))]
		case k < 4: // takes the leading bits of the sum away
			b = sum.round(m.term, m.roundings[rng.Intn(len(m.roundings))]) ^ m.term.SignBit()
		case k < 7: // carries and borrows across limbs
			b = d.number(1 - m.term.Emin + 32*(rng.Intn(8)-4) + rng.Intn(3) - 1)
		case k == 7:
			b = m.term.SignBit() * uint64(rng.Intn(2))
		default:
			b = d.alone()
		}
		if !m.term.IsFinite(b) && rng.Intn(4) > 0 {
			b = d.alone()
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
		if narrowProduct {
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

// shrinkCommand offers simpler commands of the same kind: fewer times, shorter slices, and simpler
// numbers, all of the format that the terms have.
func shrinkCommand(v any) gopter.Shrink {
	c := v.(accCommand)
	var offers []accCommand
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
	if c.op == accProduct && c.m.open().narrowProduct {
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
		next := shrinkOperands(narrow, []uint64{b})
		for y, ok := next(); ok; y, ok = next() {
			o := c
			o.x = slices.Clone(c.x)
			if bits := y.([]uint64)[0]; narrow.P == 24 {
				o.x[i] = float64(math.Float32frombits(uint32(bits)))
			} else {
				o.x[i] = math.Float64frombits(bits)
			}
			offers = append(offers, o)
		}
	}
	return func() (any, bool) {
		if len(offers) == 0 {
			return nil, false
		}
		o := offers[0]
		offers = offers[1:]
		return o, true
	}
}

// AccumulatorFailure is a sequence of commands after which an accumulator shows something else than
// the exact sum.
type AccumulatorFailure struct {
	Subject   string
	Commands  []string // as Go writes them, on accumulators a and b
	Reason    string   // what differs after the last one
	Sequences int      // run, those of the simplification included
	Seed      string
	Test      string
}

// Text returns the report in plain text.
func (f *AccumulatorFailure) Text() string {
	var r report
	r.wrap("", fmt.Sprintf("%s violates %s: after %s %s.", f.Subject, AccModel, count(len(f.Commands), "command"), f.Reason))
	r.blank()
	r.wrap("law", "after any commands in any order an accumulator is the exact sum of its terms: rounded once into every format and direction, special values included; and a merge leaves the other one as it was")
	r.blank()
	for i, c := range f.Commands {
		label := ""
		if i == 0 {
			label = "commands"
		}
		r.wrap(label, shorten(c, 3*(reportWidth-labelWidth)))
	}
	r.blank()
	r.wrap("found", fmt.Sprintf("-gamma.seed=%s; %d sequences run in all", f.Seed, f.Sequences))
	r.line("reproduce", (&Violation{Seed: f.Seed, Test: f.Test}).reproduce(AccModel))
	return strings.TrimSuffix(r.String(), "\n")
}

// ProtocolCommand is one command of a protocol. S is the state of the model, a value: one that was given out does not
// change. T is the system.
type ProtocolCommand[S, T any] interface {
	// String writes the command, for reports of one that does not come back.
	String() string
	// Possible says whether the command can stand where the model is in state s; others are left out of a sequence.
	Possible(s S) bool
	// Next returns the model's state after the command.
	Next(s S) S
	// Run carries the command out on the system. It returns the command as a report shows it, and what compares what it showed
	// with the model's state after it: "" if they agree.
	Run(system T) (text string, differs func(after S) string)
}

// Protocol checks a system against a model by sequences of commands, which gopter draws and shortens. A panic of the system is
// a difference like any other.
type Protocol[S, T any] struct {
	Name string // of the system
	Law  model.LawID
	// Statement is what holds after every sequence, in one line.
	Statement string
	Start     func() S           // the model's first state
	New       func() T           // a fresh system
	Close     func(T)            // frees a system; nil: nothing to do
	Draw      ProtocolDraw[S, T] // a command for a state
	// Sequences and MaxCommands are how many sequences are run, and how long the longest is; 0: a tenth of -gamma.checks, 60.
	Sequences, MaxCommands int
}

// ProtocolDraw draws a command for a state; below returns a number from 0 to n-1.
type ProtocolDraw[S, T any] func(s S, below func(n int) int) ProtocolCommand[S, T]

// Check draws sequences and fails the test with the shortest one found that shows a difference.
func (p Protocol[S, T]) Check(t *testing.T) {
	t.Helper()
	f, n, err := p.find()
	switch {
	case err != nil:
		t.Error(err)
	case f != nil:
		f.Test = t.Name()
		t.Error(f.Text())
	default:
		t.Logf("%s on %s: %s", p.Law, p.Name, plural(n, "sequence"))
	}
}

// Find is Check without a testing package: it returns the report of a difference, or nil.
func (p Protocol[S, T]) Find() (*ProtocolFailure, error) {
	f, _, err := p.find()
	return f, err
}

// protocolRun is one search.
type protocolRun[S, T any] struct {
	p                 *Protocol[S, T]
	seed              string
	last              *ProtocolFailure
	sequences, steps  int
	shrinkingEndsWith int // steps
}

// protocolSystem is the system of one sequence.
type protocolSystem[S, T any] struct {
	run     *protocolRun[S, T]
	system  T
	history []string
	failed  bool
}

// protocolStep joins a command to gopter.
type protocolStep[S, T any] struct {
	run *protocolRun[S, T]
	c   ProtocolCommand[S, T]
}

type protocolResult[S, T any] struct {
	sys     *protocolSystem[S, T]
	differs func(S) string
}

func (c protocolStep[S, T]) String() string { return c.c.String() }

func (c protocolStep[S, T]) PreCondition(state commands.State) bool { return c.c.Possible(state.(S)) }

func (c protocolStep[S, T]) NextState(state commands.State) commands.State {
	return c.c.Next(state.(S))
}

func (c protocolStep[S, T]) Run(system commands.SystemUnderTest) (result commands.Result) {
	sys := system.(*protocolSystem[S, T])
	sys.history = append(sys.history, c.c.String())
	c.run.steps++
	r := protocolResult[S, T]{sys: sys}
	defer func() {
		if p := recover(); p != nil {
			r.differs = func(S) string { return fmt.Sprintf("the system panics: %v", p) }
			result = r
		}
	}()
	sys.history[len(sys.history)-1], r.differs = c.c.Run(sys.system)
	return r
}

func (c protocolStep[S, T]) PostCondition(state commands.State, result commands.Result) *gopter.PropResult {
	r := result.(protocolResult[S, T])
	if c.run.last != nil && c.run.steps > c.run.shrinkingEndsWith {
		return gopter.NewPropResult(true, "") // enough of shrinking
	}
	text := ""
	if !r.sys.failed && r.differs != nil {
		text = r.differs(state.(S))
	}
	if text != "" {
		r.sys.failed = true
		if c.run.last == nil {
			c.run.shrinkingEndsWith = c.run.steps + shrinkSteps
		}
		// The last one seen is the shortest: gopter shortens a sequence only while it fails.
		c.run.last = &ProtocolFailure{
			Subject: c.run.p.Name, Law: c.run.p.Law, Statement: c.run.p.Statement, Commands: slices.Clone(r.sys.history), Reason: text, Seed: c.run.seed,
		}
	}
	return gopter.NewPropResult(text == "", text)
}

// find lets gopter draw sequences and shorten the first that fails.
func (p *Protocol[S, T]) find() (f *ProtocolFailure, sequences int, err error) {
	set, err := readSettings()
	if err != nil {
		return nil, 0, err
	}
	if p.Name == "" || p.Start == nil || p.New == nil || p.Draw == nil {
		return nil, 0, fmt.Errorf("props: protocol %q needs a Name, Start, New and Draw", p.Name)
	}
	run := &protocolRun[S, T]{p: p, seed: set.seedText}
	params := gopter.DefaultTestParametersWithSeed(int64(set.seedFor(string(p.Law), p.Name) >> 1))
	if params.MinSuccessfulTests = p.Sequences; p.Sequences == 0 {
		params.MinSuccessfulTests = max(set.checks/10, 1)
	}
	longest := p.MaxCommands
	if longest == 0 {
		longest = 60
	}
	params.MinSize, params.MaxSize = 1, longest+1
	start := time.Now()
	late := false
	result := commands.Prop(&commands.ProtoCommands{
		NewSystemUnderTestFunc: func(commands.State) commands.SystemUnderTest {
			run.sequences++
			return &protocolSystem[S, T]{run: run, system: p.New()}
		},
		DestroySystemUnderTestFunc: func(system commands.SystemUnderTest) {
			if p.Close != nil {
				p.Close(system.(*protocolSystem[S, T]).system)
			}
		},
		InitialStateGen: func(*gopter.GenParameters) *gopter.GenResult {
			return gopter.NewGenResult(p.Start(), gopter.NoShrinker)
		},
		InitialPreConditionFunc: func(commands.State) bool { return true },
		GenCommandFunc: func(state commands.State) gopter.Gen {
			return func(g *gopter.GenParameters) *gopter.GenResult {
				below := g.Rng.Intn
				if run.last == nil && time.Since(start) > set.budget {
					late, below = true, func(int) int { return 0 }
				}
				return gopter.NewGenResult(protocolStep[S, T]{run, p.Draw(state.(S), below)}, gopter.NoShrinker)
			}
		},
	}).Check(params)
	switch {
	case run.last != nil:
		run.last.Sequences = run.sequences
		return run.last, run.sequences, nil
	case result.Passed() || late:
		return nil, run.sequences, nil
	}
	return nil, run.sequences, fmt.Errorf("props: %s on %s: the engine stopped: %s %v", p.Law, p.Name, result.Status, result.Error)
}

// ProtocolFailure is a sequence of commands after which a system shows something else than its model.
type ProtocolFailure struct {
	Subject   string
	Law       model.LawID
	Statement string
	Commands  []string
	Reason    string // what differs after the last one
	Sequences int    // run, those of the simplification included
	Seed      string
	Test      string
}

// Text returns the report in plain text.
func (f *ProtocolFailure) Text() string {
	var r report
	r.wrap("", fmt.Sprintf("%s violates %s: after %s %s.", f.Subject, f.Law, count(len(f.Commands), "command"), strings.TrimRight(f.Reason, ".")))
	r.blank()
	r.wrap("law", f.Statement)
	r.blank()
	for i, c := range f.Commands {
		label := ""
		if i == 0 {
			label = "commands"
		}
		r.wrap(label, shorten(c, 3*(reportWidth-labelWidth)))
	}
	r.blank()
	r.wrap("found", fmt.Sprintf("-gamma.seed=%s; %d sequences run in all", f.Seed, f.Sequences))
	r.line("reproduce", (&Violation{Seed: f.Seed, Test: f.Test}).reproduce(f.Law))
	return strings.TrimSuffix(r.String(), "\n")
}
