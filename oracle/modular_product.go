package oracle

import "math/bits"

// Term is one coefficient of a sparse polynomial: Value·x^Index.
type Term struct {
	Index int
	Value uint64
}

// CyclicProduct sets dst to the product of the polynomials a and b modulo x^N - 1 and q, by the schoolbook method: every coefficient is the
// exact sum of N products, divided once.
//
//	dst_k = Σ_(i+j = k) a_i·b_j + Σ_(i+j = k+N) a_i·b_j
//
// Shape:   dst, a and b have N numbers, any N; it panics otherwise.
// Domain:  any words and any q >= 1.
// Range:   [0, q).
// Alias:   any.
// Cost:    N² products.
func CyclicProduct(dst, a, b []uint64, q uint64) { polyProduct(dst, a, terms(b), q, false) }

// NegacyclicProduct sets dst to the product of the polynomials a and b modulo x^N + 1 and q, by the schoolbook method.
//
//	dst_k = Σ_(i+j = k) a_i·b_j - Σ_(i+j = k+N) a_i·b_j
//
// Shape, Domain, Range, Alias, Cost: as for CyclicProduct.
func NegacyclicProduct(dst, a, b []uint64, q uint64) { polyProduct(dst, a, terms(b), q, true) }

// CyclicProductSparse is CyclicProduct for a sparse b, whose coefficients that are not listed are 0. Those listed twice are added.
//
// Shape:   dst and a have N numbers and each index is one of 0 to N-1; it panics otherwise.
// Cost:    N products for each term.
func CyclicProductSparse(dst, a []uint64, b []Term, q uint64) { polyProduct(dst, a, b, q, false) }

// NegacyclicProductSparse is NegacyclicProduct for a sparse b, as CyclicProductSparse.
func NegacyclicProductSparse(dst, a []uint64, b []Term, q uint64) { polyProduct(dst, a, b, q, true) }

// terms returns the polynomial b as a sparse one.
func terms(b []uint64) []Term {
	t := make([]Term, len(b))
	for i, v := range b {
		t[i] = Term{i, v}
	}
	return t
}

func polyProduct(dst, a []uint64, b []Term, q uint64, negacyclic bool) {
	positive(q)
	n := len(a)
	if len(dst) != n {
		panic(productLength)
	}
	for _, t := range b {
		if t.Index < 0 || t.Index >= n {
			panic(productLength)
		}
	}
	c := make([]uint64, n)
	for k := range c {
		var low, high wideSum // of the products with i+j = k, and with i+j = k+N
		for _, t := range b {
			if i := k - t.Index; i >= 0 {
				low.add(a[i], t.Value)
			} else {
				high.add(a[i+n], t.Value)
			}
		}
		if negacyclic {
			c[k] = SubMod(low.mod(q), high.mod(q), q)
		} else {
			c[k] = AddMod(low.mod(q), high.mod(q), q)
		}
	}
	copy(dst, c)
}

// wideSum is a number of 192 bits: 2^64 products of two words fit.
type wideSum struct{ hi, mid, lo uint64 }

// add adds a·b.
func (s *wideSum) add(a, b uint64) {
	h, l := bits.Mul64(a, b)
	var c uint64
	s.lo, c = bits.Add64(s.lo, l, 0)
	s.mid, c = bits.Add64(s.mid, h, c)
	s.hi += c
}

// mod returns the number modulo q: a division with remainder, word by word, as by hand.
func (s *wideSum) mod(q uint64) uint64 {
	r := s.hi % q
	_, r = bits.Div64(r, s.mid, q)
	_, r = bits.Div64(r, s.lo, q)
	return r
}
