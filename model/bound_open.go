package model

import (
	"math"
	"math/bits"
)

// OpenRules say how a sum of open order is computed: over any tree, every addition rounded to nearest, with any rule for ties.
//
// OpenRules.Bound and OpenRules.Tight return an upper bound of |computed - exact sum of the terms| where each term t_i is known by an
// interval, lo_i <= t_i <= hi_i. The widths of the intervals are not in it: they move the exact sum. A conversion to a narrower format is
// an addition of one more term, 0.
type OpenRules struct {
	Format Format // what additions round to: P <= 53 and Emin >= -1022
	// AtLeast lets each addition, and each product, be rounded to a format that has all numbers of Format instead, or not at all.
	AtLeast bool
	// Twice, with AtLeast, lets what was rounded to a format of at least eight bits more than Format be rounded to Format at once, as where
	// each partial sum is stored again. It counts as one rounding.
	Twice bool
	// Formats is how many formats AtLeast stands for, Format among them, each of which has all numbers of the one before:
	// 2 for binary32 and binary64. 0 is any number of them, and leaves out the split bound.
	Formats int
	// Unrounded says that terms may be any real numbers, such as products that are fused into an addition. Otherwise each is a
	// number of Format.
	Unrounded bool
	// Products says that terms are exact products, each of which may be rounded to Format before it is added, or be fused into its
	// addition. It implies Unrounded. Products that are numbers of Format do not need it.
	Products bool
	Height   int // no more additions above any term; 0 where nothing is claimed
	// Flush is what may be flushed. A product with a factor that may be flushed has 0 in its interval.
	Flush Flush
}

// OpenBound is an upper bound of the error of a sum of open order.
type OpenBound struct {
	Max float64 // |computed - exact| <= Max; +Inf if nothing is known
	// Partial is an upper bound of the magnitude of every sum and partial sum before its rounding.
	// None overflows if it is below the least number that rounds beyond the largest finite one,
	// 2^Emax·(2-u) of an IEEE 754 format.
	Partial      float64
	Name, Source string // of the theorem that gave the least bound
}

// OpenSum gathers what OpenRules.Bound has to know of the terms of a sum. The zero value is the empty sum.
//
// Cost:  O(1) a term, O(1) space; about a nanosecond a term in slices.
type OpenSum struct {
	n                          int
	sumLo, absLo, sumHi, absHi float64
	most                       float64 // greatest magnitude
}

// Add adds the term known to lie in [lo, hi].
//
// Domain:  lo <= hi. A NaN or an infinity makes every bound +Inf.
func (s *OpenSum) Add(lo, hi float64) {
	s.n++
	s.sumLo += lo
	s.sumHi += hi
	a, b := math.Abs(lo), math.Abs(hi)
	s.absLo += a
	s.absHi += b
	if a > s.most {
		s.most = a
	}
	if b > s.most {
		s.most = b
	}
}

// AddAll adds the terms known to lie in [lo[i], hi[i]].
//
// Domain:  lo[i] <= hi[i], and as many of one as of the other.
func (s *OpenSum) AddAll(lo, hi []float64) {
	hi = hi[:len(lo)]
	sumLo, absLo, sumHi, absHi, most := s.sumLo, s.absLo, s.sumHi, s.absHi, s.most
	for i, x := range lo {
		y := hi[i]
		sumLo += x
		sumHi += y
		a, b := math.Abs(x), math.Abs(y)
		absLo += a
		absHi += b
		if a > most {
			most = a
		}
		if b > most {
			most = b
		}
	}
	s.n += len(lo)
	s.sumLo, s.absLo, s.sumHi, s.absHi, s.most = sumLo, absLo, sumHi, absHi, most
}

// AddProducts adds the terms x[i]·y[i].
//
// Domain:  as many of one as of the other, and products that binary64 holds exactly.
func (s *OpenSum) AddProducts(x, y []float64) {
	y = y[:len(x)]
	var sum0, abs0, sum1, abs1 float64
	most := s.most
	i := 0
	for ; i+1 < len(x); i += 2 {
		p, q := float64(x[i]*y[i]), float64(x[i+1]*y[i+1])
		a, b := math.Abs(p), math.Abs(q)
		sum0 += p
		abs0 += a
		sum1 += q
		abs1 += b
		if a > most {
			most = a
		}
		if b > most {
			most = b
		}
	}
	if i < len(x) {
		p := float64(x[i] * y[i])
		sum0 += p
		abs0 += math.Abs(p)
		most = max(most, math.Abs(p))
	}
	sum0 += sum1
	abs0 += abs1
	s.n += len(x)
	s.sumLo += sum0
	s.sumHi += sum0
	s.absLo += abs0
	s.absHi += abs0
	s.most = most
}

