package formula_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
)

func drawn(t *testing.T, e *formula.Expr, lines int) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, e.WriteText(&b, lines))
	return b.String()
}

func TestWriteText(t *testing.T) {
	require.Equal(t, `div: real[m, n]
├─ t1 = exp: real[m, n]
│  └─ sub: real[m, n]
│     ├─ x
│     └─ max(x, n): binary32[m]
└─ sum(t1, n): real[m]
`, drawn(t, library()["Softmax"].e, 40))
	require.Equal(t, `order h, t, e: real[h, t, e]
└─ dot s: real[h, e, t]
   ├─ div: real[h, t, s]
   │  ├─ t3 = exp: real[h, t, s]
   │  │  └─ sub: real[h, t, s]
   │  │     ├─ t2 = select: real[h, t, s]
   │  │     │  ├─ t1 = less(index(t), index(s)): bool[t, s]
   │  │     │  ├─ -inf
`, strings.Join(strings.SplitAfter(drawn(t, library()["AttentionCausal"].e, 40), "\n")[:8], ""))
	require.Equal(t, `store int8; saturate: int8[m, n]
└─ div: real[m, n]
   ├─ x
   └─ t1 = gather g: real[m, n]
… 3 more operands
`, drawn(t, library()["QuantizeGroups"].e, 4))
	require.Equal(t, "x\n", drawn(t, formula.Vector("x"), 5))
	require.Equal(t, "sum(x, n; log): real\n", drawn(t, formula.Sum(formula.Vector("x")).Ordered(formula.Pairwise), 5))
	require.Equal(t, "… 1 more operand\n", drawn(t, library()["Softmax"].e, 0))
}

// TestDrawingsStaySmall: whatever the formula, a drawing keeps to its room, and what is shared is drawn once.
func TestDrawingsStaySmall(t *testing.T) {
	e := formula.Vector("x")
	for range 300 {
		e = formula.Add(e, e)
	}
	for _, room := range []int{1, 10, 100} {
		require.LessOrEqual(t, strings.Count(drawn(t, e, room), "\n"), room+1)
	}
	require.Less(t, strings.Count(drawn(t, e, 1<<20), "\n"), 700)
	for name, l := range library() {
		full := drawn(t, l.e, 1<<20)
		for _, line := range strings.Split(formula.Print(l.e), "\n") {
			if label, _, ok := strings.Cut(line, " = "); ok {
				require.Equal(t, 1, strings.Count(full, label+" = "), "%s: %s is drawn once\n%s", name, label, full)
			}
		}
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestDrawingErrors(t *testing.T) {
	require.ErrorIs(t, formula.Vector("x").WriteText(broken{}, 5), errBroken)
	require.Contains(t, drawn(t, formula.Sum(formula.Const(1)), 5), "formula: sum: its operand has no axis")
	require.Contains(t, formula.Sum(formula.Const(1)).String(), "formula: sum: its operand has no axis")
	text := formula.Print(formula.Sum(formula.Const(1)))
	require.Regexp(t, `^# .*draw_external_test.go:\d+: formula: sum: its operand has no axis\n$`, text)
	_, err := formula.Parse(text)
	require.ErrorContains(t, err, "there is no result")
}
