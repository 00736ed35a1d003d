package ir

import "math/big"

// Interval is a set of values of an integer type or Bool: all from Lo to Hi, in the type's order, both ends included.
// The zero value has no ends and stands for every value of its type.
type Interval struct{ Lo, Hi *big.Int }

// Whole returns the interval of all values of integer type t or Bool.
func Whole(t Type) Interval {
	hi := new(big.Int).SetUint64(t.Mask())
	lo := new(big.Int)
	if t.IsSigned() {
		hi.Rsh(hi, 1)
		lo.Not(hi)
	}
	return Interval{lo, hi}
}

// Point returns the interval of the one value v, a register of type t.
func Point(t Type, v uint64) Interval {
	x := new(big.Int).SetUint64(v)
	if t.IsSigned() {
		x.SetInt64(t.Signed(v))
	}
	return Interval{x, x}
}

// Has reports whether the register v of type t lies in i.
func (i Interval) Has(t Type, v uint64) bool {
	i = i.or(t)
	x := Point(t, v).Lo
	return x.Cmp(i.Lo) >= 0 && x.Cmp(i.Hi) <= 0
}

// or is i, or the whole type if i has no ends.
func (i Interval) or(t Type) Interval {
	if i.Lo == nil || i.Hi == nil {
		return Whole(t)
	}
	return i
}

// Bounds is the range rule of the table: an interval that holds every result of op on operands from a and b, faulting or
// not. It is sharp for moves, sums, products, quotients, shifts, minima and comparisons that stay in range; what may wrap or fault gives
// the whole type, and so do operations of more than two operands but Select, whose condition is given by c.
//
// Domain: t an integer type or Bool, from too where op has one, and b not before a. Results of another type, such as Bool, are in that one.
func Bounds(op Op, t, from Type, a, b, c Interval) Interval {
	switch op {
	case Convert:
		if a = a.or(from); t == Bool {
			return boolean(a.Lo.Sign() > 0 || a.Hi.Sign() < 0, a.Lo.Sign() == 0 && a.Hi.Sign() == 0)
		}
		return a.within(t)
	case Mov:
		return a.or(t)
	case Select: // A is the condition
		cond := a.or(Bool)
		b, c = b.or(t), c.or(t)
		switch {
		case cond.Lo.Sign() > 0:
			return b
		case cond.Hi.Sign() == 0:
			return c
		}
		return span(b.Lo, b.Hi, c.Lo, c.Hi)
	}
	a, b = a.or(t), b.or(t)
	switch op {
	case Eq, Ne:
		apart := a.Hi.Cmp(b.Lo) < 0 || b.Hi.Cmp(a.Lo) < 0
		same := a.Lo.Cmp(a.Hi) == 0 && b.Lo.Cmp(b.Hi) == 0 && a.Lo.Cmp(b.Lo) == 0
		if op == Eq {
			return boolean(same, apart)
		}
		return boolean(apart, same)
	case Lt:
		return boolean(a.Hi.Cmp(b.Lo) < 0, a.Lo.Cmp(b.Hi) >= 0)
	case Le:
		return boolean(a.Hi.Cmp(b.Lo) <= 0, a.Lo.Cmp(b.Hi) > 0)
	}
	if !t.IsInteger() {
		return Whole(t)
	}
	n := int64(t.Bits())
	switch op {
	case Neg:
		return span(new(big.Int).Neg(a.Lo), new(big.Int).Neg(a.Hi)).within(t)
	case Not:
		if t.IsSigned() {
			return span(new(big.Int).Not(a.Lo), new(big.Int).Not(a.Hi))
		}
		m := Whole(t).Hi
		return span(new(big.Int).Sub(m, a.Lo), new(big.Int).Sub(m, a.Hi))
	case Abs:
		i := span(new(big.Int).Abs(a.Lo), new(big.Int).Abs(a.Hi))
		if a.Lo.Sign() < 0 && a.Hi.Sign() > 0 {
			i.Lo = new(big.Int)
		}
		return i.within(t)
	case Clz, Ctz, Popcount:
		return Interval{new(big.Int), big.NewInt(n)}.within(t)
	case And, Or, Xor:
		return bitwise(op, t, a, b)
	case Rem:
		return remainder(t, a, b)
	}
	if op == Shl || op == Shr {
		b = modulo(b, n)
	}
	f := corner(op, n)
	if f == nil || op == Div && b.Lo.Sign() <= 0 && b.Hi.Sign() >= 0 {
		return Whole(t)
	}
	i := span(f(a.Lo, b.Lo), f(a.Lo, b.Hi), f(a.Hi, b.Lo), f(a.Hi, b.Hi))
	if op == AddSat || op == SubSat {
		w := Whole(t)
		return Interval{clamp(i.Lo, w), clamp(i.Hi, w)}
	}
	return i.within(t)
}

