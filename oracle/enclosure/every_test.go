package enclosure

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// Operations of formulas that are enumerated, by how many operands they take.
var (
	ofOne = []func(x *formula.Expr) *formula.Expr{
		formula.Neg, formula.Abs, formula.Sqrt, formula.Rsqrt, formula.Exp, formula.Tanh, formula.Floor, formula.Round, formula.Ufp,
	}
	ofTwo   = []func(x, y *formula.Expr) *formula.Expr{formula.Add, formula.Sub, formula.Mul, formula.Div, formula.Maximum}
	ofThree = []func(x, y, z *formula.Expr) *formula.Expr{
		formula.FMA, func(x, y, z *formula.Expr) *formula.Expr { return formula.Select(formula.Less(x, y), y, z) },
	}
)

// choices returns how many operations there are on n operands.
func choices(n int) int { return len(ofOne)*n + len(ofTwo)*n*n + len(ofThree)*n*n*n }

// formulas returns how many straight lines of so many operations over three numbers there are.
func formulas(operations int) int {
	total := 1
	for k := range operations {
		total *= choices(3 + k)
	}
	return total
}

// numbered returns formula k of so many operations, each on the numbers a, b, c and what the operations before it gave; nil if one of these is not used, so that
// it is a formula of fewer.
func numbered(k, operations int) *formula.Expr {
	pool := []*formula.Expr{formula.Scalar("a"), formula.Scalar("b"), formula.Scalar("c")}
	used := make([]bool, 3+operations)
	for i := range operations {
		n := 3 + i
		which := k % choices(n)
		k /= choices(n)
		take := func() *formula.Expr {
			at := which % n
			which /= n
			used[at] = true
			return pool[at]
		}
		var e *formula.Expr
		switch one, two := len(ofOne)*n, len(ofTwo)*n*n; {
		case which < one:
			x := take()
			e = ofOne[which](x)
		case which < one+two:
			which -= one
			x, y := take(), take()
			e = ofTwo[which](x, y)
		default:
			which -= one + two
			x, y, z := take(), take(), take()
			e = ofThree[which](x, y, z)
		}
		pool = append(pool, e)
	}
	if slices.Contains(used[3:2+operations], false) {
		return nil
	}
	return pool[len(pool)-1]
}

// TestEveryFormula holds enclosures to all conforming evaluations of every formula of at most four operations over three numbers in toy formats, a part of them at a
// time. The thorough level takes every formula of one or two operations on all inputs, those of two in parts that can be asked for one by one, and 30,000 of three and
// of four.
func TestEveryFormula(t *testing.T) {
	thorough := os.Getenv("GAMMA_LEVEL") == "thorough"
	for _, f := range []model.Format{tiny(2, -1, 1), tiny(3, 0, 1)} {
		for operations := 1; operations <= 4; operations++ {
			for _, exact := range []bool{true, false} {
				name, parts := fmt.Sprintf("%s/%d/exactly=%t", f.Name, operations, exact), 1
				if thorough && operations == 2 {
					parts = 64
				}
				for part := range parts {
					name := name
					if parts > 1 {
						name += fmt.Sprintf("/part=%02d", part)
					}
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						everyFormula(t, f, operations, exact, part, parts)
					})
				}
			}
		}
	}
}

// everyFormula holds the enclosures of each of so many parts' formulas to all conforming evaluations, or of those that are drawn of all.
func everyFormula(t *testing.T, f model.Format, operations int, exact bool, part, parts int) {
	rng := rand.New(rand.NewPCG(uint64(operations), uint64(f.P)))
	total := formulas(operations)
	many, most := min(total, 500), 300 // formulas, and results of each on the inputs that are taken
	switch thorough := os.Getenv("GAMMA_LEVEL") == "thorough"; {
	case thorough && operations <= 2:
		many, most = total, results()
	case thorough:
		many, most = 30_000, 3000
	case testing.Short():
		many /= 10
	}
	seen, judged := 0, 0
	for i := part; i < many; i += parts {
		k := i
		if many < total {
			k = rng.IntN(total)
		}
		e := numbered(k, operations)
		if e == nil {
			continue
		}
		toy := toyFormula{name: e.String(), e: e, ulps: float64(k % 2), from: rng.IntN(1 << 20)}
		outside, results, _, _ := sound(t, f, toy, exact, false, flawless, most, true)
		require.Zero(t, outside, "formula %d of %d operations: %s", k, operations, e)
		seen, judged = seen+1, judged+results
	}
	require.Positive(t, judged)
	t.Logf("%d formulas of %d, %d results, none outside", seen, total, judged)
}
