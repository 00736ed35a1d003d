package props

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/props/internal/engine"
)

// TestLateCasesAreNotBegun: with a budget of a second no case that takes 0.4 s begins after 0.6 s, and the summary says how many did not.
func TestLateCasesAreNotBegun(t *testing.T) {
	noOptions(t)
	dir := t.TempDir()
	t.Setenv(engine.OptDir.Env(), dir)
	setFlag(t, "gamma.budget", "1s")
	setFlag(t, "gamma.law", "sum.enclosure")
	setFlag(t, "gamma.maxn", "1000")
	const pause = 400 * time.Millisecond
	long := 0
	Reduction{Name: "late.Sum", Run: func(x []float32) float32 {
		if len(x) == 1000 {
			long++
			time.Sleep(pause)
		}
		return kernels.SumSerial(x)
	}}.Check(t)
	require.Positive(t, long)
	require.LessOrEqual(t, long, 2)
	files, err := filepath.Glob(filepath.Join(dir, "*", "summary.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Regexp(t, `late.Sum +cpu +sum.enclosure +\d+ inputs? of up to 1000 elements not begun: by`, string(text))
}
