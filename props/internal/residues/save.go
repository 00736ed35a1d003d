package residues

import (
	"slices"

	"gamma/corpus"
	"gamma/props/internal/engine"
)

// Record writes the seed, the modulus, the number of rows and the words of a batch.
func (r *Run) Record(b []byte, c *ModularCase) []byte {
	return engine.AppendWords(engine.AppendWords(b, c.Batch.seed, c.Batch.Q, uint64(c.Batch.Rows)), c.Batch.In...)
}

func (r *Run) Recorded(text []byte) (*ModularCase, error) {
	w, err := engine.CutWords(text, 3)
	if err != nil || len(w)-3 != int(w[2])*len(r.P.Claim.In) {
		return nil, engine.ErrCutOff
	}
	return &ModularCase{Batch: &ModularBatch{seed: w[0], Q: w[1], Rows: int(w[2]), In: w[3:]}}, nil
}

func (r *Run) Body(l *ModularLaw, c *ModularCase) corpus.Body {
	n, b := len(r.P.Claim.In), c.Batch
	f := &corpus.Residues{
		Law: l.ID, Kernel: r.Name, Behaviour: b.At.Behaviour, Launch: b.At.Launch, Bits: r.P.Claim.Bits, Modulus: b.Q, Batch: b.Rows > 1,
	}
	if f.Batch {
		f.Seed = b.seed // where the batch lies in memory may matter
	}
	if n > 0 && !l.Refuses {
		for row := range slices.Chunk(b.In, n) {
			f.Rows = append(f.Rows, corpus.ResidueRow{Words: row, Expect: corpus.ExpectHolds})
		}
	}
	return f
}

// SaveBatch writes the rows of a failure to a file below the directory of the settings.
func (r *Run) SaveBatch(f *ModularFailure, c *ModularCase) {
	b, row := r.Body(&f.Law, c).(*corpus.Residues), (*string)(nil)
	if len(b.Rows) > 0 {
		row = &b.Rows[f.Row].Comment
	}
	r.Save(&f.Violation, b, "the batch", row)
}