// Exact returns an interval that contains the exact sum of any terms in the given intervals. Its ends are sums in binary64, moved outward by
// n·2^-52 of the sum of the terms' magnitudes: each errs by at most (n-1)·2^-53 of that by T1, and so does that, relatively, for n < 2^40.
//
// Special: an end is infinite or NaN if a term or a sum is not finite.
func (s *OpenSum) Exact() (lo, hi float64) {
	if s.n < 2 {
		return s.sumLo, s.sumHi
	}
	n := float64(s.n) * 0x1p-52
	return s.sumLo - float64(n*s.absLo), s.sumHi + float64(n*s.absHi)
}

// Len returns how many terms there are.
func (s *OpenSum) Len() int { return s.n }

// Bound returns the least of the bounds that follow from the number of terms, the sums of their positive and of their negative parts and
// their greatest magnitude. OpenRules.Tight is lower, and slower.
//
// Notation. D is the sum of the magnitudes of all errors of rounding, A that of the terms. m_k is the greater of the sum of the k largest
// positive parts of the hi_i and that of the k largest negative parts of the lo_i: the exact sum of any k terms, or fewer, is at most m_k in
// magnitude. G(t) is the greatest distance of a number of magnitude at most t to the nearest number of Format; it does not decrease, and
// that of a format with more numbers is not greater.
//
// Sorted bound [Gamma O1]: D <= C_n where C_1 = 0 and C_k = C_(k-1) + G(m_k + min(C_(k-1), D')), for any bound D' >= D. Proof, by induction,
// that a subtree over k terms has D <= C_k. Its children have l and r = k-l terms. The summands of C do not decrease, so that the j-th of
// C_r is at most the (l+j-1)-th, and
//
//	C_l + C_r <= Σ_{j=2..l} G(m_j + …) + Σ_{j=l+1..l+r-1} G(m_j + …) = C_(k-1).
//
// What the root rounds is the exact sum of its k terms and the errors below it, at most m_k + min(C_(k-1), D'). Of a rounding, the proof
// uses only that it errs by at most G, so that it holds with AtLeast. Bound takes min(k·max|t_i|, m_n) for m_k.
//
// T1, D <= (n-1)·v·A [Gamma T1]. Its proof has |d| <= |a| where A1 <= v·A2, since b is a number of Format. If b is a term that is not one, then
// D2 = 0, n2 = 1, and |d| <= v(A1+D1+A2) gives D <= (n1-1)vA1 + v(A1+A2) + v(n1-1)vA1 <= n1·v·A as well, since vA1 <= A2. With AtLeast, b may
// be a number of a wider format, and T1 is not proved.
//
// T2, D <= ((1+v)^h - 1)·A [Gamma T2], uses |d| <= v|a+b| alone, and holds with AtLeast.
//
// Losses [Gamma O3]. A result below 2^Emin has an absolute error of up to η; one that is flushed, and a flushed operand, of up to 2^Emin. Each
// such error counts as one more exact term, which is added without rounding. If their magnitudes sum to at most Φ, the bounds hold for all
// other errors with Φ added to A, to each m_k and to τ below, and |computed - exact| <= D + Φ.
//   - If all terms are numbers of Format, sums up to 2^(Emin+1) are exact: they are multiples of the least subnormal number.
//   - Otherwise each of the n-1 additions may lose η. Of products and their additions together only n do without AtLeast: the operands of an
//     addition that loses η are not both multiples of 2η, so that one is a product that was not rounded, and has lost nothing itself.
//     With AtLeast, 2n-1 may.
//   - Flushing turns a number into 0, and there are n to begin with: at most n·2^Emin.
//   - If all terms are multiples of a power of two g, so are all sums: a multiple of g that a format does not have is rounded to a multiple of its
//     ulp there, which is more than g. Sums up to 2^P·g are exact, and G(t) = 0 for such t. Tight finds g.
//
// Twice [Gamma O5]. Let x' be x rounded to a format of eight bits more, and c be x' rounded to Format. With half an ulp of h = u·2^e where
// 2^e <= |x| < 2^(e+1), |x'-x| <= h/2^8 and |c-x'| <= h, so that |c-x| <= h(1+2^-8). If |x| <= 2^e, so is |x'|, and all is half of that. Between
// 2^e and 2^e(1+u) the rounding errs by |x|-2^e, or if c lies further up, x' >= 2^e(1+u), |x| >= 2^e + h(1-2^-8), and it errs by at most
// h(1+2^-8) <= ψ(|x|-2^e) with ψ = (1+2^-8)/(1-2^-8). So G is u(1+2^-8)·2^e from there on, half of that up to 2^e, and ψ(t-2^e) where that
// is between; it does not decrease, and an error relative to x is at most u(1+2^-8), which takes the place of v. A loss may be η(1+2^-8). Where no
// rounding is, nor are two, since finer formats have the numbers of Format. O1 uses G alone, T2 v alone. In O4 the second rounding is an addition of the
// term 0, with a subtree of none of B's terms; inside the subtrees without, and where both sides have terms of B, the two are counted as one.
//
// Products add v·A for their own roundings, and make each term larger by up to a factor 1+v. With T1 this is at most n·u·A, as [Gamma D3].
//
// Arithmetic is binary64, to nearest. With w = 2^-53, each sum over the terms errs by at most n·w times the sum of their magnitudes, by T1.
// All other operations are on numbers that are not negative, but for differences, whose errors count against the larger operand. A slack of
// (n+1024)·2^-50, more than 8(n+1000)w, covers them all wherever a decision or a result depends on them.
// For A it takes the sum of the positive parts of the hi_i and the negative parts of the lo_i, which is more where intervals hold 0.
//
// Error:   Max is at least the least of the bounds, and Partial at least m_n + Φ + D.
// Special: +Inf if a term is not finite, and if a sum of terms overflows.
// Source:  [Gamma O1], [Gamma O3], [Gamma T1], [Gamma T2], [Gamma O5].
// Cost:    O(log n + n·u). No allocation.
func (r *OpenRules) Bound(s *OpenSum) OpenBound {
	e := r.begin(s, 0)
	if e.open() {
		one := [1]openBucket{{count: float64(e.n), sum: e.total, upper: s.most}}
		e.sorted(one[:], nil)
	}
	return e.finish()
}

