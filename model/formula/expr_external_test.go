package formula_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

func axes(e *formula.Expr) string { return fmt.Sprint(e.Axes()) }

// made is an expression with its operation, type and axes.
type made struct {
	e    *formula.Expr
	want string
}

// operations is every operation, by its constructor.
func operations() []made {
	x, row, i8, mask := f32("x", "m", "n"), f32("row", "n"), formula.Input("i", formula.Int(8), "n"), formula.Input("b", formula.Bool, "m", "n")
	half := formula.Input("h", formula.Float(model.Binary16), "n")
	return []made{
		{x, "input binary32[m n]"},
		{formula.Const(0.1), "const real[]"},
		{formula.Integer(-3), "const int[]"},
		{formula.Index("n"), "index int[n]"},
		{formula.IndexOf("j", formula.Len("n")), "index int[j]"},
		{formula.Len("n"), "len int[]"},
		{formula.Add(row, x), "add real[m n]"},
		{formula.Add(i8, formula.Index("n")), "add int[n]"},
		{formula.Add(i8, row), "add real[n]"},
		{formula.Sub(x, formula.Const(1)), "sub real[m n]"},
		{formula.Mul(f32("a", "m", "k"), f32("b", "k", "n")), "mul real[m k n]"},
		{formula.Div(formula.Len("n"), formula.Integer(2)), "div real[]"},
		{formula.FMA(x, row, half), "fma real[m n]"},
		{formula.Quo(i8, formula.Integer(2)), "quo int[n]"},
		{formula.Mod(i8, formula.Integer(2)), "mod int[n]"},
		{formula.Maximum(x, row), "maximum real[m n]"},
		{formula.Minimum(i8, i8), "minimum int[n]"},
		{formula.Abs(half), "abs real[n]"},
		{formula.Neg(i8), "neg int[n]"},
		{formula.Sqrt(i8), "sqrt real[n]"},
		{formula.Rsqrt(x), "rsqrt real[m n]"},
		{formula.Exp(x), "exp real[m n]"},
		{formula.Exp2(x), "exp2 real[m n]"},
		{formula.Expm1(x), "expm1 real[m n]"},
		{formula.Log(x), "log real[m n]"},
		{formula.Log2(x), "log2 real[m n]"},
		{formula.Log1p(x), "log1p real[m n]"},
		{formula.Sin(x), "sin real[m n]"},
		{formula.Cos(x), "cos real[m n]"},
		{formula.Tan(x), "tan real[m n]"},
		{formula.SinPi(x), "sinpi real[m n]"},
		{formula.CosPi(x), "cospi real[m n]"},
		{formula.Tanh(x), "tanh real[m n]"},
		{formula.Erf(x), "erf real[m n]"},
		{formula.Pow(x, row), "pow real[m n]"},
		{formula.Floor(x), "floor real[m n]"},
		{formula.Ceil(x), "ceil real[m n]"},
		{formula.Trunc(x), "trunc real[m n]"},
		{formula.Round(x), "round real[m n]"},
		{formula.Ufp(x), "ufp real[m n]"},
		{formula.Less(x, row), "less bool[m n]"},
		{formula.LessEqual(i8, row), "lessequal bool[n]"},
		{formula.Equal(i8, i8), "equal bool[n]"},
		{formula.Not(mask), "not bool[m n]"},
		{formula.And(mask, mask), "and bool[m n]"},
		{formula.Or(mask, formula.Less(row, row)), "or bool[m n]"},
		{formula.Select(mask, row, formula.Const(0)), "select real[m n]"},
		{formula.Select(mask, i8, formula.Integer(0)), "select int[m n]"},
		{formula.Select(mask, mask, mask), "select bool[m n]"},
		{formula.Store(x, formula.Float(model.E4M3), formula.Saturate), "store e4m3[m n]"},
		{formula.Store(x, formula.Uint(8), formula.Wrap), "store uint8[m n]"},
		{formula.Store(mask, formula.Int(32), formula.OverflowByType), "store int32[m n]"},
		{formula.Sum(x), "sum real[m]"},
		{formula.Sum(i8), "sum int[]"},
		{formula.Prod(x, "m"), "prod real[n]"},
		{formula.Max(half), "max binary16[]"},
		{formula.Min(x, "n", "m"), "min binary32[]"},
		{formula.ArgMax(x), "argmax int[m]"},
		{formula.ArgMin(x, "m"), "argmin int[n]"},
		{formula.Any(mask), "any bool[m]"},
		{formula.All(mask, "m"), "all bool[n]"},
		{formula.Count(mask, "m", "n"), "count int[]"},
		{formula.Dot(f32("a", "m", "k"), f32("b", "k", "n"), "k"), "dot real[m n]"},
		{formula.Dot(i8, i8, "n"), "dot int[]"},
		{formula.ScanSum(x), "scansum real[m n]"},
		{formula.ScanProd(x, "m"), "scanprod real[m n]"},
		{formula.ScanMax(half), "scanmax binary16[n]"},
		{formula.ScanMin(x), "scanmin binary32[m n]"},
		{formula.Gather(x, "n", formula.Index("n"), formula.Const(0)), "gather binary32[m n]"},
		{formula.Gather(x, "n", formula.Index("n"), formula.Const(0.1)), "gather real[m n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(-1.5)), "gather binary16[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(math.Inf(-1))), "gather binary16[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(65504)), "gather binary16[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(65536)), "gather real[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(1+0x1p-11)), "gather real[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(0x1p-14)), "gather binary16[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Const(0x1p-15)), "gather real[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Max(half)), "gather binary16[n]"},
		{formula.Gather(half, "n", formula.Index("n"), formula.Max(x)), "gather real[n m]"},
		{formula.Gather(formula.Store(x, formula.Float(model.E4M3), formula.Saturate), "n", formula.Index("n"), formula.Const(math.Inf(1))), "gather real[m n]"},
		{formula.Rename(x, "n", "k"), "rename binary32[m k]"},
		{formula.InOrder(x, "n", "m"), "order binary32[n m]"},
	}
}

