package residues

import (
	"fmt"
	"slices"
	"strconv"

	"gamma/corpus"
	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/props/internal/words"
)

// Run is the kind of operations on residues.
type Run struct {
	engine.Lawful[*ModularRow, modular.Claim]
	P *Subject
}

// Open makes a subject ready to be judged.
func Open(fields func() (*Subject, error), set engine.Settings) (engine.Judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return engine.New(NewModularRun(s, set)), nil
}

// NewModularRun returns the kind of operations on residues for one subject.
func NewModularRun(p *Subject, set engine.Settings) *Run {
	s := engine.NewSession(set, p.Name, p.Device, fmt.Sprintf("%s modulo q", p.Claim.Function), "row", "an operation on residues")
	s.Format = strconv.Itoa(p.Claim.Bits)
	own := *p
	own.Run = p.Run.Guarded(s.Guard)
	return &Run{engine.Lawful[*ModularRow, modular.Claim]{Session: s, BuiltIn: BuiltIn, Own: p.Laws, Says: p.Applies}, &own}
}

// ModularCase is a batch, and the row that fails.
type ModularCase struct {
	Batch  *ModularBatch
	row    int
	recipe words.WordRecipe // that it was drawn by; without a family it was not
}

func (r *Run) Trial() engine.Trial[*ModularRow, modular.Claim, *ModularCase] {
	return NewModularTrial(r.P)
}

func (r *Run) Source(l *ModularLaw, _ bool) (engine.Source[*ModularCase], error) {
	return NewModularDrawer(r.P, l, &r.Set), nil
}

func (r *Run) Setting(c *ModularCase) (at verdict.Setting, n int) { return c.Batch.At, c.Batch.Rows }

func (r *Run) Under(c *ModularCase, at verdict.Setting) *ModularCase {
	own, b := *c, *c.Batch
	b.At = at
	own.Batch = &b
	return &own
}

func (r *Run) Accepts(l *ModularLaw, c *ModularCase) error {
	return r.P.Accepts(l, c.Batch.At, c.Batch.Q, c.Batch.In, c.Batch.Rows)
}

func (r *Run) Owns(f *engine.CaseFile) bool {
	c, ok := f.Body.(*corpus.Residues)
	return ok && c.N == 0 && c.Kernel == r.Name && c.Bits == r.P.Claim.Bits
}

// Pieces returns the rows of a file, each alone, or all in one call if it is a batch, or a modulus without rows.
func (r *Run) Pieces(_ *ModularLaw, f *engine.CaseFile) ([]engine.Piece[*ModularCase], error) {
	c, ok := f.Body.(*corpus.Residues)
	if !ok {
		return nil, engine.WrongBody(f, c)
	}
	of := func(words []uint64, rows int) (*ModularCase, error) {
		b := &ModularBatch{At: verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}, Q: c.Modulus, seed: c.Seed, Rows: rows, In: words}
		if d := r.P.Device; d != nil && d.Launches != nil && b.At.Launch.IsZero() { // a file without a launch runs in the first one there is
			if all := d.Launches(rows); len(all) > 0 {
				b.At.Launch = all[0]
			}
		}
		return &ModularCase{Batch: b}, nil
	}
	if len(c.Rows) > 0 {
		return engine.RowPieces(f, c.Rows, c.Batch, of)
	}
	in, err := of(make([]uint64, len(r.P.Claim.In)), 1) // of a law that wants a modulus alone
	return []engine.Piece[*ModularCase]{{In: in, Rows: 1, Place: f.Path, Expect: c.Expect}}, err
}

func (r *Run) Served() engine.Server { return r.P.Run.Served() }

func (r *Run) Isolated(ask engine.Asker) engine.Kind[*ModularRow, modular.Claim, *ModularCase] {
	own, p := *r, *r.P
	p.Run = p.Run.Elsewhere(ask)
	own.P = &p
	return &own
}

// Draws returns how often an engine draws for the law.
func (d *ModularDrawer) Draws() int {
	n := d.checks
	if dev := d.p.Device; dev != nil {
		n = dev.Checks(n)
	}
	return max(1, n*words.RowsPerCheck/rowsPerModulus)
}