// Tight returns the least of the bounds of OpenRules.Bound, with sharper m_k, and of the split bound, for the terms known to lie in
// [lo[i], hi[i]]. Up to 16 terms are sorted; of more, the m_k come from buckets, four to a binade.
//
// Split bound [Gamma O2]. Let B be nb >= 1 of the terms, and let the magnitudes of the nt others sum to τ. Let M_k be the m_k of B, with the
// others' positive parts added to the sum of positive parts, and the negative ones likewise. Then D <= C_nb where C_1 = J = (1+2(nt-1)v)·τ and
// C_k = C_(k-1) + G(M_k + min(C_(k-1), D')). Proof. Consider the largest subtrees without a term of B. One whose terms sum to τ_j in magnitude
// has errors of D_j <= (nt-1)·v·τ_j inside, by T1. It joins a subtree with terms of B, whose value is a number of Format, so that this addition errs by
// at most the other operand's magnitude, which is at most τ_j + D_j. All these errors are together at most J. The other additions have terms
// of B on both sides. They form a tree over B, and the proof of the sorted bound applies, with J among the errors below each.
//
// If terms are not numbers of Format, a term b of B that itself joins such a subtree is off them by up to v|b| or η: J grows by v·A + nb·η. With AtLeast
// the bound is false.
//
// Split bound with AtLeast and f formats F_1 = Format, F_2, …, F_f [Gamma O4]: with ρ = (1+v)^(nt-1) - 1, Γ = (nb-1)·G(m_n+D'), and
// ι = 0 or, if terms are not numbers of Format, ι = v·A + 2·nb·η,
//
//	D <= ρ·τ + Γ + (2^f-1)·((1+ρ)·τ + ι + Γ).
//
// Proof. The errors inside the subtrees without a term of B are at most ρ·τ, by T2, so that the magnitudes of these subtrees' values sum to
// θ <= (1+ρ)·τ. Additions with terms of B on both sides err by at most Γ. Each other addition takes the value a of a subtree without to the value b of
// one with terms of B. Let r_i(x) be the distance of x to F_i. If the result c is rounded to F_i, then |d| <= r_i(a+b) <= |a| + r_i(b), r_j(c) = 0 for
// j >= i, and r_j(c) <= r_j(b) + |a| + |d| for j < i; if it is not rounded, r_j(c) <= r_j(b) + |a| for all j. So the sum of the r_i(b) spent in roundings to
// F_i is at most what raised r_i before: ι by the terms and by losses, Γ by additions with terms of B on both sides, and |a| + |d| by each addition
// that was rounded to a wider format, or not. If X_i is the sum of |d| over roundings to F_i and wider formats, then
// X_i - X_(i+1) <= θ + ι + Γ + X_(i+1). From X_(f+1) = 0 follows X_1 <= (2^f-1)(θ + ι + Γ).
//
// Step bound [Gamma O6]. It looks at what the terms are modulo half an ulp of the sum. Where the sorted bound charges half an ulp to each addition, this
// one charges each term its distance to the next multiple of that, half as much in the mean.
//
// Let m_k, A and Φ be as in OpenRules.Bound, D' >= D, and 2^e the least power of two that is not below m_n + Φ + D', so that no addition errs by more
// than g = u·2^(e-1). K are the multiples of g, L those of g/2. M is the number of k with m_k + Φ + D' > 2^(e-1). Let δ = 0, and
// with Twice δ = 2^-8·g. Let κ_j and λ_j be the distances from t_j to the least numbers
// of K and of L that are above t_j + δ, p_j = max(κ_j, (g+δ)/2) and q_j = max(λ_j, (g/2+δ)/2). Then, with any θ >= 0,
//
//	computed - exact <= Σ_j max(q_j, p_j-θ) + M·θ + (J(g/2) + J(g) + I)·g/2 + v·A + Φ,
//	J(s) = max(0, ⌊A/(s/(2u) - Φ - D')⌋ - 1),   I = ⌊A/(2^(e-1) - Φ - D')⌋,
//
// and exact - computed likewise, with distances to the numbers below.
//
// Proof. One addition. Let S be K or L, s the distance of its numbers, y what is rounded, and no ulp of Format up to |y| more than 2s. (a) If
// y + δ < z with z in S, the result is at most z. For what a rounding to eight bits more makes of y is below z, too. Rounding does not decrease: if a power
// of two is between y and z, or z is a number of the format that y is rounded to, the result is not beyond that. If not, z is in the middle between two
// numbers of Format, and what is below z is rounded to the lower one at most. (b) If y <= z is all that is known, the result is at most z, or z + s where z
// is in the middle.
//
// Trees. Call a subtree low if none of its additions has a |y| above 2^(e-1), and high otherwise. By induction, what a subtree over at least two terms
// gives is at most its exact sum plus some N, which makes a number of L, and of K if it is high. A term t_j alone keeps δ below t_j + κ_j and t_j + λ_j. So
// adding one to a low subtree, with a low result, is of kind (a) with L, and N grows by λ_j; to a high one, with K, by κ_j.
//
// Let an addition join two subtrees with at least two terms each, R that with the lesser sum of magnitudes, A_R, and S = K if one of them is high, and L
// if not. If A_R <= s/(2u) - Φ - D', no value in R is above s/(2u), so that R is low, and each of the k-1 additions in it errs by at most (s+δ)/4. Take
// for N_R what leads to the least number of S that is more than δ above all that R may give: N_R <= s + δ + D_R. The addition is then of kind (a). If
// k >= 3, N_R <= (s+δ)(1 + (k-1)/4) <= k(s+δ)/2, which the terms of R contribute to Σ p_j, or to Σ q_j. If k = 2, it is s + δ + D_R, and all such
// D_R are together at most v·A and losses. Otherwise the addition is of kind (b). If S = L, N grows by
// g/2. If both are high, it grows by g. If one is low, the sum of both N leads to a number z of L, and the result is at most z + g where z is in K, and
// the number of K above z otherwise. Such additions join subtrees that both have magnitudes above s/(2u) - Φ - D', so that there are at most J(s), one less
// than the disjoint subtrees below them: J(g/2) in all cost g/2, and J(g) among them g/2 more. An addition of low subtrees or terms with |y| > 2^(e-1)
// leads to a number of L as if it were low, and to one of K for g/2 more: there are I at most, since they have disjoint terms.
//
// One of these has at least n-M+1 terms, which all contribute to Σ q_j, so that at most M terms contribute to Σ p_j; if there is no such addition, none
// does. And Σ q_j over some, Σ p_j over M others, is at most Σ max(q_j, p_j-θ) + M·θ. A flushed result stays below the z >= 0 that it was below,
// for 2^Emin <= g/2 here, and a flushed term is taken for an interval with 0. It is the error that is bounded here, not the sum of all errors' magnitudes.
//
// Domain:  lo[i] <= hi[i], and as many of one as of the other.
// Error:   as OpenRules.Bound.
// Source:  [Gamma O1], [Gamma O2], [Gamma O3], [Gamma O4], [Gamma O5], [Gamma O6], [Gamma T1], [Gamma T2].
// Cost:    O(n), four to six nanoseconds a term. No allocation.
func (r *OpenRules) Tight(lo, hi []float64) OpenBound {
	var s OpenSum
	s.AddAll(lo, hi)
	e := r.begin(&s, openGrid(lo, hi, float64(s.most*r.Format.U())))
	if !e.open() {
		return e.finish()
	}
	if s.n <= openFew {
		e.few(lo, hi[:len(lo)])
		one := [1]openBucket{{count: float64(e.n), sum: e.total, upper: s.most}}
		e.steps(lo, hi[:len(lo)], one[:], nil)
	} else {
		e.many(lo, hi[:len(lo)])
	}
	return e.finish()
}

