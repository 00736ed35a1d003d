package vectors

import (
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// The laws of dot products: those of sums over the products.
var dotLaws = []Law{
	{
		ID: model.DotEnclosure, Op: engine.OpDot,
		Statement:  "|computed - Σx_i·y_i| <= n·u·Σ|x_i·y_i| + n·η(1+(n-1)v), whatever the order; FMA chain: n·v and n·η(1+n·v)",
		Hypotheses: "terms and result are finite; compensated dots: no intermediate overflow",
		Source:     "[Jeannerod-Rump 2013], [Gamma D1], [Gamma D2], [Gamma D3]",
		Kills:      []string{"dropped product", "factors of different elements"},
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeBound(t, model.DotEnclosure) },
	},
	{
		ID: model.DotHeight, Op: engine.OpDot,
		Statement:  "|computed - Σx_i·y_i| <= ((1+v)^(h+1) - 1)·Σ|x_i·y_i| + n·η(1+v)^h, h the height of the claimed tree",
		Hypotheses: "terms and result are finite; a tree or a height is claimed",
		Source:     "[Gamma D3], per leaf",
		Kills:      []string{"serial dot claiming a pairwise height"},
		Applies:    needsHeight,
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeHeight(t, model.DotHeight) },
	},
	{
		ID: model.DotTree, Op: engine.OpDot,
		Statement:  "computed has the bits of the claimed schedule's evaluation, with products rounded or fused as claimed",
		Hypotheses: "a tree is claimed or given",
		Source:     "[TorchLean] evalDotIEEE; fused chains: [IEEE 754-2019] §5.4.1",
		Kills:      []string{"chain claimed fused and not", "off-by-one tree"},
		Applies: func(c *model.Claim) string {
			if c.Fusion == model.FusedAny {
				return "which products are fused is not claimed"
			}
			return needsTree(c)
		},
		Judge: judgeTree,
	},
	{
		ID: model.DotMember, Op: engine.OpDot,
		Statement:  "computed is among the values that some tree over some permutation of the products gives, each fused or not as claimed",
		Hypotheses: "at most 12 terms, finite; no compensation; no more rounding than the operations",
		Source:     "[TorchLean] dotTreeResult, decided exactly, and with fused products",
		Kills:      []string{"products in a wider format, not claimed"},
		Applies:    needsPlain,
		Families:   finiteFamilies, MaxN: memberDrawN,
		Judge: judgeMember,
	},
	{
		ID: model.DotIntegers, Op: engine.OpDot,
		Statement:  "computed = Σx_i·y_i, rounded once into the result's format",
		Hypotheses: "every product is a multiple of some 2^k, and Σ|x_i·y_i| <= 2^(k+P) in the accumulator's precision P",
		Source:     "every product and partial sum is representable [IEEE 754-2019] §4.3",
		Kills:      []string{"last lane lost", "tail ignored"},
		Families:   []string{"integers", "zeros", "sparse", "mask", "constant", "pow2"},
		Judge:      judgeIntegers,
	},
	{
		ID: model.DotSpecial, Op: engine.OpDot,
		Statement:  "NaN and infinite terms, 0·inf, signed zeros and overflow give what IEEE operations in some order give",
		Hypotheses: "where a term is infinite, accumulator and result have infinities",
		Source:     "[IEEE 754-2019] §6 and §7.2",
		Kills:      []string{"NaN dropped", "zero factors skipped"},
		Families:   []string{"special", "zeros", "overflow", "bits"},
		Judge:      judgeSpecial,
	},
	{
		ID: model.DotRepeat, Op: engine.OpDot,
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
		ID: model.DotPermute, Op: engine.OpDot,
		Statement:  "every permutation of the terms gives the same bits",
		Hypotheses: "the claim says Commutes",
		Source:     "the claim",
		Kills:      []string{"order-dependent dot claiming to commute"},
		Applies: func(c *model.Claim) string {
			return Unless(c.Commutes, "the claim does not say Commutes")
		},
		Judge: judgePermute,
	},
	{
		ID: model.DotCompensated, Op: engine.OpDot,
		Statement:  "|computed - Σx_i·y_i| <= v|S| + (1+v)·n²u²·A + (1+v)·n·η(1+2nu+n²u²) for Dot2; other schemes: theirs",
		Hypotheses: "terms finite; no intermediate overflow",
		Source:     "[Ogita-Rump-Oishi 2005], [Gamma D4]",
		Kills:      []string{"error of the products dropped"},
		Applies:    needsScheme,
		Families:   finiteFamilies,
		Judge:      func(t *Trial) verdict.Verdict { return judgeBound(t, model.DotCompensated) },
	},
	{
		ID: model.DotRounded, Op: engine.OpDot,
		Statement:  "computed = Σx_i·y_i rounded once",
		Hypotheses: "the claim's compensation is Rounded",
		Source:     "[IEEE 754-2019] §4.3",
		Kills:      []string{"binary64 accumulator claiming one rounding"},
		Applies:    needsRounded,
		Judge:      judgeRounded,
	},
	longLaw(engine.OpDot, model.DotLong, "sum of products"),
}
