package ntt

import "math/bits"

// harvey has the loops of Shoup's product for q below 2^62, in plain Go. Words stay in [0, 4q) where butterflies decimate in
// time, and in [0, 2q) where they decimate in frequency. Factors are reduced residues with Shoup's quotients.
//
// Source:  [Harvey 2014], algorithms 3 and 4.
type harvey struct{ field }

// product returns a·w-⌊a·s/R⌋·q of s = ⌊w·R/q⌋, which is ≡ a·w (mod q).
//
// Domain:  a any word, w in [0, q).
// Range:   [0, 2q): below q + a·q/R.
func (f *harvey) product(a, w, s uint64) uint64 {
	e, _ := bits.Mul64(a, s)
	return a*w - e*f.q
}

func (f *harvey) timeInner(x []uint64, w factors, t int) {
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw, ts := w.w[t:][:len(a)], w.s[t:][:len(a)]
		for k, u := range a {
			u, v := less(u, 2*f.q), f.product(b[k], tw[k], ts[k])
			a[k], b[k] = u+v, u+2*f.q-v
		}
	}
}

func (f *harvey) timeOuter(x []uint64, w factors, m int) {
	t := len(x) / 2 / m
	for i, tw := range w.w[m : 2*m] {
		ts := w.s[m+i]
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			u, v := less(u, 2*f.q), f.product(b[k], tw, ts)
			a[k], b[k] = u+v, u+2*f.q-v
		}
	}
}

func (f *harvey) frequencyInner(x []uint64, w factors, t int) {
	for from := 0; from < len(x); from += 2 * t {
		a, b := halves(x, from, t)
		tw, ts := w.w[t:][:len(a)], w.s[t:][:len(a)]
		for k, u := range a {
			v := b[k]
			a[k], b[k] = less(u+v, 2*f.q), f.product(u+2*f.q-v, tw[k], ts[k])
		}
	}
}

func (f *harvey) frequencyOuter(x []uint64, w factors, m int) {
	t := len(x) / 2 / m
	for i, tw := range w.w[m : 2*m] {
		ts := w.s[m+i]
		a, b := halves(x, 2*t*i, t)
		for k, u := range a {
			v := b[k]
			a[k], b[k] = less(u+v, 2*f.q), f.product(u+2*f.q-v, tw, ts)
		}
	}
}

func (f *harvey) multiply(x []uint64, w factors) {
	for k := range x {
		x[k] = f.product(x[k], w.at(k), w.quotient(k))
	}
}

func (f *harvey) reduce(x []uint64, inTime bool) { reduceLazy(x, f.q, inTime) }
