package formula_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
)

func TestSizes(t *testing.T) {
	x := f32("x", "m", "n")
	given := map[string]int{"m": 3, "n": 10}
	split := formula.SplitAxis(x, "n", "g", "j", 4)
	for _, c := range []struct {
		e    *formula.Expr
		want map[string]int
	}{
		{formula.Softmax(x), given},
		{split, map[string]int{"m": 3, "n": 10, "g": 3, "j": 4}},
		{formula.Slice(x, "n", "s", formula.Integer(2), formula.Integer(0)), map[string]int{"m": 3, "n": 10, "s": 0}},
		{formula.Pad(x, "n", "p", 2, 3, formula.Const(0)), map[string]int{"m": 3, "n": 10, "p": 15}},
		{formula.Rename(x, "n", "k"), map[string]int{"m": 3, "n": 10, "k": 10}},
		{formula.Rename(formula.Rename(split, "g", "h"), "h", "i"), map[string]int{"m": 3, "n": 10, "g": 3, "j": 4, "h": 3, "i": 3}},
		// The size of a needs that of b, which stands to its right.
		{formula.Add(formula.IndexOf("a", formula.Mul(formula.Len("b"), formula.Len("b"))), formula.IndexOf("b", formula.Integer(6))), map[string]int{"a": 36, "b": 6}},
		// Each operation, below zero too: -7 = -4·2 + 1.
		{formula.IndexOf("a", formula.Add(formula.Quo(formula.Integer(-7), formula.Integer(2)), formula.Integer(4))), map[string]int{"a": 0}},
		{formula.IndexOf("a", formula.Mod(formula.Integer(-7), formula.Integer(2))), map[string]int{"a": 1}},
		{formula.IndexOf("a", formula.Sub(formula.Mod(formula.Integer(7), formula.Integer(-2)), formula.Integer(-9))), map[string]int{"a": 8}},
		{formula.IndexOf("a", formula.Maximum(formula.Minimum(formula.Integer(5), formula.Integer(7)), formula.Integer(-1))), map[string]int{"a": 5}},
		{formula.Gather(x, "n", formula.IndexOf("a", formula.Sub(formula.Len("n"), formula.Len("n"))), formula.Const(0)), map[string]int{"m": 3, "n": 10, "a": 0}},
	} {
		got, err := c.e.Sizes(given)
		require.NoError(t, err, c.e)
		require.Equal(t, c.want, got, c.e)
	}
	// Shared at every level, a size takes no longer than its nodes.
	size := formula.Integer(0)
	for range 200 {
		size = formula.Add(size, size)
	}
	_, err := formula.IndexOf("a", size).Sizes(nil)
	require.NoError(t, err)
}

func TestSizesThatCannotBe(t *testing.T) {
	x, count := f32("x", "n"), formula.Input("count", formula.Int(32))
	huge := formula.Integer(1 << 40)
	for _, c := range []struct {
		e    *formula.Expr
		want string
	}{
		{formula.Scalar("y"), ""},
		{formula.Matrix("y", "m", "n"), "axis m of the input y has no size"},
		{formula.Mul(x, formula.Index("j")), "axis j has no size: no input has it, and no IndexOf of a known size makes it"},
		{formula.Mul(x, formula.Len("j")), "axis j has no size"},
		{formula.Mul(x, formula.IndexOf("j", formula.Len("j"))), "axis j has no size"},
		{formula.Mul(x, formula.IndexOf("n", formula.Integer(4))), "axis n has 10 elements, and 4 by index(4, n)"},
		{formula.Mul(formula.IndexOf("j", formula.Integer(5)), formula.IndexOf("j", formula.Integer(4))), "axis j has 5 elements, and 4 by index(4, j)"},
		{formula.Mul(formula.IndexOf("j", formula.Integer(5)), formula.Rename(x, "n", "j")), "axis j has 5 elements, and 10 by rename(x, n, j)"},
		{formula.IndexOf("j", formula.Integer(-1)), "axis j has -1 elements by index(-1, j), and has to have 0 to 2^31-1"},
		{formula.IndexOf("j", huge), "axis j has 1099511627776 elements by"},
		{formula.IndexOf("j", count), "the size of axis j: count depends on more than sizes"},
		{formula.IndexOf("j", formula.Add(formula.Integer(1), count)), "the size of axis j: count depends on more than sizes"},
		{formula.IndexOf("j", formula.Mul(huge, huge)), "the size of axis j: 1099511627776·1099511627776 is beyond ±2^53"},
		{formula.IndexOf("j", formula.Add(formula.Integer(1<<53), formula.Integer(1))), "9007199254740993 is beyond ±2^53"},
		{formula.IndexOf("j", formula.Quo(huge, formula.Integer(0))), "division of 1099511627776 by 0"},
		{formula.Sum(formula.Const(1)), "its operand has no axis"},
	} {
		_, err := c.e.Sizes(map[string]int{"n": 10})
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	_, err := x.Sizes(map[string]int{"n": -1})
	require.ErrorContains(t, err, "axis n has -1 elements by the arrays")
}
