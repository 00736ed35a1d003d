package ntt

import (
	"fmt"
	"math/big"
	"math/bits"
	"unsafe"

	"gamma/model/modular"
)

// maxPoints is the greatest N that a plan is made for, here 2^40, or 2^27 where an int has 32 bits: up to it, the tables' lengths in bytes
// fit an int, though the machine may have less memory.
const maxPoints = 1 << (27 + bits.UintSize/64*13)

// checkSize returns an error unless n is a number of points.
func checkSize(n int) error {
	if n < 1 || n&(n-1) != 0 {
		return fmt.Errorf("ntt: N is %d; a transform has 1, 2, 4, 8, … points", n)
	}
	return nil
}

// isPrime reports whether q is prime. ProbablyPrime errs for no number below 2^64.
func isPrime(q uint64) bool { return new(big.Int).SetUint64(q).ProbablyPrime(0) }

// checkModulus returns an error unless q is a modulus of transforms with words of b bits.
func checkModulus(name string, m modular.Moduli, b int, q uint64) error {
	if err := m.Admits(q, b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !isPrime(q) {
		return fmt.Errorf("%s: modulus %d is composite; it must be prime", name, q)
	}
	return nil
}

// ring returns "cyclic" or "negacyclic".
func ring(negacyclic bool) string {
	if negacyclic {
		return "negacyclic"
	}
	return "cyclic"
}

// checkOrder returns an error if a prime q has no root of unity for transforms of n points.
func checkOrder(name string, q uint64, n int, negacyclic bool) error {
	order := modular.Transform{N: n, Negacyclic: negacyclic}.RootOrder()
	if (q-1)%order == 0 {
		return nil
	}
	twos := bits.TrailingZeros64(q - 1)
	most := uint64(1) << twos
	if negacyclic {
		most /= 2
	}
	return fmt.Errorf("%s: modulus %d has no root of order %d: q-1 = 2^%d·%d, so that %s transforms have %d points at most, not %d",
		name, q, order, twos, (q-1)>>twos, ring(negacyclic), most, n)
}

// checkRoot returns an error unless t.Root is a root for t; the modulus is a prime that has one.
func checkRoot(name string, t modular.Transform) error {
	if t.Root == 0 || t.Root >= t.Modulus {
		return fmt.Errorf("%s: root %d is not in [1, q) for q = %d", name, t.Root, t.Modulus)
	}
	f := newField(t.Modulus)
	// The powers x^1, x^2, x^4, …: the order is 2^k if x^(2^k) is the first that is 1.
	want := t.RootOrder()
	x, order := f.enter(t.Root), uint64(1)
	for range bits.TrailingZeros64(want) {
		if x == f.r {
			break
		}
		x, order = f.mul(x, x), 2*order
	}
	switch {
	case x != f.r:
		return fmt.Errorf("%s: root %d modulo %d has an order that does not divide %d; a %s transform of %d points needs one of order %d",
			name, t.Root, t.Modulus, want, ring(t.Negacyclic), t.N, want)
	case order != want:
		return fmt.Errorf("%s: root %d modulo %d has order %d; a %s transform of %d points needs one of order %d",
			name, t.Root, t.Modulus, order, ring(t.Negacyclic), t.N, want)
	}
	return nil
}

// check returns an error if claim c does not cover t.
func check(name string, c *modular.TransformClaim, t modular.Transform) error {
	if err := checkSize(t.N); err != nil {
		return err
	}
	if t.Negacyclic != c.Negacyclic {
		return fmt.Errorf("%s: the transform is %s and the kernel's are %s", name, ring(t.Negacyclic), ring(c.Negacyclic))
	}
	if t.N > maxPoints {
		return fmt.Errorf("%s: N is %d; plans have %d points at most", name, t.N, uint64(maxPoints))
	}
	if t.N < c.MinN || c.MaxN > 0 && t.N > c.MaxN {
		return fmt.Errorf("%s: N is %d; the kernel has from %d to %d points", name, t.N, max(c.MinN, 1), c.MaxN)
	}
	if err := checkModulus(name, c.Moduli, c.Bits, t.Modulus); err != nil {
		return err
	}
	if err := checkOrder(name, t.Modulus, t.N, t.Negacyclic); err != nil {
		return err
	}
	return checkRoot(name, t)
}

// overlap reports whether x and y share a word without being the same slice.
func overlap[T any](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 || &x[0] == &y[0] && len(x) == len(y) {
		return false
	}
	// The garbage collector does not move heap objects: addresses can be compared.
	first := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(x) <= last(y) && first(y) <= last(x)
}

// fits returns an error unless dst can take the transforms of src, of n words each.
func fits[T any](name string, n int, dst, src []T) error {
	switch {
	case len(dst) != len(src):
		return fmt.Errorf("%s: dst has %d words and src has %d; they must have the same length", name, len(dst), len(src))
	case len(src)%n != 0:
		return fmt.Errorf("%s: %d words are not a multiple of N = %d", name, len(src), n)
	case overlap(dst, src):
		return fmt.Errorf("%s: dst and src overlap; they must be the same words or not overlap", name)
	}
	return nil
}

// within returns an error that names the first word of x that is not in [0, bound).
func within[T uint32 | uint64](name string, x []T, bound uint64, what string) error {
	for i, v := range x {
		if uint64(v) >= bound {
			return fmt.Errorf("%s: word %d is %d; it must be below %s = %d", name, i, v, what, bound)
		}
	}
	return nil
}
