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
	"gamma/model/modular"
	"gamma/model/word"
)

// words are a claim, as words say it: the operation, unless there is a formula, and what else is promised.
type words struct {
	op        string // that of vocabulary
	claim     model.Claim
	operation word.Claim
	modular   modular.Claim
	transform modular.TransformClaim
	formula   *formula.Expr
	rounding  formula.Claim
	out       formula.Type
	strided   bool
	sizes     map[string]map[string]int // of axes, by relation
}

// sized is a word about the size of an axis.
var sized = regexp.MustCompile(`^(\w+)(>=|<=|==|%)([0-9]+)$`)

// promise sets what a word of a claim says; value is what follows "=", or "".
type promise = func(w *words, value string) error

// vocabulary has, by the first word of a claim, the words that may follow it; formulas have no first word. Those of operations, residues and transforms are in words.go.
var vocabulary = map[string]map[string]promise{
	"sum": sums, "dot": sums, "fft": {"in": sums["in"], "max": sums["max"]}, "operation": operations, "modular": residues, "ntt": transforms, "": roundings,
}

// sums are the words of sums and dot products.
var sums = map[string]promise{
	"in":            func(w *words, v string) error { return named(&w.claim.In, v) },
	"acc":           func(w *words, v string) error { return named(&w.claim.Acc, v) },
	"out":           func(w *words, v string) error { return named(&w.claim.Out, v) },
	"tree":          func(w *words, v string) error { w.claim.Tree = v; return nil },
	"compensation":  func(w *words, v string) error { w.claim.Compensation = model.Compensation(v); return nil },
	"fusion":        func(w *words, v string) error { w.claim.Fusion = model.Fusion(v); return nil },
	"folds":         func(w *words, v string) error { return count(&w.claim.Folds, v) },
	"block":         func(w *words, v string) error { return count(&w.claim.Block, v) },
	"min":           func(w *words, v string) error { return count(&w.claim.MinN, v) },
	"max":           func(w *words, v string) error { return count(&w.claim.MaxN, v) },
	"multiple":      func(w *words, v string) error { return count(&w.claim.Multiple, v) },
	"mean":          func(w *words, v string) error { return flagged(&w.claim.Mean, v) },
	"commutes":      func(w *words, v string) error { return flagged(&w.claim.Commutes, v) },
	"repeats":       func(w *words, v string) error { return flagged(&w.claim.Repeats, v) },
	"signed-zero":   func(w *words, v string) error { return flagged(&w.claim.SignedZero, v) },
	"overflow-safe": func(w *words, v string) error { return flagged(&w.claim.OverflowSafe, v) },
	"finite":        func(w *words, v string) error { return flagged(&w.claim.Finite, v) },
	"strided":       func(w *words, v string) error { return flagged(&w.strided, v) },
	"height": func(w *words, v string) error {
		var of formulaOfN
		if err := of.read(v); err != nil {
			return err
		}
		w.claim.Height = of.at
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
var roundings = map[string]promise{
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
		if w.op = list[0]; w.op == "" || vocabulary[w.op] == nil {
			ops := slices.Sorted(maps.Keys(vocabulary))[1:]
			return w, fmt.Errorf("the claim %q begins with none of %s; anything else is a formula", text, strings.Join(ops, ", "))
		}
		if list, err = w.begin(list[1:]); err != nil {
			return w, fmt.Errorf("the claim %q: %w", text, err)
		}
	}
	known := vocabulary[w.op]
	for _, word := range list {
		name, value, _ := strings.Cut(word, "=")
		if set := known[name]; set != nil {
			err = set(&w, value)
		} else if m := sized.FindStringSubmatch(word); of != "" && m != nil {
			w.sizes[m[2]][m[1]], err = strconv.Atoi(m[3])
		} else {
			err = fmt.Errorf("there are %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			if of != "" {
				err = fmt.Errorf("of a formula there are sizes such as n>=1, n<=64, n==8 and n%%4, and %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			}
		}
		if err != nil {
			return w, fmt.Errorf("%q in the claim: %w", word, err)
		}
	}
	w.modular.Moduli.UncheckedPrime = w.modular.Moduli.Unchecked && w.modular.Moduli.Prime
	return w, nil
}
