package model_test

import (
	"fmt"

	"gamma/model"
)

func ExampleSumBounds() {
	claim := model.Claim{}.WithDefaults(model.Binary32)
	for _, b := range model.SumBounds(claim, 1024, 10) {
		fmt.Printf("%s: %s: %.7g A\n", b.Law, b.Name, b.A)
	}
	claim.Compensation = model.Sum2
	for _, b := range model.SumBounds(claim, 1024, -1) {
		fmt.Printf("%s: %s: %.7g |S| + %.7g A\n", b.Law, b.Name, b.S, b.A)
	}
	// Output:
	// sum.enclosure: order-free (n-1)v: 6.097555e-05 A
	// sum.enclosure: order-free ku/(1+ku), k=n-1: 6.097183e-05 A
	// sum.height: height (1+v)^h-1: 5.960466e-07 A
	// sum.compensated: Sum2 v|S|+(1+v)(n-1)(n-2)v²A: 5.960464e-08 |S| + 3.714383e-09 A
	// sum.enclosure: order-free (n-1)v: 0 |S| + 6.097555e-05 A
}

func ExampleOpenRules() {
	rules := model.OpenRules{Format: model.Binary32}
	row := make([]float64, 1024) // a softmax's terms: one large, all others tiny
	for i := range row {
		row[i] = 0x1p-40
	}
	row[100] = 1
	var s model.OpenSum
	s.AddAll(row, row)
	for _, b := range []model.OpenBound{rules.Bound(&s), rules.Tight(row, row)} {
		fmt.Printf("%s: %.4f u\n", b.Name, b.Max*0x1p24)
	}
	// Output:
	// order-free (n-1)v: 1022.9999 u
	// split: 0.0156 u
}
