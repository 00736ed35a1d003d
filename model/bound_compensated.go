package model

import "math/big"

// KahanBound returns the coefficient of E <= KahanBound(n, u)·A for Kahan's sum of n leaves, as
// Compensation Kahan spells it, for every n and every u:
//
//	(1+v)·(1+ρ)·(1+α)^(n-2) - 1   with ρ = v·(1+(1+v)(1+2v)) and α = 2u·(1+v)·ρ,
//
// which is 3u + (4n-6)·u² + O(n²u³). The 2u that is often quoted is false: four leaves
// of binary32 reach 2.2u·A, and nine 2.4364u·A. The supremum seems to be 2.5u.
//
// Proof. Let h, e and ε be the errors of y = x-c, t = s+y and w = t-s, so that w = y+e+ε.
//   - w-y is exact and |ε| <= |e|. If |s| >= |y|, then ε = 0 and w-y = e is a number. If not, |e| <=
//     2v|y| <= 0.4|y|, so that w lies between y/2 and 2y and w-y is exact (Sterbenz); and y is a
//     candidate of the rounding of y+e, hence |ε| <= |e|. There, too, |ε| <= v|y+e| <= v(1+2v)|y|.
//   - So c_k = e_k+ε_k, |c_k| <= 2|e_k| <= 2u|s_k|, and s_k = s_(k-1) + x_k - c_(k-1) + h_k + c_k - ε_k,
//     which sums to s_n - S = R + e_n with R = Σ_(k<=n) h_k - Σ_(k<n) ε_k.
//   - |h_k| <= v(|x_k|+|c_(k-1)|) and |y_k| <= (1+v)(|x_k|+|c_(k-1)|). With Q_n·A an upper bound of
//     A + Σ_(k<n) |c_k|, therefore |R| <= ρ·Q_n·A, and |e_n| <= v·|S+R|, so that the error is at most
//     K_n·A with K_n = v + (1+v)·ρ·Q_n.
//   - |s_k| <= (1+K_k)·A gives Q_(n+1) = Q_n + 2u(1+K_n) = (1+α)·Q_n + 2u(1+v), Q_2 = 1 because
//     c_1 = 0. Its solution is Q_n = (1+α)^(n-2)·(1+1/ρ) - 1/ρ.
//
// Domain:  n >= 0; 0 for n <= 1. Rounding to nearest, any rule for ties, gradual underflow.
// Error:   exact <= KahanBound(n, u) <= exact·(1+2^-50).
// Source:  [Gamma K3].
func KahanBound(n int, u float64) float64 { return ceil(kahan(n, exactly(u))) }

func kahan(n int, u *big.Float) *big.Float {
	if n <= 1 {
		return whole(0)
	}
	v1, rho, alpha := kahanRates(u)
	return lessOne(mul(v1, add(whole(1), rho), power(add(whole(1), alpha), n-2)))
}

// kahanRates returns 1+v, ρ and α of KahanBound.
func kahanRates(u *big.Float) (v1, rho, alpha *big.Float) {
	one, v := whole(1), optimal(u)
	v1 = add(one, v)
	rho = mul(v, add(one, mul(v1, add(one, v, v))))
	return v1, rho, mul(whole(2), u, v1, rho)
}

// KahanSimple returns 3u + 5(n+1)u², rounded up, and whether it is proved for n and u: the short form
// of KahanBound, which is smaller.
//
// Proof. For u <= 2^-6, (1+v)(1+ρ)-1 = v(3+5v+5v²+2v³) <= 3u+2.2u², and α <= 4.2u². For n·u <= 1/10 therefore
// (1+α)^(n-2) - 1 <= 1.004·(n-2)·α, and the product of both is less than 1 + 3u + 5(n+1)u².
//
// Domain:  ok exactly where n·u <= 1/10 and u <= 2^-6; elsewhere the number is not a bound.
// Error:   exact <= bound <= exact·(1+2^-50).
// Source:  [Gamma K1].
func KahanSimple(n int, u float64) (bound float64, ok bool) {
	b := add(mul(whole(3), exactly(u)), mul(whole(5), whole(n+1), exactly(u), exactly(u)))
	nu := mul(whole(10), whole(n), exactly(u))
	return ceil(b), n >= 0 && nu.Cmp(whole(1)) <= 0 && u <= pow2(-6)
}

