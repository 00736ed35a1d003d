package preprocess

import (
	"strings"

	"gamma/metal/internal/msl/token"
)

// context is a list of tokens being read: the text of a macro, or, without m, a list that is expanded for
// itself and has an end of its own.
type context struct {
	toks       []token.Token
	i          int
	m          *macro
	pos        token.Pos
	space, bol bool
	owned      bool // toks may be used again once they are read
}

// buffer returns an empty list that substitution may fill; release takes it back.
func (p *processor) buffer() []token.Token {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	return make([]token.Token, 0, 64)
}

func (p *processor) release(b []token.Token) {
	if len(p.free) < 32 && cap(b) > 0 && cap(b) <= 4096 {
		p.free = append(p.free, b[:0])
	}
}

// read reads the next token, unexpanded, into t: from the innermost macro text, or from the file. At the
// end of a list it gives kindEnd, at the end of a file EOF, both again and again.
func (p *processor) read(t *token.Token) {
	if p.stop {
		*t = token.Token{Kind: token.EOF}
		return
	}
	if p.hasBack {
		*t, p.hasBack = p.back, false
		return
	}
	for len(p.stack) > 0 {
		c := &p.stack[len(p.stack)-1]
		if c.i < len(c.toks) {
			*t = c.toks[c.i]
			if c.m != nil {
				t.Pos = c.pos
				t.Bol = false
				if c.i == 0 {
					t.Space, t.Bol = c.space, c.bol
				}
			}
			c.i++
			p.count(1, t.Pos)
			return
		}
		if c.m == nil {
			*t = token.Token{Kind: kindEnd}
			return
		}
		c.m.disabled = false
		if c.owned {
			p.release(c.toks)
		}
		p.stack = p.stack[:len(p.stack)-1]
	}
	for {
		p.f.next(t, false)
		if t.Bol && t.Kind == token.Punct && (t.Text == "#" || t.Text == "%:") {
			if p.directive(t) {
				return
			}
			if !p.stop {
				continue
			}
			*t = token.Token{Kind: token.EOF}
		}
		return
	}
}

// count counts tokens that macros made.
func (p *processor) count(n int, pos token.Pos) {
	if p.made += n; p.made > MaxTokens {
		p.fatal(pos, "macros made over %d tokens, the limit, while macro %s is expanded; make it smaller", MaxTokens, p.outer)
	}
}

// push begins to read the text of a macro.
func (p *processor) push(m *macro, toks []token.Token, at *token.Token) {
	if len(p.stack) >= MaxNesting {
		p.fatal(at.Pos, "macros nest %d deep, the limit, while macro %s is expanded", MaxNesting, p.outer)
		return
	}
	m.disabled = true
	p.stack = append(p.stack, context{toks: toks, m: m, pos: at.Pos, space: at.Space, bol: at.Bol, owned: !m.isPlain})
}

// expanded reads the next token after expansion into t, and returns what is known of it as a name.
func (p *processor) expanded(t *token.Token) name {
	for {
		p.read(t)
		if t.Kind != token.Ident {
			if t.Kind == kindPainted {
				return p.names[t.Text]
			}
			return name{}
		}
		n := p.names[t.Text]
		m := n.m
		if m == nil {
			return n
		}
		if m.disabled {
			t.Kind = kindPainted
			return n
		}
		if len(p.stack) == 0 || p.condition && len(p.stack) == 1 {
			p.outer = m.name
		}
		if m.builtin != 0 {
			if p.callBuiltin(m, t) {
				return n
			}
			continue
		}
		if m.shared {
			own := *m
			own.shared = false
			m, n.m = &own, &own
			p.names[t.Text] = n
		}
		at := *t
		var toks []token.Token
		if m.function {
			var open token.Token
			p.read(&open)
			if open.Kind != token.Punct || open.Text != "(" {
				p.unread(&open)
				*t = at
				return n
			}
			all, args, ok := p.arguments(m, at.Pos)
			if !ok {
				continue
			}
			if m.isPlain {
				toks = m.plain
			} else {
				toks = p.substitute(m, args, &at)
			}
			p.release(all)
		} else if m.isPlain {
			toks = m.plain
		} else {
			toks = p.substitute(m, nil, &at)
		}
		if len(toks) > 0 {
			p.push(m, toks, &at)
		}
	}
}

