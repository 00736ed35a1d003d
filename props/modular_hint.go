package props

import (
	"fmt"
	"math/big"
	"slices"

	"gamma/model/modular"
)

// modularFault is a wrong formula that operations on residues are known to compute, and what is wrong with it.
type modularFault struct {
	text string
	// of returns the results that the formula gives for a row, nil if it says nothing of the operation.
	of func(g *faultRow) []*big.Int
}

// faultRow is a row as wrong formulas see it: all numbers exact.
type faultRow struct {
	c      *modular.Claim
	q, r   *big.Int   // the modulus, and R
	x      []*big.Int // words of the operands, Shoup's factors left out
	want   []*big.Int // results by division
	shift  int        // the power of R of the result of a product less those of its factors
	single *big.Int   // what a reduction reduces: a product, h·R+l, or a word
	lazy   bool       // the result may be 2q-1
}

// sampleRows is how many rows a formula must explain before it is named.
const sampleRows = 192

// cause compares what the operation returns for rows of the failing modulus, and of the one at which the fault was found, with formulas
// that are known to be wrong, and says in words which one it computes, or "".
func (r *modularRun) cause(l *ModularLaw, c *modularCase, was uint64) string {
	p := r.p
	if l.Refuses || l.findings != nil || c.batch.rows > 1 {
		return ""
	}
	var rows []*faultRow
	var outs [][]uint64
	trial := newModularTrial(p)
	take := func(b *modularBatch) bool {
		res, err := newResidues(&p.claim, b.q)
		if err != nil {
			return false
		}
		out := make([]uint64, b.rows*len(p.claim.Out))
		if err, reason := trial.call.run(p.run, b.at, b.q, out, b.in, b.seed); reason != "" || p.device == nil && err != nil {
			return false
		}
		n, m := len(p.claim.In), len(p.claim.Out)
		for i := range b.rows {
			in := b.in[i*n : (i+1)*n]
			want, err := res.truth.AppendRow(nil, in)
			if err != nil {
				return false
			}
			rows = append(rows, newFaultRow(&p.claim, b.q, in, want))
			outs = append(outs, out[i*m:(i+1)*m])
		}
		return true
	}
	ok := take(c.batch)
	var g modularGenerator
	m := &modularReducer{r: r, l: l}
	for _, q := range slices.Compact([]uint64{c.batch.q, was}) {
		g.begin(&p.claim, q)
		g.rng, g.b = splitmix(7), 200
		size := 1
		if n := len(p.claim.In); n > 0 {
			size = sampleRows / 2
			if p.device != nil && p.device.MaxN > 0 {
				size = min(size, p.device.MaxN)
			}
		}
		b := &modularBatch{q: q, rows: size, in: make([]uint64, size*len(p.claim.In))}
		b.at = m.fit(c.batch.at, size)
		for i := range size {
			row := b.in[i*len(p.claim.In) : (i+1)*len(p.claim.In)]
			modularFamilies[i%len(modularFamilies)].draw(&g, row)
			g.mend(row)
		}
		ok = ok && take(b)
	}
	if !ok {
		return ""
	}
next:
	for i := range modularFaults {
		fault := &modularFaults[i]
		for k, row := range rows {
			z := fault.of(row)
			if z == nil {
				continue next
			}
			for j := range z {
				if !z[j].IsUint64() || z[j].Uint64() != outs[k][j] {
					continue next
				}
			}
		}
		return fmt.Sprintf("its results on %s are those of a known fault: %s.", plural(len(rows), "row"), fault.text)
	}
	return domainCause(rows, outs)
}

// domainCause names a factor that all results have too much.
func domainCause(rows []*faultRow, outs [][]uint64) string {
	if c := rows[0].c; c.Moduli.Even || c.Out[0].Integer {
		return ""
	}
	for _, f := range []struct {
		text  string
		shift int
		minus bool
	}{
		{"the result is R times too large: it is in another domain", 1, false},
		{"the result is R² times too large: it is in another domain", 2, false},
		{"the result lacks a factor R: it is in another domain", -1, false},
		{"the result lacks a factor R²: it is in another domain", -2, false},
		{"the result has the wrong sign", 0, true},
	} {
		if func() bool {
			told := false // more than zeros
			for k, row := range rows {
				factor := new(big.Int).Exp(row.r, big.NewInt(int64(f.shift)), row.q)
				if factor == nil {
					return false
				}
				if f.minus {
					factor.Neg(factor)
				}
				for j, w := range row.want {
					z := new(big.Int).Mul(w, factor)
					if z.Mod(z, row.q).Uint64() != outs[k][j]%row.q.Uint64() {
						return false
					}
					told = told || z.Cmp(w) != 0
				}
			}
			return told
		}() {
			return fmt.Sprintf("its results on %s have one thing in common: %s.", plural(len(rows), "row"), f.text)
		}
	}
	return ""
}