// modulo returns the interval of i's values modulo n.
func modulo(i Interval, n int64) Interval {
	w := big.NewInt(n)
	lo, first := new(big.Int).DivMod(i.Lo, w, new(big.Int))
	if hi, last := new(big.Int).DivMod(i.Hi, w, new(big.Int)); lo.Cmp(hi) == 0 {
		return Interval{first, last}
	}
	return Interval{new(big.Int), big.NewInt(n - 1)}
}

func boolean(always, never bool) Interval {
	i := Interval{new(big.Int), big.NewInt(1)}
	if always {
		i.Lo = i.Hi
	} else if never {
		i.Hi = i.Lo
	}
	return i
}

// span returns the least interval that holds all of list.
func span(list ...*big.Int) Interval {
	i := Interval{list[0], list[0]}
	for _, x := range list[1:] {
		if x.Cmp(i.Lo) < 0 {
			i.Lo = x
		}
		if x.Cmp(i.Hi) > 0 {
			i.Hi = x
		}
	}
	return i
}

func clamp(x *big.Int, w Interval) *big.Int {
	if x.Cmp(w.Lo) < 0 {
		return w.Lo
	}
	if x.Cmp(w.Hi) > 0 {
		return w.Hi
	}
	return x
}

// within returns i if t holds all of it, and the whole of t if it may wrap.
func (i Interval) within(t Type) Interval {
	if w := Whole(t); i.Lo.Cmp(w.Lo) < 0 || i.Hi.Cmp(w.Hi) > 0 {
		return w
	}
	return i
}

// corner returns the exact value of an operation that is monotone in each operand while the other is fixed, so that its least and
// greatest values are at corners; nil for others.
func corner(op Op, n int64) func(x, y *big.Int) *big.Int {
	switch op {
	case Add, AddSat:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
	case Sub, SubSat:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) }
	case Mul:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	case MulHi:
		return func(x, y *big.Int) *big.Int { p := new(big.Int).Mul(x, y); return p.Rsh(p, uint(n)) }
	case Div:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) }
	case Shl:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Lsh(x, uint(y.Uint64())) }
	case Shr:
		return func(x, y *big.Int) *big.Int { return new(big.Int).Rsh(x, uint(y.Uint64())) }
	case Min:
		return func(x, y *big.Int) *big.Int { return span(x, y).Lo }
	case Max:
		return func(x, y *big.Int) *big.Int { return span(x, y).Hi }
	case HAdd:
		return func(x, y *big.Int) *big.Int { s := new(big.Int).Add(x, y); return s.Rsh(s, 1) }
	case RHAdd:
		return func(x, y *big.Int) *big.Int {
			s := new(big.Int).Add(x, y)
			return s.Rsh(s.Add(s, big.NewInt(1)), 1)
		}
	}
	return nil
}

// bitwise bounds And, Or and Xor of numbers that are not negative; a negative one may give anything.
func bitwise(op Op, t Type, a, b Interval) Interval {
	if a.Lo.Sign() < 0 || b.Lo.Sign() < 0 {
		if op == And && (a.Lo.Sign() >= 0 || b.Lo.Sign() >= 0) { // what is not negative bounds it
			if a.Lo.Sign() >= 0 {
				return Interval{new(big.Int), a.Hi}
			}
			return Interval{new(big.Int), b.Hi}
		}
		return Whole(t)
	}
	hi := span(a.Hi, b.Hi).Hi
	ones := new(big.Int).Lsh(big.NewInt(1), uint(hi.BitLen()))
	ones.Sub(ones, big.NewInt(1))
	switch op {
	case And:
		return Interval{new(big.Int), span(a.Hi, b.Hi).Lo}
	case Or:
		return Interval{span(a.Lo, b.Lo).Hi, ones}
	}
	return Interval{new(big.Int), ones}
}

// remainder bounds a%b: it has a's sign, and is smaller than b and no larger than a.
func remainder(t Type, a, b Interval) Interval {
	if b.Lo.Sign() <= 0 && b.Hi.Sign() >= 0 {
		return Whole(t)
	}
	m := span(new(big.Int).Abs(b.Lo), new(big.Int).Abs(b.Hi)).Hi
	m = new(big.Int).Sub(m, big.NewInt(1))
	i := Interval{new(big.Int), new(big.Int)}
	if a.Hi.Sign() > 0 {
		i.Hi = span(m, a.Hi).Lo
	}
	if a.Lo.Sign() < 0 {
		i.Lo = span(new(big.Int).Neg(m), a.Lo).Hi
	}
	return i
}
