package lower

import (
	"math"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
	"gamma/model"
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

// folded are the operations that are computed when compiling, where their operands are known.
var folded = map[ir.Op]bool{
	ir.Add: true, ir.Sub: true, ir.Mul: true, ir.Div: true, ir.Rem: true, ir.And: true, ir.Or: true, ir.Xor: true, ir.Shl: true, ir.Shr: true,
	ir.Min: true, ir.Max: true, ir.Eq: true, ir.Ne: true, ir.Lt: true, ir.Le: true, ir.Not: true, ir.Neg: true, ir.Popcount: true,
}

// foldBinary returns Op of two scalars if it is the same under every behaviour and no engine could find a fault in it.
func foldBinary(op ir.Op, k ir.Type, a, b uint64) (uint64, bool) {
	if !folded[op] || !ir.Ops[op].Types.Has(k) || isFloat(k) && (op < ir.Eq || op > ir.Le || !steady(k, a) || !steady(k, b)) {
		return 0, false
	}
	r, fault := ir.Eval(op, k, 0, 0, ir.Arith{}, a, b, 0, 0)
	return r, fault == ir.NoFault
}

// foldUnary is foldBinary for one operand.
func foldUnary(op ir.Op, k ir.Type, a uint64) (uint64, bool) {
	if !folded[op] || !ir.Ops[op].Types.Has(k) || isFloat(k) && !steady(k, a) {
		return 0, false
	}
	r, fault := ir.Eval(op, k, 0, 0, ir.Arith{}, a, 0, 0, 0)
	return r, fault == ir.NoFault
}

// steady reports whether a float is zero, normal or infinite: the same whatever is flushed.
func steady(k ir.Type, bits uint64) bool {
	x := ir.Widen(k, bits)
	flushed := ir.Arith{Flush: model.Flush{Out: true}, Flush16: model.Flush{Out: true}}.Narrow(k, x)
	return !math.IsNaN(x) && flushed == bits
}

// foldConvert converts if the result is exact, so that neither rounding nor flushing matters, and no fault.
func foldConvert(from, to ir.Type, b uint64) (uint64, bool) {
	switch {
	case from == to:
		return b, true
	case from == ir.Ptr || to == ir.Ptr, isFloat(from) && !steady(from, b):
		return 0, false
	}
	r, fault := ir.Eval(ir.Convert, to, from, 0, ir.Arith{}, b, 0, 0, 0)
	if fault != ir.NoFault || to == ir.Bool || !isFloat(from) && !isFloat(to) {
		return r, fault == ir.NoFault
	}
	back, fault := ir.Eval(ir.Convert, from, to, 0, ir.Arith{}, r, 0, 0, 0)
	return r, fault == ir.NoFault && back == b && (!isFloat(to) || steady(to, r))
}