// many offers the sorted and the split bound with the m_k that buckets give.
func (e *openEstimate) many(lo, hi []float64) {
	var pos, neg [openBuckets]openBucket
	top := math.Float64bits(e.most) >> openKeyShift
	for i, x := range lo {
		if y := hi[i]; y > 0 {
			b := &pos[openIndex(top, y)]
			b.count++
			b.sum += y
		}
		if x < 0 {
			b := &neg[openIndex(top, -x)]
			b.count++
			b.sum -= x
		}
	}
	p, q := filled(&pos, top, e.most), filled(&neg, top, e.most)
	e.sorted(p, q)
	e.split(p, q)
	e.steps(lo, hi, p, q)
}

// few offers the sorted bound and the split bound with each number of greatest terms as B.
func (e *openEstimate) few(lo, hi []float64) {
	var pos, neg, restPos, restNeg [openFew + 1]float64
	var order [openFew]int
	size := func(i int) float64 { return max(-lo[i], hi[i]) }
	for i := range lo {
		j := i
		for ; j > 0 && size(order[j-1]) < size(i); j-- {
			order[j] = order[j-1]
		}
		order[j] = i
	}
	for j := e.n - 1; j >= 0; j-- {
		restPos[j] = restPos[j+1] + max(hi[order[j]], 0)
		restNeg[j] = restNeg[j+1] + max(-lo[order[j]], 0)
	}
	for j := range e.n {
		nb := j + 1
		insert(pos[:nb], max(hi[order[j]], 0))
		insert(neg[:nb], max(-lo[order[j]], 0))
		if nb == e.n || !e.r.AtLeast {
			c, name, source := 0.0, "sorted partial sums", "[Gamma O1]"
			if nb < e.n {
				c, name, source = e.joins(restPos[nb]+restNeg[nb], e.n-nb-1), "split", "[Gamma O2]"
			}
			p, q := restPos[nb]+pos[0], restNeg[nb]+neg[0]
			for k := 1; k < nb; k++ {
				p += pos[k]
				q += neg[k]
				c += e.gap(float64((float64(max(p, q)*e.grow) + e.lost + min(c, e.best.Max)) * (1 + e.slack)))
			}
			e.offer(c, name, source)
		}
	}
	if e.r.AtLeast && e.r.Formats > 0 {
		limit := e.limit()
		for nb := 1; nb < e.n; nb++ {
			e.splitAtLeast(restPos[nb]+restNeg[nb], limit, nb, e.n-nb-1)
		}
	}
}

