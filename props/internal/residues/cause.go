package residues

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
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
	shoup  bool       // the second factor has one of Shoup's
	lazy   bool       // the result may be 2q-1
}

// sampleRows is how many rows a formula must explain before it is named.
const sampleRows = 192

// Cause compares what the operation returns for the reduced row, for the row that it was reduced from, which has the modulus was, and
// for rows of those and other moduli with formulas that are known to be wrong. It returns in a sentence which one it computes, and on what
// that rests, or "".
func (r *Run) Cause(l *ModularLaw, c *ModularCase, was uint64, original []uint64) (fault, cause string) {
	p := r.P
	if l.Refuses || l.Found != nil || c.Batch.Rows > 1 {
		return "", ""
	}
	var rows []*faultRow
	var outs [][]uint64
	wrong := false // of a result that is right no formula tells anything
	trial := NewModularTrial(p)
	take := func(b *ModularBatch) bool {
		res, err := NewResidues(&p.Claim, b.Q)
		if err != nil {
			return false
		}
		out := make([]uint64, b.Rows*len(p.Claim.Out))
		var no *verdict.Breakage
		if err := trial.call.Run(p.Run, b.At, b.Q, out, b.In, b.seed, false); errors.As(err, &no) || p.Device == nil && err != nil {
			return false
		}
		n, m := len(p.Claim.In), len(p.Claim.Out)
		for i := range b.Rows {
			in := b.In[i*n : (i+1)*n]
			want, err := res.Truth.AppendRow(nil, in)
			if err != nil {
				return false
			}
			rows = append(rows, newFaultRow(&p.Claim, b.Q, in, want))
			outs = append(outs, out[i*m:(i+1)*m])
			for j, z := range out[i*m : (i+1)*m] {
				wrong = wrong || !res.Truth.Congruent(j, z, want[j]) || res.Truth.InRange(j, z) != nil
			}
		}
		return true
	}
	ok := take(c.Batch)
	if len(original) == len(p.Claim.In) {
		b := *c.Batch
		b.Q, b.In = was, original
		ok = ok && take(&b)
	}
	var g ModularGenerator
	moduli := []uint64{c.Batch.Q, was} // and others, at which one fault may be none and another is
	step := max(1, len(p.Moduli.Edges)/4)
	if len(p.Claim.In) == 0 {
		step = max(1, len(p.Moduli.Edges)/40)
	}
	for i := len(p.Moduli.Edges) - 1; i >= 0; i -= step {
		moduli = append(moduli, p.Moduli.Edges[i])
	}
	for _, q := range moduli {
		g.Begin(&p.Claim, q)
		g.Rng, g.B = draw.Splitmix(7), 200
		size := 1
		if n := len(p.Claim.In); n > 0 {
			size = p.Device.Most(sampleRows / len(moduli))
		}
		b := &ModularBatch{Q: q, Rows: size, In: make([]uint64, size*len(p.Claim.In))}
		b.At = p.Device.Fitted(size, c.Batch.At)
		for i := range size {
			row := b.In[i*len(p.Claim.In) : (i+1)*len(p.Claim.In)]
			AllFamilies[i%len(AllFamilies)].Draw(&g, row)
			g.Fix(row)
		}
		ok = ok && take(b)
	}
	if !ok || !wrong {
		return "", ""
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
		return report.Sentence(fault.text), fmt.Sprintf("its results on %s are those of a known fault: %s.", report.Plural(len(rows), "row"), fault.text)
	}
	if fault, cause = subtractionCause(rows, outs); cause != "" {
		return fault, cause
	}
	return domainCause(rows, outs)
}

// subtractionCause names a last conditional subtraction that is missing or wrong, of a reduction of any kind, such as Barrett's: all results that are claimed to be
// below q are right, or q or 2·q too large.
func subtractionCause(rows []*faultRow, outs [][]uint64) (fault, cause string) {
	high, zeros := 0, 0
	for k, g := range rows {
		for j, w := range g.want {
			if g.c.Out[j].Integer || g.c.Out[j].Range != 1 {
				return "", ""
			}
			over := new(big.Int).SetUint64(outs[k][j])
			over, rest := over.Sub(over, w).QuoRem(over, g.q, new(big.Int))
			switch {
			case rest.Sign() != 0 || over.Sign() < 0 || over.Cmp(big.NewInt(2)) > 0:
				return "", ""
			case over.Sign() == 0:
				continue
			}
			high++
			if w.Sign() == 0 {
				zeros++
			}
		}
	}
	fault = "the last conditional subtraction of q is missing"
	switch {
	case high == 0:
		return "", ""
	case high == zeros:
		fault = "the last conditional subtraction tests > q where >= q is needed"
	}
	return report.Sentence(fault), fmt.Sprintf("of its results on %s %d are a multiple of q too large, and the others are right: %s.", report.Plural(len(rows), "row"), high, fault)
}

