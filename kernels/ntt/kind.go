package ntt

import (
	"fmt"
	"slices"

	"gamma/model/modular"
)

// domain says how words stand for residues.
type domain uint8

const (
	plain    domain = iota // the residues themselves
	inside                 // in Montgomery's domain, before and after
	entering               // coefficients are plain, values are in Montgomery's domain
)

// kind is an arithmetic with its claims about words.
type kind struct {
	name  string // "Montgomery"
	forms []Form
	// lazy: the loops are lazy; open: their results are not reduced.
	lazy, open bool
	shoup      bool // factors have Shoup's quotients
	unscaled   bool // the inverse leaves 1/N to the caller
	domain     domain
}

var (
	allForms    = []Form{DITNR, DIFNR, DITRN, DIFRN, DITNN, DIFNN}
	inPlace     = []Form{DITNR, DIFNR, DITRN, DIFRN}
	anyOddPrime = modular.Moduli{Min: 3, Prime: true}
)

// lazyMax is the greatest modulus of lazy loops: words in [0, 4q) have to fit 64 bits, and the products have to stay below 2q.
const lazyMax = 1<<62 - 1

var (
	montgomeryKind         = kind{name: "Montgomery", forms: allForms}
	montgomeryDomainKind   = kind{name: "MontgomeryDomain", forms: []Form{DITNR}, domain: inside}
	montgomeryEnteringKind = kind{name: "MontgomeryEntering", forms: []Form{DITNR}, domain: entering}
	montgomeryLazyKind     = kind{name: "MontgomeryLazy", forms: []Form{DITNR, DIFNR}, lazy: true, open: true, unscaled: true}
	shoupKind              = kind{name: "Shoup", forms: inPlace, lazy: true, shoup: true}
	shoupLazyKind          = kind{name: "ShoupLazy", forms: inPlace, lazy: true, open: true, shoup: true}
)

// title returns a plan's name, "ntt.Montgomery.DITNR.cyclic".
func title(kind string, f Form, negacyclic bool) string {
	return "ntt." + kind + "." + f.String() + "." + ring(negacyclic)
}

// claim returns what plans of a form promise.
func (k *kind) claim(f Form, negacyclic bool) modular.TransformClaim {
	coefficients, values := f.orders()
	in, out := 0, 0
	switch k.domain {
	case inside:
		in, out = 1, 1
	case entering:
		out = 1
	}
	c := modular.TransformClaim{
		Bits: 64, Negacyclic: negacyclic, Moduli: anyOddPrime, Batched: true, Names: true,
		Forward: modular.Direction{
			In:  modular.Side{Order: coefficients, Power: in, Range: 1},
			Out: modular.Side{Order: values, Power: out, Range: 1},
		},
		Inverse: modular.Direction{
			In:       modular.Side{Order: values, Power: out, Range: 1},
			Out:      modular.Side{Order: coefficients, Power: in, Range: 1},
			Unscaled: k.unscaled,
		},
		Product: k.domain == plain && !k.open && coefficients == modular.Natural,
	}
	if !k.lazy {
		return c
	}
	c.Moduli.Max = lazyMax
	multiply := modular.Montgomery
	if k.shoup {
		multiply = modular.Shoup
	}
	inTime := f.inTime()
	// The inverse of a negacyclic plan that decimates in frequency multiplies the coefficients back, and by 1/N.
	turned := negacyclic && !inTime
	multiplied := turned || !k.unscaled
	c.Forward.Stages = func(n int) []*modular.Recurrence { return stages(n, multiply, inTime, false, !k.open) }
	c.Inverse.Stages = func(n int) []*modular.Recurrence { return stages(n, multiply, !inTime, multiplied, !k.open) }
	if k.shoup && f == DITNR && !k.open {
		c.Forward.Stages, c.Inverse.Stages = shoupForwardStages, shoupInverseStages
	}
	if k.open {
		c.Forward.In.Range, c.Inverse.In.Range = lazyRange(inTime), lazyRange(!inTime)
		c.Forward.Out.Range, c.Inverse.Out.Range = lazyRange(inTime), lazyRange(!inTime)
		if multiplied {
			c.Inverse.Out.Range = 2
		}
	}
	return c
}

// lazyRange is the range of lazy butterflies, before and after.
func lazyRange(inTime bool) uint64 {
	if inTime {
		return 4
	}
	return 2
}

// plan returns the plan of a form for t.
func (k *kind) plan(t modular.Transform, f Form) (*Plan[uint64], error) {
	p, err := makeForm[uint64](k.name, k.forms, k.claim(f, t.Negacyclic), t, f)
	if err != nil {
		return nil, err
	}
	if k.shoup && f == DITNR {
		return p, k.tabled(p)
	}
	k.looped(p, f)
	return p, nil
}

