package enclosure

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/real"
)

// long is how many bits the ends of exact values have where binary64 is too short. Sums, products and functions are then known to 2^-78 of what
// cancels in them, where a claim in binary64 allows errors of 2^-53.
const long = real.Bits(80)

// lengthen encloses the exact values of z, which step s gave, in more bits.
//
// A claim in binary64 allows half an ulp where rounding outwards costs one. But of what is kept of a node, the exact value alone has to be known so well: an
// error is known well enough by an upper bound that is a few units of binary64 too large, and so are the ranges over which derivatives are taken. So C is enclosed once
// more, with ends of 80 bits, and T is met with C ± D, by the same mean-value form as ever; of the last node, in these bits, before the ends are
// rounded to results. Where no rule below says more, C is what binary64 gave.
//
// Cost: about half a microsecond for a sum or product, and 10 to 30 for a function, 4 to 70 times what binary32 takes for a row.
func (r *run) lengthen(s *step, z *array) {
	if z.exact || !s.typ.IsReal() {
		return
	}
	if z.long == nil {
		z.long = make([]real.Interval, z.n)
		r.longer(s, z)
	}
	for i, c := range z.long {
		lo, hi := z.clo[i], z.chi[i]
		if c.Lo == nil || lo == hi || !sensible(c.Lo) || !sensible(c.Hi) {
			z.long[i] = real.Interval{} // a point in binary64 may be one that was rounded, and is taken for exact
			continue
		}
		x, y := c.Float64()
		z.clo[i], z.chi[i] = max(lo, x), min(hi, y)
		switch {
		case r.decided(s, z, i):
		case !z.t(i).infinite():
			r.settle(z, i)
		}
	}
	if r.p.claim.Exactly && len(z.symbols) == 0 {
		z.exact = z.allPoints()
	}
}

// sensible reports whether x is a number far from where math/big ends.
func sensible(x *big.Float) bool {
	e := x.MantExp(nil)
	return !x.IsInf() && -1<<16 < e && e < 1<<16
}

// decided makes element i the number that its exact value rounds to, where the claim leaves no choice, and reports whether it did.
func (r *run) decided(s *step, z *array, i int) bool {
	p := s.promise
	p.InRange = false
	if !r.p.claim.Exactly || r.p.claim.Flush.Any() || s.fusible || p != (formula.Promise{}) || z.nan != nil {
		return false
	}
	if s.Op != formula.OpConst && !isElementwise(s.Op) || !rounds(s.Op) {
		return false
	}
	for _, k := range s.args {
		a := r.arrays[k]
		o := r.see(a, z)
		if j := o.place(i); a.lo[j] != a.hi[j] || a.clo[j] != a.lo[j] || a.chi[j] != a.lo[j] || r.alters(a.t(j), r.p.steps[k].typ, s.convert) {
			return false
		}
	}
	t := r.p.f.off(z.long[i], 0)
	if !t.isPoint() || t.infinite() {
		return false
	}
	z.set(i, t)
	z.diag[i], z.long[i] = 0, real.Interval{}
	return true
}

// off returns the numbers of f to which numbers that are d or less from c round.
func (f *format) off(c real.Interval, d float64) interval {
	e := big.NewFloat(d)
	lo := new(big.Float).SetPrec(4*uint(long)).SetMode(big.ToNegativeInf).Sub(c.Lo, e)
	hi := new(big.Float).SetPrec(4*uint(long)).SetMode(big.ToPositiveInf).Add(c.Hi, e)
	return interval{f.nearestOf(lo), f.nearestOf(hi)}
}

// ends returns x, the results that element i of the last node may have, met with what its exact value and its error say.
func (r *run) ends(a *array, i int, x interval) interval {
	c, ok := a.exactly(i)
	d := a.error(i)
	if !ok || math.IsInf(d, 1) || a.t(i).infinite() || x.infinite() {
		return x
	}
	return x.meet(r.p.out.off(c, d))
}

// exactly returns the exact value of element i; ok is false where it may be no number.
func (a *array) exactly(i int) (c real.Interval, ok bool) {
	switch {
	case a.nan != nil && a.nan[i] != number:
		return c, false // what is made of it may be what lies beside NaN
	case a.long != nil && a.long[i].Lo != nil:
		return a.long[i], true
	case a.c(i).infinite():
		return c, false
	}
	return real.Between(a.clo[i], a.chi[i]), true
}

// longer finds the exact values of z.
func (r *run) longer(s *step, z *array) {
	switch {
	case isElementwise(s.Op):
		in := make([]operand, len(s.args))
		for k, a := range s.args {
			in[k] = r.see(r.arrays[a], z)
		}
		for i := range z.long {
			var x [3]real.Interval
			ok := true
			for k := range in {
				var known bool
				x[k], known = in[k].exactly(in[k].place(i))
				ok = ok && known
			}
			if ok {
				z.long[i] = applied(s, x)
			}
		}
	case s.Op == formula.OpConst:
		if v, ok := new(big.Rat).SetString(strconv.FormatFloat(s.Value, 'g', -1, 64)); ok {
			z.long[0] = long.Rat(v)
		}
	case s.Op.Class() == formula.Reduction:
		r.folded(s, z)
	case s.Op.Class() == formula.Scan:
		r.scanned(s, z)
	}
}

