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
