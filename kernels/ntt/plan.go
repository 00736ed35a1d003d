package ntt

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"gamma/model/modular"
)

// Word is a word of a plan: 64 bits, or 32 for moduli below 2^31.
type Word interface{ uint32 | uint64 }

// Plan transforms polynomials of N coefficients modulo an odd prime q. It is immutable and safe for concurrent use.
type Plan[W Word] struct {
	name             string
	t                modular.Transform
	claim            modular.TransformClaim
	forward, inverse way[W]
	// times multiplies each x by y mod q, for reduced residues. It is nil if there is no product.
	times func(x, y []W)
}

// way is one direction, in place, for N words.
type way[W Word] struct {
	prepare, finish func(x []W) // or nil
	stage           func(s int, x []W)
	// whole does all steps at once. If it is nil, they are prepare, all stages and finish.
	whole func(x []W)
	// before and after: values are bit-reversed before or after all that. Product does not need it.
	before, after bool
}

// makePlan returns a plan without its ways, or an error if claim c does not cover t.
func makePlan[W Word](name string, c modular.TransformClaim, t modular.Transform) (*Plan[W], error) {
	if err := check(name, &c, t); err != nil {
		return nil, err
	}
	return &Plan[W]{name: name, t: t, claim: c}, nil
}

// inOrder runs w with the permutation of values.
func (w *way[W]) inOrder(x []W) {
	if w.before {
		permute(x)
	}
	w.run(x)
	if w.after {
		permute(x)
	}
}

// run runs w without the permutation of values.
func (w *way[W]) run(x []W) {
	if w.whole != nil {
		w.whole(x)
		return
	}
	if w.prepare != nil {
		w.prepare(x)
	}
	for s := range bits.Len(uint(len(x))) - 1 {
		w.stage(s, x)
	}
	if w.finish != nil {
		w.finish(x)
	}
}

// Transform returns the transform that p computes.
func (p *Plan[W]) Transform() modular.Transform { return p.t }

// Claim returns what p promises: orders, powers and ranges.
func (p *Plan[W]) Claim() modular.TransformClaim { return p.claim }

// String returns "ntt.Shoup.DITNR.cyclic" and so on.
func (p *Plan[W]) String() string { return p.name }

// Forward transforms the coefficients src to the values dst.
//
// Shape:   len(dst) = len(src), a multiple of N: transforms one after the other.
// Domain:  every word in the range of Claim().Forward.In, [0, q) unless the plan is lazy; each is checked.
// Range:   that of Claim().Forward.Out.
// Alias:   dst is src, or does not overlap it.
// Otherwise it returns an error, and dst is unchanged.
func (p *Plan[W]) Forward(dst, src []W) error {
	return p.checked(&p.forward, p.claim.Forward.In.Range, dst, src)
}

// Inverse transforms the values src to the coefficients dst; Shape, Domain, Range and Alias are Forward's with Claim().Inverse.
func (p *Plan[W]) Inverse(dst, src []W) error {
	return p.checked(&p.inverse, p.claim.Inverse.In.Range, dst, src)
}

func (p *Plan[W]) checked(w *way[W], wide uint64, dst, src []W) error {
	if err := fits(p.name, p.t.N, dst, src); err != nil {
		return err
	}
	if err := p.within(src, wide); err != nil {
		return err
	}
	copy(dst, src)
	return p.each(w.inOrder, dst)
}

// within returns an error that names the first word of x that is not in [0, wide·q).
func (p *Plan[W]) within(x []W, wide uint64) error {
	what := "q"
	if wide > 1 {
		what = fmt.Sprintf("%d·q", wide)
	}
	return within(p.name, x, wide*p.t.Modulus, what)
}

// each runs f on each N words of x.
func (p *Plan[W]) each(f func(x []W), x []W) error {
	n := p.t.N
	if len(x)%n != 0 {
		return fmt.Errorf("%s: %d words are not a multiple of N = %d", p.name, len(x), n)
	}
	for ; len(x) > 0; x = x[n:] {
		f(x[:n:n])
	}
	return nil
}

// ForwardUnchecked is Forward in place, for callers that know the ranges: it checks the length of x, but not its words. The
// results for words out of range are unspecified.
func (p *Plan[W]) ForwardUnchecked(x []W) error { return p.each(p.forward.inOrder, x) }

// InverseUnchecked is Inverse in place; it checks the length of x, but not its words.
func (p *Plan[W]) InverseUnchecked(x []W) error { return p.each(p.inverse.inOrder, x) }

// errNoProduct says why a plan has no product.
var errNoProduct = errors.New("a plan that leaves words unreduced, in Montgomery's domain or coefficients out of order has no product; take NewPlan's")

// Product sets dst to the coefficients of the product of polynomials a and b, modulo x^N-1, or x^N+1 if negacyclic.
//
// Shape:   len(dst) = len(a) = len(b), a multiple of N.
// Domain:  a and b in [0, q), which is checked; plans whose claim says Product. It returns an error otherwise.
// Range:   [0, q).
// Alias:   dst may be a or b; otherwise it must not overlap them.
// Cost:    three transforms, and a scratch slice as long as b.
func (p *Plan[W]) Product(dst, a, b []W) error {
	if !p.claim.Product {
		return fmt.Errorf("%s: %w", p.name, errNoProduct)
	}
	for _, src := range [2][]W{a, b} {
		if err := fits(p.name, p.t.N, dst, src); err != nil {
			return err
		}
		if err := p.within(src, 1); err != nil {
			return err
		}
	}
	other := slices.Clone(b)
	copy(dst, a)
	if err := errors.Join(p.each(p.forward.run, other), p.each(p.forward.run, dst)); err != nil {
		return err
	}
	p.times(dst, other)
	return p.each(p.inverse.run, dst)
}
