package props

import (
	"math"
	"testing"

	"gamma/model/word"
	"gamma/props/internal/attack"
)

// blackBox runs a candidate as a device would.
func blackBox(c *attack.Candidate, op word.Op) func(dst, src []float32) {
	return func(dst, src []float32) {
		p := c.Program
		values, out := make([]uint64, len(p.Inputs)+len(p.Steps)), make([]uint64, len(p.Results))
		for ; len(src) > 0; src, dst = src[op.In():], dst[op.Out():] {
			copy(values, attack.Encodings(src[:op.In()]))
			word.Run(p, attack.WordArith{Arith: c.Arith}, values, out)
			for i, r := range c.Results {
				dst[i] = math.Float32frombits(uint32(out[r]))
			}
		}
	}
}

// hasOrder puts a Modular on a device.
func hasOrder(d *DeviceClaim, t *testing.T, m *Modular) {
	t.Helper()
	run := m.Run
	m.Run, m.RunOn = nil, func(_ Setting, q uint64, dst, src []uint64) error { return run(q, dst, src) }
}