func newFaultRow(c *modular.Claim, q uint64, in, want []uint64) *faultRow {
	g := &faultRow{c: c, q: new(big.Int).SetUint64(q), r: new(big.Int).Lsh(big.NewInt(1), uint(c.Bits)), lazy: c.Out[0].Range != 1}
	places := operandsOf(c)
	for _, i := range places {
		g.x = append(g.x, new(big.Int).SetUint64(in[i]))
	}
	for _, w := range want {
		g.want = append(g.want, new(big.Int).SetUint64(w))
	}
	switch c.Function {
	case modular.Product:
		g.single = new(big.Int).Mul(g.x[0], g.x[1])
		g.shift = c.Out[0].Power - c.In[places[0]].Power - c.In[places[1]].Power
	case modular.Identity:
		g.single = g.x[0]
		g.shift = c.Out[0].Power - c.In[0].Power
	case modular.Wide:
		g.single = new(big.Int).Mul(g.x[0], g.r)
		g.single.Add(g.single, g.x[1])
		g.shift = c.Out[0].Power - c.In[places[0]].Power
	}
	return g
}

// low returns v modulo R.
func (g *faultRow) low(v *big.Int) *big.Int { return new(big.Int).Mod(v, g.r) }

// high returns ⌊v/R⌋.
func (g *faultRow) high(v *big.Int) *big.Int { return new(big.Int).Rsh(v, uint(g.c.Bits)) }

// once subtracts q where v is at least q, or above it.
func (g *faultRow) once(v *big.Int, above bool) *big.Int {
	if c := v.Cmp(g.q); c > 0 || c == 0 && !above {
		return new(big.Int).Sub(v, g.q)
	}
	return v
}

// last is the last subtraction of a reduction, which lazy ones leave out.
func (g *faultRow) last(v *big.Int) *big.Int {
	if g.lazy {
		return v
	}
	return g.once(v, false)
}

// redc returns a reduction of Montgomery's whose steps may be wrong: of t, with the factor q', the carry out of the low words that a
// function gives, and the last subtraction another one.
func redc(neg func(g *faultRow) *big.Int, carry func(g *faultRow, lo, mlo *big.Int) int64, wraps bool, last func(g *faultRow, v *big.Int) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if g.single == nil || g.shift != -1 {
			return nil
		}
		n := neg(g)
		if n == nil {
			return nil
		}
		lo := g.low(g.single)
		m := g.low(new(big.Int).Mul(lo, n))
		mq := m.Mul(m, g.q)
		v := new(big.Int).Add(g.high(g.single), g.high(mq))
		v.Add(v, big.NewInt(carry(g, lo, g.low(mq))))
		if wraps {
			v = g.low(v)
		}
		return []*big.Int{g.low(last(g, v))}
	}
}

// negInverse returns -1/q modulo R.
func negInverse(g *faultRow) *big.Int {
	v := new(big.Int).ModInverse(g.q, g.r)
	if v == nil {
		return nil
	}
	return v.Sub(g.r, v)
}

func rightCarry(_ *faultRow, lo, _ *big.Int) int64 { return int64(lo.Sign()) }

func carryIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// halfInverse returns ±1/q that is right in the lower half of its bits, as Newton's method gives it with a step too few.
func halfInverse(g *faultRow) *big.Int {
	n := uint(g.c.Bits / 2)
	half := new(big.Int).Lsh(big.NewInt(1), n)
	x := new(big.Int).ModInverse(new(big.Int).Mod(g.q, half), half)
	if x == nil || n < 4 {
		return nil
	}
	quarter := new(big.Int).Lsh(big.NewInt(1), n/2)
	x.Mod(x, quarter)
	// one step of two from a quarter of the bits
	x.Mul(x, new(big.Int).Sub(big.NewInt(2), new(big.Int).Mul(g.q, x)))
	return g.low(x)
}

// splitReduce returns (hi mod q)·r + (lo mod q) of a double word, all but the last sum in words, where r stands for R mod q.
func splitReduce(r func(g *faultRow) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if g.single == nil || g.shift != 0 || g.c.Function == modular.Identity {
			return nil
		}
		hi, lo := new(big.Int).Mod(g.high(g.single), g.q), new(big.Int).Mod(g.low(g.single), g.q)
		v := g.low(hi.Mul(hi, r(g)))
		v.Mod(v, g.q)
		v = g.low(v.Add(v, lo))
		return []*big.Int{v.Mod(v, g.q)}
	}
}

// exactProduct reports whether a claim is of a plain product, and of its value.
func plainOnly(f modular.Function, of func(g *faultRow) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if g.c.Function != f {
			return nil
		}
		return []*big.Int{g.low(of(g))}
	}
}

