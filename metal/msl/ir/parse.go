package ir

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gamma/model"
)

// MaxRegs bounds the registers of a kernel that Parse reads.
const MaxRegs = 1 << 20

// Parse reads what Kernel.String writes, and the same written by hand: constants of float types may be decimal or
// hexadecimal floats, inf or nan as well as bits (0x and digits without a point or exponent), registers that were typed
// before need no type where they are written again, and blank lines, indents and comments are free. The error names the line.
//
// It checks the grammar alone: whether the kernel is well formed is Verify's business.
func Parse(text string) (*Kernel, error) {
	// Every register has to be written with its type, so there are fewer than the text has bytes.
	p := &parser{k: &Kernel{Regs: []Type{Void}}, typed: []bool{true}, regs: min(MaxRegs, len(text))}
	for rest, more := text, true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		p.line++
		if err := p.tokens(line); err != nil {
			return nil, err
		}
		if len(p.list) == 0 {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, fmt.Errorf("ir: line %d: %w", p.line, err)
		}
	}
	switch {
	case !p.named:
		return nil, fmt.Errorf("ir: the text has no kernel line")
	case !p.closed:
		return nil, fmt.Errorf("ir: line %d: the text ends inside a block", p.line)
	}
	for r, typed := range p.typed {
		if !typed {
			return nil, fmt.Errorf("ir: register %%%d has no type; write it as %%%d:type = …, or add a line reg %%%d:type", r, r, r)
		}
	}
	return p.k, nil
}

type parser struct {
	k      *Kernel
	typed  []bool
	line   int
	regs   int
	list   []word
	at     int
	open   []*frame
	named  bool
	closed bool
}

// frame is an open block: where its nodes go.
type frame struct {
	block *Block
	cond  *If // whose Then it is, so that else may follow
}

// word is a token: a quoted string's value, a name or number, or one character.
type word struct {
	text   string
	quoted bool
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c == '|' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *parser) tokens(line string) error {
	p.list, p.at = p.list[:0], 0
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == ';':
			return nil
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '"':
			q, err := strconv.QuotedPrefix(line[i:])
			if err != nil {
				return fmt.Errorf("ir: line %d: the quoted text does not end", p.line)
			}
			s, err := strconv.Unquote(q)
			if err != nil {
				return fmt.Errorf("ir: line %d: %w", p.line, err)
			}
			p.list = append(p.list, word{s, true})
			i += len(q)
		case isWordByte(c):
			j := i + 1
			number := c >= '0' && c <= '9'
			isHex := strings.HasPrefix(line[i:], "0x") || strings.HasPrefix(line[i:], "0X")
			for j < len(line) && (isWordByte(line[j]) || number && exponentSign(line, j, isHex)) {
				j++
			}
			p.list = append(p.list, word{line[i:j], false})
			i = j
		default:
			p.list = append(p.list, word{line[i : i+1], false})
			i++
		}
	}
	return nil
}

// exponentSign reports whether line[j] is the sign of a number's exponent.
func exponentSign(line string, j int, isHex bool) bool {
	if line[j] != '+' && line[j] != '-' {
		return false
	}
	e := line[j-1] | 0x20
	return e == 'p' && isHex || e == 'e' && !isHex
}

func (p *parser) peek() string {
	if p.at < len(p.list) && !p.list[p.at].quoted {
		return p.list[p.at].text
	}
	return ""
}

func (p *parser) next() string {
	s := p.peek()
	if s != "" {
		p.at++
	}
	return s
}

