package residues

import (
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
)

// Record writes the words of a batch, recall makes a file of them, and body one of a batch.
func (r *Run) Record(b []byte, c *ModularCase) []byte {
	in := c.Batch.In
	if c.Batch.period > 0 {
		in = in[:c.Batch.period*len(r.P.Claim.In)]
	}
	return engine.AppendWords(engine.AppendWords(engine.AppendSetting(b, c.Batch.At), c.Batch.seed, c.Batch.Q, uint64(c.Batch.Rows)), in...)
}

func (r *Run) Recall(law model.LawID, text []byte) (corpus.Body, error) {
	at, text, err := engine.CutSetting(text)
	if err != nil {
		return nil, err
	}
	w, err := engine.CutWords(text)
	n := len(r.P.Claim.In)
	if err != nil || len(w) < 3 || w[2] > corpus.MaxTableBytes {
		return nil, engine.ErrCutOff
	}
	b := &ModularBatch{At: at, seed: w[0], Q: w[1], Rows: int(w[2]), In: w[3:]}
	if have := len(b.In); n > 0 && have > 0 && have < b.Rows*n && have%n == 0 {
		b.Rows = have / n
		b = b.repeated(int(w[2]), n)
	}
	if len(b.In) != b.Rows*n {
		return nil, engine.ErrCutOff
	}
	l := ModularLaw{ID: law, Refuses: Admitted(&r.P.Claim, b.Q) != nil}
	return r.Body(&l, &ModularCase{Batch: b}), nil
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

// Save writes the rows of a failure to a file below the directory of the settings.
func (r *Run) Save(f *ModularFailure, c *ModularCase) {
	if r.Set.Save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	b := r.Body(&f.Law, c).(*corpus.Residues)
	b.Isolate = f.Verdict.Cause.Isolated()
	text := f.Verdict.Reason
	if f.PassedAgain() {
		text = engine.FlakyText("the batch", f.Seen)
	}
	if f.Recipe != "" {
		text += "; drawn as " + f.Recipe
	}
	for _, on := range engine.FoundOn(f.Device) {
		text += "; " + on
	}
	if len(b.Rows) == 0 {
		b.Comments = []string{text}
	} else {
		b.Rows[f.Row].Comment = text
	}
	file, err := corpus.Save(r.Set.Save, b, engine.ReplayOptions)
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}
