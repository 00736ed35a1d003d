package transforms

import (
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// widePoints is the most points of a transform of which there are many in one call.
const widePoints = 4

// Round returns how many cases there are beyond those that are drawn: more transforms in a call than an index of 8 or 16 bits counts.
func (d *NttDrawer) Round() int {
	if d.law.Refuses || !d.trial.s.Claim.Batched {
		return 0
	}
	return engine.WideCounts
}

// Beyond makes case k of them.
func (d *NttDrawer) Beyond(k int, far bool, rng *draw.Splitmix) (*NttInput, bool) {
	k, h := k%d.Round(), rng.Next()
	sizes := d.pool.sizes()
	n := sizes[0]
	for _, m := range sizes {
		if m > n && m <= widePoints && rng.Below(2) == 0 {
			n = m
		}
	}
	rows, ok := d.trial.s.Device.WideRows(k, n, far, rng)
	if !ok || n > widePoints {
		return nil, false
	}
	in := &NttInput{T: d.pool.of(n, rng.Next()), Seed: rng.Next()}
	in.recipe = NTTRecipe{Family: d.families[rng.Below(len(d.families))], A: uint8(h >> 16), B: uint8(h >> 24), Seed: h >> 24, Batch: rows}
	in.at = d.trial.s.Device.DrawSetting(n, rng.Next())
	in.X, in.Y = d.trial.Expand(in.recipe, in.T, d.law.Pair)
	return in, true
}