// unread gives back a token that was read to see what follows.
func (p *processor) unread(t *token.Token) {
	if t.Kind != kindEnd && t.Kind != token.EOF {
		p.back, p.hasBack = *t, true
	}
}

// hasMacro reports whether a token of toks names a macro.
func (p *processor) hasMacro(toks []token.Token) bool {
	for i := range toks {
		if toks[i].Kind == token.Ident && p.names[toks[i].Text].m != nil {
			return true
		}
	}
	return false
}

// expandList expands toks for themselves. The result may be toks.
func (p *processor) expandList(toks []token.Token) []token.Token {
	if !p.hasMacro(toks) {
		return toks
	}
	if len(p.stack) >= MaxNesting {
		p.fatal(toks[0].Pos, "macros nest %d deep, the limit, while macro %s is expanded", MaxNesting, p.outer)
		return nil
	}
	depth := len(p.stack)
	p.stack = append(p.stack, context{toks: toks})
	out := make([]token.Token, 0, len(toks))
	for {
		var t token.Token
		p.expanded(&t)
		if t.Kind == kindEnd || t.Kind == token.EOF {
			break
		}
		out = append(out, t)
	}
	p.stack = p.stack[:depth]
	return out
}

// arguments reads the arguments of a use of m, after the parenthesis. They lie in all.
func (p *processor) arguments(m *macro, pos token.Pos) (all []token.Token, args [][]token.Token, ok bool) {
	var (
		few   [8]int
		ends  = few[:0]
		depth int
		last  = len(m.params) - 1
	)
	all = p.buffer()
	for {
		var t token.Token
		p.read(&t)
		switch t.Kind {
		case token.EOF, kindEnd:
			if !p.stop {
				p.errorf(pos, "the arguments of macro %s do not end; a ) is missing", m.name)
			}
			return nil, nil, false
		case token.Ident:
			// Reading on can end the text of a macro: what was painted there stays so.
			if k := p.names[t.Text].m; k != nil && k.disabled {
				t.Kind = kindPainted
			}
		case token.Punct:
			switch t.Text {
			case "(":
				depth++
			case ")":
				if depth > 0 {
					depth--
					break
				}
				ends = append(ends, len(all))
				args, ok = p.splitArguments(m, all, ends, pos)
				return all, args, ok
			case ",":
				if depth == 0 && !(m.variadic && len(ends) == last) {
					ends = append(ends, len(all))
					continue
				}
			}
		}
		if t.Bol {
			t.Space, t.Bol = true, false
		}
		if len(all) >= MaxTokens {
			p.fatal(pos, "an argument of macro %s has over %d tokens, the limit", m.name, MaxTokens)
			return nil, nil, false
		}
		all = append(all, t)
	}
}

func (p *processor) splitArguments(m *macro, all []token.Token, ends []int, pos token.Pos) ([][]token.Token, bool) {
	want, got := len(m.params), len(ends)
	switch {
	case want == 0 && got == 1 && len(all) == 0:
		return nil, true
	case got == want:
	case m.variadic && got == want-1:
		ends = append(ends, len(all))
	default:
		p.errorf(pos, "macro %s takes %d arguments, not %d", m.name, want, got)
		return nil, false
	}
	args := make([][]token.Token, len(ends))
	start := 0
	for i, end := range ends {
		args[i] = all[start:end:end]
		start = end
	}
	return args, true
}