// insert puts x into the descending list, whose last element is free.
func insert(list []float64, x float64) {
	i := len(list) - 1
	for ; i > 0 && list[i-1] < x; i-- {
		list[i] = list[i-1]
	}
	list[i] = x
}

const (
	openFew      = 16
	openBuckets  = 160
	openKeyShift = 50 // two bits of the fraction
)

// openIndex returns the bucket of x > 0 where the one of the greatest number is 0.
func openIndex(top uint64, x float64) int {
	return int(min(top-math.Float64bits(x)>>openKeyShift, openBuckets-1))
}

// filled sets the limits of the buckets, and returns those that hold numbers. The last bucket of all takes what is less.
func filled(b *[openBuckets]openBucket, top uint64, most float64) []openBucket {
	n := 0
	for i := range b {
		if b[i].count == 0 {
			continue
		}
		c := openBucket{count: b[i].count, sum: b[i].sum, upper: most}
		if i > 0 {
			c.upper = math.Float64frombits((top + 1 - uint64(i)) << openKeyShift)
		}
		if uint64(i) < top && i < openBuckets-1 {
			c.lower = math.Float64frombits((top - uint64(i)) << openKeyShift)
		}
		b[n] = c
		n++
	}
	return b[:n]
}

// split offers the split bound whose B is what lies in the buckets above the error of one addition.
func (e *openEstimate) split(pos, neg []openBucket) {
	if e.r.AtLeast && e.r.Formats == 0 {
		return
	}
	limit := e.limit()
	pos, posCount, tauPos := above(pos, limit)
	neg, negCount, tauNeg := above(neg, limit)
	count := int(posCount + negCount)
	if count == 0 || tauPos+tauNeg == 0 {
		return
	}
	inner := max(e.n-int(max(posCount, negCount))-1, 0)
	if e.r.AtLeast {
		e.splitAtLeast(tauPos+tauNeg, limit, count, inner)
		return
	}
	c := e.joins(tauPos+tauNeg, inner)
	e.offer(e.climb(count, c, e.total, tauPos, tauNeg, pos, neg), "split", "[Gamma O2]")
}

