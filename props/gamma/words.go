package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/model/modular"
	"gamma/model/word"
)

// begin reads what stands after the first word of a claim: the algorithm of an operation, or the function of residues. It returns the words after that.
func (w *words) begin(list []string) ([]string, error) {
	switch w.op {
	case "operation":
		var names []string
		for _, a := range word.Algorithms() {
			names = append(names, a.Name)
		}
		if len(list) == 0 || !slices.Contains(names, list[0]) {
			return nil, fmt.Errorf("after operation comes the algorithm whose bounds are claimed, one of %s", strings.Join(names, ", "))
		}
		a, _ := word.ByName(list[0])
		w.operation = word.Claim{Op: a.Op, Algorithm: a.Name}
	case "modular":
		var names []string
		for f := modular.Identity; f <= modular.ShoupQuotient; f++ {
			names = append(names, strings.ReplaceAll(f.String(), " ", "-"))
		}
		at := -1
		if len(list) > 0 {
			at = slices.Index(names, list[0])
		}
		if at < 0 {
			return nil, fmt.Errorf("after modular comes the function, one of %s", strings.Join(names, ", "))
		}
		c := modular.Claim{Function: modular.Function(at), Bits: 64}
		c.In, c.Out = operands("xyz", c.Function.In()), operands("rs", c.Function.Out())
		w.modular = c
	case "ntt":
		reduced := modular.Side{Range: 1}
		w.transform = modular.TransformClaim{
			Bits: 64, Unchecked: true, Forward: modular.Direction{In: reduced, Out: reduced}, Inverse: modular.Direction{In: reduced, Out: reduced},
		}
		return list, nil
	default:
		return list, nil
	}
	return list[1:], nil
}

// operands returns so many reduced residues with these names.
func operands(names string, n int) (list []modular.Word) {
	for _, name := range names[:n] {
		list = append(list, modular.Word{Name: string(name), Range: 1})
	}
	return list
}

// operations are the words after the algorithm of an operation on floating-point words, as the fields of word.Claim say.
var operations = map[string]promise{
	"in":           func(w *words, v string) error { return named(&w.claim.In, v) },
	"exact":        func(w *words, v string) error { return flagged(&w.operation.Exact, v) },
	"splits":       func(w *words, v string) error { return flagged(&w.operation.Splits, v) },
	"finite":       func(w *words, v string) error { return flagged(&w.operation.Finite, v) },
	"unnormalised": func(w *words, v string) error { return flagged(&w.operation.Unnormalised, v) },
	"multiple":     func(w *words, v string) error { return count(&w.operation.Multiple, v) },
}

// residues are the words after the function of an operation on residues, as the fields of modular.Claim say.
var residues = moduli(func(w *words) (*int, *modular.Moduli) { return &w.modular.Bits, &w.modular.Moduli }, map[string]promise{
	"multiple":  func(w *words, v string) error { return count(&w.modular.Multiple, v) },
	"in":        func(w *words, v string) error { return ranges(w.modular.In, v) },
	"out":       func(w *words, v string) error { return ranges(w.modular.Out, v) },
	"unchecked": func(w *words, v string) error { return flagged(&w.modular.Moduli.Unchecked, v) },
})

// transforms are the words of a number-theoretic transform, as the fields of modular.TransformClaim say.
var transforms = moduli(func(w *words) (*int, *modular.Moduli) { return &w.transform.Bits, &w.transform.Moduli }, map[string]promise{
	"negacyclic": func(w *words, v string) error { return flagged(&w.transform.Negacyclic, v) },
	"min":        func(w *words, v string) error { return count(&w.transform.MinN, v) },
	"max":        func(w *words, v string) error { return count(&w.transform.MaxN, v) },
	"forward":    func(w *words, v string) error { return orders(&w.transform.Forward, v) },
	"inverse":    func(w *words, v string) error { return orders(&w.transform.Inverse, v) },
	"unscaled":   func(w *words, v string) error { return flagged(&w.transform.Inverse.Unscaled, v) },
})

// moduli returns the words of a kind with those about its words and moduli.
func moduli(of func(w *words) (bits *int, m *modular.Moduli), own map[string]promise) map[string]promise {
	own["bits"] = func(w *words, v string) error {
		bits, _ := of(w)
		return count(bits, v)
	}
	for name, set := range map[string]func(m *modular.Moduli, v string) error{
		"least-modulus":    func(m *modular.Moduli, v string) error { return unsigned(&m.Min, v) },
		"greatest-modulus": func(m *modular.Moduli, v string) error { return unsigned(&m.Max, v) },
		"even":             func(m *modular.Moduli, v string) error { return flagged(&m.Even, v) },
		"prime":            func(m *modular.Moduli, v string) error { return flagged(&m.Prime, v) },
		"moduli": func(m *modular.Moduli, v string) error {
			for _, text := range strings.Split(v, ",") {
				var q uint64
				if err := unsigned(&q, text); err != nil {
					return err
				}
				m.Only = append(m.Only, q)
			}
			return nil
		},
	} {
		own[name] = func(w *words, v string) error {
			_, m := of(w)
			return set(m, v)
		}
	}
	return own
}

func unsigned(n *uint64, v string) (err error) {
	if *n, err = strconv.ParseUint(v, 0, 64); err != nil {
		return fmt.Errorf("%q is no number below 2^64", v)
	}
	return nil
}

// ranges reads what each word of a row is: the multiple of q that it is below, where 0 is any word, and after ^ the power of R that it is multiplied by.
func ranges(list []modular.Word, v string) error {
	parts := strings.Split(v, ",")
	if len(parts) != len(list) {
		return fmt.Errorf("%q has the ranges of %d words, and the function has %d", v, len(parts), len(list))
	}
	for i, text := range parts {
		below, power, has := strings.Cut(text, "^")
		if err := unsigned(&list[i].Range, below); err != nil {
			return err
		}
		if !has {
			continue
		}
		k, err := strconv.Atoi(power)
		if err != nil {
			return fmt.Errorf("%q is no range and power of R, such as 1^1", text)
		}
		list[i].Power = k
	}
	return nil
}

// orders reads the orders of the numbers before and after a transform, or none.
func orders(d *modular.Direction, v string) error {
	if v == "none" {
		*d = modular.Direction{}
		return nil
	}
	in, out, ok := strings.Cut(v, ">")
	for i, text := range []string{in, out} {
		order := [...]*modular.Order{&d.In.Order, &d.Out.Order}[i]
		switch text {
		case modular.Natural.String():
			*order = modular.Natural
		case modular.BitReversed.String():
			*order = modular.BitReversed
		default:
			ok = false
		}
	}
	if !ok {
		return errors.New("it is none, or two orders such as natural>bit-reversed")
	}
	return nil
}
