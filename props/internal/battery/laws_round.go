package battery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Arithmetic is scalar arithmetic under test: the operations of one format as functions over
// encodings, and what they claim. Operations that are nil are left out.
//
//	hw := props.Arithmetic{Name: "float32", Format: model.Binary32, Add: func(a, b uint64) uint64 {…}}
//	func TestPropFloat32(t *testing.T) { hw.Check(t) }
type Arithmetic struct {
	Name     string
	Format   model.Format
	Rounding model.Rounding
	Flush    model.Flush // what is flushed, always, to a zero of the same sign

	Add, Sub, Mul, Div func(a, b uint64) uint64
	Fma                func(a, b, c uint64) uint64
	Sqrt               func(a uint64) uint64
	Conversions        []Conversion
	// Compare returns -1, 0 or 1 as a < b, a = b or a > b, and ordered = false for a NaN.
	Compare func(a, b uint64) (order int, ordered bool)
	// Minimum and Maximum return a NaN for a NaN; MinNum and MaxNum ignore a quiet one.
	Minimum, Maximum, MinNum, MaxNum func(a, b uint64) uint64

	// Payloads claims that a NaN result is the first signaling operand, else the first quiet one,
	// made quiet, and Format.NaNBits for an invalid operation. Without it any quiet NaN will do.
	Payloads bool
	// Finite restricts the claim to finite operands and results: nothing is claimed about NaNs, infinities, overflow, divisors that are
	// 0 and roots of negative numbers.
	Finite bool
	// Toward returns the same arithmetic in another rounding direction; nil if it has one alone.
	Toward func(r model.Rounding) Arithmetic
}

// Conversion is a conversion into another format, in the arithmetic's rounding and flushing.
type Conversion struct {
	To  model.Format
	Run func(a uint64) uint64
}

// Check judges the arithmetic by every law of single operations that applies to it, as Battery.Check does.
func (a Arithmetic) Check(t *testing.T) { t.Helper(); check.Check(t, a.Judged) }

// Replay judges the cases on file alone, without a search.
func (a Arithmetic) Replay(t *testing.T) { t.Helper(); check.Replay(t, a.Judged) }

// Battery returns the laws of single operations that apply to the arithmetic, as a battery.
func (a Arithmetic) Battery() Battery {
	b := Battery{Name: a.Name, Format: a.Format, narrow: a.narrow}
	for _, c := range a.Conversions {
		if c.To.P+2 <= a.Format.P {
			b.narrower = append(b.narrower, c.To)
		}
	}
	for i := range roundLaws {
		l := &roundLaws[i]
		if !l.says(&a) {
			continue
		}
		s := l.ScalarLaw
		s.Judge = func(x []uint64) verdict.Verdict {
			if a.Finite && !a.staysFinite(x) {
				return verdict.Unclaimed("an operand or a result is not finite, and the claim is about finite ones alone")
			}
			return l.judge(&a, x)
		}
		b.Laws = append(b.Laws, s)
	}
	b.weaker = func(id model.LawID, x []uint64) string {
		own := a
		own.Finite = true
		if i := slices.IndexFunc(roundLaws, func(l roundLaw) bool { return l.ID == id }); !a.Finite && (!roundLaws[i].says(&own) || !a.staysFinite(x)) {
			return "Arithmetic.Finite"
		}
		return ""
	}
	return b
}

// says reports whether a law says something about an arithmetic.
func (l *roundLaw) says(a *Arithmetic) bool {
	return (l.applies == nil || l.applies(a)) && (l.over == nil || a.hasAny(l.over))
}

// staysFinite reports whether operands are finite and so is, whatever the operation that the arithmetic has, its result for any of them.
func (a *Arithmetic) staysFinite(x []uint64) bool {
	v, ok := finiteValues(a.Format, a.flushed(x))
	if !ok {
		return false
	}
	most := oracle.FromBits(a.Format, a.Format.MaxBits())
	small := func(d oracle.Dyadic) bool { return d.Abs().Cmp(most) <= 0 }
	for i := range v {
		v[i] = v[i].Abs()
	}
	for i, p := range v {
		for j, q := range v {
			switch {
			case i == j && len(v) > 1:
			case (a.Add != nil || a.Sub != nil || a.Fma != nil) && !small(p.Add(q)),
				(a.Mul != nil || a.Fma != nil) && !small(p.Mul(q)),
				a.Div != nil && (q.IsZero() && j > 0 || !q.IsZero() && p.Cmp(q.Mul(most)) > 0):
				return false
			}
			for k, r := range v {
				if a.Fma != nil && len(v) > 2 && k != i && k != j && !small(p.Mul(q).Add(r)) {
					return false
				}
			}
		}
	}
	return true
}

// hasAny reports whether the arithmetic has one of the operations.
func (a *Arithmetic) hasAny(list []*operation) bool {
	return slices.ContainsFunc(list, func(op *operation) bool { return op.of(a) != nil })
}

// Their IDs are known to -gamma.law; the laws of a battery are otherwise its own.
var _ = engine.BuiltIn(RoundLaws())

// RoundLaws returns the laws of single operations, without the operations: Judge is nil.
func RoundLaws() []ScalarLaw {
	var list []ScalarLaw
	for _, l := range roundLaws {
		list = append(list, l.ScalarLaw)
	}
	return list
}

