package preprocess

import (
	"slices"
	"strings"

	"gamma/metal/internal/msl/token"
)

// name is what the preprocessor knows of an identifier.
type name struct {
	m       *macro
	keyword bool
	punct   string // the punctuation that it is another spelling of
}

// macro is a definition.
type macro struct {
	name     string
	pos      token.Pos
	function bool
	variadic bool
	params   []string
	body     []piece
	plain    []token.Token // the body, if it names no parameter and pastes nothing
	isPlain  bool
	builtin  builtin
	disabled bool // being expanded: its name is painted
	shared   bool // among runs
}

// piece is one token of a body.
type piece struct {
	tok   token.Token
	param int  // -1 if it is not a parameter
	hash  bool // # stands before it
	paste bool // ## stands after it
}

// define reads a definition from the tokens after #define.
func (p *processor) define(line []token.Token, pos token.Pos) {
	m, ok := p.parseMacro(line, pos)
	if !ok {
		return
	}
	n := p.names[m.name]
	if n.m != nil && (n.m.builtin != 0 || !sameMacro(n.m, m)) {
		p.diags.Warn(m.pos, "macro %s is defined again, and differently; #undef it first", m.name)
	}
	n.m = m
	p.names[m.name] = n
}

// macroName checks that the first token of line can name a macro.
func (p *processor) macroName(line []token.Token, pos token.Pos, word string) (string, bool) {
	if len(line) == 0 {
		p.errorf(pos, "#%s needs the name of a macro", word)
		return "", false
	}
	t := line[0]
	if t.Kind != token.Ident || p.names[t.Text].punct != "" {
		p.errorf(t.Pos, "%.20s cannot name a macro", t.Text)
		return "", false
	}
	if b := builtinOf(p.names[t.Text].m); b == builtinDefined || b == builtinPragma || t.Text == "__VA_ARGS__" {
		p.errorf(t.Pos, "%s has a meaning of its own and cannot name a macro", t.Text)
		return "", false
	}
	return t.Text, true
}

func (p *processor) parseMacro(line []token.Token, pos token.Pos) (*macro, bool) {
	text, ok := p.macroName(line, pos, "define")
	if !ok {
		return nil, false
	}
	m := &macro{name: text, pos: line[0].Pos}
	line = line[1:]
	switch {
	case len(line) == 0:
	case line[0].Text == "(" && !line[0].Space:
		m.function = true
		if line, ok = p.parseParams(m, line[1:]); !ok {
			return nil, false
		}
	case !line[0].Space:
		p.diags.Warn(line[0].Pos, "write a space between the macro's name and its text")
	}
	return m, p.parseBody(m, line)
}

func (p *processor) parseParams(m *macro, line []token.Token) (rest []token.Token, ok bool) {
	fail := func(pos token.Pos, msg string) ([]token.Token, bool) {
		p.errorf(pos, "%s in the parameters of macro %s", msg, m.name)
		return nil, false
	}
	end := m.pos
	for i := 0; ; {
		if i == len(line) {
			return fail(end, "a ) is missing")
		}
		t := line[i]
		end = t.Pos
		i++
		switch {
		case t.Text == ")" && len(m.params) == 0:
			return line[i:], true
		case t.Text == "...":
			m.params = append(m.params, "__VA_ARGS__")
			m.variadic = true
		case t.Kind == token.Ident:
			if slices.Contains(m.params, t.Text) || t.Text == "__VA_ARGS__" {
				return fail(t.Pos, t.Text+" cannot stand (again)")
			}
			m.params = append(m.params, t.Text)
			if i < len(line) && line[i].Text == "..." {
				m.variadic = true
				i++
			}
		default:
			return fail(t.Pos, "a name is missing")
		}
		if i == len(line) {
			return fail(end, "a ) is missing")
		}
		t = line[i]
		i++
		switch {
		case t.Text == ")":
			return line[i:], true
		case t.Text != "," || m.variadic:
			return fail(t.Pos, "a , or ) is missing")
		case len(m.params) >= maxParams:
			return fail(t.Pos, "too many names")
		}
	}
}

