package dft

import (
	"math"
	"math/big"

	"gamma/oracle/real"
)

// root is a root of unity c + i·d, as a product by it takes it: a·c - b·d = c(a+b) - b(c+d) and a·d + b·c = c(a+b) + a(d-c).
type root struct{ c, sum, less fixed }

// times returns z·w.
//
// Error:  with roots within 50·2^-190 in each part and |a|, |b| <= 2^189 units, the three products err by 50 units each by the root's error, since sums and
// differences of its parts err by 100, and by 21 by mul: each part of the result errs by less than 142 units, and the result by less than 201.
func (w *root) times(a, b fixed) (re, im fixed) {
	k := mul(add(a, b), w.c)
	return sub(k, mul(b, w.sum)), add(k, mul(a, w.less))
}

func newRoot(c, d fixed) root { return root{c, add(c, d), sub(d, c)} }

func (w *root) parts() (c, d fixed) { return w.c, sub(w.sum, w.c) }

// conj returns the conjugate.
func (w *root) conj() root {
	c, d := w.parts()
	return newRoot(c, neg(d))
}

// roots returns exp(2πi·k/n) for k = 0 … most-1.
//
// Error:  each part within 50·2^-190. k = a·m + b is the sum of two indices for which real encloses cosine and sine, each rounded once, by 2^-190 at most; their
// product errs by 4·2^-190 in each part by that, 2^-190 of a number below 2^190 and 2·2^-190 of another, and by 42 by mul.
func roots(n, most int) []root {
	m := max(1, int(math.Sqrt(float64(most))))
	fine, coarse := make([]root, m), make([]root, (most+m-1)/m)
	for b := range fine {
		fine[b] = exactRoot(b, n)
	}
	for a := range coarse {
		coarse[a] = exactRoot(a*m, n)
	}
	list := make([]root, most)
	for k := range list {
		switch a, b := k/m, k%m; {
		case b == 0:
			list[k] = coarse[a]
		case a == 0:
			list[k] = fine[b]
		default:
			c, d := coarse[a].parts()
			list[k] = newRoot(fine[b].times(c, d))
		}
	}
	return list
}

// exactRoot returns exp(2πi·k/n) with parts within 2^-190. 1, i, -1 and -i are exact.
func exactRoot(k, n int) root {
	turn := func(c, d fixed, quarters int) root {
		for range quarters & 3 {
			c, d = neg(d), c
		}
		return newRoot(c, d)
	}
	one := fromBig(new(big.Int).Lsh(big.NewInt(1), rootBits))
	q := 4 * k / n // quarters of a turn, and what is left of 4k over n
	rest := 4*k - q*n
	if rest == 0 {
		return turn(one, fixed{}, q)
	}
	const w = real.Bits(rootBits + 24)
	angle := w.Mul(w.Rat(big.NewRat(int64(rest), int64(2*n))), w.Pi()) // 2π/4·rest/n
	part := func(x real.Interval) fixed {
		lo := new(big.Float).SetPrec(rootBits + 64).Copy(x.Lo)
		i, _ := lo.SetMantExp(lo, rootBits).Int(nil)
		return fromBig(i)
	}
	return turn(part(w.Cos(angle)), part(w.Sin(angle)), q)
}
