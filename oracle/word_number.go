package oracle

import (
	"math"
	"math/big"
	"sync"

	"gamma/model"
)

// wordNumber is m·2^e in memory that is reused.
type wordNumber struct {
	m big.Int
	e int
}

// wordScratch is the memory of one judgement.
type wordScratch struct {
	n          [4]wordNumber // operands
	e          [2]wordNumber // exact components, times y of a quotient
	y          wordNumber    // |y| of a quotient
	z          [2]wordNumber // computed components
	d          [2]wordNumber // distances
	t, p, q, r wordNumber
	i, j       big.Int
}

var wordPool = sync.Pool{New: func() any { return new(wordScratch) }}

// wordTerm decodes a finite word to m·2^e.
func wordTerm(f *model.Format, b uint64) (m int64, e int) {
	m = int64(b & (1<<(f.P-1) - 1))
	e = int(b >> (f.P - 1) & (1<<f.ExpBits - 1))
	if e == 0 {
		e = 1
	} else {
		m |= 1 << (f.P - 1)
	}
	if b>>(f.P-1+f.ExpBits)&1 != 0 {
		m = -m
	}
	return m, e - f.P + f.Emin
}

// wordFinite is f.IsFinite without a copy of f.
func wordFinite(f *model.Format, b uint64) bool {
	e := uint64(1)<<f.ExpBits - 1
	if f.NaNs == model.NaNOnes {
		m := uint64(1)<<(f.P-1+f.ExpBits) - 1
		return b&m != m
	}
	return b>>(f.P-1)&e != e
}

// load sets n to the sum of finite words.
func (n *wordNumber) load(f *model.Format, words []uint64, s *wordScratch) {
	var m [8]int64
	var e [8]int
	low, high := math.MaxInt, math.MinInt
	for i, b := range words {
		m[i], e[i] = wordTerm(f, b)
		if m[i] != 0 {
			low, high = min(low, e[i]), max(high, e[i])
		}
	}
	n.m.SetInt64(0)
	n.e = 0
	if low > high {
		return
	}
	n.e = low
	if high-low+f.P <= 60 {
		var sum int64
		for i := range words {
			if m[i] != 0 {
				sum += m[i] << (e[i] - low)
			}
		}
		n.m.SetInt64(sum)
		return
	}
	for i := range words {
		if m[i] != 0 {
			s.i.SetInt64(m[i])
			s.j.Lsh(&s.i, uint(e[i]-low))
			n.m.Add(&n.m, &s.j)
		}
	}
}

// setInt sets n to m·2^e.
func (n *wordNumber) setInt(m int64, e int) {
	n.m.SetInt64(m)
	n.e = e
}

// add sets n to a+b, or a-b; n may be a or b.
func (n *wordNumber) add(a, b *wordNumber, minus bool, s *wordScratch) {
	x, y := &a.m, &b.m
	e := min(a.e, b.e)
	switch {
	case x.Sign() == 0:
		e = b.e
	case y.Sign() == 0:
		e = a.e
	case a.e > e:
		x = s.i.Lsh(x, uint(a.e-e))
	case b.e > e:
		y = s.i.Lsh(y, uint(b.e-e))
	}
	if minus {
		n.m.Sub(x, y)
	} else {
		n.m.Add(x, y)
	}
	n.e = e
}

// mul sets n, which is neither a nor b, to a·b.
func (n *wordNumber) mul(a, b *wordNumber) {
	n.m.Mul(&a.m, &b.m)
	n.e = a.e + b.e
}

// cmp returns the sign of a·i - b·j, for a and b that are not negative, as i and j are.
func (s *wordScratch) cmp(a *wordNumber, i *big.Int, b *wordNumber, j *big.Int) int {
	s.i.Mul(&a.m, i)
	s.j.Mul(&b.m, j)
	switch k := a.e - b.e; {
	case s.i.Sign() == 0 || s.j.Sign() == 0:
	case k > 0:
		s.p.m.Lsh(&s.i, uint(k))
		return s.p.m.Cmp(&s.j)
	case k < 0:
		s.p.m.Lsh(&s.j, uint(-k))
		return s.i.Cmp(&s.p.m)
	}
	return s.i.Cmp(&s.j)
}

// float returns |n| as m·2^e, to a part in 2^52.
func (n *wordNumber) float(s *wordScratch) (m float64, e int) {
	k := n.m.BitLen() - 64
	if k <= 0 {
		return float64(s.i.Abs(&n.m).Uint64()), n.e
	}
	s.i.Abs(&n.m)
	return float64(s.j.Rsh(&s.i, uint(k)).Uint64()), n.e + k
}

// over returns |a|/|b|, nearly: 0 for 0/0 and +Inf for others over 0.
func (s *wordScratch) over(a, b *wordNumber) float64 {
	if a.m.Sign() == 0 {
		return 0
	}
	am, ae := a.float(s)
	bm, be := b.float(s)
	return math.Ldexp(am/bm, ae-be)
}

// rat returns n.
func (n *wordNumber) rat() *big.Rat { return NewDyadic(new(big.Int).Set(&n.m), n.e).Rat() }

// wordEnds returns the ends of the numbers that round to a finite word, as lo·2^e and hi·2^e, and whether the ends belong to them.
// bounded is false if there is no end on the side away from zero.
func wordEnds(f *model.Format, b uint64, away bool) (lo, hi int64, e int, loIn, hiIn, bounded bool) {
	m, e := wordTerm(f, b)
	neg := m < 0
	if neg {
		m = -m
	}
	even := m&1 == 0
	// in units of a quarter of the last place
	hi, hiIn = 4*m+2, even && !away
	switch {
	case m == 0:
		lo, loIn = -2, !away
	case m == 1<<(f.P-1) && e > f.Emin-f.P+1:
		lo, loIn = 4*m-1, true
	default:
		lo, loIn = 4*m-2, even || away
	}
	bounded = f.Overflow != model.OverflowSaturate || uint64(m) != f.MaxFinite || e != f.Emax-f.P+1
	if neg {
		return -hi, -lo, e - 2, hiIn, loIn, bounded
	}
	return lo, hi, e - 2, loIn, hiIn, bounded
}
