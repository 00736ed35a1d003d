package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed online.metal
var onlineSource string

func onlines() []Formula {
	of := func(function string, e *formula.Expr, inputs ...string) Formula {
		return describe("online.metal", onlineSource, function, e, func(p Program) func(*Runner, model.Launch, Arrays) error {
			return p.rowsBy(float32s, []int{4}, inputs)
		})
	}
	x := rowsOfInput("x")
	causal := describe("online.metal", onlineSource, "attention_causal_online", attentionFormula(true), headsBy(func(l model.Launch, _ Arrays) int { return 4 * l.Threads.X }))
	causal.Min = map[string]int{"s": 1, "d": 1}
	return []Formula{
		causal,
		of("softmax_online", formula.Softmax(x, "n"), "x"),
		of("layer_norm_welford", formula.LayerNorm(x, formula.Vector("gamma"), formula.Vector("beta"), formula.Const(1e-5), "n"), "x", "gamma", "beta"),
	}
}
