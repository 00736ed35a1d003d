package eft

import "gamma/kernels"

// Splitter returns Veltkamp's constant 2^ceil(p/2)+1: 4097 for float32 and 134217729 for float64.
func Splitter[T kernels.Float]() T {
	if single[T]() {
		return 1<<12 + 1
	}
	return 1<<27 + 1
}

// Split returns h and l with h + l = a exactly: h of 12 bits and l of 11 for float32, of 26 and 26 for float64.
//
// Domain:  |a| < 2^(emax-ceil(p/2)): 2^115 for float32 and 2^996 for float64; beyond that the product with the splitter may
// overflow, and both are NaN.
// Source:  [Dekker 1971], by Veltkamp.
func Split[T kernels.Float](a T) (h, l T) {
	c := T(Splitter[T]() * a)
	d := a - c
	h = d + c
	return h, a - h
}

// TwoProductDekker returns p = fl(a·b) and e with p + e = a·b exactly, in 17 additions and multiplications of the format.
//
// Domain:  a and b as for Split, |a·b| <= 2^emax, so that the product of rounded halves is finite too, and the exponents of a and b add up to emin+p-1 or more (-103 for float32, -970 for
// float64), or one of them is zero. Below, e is within two units of the smallest number.
// Special: if p is not finite or a split or a product of halves overflows, e is NaN or infinite.
// Source:  [Dekker 1971].
func TwoProductDekker[T kernels.Float](a, b T) (p, e T) {
	ah, al := Split(a)
	bh, bl := Split(b)
	p = T(a * b)
	t1 := T(ah*bh) - p
	t2 := t1 + T(ah*bl)
	t3 := t2 + T(al*bh)
	return p, t3 + T(al*bl)
}

// TwoProductFMA returns p = fl(a·b) and e = fma(a, b, -p), with p + e = a·b exactly.
//
// Domain:   p finite, and the exponents of a and b add up to emin+p-1 or more (-103 for float32, -970 for float64), or one of
// them is zero. Below, e is a·b - p rounded once.
// Rounding: for float32 the product is exact in float64, having 48 bits and a magnitude between 2^-298 and 2^256 or zero. So is
// its difference d from p, finite: let 2^k <= |a·b| < 2^(k+1), so that a·b is a multiple of 2^(k-47). If p = 0, d = a·b. If p is
// normal, it is a multiple of 2^(k-23), and |d| <= 2^(k-23). If p is subnormal, it is a multiple of 2^-149, |d| <= 2^-150 <= |a·b|,
// and d a multiple of min(2^(k-47), 2^-149). Each time d has at most 48 bits. Its conversion to float32 is the one rounding of
// fma(a, b, -p); a zero d is +0 in both, and infinities and NaN are the same in both.
// Source:   [JMP 2017] Algorithm 3.
func TwoProductFMA[T kernels.Float](a, b T) (p, e T) {
	p = T(a * b)
	if single[T]() {
		return p, T(float64(float64(a)*float64(b)) - float64(p))
	}
	return p, FMA(a, b, -p)
}
