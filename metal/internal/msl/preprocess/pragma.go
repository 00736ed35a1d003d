package preprocess

import (
	"slices"
	"strings"

	"gamma/metal/internal/msl/token"
)

// fpOptions are the options that change arithmetic, and their values, per pragma.
var fpOptions = map[string]map[string][]string{
	"METAL fp": {
		"math_mode": {"safe", "relaxed", "fast"},
		"contract":  {"off", "on", "fast"},
	},
	"clang fp": {
		"contract":    {"off", "on", "fast"},
		"reassociate": {"on", "off"},
	},
}

// fpRefused are options that clang has and this compiler has not.
var fpRefused = map[string]bool{"reciprocal": true, "exceptions": true, "eval_method": true}

// droppedPragmas change no result. Where the second word counts, it is listed.
var droppedPragmas = map[string]map[string]bool{
	"unroll": nil, "nounroll": nil, "unroll_and_jam": nil, "nounroll_and_jam": nil, "mark": nil, "message": nil,
	"region": nil, "endregion": nil, "ident": nil, "comment": nil,
	"METAL": words("internals"),
	"GCC":   words("diagnostic system_header"),
	"clang": words("loop diagnostic optimize system_header assume_nonnull module deprecated"),
}

// pragma obeys the pragma with the tokens line. It returns a token for one that means something later.
func (p *processor) pragma(line []token.Token, pos token.Pos) (token.Token, bool) {
	if len(line) == 0 {
		p.diags.Warn(pos, "an empty #pragma")
		return token.Token{}, false
	}
	first, second := line[0].Text, ""
	if len(line) > 1 {
		second = line[1].Text
	}
	switch first {
	case "STDC":
		return p.stdcPragma(line, pos)
	case "METAL", "clang":
		if second == "fp" {
			return p.fpPragma(first+" fp", line[2:], pos)
		}
	case "once":
		p.once[p.f.key] = true
		return token.Token{}, false
	case "push_macro", "pop_macro":
		p.savedMacro(first, line, pos)
		return token.Token{}, false
	case "pack", "float_control":
		p.unsupported(pos, "#pragma "+first, "#pragma %s; it would change results, and is not followed", first)
		return token.Token{}, false
	}
	if first == "clang" && second == "attribute" {
		p.unsupported(pos, "#pragma clang attribute", "#pragma clang attribute; write the attribute where it belongs")
	} else if seconds, ok := droppedPragmas[first]; !ok || seconds != nil && !seconds[second] {
		p.diags.Warn(pos, "unknown #pragma %.60s is ignored", spell(line))
	}
	return token.Token{}, false
}

// fpPragma checks the options of "METAL fp" and "clang fp".
func (p *processor) fpPragma(head string, line []token.Token, pos token.Pos) (token.Token, bool) {
	none := token.Token{}
	line = p.expandList(line)
	known := fpOptions[head]
	names := make([]string, 0, len(known))
	for s := range known {
		names = append(names, s)
	}
	slices.Sort(names)
	if len(line) == 0 {
		p.errorf(pos, "#pragma %s needs an option: %s", head, strings.Join(names, ", "))
		return none, false
	}
	var b strings.Builder
	b.WriteString(head)
	for i := 0; i < len(line); i += 4 {
		option := line[i]
		values, ok := known[option.Text]
		switch {
		case head == "clang fp" && fpRefused[option.Text]:
			p.unsupported(option.Pos, "#pragma clang fp "+option.Text, "#pragma clang fp %s; remove it", option.Text)
			return none, false
		case !ok:
			p.errorf(option.Pos, "#pragma %s has no option %.40s; it has %s", head, option.Text, strings.Join(names, ", "))
			return none, false
		case i+3 >= len(line) || line[i+1].Text != "(" || line[i+3].Text != ")":
			p.errorf(option.Pos, "write %s(%s)", option.Text, strings.Join(values, "|"))
			return none, false
		}
		value := line[i+2]
		if !slices.Contains(values, value.Text) {
			p.errorf(value.Pos, "%s in #pragma %s is %s, not %.40s", option.Text, head, strings.Join(values, ", "), value.Text)
			return none, false
		}
		b.WriteString(" " + option.Text + "(" + value.Text + ")")
	}
	return token.Token{Kind: token.Pragma, Text: b.String()}, true
}

// stdcPragma obeys the pragmas of the C standard.
func (p *processor) stdcPragma(line []token.Token, pos token.Pos) (token.Token, bool) {
	none := token.Token{}
	word := func(i int) string {
		if i < len(line) {
			return line[i].Text
		}
		return ""
	}
	value := word(2)
	switch word(1) {
	case "FP_CONTRACT", "FENV_ACCESS", "CX_LIMITED_RANGE":
		if len(line) != 3 || value != "ON" && value != "OFF" && value != "DEFAULT" {
			p.errorf(pos, "write #pragma STDC %s ON or OFF", word(1))
			return none, false
		}
	case "FENV_ROUND":
		p.unsupported(pos, "#pragma STDC FENV_ROUND", "#pragma STDC FENV_ROUND; the device rounds as it does")
		return none, false
	default:
		p.diags.Warn(pos, "unknown #pragma %.60s is ignored", spell(line))
		return none, false
	}
	switch {
	case word(1) == "FENV_ACCESS" && value == "ON":
		p.unsupported(pos, "#pragma STDC FENV_ACCESS ON", "#pragma STDC FENV_ACCESS ON; Metal has no floating-point environment")
	case word(1) != "FP_CONTRACT":
	case value == "DEFAULT":
		p.unsupported(pos, "#pragma STDC FP_CONTRACT DEFAULT", "#pragma STDC FP_CONTRACT DEFAULT; write ON or OFF")
	default:
		return token.Token{Kind: token.Pragma, Text: "STDC FP_CONTRACT " + value}, true
	}
	return none, false
}

// savedMacro obeys push_macro("X") and pop_macro("X").
func (p *processor) savedMacro(word string, line []token.Token, pos token.Pos) {
	if len(line) != 4 || line[1].Text != "(" || line[2].Kind != token.String || line[3].Text != ")" {
		p.errorf(pos, `write #pragma %s("NAME")`, word)
		return
	}
	text := unquote(line[2].Text)
	n := p.names[text]
	if builtinOf(n.m) != 0 {
		p.errorf(pos, "%s cannot be saved, the compiler defines it", text)
		return
	}
	if p.saved == nil {
		p.saved = map[string][]*macro{}
	}
	if word == "push_macro" {
		p.saved[text] = append(p.saved[text], n.m)
		return
	}
	stack := p.saved[text]
	if len(stack) == 0 {
		p.diags.Warn(pos, "pop_macro of %.40q without push_macro", text)
		return
	}
	n.m = stack[len(stack)-1]
	p.saved[text] = stack[:len(stack)-1]
	p.names[text] = n
}
