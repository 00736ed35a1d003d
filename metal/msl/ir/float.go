package ir

import "math"

// evalFloat is Eval for floats, with the library functions in function.go.
func evalFloat(op Op, t Type, ar Arith, a, b, c uint64) uint64 {
	l := &layouts[t]
	switch op { // what keeps bits
	case Neg:
		return a ^ l.sign
	case Abs:
		return a &^ l.sign
	case CopySign:
		return a&^l.sign | b&l.sign
	case Min, Max:
		return ar.extremum(op, t, a, b)
	case IsNaN:
		return truth(l.isNaN(a))
	case IsInf:
		return truth(a&^l.sign == l.inf)
	case IsFinite:
		return truth(a&^l.sign < l.inf)
	case IsNormal:
		m := a &^ l.sign
		return truth(m >= 1<<l.man && m < l.inf)
	case SignBit:
		return truth(a&l.sign != 0)
	}
	if t == F32 && ar.plain32() {
		if r, ok := plain32(op, a, b, c); ok {
			return r
		}
	}
	x := ar.read(t, a)
	switch op {
	case Add:
		return ar.Narrow(t, oddAdd(x, ar.read(t, b)))
	case Sub:
		return ar.Narrow(t, oddAdd(x, -ar.read(t, b)))
	case Mul:
		return ar.Narrow(t, float64(x*ar.read(t, b))) // 48 bits: exact
	case Div:
		return ar.Narrow(t, oddDiv(x, ar.read(t, b)))
	case Fma:
		return ar.Narrow(t, oddAdd(float64(x*ar.read(t, b)), ar.read(t, c)))
	case Sqrt:
		return ar.Narrow(t, oddSqrt(x))
	case Rsqrt:
		return ar.Narrow(t, oddRsqrt(x))
	case Fdim:
		y := ar.read(t, b)
		if x <= y {
			return 0
		}
		return ar.Narrow(t, oddAdd(x, -y))
	case Floor:
		return ar.Narrow(t, math.Floor(x))
	case Ceil:
		return ar.Narrow(t, math.Ceil(x))
	case Trunc:
		return ar.Narrow(t, math.Trunc(x))
	case Rint:
		return ar.Narrow(t, math.RoundToEven(x))
	case Round:
		return ar.Narrow(t, math.Round(x))
	case Fract:
		return ar.fract(t, x)
	case NextAfter:
		return ar.nextAfter(t, x, ar.read(t, b))
	case Ldexp:
		// By 500 every number has left t's range, and none binary64's.
		return ar.Narrow(t, math.Ldexp(x, int(max(-500, min(500, int32(b))))))
	case Ilogb:
		switch {
		case x == 0 || math.IsNaN(x):
			return 1 << 31
		case math.IsInf(x, 0):
			return 1<<31 - 1
		}
		_, e := math.Frexp(x)
		return uint64(uint32(e - 1))
	case FrexpMan:
		f, _ := math.Frexp(x)
		return ar.Narrow(t, f)
	case FrexpExp:
		_, e := math.Frexp(x)
		return uint64(uint32(e))
	case Fmod:
		return ar.Narrow(t, math.Mod(x, ar.read(t, b)))
	}
	return ar.narrow(t, function64(op, x, func() float64 { return ar.read(t, b) }), false)
}

// plain32 computes by the machine's own binary32 operations, which are IEEE 754's.
func plain32(op Op, a, b, c uint64) (uint64, bool) {
	x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	var r float32
	switch op {
	case Add:
		r = float32(x + y)
	case Sub:
		r = float32(x - y)
	case Mul:
		r = float32(x * y)
	case Div:
		r = float32(x / y)
	case Fma:
		r = Fma32(x, y, math.Float32frombits(uint32(c)))
	default:
		return 0, false
	}
	if math.IsNaN(float64(r)) {
		return layouts[F32].nan, true
	}
	return uint64(math.Float32bits(r)), true
}

func (ar Arith) extremum(op Op, t Type, a, b uint64) uint64 {
	l := &layouts[t]
	switch {
	case l.isNaN(a) && l.isNaN(b):
		return l.nan
	case l.isNaN(a):
		return b
	case l.isNaN(b):
		return a
	case ar.flush(t).In && l.isSubnormal(a) && l.isSubnormal(b):
		return a
	}
	// As sign and magnitude made two's complement, -0 comes out less than +0.
	key := func(v uint64) int64 {
		if v&l.sign != 0 {
			return -int64(v&^l.sign) - 1
		}
		return int64(v)
	}
	if (key(b) < key(a)) == (op == Min) {
		return b
	}
	return a
}

func (ar Arith) fract(t Type, x float64) uint64 {
	l := &layouts[t]
	if math.IsNaN(x) {
		return l.nan
	}
	if math.IsInf(x, 0) {
		return math.Float64bits(x) >> 63 * l.sign
	}
	below := uint64(-l.emin)<<l.man | (1<<l.man - 1) // 1-2^-P: exponent -1, all ones
	r := ar.Narrow(t, oddAdd(x, -math.Floor(x)))
	if r == l.sign {
		return r // a flushed one
	}
	return min(r, below)
}

// nextAfter returns the neighbour of x toward y.
func (ar Arith) nextAfter(t Type, x, y float64) uint64 {
	l := &layouts[t]
	if math.IsNaN(x) || math.IsNaN(y) {
		return l.nan
	}
	keep := ar
	keep.Flush, keep.Flush16 = noFlush, noFlush
	v := keep.Narrow(t, x)
	switch {
	case x == y:
		v = keep.Narrow(t, y)
	case x == 0:
		v = 1
		if y < 0 {
			v |= l.sign
		}
	case (x < y) == (x > 0):
		v++
	default:
		v--
	}
	if f := ar.flush(t); f.Out && l.isSubnormal(v) {
		v = l.zero(f, v&l.sign, v&^l.sign)
	}
	return v
}
