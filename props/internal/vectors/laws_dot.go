package vectors

import (
	"slices"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// The laws of dot products: those of sums over the products, in their order, each with what is said of products alone.
var dotLaws = func() []Law {
	list := slices.Clone(sumLaws)
	for i, own := range productLaws {
		l := &list[i]
		l.ID, l.Op, l.Statement, l.Source, l.Kills = own.ID, engine.OpDot, own.Statement, own.Source, own.Kills
		if own.Hypotheses != "" {
			l.Hypotheses = own.Hypotheses
		}
		if own.Applies != nil {
			l.Applies = own.Applies
		}
		if own.Judge != nil {
			l.Judge = own.Judge
		}
	}
	return list
}()

var productLaws = []Law{
	{
		ID:         model.DotEnclosure,
		Statement:  "|computed - Σx_i·y_i| <= n·u·Σ|x_i·y_i| + n·η(1+(n-1)v), whatever the order; FMA chain: n·v and n·η(1+n·v)",
		Hypotheses: "terms and result are finite; compensated dots: no intermediate overflow",
		Source:     "[Jeannerod-Rump 2013], [Gamma D1], [Gamma D2], [Gamma D3]",
		Kills:      []string{"dropped product", "factors of different elements"},
		Judge:      func(t *Trial) verdict.Verdict { return judgeBound(t, model.DotEnclosure) },
	},
	{
		ID:        model.DotHeight,
		Statement: "|computed - Σx_i·y_i| <= ((1+v)^(h+1) - 1)·Σ|x_i·y_i| + n·η(1+v)^h, h the height of the claimed tree",
		Source:    "[Gamma D3], per leaf",
		Kills:     []string{"serial dot claiming a pairwise height"},
		Judge:     func(t *Trial) verdict.Verdict { return judgeHeight(t, model.DotHeight) },
	},
	{
		ID:        model.DotTree,
		Statement: "computed has the bits of the claimed schedule's evaluation, with products rounded or fused as claimed",
		Source:    "[TorchLean] evalDotIEEE; fused chains: [IEEE 754-2019] §5.4.1",
		Kills:     []string{"chain claimed fused and not", "off-by-one tree"},
		Applies: func(c *model.Claim) string {
			if c.Fusion == model.FusedAny {
				return "which products are fused is not claimed"
			}
			return needsTree(c)
		},
	},
	{
		ID:         model.DotMember,
		Statement:  "computed is among the values that some tree over some permutation of the products gives, each fused or not as claimed",
		Hypotheses: "at most 12 terms, finite; no compensation; no more rounding than the operations",
		Source:     "[TorchLean] dotTreeResult, decided exactly, and with fused products",
		Kills:      []string{"products in a wider format, not claimed"},
	},
	{
		ID:         model.DotIntegers,
		Statement:  "computed = Σx_i·y_i, rounded once into the result's format",
		Hypotheses: "every product is a multiple of some 2^k, and Σ|x_i·y_i| <= 2^(k+P) in the accumulator's precision P",
		Source:     "every product and partial sum is representable [IEEE 754-2019] §4.3",
		Kills:      []string{"last lane lost", "tail ignored"},
	},
	{
		ID:        model.DotSpecial,
		Statement: "NaN and infinite terms, 0·inf, signed zeros and overflow give what IEEE operations in some order give",
		Source:    "[IEEE 754-2019] §6 and §7.2",
		Kills:     []string{"NaN dropped", "zero factors skipped"},
	},
	{
		ID: model.DotRepeat, Statement: "the same input gives the same bits", Source: "the claim",
		Kills: []string{"result depends on the call"},
	},
	{
		ID: model.DotPermute, Statement: "every permutation of the terms gives the same bits", Source: "the claim",
		Kills: []string{"order-dependent dot claiming to commute"},
	},
	{
		ID:        model.DotCompensated,
		Statement: "|computed - Σx_i·y_i| <= v|S| + (1+v)·n²u²·A + (1+v)·n·η(1+2nu+n²u²) for Dot2; other schemes: theirs",
		Source:    "[Ogita-Rump-Oishi 2005], [Gamma D4]",
		Kills:     []string{"error of the products dropped"},
		Judge:     func(t *Trial) verdict.Verdict { return judgeBound(t, model.DotCompensated) },
	},
	{
		ID: model.DotRounded, Statement: "computed = Σx_i·y_i rounded once", Source: "[IEEE 754-2019] §4.3",
		Kills: []string{"binary64 accumulator claiming one rounding"},
	},
	longLaw(engine.OpDot, model.DotLong, "sum of products"),
}
