package props

import (
	"math"
	"testing"

	"gamma/model/word"
	"gamma/props/internal/attack"
	"gamma/props/internal/residues"
	"gamma/props/internal/transforms"
	"gamma/props/internal/vectors"
	"gamma/props/internal/words"
	"gamma/props/judge"
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

func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }

// What the judge makes of the fields.

func (r Reduction) Kernel() (*vectors.Kernel, error)  { return judge.Reduction(r).Kernel() }
func (d Dot) Kernel() (*vectors.Kernel, error)        { return judge.Dot(d).Kernel() }
func (o Operation) Subject() (*words.Subject, error)  { return judge.Operation(o).Subject() }
func (m Modular) Subject() (*residues.Subject, error) { return judge.Modular(m).Subject() }
func (n NTT) Subject() (*transforms.Subject, error)   { return judge.NTT(n).Subject() }
