package model

import "math/big"

// V returns v = u/(1+u), rounded up: the largest relative error of an addition rounded to nearest.
//
// For floating-point numbers a and b, |fl(a+b) - (a+b)| <= v·|a+b|, whatever the rule for ties; a
// result in the subnormal range is exact.
//
// Domain:  u = 2^-P with P >= 2; so for every function of this package that takes u.
// Error:   v <= V(u) <= v·(1+2^-50).
// Source:  [Jeannerod-Rump 2018] (2.5).
func V(u float64) float64 { return ceil(optimal(exactly(u))) }

func optimal(u *big.Float) *big.Float { return quo(u, add(whole(1), u)) }

// Growth returns (1+u)^(n-1) - 1, rounded up: E <= Growth(n, u)·A for every tree over n leaves
// whose additions err by at most u·(|a|+|b|).
//
// Domain:  n >= 0; 0 for n <= 1.
// Error:   exact <= Growth(n, u) <= exact·(1+2^-50).
// Source:  [TorchLean] evalRound_enclosure_of_LocalAddBound.
func Growth(n int, u float64) float64 { return ceil(compound(n-1, exactly(u))) }

// compound returns (1+r)^k - 1, and 0 for k <= 0.
func compound(k int, r *big.Float) *big.Float {
	if k <= 0 {
		return whole(0)
	}
	return lessOne(power(add(whole(1), r), k))
}

// Gamma returns γ_k = k·u/(1-k·u), rounded up.
//
// Domain:  k >= 0 and k·u < 1; it panics otherwise.
// Error:   γ_k <= Gamma(k, u) <= γ_k·(1+2^-50).
// Source:  [Higham 2002] Lemma 3.1.
func Gamma(k int, u float64) float64 {
	ku := mul(whole(k), exactly(u))
	if k < 0 || ku.Cmp(whole(1)) >= 0 {
		panic(badGamma)
	}
	return ceil(quo(ku, newUpward().Sub(whole(1), ku)))
}

// OrderFree returns (n-1)·u/(1+u), rounded up: E <= OrderFree(n, u)·A for every tree over n
// floating-point leaves and every n, with rounding to nearest, any rule for ties, and gradual
// underflow. It bounds the sum of the magnitudes of all rounding errors, too.
//
// Proof, by induction over the tree; D is the sum of the |d| over its nodes. At a node with
// subtrees (n1, A1, D1) and (n2, A2, D2), d obeys |d| <= v|a+b| and, since a and b are themselves
// candidates of the rounding, |d| <= min(|a|,|b|). If A1 <= v·A2, then |d| <= |a| <= A1+D1, and
// D <= 2·D1+D2+A1 <= (n1+n2-1)·v·A; likewise with 1 and 2 exchanged. Else A1 > v·A2 and
// A2 > v·A1, so that D1 <= (n1-1)·A2 and D2 <= (n2-1)·A1, and |d| <= v·(A+D1+D2) gives the same.
//
// Domain:  n >= 0; 0 for n <= 1.
// Error:   exact <= OrderFree(n, u) <= exact·(1+2^-50).
// Source:  [Jeannerod-Rump 2018] Theorem 4.1; [Gamma T1].
func OrderFree(n int, u float64) float64 { return ceil(orderFree(n, exactly(u))) }

func orderFree(n int, u *big.Float) *big.Float {
	return mul(whole(max(n-1, 0)), optimal(u))
}

// OrderFreeSharp returns k·u/(1+k·u) with k = n-1, rounded up: E <= OrderFreeSharp(n, u)·A for
// every tree over n leaves, rounding to nearest; the leaves 1, u, u, … added from left to right
// attain it. For larger n it is false, and OrderFree is true.
//
// Domain:  n >= 0 and n-1 <= 2^(P-1), which is 2·(n-1)·u <= 1; it panics otherwise. 0 for n <= 1.
// Error:   exact <= OrderFreeSharp(n, u) <= exact·(1+2^-50).
// Source:  [Lange-Rump 2019] Theorem 1, recalled; checked exhaustively for P = 2 to 5 by the tests
// of this package, not proved here.
func OrderFreeSharp(n int, u float64) float64 {
	if !sharpHolds(n, u) {
		panic(badSharp)
	}
	return ceil(orderFreeSharp(n, exactly(u)))
}

// sharpHolds reports n-1 <= 2^(P-1).
func sharpHolds(n int, u float64) bool { return 2*float64(max(n-1, 0))*u <= 1 }

