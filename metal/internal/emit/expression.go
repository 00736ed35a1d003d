package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// fraction and least are the bits of a float type's fraction and its least normal exponent.
func fraction(t ir.Type) (man, emin int) {
	switch t {
	case ir.F16:
		return 10, -14
	case ir.BF16:
		return 7, -126
	}
	return 23, -126
}

func (w *printer) flush(t ir.Type) model.Flush {
	if t == ir.F32 {
		return w.ar.Flush
	}
	return w.ar.Flush16
}

// plain reports whether operations of t are binary32's own.
func (w *printer) plain(t ir.Type) bool {
	return t == ir.F32 && w.ar.Rounding != model.TowardZero && !w.ar.Flush.Any()
}

// wide is a float as binary64, its subnormals flushed if operands are.
func (w *printer) wide(t ir.Type, x string) string {
	w.helper("soft", strings.TrimPrefix(soft, "\n"))
	if t == ir.F32 && !w.ar.Flush.In {
		return "(double)" + x
	}
	man, emin := fraction(t)
	if t == ir.F32 {
		x = "gm_bits32(" + x + ")"
	}
	return fmt.Sprintf("gm_widen(%s, %d, %d, %t)", x, man, emin, w.flush(t).In)
}

// narrow rounds a binary64 once into t.
func (w *printer) narrow(t ir.Type, x string) string {
	return w.rounded(t, x, w.ar.Rounding == model.TowardZero)
}

func (w *printer) rounded(t ir.Type, x string, toZero bool) string {
	man, emin := fraction(t)
	return w.fromBits(t, fmt.Sprintf("gm_narrow(%s, %d, %d, %d)", x, man, emin, w.mode(t, toZero)))
}

// mode is how a helper rounds to t: 1 toward zero, 2 flushing, 4 what is tiny before rounding.
func (w *printer) mode(t ir.Type, toZero bool) int {
	mode := 0
	if toZero {
		mode |= 1
	}
	if f := w.flush(t); f.Out {
		mode |= 2
		if f.Before {
			mode |= 4
		}
	}
	return mode
}

// fromBits is the float of type t with the bits x.
func (w *printer) fromBits(t ir.Type, x string) string {
	w.helper("soft", strings.TrimPrefix(soft, "\n"))
	if t == ir.F32 {
		return "gm_f32((u32)" + x + ")"
	}
	return fmt.Sprintf("(%s)%s", t, x)
}

func bitsOf(t ir.Type, x string) string {
	if t == ir.F32 {
		return "gm_bits32(" + x + ")"
	}
	return x
}

// literal is a constant.
func (w *printer) literal(t ir.Type, v uint64) string {
	switch t {
	case ir.Bool:
		return strconv.FormatBool(v != 0)
	case ir.F32:
		f := math.Float32frombits(uint32(v))
		switch {
		case math.IsNaN(float64(f)) || math.IsInf(float64(f), 0):
			return fmt.Sprintf("gm_f32(0x%xu)", v)
		case f == float32(int32(f)) && math.Abs(float64(f)) < 1<<20 && v != 1<<31:
			return fmt.Sprintf("%d.0f", int32(f))
		case v == 1<<31:
			return "-0.0f"
		}
		return strconv.FormatFloat(float64(f), 'x', -1, 32) + "f"
	case ir.F16, ir.BF16:
		return fmt.Sprintf("(%s)0x%x", t, v)
	case ir.I64:
		if v == 1<<63 {
			return "(i64)0x8000000000000000" + w.suffix()
		}
		return fmt.Sprintf("(i64)%d", int64(v))
	case ir.U64:
		return strconv.FormatUint(v, 10) + w.suffix()
	case ir.U32:
		return strconv.FormatUint(v, 10) + "u"
	case ir.I32:
		if v == 1<<31 {
			return "(-2147483647 - 1)"
		}
		if s := t.Signed(v); s < 0 {
			return fmt.Sprintf("(%d)", s)
		}
		return strconv.FormatUint(v, 10)
	}
	return fmt.Sprintf("(%s)%d", t, t.Signed(v))
}

// suffix is that of unsigned numbers of 64 bits.
func (w *printer) suffix() string {
	if w.cuda() {
		return "ull"
	}
	return "ul"
}

// operand is a register's value: its name, or the constant that it holds.
func (w *printer) operand(r ir.Reg) string {
	if c := w.constants[r]; c != nil {
		if c.Type == ir.Ptr {
			return w.pointer(c)
		}
		return w.literal(c.Type, c.Imm)
	}
	return w.names[r]
}

// unsigned is the unsigned type of t's width, work the one that is computed in.
func unsigned(t ir.Type) ir.Type {
	if t.IsSigned() {
		return t + 1
	}
	return t
}

