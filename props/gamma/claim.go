package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gamma/model"
	"gamma/model/formula"
)

// words are a claim, as words say it: the operation, unless there is a formula, and what else is promised.
type words struct {
	op       string // sum, dot or fft; "" of a formula
	claim    model.Claim
	formula  *formula.Expr
	rounding formula.Claim
	out      formula.Type
	strided  bool
	sizes    map[string]map[string]int // of axes, by relation
}

// sized is a word about the size of an axis.
var sized = regexp.MustCompile(`^(\w+)(>=|<=|==|%)([0-9]+)$`)

// promises are the words after the first, of sums and dot products, each with what it sets; value is what follows "=", or "".
var promises = map[string]func(c *model.Claim, value string) error{
	"in":            func(c *model.Claim, v string) error { return named(&c.In, v) },
	"acc":           func(c *model.Claim, v string) error { return named(&c.Acc, v) },
	"out":           func(c *model.Claim, v string) error { return named(&c.Out, v) },
	"tree":          func(c *model.Claim, v string) error { c.Tree = v; return nil },
	"compensation":  func(c *model.Claim, v string) error { c.Compensation = model.Compensation(v); return nil },
	"fusion":        func(c *model.Claim, v string) error { c.Fusion = model.Fusion(v); return nil },
	"folds":         func(c *model.Claim, v string) error { return count(&c.Folds, v) },
	"block":         func(c *model.Claim, v string) error { return count(&c.Block, v) },
	"min":           func(c *model.Claim, v string) error { return count(&c.MinN, v) },
	"max":           func(c *model.Claim, v string) error { return count(&c.MaxN, v) },
	"multiple":      func(c *model.Claim, v string) error { return count(&c.Multiple, v) },
	"mean":          func(c *model.Claim, v string) error { return flagged(&c.Mean, v) },
	"commutes":      func(c *model.Claim, v string) error { return flagged(&c.Commutes, v) },
	"repeats":       func(c *model.Claim, v string) error { return flagged(&c.Repeats, v) },
	"signed-zero":   func(c *model.Claim, v string) error { return flagged(&c.SignedZero, v) },
	"overflow-safe": func(c *model.Claim, v string) error { return flagged(&c.OverflowSafe, v) },
	"finite":        func(c *model.Claim, v string) error { return flagged(&c.Finite, v) },
	"height": func(c *model.Claim, v string) error {
		var of formulaOfN
		if err := of.read(v); err != nil {
			return err
		}
		c.Height = of.at
		return nil
	},
}

func named(f *model.Format, name string) (err error) {
	*f, err = model.FormatByName(name)
	return err
}

func count(n *int, v string) (err error) {
	if *n, err = strconv.Atoi(v); err != nil || *n < 1 {
		return fmt.Errorf("%q is no positive number", v)
	}
	return nil
}

func flagged(b *bool, v string) error {
	if v != "" {
		return fmt.Errorf("it takes no value, and has %q", v)
	}
	*b = true
	return nil
}

// formulaOfN is a number of additions as a function of n: "12", "log2", "log2+3" or "n/8+3".
type formulaOfN struct {
	log     bool
	n       int // n divided by it, rounded up; 0: not at all
	further int
}

func (f *formulaOfN) read(text string) (err error) {
	first, more, plus := strings.Cut(text, "+")
	if plus {
		if f.further, err = strconv.Atoi(more); err != nil || f.further < 0 {
			return fmt.Errorf("%q is no height: it is such as 12, log2, log2+3 or n/8+3", text)
		}
	}
	switch divisor, ok := strings.CutPrefix(first, "n/"); {
	case first == "log2":
		f.log = true
	case ok:
		err = count(&f.n, divisor)
	default:
		var n int
		if n, err = strconv.Atoi(first); err == nil {
			f.further += n
		}
	}
	if err != nil {
		return fmt.Errorf("%q is no height: it is such as 12, log2, log2+3 or n/8+3", text)
	}
	return nil
}

func (f *formulaOfN) at(n int) int {
	h := f.further
	if f.log {
		for m := 1; m < n; m *= 2 {
			h++
		}
	}
	if f.n > 0 {
		h += (n + f.n - 1) / f.n
	}
	return h
}

// roundings are the words of a formula.
var roundings = map[string]func(w *words, value string) error{
	"format":  func(w *words, v string) error { return named(&w.rounding.Format, v) },
	"exactly": func(w *words, v string) error { return flagged(&w.rounding.Exactly, v) },
	"unfused": func(w *words, v string) error { return flagged(&w.rounding.Unfused, v) },
	"finite":  func(w *words, v string) error { return flagged(&w.rounding.Finite, v) },
	"repeats": func(w *words, v string) error { return flagged(&w.claim.Repeats, v) },
	"out": func(w *words, v string) error {
		f, err := model.FormatByName(v)
		w.out = formula.Float(f)
		return err
	},
	"ulps": func(w *words, v string) error {
		u, err := strconv.ParseFloat(v, 64)
		if err != nil || u < 0.5 {
			return fmt.Errorf("%q is no number of ulps, of at least 0.5, which is to round correctly", v)
		}
		w.rounding.Functions.Name = v + " ulp"
		for _, op := range formula.Functions() {
			if u > 0.5 {
				w.rounding.Functions = w.rounding.Functions.With(op, formula.Promise{Ulps: u})
			}
		}
		return nil
	},
	"functions": func(w *words, v string) error {
		var names []string
		for _, a := range formula.Platforms() {
			name := strings.ReplaceAll(a.Name, " ", "-")
			if name == v {
				w.rounding.Functions = a
				return nil
			}
			names = append(names, name)
		}
		return fmt.Errorf("no platform is called %q: there are %s", v, strings.Join(names, ", "))
	},
}

// readClaim reads the words of a claim, and its formula, whose lines may also end with semicolons.
func readClaim(text, of string) (w words, err error) {
	list := strings.Fields(text)
	w.sizes = map[string]map[string]int{">=": {}, "<=": {}, "==": {}, "%": {}}
	if of != "" {
		if w.formula, err = formula.Parse(strings.ReplaceAll(of, ";", "\n")); err != nil {
			return w, err
		}
		if len(list) > 0 && list[0] == "formula" {
			list = list[1:]
		}
	} else if text != "" {
		ops := []string{"sum", "dot", "fft"}
		if w.op = list[0]; !slices.Contains(ops, w.op) {
			return w, fmt.Errorf("the claim %q begins with none of %s; anything else is a formula", text, strings.Join(ops, ", "))
		}
		list = list[1:]
	}
	for _, word := range list {
		name, value, _ := strings.Cut(word, "=")
		err := fmt.Errorf("there are %s", strings.Join(slices.Sorted(maps.Keys(promises)), ", "))
		if of != "" {
			err = fmt.Errorf("of a formula there are sizes such as n>=1, n<=64, n==8 and n%%4, and %s", strings.Join(slices.Sorted(maps.Keys(roundings)), ", "))
			if set := roundings[name]; set != nil {
				err = set(&w, value)
			} else if m := sized.FindStringSubmatch(word); m != nil {
				n, e := strconv.Atoi(m[3])
				w.sizes[m[2]][m[1]], err = n, e
			}
		} else if name == "strided" && w.op != "fft" {
			err, w.strided = nil, true
		} else if set := promises[name]; set != nil && (w.op != "fft" || name == "max" || name == "in") {
			err = set(&w.claim, value)
		}
		if err != nil {
			return w, fmt.Errorf("%q in the claim: %w", word, err)
		}
	}
	return w, nil
}
