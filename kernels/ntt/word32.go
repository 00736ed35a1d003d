package ntt

import "gamma/model/modular"

// NewWord31 returns a plan of Shoup's product with words of 32 bits, for primes below 2^31: more than twice as many words in the time
// of NewShoup's.
//
// Domain:  as NewPlan, and q < 2^31; form DITNR, and DIFRN if cyclic.
// Range:   [0, q) in and out.
// Source:  [Harvey 2014] for the product.
func NewWord31(t modular.Transform, f Form) (*Plan[uint32], error) {
	p, err := makeForm[uint32]("Word31", tableForms(t.Negacyclic), word31Claim(f, t.Negacyclic), t, f)
	if err != nil {
		return nil, err
	}
	s, err := newWord31Table(t)
	if err != nil {
		return nil, err
	}
	p.times = func(x, y []uint32) {
		for i, v := range y {
			x[i] = uint32(uint64(x[i]) * uint64(v) % uint64(s.q))
		}
	}
	p.forward = way[uint32]{stage: s.forwardStage, finish: s.forwardFinish, whole: s.forward}
	p.inverse = way[uint32]{stage: s.inverseStage, finish: s.inverseFinish, whole: s.inverse}
	if f == DIFRN {
		p.forward = way[uint32]{whole: s.forwardDIT, stage: func(stage int, x []uint32) { word31UpLayer(x, s.w, s.n>>(stage+1), s.q) }}
		p.inverse = way[uint32]{
			whole: s.inverseDIF, finish: s.inverseFinish,
			stage: func(stage int, x []uint32) { word31DownLayer(x, s.inverseW, 1<<stage, s.q) },
		}
	}
	return p, nil
}

// word31Claim returns the claim of NewWord31's plans.
func word31Claim(f Form, negacyclic bool) modular.TransformClaim {
	c := montgomeryKind.claim(f, negacyclic)
	c.Bits, c.Moduli.Max = 32, word31MaxModulus
	c.Product = f == DITNR
	c.Forward.Stages, c.Inverse.Stages = word31ForwardStages, word31InverseStages
	if f == DIFRN {
		// The same layers, the other way round: nothing follows those of inverse, and the factor 1/N those of forward.
		c.Forward.Stages = func(n int) []*modular.Recurrence { l := word31InverseStages(n); return l[:len(l)-1] }
		c.Inverse.Stages = func(n int) []*modular.Recurrence {
			down, up := word31ForwardStages(n), word31InverseStages(n)
			return append(down[:len(down)-1], up[len(up)-1])
		}
	}
	return c
}
