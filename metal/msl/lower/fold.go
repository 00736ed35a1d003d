package lower

import (
	"math"
	"math/bits"

	"gamma/metal/msl/ir"
	"gamma/metal/msl/typed"
)

func isFloat(k ir.Type) bool { return k == ir.F16 || k == ir.BF16 || k == ir.F32 }

func isSigned(k ir.Type) bool { return k == ir.I8 || k == ir.I16 || k == ir.I32 || k == ir.I64 }

func isInt(k ir.Type) bool { return k >= ir.I8 && k <= ir.U64 }

// width returns the bits of a scalar.
func width(k ir.Type) int {
	if k == ir.Bool {
		return 1
	}
	return 8 * typed.SizeOf(k)
}

func mask(k ir.Type) uint64 { return math.MaxUint64 >> (64 - width(k)) }

// signed returns the value of an integer's bits, those of U64 as they are.
func signed(k ir.Type, b uint64) int64 {
	if isSigned(k) {
		s := 64 - width(k)
		return int64(b<<s) >> s
	}
	return int64(b)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// foldBinary returns Op of two integers or bools if no engine could find a fault in it.
func foldBinary(op ir.Op, k ir.Type, a, b uint64) (uint64, bool) {
	if isFloat(k) {
		return foldFloatCompare(op, k, a, b)
	}
	x, y := signed(k, a), signed(k, b)
	m := mask(k)
	less := a < b
	if isSigned(k) {
		less = x < y
	}
	switch op {
	case ir.Eq:
		return b2u(a == b), true
	case ir.Ne:
		return b2u(a != b), true
	case ir.Lt:
		return b2u(less), true
	case ir.Le:
		return b2u(less || a == b), true
	case ir.And:
		return a & b, true
	case ir.Or:
		return a | b, true
	case ir.Xor:
		return a ^ b, true
	}
	if !isInt(k) {
		return 0, false
	}
	// fits keeps signed results that do not overflow.
	fits := func(r int64) (uint64, bool) { return uint64(r) & m, signed(k, uint64(r)&m) == r }
	switch op {
	case ir.Add:
		r := x + y
		if isSigned(k) {
			if (x^r)&(y^r) < 0 {
				return 0, false
			}
			return fits(r)
		}
		return uint64(r) & m, true
	case ir.Sub:
		r := x - y
		if isSigned(k) {
			if (x^y)&(x^r) < 0 {
				return 0, false
			}
			return fits(r)
		}
		return uint64(r) & m, true
	case ir.Mul:
		if isSigned(k) {
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
			if hi != uint64(int64(lo)>>63) {
				return 0, false
			}
			return fits(int64(lo))
		}
		return a * b & m, true
	case ir.Div, ir.Rem:
		if b == 0 || isSigned(k) && y == -1 {
			return 0, false
		}
		switch {
		case isSigned(k) && op == ir.Div:
			return uint64(x/y) & m, true
		case isSigned(k):
			return uint64(x%y) & m, true
		case op == ir.Div:
			return a / b, true
		}
		return a % b, true
	case ir.Shl:
		if b >= uint64(width(k)) {
			return 0, false
		}
		r := a << b & m
		if isSigned(k) && (x < 0 || signed(k, r)>>b != x) {
			return 0, false
		}
		return r, true
	case ir.Shr:
		if b >= uint64(width(k)) {
			return 0, false
		}
		if isSigned(k) {
			return uint64(x>>b) & m, true
		}
		return a >> b, true
	case ir.Min:
		if less {
			return a, true
		}
		return b, true
	case ir.Max:
		if less {
			return b, true
		}
		return a, true
	}
	return 0, false
}

// foldFloatCompare compares floats of which none is a NaN or subnormal: their order is the same for every device.
func foldFloatCompare(op ir.Op, k ir.Type, a, b uint64) (uint64, bool) {
	x, okX := exactFloat(k, a)
	y, okY := exactFloat(k, b)
	if !okX || !okY {
		return 0, false
	}
	switch op {
	case ir.Eq:
		return b2u(x == y), true
	case ir.Ne:
		return b2u(x != y), true
	case ir.Lt:
		return b2u(x < y), true
	case ir.Le:
		return b2u(x <= y), true
	}
	return 0, false
}

// foldUnary is foldBinary for one operand.
func foldUnary(op ir.Op, k ir.Type, a uint64) (uint64, bool) {
	switch {
	case op == ir.Not && k == ir.Bool:
		return a ^ 1, true
	case op == ir.Not && isInt(k):
		return ^a & mask(k), true
	case op == ir.Neg && isInt(k):
		if isSigned(k) && a == 1<<(width(k)-1) {
			return 0, false
		}
		return -a & mask(k), true
	case op == ir.Neg && isFloat(k):
		_, ok := exactFloat(k, a)
		return a ^ 1<<(width(k)-1), ok
	case op == ir.Popcount && isInt(k):
		return uint64(bits.OnesCount64(a)), true
	}
	return 0, false
}

// floatShape gives the bits of exponent and fraction of a format.
func floatShape(k ir.Type) (exp, frac int) {
	switch k {
	case ir.F16:
		return 5, 10
	case ir.BF16:
		return 8, 7
	}
	return 8, 23
}

// exactFloat returns the value of a float that is zero or normal, or an infinity.
func exactFloat(k ir.Type, b uint64) (float64, bool) {
	e, f := floatShape(k)
	exp := int(b>>f) & (1<<e - 1)
	frac := b & (1<<f - 1)
	sign := 1.0
	if b>>(e+f)&1 != 0 {
		sign = -1
	}
	switch {
	case exp == 0 && frac == 0:
		return math.Copysign(0, sign), true
	case exp == 1<<e-1 && frac == 0:
		return math.Inf(int(sign)), true
	case exp == 0 || exp == 1<<e-1:
		return 0, false
	}
	bias := 1<<(e-1) - 1
	return sign * math.Ldexp(float64(frac|1<<f), exp-bias-f), true
}

// floatBits returns x as a float of kind k if it is exactly a zero or a normal one.
func floatBits(k ir.Type, x float64) (uint64, bool) {
	e, f := floatShape(k)
	s := b2u(math.Signbit(x)) << (e + f)
	if x == 0 {
		return s, true
	}
	if math.IsInf(x, 0) {
		return s | (1<<e-1)<<f, true
	}
	m, exp := math.Frexp(math.Abs(x)) // m in [1/2, 1)
	bias := 1<<(e-1) - 1
	if exp-1 < 1-bias || exp-1 > bias {
		return 0, false
	}
	m = math.Ldexp(m, f+1)
	if m != math.Trunc(m) {
		return 0, false
	}
	return s | uint64(exp-1+bias)<<f | uint64(m)&(1<<f-1), true
}

// foldConvert converts if the result is exact, so that neither rounding nor flushing matters, and no fault.
func foldConvert(from, to ir.Type, b uint64) (uint64, bool) {
	switch {
	case from == to:
		return b, true
	case from == ir.Ptr || to == ir.Ptr:
		return 0, false
	case to == ir.Bool && isFloat(from):
		x, ok := exactFloat(from, b)
		return b2u(x != 0), ok
	case to == ir.Bool:
		return b2u(b != 0), true
	case isFloat(from) && isFloat(to):
		x, ok := exactFloat(from, b)
		if !ok {
			return 0, false
		}
		return floatBits(to, x)
	case isFloat(from):
		x, ok := exactFloat(from, b)
		if !ok || x != math.Trunc(x) || math.Abs(x) >= 1<<62 {
			return 0, false
		}
		i := int64(x)
		r := uint64(i) & mask(to)
		return r, signed(to, r) == i && (isSigned(to) || i >= 0)
	case isFloat(to):
		i := signed(from, b)
		if from == ir.U64 && i < 0 || i > 1<<53 || i < -1<<53 {
			return 0, false
		}
		return floatBits(to, float64(i))
	}
	return uint64(signed(from, b)) & mask(to), true
}
