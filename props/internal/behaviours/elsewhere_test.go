package behaviours_test

import (
	"gamma/corpus"
	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
)

// elsewhere judges a subject of its own, which panics here.
func elsewhere() {
	law, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	if err != nil {
		panic(err)
	}
	s := props.Reduction{Name: "behaviours.Elsewhere", Run: func([]float32) float32 { panic("elsewhere") }}
	if _, err := judge.Judge(law, s, &corpus.Case{X: corpus.Float32s([]float32{1})}); err != nil {
		panic(err)
	}
}
