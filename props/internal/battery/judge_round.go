package battery

import (
	"fmt"
	"math/big"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// The judges of the laws of single operations that need more than a line.

func bigOne() *big.Int { return big.NewInt(1) }

func judgeConvert(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	b := a.flushed(x)[0]
	for _, c := range a.Conversions {
		if a.Finite && oracle.FromBits(f, b).Abs().Cmp(oracle.FromBits(c.To, c.To.MaxBits())) > 0 {
			continue
		}
		got := c.Run(x[0])
		bad := func(want string) verdict.Verdict {
			return verdict.Fails(fmt.Sprintf("%s of %s, converted to %s, is %s.", corpus.FormatValue(f, b), f, c.To, corpus.FormatValue(c.To, got)),
				&verdict.Witness{Got: got, Out: c.To, WantText: want})
		}
		switch f.Class(b) {
		case model.ClassNaN:
			if !c.To.IsNaN(got) || c.To.IsSignaling(got) {
				return bad("a quiet NaN")
			}
		case model.ClassInf:
			if want := report.Infinity(c.To, f.Signbit(b)); !report.SameBits(c.To, got, want) {
				return bad(corpus.FormatValue(c.To, want))
			}
		case model.ClassZero:
			if want := report.Signed(c.To, 0, f.Signbit(b)); got != want {
				return bad(corpus.FormatValue(c.To, want))
			}
		default:
			q := whole(oracle.FromBits(f, b))
			if !roundsTo(c.To, a.Rounding, a.Flush, q, got) {
				return bad(wanted(c.To, a.Rounding, a.Flush, q))
			}
		}
	}
	return verdict.Verdict{}
}

func judgeFaithful(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet(notFiniteOperands)
	for _, op := range operations {
		r, ok := a.apply(op, x)
		if !ok {
			continue
		}
		if r.exact.sign() != 0 && tiny(f, a.Rounding, a.Flush, r.exact) {
			v.Settle(tinyResult)
			continue
		}
		// To be faithful is to be the rounding in one direction or in the other.
		if !roundsTo(f, model.TowardNegative, model.Flush{}, r.exact, r.got) && !roundsTo(f, model.TowardPositive, model.Flush{}, r.exact, r.got) {
			return r.wrong(f, wanted(f, model.TowardNegative, model.Flush{}, r.exact)+" or "+wanted(f, model.TowardPositive, model.Flush{}, r.exact))
		}
		v = verdict.Verdict{}
	}
	return v
}

func judgeBracket(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet("the arithmetic has none of the operations, or results are NaNs")
	var dirs [5]Arithmetic
	for _, r := range []model.Rounding{model.NearestEven, model.NearestAway, model.TowardPositive, model.TowardNegative, model.TowardZero} {
		dirs[r] = a.Toward(r)
	}
	values, finite := finiteValues(f, x)
	for _, op := range operations {
		if a.Finite && finite {
			if _, ok := op.exact(values); !ok {
				continue
			}
		}
		var y [5]uint64
		nan := false
		for r := range dirs {
			run := op.of(&dirs[r])
			if run == nil {
				nan = true
				break
			}
			y[r] = run(x[:op.n])
			nan = nan || f.IsNaN(y[r])
		}
		if nan {
			continue
		}
		down, up := y[model.TowardNegative], y[model.TowardPositive]
		bad := func(what string, b uint64) verdict.Verdict {
			r := applied{op: op, x: x[:op.n]}
			return verdict.Fails(fmt.Sprintf("%s is %s down, %s up and %s %s.", r.text(f), corpus.FormatValue(f, down), corpus.FormatValue(f, up), corpus.FormatValue(f, b), what),
				&verdict.Witness{Got: b, Out: f})
		}
		for _, r := range []model.Rounding{model.NearestEven, model.NearestAway, model.TowardZero} {
			what := [...]string{"to nearest even", "to nearest away", "", "", "toward zero"}[r]
			switch {
			case orderOf(f, down, y[r]) > 0 || orderOf(f, y[r], up) > 0:
				return bad(what, y[r])
			case !sameNumber(f, y[r], down) && !sameNumber(f, y[r], up):
				return bad(what+", which is neither", y[r])
			}
		}
		near := down
		if up&^f.SignBit() < down&^f.SignBit() {
			near = up
		}
		if !sameNumber(f, y[model.TowardZero], near) {
			return bad("toward zero, which is not the nearer to it", y[model.TowardZero])
		}
		v = verdict.Verdict{}
	}
	return v
}

func judgeMonotone(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	for _, b := range x {
		if f.IsNaN(b) {
			return verdict.NotMet("an operand is a NaN")
		}
	}
	p, q := x[0], x[1]
	if orderOf(f, p, q) > 0 {
		p, q = q, p
	}
	c, positive := x[2], x[2]&^f.SignBit()
	v := verdict.NotMet("the arithmetic has none of the operations, or results are NaNs")
	check := func(what string, has bool, run func(b uint64) uint64, p, q uint64) bool {
		if !has {
			return true
		}
		l, r := run(p), run(q)
		switch {
		case f.IsNaN(l) || f.IsNaN(r):
			return true
		case orderOf(f, l, r) > 0:
			v = verdict.Fails(fmt.Sprintf("%s is %s for a = %s and %s for the greater %s.", what,
				corpus.FormatValue(f, l), corpus.FormatValue(f, p), corpus.FormatValue(f, r), corpus.FormatValue(f, q)), &verdict.Witness{Got: l, Out: f})
			return false
		}
		if v.Outcome == verdict.Vacuous {
			v = verdict.Verdict{}
		}
		return true
	}
	m := func(b uint64) uint64 { return b &^ f.SignBit() }
	_ = check("a+c", a.Add != nil, func(b uint64) uint64 { return a.Add(b, c) }, p, q) &&
		check("a-c", a.Sub != nil, func(b uint64) uint64 { return a.Sub(b, c) }, p, q) &&
		check("a·|c|", a.Mul != nil, func(b uint64) uint64 { return a.Mul(b, positive) }, p, q) &&
		check("a/|c|", a.Div != nil && positive != 0, func(b uint64) uint64 { return a.Div(b, positive) }, p, q) &&
		check("fma(a, |c|, c)", a.Fma != nil, func(b uint64) uint64 { return a.Fma(b, positive, c) }, p, q) &&
		check("the root of a", a.Sqrt != nil, func(b uint64) uint64 { return a.Sqrt(b) }, min(m(p), m(q)), max(m(p), m(q)))
	return v
}

// firstNaN returns the NaN that operands hand on where payloads are claimed.
func firstNaN(f model.Format, x []uint64) (b uint64, ok bool) {
	quiet := uint64(0)
	if f.NaNs == model.NaNIEEE {
		quiet = 1 << (f.P - 2)
	}
	for _, b := range x {
		if f.IsSignaling(b) {
			return b | quiet, true
		}
	}
	for _, b := range x {
		if f.IsNaN(b) {
			return b, true
		}
	}
	return 0, false
}

func judgeNaN(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet("no operand is a NaN")
	for _, op := range operations {
		run := op.of(a)
		want, ok := firstNaN(f, x[:op.n])
		if run == nil || !ok {
			continue
		}
		r := applied{op: op, x: x[:op.n], got: run(x[:op.n])}
		switch {
		case !f.IsNaN(r.got) || f.IsSignaling(r.got):
			return verdict.Fails(fmt.Sprintf("%s is %s, which is no quiet NaN.", r.text(f), corpus.FormatValue(f, r.got)), &verdict.Witness{Got: r.got, Out: f, WantText: "a quiet NaN"})
		case a.Payloads && r.got != want:
			return verdict.Fails(fmt.Sprintf("%s is %s, another NaN than the operands' first.", r.text(f), corpus.FormatValue(f, r.got)),
				&verdict.Witness{Got: r.got, Out: f, WantText: corpus.FormatValue(f, want)})
		}
		v = verdict.Verdict{}
	}
	return v
}

// invalidOp reports whether an operation over numbers has no result.
func invalidOp(f model.Format, op *operation, x []uint64) bool {
	zero := func(b uint64) bool { return b&^f.SignBit() == 0 }
	differ := func(p, q uint64) bool { return f.Signbit(p) != f.Signbit(q) }
	noProduct := func(p, q uint64) bool { return zero(p) && f.IsInf(q) || f.IsInf(p) && zero(q) }
	switch op {
	case &opAdd:
		return f.IsInf(x[0]) && f.IsInf(x[1]) && differ(x[0], x[1])
	case &opSub:
		return f.IsInf(x[0]) && f.IsInf(x[1]) && !differ(x[0], x[1])
	case &opMul:
		return noProduct(x[0], x[1])
	case &opDiv:
		return zero(x[0]) && zero(x[1]) || f.IsInf(x[0]) && f.IsInf(x[1])
	case &opFma:
		return noProduct(x[0], x[1]) ||
			(f.IsInf(x[0]) || f.IsInf(x[1])) && f.IsInf(x[2]) && differ(x[0]^x[1], x[2])
	}
	return f.Signbit(x[0]) && !zero(x[0])
}

// numbers returns the operands as the claim reads them; ok is false if one is a NaN.
func (a *Arithmetic) numbers(x []uint64) (y []uint64, ok bool) {
	for _, b := range x {
		if a.Format.IsNaN(b) {
			return nil, false
		}
	}
	return a.flushed(x), true
}

func judgeInvalid(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet("no operation is invalid")
	for _, op := range operations {
		run := op.of(a)
		if run == nil {
			continue
		}
		y, ok := a.numbers(x[:op.n])
		if !ok || !invalidOp(f, op, y) {
			continue
		}
		r := applied{op: op, x: y, got: run(x[:op.n])}
		switch {
		case !f.IsNaN(r.got) || f.IsSignaling(r.got):
			return verdict.Fails(fmt.Sprintf("%s is %s, and has no result.", r.text(f), corpus.FormatValue(f, r.got)), &verdict.Witness{Got: r.got, Out: f, WantText: "a quiet NaN"})
		case a.Payloads && r.got != f.NaNBits():
			return verdict.Fails(fmt.Sprintf("%s is %s, which is not the canonical NaN.", r.text(f), corpus.FormatValue(f, r.got)),
				&verdict.Witness{Got: r.got, Out: f, WantText: corpus.FormatValue(f, f.NaNBits())})
		}
		v = verdict.Verdict{}
	}
	return v
}

// infiniteOp returns the exact infinite result, or the exact zero of a quotient by an infinity.
func infiniteOp(f model.Format, op *operation, x []uint64) (want uint64, ok bool) {
	inf := func(neg bool) (uint64, bool) { return report.Infinity(f, neg), true }
	switch op {
	case &opAdd, &opSub:
		for i, b := range x[:2] {
			if f.IsInf(b) {
				return inf(f.Signbit(b) != (i == 1 && op == &opSub))
			}
		}
	case &opMul:
		if f.IsInf(x[0]) || f.IsInf(x[1]) {
			return inf(f.Signbit(x[0]) != f.Signbit(x[1]))
		}
	case &opDiv:
		neg := f.Signbit(x[0]) != f.Signbit(x[1])
		switch {
		case f.IsInf(x[0]), x[1]&^f.SignBit() == 0:
			return inf(neg)
		case f.IsInf(x[1]):
			return report.Signed(f, 0, neg), true
		}
	case &opFma:
		switch {
		case f.IsInf(x[0]) || f.IsInf(x[1]):
			return inf(f.Signbit(x[0]) != f.Signbit(x[1]))
		case f.IsInf(x[2]):
			return inf(f.Signbit(x[2]))
		}
	case &opSqrt:
		if f.IsInf(x[0]) {
			return inf(false)
		}
	}
	return 0, false
}

func judgeInfinite(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet("no operand is infinite and no divisor zero")
	for _, op := range operations {
		run := op.of(a)
		if run == nil {
			continue
		}
		y, ok := a.numbers(x[:op.n])
		if !ok || invalidOp(f, op, y) {
			continue
		}
		want, ok := infiniteOp(f, op, y)
		if !ok {
			continue
		}
		r := applied{op: op, x: y, got: run(x[:op.n])}
		if !report.SameBits(f, r.got, want) {
			return verdict.Fails(fmt.Sprintf("%s is %s.", r.text(f), corpus.FormatValue(f, r.got)), &verdict.Witness{Got: r.got, Out: f, WantText: corpus.FormatValue(f, want)})
		}
		v = verdict.Verdict{}
	}
	return v
}

// zeroSign returns the sign of an exact zero.
func zeroSign(f model.Format, dir model.Rounding, op *operation, x []uint64) (neg bool) {
	sum := func(p, q bool) bool {
		if p == q {
			return p
		}
		return dir == model.TowardNegative
	}
	n := func(i int) bool { return f.Signbit(x[i]) }
	switch op {
	case &opAdd:
		return sum(n(0), n(1))
	case &opSub:
		return sum(n(0), !n(1))
	case &opMul, &opDiv:
		return n(0) != n(1)
	case &opFma:
		return sum(n(0) != n(1), n(2))
	}
	return n(0)
}

func judgeZero(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	v := verdict.NotMet("no result is zero")
	for _, op := range operations {
		r, ok := a.apply(op, x)
		if !ok || r.got&^f.SignBit() != 0 {
			continue
		}
		neg := r.exact.sign() < 0
		if r.exact.sign() == 0 {
			neg = zeroSign(f, a.Rounding, op, r.x)
		}
		if f.Signbit(r.got) != neg {
			want := report.Signed(f, 0, neg)
			return r.wrong(f, corpus.FormatValue(f, want))
		}
		v = verdict.Verdict{}
	}
	return v
}

func judgeCompare(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	got, ordered := a.Compare(x[0], x[1])
	y, ok := a.numbers(x)
	want := 0
	if ok {
		want = orderOf(f, y[0], y[1])
	}
	if ordered != ok || ok && got != want {
		return verdict.Fails(fmt.Sprintf("compare(%s, %s) is %d, ordered %t; it should be %d, ordered %t.",
			corpus.FormatValue(f, x[0]), corpus.FormatValue(f, x[1]), got, ordered, want, ok), nil)
	}
	return verdict.Verdict{}
}

func judgeMinMax(a *Arithmetic, x []uint64) verdict.Verdict {
	f := a.Format
	lo, hi := x[0], x[1]
	if c := orderOf(f, lo, hi); c > 0 || c == 0 && f.Signbit(hi) {
		lo, hi = hi, lo
	}
	_, nan := firstNaN(f, x)
	signaling := f.IsSignaling(x[0]) || f.IsSignaling(x[1])
	for _, m := range []struct {
		name string
		run  func(a, b uint64) uint64
		want uint64
		num  bool
	}{{"minimum", a.Minimum, lo, false}, {"maximum", a.Maximum, hi, false}, {"minNum", a.MinNum, lo, true}, {"maxNum", a.MaxNum, hi, true}} {
		if m.run == nil {
			continue
		}
		got := m.run(x[0], x[1])
		want := m.want
		same := report.SameBits
		switch {
		case nan && (!m.num || signaling || f.IsNaN(x[0]) && f.IsNaN(x[1])):
			want = f.NaNBits()
		case f.IsNaN(x[0]):
			want = x[1]
		case f.IsNaN(x[1]):
			want = x[0]
		case m.num:
			same = sameNumber // IEEE 754-2008 leaves the zeros open
		}
		if !same(f, got, want) || a.Payloads && f.IsSignaling(got) {
			return verdict.Fails(fmt.Sprintf("%s(%s, %s) is %s.", m.name, corpus.FormatValue(f, x[0]), corpus.FormatValue(f, x[1]), corpus.FormatValue(f, got)),
				&verdict.Witness{Got: got, Out: f, WantText: corpus.FormatValue(f, want)})
		}
	}
	return verdict.Verdict{}
}