func TestOperations(t *testing.T) {
	seen := map[formula.Op]bool{}
	for _, m := range operations() {
		require.NoError(t, m.e.Err())
		require.Equal(t, m.want, m.e.Node().Op.String()+" "+m.e.Type().String()+axes(m.e), formula.Print(m.e))
		seen[m.e.Node().Op] = true
	}
	require.Len(t, seen, int(formula.OpOrder)+1, "operations that have a constructor here")
}

// TestGatherAxes: the index's axes take the place of the axis that it looks up; an axis that both have goes along both.
func TestGatherAxes(t *testing.T) {
	x, zero := f32("x", "b", "n", "c"), formula.Const(0)
	position := func(axes ...string) *formula.Expr { return formula.Input("p", formula.Int(32), axes...) }
	for _, c := range []struct {
		index *formula.Expr
		want  string
	}{
		{formula.Integer(3), "[b c]"},
		{formula.Index("n"), "[b n c]"},
		{position("n"), "[b n c]"},
		{position("i", "j"), "[b i j c]"},
		{position("n", "j"), "[b n j c]"},
		{position("b"), "[b c]"},
		{position("b", "j"), "[b j c]"},
		{formula.Add(formula.Index("n"), formula.Index("j")), "[b n j c]"},
	} {
		require.Equal(t, c.want, axes(formula.Gather(x, "n", c.index, zero)), c.index)
	}
	require.Equal(t, "[b c d]", axes(formula.Gather(x, "n", formula.Integer(0), f32("fill", "d"))))
}