func orderFreeSharp(n int, u *big.Float) *big.Float {
	ku := mul(whole(max(n-1, 0)), u)
	return quo(ku, add(whole(1), ku))
}

// HeightFactor returns (1+v)^h - 1, rounded up: E <= HeightFactor(h, u)·A for every tree of height
// h, rounding to nearest. It follows from E(node) <= (1+v)(E_l+E_r) + v|S_l+S_r| by induction,
// and bounds the sum of the magnitudes of all rounding errors, too.
//
// The shorter h·u is false: exhaustive search finds trees that exceed it from h = 31 at the
// precision of bfloat16 (P = 8), and from h = 5 at P = 2. So is h·u/(1+h·u), at every height from 2.
//
// Domain:  h >= 0.
// Error:   exact <= HeightFactor(h, u) <= exact·(1+2^-50).
// Source:  [Gamma T2].
func HeightFactor(h int, u float64) float64 { return ceil(compound(h, optimal(exactly(u)))) }

// LeafWeight returns (1+v)^k - 1, rounded up: E <= Σ LeafWeight(k_i, u)·|x_i|, where k_i counts the
// roundings between leaf i and the root. A node that adds a padding zero does not round.
//
// Domain:  k >= 0.
// Error:   exact <= LeafWeight(k, u) <= exact·(1+2^-50).
// Source:  [Gamma T2], per leaf.
func LeafWeight(k int, u float64) float64 { return HeightFactor(k, u) }

// DirectedHeight returns (1+2u)^h - 1, rounded up: E <= DirectedHeight(h, u)·A for every tree of
// height h whose additions round up or down, even in mixed directions. For a+b between 2^e and
// 2^(e+1) the error is below the spacing 2u·2^e <= 2u·|a+b|, and subnormal sums are exact; the rest
// is induction. With h = n-1 it holds in any order.
//
// (n-1)·2u is not a bound here: one leaf 1 and n-1 tiny positive ones, rounded up, gain a whole ulp
// each, and ulps double when the sum passes 2. Exhaustive search exceeds it from n = 2^(P-1)+2.
//
// Domain:  h >= 0.
// Error:   exact <= DirectedHeight(h, u) <= exact·(1+2^-50).
// Source:  [Gamma R1].
func DirectedHeight(h int, u float64) float64 { return ceil(compound(h, exactly(2*u))) }

// TowardZeroHeight returns 2·h·u, rounded up: E <= TowardZeroHeight(h, u)·A for every tree of
// height h whose additions round toward zero. Truncation never lets a computed value exceed the sum
// of its leaves' magnitudes, so that a node errs by at most 2u times that sum, and each leaf is
// counted at no more than h nodes. With h = n-1 it holds in any order.
//
// Domain:  h >= 0.
// Error:   exact <= TowardZeroHeight(h, u) <= exact·(1+2^-50).
// Source:  [Gamma R2].
func TowardZeroHeight(h int, u float64) float64 { return ceil(mul(whole(2*max(h, 0)), exactly(u))) }

// MixedHeight returns an upper bound f with E <= f·A for every tree of height h each of whose additions rounds toward zero or to nearest, by
// any rule for ties: those of a device that truncates, and those of host code beside it. With h = n-1 it holds in any order. With h0 =
// 2^(P-1)+2, f is
//
//	2·h·u                              for h <= h0, which is TowardZeroHeight: the additions to nearest cost nothing;
//	(1+v)^(h-h0) · (1+2·h0·u) - 1      for larger h.
//
// Proof. A node that truncates errs by at most 2u|a+b| and computes no more than |a+b|; one to nearest errs by at most v|a+b| and computes at
// most (1+v)|a+b|. So a node computes at most the sum of its leaves' magnitudes, each times (1+v)^i for the i additions to nearest on the
// leaf's way. E is at most the sum of all nodes' errors, that is, over each leaf and each node on its way, e·(1+v)^i·|x| with e = 2u or v. Of j
// additions to nearest on a way of h these are most if the j come first: (1+v)^j - 1 + 2u(h-j)(1+v)^j = g(j) - 1 with
// g(j) = (1+v)^j·(1+2u(h-j)). Now g(j+1) <= g(j) just where v(1+2u(h-j)) <= 2u(1+v), which is h-j <= 1/(2u) + 2 = h0: g is greatest at
// j = max(h-h0, 0).
//
// Whether TowardZeroHeight holds beyond h0, too, is not known: exhaustive search for P = 2 to 5 finds no tree that exceeds it.
//
// Domain:  h >= 0.
// Error:   exact <= MixedHeight(h, u) <= exact·(1+2^-50).
// Source:  [Gamma R3].
func MixedHeight(h int, u float64) float64 { return ceil(mixedHeight(h, exactly(u))) }

