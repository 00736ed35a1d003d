package main

import (
	"fmt"
	"math/big"
	"strings"

	"gamma/model/modular"
	"gamma/props/judge"
)

// symbol returns the function that a claim's name begins with.
func symbol(name string) string {
	name, _, _ = strings.Cut(name, " ")
	return name
}

// reduced is the claim of a function of reduced residues modulo any q from 2 to most, for which the caller answers.
func reduced(f modular.Function, most uint64) modular.Claim {
	c := modular.Claim{Function: f, Bits: 64, Moduli: modular.Moduli{Max: most, Even: true, Unchecked: true}, Out: []modular.Word{{Name: "z", Range: 1}}}
	for _, name := range []string{"a", "b"}[:f.In()] {
		c.In = append(c.In, modular.Word{Name: name, Range: 1})
	}
	return c
}

// operation is a function modulo q with the greatest modulus that its documentation admits.
type operation struct {
	name string
	of   modular.Function
	most uint64
	says string
}

// exactly returns the claims of operations that return the reduced residue, exactly.
func exactly(prefix string, list []operation, from source) (claims []claim) {
	for _, o := range list {
		claims = append(claims, claim{
			Name: o.name, Kernel: "void " + prefix + symbol(o.name) + "(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t rows)", Make: modulo(reduced(o.of, o.most)), Says: o.says, From: from,
		})
	}
	return claims
}

func flint() library {
	from := source{"nmod functions return the result modulo n of reduced operands, for any n of a word; n_mulmod_precomp needs n below 2^53, n_mulmod_shoup below 2^63", "FLINT 2.9 manual, nmod_vec.h and ulong_extras.h"}
	claims := exactly("f_", []operation{
		{"nmod_mul", modular.Product, 1<<64 - 1, "a·b mod n, n up to 64 bits"},
		{"nmod_add", modular.Sum, 1<<64 - 1, "a + b mod n, n up to 64 bits"},
		{"nmod_sub", modular.Difference, 1<<64 - 1, "a - b mod n, n up to 64 bits"},
		{"nmod_neg", modular.Negative, 1<<64 - 1, "-a mod n, n up to 64 bits"},
		{"nmod_inv", modular.Inverse, 1<<64 - 1, "1/a mod n, n up to 64 bits"},
		{"n_mulmod2", modular.Product, 1<<64 - 1, "a·b mod n, n up to 64 bits"},
		{"n_mulmod_precomp", modular.Product, 1<<53 - 1, "a·b mod n, n up to 53 bits"},
		{"n_mulmod_shoup", modular.Product, 1<<63 - 1, "a·b mod n, n up to 63 bits"},
	}, from)
	fermat := source{"\"The radix 2 DIF FFT\" of 2n numbers modulo 2^(wn) + 1, where \"2^w is an 2n-th root of unity\", and its inverse without the division by 2n; judged modulo a prime that divides 2^(wn) + 1", "FLINT 2.9 manual, fft.h, fft_radix2 and ifft_radix2"}
	for _, f := range []struct {
		limbs  int
		primes []uint64
	}{{1, []uint64{274177, 67280421310721}}, {64, []uint64{114689, 26017793, 63766529, 190274191361, 1256132134125569}}} {
		claims = append(claims, claim{
			Name: fmt.Sprintf("fft_radix2 mod 2^%d+1", 64*f.limbs), Kernel: fmt.Sprintf("int f_fft_%d", f.limbs) + nttDeclaration, Make: fermatTransforms(64*f.limbs, f.primes),
			Says: "the cyclic transform and its inverse, exactly", From: fermat,
		})
	}
	product := func(name, says, text, where string, longest int) {
		claims = append(claims, claim{Name: name, Kernel: "void f_" + name + "(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t n)", Make: cyclicProducts(1<<64-1, longest), Says: says, From: source{text, where}})
	}
	product("nmod_poly_mul", "the product of polynomials, exactly", "\"Sets res to the product of poly1 and poly2\"; judged modulo x^N - 1", "FLINT 2.9 manual, nmod_poly.h", longest)
	product("fmpz_poly_mul_SS", "the product of polynomials by Schönhage's and Strassen's transform, exactly", "\"Sets res to the product of poly1 and poly2\" by that algorithm; judged modulo x^N - 1 and a modulus of a word", "FLINT 2.9 manual, fmpz_poly.h", 1<<14) // its memory grows with N²: 137 GB for 2^20
	return library{Name: "FLINT", Package: "libflint-dev", Shim: "flint.c", Link: []string{"-lflint", "-lgmp"}, Version: dpkg("libflint17"), Claims: claims}
}

const nttDeclaration = "(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction)"