// roundLaw is a law of single operations, still to be bound to an arithmetic.
type roundLaw struct {
	ScalarLaw
	over    []*operation             // the law is about these: an arithmetic has one of them at least; nil: about none
	applies func(a *Arithmetic) bool // nil: always
	judge   func(a *Arithmetic, x []uint64) verdict.Verdict
}

// quotient is an exact result: num/den, or its root. den > 0.
type quotient struct {
	num, den oracle.Dyadic
	root     bool
}

var oneDyadic = oracle.FromInt(1)

func whole(x oracle.Dyadic) quotient { return quotient{num: x, den: oneDyadic} }

// sign returns the sign of q.
func (q quotient) sign() int { return q.num.Sign() }

// neg returns -q. Domain: no root but that of 0.
func (q quotient) neg() quotient { return quotient{q.num.Neg(), q.den, q.root} }

// cmp returns the sign of q-x.
func (q quotient) cmp(x oracle.Dyadic) int {
	if !q.root {
		return q.num.Cmp(x.Mul(q.den))
	}
	if x.Sign() < 0 {
		return 1
	}
	return q.num.Cmp(x.Mul(x).Mul(q.den))
}

// String returns q exactly where it is a dyadic number, and otherwise what it is a root or quotient of.
func (q quotient) String() string {
	s := q.num.String()
	if q.den.Cmp(oneDyadic) != 0 {
		s = fmt.Sprintf("%s / %s", s, q.den)
	}
	if q.root {
		s = "the root of " + s
	}
	return s
}

// operation is one rounded operation.
type operation struct {
	name string
	n    int
	of   func(a *Arithmetic) func(x []uint64) uint64 // nil if a has none
	// exact returns the exact result for finite operands; ok is false if there is none.
	exact func(v []oracle.Dyadic) (q quotient, ok bool)
}

func twoOperands(f func(a, b uint64) uint64) func(x []uint64) uint64 {
	if f == nil {
		return nil
	}
	return func(x []uint64) uint64 { return f(x[0], x[1]) }
}

var (
	opAdd = operation{
		"add", 2, func(a *Arithmetic) func([]uint64) uint64 { return twoOperands(a.Add) },
		func(v []oracle.Dyadic) (quotient, bool) { return whole(v[0].Add(v[1])), true },
	}
	opSub = operation{
		"sub", 2, func(a *Arithmetic) func([]uint64) uint64 { return twoOperands(a.Sub) },
		func(v []oracle.Dyadic) (quotient, bool) { return whole(v[0].Sub(v[1])), true },
	}
	opMul = operation{
		"mul", 2, func(a *Arithmetic) func([]uint64) uint64 { return twoOperands(a.Mul) },
		func(v []oracle.Dyadic) (quotient, bool) { return whole(v[0].Mul(v[1])), true },
	}
	opDiv = operation{
		"div", 2, func(a *Arithmetic) func([]uint64) uint64 { return twoOperands(a.Div) },
		func(v []oracle.Dyadic) (quotient, bool) {
			switch v[1].Sign() {
			case 0:
				return quotient{}, false
			case -1:
				return quotient{num: v[0].Neg(), den: v[1].Neg()}, true
			}
			return quotient{num: v[0], den: v[1]}, true
		},
	}
	opFma = operation{
		"fma", 3, func(a *Arithmetic) func([]uint64) uint64 {
			if a.Fma == nil {
				return nil
			}
			return func(x []uint64) uint64 { return a.Fma(x[0], x[1], x[2]) }
		},
		func(v []oracle.Dyadic) (quotient, bool) { return whole(v[0].Mul(v[1]).Add(v[2])), true },
	}
	opSqrt = operation{
		"sqrt", 1, func(a *Arithmetic) func([]uint64) uint64 {
			if a.Sqrt == nil {
				return nil
			}
			return func(x []uint64) uint64 { return a.Sqrt(x[0]) }
		},
		func(v []oracle.Dyadic) (quotient, bool) {
			return quotient{v[0], oneDyadic, true}, v[0].Sign() >= 0
		},
	}

	sums       = []*operation{&opAdd, &opSub}
	operations = []*operation{&opAdd, &opSub, &opMul, &opDiv, &opFma, &opSqrt}
)

// flushed returns x with subnormal operands made zero where the claim says so.
func (a *Arithmetic) flushed(x []uint64) []uint64 {
	if !a.Flush.In {
		return x
	}
	y := make([]uint64, len(x))
	for i, b := range x {
		y[i] = b
		if a.Format.Class(b) == model.ClassSubnormal {
			y[i] = b & a.Format.SignBit()
		}
	}
	return y
}

// finiteValues returns the values of operands that are all finite; ok is false if one is not.
func finiteValues(f model.Format, x []uint64) (v []oracle.Dyadic, ok bool) {
	v = make([]oracle.Dyadic, len(x))
	for i, b := range x {
		if !f.IsFinite(b) {
			return nil, false
		}
		v[i] = oracle.FromBits(f, b)
	}
	return v, true
}

// applied is one operation carried out.
type applied struct {
	op    *operation
	x     []uint64 // operands as the claim reads them
	got   uint64
	exact quotient
}

// text writes the operation as a call.
func (r *applied) text(f model.Format) string {
	var args []string
	for _, b := range r.x {
		args = append(args, corpus.FormatValue(f, b))
	}
	return fmt.Sprintf("%s(%s)", r.op.name, strings.Join(args, ", "))
}

