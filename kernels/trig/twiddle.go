package trig

import (
	"gamma/kernels/dd"
)

// Twiddle returns cos(2πk/n) and sin(2πk/n) in two words each.
//
// k is brought to one eighth of a turn by integers, so that no angle is ever rounded before it is small, and quarter and eighth turns are exact
// where the value is: cos and sin of a quarter turn are 0 and ±1, and of an eighth both are the same ±√2/2.
//
// Domain:  n >= 1, n < 2^60; any k. It panics otherwise.
// Error:   2^-100 of each value, by count of the roundings below: the angle errs by 2^-101 of itself, and each series, whose first omitted term is below
// 2^-110, by a few units of 2^-104.
func Twiddle(k, n int) (cos, sin dd.DD64) {
	if n < 1 || n >= 1<<60 {
		panic(badLength(n))
	}
	if k %= n; k < 0 {
		k += n
	}
	// 8k/n = octant + rest/n.
	octant, rest := 0, k
	for range 3 {
		rest *= 2
		octant = 2*octant + rest/n
		rest %= n
	}
	mirrored := octant&1 != 0 // angles of odd octants are counted down from the next quarter
	if mirrored {
		rest = n - rest
	}
	cos, sin = eighth(rest, n)
	if mirrored {
		cos, sin = sin, cos
	}
	switch octant >> 1 {
	case 1:
		cos, sin = sin.Neg(), cos
	case 2:
		cos, sin = cos.Neg(), sin.Neg()
	case 3:
		cos, sin = sin, cos.Neg()
	}
	return positive(cos), positive(sin)
}

// positive makes -0 a +0.
func positive(x dd.DD64) dd.DD64 {
	if x.Hi == 0 {
		return dd.DD64{}
	}
	return x
}

// rootHalf is √2/2.
var rootHalf = dd.DD64{Hi: 0x1.6a09e667f3bcdp-01, Lo: -0x1.bdd3413b26456p-55}

// eighth returns cos and sin of 2π·rest/(8n), where 0 <= rest <= n.
func eighth(rest, n int) (cos, sin dd.DD64) {
	switch rest {
	case 0:
		return dd.FromWord(1.0), dd.DD64{}
	case n:
		return rootHalf, rootHalf
	}
	// 2π/8 is half of π/2.
	angle := dd.FromInt64[float64](int64(rest)).Div3(dd.FromInt64[float64](int64(n))).Times3(dd.DD64{Hi: wide1 / 2, Lo: wide2 / 2})
	s := angle.Times3(angle)
	return series(s, cosineTerms[:]), series(s, sineTerms[:]).Times3(angle)
}

// cosineTerms and sineTerms are ±1/(2j)! and ±1/(2j+1)! in two words.
var cosineTerms, sineTerms = terms(0), terms(1)

// terms returns ±1/(2j+first)! for j = 0, 1, ….
func terms(first int) (list [15]dd.DD64) {
	t := dd.FromWord(1.0)
	for j := range list {
		list[j] = t
		i := 2*j + first
		t = t.Neg().Div3(dd.FromWord(float64((i + 1) * (i + 2))))
	}
	return list
}

// series returns Σ c_j·s^j.
func series(s dd.DD64, c []dd.DD64) dd.DD64 {
	p := c[len(c)-1]
	for j := len(c) - 2; j >= 0; j-- {
		p = p.Times3(s).AccuratePlus(c[j])
	}
	return p
}

// Twiddle64 returns exp(2πik/n), each part rounded to binary64.
//
// Domain:  as Twiddle.
// Error:   half an ulp of each part and 2^-47 ulp.
func Twiddle64(k, n int) complex128 {
	cos, sin := Twiddle(k, n)
	return complex(cos.Hi, sin.Hi)
}

// Twiddle32 returns exp(2πik/n), each part rounded to binary32.
//
// Domain:  as Twiddle.
// Error:   half an ulp of each part and 2^-76 ulp: two words are rounded once.
func Twiddle32(k, n int) complex64 {
	cos, sin := Twiddle(k, n)
	return complex(dd.Narrow(cos), dd.Narrow(sin))
}
