package props

import (
	"fmt"
	"math/bits"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
)

// ScalarLaw is one theorem about single operations as an executable check: what Law is to kernels
// that take vectors. Judge closes over the operations under test and is a pure function of the
// operands; it checks its hypotheses itself, exactly, and says Vacuous and why where they are not
// met.
type ScalarLaw struct {
	ID model.LawID
	// Statement is the theorem as an inequality or equation, in one line.
	Statement string
	// Hypotheses is what must be true of claim and operands for Statement to be one.
	Hypotheses string
	// Source is a key of the list in package model, with theorem number.
	Source string
	// Kills names planted faults that this law finds on generated operands.
	Kills []string
	// Operands is how many operands Judge takes.
	Operands int
	// Specials makes zeros, infinities and NaNs half of the operands drawn, for laws about them.
	Specials bool
	// Judge judges one tuple of operands, encodings of the battery's format.
	Judge func(x []uint64) Verdict
}

// judge calls Judge, and makes a panic a verdict.
func (l *ScalarLaw) judge(x []uint64) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(KernelPanicked, "it panicked: %v", p))
		}
		v.Law = l.ID
	}()
	return l.Judge(x)
}

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

// Check judges the operations law by law. The first violation of each law fails the test with a
// report of the simplest operands that show it.
func (b Battery) Check(t *testing.T) {
	t.Helper()
	set, err := readSettings()
	if err == nil {
		err = b.complete()
	}
	if err != nil {
		t.Error(err)
		return
	}
	for i := range b.Laws {
		l := &b.Laws[i]
		if !strings.HasPrefix(string(l.ID), set.law) {
			continue
		}
		t.Run(string(l.ID), func(t *testing.T) {
			s := b.search(l, &set)
			switch {
			case s.failure != nil:
				s.failure.Test = t.Name()
				t.Error(s.failure.Text())
			case s.err != "":
				t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, b.Name, s.err)
			case s.tooVacuous():
				t.Errorf("props: %s on %s judged %d of %d cases; in the others a hypothesis was not met, most often: %s",
					l.ID, b.Name, s.judged, s.cases, s.commonReason())
			}
			t.Log(s.line())
		})
	}
}

// Find looks for a violation of one law and needs no testing package: it returns the report of the
// first one, at the simplest operands, or nil.
func (b Battery) Find(l ScalarLaw) (*ScalarFailure, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	if err := b.complete(); err != nil {
		return nil, err
	}
	s := b.search(&l, &set)
	if s.err != "" {
		return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s", l.ID, b.Name, s.err)
	}
	return s.failure, nil
}

// complete says what the battery lacks.
func (b *Battery) complete() error {
	switch {
	case b.Format.IsZero():
		return fmt.Errorf("props: battery %q has no Format; set it to that of the operands", b.Name)
	case b.Name == "":
		return fmt.Errorf("props: a battery over %s has no Name; give it one", b.Format)
	}
	for _, l := range b.Laws {
		if l.Judge == nil || l.Operands < 1 {
			return fmt.Errorf("props: law %q of battery %q needs Judge and at least one operand", l.ID, b.Name)
		}
	}
	return nil
}

// scalarSearch is the search for one violation of one law.
type scalarSearch struct {
	b       *Battery
	l       *ScalarLaw
	set     *settings
	start   time.Time
	cases   int
	judged  int
	ratio   float64
	reasons map[string]int
	late    bool // time ran out
	failure *ScalarFailure
	err     string // what stopped the engine
}

// maxCrossed is the number of tuples of special values up to which all are tried.
const maxCrossed = 3000

// search looks for a violation in the cases given, the table crossed, and operands drawn.
func (b *Battery) search(l *ScalarLaw, set *settings) *scalarSearch {
	s := &scalarSearch{b: b, l: l, set: set, start: time.Now(), reasons: map[string]int{}}
	for _, x := range b.Cases {
		if len(x) == l.Operands && s.fails(x) {
			s.run(constant(x), 1)
			return s
		}
	}
	table := b.Special
	if table == nil {
		table = SpecialValues(b.Format)
	}
	if x := s.cross(table); x != nil {
		s.run(constant(x), 1)
		return s
	}
	d := &scalarDrawer{f: b.Format, table: table, specials: l.Specials, exact: round.Arith{F: b.Format}}
	s.run(func(p *gopter.GenParameters) any {
		d.rng = p.Rng
		return d.operands(l.Operands)
	}, set.checks)
	return s
}

