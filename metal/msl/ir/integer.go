package ir

import "math/bits"

// evalInteger is Eval for integers.
func evalInteger(op Op, t Type, a, b, c, d uint64) (uint64, Fault) {
	n, mask, signed := uint(t.Bits()), t.Mask(), t.IsSigned()
	least := uint64(1) << (n - 1) // the least number, if signed; the sign bit
	over := func(r uint64, bad bool) (uint64, Fault) {
		if signed && bad {
			return r & mask, FaultOver
		}
		return r & mask, NoFault
	}
	give := func(r uint64) (uint64, Fault) { return r & mask, NoFault }
	switch op {
	case Add:
		r := a + b
		return over(r, (a^r)&(b^r)&least != 0)
	case Sub:
		r := a - b
		return over(r, (a^b)&(a^r)&least != 0)
	case Mul:
		if n < 64 {
			x := t.Signed(a) * t.Signed(b) // exact if signed: 62 bits at most
			return over(uint64(x), t.Signed(uint64(x)&mask) != x)
		}
		hi, lo := bits.Mul64(a, b)
		if signed {
			hi = signedHigh(hi, a, b)
		}
		return over(lo, int64(hi) != int64(lo)>>63)
	case Div, Rem:
		return divide(op, t, a, b)
	case Neg:
		return over(-a, a == least)
	case Abs:
		if signed && a&least != 0 {
			return over(-a, a == least)
		}
		return give(a)
	case And:
		return give(a & b)
	case Or:
		return give(a | b)
	case Xor:
		return give(a ^ b)
	case Not:
		return give(^a)
	case Shl, Shr:
		s := b & uint64(n-1)
		if op == Shl {
			return give(a << s)
		}
		if signed {
			return give(uint64(t.Signed(a) >> s))
		}
		return give(a >> s)
	case MulHi:
		if n < 64 {
			x := t.Signed(a) * t.Signed(b)
			if signed {
				return give(uint64(x >> n))
			}
			return give(uint64(x) >> n)
		}
		hi, _ := bits.Mul64(a, b)
		if signed {
			hi = signedHigh(hi, a, b)
		}
		return give(hi)
	case Min, Max:
		if less(t, b, a) == (op == Min) {
			return give(b)
		}
		return give(a)
	case AddSat, SubSat:
		return give(saturate(op, t, a, b))
	case HAdd: // a + b = 2·(a&b) + (a^b)
		return give((a & b) + half(t, a^b))
	case RHAdd: // and 2·(a|b) - (a^b)
		return give((a | b) - half(t, a^b))
	case AbsDiff:
		if less(t, a, b) {
			a, b = b, a
		}
		return give(a - b)
	}
	return evalBits(op, t, a, b, c, d)
}

// evalBits returns what an operation on an integer's bits gives.
func evalBits(op Op, t Type, a, b, c, d uint64) (uint64, Fault) {
	n, mask := uint(t.Bits()), t.Mask()
	give := func(r uint64) (uint64, Fault) { return r & mask, NoFault }
	switch op {
	case Clz:
		return give(uint64(bits.LeadingZeros64(a)) - uint64(64-n))
	case Ctz:
		return give(uint64(min(bits.TrailingZeros64(a), int(n))))
	case Popcount:
		return give(uint64(bits.OnesCount64(a)))
	case ReverseBits:
		return give(bits.Reverse64(a) >> (64 - n))
	case Rotate:
		s := b & uint64(n-1)
		return give(a<<s | a>>(uint64(n)-s))
	case ExtractBits:
		off, count, fault := field(n, b, c)
		x := a >> off
		if t.IsSigned() && count > 0 {
			up := 64 - count
			return uint64(int64(x<<up)>>up) & mask, fault
		}
		return x & (1<<count - 1), fault
	case InsertBits:
		off, count, fault := field(n, c, d)
		m := uint64(1<<count-1) << off
		return (a&^m | b<<off&m) & mask, fault
	}
	panic(noMeaning(op, t, Void))
}

// field cuts a bit field off at width n.
func field(n uint, off, count uint64) (o, k uint, f Fault) {
	o = uint(min(off, uint64(n)))
	k = uint(min(count, uint64(n-o)))
	if uint64(k) != count || uint64(o) != off {
		f = FaultBits
	}
	return o, k, f
}

// signedHigh returns the upper half of the signed product whose unsigned one is hi.
func signedHigh(hi, a, b uint64) uint64 {
	return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

// half returns x shifted to the right by one, with the sign if t is signed.
func half(t Type, x uint64) uint64 {
	if t.IsSigned() {
		return uint64(t.Signed(x) >> 1)
	}
	return x >> 1
}

func less(t Type, a, b uint64) bool {
	if t.IsSigned() {
		return t.Signed(a) < t.Signed(b)
	}
	return a < b
}

func divide(op Op, t Type, a, b uint64) (uint64, Fault) {
	mask := t.Mask()
	if b == 0 {
		if op == Div {
			return mask, FaultDivide
		}
		return a, FaultDivide
	}
	if !t.IsSigned() {
		if op == Div {
			return a / b, NoFault
		}
		return a % b, NoFault
	}
	if b == mask { // by -1
		f := NoFault
		if a == 1<<(t.Bits()-1) {
			f = FaultOver
		}
		if op == Div {
			return -a & mask, f
		}
		return 0, f
	}
	if op == Div {
		return uint64(t.Signed(a)/t.Signed(b)) & mask, NoFault
	}
	return uint64(t.Signed(a)%t.Signed(b)) & mask, NoFault
}

func saturate(op Op, t Type, a, b uint64) uint64 {
	sign := uint64(1) << (t.Bits() - 1)
	mask := t.Mask()
	r := (a + b) & mask
	over := (a^r)&(b^r)&sign != 0
	if op == SubSat {
		r = (a - b) & mask
		over = (a^b)&(a^r)&sign != 0
	}
	switch {
	case t.IsSigned() && over && a&sign != 0:
		return sign
	case t.IsSigned() && over:
		return mask >> 1
	case t.IsSigned():
		return r
	case op == AddSat && r < a:
		return mask
	case op == SubSat && b > a:
		return 0
	}
	return r
}
