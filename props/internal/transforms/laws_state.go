package transforms

import (
	"fmt"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// stateLawsNTT are the laws of calls: of state that is kept between them, and of transforms that depend on each other.
var stateLawsNTT = func() []NTTLaw {
	list := engine.StateLaws[*NTTCase, modular.TransformClaim]("ntt", []string{"a result kept from an earlier call"}, []string{"a transform that ends a batch if it is of zeros"}, nil)
	list[0].Hypotheses = "residues are compared: lazy words of one may be several"
	list[1].Applies = func(c *modular.TransformClaim) string {
		return vectors.Unless(c.Batched, "the claim says one transform a call")
	}
	return list
}()

// nttCalls is a case whose functions have run, for these laws.
type nttCalls struct {
	c     *NTTCase
	first []uint64
}

// calls runs whatever is offered, and returns the case for the laws of calls.
func (c *NTTCase) calls() nttCalls { return nttCalls{c, c.every()} }

// every runs whatever is offered, and returns the residues of all results.
func (c *NTTCase) every() (all []uint64) {
	o := c.outputs()
	return slices.Concat(c.residues(c.Claim.Forward.Out, o.forward), c.residues(c.Claim.Inverse.Out, o.inverse), c.residues(productSide, o.product))
}

func (k nttCalls) Parts() int { return len(k.c.X) / k.c.N() }

func (k nttCalls) Call(order []int, p engine.Place) (out []uint64, ok bool, b *verdict.Breakage) {
	own, tr, n := *k.c, k.c.trial, k.c.N()
	if len(order) > 1 && !own.Claim.Batched {
		return nil, false, nil
	}
	if own.X = engine.Rows(k.c.X, n, order); len(k.c.Y) > 0 {
		own.Y = engine.Rows(k.c.Y, n, order)
	}
	defer func(seed uint64, taken int) {
		tr.seed, tr.taken = seed, taken
		if r := recover(); r != nil {
			if b, ok = r.(*verdict.Breakage); !ok {
				panic(r)
			}
		}
	}(tr.seed, tr.taken)
	switch p {
	case engine.Elsewhere:
		tr.seed = tr.seed&^seedAddress | (tr.seed+engine.Shift)&seedAddress
	case engine.Aliased:
		tr.seed ^= seedApart
	}
	return own.every(), true, nil
}

// Compare fails where residues differ.
func (k nttCalls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	c, n, names := k.c, k.c.N(), []string{}
	for _, f := range []struct {
		name    string
		offered bool
	}{{"forward transform", c.Claim.Forward.Offered()}, {"inverse transform", c.Claim.Inverse.Offered()}, {"product", c.Claim.Product}} {
		if f.offered {
			names = append(names, f.name)
		}
	}
	for f, name := range names {
		was, is := k.first[f*len(k.first)/len(names)+i*n:], out[f*len(out)/len(names)+j*n:]
		if v := c.Equal(name, is[:n], was[:n]); v.Fails() {
			d := c.trial.diff
			d.Batch = i
			v.Reason = fmt.Sprintf("%s; number %d%s of the %s was %d in the first call, and is %d", reason, d.Place, batchText(i), name, d.Want, d.Got)
			return v
		}
	}
	return verdict.Held("", 0)
}
