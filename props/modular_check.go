package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model/modular"
)

// modularRun is the kind of operations on residues.
type modularRun struct {
	*session
	p *modularSubject
}

type modularEngine = engine[*ModularRow, modular.Claim, *modularCase]

// openResidues makes the operation that fields describe ready to be judged.
func openResidues(fields func() (*modularSubject, error), set settings) (judged, error) {
	p, err := fields()
	if err != nil {
		return nil, err
	}
	return &modularEngine{kind: newModularRun(p, set)}, nil
}

func newModularRun(p *modularSubject, set settings) *modularRun {
	return &modularRun{newSession(set, p.name, p.device, fmt.Sprintf("%s modulo q", p.claim.Function), "row", "an operation on residues"), p}
}

// modularCase is a batch, and the row that fails.
type modularCase struct {
	batch  *modularBatch
	row    int
	recipe ModularRecipe // that it was drawn by; without a family it was not
}

func (r *modularRun) laws() []ModularLaw           { return slices.Concat(modularLaws, r.p.laws) }
func (r *modularRun) applies(l *ModularLaw) string { return r.p.applies(l) }
func (r *modularRun) shaped() shaped               { return false }
func (r *modularRun) trial() trial[*ModularRow, modular.Claim, *modularCase] {
	return newModularTrial(r.p)
}

func (r *modularRun) source(l *ModularLaw, _ bool) (source[*modularCase], error) {
	return newModularDrawer(r.p, l, &r.set), nil
}

func (r *modularRun) setting(c *modularCase) (at Setting, n int) { return c.batch.at, c.batch.rows }

func (r *modularRun) under(c *modularCase, at Setting) *modularCase {
	own, b := *c, *c.batch
	b.at = at
	own.batch = &b
	return &own
}

func (r *modularRun) accepts(l *ModularLaw, c *modularCase) error {
	return r.p.accepts(l, c.batch.at, c.batch.q, c.batch.in, c.batch.rows)
}

func (r *modularRun) owns(f *caseFile) bool {
	c, ok := f.Body.(*corpus.Residues)
	return ok && c.N == 0 && c.Kernel == r.name && c.Bits == r.p.claim.Bits
}

// pieces returns the rows of a file, each alone, or all in one call if it is a batch, or a modulus without rows.
func (r *modularRun) pieces(_ *ModularLaw, f *caseFile) (list []piece[*modularCase], err error) {
	c, ok := f.Body.(*corpus.Residues)
	if !ok {
		return nil, wrongBody(f, c)
	}
	add := func(rows []corpus.ResidueRow, place string, expect corpus.Expect) {
		b := &modularBatch{at: Setting{Behaviour: c.Behaviour, Launch: c.Launch}, q: c.Modulus, seed: c.Seed, rows: max(1, len(rows))}
		for _, row := range rows {
			b.in = append(b.in, row.Words...)
			if row.Expect == corpus.ExpectViolated {
				expect = row.Expect
			}
		}
		if len(rows) == 0 { // of a law that wants a modulus alone
			b.in = make([]uint64, len(r.p.claim.In))
		}
		if d := r.p.device; d != nil && d.Launches != nil && b.at.Launch.IsZero() { // a file without a launch runs in the first one there is
			if all := d.Launches(b.rows); len(all) > 0 {
				b.at.Launch = all[0]
			}
		}
		list = append(list, piece[*modularCase]{in: &modularCase{batch: b}, rows: b.rows, place: place, expect: expect})
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

// served runs the kernel for another process.
func (r *modularRun) served() server {
	var own modularCall
	return func(c *call) *reply {
		out := make([]uint64, c.Out)
		if len(c.Numbers) != 1 || len(c.In) != 1 {
			return &reply{Broke: broke(KernelFailed, "the child process was sent no modulus")}
		}
		return answer(out, own.run(r.p.run, c.At, c.Numbers[0], out, c.In[0], 0))
	}
}

func (r *modularRun) isolate(ask asker) { r.p = r.isolated(ask).(*modularRun).p }

func (r *modularRun) isolated(ask asker) kind[*ModularRow, modular.Claim, *modularCase] {
	own, p := *r, *r.p
	p.run = func(at Setting, q uint64, dst, src []uint64) error {
		a := ask(&call{At: at, Numbers: []uint64{q}, In: [][]uint64{src}, Out: len(dst)})
		copy(dst, a.Out)
		return a.error()
	}
	own.p = &p
	return &own
}

// draws returns how often an engine draws for the law.
func (d *modularDrawer) draws() int {
	n := d.checks
	if dev := d.p.device; dev != nil {
		n = dev.checks(n)
	}
	return max(1, n*rowsPerCheck/rowsPerModulus)
}

// make expands a draw into its batch number k, which is valid until the next.
func (d *modularDrawer) make(w draw, k int) (*modularCase, bool) {
	place := even(w.family, w.a, w.b, w.seed)
	for range k {
		w.seed = mix(w.seed)
		w.a = uint8(w.seed)
	}
	return d.expand(place, w.a, w.b, w.seed, d.rowsOf(w.seed)), true
}

// next draws a batch from a generator of numbers.
func (d *modularDrawer) next(rng *splitmix) (*modularCase, int) {
	x, seed := rng.next(), rng.next()
	c := d.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, d.rowsOf(seed))
	return c, d.recipe.Rows
}

func (r *modularRun) seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, byte(i), 255, 255, 255, 255, 255, 255, 255, 255, 254, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0})
	}
	return list
}

// decode makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for a modulus and words that are
// listed. What the claim does not admit is mended.
func (r *modularRun) decode(d *decoder, l *ModularLaw) *modularCase {
	dr := newModularDrawer(r.p, l, &r.set)
	most := maxFuzzRows
	if l.Refuses || len(r.p.claim.In) == 0 {
		most = 1
	}
	if d.byte()&1 == 1 {
		place, a, b := int(d.word(2)), d.byte(), d.byte()
		return newModularTrial(r.p).kept(dr.expand(place, a, b, d.word(8), 1+int(d.byte())%most))
	}
	c, n := &r.p.claim, len(r.p.claim.In)
	place, q := d.byte(), d.word(8)
	rng := splitmix(mix(q))
	if (admitted(c, q) == nil) == l.Refuses {
		if l.Refuses {
			q = r.p.moduli.refuse(place, &rng)
		} else {
			q = r.p.moduli.draw(place, &rng)
		}
	}
	width := c.Bits / 8
	rows := min(max(1, len(*d)/(width*max(n, 1))), most)
	if dev := r.p.device; dev != nil && dev.MaxN > 0 {
		rows = min(rows, dev.MaxN)
	}
	batch := &modularBatch{q: q, in: make([]uint64, rows*n), rows: rows}
	for i := range batch.in {
		batch.in[i] = d.word(width)
	}
	if l.Refuses {
		clear(batch.in)
	} else {
		dr.g.begin(c, q)
		for i := range rows {
			row := batch.in[i*n : (i+1)*n]
			for k := range row {
				row[k] = dr.g.fit(k, row[k])
			}
			dr.g.mend(row)
		}
	}
	if dev := r.p.device; dev != nil {
		batch.at = dev.drawSetting(rows, mix(d.word(2)+1))
	}
	return &modularCase{batch: batch}
}