// narrow says which index or count has too few bits for the rows of a batch, "" if none does.
func (r *Run) narrow(l *ModularLaw, c *ModularCase) string {
	b, n := c.Batch.clone(), len(r.P.Claim.In)
	if b.Rows < engine.NarrowRows || n == 0 || r.P.Device != nil || l.Found != nil || l.Refuses {
		return ""
	}
	rows := b.Rows
	b.Rows, b.period, b.In = engine.NarrowParts, 0, b.In[:engine.NarrowParts*n]
	t := NewModularTrial(r.P)
	if v := t.Judge(l, &ModularCase{Batch: b}); v.Fails() || t.kept.Rows < engine.NarrowParts {
		return ""
	}
	return engine.NarrowCalls(modularCalls{t, l, b}, "row", rows)
}

// domainCause names a factor that all results have too much.
func domainCause(rows []*faultRow, outs [][]uint64) (fault, cause string) {
	if c := rows[0].c; c.Moduli.Even || c.Out[0].Integer {
		return "", ""
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
			return report.Sentence(f.text), fmt.Sprintf("its results on %s have one thing in common: %s.", report.Plural(len(rows), "row"), f.text)
		}
	}
	return "", ""
}

func newFaultRow(c *modular.Claim, q uint64, in, want []uint64) *faultRow {
	g := &faultRow{c: c, q: new(big.Int).SetUint64(q), r: new(big.Int).Lsh(big.NewInt(1), uint(c.Bits)), lazy: c.Out[0].Range != 1}
	g.shoup = slices.ContainsFunc(c.In, func(w modular.Word) bool { return w.Shoup })
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

// shoupProduct returns Shoup's product with a factor that is too large by so much, before its last subtraction.
func shoupProduct(up int64, last func(g *faultRow, v *big.Int) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if !g.shoup || g.c.Function != modular.Product {
			return nil
		}
		k := new(big.Int).Mul(g.x[1], g.r)
		k.Div(k, g.q).Add(k, big.NewInt(up))
		k = g.high(k.Mul(k, g.x[0]))
		v := new(big.Int).Mul(g.x[0], g.x[1])
		return []*big.Int{g.low(last(g, g.low(v.Sub(v, k.Mul(k, g.q)))))}
	}
}

// radix returns results of a formula for R^k mod q, of that power.
func radix(power int, of func(g *faultRow) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if g.c.Function != modular.One || g.c.Out[0].Power != power {
			return nil
		}
		return []*big.Int{of(g)}
	}
}

// plainOnly returns the result of a formula for one function, in a word.
func plainOnly(f modular.Function, of func(g *faultRow) *big.Int) func(g *faultRow) []*big.Int {
	return func(g *faultRow) []*big.Int {
		if g.c.Function != f {
			return nil
		}
		return []*big.Int{g.low(of(g))}
	}
}

// modularFaults are the formulas, the most particular first.
var modularFaults = slices.Concat(redcFaults(), otherFaults, limbFaults())

// redcFaults are those of Montgomery's reduction: each where the sum of the high words keeps its carry, and where it loses it.
func redcFaults() (list []modularFault) {
	add := func(text string, neg func(g *faultRow) *big.Int, carry func(g *faultRow, lo, mlo *big.Int) int64, last func(g *faultRow, v *big.Int) *big.Int) {
		list = append(list, modularFault{text, redc(neg, carry, false, last)}, modularFault{text, redc(neg, carry, true, last)})
	}
	unreduced := func(_ *faultRow, v *big.Int) *big.Int { return v }
	list = append(list, modularFault{
		"Montgomery's reduction subtracts q once, and the ranges of the operands need more",
		redc(negInverse, rightCarry, false, func(g *faultRow, v *big.Int) *big.Int { return g.once(v, false) }),
	}, modularFault{
		"the carry out of the sum of the high words is lost: the sum may need a bit more than a word, from q = R/2 on or with lazy operands",
		redc(negInverse, rightCarry, true, (*faultRow).last),
	})
	add("the carry out of the low words of T+m·q is dropped in Montgomery's reduction", negInverse, func(*faultRow, *big.Int, *big.Int) int64 { return 0 }, (*faultRow).last)
	add("the carry out of the low words of T+m·q is tested as lo > mq_lo; their sum is 0 modulo R, so that the carry is lo != 0", negInverse,
		func(_ *faultRow, lo, mlo *big.Int) int64 { return carryIf(lo.Cmp(mlo) > 0) }, (*faultRow).last)
	add("the carry out of the low words of T+m·q is tested as lo < mq_lo; their sum is 0 modulo R, so that the carry is lo != 0", negInverse,
		func(_ *faultRow, lo, mlo *big.Int) int64 { return carryIf(lo.Cmp(mlo) < 0) }, (*faultRow).last)
	add("the last subtraction of Montgomery's reduction tests > q where >= q is needed", negInverse, rightCarry, func(g *faultRow, v *big.Int) *big.Int { return g.once(v, true) })
	add("the last conditional subtraction of Montgomery's reduction is missing", negInverse, rightCarry, unreduced)
	list = append(list, modularFault{
		"the last conditional subtraction of Montgomery's reduction is missing, but where the sum has a carry",
		redc(negInverse, rightCarry, false, func(g *faultRow, v *big.Int) *big.Int {
			if v.Cmp(g.r) >= 0 {
				return new(big.Int).Sub(v, g.q)
			}
			return v
		}),
	})
	add("q' has the wrong sign: it is 1/q where T+m·q wants -1/q modulo R", func(g *faultRow) *big.Int { return new(big.Int).ModInverse(g.q, g.r) }, rightCarry, (*faultRow).last)
	add("the carry out of the low words of T+m·q is taken for 1 always; it is 0 where the low word of T is 0", negInverse, func(*faultRow, *big.Int, *big.Int) int64 { return 1 }, (*faultRow).last)
	add("the carry out of the low words of T+m·q is taken for 1 wherever T is not 0; it is 0 where the low word of T is 0", negInverse,
		func(g *faultRow, _, _ *big.Int) int64 { return int64(g.single.Sign()) }, (*faultRow).last)
	return list
}

