package props

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
)

// TestIndexFaults: faults at the ends of a long table are found by few indices, which no run of these reaches: they are drawn about the table's ends.
func TestIndexFaults(t *testing.T) {
	tried := 0
	for _, m := range mutants.Formulas() {
		if m.Of != "nn.Embedding" || !strings.HasPrefix(m.Kernel.Name, "mutants.Embedding") {
			continue
		}
		tried++
		m.Kernel.Fixed, m.Kernel.Max = map[string]int{"v": 1000}, map[string]int{"n": 64}
		id, n := killer(t, m.Kernel, 60, 60)
		require.NotEmpty(t, id, "%s survives: %s", m.Kernel.Name, m.Fault)
		t.Logf("%s: %s after %d cases", m.Kernel.Name, id, n)
	}
	require.Greater(t, tried, 9)
}