// decimated is the claim of cyclic transforms of reduced residues from the natural order to the bit-reversed one, and back, with roots of their own.
func decimated(unscaled bool, minN, maxN int, moduli modular.Moduli) modular.TransformClaim {
	natural, reversed := modular.Side{Range: 1}, modular.Side{Range: 1, Order: modular.BitReversed}
	moduli.Prime, moduli.Unchecked = true, true
	return modular.TransformClaim{
		Bits: 64, OwnRoot: true, Unchecked: true, MinN: minN, MaxN: maxN, Moduli: moduli,
		Forward: modular.Direction{In: natural, Out: reversed}, Inverse: modular.Direction{In: reversed, Out: natural, Unscaled: unscaled},
	}
}

// residueTransforms judges number-theoretic transforms whose root of order n a function says.
func residueTransforms(c modular.TransformClaim, root func(of *opened) func(q uint64, n int) (uint64, error)) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		plan, root := of.lib.NTT(kernel, c), root(of)
		return judge.NTT{Name: name, Claim: c, Plan: func(t modular.Transform) (out modular.Transforms, err error) {
			if out, err = plan(t); err == nil {
				out.Root, err = root(t.Modulus, t.N)
			}
			return out, err
		}}
	}
}

// fermatTransforms are those modulo 2^bits + 1 by powers of 2, seen modulo primes that divide it.
func fermatTransforms(bits int, primes []uint64) maker {
	return residueTransforms(decimated(true, 2, 2*bits, modular.Moduli{Only: primes}), func(*opened) func(q uint64, n int) (uint64, error) {
		return func(q uint64, n int) (uint64, error) {
			return new(big.Int).Exp(big.NewInt(2), big.NewInt(int64(2*bits/n)), new(big.Int).SetUint64(q)).Uint64(), nil
		}
	})
}

// longest is the greatest length for which transforms and products are claimed; no documentation names one. A run draws up to 2^16 points, and more by -maxn.
const longest = 1 << 20

// cyclicProducts judges products of polynomials modulo x^N - 1: of rows of N coefficients of each.
func cyclicProducts(most uint64, maxN int) maker {
	c := modular.TransformClaim{Bits: 64, Product: true, Unchecked: true, MaxN: maxN, Moduli: modular.Moduli{Max: most, Prime: true, Unchecked: true}}
	return func(name string, of *opened, kernel string) judge.Subject {
		run := of.lib.Modular(kernel, reduced(modular.Product, most)) // as many rows as there are pairs of words
		return judge.NTT{Name: name, Claim: c, Plan: func(t modular.Transform) (modular.Transforms, error) {
			return modular.Transforms{Product: func(dst, a, b []uint64) error { return run(t.Modulus, dst, append(append([]uint64{}, a...), b...)) }}, nil
		}}
	}
}

// ntlBound is NTL_SP_BOUND where a long has 64 bits.
const ntlBound = 1 << 60

func ntl() library {
	from := source{"\"return (a*b)%n\" and the like, for 0 <= a, b < n and n in the range 2..NTL_SP_BOUND-1, which is 2^60 here", "NTL 11.5, ZZ.txt, single-precision modular arithmetic"}
	claims := exactly("ntl_", []operation{
		{"MulMod", modular.Product, ntlBound - 1, "a·b mod n"},
		{"MulMod_inverse", modular.Product, ntlBound - 1, "a·b mod n, by PrepMulMod"},
		{"MulModPrecon", modular.Product, ntlBound - 1, "a·b mod n, by PrepMulModPrecon"},
		{"AddMod", modular.Sum, ntlBound - 1, "a + b mod n"},
		{"SubMod", modular.Difference, ntlBound - 1, "a - b mod n"},
		{"NegateMod", modular.Negative, ntlBound - 1, "-a mod n"},
		{"InvMod", modular.Inverse, ntlBound - 1, "1/a mod n"},
	}, from)
	root := func(of *opened) func(q uint64, n int) (uint64, error) {
		run := of.lib.Modular("void ntl_root(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t rows)", reduced(modular.Negative, ntlBound-1))
		return func(q uint64, n int) (uint64, error) {
			var r [1]uint64
			err := run(q, r[:], []uint64{uint64(n)})
			return r[0], err
		}
	}
	return library{Name: "NTL", Package: "libntl-dev", Shim: "ntl.cc", Link: []string{"-lntl", "-lgmp"}, Version: dpkg("libntl44"), Claims: append(claims,
		claim{
			Name: "FFTFwd, FFTRev1", Kernel: "int ntl_fft" + nttDeclaration, Make: residueTransforms(decimated(false, 1, longest, modular.Moduli{Min: 11, Max: ntlBound - 1}), root), Says: "the cyclic transform and its inverse, exactly, modulo primes from 11 on",
			From: source{"CalcMaxRoot \"represents the max power of two for which an FFT mod p is supported\"; the order is that of the code", "NTL 11.5, lzz_p.txt; NTL/FFT.h"},
		},
		claim{
			Name: "mul of zz_pX", Kernel: "void ntl_mul(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t n)", Make: cyclicProducts(ntlBound-1, longest), Says: "the product of polynomials, exactly",
			From: source{"\"x = a * b\", by \"a combination of classical routines, Karatsuba, and FFT\"; judged modulo x^N - 1", "NTL 11.5, lzz_pX.txt"},
		})}
}
