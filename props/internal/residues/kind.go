package residues

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/props/internal/words"
)

// Run is the kind of operations on residues.
type Run struct {
	*engine.Session
	P *Subject
}

// ModularEngine is the engine of operations on residues.
type ModularEngine = engine.Engine[*ModularRow, modular.Claim, *ModularCase]

// OpenResidues makes the operation that fields describe ready to be judged.
func OpenResidues(fields func() (*Subject, error), set engine.Settings) (engine.Judged, error) {
	p, err := fields()
	if err != nil {
		return nil, err
	}
	return &ModularEngine{Kind: NewModularRun(p, set)}, nil
}

// NewModularRun returns the kind of operations on residues for one subject.
func NewModularRun(p *Subject, set engine.Settings) *Run {
	return &Run{engine.NewSession(set, p.Name, p.Device, fmt.Sprintf("%s modulo q", p.Claim.Function), "row", "an operation on residues"), p}
}

// ModularCase is a batch, and the row that fails.
type ModularCase struct {
	Batch  *ModularBatch
	row    int
	recipe ModularRecipe // that it was drawn by; without a family it was not
}

func (r *Run) Laws() []ModularLaw { return slices.Concat(BuiltIn, r.P.Laws) }

func (r *Run) Applies(l *ModularLaw) string { return r.P.Applies(l) }

func (r *Run) Shaped() engine.Shaped { return false }

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
func (r *Run) Pieces(_ *ModularLaw, f *engine.CaseFile) (list []engine.Piece[*ModularCase], err error) {
	c, ok := f.Body.(*corpus.Residues)
	if !ok {
		return nil, engine.WrongBody(f, c)
	}
	add := func(rows []corpus.ResidueRow, place string, expect corpus.Expect) {
		b := &ModularBatch{At: verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}, Q: c.Modulus, seed: c.Seed, Rows: max(1, len(rows))}
		for _, row := range rows {
			b.In = append(b.In, row.Words...)
			if row.Expect == corpus.ExpectViolated {
				expect = row.Expect
			}
		}
		if len(rows) == 0 { // of a law that wants a modulus alone
			b.In = make([]uint64, len(r.P.Claim.In))
		}
		if d := r.P.Device; d != nil && d.Launches != nil && b.At.Launch.IsZero() { // a file without a launch runs in the first one there is
			if all := d.Launches(b.Rows); len(all) > 0 {
				b.At.Launch = all[0]
			}
		}
		list = append(list, engine.Piece[*ModularCase]{In: &ModularCase{Batch: b}, Rows: b.Rows, Place: place, Expect: expect})
	}
	if len(c.Rows) == 0 {
		add(nil, f.Path, c.Expect)
		return list, nil
	}
	step := 1
	if c.Batch {
		step = len(c.Rows)
	}
	for rows := range slices.Chunk(c.Rows, step) {
		add(rows, fmt.Sprintf("%s:%d", f.Path, rows[0].Line), corpus.ExpectHolds)
	}
	return list, nil
}

// Served runs the kernel for another process.
func (r *Run) Served() engine.Server {
	var own ModularCall
	return func(c *engine.Call) *engine.Reply {
		out := make([]uint64, c.Out)
		if len(c.Numbers) != 1 || len(c.In) != 1 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent no modulus")}
		}
		return engine.Answer(out, own.Run(r.P.Run, c.At, c.Numbers[0], out, c.In[0], 0))
	}
}

func (r *Run) Isolate(ask engine.Asker) { r.P = r.Isolated(ask).(*Run).P }

func (r *Run) Isolated(ask engine.Asker) engine.Kind[*ModularRow, modular.Claim, *ModularCase] {
	own, p := *r, *r.P
	p.Run = func(at verdict.Setting, q uint64, dst, src []uint64) error {
		a := ask(&engine.Call{At: at, Numbers: []uint64{q}, In: [][]uint64{src}, Out: len(dst)})
		copy(dst, a.Out)
		return a.Error()
	}
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
	rows := min(max(1, len(*d)/(width*max(n, 1))), most)
	if dev := r.P.Device; dev != nil && dev.MaxN > 0 {
		rows = min(rows, dev.MaxN)
	}
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
	if dev := r.P.Device; dev != nil {
		batch.At = dev.DrawSetting(rows, draw.Mix(d.Word(2)+1))
	}
	return &ModularCase{Batch: batch}
}
