package spectra

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/engine"
)

// TestText holds that reports tell two numbers apart that differ, whatever their size.
func TestText(t *testing.T) {
	require.Equal(t, "123.456", text(complex(float64(float32(123.456)), 0), true))
	require.Equal(t, "-0.12348980185873355-0.5410441730642656i", text(complex(-0.12348980185873355, -0.5410441730642656), false))
	require.Equal(t, "0.5+0i", text(0.5, false))
	for _, v := range []float64{0.1, 123.456, 839.25, 6.02e23, 5e-324} {
		require.NotEqual(t, text(complex(v, v), false), text(complex(v, math.Nextafter(v, 1e300)), false), "%v and its neighbour", v)
		f := float32(v)
		require.NotEqual(t, text(complex(float64(f), 0), true), text(complex(float64(math.Nextafter32(f, 1e30)), 0), true), "%v and its neighbour in binary32", f)
	}
}

// TestContracted: where the source leaves contraction open, a device that may contract is held to the bound of contracted products, and nothing else is.
func TestContracted(t *testing.T) {
	claim := fourier.Claim{MaxN: 64}.WithDefaults()
	contracted := claim
	contracted.Contracted = true
	tr := claim.Transform(64, fourier.Forward)
	require.Greater(t, contracted.Bound(tr).L2, claim.Bound(tr).L2)
	for _, x := range []struct {
		how    model.Contraction
		strict bool
		want   fourier.Claim
	}{{model.ContractOff, false, claim}, {model.ContractFast, false, contracted}, {model.ContractFast, true, claim}} {
		own := &Trial{run: &run{claim: claim}}
		own.Session = &engine.Session{Device: &engine.DeviceClaim{Strict: x.strict}}
		own.at.Behaviour.Contract = x.how
		require.Equal(t, x.want.Bound(tr), own.boundOf(tr), "%v", x)
	}
}
