package oracle

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
)

// Transform computes a number-theoretic transform and its inverse by division: textbook butterflies whose every product is
// divided by the modulus. It is safe for concurrent use.
type Transform struct {
	t     modular.Transform
	r     divider
	log   int
	roots []uint64 // of the butterflies of the forward transform; those of m points are at m/2 to m-1
	back  []uint64 // of the inverse, which is a cyclic one
	scale []uint64 // the inverse's last factor for each number: 1/N, times a power of 1/ψ if negacyclic
}

// divider divides by a modulus.
type divider struct{ q uint64 }

// mul, add and sub take reduced operands.
func (r divider) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, x := bits.Div64(hi, lo, r.q)
	return x
}

func (r divider) add(a, b uint64) uint64 { return r.sub(a, r.q-b) }

func (r divider) sub(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d + r.q&-borrow
}

// NewTransform prepares a transform of any modulus for which it is defined, prime or not.
//
// Domain:  N is a power of two and invertible modulo Modulus; Root is reduced, has the right order, and its power of half that order,
// if any, is -1. Anything else is an error that names the field.
func NewTransform(t modular.Transform) (*Transform, error) {
	fail := func(field, format string, args ...any) (*Transform, error) {
		return nil, fmt.Errorf("oracle: Transform.%s: %s", field, fmt.Sprintf(format, args...))
	}
	q, n, order := t.Modulus, uint64(t.N), t.RootOrder()
	switch {
	case t.N < 1 || bits.OnesCount64(n) != 1:
		return fail("N", "%d is not a power of two", t.N)
	case n > 1<<40:
		return fail("N", "%d is more than 2^40", t.N)
	case q < 2:
		return fail("Modulus", "%d is below 2", q)
	case order > 1 && q%2 == 0:
		return fail("Modulus", "%d is even: it has no %s transform of %d points; take an odd one", q, kind(t), t.N)
	case t.Root >= q:
		return fail("Root", "%d is not reduced; it must be below the modulus, %d", t.Root, q)
	case order == 1 && t.Root != 1:
		return fail("Root", "%d does not have order 1; only 1 does", t.Root)
	case order > 1 && PowMod(t.Root, order/2, q) != q-1:
		// With Root^(order/2) = -1 the sum of all powers of each Root^k other than 1 vanishes; the order alone suffices only modulo primes.
		if HasOrder(t.Root, order, q) {
			return fail("Root", "%d has order %d modulo %d, but its power %d is not -1: the modulus is not a prime, and the values there do not determine a polynomial", t.Root, order, q, order/2)
		}
		return fail("Root", "%d does not have order %d modulo %d", t.Root, order, q)
	}
	x := &Transform{t: t, r: divider{q}, log: bits.TrailingZeros64(n)}
	inverse, _ := InvMod(t.Root, q)
	perN, _ := InvMod(n, q)
	x.roots = make([]uint64, n)
	x.back = make([]uint64, n)
	for m := uint64(2); m <= n; m *= 2 {
		// A cyclic transform of m points has the root u of order m and the factors u^k; a negacyclic one has the root u of
		// order 2m and the factors u^(2k+1).
		u := PowMod(t.Root, n/m, q)
		v := PowMod(inverse, order/m, q)
		f, b := 1%q, 1%q
		step := u
		if t.Negacyclic {
			f, step = u, MulMod(u, u, q)
		}
		for k := range m / 2 {
			x.roots[m/2+k], x.back[m/2+k] = f, b
			f, b = MulMod(f, step, q), MulMod(b, v, q)
		}
	}
	x.scale = make([]uint64, n)
	f := perN
	for j := range x.scale {
		x.scale[j] = f
		if t.Negacyclic {
			f = MulMod(f, inverse, q)
		}
	}
	return x, nil
}

// kind returns "cyclic" or "negacyclic".
func kind(t modular.Transform) string {
	if t.Negacyclic {
		return "negacyclic"
	}
	return "cyclic"
}

// Transform returns the transform that is computed.
func (x *Transform) Transform() modular.Transform { return x.t }

// Forward sets dst to the values X_k of the polynomial with the coefficients src, both in natural order.
//
// Shape:   dst and src have N numbers; it panics otherwise.
// Domain:  any words; those that are not reduced stand for their residues.
// Range:   [0, q).
// Alias:   dst and src are the same, or do not overlap.
// Cost:    N/2·log2 N products, each with one division of 128 bits by 64.
func (x *Transform) Forward(dst, src []uint64) {
	x.load(dst, src)
	x.butterflies(dst, x.roots)
}

// Inverse sets dst to the coefficients of the polynomial with the values src, both in natural order.
//
// Shape, Domain, Range, Alias: as for Forward.
// Cost:    N/2·log2 N + N products.
func (x *Transform) Inverse(dst, src []uint64) {
	x.load(dst, src)
	x.butterflies(dst, x.back)
	for j, s := range x.scale {
		dst[j] = x.r.mul(dst[j], s)
	}
}

// load copies src to dst, reduced and with the bits of the places reversed.
func (x *Transform) load(dst, src []uint64) {
	if len(dst) != x.t.N || len(src) != x.t.N {
		panic(transformLength)
	}
	copy(dst, src)
	for i, a := range dst {
		if a >= x.r.q {
			dst[i] = a % x.r.q
		}
	}
	for i := range dst {
		if j := modular.BitReversed.Place(i, len(dst)); i < j {
			dst[i], dst[j] = dst[j], dst[i]
		}
	}
}

// butterflies joins transforms of m/2 points to transforms of m, for m = 2, 4, … N: the one of the even coefficients and the one
// of the odd coefficients are side by side.
func (x *Transform) butterflies(a, roots []uint64) {
	r := x.r
	for half := 1; half < len(a); half *= 2 {
		w := roots[half : 2*half]
		for i := 0; i < len(a); i += 2 * half {
			even, odd := a[i:i+half], a[i+half:i+2*half]
			for k, f := range w {
				u, v := even[k], r.mul(odd[k], f)
				even[k], odd[k] = r.add(u, v), r.sub(u, v)
			}
		}
	}
}

// At returns X_k, the value of the polynomial with coefficients a at point k, by Horner's rule.
//
// Shape:   a has N numbers and 0 <= k < N; it panics otherwise.
// Domain:  any words.
// Range:   [0, q).
func (x *Transform) At(a []uint64, k int) uint64 {
	if len(a) != x.t.N || k < 0 || k >= x.t.N {
		panic(transformLength)
	}
	q, e := x.t.Modulus, uint64(k)
	if x.t.Negacyclic {
		e = 2*e + 1
	}
	point := PowMod(x.t.Root, e, q)
	var v uint64
	for j := len(a) - 1; j >= 0; j-- {
		v = AddMod(MulMod(v, point, q), a[j], q)
	}
	return v
}