// apply carries out an operation over finite operands; ok is false if the arithmetic has none, an
// operand is not finite, or there is no exact result.
func (a *Arithmetic) apply(op *operation, x []uint64) (r applied, ok bool) {
	run := op.of(a)
	if run == nil || len(x) < op.n {
		return r, false
	}
	x = x[:op.n]
	r = applied{op: op, x: a.flushed(x)}
	v, ok := finiteValues(a.Format, r.x)
	if !ok {
		return r, false
	}
	if r.exact, ok = op.exact(v); !ok {
		return r, false
	}
	r.got = run(x)
	return r, true
}

const (
	notFiniteOperands = "an operand is not finite, or the operation has no result"
	notFiniteResult   = "the result is not finite"
	tinyResult        = "the result may be flushed"
)

// wrong returns the verdict of a result that is not what it should be.
func (r *applied) wrong(f model.Format, want string) verdict.Verdict {
	return verdict.Fails(fmt.Sprintf("%s is %s, and the exact result %s.", r.text(f), corpus.FormatValue(f, r.got), r.exact),
		&verdict.Witness{Got: r.got, Out: f, WantText: want})
}

// correct judges one operation against the exact result, rounded by definition.
func (a *Arithmetic) correct(op *operation, x []uint64) verdict.Verdict {
	r, ok := a.apply(op, x)
	if !ok {
		return verdict.NotMet(notFiniteOperands)
	}
	if !roundsTo(a.Format, a.Rounding, a.Flush, r.exact, r.got) {
		v := r.wrong(a.Format, wanted(a.Format, a.Rounding, a.Flush, r.exact))
		v.Reason += a.roundedTwice(&r)
		return v
	}
	return verdict.Verdict{}
}

// roundedTwice says in which wider format a wrong result was rounded first, "" if that explains none: the right result is its neighbour, the
// exact one is not halfway between them, and rounded to that format it is.
func (a *Arithmetic) roundedTwice(r *applied) string {
	f := a.Format
	if !f.IsFinite(r.got) {
		return ""
	}
	for _, right := range []uint64{f.Next(r.got), f.Prev(r.got)} {
		if !f.IsFinite(right) || !roundsTo(f, a.Rounding, a.Flush, r.exact, right) {
			continue
		}
		half := oracle.FromBits(f, r.got).Add(oracle.FromBits(f, right)).Scale(-1)
		for _, wide := range []model.Format{model.Binary32, model.Binary64} {
			b := half.Round(wide, model.NearestEven)
			if wide.P > f.P+1 && r.exact.cmp(half) != 0 && oracle.FromBits(wide, b).Cmp(half) == 0 && roundsTo(wide, a.Rounding, model.Flush{}, r.exact, b) {
				return fmt.Sprintf(" It was rounded twice: in %s the exact result is %s, halfway between this and %s, the right one.", wide, corpus.FormatValue(wide, b), corpus.FormatValue(f, right))
			}
		}
	}
	return ""
}

// correctly returns the law that an operation is correctly rounded.
func correctly(id model.LawID, op *operation, formula string, kills ...string) roundLaw {
	return roundLaw{
		ScalarLaw: ScalarLaw{
			ID: id, Operands: op.n,
			Statement:  op.name + " returns " + formula + ", rounded once in the claimed direction, and by the claimed rule for ties",
			Hypotheses: "operands are finite numbers, and the operation is defined for them; subnormals are zeros where the claim flushes",
			Source:     "[IEEE 754-2019] §4.3, §5.4.1, §7.4",
			Kills:      kills,
		},
		applies: func(a *Arithmetic) bool { return op.of(a) != nil },
		judge:   func(a *Arithmetic, x []uint64) verdict.Verdict { return a.correct(op, x) },
	}
}

// tiny reports whether the claim flushes a result of this exact value, which is not zero.
//
// After rounding, a result is tiny if it lies below 2^Emin rounded to P bits with unbounded exponent:
// the least magnitude that is not, 2^Emin, is what rounds up from half an ulp below it.
func tiny(f model.Format, dir model.Rounding, fl model.Flush, q quotient) bool {
	if !fl.Out {
		return false
	}
	least := oracle.NewDyadic(bigOne(), f.Emin)
	neg := q.sign() < 0
	if neg {
		q = q.neg()
	}
	if q.cmp(least) >= 0 {
		return false
	}
	if fl.Before {
		return true
	}
	ulp := oneDyadic.Scale(f.Emin - f.P) // of the binade below, with P bits
	switch away(dir, neg) {
	case toNearest:
		return q.cmp(least.Sub(ulp.Scale(-1))) < 0
	case awayFromZero:
		return q.cmp(least.Sub(ulp)) <= 0
	}
	return true
}

// The direction of a rounding as seen from zero.
const (
	toNearest = iota
	awayFromZero
	towardZero
)

func away(dir model.Rounding, neg bool) int {
	switch {
	case dir.Nearest():
		return toNearest
	case dir == model.TowardPositive && !neg, dir == model.TowardNegative && neg:
		return awayFromZero
	}
	return towardZero
}

