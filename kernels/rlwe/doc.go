// Package rlwe encrypts under a key of the ring learning-with-errors problem, over any number-theoretic transforms: it is a
// test bed for those transforms. It must not protect secrets: nothing here runs in constant time, no parameter was chosen or checked
// for safety, and nothing guards against chosen ciphertexts.
//
// Start here: [NewParameters], [NewScheme], and [Scheme] with GenerateKeys, Encrypt and Decrypt. A scheme runs on the plans of kernels/ntt,
// or, through [NewRing], on the transforms of a shader on a device.
//
// All polynomials are modulo x^N+1 and q, and written as coefficients in natural order, so that keys and ciphertexts are
// the same on every device.
//
//	secret key   s, each coefficient -1, 0 or 1
//	public key   a uniform, b = e - a·s
//	encryption   c0 = b·u + e1 + ⌊q·m/t⌉, c1 = a·u + e2, of a message m of coefficients below t
//	decryption   ⌊t·(c0 + c1·s)/q⌉ modulo t
//
// where u is like s, and e, e1, e2 are errors: discrete Gaussians cut at 6σ. The noise e·u + e1 + e2·s has a proven bound,
// [Parameters.NoiseBound], and parameters for which that bound does not guarantee correct decryption are rejected.
//
// The problem is that of [Lyubashevsky-Peikert-Regev 2010], and the scaling of messages that of [Fan-Vercauteren 2012]. Keys in
// brackets are those of package model.
package rlwe
