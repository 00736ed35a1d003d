package check

import (
	"strings"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/msl/ir"
)

const modeFlags = ir.ContractOn | ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal | ir.NoNaNs | ir.NoInfs

// pragma applies a pragma to what follows in its scope. A pragma rules over the options.
func (c *checker) pragma(p *syntax.PragmaDecl) {
	text := strings.TrimSpace(p.Text)
	words := strings.Fields(text)
	if len(words) >= 3 && words[0] == "STDC" && words[1] == "FP_CONTRACT" {
		switch strings.ToUpper(words[2]) {
		case "ON", "DEFAULT":
			c.contract(ir.ContractOn)
		case "OFF":
			c.contract(0)
		default:
			c.fail(p.Pos, "FP_CONTRACT is ON, OFF or DEFAULT, not %s", words[2])
		}
		return
	}
	if len(words) < 2 || words[0] != "METAL" && words[0] != "clang" || words[1] != "fp" && !strings.HasPrefix(words[1], "fp(") {
		return
	}
	rest := strings.TrimSpace(text[strings.Index(text, "fp")+2:])
	if rest == "" {
		c.fail(p.Pos, "#pragma %s fp needs an option, such as contract(off)", words[0])
	}
	for rest != "" {
		open, shut := strings.IndexByte(rest, '('), strings.IndexByte(rest, ')')
		if open <= 0 || shut < open {
			c.fail(p.Pos, "#pragma %s fp: expected option(value), found %s", words[0], rest)
		}
		c.fpOption(p, words[0], strings.TrimSpace(rest[:open]), strings.TrimSpace(rest[open+1:shut]))
		rest = strings.TrimSpace(rest[shut+1:])
	}
}

func (c *checker) contract(f ir.FP) { c.fp = c.fp&^(ir.ContractOn|ir.ContractFast) | f }

// fpOption applies one option of an fp pragma.
func (c *checker) fpOption(p *syntax.PragmaDecl, vendor, name, value string) {
	flag := func(f ir.FP) {
		switch value {
		case "on":
			c.fp |= f
		case "off":
			c.fp &^= f
		default:
			c.fail(p.Pos, "%s is on or off, not %s", name, value)
		}
	}
	relaxed := ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal
	switch {
	case name == "math_mode" && vendor == "METAL":
		mode, ok := map[string]ir.FP{"safe": ir.ContractOn, "relaxed": relaxed, "fast": relaxed | ir.NoNaNs | ir.NoInfs}[value]
		if !ok {
			c.fail(p.Pos, "math_mode is safe, relaxed or fast, not %s", value)
		}
		c.fp = c.fp&^modeFlags | mode
	case name == "contract":
		f, ok := map[string]ir.FP{"on": ir.ContractOn, "off": 0, "fast": ir.ContractFast}[value]
		if !ok {
			c.fail(p.Pos, "contract is on, off or fast, not %s", value)
		}
		c.contract(f)
	case name == "reassociate":
		flag(ir.Reassoc)
	case name == "reciprocal" && vendor == "clang":
		flag(ir.Reciprocal)
	case name == "exceptions" && vendor == "clang" && value == "ignore", name == "eval_method" && vendor == "clang" && value == "source":
	default:
		c.fail(p.Pos, "#pragma %s fp has no option %s(%s); it has math_mode, contract and reassociate", vendor, name, value)
	}
}
