package main

import (
	"math/big"

	"gamma/model/word"
)

// relative returns a bound of so many times u to a power, relative to the exact result.
func relative(text string, factor, power int64, from string) *word.Bound {
	return &word.Bound{Text: text, Source: from, Factor: func(p int) *big.Rat {
		u := word.U(p)
		f := big.NewRat(factor, 1)
		for range power {
			f.Mul(f, u)
		}
		return f
	}}
}

// qd has libqd's double-double and quad-double numbers. They use Dekker's products, and promise nothing of infinities and NaNs.
func qd() library {
	jmp := source{"The code is the algorithm that is named, whose bound is a theorem", "libqd 2.3.23, qd/dd_inline.h; [JMP 2017]"}
	ieee := source{"\"fl(a + b) = (1 + d) * (a + b) where |d| <= eps\", with eps = 2^-104", "libqd, qd/qd_config.h, comment of QD_IEEE_ADD; dd_real::_eps"}
	eps := source{"The constant eps, relative to the result, is that of the type: 2^-104 of double-double, 2^-209 of quad-double", "libqd, dd_real::_eps and qd_real::_eps; qd.tex names no bound of the operation"}
	shortest := source{"Algorithm 16 with the product by Algorithm 8, whose bound is 3u² in place of 3/2·u², so that 15u² + 56u³ becomes less than 17u²", "libqd, qd/dd_inline.h; [JMP 2017] Theorem 7.1 and §5"}
	c := func(op word.Op, algorithm string, exact bool) word.Claim {
		return word.Claim{Op: op, Algorithm: algorithm, Exact: exact, Splits: true, Finite: true}
	}
	bound := func(op word.Op, b *word.Bound) word.Claim {
		return word.Claim{Op: op, Bound: b, Splits: true, Finite: true}
	}
	sum4, product4, quotient4, root4 := word.Op{Function: word.Sum, X: 4, Y: 4, Z: 4}, word.Op{Function: word.Product, X: 4, Y: 4, Z: 4}, word.Op{Function: word.Quotient, X: 4, Y: 4, Z: 4}, word.Op{Function: word.Root, X: 4, Z: 4}
	claims := []struct {
		name, says string
		claim      word.Claim
		from       source
		found      string
	}{
		{"two_sum", "a + b = s + e", word.Claim{Op: word.TwoSum, Finite: true}, jmp, ""},
		{"two_prod", "a·b = p + e", word.Claim{Op: word.TwoProduct, Splits: true, Finite: true}, jmp, ""},
		{"dd_add", "SloppyDWPlusDW bit by bit, and within 3u² where signs agree", c(word.DWPlusDW, "SloppyDWPlusDW", true), jmp, ""},
		{"dd_ieee_add", "AccurateDWPlusDW bit by bit, within 3u²/(1-4u)", c(word.DWPlusDW, "AccurateDWPlusDW", true), jmp, ""},
		{"dd_ieee_add eps", "within 2^-104 = 4u²", bound(word.DWPlusDW, relative("4u²", 4, 2, "the claim")), ieee, ""},
		{"dd_add_d", "DWPlusFP bit by bit, within 2u²", c(word.DWPlusFP, "DWPlusFP", true), jmp, ""},
		{"dd_mul", "DWTimesDW1 bit by bit, within 5u²", c(word.DWTimesDW, "DWTimesDW1", true), jmp, ""},
		{"dd_mul_d", "DWTimesFP2 bit by bit, within 3u²", c(word.DWTimesFP, "DWTimesFP2", true), jmp, ""},
		{"dd_sloppy_div", "within 17u²", bound(word.DWDivDW, relative("17u²", 17, 2, "the claim")), shortest, ""},
		{"dd_div", "within 17u²", bound(word.DWDivDW, relative("17u²", 17, 2, "the claim")), shortest, ""},
		{"dd_accurate_div", "within 2^-104 = 4u²", bound(word.DWDivDW, relative("4u²", 4, 2, "the claim")), eps, ""},
		{"dd_div_d", "DWDivFP2, within 7/2·u²", c(word.DWDivFP, "DWDivFP2", false), jmp, ""},
		{"dd_sqrt", "within 2^-104 = 4u²", bound(word.DWSqrt, relative("4u²", 4, 2, "the claim")), eps, "The error reaches 1.09·2^-104: eps is no bound of the root, and the documentation does not say that it is. TestByHand/libqd computes it."},
		{"qd_ieee_add", "within 2^-209 = 8u⁴", bound(sum4, relative("8u⁴", 8, 4, "the claim")), eps, ""},
		{"qd_mul", "within 2^-209 = 8u⁴", bound(product4, relative("8u⁴", 8, 4, "the claim")), eps, ""},
		{"qd_div", "within 2^-209 = 8u⁴", bound(quotient4, relative("8u⁴", 8, 4, "the claim")), eps, ""},
		{"qd_sqrt", "within 2^-209 = 8u⁴", bound(root4, relative("8u⁴", 8, 4, "the claim")), eps, ""},
	}
	l := library{Name: "libqd", Package: "libqd-dev", Shim: "qd.cc", Link: []string{"-lqd"}, Version: dpkg("libqd0v5")}
	for _, k := range claims {
		l.Claims = append(l.Claims, claim{Name: k.name, Kernel: "void " + symbol(k.name) + "(double *dst, const double *src, int64_t rows)", Make: rows(k.claim), Says: k.says, From: k.from, Found: k.found})
	}
	return l
}
