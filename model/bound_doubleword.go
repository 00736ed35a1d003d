package model

import "math/big"

// DoubleWordSumBound returns the coefficients of E <= s·|S| + a·A for n leaves added from the left to a double word by
// DWPlusFP, whose sum is rounded once: s = v and a = (1+v)(n-2)u², for every n >= 2. It is n-1 times smaller in A than Sum2's.
//
// The algorithm adds a number y to x = xh+xl, xh = RN(x): (sh, sl) = 2Sum(xh, y); w = xl+sl; z = Fast2Sum(sh, RN(w)). Its relative
// error reaches 2u², but only where x and y cancel; measured by A, the half of that is enough:
//
// Lemma. The error d of one such addition has |d| <= u²·max(|x|, |x+y|) and |d| <= |y|. Toy formats reach 1/(1+u/2+u²) of the first.
//
// Proof. 2Sum is exact. So is Fast2Sum: sh = 0 is plain. If sl = 0, then either |y| < |xh|/2 and |sh| > |xh|/2 >= |xl|, or sh is a
// multiple of half an ulp of xh that is not 0, and |xl| is no more than that. If sl != 0, then |y| < |xh|/2 and |w| <= 3u|sh|, or
// |sh| >= |xh| (Sterbenz) and |w| <= 2u|sh|; and u <= 1/4. So d is the error of RN(w), and 0 unless xl, sl and with them w are
// not 0 and xh and sh normal, since sums in the subnormal range are exact.
//   - |d| <= |sl| because xl is a candidate of the rounding, and |sl| <= |y| because xh is one of the first.
//   - Let 2^i <= |xh| < 2^(i+1), 2^j <= |sh| < 2^(j+1) and m = max(i, j). |xl| <= u·2^i, and half of that if |xh| = 2^i and xl has
//     the other sign; likewise sl with j. So |w| <= 2u·2^m, and |d| <= u²·2^m; if |w| <= u·2^m it is half of that.
//   - In that half, 2^i(1-u/2) <= |x| and 2^j(1-u/2) <= |xh+y| <= |x+y| + |xl|. If j > i, |xl| <= u/2·2^j. So 2^m(1-u) is at most
//     |x| or |x+y|, and u²/2·2^m <= u²·max(|x|, |x+y|), since u <= 1/2.
//   - Otherwise |w| > u·2^m, and xl and sl have one sign, say that of -1. If i = m and xh != 2^i, |x| >= 2^m. If xh = 2^i and i = m,
//     |xl| <= u/2·2^m, so that |sl| > u/2·2^m, j = m and sh != 2^m: sh < 0 and |x+y| >= |sh|, or sh >= 2^m(1+2u) and
//     x+y >= 2^m(1+2u-u-u/2). If j = m > i, |xl| <= u/2·2^m again, and the same holds.
//
// Theorem. The errors d_k of the additions of leaf k have Σ|d_k| <= (n-2)u²·A, whatever n.
//
// Proof. The first addition is exact: xl = 0. Let D be the sum before leaf y = x_k, and A' that of the k-1 magnitudes: by induction
// D <= (k-3)u²A'. The running sum has at most A'+D, and with y A'+|y|+D. If |y| <= u²A', take |d| <= |y|: D+|d| <= (k-2)u²A'.
// If not, D+|d| <= D + u²(A'+|y|+D) and u²D <= (k-3)u²·u²A' < (k-3)u²|y|, and both are at most (k-2)u²(A'+|y|).
//
// Domain:  n >= 0; 0 and 0 for n <= 1. Rounding to nearest, any rule for ties, gradual underflow; 2Sum meets no overflow.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma W1]; the algorithm is [JMP 2017] Algorithm 4.
func DoubleWordSumBound(n int, u float64) (s, a float64) {
	return ceilPair(doubleWordSum(n, exactly(u)))
}

func doubleWordSum(n int, u *big.Float) (s, a *big.Float) {
	if n <= 1 {
		return whole(0), whole(0)
	}
	v := optimal(u)
	return v, mul(add(whole(1), v), doubleWordLoss(n, u))
}

// doubleWordLoss returns (n-2)u², and 0 for n <= 2: the errors of n additions to a double word, over A.
func doubleWordLoss(n int, u *big.Float) *big.Float { return mul(whole(max(n-2, 0)), u, u) }

