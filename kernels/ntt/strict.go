package ntt

import "math/bits"

// strict has the loops of Montgomery's product that keep every word in [0, q), for any odd q below 2^64. Factors are in Montgomery's
// domain, so that words keep their own power. x+y is x-(q-y), with a borrow instead of a carry beyond the word.
type strict struct{ field }

func (f *strict) timeInner(x []uint64, w factors, t int) {
	q, inv := f.q, f.inv
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw := w.w[t:][:len(a)]
		for k, u := range a {
			hi, lo := bits.Mul64(b[k], tw[k])
			mq, _ := bits.Mul64(lo*inv, q)
			v, borrow := bits.Sub64(hi, mq, 0)
			v += q & -borrow
			s, borrow := bits.Sub64(u, q-v, 0)
			d, under := bits.Sub64(u, v, 0)
			a[k], b[k] = s+q&-borrow, d+q&-under
		}
	}
}

func (f *strict) timeOuter(x []uint64, w factors, m int) {
	q, inv, t := f.q, f.inv, len(x)/2/m
	for i, tw := range w.w[m : 2*m] {
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			hi, lo := bits.Mul64(b[k], tw)
			mq, _ := bits.Mul64(lo*inv, q)
			v, borrow := bits.Sub64(hi, mq, 0)
			v += q & -borrow
			s, borrow := bits.Sub64(u, q-v, 0)
			d, under := bits.Sub64(u, v, 0)
			a[k], b[k] = s+q&-borrow, d+q&-under
		}
	}
}

func (f *strict) frequencyInner(x []uint64, w factors, t int) {
	q, inv := f.q, f.inv
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw := w.w[t:][:len(a)]
		for k, u := range a {
			v := b[k]
			s, borrow := bits.Sub64(u, q-v, 0)
			d, under := bits.Sub64(u, v, 0)
			hi, lo := bits.Mul64(d+q&-under, tw[k])
			mq, _ := bits.Mul64(lo*inv, q)
			p, less := bits.Sub64(hi, mq, 0)
			a[k], b[k] = s+q&-borrow, p+q&-less
		}
	}
}

func (f *strict) frequencyOuter(x []uint64, w factors, m int) {
	q, inv, t := f.q, f.inv, len(x)/2/m
	for i, tw := range w.w[m : 2*m] {
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			v := b[k]
			s, borrow := bits.Sub64(u, q-v, 0)
			d, under := bits.Sub64(u, v, 0)
			hi, lo := bits.Mul64(d+q&-under, tw)
			mq, _ := bits.Mul64(lo*inv, q)
			p, less := bits.Sub64(hi, mq, 0)
			a[k], b[k] = s+q&-borrow, p+q&-less
		}
	}
}

func (f *strict) multiply(x []uint64, w factors) {
	for k := range x {
		x[k] = f.mul(x[k], w.at(k))
	}
}

func (f *strict) reduce([]uint64, bool) {}