// roundsTo reports whether got is the exact q rounded into f. It follows the definition: it looks at
// the neighbours of got, and rounds nothing.
func roundsTo(f model.Format, dir model.Rounding, fl model.Flush, q quotient, got uint64) bool {
	neg := q.sign() < 0
	if neg {
		q, got = q.neg(), got^f.SignBit()
	}
	if q.sign() == 0 {
		return got&^f.SignBit() == 0 // the sign is the matter of round.zero
	}
	if tiny(f, dir, fl, quotientWithSign(q, neg)) {
		return got == 0
	}
	if f.Signbit(got) && !f.IsNaN(got) {
		return false
	}
	to := away(dir, neg)
	most := oracle.FromBits(f, f.MaxBits())
	ulp := oneDyadic.Scale(f.Emax - f.P + 1)
	over := q.cmp(most) > 0 // beyond the largest number after rounding
	switch to {
	case towardZero:
		over = false
	case toNearest:
		c := q.cmp(most.Add(ulp.Scale(-1)))
		over = c > 0 || c == 0 && (dir == model.NearestAway || f.MaxFinite&1 == 1)
	}
	if over {
		switch f.Overflow {
		case model.OverflowInf:
			return f.IsInf(got)
		case model.OverflowNaN:
			return f.IsNaN(got)
		}
		return got == f.MaxBits()
	}
	if !f.IsFinite(got) {
		return false
	}
	y := oracle.FromBits(f, got)
	up := y.Add(oneDyadic.Scale(f.UlpExp(got)))
	c := q.cmp(y)
	if c == 0 {
		return true
	}
	switch to {
	case towardZero:
		return c > 0 && (got == f.MaxBits() || q.cmp(up) < 0)
	case awayFromZero:
		return c < 0 && q.cmp(oracle.FromBits(f, f.Prev(got))) > 0
	}
	if c > 0 {
		c = q.cmp(y.Add(up).Scale(-1))
		return c < 0 || c == 0 && dir == model.NearestEven && got&1 == 0
	}
	down := oracle.FromBits(f, f.Prev(got))
	c = q.cmp(y.Add(down).Scale(-1))
	return c > 0 || c == 0 && (dir == model.NearestAway || got&1 == 0)
}

func quotientWithSign(q quotient, neg bool) quotient {
	if neg {
		return q.neg()
	}
	return q
}

// wanted writes the encodings that roundsTo accepts, for reports: it tries the neighbours of q.
func wanted(f model.Format, dir model.Rounding, fl model.Flush, q quotient) string {
	pos := q
	if q.sign() < 0 {
		pos = q.neg()
	}
	lo, hi := uint64(0), f.MaxBits() // q is not below lo
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if pos.cmp(oracle.FromBits(f, mid)) >= 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	tries := []uint64{0, lo, min(lo+1, f.MaxBits()), f.MaxBits(), f.NaNBits()}
	if f.HasInf {
		tries = append(tries, f.InfBits())
	}
	for _, b := range tries {
		if q.sign() < 0 {
			b |= f.SignBit()
		}
		if roundsTo(f, dir, fl, q, b) {
			if f.IsFinite(b) {
				return fmt.Sprintf("%s (%s)", corpus.FormatValue(f, b), report.Decimal(f, b))
			}
			return corpus.FormatValue(f, b)
		}
	}
	return ""
}

// errorBound judges the operations' errors: limit reports whether |d| is small enough, given
// d = got - exact over the common denominator den.
func errorBound(ops []*operation, limit func(a *Arithmetic, r *applied, d, den oracle.Dyadic) bool, want string) func(a *Arithmetic, x []uint64) verdict.Verdict {
	return func(a *Arithmetic, x []uint64) verdict.Verdict {
		v := verdict.NotMet(notFiniteOperands)
		for _, op := range ops {
			r, ok := a.apply(op, x)
			if !ok || r.exact.root {
				continue
			}
			switch {
			case !a.Format.IsFinite(r.got):
				v.Settle(notFiniteResult)
				continue
			case r.exact.sign() != 0 && tiny(a.Format, a.Rounding, a.Flush, r.exact):
				v.Settle(tinyResult)
				continue
			}
			d := oracle.FromBits(a.Format, r.got).Mul(r.exact.den).Sub(r.exact.num)
			if !limit(a, &r, d.Abs(), r.exact.den) {
				return r.wrong(a.Format, want)
			}
			v = verdict.Verdict{}
		}
		return v
	}
}

// withinRelative reports |d| <= v·|num|, both over one denominator: |d|·(2^P+1) <= |num|.
func withinRelative(f model.Format, d, num oracle.Dyadic) bool {
	return d.Scale(f.P).Add(d).Cmp(num.Abs()) <= 0
}

func isNearest(a *Arithmetic) bool { return a.Rounding.Nearest() }

func hasSum(a *Arithmetic) bool { return a.Add != nil || a.Sub != nil }

func nearestSums(a *Arithmetic) bool { return isNearest(a) && hasSum(a) }

// sameNumber is SameBits with the zeros one number.
func sameNumber(f model.Format, p, q uint64) bool {
	return report.SameBits(f, p, q) || (p|q)&^f.SignBit() == 0
}

// orderOf compares numbers, infinities among them. Domain: no NaNs.
func orderOf(f model.Format, p, q uint64) int {
	key := func(b uint64) int64 {
		if f.Signbit(b) {
			return -int64(b &^ f.SignBit())
		}
		return int64(b)
	}
	switch kp, kq := key(p), key(q); {
	case kp < kq:
		return -1
	case kp > kq:
		return 1
	}
	return 0
}

// unequal is the verdict of two results that should be one.
func unequal(f model.Format, what string, p, q uint64) verdict.Verdict {
	return verdict.Fails(fmt.Sprintf("%s: %s on one side, %s on the other.", what, corpus.FormatValue(f, p), corpus.FormatValue(f, q)),
		&verdict.Witness{Got: p, Out: f, WantText: corpus.FormatValue(f, q)})
}