// KahanOrdered returns 2u + (n+1)u², rounded up: E <= KahanOrdered(n, u)·A for Kahan's sum if
// |s| >= |y| at every step but the first, s the running sum and y the corrected leaf that meets it.
// That is a condition on the data, which a replay of the sum can check; SumBounds cannot.
//
// Proof. In KahanBound's terms every ε is 0, so that |c_k| = |e_k| <= u|s_k| <= u(1+2.2u)·A by induction. With c_1 = 0 that gives
// |R| <= v·(1+(n-2)·u(1+2.2u))·A, and the error is at most (1+v)|R| + v·A, where v(1+v) < u and v < u.
//
// Domain:  n >= 0 and the condition above; n·u <= 1/10 and u <= 2^-6.
// Error:   exact <= KahanOrdered(n, u) <= exact·(1+2^-50).
// Source:  [Gamma K2].
func KahanOrdered(n int, u float64) float64 {
	x := exactly(u)
	return ceil(add(mul(whole(2), x), mul(whole(max(n+1, 0)), x, x)))
}

// Sum2Bound returns the coefficients of E <= s·|S| + a·A for Sum2, Neumaier's and Kahan-Babuska's
// sums: s = v and a = (1+v)(n-1)(n-2)v², for every n.
//
// The additions' errors are known exactly, and their magnitudes sum to at most (n-1)·v·A
// (OrderFree); adding up these n-1 words errs by (n-2)·v of that (OrderFree again); the last
// addition rounds. So the order does not matter, of leaves or of error words.
//
// Domain:  n >= 0. Rounding to nearest, gradual underflow; two-sums whose intermediates are finite.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma S1].
func Sum2Bound(n int, u float64) (s, a float64) { return ceilPair(sum2(n, exactly(u))) }

func ceilPair(s, a *big.Float) (float64, float64) { return ceil(s), ceil(a) }

func sum2(n int, u *big.Float) (s, a *big.Float) {
	v := optimal(u)
	if n <= 1 {
		return whole(0), whole(0)
	}
	return v, mul(add(whole(1), v), orderFree(n, u), orderFree(n-1, u))
}

// KahanFlushedBound returns the coefficients of E <= a·A + least·2^Emin for Kahan's sum where leaves,
// operands and results below 2^Emin may be flushed: a = KahanBound(n, u), and with α and ρ as there,
// least = (1+v)·ρ·(n-1)·(1 + 2u·(4(1+v)n+1))·(1+α)^(n-1) + 4(1+v)n + 1.
//
// Proof. KahanBound's identity stays, with at most one loss below N = 2^Emin in each of a leaf, of h,
// of ε and of the rounding of w-y: R has 4n losses more. An addition either flushes or rounds. If t
// is flushed, w = -s and c = -(s+y), which is flushed too; if w is, c = -y and |y| <= |e|+N; otherwise
// w-y is a number. So |c_k| <= 2u|s_k|+N, and with M_k·N the absolute part of step k's error,
// G_(k+1) = G_k + 2u·M_k + 1 is that of the sum of the |c|, and M_k <= (1+v)(ρ·G_k + 4n) + 1. Hence
// G_(k+1) <= (1+α)·G_k + 2u·(4(1+v)n+1) + 1, G_1 = 0.
//
// Domain:  n >= 0; otherwise as KahanBound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma F3]; no toy sum needs more than n.
func KahanFlushedBound(n int, u float64) (a, least float64) {
	x := exactly(u)
	return ceil(kahan(n, x)), ceil(kahanFlushed(n, x))
}

