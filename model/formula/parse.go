package formula

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of a text that Parse reads: bytes, calls, bytes of a name, inputs, axes of one expression, and calls inside calls.
const (
	maxText   = 1 << 20
	maxCalls  = 1 << 14
	maxName   = 64
	maxInputs = 64
	maxAxes   = 16
	maxDepth  = 200
)

// Parse reads a formula as Print writes it. Errors name line and column. A text of more than a million bytes, as it is or as Print writes
// it, or of more than 16,384 calls, 64 inputs, 16 axes of an expression, 200 calls inside each other or 64 bytes of a name is an error.
func Parse(text string) (*Expr, error) {
	if len(text) > maxText {
		return nil, tooLong(len(text))
	}
	p := &parser{named: map[string]entry{}}
	lines := strings.Split(text, "\n")
	last := -1
	for i, line := range lines {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			last = i
		}
		lines[i] = line
	}
	for i := range last {
		p.line, p.s, p.at = i+1, lines[i], 0
		if err := p.declaration(); err != nil {
			return nil, p.wrap(err)
		}
	}
	p.line, p.s, p.at = max(last, 0)+1, lines[max(last, 0)], 0
	e, err := p.result()
	if err != nil {
		return nil, p.wrap(err)
	}
	needed := map[*Expr]bool{}
	for _, n := range e.Nodes() {
		needed[n] = true
	}
	for _, d := range p.declared {
		if !needed[d.e] {
			p.line, p.at = d.line, 0
			return nil, p.wrap(fmt.Errorf("the result does not need %s", d.name))
		}
	}
	if n := len(Print(e)); n > maxText {
		return nil, tooLong(n)
	}
	return e, nil
}

func tooLong(n int) error {
	return fmt.Errorf("formula: a text of %d bytes, and at most %d are read", n, maxText)
}

// entry is a name of a text, an input's or another expression's.
type entry struct {
	name string
	e    *Expr
	line int
}

// parser reads one line after the other.
type parser struct {
	s        string // the line
	at, line int
	named    map[string]entry
	declared []entry
	inputs   int
	calls    int
}

func (p *parser) wrap(err error) error {
	return fmt.Errorf("formula: %d:%d: %w", p.line, p.at+1, err)
}

// declaration reads an input or a named expression, or nothing.
func (p *parser) declaration() error {
	if p.end() {
		return nil
	}
	start := p.at
	name, err := p.word("a name")
	if err != nil {
		return err
	}
	if d, ok := p.named[name]; ok {
		p.at = start
		return fmt.Errorf("%s is declared in line %d already", name, d.line)
	}
	var e *Expr
	if p.skip('=') {
		e, err = p.term(0)
	} else {
		e, err = p.input(name)
	}
	if err == nil && !p.end() {
		err = errors.New("the line goes on after its expression")
	}
	d := entry{name, e, p.line}
	p.named[name] = d
	p.declared = append(p.declared, d)
	return err
}

// result reads the last line.
func (p *parser) result() (*Expr, error) {
	if p.end() {
		return nil, errors.New(`there is no result: the last line has to be "result" and an expression`)
	}
	start := p.at
	if word, err := p.word("the word result"); err != nil || word != "result" {
		p.at = start
		return nil, errors.New(`the last line has to be "result" and an expression`)
	}
	e, err := p.term(0)
	if err == nil && !p.end() {
		err = errors.New("the line goes on after its expression")
	}
	return e, err
}

// end reports whether nothing follows in the line.
func (p *parser) end() bool {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\t' || p.s[p.at] == '\r') {
		p.at++
	}
	return p.at == len(p.s)
}

// skip passes c if it is next.
func (p *parser) skip(c byte) bool {
	if p.end() || p.s[p.at] != c {
		return false
	}
	p.at++
	return true
}

