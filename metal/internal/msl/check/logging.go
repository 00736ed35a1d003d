package check

import (
	"fmt"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// maxString is the longest string, in bytes.
const maxString = 1 << 16

// text returns the bytes of a literal in quotes, without the zero at its end.
func (c *checker) text(l *syntax.Literal) string {
	var s strings.Builder
	for rest := l.Text[1 : len(l.Text)-1]; rest != ""; {
		n := 1
		if rest[0] == '\\' {
			n = min(len(rest), 2)
			switch {
			case n == 2 && rest[1] == 'x':
				for n < len(rest) && n < 4 && strings.IndexByte("0123456789abcdefABCDEF", rest[n]) >= 0 {
					n++
				}
			case n == 2 && rest[1] >= '0' && rest[1] <= '7':
				for n < len(rest) && n < 4 && rest[n] >= '0' && rest[n] <= '7' {
					n++
				}
			}
			v, ok := charValue("'" + rest[:n] + "'")
			if !ok {
				c.fail(l.Pos, "%s is not a character of one byte", rest[:n])
			}
			s.WriteByte(byte(v))
		} else {
			s.WriteByte(rest[0])
		}
		rest = rest[n:]
	}
	if s.Len() >= maxString {
		c.fail(l.Pos, "a string has at most %d bytes", maxString-1)
	}
	return s.String()
}

// stringLiteral is an array of char in constant memory. Equal literals are one array.
func (c *checker) stringLiteral(l *syntax.Literal) operand {
	s := c.text(l)
	v := c.strings[s]
	if v == nil {
		char := stdlib.ScalarOf(ir.I8)
		t := &typed.Array{Elem: char, Len: len(s) + 1}
		x := &typed.Aggregate{Node: node(l.Pos, t), Elems: c.bytes(l.Pos, s, char)}
		v = &typed.Var{Name: strconv.Quote(s), Type: t, Space: ir.Constant, Const: true, Global: x, Pos: l.Pos}
		c.strings[s] = v
	}
	return operand{pos: l.Pos, T: v.Type, P: &typed.VarPlace{Var: v, Pos: l.Pos}, Const: true, Space: ir.Constant}
}

// charArray is the value of an array that a literal in quotes initialises.
func (c *checker) charArray(l *syntax.Literal, a *typed.Array) typed.Expr {
	s := c.text(l)
	if n := len(s) + 1; a.Len == 0 {
		a = c.arrayOf(l.Pos, a.Elem, uint64(n), false)
	} else if n > a.Len {
		c.fail(l.Pos, "%s needs %d elements, and %s has %d", l.Text, n, a, a.Len)
	}
	return &typed.Aggregate{Node: node(l.Pos, a), Elems: c.bytes(l.Pos, s, a.Elem)}
}

// bytes are the elements of a string, with the zero at its end.
func (c *checker) bytes(pos Pos, s string, t typed.Type) (elems []typed.Expr) {
	for _, b := range []byte(s + "\x00") {
		c.tick(pos)
		elems = append(elems, constOf(pos, t, uint64(b)))
	}
	return elems
}

// isByte reports whether t is char or uchar.
func isByte(t typed.Type) bool { return kindOf(t) == ir.I8 || kindOf(t) == ir.U8 }

// literalText returns the literal in quotes that an expression is.
func literalText(x syntax.Expr) (*syntax.Literal, bool) {
	for {
		p, ok := x.(*syntax.Paren)
		if !ok {
			l, ok := x.(*syntax.Literal)
			return l, ok && l.Kind == token.String
		}
		x = p.X
	}
}

// assertion checks __assert(x, "x"), which the macro assert makes.
func (c *checker) assertion(x *syntax.Call) operand {
	if len(x.Args) != 2 {
		c.fail(x.Pos, "assert takes one condition")
	}
	l, ok := literalText(x.Args[1])
	if !ok {
		c.fail(x.Pos, "write assert(…)")
	}
	cond := c.condition(c.rvalue(x.Args[0]), "assert")
	return valueOf(&typed.ReportExpr{Node: node(x.Pos, voidType), Op: ir.Assert, Texts: []string{c.text(l)}, Args: []typed.Expr{cond}})
}

// newLogger checks the arguments of the constructor of os_log, which say where the host shows what is logged.
func (c *checker) newLogger(pos Pos, args []syntax.Expr) typed.Expr {
	if len(args) == 1 {
		if o := c.exprOrList(args[0]); o.T != nil && same(o.T, stdlib.Logger) {
			return c.value(&o)
		}
	}
	if len(args) != 0 && len(args) != 2 {
		c.fail(pos, "os_log takes a subsystem and a category: os_log(\"app\", \"part\")")
	}
	for _, a := range args {
		o := c.rvalue(a)
		c.convert(&o, pointerTo(stdlib.ScalarOf(ir.I8), ir.Constant, true, false), "os_log")
	}
	return &typed.Zero{Node: node(pos, stdlib.Logger)}
}

// logCall checks logger.log_debug("…", values).
func (c *checker) logCall(x *syntax.Call, fun operand) operand {
	level := strings.TrimPrefix(fun.lib, "os_log::")
	var l *syntax.Literal
	ok := len(x.Args) > 0
	if ok {
		l, ok = literalText(x.Args[0])
	}
	if !ok {
		c.fail(x.Pos, "%s takes a format in quotes: %s(\"i = %%d\", i)", level, level)
	}
	m := &message{c: c, pos: l.Pos, args: x.Args[1:]}
	m.text.WriteString(level + ": ")
	m.format(c.text(l))
	if len(m.args) > 0 {
		c.fail(m.args[0].Place(), "the format has no place for this value")
	}
	e := &typed.ReportExpr{Node: node(x.Pos, voidType), Op: ir.Note, Texts: append(m.texts, m.text.String()), Args: m.values}
	if o := fun.object; o.X != nil && !typed.Pure(o.X) {
		return valueOf(&typed.SeqExpr{Node: node(x.Pos, voidType), Effects: []typed.Expr{o.X}, X: e})
	}
	return valueOf(e)
}

// message is a format that is being taken apart.
type message struct {
	c      *checker
	pos    Pos
	args   []syntax.Expr // those that are left
	texts  []string      // done, with four verbs each
	text   strings.Builder
	verbs  int // in text
	values []typed.Expr
}

// format reads a format as printf has it, with %v<n> for vectors.
func (m *message) format(s string) {
	for s != "" {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			m.text.WriteString(s)
			return
		}
		m.text.WriteString(s[:at])
		if s = s[at:]; strings.HasPrefix(s, "%%") {
			m.text.WriteString("%%")
			s = s[2:]
			continue
		}
		n := 1 + len(s[1:]) - len(strings.TrimLeft(s[1:], "-+ #0123456789."))
		flags := s[:n]
		width := 0
		if s = s[n:]; len(s) > 1 && s[0] == 'v' && s[1] >= '2' && s[1] <= '4' {
			width, s = int(s[1]-'0'), s[2:]
		}
		s = strings.TrimLeft(s, "hl")
		if s == "" || strings.IndexByte("diuxXocfFeEgGaA", s[0]) < 0 {
			m.c.fail(m.pos, "the format has a %%%.1s: there are %%d %%i %%u %%x %%X %%o %%c %%f %%F %%e %%E %%g %%G %%a %%A, and %%v4f and the like for vectors", s)
		}
		m.value(flags, s[0], width)
		s = s[1:]
	}
}

