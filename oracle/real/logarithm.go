package real

import "math"

// logFrom is where the intervals of logTable begin, 0.6875, as bits: z lies in [0.6875, 1.375), and 2^45 of its bits make an interval.
const logFrom = 0x3fe6000000000000

// Log encloses ln x.
//
// Domain:  every x. ln 0 = -Inf, ln 1 = 0, both exact; below 0, NaN.
// Error:   the ends are the neighbours of a number with δ <= 11·2^-62: see logSum.
func Log(x float64) (lo, hi float64) {
	if !(x >= 0x1p-1022 && x <= largest) || x == 1 {
		if v, special := logSpecial(x); special {
			return v, v
		}
	}
	return around(logSum(x, 0))
}

// logSpecial returns what logarithms give for numbers that are not positive, not finite or 1.
func logSpecial(x float64) (v float64, special bool) {
	switch {
	case x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	case x == 1:
		return 0, true
	}
	return x, x != x || math.IsInf(x, 1)
}

// logReduce returns x = 2^e·z and the row of z, whose c makes r + rl = c·z - 1, exactly, |r| <= 2^-7, for positive x.
//
// z has 21 bits in zh and 32 in zl: zh·c, zh·c - 1 and zl·c are exact, since c has 10 bits or fewer. zh·c - 1 is a multiple of 2^-30, and zl·c <
// 2^-19, so that FastTwoSum is exact. |r| <= 2^-7 on both intervals next to 1, where c = 1, and r = z - 1 is exact; |r| < 2^-7.5 on the others:
// half an interval is 2^-9/0.6875 or 2^-8 of z at most, and c is off by 2^-10 at most. Below 1 it is at most 2^-8: TestLogReduction computes it.
func logReduce(x float64) (e float64, row *[5]float64, r, rl float64) {
	b := math.Float64bits(x)
	scale := 0.
	if b < 1<<52 {
		b, scale = math.Float64bits(float64(x*0x1p54)), 54
	}
	d := b - logFrom
	e = float64(int64(d)>>52) - scale
	row = &logTable[d>>45&127]
	b -= d &^ (1<<52 - 1)
	zh := math.Float64frombits(b &^ (1<<32 - 1))
	zl := math.Float64frombits(b) - zh
	c := row[0]
	a, low := float64(zh*c)-1, float64(zl*c)
	r = a + low
	return e, row, r, low - (r - a)
}

// logTail returns r²·(-1/2 + r/3 - … + r^7/9): ln(1+r) - r but for r^10/10 and what follows, which is below 2^-66 of r for |r| <= 2^-7.
// Its roundings are r², three sums next to -1/2, and the last product: below 5·2^-53·r²/2·(1 + 2^-6) with all that is smaller.
func logTail(r float64) float64 {
	r2 := float64(r * r)
	low := (-0.5 + float64(r*(1./3))) + float64(r2*(-1./4+float64(r*(1./5))))
	high := (-1./6 + float64(r*(1./7))) + float64(r2*(-1./8+float64(r*(1./9))))
	return float64(r2 * (low + float64(r2*r2*high)))
}

// logSum returns s + t = ln x + d, with δ <= 11·2^-62, for positive x, and |d| <= 2^-52.
//
// ln x = e·ln 2 - ln c + ln(1 + r + rl). H = e·ln2Hi - ln c's high part is a multiple of 2^-42 below 2^10, and exact; ulp(r) is below 2^-42, so
// that its FastTwoSum with r is exact. The low part, e·ln2Lo and that of ln c, is off by 2^-85 and below 2^-32. ln(1 + r + rl) = ln(1 + r) + rl,
// but for rl·r.
//
// On the intervals next to 1, e = 0, c = 1, rl = 0 and s + t = r + tail, where |tail| <= 2^-8·(1 + 2^-6)·|r|, so that its roundings are below
// 5.1·2^-61 of r: 10.2 units of 2^-62, and 10.3 of the result with the truncation.
//
// Elsewhere, above 1, |ln x| > 2^-7.01, |r| <= 2^-7.5 and |tail| < 2^-15.9. In units of 2^-69: the tail is off by 5.1, the sums with it in t are
// rounded twice, 1 each, and rl·r is below 1: 2^-69·8.1 is less than 9 units of 2^-62·|ln x|. Below 1, |ln x| >= 2^-8 and |r| <= 2^-8, and all is
// half as much. Where |s| is so large that the other summand of t, at most ulp(s)/2, is the larger, it is rounded by 2^-106 of s.
func logSum(x, d float64) (s, t float64) {
	e, row, r, rl := logReduce(x)
	h := float64(e*ln2Hi) + row[1]
	low := float64(e*ln2Lo) + row[2] + rl + d
	s = h + r
	return s, (r - (s - h)) + (low + logTail(r))
}

// Log2 encloses log2 x.
//
// Domain:  every x. log2 0 = -Inf, powers of two give integers, all exact; below 0, NaN.
// Error:   the ends are the neighbours of a number with δ <= 2^-58.
//
// As Log, in units of ln 2: r/ln 2 = rt·log2eHi + (r·log2eLo + (r - rt)·log2eHi), where rt are the 26 leading bits of r, and log2eHi has 26 bits,
// so that the first product is exact; the rest is below 2^-23 of r, its roundings below 2^-75 of it. The tail and its errors are 1.45 times those
// of Log, the result as well; the tail's product with 1/ln 2 and that number are rounded, as much as two of the five: less than 16 units of
// 2^-62.
func Log2(x float64) (lo, hi float64) {
	if !(x >= 0x1p-1022 && x <= largest) {
		if v, special := logSpecial(x); special {
			return v, v
		}
	}
	e, row, r, rl := logReduce(x)
	if r == 0 && row[0] == 1 {
		return e, e
	}
	return around(log2Sum(e, row, r, rl))
}

// log2Sum returns s + t = log2 x, with the δ that Log2 counts, from what logReduce returns.
func log2Sum(e float64, row *[5]float64, r, rl float64) (s, t float64) {
	rt := math.Float64frombits(math.Float64bits(r) &^ (1<<27 - 1))
	p := float64(rt * log2eHi)
	pl := float64(r*log2eLo) + float64((r-rt)*log2eHi)
	h := e + row[3]
	s = h + p
	return s, (p - (s - h)) + ((row[4] + pl) + float64((logTail(r)+rl)*ln2Inverse))
}

// ln2Inverse is 1/ln 2, rounded.
const ln2Inverse = log2eHi + log2eLo

// Log1p encloses ln(1 + x).
//
// Domain:  every x. -1 gives -Inf and 0 gives 0, both exact; below -1, NaN.
// Error:   the ends are the neighbours of a number with δ <= 2^-58.
//
// Below 2^-54 in magnitude, x - x² < ln(1+x) < x. Between -2^-8 and 2^-7, it is what Log says next to 1, with r = x. Elsewhere 1 + x = u + v,
// exactly, and ln(u + v) = ln u + v/u, but for (v/u)² < 2^-105. Here |ln u| >= 2^-8.1; v/u is rounded by 2^-106 and added to Log's low part,
// which is then below 2^-31.
func Log1p(x float64) (lo, hi float64) {
	switch {
	case x != x || x == 0 || math.IsInf(x, 1):
		return x, x
	case x <= -1:
		v, _ := logSpecial(1 + x)
		return v, v
	case math.Abs(x) < 0x1p-54:
		if x < 0 {
			return outward(x)
		}
		return inward(x)
	case x > -0x1p-8 && x < 0x1p-7:
		return around(x, logTail(x))
	}
	u, v := twoSum(1, x)
	return around(logSum(u, v/u))
}
