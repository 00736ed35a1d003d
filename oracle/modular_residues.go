package oracle

import (
	"fmt"
	"math/big"
	"math/bits"

	"gamma/model/modular"
)

// Residues computes what an operation on residues must return for a row of operands. It is safe for concurrent use.
type Residues struct {
	c       modular.Claim
	q       uint64
	most    uint64
	out     []uint64 // R^power mod q of each result
	in      []uint64 // R^-power mod q of each word of a row
	parts   []int    // the words that are operands: not Shoup's factors
	inverse uint64   // 1/q modulo R, for the functions that need it
}

// NewResidues returns the judge of a claim for one modulus, or an error if the claim is inconsistent, if it does not hold
// for q, or if what it mentions does not exist modulo q.
func NewResidues(c *modular.Claim, q uint64) (*Residues, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.Moduli.Admits(q, c.Bits); err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	if c.Moduli.Prime && !IsPrime(q) {
		return nil, fmt.Errorf("oracle: modulus %d is not a prime, and the claim is of primes", q)
	}
	r := &Residues{c: *c, q: q, most: ^uint64(0) >> (64 - c.Bits)}
	radix := PowMod(2, uint64(c.Bits), q)
	back, odd := InvMod(radix, q)
	for i, w := range c.In {
		if w.Power != 0 && !odd {
			return nil, errEven(q)
		}
		r.in = append(r.in, PowMod(back, uint64(w.Power), q))
		if !w.Shoup {
			r.parts = append(r.parts, i)
		}
	}
	for _, w := range c.Out {
		r.out = append(r.out, PowMod(radix, uint64(w.Power), q))
	}
	if c.Function == modular.WordInverse || c.Function == modular.NegativeInverse {
		all := new(big.Int).Lsh(big.NewInt(1), uint(c.Bits))
		x := new(big.Int).SetUint64(q)
		if x.ModInverse(x, all) == nil {
			return nil, errEven(q)
		}
		if c.Function == modular.NegativeInverse {
			x.Sub(all, x)
		}
		r.inverse = x.Uint64()
	}
	return r, nil
}

func errEven(q uint64) error {
	return fmt.Errorf("oracle: modulus %d is even: it has no inverse modulo R, and R has no inverse modulo it", q)
}

// Modulus returns q.
func (r *Residues) Modulus() uint64 { return r.q }

// Row returns, for the operands of one row, the number in [0, q) that each result must be congruent to modulo q: the residue times
// the power of R that the claim gives. If the claim says that a result is an integer, it is the integer itself.
//
// Where a hypothesis of the claim is not met, claimed is false, want is nil and why names the hypothesis: a word is out of
// its range, Shoup's factor is not that of the word before it, or there is no inverse.
//
// Shape:   in has a word for each of the claim's In; it panics otherwise.
func (r *Residues) Row(in []uint64) (want []uint64, claimed bool, why string) {
	want, err := r.AppendRow(make([]uint64, 0, len(r.out)), in)
	if err != nil {
		return nil, false, err.Error()
	}
	return want, true, ""
}

// AppendRow appends the results of Row to dst. If a hypothesis is not met it returns dst unchanged and an error.
func (r *Residues) AppendRow(dst, in []uint64) ([]uint64, error) {
	if len(in) != len(r.c.In) {
		panic(badRow)
	}
	for i, w := range r.c.In {
		if err := r.hypothesis(w, i, in); err != nil {
			return dst, err
		}
	}
	q := r.q
	var x [3]uint64 // the residues that the operands stand for, or the integers that they are
	for j, i := range r.parts {
		x[j] = in[i]
		if !r.c.In[i].Integer {
			x[j] = MulMod(in[i], r.in[i], q)
		}
	}
	var y [2]uint64
	switch r.c.Function {
	case modular.Identity:
		y[0] = x[0]
	case modular.Sum:
		y[0] = AddMod(x[0], x[1], q)
	case modular.Difference:
		y[0] = SubMod(x[0], x[1], q)
	case modular.Negative:
		y[0] = SubMod(0, x[0], q)
	case modular.Product:
		y[0] = MulMod(x[0], x[1], q)
	case modular.Inverse:
		inverse, ok := InvMod(x[0], q)
		if !ok {
			return dst, fmt.Errorf("%s stands for %d, which has the factor %d in common with the modulus %d and no inverse", r.name(r.parts[0]), x[0], gcd(x[0], q), q)
		}
		y[0] = inverse
	case modular.Power:
		y[0] = PowMod(x[0], x[1], q)
	case modular.Wide:
		y[0] = AddMod(MulMod(x[0], PowMod(2, uint64(r.c.Bits), q), q), x[1], q)
	case modular.ForwardButterfly:
		p := MulMod(x[2], x[1], q)
		y[0], y[1] = AddMod(x[0], p, q), SubMod(x[0], p, q)
	case modular.InverseButterfly:
		y[0], y[1] = AddMod(x[0], x[1], q), MulMod(SubMod(x[0], x[1], q), x[2], q)
	case modular.One:
		y[0] = 1
	case modular.WordInverse, modular.NegativeInverse:
		return append(dst, r.inverse), nil
	case modular.ShoupQuotient:
		return append(dst, r.shoup(x[0])), nil
	default:
		panic(noFunction)
	}
	for i, power := range r.out {
		dst = append(dst, MulMod(y[i], power, q))
	}
	return dst, nil
}

// hypothesis returns an error that names the hypothesis on word i that the row does not meet, or nil.
func (r *Residues) hypothesis(w modular.Word, i int, in []uint64) error {
	a := in[i]
	switch {
	case a > r.most:
		return fmt.Errorf("%s = %d is not a word of %d bits", r.name(i), a, r.c.Bits)
	case w.Shoup:
		if want := r.shoup(in[i-1]); a != want {
			return fmt.Errorf("%s = %d is not Shoup's factor of %s = %d, which is %d", r.name(i), a, r.name(i-1), in[i-1], want)
		}
	case w.Range != 0 && !below(a, w.Range, r.q):
		return fmt.Errorf("%s = %d is not below %d·%d", r.name(i), a, w.Range, r.q)
	}
	return nil
}

// name returns the name of word i of a row.
func (r *Residues) name(i int) string {
	if s := r.c.In[i].Name; s != "" {
		return s
	}
	return fmt.Sprintf("word %d", i)
}

// below reports whether a < f·q.
func below(a, f, q uint64) bool {
	hi, lo := bits.Mul64(f, q)
	return hi != 0 || a < lo
}

// shoup returns ⌊x·R/q⌋ for x < q.
func (r *Residues) shoup(x uint64) uint64 {
	hi, lo := bits.Mul64(x, r.most)
	lo, carry := bits.Add64(lo, x, 0)
	quotient, _ := bits.Div64(hi+carry, lo, r.q)
	return quotient
}

// Congruent reports whether word is correct as result i where Row returned want: congruent to it modulo q, or equal to it if the claim
// says that the result is an integer.
func (r *Residues) Congruent(i int, word, want uint64) bool {
	if r.c.Out[i].Integer {
		return word == want
	}
	return word%r.q == want
}

// InRange returns an error if word is not in the range that the claim gives for result i, or nil.
func (r *Residues) InRange(i int, word uint64) error {
	w := r.c.Out[i]
	switch {
	case word > r.most:
		return fmt.Errorf("%d is not a word of %d bits", word, r.c.Bits)
	case w.Range != 0 && !below(word, w.Range, r.q):
		return fmt.Errorf("%d is not below %d·%d", word, w.Range, r.q)
	}
	return nil
}