// word reads a run of letters, digits and underscores.
func (p *parser) word(what string) (string, error) {
	p.end()
	from := p.at
	for p.at < len(p.s) {
		c := p.s[p.at]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			break
		}
		p.at++
	}
	word := p.s[from:p.at]
	if isName(word) && len(word) <= maxName {
		return word, nil
	}
	p.at = from
	if len(word) > maxName {
		return "", fmt.Errorf("a name of more than %d bytes", maxName)
	}
	return "", fmt.Errorf("here has to be %s", what)
}

// list reads words after commas, to the closing byte.
func (p *parser) list(closing byte, what string) ([]string, error) {
	var words []string
	for !p.skip(closing) {
		if len(words) > 0 && !p.skip(',') {
			return nil, fmt.Errorf("here has to be , or %c", closing)
		}
		word, err := p.word(what)
		if err != nil {
			return nil, err
		}
		if words = append(words, word); len(words) > maxAxes {
			return nil, fmt.Errorf("more than %d axes", maxAxes)
		}
	}
	return words, nil
}

// input reads type and axes.
func (p *parser) input(name string) (*Expr, error) {
	if p.inputs++; p.inputs > maxInputs {
		return nil, fmt.Errorf("more than %d inputs", maxInputs)
	}
	p.end()
	start := p.at
	word, err := p.word("= and an expression, or the type of an input")
	if err != nil {
		return nil, err
	}
	t, err := TypeByName(word)
	if err != nil {
		p.at = start
		return nil, bare(err)
	}
	var axes []string
	if p.skip('[') {
		if axes, err = p.list(']', "the name of an axis"); err != nil {
			return nil, err
		}
	}
	return p.made(Input(name, t, axes...), start)
}

// bare returns err without the package's name, which Parse writes itself.
func bare(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "formula: "))
}

// made returns e, or what is wrong with it, at a place of the line.
func (p *parser) made(e *Expr, start int) (*Expr, error) {
	var m *mistake
	if len(e.node.Args) > 0 {
		p.calls++
	}
	switch {
	case errors.As(e.err, &m):
		p.at = start
		return nil, fmt.Errorf("%s: %s", m.op, m.text)
	case p.calls > maxCalls:
		p.at = start
		return nil, fmt.Errorf("more than %d calls", maxCalls)
	case len(e.axes) > maxAxes:
		p.at = start
		return nil, fmt.Errorf("more than %d axes", maxAxes)
	}
	return e, nil
}

// term reads a name, a constant or a call.
func (p *parser) term(depth int) (*Expr, error) {
	p.end()
	start := p.at
	if start < len(p.s) && strings.IndexByte("+-.0123456789", p.s[start]) >= 0 {
		return p.constant()
	}
	word, err := p.word("a name, a number or an operation")
	if err != nil {
		return nil, err
	}
	if p.skip('(') {
		return p.call(word, start, depth)
	}
	d, ok := p.named[word]
	if !ok {
		p.at = start
		return nil, fmt.Errorf("%s is not declared above", word)
	}
	return d.e, nil
}

// constant reads a real number, which has a point, an exponent or no digits, or an integer.
func (p *parser) constant() (*Expr, error) {
	start := p.at
	for p.at < len(p.s) && strings.IndexByte("+-.0123456789einf", p.s[p.at]) >= 0 {
		p.at++
	}
	s := p.s[start:p.at]
	switch {
	case s == "+inf" || s == "-inf":
		sign := 1
		if s[0] == '-' {
			sign = -1
		}
		return p.made(Const(math.Inf(sign)), start)
	case strings.ContainsAny(s, ".e") && !strings.ContainsAny(s, "inf"):
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			p.at = start
			return nil, fmt.Errorf("%q is not a number of binary64", s)
		}
		return p.made(Const(v), start)
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.at = start
		return nil, fmt.Errorf("%q is not a number: integers have digits alone, real numbers a point or an exponent", s)
	}
	return p.made(Integer(v), start)
}

// operations finds an operation by its name.
var operations = func() map[string]Op {
	m := map[string]Op{}
	for op := OpIndex; op < opEnd; op++ {
		m[table[op].name] = op
	}
	return m
}()