// Make expands a draw into its batch number k, which is valid until the next.
func (d *ModularDrawer) Make(w engine.Draw, k int) (*ModularCase, bool) {
	place := draw.Even(w.Family, w.A, w.B, w.Seed)
	for range k {
		w.Seed = draw.Mix(w.Seed)
		w.A = uint8(w.Seed)
	}
	return d.Expand(place, w.A, w.B, w.Seed, d.rowsOf(w.Seed)), true
}

// Next draws a batch from a generator of numbers.
func (d *ModularDrawer) Next(rng *draw.Splitmix) (*ModularCase, int) {
	x, seed := rng.Next(), rng.Next()
	c := d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, d.rowsOf(seed))
	return c, d.recipe.Rows
}

// Toward makes the drawer draw from these families, or from all if there are none.
func (d *ModularDrawer) Toward(families []string, _ []int) {
	if d.families = families; len(families) == 0 {
		d.families = allModularFamilies
	}
}

func (r *Run) Seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, byte(i), 255, 255, 255, 255, 255, 255, 255, 255, 254, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0})
	}
	return list
}

// Decode makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for a modulus and words that are
// listed. What the claim does not admit is fixed.
func (r *Run) Decode(d *engine.Decoder, l *ModularLaw) *ModularCase {
	dr := NewModularDrawer(r.P, l, &r.Set)
	most := engine.MaxFuzzRows
	if l.Refuses || len(r.P.Claim.In) == 0 {
		most = 1
	}
	if d.Byte()&1 == 1 {
		place, a, b := int(d.Word(2)), d.Byte(), d.Byte()
		return NewModularTrial(r.P).Kept(dr.Expand(place, a, b, d.Word(8), 1+int(d.Byte())%most))
	}
	c, n := &r.P.Claim, len(r.P.Claim.In)
	place, q := d.Byte(), d.Word(8)
	rng := draw.Splitmix(draw.Mix(q))
	switch {
	case l.Refuses && !mustRefuse(c, q):
		q = r.P.Moduli.Refuse(place, &rng)
	case !l.Refuses && Admitted(c, q) != nil:
		q = r.P.Moduli.Draw(place, &rng)
	}
	width := c.Bits / 8
	rows := r.Device.Most(min(max(1, len(*d)/(width*max(n, 1))), most))
	batch := &ModularBatch{Q: q, In: make([]uint64, rows*n), Rows: rows}
	for i := range batch.In {
		batch.In[i] = d.Word(width)
	}
	if l.Refuses {
		clear(batch.In)
	} else {
		dr.g.Begin(c, q)
		for i := range rows {
			row := batch.In[i*n : (i+1)*n]
			for k := range row {
				row[k] = dr.g.Fit(k, row[k])
			}
			dr.g.Fix(row)
		}
	}
	batch.At = r.Device.DrawSetting(rows, draw.Mix(d.Word(2)+1))
	return &ModularCase{Batch: batch}
}

// Record writes the seed, the modulus, the number of rows of a batch and after how many they repeat, and the words of these.
func (r *Run) Record(b []byte, c *ModularCase) []byte {
	in := c.Batch.In
	if c.Batch.period > 0 {
		in = in[:c.Batch.period*len(r.P.Claim.In)]
	}
	return engine.AppendWords(engine.AppendWords(b, c.Batch.seed, c.Batch.Q, uint64(c.Batch.Rows), uint64(c.Batch.period)), in...)
}

func (r *Run) Recorded(text []byte) (*ModularCase, error) {
	w, err := engine.CutWords(text, 4)
	if err != nil {
		return nil, err
	}
	n := len(r.P.Claim.In)
	rows, err := engine.RecordedRows(w[2], w[3], w[4:], n)
	if err != nil {
		return nil, err
	}
	b := &ModularBatch{seed: w[0], Q: w[1], Rows: rows, In: w[4:]}
	if period := int(w[3]); period > 0 {
		b.Rows = period
		b = b.repeated(rows, n)
	}
	return &ModularCase{Batch: b}, nil
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
