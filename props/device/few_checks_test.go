package device_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFewChecks: sound operations pass where so little is drawn that all rows have one family and one behaviour.
func TestFewChecks(t *testing.T) {
	t.Parallel()
	for _, checks := range []string{"1", "20", "600"} {
		dir, text, passed := runFake(t, "sound", "^TestFakeShader$/shaders/^(eft.metal#(fast_two_sum|two_sum)|dd.metal#(div_fp3|times_dw2))$",
			"GAMMA_DEVICE=sim", "GAMMA_BUDGET=1m", "GAMMA_CHECKS="+checks)
		require.True(t, passed, "-gamma.checks=%s: %s", checks, text)
		if checks != "1" { // whose rows are too few to be looked at so
			summary, err := readRun(dir, "summary.txt")
			require.NoError(t, err)
			require.Contains(t, string(summary), "too few to say whether its hypotheses are ever met", "-gamma.checks=%s", checks)
		}
	}
}
