package word

import "math/big"

// exact returns the bound of error-free transforms.
func exact(source string) []Bound {
	return []Bound{{Text: "0", MinP: 2, Source: source}}
}

func relative(text string, factor func(p int) *big.Rat, minP int, source string) []Bound {
	return []Bound{{Text: text, Factor: factor, MinP: minP, Source: source}}
}

// sqrt2 is an upper bound of √2, by less than 2^-62.
var sqrt2 = new(big.Rat).SetFrac64(6521908912666391107, 1<<62)

// normwise returns the bound (a·√2+b)·u² of the norm, squared, with the u³ terms of the composition: see composed.
func normwise(text string, mul func(p int) *big.Rat, source string) []Bound {
	return []Bound{{Text: text, Factor: composed(mul), Normwise: true, MinP: 6, TiesEven: true, Source: source}}
}

// composed returns the square of √2·m·(1+a) + a, where m bounds a double-word product and a = 3u²/(1-4u) a double-word sum.
//
// Proof. For z = (xy - vw) + i(xw + vy) the two products of a component err by at most m(|xy|+|vw|) and m(|xw|+|vy|), a vector
// whose norm is at most √2·m·|z1||z2| by Cauchy and Schwarz; the sum of the computed products errs by a times what it adds up
// to, whose norm is at most (1+√2·m)|z1||z2|. Source: [Gamma W6].
func composed(mul func(p int) *big.Rat) func(p int) *big.Rat {
	return func(p int) *big.Rat {
		a, m := accurate(p), new(big.Rat).Mul(sqrt2, mul(p))
		t := new(big.Rat).Mul(m, new(big.Rat).Add(a, big.NewRat(1, 1)))
		t.Add(t, a)
		return t.Mul(t, t)
	}
}

// rounded returns u+a·(1+u), the bound after one more rounding to nearest of a result whose error is at most a.
func rounded(a func(p int) *big.Rat) func(p int) *big.Rat {
	return func(p int) *big.Rat {
		once := new(big.Rat).Add(big.NewRat(1, 1), U(p))
		return once.Mul(once, a(p)).Add(once, U(p))
	}
}

// accurate returns 3u²/(1-4u).
func accurate(p int) *big.Rat {
	return new(big.Rat).Quo(poly(p, [2]int64{}, [2]int64{}, [2]int64{3, 1}), poly(p, [2]int64{1, 1}, [2]int64{-4, 1}))
}

// times3 returns (4u²+u³/2)/(1+u)².
func times3(p int) *big.Rat {
	d := poly(p, [2]int64{1, 1}, [2]int64{1, 1})
	return new(big.Rat).Quo(squares(4, 1, 1, 2)(p), d.Mul(d, d))
}

// algorithms is filled in order: a program may call those before it.
var algorithms []*Algorithm

func define(a Algorithm, src string) {
	p, err := Parse(src, func(name string) *Program {
		if a, ok := ByName(name); ok {
			return a.Program
		}
		return nil
	})
	if err != nil {
		panic(a.Name + ": " + err.Error())
	}
	a.Program = p
	algorithms = append(algorithms, &a)
}

func init() {
	defineTransforms()
	defineDoubleWord()
	defineComplex()
}

func defineTransforms() {
	define(Algorithm{Name: "2Sum", Op: TwoSum, Source: "[Knuth 1997] Theorem B", Bounds: exact("[Knuth 1997] Theorem B"), Normal: true}, `
		func(a, b); s = a + b; a1 = s - b; b1 = s - a1; da = a - a1; db = b - b1; e = da + db; return s, e`)
	define(Algorithm{Name: "2SumLeft", Op: TwoSum, Source: "[Knuth 1997] Theorem B with a and b exchanged", Bounds: exact("[Knuth 1997] Theorem B"), Normal: true}, `
		func(a, b); s = a + b; v = s - a; e = (a - (s - v)) + (b - v); return s, e`)
	define(Algorithm{Name: "Fast2Sum", Op: TwoSum, Source: "[Dekker 1971]", Bounds: exact("[Dekker 1971]"), Normal: true, Ordered: true}, `
		func(a, b); s = a + b; z = s - a; e = b - z; return s, e`)
	define(Algorithm{Name: "Veltkamp", Op: Split, Source: "[Dekker 1971]", Bounds: exact("[Dekker 1971]"), Splits: true}, `
		func(a); c = splitter * a; d = a - c; h = d + c; l = a - h; return h, l`)
	define(Algorithm{Name: "2ProdFMA", Op: TwoProduct, Source: "[JMP 2017] Algorithm 3", Bounds: exact("[JMP 2017]"), Normal: true}, `
		func(a, b); p = a * b; e = fma(a, b, -p); return p, e`)
	define(Algorithm{Name: "Dekker", Op: TwoProduct, Source: "[Dekker 1971]", Bounds: exact("[Dekker 1971]"), Normal: true, Splits: true}, `
		func(a, b); ah, al = Veltkamp(a); bh, bl = Veltkamp(b); p = a * b
		t1 = -p + ah*bh; t2 = t1 + ah*bl; t3 = t2 + al*bh; e = t3 + al*bl; return p, e`)
}

