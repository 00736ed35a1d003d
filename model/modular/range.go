package modular

import (
	"fmt"
	"math/big"
)

// Overflow is the error that a recurrence may leave its words, or its factors their range: the condition of a step does not hold.
type Overflow struct {
	Stage int // of a transform, from 0, or -1 if no stage is meant
	Step  int // from 0; -1: the operands
	Op    StepOp
	// What is too large: "the result" and so on.
	What string
	// Bound and Limit are in multiples of Modulus: What is less than Bound, and Bound must be no more than Limit.
	Bound, Limit *big.Rat
	Modulus      uint64
	Bits         int
}

// Error returns "stage 2, step 1, add: the result may be up to 9·q = …, and the limit is 8·q = … (q = …, words of 64 bits); …".
func (e *Overflow) Error() string {
	at := ""
	if e.Stage >= 0 {
		at = fmt.Sprintf("stage %d, ", e.Stage)
	}
	if e.Step < 0 {
		at += "operands"
	} else {
		at += fmt.Sprintf("step %d, %s", e.Step, e.Op)
	}
	m := new(big.Rat).SetInt(new(big.Int).SetUint64(e.Modulus))
	words := func(x *big.Rat) string { return multiple(x) + "·q = " + multiple(new(big.Rat).Mul(x, m)) }
	return fmt.Sprintf("%s: %s may be up to %s, and the limit is %s (q = %d, words of %d bits); take a smaller modulus, or reduce before",
		at, e.What, words(e.Bound), words(e.Limit), e.Modulus, e.Bits)
}

// multiple returns x with six decimals or, if it is an integer, with none.
func multiple(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return x.FloatString(6)
}

// scale holds what the conditions of steps compare with, in multiples of q.
type scale struct {
	q    uint64
	bits int
	rho  *big.Rat // ρ = q/R
	full *big.Rat // R/q
}

func newScale(q uint64, bits int) (*scale, error) {
	if !validBits(bits) {
		return nil, fmt.Errorf("modular: words of %d bits; there are words of 8, 16, 32 and 64", bits)
	}
	if q < 2 || q > greatest(bits) {
		return nil, fmt.Errorf("modular: modulus %d; a modulus of %d-bit words is 2 to %d", q, bits, greatest(bits))
	}
	radix := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	m := new(big.Int).SetUint64(q)
	return &scale{q, bits, new(big.Rat).SetFrac(m, radix), new(big.Rat).SetFrac(radix, m)}, nil
}

// Check says what is wrong with a recurrence, or nil: a step may only speak of words before it.
func (r *Recurrence) Check() error {
	for i, s := range r.Steps {
		n := len(r.In) + i
		switch {
		case s.Op > Copy:
			return fmt.Errorf("modular: step %d: %s is not defined", i, s.Op)
		case s.A < 0 || s.A >= n:
			return fmt.Errorf("modular: step %d, %s: A is word %d; there are words 0 to %d before it", i, s.Op, s.A, n-1)
		case s.Op.binary() && (s.B < 0 || s.B >= n):
			return fmt.Errorf("modular: step %d, %s: B is word %d; there are words 0 to %d before it", i, s.Op, s.B, n-1)
		case (s.Op == Subtract || s.Op == Reduce) && s.K == 0:
			return fmt.Errorf("modular: step %d, %s: K is 0", i, s.Op)
		}
	}
	for i, o := range r.Out {
		if o < 0 || o >= len(r.In)+len(r.Steps) {
			return fmt.Errorf("modular: result %d is word %d; there are words 0 to %d", i, o, len(r.In)+len(r.Steps)-1)
		}
	}
	return nil
}

// binary reports whether the operation has a second operand.
func (o StepOp) binary() bool { return o != Reduce && o != Copy }

var stepOps = [...]string{"add", "subtract", "reduce", "Shoup", "Montgomery", "copy"}

// String returns "add", "Montgomery" and so on.
func (o StepOp) String() string {
	if int(o) < len(stepOps) {
		return stepOps[o]
	}
	return fmt.Sprintf("operation %d", o)
}

