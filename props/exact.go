package props

import (
	"math"
	"sync"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
)

// widening holds, for each format of at most 16 bits, the binary32 value of every encoding; each is exact.
var widening sync.Map // model.Format -> []float32

func widenTable(f model.Format) []float32 {
	if t, ok := widening.Load(f); ok {
		return t.([]float32)
	}
	t := make([]float32, 1<<f.Bits())
	for b := range t {
		e := uint64(b)
		switch {
		case f.IsNaN(e):
			t[b] = float32(math.NaN())
		case f.IsInf(e) && f.Signbit(e):
			t[b] = float32(math.Inf(-1))
		case f.IsInf(e):
			t[b] = float32(math.Inf(1))
		default:
			neg, m, k := f.Decode(e)
			v := math.Ldexp(float64(m), k)
			if neg {
				v = math.Copysign(v, -1)
			}
			t[b] = float32(v)
		}
	}
	widening.Store(f, t)
	return t
}

// widen returns v in binary32, in dst's memory if it has to convert. Formats of at most 16 bits are
// subsets of binary32, so that nothing is rounded.
func widen(dst []float32, v corpus.Values) []float32 {
	if v.Bits == nil {
		return v.F32
	}
	dst = grow(dst, len(v.Bits))
	table := widenTable(v.Format)
	mask := uint16(len(table) - 1)
	for i, b := range v.Bits {
		dst[i] = table[b&mask]
	}
	return dst
}

// value64 returns the value of an encoding of any format, exactly, as a binary64 number.
func value64(f model.Format, b uint64) float64 {
	switch f.Name {
	case model.Binary64.Name:
		return math.Float64frombits(b)
	case model.Binary32.Name:
		return float64(math.Float32frombits(uint32(b)))
	}
	if f.Bits() > 16 { // too many for a table: toys of 12 bits of precision, formats of the user's own
		switch {
		case f.IsNaN(b):
			return math.NaN()
		case f.IsInf(b):
			return math.Inf(1 - 2*int(b>>(f.Bits()-1)&1))
		}
		neg, m, k := f.Decode(b)
		v := math.Ldexp(float64(m), k)
		if neg {
			return math.Copysign(v, -1)
		}
		return v
	}
	table := widenTable(f)
	return float64(table[b&uint64(len(table)-1)])
}

// wide32 returns the row's values in binary32, for inputs of that format and narrower ones.
func (t *Trial) wide32() (x, y []float32) {
	if !t.exact.wide {
		t.wideX = widenKeep(t.wideX, t.x)
		if t.sub.op == OpDot {
			t.wideY = widenKeep(t.wideY, t.y)
		}
		t.exact.wide = true
	}
	x, y = t.wideX, t.wideY
	if t.x.Bits == nil {
		x, y = t.x.F32, t.y.F32
	}
	return x, y
}

// widenKeep is widen, but leaves dst alone where nothing has to be converted.
func widenKeep(dst []float32, v corpus.Values) []float32 {
	if v.Bits == nil {
		return dst
	}
	return widen(dst, v)
}

// sum returns the exact value of the row, Σ x_i or Σ x_i·y_i, special values included.
func (t *Trial) sum() accumulator {
	e := &t.exact
	if e.ready {
		return e.acc
	}
	e.ready = true
	in64 := t.claim.In == model.Binary64
	switch {
	case t.sub.op == OpDot && in64:
		e.dot64.Reset()
		e.dot64.AddProductSlice(t.x.F64, t.y.F64)
		e.acc = &e.dot64
	case in64:
		e.acc64.Reset()
		e.acc64.AddSlice(t.x.F64)
		e.acc = &e.acc64
	case t.sub.op == OpDot:
		x, y := t.wide32()
		e.acc64.Reset()
		e.acc64.AddProductSlice(x, y)
		e.acc = &e.acc64
	default:
		x, _ := t.wide32()
		e.acc32.Reset()
		e.acc32.AddSlice(x)
		e.acc = &e.acc32
	}
	return e.acc
}

// Exact returns the exact value of the row, Σ x_i or Σ x_i·y_i, and ok = false if it is infinite or
// no number.
func (t *Trial) Exact() (value oracle.Dyadic, ok bool) {
	s := t.sum()
	if !s.IsFinite() {
		return oracle.Dyadic{}, false
	}
	return s.Dyadic(), true
}

