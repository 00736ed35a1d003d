package model

import "math"

// OpenRules say how a sum of open order is computed: over any tree, every addition rounded to
// nearest, with any rule for ties, and no result beyond the largest finite number.
//
// OpenRules.Bound and OpenRules.Tight return an upper bound of |computed - exact sum of the terms|
// where each term t_i is known by an interval lo_i <= t_i <= hi_i. The interval's own width is the
// caller's: it moves the exact sum. A conversion to a narrower format is an addition of one more
// term, 0.
type OpenRules struct {
	Format Format // what additions round to: P <= 53 and Emin >= -1022
	// AtLeast lets each addition, and each product, be rounded to any format that has all numbers of Format instead, or not at all.
	AtLeast bool
	// Unrounded says that terms may be any real numbers, such as products that are fused into an
	// addition. Otherwise each is a number of Format.
	Unrounded bool
	// Products says that terms are exact products, each of which may be rounded to Format before it
	// is added, or be fused into its addition. It implies Unrounded. Products that are numbers of
	// Format, as those of bfloat16 in binary32 are if none is tiny, do not need it.
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

// OpenSum gathers what OpenRules.Bound has to know of the terms of a sum. The zero value is the
// empty sum.
//
// Cost:  O(1) a term, O(1) space.
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
	s.most = max(s.most, a, b)
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

// AddPoints adds the terms x[i], known exactly.
func (s *OpenSum) AddPoints(x []float64) {
	var sum0, abs0, sum1, abs1 float64
	most := s.most
	i := 0
	for ; i+1 < len(x); i += 2 {
		p, q := x[i], x[i+1]
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
		sum0 += x[i]
		abs0 += math.Abs(x[i])
		most = max(most, math.Abs(x[i]))
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

// Len returns how many terms there are.
func (s *OpenSum) Len() int { return s.n }

// Bound returns the least of the bounds that the terms' number, the sums of their positive and of
// their negative parts and their greatest magnitude decide. OpenRules.Tight is lower, and slower.
//
// Notation. D is the sum of the magnitudes of all roundings' errors. A is the sum of the terms'
// magnitudes, m_k the greater of the sum of the k largest positive parts of the hi_i and that of the k
// largest negative parts of the lo_i. So the exact sum of any k terms is at most m_k in magnitude, and
// m_1 <= m_2 <= … <= m_n. G(t) is the greatest distance of a number of magnitude at most t to the
// nearest number of Format. G does not decrease, and a format that has more numbers has a smaller one.
//
// Sorted bound [Gamma O1]: D <= C_n where C_1 = 0 and C_k = C_(k-1) + G(m_k + min(C_(k-1), D')), with any
// bound D' >= D. Proof, by induction, that a subtree over k terms has D <= C_k: its children have l and
// r = k-l terms, so that their errors are together at most
//
//	C_l + C_r = Σ_{j=2..l} G(m_j + …) + Σ_{j=2..r} G(m_j + …) <= Σ_{j=2..l+r-1} G(m_j + …) = C_(k-1),
//
// because the j-th of the second sum is at most the (l+j-1)-th: nothing in it decreases with j. What the
// root rounds is the exact sum of its k terms and the errors below it, at most m_k + min(C_(k-1), D').
// The proof uses of a rounding only that it errs by at most G, so that it holds with AtLeast, too. Here m_k is
// replaced by min(k·max|t|, m_n).
//
// T1, D <= (n-1)·v·A [Gamma T1], holds for terms that are not numbers of Format, too. Its proof uses |d| <= |a| for
// A1 <= v·A2, which needs a b that Format has. If b is an unrounded term, D2 is 0 and n2 is 1, and |d| <= v(A1+D1+A2)
// gives D <= (n1-1)vA1 + v(A1+A2) + v(n1-1)vA1 <= n1·v·A, since vA1 <= A2. It does not hold with AtLeast: b may then be a
// number of a wider format.
//
// T2, D <= ((1+v)^h - 1)·A [Gamma T2], uses |d| <= v|a+b| alone, and holds in all cases.
//
// Losses [Gamma O3]. A result below 2^Emin has an absolute error of up to η, and one that is flushed of up to 2^Emin.
// Each such error counts as one more exact term, which is added without rounding. If their magnitudes sum to Φ, all
// bounds hold for the other errors with A+Φ for A and m_k+Φ for m_k, and E <= D + Φ. Where all terms are
// numbers of Format, so are all sums up to 2^(Emin+1), since they are multiples of the least subnormal number and
// rounding to a wider format keeps that: Φ is 0 unless something is flushed. Otherwise each addition loses at most η,
// at most (n-1)η; with products n·η, because the operands of an addition that loses η are not both multiples
// of 2η, so that one of them is a product that was not rounded, and that has lost nothing itself; with AtLeast
// (2n-1)η. Flushing turns a number other than 0 into 0, of which there are n: at most n·2^Emin.
//
// Products add v·A for their own roundings, and each term may be larger by a factor 1+v: with T1, this is at most n·u·A,
// which is [Gamma D3].
//
// Arithmetic is binary64, to nearest. With w = 2^-53, each of the four sums over the terms errs by at most n·w times the sum of its
// terms' magnitudes, by T1. All other operations are additions and products of positive numbers, but for a difference of two sums, which
// is taken as an absolute error. A slack of (n+1024)·2^-50, which is more than 8(n+100)w, covers them all wherever one counts.
//
// Error:   Max is at least the least of the bounds, and Partial at least m_n + Φ + D.
// Special: +Inf if a term is not finite, and if a sum of terms overflows.
// Source:  [Gamma O1], [Gamma O3], [Gamma T1], [Gamma T2].
// Cost:    O(log n).
func (r *OpenRules) Bound(s *OpenSum) OpenBound {
	e := r.begin(s)
	if e.open() {
		one := [1]openBucket{{count: float64(e.n), sum: e.total, upper: s.most}}
		e.sorted(one[:], nil)
	}
	return e.finish()
}

// Tight returns the least of the bounds of OpenRules.Bound, with sharper m_k, and of the split bound, for the terms
// known to lie in [lo[i], hi[i]]. The m_k come from buckets, four to a binade.
//
// Split bound [Gamma O2]. Let B be nb >= 1 of the terms, and the magnitudes of the nt others sum to τ. Let M_k be m_k
// over B alone, where both of its sums start at that of the others' parts of that sign. Then D <= C_nb, where
// C_1 = J = (1+2(nt-1)v)·τ and C_k as in the sorted bound with M_k for m_k. It holds for terms of Format, all additions rounded to
// Format. Proof. A subtree without a term of B that is as large as possible, with terms that sum to τ_j, has by T1 errors of at
// most D_j <= (nt-1)·v·τ_j inside. Where it joins a subtree with a term of B, that operand's value is a number of Format, so
// that the error is at most the other operand's magnitude, τ_j + D_j. All these are together at most J. The other
// additions have terms of B on both sides; they form a tree over B, of which the sorted bound's proof numbers the nodes, and each
// rounds at most M_k, the errors among them that are below it, and J.
// If terms are not numbers of Format, one of B that itself joins other terms may be off the nearest number by v|b| or η: J grows by v·A + nb·η.
//
// Domain:  lo[i] <= hi[i], and as many of one as of the other.
// Error:   as OpenRules.Bound.
// Source:  [Gamma O1], [Gamma O2], [Gamma O3], [Gamma T1], [Gamma T2].
// Cost:    O(n).
func (r *OpenRules) Tight(lo, hi []float64) OpenBound {
	var s OpenSum
	s.AddAll(lo, hi)
	e := r.begin(&s)
	if !e.open() {
		return e.finish()
	}
	var pos, neg [openBuckets]openBucket
	top := math.Float64bits(s.most) >> openKeyShift
	hi = hi[:len(lo)]
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
	edges(&pos, top, s.most)
	edges(&neg, top, s.most)
	e.sorted(pos[:], neg[:])
	e.split(pos[:], neg[:])
	return e.finish()
}

const (
	openBuckets  = 160
	openKeyShift = 50 // two bits of the fraction
)

// openIndex returns the bucket of x > 0 where the one of the greatest number is 0.
func openIndex(top uint64, x float64) int {
	return int(min(top-math.Float64bits(x)>>openKeyShift, openBuckets-1))
}

// edges sets the limits of the buckets. The last has all that is less.
func edges(b *[openBuckets]openBucket, top uint64, most float64) {
	upper := most
	for i := range b {
		lower := 0.0
		if uint64(i) < top && i < openBuckets-1 {
			lower = math.Float64frombits((top - uint64(i)) << openKeyShift)
		}
		b[i].upper, b[i].lower = upper, lower
		upper = lower
	}
}

// split offers the split bound whose B is what lies in the buckets above the error of one addition.
func (e *openEstimate) split(pos, neg []openBucket) {
	if e.r.AtLeast {
		return
	}
	limit := e.gap((float64(e.total*e.grow) + e.lost + e.best.Max) * (1 + e.slack))
	at, posCount, negCount := 0, 0.0, 0.0
	for at < len(pos) && (at == 0 || pos[at].upper > limit) {
		posCount += pos[at].count
		negCount += neg[at].count
		at++
	}
	tauPos, tauNeg := 0.0, 0.0
	for i := at; i < len(pos); i++ {
		tauPos += pos[i].sum
		tauNeg += neg[i].sum
	}
	if tauPos+tauNeg == 0 {
		return
	}
	tau := float64((tauPos+tauNeg)*e.grow) + e.lost
	others := max(float64(e.n)-max(posCount, negCount)-1, 0)
	joins := tau + float64(2*others*e.v)*tau
	if e.r.Unrounded || e.r.Products {
		joins += float64(e.v*e.a) + e.lost
	}
	joins *= 1 + e.slack
	d := e.climb(int(posCount+negCount), joins, e.total, tauPos, tauNeg, pos[:at], neg[:at])
	e.offer(d, "split", "[Gamma O2]")
}

// openBucket is count positive numbers of the given sum, each at least lower and at most upper.
type openBucket struct{ count, sum, upper, lower float64 }

// openEstimate is the evaluation of one bound. Its fields are upper bounds.
type openEstimate struct {
	r          *OpenRules
	n          int
	u, v       float64
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

// begin returns the estimate of s with T1 and T2.
func (r *OpenRules) begin(s *OpenSum) openEstimate {
	e := openEstimate{r: r, n: s.n, u: r.Format.U(), grow: 1, slack: float64(s.n+1024) * 0x1p-50}
	abs := s.absLo + s.absHi
	if !(abs < math.Inf(1)) {
		e.best = OpenBound{Max: math.Inf(1), Name: "a term is not finite, or their sum overflows"}
		return e
	}
	e.v = e.u / (1 + e.u) * (1 + 0x1p-51)
	n := float64(s.n)
	unrounded := r.Unrounded || r.Products
	e.pos = (s.absHi+s.sumHi)/2 + float64(e.slack*abs)
	e.neg = (s.absLo-s.sumLo)/2 + float64(e.slack*abs)
	e.total = max(e.pos, e.neg)
	eta := math.Ldexp(1, r.Format.EtaExp())
	if eta == 0 {
		eta = math.SmallestNonzeroFloat64
	}
	e.exactBelow = math.Ldexp(1, r.Format.Emin)
	if r.Flush.Any() {
		e.lost = float64(n * e.exactBelow)
	}
	switch {
	case !unrounded:
		e.exactBelow *= 2
	case r.Products && r.AtLeast:
		e.lost += float64((2*n - 1) * eta)
	case r.Products:
		e.lost += float64(n * eta)
	default:
		e.lost += float64((n - 1) * eta)
	}
	if s.n == 0 {
		e.lost = 0
	}
	if r.Products {
		e.products = float64(e.v * (e.pos + e.neg))
		e.grow = 1 + e.v*(1+0x1p-52)
	}
	e.a = float64(e.grow*(e.pos+e.neg)) + e.lost
	e.best.Max = math.Inf(1)
	if !r.AtLeast {
		e.offer(float64(max(n-1, 0)*e.v)*e.a, "order-free (n-1)v", "[Gamma T1]")
	}
	h := max(s.n-1, 0)
	if r.Height > 0 {
		h = min(h, r.Height)
	}
	if r.AtLeast || r.Height > 0 {
		e.offer(float64(openCompound(h, e.v)*e.a), "height (1+v)^h-1", "[Gamma T2]")
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
	b.Partial = (float64(e.total*e.grow) + e.lost + b.Max) * (1 + 2*e.slack)
	b.Max = (b.Max + e.lost + e.products) * (1 + 2*e.slack)
	if b.Max > 0 && e.r.Format.EtaExp() < -1074 {
		b.Max += float64(e.n) * math.SmallestNonzeroFloat64 // halves of least numbers, rounded to 0
	}
	return b
}

// openCompound returns (1+v)^h - 1 with a relative error below h·2^-50: f(2k) = f(k)·(2+f(k)), f(k+1) = f(k) + v·(1+f(k)).
func openCompound(h int, v float64) float64 {
	f := 0.0
	for bit := 1 << 40; bit > 0; bit >>= 1 {
		if f > 0 {
			f *= 2 + f
		}
		if h&bit != 0 {
			f += float64(v * (1 + f))
		}
	}
	return f
}

// gap returns G(t): the greatest error of rounding a number of magnitude at most t to nearest, and 0
// where it is exact or among the losses. With 2^e <= t < 2^(e+1) it is u·2^(e-1) up to 2^e, u·2^e from
// 2^e·(1+u), and t - 2^e where that is between.
func (e *openEstimate) gap(t float64) float64 {
	if t <= e.exactBelow {
		return 0
	}
	if math.IsInf(t, 1) {
		return t
	}
	first := math.Float64frombits(math.Float64bits(t) &^ (1<<52 - 1)) // the leading bit's value
	return min(e.u*first, max(e.u*first/2, t-first))
}

// sorted offers the sorted bound for the positive and the negative parts.
func (e *openEstimate) sorted(pos, neg []openBucket) {
	e.offer(e.climb(e.n, 0, e.total, 0, 0, pos, neg), "sorted partial sums", "[Gamma O1]")
}

// climb returns C_n of the sorted bound, from C_1 = c, over m_k = grow·top(k) + losses, where top(k) is the greater of
// basePos and the sum of the k largest of pos, and baseNeg and neg's; total is top(n).
//
// For T a power of two, G(T) = u·T/2. All additions with m_k + C_(k-1) <= T cost at most that, and before the first of
// them is reached that does not, C grows by it with each.
func (e *openEstimate) climb(n int, c, total, basePos, baseNeg float64, pos, neg []openBucket) float64 {
	full := float64(total*e.grow) + e.lost
	known := e.best.Max
	least := basePos
	if len(pos) > 0 {
		least = max(least, pos[0].lower)
	}
	least = max(e.exactBelow, float64(least*e.grow), c)
	T := math.Float64frombits(math.Float64bits(least) &^ (1<<52 - 1))
	for k := 1.0; k < float64(n); T *= 2 {
		if math.IsInf(T, 1) {
			return T
		}
		g := e.gap(T)
		room := T - float64(e.slack*(T+full)) - e.lost
		rest := float64(n) - k
		if (full+known)*(1+e.slack) <= T || full+c+float64(rest*g) <= T-float64(e.slack*(T+full)) {
			end := min(known, c+float64(rest*g))
			return c + float64(rest*min(g, e.gap((full+end)*(1+e.slack))))
		}
		// With the error that is known, or with C_(k-1) = c + (k'-1-k)·g at k'.
		upTo := min(e.reach(room-known, 0, basePos, pos), e.reach(room-known, 0, baseNeg, neg))
		climbed := room - c + float64((k+1)*g)
		upTo = max(upTo, min(e.reach(climbed, g, basePos, pos), e.reach(climbed, g, baseNeg, neg)))
		if upTo = min(upTo, float64(n)); upTo > k {
			c += float64((upTo - k) * g)
			k = upTo
		}
	}
	return c
}

// reach returns the greatest k with grow·(base + sum of the k largest) + k·g <= room, or one below it.
func (e *openEstimate) reach(room, g, base float64, list []openBucket) float64 {
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