func work(t ir.Type) ir.Type {
	if t.Size() == 8 {
		return ir.U64
	}
	return ir.U32
}

// value is what an instruction gives.
func (w *printer) value(in *ir.Instr) string {
	return w.pure(in.Op, in.Type, in, w.operandOr(in.A), w.operandOr(in.B), w.operandOr(in.C), w.operandOr(in.D))
}

func (w *printer) operandOr(r ir.Reg) string {
	if r == 0 {
		return ""
	}
	return w.operand(r)
}

var relations = map[ir.Op]string{ir.Eq: "==", ir.Ne: "!=", ir.Lt: "<", ir.Le: "<="}

// pure is an operation on operands that are given as texts; in is the instruction that it is of.
func (w *printer) pure(op ir.Op, t ir.Type, in *ir.Instr, a, b, c, d string) string {
	switch op {
	case ir.Mov:
		return a
	case ir.Select:
		return fmt.Sprintf("%s ? %s : %s", a, b, c)
	case ir.Convert:
		return w.convert(t, in.From, in, a)
	case ir.Bitcast:
		switch {
		case t == in.From:
			return a
		case t == ir.Ptr || in.From == ir.Ptr:
			w.refuse(in.Pos, "bitcast between pointers and numbers is refused: addresses on the device are not those of the simulator")
			return "0"
		case t == ir.F32:
			return "gm_f32((u32)" + a + ")"
		case in.From == ir.F32:
			return fmt.Sprintf("(%s)gm_bits32(%s)", t, a)
		}
		return fmt.Sprintf("(%s)%s", t, a)
	case ir.Eq, ir.Ne, ir.Lt, ir.Le:
		if t == ir.Ptr {
			w.single(in, in.A, in.B)
		}
		if t.IsFloat() && !(t == ir.F32 && !w.ar.Flush.In) {
			a, b = w.wide(t, a), w.wide(t, b)
		}
		return fmt.Sprintf("%s %s %s", a, relations[op], b)
	}
	switch {
	case t.IsInteger():
		return w.integers(op, t, in, a, b, c, d)
	case t.IsFloat():
		return w.floats(op, t, in, a, b, c)
	case t == ir.Bool && forms[op].truth != "":
		return strings.NewReplacer("{a}", a, "{b}", b).Replace(forms[op].truth)
	}
	return w.unprinted(op, t, in)
}

// convert is a conversion of a from one type to another.
func (w *printer) convert(t, from ir.Type, in *ir.Instr, a string) string {
	whole := from.IsInteger() || from == ir.Bool
	switch {
	case t == from:
		return a
	case from == ir.Ptr && t == ir.Bool:
		return a + " != 0"
	case from == ir.Ptr:
		return fmt.Sprintf("(%s)(%s - %s)", t, a, w.object(w.single(in, in.A)))
	case t == ir.Bool && from == ir.F32 && !w.ar.Flush.In:
		return a + " != 0.0f"
	case t == ir.Bool && from.IsFloat():
		return w.wide(from, a) + " != 0"
	case t == ir.Bool:
		return a + " != 0"
	case whole && t.IsInteger():
		return fmt.Sprintf("(%s)%s", t, a)
	case whole && w.plain(t):
		return "(f32)" + a
	case whole && from.Size() < 8:
		return w.narrow(t, "(double)"+a)
	case whole && from == ir.I64:
		return w.narrow(t, fmt.Sprintf("gm_odd_int(%s < 0 ? 0 - (u64)%s : (u64)%s, %s < 0)", a, a, a, a))
	case whole:
		return w.narrow(t, fmt.Sprintf("gm_odd_int(%s, false)", a))
	case t.IsFloat():
		defer func(ar ir.Arith) { w.ar = ar }(w.ar)
		w.ar = w.ar.Conversion(t)
		return w.narrow(t, w.wide(from, a))
	}
	// A float to an integer: the nearest end of the range, and 0 for a NaN.
	n := t.Bits()
	lo, least, most := "0.0", uint64(0), t.Mask()
	if t.IsSigned() {
		n--
		lo = "-" + strconv.FormatFloat(math.Ldexp(1, n), 'f', 1, 64)
		least, most = 1<<n, t.Mask()>>1
	}
	name := fmt.Sprintf("gm_to_%s", t)
	w.helper(name, fmt.Sprintf("GM_FN %s %s(double x)\n{\n    if (x != x) return 0;\n    if (x >= %s) return %s;\n    return x < %s ? %s : (%s)x;\n}\n",
		t, name, strconv.FormatFloat(math.Ldexp(1, n), 'f', 1, 64), w.literal(t, most), lo, w.literal(t, least), t))
	return name + "(" + w.wide(from, a) + ")"
}
