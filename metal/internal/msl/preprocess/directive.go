package preprocess

import (
	"strings"

	"gamma/metal/internal/msl/token"
)

// conditional is an #if that has not ended.
type conditional struct {
	pos   token.Pos
	word  string // if, ifdef, ifndef
	taken bool   // a group of it was or is kept
	last  bool   // its #else was seen
}

// rest reads the rest of the line of a directive. The next call overwrites the result.
func (p *processor) rest() []token.Token {
	p.line = p.line[:0]
	for {
		var t token.Token
		p.f.next(&t, true)
		if t.Kind == token.Newline || t.Kind == token.EOF {
			return p.line
		}
		if len(p.line) >= MaxTokens {
			p.fatal(t.Pos, "this line has over %d tokens, the limit", MaxTokens)
			return p.line
		}
		p.line = append(p.line, t)
	}
}

// noMore warns of tokens after a directive that takes none.
func (p *processor) noMore(word string) {
	if line := p.rest(); len(line) > 0 {
		p.diags.Warn(line[0].Pos, "nothing should stand after #%s; make it a comment", word)
	}
}

// spell joins tokens to the text that they had, blanks folded.
func spell(toks []token.Token) string {
	var b strings.Builder
	for i := range toks {
		if i > 0 && toks[i].Space {
			b.WriteByte(' ')
		}
		b.WriteString(toks[i].Text)
	}
	return b.String()
}

// directive obeys the directive whose # was read into t. It reports whether it left a pragma in t.
func (p *processor) directive(t *token.Token) bool {
	var d token.Token
	p.f.next(&d, true)
	switch d.Kind {
	case token.Newline, token.EOF:
		return false
	case kindNumber: // # 33 "file", as compilers write it
		p.setLine(d.Pos, append([]token.Token{d}, p.rest()...))
		return false
	}
	switch d.Text {
	case "define":
		p.define(p.rest(), d.Pos)
	case "undef":
		line := p.rest()
		if text, ok := p.macroName(line, d.Pos, "undef"); ok {
			p.undefine(text, d.Pos)
			if len(line) > 1 {
				p.diags.Warn(line[1].Pos, "nothing should stand after the name in #undef")
			}
		}
	case "include", "import":
		p.include(d.Text, d.Pos)
	case "if", "ifdef", "ifndef":
		if len(p.f.conds) >= MaxConditionals {
			p.fatal(d.Pos, "#if nests %d deep, the limit", MaxConditionals)
			return false
		}
		keep := p.decide(d.Text, d.Pos)
		p.f.conds = append(p.f.conds, conditional{pos: t.Pos, word: d.Text, taken: keep})
		if !keep {
			p.skip()
		}
	case "elif", "elifdef", "elifndef", "else":
		p.rest()
		if p.alternative(&d) {
			p.skip()
		}
	case "endif":
		p.endif(&d)
	case "error":
		p.errorf(t.Pos, "#error %s", spell(p.rest()))
	case "warning":
		p.diags.Warn(t.Pos, "#warning %s", spell(p.rest()))
	case "line":
		p.setLine(d.Pos, p.expandLine())
	case "pragma":
		pragma, ok := p.pragma(p.rest(), d.Pos)
		if ok {
			pragma.Pos, pragma.Bol = t.Pos, true
			*t = pragma
			return true
		}
	case "include_next", "embed":
		p.rest()
		p.unsupported(d.Pos, "#"+d.Text, "#%s; use #include", d.Text)
	default:
		p.rest()
		p.errorf(d.Pos, "#%.30s is not a directive", d.Text)
	}
	return false
}

// expandLine reads and expands the rest of a directive's line.
func (p *processor) expandLine() []token.Token {
	return p.expandList(p.rest())
}

