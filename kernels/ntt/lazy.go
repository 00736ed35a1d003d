package ntt

import "math/bits"

// lazy has the loops of Montgomery's product without its last subtraction, for q below 2^62. Words stay in [0, 4q) where butterflies
// decimate in time, and in [0, 2q) where they decimate in frequency. Factors are in Montgomery's domain.
//
// Source:  [Montgomery 1985] for the product, [Harvey 2014] for the ranges.
type lazy struct{ field }

// product returns (a·w+m·q)/R, which is ≡ a·w/R (mod q).
//
// Domain:  a in [0, 4q), w in [0, q), q < 2^62.
// Range:   [0, 2q): below 4q·q/R + q.
func (f *lazy) product(a, w uint64) uint64 {
	hi, lo := bits.Mul64(a, w)
	mh, ml := bits.Mul64(lo*f.neg, f.q)
	_, carry := bits.Add64(lo, ml, 0)
	return hi + mh + carry
}

func (f *lazy) timeInner(x []uint64, w factors, t int) {
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw := w.w[t:][:len(a)]
		for k, u := range a {
			u, v := less(u, 2*f.q), f.product(b[k], tw[k])
			a[k], b[k] = u+v, u+2*f.q-v
		}
	}
}

func (f *lazy) timeOuter(x []uint64, w factors, m int) {
	t := len(x) / 2 / m
	for i, tw := range w.w[m : 2*m] {
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			u, v := less(u, 2*f.q), f.product(b[k], tw)
			a[k], b[k] = u+v, u+2*f.q-v
		}
	}
}

func (f *lazy) frequencyInner(x []uint64, w factors, t int) {
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw := w.w[t:][:len(a)]
		for k, u := range a {
			v := b[k]
			a[k], b[k] = less(u+v, 2*f.q), f.product(u+2*f.q-v, tw[k])
		}
	}
}

func (f *lazy) frequencyOuter(x []uint64, w factors, m int) {
	t := len(x) / 2 / m
	for i, tw := range w.w[m : 2*m] {
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			v := b[k]
			a[k], b[k] = less(u+v, 2*f.q), f.product(u+2*f.q-v, tw)
		}
	}
}

func (f *lazy) multiply(x []uint64, w factors) {
	for k := range x {
		x[k] = f.product(x[k], w.at(k))
	}
}

func (f *lazy) reduce(x []uint64, inTime bool) { reduceLazy(x, f.q, inTime) }

// less returns a-m if a >= m, else a.
func less(a, m uint64) uint64 {
	d, borrow := bits.Sub64(a, m, 0)
	return d + m&-borrow
}

// reduceLazy reduces words in [0, 4q), or in [0, 2q) if not inTime, to [0, q).
func reduceLazy(x []uint64, q uint64, inTime bool) {
	for k, u := range x {
		if inTime {
			u = less(u, 2*q)
		}
		x[k] = less(u, q)
	}
}