// value converts the next value for a verb; width is that of %v, 0 for a scalar.
func (m *message) value(flags string, verb byte, width int) {
	c := m.c
	if len(m.args) == 0 {
		c.fail(m.pos, "the format has more conversions than there are values")
	}
	o := c.rvalue(m.args[0])
	m.args = m.args[1:]
	if c.structOf(o.T) != nil {
		o = c.viaConversion(o, func(t typed.Type) bool { return kindOf(element(t)) != ir.Void }, "a value to log")
	}
	k := kindOf(element(o.T))
	n := 1
	if v, ok := o.T.(*typed.Vector); ok {
		n = v.N
	}
	if k == ir.Void {
		c.refuse(o.pos, "values to log that are no numbers, such as "+o.T.String(), "log what it holds")
	}
	to := ir.I64
	switch {
	case isFloatKind(k):
		if to = ir.F32; strings.IndexByte("fFeEgGaA", verb) < 0 {
			c.warn(o.pos, "%%%c is for integers, and this is a %s: it is logged as %%g", verb, o.T)
			verb = 'g'
		}
	case strings.IndexByte("fFeEgGaA", verb) >= 0:
		c.warn(o.pos, "%%%c is for floats, and this is a %s: it is logged as %%d", verb, o.T)
		verb = 'd'
	}
	if width > 0 && width != n {
		c.warn(o.pos, "%%v%d is for vectors of %d, and this is a %s", width, width, o.T)
	}
	x := c.number(c.value(&o))
	switch {
	case to != ir.F32 && strings.IndexByte("uxXo", verb) >= 0:
		to = ir.U64
		if isSignedKind(k) { // of its own width
			x = c.mustConvert(x, vectorOf(stdlib.ScalarOf(k+1), n))
		}
	case verb == 'i':
		verb = 'd'
	}
	m.values = append(m.values, c.mustConvert(x, vectorOf(stdlib.ScalarOf(to), n)))
	for i := range n {
		if m.verbs == 4 {
			m.texts = append(m.texts, m.text.String())
			m.text.Reset()
			m.verbs = 0
		}
		if i > 0 {
			m.text.WriteString(", ")
		}
		fmt.Fprintf(&m.text, "%s%c", flags, verb)
		m.verbs++
	}
}

// mustConvert converts numbers as a cast does.
func (c *checker) mustConvert(x typed.Expr, to typed.Type) typed.Expr {
	y, err := stdlib.Convert(x, to, true)
	c.check(x.At(), err)
	return y
}
