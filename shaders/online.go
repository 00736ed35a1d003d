package shaders

import (
	_ "embed"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed online.metal
var onlineSource string

func onlines() []Formula {
	x := rowsOfInput("x")
	causal := both("online.metal", onlineSource, "attention_causal_online", attentionFormula(true), headsBy(func(l model.Launch, _ Arrays) int { return 4 * l.Threads.X }))
	for i := range causal {
		causal[i].Min = map[string]int{"s": 1, "d": 1}
	}
	looped := describe("online.metal", onlineSource, "log_sum_exp_looped", formula.LogSumExp(x, "n"), byRows([]int{2}, "x")(float32s))
	looped.Min = oneOf("n")
	return slices.Concat(
		causal,
		both("online.metal", onlineSource, "softmax_online", formula.Softmax(x, "n"), byRows([]int{4}, "x")),
		both("online.metal", onlineSource, "layer_norm_welford", formula.LayerNorm(x, formula.Vector("gamma"), formula.Vector("beta"), formula.Const(1e-5), "n"),
			byRows([]int{4}, "x", "gamma", "beta")),
		[]Formula{looped},
	)
}
