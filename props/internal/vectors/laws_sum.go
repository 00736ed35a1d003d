package vectors

import (
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/verdict"
)

// The laws of sums and means, the weaker before the stronger.
var sumLaws = []Law{
	{
		ID: model.SumEnclosure, Op: engine.OpSum,
		Statement:  "|computed - Σx_i| <= (n-1)·v·Σ|x_i|, v = u/(1+u), whatever the order",
		Hypotheses: "terms and result are finite; compensated sums: no intermediate overflow",
		Source:     "[Jeannerod-Rump 2018] Theorem 4.1; compensated sums: their own bound",
		Kills:      []string{"dropped leaf", "doubled leaf", "input rounded to bfloat16"},
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeBound(t, model.SumEnclosure) },
	},
	{
		ID: model.SumHeight, Op: engine.OpSum,
		Statement:  "|computed - Σx_i| <= ((1+v)^h - 1)·Σ|x_i|, h the height of the claimed tree",
		Hypotheses: "terms and result are finite; a tree or a height is claimed",
		Source:     "[Gamma T2], [Gamma T3]; [lean-ieee754] ReductionTree.mixed_error",
		Kills:      []string{"serial sum claiming a pairwise height"},
		Applies:    needsHeight,
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeHeight(t, model.SumHeight) },
	},
	{
		ID: model.SumTree, Op: engine.OpSum,
		Statement:  "computed has the bits of the claimed schedule's evaluation",
		Hypotheses: "a tree is claimed or given",
		Source:     "[TorchLean] evalIEEE",
		Kills:      []string{"off-by-one tree", "permuted claim"},
		Applies:    needsTree,
		Judge:      judgeTree,
	},
	{
		ID: model.SumMember, Op: engine.OpSum,
		Statement:  "computed is among the values that some tree over some permutation of the leaves gives",
		Hypotheses: "at most 12 leaves, finite; no compensation; no more rounding than the additions",
		Source:     "[TorchLean] sumTreeResult, decided exactly",
		Kills:      []string{"wide accumulator not claimed"},
		Applies:    needsPlain,
		Families:   finiteFamilies, MaxN: memberDrawN,
		Judge: judgeMember,
	},
	{
		ID: model.SumIntegers, Op: engine.OpSum,
		Statement:  "computed = Σx_i, rounded once into the result's format",
		Hypotheses: "every leaf is a multiple of some 2^k, and Σ|x_i| <= 2^(k+P) in the accumulator's precision P",
		Source:     "every partial sum is representable [IEEE 754-2019] §4.3",
		Kills:      []string{"last lane lost", "tail ignored", "narrow accumulator", "max for sum"},
		Families:   []string{"integers", "zeros", "sparse", "mask", "constant", "pow2"},
		Judge:      judgeIntegers,
	},
	{
		ID: model.SumSpecial, Op: engine.OpSum,
		Statement:  "NaN and infinite terms, signed zeros and overflow give what IEEE additions in some order give",
		Hypotheses: "where a term is infinite, accumulator and result have infinities",
		Source:     "[IEEE 754-2019] §6",
		Kills:      []string{"inf-inf in a correction", "NaN dropped", "+0 seed"},
		Families:   []string{"special", "zeros", "overflow", "bits"},
		Judge:      judgeSpecial,
	},
	{
		ID: model.SumRepeat, Op: engine.OpSum,
		Statement:  "the same input gives the same bits",
		Hypotheses: "the claim says Repeats",
		Source:     "the claim",
		Kills:      []string{"result depends on the call"},
		Applies: func(c *model.Claim) string {
			return Unless(c.Repeats, "the claim does not say Repeats")
		},
		Judge: judgeRepeat,
	},
	{
		ID: model.SumPermute, Op: engine.OpSum,
		Statement:  "every permutation of the leaves gives the same bits",
		Hypotheses: "the claim says Commutes",
		Source:     "the claim",
		Kills:      []string{"order-dependent sum claiming to commute"},
		Applies: func(c *model.Claim) string {
			return Unless(c.Commutes, "the claim does not say Commutes")
		},
		Judge: judgePermute,
	},
	{
		ID: model.SumCompensated, Op: engine.OpSum,
		Statement:  "|computed - Σx_i| <= the bound of the claimed scheme, such as v|S| + (1+v)(n-1)(n-2)v²·A for Sum2",
		Hypotheses: "terms finite; no intermediate overflow",
		Source:     "[Gamma K1], [Gamma S1], [Ogita-Rump-Oishi 2005] and model's functions of these names",
		Kills:      []string{"Kahan term with the wrong sign", "compensation dropped"},
		Applies:    needsScheme,
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeBound(t, model.SumCompensated) },
	},
	{
		ID: model.SumRounded, Op: engine.OpSum,
		Statement:  "computed = Σx_i rounded once",
		Hypotheses: "the claim's compensation is Rounded",
		Source:     "[IEEE 754-2019] §4.3",
		Kills:      []string{"binary64 accumulator claiming one rounding"},
		Applies:    needsRounded,
		Judge:      judgeRounded,
	},
	longLaw(engine.OpSum, model.SumLong, "sum"),
}

// finiteFamilies are the families whose vectors are finite.
var finiteFamilies = func() []string {
	var names []string
	for i := range families.All {
		if f := &families.All[i]; !f.Special && !f.Beyond {
			names = append(names, f.Name)
		}
	}
	return names
}()

// Unless returns "" if ok, and the reason if not.
func Unless(ok bool, reason string) string {
	if ok {
		return ""
	}
	return reason
}

func needsHeight(c *model.Claim) string {
	if c.Compensation != model.Uncompensated {
		return "a compensated sum has a bound of its own"
	}
	return Unless(c.Height != nil || c.Tree != "", "neither a height nor a tree is claimed")
}

func needsTree(c *model.Claim) string {
	if c.Compensation != model.Uncompensated {
		return "a compensated sum adds more than its schedule shows"
	}
	return Unless(c.Tree != "", "no tree is claimed")
}

func needsPlain(c *model.Claim) string {
	switch {
	case c.Compensation != model.Uncompensated:
		return "a compensated sum reaches values that no plain order gives"
	case c.Mean:
		return "a mean is divided after the sum"
	case c.Out != c.Acc:
		return "the result is rounded once more than the sum"
	}
	return ""
}

func needsScheme(c *model.Claim) string {
	return Unless(c.Compensation != model.Uncompensated && c.Compensation != model.Rounded, "no compensation is claimed")
}

func needsRounded(c *model.Claim) string {
	return Unless(c.Compensation == model.Rounded, "one rounding is not claimed")
}
