package vectors

import (
	"math"
	"math/big"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
)

// Widen returns v in binary32, in dst's memory if it has to convert. Formats of at most 16 bits are
// subsets of binary32, so that nothing is rounded.
func Widen(dst []float32, v corpus.Values) []float32 {
	if v.Bits == nil {
		return v.F32
	}
	dst = draw.Grow(dst, len(v.Bits))
	table := report.WidenTable(v.Format)
	mask := uint16(len(table) - 1)
	for i, b := range v.Bits {
		dst[i] = table[b&mask]
	}
	return dst
}

// wide32 returns the row's values in binary32, for inputs of that format and narrower ones.
func (t *Trial) wide32() (x, y []float32) {
	if !t.ExactSum.wide {
		t.wideX = widenKeep(t.wideX, t.x)
		if t.sub.Op == engine.OpDot {
			t.wideY = widenKeep(t.wideY, t.y)
		}
		t.ExactSum.wide = true
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
	return Widen(dst, v)
}

// Sum returns the exact value of the row, Σ x_i or Σ x_i·y_i, special values included.
func (t *Trial) Sum() accumulator {
	e := &t.ExactSum
	if e.ready {
		return e.acc
	}
	e.ready = true
	in64 := t.Claimed.In == model.Binary64
	switch {
	case t.sub.Op == engine.OpDot && in64:
		e.Dot64.Reset()
		e.Dot64.AddProductSlice(t.x.F64, t.y.F64)
		e.acc = &e.Dot64
	case in64:
		e.Acc64.Reset()
		e.Acc64.AddSlice(t.x.F64)
		e.acc = &e.Acc64
	case t.sub.Op == engine.OpDot:
		x, y := t.wide32()
		e.Acc64.Reset()
		e.Acc64.AddProductSlice(x, y)
		e.acc = &e.Acc64
	default:
		x, _ := t.wide32()
		e.Acc32.Reset()
		e.Acc32.AddSlice(x)
		e.acc = &e.Acc32
	}
	return e.acc
}

// Exact returns the exact value of the row, Σ x_i or Σ x_i·y_i, and ok = false if it is infinite or
// no number.
func (t *Trial) Exact() (value oracle.Dyadic, ok bool) {
	s := t.Sum()
	if !s.IsFinite() {
		return oracle.Dyadic{}, false
	}
	return s.Dyadic(), true
}

// abs encloses A, the sum of the terms' magnitudes.
func (t *Trial) abs() oracle.Interval {
	e := &t.ExactSum
	if !e.haveAbs {
		e.haveAbs = true
		in64 := t.Claimed.In == model.Binary64
		switch {
		case t.sub.Op == engine.OpDot && in64:
			e.abs = oracle.Enclose(oracle.AbsDotInterval64(t.x.F64, t.y.F64))
		case in64:
			e.abs = oracle.Enclose(oracle.AbsInterval64(t.x.F64))
		case t.sub.Op == engine.OpDot:
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
	in64 := t.Claimed.In == model.Binary64
	switch {
	case t.sub.Op == engine.OpDot && in64:
		var a oracle.AccDot64
		a.AddAbsProductSlice(t.x.F64, t.y.F64)
		return a.Dyadic()
	case in64:
		var a oracle.Acc64
		a.AddAbsSlice(t.x.F64)
		return a.Dyadic()
	case t.sub.Op == engine.OpDot:
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
	d := oracle.FromBits(t.Claimed.In, t.x.At(i))
	if t.sub.Op == engine.OpDot {
		d = d.Mul(oracle.FromBits(t.Claimed.In, t.y.At(i)))
	}
	return d
}

// lost returns L, the sum of the magnitudes of the products that have a subnormal factor: what a
// kernel that flushes its operands may drop. It is 0 where the claim flushes no operand.
func (t *Trial) lost() oracle.Dyadic {
	var l oracle.Dyadic
	c := &t.Claimed
	if t.sub.Op != engine.OpDot || !c.Flush.In {
		return l
	}
	for i := range t.Length {
		if c.In.Class(t.x.At(i)) == model.ClassSubnormal || c.In.Class(t.y.At(i)) == model.ClassSubnormal {
			l = l.Add(t.term(i).Abs())
		}
	}
	return l
}

// errorInterval encloses E: |got - S|, or |n·got - S| for means. The result must be finite.
func (t *Trial) errorInterval() oracle.Interval {
	got := report.Value64(t.Claimed.Out, t.Got())
	t.Sum()
	e := &t.ExactSum
	if t.Claimed.Mean {
		product := float64(got * float64(t.Length))
		if math.FMA(got, float64(t.Length), -product) != 0 || math.IsInf(product, 0) {
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
	d := oracle.FromBits(t.Claimed.Out, t.Got())
	if t.Claimed.Mean {
		d = d.Mul(oracle.FromInt(int64(t.Length)))
	}
	return d.Sub(t.Sum().Dyadic()).Abs()
}

// signedAbs returns the sums of the positive and of the negative finite terms' magnitudes, exactly.
func (t *Trial) signedAbs() (pos, neg oracle.Dyadic) {
	in := t.Claimed.In
	for i := range t.Length {
		if !in.IsFinite(t.x.At(i)) || t.sub.Op == engine.OpDot && !in.IsFinite(t.y.At(i)) {
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

// roundQuotient returns d/n rounded once into f.
func roundQuotient(d oracle.Dyadic, n int, f model.Format, r model.Rounding) uint64 {
	q := new(big.Rat).Quo(d.Rat(), new(big.Rat).SetInt64(int64(n)))
	return round.Arith{F: f, R: r}.FromRat(q)
}

func oracleInt(n int) *big.Int { return big.NewInt(int64(n)) }