// substitute puts the arguments into the text of m.
func (p *processor) substitute(m *macro, args [][]token.Token, at *token.Token) []token.Token {
	var few [6][]token.Token
	full := few[:]
	if len(args) > len(few) {
		full = make([][]token.Token, len(args))
	}
	out := p.buffer()
	var one [1]token.Token
	glue, marked := false, false
	for i := range m.body {
		if p.stop {
			return nil
		}
		pc := &m.body[i]
		v := one[:]
		switch {
		case pc.param < 0:
			one[0] = pc.tok
		case pc.hash:
			one[0] = p.stringify(args[pc.param], at)
		case glue && m.variadic && pc.param == len(m.params)-1 && m.body[i-1].param < 0 && m.body[i-1].tok.Text == ",":
			// ", ## __VA_ARGS__" loses its comma if there is nothing after it, and pastes nothing.
			v = args[pc.param]
			if len(v) == 0 && len(out) > 0 {
				out = out[:len(out)-1]
			}
			glue = false
		case glue || pc.paste:
			if v = args[pc.param]; len(v) == 0 {
				one[0] = token.Token{Kind: kindMarker}
				v, marked = one[:], true
			}
		default:
			if full[pc.param] == nil {
				full[pc.param] = p.expandList(args[pc.param])
			}
			v = full[pc.param]
		}
		p.count(len(v), at.Pos)
		first := len(out)
		if glue && len(out) > 0 && len(v) > 0 {
			if p.paste(&out[len(out)-1], &v[0], at) {
				v = v[1:]
			}
			out = append(out, v...)
		} else {
			out = append(out, v...)
			if len(out) > first {
				out[first].Space = pc.tok.Space
			}
		}
		glue = pc.paste
	}
	if !marked {
		return out
	}
	kept := out[:0]
	for _, t := range out {
		if t.Kind != kindMarker {
			kept = append(kept, t)
		}
	}
	return kept
}

// paste joins b to a and reports whether that gave a token.
func (p *processor) paste(a, b, at *token.Token) bool {
	if b.Kind == kindMarker {
		return true
	}
	if a.Kind == kindMarker {
		space := a.Space
		*a = *b
		a.Space = space
		return true
	}
	if !p.makeText(len(a.Text)+len(b.Text), at) {
		return true
	}
	text := a.Text + b.Text
	var (
		ignored token.List
		r       token.Token
		s       = scanner{src: text, diags: &ignored}
	)
	if a.Kind != token.Pragma && b.Kind != token.Pragma {
		s.next(&r, false)
	}
	if s.off != len(text) || r.Kind == token.EOF || r.Kind == kindOther || r.Space {
		p.errorf(at.Pos, "## makes no token of %.30s and %.30s in macro %s", a.Text, b.Text, p.outer)
		return false
	}
	a.Kind, a.Text = r.Kind, text
	return true
}

// makeText counts bytes that # and ## make.
func (p *processor) makeText(n int, at *token.Token) bool {
	if p.text += n; p.text > maxText {
		p.fatal(at.Pos, "# and ## made over %d bytes, the limit, while macro %s is expanded", maxText, p.outer)
		return false
	}
	return true
}

// stringify spells an argument as a string.
func (p *processor) stringify(arg []token.Token, at *token.Token) token.Token {
	n := 2
	for i := range arg {
		n += 2*len(arg[i].Text) + 1
	}
	t := token.Token{Kind: token.String, Text: `""`}
	if !p.makeText(n, at) {
		return t
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range arg {
		a := &arg[i]
		if a.Space && i > 0 {
			b.WriteByte(' ')
		}
		if a.Kind != token.String && a.Kind != token.Char {
			b.WriteString(a.Text)
			continue
		}
		for j := range len(a.Text) {
			if c := a.Text[j]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(a.Text[j])
		}
	}
	b.WriteByte('"')
	text := b.String()
	s := scanner{src: text}
	if kind, end := s.quoted(0); kind != token.String || end != len(text) {
		p.errorf(at.Pos, "# makes no string of an argument of macro %s: a \\ or a lone quote is in it", p.outer)
		return t
	}
	t.Text = text
	return t
}