// call reads what follows the parenthesis of an operation.
func (p *parser) call(word string, start, depth int) (*Expr, error) {
	op, ok := operations[word]
	if !ok {
		p.at = start
		return nil, fmt.Errorf("there is no operation %s; there are %s", word, strings.Join(slices.Sorted(maps.Keys(operations)), ", "))
	}
	if depth++; depth > maxDepth {
		p.at = start
		return nil, fmt.Errorf("more than %d calls inside each other: name some of them", maxDepth)
	}
	n := Node{Op: op}
	operands := table[op].args
	if op == OpIndex && !p.alone() {
		operands = 1
	}
	for i := range operands {
		if i > 0 && !p.skip(',') {
			return nil, fmt.Errorf("%s takes %s; here has to be a comma", op, counted(operands, "operand"))
		}
		a, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		n.Args = append(n.Args, a)
	}
	if err := p.rest(&n, operands > 0); err != nil {
		return nil, err
	}
	return p.made(New(n), start)
}

// alone reports whether a word and a closing parenthesis are next.
func (p *parser) alone() bool {
	at := p.at
	defer func() { p.at = at }()
	_, err := p.word("")
	return err == nil && p.skip(')')
}

// rest reads words and options, to the closing parenthesis.
func (p *parser) rest(n *Node, comma bool) error {
	var list []string
	for !p.skip(')') {
		if p.skip(';') {
			return p.finish(n, list, true)
		}
		if comma && !p.skip(',') {
			return fmt.Errorf("here has to be a comma, a semicolon or a closing parenthesis of %s", n.Op)
		}
		comma = true
		word, err := p.word("a word, such as the name of an axis")
		if err != nil {
			return err
		}
		if list = append(list, word); len(list) > maxAxes {
			return fmt.Errorf("more than %d axes", maxAxes)
		}
	}
	return p.finish(n, list, false)
}

// finish gives n the words after its operands, and reads its options if there are any.
func (p *parser) finish(n *Node, list []string, more bool) error {
	n.Axes = list
	switch {
	case n.Op == OpStore && len(list) == 1:
		t, err := TypeByName(list[0])
		if err != nil {
			return bare(err)
		}
		n.Type, n.Axes = t, nil
	case n.Op == OpStore:
		return errors.New("store takes an operand and a type")
	case n.Op == OpRename && len(list) == 2:
		n.Axes, n.To = list[:1], list[1]
	case n.Op == OpRename:
		return errors.New("rename takes an operand, the name of an axis and its new name")
	case n.Op.Class() == Elementwise && len(list) > 0:
		return fmt.Errorf("%s takes %s and no axes", n.Op, counted(table[n.Op].args, "operand"))
	}
	if !more {
		return nil
	}
	for !p.skip(')') {
		if err := p.option(n); err != nil {
			return err
		}
	}
	return nil
}

// option reads one word after the semicolon.
func (p *parser) option(n *Node) error {
	start := p.at
	word, err := p.word("an option or a closing parenthesis")
	if err != nil {
		return err
	}
	if p.at < len(p.s) && p.s[p.at] == '=' {
		p.at++
		word += "="
	}
	for _, o := range vocabulary {
		if o.word != word {
			continue
		}
		v := 1
		if strings.HasSuffix(word, "=") {
			from := p.at
			for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
				p.at++
			}
			if v, err = strconv.Atoi(p.s[from:p.at]); err != nil || v < 1 || v > math.MaxInt32 {
				p.at = from
				return fmt.Errorf("%s needs a number from 1 to 2^31-1", word)
			}
		}
		if !slices.Contains(o.ops, n.Op) {
			p.at = start
			return fmt.Errorf("%s has no option %s", n.Op, word)
		}
		before := len(options(*n))
		if o.set(n, v); len(options(*n)) == before {
			p.at = start
			return fmt.Errorf("%s says the same, or the opposite, as an option before it", word)
		}
		return nil
	}
	p.at = start
	return fmt.Errorf("there is no option %s", word)
}