// steps offers the step bound.
func (e *openEstimate) steps(lo, hi []float64, pos, neg []openBucket) {
	n := float64(e.n)
	margin := 0x1p-20 // more than δ/g; at least this, so that ends of intervals need not be told from numbers of L
	if e.r.Twice {
		margin = 0x1.01p-8
	}
	below := float64(openCompound(e.n-1, e.v)*e.a*(1+e.slack)) + e.lost // Φ + D', by T2
	full := float64((float64(e.total*e.grow) + below) * (1 + e.slack))
	least := float64(64 * pow2(e.r.Format.Emin)) // numbers of L are normal numbers of Format
	if e.r.Products || e.r.Format.P > 26 || !(full < 0x1p900) || float64(full*e.u) < 0x1p-900 || full < least {
		return
	}
	flushed := 0.0
	if e.r.Flush.Any() {
		if float64(full*e.u) < least {
			return
		}
		flushed = pow2(e.r.Format.Emin)
	}
	top := math.Float64frombits(math.Float64bits(full) &^ (1<<52 - 1))
	if top < full {
		top = float64(top * 2)
	}
	g := float64(top * e.u / 2)
	high := n - min(max(e.reach(float64(top/2)-float64(e.slack*(top+full))-below, 0, 0, 0, pos, neg), 0), n)
	// Terms known exactly, and nowhere in particular, have q_j = g/4 and p_j - q_j = g/2 for one in four, and three more such parts: this θ is
	// the best for them.
	share := high / n
	theta := 0.25
	switch {
	case share < 0.5:
		theta = min(0.75-share, 0.5)
	case share > 0.75:
		theta = 1 - share
	}
	if float64(n/4)+float64(high*theta) >= e.best.Max/g {
		return
	}
	joins := func(s float64) float64 { // J(s)
		most := math.Floor(n/2) - 1
		if room := float64(s/(2*e.u)) - below; room > 0 {
			most = min(most, math.Floor(e.a/room*(1+e.slack))-1)
		}
		return max(most, 0)
	}
	entries := 1.0
	if room := float64(top/2) - below; room > 0 {
		entries = max(math.Floor(e.a/room*(1+e.slack)), 1)
	} else {
		entries = n
	}
	d := openSteps(lo, hi, g, margin, theta, flushed) + float64(high*theta) + float64((joins(g/2)+joins(g)+entries)/2)
	e.offer(float64((float64(g*d)+float64(e.v*e.a))*(1+e.slack)), "steps between multiples", "[Gamma O6]")
}

// openSteps returns the greater of the sums of max(q_j, p_j-θ)/g upward and downward, where margin is more than δ/g, theta is θ/g, at most
// 1/2, and terms below flushed in magnitude may be 0.
func openSteps(lo, hi []float64, g, margin, theta, flushed float64) float64 {
	var above, below float64
	scale, least, whole, coarse := 1/g, max((0.5+margin)/2, (1+margin)/2-theta), 1+margin-theta, 0.5-theta
	for i, x := range lo {
		y := hi[i]
		if x < flushed && y > -flushed {
			x, y = min(x, 0), max(y, 0)
		}
		x, y = float64(x*scale), float64(y*scale)
		cell := math.Floor(2 * (x - margin)) // both ends are between cell/2 and (cell+1)/2, or κ is up to 1 + margin
		if !(2*(y+margin) < cell+1) {
			above += whole
			below += whole
			continue
		}
		// One of both numbers of L is in K, and the next one beyond the other.
		odd := float64(int64(cell) & 1)
		above += max((cell+1)/2-x+float64((1-odd)*coarse), least)
		below += max(y-cell/2+float64(odd*coarse), least)
	}
	return max(above, below)
}

// limit returns the greatest error of one addition.
func (e *openEstimate) limit() float64 {
	return e.gap(float64((float64(e.total*e.grow) + e.lost + e.best.Max) * (1 + e.slack)))
}

// off returns what terms of B may be off the numbers of Format, where there are others: Φ is at least nb·η then.
func (e *openEstimate) off() float64 {
	if e.r.Unrounded || e.r.Products {
		return float64(e.v*e.a) + e.lost
	}
	return 0
}

// joins returns J, where the terms outside B sum to rest and have at most inner additions among themselves.
func (e *openEstimate) joins(rest float64, inner int) float64 {
	tau := float64(rest*e.grow) + e.lost
	return float64((float64((1+float64(float64(2*inner)*e.v))*tau) + e.off()) * (1 + e.slack))
}

// splitAtLeast offers the split bound of wider formats, where B has count terms, each addition errs by at most limit, and the rest is as in joins.
func (e *openEstimate) splitAtLeast(rest, limit float64, count, inner int) {
	tau := float64(rest*e.grow) + e.lost
	off := e.off()
	if off > 0 {
		off += e.lost
	}
	rho := openCompound(inner, e.v)
	both := float64(float64(count-1) * limit)
	d := float64(rho*tau) + both + float64((pow2(e.r.Formats)-1)*(float64((1+rho)*tau)+off+both))
	e.offer(d, "split, at least", "[Gamma O4]")
}

// above returns the buckets that may hold numbers above limit, how many they hold, and the sum of all other numbers.
func above(list []openBucket, limit float64) (most []openBucket, count, others float64) {
	for i, b := range list {
		if b.upper > limit {
			most = list[:i+1]
			count += b.count
		} else {
			others += b.sum
		}
	}
	return most, count, others
}

// openBucket is count positive numbers of the given sum, each at least lower and at most upper.
type openBucket struct{ count, sum, upper, lower float64 }

// openEstimate is the evaluation of one bound. Its fields are upper bounds.
type openEstimate struct {
	r          *OpenRules
	n          int
	most       float64 // greatest magnitude
	u, v       float64
	half       float64 // G(t)·2^-e for t from 2^e(1+u) to 2^(e+1): u, or u(1+2^-8)
	steep      float64 // G(t)/(t-2^e) below that: 1, or ψ
	slack      float64
	grow       float64 // factor of a term that its rounding may add
	pos, neg   float64 // sums of the positive and of the negative parts
	total      float64 // the greater of the two: m_n, as the products are before they are rounded
	lost       float64 // Φ
	a          float64 // A, with losses and rounded products
	products   float64 // the products' own roundings
	exactBelow float64 // sums up to this are exact, or their errors are among the losses
	best       OpenBound
}

