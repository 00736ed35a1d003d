package formulas

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/nn"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// drawerOf returns what draws inputs of a formula for the law formula.enclosure.
func drawerOf(t *testing.T, f *formula.Expr) *drawer {
	judged, err := Kernel{Name: "index." + t.Name(), Formula: f, Call: func(*Call) error { return nil }}.Judged(engine.Settings{Checks: 2000, Budget: time.Hour, MaxN: 70001})
	require.NoError(t, err)
	r := judged.(*engine.Engine).Kind().(*run)
	src, err := r.Source(&laws[0], true)
	require.NoError(t, err)
	return src.(*drawer)
}

// TestGuides: of which axes an integer input is an index, itself or by arithmetic; none where it is what is looked up, compared or counted.
func TestGuides(t *testing.T) {
	table := formula.Matrix("table", "v", "d")
	index := formula.Input("index", formula.Int(32), "n")
	other := formula.Input("other", formula.Uint(8), "n")
	zero := formula.Const(0)
	look := func(i *formula.Expr) *formula.Expr { return formula.Gather(table, "v", i, zero) }
	whole := formula.Input("whole", formula.Int(16), "v")
	for _, c := range []struct {
		f    *formula.Expr
		want map[string][]string
	}{
		{nn.EmbeddingFormula, map[string][]string{"index": {"v"}}},
		{look(formula.Add(formula.Mul(index, formula.Integer(2)), formula.Sub(other, formula.Integer(1)))), map[string][]string{"index": {"v"}, "other": {"v"}}},
		{look(formula.Select(formula.Less(other, formula.Integer(3)), index, formula.Integer(-1))), map[string][]string{"index": {"v"}}},
		{look(formula.Gather(whole, "v", index, formula.Integer(0))), map[string][]string{"whole": {"v"}, "index": {"v"}}},
		{formula.Gather(look(index), "d", formula.Rename(index, "n", "m"), zero), map[string][]string{"index": {"d", "v"}}},
		{look(formula.ArgMax(formula.Matrix("x", "n", "k"), "k")), map[string][]string{}},
		{look(formula.ArgMax(formula.Input("keys", formula.Int(8), "n", "k"), "k")), map[string][]string{}},
		{formula.Shift(formula.Vector("x"), "n", 1, zero), map[string][]string{}},
		{formula.CrossEntropy(formula.Matrix("x", "r", "c"), formula.Input("label", formula.Int(32), "r"), "c"), map[string][]string{"label": {"c"}}},
	} {
		require.NoError(t, c.f.Err())
		got := guidesOf([]*formula.Expr{c.f})
		require.Len(t, got, len(c.want), "%s", c.f)
		for name, axes := range c.want {
			require.ElementsMatch(t, axes, got[name], "%s", c.f)
		}
	}
	for _, k := range nn.All() {
		require.Equal(t, k.Name == "nn.Embedding", len(guidesOf([]*formula.Expr{k.Formula})) > 0, k.Name)
	}
}

// TestIndicesAreDrawnAboutTheirAxis: in one hundred inputs, drawn or decoded, of each type that an index has, there is each kind of place that a fault takes for another.
func TestIndicesAreDrawnAboutTheirAxis(t *testing.T) {
	for _, of := range []formula.Type{formula.Int(8), formula.Uint(8), formula.Int(16), formula.Int(32), formula.Uint(32), formula.Int(64), formula.Uint(64)} {
		d := drawerOf(t, formula.Gather(formula.Matrix("table", "v", "d"), "v", formula.Input("index", of, "n"), formula.Const(0)))
		lo, hi := of.Range()
		rng := draw.Splitmix(1)
		for _, way := range []string{"drawn", "decoded"} {
			seen := map[string]int{}
			for k := range 400 {
				var c *corpus.Arrays
				if way == "drawn" {
					c = d.make(uint64(k))
				} else {
					b := make([]byte, 200)
					for i := range b {
						b[i] = byte(rng.Next() >> 32)
					}
					bytes := engine.Decoder(b)
					c = d.r.Decode(&bytes, &laws[0])
				}
				v, _ := c.Size("v")
				n := int64(v)
				every := map[int64]bool{}
				index := c.Inputs[1]
				require.Equal(t, "index", index.Name)
				for _, b := range index.Bits {
					x := int64(b)
					require.True(t, fits(of, b), "%s: %d", of, x)
					every[x] = true
					for name, is := range map[string]bool{
						"-n-1": x == -n-1, "-n": x == -n, "-1": x == -1, "first": x == 0 && n > 0, "last": x == n-1 && n > 1, "n": x == n, "n+1": x == n+1, "inside": x > 0 && x < n-1,
					} {
						if is {
							seen[name]++
						}
					}
					if way == "drawn" && (float64(x) == max(lo, -1<<53) || float64(x) == min(hi, 1<<53)) {
						seen["end of the type"]++
					}
				}
				if len(every) == v && v > 2 && v == len(index.Bits) {
					seen["permutation"]++
				}
			}
			for _, name := range []string{"-n-1", "-n", "-1", "first", "last", "n", "n+1", "inside"} {
				require.True(t, seen[name] > 0 || lo == 0 && name[0] == '-', "%s, %s: %s is among %v", of, way, name, seen)
			}
			if way == "drawn" {
				require.Positive(t, seen["permutation"])
				require.Positive(t, seen["end of the type"])
			}
		}
	}
}

// TestOthersAreDrawnAsBefore: integers that are no index are drawn as they were before indices were: this is the sum of some.
func TestOthersAreDrawnAsBefore(t *testing.T) {
	k, ok := nn.Find("nn.MatMulInt8")
	require.True(t, ok)
	judged, err := Kernel{Name: k.Name, Formula: k.Formula, Claim: k.Claim, Call: func(*Call) error { return nil }}.Judged(engine.Settings{Checks: 2000, Budget: time.Hour, MaxN: 70001})
	require.NoError(t, err)
	r := judged.(*engine.Engine).Kind().(*run)
	src, err := r.Source(&laws[0], true)
	require.NoError(t, err)
	sum := uint64(0)
	for seed := range uint64(50) {
		c := src.(*drawer).make(seed)
		for _, a := range c.Inputs {
			for _, b := range a.Bits {
				sum = sum*31 + b
			}
		}
	}
	require.Equal(t, uint64(0x908e61a370be86ef), sum)
}