func TestBroadcastAxes(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"mn", "n", "[m n]"},
		{"n", "mn", "[m n]"},
		{"m", "n", "[m n]"},
		{"", "mn", "[m n]"},
		{"nm", "mn", "[n m]"},
		{"mk", "kn", "[m k n]"},
		{"k", "kmn", "[k m n]"},
	} {
		split := func(s string) (list []string) {
			for _, r := range s {
				list = append(list, string(r))
			}
			return list
		}
		require.Equal(t, c.want, axes(formula.Mul(f32("a", split(c.a)...), f32("b", split(c.b)...))), "%s and %s", c.a, c.b)
	}
}

func TestMistakes(t *testing.T) {
	x, row, i8, mask := f32("x", "m", "n"), f32("row", "n"), formula.Input("i", formula.Int(8), "n"), formula.Input("b", formula.Bool, "n")
	zero := formula.Const(0)
	for _, c := range []struct {
		e    *formula.Expr
		want string
	}{
		{f32("2x"), `input: an array cannot be called "2x": a name is a letter, then letters, digits and underscores`},
		{f32(""), `input: an array cannot be called ""`},
		{f32("é"), `input: an array cannot be called "é"`},
		{f32("x", "n", ""), `input: an axis cannot be called ""`},
		{f32("x", "n", "m", "n"), "input: x has two axes called n"},
		{formula.Input("x", formula.Type{}), "input: x has no stored type; Float, Int, Uint and Bool make one"},
		{formula.Const(math.NaN()), "const: a constant is a number or an infinity"},
		{formula.Integer(1<<53 + 1), "const: 9007199254740993 is beyond ±2^53"},
		{formula.Integer(math.MinInt64), "is beyond ±2^53"},
		{formula.Index("a b"), `index: an axis cannot be called "a b"`},
		{formula.Len(""), `len: an axis cannot be called ""`},
		{formula.IndexOf("j", nil), "index: operand 1 is nil"},
		{formula.IndexOf("j", i8), "index: the size of axis j is int8[n], and has to be an integer scalar"},
		{formula.IndexOf("j", zero), "index: the size of axis j is real[], and has to be an integer scalar"},
		{formula.Add(x, nil), "add: operand 2 is nil"},
		{formula.Add(mask, x), "add: its operand is bool, and has to be a number"},
		{formula.Quo(x, formula.Integer(2)), "quo: its operands have to be integers; Div divides real numbers"},
		{formula.Mod(i8, row), "mod: its operands have to be integers"},
		{formula.Not(x), "not: its operand is binary32, and has to be bool"},
		{formula.And(mask, i8), "and: its operand is int8, and has to be bool"},
		{formula.Any(x), "any: its operand is binary32, and has to be bool"},
		{formula.Select(x, x, x), "select: its condition is binary32, and has to be bool"},
		{formula.Select(mask, x, i8), "select: it chooses between binary32 and int8, which have to be of one kind"},
		{formula.Select(mask, mask, i8), "select: it chooses between bool and int8"},
		{formula.Store(x, formula.Type{}, formula.Saturate), "store: real says nothing of how a number is stored"},
		{formula.Store(x, formula.Float(model.E5M2), formula.Wrap), "store: only integers wrap, not e5m2"},
		{formula.Sum(zero), "sum: its operand has no axis"},
		{formula.Sum(x, "k"), "sum: its operand has no axis k; it has [m n]"},
		{formula.Sum(x, "n", "n"), "sum: it names the axis n twice"},
		{formula.ArgMax(x, "m", "n"), "argmax: it goes along one axis, not [m n]"},
		{formula.Dot(x, x), "dot: name the axes that it sums over"},
		{formula.ScanSum(x, "m", "n"), "scansum: it goes along one axis, not [m n]"},
		{formula.ScanSum(zero), "scansum: its operand has no axis"},
		{formula.ScanMax(x, "k"), "scanmax: its operand has no axis k; it has [m n]"},
		{formula.Gather(x, "k", formula.Integer(0), zero), "gather: its operand has no axis k; it has [m n]"},
		{formula.Gather(x, "n", zero, zero), "gather: its index is real, and has to be an integer"},
		{formula.Gather(i8, "n", formula.Integer(0), zero), "gather: it fills an array of int8 with real"},
		{formula.Rename(x, "k", "j"), "rename: its operand has no axis k; it has [m n]"},
		{formula.Rename(x, "n", "m"), "rename: its operand has an axis m already"},
		{formula.Rename(x, "n", "a-b"), `rename: an axis cannot be called "a-b"`},
		{formula.InOrder(x, "n"), "order: [n] does not list each of its operand's axes [m n] once"},
		{formula.InOrder(x, "n", "n"), "order: [n n] does not list each"},
		{formula.Exp(x).Ordered(formula.Sequential), "exp: Ordered is for sum, prod, dot, scansum, scanprod"},
		{formula.Sum(x).Ordered(formula.Order{Block: -1}), "sum: an order has no negative block or height"},
		{formula.Sum(x).Meant(formula.IgnoreNaN), "sum: Meant is for maximum, minimum, max, min, scanmax, scanmin"},
		{formula.Max(x).WithTies(formula.LastTie), "max: WithTies is for argmax, argmin"},
		{formula.Sum(x).Exclusively(), "sum: Exclusively is for scansum, scanprod, scanmax, scanmin"},
		{formula.Sum(x).Backwards(), "sum: Backwards is for scansum"},
		{formula.Add(x, f32("x", "n")), "add: two inputs are called x: one is binary32[m n], the other binary32[n]"},
		{formula.Add(formula.Exp(x), formula.Log(formula.Input("x", formula.Float(model.Binary16), "m", "n"))), "add: two inputs are called x"},
		{formula.New(formula.Node{Op: formula.OpAdd, Args: []*formula.Expr{x}}), "add: it takes 2 operands, not 1"},
		{formula.New(formula.Node{Op: formula.OpLen}), "len: it is about one axis, not []"},
		{formula.New(formula.Node{Op: 250}), "the node's operation is unknown"},
		{formula.New(formula.Node{Op: formula.OpExp, Args: []*formula.Expr{x}, Exclusive: true}), "exp: Exclusively is for"},
		// A mistake is the first one, wherever the expression ends up.
		{formula.Exp(formula.Add(formula.Sum(zero), mask)), "sum: its operand has no axis"},
		{formula.Sum(zero).Ordered(formula.Pairwise), "sum: its operand has no axis"},
	} {
		require.ErrorContains(t, c.e.Err(), c.want)
		require.ErrorContains(t, c.e.Err(), "_external_test.go:", "the place of the call")
	}
	require.ErrorContains(t, (*formula.Expr)(nil).Err(), "the expression is nil")
}

