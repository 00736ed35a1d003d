package props

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/model"
	"gamma/props/internal/attack"
)

// TestAttackWitnesses holds the rows on file to the ratios recorded there, exactly, and wants one for every algorithm that has a
// bound, besides those whose bound is 0.
func TestAttackWitnesses(t *testing.T) {
	runs, algorithms := map[string]func(dst, src []float32){}, map[string]string{}
	for _, k := range dd.All() {
		if k.Claim.Exact {
			runs[k.Name], algorithms[k.Name] = k.Run32, k.Claim.Algorithm
		}
	}
	for _, k := range complex.All() {
		if k.Claim.Exact {
			runs[k.Name], algorithms[k.Name] = k.Run32, k.Claim.Algorithm
		}
	}
	best := map[string]float64{}
	for _, f := range embeddedOf[*corpus.Table]() {
		if runs[f.Body.Kernel] == nil || f.Body.Format.Name != "binary32" {
			continue
		}
		a := algorithm(t, algorithms[f.Body.Kernel])
		for _, row := range f.Body.Rows {
			if row.Reaches == 0 || len(row.Words) != a.Op.In() || len(a.Bounds) == 0 {
				continue
			}
			in, out := make([]float32, a.Op.In()), make([]float32, a.Op.Out())
			for i, b := range row.Words {
				in[i] = math.Float32frombits(uint32(b))
			}
			runs[f.Body.Kernel](out, in)
			r := attack.ExactRatio(a.Op, a.Bounds[0], model.Binary32.P, in, out)
			require.GreaterOrEqual(t, r, row.Reaches, "%s:%d", f.Path, row.Line)
			require.LessOrEqual(t, r, 1.0, "%s:%d", f.Path, row.Line)
			best[a.Name] = max(best[a.Name], r)
		}
	}
	for _, name := range algorithms {
		if a := algorithm(t, name); len(a.Bounds) > 0 && a.Bounds[0].Factor != nil {
			require.Contains(t, best, name, "no row on file reaches a part of its bound")
		}
	}
	for _, name := range attacked {
		require.GreaterOrEqual(t, best[name], 0.999, name)
	}
	t.Log(best)
}
