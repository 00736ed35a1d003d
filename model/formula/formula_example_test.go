package formula_test

import (
	"fmt"
	"os"

	"gamma/model"
	"gamma/model/formula"
)

func ExampleSoftmax() {
	fmt.Print(formula.Print(formula.Softmax(formula.Matrix("x", "m", "n"))))
	// Output:
	// x binary32[m, n]
	// t1 = exp(sub(x, max(x, n)))
	// result div(t1, sum(t1, n))
}

// A kernel that adds in blocks of 32 and stores its result in bfloat16.
func ExampleStore() {
	x := formula.Vector("x")
	mean := formula.Div(formula.Sum(formula.Mul(x, x)).Ordered(formula.Blocked(32)), formula.Len("n"))
	rms := formula.Mul(x, formula.Rsqrt(formula.Add(mean, formula.Const(1e-6))))
	fmt.Println(formula.Store(rms, formula.Float(model.BFloat16), formula.OverflowByType))
	// Output:
	// store(mul(x, rsqrt(add(div(sum(mul(x, x), n; block=32 extra=5), len(n)), 1e-06))), bfloat16)
}

func ExampleParse() {
	e, err := formula.Parse("x binary32[m, n]\ne = exp(x)\nresult div(e, sum(e, n; left))")
	fmt.Println(e, err)
	_, err = formula.Parse("x binary32[m, n]\nresult sum(x, k)")
	fmt.Println(err)
	// Output:
	// t1 = exp(x); div(t1, sum(t1, n; left)) <nil>
	// formula: 2:8: sum: its operand has no axis k; it has [m n]
}

func ExampleExpr_WriteText() {
	x := formula.Matrix("x", "m", "n")
	err := formula.RMSNorm(x, formula.Vector("gamma"), formula.Scalar("eps")).WriteText(os.Stdout, 20)
	fmt.Println(err)
	// Output:
	// mul: real[m, n]
	// ├─ mul: real[m, n]
	// │  ├─ x
	// │  └─ rsqrt: real[m]
	// │     └─ add: real[m]
	// │        ├─ div: real[m]
	// │        │  ├─ sum n: real[m]
	// │        │  │  └─ mul(x, x): real[m, n]
	// │        │  └─ len(n)
	// │        └─ eps
	// └─ gamma
	// <nil>
}

func ExampleExpr_Replace() {
	softmax := formula.Softmax(formula.Vector("x"))
	fmt.Println(softmax.Replace(func(e *formula.Expr) *formula.Expr {
		if e.Node().Op == formula.OpSub { // the maximum forgotten
			return e.Node().Args[0]
		}
		return nil
	}))
	// Output:
	// t1 = exp(x); div(t1, sum(t1, n))
}

func ExampleAccuracy_With() {
	mine := formula.CUDA.With(formula.OpExp, formula.Promise{Ulps: 1})
	fmt.Println(mine.Ops[formula.OpExp])
	fmt.Println(formula.CUDA.Ops[formula.OpExp])
	fmt.Println(formula.MetalFast.Ops[formula.OpExp])
	// Output:
	// 1 ulp
	// 2 ulp of the rounded result
	// 3 + floor(|2x|) ulp
}