// TestAttributes: what a formula says beside its operations is kept, on a copy.
func TestAttributes(t *testing.T) {
	x := f32("x", "n")
	s := formula.Sum(x)
	require.Equal(t, formula.Sequential, s.Ordered(formula.Sequential).Node().Order)
	require.True(t, s.Node().Order.IsOpen(), "Ordered returns a copy")
	require.Equal(t, formula.CMeaning, formula.Maximum(x, x).Meant(formula.CMeaning).Node().Meaning)
	require.Equal(t, formula.LastTie, formula.ArgMin(x).WithTies(formula.LastTie).Node().Ties)
	require.True(t, formula.ScanSum(x).Exclusively().Backwards().Node().Exclusive)
	require.True(t, formula.ScanSum(x).Exclusively().Backwards().Node().Reverse)
	axes := []string{"n"}
	in := formula.Input("x", formula.Float(model.Binary32), axes...)
	axes[0] = "changed"
	require.Equal(t, []string{"n"}, in.Axes(), "an input keeps its own axes")
}

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		o formula.Order
		h [4]int // of 1, 8, 33, 1000 terms
	}{
		{formula.Order{}, [4]int{0, 7, 32, 999}},
		{formula.Sequential, [4]int{0, 7, 32, 999}},
		{formula.Pairwise, [4]int{0, 3, 6, 10}},
		{formula.Blocked(32), [4]int{0, 6, 7, 37}},
		{formula.Order{Block: 1}, [4]int{0, 7, 32, 999}},
	} {
		for i, n := range []int{1, 8, 33, 1000} {
			require.Equal(t, c.h[i], c.o.Height(n), "%+v of %d", c.o, n)
		}
	}
}

