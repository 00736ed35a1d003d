package main

import (
	"strings"

	"gamma/model/modular"
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
	return library{Name: "FLINT", Package: "libflint-dev", Shim: "flint.c", Link: []string{"-lflint"}, Version: dpkg("libflint17"), Claims: exactly("f_", []operation{
		{"nmod_mul", modular.Product, 1<<64 - 1, "a·b mod n, n up to 64 bits"},
		{"nmod_add", modular.Sum, 1<<64 - 1, "a + b mod n, n up to 64 bits"},
		{"nmod_sub", modular.Difference, 1<<64 - 1, "a - b mod n, n up to 64 bits"},
		{"nmod_neg", modular.Negative, 1<<64 - 1, "-a mod n, n up to 64 bits"},
		{"nmod_inv", modular.Inverse, 1<<64 - 1, "1/a mod n, n up to 64 bits"},
		{"n_mulmod2", modular.Product, 1<<64 - 1, "a·b mod n, n up to 64 bits"},
		{"n_mulmod_precomp", modular.Product, 1<<53 - 1, "a·b mod n, n up to 53 bits"},
		{"n_mulmod_shoup", modular.Product, 1<<63 - 1, "a·b mod n, n up to 63 bits"},
	}, from)}
}

// ntlBound is NTL_SP_BOUND where a long has 64 bits.
const ntlBound = 1 << 60

func ntl() library {
	from := source{"\"return (a*b)%n\" and the like, for 0 <= a, b < n and n in the range 2..NTL_SP_BOUND-1, which is 2^60 here", "NTL 11.5, ZZ.txt, single-precision modular arithmetic"}
	return library{Name: "NTL", Package: "libntl-dev", Shim: "ntl.cc", Link: []string{"-lntl", "-lgmp"}, Version: dpkg("libntl44"), Claims: exactly("ntl_", []operation{
		{"MulMod", modular.Product, ntlBound - 1, "a·b mod n"},
		{"MulMod_inverse", modular.Product, ntlBound - 1, "a·b mod n, by PrepMulMod"},
		{"MulModPrecon", modular.Product, ntlBound - 1, "a·b mod n, by PrepMulModPrecon"},
		{"AddMod", modular.Sum, ntlBound - 1, "a + b mod n"},
		{"SubMod", modular.Difference, ntlBound - 1, "a - b mod n"},
		{"NegateMod", modular.Negative, ntlBound - 1, "-a mod n"},
		{"InvMod", modular.Inverse, ntlBound - 1, "1/a mod n"},
	}, from)}
}
