package sumtree

import (
	"fmt"
	"strconv"
	"strings"

	"gamma/model"
)

// Adder is a multi-term adder, as in tensor cores, as plain data: it takes terms exactly, shifts
// them to the exponent of the largest, truncates what falls off, adds the rest exactly and rounds once.
//
// The zero value adds its operands exactly and rounds once, to nearest even, into binary32.
type Adder struct {
	// Pairs makes the operands factors, two by two: x0 y0 x1 y1 …, with a last single one added
	// as it is. Products are exact.
	Pairs bool
	// Cut drops what lies below the aligned window; without it the sum is exact before its one
	// rounding, and Extra, Align, Raw and MinExp have no effect.
	Cut bool
	// Extra is the number of bits of the window beyond the output format's precision: its least bit
	// is 2^(e-P+1-Extra), e the largest exponent among the terms.
	Extra int
	// Align is how each term is rounded into the window; hardware truncates.
	Align model.Rounding
	// Raw takes e of a product as the sum of its factors' exponents, not normalised: a product of
	// significands in [2, 4) keeps the lower exponent.
	Raw bool
	// MinExp, if not zero, is the least e.
	MinExp int
	// Late keeps a last single operand out of the window: the products are added, rounded into
	// Out, and the operand is added to that, rounded again.
	Late bool
	// Out is the output's format, binary32 if it is zero; Rounding is the direction of the last rounding.
	Out      model.Format
	Rounding model.Rounding
}

// OutFormat returns Out, or binary32 where it is zero.
func (a Adder) OutFormat() model.Format {
	if a.Out.IsZero() {
		return model.Binary32
	}
	return a.Out
}

// String returns the parameters that are not zero, separated by commas: "pairs,cut,extra=2".
func (a Adder) String() string {
	var w []string
	word := func(on bool, s string) {
		if on {
			w = append(w, s)
		}
	}
	word(a.Pairs, "pairs")
	word(a.Cut, "cut")
	word(a.Extra != 0, "extra="+strconv.Itoa(a.Extra))
	word(a.Align != 0, "align="+a.Align.String())
	word(a.Raw, "raw")
	word(a.MinExp != 0, "minexp="+strconv.Itoa(a.MinExp))
	word(a.Late, "late")
	word(!a.Out.IsZero(), "out="+a.Out.String())
	word(a.Rounding != 0, "round="+a.Rounding.String())
	return strings.Join(w, ",")
}

// maxExtra limits Extra and MinExp, so that an adder from a hostile file cannot shift by gigabytes.
const maxExtra = 4096

// check returns an error if the adder has parameters that cannot be written as text.
func (a Adder) check() error {
	if a.Extra < -maxExtra || a.Extra > maxExtra || a.MinExp < -maxExtra || a.MinExp > maxExtra {
		return fmt.Errorf("extra and minexp of an adder lie between %d and %d", -maxExtra, maxExtra)
	}
	if a.Rounding > model.TowardZero || a.Align > model.TowardZero {
		return fmt.Errorf("the rounding of an adder is not one of package model's")
	}
	if a.Out.IsZero() {
		return nil
	}
	return checkFormat(a.Out)
}

// checkFormat returns an error if the format is not one that its name stands for.
func checkFormat(f model.Format) error {
	g, err := model.FormatByName(f.Name)
	if err == nil && g != f {
		err = fmt.Errorf("the format called %q is not the one of package model", f.Name)
	}
	return err
}

// parseAdder is the inverse of Adder.String.
func parseAdder(s string) (a Adder, err error) {
	if s == "" {
		return a, nil
	}
	seen := map[string]bool{}
	for _, w := range strings.Split(s, ",") {
		key, val, has := strings.Cut(w, "=")
		if seen[key] {
			return a, fmt.Errorf("the adder has %s twice", key)
		}
		seen[key] = true
		flag := map[string]*bool{"pairs": &a.Pairs, "cut": &a.Cut, "raw": &a.Raw, "late": &a.Late}[key]
		switch {
		case flag != nil && !has:
			*flag = true
		case !has:
			return a, fmt.Errorf("an adder has no parameter %q; the parameters are pairs, cut, raw, late, extra=, align=, minexp=, out=, round=", w)
		case key == "extra":
			a.Extra, err = strconv.Atoi(val)
		case key == "minexp":
			a.MinExp, err = strconv.Atoi(val)
		case key == "align":
			a.Align, err = model.ParseRounding(val)
		case key == "round":
			a.Rounding, err = model.ParseRounding(val)
		case key == "out":
			a.Out, err = model.FormatByName(val)
		default:
			return a, fmt.Errorf("an adder has no parameter %q; the parameters are pairs, cut, raw, late, extra=, align=, minexp=, out=, round=", w)
		}
		if err != nil {
			return a, err
		}
	}
	return a, a.check()
}
