package ranges

import (
	"math/big"
	"slices"
)

// form is a sum of coefficients times values, and a constant: an integer that is congruent to the word modulo R.
type form struct {
	terms []term // by the numbers of their values
	c     *big.Int
}

type term struct {
	v *value
	k *big.Int // never 0
}

func constant(c *big.Int) form { return form{c: c} }

func atom(v *value) form { return form{[]term{{v, big.NewInt(1)}}, new(big.Int)} }

// plus returns f + k·g.
func (f form) plus(g form, k *big.Int) form {
	r := form{c: new(big.Int).Add(f.c, new(big.Int).Mul(g.c, k))}
	i, j := 0, 0
	for i < len(f.terms) || j < len(g.terms) {
		switch {
		case j == len(g.terms) || i < len(f.terms) && f.terms[i].v.id < g.terms[j].v.id:
			r.terms = append(r.terms, f.terms[i])
			i++
		case i == len(f.terms) || g.terms[j].v.id < f.terms[i].v.id:
			r.terms = append(r.terms, term{g.terms[j].v, new(big.Int).Mul(g.terms[j].k, k)})
			j++
		default:
			s := new(big.Int).Add(f.terms[i].k, new(big.Int).Mul(g.terms[j].k, k))
			if s.Sign() != 0 {
				r.terms = append(r.terms, term{f.terms[i].v, s})
			}
			i++
			j++
		}
	}
	return r
}

// times returns k·f.
func (f form) times(k *big.Int) form { return constant(new(big.Int)).plus(f, k) }

// reduce brings the coefficients into (-R/2, R/2], R = 2^b; the integer stays congruent.
func (f form) reduce(b uint) form {
	r := form{c: signed(f.c, b)}
	for _, t := range f.terms {
		if k := signed(t.k, b); k.Sign() != 0 {
			r.terms = append(r.terms, term{t.v, k})
		}
	}
	return r
}

func signed(k *big.Int, b uint) *big.Int {
	r := new(big.Int).Lsh(big.NewInt(1), b)
	m := new(big.Int).Mod(k, r)
	if half := new(big.Int).Rsh(r, 1); m.Cmp(half) > 0 {
		m.Sub(m, r)
	}
	return m
}

// interval returns bounds of the integer.
func (f form) interval() (lo, hi *big.Int) {
	lo, hi = new(big.Int).Set(f.c), new(big.Int).Set(f.c)
	for _, t := range f.terms {
		a, b := new(big.Int).Mul(t.k, t.v.lo), new(big.Int).Mul(t.k, t.v.hi)
		if t.k.Sign() < 0 {
			a, b = b, a
		}
		lo.Add(lo, a)
		hi.Add(hi, b)
	}
	return lo, hi
}

// replace returns f without the terms of gone, plus v.
func (f form) replace(v *value, gone ...*value) form {
	r := form{c: f.c}
	for _, t := range f.terms {
		if !slices.Contains(gone, t.v) {
			r.terms = append(r.terms, t)
		}
	}
	return r.plus(atom(v), big.NewInt(1))
}
