package device

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
)

// TestCauseIsTheFinding: where the device's checkers found a fault, no report of a wrong result blames a behaviour in its place.
func TestCauseIsTheFinding(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"race", "        threadgroup_barrier(mem_flags::mem_threadgroup);\n    }\n", "    }\n", "the device found a race at my.metal:18:28"},
		{"bounds", "k < n; k += width", "k <= n; k += width", "the device found an access out of bounds at my.metal:12:15 in this run; fix that first."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(source, tc.old, tc.new, 1)
			require.NotEqual(t, source, text)
			s, err := Props(Reduction{
				Name: "my.metal#sum", Source: pragmas + text, Function: "sum", Strict: true, Schedule: downTree, Claim: model.Claim{Repeats: true, SignedZero: true, MinN: 1},
				Options: metal.CompileOptions{FileName: "my.metal"}, Device: sim.New(sim.Options{Workers: 1, Steps: 1 << 18}),
				Launches: func(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 8)} },
			})

			require.NoError(t, err)
			sums := 0
			for id, f := range search(t, s) {
				require.NotContains(t, f.Text(), "A device may behave so")
				require.False(t, f.(*props.Failure).Case.Behaviour.ULP, "the kernel calls no library function")
				if strings.HasPrefix(string(id), "sum.") {
					sums++
					_, cause, _ := strings.Cut(f.Text(), "\ncause ")
					require.Contains(t, strings.Join(strings.Fields(cause), " "), "kernel: "+tc.want)
				}
			}
			require.Greater(t, sums, 2)
		})
	}
}
