package oracle

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/word"
)

// The ratio of a norm of rounded components is the error over half an ulp plus B: near 2 for an error of one ulp.
func TestWordRatioOfRoundedNorm(t *testing.T) {
	op := word.Op{Function: word.ComplexSum, X: 1, Y: 1, Z: 1}
	j, err := NewWordJudge(op, model.Binary32)
	require.NoError(t, err)
	const ulp = 0x1p-23
	limitOf := func(b float64) *WordLimit {
		return NewRoundedLimit(word.Bound{Text: "B", Normwise: true, Factor: func(int) *big.Rat {
			r := new(big.Rat).SetFloat64(b)
			return r.Mul(r, r)
		}}, model.Binary32)
	}
	// z is out by so many ulps: 1.5+1.5i is the exact result, or less ulp/2.
	for _, c := range []struct {
		re, im  float64 // errors in half ulps
		b, want float64
	}{
		{0, 0, 0x1p-46, 0},
		{1, 0, 0x1p-46, 1 / (1 + math.Sqrt(4.5)*0x1p-46/(ulp/2))},
		{2, 0, 0x1p-46, 2 / (1 + math.Sqrt(4.5)*0x1p-46/(ulp/2))},
		{0, 2, 0x1p-46, 2 / (1 + math.Sqrt(4.5)*0x1p-46/(ulp/2))},
		{4, 2, 0x1p-46, 4 / (1 + math.Sqrt(4.5)*0x1p-46/(ulp/2))},
		{2, 2, 0x1p-46, 2 / (1 + math.Sqrt(2.25)*0x1p-46/(ulp/2))},   // e along h: r·(|h|+b) = |e|
		{3, 3, 0x1p-22, 3 / (1 + math.Sqrt(2.25)*0x1p-22/(ulp/2))},   // both stick out
		{3, 2, math.Sqrt(2.5) / 1.5 / math.Sqrt(4.5) * ulp / 2, 1.5}, // |(3,2) - 1.5·(1,1)| = √2.5
		{4, 4, 0x1p-24, 4 / (1 + math.Sqrt(2.25)*0x1p-24/(ulp/2))},
	} {
		// x + y = 1.5 + (1.5 - err), y small enough for a float32
		row := func(err float64) (x, y, z float32) { return 1.5, float32(-err * ulp / 2), 1.5 }
		x0, y0, z0 := row(c.re)
		x1, y1, z1 := row(c.im)
		v := j.Judge32([]float32{x0, x1, y0, y1}, []float32{z0, z1}, limitOf(c.b))
		require.InEpsilon(t, 1+c.want, 1+v.Ratio, 1e-6, c)
		require.Equal(t, v.Within, v.Ratio <= 1, c)
		require.Equal(t, c.want <= 1, v.Within, c)
	}
}

// smallNorm carries into its top limb, and agrees with big integers.
func TestSmallNormCarries(t *testing.T) {
	const most = int64(1)<<62 - 1
	carries := 0
	rng := uint64(1)
	next := func() uint64 {
		rng = rng*6364136223846793005 + 1442695040888963407
		return rng ^ rng>>29
	}
	for i := range 2000 {
		a, b, m := int64(next()>>2), -int64(next()>>2), next()
		if i == 0 {
			a, b, m = most, -most, math.MaxUint64
		}
		got := smallNorm(a, b, m)
		sq := func(x int64) *big.Int { v := big.NewInt(x); return v.Mul(v, v) }
		sum := new(big.Int).Add(sq(a), sq(b))
		want := new(big.Int).Mul(sum, new(big.Int).SetUint64(m))
		have := new(big.Int)
		for _, limb := range got {
			have.Add(have.Lsh(have, 64), new(big.Int).SetUint64(limb))
		}
		require.Zero(t, want.Cmp(have), "%d %d %d", a, b, m)
		top := new(big.Int).Mul(new(big.Int).Rsh(sum, 64), new(big.Int).SetUint64(m))
		if top.Rsh(top, 64).Uint64() != got[0] {
			carries++
		}
	}
	require.Greater(t, carries, 100)
}