// openGrid returns the greatest power of two of which all terms are known to be multiples, and 0 if it is less than least.
func openGrid(lo, hi []float64, least float64) float64 {
	grid := math.Inf(1)
	for i, x := range lo {
		if x == 0 && hi[i] == 0 {
			continue
		}
		b := math.Float64bits(x) &^ (1 << 63)
		exponent := b >> 52
		if x != hi[i] || exponent == 0 {
			return 0
		}
		unit := float64(math.Float64frombits(exponent<<52) * 0x1p-52) // the last bit's value; 0 where it is not a normal number
		unit = float64(unit * float64(uint64(1)<<bits.TrailingZeros64(b|1<<52)))
		if grid = min(grid, unit); grid < least {
			return 0
		}
	}
	return min(grid, 0x1p960)
}

// begin returns the estimate of s with T1 and T2. All terms are multiples of grid, unless it is 0.
func (r *OpenRules) begin(s *OpenSum, grid float64) openEstimate {
	e := openEstimate{r: r, n: s.n, most: s.most, u: r.Format.U(), grow: 1, slack: float64(float64(s.n+1024) * 0x1p-50)}
	abs := s.absLo + s.absHi
	if !(abs < math.Inf(1)) {
		e.best = OpenBound{Max: math.Inf(1), Name: "a term is not finite, or their sum overflows"}
		return e
	}
	e.v = float64(e.u / (1 + e.u) * (1 + 0x1p-51))
	e.half, e.steep = e.u, 1
	if r.Twice {
		e.half, e.steep = float64(e.u*(1+0x1p-8)), (1+0x1p-8)/(1-0x1p-8)*(1+0x1p-51)
		e.v = e.half
	}
	n := float64(s.n)
	e.pos = float64((s.absHi+s.sumHi)/2) + float64(e.slack*abs)
	e.neg = float64((s.absLo-s.sumLo)/2) + float64(e.slack*abs)
	e.total = max(e.pos, e.neg)
	e.exactBelow = pow2(r.Format.Emin)
	eta := max(float64(e.exactBelow*e.half), math.SmallestNonzeroFloat64)
	if r.Flush.Any() {
		e.lost = float64(n * e.exactBelow)
	}
	switch {
	case !r.Unrounded && !r.Products || grid >= 2*max(float64(e.exactBelow*e.u), math.SmallestNonzeroFloat64):
		e.exactBelow *= 2
	case r.Products && r.AtLeast:
		e.lost += float64((float64(2*n) - 1) * eta)
	case r.Products:
		e.lost += float64(n * eta)
	default:
		e.lost += float64((n - 1) * eta)
	}
	if s.n == 0 {
		e.lost = 0
	}
	e.exactBelow = max(e.exactBelow, grid/e.u)
	if r.Products && e.total > grid/e.u {
		e.products = float64(e.v * (e.pos + e.neg))
		e.grow = 1 + float64(e.v*(1+0x1p-52))
	}
	e.a = float64(e.grow*(e.pos+e.neg)) + e.lost
	e.best.Max = math.Inf(1)
	if !r.AtLeast {
		e.offer(float64(float64(max(n-1, 0)*e.v)*e.a), "order-free (n-1)v", "[Gamma T1]")
	}
	h := max(s.n-1, 0)
	if r.Height > 0 {
		h = min(h, r.Height)
	}
	if r.AtLeast || r.Height > 0 {
		e.offer(float64(openCompound(h, e.v)*e.a*(1+e.slack)), "height (1+v)^h-1", "[Gamma T2]")
	}
	return e
}

// open reports whether other bounds may be less.
func (e *openEstimate) open() bool { return e.n > 1 && e.v > 0 && e.best.Max > 0 }

// offer takes d as the bound of the roundings' errors if it is the least.
func (e *openEstimate) offer(d float64, name, source string) {
	if d < e.best.Max {
		e.best = OpenBound{Max: d, Name: name, Source: source}
	}
}

// finish returns the bound of everything.
func (e *openEstimate) finish() OpenBound {
	b := e.best
	b.Partial = float64((float64(e.total*e.grow) + e.lost + b.Max) * (1 + float64(2*e.slack)))
	b.Max = float64((b.Max + e.lost + e.products) * (1 + float64(2*e.slack)))
	if b.Max > 0 && e.r.Format.EtaExp() < -1074 {
		b.Max += float64(float64(e.n) * math.SmallestNonzeroFloat64) // halves of least numbers, rounded to 0
	}
	return b
}