func defineDoubleWord() {
	define(Algorithm{Name: "DWPlusFP", Op: DWPlusFP, Source: "[JMP 2017] Algorithm 4", Normal: true, Bounds: relative("2u²", squares(2, 1), 3, "[MR 2022] Coq")}, `
		func(xh, xl, y); sh, sl = 2Sum(xh, y); v = xl + sl; zh, zl = Fast2Sum(sh, v); return zh, zl`)
	define(Algorithm{
		Name: "SloppyDWPlusDW", Op: DWPlusDW, Source: "[JMP 2017] Algorithm 5",
		Bounds: []Bound{{Text: "3u²", Factor: squares(3, 1), MinP: 3, Same: true, Source: "[JMP 2017]"}},
	}, `
		func(xh, xl, yh, yl); sh, sl = 2Sum(xh, yh); v = xl + yl; w = sl + v; zh, zl = Fast2Sum(sh, w); return zh, zl`)
	define(Algorithm{
		Name: "AccurateDWPlusDW", Op: DWPlusDW, Source: "[JMP 2017] Algorithm 6", Normal: true,
		Bounds: relative("3u²/(1-4u)", accurate, 3, "[MR 2022] Coq"),
	}, `
		func(xh, xl, yh, yl); sh, sl = 2Sum(xh, yh); th, tl = 2Sum(xl, yl); c = sl + th
		vh, vl = Fast2Sum(sh, c); w = tl + vl; zh, zl = Fast2Sum(vh, w); return zh, zl`)
	define(Algorithm{
		Name: "DWTimesFP1", Op: DWTimesFP, Source: "[JMP 2017] Algorithm 7", Normal: true,
		Bounds: relative("3/2·u²+4u³", squares(3, 2, 4, 1), 4, "[MR 2022] Coq"),
	}, `
		func(xh, xl, y); ch, cl1 = 2ProdFMA(xh, y); cl2 = xl * y; th, tl1 = Fast2Sum(ch, cl2); tl2 = tl1 + cl1
		zh, zl = Fast2Sum(th, tl2); return zh, zl`)
	define(Algorithm{Name: "DWTimesFP2", Op: DWTimesFP, Source: "[JMP 2017] Algorithm 8", Bounds: relative("3u²", squares(3, 1), 3, "[MR 2022] Coq")}, `
		func(xh, xl, y); ch, cl1 = 2ProdFMA(xh, y); cl2 = xl * y; cl3 = cl1 + cl2; zh, zl = Fast2Sum(ch, cl3); return zh, zl`)
	define(Algorithm{Name: "DWTimesFP3", Op: DWTimesFP, Source: "[JMP 2017] Algorithm 9", Normal: true, Bounds: relative("2u²", squares(2, 1), 3, "[MR 2022] Coq")}, `
		func(xh, xl, y); ch, cl1 = 2ProdFMA(xh, y); cl3 = fma(xl, y, cl1); zh, zl = Fast2Sum(ch, cl3); return zh, zl`)
	define(Algorithm{Name: "DWTimesDW1", Op: DWTimesDW, Source: "[JMP 2017] Algorithm 10", Bounds: []Bound{
		{Text: "5u²", Factor: squares(5, 1), MinP: 6, TiesEven: true, Source: "[MR 2022] Coq"},
		{Text: "11/2·u²", Factor: squares(11, 2), MinP: 6, Source: "[MR 2022] Coq"},
	}}, `
		func(xh, xl, yh, yl); ch, cl1 = 2ProdFMA(xh, yh); tl1 = xh * yl; tl2 = xl * yh; cl2 = tl1 + tl2; cl3 = cl1 + cl2
		zh, zl = Fast2Sum(ch, cl3); return zh, zl`)
	define(Algorithm{Name: "DWTimesDW2", Op: DWTimesDW, Source: "[JMP 2017] Algorithm 11", Bounds: relative("5u²", squares(5, 1), 5, "[MR 2022] Coq")}, `
		func(xh, xl, yh, yl); ch, cl1 = 2ProdFMA(xh, yh); tl = xh * yl; cl2 = fma(xl, yh, tl); cl3 = cl1 + cl2
		zh, zl = Fast2Sum(ch, cl3); return zh, zl`)
	define(Algorithm{Name: "DWTimesDW3", Op: DWTimesDW, Source: "[JMP 2017] Algorithm 12", Bounds: relative("(4u²+u³/2)/(1+u)²", times3, 5, "[MR 2022] Theorem 2.8")}, `
		func(xh, xl, yh, yl); ch, cl1 = 2ProdFMA(xh, yh); tl0 = xl * yl; tl1 = fma(xh, yl, tl0); cl2 = fma(xl, yh, tl1); cl3 = cl1 + cl2
		zh, zl = Fast2Sum(ch, cl3); return zh, zl`)
	define(Algorithm{Name: "DWDivFP1", Op: DWDivFP, Source: "[JMP 2017] Algorithm 13", Bounds: relative("7/2·u²", squares(7, 2), 4, "[MR 2022] Coq")}, `
		func(xh, xl, y); th = xh / y; ph, pl = 2ProdFMA(th, y); dh, d1 = 2Sum(xh, -ph); d2 = xl - pl; dl = d1 + d2; d = dh + dl; tl = d / y
		zh, zl = Fast2Sum(th, tl); return zh, zl`)
	define(Algorithm{Name: "DWDivFP2", Op: DWDivFP, Source: "[JMP 2017] Algorithm 14", Bounds: relative("7/2·u²", squares(7, 2), 4, "[MR 2022] Coq")}, `
		func(xh, xl, y); th = xh / y; ph, pl = 2ProdFMA(th, y); dh = xh - ph; dl = xl - pl; d = dh + dl; tl = d / y
		zh, zl = Fast2Sum(th, tl); return zh, zl`)
	define(Algorithm{Name: "DWDivFP3", Op: DWDivFP, Source: "[JMP 2017] Algorithm 15", Bounds: relative("3u²", squares(3, 1), 4, "[MR 2022] Coq")}, `
		func(xh, xl, y); th = xh / y; ph, pl = 2ProdFMA(th, y); dh = xh - ph; dt = dh - pl; d = dt + xl; tl = d / y
		zh, zl = Fast2Sum(th, tl); return zh, zl`)
	define(Algorithm{Name: "DWDivDW1", Op: DWDivDW, Source: "[JMP 2017] Algorithm 16", Bounds: relative("15u²+56u³", squares(15, 1, 56, 1), 7, "[MR 2022] Coq")}, `
		func(xh, xl, yh, yl); th = xh / yh; rh, rl = DWTimesFP1(yh, yl, th); ph, pl = 2Sum(xh, -rh); dh = pl - rl; dl = dh + xl; d = ph + dl; tl = d / yh
		zh, zl = Fast2Sum(th, tl); return zh, zl`)
	define(Algorithm{Name: "DWDivDW2", Op: DWDivDW, Source: "[JMP 2017] Algorithm 17", Bounds: relative("15u²+56u³", squares(15, 1, 56, 1), 7, "[MR 2022] Coq")}, `
		func(xh, xl, yh, yl); th = xh / yh; rh, rl = DWTimesFP1(yh, yl, th); ph = xh - rh; dl = xl - rl; d = ph + dl; tl = d / yh
		zh, zl = Fast2Sum(th, tl); return zh, zl`)
	define(Algorithm{Name: "DWDivDW3", Op: DWDivDW, Source: "[JMP 2017] Algorithm 18", Bounds: relative("49/5·u²", squares(49, 5), 14, "[MR 2022] Coq")}, `
		func(xh, xl, yh, yl); th = 1 / yh; rh = fma(-yh, th, 1); rl = -(yl * th); eh, el = Fast2Sum(rh, rl)
		dh, dl = DWTimesFP3(eh, el, th); mh, ml = DWPlusFP(dh, dl, th); zh, zl = DWTimesDW2(xh, xl, mh, ml); return zh, zl`)
	define(Algorithm{Name: "SQRTDWtoDW", Op: DWSqrt, Source: "[LLMPR 2023] Algorithm 8", Bounds: relative("25/8·u²", squares(25, 8), 5, "[LLMPR 2023]")}, `
		func(xh, xl); sh = sqrt(xh); r1 = fma(-sh, sh, xh); r2 = xl + r1; sl = r2 / (sh + sh); zh, zl = Fast2Sum(sh, sl); return zh, zl`)
}

