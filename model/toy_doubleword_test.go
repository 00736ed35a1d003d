package model_test

// dwPlusFP is DWPlusFP in toy numbers.
func (t toy) dwPlusFP(hi, lo, y int64) (zh, zl int64) {
	sh, sl := t.twoSum(hi, y)
	return t.fastTwoSum(sh, t.one(lo+sl))
}

// fastTwoSum is Fast2Sum by its three operations.
func (t toy) fastTwoSum(a, b int64) (s, e int64) {
	s = t.one(a + b)
	return s, t.one(b - t.one(s-a))
}

// doubleWord is the sum by DWPlusFP: the words are those of the sum, and the errors those of its high word.
func (t toy) doubleWord() stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			hi, lo := t.dwPlusFP(w[0], w[1], x)
			return state{hi, lo}
		},
	}
}

// doubleWordDot adds both words of each product; its leaves are the exact products.
func (t toy) doubleWordDot() stream {
	step := func(w state, x int64) state {
		p := t.one(x)
		hi, lo := t.dwPlusFP(w[0], w[1], p)
		hi, lo = t.dwPlusFP(hi, lo, t.one(x-p))
		return state{hi, lo}
	}
	return stream{start: func(x int64) state { return step(state{}, x) }, step: step}
}

// divFP3 is DWDivFP3 of a double word by n, in toy numbers of a finer grid: words are multiples of 2^-fine units, so that nothing
// underflows. x holds such multiples.
func (t toy) divFP3(hi, lo, n int64) (zh, zl int64) {
	th := t.wideQuotient(hi, n)
	ph := t.one(th * n)
	pl := t.one(th*n - ph)
	dt := t.one(t.one(hi-ph) - pl)
	return t.fastTwoSum(th, t.wideQuotient(t.one(dt+lo), n))
}

// wideQuotient returns a/n rounded to p bits, a tie to even or away; it panics where the quotient needs finer units.
func (t toy) wideQuotient(a, n int64) int64 {
	// Twice the quotient and a sticky bit round as the quotient does where it has two bits to spare.
	q, r := a/n, a%n
	if r == 0 {
		return t.one(q)
	}
	if m := max(q, -q); m < 4<<t.p {
		panic("the quotient needs finer units")
	}
	// |q| has two bits more than p, so that its last bit may stand for all below it.
	if a < 0 {
		return t.one(-(-q | 1))
	}
	return t.one(q | 1)
}
