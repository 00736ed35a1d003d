package modular

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// IsFactor reports whether operand i is a twiddle factor or another factor that is made before: a reduced word. Its name begins
// with w.
func (r *Recurrence) IsFactor(i int) bool { return strings.HasPrefix(r.In[i], "w") }

// StageBounds returns, for each stage of a transform, a bound on its words, in multiples of q: if every word at first is less than
// in·q, every word after stage s is less than the s-th bound times q. Operands that are factors are bounded by 1, all others by
// the bound of the stage before. A nil in stands for R/q: any word.
//
// It is exact in the sense of Bound, which it applies to each stage, and its errors are Bound's; an *Overflow names the stage.
func StageBounds(stages []*Recurrence, in *big.Rat, q uint64, bits int) ([]*big.Rat, error) {
	s, err := newScale(q, bits)
	if err != nil {
		return nil, err
	}
	all := make([]*big.Rat, 0, len(stages))
	for i, r := range stages {
		if r == nil {
			return nil, fmt.Errorf("modular: stage %d has no recurrence", i)
		}
		operands := make([]*big.Rat, len(r.In))
		for j := range operands {
			operands[j] = in
			if r.IsFactor(j) {
				operands[j] = big.NewRat(1, 1)
			}
		}
		out, err := r.bound(s, i, operands)
		var o *Overflow
		switch {
		case errors.As(err, &o):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("stage %d: %w", i, err)
		case len(out) == 0:
			return nil, fmt.Errorf("modular: stage %d: it has no result", i)
		}
		in = out[0]
		for _, b := range out[1:] {
			in = greater(in, b)
		}
		all = append(all, in)
	}
	return all, nil
}

// MaxModulus returns the greatest modulus for which every step of the stages meets its condition, or 0: StageBounds returns no error
// for any q from 2 up to it (any odd q if there are Montgomery steps), and an error for all above. in is as there, except that
// MaxModulus returns 0 if it is nil.
//
// One bisection finds it, because every condition is an upper limit that does not grow with q, on a quantity that does not fall with
// q, as each step's bound grows with those of its operands. (Only the bound R/q of an arbitrary word falls.)
func MaxModulus(stages []*Recurrence, in *big.Rat, bits int) uint64 {
	if in == nil || !validBits(bits) {
		return 0
	}
	odd := uint64(0) // 1: q is to be odd
	for _, r := range stages {
		if r == nil {
			return 0
		}
		for _, s := range r.Steps {
			if s.Op == Montgomery {
				odd = 1
			}
		}
	}
	fine := func(q uint64) bool {
		_, err := StageBounds(stages, in, q, bits)
		return err == nil
	}
	// Numbers k stand for the moduli 2·k+1 if they must be odd, else for k.
	modulus := func(k uint64) uint64 { return k<<odd | odd }
	low, high := uint64(1), greatest(bits)>>odd
	if odd == 0 {
		low = 2
	}
	if !fine(modulus(low)) {
		return 0
	}
	for low < high {
		middle := low + (high-low+1)/2
		if fine(modulus(middle)) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return modulus(low)
}

// Bounds returns bounds on the results of the claim's recurrence, in multiples of q, for operands in the ranges that it claims. The
// error says that no recurrence is declared, that a step may leave its condition (an *Overflow), or that a bound is above the range
// claimed for its result: the claim is then not proved, for this modulus.
func (c *Claim) Bounds(q uint64) ([]*big.Rat, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Recurrence == nil {
		return nil, errUndeclared
	}
	var in []*big.Rat
	for _, w := range c.In {
		if !w.Shoup {
			in = append(in, multiples(w.Range))
		}
	}
	out, err := c.Recurrence.Bound(q, c.Bits, in)
	if err != nil {
		return nil, err
	}
	if len(out) != len(c.Out) {
		return nil, fmt.Errorf("modular: the recurrence has %d results, and the claim %d", len(out), len(c.Out))
	}
	for i, w := range c.Out {
		if err := claimed(out[i], w.Range, q); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
	}
	return out, nil
}

// Bounds returns StageBounds of the stages that are declared for n points, for operands in the range that the direction claims. The
// error says that none are declared, that a step may leave its condition (an *Overflow), or that the last bound is above the range
// claimed for the results.
func (d *Direction) Bounds(n int, q uint64, bits int) ([]*big.Rat, error) {
	if d.Stages == nil {
		return nil, errUndeclared
	}
	stages := d.Stages(n)
	if stages == nil {
		return nil, errUndeclared
	}
	all, err := StageBounds(stages, multiples(d.In.Range), q, bits)
	if err != nil {
		return nil, err
	}
	last := multiples(d.In.Range)
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	if last != nil {
		if err := claimed(last, d.Out.Range, q); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// errUndeclared is the error for a claim that declares no steps.
var errUndeclared = errors.New("modular: no recurrence is declared, so that no range is proved")

// multiples returns a claim's range as a bound: nil for any word.
func multiples(f uint64) *big.Rat {
	if f == 0 {
		return nil
	}
	return new(big.Rat).SetInt(new(big.Int).SetUint64(f))
}

// claimed returns an error if a bound is above a claimed range, or nil.
func claimed(bound *big.Rat, f, q uint64) error {
	if most := multiples(f); most != nil && bound.Cmp(most) > 0 {
		return fmt.Errorf("modular: the range claimed is below %d·q, and the steps keep below %s·q only, modulo q = %d", f, multiple(bound), q)
	}
	return nil
}
