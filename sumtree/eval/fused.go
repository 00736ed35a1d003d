package eval

import (
	"math/big"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
)

// Operand is a number of some format.
type Operand struct {
	Format model.Format
	Bits   uint64
}

// term is a signed number m·2^e of a multi-term adder, with the exponent that its window sees.
type term struct {
	neg  bool
	m    *big.Int
	e    int
	top  int // exponent of the leading bit, or the sum of the factors' where the adder is raw
	zero bool
}

// FusedSum returns what multi-term adder a gives for the operands, an encoding of a.OutFormat().
//
//  1. Terms: the operands, or products of neighbours and a last single operand (Pairs), exact.
//  2. With Cut: e is the largest exponent of a term that is not zero, at least MinExp; each term is
//     rounded by Align to a multiple of 2^(e-P+1-Extra), P the output's precision.
//  3. The terms' sum, exact, is rounded by Rounding. With Late the last single operand is added to
//     that and rounded again.
//
// Special: any NaN, an infinity times zero, or infinities of both signs give the canonical NaN;
// infinities otherwise an infinity. An exact zero is -0 if every term is -0, or if Rounding is down
// and the terms' signs differ; otherwise +0.
// fl applies to operands (In) and to the result (Out).
// Source: [FHMP 2021] for the parameters in which tensor cores differ.
func FusedSum(a sumtree.Adder, fl model.Flush, operands []Operand) uint64 {
	out := round.Arith{F: a.OutFormat(), R: a.Rounding, Fl: fl}
	late := a.Late && a.Pairs && len(operands)%2 == 1
	last := len(operands)
	if late {
		last--
		if c := operands[last]; c.Format.IsNaN(c.Bits) {
			return out.F.NaNBits()
		}
	}
	var (
		terms       []term
		pos, neg    bool // infinities seen
		plus, minus bool // signs of zero and other terms seen
	)
	for i := 0; i < last; {
		x := operands[i]
		if x.Format.IsNaN(x.Bits) {
			return out.F.NaNBits()
		}
		if !a.Pairs || i == last-1 {
			i++
			if x.Format.IsInf(x.Bits) {
				pos, neg = pos || !x.Format.Signbit(x.Bits), neg || x.Format.Signbit(x.Bits)
				continue
			}
			terms = append(terms, single(x, fl, a.Raw))
			continue
		}
		y := operands[i+1]
		i += 2
		if y.Format.IsNaN(y.Bits) {
			return out.F.NaNBits()
		}
		sign := x.Format.Signbit(x.Bits) != y.Format.Signbit(y.Bits)
		if x.Format.IsInf(x.Bits) || y.Format.IsInf(y.Bits) {
			if isZero(x, fl) || isZero(y, fl) {
				return out.F.NaNBits()
			}
			pos, neg = pos || !sign, neg || sign
			continue
		}
		p, q := single(x, fl, a.Raw), single(y, fl, a.Raw)
		t := term{neg: sign, m: new(big.Int).Mul(p.m, q.m), e: p.e + q.e, zero: p.zero || q.zero}
		t.top = p.top + q.top
		if !a.Raw && !t.zero {
			t.top = t.e + t.m.BitLen() - 1
		}
		terms = append(terms, t)
	}
	for _, t := range terms {
		plus, minus = plus || !t.neg, minus || t.neg
	}
	var sum uint64
	switch {
	case pos && neg:
		return out.F.NaNBits()
	case pos || neg:
		sum = infinity(out, neg)
	default:
		sum = addTerms(a, out, terms, plus, minus)
	}
	if late {
		c := operands[last]
		sum = out.Add(sum, round.Convert(out, c.Format, c.Bits))
	}
	return sum
}

// addTerms is FusedSum for finite terms.
func addTerms(a sumtree.Adder, out round.Arith, terms []term, plus, minus bool) uint64 {
	total, least := new(big.Int), 0
	any := false
	for _, t := range terms {
		if t.zero {
			continue
		}
		if top := t.top; !any || a.Cut && top > least || !a.Cut && t.e < least {
			least = t.e
			if a.Cut {
				least = top
			}
		}
		any = true
	}
	if a.Cut && any {
		if a.MinExp != 0 {
			least = max(least, a.MinExp)
		}
		least += 1 - out.F.P - a.Extra
	}
	for _, t := range terms {
		if t.zero {
			continue
		}
		m := shifted(t.neg, t.m, t.e-least, a.Align)
		if t.neg {
			total.Sub(total, m)
		} else {
			total.Add(total, m)
		}
	}
	if total.Sign() == 0 {
		down := a.Rounding == model.TowardNegative
		return out.FromDyadic(minus && (!plus || down), total, 0)
	}
	return out.FromDyadic(false, total, least)
}

// single returns the number x as a term. A flushed subnormal is a zero.
func single(x Operand, fl model.Flush, raw bool) term {
	neg, m, e := x.Format.Decode(x.Bits)
	if m == 0 || fl.In && x.Format.Class(x.Bits) == model.ClassSubnormal {
		return term{neg: neg, m: new(big.Int), zero: true}
	}
	t := term{neg: neg, m: new(big.Int).SetUint64(m), e: e}
	t.top = e + t.m.BitLen() - 1
	if raw {
		t.top = e + x.Format.P - 1 // a subnormal has the exponent Emin
	}
	return t
}

// isZero reports whether x is a zero once it is flushed.
func isZero(x Operand, fl model.Flush) bool {
	c := x.Format.Class(x.Bits)
	return c == model.ClassZero || fl.In && c == model.ClassSubnormal
}

// infinity returns what an infinite result is in out's format.
func infinity(out round.Arith, neg bool) uint64 {
	b := model.Binary32.InfBits()
	if neg {
		b |= model.Binary32.SignBit()
	}
	return round.Convert(out, model.Binary32, b)
}

// shifted returns m·2^by, rounded to an integer as the magnitude of a number whose sign is neg.
func shifted(neg bool, m *big.Int, by int, r model.Rounding) *big.Int {
	if by >= 0 {
		return new(big.Int).Lsh(m, uint(by))
	}
	n := uint(-by)
	q := new(big.Int).Rsh(m, n)
	rest := new(big.Int).Sub(m, new(big.Int).Lsh(q, n))
	if rest.Sign() == 0 {
		return q
	}
	half := rest.Cmp(new(big.Int).Lsh(big.NewInt(1), n-1))
	up := false
	switch r {
	case model.NearestEven:
		up = half > 0 || half == 0 && q.Bit(0) == 1
	case model.NearestAway:
		up = half >= 0
	case model.TowardPositive:
		up = !neg
	case model.TowardNegative:
		up = neg
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}
