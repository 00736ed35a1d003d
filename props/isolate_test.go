package props

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// overflow recurses until the stack ends, long before n does.
func overflow(n int) int {
	if n == math.MaxInt {
		return 0
	}
	return overflow(n+1) + 1
}

// hostile is a sum that does whatever its first leaf says.
func hostile(x []float32) float32 {
	var s float32
	for _, v := range x {
		s += v
	}
	if len(x) == 0 {
		return s
	}
	switch x[0] {
	case 101:
		for { //nolint:staticcheck // hangs on purpose
			time.Sleep(time.Second)
		}
	case 102:
		return float32(overflow(0))
	case 103:
		os.Exit(7)
	case 104:
		panic("first leaf is 104")
	case 106: // only a signaling NaN, and a negative zero, get here as they are
		if math.Float32bits(x[1]) != 0x7f800001 || math.Float32bits(x[2]) != 1<<31 {
			panic("bits have changed on the way")
		}
	case 105:
		x[len(x)-1] = 0
	}
	return s
}

// TestIsolation runs a hostile kernel in a child process: hangs, deaths, panics and spoilt inputs
// become verdicts, and the subject goes on working after each.
func TestIsolation(t *testing.T) {
	sub, err := Reduction{Name: "hostile", Run: hostile}.Kernel()
	require.NoError(t, err)
	if mine, other := engine.IsChildFor(t.Name(), sub.Name); mine {
		require.NoError(t, engine.Serve(vectors.NewRun(sub, engine.Settings{}).Served()))
		return
	} else if other {
		return
	}
	iso := engine.NewIsolation(t.Name(), sub.Name, time.Minute)
	defer iso.Stop()
	sub = sub.Elsewhere(iso.Ask)
	law, err := judge.LawByID(judge.Laws(), "sum.enclosure")
	require.NoError(t, err)
	trial := vectors.NewTrial(sub)
	judged := func(first float32) Verdict {
		return trial.Judge(&law, &corpus.Case{Law: law.ID, X: corpus.Float32s([]float32{first, 1, 2})})
	}
	for _, c := range []struct {
		first  float32
		reason string // a part of it; "" holds
	}{
		{1, ""},
		{2, ""},
		{102, "stack overflow"},
		{3, ""},
		{103, "exit status 7"},
		{104, "panicked: first leaf is 104"},
		{105, "changed leaf 2 of its input"},
		{101, "did not return within 2s"},
		{4, ""},
	} {
		iso.Timeout = time.Minute
		if c.first == 101 {
			iso.Timeout = 2 * time.Second
		}
		v := judged(c.first)
		if c.reason == "" {
			require.Equal(t, Holds, v.Outcome, "%v: %v", c.first, v)
			continue
		}
		require.Equal(t, Broken, v.Outcome, "%v: %v", c.first, v)
		require.Contains(t, v.Reason, c.reason)
	}
	x := []float32{106, math.Float32frombits(0x7f800001), math.Float32frombits(1 << 31)}
	special, err := judge.LawByID(judge.Laws(), "sum.special")
	require.NoError(t, err)
	v := trial.Judge(&special, &corpus.Case{Law: special.ID, X: corpus.Float32s(x)})
	require.Equal(t, Holds, v.Outcome, "%v", v)
}