// cross judges every tuple of the table's values, the first ones alone if there are too many, and
// returns the first that fails.
func (s *scalarSearch) cross(table []uint64) []uint64 {
	k, n := s.l.Operands, len(table)
	for n > 1 && power(n, k) > maxCrossed {
		n--
	}
	x := make([]uint64, k)
	for i := range power(n, k) {
		for j := range x {
			x[j] = table[i%n]
			i /= n
		}
		if s.fails(x) {
			return x
		}
	}
	return nil
}

func power(n, k int) int {
	p := 1
	for range k {
		p *= n
	}
	return p
}

// fails judges x, counts it, and reports whether the verdict fails a test.
func (s *scalarSearch) fails(x []uint64) bool {
	v := s.l.judge(x)
	s.cases++
	if v.Outcome == Vacuous {
		s.reasons[v.Reason]++
	} else {
		s.judged++
		if v.Outcome == Holds {
			s.ratio = max(s.ratio, v.Ratio)
		}
	}
	return v.fails()
}

// constant draws x each time.
func constant(x []uint64) func(*gopter.GenParameters) any {
	return func(*gopter.GenParameters) any { return x }
}

// run lets gopter draw and shrink operands.
func (s *scalarSearch) run(draw func(*gopter.GenParameters) any, checks int) {
	seed := s.set.seedFor(string(s.l.ID), s.b.Name)
	params := gopter.DefaultTestParametersWithSeed(int64(seed >> 1))
	params.MinSuccessfulTests = checks
	cases := s.cases
	counting := true
	gen := gopter.Gen(func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(draw(p), func(v any) gopter.Shrink { return shrinkOperands(s.b.Format, v.([]uint64)) })
	})
	result := prop.ForAll(func(x []uint64) bool {
		if !counting {
			v := s.l.judge(x)
			return !v.fails()
		}
		if time.Since(s.start) > s.set.budget && s.cases > cases {
			s.late = true
			return true
		}
		counting = !s.fails(x) // what follows a failure is gopter's shrinking
		return counting
	}, gen).Check(params)
	switch {
	case result.Status == gopter.TestFailed:
		arg := result.Args[0]
		x := arg.Arg.([]uint64)
		s.failure = &ScalarFailure{
			Law: *s.l, Subject: s.b.Name, Format: s.b.Format, Operands: x, Original: arg.OrigArg.([]uint64),
			Verdict: s.l.judge(x), Cases: s.cases, Shrinks: arg.Shrinks, Seed: s.set.seedText,
		}
	case !result.Passed():
		s.err = fmt.Sprintf("%s: %v", result.Status, result.Error)
	}
}

// tooVacuous is the rule of lawStats.
func (s *scalarSearch) tooVacuous() bool { return s.cases >= 100 && s.judged*20 < s.cases && !s.late }

func (s *scalarSearch) commonReason() string { return (&lawStats{Reasons: s.reasons}).commonReason() }

// line returns what was done, in one line.
func (s *scalarSearch) line() string {
	text := fmt.Sprintf("%s on %s: %d cases, %d judged, %.3g s, seed %s", s.l.ID, s.b.Name, s.cases, s.judged, time.Since(s.start).Seconds(), s.set.seedText)
	if s.ratio > 0 {
		text += fmt.Sprintf("; largest error/bound %.6g", s.ratio)
	}
	if s.late {
		text += "; out of time"
	}
	return text
}

// ScalarFailure is a violation of a scalar law.
type ScalarFailure struct {
	Law                ScalarLaw
	Subject            string
	Format             model.Format
	Operands, Original []uint64 // the simplest found, and those that were drawn
	Verdict            Verdict
	Cases              int // judged, the failing one included
	Shrinks            int
	Seed               string
	Test               string
}