func kahanFlushed(n int, u *big.Float) *big.Float {
	if n == 0 {
		return whole(0)
	}
	one := whole(1)
	v1, rho, alpha := kahanRates(u)
	losses := add(mul(whole(4), whole(n), v1), one)
	step := add(one, mul(whole(2), u, losses))
	return add(mul(v1, rho, whole(n-1), step, power(add(one, alpha), n-1)), losses)
}

// Sum2FlushedBound returns the coefficients of E <= s·|S| + a·A + least·2^Emin for Sum2 and its kin
// where leaves, operands and results below 2^Emin may be flushed. With g = (n-1)v and f = (n-2)v,
// and D = g·(A + n·N) for N = 2^Emin:
//
//	E <= v|S| + (1+v)·(n·N + 3(n-1)N + v·D + f·((1+v)·D + 4(n-1)N) + (n-1)N) + N
//
// Proof. Running sums lose at most n·N (FlushEvents), and their roundings e sum to D at most. Of
// the error word that a two-sum finds, Knuth's or the one by comparison: with β, γ, δ1, δ2 and δ3 the
// errors of its last five operations, e' = e - γ + δ1 + δ2 + δ3, β cancelling. Without flushing all
// four are 0. With it, an operation whose operands are as without loses at most N or nothing. If s
// is flushed, e' is 0 or an operand below 2N. If s-a is, all that follows is exact but for one loss.
// If s-bb is, a and b-bb are left to add, each possibly lost, and if neither is their sum's rounding
// is at most v(|e|+N). So |e'-e| <= 3N + v|e|: the words sum to (1+v)·D + 3(n-1)N at most, summing
// them loses (n-1)N and errs by f of that and of the losses; and the last addition rounds or loses N.
//
// Domain:  n >= 0; otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma F4]; no toy sum needs more than n.
func Sum2FlushedBound(n int, u float64) (s, a, least float64) {
	x, y, z := sum2Flushed(n, exactly(u))
	return ceil(x), ceil(y), ceil(z)
}

func sum2Flushed(n int, u *big.Float) (s, a, least *big.Float) {
	if n == 0 {
		return whole(0), whole(0), whole(0)
	}
	v := optimal(u)
	v1 := add(whole(1), v)
	f := orderFree(n-1, u)
	perD := add(v, mul(f, v1)) // what a unit of D costs
	a = mul(v1, perD, orderFree(n, u))
	least = add(mul(v1, add(
		whole(n), whole(3*(n-1)), mul(perD, orderFree(n, u), whole(n)),
		mul(f, whole(4*(n-1))), whole(n-1),
	)), whole(1))
	return v, a, least
}

// Sum2TreeBound returns the coefficients of E <= s·|S| + a·A for n leaves summed by two-sums over a
// tree of height h, whose m error words are summed over a tree of height k, the two sums then added:
// s = v and a = (1+v)·min((m-1)v, (1+v)^k-1)·min((n-1)v, (1+v)^h-1).
//
// The second minimum bounds the error words' magnitudes, by OrderFree and HeightFactor, and the first the error of their sum, over
// those; the last addition rounds.
//
// Domain:  n, h, m, k >= 0; otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma S2].
func Sum2TreeBound(n, h, m, k int, u float64) (s, a float64) {
	x := exactly(u)
	v := optimal(x)
	least := func(n, h int) *big.Float {
		f, g := orderFree(n, x), compound(h, v)
		if g.Cmp(f) < 0 {
			return g
		}
		return f
	}
	return ceil(v), ceil(mul(add(whole(1), v), least(m, k), least(n, h)))
}

// theta returns (n-1)(n-2)(n-3)v³, the error of the third-order words of a second-order sum: their
// magnitudes sum to at most (n-2)v·(n-1)v·A, and there are n-2 of them.
func theta(n int, u *big.Float) *big.Float {
	return mul(orderFree(n, u), orderFree(n-1, u), orderFree(n-2, u))
}

