package formulas

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels/nn"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

var update = flag.Bool("update", false, "write testdata/steered.txt anew")

// steeredOf returns a steered attack on the law formula.enclosure of a kernel, as the default level makes it, at the sizes that are fixed.
func steeredOf(t testing.TB, k nn.Kernel, fixed map[string]int) *drawer {
	judged, err := Kernel{
		Name: k.Name, Formula: k.Formula, Claim: k.Claim, Out: k.Out, Fixed: fixed, Call: func(c *Call) error { k.Run(c); return nil },
	}.Judged(engine.Settings{Checks: 2000, Budget: time.Hour, MaxN: 70001})
	require.NoError(t, err)
	r := judged.(*engine.Engine).Kind().(*run)
	src, err := r.Source(&laws[0], true)
	require.NoError(t, err)
	return src.(*drawer)
}

// asked says of which kernels the attack has to come how near to the end of an enclosure, and at which sizes; rows are as few as can be.
var asked = map[string]struct {
	ratio float64
	sizes map[string]int
}{
	"nn.Softmax": {0.85, map[string]int{"n": 1024}}, "nn.LayerNorm": {0.85, map[string]int{"n": 768}}, "nn.RMSNorm": {0.85, map[string]int{"n": 768}},
	"nn.GELU": {0.85, nil}, "nn.GELUTanh": {0.85, nil}, "nn.MatMul": {0.85, map[string]int{"k": 256}},
	"nn.Attention": {0.5, map[string]int{"s": 64, "d": 32}},
}

// TestSteeredAttack holds to a file, for every kernel of kernels/nn, how near the attack comes to the ends of enclosures that the claim allows: on normally
// distributed inputs, and on those that it chooses. It is the attack that every search makes, with nothing told of the kernel but its formula, claim and
// sizes. No kernel runs.
func TestSteeredAttack(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "The largest error/bound of evaluations of a formula that keep to the claim, and whose orders and roundings the attack chooses: of four normally\n"+
		"distributed inputs, and of %d at most that it chooses.\n\n", 2000/steerShare)
	fmt.Fprintf(&b, "%-20s %-20s %8s %6s\n", "kernel", "sizes", "ordinary", "chosen")
	for _, k := range nn.All() {
		want := asked[k.Name]
		d := steeredOf(t, k, want.sizes)
		rng := draw.Splitmix(d.seed)
		d.steer(&rng)
		require.Empty(t, d.r.wrong)
		s := &steered{d: d, t: &Trial{run: d.r}}
		ordinary, of := 0.0, []string{}
		for range 4 {
			ordinary = max(ordinary, s.reach(s.usual(&rng)))
		}
		for _, a := range s.sized().Axes {
			of = append(of, fmt.Sprint(a.Name, " ", a.Size))
		}
		slices.Sort(of)
		fmt.Fprintf(&b, "%-20s %-20s %8.2f %6.2f\n", strings.TrimPrefix(k.Name, "nn."), strings.Join(of, ", "), ordinary, d.r.steered)
		require.GreaterOrEqual(t, d.r.steered, want.ratio, k.Name)
	}
	const file = "testdata/steered.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		return
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(text), b.String(), "%s has changed; look at it, then run with -update", file)
}
