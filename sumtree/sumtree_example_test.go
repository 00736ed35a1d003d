package sumtree_test

import (
	"fmt"
	"os"

	"gamma/model"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

func ExampleParse() {
	tree, err := sumtree.Parse("(((0 4) (1 5)) ((2 6) (3 7)))")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree, tree.Height())
	_, err = sumtree.Parse("(0 (1 2)")
	fmt.Println(err)
	// Output:
	// lanes/4/8 3
	// sumtree: column 9 of tree "(0 (1 2)": 1 parentheses are not closed
}

func ExampleBuilder() {
	// Two binary16 products, added with an addend as a tensor core does.
	var b sumtree.Builder
	adder := sumtree.Adder{Pairs: true, Cut: true, Extra: 2, Align: model.TowardZero, Rounding: model.TowardZero}
	tree, err := b.Build(b.Fused(adder, b.Leaf(0), b.Leaf(2), b.Leaf(1), b.Leaf(3), b.Leaf(4)))
	fmt.Println(tree, err)
	// Output:
	// fused{pairs,cut,extra=2,align=zero,round=zero}(0 2 1 3 4) <nil>
}

func ExampleReveal() {
	// A sum that someone else wrote.
	sum := func(x []float32) float32 {
		var even, odd float32
		for i := 0; i+1 < len(x); i += 2 {
			even += x[i]
			odd += x[i+1]
		}
		return even + odd
	}
	tree, err := sumtree.Reveal(1000, sum)
	fmt.Println(tree, err)
	// Output:
	// lanes/2/1000 <nil>
}

func ExampleTree_WriteText() {
	if err := sumtree.Blocked(8).Tree(29).WriteText(os.Stdout, 20); err != nil {
		fmt.Println(err)
	}
	// Output:
	// blocked/8/29: 29 leaves, height 10
	// +
	// ├─ + 0..7
	// ├─ + 8..15
	// ├─ + 16..23
	// └─ + 24..28
}

func Example_evaluate() {
	x := []float32{1, 0x1p-24, 0x1p-24}
	for _, name := range []string{"left/3", "right/3"} {
		tree, err := sumtree.Parse(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum, _, err := eval.Float32(tree, x, nil)
		fmt.Printf("%s %x %v\n", name, sum, err)
	}
	values, complete := eval.Reachable32(x, 100)
	fmt.Printf("%x %v\n", values, complete)
	// Output:
	// left/3 0x1p+00 <nil>
	// right/3 0x1.000002p+00 <nil>
	// [0x1p+00 0x1.000002p+00] true
}