// TestInputsAndNodes: each once, in order, operands first.
func TestInputsAndNodes(t *testing.T) {
	x, y := f32("x", "n"), f32("y", "n")
	shared := formula.Mul(y, f32("x", "n"))
	e := formula.Add(shared, formula.Sub(x, shared))
	require.Equal(t, "[y x]", fmt.Sprint(e.Inputs()))
	position := map[*formula.Expr]int{}
	for i, n := range e.Nodes() {
		for _, a := range n.Node().Args {
			_, before := position[a]
			require.True(t, before, "%v uses %v", n, a)
		}
		_, twice := position[n]
		require.False(t, twice, n)
		position[n] = i
	}
	require.Len(t, position, 6)
}

// TestReplace makes variants: one operation for another, what is shared still shared.
func TestReplace(t *testing.T) {
	e := formula.Softmax(formula.Vector("x"))
	noMax := e.Replace(func(n *formula.Expr) *formula.Expr {
		if n.Node().Op == formula.OpSub {
			return n.Node().Args[0]
		}
		return nil
	})
	require.Equal(t, "t1 = exp(x); div(t1, sum(t1, n))", noMax.String())
	require.Same(t, e, e.Replace(func(*formula.Expr) *formula.Expr { return nil }), "nothing changed")
	ordered := e.Replace(func(n *formula.Expr) *formula.Expr {
		if n.Node().Op == formula.OpSum {
			return n.Ordered(formula.Pairwise)
		}
		return nil
	})
	require.Equal(t, "t1 = exp(sub(x, max(x, n))); div(t1, sum(t1, n; log))", ordered.String())
	require.Equal(t, "t1 = exp(sub(x, max(x, n))); div(t1, sum(t1, n))", e.String(), "an expression never changes")
	bad := e.Replace(func(n *formula.Expr) *formula.Expr {
		if n.Node().Op == formula.OpMax {
			return formula.Input("flag", formula.Bool)
		}
		return nil
	})
	require.ErrorContains(t, bad.Err(), "sub: its operand is bool")
	broken := formula.Sum(formula.Const(1))
	require.Same(t, broken, broken.Replace(nil))
}

func TestTypes(t *testing.T) {
	for _, name := range []string{"binary64", "binary32", "binary16", "bfloat16", "e5m2", "e4m3", "toy3", "int8", "int16", "int32", "int64", "uint8", "uint64", "bool", "int", "real"} {
		typ, err := formula.TypeByName(name)
		require.NoError(t, err)
		require.Equal(t, name, typ.String())
	}
	for name, want := range map[string]string{"int7": "no integer type is called", "uint": "no integer type is called", "float": "no type is called", "": "no type is called", "int08": "no integer type"} {
		_, err := formula.TypeByName(name)
		require.ErrorContains(t, err, want, name)
	}
	lo, hi := formula.Int(8).Range()
	require.Equal(t, [2]float64{-128, 127}, [2]float64{lo, hi})
	lo, hi = formula.Uint(16).Range()
	require.Equal(t, [2]float64{0, 65535}, [2]float64{lo, hi})
	require.True(t, formula.Float(model.E4M3).IsReal() && formula.Float(model.E4M3).IsStored())
	require.False(t, formula.Type{}.IsStored() || formula.Bool.IsReal() || formula.Int(8).IsReal())
}

func TestClaimDefaults(t *testing.T) {
	c := formula.Claim{}.WithDefaults()
	require.Equal(t, model.Binary32, c.Format)
	require.Equal(t, formula.Published, c.Functions)
	c = formula.Claim{Format: model.Binary16, Functions: formula.CUDA}.WithDefaults()
	require.Equal(t, model.Binary16, c.Format)
	require.Equal(t, formula.CUDA, c.Functions)
}
