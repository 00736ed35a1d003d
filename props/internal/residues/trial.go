package residues

import (
	"errors"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// ModularBatch is rows for one modulus, run in one call.
type ModularBatch struct {
	At   verdict.Setting
	Q    uint64
	In   []uint64
	Rows int
	seed uint64 // says where in memory the operands lie
	// inPlace: the results lie where the operands do. Laws of calls alone set it.
	inPlace bool
	// period: the rows repeat after so many; 0: they do not.
	period int
}

func (b *ModularBatch) clone() *ModularBatch {
	c := *b
	c.In = slices.Clone(b.In)
	return &c
}

// modularTrial runs batches of one operation and judges their rows. It keeps its memory from batch to batch.
type modularTrial struct {
	p     *Subject
	call  ModularCall
	res   *residues
	found model.Findings
	runs  []modularRuns // the batch, and those that the law asks for
	row   ModularRow
	other modularRuns // a run on another device, or once more
	pad   modularRuns // a run with rows added

	from *ModularCase  // that was judged last
	kept *ModularBatch // what of it the law was about
	engine.RowTally
}

// modularRuns is a batch of operands and their results; of ran, false says that a row was not asked for.
type modularRuns struct {
	in, out []uint64
	ran     []bool
}

// NewModularTrial returns a trial that runs and judges batches of one subject.
func NewModularTrial(p *Subject) *modularTrial {
	return &modularTrial{p: p}
}

// Judge runs a batch and judges its rows, and returns the verdict on the first that fails, or else the worst of those that hold.
func (t *modularTrial) Judge(l *ModularLaw, in *ModularCase) (v verdict.Verdict) {
	t.Begin()
	t.from, t.kept = in, in.Batch
	b := in.Batch
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	if t.p.Device.OnHardware() && b.At != t.p.Device.Setting(b.At) {
		b = b.clone()
		b.At = t.p.Device.Setting(b.At)
	}
	t.row.res = nil
	t.found = nil
	if n := 1 + len(l.Again); cap(t.runs) < n {
		t.runs = append(t.runs[:cap(t.runs)], make([]modularRuns, n-cap(t.runs))...)
	} else {
		t.runs = t.runs[:n]
	}
	c := &t.p.Claim
	n, m := len(c.In), len(c.Out)
	base := &t.runs[0]
	base.in, base.out = b.In, draw.Grow(base.out, b.Rows*m)
	if l.Refuses {
		err := t.run(l, b, base)
		var no *verdict.Breakage
		if errors.As(err, &no) {
			v = verdict.Breaks(no)
			t.See(&v, b.Rows)
			return v
		}
		t.row = ModularRow{Claim: c, Modulus: b.Q, In: b.In[:n], Out: base.out[:m], Err: err}
		v = judgeResidues(l, &t.row)
		t.See(&v, b.Rows)
		return v
	}
	if t.res == nil || t.res.q != b.Q {
		res, err := NewResidues(c, b.Q)
		if err != nil {
			return verdict.Breaks(verdict.Broke(verdict.LawPanicked, "the judge has no truth modulo %d: %v", b.Q, err))
		}
		t.res = res
	}
	if b = t.admit(l, b); b.Rows == 0 {
		return t.Worst
	}
	base.in, base.out = b.In, draw.Grow(base.out, b.Rows*m)
	if c.Function == modular.Inverse {
		for i := range b.Rows {
			if _, ok := oracle.InvMod(b.In[i*n]%b.Q, b.Q); !ok {
				v = verdict.NotMet("an operand has a factor in common with q")
				t.See(&v, b.Rows)
				return v
			}
		}
	}
	if broke := verdict.BreakageOf("the kernel", t.run(l, b, base)); broke != nil {
		v = verdict.Breaks(broke)
		t.See(&v, b.Rows)
		return v
	}
	if l.Found != nil {
		v = l.Found(t.found)
		t.See(&v, b.Rows)
		return v
	}
	if l.Hardware {
		return t.judgeRuns(l, b)
	}
	if l.Calls != nil {
		if v = l.Calls(modularCalls{t, l, b}); !v.Fails() {
			t.See(&v, b.Rows)
		}
		return v
	}
	for k, again := range l.Again {
		if broke := t.again(l, b, again, k); broke != nil {
			return verdict.Breaks(broke)
		}
	}
	for i := range b.Rows {
		if t.repeats(b, i) {
			continue
		}
		t.Failing = i // what panics below is about this row
		v := judgeResidues(l, t.load(b, i, len(l.Again)))
		if v.Fails() {
			if v.Witness != nil {
				v.Witness.Row, v.Witness.N = i, n
			}
			return v
		}
		t.See(&v, 1)
	}
	t.Failing = 0
	return t.Worst
}

// admit returns the rows of a batch that the law is about, with the operands that it relates, and counts the others.
func (t *modularTrial) admit(l *ModularLaw, b *ModularBatch) *ModularBatch {
	if l.Domain == nil && l.Relate == nil {
		return b
	}
	n, kept := len(t.p.Claim.In), b.clone()
	kept.In, kept.period = kept.In[:0], 0
	for row := range slices.Chunk(slices.Clone(b.In), max(n, 1)) {
		why := ""
		if l.Relate != nil {
			l.Relate(row)
			why = t.res.WrongWord(row)
		}
		if why == "" && l.Domain != nil {
			why = l.Domain(row)
		}
		if why == "" {
			kept.In = append(kept.In, row...)
			continue
		}
		v := verdict.NotMet(why)
		t.See(&v, 1)
	}
	if n > 0 {
		kept.Rows = len(kept.In) / n
	}
	t.kept = kept
	return kept
}

// run runs the kernel on a batch and returns what it returned, or a breakage.
func (t *modularTrial) run(l *ModularLaw, b *ModularBatch, r *modularRuns) error {
	in, out := t.padded(b.Rows, r)
	err := t.call.Run(t.p.Run, b.At, b.Q, out, in, b.seed, b.inPlace)
	copy(r.out, out)
	return t.p.Device.Findings("the kernel", err, l.Found != nil, &t.found)
}

// padded returns the words of a run of so many rows, and memory for their results: where the claim wants a multiple, with the last row
// again and again after them.
func (t *modularTrial) padded(rows int, r *modularRuns) (in, out []uint64) {
	more := draw.Missing(rows, t.p.Claim.Multiple)
	if more == 0 {
		return r.in, r.out
	}
	n := len(t.p.Claim.In)
	t.pad.in = append(t.pad.in[:0], r.in...)
	for range more {
		t.pad.in = append(t.pad.in, r.in[(rows-1)*n:]...)
	}
	t.pad.out = draw.Grow(t.pad.out, (rows+more)*len(t.p.Claim.Out))
	return t.pad.in, t.pad.out
}

// again runs the rows that a law asks for next. One that is no row of the claim is not run.
func (t *modularTrial) again(l *ModularLaw, b *ModularBatch, f func(r *ModularRow) []uint64, k int) *verdict.Breakage {
	n, m := len(t.p.Claim.In), len(t.p.Claim.Out)
	r := &t.runs[k+1]
	r.in, r.out, r.ran = append(r.in[:0], b.In...), draw.Grow(r.out, b.Rows*m), draw.Grow(r.ran, b.Rows)
	any := false
	for i := range b.Rows {
		next := f(t.load(b, i, k))
		r.ran[i] = len(next) == n && next != nil && t.res.WrongWord(next) == ""
		if r.ran[i] {
			copy(r.in[i*n:], next)
			any = true
		}
	}
	if !any {
		return nil
	}
	return verdict.BreakageOf("the kernel", t.run(l, b, r))
}

// load makes row i the one to be judged, with so many of the runs that the law asked for.
func (t *modularTrial) load(b *ModularBatch, i, more int) *ModularRow {
	n, m := len(t.p.Claim.In), len(t.p.Claim.Out)
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
		*row = ModularRow{Claim: &t.p.Claim, Modulus: b.Q, res: t.res}
	}
	row.In, row.Out, row.More = b.In[i*n:(i+1)*n], t.runs[0].out[i*m:(i+1)*m], list
	return &t.row
}

// Count counts the verdict on the batch that was judged last, and kept returns a copy of it that outlives the next draw.
func (t *modularTrial) Count(st *engine.LawStats, v *verdict.Verdict, c *ModularCase) {
	t.Into(st, v, c.recipe.Family, c.Batch.Rows)
}

func (t *modularTrial) Kept(c *ModularCase) *ModularCase {
	b := c.Batch
	if t.from == c {
		b = t.kept
	}
	return &ModularCase{Batch: b.clone(), row: t.Failing, recipe: c.recipe}
}
