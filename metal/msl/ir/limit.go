package ir

import "math"

// LimitULP returns how far from the exact value a device's result of op may lie: by ulps units in the last place of the exact value,
// or by abs, whichever is more. x are the operands' values. 0 and 0 mean that the result is fixed: correctly rounded, or
// exact. An infinite limit means that the specification gives none for these operands.
//
// FastFunctions in fp chooses the limits of fast mathematics, which differ for F32 only. Where the specification
// composes a function of others (exp10, the powers, tan, sinh, cosh, tanh, atan2, sqrt), the limit is the sum of the parts' to first order,
// with one ulp for each rounding between them, and double that where a part's error is taken times a condition number.
//
// An ulp is the gap between the floats around the exact value; next to a power of two the smaller gap is meant here, so that
// a wider reading of MSL's definition admits whatever this one does.
//
// Source: [MSL 4.0] §8.4 with tables 8.1 (F32), 8.2 (F32 fast), 8.3 (F16: 1 ulp for each function that is not exact) and, of quotients of BF16, 8.4 and 8.5. The tables of BF16 have
// no functions, which are taken to have F16's limit, and neither has table 8.3 the powers.
func LimitULP(op Op, t Type, fp FP, x ...float64) (ulps, abs float64) {
	fast := fp&FastFunctions != 0
	if op == Div && fast {
		return limitFastDiv(t, x)
	}
	if op >= opCount || !Ops[op].Library || op == Fmod {
		if op == Fmod && fast && t == F32 {
			return math.Inf(1), 0
		}
		return 0, 0
	}
	switch {
	case (op == Sqrt || op == Rsqrt) && !(fast && t == F32):
		return 0, 0
	case t != F32:
		return 1, 0
	case fast:
		return limitFast(op, x)
	}
	switch op {
	case Tan, TanPi, Atan2:
		return 6, 0
	case Atan, Tanh, Atanh:
		return 5, 0
	case Pow, Powr:
		return 16, 0
	}
	return 4, 0
}

func limitFastDiv(t Type, x []float64) (ulps, abs float64) {
	switch {
	case t == F16:
		return 0, 0
	case len(x) > 1 && (math.Abs(x[1]) < 0x1p-126 || math.Abs(x[1]) > 0x1p126):
		return math.Inf(1), 0
	case t == BF16:
		return 0.6, 0
	case len(x) > 0 && x[0] == 1:
		return 1, 0
	}
	return 2.5, 0
}

// limitFast is table 8.2.
func limitFast(op Op, x []float64) (ulps, abs float64) {
	var a, b float64
	if len(x) > 0 {
		a = x[0]
	}
	if len(x) > 1 {
		b = x[1]
	}
	exp2 := func(x float64) float64 { return 3 + math.Floor(math.Abs(2*x)) }
	switch op {
	case Rsqrt:
		return 2, 0
	case Sqrt: // x·rsqrt(x)
		return 3, 0
	case Exp, Exp2:
		return exp2(a), 0
	case Exp10: // exp2(x·log2(10)): half an ulp of the product y, times ln 2·|y|
		y := float64(a * (math.Ln10 / math.Ln2))
		return exp2(y) + float64(2*math.Abs(y)), 0
	case Log, Log2, Log10:
		inside := a >= 0.5 && a <= 2
		switch {
		case op == Log && inside:
			return 0, 0x1p-21
		case op == Log:
			return 3, 0
		case op == Log2 && inside:
			return 0, 0x1p-22
		case op == Log2:
			return 2, 0
		case inside: // log2(x)·log10(2)
			return 1, 0x1p-22 * (math.Ln2 / math.Ln10)
		}
		return 5, 0
	case Sin, Cos, SinPi, CosPi:
		limit := math.Pi
		if op == SinPi || op == CosPi {
			limit = 1
		}
		if math.Abs(a) <= limit {
			return 0, 0x1p-13
		}
		return math.Inf(1), 0 // "larger": no number is given
	case Tan, TanPi:
		// sin·(1/cos): both err by 2^-13, so tan by 2^-13·(|sin|+|cos|)/cos² to first order.
		limit := math.Pi
		if op == TanPi {
			limit, a = 1, float64(a*math.Pi)
		}
		if math.Abs(x[0]) > limit {
			return math.Inf(1), 0
		}
		s, c := math.Sin(a), math.Cos(a)
		if math.Abs(c) <= 0x1p-12 {
			return math.Inf(1), 0
		}
		return 3, 2 * 0x1p-13 * (math.Abs(s) + math.Abs(c)) / float64(c*c)
	case Asin, Acos, Atan:
		if op == Asin && math.Abs(a) < 0x1p-125 {
			return math.Inf(1), 0
		}
		return 5, 0
	case Atan2: // atan(y/x), and π added where x < 0; "if x = 0 or y = 0, the result is undefined"
		if a == 0 || b == 0 {
			return math.Inf(1), 0
		}
		return 5 + 3 + 1, 0
	case Sinh, Cosh: // (exp(x) ± exp(-x))/2
		e := exp2(a / math.Ln2)
		if op == Sinh && a != 0 { // cancels near 0
			e *= 1 / math.Abs(math.Tanh(a))
		}
		return float64(2*e) + 2, 0
	case Tanh: // (t-1)/(t+1), t = exp(2x)
		e := exp2(2 * a / math.Ln2)
		if a != 0 {
			e *= math.Max(1, 1/math.Abs(a))
		}
		return float64(2*e) + 4, 0
	case Asinh, Acosh, Atanh: // logs of small numbers near 0 or 1
		return math.Inf(1), 0
	case Pow, Powr: // exp2(y·log2 x), "undefined for x = 0 and y = 0"
		a = math.Abs(a)
		if a == 0 && b == 0 {
			return math.Inf(1), 0
		}
		if a == 0 || math.IsInf(a, 0) {
			return 0, 0
		}
		l := math.Log2(a)
		e := float64(math.Abs(b*l) * 2) // 2 ulps of log2, one of the product
		if a >= 0.5 && a <= 2 {
			e = float64(float64(math.Abs(b)*0x1p-22)*0x1p24) + math.Abs(b*l)
		}
		return exp2(float64(b*l)) + float64(2*e), 0
	}
	return 4, 0
}

