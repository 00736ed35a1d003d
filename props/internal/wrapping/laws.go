package wrapping

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// WrappingLaw is a law about sums of integers modulo 2^k.
type WrappingLaw = engine.LawOf[*WrappingTrial, Wrapping]

// Want returns the sum modulo 2^k.
func (t *WrappingTrial) Want() uint64 { return oracle.SumIntegers(t.w.Bits, t.X()) }

// part returns the first of two parts of the terms, and rest the other, each not empty if that can be.
func (t *WrappingTrial) part() []uint64 {
	all, n := t.w.lengths(0), len(t.X())
	least := max(all.Least, min(all.Step, n))
	rng := draw.Splitmix(draw.Mix(t.c.Seed))
	return t.X()[:min(n, least+all.Step*rng.Below(max(1, (n-2*least)/all.Step+1)))]
}

func (t *WrappingTrial) rest() []uint64 { return t.X()[len(t.part()):] }

// rotated returns the second part before the first, and reversed the last term first.
func (t *WrappingTrial) rotated() []uint64 { return slices.Concat(t.rest(), t.part()) }

func (t *WrappingTrial) reversed() []uint64 {
	x := slices.Clone(t.X())
	slices.Reverse(x)
	return x
}

// compare judges a result by what it should be.
func (t *WrappingTrial) compare(what string, got, want uint64, of string) verdict.Verdict {
	if got == want {
		return verdict.Held("", 0)
	}
	w := &verdict.Witness{N: len(t.X()), Got: got, GotText: fmt.Sprintf("%#x", got), WantText: fmt.Sprintf("%#x", want)}
	return verdict.Fails(fmt.Sprintf("%s is %#x, and %s is %#x", what, got, of, want), w)
}

// first compares a further run with the first.
func (t *WrappingTrial) first(run int, what string) verdict.Verdict {
	return t.compare("the sum "+what, t.More[run].Got, t.Got, "the first sum")
}

// wrappingLaws holds the built-in laws.
var wrappingLaws = engine.BuiltIn([]WrappingLaw{{
	ID: model.WrapExact, Statement: "computed = Σx_i mod 2^k", Source: "arithmetic modulo 2^b is exact",
	Kills: []string{"a term dropped or doubled", "an accumulator narrower than k bits", "saturation", "a carry lost", "a half extended by its sign"},
	Judge: func(t *WrappingTrial) verdict.Verdict { return t.compare("the sum", t.Got, t.Want(), "Σx_i mod 2^k") },
}, {
	ID: model.WrapPermute, Statement: "permuted terms give the same result", Source: "arithmetic modulo 2^b is exact, and addition commutes",
	Kills: []string{"a term dropped or doubled by its place"},
	Again: []func(*WrappingTrial) []uint64{(*WrappingTrial).rotated, (*WrappingTrial).reversed},
	Judge: func(t *WrappingTrial) verdict.Verdict {
		if v := t.first(0, "of rotated terms"); v.Fails() {
			return v
		}
		return t.first(1, "of reversed terms")
	},
}, {
	ID: model.WrapSplit, Statement: "sum(x) = sum(x[:m]) + sum(x[m:]) mod 2^k", Source: "arithmetic modulo 2^b is exact, and addition associates",
	Hypotheses: "both parts have as many terms as are claimed",
	Kills:      []string{"an accumulator narrower than k bits", "saturation", "a carry lost"},
	Again:      []func(*WrappingTrial) []uint64{(*WrappingTrial).part, (*WrappingTrial).rest},
	Judge: func(t *WrappingTrial) verdict.Verdict {
		if t.More[0].X == nil || t.More[1].X == nil {
			return verdict.NotMet("a part has more or fewer terms than are claimed")
		}
		both := oracle.SumIntegers(t.w.Bits, []uint64{t.More[0].Got, t.More[1].Got})
		return t.compare("the sum", t.Got, both, fmt.Sprintf("that of the first %d terms and of the others", len(t.part())))
	},
}, {
	ID: model.WrapRepeat, Statement: "the same terms give the same result, whatever is summed between", Source: "the definition of a function",
	Kills: []string{"an accumulator that is not cleared"},
	Again: []func(*WrappingTrial) []uint64{(*WrappingTrial).part, (*WrappingTrial).X},
	Judge: func(t *WrappingTrial) verdict.Verdict { return t.first(1, "in a later call") },
}}, engine.FoundLaws[*WrappingTrial, Wrapping](), engine.IntegerLaws(WrappingLaw{
	Statement: "the device gives the sum that the reference device gives", Kills: []string{"one term lost on the device"}, Judge: (*WrappingTrial).hardware,
}, WrappingLaw{
	Statement: "many runs give one sum", Kills: []string{"one sum wrong once in a few runs"}, Judge: (*WrappingTrial).hardware,
}))

// WrappingLaws returns the built-in laws of sums of integers modulo 2^k.
func WrappingLaws() []WrappingLaw { return slices.Clone(wrappingLaws) }
