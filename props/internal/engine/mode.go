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

// judgeDefault says in the summary whether what is claimed of the subject holds in the default math mode, too, on a few inputs. Laws about what
// checkers find, or about calls, are left out, and so are those that fail in the mode that is judged.
func (e *Engine[J, C, I]) judgeDefault() {
	s := e.Base()
	if s.Device == nil || s.Device.DefaultMode == nil || s.settled != "" {
		return
	}
	other, err := e.inDefault()
	if err != nil {
		s.Sum.DefaultMode = fmt.Sprintf("it cannot be judged in %s, Metal's default: %v", defaultMode, err)
		return
	}
	var laws []LawOf[J, C]
	cases := 0
	for _, l := range e.Asked() {
		st := s.Stats(l.ID)
		if cases += st.Cases; l.Found == nil && l.Calls == nil && st.Cases > 0 && st.Violations == 0 && other.Applies(&l) == "" {
			laws = append(laws, l)
		}
	}
	judged := 0
	for i := range laws {
		v, n := other.few(&laws[i], cases/noteShare/len(laws))
		if v.Fails() {
			s.Sum.DefaultMode = fmt.Sprintf("in %s, Metal's default, %s fails: %s", defaultMode, v.Law, v.Reason)
			return
		}
		judged += n
	}
	if judged > 0 {
		s.Sum.DefaultMode = fmt.Sprintf("in %s, Metal's default, %s found no fault", defaultMode, report.Plural(judged, e.Base().unit))
	}
}

// inDefault returns the engine of the subject in the default math mode.
func (e *Engine[J, C, I]) inDefault() (*Engine[J, C, I], error) {
	p, err := e.Base().Device.DefaultMode()
	if err != nil {
		return nil, err
	}
	j, err := p.Judged(e.Base().Set)
	if err != nil {
		return nil, err
	}
	return j.(*Engine[J, C, I]), nil
}

// few judges a law on inputs that count for n, under the liberties of a compiler alone: all at once, and each by itself.
func (e *Engine[J, C, I]) few(l *LawOf[J, C], n int) (v verdict.Verdict, judged int) {
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
		if e.count(trial, st, &v, in); v.Fails() {
			break
		}
	}
	v.Law = l.ID
	return v, st.judged()
}
