package modular

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Run executes the steps of the recurrence on words, and returns the results. Shoup's factor of a w is computed by division.
//
// The error is an *Overflow if a step leaves [0, R) or takes a factor that is not reduced; its Bound and Limit are then the value
// that occurred and the greatest that may. It is another error if r, q, b or the words are invalid. Run does what a kernel that
// declares r has to do, word for word: the search for words that come near a bound uses it. It is not an oracle.
//
// Domain:  b bits a word; every word below 2^b; q odd if there are Montgomery steps.
func (r *Recurrence) Run(q uint64, b int, words []uint64) ([]uint64, error) {
	all, err := r.trace(q, b, words)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(r.Out))
	for i, o := range r.Out {
		out[i] = all[o]
	}
	return out, nil
}

// trace returns all words: the operands and the results of every step.
func (r *Recurrence) trace(q uint64, b int, words []uint64) ([]uint64, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if !validBits(b) || q < 2 || q > greatest(b) {
		_, err := newScale(q, b)
		return nil, err
	}
	if len(words) != len(r.In) {
		return nil, fmt.Errorf("modular: %d words for %d operands", len(words), len(r.In))
	}
	for i, w := range words {
		if w > greatest(b) {
			return nil, fmt.Errorf("modular: operand %s = %d is not a word of %d bits", r.In[i], w, b)
		}
	}
	all := make([]uint64, 0, len(words)+len(r.Steps))
	all = append(all, words...)
	for i, s := range r.Steps {
		x, y := all[s.A], uint64(0)
		if s.Op.binary() {
			y = all[s.B]
		}
		kHi, k := bits.Mul64(s.K, q)
		var hi, lo uint64
		switch s.Op {
		case Copy:
			lo = x
		case Add:
			lo, hi = bits.Add64(x, y, 0)
		case Subtract:
			if kHi == 0 && y > k {
				return nil, outside(i, s.Op, "what is taken away", 0, y, k, q, b)
			}
			var carry, borrow uint64
			lo, carry = bits.Add64(x, k, 0)
			hi = kHi + carry
			if hi != 0 || lo > greatest(b) {
				return nil, outside(i, s.Op, "the sum before it", hi, lo, greatest(b), q, b)
			}
			lo, borrow = bits.Sub64(lo, y, 0)
			hi -= borrow
		case Reduce:
			if kHi != 0 || k > greatest(b) {
				return nil, outside(i, s.Op, "K·q", kHi, k, greatest(b), q, b)
			}
			if lo = x; x >= k {
				lo -= k
			}
		case Shoup:
			if y >= q {
				return nil, outside(i, s.Op, "the factor", 0, y, q-1, q, b)
			}
			e, _ := bits.Mul64(x<<(64-b), shoupFactor(y, q, b)) // ⌊x·w'/R⌋
			var borrow uint64
			hi, lo = bits.Mul64(x, y)
			eHi, eLo := bits.Mul64(e, q)
			lo, borrow = bits.Sub64(lo, eLo, 0)
			hi, _ = bits.Sub64(hi, eHi, borrow)
		case Montgomery:
			if q%2 == 0 {
				return nil, fmt.Errorf("modular: step %d, %s: the modulus %d is even and has no inverse modulo R", i, s.Op, q)
			}
			tHi, tLo := bits.Mul64(x, y)
			m := -tLo * wordInverse(q) & greatest(b)
			mHi, mLo := bits.Mul64(m, q)
			var carry, over uint64
			mLo, carry = bits.Add64(mLo, tLo, 0)
			mHi, over = bits.Add64(mHi, tHi, carry)
			// The sum has 2b+1 bits at most, of which the lower b are 0.
			if b == 64 {
				hi, lo = over, mHi
			} else {
				hi, lo = mHi>>b, mHi<<(64-b)|mLo>>b
			}
		}
		if hi != 0 || lo > greatest(b) {
			return nil, outside(i, s.Op, "the result", hi, lo, greatest(b), q, b)
		}
		all = append(all, lo)
	}
	return all, nil
}

// shoupFactor returns ⌊w·R/q⌋ for w < q.
func shoupFactor(w, q uint64, b int) uint64 {
	f, _ := bits.Div64(w>>(64-b), w<<b, q)
	return f
}

// wordInverse returns 1/q modulo 2^64 of an odd q, bit by bit: the product of q and what is found is 1 in all lower bits.
func wordInverse(q uint64) uint64 {
	x := uint64(0)
	for i := range 64 {
		if (q*x^1)>>i&1 == 1 {
			x |= 1 << i
		}
	}
	return x
}

// outside returns the overflow of the value hi·2^64+lo beyond the limit.
func outside(step int, op StepOp, what string, hi, lo, limit, q uint64, b int) error {
	value := new(big.Int).SetUint64(hi)
	value.Lsh(value, 64).Add(value, new(big.Int).SetUint64(lo))
	m := new(big.Int).SetUint64(q)
	return &Overflow{-1, step, op, what, new(big.Rat).SetFrac(value, m), new(big.Rat).SetFrac(new(big.Int).SetUint64(limit), m), q, b}
}
