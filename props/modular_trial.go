package props

import (
	"fmt"
	"runtime/debug"
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
	// distinct is how many results runs of the batch gave at most; 0: it ran once.
	distinct int

	holds, empty int            // rows that hold, and vacuous ones
	reasons      map[string]int // why
	worst        Verdict        // of the rows that hold, the one nearest to its bound
	failing      int            // the row that the verdict is about
}

// modularRuns is a batch of operands and their results; of ran, false says that a row was not asked for.
type modularRuns struct {
	in, out []uint64
	ran     []bool
}

func newModularTrial(p *modularSubject) *modularTrial {
	return &modularTrial{p: p, reasons: map[string]int{}}
}

// judge runs a batch and judges its rows, and returns the verdict on the first that fails, or else the worst of those that hold.
func (t *modularTrial) judge(l *ModularLaw, b *modularBatch) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(fmt.Sprintf("the law panicked: %v", p))
			(*Trial)(nil).noteStack(debug.Stack())
		}
		v.Law = l.ID
	}()
	if t.p.device.onHardware() && b.at != t.p.device.setting(b.at) {
		b = b.clone()
		b.at = t.p.device.setting(b.at)
	}
	t.row.res = nil
	t.distinct = 0
	t.failing, t.holds, t.empty, t.worst, t.found = 0, 0, 0, Verdict{Outcome: Vacuous}, nil
	clear(t.reasons)
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
		reason, err := t.run(l, b, base)
		if reason != "" {
			v = broken(reason)
			t.count(&v, b.rows)
			return v
		}
		t.row = ModularRow{Claim: c, Modulus: b.q, In: b.in[:n], Out: base.out[:m], Err: err}
		v = l.judge(&t.row)
		t.count(&v, b.rows)
		return v
	}
	if t.res == nil || t.res.q != b.q {
		res, err := newResidues(c, b.q)
		if err != nil {
			return broken(fmt.Sprintf("the judge has no truth modulo %d: %v", b.q, err))
		}
		t.res = res
	}
	if c.Function == modular.Inverse {
		for i := range b.rows {
			if _, ok := oracle.InvMod(b.in[i*n]%b.q, b.q); !ok {
				v = vacuous("an operand has a factor in common with q")
				t.count(&v, b.rows)
				return v
			}
		}
	}
	reason, err := t.run(l, b, base)
	if err != nil {
		reason = kernelError + err.Error()
	}
	if reason != "" {
		v = broken(reason)
		t.count(&v, b.rows)
		return v
	}
	if l.findings != nil {
		v = l.findings.Judge(&Trial{found: t.found})
		t.count(&v, b.rows)
		return v
	}
	if l.hardware != nil {
		return l.hardware(t, l, b)
	}
	for k, again := range l.Again {
		if reason := t.again(l, b, again, k); reason != "" {
			return broken(reason)
		}
	}
	for i := range b.rows {
		v := l.judge(t.load(b, i, len(l.Again)))
		if v.fails() {
			t.failing = i
			if v.Witness != nil {
				v.Witness.Row, v.Witness.N = i, n
			}
			return v
		}
		t.count(&v, 1)
	}
	return t.worst
}

// run runs the kernel on a batch.
func (t *modularTrial) run(l *ModularLaw, b *modularBatch, r *modularRuns) (reason string, err error) {
	reason, err = t.call.run(t.p.run, b.at, b.q, r.out, r.in, b.seed)
	if reason != "" || t.p.device == nil {
		return reason, err
	}
	var found model.Findings
	found, err = splitFindings(err)
	t.found = append(t.found, found...)
	if f := (&Trial{found: found}).endless(); f != nil && err == nil && l.findings == nil {
		return "the kernel did not end: " + f.String(), nil
	}
	return "", err
}

// again runs the rows that a law asks for next. One that is no row of the claim is not run.
func (t *modularTrial) again(l *ModularLaw, b *modularBatch, f func(r *ModularRow) []uint64, k int) (reason string) {
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
		return ""
	}
	reason, err := t.run(l, b, r)
	if err != nil {
		reason = kernelError + err.Error()
	}
	return reason
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

// count counts a verdict that does not fail for so many rows.
func (t *modularTrial) count(v *Verdict, rows int) {
	switch {
	case v.Outcome == Vacuous:
		t.empty += rows
		t.reasons[v.Reason] += rows
		if t.holds == 0 {
			t.worst = *v
		}
	case v.Outcome == Holds:
		if t.holds == 0 || v.Ratio > t.worst.Ratio {
			t.worst = *v
		}
		t.holds += rows
	}
}