// modularFaults are the formulas, the most particular first.
var modularFaults = []modularFault{
	{"the carry out of the low words of T+m·q is dropped in Montgomery's reduction", redc(negInverse, func(*faultRow, *big.Int, *big.Int) int64 { return 0 }, true, (*faultRow).last)},
	{"the carry out of the low words of T+m·q is taken for 1 always; it is 0 where the low word of T is 0", redc(negInverse, func(*faultRow, *big.Int, *big.Int) int64 { return 1 }, true, (*faultRow).last)},
	{"the carry out of the low words is tested as lo > mq_lo; their sum is 0 modulo R, so that the carry is lo != 0", redc(negInverse, func(_ *faultRow, lo, mlo *big.Int) int64 { return carryIf(lo.Cmp(mlo) > 0) }, true, (*faultRow).last)},
	{"the carry out of the low words is tested as lo < mq_lo; their sum is 0 modulo R, so that the carry is lo != 0", redc(negInverse, func(_ *faultRow, lo, mlo *big.Int) int64 { return carryIf(lo.Cmp(mlo) < 0) }, true, (*faultRow).last)},
	{"the last conditional subtraction of Montgomery's reduction is missing", redc(negInverse, rightCarry, false, func(_ *faultRow, v *big.Int) *big.Int { return v })},
	{"the last subtraction tests > q where >= q is needed", redc(negInverse, rightCarry, false, func(g *faultRow, v *big.Int) *big.Int { return g.once(v, true) })},
	{"the carry out of the sum of the high words is lost: the sum needs a bit more than a word from q = R/2 on", redc(negInverse, rightCarry, true, (*faultRow).last)},
	{"q' has the wrong sign: it is 1/q where T+m·q wants -1/q modulo R", redc(func(g *faultRow) *big.Int { return new(big.Int).ModInverse(g.q, g.r) }, rightCarry, true, (*faultRow).last)},
	{"q' is right in the lower half of its bits alone: a step of Newton's method is missing", redc(func(g *faultRow) *big.Int {
		v := halfInverse(g)
		if v == nil {
			return nil
		}
		return v.Sub(g.r, v)
	}, rightCarry, true, (*faultRow).last)},
	{"the high word of the product is left out, as if R were 0 modulo q", splitReduce(func(*faultRow) *big.Int { return new(big.Int) })},
	{"R mod q is computed as (√R mod q)², in one word, which does not hold that", splitReduce(func(g *faultRow) *big.Int {
		h := new(big.Int).Lsh(big.NewInt(1), uint(g.c.Bits/2))
		h.Mod(h, g.q)
		h = g.low(h.Mul(h, h))
		return h.Mod(h, g.q)
	})},
	{"% is used on partial products: (hi % q)·(R % q) does not fit into a word, and what is above it is lost", splitReduce(func(g *faultRow) *big.Int { return new(big.Int).Mod(g.r, g.q) })},
	{"the last subtraction of a sum is missing", plainOnly(modular.Sum, func(g *faultRow) *big.Int { return new(big.Int).Add(g.x[0], g.x[1]) })},
	{"a sum tests > q where >= q is needed", plainOnly(modular.Sum, func(g *faultRow) *big.Int { return g.once(new(big.Int).Add(g.x[0], g.x[1]), true) })},
	{"a sum loses its carry: a+b needs a bit more than a word from q = R/2 on", plainOnly(modular.Sum, func(g *faultRow) *big.Int {
		return g.once(g.low(new(big.Int).Add(g.x[0], g.x[1])), false)
	})},
	{"a difference that is negative is not brought back by adding q", plainOnly(modular.Difference, func(g *faultRow) *big.Int { return new(big.Int).Sub(g.x[0], g.x[1]) })},
	{"a difference tests > where >= is needed, and gives q for 0", plainOnly(modular.Difference, func(g *faultRow) *big.Int {
		v := new(big.Int).Sub(g.x[0], g.x[1])
		if v.Sign() <= 0 {
			v.Add(v, g.q)
		}
		return v
	})},
	{"a negative is q-a for 0 too, and gives q", plainOnly(modular.Negative, func(g *faultRow) *big.Int { return new(big.Int).Sub(g.q, g.x[0]) })},
	{"an inverse of odd steps is not brought back by adding q where it is negative", plainOnly(modular.Inverse, func(g *faultRow) *big.Int {
		v := signedInverse(g.x[0], g.q)
		return v
	})},
	{"the quotient is rounded up", plainOnly(modular.ShoupQuotient, func(g *faultRow) *big.Int {
		v := new(big.Int).Mul(g.x[0], g.r)
		return v.Add(v, new(big.Int).Sub(g.q, big.NewInt(1))).Div(v, g.q)
	})},
	{"the inverse has the other sign", plainOnly(modular.WordInverse, func(g *faultRow) *big.Int { return new(big.Int).Neg(g.want[0]) })},
	{"the inverse has the other sign", plainOnly(modular.NegativeInverse, func(g *faultRow) *big.Int { return new(big.Int).Neg(g.want[0]) })},
	{"all results are 0", func(g *faultRow) (z []*big.Int) {
		for range g.want {
			z = append(z, new(big.Int))
		}
		return z
	}},
}

// signedInverse returns the coefficient of a that the extended Euclidean algorithm on q and a gives, which may be negative.
func signedInverse(a, q *big.Int) *big.Int {
	r0, r1 := new(big.Int).Set(q), new(big.Int).Mod(a, q)
	t0, t1 := new(big.Int), big.NewInt(1)
	for r1.Sign() != 0 {
		k := new(big.Int).Div(r0, r1)
		r0, r1 = r1, new(big.Int).Sub(r0, new(big.Int).Mul(k, r1))
		t0, t1 = t1, new(big.Int).Sub(t0, new(big.Int).Mul(k, t1))
	}
	return t0
}
