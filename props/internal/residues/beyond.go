package residues

import (
	"slices"

	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/words"
)

// wideRows is how many rows a batch repeats that has more of them than an index of 8 or 16 bits counts.
const wideRows = 31

// Round returns how many batches there are beyond those that are drawn: wide ones, and a full one under each admitted behaviour alone.
func (d *ModularDrawer) Round() int {
	if d.single() {
		return 0
	}
	return engine.WideCounts + len(d.p.Device.Alone(d.Seed, 1))
}

// Beyond makes batch k of them.
func (d *ModularDrawer) Beyond(k int, far bool, rng *draw.Splitmix) (*ModularCase, bool) {
	round := k / d.Round()
	k %= d.Round()
	x, seed := rng.Next(), rng.Next()
	expand := func(rows int) *ModularCase { return d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, rows) }
	if k < engine.WideCounts {
		rows, ok := d.p.Device.WideRows(k, 1, far, rng)
		if !ok {
			return nil, false
		}
		c := expand(wideRows)
		c.Batch = c.Batch.repeated(rows, len(d.p.Claim.In))
		c.Batch.At = d.p.Device.DrawSetting(rows, seed)
		return c, true
	}
	c := expand(words.BatchRows)
	c.Batch.At.Behaviour = d.p.Device.Alone(d.Seed+uint64(round), 1)[k-engine.WideCounts]
	return c, true
}

// repeated returns a batch of so many rows of n words that repeats b's rows.
func (b *ModularBatch) repeated(rows, n int) *ModularBatch {
	own := *b
	own.Rows, own.period = rows, b.Rows
	own.In = slices.Repeat(b.In, rows/b.Rows+1)[:rows*n]
	return &own
}

// repeats reports whether row i repeats an earlier one, with the same results in all runs.
func (t *modularTrial) repeats(b *ModularBatch, i int) bool {
	if b.period == 0 || i < b.period {
		return false
	}
	m, k := len(t.p.Claim.Out), i%b.period
	for j := range t.runs {
		r := &t.runs[j]
		if j > 0 && r.ran[i] != r.ran[k] || !slices.Equal(r.out[i*m:(i+1)*m], r.out[k*m:(k+1)*m]) {
			return false
		}
	}
	return true
}