// accept takes the next word if it is s.
func (p *parser) accept(s string) bool {
	if p.peek() == s {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(s string) error {
	if p.accept(s) {
		return nil
	}
	return p.wanted(strconv.Quote(s))
}

func (p *parser) wanted(what string) error {
	if p.at >= len(p.list) {
		return fmt.Errorf("%s is missing at the end of the line", what)
	}
	return fmt.Errorf("%q stands where %s should", p.list[p.at].text, what)
}

func (p *parser) end() error {
	if p.at < len(p.list) {
		return p.wanted("the end of the line")
	}
	return nil
}

func (p *parser) quoted() (string, error) {
	if p.at < len(p.list) && p.list[p.at].quoted {
		p.at++
		return p.list[p.at-1].text, nil
	}
	return "", p.wanted("a quoted text")
}

// integer reads a whole number of n bits, decimal or hexadecimal, with a sign if signed.
func (p *parser) integer(bits int) (int64, error) {
	sign := ""
	start := p.at
	if p.accept("-") {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+p.next(), 0, bits)
	if err != nil {
		p.at = start
		return 0, p.wanted(fmt.Sprintf("a whole number of %d bits", bits))
	}
	return v, nil
}

func (p *parser) number() (int, error) {
	v, err := p.integer(48)
	return int(v), err
}

func (p *parser) position() (model.Position, error) {
	var pos model.Position
	var err error
	if pos.File, err = p.quoted(); err != nil {
		return pos, err
	}
	for _, dst := range []*int{&pos.Line, &pos.Column} {
		if err := p.expect(":"); err != nil {
			return pos, err
		}
		if *dst, err = p.number(); err != nil {
			return pos, err
		}
	}
	return pos, nil
}

func (p *parser) typ() (Type, error) {
	if t, ok := ParseType(p.peek()); ok {
		p.at++
		return t, nil
	}
	return Void, p.wanted("a type")
}

// reg reads %n.
func (p *parser) reg() (Reg, error) {
	if err := p.expect("%"); err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(p.peek(), 10, 31)
	if err != nil || n >= uint64(p.regs) {
		return 0, p.wanted(fmt.Sprintf("a register's number below %d", p.regs))
	}
	p.at++
	for int(n) >= len(p.typed) {
		p.typed = append(p.typed, false)
		p.k.Regs = append(p.k.Regs, Void)
	}
	return Reg(n), nil
}

// setType gives r a type, or checks that it has this one.
func (p *parser) setType(r Reg, t Type) error {
	switch {
	case r == 0 || t == Void:
		return fmt.Errorf("register %%%d cannot have type %s", r, t)
	case p.typed[r] && p.k.Regs[r] != t:
		return fmt.Errorf("register %%%d is %s and cannot be %s", r, p.k.Regs[r], t)
	}
	p.typed[r], p.k.Regs[r] = true, t
	return nil
}

// target reads %n or %n:type, a register that is written.
func (p *parser) target() (Reg, error) {
	r, err := p.reg()
	if err != nil || r == 0 {
		return r, err
	}
	if p.accept(":") {
		t, err := p.typ()
		if err != nil {
			return 0, err
		}
		return r, p.setType(r, t)
	}
	if !p.typed[r] {
		return 0, fmt.Errorf("register %%%d needs a type where it is first written: %%%d:type", r, r)
	}
	return r, nil
}

func (p *parser) statement() error {
	if p.closed {
		return p.wanted("the end of the text")
	}
	if len(p.open) == 0 {
		return p.headerLine()
	}
	return p.bodyLine()
}

func (p *parser) headerLine() (err error) {
	k := p.k
	key := p.next()
	if !p.named && key != "kernel" {
		return fmt.Errorf(`the text begins with a line kernel "name"`)
	}
	switch key {
	case "kernel":
		if p.named {
			return fmt.Errorf("one text holds one kernel")
		}
		p.named = true
		k.Name, err = p.quoted()
	case "at":
		k.Pos, err = p.position()
	case "place":
		var pos model.Position
		pos, err = p.position()
		k.Places = append(k.Places, pos)
	case "text":
		var text string
		text, err = p.quoted()
		k.Texts = append(k.Texts, text)
	case "statements":
		k.Statements, err = p.number()
	case "max_threads":
		k.MaxThreads, err = p.number()
	case "buffer":
		err = p.buffer()
	case "input":
		err = p.input()
	case "object":
		err = p.object()
	case "name":
		var r Reg
		if r, err = p.reg(); err != nil {
			return err
		}
		if k.Names == nil {
			k.Names = map[Reg]string{}
		}
		k.Names[r], err = p.quoted()
	case "reg":
		_, err = p.target()
	case "{":
		p.open = []*frame{{block: &k.Body}}
	default:
		p.at = 0
		return p.wanted("kernel, at, place, statements, max_threads, buffer, input, object, name, reg or {")
	}
	if err != nil {
		return err
	}
	return p.end()
}

func (p *parser) space() (Space, error) {
	for s, n := range spaceNames {
		if p.accept(n) {
			return Space(s), nil
		}
	}
	return 0, p.wanted("an address space")
}

// fields reads key=value pairs and flags until the end of the line; f reads the value of a key.
func (p *parser) fields(flags map[string]*bool, f func(key string) error) error {
	for p.at < len(p.list) {
		key := p.next()
		if dst, ok := flags[key]; ok {
			*dst = true
			continue
		}
		if key == "" {
			return p.wanted("a name")
		}
		if err := p.expect("="); err != nil {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
	return nil
}

func unknownField(key string) error { return fmt.Errorf("there is no field called %q", key) }

func (p *parser) buffer() (err error) {
	b := Buffer{Align: 1}
	if b.Reg, err = p.reg(); err != nil {
		return err
	}
	if b.Reg != 0 {
		if err = p.setType(b.Reg, Ptr); err != nil {
			return err
		}
	}
	if b.Name, err = p.quoted(); err != nil {
		return err
	}
	if err = p.expect("index"); err != nil {
		return err
	}
	if err = p.expect("="); err != nil {
		return err
	}
	if b.Index, err = p.number(); err != nil {
		return err
	}
	if b.Space, err = p.space(); err != nil {
		return err
	}
	err = p.fields(map[string]*bool{
		"whole": &b.Whole, "readonly": &b.ReadOnly, "writeonly": &b.WriteOnly, "optional": &b.Optional, "sampler": &b.Sampler, "resource": &b.Resource, "coherent": &b.Coherent,
	}, func(key string) (err error) {
		switch key {
		case "elem":
			b.Elem, err = p.number()
		case "align":
			b.Align, err = p.number()
		case "type":
			b.Type, err = p.quoted()
		case "texture":
			var name string
			if name, err = p.quoted(); err == nil {
				b.Texture, err = textureOf(name, b.Texture.Texel)
			}
		case "texel":
			b.Texture.Texel, err = p.typ()
		case "at":
			b.Pos, err = p.position()
		default:
			return unknownField(key)
		}
		return err
	})
	p.k.Buffers = append(p.k.Buffers, b)
	return err
}

// textureOf is ParseTexture for a texture of such texels.
func textureOf(name string, texel Type) (Texture, error) {
	t, ok := ParseTexture(name)
	if !ok {
		return t, fmt.Errorf("no texture %q", name)
	}
	t.Texel = texel
	return t, nil
}

func (p *parser) input() error {
	r, err := p.reg()
	if err != nil {
		return err
	}
	t, err := p.typ()
	if err != nil {
		return err
	}
	if err := p.setType(r, t); err != nil {
		return err
	}
	name, axis, _ := strings.Cut(p.next(), ".")
	kind, ok := ParseInput(name)
	n, err := strconv.ParseUint(axis, 10, 8)
	if !ok || err != nil {
		p.at--
		return p.wanted("an attribute and an axis, as in thread_position_in_grid.0,")
	}
	p.k.Inputs = append(p.k.Inputs, Input{Kind: kind, Axis: int(n), Reg: r})
	return nil
}

func (p *parser) object() (err error) {
	o := Object{Align: 1}
	if o.Name, err = p.quoted(); err != nil {
		return err
	}
	if o.Space, err = p.space(); err != nil {
		return err
	}
	err = p.fields(nil, func(key string) (err error) {
		switch key {
		case "size":
			o.Size, err = p.number()
		case "align":
			o.Align, err = p.number()
		case "elem":
			o.Elem, err = p.number()
		case "data":
			text := ""
			if text, err = p.quoted(); err == nil && text != "" {
				o.Data, err = hex.DecodeString(text)
			}
		case "at":
			o.Pos, err = p.position()
		default:
			return unknownField(key)
		}
		return err
	})
	p.k.Objects = append(p.k.Objects, o)
	return err
}

func (p *parser) put(n Node) {
	b := p.open[len(p.open)-1].block
	*b = append(*b, n)
}

func (p *parser) push(f *frame) error {
	if len(p.open) > MaxDepth {
		return fmt.Errorf("nodes are nested deeper than %d", MaxDepth)
	}
	if err := p.expect("{"); err != nil {
		return err
	}
	p.open = append(p.open, f)
	return p.end()
}

func (p *parser) small() (int32, error) {
	v, err := p.integer(32)
	return int32(v), err
}

// place reads @n, if it is there.
func (p *parser) place(dst *int32) (err error) {
	if p.accept("@") {
		*dst, err = p.small()
	}
	return err
}

func (p *parser) bodyLine() (err error) {
	switch p.peek() {
	case "}":
		p.at++
		top := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		if len(p.open) == 0 {
			p.closed = true
			return p.end()
		}
		if !p.accept("else") {
			return p.end()
		}
		if top.cond == nil {
			return fmt.Errorf("there is no if that this else belongs to")
		}
		return p.push(&frame{block: &top.cond.Else})
	case "if":
		p.at++
		n := &If{}
		if n.Cond, err = p.reg(); err != nil {
			return err
		}
		if err = p.place(&n.Pos); err != nil {
			return err
		}
		p.put(n)
		return p.push(&frame{block: &n.Then, cond: n})
	case "loop":
		p.at++
		n := &Loop{}
		if n.Label, err = p.small(); err != nil {
			return err
		}
		if err = p.place(&n.Pos); err != nil {
			return err
		}
		p.put(n)
		return p.push(&frame{block: &n.Body})
	case "scope":
		p.at++
		n := &Scope{}
		if n.Label, err = p.small(); err != nil {
			return err
		}
		p.put(n)
		return p.push(&frame{block: &n.Body})
	case "leave":
		p.at++
		n := &Leave{}
		if n.Label, err = p.small(); err != nil {
			return err
		}
		if err = p.place(&n.Pos); err != nil {
			return err
		}
		p.put(n)
		return p.end()
	}
	in, err := p.instr()
	if err != nil {
		return err
	}
	p.put(in)
	return p.end()
}

func (p *parser) instr() (in *Instr, err error) {
	in = &Instr{}
	if p.peek() == "%" {
		if in.Dst, err = p.target(); err != nil {
			return nil, err
		}
		if p.accept(",") {
			if in.Dst2, err = p.target(); err != nil {
				return nil, err
			}
		}
		if err = p.expect("="); err != nil {
			return nil, err
		}
	}
	op, ok := ParseOp(p.peek())
	if !ok {
		return nil, p.wanted("an operation")
	}
	p.at++
	in.Op = op
	info := &Ops[op]
	switch {
	case info.Types == 0:
	case in.Dst != 0 && (info.Result == OfT || info.Result == OptionalT):
		in.Type = p.k.Regs[in.Dst]
	default:
		if in.Type, err = p.typ(); err != nil {
			return nil, err
		}
	}
	if info.From != 0 && !info.Address {
		if err = p.expect("from"); err != nil {
			return nil, err
		}
		if in.From, err = p.typ(); err != nil {
			return nil, err
		}
	}
	if err = p.operands(in, info); err != nil {
		return nil, err
	}
	switch {
	case op == Const:
		if in.Imm, err = p.constant(in.Type); err != nil {
			return nil, err
		}
	case info.Effect == Lanes:
		if p.accept("over") {
			in.Imm, err = p.unsigned()
		}
	case info.Imm && !info.Address:
		in.Imm, err = p.unsigned()
	}
	if err != nil {
		return nil, err
	}
	return in, p.suffixes(in)
}

func (p *parser) unsigned() (uint64, error) {
	v, err := strconv.ParseUint(p.peek(), 0, 64)
	if err != nil {
		return 0, p.wanted("a whole number")
	}
	p.at++
	return v, nil
}

func (p *parser) operands(in *Instr, info *Info) (err error) {
	first := true
	for i, o := range [...]struct {
		kind Operand
		dst  *Reg
	}{{info.A, &in.A}, {info.B, &in.B}, {info.C, &in.C}, {info.D, &in.D}} {
		if info.Address && i < 2 {
			if i == 0 {
				if err := p.address(in); err != nil {
					return err
				}
				first = false
			}
			continue
		}
		if o.kind == NoOperand {
			continue
		}
		if !first {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		first = false
		if *o.dst, err = p.reg(); err != nil {
			return err
		}
	}
	return nil
}

// address reads [%a], with + type %b*scale and + imm or - imm.
func (p *parser) address(in *Instr) (err error) {
	if err = p.expect("["); err != nil {
		return err
	}
	if in.A, err = p.reg(); err != nil {
		return err
	}
	for !p.accept("]") {
		minus := p.peek() == "-"
		if !minus && !p.accept("+") {
			return p.wanted("+, - or ]")
		}
		if t, ok := ParseType(p.peek()); ok && !minus && in.B == 0 {
			p.at++
			in.From = t
			if in.B, err = p.reg(); err != nil {
				return err
			}
			if err = p.expect("*"); err != nil {
				return err
			}
			scale, err := strconv.ParseUint(p.peek(), 0, 32)
			if err != nil {
				return p.wanted("a scale")
			}
			p.at++
			in.Scale = uint32(scale)
			continue
		}
		imm, err := p.integer(64)
		if err != nil {
			return err
		}
		in.Imm += uint64(imm)
	}
	return nil
}

// constant reads a constant of type t.
func (p *parser) constant(t Type) (uint64, error) {
	start := p.at
	text := ""
	if p.accept("-") {
		text = "-"
	}
	text += p.next()
	bad := func() (uint64, error) {
		p.at = start
		return 0, p.wanted("a constant of type " + t.String())
	}
	switch {
	case t.IsFloat() && (!strings.HasPrefix(text, "0x") || strings.ContainsAny(text, ".pP")):
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return bad()
		}
		// A decimal is rounded twice if it is written with more than 17 digits; such texts are given as bits instead.
		return Arith{}.Narrow(t, x), nil
	case t.IsSigned():
		v, err := strconv.ParseInt(text, 0, t.Bits())
		if err != nil {
			return bad()
		}
		return uint64(v) & t.Mask(), nil
	}
	v, err := strconv.ParseUint(text, 0, max(1, t.Bits()))
	if err != nil {
		return bad()
	}
	return v, nil
}

func (p *parser) suffixes(in *Instr) (err error) {
	for p.at < len(p.list) {
		switch w := p.next(); {
		case w == "@":
			in.Pos, err = p.small()
		case w == "align":
			if err = p.expect("="); err == nil {
				var n int64
				n, err = p.integer(33)
				if n < 0 || n > math.MaxUint32 {
					err = fmt.Errorf("an alignment of %d", n)
				}
				in.Align = uint32(n)
			}
		case w == "fp":
			if err = p.expect("="); err != nil {
				return err
			}
			for name := range strings.SplitSeq(p.next(), "|") {
				i := slices.Index(fpNames[:], name)
				if i < 0 {
					return fmt.Errorf("no flag of floating point is called %q; use %s", name, strings.Join(fpNames[:], ", "))
				}
				in.FP |= 1 << i
			}
		case len(w) > 1 && w[0] == 's':
			n, e := strconv.ParseInt(w[1:], 10, 32)
			if e != nil {
				return fmt.Errorf("%q is no statement, as s1 is", w)
			}
			in.Stmt = int32(n)
		default:
			p.at--
			return p.wanted("@place, sstatement, align= or fp=")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