// KleinBound returns the coefficients of E <= s·|S| + a·A for Klein's second-order sum that ends with
// s+(c+cc): s = v and a = (1+v)(θ + v((n-1)v + θ)) with θ = (n-1)(n-2)(n-3)v³. The rounding of c+cc
// leaves a term of order n·u²: the binary32 leaves 1, 2^-24, 2^-48, -1, -2^-24 sum to 0.
//
// The errors of the running sum s have magnitudes of (n-1)v·A in all (OrderFree), and c+cc misses their sum by θ·A. Rounding c+cc
// errs by v·((n-1)v+θ)·A, and the last addition by v of what it rounds.
//
// Domain:  n >= 0; otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma N1].
func KleinBound(n int, u float64) (s, a float64) { return ceilPair(klein(n, exactly(u))) }

func klein(n int, u *big.Float) (s, a *big.Float) {
	v := optimal(u)
	if n <= 1 {
		return whole(0), whole(0)
	}
	t := theta(n, u)
	return v, mul(add(whole(1), v), add(t, mul(v, add(orderFree(n, u), t))))
}

// KleinLeftBound returns the coefficients of E <= s·|S| + a·A for Klein's second-order sum that ends
// with (s+c)+cc: s = 2v+v² and a = (1+v)(n-1)(n-2)²v³. Its third-order term is SumK's with three
// folds, at the price of one more rounding of S.
//
// The rounding of s+c errs by v(|S| + (n-1)(n-2)v²A); with cc's own θ·A (KleinBound) and the last
// rounding, that is all.
//
// Domain:  n >= 0; otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma N2].
func KleinLeftBound(n int, u float64) (s, a float64) { return ceilPair(kleinLeft(n, exactly(u))) }

func kleinLeft(n int, u *big.Float) (s, a *big.Float) {
	v := optimal(u)
	if n <= 1 {
		return whole(0), whole(0)
	}
	m := orderFree(n-1, u) // (n-2)v
	return add(v, v, mul(v, v)), mul(add(whole(1), v), orderFree(n, u), m, whole(n-2), v)
}

// SumKBound returns the coefficients of E <= s·|S| + a·A for SumK with k folds, which is k-1 passes
// of two-sums and a plain sum: with m = (n-2)u, s = v·(1+m+…+m^(k-2)) and a = (n-1)·v·m^(k-1).
//
// Let a_j·A bound the magnitudes of the errors of pass j. a_1 = (n-1)v by OrderFree. In a later pass
// only the last addition meets the running sum, so that a_(j+1)·A <= m·a_j·A + v|S|; and the last
// pass is v|S| + m·a_(k-1)·A.
//
// Domain:  n >= 0 and k >= 2; it panics for smaller k. Otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma P1]; [Ogita-Rump-Oishi 2005] Proposition 4.5 has a weaker one.
func SumKBound(n, k int, u float64) (s, a float64) {
	if k < 2 {
		panic(badFolds)
	}
	return ceilPair(sumK(n, k, exactly(u)))
}

func sumK(n, k int, u *big.Float) (s, a *big.Float) {
	if n <= 1 {
		return whole(0), whole(0)
	}
	v := optimal(u)
	m := mul(whole(n-2), u)
	geo := whole(0) // 1+m+…+m^(k-2)
	for range k - 1 {
		geo = add(whole(1), mul(m, geo))
	}
	return mul(v, geo), mul(orderFree(n, u), power(m, k-1))
}

