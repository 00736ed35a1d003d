package formula_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// differ compares two formulas node by node, by no text, and returns where they differ: what one shares the other has to share. Only
// what has operands is shared; inputs, constants, indices and sizes are what they say.
func differ(a, b *formula.Expr, pairs, back map[*formula.Expr]*formula.Expr) string {
	n, m := a.Node(), b.Node()
	if len(n.Args) > 0 || len(m.Args) > 0 {
		if pairs[a] != nil || back[b] != nil {
			if pairs[a] != b || back[b] != a {
				return fmt.Sprintf("%s is shared on one side", n.Op)
			}
			return ""
		}
		pairs[a], back[b] = b, a
	}
	same := n.Op == m.Op && n.Name == m.Name && math.Float64bits(n.Value) == math.Float64bits(m.Value) && slices.Equal(n.Axes, m.Axes) && n.To == m.To &&
		n.Type == m.Type && n.Meaning == m.Meaning && n.Order == m.Order && n.Ties == m.Ties && n.Overflow == m.Overflow &&
		n.Exclusive == m.Exclusive && n.Reverse == m.Reverse
	if !same || len(n.Args) != len(m.Args) || a.Type() != b.Type() || !slices.Equal(a.Axes(), b.Axes()) {
		return fmt.Sprintf("%+v is not %+v", n, m)
	}
	for i := range n.Args {
		if d := differ(n.Args[i], m.Args[i], pairs, back); d != "" {
			return d
		}
	}
	return ""
}

// roundTrip holds the text of e to what it has to be: read back, it is e, and its text is the same.
func roundTrip(t *testing.T, e *formula.Expr) {
	t.Helper()
	text := formula.Print(e)
	got, err := formula.Parse(text)
	require.NoError(t, err, text)
	require.Empty(t, differ(e, got, map[*formula.Expr]*formula.Expr{}, map[*formula.Expr]*formula.Expr{}), text)
	require.Equal(t, text, formula.Print(got))
	require.True(t, formula.Same(e, got))
	require.Equal(t, e.Hash(), got.Hash())
	require.NotContains(t, e.String(), "\n")
}

func TestRoundTripOfLibrary(t *testing.T) {
	texts := map[string]string{}
	for name, l := range library() {
		roundTrip(t, l.e)
		require.Empty(t, texts[l.text], "%s and %s have one text", name, texts[l.text])
		texts[l.text] = name
	}
	for _, m := range operations() {
		roundTrip(t, m.e)
	}
}

// draw returns a formula of about n operations with random attributes and much sharing.
func draw(r *rand.Rand, n int) *formula.Expr {
	types := []formula.Type{
		formula.Float(model.Binary32), formula.Float(model.BFloat16), formula.Float(model.E4M3), formula.Int(8), formula.Uint(64), formula.Bool,
	}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	names := []string{"m", "n", "k"}
	pool := []*formula.Expr{formula.Const(math.Ldexp(r.Float64(), r.IntN(200)-100)), formula.Integer(r.Int64N(100) - 50), formula.Index("n"), formula.Len("m")}
	for i, name := range []string{"x", "t1", "result", "exp", "binary32", "t3"} {
		pool = append(pool, formula.Input(name, types[i], names[:r.IntN(3)]...))
	}
	for tries := 0; n > 0 && tries < 400; tries++ {
		op := formula.Op(r.IntN(int(formula.OpOrder) + 1))
		node := formula.Node{Op: op, Axes: []string{pick(names)}, To: pick(names), Type: types[r.IntN(len(types))]}
		for range []int{3, 2, 1}[r.IntN(3)] {
			// The latest most often, so that formulas are deep.
			node.Args = append(node.Args, pool[len(pool)-1-r.IntN(min(len(pool), 3+r.IntN(len(pool))))])
		}
		switch {
		case op == formula.OpInput || op == formula.OpConst:
			continue
		case op == formula.OpOrder:
			node.Axes = slices.Clone(node.Args[0].Axes())
			slices.Reverse(node.Axes)
		case op.Class() == formula.Elementwise:
			node.Axes = nil
		}
		if r.IntN(2) == 0 {
			switch op {
			case formula.OpSum, formula.OpProd, formula.OpDot, formula.OpScanSum, formula.OpScanProd:
				node.Order = formula.Order{Block: r.IntN(3), Extra: r.IntN(3), Log: r.IntN(2) == 0, Left: r.IntN(2) == 0}
			case formula.OpMaximum, formula.OpMinimum, formula.OpMax, formula.OpMin, formula.OpScanMax, formula.OpScanMin:
				node.Meaning = formula.Meaning(r.IntN(4))
			case formula.OpArgMax, formula.OpArgMin:
				node.Ties = formula.Ties(r.IntN(3))
			case formula.OpStore:
				node.Overflow = formula.Overflow(r.IntN(3))
			}
			if op.Class() == formula.Scan {
				node.Exclusive, node.Reverse = r.IntN(2) == 0, r.IntN(2) == 0
			}
		}
		if op != formula.OpStore {
			node.Type = formula.Type{}
		}
		if op != formula.OpRename {
			node.To = ""
		}
		if e := formula.New(node); e.Err() == nil && len(e.Axes()) < 8 {
			pool = append(pool, e)
			n--
		}
	}
	return pool[len(pool)-1]
}

func TestRoundTripOfRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 4))
	count := map[formula.Op]int{}
	for range 1500 {
		e := draw(r, 1+r.IntN(60))
		roundTrip(t, e)
		for _, n := range e.Nodes() {
			count[n.Node().Op]++
		}
	}
	for op := formula.OpInput; op <= formula.OpOrder; op++ {
		require.Positive(t, count[op], "%s was never drawn", op)
	}
}

// TestSharing: what is computed once and what is computed twice have different texts, and different hashes.
func TestSharing(t *testing.T) {
	x := formula.Vector("x")
	once, twice := formula.Exp(x), formula.Mul(formula.Exp(x), formula.Exp(formula.Vector("x")))
	require.Equal(t, "mul(exp(x), exp(x))", twice.String())
	require.Equal(t, "t1 = exp(x); mul(t1, t1)", formula.Mul(once, once).String())
	require.False(t, formula.Same(twice, formula.Mul(once, once)))
	require.NotEqual(t, twice.Hash(), formula.Mul(once, once).Hash())
	require.True(t, formula.Same(twice, formula.Mul(formula.Exp(x), formula.Exp(x))))
	require.False(t, formula.Same(formula.Sum(formula.Const(1)), formula.Sum(formula.Const(1))), "mistakes are the same as nothing")
}

// TestHashIsStable: case files keep these.
func TestHashIsStable(t *testing.T) {
	got := map[string]string{}
	for _, name := range []string{"Softmax", "LayerNorm", "AttentionCausal", "QuantizeGroups"} {
		got[name] = library()[name].e.Hash()
	}
	require.Equal(t, map[string]string{"AttentionCausal": "2974cddf751b5880", "LayerNorm": "eb07b2fd3bfa7501", "QuantizeGroups": "fbc6c6ec1b9e11a5", "Softmax": "46003046ce012f41"}, got)
}

// TestDeepFormulas: a formula of any depth has lines of bounded length, and is read back.
func TestDeepFormulas(t *testing.T) {
	e := formula.Vector("x")
	for range 5000 {
		e = formula.Add(formula.Mul(e, formula.Const(0.5)), formula.Const(1))
	}
	roundTrip(t, e)
	for _, line := range strings.Split(formula.Print(e), "\n") {
		require.Less(t, len(line), 200)
	}
	// Shared at every level, it is 2^200 operations if it is written out.
	e = formula.Vector("x")
	for range 200 {
		e = formula.Add(e, e)
	}
	roundTrip(t, e)
	require.Less(t, len(formula.Print(e)), 1<<13)
}