// abs encloses A, the sum of the terms' magnitudes.
func (t *Trial) abs() oracle.Interval {
	e := &t.exact
	if !e.haveAbs {
		e.haveAbs = true
		in64 := t.claim.In == model.Binary64
		switch {
		case t.sub.op == OpDot && in64:
			e.abs = oracle.Enclose(oracle.AbsDotInterval64(t.x.F64, t.y.F64))
		case in64:
			e.abs = oracle.Enclose(oracle.AbsInterval64(t.x.F64))
		case t.sub.op == OpDot:
			e.abs = oracle.Enclose(oracle.AbsDotInterval32(t.wide32()))
		default:
			x, _ := t.wide32()
			e.abs = oracle.Enclose(oracle.AbsInterval32(x))
		}
	}
	return e.abs
}

// SumAbs returns A, the sum of the terms' magnitudes, exactly. The terms must be finite.
func (t *Trial) SumAbs() oracle.Dyadic {
	in64 := t.claim.In == model.Binary64
	switch {
	case t.sub.op == OpDot && in64:
		var a oracle.AccDot64
		a.AddAbsProductSlice(t.x.F64, t.y.F64)
		return a.Dyadic()
	case in64:
		var a oracle.Acc64
		a.AddAbsSlice(t.x.F64)
		return a.Dyadic()
	case t.sub.op == OpDot:
		var a oracle.Acc64
		a.AddAbsProductSlice(t.wide32())
		return a.Dyadic()
	}
	var a oracle.Acc32
	x, _ := t.wide32()
	a.AddAbsSlice(x)
	return a.Dyadic()
}

// term returns term i of the row exactly: x_i or x_i·y_i. Its factors must be finite.
func (t *Trial) term(i int) oracle.Dyadic {
	d := oracle.FromBits(t.claim.In, t.x.At(i))
	if t.sub.op == OpDot {
		d = d.Mul(oracle.FromBits(t.claim.In, t.y.At(i)))
	}
	return d
}

// lost returns L, the sum of the magnitudes of the products that have a subnormal factor: what a
// kernel that flushes its operands may drop. It is 0 where the claim flushes no operand.
func (t *Trial) lost() oracle.Dyadic {
	var l oracle.Dyadic
	c := &t.claim
	if t.sub.op != OpDot || !c.Flush.In {
		return l
	}
	for i := range t.n {
		if c.In.Class(t.x.At(i)) == model.ClassSubnormal || c.In.Class(t.y.At(i)) == model.ClassSubnormal {
			l = l.Add(t.term(i).Abs())
		}
	}
	return l
}

// errorInterval encloses E: |got - S|, or |n·got - S| for means. The result must be finite.
func (t *Trial) errorInterval() oracle.Interval {
	got := value64(t.claim.Out, t.Got())
	t.sum()
	e := &t.exact
	if t.claim.Mean {
		product := float64(got * float64(t.n))
		if math.FMA(got, float64(t.n), -product) != 0 || math.IsInf(product, 0) {
			return oracle.Enclose(t.errorDyadic().Interval())
		}
		got = product
	}
	switch acc := e.acc.(type) {
	case *oracle.Acc32:
		if y := float32(got); float64(y) == got {
			return oracle.Enclose(acc.Error(y))
		}
	case *oracle.Acc64:
		return oracle.Enclose(acc.Error(got))
	case *oracle.AccDot64:
		return oracle.Enclose(acc.Error(got))
	}
	return oracle.Enclose(t.errorDyadic().Interval())
}

// errorDyadic returns E exactly: |got - S|, or |n·got - S| for means. The result must be finite.
func (t *Trial) errorDyadic() oracle.Dyadic {
	d := oracle.FromBits(t.claim.Out, t.Got())
	if t.claim.Mean {
		d = d.Mul(oracle.FromInt(int64(t.n)))
	}
	return d.Sub(t.sum().Dyadic()).Abs()
}

// signedAbs returns the sums of the positive and of the negative finite terms' magnitudes, exactly.
func (t *Trial) signedAbs() (pos, neg oracle.Dyadic) {
	in := t.claim.In
	for i := range t.n {
		if !in.IsFinite(t.x.At(i)) || t.sub.op == OpDot && !in.IsFinite(t.y.At(i)) {
			continue
		}
		switch d := t.term(i); d.Sign() {
		case 1:
			pos = pos.Add(d)
		case -1:
			neg = neg.Add(d.Neg())
		}
	}
	return pos, neg
}
