package main

import (
	"math"
	"math/big"

	"gamma/model/word"
	"gamma/props/judge"
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
	quad := func(f word.Function) word.Claim {
		op := word.Op{Function: f, X: 4, Z: 4}
		if f != word.Root {
			op.Y = 4
		}
		return word.Claim{Op: op, Splits: true, Finite: true}
	}
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
		{"qd_ieee_add", "within 2^-209 = 8u⁴", quad(word.Sum), eps, ""},
		{"qd_mul", "within 2^-209 = 8u⁴", quad(word.Product), eps, ""},
		{"qd_div", "within 2^-209 = 8u⁴", quad(word.Quotient), eps, "The error reaches 1.34·2^-209: eps is no bound of the quotient, and the documentation does not say that it is. TestByHand/libqd computes it."},
		{"qd_sqrt", "within 2^-209 = 8u⁴", quad(word.Root), eps, ""},
	}
	// Sums of numbers of opposite signs may cancel all their words; the law leaves them out.
	l := library{Name: "libqd", Package: "libqd-dev", Shim: "qd.cc", Link: []string{"-lqd"}, Version: dpkg("libqd0v5")}
	for _, k := range claims {
		l.Claims = append(l.Claims, claim{Name: k.name, Kernel: "void " + symbol(k.name) + "(double *dst, const double *src, int64_t rows)", Make: rows(k.claim, quadLaw), Says: k.says, From: k.from, Found: k.found})
	}
	return l
}

// quadLaw holds results of four words to 8u⁴ = 2^-209 of the exact result, by math/big.
var quadLaw = judge.WordLaw{
	ID: "peers.quad", Statement: "|z - exact| <= 2^-209·|exact|", Hypotheses: "operands are quad-doubles of magnitudes from 2^-64 to 2^64; terms of a sum have one sign, and a radicand is positive",
	Source: "the claim",
	Relate: func(row []uint64) {
		for i := 0; i < len(row); i += 4 {
			normal(row[i:i+4], i == 0 || row[0]>>63 == row[i]>>63)
		}
	},
	Domain: func(row []uint64) string {
		for i := 0; i < len(row); i += 4 {
			if !isNormal(row[i : i+4]) {
				return "an operand is no quad-double of moderate magnitude"
			}
		}
		return ""
	},
	Judge: judgeQuad,
}

// isNormal reports whether four words are what normal makes.
func isNormal(words []uint64) bool {
	last := math.Float64frombits(words[0])
	if a := math.Abs(last); !(a >= 0x1p-64 && a <= 0x1p64) {
		return false
	}
	for _, w := range words[1:] {
		_, e := math.Frexp(last)
		if v := math.Float64frombits(w); v != 0 {
			if last == 0 || !(math.Abs(v) <= math.Ldexp(1, e-54)) {
				return false
			}
		}
		last = math.Float64frombits(w)
	}
	return true
}

// normal makes four words a quad-double of moderate magnitude: each word is below half a unit in the last place of the word before.
func normal(words []uint64, keep bool) {
	x := math.Float64frombits(words[0])
	if x != x || math.IsInf(x, 0) || x == 0 {
		x = 1
	}
	frac, e := math.Frexp(x)
	if e %= 64; !keep {
		frac = -frac
	}
	words[0] = math.Float64bits(math.Ldexp(frac, e))
	for i := 1; i < len(words); i++ {
		next, _ := math.Frexp(math.Float64frombits(words[i]))
		if next != next || math.IsInf(next, 0) {
			next = 0.5
		}
		e -= 54
		words[i] = math.Float64bits(math.Ldexp(next, e))
		if next != 0 {
			_, e = math.Frexp(math.Float64frombits(words[i]))
		}
	}
}

// judgeQuad compares with 1,000 bits, which hold sums and products of quad-doubles exactly; the error of quotients and roots is below 2^-990.
func judgeQuad(r *judge.WordRow) judge.Verdict {
	number := func(words []uint64) *big.Float {
		z := new(big.Float).SetPrec(1000)
		for _, w := range words {
			z.Add(z, new(big.Float).SetFloat64(math.Float64frombits(w)))
		}
		return z
	}
	for _, w := range r.Out {
		if v := math.Float64frombits(w); v != v || math.IsInf(v, 0) {
			return judge.Verdict{Outcome: judge.Violated, Reason: "a word of the result is no finite number"}
		}
	}
	x, exact := number(r.In[:4]), new(big.Float).SetPrec(1000)
	switch r.Claim.Op.Function {
	case word.Sum:
		y := number(r.In[4:])
		if x.Sign() != y.Sign() {
			return judge.Verdict{Outcome: judge.Vacuous, Reason: "the terms have different signs"}
		}
		exact.Add(x, y)
	case word.Product:
		exact.Mul(x, number(r.In[4:]))
	case word.Quotient:
		exact.Quo(x, number(r.In[4:]))
	default:
		if x.Sign() < 0 {
			return judge.Verdict{Outcome: judge.Vacuous, Reason: "the radicand is negative"}
		}
		exact.Sqrt(x)
	}
	off := new(big.Float).Sub(number(r.Out), exact)
	ratio, _ := off.Quo(off.Abs(off), exact.SetMantExp(exact.Abs(exact), -209)).Float64()
	if ratio > 1 {
		return judge.Verdict{Outcome: judge.Violated, Reason: "the error exceeds 2^-209 of the result", Bound: "8u⁴", Ratio: ratio}
	}
	return judge.Verdict{Outcome: judge.Holds, Bound: "8u⁴", Ratio: ratio}
}