func mixedHeight(h int, u *big.Float) *big.Float {
	least, _ := quo(whole(1), mul(whole(2), u)).Int64()
	h0 := int(min(least, 1<<30)) + 2 // no tree is higher
	f := mul(whole(2*min(max(h, 0), h0)), u)
	if h <= h0 {
		return f
	}
	return lessOne(mul(power(add(whole(1), optimal(u)), h-h0), add(whole(1), f)))
}

// FlushEvents returns how many times a sum of n leaves can lose a number below the least normal
// one: n when operands may be flushed, for S and A over the leaves as given; n-1, once an addition,
// when only results are. Each loss is at most 2^Emin minus the least subnormal.
//
// Every flush turns a number that is not zero into zero, and there are n of them to begin with; an
// addition of two non-zero numbers uses up one even when it flushes nothing. A loss counts as one
// more leaf, met without rounding, so that a sum with factor f and K·2^Emin lost obeys
// E <= f·A + (1+f)·K·2^Emin. The amplification was never seen to be needed.
//
// SumBounds takes n in every case, for the sake of kernels that add a leaf to a padding zero.
//
// Domain:  n >= 0, no padding zeros.
// Source:  [Gamma F1].
func FlushEvents(n int, f Flush) int {
	switch {
	case !f.Any() || n == 0:
		return 0
	case f.In:
		return n
	}
	return n - 1
}

// FlushEventsNormal returns floor(n/2): how many times a sum of n leaves loses a result to zero
// when every leaf is zero or normal, because such an addition uses up two non-zero numbers.
//
// Domain:  n >= 0; leaves normal or zero, or S and A taken over leaves already flushed.
// Source:  [Gamma F1].
func FlushEventsNormal(n int) int { return n / 2 }

// SumBounds returns every bound that the claim's theorems grant a sum of n leaves; h bounds the
// height of the tree that the claim names, and is ignored where it is negative. Several bounds may share a
// law: each is valid, and the least is the one to judge by.
//
// With law sum.enclosure come those that hold in any order; with sum.height the one of the height;
// with sum.compensated that of the scheme; with sum.rounded that of one rounding. A scheme's sum
// also gets an enclosure: the plain one where the scheme's bound implies it, and else the scheme's.
//
// The bounds cover an accumulator wider or narrower than input or output (one more rounding at each
// narrowing), means (a quotient by n rounded once, to Out or to a wider Acc), directed rounding and
// flushing. They leave out what is not proved: compensated schemes under directed rounding and, except
// for Kahan and Sum2, with flushing that can happen. Then, and where every formula overflows,
// the result is empty, and a law is vacuous.
//
// A claim says nothing of schedules that round partial results to another format than Acc, or by an adder
// of their own, and the bounds do not hold for them: a law that knows the schedule is vacuous there.
//
// A claim of Binned has bins Claim.Block bits apart, or P of Acc where Block is 0.
//
// Domain:  c.In set, as by Claim.WithDefaults, and n >= 0; it panics otherwise.
// Cost:    some microseconds for a new combination, a look-up for a recent one. The slice is shared:
// do not write to it.
func SumBounds(c Claim, n, h int) []Bound {
	return recall(c, n, h, false, sumBounds)
}

func sumBounds(c Claim, n, h int) []Bound {
	if n == 0 && c.Mean {
		return nil
	}
	w := newWorkplace(c, n)
	var list boundList
	if c.Compensation == Rounded {
		w.scheme(&list, w.roundedOnce(), SumRounded, SumEnclosure)
		return list.bounds
	}
	if c.Compensation != Uncompensated {
		if e, ok := w.schemeOverFloats(); ok {
			w.scheme(&list, w.finishScheme(w.enter(e)), SumCompensated, SumEnclosure)
		}
		return list.bounds
	}
	list.put(w.finish(w.enter(w.plain(n-1, true))), SumEnclosure)
	if e, ok := w.plainSharp(); ok {
		list.put(w.finish(w.enter(e)), SumEnclosure)
	}
	if h >= 0 {
		list.put(w.finish(w.enter(w.plain(min(h, max(n-1, 0)), false))), SumHeight)
	}
	return list.bounds
}