// decide evaluates the condition of #if and its like.
func (p *processor) decide(word string, pos token.Pos) bool {
	if word == "if" || word == "elif" {
		return p.evaluate(p.rest(), pos)
	}
	line := p.rest()
	text, ok := p.conditionName(line, word, pos)
	if !ok {
		return false
	}
	if len(line) > 1 {
		p.diags.Warn(line[1].Pos, "nothing should stand after the name in #%s", word)
	}
	return p.isDefined(text) == strings.HasSuffix(word, "ifdef")
}

func (p *processor) conditionName(line []token.Token, word string, pos token.Pos) (string, bool) {
	if len(line) == 0 || line[0].Kind != token.Ident {
		p.errorf(pos, "#%s needs the name of a macro", word)
		return "", false
	}
	return line[0].Text, true
}

func (p *processor) isDefined(text string) bool {
	m := p.names[text].m
	return m != nil && m.builtin != builtinDefined && m.builtin != builtinPragma
}

// alternative checks an #else or #elif against its #if.
func (p *processor) alternative(d *token.Token) bool {
	n := len(p.f.conds)
	if n == 0 {
		p.errorf(d.Pos, "#%s without #if", d.Text)
		return false
	}
	c := &p.f.conds[n-1]
	if c.last {
		p.errorf(d.Pos, "#%s after #else", d.Text)
	}
	c.last = c.last || d.Text == "else"
	return true
}

func (p *processor) endif(d *token.Token) {
	p.noMore("endif")
	if n := len(p.f.conds); n > 0 {
		p.f.conds = p.f.conds[:n-1]
		return
	}
	p.errorf(d.Pos, "#endif without #if")
}

// skip passes over the groups of the innermost conditional until one is kept, or the conditional ends.
func (p *processor) skip() {
	depth := 0
	for !p.stop {
		var t token.Token
		p.f.next(&t, false)
		if t.Kind == token.EOF {
			return
		}
		if !t.Bol || t.Text != "#" && t.Text != "%:" {
			continue
		}
		p.f.next(&t, true)
		if t.Kind != token.Ident {
			continue
		}
		switch t.Text {
		case "if", "ifdef", "ifndef":
			if depth++; depth+len(p.f.conds) > MaxConditionals {
				p.fatal(t.Pos, "#if nests %d deep, the limit", MaxConditionals)
			}
		case "endif":
			if depth == 0 {
				p.endif(&t)
				return
			}
			depth--
		case "else", "elif", "elifdef", "elifndef":
			if depth > 0 || !p.alternative(&t) {
				continue
			}
			c := &p.f.conds[len(p.f.conds)-1]
			if c.taken {
				continue
			}
			if t.Text == "else" {
				p.noMore("else")
				c.taken = true
			} else {
				c.taken = p.decide(t.Text, t.Pos)
			}
			if c.taken {
				return
			}
		}
	}
}

// setLine obeys #line, and # with a number. Line 0 is refused, as C's standard has it: an error there would have no place.
func (p *processor) setLine(pos token.Pos, line []token.Token) {
	if len(line) == 0 || line[0].Kind != kindNumber {
		p.errorf(pos, "#line needs a number")
		return
	}
	n := 0
	for _, c := range []byte(line[0].Text) {
		if c < '0' || c > '9' || n > 1<<30 {
			p.errorf(line[0].Pos, "#line needs a number in decimal digits, below 2^31")
			return
		}
		n = 10*n + int(c-'0')
	}
	if n == 0 || n >= 1<<31 {
		p.errorf(line[0].Pos, "#line needs a number from 1 to 2^31 - 1")
		return
	}
	if len(line) > 1 {
		text := line[1].Text
		if line[1].Kind != token.String || text[0] != '"' {
			p.errorf(line[1].Pos, "the file name in #line needs quotes")
			return
		}
		p.f.file = unquote(text)
	}
	p.f.scanner.line = n
}

// unquote takes the quotes from a string, and the backslashes before \ and ".
func unquote(s string) string {
	s = s[strings.IndexByte(s, '"')+1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"') {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
