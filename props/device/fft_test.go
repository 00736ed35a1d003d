package device_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
)

// fftByDefinition is a user's shader: each thread adds up one number, by the definition. w are all powers of exp(∓2πi/n).
const fftByDefinition = `
#include <metal_stdlib>
using namespace metal;

kernel void transform(device const float2 *x [[buffer(0)]], device const float2 *w [[buffer(1)]], device float2 *out [[buffer(2)]],
                      constant uint &n [[buffer(3)]], constant float &scale [[buffer(4)]], uint2 id [[thread_position_in_grid]]) {
    if (id.x >= n) return;
    float2 sum = 0;
    for (uint j = 0; j < n; j++) {
        float2 a = x[id.y * n + j];
        float2 b = w[j * id.x % n];
        sum += float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
    out[id.y * n + id.x] = sum * scale;
}
`

// fourierDefinition returns the literal of a user, for up to 32 points.
func fourierDefinition(source string) device.FFT {
	return device.FFT{
		Name: "mine.metal#fourier", Source: source,
		Claim: fourier.Claim{Method: fourier.Direct, Lengths: fourier.AnyLength, MaxN: 32, Batched: true, InPlace: true, Repeats: true},
		Launches: func(n int) []model.Launch {
			return []model.Launch{model.Launch1D((n+7)/8, 8), model.Launch1D(1, n)}
		},
		Fits: func(n int, l model.Launch) error {
			if l.Groups.X*l.Threads.X < n {
				return fmt.Errorf("%d threads are too few for %d points", l.Groups.X*l.Threads.X, n)
			}
			return nil
		},
		Host: func(r *device.Run, c *props.FFTCall) error {
			if c.N < 1 || c.N > 32 {
				return fmt.Errorf("%d points; use 1 to 32", c.N)
			}
			w, scale := make([]float32, 2*c.N), float32(1)
			for k := range c.N {
				sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(c.N))
				if c.Sign == fourier.Forward {
					sin = -sin
				}
				w[2*k], w[2*k+1] = float32(cos), float32(sin)
			}
			if c.Scale == fourier.ByN {
				scale = float32(1 / float64(c.N))
			}
			x, err := r.Buffer("x", c.Float32("src"))
			if err != nil {
				return err
			}
			factors, err := r.Buffer("w", w)
			if err != nil {
				return err
			}
			out, err := r.Empty("out", 8*c.N*c.Rows)
			if err != nil {
				return err
			}
			l := r.Launch()
			l.Groups.Y = c.Rows
			if err := r.Dispatch("transform", l, x, factors, out, uint32(c.N), scale); err != nil {
				return err
			}
			return r.Read(out, c.Float32("dst"))
		},
	}
}

// TestFFTLiteral judges a user's shader with host code of his own, and finds faults that are planted in it.
func TestFFTLiteral(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	sound := fourierDefinition(fftByDefinition)
	// Sines and cosines of the host's angles err by roundings of the angle: constants are not exact.
	sound.Claim.Inexact = true
	// In math mode fast a compiler may take it that there is no NaN and no infinity.
	sound.Claim.Finite, sound.BothModes = true, true
	t.Run("sound", func(t *testing.T) { sound.Check(t) })
	for _, c := range []struct {
		old, new string
		law      model.LawID
	}{
		{"id.x % n]", "id.x % (n + 1)]", model.KernelBounds},
		{"j < n", "j + 1 < n", model.FFTError},
		{"j * id.x % n", "j * (n - id.x) % n", model.FFTEntry},
		{" * scale", "", model.FFTRoundtrip},
		{"out[id.y * n + id.x] =", "out[id.x] =", model.KernelRace},
		{"out[id.y * n + id.x] =", "if (id.x > 0) out[id.y * n + id.x] =", model.KernelInit},
	} {
		f, err := device.Props(fourierDefinition(strings.Replace(fftByDefinition, c.old, c.new, 1)))
		require.NoError(t, err)
		l, err := judge.LawByID(judge.FFTLaws(), c.law)
		require.NoError(t, err)
		found, _, err := judge.Find(l, f, 200)
		require.NoError(t, err)
		require.NotNil(t, found, "%s for %s", c.new, c.old)
		require.Contains(t, found.Text(), "launch ")
	}
}

// TestFFTLiteralMistakes says what is wrong with a literal.
func TestFFTLiteralMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(f *device.FFT)
		want   string
	}{
		{func(f *device.FFT) { f.Name = "" }, "has no Name"},
		{func(f *device.FFT) { f.Source = "" }, "has no Source"},
		{func(f *device.FFT) { f.Source = "kernel void f(" }, "mine.metal:1:"},
		{func(f *device.FFT) { f.Host = nil }, "has no Host"},
	} {
		f := fourierDefinition(fftByDefinition)
		c.change(&f)
		_, err := device.Props(f)
		require.ErrorContains(t, err, c.want)
	}
}

// TestFFTLarge judges transforms of up to 4096 points, two tiles of 2048, in threadgroups of 1024 threads; those of one pass have 1024.
func TestFFTLarge(t *testing.T) {
	for _, f := range shaders.FFTs() {
		f.Claim.MaxN = min(f.Claim.MaxN, 4096)
		f.Claim.MinN = f.Claim.MaxN / 2
		f.Launches = func(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1024)} }
		p := builtin.Shader(f, nil).(props.FFT)
		p.Device.MaxN = f.Claim.MaxN
		for _, id := range []model.LawID{model.FFTError, model.FFTTypical, model.FFTTwiddle} {
			l, err := judge.LawByID(judge.FFTLaws(), id)
			require.NoError(t, err)
			if claim := f.Claim.WithDefaults(); l.AppliesTo(&claim) != "" {
				continue // typical errors are those of single words
			}
			c, judged, v, err := judge.Search(l, p, 4)
			require.NoError(t, err)
			require.Nil(t, c, "%s: %s", f.Name, v.Reason)
			require.Positive(t, judged, "%s %s: %s", f.Name, id, v.Reason)
		}
	}
}
