package check

import (
	"fmt"
	"math"
	"math/big"

	"gamma/metal/msl/ir"
	"gamma/metal/msl/typed"
)

// Scalars known when compiling are bits, as a register holds them.

// signed returns the value of an integer's bits.
func signed(k ir.Type, bits uint64) int64 {
	n := 64 - 8*typed.SizeOf(k)
	if isSignedKind(k) {
		return int64(bits<<n) >> n
	}
	return int64(bits)
}

// trim keeps the low bits that a register of kind k holds.
func trim(k ir.Type, bits uint64) uint64 {
	if k == ir.Bool {
		if bits != 0 {
			return 1
		}
		return 0
	}
	if n := 8 * typed.SizeOf(k); n < 64 {
		bits &= 1<<n - 1
	}
	return bits
}

// toFloat returns the value of a float's bits; every format's values are float64s.
func toFloat(k ir.Type, bits uint64) float64 {
	switch k {
	case ir.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case ir.BF16:
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	sign := 1.0
	if bits&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(bits>>10)&31, float64(bits&0x3ff)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// format is a binary format: p bits of significand, exponents of the largest and smallest normal numbers.
type format struct{ p, emax, bits int }

var formats = map[ir.Type]format{ir.F16: {11, 15, 16}, ir.BF16: {8, 127, 16}, ir.F32: {24, 127, 32}}

// fromBig rounds a finite number to nearest even.
func fromBig(k ir.Type, x *big.Float, negZero bool) uint64 {
	f := formats[k]
	sign := uint64(0)
	if x.Signbit() || negZero {
		sign = 1 << (f.bits - 1)
	}
	if x.Sign() == 0 {
		return sign
	}
	infinity := uint64(2*f.emax+1) << (f.p - 1)
	exp := x.MantExp(nil) - 1 // |x| in [2^exp, 2^(exp+1))
	if exp > f.emax {
		return sign | infinity
	}
	// The unit in the last place, and how many of it x is.
	ulp := max(exp, 1-f.emax) - (f.p - 1)
	n := new(big.Float).SetMantExp(new(big.Float).Abs(x), -ulp)
	i, _ := n.Int(nil)
	rest := new(big.Float).SetPrec(n.Prec()+uint(f.p)+8).Sub(n, new(big.Float).SetInt(i))
	m := i.Uint64()
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && m&1 == 1 {
		m++
	}
	// m counts units from zero in the subnormal binade; in each next one the exponent field carries.
	bits := m
	if e := max(exp, 1-f.emax) + f.emax; m>>(f.p-1) != 0 {
		bits = m + uint64(e-1)<<(f.p-1)
	}
	return sign | min(bits, infinity)
}

// fromFloat rounds x to kind k.
func fromFloat(k ir.Type, x float64) uint64 {
	f := formats[k]
	switch {
	case math.IsNaN(x):
		return uint64(2*f.emax+1)<<(f.p-1) | 1<<(f.p-2)
	case math.IsInf(x, 0):
		bits := uint64(2*f.emax+1) << (f.p - 1)
		if x < 0 {
			bits |= 1 << (f.bits - 1)
		}
		return bits
	}
	if k == ir.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return fromBig(k, big.NewFloat(x), x == 0 && math.Signbit(x))
}

// convertBits converts a scalar.
func convertBits(from, to ir.Type, bits uint64) (uint64, error) {
	switch {
	case from == to:
		return bits, nil
	case isFloatKind(from):
		x := toFloat(from, bits)
		switch {
		case to == ir.Bool:
			return trim(ir.Bool, b2u(x != 0)), nil
		case isFloatKind(to):
			return fromFloat(to, x), nil
		}
		size := 8 * typed.SizeOf(to)
		lo, hi := 0.0, math.Ldexp(1, size)
		if isSignedKind(to) {
			lo, hi = -math.Ldexp(1, size-1), math.Ldexp(1, size-1)
		}
		t := math.Trunc(x)
		if !(t >= lo && t < hi) {
			return 0, fmt.Errorf("%v does not fit in %d bits", x, size)
		}
		if t >= math.Ldexp(1, 63) {
			return uint64(t), nil
		}
		return trim(to, uint64(int64(t))), nil
	case to == ir.Bool:
		return b2u(bits != 0), nil
	case isFloatKind(to):
		v := new(big.Float).SetPrec(64)
		if isSignedKind(from) {
			v.SetInt64(signed(from, bits))
		} else {
			v.SetUint64(bits)
		}
		return fromBig(to, v, false), nil
	}
	return trim(to, uint64(signed(from, bits))), nil
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// binaryBits is an operator of two scalars of kind k.
func binaryBits(op ir.Op, k ir.Type, a, b uint64) (uint64, error) {
	if isFloatKind(k) {
		return floatBits(op, k, toFloat(k, a), toFloat(k, b))
	}
	size := 8 * typed.SizeOf(k)
	x, y := signed(k, a), signed(k, b)
	sg := isSignedKind(k)
	exact := func(z *big.Int) (uint64, error) {
		if sg && z.BitLen() >= size && !(z.Sign() < 0 && z.BitLen() == size && z.TrailingZeroBits() == uint(size-1)) {
			return 0, fmt.Errorf("signed overflow")
		}
		return trim(k, new(big.Int).And(z, new(big.Int).SetUint64(math.MaxUint64)).Uint64()), nil
	}
	bigOf := func(v int64) *big.Int {
		if sg {
			return big.NewInt(v)
		}
		return new(big.Int).SetUint64(uint64(v))
	}
	switch op {
	case ir.Add:
		return exact(new(big.Int).Add(bigOf(x), bigOf(y)))
	case ir.Sub:
		return exact(new(big.Int).Sub(bigOf(x), bigOf(y)))
	case ir.Mul:
		return exact(new(big.Int).Mul(bigOf(x), bigOf(y)))
	case ir.Div, ir.Rem:
		if y == 0 {
			return 0, fmt.Errorf("division by zero")
		}
		if op == ir.Div {
			return exact(new(big.Int).Quo(bigOf(x), bigOf(y)))
		}
		return exact(new(big.Int).Rem(bigOf(x), bigOf(y)))
	case ir.And:
		return a & b, nil
	case ir.Or:
		return a | b, nil
	case ir.Xor:
		return a ^ b, nil
	case ir.Shl, ir.Shr:
		if uint64(y) >= uint64(size) {
			return 0, fmt.Errorf("a shift by %d of %d bits", y, size)
		}
		if op == ir.Shl {
			return trim(k, a<<uint(y)), nil
		}
		return trim(k, uint64(x>>uint(y))&^b2mask(!sg)|b2mask(!sg)&(a>>uint(y))), nil
	case ir.Eq:
		return b2u(a == b), nil
	case ir.Ne:
		return b2u(a != b), nil
	case ir.Lt:
		return b2u(less(sg, x, y)), nil
	case ir.Le:
		return b2u(!less(sg, y, x)), nil
	case ir.Min:
		if less(sg, y, x) {
			return b, nil
		}
		return a, nil
	case ir.Max:
		if less(sg, x, y) {
			return b, nil
		}
		return a, nil
	}
	return 0, fmt.Errorf("an operation that is not evaluated when compiling")
}

func b2mask(b bool) uint64 {
	if b {
		return math.MaxUint64
	}
	return 0
}

func less(sg bool, x, y int64) bool {
	if sg {
		return x < y
	}
	return uint64(x) < uint64(y)
}

// floatBits rounds once: what float64 gives for operands of 24 bits or less rounds to the right result again.
func floatBits(op ir.Op, k ir.Type, x, y float64) (uint64, error) {
	var z float64
	switch op {
	case ir.Add:
		if k == ir.F32 {
			return uint64(math.Float32bits(float32(x) + float32(y))), nil
		}
		z = x + y
		if k == ir.BF16 && !math.IsInf(z, 0) && !math.IsNaN(z) {
			return fromBig(k, new(big.Float).SetPrec(600).Add(big.NewFloat(x), big.NewFloat(y)), z == 0 && math.Signbit(z)), nil
		}
	case ir.Sub:
		return floatBits(ir.Add, k, x, -y)
	case ir.Mul:
		z = x * y
	case ir.Div:
		z = x / y
	case ir.Eq:
		return b2u(x == y), nil
	case ir.Ne:
		return b2u(x != y), nil
	case ir.Lt:
		return b2u(x < y), nil
	case ir.Le:
		return b2u(x <= y), nil
	case ir.Min:
		if math.IsNaN(x) || y < x {
			return fromFloat(k, y), nil
		}
		return fromFloat(k, x), nil
	case ir.Max:
		if math.IsNaN(x) || y > x {
			return fromFloat(k, y), nil
		}
		return fromFloat(k, x), nil
	default:
		return 0, fmt.Errorf("an operation that is not evaluated when compiling")
	}
	return fromFloat(k, z), nil
}

// unaryBits is an operation of one scalar of kind k.
func unaryBits(op ir.Op, k ir.Type, a uint64) (uint64, error) {
	size := 8 * typed.SizeOf(k)
	switch op {
	case ir.Neg:
		if isFloatKind(k) {
			return a ^ 1<<(size-1), nil
		}
		if isSignedKind(k) && a == 1<<(size-1) {
			return 0, fmt.Errorf("signed overflow")
		}
		return trim(k, -a), nil
	case ir.Not:
		if k == ir.Bool {
			return a ^ 1, nil
		}
		return trim(k, ^a), nil
	case ir.Abs:
		if isFloatKind(k) {
			return a &^ (1 << (size - 1)), nil
		}
		if isSignedKind(k) && signed(k, a) < 0 {
			return unaryBits(ir.Neg, k, a)
		}
		return a, nil
	case ir.Sqrt:
		if isFloatKind(k) {
			return fromFloat(k, math.Sqrt(toFloat(k, a))), nil
		}
	case ir.Floor:
		return fromFloat(k, math.Floor(toFloat(k, a))), nil
	case ir.Ceil:
		return fromFloat(k, math.Ceil(toFloat(k, a))), nil
	case ir.Trunc:
		return fromFloat(k, math.Trunc(toFloat(k, a))), nil
	case ir.IsNaN:
		return b2u(math.IsNaN(toFloat(k, a))), nil
	case ir.IsInf:
		return b2u(math.IsInf(toFloat(k, a), 0)), nil
	case ir.Popcount, ir.Clz, ir.Ctz:
		n := uint64(0)
		for i := range size {
			bit := a >> i & 1
			if op == ir.Clz {
				bit = a >> (size - 1 - i) & 1
			}
			switch {
			case op == ir.Popcount:
				n += bit
			case bit == 1:
				return n, nil
			default:
				n++
			}
		}
		return n, nil
	}
	return 0, fmt.Errorf("an operation that is not evaluated when compiling")
}