// otherFaults are those of other operations.
var otherFaults = []modularFault{
	{"the last conditional subtraction of Shoup's product is missing", shoupProduct(0, func(_ *faultRow, v *big.Int) *big.Int { return v })},
	{"the last subtraction of Shoup's product tests > q where >= q is needed", shoupProduct(0, func(g *faultRow, v *big.Int) *big.Int { return g.once(v, true) })},
	{"Shoup's factor is too large by 1, so that the quotient may be, and the remainder negative", shoupProduct(1, (*faultRow).last)},
	{"R² mod q is computed as (R mod q)² in one word, which does not hold that", radix(2, func(g *faultRow) *big.Int {
		v := new(big.Int).Mod(g.r, g.q)
		v = g.low(v.Mul(v, v))
		return v.Mod(v, g.q)
	})},
	{"R mod q is computed as R-q, which is reduced from q = R/2 on alone", radix(1, func(g *faultRow) *big.Int { return new(big.Int).Sub(g.r, g.q) })},
	{"the high word is left out, as if R were 0 modulo q; R mod q computed as (√R mod q)² in one word is that, from q = √R on", splitReduce(func(*faultRow) *big.Int { return new(big.Int) })},
	{"% is used on partial products: (hi % q)·(R % q) does not fit into a word, and what is above it is lost", splitReduce(func(g *faultRow) *big.Int { return new(big.Int).Mod(g.r, g.q) })},
	{"a sum subtracts q once, and the ranges of the operands need more", plainOnly(modular.Sum, func(g *faultRow) *big.Int {
		return g.once(new(big.Int).Add(g.x[0], g.x[1]), false)
	})},
	{"a difference adds q once, and the ranges of the operands need more", plainOnly(modular.Difference, func(g *faultRow) *big.Int {
		v := new(big.Int).Sub(g.x[0], g.x[1])
		if v.Sign() < 0 {
			v.Add(v, g.q)
		}
		return v
	})},
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

// limbFaults are products of words by halves that lose a carry, before a reduction that is right, or Montgomery's, whose second product may
// lose it, too.
func limbFaults() (list []modularFault) {
	const text = "the product of words by halves of %s loses a carry: ah·bl + al·bh%s needs a bit more than a word"
	for _, low := range []bool{false, true} {
		added := ""
		if low {
			added = " + (al·bl >> half)"
		}
		lost := func(g *faultRow, a, b *big.Int) *big.Int {
			h := uint(g.c.Bits / 2)
			half := func(v *big.Int) (hi, lo *big.Int) {
				hi = new(big.Int).Rsh(v, h)
				return hi, new(big.Int).Sub(v, new(big.Int).Lsh(hi, h))
			}
			ah, al := half(a)
			bh, bl := half(b)
			middle := new(big.Int).Add(new(big.Int).Mul(ah, bl), new(big.Int).Mul(al, bh))
			if low {
				middle.Add(middle, new(big.Int).Rsh(new(big.Int).Mul(al, bl), h))
			}
			over := new(big.Int).Sub(middle, g.low(middle))
			return new(big.Int).Sub(new(big.Int).Mul(a, b), over.Lsh(over, h))
		}
		for _, bits := range []int{8, 16, 32, 64} {
			halves := func(of func(g *faultRow, t *big.Int) []*big.Int) func(g *faultRow) []*big.Int {
				return func(g *faultRow) []*big.Int {
					if g.c.Function != modular.Product || g.c.Bits != bits {
						return nil
					}
					return of(g, lost(g, g.x[0], g.x[1]))
				}
			}
			name := fmt.Sprintf(text, fmt.Sprintf("%d bits", bits/2), added)
			list = append(list, modularFault{name, halves(func(g *faultRow, t *big.Int) []*big.Int {
				if g.shift != 0 {
					return nil
				}
				return []*big.Int{t.Mod(t, g.q)}
			})}, modularFault{name, halves(func(g *faultRow, t *big.Int) []*big.Int {
				own := *g
				own.single = t
				return redc(negInverse, rightCarry, false, (*faultRow).last)(&own)
			})})
		}
	}
	return list
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