// alike judges pairs of results that have to be the same.
func alike(f model.Format, same func(f model.Format, p, q uint64) bool, pairs ...likeness) verdict.Verdict {
	v := verdict.NotMet("the arithmetic has none of the operations")
	for _, p := range pairs {
		if !p.holds {
			continue
		}
		if l, r := p.left(), p.right(); !same(f, l, r) {
			return unequal(f, p.what, l, r)
		}
		v = verdict.Verdict{}
	}
	return v
}

// likeness is one pair of results.
type likeness struct {
	holds       bool // what has to be true for them to be the same
	what        string
	left, right func() uint64
}

var roundLaws = []roundLaw{
	correctly(model.RoundAdd, &opAdd, "a+b", "ties away", "truncated", "flushed", "register of 28 bits"),
	correctly(model.RoundSub, &opSub, "a-b", "ties away", "truncated", "no guard digit"),
	correctly(model.RoundMul, &opMul, "a·b", "ties away", "truncated"),
	correctly(model.RoundDiv, &opDiv, "a/b", "truncated", "by the reciprocal"),
	correctly(model.RoundFma, &opFma, "a·b+c", "fma by way of binary64", "fma wrong next to halfway cases", "fma not fused"),
	correctly(model.RoundSqrt, &opSqrt, "the root of a", "truncated"),
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundConvert, Operands: 1,
			Statement:  "a conversion returns the same number, rounded once in the claimed direction; NaNs stay NaNs and become quiet, infinities infinities",
			Hypotheses: "none",
			Source:     "[IEEE 754-2019] §5.4.2, §6.2; [OCP FP8 2023] for formats without infinities",
			Kills:      []string{"converted in two steps", "ties away", "truncated"},
		},
		applies: func(a *Arithmetic) bool { return len(a.Conversions) > 0 },
		judge:   judgeConvert,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundFaithful, Operands: 3,
			Statement:  "every operation returns one of the two numbers next to the exact result, and the exact result where it is a number",
			Hypotheses: "finite operands; a result that the claim may flush is left out",
			Source:     "[IEEE 754-2019] §4.3, weakened",
			Kills:      []string{"one ulp off at times", "flushed"},
		},
		over:  operations,
		judge: judgeFaithful,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundRelative, Operands: 3,
			Statement:  "|fl - exact| <= v·|exact| for every sum and difference, and for every product, quotient and fma of at least 2^Emin; below it at most η",
			Hypotheses: "rounding to nearest, any rule for ties; finite operands and result; nothing flushed",
			Source:     "[Jeannerod-Rump 2018] (2.5)",
			Kills:      []string{"truncated", "flushed", "no guard digit"},
		},
		over:    []*operation{&opAdd, &opSub, &opMul, &opDiv, &opFma},
		applies: isNearest,
		judge: errorBound([]*operation{&opAdd, &opSub, &opMul, &opDiv, &opFma}, func(a *Arithmetic, r *applied, d, den oracle.Dyadic) bool {
			f := a.Format
			if withinRelative(f, d, r.exact.num) {
				return true
			}
			sum := r.op == &opAdd || r.op == &opSub
			return !sum && r.exact.num.Abs().Cmp(den.Scale(f.Emin)) < 0 && d.Cmp(den.Scale(f.EtaExp())) <= 0
		}, "an error of at most v times the exact result"),
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundResult, Operands: 2,
			Statement:  "|fl(a±b) - (a±b)| <= u·|fl(a±b)|",
			Hypotheses: "rounding to nearest, any rule for ties; finite operands and result; nothing flushed",
			Source:     "[Jeannerod-Rump 2018] (2.5)",
			Kills:      []string{"truncated", "flushed"},
		},
		applies: nearestSums,
		judge: errorBound(sums, func(a *Arithmetic, r *applied, d, _ oracle.Dyadic) bool {
			return d.Scale(a.Format.P).Cmp(oracle.FromBits(a.Format, r.got).Abs()) <= 0
		}, "an error of at most u times the result"),
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundOperand, Operands: 2,
			Statement:  "|fl(a±b) - (a±b)| <= min(|a|, |b|): either operand would have been a better result",
			Hypotheses: "rounding to nearest, any rule for ties; finite operands and result; nothing flushed",
			Source:     "the definition of rounding to nearest; [Rump 2012]",
			Kills:      []string{"truncated", "rounded up"},
		},
		applies: nearestSums,
		judge: errorBound(sums, func(a *Arithmetic, r *applied, d, _ oracle.Dyadic) bool {
			for _, b := range r.x {
				if d.Cmp(oracle.FromBits(a.Format, b).Abs()) > 0 {
					return false
				}
			}
			return true
		}, "an error of at most the smaller operand"),
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundSubnormal, Operands: 2,
			Statement:  "a sum or difference below 2^Emin is exact",
			Hypotheses: "finite operands; no flushing; any rounding",
			Source:     "[Hauser 1996]; [FloatLib]",
			Kills:      []string{"flushed", "no guard digit"},
		},
		applies: func(a *Arithmetic) bool { return hasSum(a) && !a.Flush.Any() },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			v := verdict.NotMet("no result is below 2^Emin")
			for _, op := range sums {
				r, ok := a.apply(op, x)
				if !ok || r.exact.num.Abs().Cmp(oneDyadic.Scale(a.Format.Emin)) >= 0 {
					continue
				}
				if !a.Format.IsFinite(r.got) || r.exact.cmp(oracle.FromBits(a.Format, r.got)) != 0 {
					return r.wrong(a.Format, r.exact.String())
				}
				v = verdict.Verdict{}
			}
			return v
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundDirection, Operands: 3,
			Statement:  "rounding up is never below the exact result, down never above, toward zero never beyond it; and |fl - exact| < 2u·|exact| for sums",
			Hypotheses: "a directed rounding; finite operands and result; nothing flushed",
			Source:     "[IEEE 754-2019] §4.3.2; [Lange-Rump 2017] for 2u",
			Kills:      []string{"up that leads away from zero", "up that is to nearest"},
		},
		over:    operations,
		applies: func(a *Arithmetic) bool { return !a.Rounding.Nearest() },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			f := a.Format
			v := verdict.NotMet(notFiniteOperands)
			for _, op := range operations {
				r, ok := a.apply(op, x)
				if !ok {
					continue
				}
				if !f.IsFinite(r.got) {
					v.Settle(notFiniteResult)
					continue
				}
				if r.exact.sign() != 0 && tiny(f, a.Rounding, a.Flush, r.exact) {
					v.Settle(tinyResult)
					continue
				}
				c := r.exact.cmp(oracle.FromBits(f, r.got)) // of exact - got
				if to := away(a.Rounding, r.exact.sign() < 0); to == awayFromZero && c*r.exact.sign() > 0 || to == towardZero && c*r.exact.sign() < 0 {
					return r.wrong(f, "a result on the other side of the exact one")
				}
				if op == &opAdd || op == &opSub {
					d := oracle.FromBits(f, r.got).Sub(r.exact.num).Abs()
					if !d.IsZero() && d.Scale(f.P-1).Cmp(r.exact.num.Abs()) >= 0 && r.exact.num.Abs().Cmp(oracle.FromBits(f, f.MaxBits())) <= 0 {
						return r.wrong(f, "an error below 2u times the exact result")
					}
				}
				v = verdict.Verdict{}
			}
			return v
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundBracket, Operands: 3,
			Statement:  "down <= nearest <= up, down <= toward zero <= up, toward zero is the one of down and up that is nearer to zero, and all are one if down = up",
			Hypotheses: "the arithmetic rounds in every direction; no result is a NaN",
			Source:     "[IEEE 754-2019] §4.3",
			Kills:      []string{"up that leads away from zero", "up that is to nearest"},
		},
		over:    operations,
		applies: func(a *Arithmetic) bool { return a.Toward != nil && a.Format.Overflow == model.OverflowInf },
		judge:   judgeBracket,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundCommutes, Operands: 3,
			Statement:  "a+b is b+a, a·b is b·a, and fma(a, b, c) is fma(b, a, c), bit for bit, NaNs aside",
			Hypotheses: "none",
			Source:     "[IEEE 754-2019] §5.4.1",
			Kills:      []string{"ties to the first operand"},
		},
		over: []*operation{&opAdd, &opMul, &opFma},
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			p, q, r := x[0], x[1], x[2]
			return alike(
				a.Format, report.SameBits,
				likeness{a.Add != nil, "a+b and b+a", func() uint64 { return a.Add(p, q) }, func() uint64 { return a.Add(q, p) }},
				likeness{a.Mul != nil, "a·b and b·a", func() uint64 { return a.Mul(p, q) }, func() uint64 { return a.Mul(q, p) }},
				likeness{a.Fma != nil, "fma(a, b, c) and fma(b, a, c)", func() uint64 { return a.Fma(p, q, r) }, func() uint64 { return a.Fma(q, p, r) }},
			)
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundSterbenz, Operands: 2,
			Statement:  "a-b, and a+(-b), is exact if a/2 <= b <= 2a",
			Hypotheses: "finite operands of one sign within a factor of two; no flushing; any rounding",
			Source:     "[Sterbenz 1974]; [Higham 2002] Theorem 2.5",
			Kills:      []string{"no guard digit", "flushed"},
		},
		applies: func(a *Arithmetic) bool { return hasSum(a) && !a.Flush.Any() },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			f := a.Format
			v, ok := finiteValues(f, x)
			if !ok {
				return verdict.NotMet(notFiniteOperands)
			}
			// Any operands give a pair to judge: give b the sign and, if need be, the exponent of a.
			b := x[1]&^f.SignBit() | x[0]&f.SignBit()
			p, q := v[0].Abs(), v[1].Abs()
			if p.Scale(-1).Cmp(q) > 0 || q.Cmp(p.Scale(1)) > 0 {
				b = b&(1<<(f.P-1)-1|f.SignBit()) | x[0]&^(1<<(f.P-1)-1)
				if !f.IsFinite(b) {
					return verdict.NotMet(notFiniteOperands)
				}
				q = oracle.FromBits(f, b).Abs()
				if p.Scale(-1).Cmp(q) > 0 || q.Cmp(p.Scale(1)) > 0 {
					return verdict.NotMet("the operands are not within a factor of two")
				}
			}
			for _, try := range []struct {
				op *operation
				x  []uint64
			}{{&opSub, []uint64{x[0], b}}, {&opAdd, []uint64{x[0], b ^ f.SignBit()}}} {
				r, ok := a.apply(try.op, try.x)
				if ok && (!f.IsFinite(r.got) || r.exact.cmp(oracle.FromBits(f, r.got)) != 0) {
					return r.wrong(f, r.exact.String())
				}
			}
			return verdict.Verdict{}
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundMonotone, Operands: 3,
			Statement:  "a <= b gives a+c <= b+c, a-c <= b-c, a·|c| <= b·|c|, a/|c| <= b/|c|, and the root of |a| <= that of |b| for |a| <= |b|",
			Hypotheses: "no operand and no result is a NaN; any rounding and flushing",
			Source:     "[IEEE 754-2019] §4.3: rounding is monotone",
			Kills:      []string{"one ulp off at times"},
		},
		over:    []*operation{&opAdd, &opSub, &opMul, &opDiv, &opSqrt},
		applies: func(a *Arithmetic) bool { return a.Format.Overflow == model.OverflowInf },
		judge:   judgeMonotone,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundNegate, Operands: 3,
			Statement:  "(-a)+(-b) is -(a+b), (-a)·b and a·(-b) are -(a·b), (-a)/b is -(a/b), fma(-a, b, -c) is -fma(a, b, c)",
			Hypotheses: "rounding to nearest or toward zero; NaNs and exact zero sums aside",
			Source:     "[IEEE 754-2019] §4.3",
			Kills:      []string{"ties upward", "rounded up"},
		},
		over:    []*operation{&opAdd, &opMul, &opDiv, &opFma},
		applies: func(a *Arithmetic) bool { return a.Rounding.Nearest() || a.Rounding == model.TowardZero },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			s := a.Format.SignBit()
			p, q, r := x[0], x[1], x[2]
			same := func(f model.Format, l, r uint64) bool { return sameNumber(f, l, r) }
			return alike(
				a.Format, same,
				likeness{a.Add != nil, "(-a)+(-b) and -(a+b)", func() uint64 { return a.Add(p^s, q^s) }, func() uint64 { return a.Add(p, q) ^ s }},
				likeness{a.Sub != nil, "(-a)-(-b) and -(a-b)", func() uint64 { return a.Sub(p^s, q^s) }, func() uint64 { return a.Sub(p, q) ^ s }},
				likeness{a.Mul != nil, "(-a)·b and -(a·b)", func() uint64 { return a.Mul(p^s, q) }, func() uint64 { return a.Mul(p, q) ^ s }},
				likeness{a.Mul != nil, "a·(-b) and -(a·b)", func() uint64 { return a.Mul(p, q^s) }, func() uint64 { return a.Mul(p, q) ^ s }},
				likeness{a.Div != nil, "(-a)/b and -(a/b)", func() uint64 { return a.Div(p^s, q) }, func() uint64 { return a.Div(p, q) ^ s }},
				likeness{a.Fma != nil, "fma(-a, b, -c) and -fma(a, b, c)", func() uint64 { return a.Fma(p^s, q, r^s) }, func() uint64 { return a.Fma(p, q, r) ^ s }},
			)
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundFused, Operands: 2,
			Statement:  "fma(a, b, 0) is a·b, fma(a, 1, b) and fma(1, a, b) are a+b",
			Hypotheses: "NaNs aside; zeros are one number",
			Source:     "[IEEE 754-2019] §5.4.1",
			Kills:      []string{"fma with ties away"},
		},
		applies: func(a *Arithmetic) bool { return a.Fma != nil && (a.Mul != nil || a.Add != nil) },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			one := uint64(1-a.Format.Emin) << (a.Format.P - 1)
			p, q := x[0], x[1]
			return alike(
				a.Format, sameNumber,
				likeness{a.Mul != nil, "fma(a, b, 0) and a·b", func() uint64 { return a.Fma(p, q, 0) }, func() uint64 { return a.Mul(p, q) }},
				likeness{a.Mul != nil, "fma(a, b, -0) and a·b", func() uint64 { return a.Fma(p, q, a.Format.SignBit()) }, func() uint64 { return a.Mul(p, q) }},
				likeness{a.Add != nil, "fma(a, 1, b) and a+b", func() uint64 { return a.Fma(p, one, q) }, func() uint64 { return a.Add(p, q) }},
				likeness{a.Add != nil, "fma(1, a, b) and a+b", func() uint64 { return a.Fma(one, p, q) }, func() uint64 { return a.Add(p, q) }},
			)
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundIdentity, Operands: 1,
			Statement:  "a+0, a-0, a·1 and a/1 are a; a-a is 0; a/a is 1; a+a is 2·a",
			Hypotheses: "a is a finite number, not subnormal if the claim flushes; zeros are one number",
			Source:     "[IEEE 754-2019] §4.3: exact results stay as they are",
			Kills:      []string{"flushed", "by the reciprocal"},
		},
		over: []*operation{&opAdd, &opSub, &opMul, &opDiv},
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			f, p := a.Format, x[0]
			one := uint64(1-f.Emin) << (f.P - 1)
			value := func(b uint64) func() uint64 { return func() uint64 { return b } }
			switch c := f.Class(p); {
			case c > model.ClassNormal:
				return verdict.NotMet(notFiniteOperands)
			case c == model.ClassSubnormal && a.Flush.Any():
				return verdict.NotMet("the claim flushes subnormals")
			}
			nonzero := f.Class(p) != model.ClassZero
			return alike(
				f, sameNumber,
				likeness{a.Add != nil, "a+0 and a", func() uint64 { return a.Add(p, 0) }, value(p)},
				likeness{a.Sub != nil, "a-0 and a", func() uint64 { return a.Sub(p, 0) }, value(p)},
				likeness{a.Mul != nil, "a·1 and a", func() uint64 { return a.Mul(p, one) }, value(p)},
				likeness{a.Div != nil, "a/1 and a", func() uint64 { return a.Div(p, one) }, value(p)},
				likeness{a.Sub != nil, "a-a and 0", func() uint64 { return a.Sub(p, p) }, value(0)},
				likeness{a.Div != nil && nonzero, "a/a and 1", func() uint64 { return a.Div(p, p) }, value(one)},
				likeness{a.Add != nil && a.Mul != nil, "a+a and 2·a", func() uint64 { return a.Add(p, p) }, func() uint64 { return a.Mul(one+1<<(f.P-1), p) }},
			)
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundRoot, Operands: 1,
			Statement:  "the root of the rounded square of a is |a|",
			Hypotheses: "rounding to nearest, any rule for ties; a² neither over- nor underflows",
			Source:     "[Boldo 2015]; exhaustive in toy formats",
			Kills:      []string{"truncated"},
		},
		applies: func(a *Arithmetic) bool { return isNearest(a) && a.Sqrt != nil && a.Mul != nil },
		judge: func(a *Arithmetic, x []uint64) verdict.Verdict {
			f := a.Format
			p := x[0]
			k, ok := 0, false
			if f.IsFinite(p) {
				k, ok = f.UfpExp(p)
			}
			if !ok || 2*k < f.Emin || 2*k+2 > f.Emax {
				// Any significand gives a case to judge: move the exponent to where squares are.
				p = p&(f.SignBit()|1<<(f.P-1)-1) | uint64(1-f.Emin)<<(f.P-1)
			}
			return alike(f, report.SameBits, likeness{true, "the root of a·a and |a|", func() uint64 { return a.Sqrt(a.Mul(p, p)) }, func() uint64 { return p &^ f.SignBit() }})
		},
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundNaN, Operands: 3, Specials: true,
			Statement:  "an operation over a NaN returns a quiet NaN; where payloads are claimed, the first signaling operand, else the first quiet one, made quiet",
			Hypotheses: "some operand is a NaN",
			Source:     "[IEEE 754-2019] §6.2; [TorchLean] SpecialRules: chooseNaN1, chooseNaN2, chooseNaN3",
			Kills:      []string{"NaN ignored", "NaN left signaling", "last NaN wins"},
		},
		over:    operations,
		applies: func(a *Arithmetic) bool { return !a.Finite },
		judge:   judgeNaN,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundInvalid, Operands: 3, Specials: true,
			Statement:  "inf-inf, 0·inf, inf·0+c, inf/inf, 0/0 and roots of numbers below zero are NaNs; where payloads are claimed, the canonical one",
			Hypotheses: "no operand is a NaN, and an operation is invalid",
			Source:     "[IEEE 754-2019] §7.2; [TorchLean] SpecialRules",
			Kills:      []string{"inf-inf is 0", "0·inf is 0"},
		},
		over:    operations,
		applies: func(a *Arithmetic) bool { return !a.Finite && (a.Format.HasInf || a.Div != nil || a.Sqrt != nil) },
		judge:   judgeInvalid,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundInfinite, Operands: 3, Specials: true,
			Statement:  "inf+b, inf·b, inf/b, a/0, the root of inf and fma over them are exact infinities with the sign of arithmetic; a/inf is 0",
			Hypotheses: "no operand is a NaN, the operation is valid, and an operand is infinite or a divisor 0",
			Source:     "[IEEE 754-2019] §6.1, §7.3; [OCP FP8 2023] for formats without infinities",
			Kills:      []string{"division by zero gives the largest number", "a/inf is NaN"},
		},
		over:    operations,
		applies: func(a *Arithmetic) bool { return !a.Finite && (a.Format.HasInf || a.Div != nil) },
		judge:   judgeInfinite,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundZero, Operands: 3, Specials: true,
			Statement:  "x-x is +0, toward negative -0; zeros of one sign keep it; products and quotients have the product of the signs; what underflows keeps its sign; the root of -0 is -0",
			Hypotheses: "finite operands and a result that is zero",
			Source:     "[IEEE 754-2019] §6.3",
			Kills:      []string{"zeros without sign"},
		},
		over:  operations,
		judge: judgeZero,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundCompare, Operands: 2,
			Statement:  "comparison is the order of the reals and of the infinities, -0 = +0, and a NaN is unordered",
			Hypotheses: "none; subnormals are zeros where the claim flushes operands",
			Source:     "[IEEE 754-2019] §5.11",
			Kills:      []string{"compared as integers", "NaN equals itself"},
		},
		applies: func(a *Arithmetic) bool { return a.Compare != nil },
		judge:   judgeCompare,
	},
	{
		ScalarLaw: ScalarLaw{
			ID: model.RoundMinMax, Operands: 2, Specials: true,
			Statement:  "minimum and maximum are the order's, -0 below +0, and a NaN for a NaN; minNum and maxNum ignore a quiet NaN beside a number and hand on a signaling one",
			Hypotheses: "none",
			Source:     "[IEEE 754-2019] §9.6; [IEEE 754-2008] §5.3.1 for minNum and maxNum; [TorchLean] SpecialRules",
			Kills:      []string{"minimum ignores NaN", "minNum hands on quiet NaN", "minimum of zeros by order of operands"},
		},
		applies: func(a *Arithmetic) bool {
			return a.Minimum != nil || a.Maximum != nil || a.MinNum != nil || a.MaxNum != nil
		},
		judge: judgeMinMax,
	},
}