func TestParseReadsWhatPeopleWrite(t *testing.T) {
	e, err := formula.Parse("# Softmax of rows.\r\n\n  x   binary32 [ m,n ]  # logits\n shifted=sub( x ,max(x,n) )\ne = exp(shifted)\n\nresult div(e,sum(e,n;log))\n\n# end\n")
	require.NoError(t, err)
	require.Equal(t, "x binary32[m, n]\nt1 = exp(sub(x, max(x, n)))\nresult div(t1, sum(t1, n; log))\n", formula.Print(e))
	e, err = formula.Parse("result add(1.5, -2e-3)")
	require.NoError(t, err)
	require.Equal(t, "result add(1.5, -0.002)\n", formula.Print(e))
	e, err = formula.Parse("result int8[n]\nresult result")
	require.NoError(t, err)
	require.Equal(t, "result int8[n]\nresult result\n", formula.Print(e))
	e, err = formula.Parse("x binary32[n]\nresult sum(x)")
	require.NoError(t, err)
	require.Equal(t, "sum(x, n)", e.String(), "the last axis, if none is named")
	for _, v := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1e300, -5e-324, 1 << 60, 0.1} {
		roundTrip(t, formula.Const(v))
	}
	for _, v := range []int64{0, -7, 1 << 53, -1 << 53} {
		roundTrip(t, formula.Integer(v))
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"", `formula: 1:1: there is no result: the last line has to be "result" and an expression`},
		{"# x\n\n", "formula: 1:1: there is no result"},
		{"x binary32[n]", `formula: 1:1: the last line has to be "result" and an expression`},
		{"x binary32[n]\nresult y", "formula: 2:8: y is not declared above"},
		{"x binary32[n]\nresult", "formula: 2:7: here has to be a name, a number or an operation"},
		{"x binary33[n]\nresult x", `formula: 1:3: no type is called "binary33"`},
		{"x real\nresult x", "formula: 1:3: input: x has no stored type"},
		{"x binary32[n\nresult x", "formula: 1:13: here has to be , or ]"},
		{"x binary32[n,n]\nresult x", "formula: 1:3: input: x has two axes called n"},
		{"x binary32[2]\nresult x", "formula: 1:12: here has to be the name of an axis"},
		{"x binary32 y\nresult x", "formula: 1:12: the line goes on after its expression"},
		{"x\nresult x", "formula: 1:2: here has to be = and an expression, or the type of an input"},
		{"x bool\nx bool\nresult x", "formula: 2:1: x is declared in line 1 already"},
		{"x bool\nt = t\nresult x", "formula: 2:5: t is not declared above"},
		{"x bool\ny bool\nresult x", "formula: 2:1: the result does not need y"},
		{"x bool\nt = not(x)\nresult x", "formula: 2:1: the result does not need t"},
		{"=\nresult 1", "formula: 1:1: here has to be a name"},
		{"result 1 2", "formula: 1:10: the line goes on after its expression"},
		{"result foo(1)", "formula: 1:8: there is no operation foo"},
		{"result input(x)", "formula: 1:8: there is no operation input"},
		{"result const(1)", "formula: 1:8: there is no operation const"},
		{"result add(1)", "formula: 1:13: add takes 2 operands; here has to be a comma"},
		{"result add(1, 2, n)", "formula: 1:20: add takes 2 operands and no axes"},
		{"result exp(1", "formula: 1:13: here has to be a comma, a semicolon or a closing parenthesis of exp"},
		{"result exp(1; left)", "formula: 1:15: exp has no option left"},
		{"result exp(1; foo)", "formula: 1:15: there is no option foo"},
		{"result 1.2.3", `formula: 1:8: "1.2.3" is not a number of binary64`},
		{"result 1e999", `formula: 1:8: "1e999" is not a number of binary64`},
		{"result 0x10", "formula: 1:9: the line goes on"},
		{"result inf", "formula: 1:8: inf is not declared above"},
		{"result +", `formula: 1:8: "+" is not a number: integers have digits alone, real numbers a point or an exponent`},
		{"result 99999999999999999999", "is not a number"},
		{"result 9007199254740993", "formula: 1:8: const: 9007199254740993 is beyond ±2^53"},
		{"result len()", "formula: 1:8: len: it is about one axis, not []"},
		{"result index()", "here has to be a name, a number or an operation"},
		{"result index(1.5, n)", "formula: 1:8: index: the size of axis n is real[], and has to be an integer scalar"},
		{"x binary32[n]\nresult sum(x, m)", "formula: 2:8: sum: its operand has no axis m; it has [n]"},
		{"x binary32\nresult store(x)", "formula: 2:16: store takes an operand and a type"},
		{"x binary32\nresult store(x, foo)", `no type is called "foo"`},
		{"x binary32\nresult store(x, real)", "formula: 2:8: store: real says nothing of how a number is stored"},
		{"x binary32[n]\nresult rename(x, n)", "rename takes an operand, the name of an axis and its new name"},
		{"x int8\nresult store(x, int8; wrap saturate)", "formula: 2:28: saturate says the same, or the opposite, as an option before it"},
		{"x bool[n]\nresult sum(x, n; block=0)", "block= needs a number from 1 to 2^31-1"},
		{"x bool[n]\nresult sum(x, n; block=9999999999)", "block= needs a number from 1 to 2^31-1"},
		{"x int8[n]\nresult sum(x, n; left left)", "formula: 2:23: left says the same"},
		{"x binary32[n]\ny = sum(x; left\nresult y", "formula: 2:16: here has to be an option or a closing parenthesis"},
		{"x int8[a]\ny int8[b]\nresult gather(x, y, 0.0, a)", "formula: 3:8: gather: it fills an array of int8 with real"},
		{"é", `formula: 1:1: the last line has to be "result" and an expression`},
		{"x \x00", `the last line has to be "result" and an expression`},
	} {
		_, err := formula.Parse(c[0])
		require.ErrorContains(t, err, c[1], c[0])
		require.NotContains(t, err.Error(), ".go:", c[0])
	}
}

