package preprocess

import "gamma/metal/internal/msl/token"

// maxParens bounds how deep an #if expression nests.
const maxParens = 256

// value is what an expression in #if has: 64 bits, signed or not.
type value struct {
	bits     uint64
	unsigned bool
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// evaluator reads an expression in #if.
type evaluator struct {
	p     *processor
	toks  []token.Token
	i     int
	depth int
	end   token.Pos
	bad   bool
}

// evaluate says whether the condition line holds. One that is wrong does not.
func (p *processor) evaluate(line []token.Token, pos token.Pos) bool {
	if len(line) == 0 {
		p.errorf(pos, "#if needs a condition")
		return false
	}
	p.condition = true
	toks := p.expandList(line)
	p.condition = false
	e := evaluator{p: p, toks: toks, end: line[len(line)-1].Pos}
	v := e.ternary(true)
	if !e.bad && e.i < len(e.toks) {
		e.fail(e.toks[e.i].Pos, "%.20s is one too many in this condition", e.toks[e.i].Text)
	}
	return !e.bad && !p.stop && v.bits != 0
}

// fail reports the first error of the expression.
func (e *evaluator) fail(pos token.Pos, format string, args ...any) value {
	if !e.bad && !e.p.stop {
		e.p.errorf(pos, format, args...)
	}
	e.bad = true
	return value{}
}

// peek returns the next operator, in its usual spelling, or "".
func (e *evaluator) peek() string {
	if e.bad || e.i >= len(e.toks) {
		return ""
	}
	switch t := e.toks[e.i]; t.Kind {
	case token.Punct:
		return t.Text
	case token.Ident:
		return e.p.names[t.Text].punct
	}
	return ""
}

func (e *evaluator) pos() token.Pos {
	if e.i < len(e.toks) {
		return e.toks[e.i].Pos
	}
	return e.end
}

// enter counts a level of nesting; the caller leaves it by e.depth--.
func (e *evaluator) enter() bool {
	if e.depth++; e.depth > maxParens {
		e.fail(e.pos(), "this condition nests over %d deep, the limit", maxParens)
	}
	return !e.bad
}

// ternary reads a conditional expression; what is not live is read but not judged.
func (e *evaluator) ternary(live bool) value {
	defer func() { e.depth-- }()
	if !e.enter() {
		return value{}
	}
	c := e.binary(1, live)
	if e.peek() != "?" {
		return c
	}
	e.i++
	a := e.ternary(live && c.bits != 0)
	if e.peek() != ":" {
		return e.fail(e.pos(), "a : is missing after the ? in this condition")
	}
	e.i++
	b := e.ternary(live && c.bits == 0)
	v := b
	if c.bits != 0 {
		v = a
	}
	v.unsigned = a.unsigned || b.unsigned
	return v
}

// precedence of the binary operators; what is missing has 0.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (e *evaluator) binary(least int, live bool) value {
	a := e.unary(live)
	for {
		op := e.peek()
		level := precedence[op]
		if level == 0 || level < least {
			return a
		}
		pos := e.pos()
		e.i++
		right := live
		switch op {
		case "||":
			right = live && a.bits == 0
		case "&&":
			right = live && a.bits != 0
		}
		b := e.binary(level+1, right)
		a = e.apply(op, a, b, live, pos)
	}
}

func (e *evaluator) apply(op string, a, b value, live bool, pos token.Pos) value {
	u := a.unsigned || b.unsigned
	less := func(x, y value) value {
		if u {
			return truth(x.bits < y.bits)
		}
		return truth(int64(x.bits) < int64(y.bits))
	}
	switch op {
	case "||":
		return truth(a.bits != 0 || b.bits != 0)
	case "&&":
		return truth(a.bits != 0 && b.bits != 0)
	case "==":
		return truth(a.bits == b.bits)
	case "!=":
		return truth(a.bits != b.bits)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		return truth(less(b, a).bits == 0)
	case ">=":
		return truth(less(a, b).bits == 0)
	case "|":
		return value{a.bits | b.bits, u}
	case "^":
		return value{a.bits ^ b.bits, u}
	case "&":
		return value{a.bits & b.bits, u}
	case "+":
		return value{a.bits + b.bits, u}
	case "-":
		return value{a.bits - b.bits, u}
	case "*":
		return value{a.bits * b.bits, u}
	case "<<", ">>":
		if b.bits > 63 {
			if live {
				return e.fail(pos, "a shift by less than 0 or more than 63 in this condition")
			}
			return value{0, a.unsigned}
		}
		switch {
		case op == "<<":
			return value{a.bits << b.bits, a.unsigned}
		case a.unsigned:
			return value{a.bits >> b.bits, true}
		}
		return value{uint64(int64(a.bits) >> b.bits), false}
	}
	// Only / and % are left.
	switch {
	case b.bits == 0 && live:
		return e.fail(pos, "division by zero in this condition")
	case b.bits == 0:
		return value{0, u}
	case u && op == "/":
		return value{a.bits / b.bits, true}
	case u:
		return value{a.bits % b.bits, true}
	case op == "/":
		return value{uint64(int64(a.bits) / int64(b.bits)), false}
	}
	return value{uint64(int64(a.bits) % int64(b.bits)), false}
}

func (e *evaluator) unary(live bool) value {
	defer func() { e.depth-- }()
	if !e.enter() {
		return value{}
	}
	if e.i >= len(e.toks) {
		return e.fail(e.end, "this condition ends too soon")
	}
	op, t := e.peek(), e.toks[e.i]
	e.i++
	switch op {
	case "!":
		return truth(e.unary(live).bits == 0)
	case "-":
		v := e.unary(live)
		v.bits = -v.bits
		return v
	case "+":
		return e.unary(live)
	case "~":
		v := e.unary(live)
		v.bits = ^v.bits
		return v
	case "(":
		v := e.ternary(live)
		if e.peek() != ")" {
			return e.fail(e.pos(), "a ) is missing in this condition")
		}
		e.i++
		return v
	case "":
	default:
		return e.fail(t.Pos, "%s stands here for nothing in this condition", t.Text)
	}
	switch t.Kind {
	case token.Ident, kindPainted:
		return truth(t.Text == "true")
	case kindNumber:
		kind, bits, unsigned, bad := number(t.Text)
		switch {
		case bad != nil:
			if !e.bad {
				e.p.badLiteral(&t, bad)
			}
			e.bad = true
			return value{}
		case kind != token.Int:
			return e.fail(t.Pos, "%.40s: a condition takes integers only", t.Text)
		}
		return value{bits, unsigned || bits > 1<<63-1}
	case token.Char:
		if v, ok := character(t.Text); ok {
			return value{bits: uint64(v)}
		}
		return e.fail(t.Pos, "%.40s is not a character", t.Text)
	}
	return e.fail(t.Pos, "%.40s has no value in a condition", t.Text)
}
