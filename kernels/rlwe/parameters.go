package rlwe

import (
	"fmt"
	"math/big"
)

// Q is the modulus of NewParameters: a prime, 2^60-98303, with negacyclic transforms of up to 2^14 points.
const Q uint64 = 0xffffffffffe8001 // 1152921504606748673

// Parameters are the parameters of a scheme.
type Parameters struct {
	N int    // coefficients of a polynomial: a power of two
	Q uint64 // the modulus: an odd prime, 1 modulo 2N
	T uint64 // the plaintext modulus, at least 2: coefficients of messages are below it
	// Sigma is σ, the errors' standard deviation before they are cut at 6σ. Nil means 3.2.
	Sigma *big.Rat
}

// NewParameters returns the parameters of n coefficients modulo Q, messages modulo t, and σ = 3.2.
func NewParameters(n int, t uint64) Parameters { return Parameters{N: n, Q: Q, T: t} }

// sigma returns σ.
func (p *Parameters) sigma() *big.Rat {
	if p.Sigma == nil {
		return big.NewRat(16, 5)
	}
	return p.Sigma
}

// Check returns an error that says what is wrong with the parameters, or nil. The transforms check whether Q is prime and has a root.
func (p *Parameters) Check() error {
	switch {
	case p.N < 1 || p.N&(p.N-1) != 0:
		return fmt.Errorf("rlwe: N is %d; it must be a power of two", p.N)
	case p.N > 1<<26:
		return fmt.Errorf("rlwe: N is %d, above 2^26", p.N)
	case p.T < 2:
		return fmt.Errorf("rlwe: the plaintext modulus is %d; it must be at least 2", p.T)
	}
	if err := checkSigma(p.sigma()); err != nil {
		return err
	}
	// The largest t with (2·bound + 1)·t < q.
	most := (max(p.Q, 1) - 1) / (2*p.NoiseBound() + 1)
	if p.T > most {
		return fmt.Errorf("rlwe: N = %d, q = %d, t = %d: noise of up to %d may change a message; t may be %d at most", p.N, p.Q, p.T, p.NoiseBound(), most)
	}
	return nil
}

// ErrorBound returns B = ⌊6σ⌋, the greatest magnitude of a coefficient of an error.
//
// Domain:  0 < σ <= 128, as Check requires.
func (p *Parameters) ErrorBound() uint64 { return errorBound(p.sigma()) }

// NoiseBound returns (2N+1)·B, which the magnitude of no coefficient of a fresh ciphertext's noise exceeds.
//
// Decryption finds c0 + c1·s = (e - a·s)·u + e1 + M + (a·u + e2)·s = M + v with M = ⌊q·m/t⌉ and the noise v = e·u + e1 + e2·s. A
// coefficient of a product modulo x^N+1 is a sum of N products of coefficients with signs, so that those of e·u and of e2·s are
// at most N·B·1 in magnitude, and with e1 all of v is at most (2N+1)·B. The bound is sharp: v reaches it at x^(N-1) if
// every coefficient of e, e1 and e2 is B and every one of u and s is 1.
//
// The message comes back if t·(M+v)/q rounds to m for each coefficient. M is q·m/t + d with |d| <= 1/2, so it is m + t·(d+v)/q,
// which is less than 1/2 from m if t·(2·|v|+1) < q: Check requires that of the bound.
//
// Domain:  as Check requires, except of Q and T: N up to 2^26 and B up to 768 keep it below 2^37.
func (p *Parameters) NoiseBound() uint64 { return (2*uint64(p.N) + 1) * p.ErrorBound() }
