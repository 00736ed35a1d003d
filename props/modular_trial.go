package props

import (
	"errors"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
)

// modularBatch is rows for one modulus, run in one call.
type modularBatch struct {
	at   Setting
	q    uint64
	in   []uint64
	rows int
	seed uint64 // says where in memory the operands lie
}

func (b *modularBatch) clone() *modularBatch {
	c := *b
	c.in = slices.Clone(b.in)
	return &c
}

// drawSetting draws a setting for so many rows.
func (d *Device) drawSetting(rows int, seed uint64) Setting {
	rng := splitmix(seed)
	var c corpus.Case
	d.draw(&c, rows, &rng)
	return Setting{Behaviour: c.Behaviour, Launch: c.Launch}
}

// modularTrial runs batches of one operation and judges their rows. It keeps its memory from batch to batch.
type modularTrial struct {
	p     *modularSubject
	call  modularCall
	res   *residues
	found model.Findings
	runs  []modularRuns // the batch, and those that the law asks for
	row   ModularRow
	other modularRuns // a run on another device, or once more
	rowTally
}

// modularRuns is a batch of operands and their results; of ran, false says that a row was not asked for.
type modularRuns struct {
	in, out []uint64
	ran     []bool
}

func newModularTrial(p *modularSubject) *modularTrial {
	return &modularTrial{p: p}
}

// judge runs a batch and judges its rows, and returns the verdict on the first that fails, or else the worst of those that hold.
func (t *modularTrial) judge(l *ModularLaw, in *modularCase) (v Verdict) {
	b := in.batch
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(LawPanicked, "the law panicked: %v", p))
		}
		v.Law = l.ID
	}()
	if t.p.device.onHardware() && b.at != t.p.device.setting(b.at) {
		b = b.clone()
		b.at = t.p.device.setting(b.at)
	}
	t.row.res = nil
	t.begin()
	t.found = nil
	if n := 1 + len(l.Again); cap(t.runs) < n {
		t.runs = append(t.runs[:cap(t.runs)], make([]modularRuns, n-cap(t.runs))...)
	} else {
		t.runs = t.runs[:n]
	}
	c := &t.p.claim
	n, m := len(c.In), len(c.Out)
	base := &t.runs[0]
	base.in, base.out = b.in, grow(base.out, b.rows*m)
	if l.Refuses {
		err := t.run(l, b, base)
		var no *breakage
		if errors.As(err, &no) {
			v = broken(no)
			t.see(&v, b.rows)
			return v
		}
		t.row = ModularRow{Claim: c, Modulus: b.q, In: b.in[:n], Out: base.out[:m], Err: err}
		v = judgeResidues(l, &t.row)
		t.see(&v, b.rows)
		return v
	}
	if t.res == nil || t.res.q != b.q {
		res, err := newResidues(c, b.q)
		if err != nil {
			return broken(broke(LawPanicked, "the judge has no truth modulo %d: %v", b.q, err))
		}
		t.res = res
	}
	if c.Function == modular.Inverse {
		for i := range b.rows {
			if _, ok := oracle.InvMod(b.in[i*n]%b.q, b.q); !ok {
				v = vacuous("an operand has a factor in common with q")
				t.see(&v, b.rows)
				return v
			}
		}
	}
	if broke := breakageOf("the kernel", t.run(l, b, base)); broke != nil {
		v = broken(broke)
		t.see(&v, b.rows)
		return v
	}
	if l.Found != nil {
		v = l.Found(t.found)
		t.see(&v, b.rows)
		return v
	}
	if l.Hardware {
		return residueRuns[l.ID](t, l, b)
	}
	for k, again := range l.Again {
		if broke := t.again(l, b, again, k); broke != nil {
			return broken(broke)
		}
	}
	for i := range b.rows {
		t.failing = i // what panics below is about this row
		v := judgeResidues(l, t.load(b, i, len(l.Again)))
		if v.fails() {
			if v.Witness != nil {
				v.Witness.Row, v.Witness.N = i, n
			}
			return v
		}
		t.see(&v, 1)
	}
	t.failing = 0
	return t.worst
}

// run runs the kernel on a batch and returns what it returned, or a breakage.
func (t *modularTrial) run(l *ModularLaw, b *modularBatch, r *modularRuns) error {
	err := t.call.run(t.p.run, b.at, b.q, r.out, r.in, b.seed)
	if t.p.device == nil {
		return err
	}
	found, err := splitFindings(err)
	t.found = append(t.found, found...)
	if b := endless("the kernel", found); b != nil && err == nil && l.Found == nil {
		return b
	}
	return err
}

// again runs the rows that a law asks for next. One that is no row of the claim is not run.
func (t *modularTrial) again(l *ModularLaw, b *modularBatch, f func(r *ModularRow) []uint64, k int) *breakage {
	n, m := len(t.p.claim.In), len(t.p.claim.Out)
	r := &t.runs[k+1]
	r.in, r.out, r.ran = append(r.in[:0], b.in...), grow(r.out, b.rows*m), grow(r.ran, b.rows)
	any := false
	for i := range b.rows {
		next := f(t.load(b, i, k))
		r.ran[i] = len(next) == n && next != nil && t.res.wrongWord(next) == ""
		if r.ran[i] {
			copy(r.in[i*n:], next)
			any = true
		}
	}
	if !any {
		return nil
	}
	return breakageOf("the kernel", t.run(l, b, r))
}

// load makes row i the one to be judged, with so many of the runs that the law asked for.
func (t *modularTrial) load(b *modularBatch, i, more int) *ModularRow {
	n, m := len(t.p.claim.In), len(t.p.claim.Out)
	list := t.row.More[:0]
	for k := range more {
		r := &t.runs[k+1]
		run := ModularRun{}
		if r.ran[i] {
			run = ModularRun{In: r.in[i*n : (i+1)*n], Out: r.out[i*m : (i+1)*m]}
		}
		list = append(list, run)
	}
	row := &t.row
	if row.res != t.res || row.Claim == nil {
		*row = ModularRow{Claim: &t.p.claim, Modulus: b.q, res: t.res}
	}
	row.In, row.Out, row.More = b.in[i*n:(i+1)*n], t.runs[0].out[i*m:(i+1)*m], list
	return &t.row
}

// count counts the verdict on the batch that was judged last, and kept returns a copy of it that outlives the next draw.
func (t *modularTrial) count(st *lawStats, v *Verdict, c *modularCase) {
	t.into(st, v, c.recipe.Family, c.batch.rows)
}

func (t *modularTrial) kept(c *modularCase) *modularCase {
	return &modularCase{batch: c.batch.clone(), row: t.failing, recipe: c.recipe}
}
