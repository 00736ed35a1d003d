package ntt

import "gamma/model/modular"

// FindRoot returns a root of unity for transforms of n points modulo a prime q: of order n if cyclic, of order 2n if negacyclic.
// It is the same one in every run: g^((q-1)/order) for the least g = 2, 3, 4, … for which that has the order.
//
// Domain:  n = 1, 2, 4, …; q an odd prime below 2^64 with q-1 a multiple of the order; otherwise it returns an error that says what is wrong.
// Range:   [1, q).
// Cost:    about 128 products for each g; half of all g have the order.
func FindRoot(q uint64, n int, negacyclic bool) (uint64, error) {
	const name = "ntt: FindRoot"
	if err := checkSize(n); err != nil {
		return 0, err
	}
	if err := checkModulus(name, anyOddPrime, 64, q); err != nil {
		return 0, err
	}
	if err := checkOrder(name, q, n, negacyclic); err != nil {
		return 0, err
	}
	order := modular.Transform{N: n, Negacyclic: negacyclic}.RootOrder()
	if order == 1 {
		return 1, nil
	}
	f := newField(q)
	minus := q - f.r
	for g := f.add(f.r, f.r); ; g = f.add(g, f.r) {
		// The order divides 2^k·rest; x has order 2^k if x^(2^(k-1)) = -1.
		if x := f.pow(g, (q-1)/order); f.pow(x, order/2) == minus {
			return f.leave(x), nil
		}
	}
}

// NewTransform returns the transform of n points modulo a prime q with the root that FindRoot finds.
//
// Domain:  as FindRoot.
func NewTransform(q uint64, n int, negacyclic bool) (modular.Transform, error) {
	root, err := FindRoot(q, n, negacyclic)
	return modular.Transform{Modulus: q, N: n, Negacyclic: negacyclic, Root: root}, err
}