// Text returns the report in plain text: the law, the operands, what came out, and a command that
// finds it again.
func (f *ScalarFailure) Text() string {
	var r report
	verb := "violates"
	if f.Verdict.Outcome == Broken {
		verb = "breaks under"
	}
	r.wrap("", fmt.Sprintf("%s %s %s: %s", f.Subject, verb, f.Law.ID, f.Verdict.Reason))
	r.blank()
	r.wrap("law", f.Law.Statement)
	r.wrap("where", f.Law.Hypotheses)
	r.wrap("source", f.Law.Source)
	r.blank()
	var rows []number
	for i, b := range f.Operands {
		rows = append(rows, f.operand(fmt.Sprintf("x%d", i), b))
	}
	if w := f.Verdict.Witness; w != nil && !w.Out.IsZero() {
		rows = append(rows, encoded("computed", w.Out, w.Got))
	}
	r.table(rows)
	if w := f.Verdict.Witness; w != nil {
		if w.WantText != "" {
			r.wrap("expected", w.WantText)
		}
	}
	for i, call := range kernelCalls(f.Verdict.Stack) {
		label := ""
		if i == 0 {
			label = "panicked at"
		}
		r.wrap(label, call)
	}
	r.blank()
	found := fmt.Sprintf("case %d, -gamma.seed=%s", f.Cases, f.Seed)
	if f.Shrinks > 0 {
		var from []string
		for _, b := range f.Original {
			from = append(from, corpus.FormatValue(f.Format, b))
		}
		found += fmt.Sprintf("; simplified in %d steps from %s", f.Shrinks, strings.Join(from, ", "))
	}
	r.wrap("found", found)
	again := Violation{Seed: f.Seed, Test: f.Test}
	r.line("reproduce", again.reproduce(f.Law.ID))
	r.line("keep it as", "Cases: [][]uint64{{"+strings.Join(hexWords(f.Operands), ", ")+"}}")
	return strings.TrimSuffix(r.String(), "\n")
}

// operand is encoded with the bits beside it, which are what a table of cases holds.
func (f *ScalarFailure) operand(label string, b uint64) number {
	n := encoded(label, f.Format, b)
	n.note = fmt.Sprintf("%#0*x", (f.Format.Bits()+3)/4, b)
	return n
}

func hexWords(x []uint64) []string {
	var words []string
	for _, b := range x {
		words = append(words, fmt.Sprintf("%#x", b))
	}
	return words
}

