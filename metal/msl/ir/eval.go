package ir

import "math"

// Eval returns what a pure operation gives: the reference meaning that every engine and printer is held to. t is Instr.Type, from
// Instr.From, and a to d are the operands' registers; operands that the operation has not are ignored. Const, Undef, PtrAdd and
// ObjAddr, which read Imm, are not its business: see Instr.Address.
//
// Integers wrap. What is undefined in the language is a Fault, and gives this all the same:
//
//	signed Add, Sub, Mul, Neg, Abs out of range  the result modulo 2^width
//	least/-1, least%-1                           least, 0
//	x/0, x%0                                     all ones (-1 if signed), x
//	float to integer out of range, NaN           the nearest end of the range, 0
//	ExtractBits, InsertBits beyond the width     the field cut off at the width
//
// Defined without a fault: Clz and Ctz of 0 are the width; Shl, Shr and Rotate take their amount modulo the width, so that a negative
// one rotates right; AbsDiff is |a-b| modulo 2^width; a shift to the left may lose bits and change the sign.
//
// Floats are rounded once, as ar says; so are F16 and BF16 operations, without a detour over F32. A NaN that an operation
// computes is always the canonical one, so that results do not depend on the machine; what only moves bits keeps it. Min and
// Max give the other operand if one is a NaN, take -0 for less than +0, and see Arith for subnormals. Rint rounds ties to
// even. Fract is min(x - floor(x), the greatest number below 1). Ilogb of 0, NaN and infinity is the least, the least and
// the greatest I32; frexp's exponent of these is 0. Powr is pow for a >= 0, and a NaN for negative a, 0^0, inf^0 and 1^inf.
// Of Bool, Not is logical, and a conversion is x != 0. Converting a Ptr gives its byte offset, and to Bool whether it is not null;
// pointers compare equal as bits, and are ordered by object and then by offset.
//
// fp changes nothing here: a result within the narrower limit is within the wider one, and Perturb gives the others.
//
// Error:   + - * / fma sqrt rsqrt fdim fract ldexp and conversions: correctly rounded. Other library functions: below 0.501
// ulp, by binary64 functions that err by less than 2^-40 of the result, rounded once; sampled against math/big in the tests.
// Special: as C's Annex F.
func Eval(op Op, t, from Type, fp FP, ar Arith, a, b, c, d uint64) (r uint64, fault Fault) {
	_ = fp
	switch op {
	case Mov:
		return a, NoFault
	case Select:
		if a&1 != 0 {
			return b, NoFault
		}
		return c, NoFault
	case Bitcast:
		return a & t.Mask(), NoFault
	case Convert:
		return convert(t, from, ar, a)
	case Eq, Ne, Lt, Le:
		return truth(compare(op, t, ar, a, b)), NoFault
	}
	switch {
	case t.IsInteger():
		return evalInteger(op, t, a, b, c, d)
	case t.IsFloat():
		return evalFloat(op, t, ar, a, b, c), NoFault
	case t == Bool:
		switch op {
		case And:
			return a & b, NoFault
		case Or:
			return a | b, NoFault
		case Xor:
			return a ^ b, NoFault
		case Not:
			return a ^ 1, NoFault
		}
	}
	panic(noMeaning(op, t, from))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func compare(op Op, t Type, ar Arith, a, b uint64) bool {
	if t.IsFloat() {
		x, y := ar.read(t, a), ar.read(t, b)
		switch op {
		case Eq:
			return x == y
		case Ne:
			return x != y
		case Lt:
			return x < y
		}
		return x <= y
	}
	switch op {
	case Eq:
		return a == b
	case Ne:
		return a != b
	}
	switch {
	case t == Ptr:
		p, q := Pointer(a), Pointer(b)
		if p.Object() != q.Object() {
			return p.Object() < q.Object()
		}
		a, b = uint64(p.Offset())^1<<63, uint64(q.Offset())^1<<63
	case t.IsSigned():
		a, b = uint64(t.Signed(a))^1<<63, uint64(t.Signed(b))^1<<63
	}
	if op == Lt {
		return a < b
	}
	return a <= b
}

// convert gives a of type from as type t.
func convert(t, from Type, ar Arith, a uint64) (uint64, Fault) {
	switch {
	case from == t:
		return a, NoFault
	case t == Bool && from.IsFloat():
		return truth(ar.read(from, a) != 0), NoFault
	case t == Bool && from == Ptr:
		return truth(Pointer(a).Object() >= 0), NoFault
	case t == Bool:
		return truth(a != 0), NoFault
	case from == Ptr && t.IsInteger():
		return uint64(Pointer(a).Offset()) & t.Mask(), NoFault
	case from.IsFloat() && t.IsFloat():
		ar = ar.Conversion(t)
		return ar.Narrow(t, ar.read(from, a)), NoFault
	case from.IsFloat() && t.IsInteger():
		return floatToInteger(t, math.Trunc(ar.read(from, a)))
	case t.IsFloat() && (from.IsInteger() || from == Bool):
		v := from.Signed(a)
		if from.IsSigned() && v < 0 {
			return ar.Narrow(t, oddInt(uint64(-v), true)), NoFault
		}
		return ar.Narrow(t, oddInt(a, false)), NoFault
	case t.IsInteger() && (from.IsInteger() || from == Bool):
		return uint64(from.Signed(a)) & t.Mask(), NoFault
	}
	panic(noMeaning(Convert, t, from))
}

// floatToInteger converts x, which has no fraction. A NaN gives 0.
//
// Source:  [MSL 4.0] §8.6, which says nothing of what the type does not hold: that is undefined in [C17] 6.3.1.4.
func floatToInteger(t Type, x float64) (uint64, Fault) {
	n := t.Bits()
	lo, hi := 0.0, math.Ldexp(1, n) // lo <= x < hi
	least, most := uint64(0), t.Mask()
	if t.IsSigned() {
		hi /= 2
		lo = -hi
		least, most = 1<<(n-1), t.Mask()>>1
	}
	switch {
	case x >= lo && x < hi && x < 0:
		return uint64(int64(x)) & t.Mask(), NoFault
	case x >= lo && x < hi:
		return uint64(x), NoFault
	case x < lo:
		return least, FaultConvert
	case x >= hi:
		return most, FaultConvert
	}
	return 0, NoFault
}