// maxSteps is how far Perturb goes from the exact value where the specification sets no limit, in ulps.
const maxSteps = 64

// Perturb returns a result of op that a conforming device may give instead of result, which is Eval's for the same args:
// drawn from seed, anywhere within LimitULP of the exact value. The same arguments give the same result.
//
// Operations without a limit are returned as they are, and so are special results: NaN, infinities, zeros and, for operands
// where C's Annex F fixes the value (exp 0, cos 0, pow(1, y), pow(x, 0), …), that value. No result turns infinite or zero, nor
// subnormal where ar flushes results; an absolute limit may change the sign. Where the specification has no limit,
// it stays within 64 ulps.
//
// Error:   the exact value is known to 2^-40 of itself, and as much is taken off the limit.
func Perturb(op Op, t Type, fp FP, ar Arith, args []uint64, result, seed uint64) uint64 {
	if !t.IsFloat() || op >= opCount || !(Ops[op].Library || op == Div && fp&FastFunctions != 0) || len(args) == 0 {
		return result
	}
	l := &layouts[t]
	if m := result &^ l.sign; m == 0 || m >= l.inf {
		return result
	}
	var x [2]float64
	n := min(len(args), len(x))
	for i := range n {
		x[i] = ar.read(t, args[i])
	}
	ulps, abs := LimitULP(op, t, fp, x[:n]...)
	if ulps == 0 && abs == 0 || fixed(op, x[:n]) {
		return result
	}
	if math.IsInf(ulps, 1) {
		ulps = maxSteps
	}
	exact := exactly(op, x[0], x[1])
	low := Arith{}.narrow(t, math.Abs(exact), true)
	if low+1 >= l.inf {
		return result
	}
	gap := Widen(t, low+1) - Widen(t, low)
	if low > 0 && Widen(t, low) == math.Abs(exact) {
		gap = Widen(t, low) - Widen(t, low-1)
	}
	room := max(float64(ulps*gap), abs) - float64(math.Abs(exact)*0x1p-40)
	h := mix(seed ^ mix(uint64(op)<<8|uint64(t)))
	for _, a := range args[:n] {
		h = mix(h ^ a)
	}
	to := exact + float64((float64(float64(h>>11)*0x1p-52)-1)*room)
	v := Arith{}.narrow(t, to, false)
	if math.Abs(Widen(t, v)-exact) > room {
		v = Arith{}.narrow(t, to, true)
		if math.Abs(Widen(t, v)-exact) > room {
			return result
		}
	}
	if m := v &^ l.sign; m == 0 || m >= l.inf || m < 1<<l.man && ar.flush(t).Out {
		return result
	}
	return v
}

// exactly returns the value of a library function or a quotient in binary64.
func exactly(op Op, x, y float64) float64 {
	switch op {
	case Div:
		return x / y
	case Sqrt:
		return math.Sqrt(x)
	case Rsqrt:
		return 1 / math.Sqrt(x)
	case Fmod:
		return math.Mod(x, y)
	}
	return function64(op, x, func() float64 { return y })
}

// fixed reports whether Annex F gives op's value at x, other than zeros, infinities and NaNs. Source: [C17] F.10.
func fixed(op Op, x []float64) bool {
	switch op {
	case Exp, Exp2, Exp10, Cos, CosPi, Cosh:
		return x[0] == 0
	case Pow, Powr:
		return len(x) > 1 && (x[1] == 0 || x[0] == 1 || x[0] == -1 && math.IsInf(x[1], 0))
	case Atan, Tanh:
		return math.IsInf(x[0], 0)
	case Atan2:
		return len(x) > 1 && (x[0] == 0 || x[1] == 0 || math.IsInf(x[0], 0) || math.IsInf(x[1], 0))
	}
	return false
}

// mix is a bijection of 64 bits in which every bit depends on every bit: the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
