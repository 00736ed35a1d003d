package engine

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// noteShare says which part of the inputs that a search judges it may judge again in the default mode: one in twenty.
const noteShare = 20

// defaultMode is Metal's.
const defaultMode = "fast"

// mode returns the math mode that a shader is compiled in; "" where there is none.
func (d *DeviceClaim) mode() string {
	if d == nil {
		return ""
	}
	return d.MathMode
}

// Default is what a few inputs of a law show of the default math mode.
type Default struct {
	Judged int    `json:"judged,omitempty"`
	Unit   string `json:"unit,omitempty"`  // what is counted
	Fails  string `json:"fails,omitempty"` // how it is violated there
	Not    string `json:"not,omitempty"`   // why it cannot be judged
}

// merge adds what other inputs show; in any order the result is the same.
func (d *Default) merge(o *Default) {
	d.Judged += o.Judged
	d.Unit, d.Fails, d.Not = max(d.Unit, o.Unit), max(d.Fails, o.Fails), max(d.Not, o.Not)
}

// judgeDefault judges a law in the default math mode, too, on a few inputs, and reports whether it holds or says nothing there. Laws about what checkers
// find, or about calls, are left out, and so are those that fail in the mode that is judged.
func (e *Engine) judgeDefault(l *AnyLaw, st *LawStats) (holds bool) {
	s := e.Base()
	if s.Device == nil || s.Device.DefaultMode == nil || s.settled != "" || st.Cases == 0 || st.Violations > 0 {
		return true
	}
	other, err := e.inDefault()
	if err != nil {
		st.Default = &Default{Not: err.Error()}
		return false
	}
	applies := func(l *AnyLaw) bool { return !l.Found && !l.Calls && other.Applies(l) == "" }
	if !applies(l) {
		return true
	}
	all, laws := e.Asked(), 0 // those that are left out leave the others their part
	for i := range all {
		if applies(all[i]) {
			laws++
		}
	}
	v, n := other.few(l, min(1+st.Cases*len(all)/noteShare/laws, blockChecks))
	if st.Default = (&Default{Judged: n, Unit: s.unit}); v.Fails() {
		st.Default.Fails = v.Reason
	}
	return !v.Fails()
}

// NoteDefault says in the summary whether what is claimed of the subject holds in the default math mode, too: by the first law that fails there, and not in
// the mode that is judged.
func (s *SubjectSummary) NoteDefault() {
	judged, unit := 0, ""
	for _, l := range s.Laws {
		d := l.Default
		if d == nil || l.Violations > 0 {
			continue
		}
		switch {
		case d.Not != "":
			s.DefaultMode = fmt.Sprintf("it cannot be judged in %s, Metal's default: %s", defaultMode, d.Not)
			return
		case d.Fails != "":
			s.DefaultMode = fmt.Sprintf("in %s, Metal's default, %s fails: %s", defaultMode, l.Law, d.Fails)
			return
		}
		judged, unit = judged+d.Judged, d.Unit
	}
	if judged > 0 {
		s.DefaultMode = fmt.Sprintf("in %s, Metal's default, %s found no fault", defaultMode, report.Plural(judged, unit))
	}
}

// inDefault returns the engine of the subject in the default math mode.
func (e *Engine) inDefault() (*Engine, error) {
	if e.other != nil {
		return e.other, nil
	}
	p, err := e.Base().Device.DefaultMode()
	if err != nil {
		return nil, err
	}
	j, err := p.Judged(e.Base().Set)
	if err != nil {
		return nil, err
	}
	e.other = j.(*Engine)
	return e.other, nil
}

// few judges a law on inputs that count for n, under the liberties of a compiler alone: all at once, and each by itself.
func (e *Engine) few(l *AnyLaw, n int) (v verdict.Verdict, judged int) {
	s := e.Base()
	defer s.Guard.Own()()
	src, err := e.Source(l, true)
	if err != nil {
		return v, 0
	}
	compiler := DeviceClaim{Admits: model.Behaviour{Contract: s.Device.Admits.Contract, Rewrites: s.Device.Admits.Rewrites}}
	seed, trial, st := s.Set.SeedFor("default "+string(l.ID), s.Name), e.Trial(), &LawStats{}
	list := slices.DeleteFunc(compiler.Alone(seed, 1), model.Behaviour.Plain)
	rng := draw.Splitmix(seed)
	for k, drawn := 0, 0; drawn < n && len(list) > 0; k++ {
		in, more := src.Next(&rng)
		drawn += max(more, 1)
		at, _ := e.Setting(in)
		if at.Behaviour = compiler.Admits; k%2 == 1 {
			at.Behaviour = list[k/2%len(list)]
		}
		at.Behaviour.Seed = uint64(k / 2)
		in = e.Under(in, at)
		v = trial.Judge(l, in)
		if trial.Count(st, &v, in); v.Fails() {
			break
		}
	}
	v.Law = l.ID
	return v, st.judged()
}
