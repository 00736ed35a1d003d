package formulas

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// zeroLaws are the laws of the signs of zeros, which enclosures do not see.
var zeroLaws = []Law{{
	ID:         model.FormulaZero,
	Statement:  "a zero that is copied, negated, taken the magnitude of, or multiplied by a constant has the sign that IEEE 754 gives it: -(+0) is -0, |-0| is +0",
	Hypotheses: "the formula moves numbers, changes their signs and multiplies by constants alone; the claim flushes nothing, and has neither AnyOf nor Within",
	Source:     "[IEEE 754-2019] §5.5.1, §6.3",
	Kills:      []string{"a negative as 0 - x", "a magnitude by comparison with 0"},
	Families:   []string{"zeros", "small"},
	Cost:       4,
	Applies: func(k *Kernel) string {
		if k.Formula == nil {
			return valued(k)
		}
		out := k.Out
		if !out.IsStored() {
			out = k.Formula.Type()
		}
		switch {
		case !out.IsReal():
			return "its results are no floating-point numbers"
		case k.Claim.Flush.Any():
			return "the claim may flush, and zeros of both signs are one number then"
		case len(k.Claim.AnyOf) > 0 || k.Claim.Within != nil:
			return "the claim says AnyOf or Within"
		}
		return computes(k.Formula)
	},
	Judge: func(c *Call) verdict.Verdict { return c.t.zeros() },
}}

// computes says which operation of a formula may make a zero of other numbers, or chooses by one; "" if none does.
func computes(f *formula.Expr) string {
	for _, e := range f.Nodes() {
		n := e.Node()
		switch args := n.Args; n.Op {
		case formula.OpInput, formula.OpConst, formula.OpIndex, formula.OpLen, formula.OpNeg, formula.OpAbs, formula.OpSelect, formula.OpGather, formula.OpRename, formula.OpOrder, formula.OpStore:
			continue
		case formula.OpMul:
			if slices.ContainsFunc(args, func(e *formula.Expr) bool { return e.Node().Op == formula.OpConst && e.Node().Value != 0 }) {
				continue
			}
		}
		if e.Type().IsReal() || slices.ContainsFunc(n.Args, func(e *formula.Expr) bool { return e.Type().IsReal() }) {
			return fmt.Sprintf("the formula has %s, whose zeros may come from other numbers", n.Op)
		}
	}
	return ""
}

// zeros judges the signs of zeros by the formula's values where each zero of the inputs is replaced by a 1 with its sign: no operation adds, so that a 1 takes
// the place of a zero, and has its sign.
func (t *Trial) zeros() verdict.Verdict {
	signed := t.c.Clone()
	for i := range signed.Inputs {
		a := &signed.Inputs[i]
		if f := a.Type.Float; a.Type.IsReal() {
			one := reduce.One(f)
			for k, b := range a.Bits {
				if b&^f.SignBit() == 0 {
					a.Bits[k] = one | b&f.SignBit()
				}
			}
		}
	}
	again := func(c *corpus.Arrays) {
		t.allowed = t.allowed[:0]
		t.enclose(c)
	}
	again(signed)
	defer again(t.c)
	met := false
	for i, x := range t.value {
		sign := cmp.Compare(t.allowed[0].Lo[i], 0)
		if x != 0 || sign == 0 || sign != cmp.Compare(t.allowed[0].Hi[i], 0) {
			continue
		}
		if met = true; math.Signbit(x) != (sign < 0) {
			t.failing = i
			want := t.out.Float.SignBit() * uint64((1-sign)/2)
			return verdict.Fails(fmt.Sprintf("%s is %s, and has to be %s: negation changes the sign of a zero, too, and a magnitude has none. A kernel that subtracts from 0, or compares with it, has another formula",
				t.elementText(i), t.text(x), t.text(value(t.out, want))),
				&verdict.Witness{N: len(t.got), Got: t.got[i], Out: t.out.Float, WantText: report.Describe(t.out.Float, want)})
		}
	}
	if !met {
		return verdict.NotMet("no result is a zero")
	}
	return verdict.Held("", 0)
}
