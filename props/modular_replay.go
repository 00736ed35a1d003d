package props

import (
	"slices"

	"gamma/corpus"
	"gamma/model"
)

// record writes the words of a batch, recall makes a file of them, and body one of a batch.
func (r *modularRun) record(b []byte, c *modularCase) []byte {
	return appendWords(appendWords(appendSetting(b, c.batch.at), c.batch.seed, c.batch.q, uint64(c.batch.rows)), c.batch.in...)
}

func (r *modularRun) recall(law model.LawID, text []byte) (corpus.Body, error) {
	at, text, err := cutSetting(text)
	if err != nil {
		return nil, err
	}
	w, err := cutWords(text)
	if err != nil || len(w) < 3 || len(w)-3 != int(w[2])*len(r.p.claim.In) {
		return nil, errCutOff
	}
	b := &modularBatch{at: at, seed: w[0], q: w[1], rows: int(w[2]), in: w[3:]}
	l := ModularLaw{ID: law, Refuses: admitted(&r.p.claim, b.q) != nil}
	return r.body(&l, &modularCase{batch: b}), nil
}

func (r *modularRun) body(l *ModularLaw, c *modularCase) corpus.Body {
	n, b := len(r.p.claim.In), c.batch
	f := &corpus.Residues{
		Law: l.ID, Kernel: r.name, Behaviour: b.at.Behaviour, Launch: b.at.Launch, Bits: r.p.claim.Bits, Modulus: b.q, Batch: b.rows > 1,
	}
	if f.Batch {
		f.Seed = b.seed // where the batch lies in memory may matter
	}
	if n > 0 && !l.Refuses {
		for row := range slices.Chunk(b.in, n) {
			f.Rows = append(f.Rows, corpus.ResidueRow{Words: row, Expect: corpus.ExpectHolds})
		}
	}
	return f
}

// save writes the rows of a failure to a file below the directory of the settings.
func (r *modularRun) save(f *ModularFailure, c *modularCase) {
	if r.set.save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	b := r.body(&f.Law, c).(*corpus.Residues)
	b.Isolate = f.Verdict.Cause.isolated()
	text := f.Verdict.Reason
	if f.passedAgain() {
		text = flakyText("the batch", f.seen)
	}
	if f.Recipe != "" {
		text += "; drawn as " + f.Recipe
	}
	for _, on := range foundOn(f.Device) {
		text += "; " + on
	}
	if len(b.Rows) == 0 {
		b.Comments = []string{text}
	} else {
		b.Rows[f.Row].Comment = text
	}
	file, err := corpus.Save(r.set.save, b, replayOptions)
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}
