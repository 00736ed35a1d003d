package model

// DotUnfused returns the coefficients of E <= a·A + eta·η for a dot product of n terms whose
// products are rounded before they are added, in any order: a = v + (n-1)·v·(1+v), which is at most
// n·u, and eta = n·(1+(n-1)·v).
//
// The error of a product is at most v·|xy| or, where it underflows, η; the rest is OrderFree over the
// rounded products.
//
// Domain:  n >= 0; rounding to nearest, any rule for ties.
// Error:   exact <= result <= exact·(1+2^-50), each.
// Source:  [Gamma D1]; n·u in [Jeannerod-Rump 2013] Theorem 4.2.
func DotUnfused(n int, u float64) (a, eta float64) {
	v := optimal(exactly(u))
	f := orderFree(n, exactly(u))
	if n <= 0 {
		return 0, 0
	}
	return ceil(add(mul(f, add(whole(1), v)), v)), ceil(mul(whole(n), add(whole(1), f)))
}

// DotChain returns the coefficients of E <= a·A + eta·η for a chain of n fused multiply-adds:
// a = n·v and eta = n·(1+n·v). Starting from fma(x, y, 0) or from a rounded product is the same.
//
// The induction is OrderFree's: the running sum is a floating-point number, so that an FMA that adds
// the exact product t errs by at most |t|, by v·|s+t|, and in the subnormal range by η.
//
// Domain:  n >= 0; rounding to nearest, any rule for ties.
// Error:   exact <= result <= exact·(1+2^-50), each.
// Source:  [Gamma D2].
func DotChain(n int, u float64) (a, eta float64) {
	nv := orderFree(n+1, exactly(u))
	return ceil(nv), ceil(mul(whole(max(n, 0)), add(whole(1), nv)))
}

// DotMixed returns the coefficients of E <= a·A + eta·η for n terms, each product rounded by itself
// or fused into an addition, over any tree: a = n·u and eta = n·(1+n·v).
//
// OrderFree's induction survives a fused node: if its product t has |t| <= v·A1, use |d| <= |t|, and
// else |d| <= v·(A1+D1+|t|). Each product that is rounded adds v.
//
// Domain:  n >= 0; rounding to nearest, any rule for ties.
// Error:   exact <= result <= exact·(1+2^-50), each.
// Source:  [Gamma D3]; n·u in [Jeannerod-Rump 2013] Theorem 4.2.
func DotMixed(n int, u float64) (a, eta float64) {
	n = max(n, 0)
	nv := orderFree(n+1, exactly(u))
	return ceil(mul(whole(n), exactly(u))), ceil(mul(whole(n), add(whole(1), nv)))
}

// DotHeightFactor returns the coefficients of E <= a·A + eta·η for n terms over a tree with at most h
// additions above any of them, fused or not: a = (1+v)^(h+1) - 1 and eta = n·(1+v)^h. Per term, the
// weight is LeafWeight of the roundings it meets: a fused product is rounded by its own addition,
// another one by one more.
//
// Domain:  n >= 0, h >= 0; rounding to nearest, any rule for ties.
// Error:   exact <= result <= exact·(1+2^-50), each.
// Source:  [Gamma D3], per leaf.
func DotHeightFactor(n, h int, u float64) (a, eta float64) {
	v := optimal(exactly(u))
	return ceil(compound(h+1, v)), ceil(mul(whole(n), power(add(whole(1), v), h)))
}

// DotBounds is SumBounds for dot products of n terms; the laws are dot.enclosure, dot.height,
// dot.compensated and dot.rounded, and A and S are over the exact products.
//
// Sum2 means Dot2, with error-free products, and DoubleWord takes both words of each. The other schemes sum rounded products, and have a
// bound only unfused. Products that the accumulator represents exactly (binary16 in binary32,
// binary32 in binary64) count no rounding. Where a claim lets operands be flushed, the products
// with a subnormal factor, which may be large, are added to the bound: Bound.Lost.
//
// There is no bound for factors that the accumulator does not represent.
//
// Domain:  c.In set, as by Claim.WithDefaults, and n >= 0; it panics otherwise.
// Cost:    as SumBounds; the slice is shared.
func DotBounds(c Claim, n, h int) []Bound {
	return recall(c, n, h, true, dotBounds)
}

func dotBounds(c Claim, n, h int) []Bound {
	if n == 0 && c.Mean {
		return nil
	}
	w := newWorkplace(c, n).multiplying()
	var list boundList
	if c.Compensation == Rounded {
		w.scheme(&list, w.roundedOnce(), DotRounded, DotEnclosure)
		return list.bounds
	}
	if !w.in.subsetOf(w.acc) {
		return nil
	}
	if c.Compensation != Uncompensated {
		if e, ok := w.schemeOverProducts(); ok {
			w.scheme(&list, w.finishScheme(e), DotCompensated, DotEnclosure)
		}
		return list.bounds
	}
	list.put(w.finish(w.plainDot()), DotEnclosure)
	if e, ok := w.plainSharp(); ok && (c.Fusion == Unfused || w.enterRel.Sign() == 0 && !w.enterAbs) {
		list.put(w.finish(w.enter(e)), DotEnclosure)
	}
	if h >= 0 {
		list.put(w.finish(w.dotOfHeight(min(h, max(n-1, 0)))), DotHeight)
	}
	return list.bounds
}