// TestHostileTexts: size and depth are bounded, and what is too large is an error before it costs much.
func TestHostileTexts(t *testing.T) {
	many := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line+"\n", i)
		}
		return b.String()
	}
	list := func(n int) string {
		return "x binary32[" + strings.TrimSuffix(strings.ReplaceAll(many(n, "a%d,"), "\n", ""), ",") + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"long":    {strings.Repeat(" ", 1<<20+1), "a text of 1048577 bytes, and at most 1048576 are read"},
		"deep":    {"result " + strings.Repeat("exp(", 100_000), "1:808: more than 200 calls inside each other"},
		"inputs":  {many(65, "x%d bool") + "result x1", "65:5: more than 64 inputs"},
		"axes":    {list(17) + "result x", "more than 16 axes"},
		"words":   {"x bool[n]\nresult any(x" + strings.Repeat(", n", 17) + ")", "more than 16 axes"},
		"product": {list(16) + "y binary32[b]\nresult mul(x, y)", "3:8: more than 16 axes"},
		"nodes":   {"x binary32\n" + many(1<<14+1, "t%d = exp(x)") + "result x", "more than 16384 calls"},
	} {
		_, err := formula.Parse(c.text)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err := formula.Parse("x" + strings.Repeat("y", 64) + " bool\nresult 1")
	require.ErrorContains(t, err, "1:1: a name of more than 64 bytes")
	// Long only as Print writes it: every sum names the axis.
	axis := strings.Repeat("a", 64)
	chain := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form+"\n", i+1, i)
		}
		return fmt.Sprintf("%sresult t%d", b.String(), n)
	}
	_, err = formula.Parse("x binary32[" + axis + "]\nt0 = exp(x)\n" + chain(1<<14-2, "t%d = scansum(t%d)"))
	require.ErrorContains(t, err, "a text of")
	// Within the limits it is read.
	e, err := formula.Parse("x binary32\nt0 = exp(x)\n" + chain(1<<14-2, "t%d = mul(t%[2]d, t%[2]d)"))
	require.NoError(t, err)
	require.Len(t, e.Nodes(), 1<<14)
}

// FuzzParse: no text panics, and what is read is printed and read again.
func FuzzParse(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(library())) {
		f.Add(library()[name].text)
	}
	for i := range 20 {
		f.Add(formula.Print(draw(rand.New(rand.NewPCG(1, uint64(i))), 20)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := formula.Parse(text)
		if err != nil {
			require.Nil(t, e)
			return
		}
		roundTrip(t, e)
		require.NoError(t, e.WriteText(new(strings.Builder), 50))
	})
}