// FABsumBound returns the coefficients of E <= s·|S| + a·A for n leaves in blocks of b, each block
// summed plainly in any order, the block sums by Sum2: with m = ceil(n/b) blocks and g = (b-1)v,
// s = v and a = (1+v)·(g + (m-1)(m-2)v²·(1+g)).
//
// Proof. OrderFree within each block: the block sums B_j, numbers themselves, miss Σ|B_j - S_j| <= g·A,
// so that Σ|B_j| <= (1+g)·A and |ΣB_j| <= |S| + g·A. Sum2Bound over the m block sums errs by
// v·|ΣB_j| + (1+v)(m-1)(m-2)v²·Σ|B_j|, and g·A more lies between ΣB_j and S.
//
// Domain:  n >= 0 and b >= 1; it panics for smaller b. Otherwise as Sum2Bound.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma F2]; the algorithm is [Blanchard-Higham-Mary 2020] Algorithm 3.1.
func FABsumBound(n, b int, u float64) (s, a float64) {
	if b < 1 {
		panic(badBlock)
	}
	return ceilPair(fabsum(n, b, exactly(u)))
}

func fabsum(n, b int, u *big.Float) (s, a *big.Float) {
	if n <= 1 {
		return whole(0), whole(0)
	}
	one, v := whole(1), optimal(u)
	b = min(b, n)
	m := n/b + min(n%b, 1)
	g := orderFree(b, u)
	if m == 1 {
		return whole(0), g
	}
	words := mul(orderFree(m, u), orderFree(m-1, u))
	return v, mul(add(one, v), add(g, mul(words, add(one, g))))
}

// BinnedBound returns the coefficients of E <= s·|S| + a·A for a K-fold binned sum of n leaves whose
// bins are width bits apart: s = v and a = (1+v)·n·2^(-width·(folds-1)).
//
// It assumes that the bins depend only on the leaves; that the largest leaf, M, has 2^(g-1) <= |M|, 2^g
// being the grid of the highest bin kept; that every leaf is cut to the nearest multiple of the
// lowest kept bin's grid, 2^(g-width·(folds-1)), or exactly where it has no bits below; that the
// bins are added up exactly; and that the sum is rounded once. So a leaf loses at most half that grid, which is at
// most 2^(-width·(folds-1))·|M|, and |M| <= A.
//
// Domain:  n >= 0, folds >= 1, width >= 1; it panics otherwise.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma B1]; the sums are those of [Demmel-Ahrens-Nguyen 2016].
func BinnedBound(n, folds, width int, u float64) (s, a float64) {
	if folds < 1 || width < 1 {
		panic(badBins)
	}
	return ceilPair(binned(n, folds, width, exactly(u)))
}

func binned(n, folds, width int, u *big.Float) (s, a *big.Float) {
	v := optimal(u)
	return v, mul(add(whole(1), v), whole(n), twoTo(-width*(folds-1)))
}

// Dot2Bound returns the coefficients of E <= s·|S| + a·A + eta·η for Dot2, n products split without
// error by an FMA and summed by two-sums: s = v, a = (1+v)n²u² and
// eta = (1+v)·n·(1+2nu+n²u²), every n.
//
// Proof. The errors r of the products and q of the running sum have magnitudes of at most B = n·u·A in all (DotUnfused). Rounding each
// q+r and adding those up errs by at most n·u·B, for the same reason, and the last addition rounds. A product that underflows
// is off by η, and its r, of up to 2η, misses η: B grows by n·η·(2+(n-1)v), and the result by n·η more.
//
// Domain:  n >= 0; otherwise as Sum2Bound. eta is needed where products or their errors underflow.
// Error:   exact <= coefficient <= exact·(1+2^-50).
// Source:  [Gamma D4]; [Ogita-Rump-Oishi 2005] Proposition 5.11 has a weaker one.
func Dot2Bound(n int, u float64) (s, a, eta float64) {
	x, y, z := dot2(n, exactly(u))
	return ceil(x), ceil(y), ceil(z)
}

func dot2(n int, u *big.Float) (s, a, eta *big.Float) {
	if n <= 0 {
		return whole(0), whole(0), whole(0)
	}
	v := optimal(u)
	v1 := add(whole(1), v)
	nu := mul(whole(n), u)
	return v, mul(v1, nu, nu), mul(v1, whole(n), add(whole(1), nu, nu, mul(nu, nu)))
}