func (p *processor) parseBody(m *macro, line []token.Token) bool {
	m.isPlain = true
	m.body = make([]piece, 0, len(line))
	var index map[string]int
	if m.function && len(m.params) > 8 {
		index = make(map[string]int, len(m.params))
		for i, s := range m.params {
			index[s] = i
		}
	}
	param := func(t token.Token) int {
		switch {
		case !m.function || t.Kind != token.Ident:
			return -1
		case index != nil:
			if i, ok := index[t.Text]; ok {
				return i
			}
			return -1
		}
		return slices.Index(m.params, t.Text)
	}
	for i := 0; i < len(line); i++ {
		t := line[i]
		if t.Kind == token.Ident {
			switch {
			case t.Text == "__VA_OPT__" && m.variadic:
				p.unsupported(t.Pos, "__VA_OPT__", "__VA_OPT__ is of C++20; write , ## __VA_ARGS__")
				return false
			case t.Text == "__VA_ARGS__" && (!m.variadic || m.params[len(m.params)-1] != "__VA_ARGS__"):
				p.errorf(t.Pos, "__VA_ARGS__ stands only in a macro whose parameters end with ...")
				return false
			}
		}
		pc := piece{tok: t, param: param(t)}
		pc.tok.Bol = false
		switch {
		case t.Kind == token.Punct && (t.Text == "##" || t.Text == "%:%:"):
			if len(m.body) == 0 || i+1 == len(line) {
				p.errorf(t.Pos, "## stands between two tokens, not at an end of the text of macro %s", m.name)
				return false
			}
			m.body[len(m.body)-1].paste = true
			m.isPlain = false
			continue
		case t.Kind == token.Punct && (t.Text == "#" || t.Text == "%:") && m.function:
			if i+1 == len(line) || param(line[i+1]) < 0 {
				p.errorf(t.Pos, "# stands only before a parameter of macro %s", m.name)
				return false
			}
			i++
			pc.param, pc.hash = param(line[i]), true
		}
		if pc.param >= 0 {
			m.isPlain = false
		}
		m.body = append(m.body, pc)
	}
	if m.isPlain {
		m.plain = make([]token.Token, len(m.body))
		for i, pc := range m.body {
			m.plain[i] = pc.tok
		}
	}
	return true
}

func sameMacro(a, b *macro) bool {
	if a.function != b.function || a.variadic != b.variadic || !slices.Equal(a.params, b.params) || len(a.body) != len(b.body) {
		return false
	}
	for i, x := range a.body {
		y := b.body[i]
		if x.tok.Text != y.tok.Text || x.param != y.param || x.hash != y.hash || x.paste != y.paste || i > 0 && x.tok.Space != y.tok.Space {
			return false
		}
	}
	return true
}

func (p *processor) undefine(text string, pos token.Pos) {
	n, ok := p.names[text]
	if !ok {
		return
	}
	if builtinOf(n.m) != 0 {
		p.diags.Warn(pos, "#undef of %s, which the compiler defines", text)
	}
	n.m = nil
	p.names[text] = n
}

// defineOption defines a macro of Options.Defines.
func (p *processor) defineOption(name, text string) {
	pos := token.Pos{File: "<defines>", Line: 1, Column: 1}
	if strings.ContainsAny(name, "\r\n") || strings.ContainsAny(text, "\r\n") || len(name)+len(text) > MaxSource {
		p.errorf(pos, "the macro %.40q is longer than one line, or than %d bytes", name, MaxSource)
		return
	}
	p.checkUTF8(name+" "+text, pos.File)
	s := newScanner(name+" "+text, pos.File, &p.diags)
	var line []token.Token
	for {
		var t token.Token
		s.next(&t, false)
		if t.Kind == token.EOF {
			break
		}
		line = append(line, t)
	}
	p.define(line, pos)
}
