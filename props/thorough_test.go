package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
)

// TestReplayLeavesOutThorough: a case on file of a law that is judged at level thorough is left out at others, and counted; it is no error.
func TestReplayLeavesOutThorough(t *testing.T) {
	sub, err := Reduction{Name: "k.Sum", Run: kernels.SumSerial[float32]}.Kernel()
	require.NoError(t, err)
	r := vectors.NewRun(sub, engine.Settings{Seed: engine.FixedSeed, Save: "off"})
	c := &corpus.Case{Law: model.SumLong, Kernel: "k.Sum", X: corpus.Float32s([]float32{3, 5, 7})}
	said := &check.QuietTB{}
	engine.New(r).ReplayFile(recorderTB{TB: t, q: said}, asFile(corpus.File[*corpus.Case]{Path: "long.case", Body: c}))
	require.False(t, said.HasFailed, said.Text.String())
	require.NotEmpty(t, r.Stats(model.SumLong).LeftOut)
}