// applied returns the exact values of an elementwise operation, or nothing.
func applied(s *step, x [3]real.Interval) (z real.Interval) {
	zero := new(big.Float)
	switch s.Op {
	case formula.OpAdd:
		return long.Add(x[0], x[1])
	case formula.OpSub:
		return long.Sub(x[0], x[1])
	case formula.OpMul:
		return long.Mul(x[0], x[1])
	case opSquare:
		return long.Sqr(x[0])
	case formula.OpFMA:
		return long.Add((2*long).Mul(x[0], x[1]), x[2])
	case formula.OpDiv:
		if !x[1].Contains(zero) {
			return long.Div(x[0], x[1])
		}
	case formula.OpMaximum:
		return real.Max(x[0], x[1])
	case formula.OpMinimum:
		return real.Min(x[0], x[1])
	case formula.OpAbs:
		return real.Abs(x[0])
	case formula.OpNeg:
		return real.Neg(x[0])
	case formula.OpSqrt:
		if x[0].Lo.Sign() >= 0 {
			return long.Sqrt(x[0])
		}
	case formula.OpLog1p:
		if x[0].Lo.Cmp(big.NewFloat(-1)) > 0 {
			return long.Log1p(x[0])
		}
	case formula.OpLog, formula.OpLog2, formula.OpRsqrt:
		if x[0].Lo.Sign() > 0 {
			return longFunctions[s.Op](long, x[0])
		}
	case formula.OpPow:
		if x[0].Lo.Sign() > 0 {
			return long.Pow(x[0], x[1])
		}
	case formula.OpSelect:
		switch {
		case x[0].Lo.Sign() > 0:
			return x[1]
		case x[0].Hi.Sign() == 0:
			return x[2]
		}
	case formula.OpStore:
		if s.Overflow != formula.Saturate && s.Type.Float.Overflow != model.OverflowSaturate {
			return x[0]
		}
	default:
		if f := longFunctions[s.Op]; f != nil {
			return f(long, x[0])
		}
	}
	return z
}

// join returns how a reduction or scan joins two exact values, nil if it does something else.
func join(op formula.Op) func(x, y real.Interval) real.Interval {
	switch op {
	case formula.OpSum, formula.OpDot, formula.OpScanSum:
		return long.Add
	case formula.OpProd, formula.OpScanProd:
		return long.Mul
	case formula.OpMax, formula.OpScanMax:
		return real.Max
	case formula.OpMin, formula.OpScanMin:
		return real.Min
	}
	return nil
}

// folded finds the exact values of a reduction.
func (r *run) folded(s *step, z *array) {
	f := join(s.Op)
	if f == nil {
		return
	}
	in := make([]*array, len(s.args))
	at := make([]groups, len(s.args))
	for k, a := range s.args {
		in[k] = r.arrays[a]
		at[k] = r.groups(in[k], z, s.Axes)
	}
	for i := range z.long {
		var sum real.Interval
		for k, off := range at[0].offset {
			x, ok := in[0].exactly(at[0].base[i] + off)
			if ok && s.Op == formula.OpDot {
				var y real.Interval
				if y, ok = in[1].exactly(at[1].base[i] + at[1].offset[k]); ok {
					x = (2 * long).Mul(x, y)
				}
			}
			switch {
			case !ok:
				sum = real.Interval{}
			case k == 0:
				sum = x
			default:
				sum = f(sum, x)
			}
			if !ok {
				break
			}
		}
		z.long[i] = sum
	}
}

// scanned finds the exact values of a scan.
func (r *run) scanned(s *step, z *array) {
	f, a := join(s.Op), r.arrays[s.args[0]]
	rest := &array{n: 1}
	for _, axis := range s.axes {
		if axis != s.Axes[0] {
			rest.axes, rest.shape = append(rest.axes, axis), append(rest.shape, r.sizes[axis])
			rest.n *= r.sizes[axis]
		}
	}
	g := r.groups(a, rest, s.Axes)
	order := slices.Clone(g.offset)
	if s.Reverse {
		slices.Reverse(order)
	}
	for row := range rest.n {
		var sum real.Interval
		for k, off := range order {
			i := g.base[row] + off
			x, ok := a.exactly(i)
			if s.Exclusive && k > 0 {
				z.long[i] = sum
			}
			if !ok {
				break
			}
			if k == 0 {
				sum = x
			} else {
				sum = f(sum, x)
			}
			if !s.Exclusive {
				z.long[i] = sum
			}
		}
	}
}