// makeForm is makePlan of a form that is one of forms.
func makeForm[W Word](kind string, forms []Form, c modular.TransformClaim, t modular.Transform, f Form) (*Plan[W], error) {
	if !slices.Contains(forms, f) {
		return nil, fmt.Errorf("ntt.%s: there is no %s %s; the forms are %v", kind, ring(t.Negacyclic), f, forms)
	}
	return makePlan[W](title(kind, f, t.Negacyclic), c, t)
}

// timesModulo returns the product of reduced residues, word by word.
func timesModulo(f *field) func(x, y []uint64) {
	return func(x, y []uint64) {
		for i, v := range y {
			x[i] = f.mul(x[i], f.enter(v))
		}
	}
}

// looped makes p a plan of loops, stage by stage.
func (k *kind) looped(p *Plan[uint64], f Form) {
	var l loops
	field := newField(p.t.Modulus)
	p.times = timesModulo(&field)
	m := maker{field: &field, one: field.r, shoup: k.shoup}
	switch {
	case k.shoup:
		l, m.one = &harvey{field}, 1
	case k.lazy:
		l = &lazy{field}
	default:
		l = &strict{field}
	}
	n, negacyclic := p.t.N, p.t.Negacyclic
	root := m.enter(p.t.Root)
	back := m.invert(root)
	share := m.one // 1/N, or 1
	if !k.unscaled {
		share = m.mul(m.one, m.invert(m.enter(uint64(n)%m.q)))
	}
	if k.domain == entering {
		share = m.leave(share)
	}
	inTime, outer := f.inTime(), f.outer()
	turned := negacyclic && !inTime
	coefficients, _ := f.orders()
	reversed := coefficients == modular.BitReversed
	var before, after factors
	if turned { // by powers of ψ, which leaves a cyclic transform with ω = ψ²
		before, after = m.turns(n, m.one, root, reversed), m.turns(n, share, back, reversed)
		root, back = m.mul(root, root), m.mul(back, back)
	} else if !k.unscaled {
		after = m.quotients([]uint64{share})
	}
	if k.domain == entering {
		before = factors{w: []uint64{m.r2}}
	}
	p.forward.stage = stageOf(l, n, inTime, outer, m.twiddles(n, root, negacyclic && inTime, outer))
	p.inverse.stage = stageOf(l, n, !inTime, outer, m.twiddles(n, back, negacyclic && inTime, outer))
	reducing := k.lazy && !k.open
	p.forward.prepare = passes(f == DITNN, before, l, false, false)
	p.forward.finish = passes(false, factors{}, l, reducing, inTime)
	p.forward.after, p.inverse.before = f == DIFNN, f == DIFNN
	p.inverse.finish = passes(f == DITNN, after, l, reducing, !inTime && after.w == nil)
}

// stageOf returns the function that runs one stage of n points.
func stageOf(l loops, n int, inTime, outer bool, w factors) func(s int, x []uint64) {
	switch {
	case inTime && outer:
		return func(s int, x []uint64) { l.timeOuter(x, w, 1<<s) }
	case inTime:
		return func(s int, x []uint64) { l.timeInner(x, w, 1<<s) }
	case outer:
		return func(s int, x []uint64) { l.frequencyOuter(x, w, n>>(s+1)) }
	}
	return func(s int, x []uint64) { l.frequencyInner(x, w, n>>(s+1)) }
}

// passes returns what comes before or after the stages: a permutation, factors, a reduction; or nil if there are none.
func passes(permuted bool, w factors, l loops, reducing, inTime bool) func(x []uint64) {
	if !permuted && w.w == nil && !reducing {
		return nil
	}
	return func(x []uint64) {
		if permuted {
			permute(x)
		}
		if w.w != nil {
			l.multiply(x, w)
		}
		if reducing {
			l.reduce(x, inTime)
		}
	}
}

// tabled makes p a plan of shoupTable's passes, which run several stages at once.
func (k *kind) tabled(p *Plan[uint64]) error {
	s, err := newShoupTable(p.t)
	if err != nil {
		return err
	}
	field := newField(p.t.Modulus)
	p.times = timesModulo(&field)
	p.forward = way[uint64]{stage: s.forwardStage, whole: s.forwardLazy}
	p.inverse = way[uint64]{stage: s.inverseStage, whole: s.inverseLazy, finish: func(x []uint64) {
		for i, v := range x {
			x[i] = s.scale.times(v, s.q)
		}
	}}
	if !k.open {
		p.forward.whole, p.forward.finish = s.forward, s.forwardFinish
		p.inverse.whole, p.inverse.finish = s.inverse, s.inverseFinish
	}
	return nil
}