// kernelCalls returns the calls of a stack that a reader of the report wants: those below the judge.
func kernelCalls(stack string) []string {
	var calls []string
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		name, place := lines[i], strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(name, "panic(") || strings.HasPrefix(name, "runtime") || strings.Contains(name, "(*ScalarLaw).judge") {
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		calls = append(calls, place)
		if len(calls) == 3 {
			break
		}
	}
	return calls
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

// shrinkOperands offers simpler operands, the simplest first: zeros and ones, fractions cut short,
// exponents nearer to that of one, alone and all together, signs removed.
func shrinkOperands(f model.Format, x []uint64) gopter.Shrink {
	var offers [][]uint64
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
	return func() (any, bool) {
		if len(offers) == 0 {
			return nil, false
		}
		y := offers[0]
		offers = offers[1:]
		return y, true
	}
}

// Battery judges an operation on residues as a Battery does with scalar operations: by each law first all tuples of special values of
// its operands, at moduli where something changes, the simplest first, then rows that gopter draws and makes smaller.
func (m Modular) Battery(t *testing.T) {
	t.Helper()
	j, end := begin(t, m.judged)
	if j == nil {
		return
	}
	defer end()
	e := j.(*modularEngine)
	r := e.kind.(*modularRun)
	if r.set.caseFile != "" {
		t.Skip("a case alone is replayed, and batteries have none")
	}
	laws := e.asked()
	if len(laws) == 0 {
		e.noLaw(t)
	}
	for i := range laws {
		l := &laws[i]
		t.Run(string(l.ID), func(t *testing.T) {
			st := r.stats(l.ID)
			switch f, err := r.battery(l, st); {
			case f != nil:
				st.Violations++
				publishFailure(f)
				t.Error("\n" + f.Text())
			case err != nil:
				t.Error(err)
			default:
				e.vacuity(t, l, st, nil)
			}
			t.Log(st.line())
		})
	}
}

// FindByBattery looks for a violation of one law as Modular.Battery does, and needs no testing package: it returns the report of the
// first one, not saved, or nil.
func FindByBattery(l ModularLaw, m Modular) (*ModularFailure, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	p, err := m.modular()
	if err != nil {
		return nil, err
	}
	if why := p.applies(&l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, p.name, why)
	}
	set.save = "off"
	return newModularRun(p, set).battery(&l, &lawStats{})
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

// battery judges one row after the other by one law.
func (r *modularRun) battery(l *ModularLaw, st *lawStats) (*ModularFailure, error) {
	p := r.p
	trial, d := newModularTrial(p), newModularDrawer(p, l, &r.set)
	start := time.Now()
	judge := func(x residueTuple) Verdict {
		return trial.judge(l, x.batch())
	}
	counted := func(x residueTuple) bool {
		v := judge(x)
		trial.count(st, &v, x.batch())
		return v.fails()
	}
	if x, ok := r.crossResidues(l, counted); ok {
		return r.batteryFailure(l, x, x, 0, st), nil
	}
	params := gopter.DefaultTestParametersWithSeed(int64(d.seed >> 1))
	params.MinSuccessfulTests = max(1, r.set.checks/4) // a check is one row
	if dev := p.device; dev != nil {
		params.MinSuccessfulTests = max(1, dev.checks(r.set.checks)/4)
	}
	counting := true
	gen := gopter.Gen(func(g *gopter.GenParameters) *gopter.GenResult {
		x, seed := g.Rng.Uint64(), g.Rng.Uint64()
		b := d.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, 1).batch
		return gopter.NewGenResult(residueTuple{b.at, b.q, append([]uint64(nil), b.in...)}, func(v any) gopter.Shrink {
			return r.shrinkResidues(l, v.(residueTuple))
		})
	})
	result := prop.ForAll(func(x residueTuple) bool {
		if !counting { // gopter shrinks
			v := judge(x)
			return !v.fails()
		}
		if time.Since(start) > r.set.budget && st.Cases > 0 {
			st.OutOfTime = true
			return true
		}
		counting = !counted(x)
		return counting
	}, gen).Check(params)
	st.Seconds = time.Since(start).Seconds()
	switch {
	case result.Status == gopter.TestFailed:
		arg := result.Args[0]
		return r.batteryFailure(l, arg.Arg.(residueTuple), arg.OrigArg.(residueTuple), arg.Shrinks, st), nil
	case !result.Passed():
		return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s: %w", l.ID, p.name, result.Status, result.Error)
	}
	return nil, nil
}

// crossResidues judges every tuple of special values at moduli from the smallest to the largest, and returns the first that fails.
func (r *modularRun) crossResidues(l *ModularLaw, fails func(x residueTuple) bool) (residueTuple, bool) {
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
				return x, true
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
				return x, true
			}
		}
	}
	return residueTuple{}, false
}

// batteryFailure reports what gopter has made as small as it could, and saves it.
func (r *modularRun) batteryFailure(l *ModularLaw, x, original residueTuple, shrinks int, st *lawStats) *ModularFailure {
	c := x.batch()
	v := newModularTrial(r.p).judge(l, c)
	f := r.describe(l, c, v)
	f.Cases = st.Cases
	f.Original, f.OriginalModulus, f.Steps, f.Flaky = original.row, original.q, shrinks, !v.fails()
	f.Cause = r.cause(l, c, original.q)
	r.save(f, c)
	return f
}

// shrinkResidues offers smaller moduli with rows made of the row at hand and of special words, then plainer words.
func (r *modularRun) shrinkResidues(l *ModularLaw, x residueTuple) gopter.Shrink {
	var offers []residueTuple
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
	return func() (any, bool) {
		if len(offers) == 0 {
			return nil, false
		}
		y := offers[0]
		offers = offers[1:]
		return y, true
	}
}
