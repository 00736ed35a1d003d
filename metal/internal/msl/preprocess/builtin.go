package preprocess

import (
	"strconv"
	"strings"

	"gamma/metal/internal/msl/token"
)

// builtin says which macro of the compiler a macro is.
type builtin uint8

const (
	builtinFile builtin = iota + 1
	builtinLine
	builtinCounter
	builtinPragma
	builtinDefined
	builtinInclude
	builtinAttribute
	builtinBuiltin
	builtinExtension
	builtinNothing // asks for what there is none of
	builtinTime
)

var builtins = map[string]builtin{
	"__FILE__": builtinFile, "__LINE__": builtinLine, "__COUNTER__": builtinCounter, "_Pragma": builtinPragma,
	"defined": builtinDefined, "__has_include": builtinInclude, "__has_attribute": builtinAttribute,
	"__has_cpp_attribute": builtinAttribute, "__has_builtin": builtinBuiltin, "__has_extension": builtinExtension,
	"__has_feature": builtinExtension, "__has_warning": builtinNothing, "__has_declspec_attribute": builtinNothing,
	"__DATE__": builtinTime, "__TIME__": builtinTime, "__TIMESTAMP__": builtinTime,
}

// What __has_attribute, __has_builtin and __has_extension say yes to.
var (
	knownAttributes = words("always_inline noinline unused aligned flatten pure const deprecated nodiscard maybe_unused fallthrough")
	knownBuiltins   = words("__builtin_inff __builtin_nanf __builtin_huge_valf")
	knownExtensions = words("cxx_alias_templates cxx_auto_type cxx_constexpr cxx_decltype cxx_default_function_template_args " +
		"cxx_deleted_functions cxx_explicit_conversions cxx_generalized_initializers cxx_nullptr cxx_range_for cxx_static_assert " +
		"cxx_strong_enums cxx_trailing_return cxx_variadic_templates cxx_binary_literals cxx_relaxed_constexpr cxx_variable_templates " +
		"attribute_ext_vector_type")
)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

func builtinOf(m *macro) builtin {
	if m == nil {
		return 0
	}
	return m.builtin
}

// callBuiltin expands the builtin m, whose name is in t, and reports whether it left a token in t.
func (p *processor) callBuiltin(m *macro, t *token.Token) bool {
	at := *t
	set := func(kind token.Kind, text string) {
		*t = token.Token{Kind: kind, Text: text, Pos: at.Pos, Space: at.Space, Bol: at.Bol}
	}
	truth := func(is bool) {
		set(kindNumber, "0")
		if is {
			t.Text = "1"
		}
	}
	switch m.builtin {
	case builtinFile:
		var b strings.Builder
		b.WriteByte('"')
		for _, c := range []byte(at.Pos.File) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteByte('"')
		if !p.makeText(b.Len(), &at) {
			return false
		}
		set(token.String, b.String())
	case builtinLine:
		set(kindNumber, strconv.Itoa(at.Pos.Line))
	case builtinCounter:
		set(kindNumber, strconv.Itoa(p.counter))
		p.counter++
	case builtinTime:
		p.unsupported(at.Pos, m.name, "%s gives another program each time; #define a macro of your own", m.name)
		set(token.String, `""`)
	case builtinDefined:
		if !p.condition {
			return true
		}
		text, ok := p.definedName(at.Pos)
		truth(ok && p.isDefined(text))
	case builtinPragma:
		return p.pragmaOperator(&at, t)
	default:
		args, ok := p.question(m, at.Pos)
		if !ok {
			truth(false)
			return true
		}
		switch text := strings.TrimSpace(spell(args)); m.builtin {
		case builtinInclude:
			truth(p.hasHeader(text))
		case builtinAttribute:
			truth(knownAttributes[strings.Trim(text, "_")])
		case builtinBuiltin:
			truth(knownBuiltins[text])
		case builtinExtension:
			truth(knownExtensions[strings.Trim(text, "_")])
		default:
			truth(false)
		}
	}
	return true
}

// definedName reads what stands after defined.
func (p *processor) definedName(pos token.Pos) (string, bool) {
	var t token.Token
	p.read(&t)
	paren := t.Kind == token.Punct && t.Text == "("
	if paren {
		p.read(&t)
	}
	if t.Kind != token.Ident && t.Kind != kindPainted {
		p.unread(&t)
		p.errorf(pos, "defined needs the name of a macro")
		return "", false
	}
	text := t.Text
	if paren {
		if p.read(&t); t.Text != ")" {
			p.unread(&t)
			p.errorf(pos, "defined(%.40s needs a )", text)
			return "", false
		}
	}
	return text, true
}

// question reads the parenthesis after __has_include and its like, unexpanded.
func (p *processor) question(m *macro, pos token.Pos) ([]token.Token, bool) {
	var t token.Token
	if p.read(&t); t.Text != "(" {
		p.unread(&t)
		p.errorf(pos, "%s needs its question in parentheses", m.name)
		return nil, false
	}
	var args []token.Token
	for depth := 0; len(args) < 1000; {
		p.read(&t)
		switch {
		case t.Kind == token.EOF || t.Kind == kindEnd:
			if !p.stop {
				p.errorf(pos, "%s( needs a )", m.name)
			}
			return nil, false
		case t.Text == "(":
			depth++
		case t.Text == ")":
			if depth == 0 {
				return args, true
			}
			depth--
		}
		args = append(args, t)
	}
	p.errorf(pos, "the question of %s is too long", m.name)
	return nil, false
}

func (p *processor) hasHeader(text string) bool {
	n := len(text)
	if n < 3 || text[0] != '<' && text[0] != '"' {
		return false
	}
	target := text[1 : n-1]
	_, _, ok := p.findHeader(target, text[0] == '"')
	return ok || isMetalHeader(target)
}

// pragmaOperator obeys _Pragma("…") and reports whether it left a pragma in t.
func (p *processor) pragmaOperator(at, t *token.Token) bool {
	var parts [3]token.Token
	for i := range parts {
		p.read(&parts[i])
		if k := parts[i].Kind; k == token.EOF || k == kindEnd {
			break
		}
	}
	text := parts[1]
	if parts[0].Text != "(" || text.Kind != token.String || parts[2].Text != ")" {
		if !p.stop {
			p.errorf(at.Pos, `write _Pragma("text")`)
		}
		return false
	}
	s := newScanner(unquote(text.Text), at.Pos.File, &p.diags)
	s.line, s.lineStart, s.bol = at.Pos.Line, 1-at.Pos.Column, false
	var line []token.Token
	for {
		var u token.Token
		if s.next(&u, true); u.Kind == token.Newline || u.Kind == token.EOF {
			break
		}
		u.Pos = at.Pos
		line = append(line, u)
	}
	pragma, ok := p.pragma(line, at.Pos)
	if !ok {
		return false
	}
	*t = pragma
	t.Pos, t.Bol, t.Space = at.Pos, at.Bol, at.Space
	return true
}
