package props

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// chopping adds from the left and rounds every sum toward zero.
func chopping(x []float32) float32 {
	var s float32
	for _, v := range x {
		exact := float64(s) + float64(v)
		t := float32(exact)
		if math.Abs(float64(t)) > math.Abs(exact) {
			t = math.Nextafter32(t, 0)
		}
		s = t
	}
	return s
}

// TestAnomalies draws long random vectors for a sum whose rounding errors all point one way: it stays
// inside the order-free bound, and the detector of anomalies sees it; a sum that rounds to nearest
// raises none.
func TestAnomalies(t *testing.T) {
	law, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	law.Families = []string{"onesign"}
	for _, c := range []struct {
		run  func([]float32) float32
		some bool
	}{{chopping, true}, {kernels.SumSerial[float32], false}} {
		sub, err := Reduction{Name: "anomaly", Run: c.run}.Kernel()
		require.NoError(t, err)
		r := vectors.NewRun(sub, engine.Settings{MaxN: 4097})
		d := vectors.NewDrawer(r, &law)
		d.Sizes, d.Long = []int{4097}, nil
		trial, st, rng := vectors.NewTrial(sub), r.Stats(law.ID), draw.Splitmix(1)
		for range 300 {
			c := drawnWith(d, &rng)
			v := trial.Judge(&law, c)
			require.False(t, v.Fails(), "%v", v)
			trial.Count(st, &v, c)
		}
		require.Equal(t, c.some, st.Anomalies > 0, "%d of %d", st.Anomalies, st.Cases)
	}
}
