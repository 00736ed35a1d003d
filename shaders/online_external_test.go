package shaders_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/oracle/real"
	"gamma/shaders"
)

// powers runs power of online.metal, with something replaced in its source.
func powers(t *testing.T, r *shaders.Runner, v, m []float32, replace ...string) (high, low []float32) {
	t.Helper()
	k, ok := shaders.FindFormula("shaders/online.metal#softmax_online")
	require.True(t, ok)
	p := k.Program
	for i := 0; i < len(replace); i += 2 {
		require.Equal(t, 1, strings.Count(p.Source, replace[i]), replace[i])
		p.Source = strings.Replace(p.Source, replace[i], replace[i+1], 1)
	}
	p.Function = "powers"
	p.Source += `
kernel void powers(device float2* dst [[buffer(0)]], device const float* v [[buffer(1)]], device const float* m [[buffer(2)]], constant uint& n [[buffer(3)]],
                   uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = power(v[i], m[i]);
    }
}
`
	words := func(x []float32) (b []byte) {
		for _, v := range x {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	out := shaders.Output("dst", 8*len(v))
	require.NoError(t, r.Run(p, shaders.Dispatch{
		Launch: model.Launch1D((len(v)+63)/64, 64),
		Args:   []shaders.Arg{{Data: out}, {Data: shaders.Input("v", words(v))}, {Data: shaders.Input("m", words(m))}, shaders.Uint(len(v))},
	}))
	for i := range v {
		high = append(high, math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes[8*i:])))
		low = append(low, math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes[8*i+4:])))
	}
	return high, low
}

// powerOperands are v <= m whose differences lie about the middle between two multiples of ln 2, where the remainder is largest, about the multiples, and anywhere;
// their low words are often as large as they may be.
func powerOperands(rng *rand.Rand, n int) (v, m []float32) {
	for k := range 151 {
		for i := range n {
			d := (float64(k) + []float64{0.5, -0.5, 0, rng.Float64()}[i%4] + 0x1p-20*rng.NormFloat64()) * math.Ln2
			x := float32(math.Ldexp(2*rng.Float64()-1, rng.IntN(30)-20))
			if d = min(max(d, 0), 104); rng.IntN(4) == 0 {
				x = 0
			}
			y := float32(float64(x) - d)
			if y <= x {
				v, m = append(v, y), append(m, x)
			}
		}
	}
	return v, m
}

// powerError returns the greatest error of double words beside e^(v-m), in units of 2^-35 of it, or of 2^-149 where that is more.
func powerError(v, m, high, low []float32) (most float64) {
	const b = real.Bits(120)
	for i := range v {
		e := b.Exp(b.Sub(real.Point(float64(v[i])), real.Point(float64(m[i]))))
		d := real.Abs(b.Sub(b.Add(real.Point(float64(high[i])), real.Point(float64(low[i]))), e))
		allowed := new(big.Float).SetMantExp(e.Lo, -35)
		_, off := b.Sub(d, real.Point(0x1p-149)).Float64()
		limit, _ := allowed.Float64()
		most = max(most, off/limit)
	}
	return most
}

// TestOnlinePower holds the exponential of online.metal to the bound that its comment derives, on operands at the ends of each reduced range.
func TestOnlinePower(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *shaders.Runner, rng *rand.Rand) {
		v, m := powerOperands(rng, 24)
		high, low := powers(t, r, v, m)
		most := powerError(v, m, high, low)
		t.Logf("%d operands; the greatest error is 2^%.2f", len(v), math.Log2(most)-35)
		require.LessOrEqual(t, most, 1.0)
		require.Greater(t, most, 0x1p-4)
		for _, fault := range [][]string{
			{"0x1.7f7d1cp-20f", "0x1.7f7d0cp-20f"}, // the low part of ln 2
			{"1.0f / 24.0f", "1.0f / 25.0f"},
			{"float2 d = two_sum(v, -m);", "float2 d = float2(v - m, 0.0f);"},
			{"square * 0.5f", "float2(square.x, 0.0f) * 0.5f"},
		} {
			high, low := powers(t, r, v, m, fault...)
			require.Greater(t, powerError(v, m, high, low), 1.0, "%v", fault)
		}
	})
}

// TestOnlinePowerSteps holds what the comment says of the steps: L1 + L2 is ln 2 within 2^-44, k·L1 is a float, |r| is at most 0.0217, and the tail at most 2^-19.1,
// six roundings of which, and the error of ln 2, are less than 2^-35 after four squarings.
func TestOnlinePowerSteps(t *testing.T) {
	const high, low, b = 0x1.62e4p-1, 0x1.7f7d1cp-20, real.Bits(120)
	_, off := real.Abs(b.Sub(b.Add(real.Point(high), real.Point(low)), b.Ln2())).Float64()
	require.Less(t, off, 0x1p-44)
	for k := range 152 {
		x := float64(k) * high
		require.Equal(t, x, float64(float32(x)), "k = %d", k)
	}
	// k is the integer next to d/ln 2, rounded twice: of d's high word, which is half an ulp off d, by a constant that is rounded, too.
	r := (0.5 + 152*3*0x1p-24) * math.Ln2 / 16
	require.Less(t, r, 0.0217)
	tail := r * r * r * (1./6 + r*(1./24+r*(1./120+r/720)))
	require.Less(t, tail, math.Exp2(-19.1))
	rest := math.Pow(r, 7) / 5040 * 1.01
	require.Less(t, 16*(6*0x1p-24*tail+rest)+150*off+0x1p-41, 0x1p-35)
}