// DoubleWordDotBound returns the coefficients of E <= s·|S| + a·A + eta·η for n products, each given exactly by its two words,
// which are added one after the other to a double word by DWPlusFP, the sum rounded once: s = v,
// a = (1+v)·2(n-1)u²·(1+2v) and eta = (1+v)·n·(1+6(n-1)u²), for every n >= 1.
//
// This costs what AccurateDWPlusDW does, and is better: that has 3u²/(1-4u) where this has 2u²(1+2v).
//
// Proof. It is DoubleWordSumBound over 2n leaves, of which the second addition, of the first product's words, is exact, and whose
// magnitudes sum to at most (1+2v)·A, because a product t has |RN(t)-t| <= v|t|. Where a product underflows, its second word is
// rounded and misses by η at most, and both words have at most (1+2v)|t| + 3η.
//
// Domain:  n >= 0; 0 for n = 0. Otherwise as DoubleWordSumBound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma W2].
func DoubleWordDotBound(n int, u float64) (s, a, eta float64) {
	x, y, z := doubleWordDot(n, exactly(u))
	return ceil(x), ceil(y), ceil(z)
}

func doubleWordDot(n int, u *big.Float) (s, a, eta *big.Float) {
	if n <= 0 {
		return whole(0), whole(0), whole(0)
	}
	one, v := whole(1), optimal(u)
	v1, loss := add(one, v), doubleWordLoss(2*n, u)
	return v, mul(v1, loss, add(one, v, v)), mul(v1, whole(n), add(one, mul(whole(3), loss)))
}

// DoubleWordMeanBound returns the coefficients of |n·computed - S| <= s·|S| + a·A + eta·η for the sum of DoubleWordSumBound divided
// by n before its one rounding: with q = DoubleWordQuotient(n, u), s = (1+v)(1+q)-1, a = (1+v)(1+q)(n-2)u² and eta = n·(2+v).
//
// Proof. The quotient is (S+D)/n·(1+q') + ζ with |q'| <= q and |ζ| <= η, ζ where the low word's quotient underflows; rounding
// it errs by v of it or by η.
//
// Domain:  n >= 1, and ok = DoubleWordQuotient's. Otherwise as DoubleWordSumBound; the division's product neither overflows nor
// underflows, which a kernel achieves by scaling.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma W3].
func DoubleWordMeanBound(n int, u float64) (s, a, eta float64, ok bool) {
	x, y, z, ok := doubleWordMean(n, exactly(u))
	return ceil(x), ceil(y), ceil(z), ok
}

func doubleWordMean(n int, u *big.Float) (s, a, eta *big.Float, ok bool) {
	q, ok := doubleWordQuotient(n, u)
	if !ok {
		return whole(0), whole(0), whole(0), false
	}
	v := optimal(u)
	grown := mul(add(whole(1), v), add(whole(1), q))
	return lessOne(grown), mul(grown, doubleWordLoss(n, u)), mul(whole(n), add(whole(2), v)), true
}

// DoubleWordQuotient returns the relative error of a double word divided by the integer n, rounded up, and whether one is proved:
// 0 for a power of two, 3u² by DWDivFP3 for an n of at most P bits, and 9.8u² by DWDivDW3 for one of at most 2P bits.
//
// Domain:  ok needs n >= 1, and P >= 4 for 3u², P >= 14 for 9.8u².
// Error:   exact <= result <= exact·(1+2^-50).
// Source:  [MR 2022]; [JMP 2017] Algorithms 15 and 18.
func DoubleWordQuotient(n int, u float64) (bound float64, ok bool) {
	q, ok := doubleWordQuotient(n, exactly(u))
	return ceil(q), ok
}

func doubleWordQuotient(n int, u *big.Float) (bound *big.Float, ok bool) {
	if n < 1 {
		return whole(0), false
	}
	for n%2 == 0 {
		n /= 2
	}
	nu := mul(whole(n), u)
	switch {
	case n == 1:
		return whole(0), true
	case nu.Cmp(whole(1)) < 0 && u.Cmp(twoTo(-4)) <= 0:
		return mul(whole(3), u, u), true
	case mul(nu, u).Cmp(whole(1)) < 0 && u.Cmp(twoTo(-14)) <= 0:
		return mul(quo(whole(49), whole(5)), u, u), true
	}
	return whole(0), false
}
