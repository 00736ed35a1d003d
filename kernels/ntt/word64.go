package ntt

import "gamma/model/modular"

// NewPlan returns the plan to take if nothing speaks for another: coefficients and values in natural order, plain residues, reduced,
// for any odd prime below 2^64. It runs Shoup's products below 2^62, Goldilocks' own for that prime, and Montgomery's for all others.
//
// Domain:  t.Modulus an odd prime; t.N = 1, 2, 4, …, up to the power of two in q-1 if cyclic, half of it if negacyclic; t.Root of
// order N, or 2N if negacyclic: NewTransform finds one. It returns an error that says which fails.
// Cost:    at most 6·N products and 2·N divisions; 32·N bytes at most.
func NewPlan(t modular.Transform) (*Plan[uint64], error) {
	p, err := makePlan[uint64]("ntt.Plan."+ring(t.Negacyclic), planClaim(t.Negacyclic), t)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Modulus == goldilocks:
		err = goldilocksTables(p, DITNR)
	case t.Modulus > lazyMax:
		montgomeryKind.looped(p, DITNR)
	default:
		err = shoupKind.tabled(p)
	}
	if err != nil {
		return nil, err
	}
	// Stages are not offered: nothing could be said of what runs in them.
	for _, w := range []*way[uint64]{&p.forward, &p.inverse} {
		inner := *w
		*w = way[uint64]{whole: inner.run}
	}
	p.forward.after, p.inverse.before = true, true
	return p, nil
}

// planClaim is what NewPlan's plans promise.
func planClaim(negacyclic bool) modular.TransformClaim {
	return montgomeryKind.claim(DITNN, negacyclic)
}

// NewMontgomery returns a plan of Montgomery's product with R = 2^64, every word reduced after every butterfly.
//
// Domain:  as NewPlan; all six forms.
// Range:   [0, q) in and out.
// Source:  [Montgomery 1985].
func NewMontgomery(t modular.Transform, f Form) (*Plan[uint64], error) {
	return montgomeryKind.plan(t, f)
}

// NewMontgomeryDomain is NewMontgomery in form DITNR on words in Montgomery's domain: word x·R mod q stands for x, before and
// after. (A transform is linear: only the claim is another.)
func NewMontgomeryDomain(t modular.Transform) (*Plan[uint64], error) {
	return montgomeryDomainKind.plan(t, DITNR)
}

// NewMontgomeryEntering is NewMontgomery in form DITNR with plain coefficients and values in Montgomery's domain: the forward
// transform enters the domain in a pass of its own, the inverse leaves it with the factor 1/N.
func NewMontgomeryEntering(t modular.Transform) (*Plan[uint64], error) {
	return montgomeryEnteringKind.plan(t, DITNR)
}

// NewMontgomeryLazy returns a plan of Montgomery's product without its last subtraction; 1/N is left to the caller: Inverse
// gives N times the coefficients.
//
// Domain:  as NewPlan, and q < 2^62; forms DITNR and DIFNR.
// Range:   [0, 4q) in and out of the direction that decimates in time, [0, 2q) in and out of the other; but [0, 2q) out of a
// negacyclic DIFNR's inverse.
// Source:  [Montgomery 1985], [Harvey 2014].
func NewMontgomeryLazy(t modular.Transform, f Form) (*Plan[uint64], error) {
	return montgomeryLazyKind.plan(t, f)
}

// NewShoup returns a plan of Shoup's product, fully reduced at the end. Form DITNR is the fast one.
//
// Domain:  as NewPlan, and q < 2^62; forms DITNR, DIFNR, DITRN and DIFRN.
// Range:   [0, q) in and out.
// Source:  [Harvey 2014].
func NewShoup(t modular.Transform, f Form) (*Plan[uint64], error) { return shoupKind.plan(t, f) }

// NewShoupLazy is NewShoup without the last reduction.
//
// Range:   [0, 4q) in and out of a forward transform that decimates in time, [0, 2q) of one that decimates in frequency; inverse
// ones take [0, 2q) or [0, 4q), the other way round, and give [0, 2q).
func NewShoupLazy(t modular.Transform, f Form) (*Plan[uint64], error) {
	return shoupLazyKind.plan(t, f)
}

// NewGoldilocks returns a plan of the products that q = 2^64-2^32+1 makes cheap, every word reduced after every butterfly.
//
// Domain:  as NewPlan, and that q; form DITNR, and DIFRN if cyclic.
// Range:   [0, q) in and out.
func NewGoldilocks(t modular.Transform, f Form) (*Plan[uint64], error) {
	p, err := makeForm[uint64]("Goldilocks", tableForms(t.Negacyclic), goldilocksClaim(f, t.Negacyclic), t, f)
	if err != nil {
		return nil, err
	}
	return p, goldilocksTables(p, f)
}

// goldilocksClaim is what NewGoldilocks' plans promise.
func goldilocksClaim(f Form, negacyclic bool) modular.TransformClaim {
	c := montgomeryKind.claim(f, negacyclic)
	c.Moduli = modular.Moduli{Only: []uint64{goldilocks}, Prime: true}
	return c
}

// goldilocksTables gives p the passes of a goldilocksTable.
func goldilocksTables(p *Plan[uint64], f Form) error {
	s, err := newGoldilocksTable(p.t)
	if err != nil {
		return err
	}
	p.times = func(x, y []uint64) {
		for i, v := range y {
			x[i] = goldilocksTimes(x[i], v)
		}
	}
	p.forward = way[uint64]{stage: s.forwardStage, whole: s.forward}
	p.inverse = way[uint64]{stage: s.inverseStage, finish: s.inverseFinish, whole: s.inverse}
	if f == DIFRN {
		p.forward = way[uint64]{whole: s.forwardDIT, stage: func(stage int, x []uint64) { goldilocksUpLayer(x, s.w, s.n>>(stage+1)) }}
		p.inverse = way[uint64]{whole: s.inverseDIF, stage: func(stage int, x []uint64) { goldilocksDownLayer(x, s.inverseW, 1<<stage) }, finish: s.inverseFinish}
	}
	return nil
}

// tableForms are the forms of tables that reach two of them: the factors of a cyclic one serve both decimations.
func tableForms(negacyclic bool) []Form {
	if negacyclic {
		return []Form{DITNR}
	}
	return []Form{DITNR, DIFRN}
}