// openCompound returns an upper bound of (1+v)^h - 1, but for a relative error below h·2^-50. With x = h·v it is below e^x - 1, by little more than
// x·v/2, and that is x + x²/2 + x³/6 + … < x + x²/2 + x³/6 + x⁴/16 for x <= 1/16. For larger x, f(2k) = f(k)·(2+f(k)) and f(k+1) = f(k) + v·(1+f(k)).
func openCompound(h int, v float64) float64 {
	if x := float64(float64(h) * v); x <= 0x1p-4 {
		return float64(x * (1 + float64(x*(0.5+float64(x*(1./6+float64(x*0x1p-4)))))))
	}
	f := 0.0
	for bit := 1 << bits.Len(uint(h)); bit > 0; bit >>= 1 {
		f = float64(f * (2 + f))
		if h&bit != 0 {
			f += float64(v * (1 + f))
		}
	}
	return f
}

// gap returns G(t): the greatest error of rounding a number of magnitude at most t to nearest, and 0
// where it is exact or among the losses. With 2^e <= t < 2^(e+1) it is u·2^(e-1) up to 2^e, u·2^e from
// 2^e·(1+u), and t - 2^e where that is between; with Twice a little more.
func (e *openEstimate) gap(t float64) float64 {
	if t <= e.exactBelow {
		return 0
	}
	if math.IsInf(t, 1) {
		return t
	}
	first := math.Float64frombits(math.Float64bits(t) &^ (1<<52 - 1)) // the leading bit's value
	return min(float64(e.half*first), max(float64(e.half*first)/2, float64(e.steep*(t-first))))
}

// sorted offers the sorted bound for the positive and the negative parts.
func (e *openEstimate) sorted(pos, neg []openBucket) {
	e.offer(e.climb(e.n, 0, e.total, 0, 0, pos, neg), "sorted partial sums", "[Gamma O1]")
}

// climb returns C_n of the sorted bound, from C_1 = c, over m_k = grow·top(k) + losses, where top(k) is the greater of
// basePos and the sum of the k largest of pos, and baseNeg and neg's; total is top(n).
//
// For T a power of two, G(T) = half·T/2. All additions with m_k + C_(k-1) <= T cost at most that, and before the first of
// them is reached that does not, C grows by it with each.
func (e *openEstimate) climb(n int, c, total, basePos, baseNeg float64, pos, neg []openBucket) float64 {
	full := float64(total*e.grow) + e.lost
	known := e.best.Max
	least := max(e.most, min(c, known)) // no addition rounds less
	T := max(float64(2*math.Float64frombits(math.Float64bits(least)&^(1<<52-1))), e.exactBelow)
	for k := 1.0; k < float64(n); T = float64(T * 2) {
		if math.IsInf(T, 1) {
			return T
		}
		g := e.gap(T)
		room := T - float64(e.slack*(T+full)) - e.lost
		rest := float64(n) - k
		if (full+known)*(1+e.slack) <= T || full+c+float64(rest*g) <= T-float64(e.slack*(T+full)) {
			end := min(known, c+float64(rest*g))
			return c + float64(rest*min(g, e.gap(float64((full+end)*(1+e.slack)))))
		}
		upTo := 0.0
		if c+float64(rest*g) > known {
			upTo = e.reach(room-known, 0, basePos, baseNeg, pos, neg)
		}
		if c < known { // C_(k'-1) = c + (k'-1-k)·g
			upTo = max(upTo, e.reach(room-c+float64((k+1)*g), g, basePos, baseNeg, pos, neg))
		}
		if upTo = min(upTo, float64(n)); upTo > k {
			c += float64((upTo - k) * g)
			k = upTo
		}
	}
	return c
}

// reach returns the greatest k with grow·top(k) + k·g <= room, or one below it.
func (e *openEstimate) reach(room, g, basePos, baseNeg float64, pos, neg []openBucket) float64 {
	k := e.reachOne(room, g, basePos, pos)
	if baseNeg > 0 || len(neg) > 0 {
		k = min(k, e.reachOne(room, g, baseNeg, neg))
	}
	return k
}

// reachOne is reach for terms of one sign.
func (e *openEstimate) reachOne(room, g, base float64, list []openBucket) float64 {
	k, sum := 0.0, base
	for _, b := range list {
		if float64(e.grow*(sum+b.sum))+float64((k+b.count)*g) <= room {
			k += b.count
			sum += b.sum
			continue
		}
		// j of b are at most j·upper, and b.sum - (count-j)·lower.
		left := room - float64(e.grow*sum) - float64(k*g)
		j := math.Floor(left / (float64(e.grow*b.upper) + g))
		if b.lower > 0 {
			j = max(j, math.Floor((left-float64(e.grow*(b.sum-float64(b.count*b.lower))))/(float64(e.grow*b.lower)+g)))
		}
		return k + min(max(j, 0), b.count)
	}
	left := room - float64(e.grow*sum) - float64(k*g)
	switch {
	case left < 0:
		return k
	case g == 0:
		return math.Inf(1)
	}
	return k + math.Floor(left/g)
}