func defineComplex() {
	norm := func(text string, c int64, minP int, source string) []Bound {
		return []Bound{{Text: text, Normwise: true, MinP: minP, Source: source, Factor: func(p int) *big.Rat { return poly(p, [2]int64{}, [2]int64{}, [2]int64{c, 1}) }}}
	}
	define(Algorithm{Name: "ComplexPlain", Op: ComplexTimes, Source: "[BPZ 2007]", Bounds: norm("√5·u of the norm", 5, 5, "[BPZ 2007] Theorem 1")}, `
		func(a, b, c, d); re = a*c - b*d; im = a*d + b*c; return re, im`)
	define(Algorithm{Name: "ComplexFMA", Op: ComplexTimes, Source: "[JKLM 2017]", Bounds: norm("2u of the norm", 4, 6, "[JKLM 2017]")}, `
		func(a, b, c, d); re = fma(a, c, -(b*d)); im = fma(a, d, b*c); return re, im`)
	define(Algorithm{Name: "ComplexKahan", Op: ComplexTimes, Source: "[JKLM 2017]", Bounds: []Bound{
		{Text: "2u", Factor: func(p int) *big.Rat { return poly(p, [2]int64{}, [2]int64{2, 1}) }, MinP: 2, Source: "[JLM 2013]"},
	}}, `
		func(a, b, c, d)
		w = b*d; e = fma(b, d, -w); f = fma(a, c, -w); re = f - e
		x = b*c; g = fma(b, c, -x); h = fma(a, d, x); im = h + g; return re, im`)
	define(Algorithm{Name: "Complex3", Op: ComplexTimes, Source: "[Knuth 1997] §4.6.4"}, `
		func(a, b, c, d); k1 = c * (a + b); k2 = a * (d - c); k3 = b * (c + d); re = k1 - k3; im = k1 + k2; return re, im`)
	define(Algorithm{Name: "ComplexExtended", Op: ComplexTimes, Source: "[JMP 2017] Algorithms 3 and 6", Bounds: relative("u+3u²·(1+u)/(1-4u), composed", rounded(accurate), 3, "[MR 2022] Coq")}, `
		func(a, b, c, d)
		ph, pl = 2ProdFMA(a, c); qh, ql = 2ProdFMA(b, d); re, rl = AccurateDWPlusDW(ph, pl, -qh, -ql)
		sh, sl = 2ProdFMA(a, d); th, tl = 2ProdFMA(b, c); im, il = AccurateDWPlusDW(sh, sl, th, tl)
		return re, im`)
	define(Algorithm{Name: "ComplexDWPlus", Op: ComplexDWPlus, Source: "[JMP 2017] Algorithm 6, twice", Normal: true, Bounds: relative("3u²/(1-4u)", accurate, 3, "[MR 2022] Coq")}, `
		func(ah, al, bh, bl, ch, cl, dh, dl); rh, rl = AccurateDWPlusDW(ah, al, ch, cl); ih, il = AccurateDWPlusDW(bh, bl, dh, dl); return rh, rl, ih, il`)
	for _, v := range []struct {
		name, mul, text string
		factor          func(p int) *big.Rat
	}{
		{"ComplexDW1", "DWTimesDW1", "(5√2+3)u² of the norm, composed", squares(5, 1)},
		{"ComplexDW2", "DWTimesDW2", "(5√2+3)u² of the norm, composed", squares(5, 1)},
		{"ComplexDW3", "DWTimesDW3", "(4√2+3)u² of the norm, composed", times3},
	} {
		define(Algorithm{Name: v.name, Op: ComplexDWTimes, Source: v.mul + " and AccurateDWPlusDW", Normal: true, Bounds: normwise(v.text, v.factor, "[Gamma W6]")}, `
			func(ah, al, bh, bl, ch, cl, dh, dl)
			ph, pl = `+v.mul+`(ah, al, ch, cl); qh, ql = `+v.mul+`(bh, bl, dh, dl); rh, rl = AccurateDWPlusDW(ph, pl, -qh, -ql)
			sh, sl = `+v.mul+`(ah, al, dh, dl); th, tl = `+v.mul+`(bh, bl, ch, cl); ih, il = AccurateDWPlusDW(sh, sl, th, tl)
			return rh, rl, ih, il`)
	}
}
