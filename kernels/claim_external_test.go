package kernels_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/sumtree"
)

// TestClaimsHold judges every binary32 sum and dot product by all bounds that the model grants its
// claim, with rationals. The judge proper does more; this is the author's own check.
func TestClaimsHold(t *testing.T) {
	rng := source(22)
	rounds := 12
	if thorough() {
		rounds = 400
	}
	for _, n := range []int{1, 2, 3, 4, 7, 9, 30, 65, 130} {
		for round := range rounds {
			x, y := spread(rng, n, 6*(round%8)), spread(rng, n, 6*(round%5))
			if round%2 == 0 { // cancel
				for i := 1; i < n; i += 2 {
					x[i] = -x[i-1]
					y[i] = y[i-1] * (1 + 0x1p-20*float32(rng.IntN(4)))
				}
				rng.Shuffle(n, func(i, j int) { x[i], x[j], y[i], y[j] = x[j], x[i], y[j], y[i] })
			}
			for _, k := range kernels.All() {
				switch {
				case k.Sum32 != nil:
					holds(t, k, k.Sum32(x), x, nil)
				case k.Dot32 != nil:
					holds(t, k, k.Dot32(x, y), x, y)
				case k.Squares32 != nil:
					holds(t, k, k.Squares32(x), x, x)
				}
			}
		}
	}
}

func rat(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

// holds fails the test if got breaks a bound of k's claim.
func holds(t *testing.T, k kernels.Kernel, got float32, x, y []float32) {
	t.Helper()
	n := len(x)
	c := k.Claim.WithDefaults(model.Binary32)
	sum, abs := new(big.Rat), new(big.Rat)
	for i, v := range x {
		p := rat(float64(v))
		if y != nil {
			p.Mul(p, rat(float64(y[i])))
		}
		sum.Add(sum, p)
		abs.Add(abs, p.Abs(p))
	}
	if c.Mean {
		sum.Quo(sum, rat(float64(n)))
		abs.Quo(abs, rat(float64(n)))
	}
	h := -1
	if c.Tree != "" {
		shape, err := sumtree.ParseShape(c.Tree)
		require.NoError(t, err)
		h = shape.Height(n)
	} else if c.Height != nil {
		h = c.Height(n)
	}
	bounds := model.SumBounds(c, n, h)
	if y != nil {
		bounds = model.DotBounds(c, n, h)
	}
	require.NotEmpty(t, bounds, k.Name)
	e := new(big.Rat).Sub(rat(float64(got)), sum)
	e.Abs(e)
	sum.Abs(sum)
	for _, b := range bounds {
		limit := new(big.Rat).Mul(rat(b.S), sum)
		limit.Add(limit, new(big.Rat).Mul(rat(b.A), abs))
		unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(max(0, -b.AbsExp))))
		limit.Add(limit, unit.Mul(unit, rat(b.Abs)))
		require.LessOrEqual(t, e.Cmp(limit), 0, "%s breaks %s (%s) with n=%d: %x %x", k.Name, b.Name, b.Law, n, x, y)
	}
}

// TestClaimsAreNotLoose: a serial sum breaks the bounds that the compensated kernels claim.
func TestClaimsAreNotLoose(t *testing.T) {
	rng := source(23)
	for _, c := range []model.Compensation{model.Kahan, model.Sum2, model.SumK, model.Binned} {
		claim := model.Claim{In: model.Binary32, Compensation: c, Folds: 3, Block: 24}.WithDefaults(model.Binary32)
		broken := 0
		for range 200 {
			x := spread(rng, 300, 4)
			for i := range x {
				x[i] = max(x[i], -x[i])
			}
			sum := new(big.Rat)
			for _, v := range x {
				sum.Add(sum, rat(float64(v)))
			}
			e := new(big.Rat).Sub(rat(float64(kernels.SumSerial(x))), sum)
			e.Abs(e)
			for _, b := range model.SumBounds(claim, len(x), -1) {
				limit := new(big.Rat).Mul(rat(b.S+b.A), sum)
				if b.Law == model.SumCompensated && e.Cmp(limit) > 0 {
					broken++
				}
			}
		}
		require.Positive(t, broken, c)
	}
}