// Bound returns bounds on the results of the recurrence, in multiples of q: if operand i is less than in[i]·q, result j is less than
// out[j]·q, and no word on the way leaves [0, R). An in[i] that is nil stands for R/q: any word.
//
// Bounds are rigorous, and exact: no step is rounded, except for a bound of more than 16384 bits, which is rounded up to a multiple of
// 2^-8192. The error is an *Overflow if the condition of a step does not hold, so that nothing is promised, and another error if
// r, q, bits or in is invalid.
//
// How each step is bounded, with a < α·q, b < β·q, integers all, and ρ = q/R:
//
// Add: a+b < (α+β)·q, which is in [0, R) if (α+β)·q <= R.
//
// Subtract: K·q-b is in (0, K·q] if β <= K. So a+K·q-b is in (0, (α+K)·q), and a+K·q, should that be computed first, is below
// (α+K)·q <= R.
//
// Reduce: a word a < K·q stays, and is below min(α, K)·q; of another a-K·q < (α-K)·q is left. K·q itself has to be a word.
//
// Shoup: let w·R = w'·q+r with 0 <= r < q, and a·w' = e·R+f with 0 <= f < R, so that e = ⌊a·w'/R⌋. Then
//
//	a·w-e·q = (a·w·R - (a·w'-f)·q)/R = (a·(w·R-w'·q) + f·q)/R = (a·r + f·q)/R,
//
// which is at least 0 and at most (a·(q-1)+(R-1)·q)/R < (α·ρ+1)·q. It does not matter that a·w and e·q are computed modulo R
// only, as their difference is in [0, R). [Harvey 2014] proves it for any word a, where α·q = R: then
// a·r/R < r < q, and the result is below 2q.
//
// Montgomery: m is one of 0 to R-1, so (a·b+m·q)/R < (α·β·q²+R·q)/R = (α·β·ρ+1)·q. The sum is below R², so that no carry is lost
// beyond the upper word, if α·β·q²+(R-1)·q < R². That is so if α·β·q² <= R·(R-q), which is (α·β·ρ+1)·q <= R rewritten:
// the two conditions are the same. For reduced a and b it holds up to q = (√5-1)/2·R = 0.618…·R. [Montgomery 1985] proves it for a·b < R·q,
// where the result is below 2q.
func (r *Recurrence) Bound(q uint64, bits int, in []*big.Rat) (out []*big.Rat, err error) {
	s, err := newScale(q, bits)
	if err != nil {
		return nil, err
	}
	return r.bound(s, -1, in)
}

// maxBoundBits is how long a bound may be before it is rounded up.
const maxBoundBits = 1 << 14

func (r *Recurrence) bound(s *scale, stage int, in []*big.Rat) ([]*big.Rat, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if len(in) != len(r.In) {
		return nil, fmt.Errorf("modular: %d bounds for %d operands", len(in), len(r.In))
	}
	// limit returns an overflow if a bound exceeds a limit, or nil.
	limit := func(step int, op StepOp, what string, bound, most *big.Rat) error {
		if bound.Cmp(most) <= 0 {
			return nil
		}
		return &Overflow{stage, step, op, what, bound, most, s.q, s.bits}
	}
	words := make([]*big.Rat, 0, len(in)+len(r.Steps))
	for i, b := range in {
		switch {
		case b == nil:
			b = s.full
		case b.Sign() <= 0:
			return nil, fmt.Errorf("modular: operand %s is bounded by %s·q; a bound is above 0", r.In[i], b.RatString())
		}
		if err := limit(-1, Copy, "operand "+r.In[i], b, s.full); err != nil {
			return nil, err
		}
		words = append(words, b)
	}
	one := big.NewRat(1, 1)
	for i, step := range r.Steps {
		a, b := words[step.A], (*big.Rat)(nil)
		if step.Op.binary() {
			b = words[step.B]
		}
		k := new(big.Rat).SetInt(new(big.Int).SetUint64(step.K))
		x := new(big.Rat)
		var err error
		switch step.Op {
		case Add:
			x.Add(a, b)
		case Subtract:
			x.Add(a, k)
			err = limit(i, step.Op, "what is taken away", b, k)
		case Reduce:
			x.Sub(a, k)
			x.Set(greater(x, lesser(a, k)))
			if k.Cmp(s.full) >= 0 {
				err = &Overflow{stage, i, step.Op, fmt.Sprintf("%d·q", step.K), k, s.full, s.q, s.bits}
			}
		case Shoup:
			x.Mul(a, s.rho)
			x.Add(x, one)
			err = limit(i, step.Op, "the factor", b, one)
		case Montgomery:
			x.Mul(a, b)
			x.Mul(x, s.rho)
			x.Add(x, one)
			if s.q%2 == 0 {
				err = fmt.Errorf("modular: step %d, %s: the modulus %d is even and has no inverse modulo R", i, step.Op, s.q)
			}
		case Copy:
			x.Set(a)
		}
		if err == nil {
			err = limit(i, step.Op, "the result", x, s.full)
		}
		if err != nil {
			return nil, err
		}
		words = append(words, shorten(x))
	}
	out := make([]*big.Rat, len(r.Out))
	for i, o := range r.Out {
		out[i] = new(big.Rat).Set(words[o])
	}
	return out, nil
}

// shorten returns x, rounded up if it is very long.
func shorten(x *big.Rat) *big.Rat {
	if x.Denom().BitLen() <= maxBoundBits {
		return x
	}
	n := new(big.Int).Lsh(x.Num(), maxBoundBits/2)
	n.Add(n, x.Denom())
	n.Sub(n, big.NewInt(1))
	n.Div(n, x.Denom())
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), maxBoundBits/2))
}

func greater(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func lesser(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}
