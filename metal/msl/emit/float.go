package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// native are the strict operations of binary32 in CUDA: they are never contracted.
var native = map[ir.Op]string{
	ir.Add: "__fadd_rn", ir.Sub: "__fsub_rn", ir.Mul: "__fmul_rn", ir.Div: "__fdiv_rn", ir.Fma: "__fmaf_rn",
	ir.Sqrt: "__fsqrt_rn", ir.Rsqrt: "__frsqrt_rn",
	ir.Floor: "floorf", ir.Ceil: "ceilf", ir.Trunc: "truncf", ir.Rint: "rintf",
}

// exactOpenCL are those of OpenCL, all of which are correctly rounded.
var exactOpenCL = map[ir.Op]string{
	ir.Fma: "fma", ir.Floor: "floor", ir.Ceil: "ceil", ir.Trunc: "trunc", ir.Rint: "rint",
}

// libraryFunction is a library function in both dialects.
type libraryFunction struct{ cuda, opencl string }

// library are the functions of binary32, with the greatest error in ulps for which they were chosen, CUDA's and then OpenCL's;
// ir.LimitULP's for precise functions is 4 unless it is named. Those marked binary64 are computed there, since no function of
// binary32 is there or good enough, and rounded once: below 0.51 ulp. On half and bfloat16, all are.
//
// The numbers are those of NVIDIA's table of single precision (CUDA C++ Programming Guide, mathematical functions) and Khronos's
// (OpenCL C 3.0, ULP values, full profile) as the author remembers them; neither page was at hand. A run on a device has to
// measure them before a report relies on them.
var library = map[ir.Op]libraryFunction{
	ir.Exp:   {"expf", "exp"},     // 2; 3
	ir.Exp2:  {"exp2f", "exp2"},   // 2; 3
	ir.Exp10: {"exp10f", "exp10"}, // 2; 3
	ir.Log:   {"logf", "log"},     // 1; 3
	ir.Log2:  {"log2f", "log2"},   // 1; 3
	ir.Log10: {"log10f", "log10"}, // 2; 3
	ir.Sin:   {"sinf", "sin"},     // 2; 4
	ir.Cos:   {"cosf", "cos"},     // 2; 4
	ir.Tan:   {"tanf", "tan"},     // 4; 5 of 6
	ir.SinPi: {"sinpif", "sinpi"}, // 2; 4
	ir.CosPi: {"cospif", "cospi"}, // 2; 4
	ir.TanPi: {"", ""},            // binary64 of 6
	ir.Asin:  {"asinf", "asin"},   // 2; 4
	ir.Acos:  {"acosf", "acos"},   // 2; 4
	ir.Atan:  {"atanf", "atan"},   // 2; 5 of 5
	ir.Atan2: {"atan2f", "atan2"}, // 3; 6 of 6
	ir.Sinh:  {"sinhf", "sinh"},   // 3; 4
	ir.Cosh:  {"coshf", "cosh"},   // 2; 4
	ir.Tanh:  {"tanhf", "tanh"},   // 2; 5 of 5
	ir.Asinh: {"asinhf", "asinh"}, // 3; 4
	ir.Acosh: {"acoshf", "acosh"}, // 4; 4
	ir.Atanh: {"atanhf", ""},      // 3; binary64, as OpenCL allows 5
	ir.Pow:   {"powf", "pow"},     // 4 to 9; 16 of 16
	ir.Powr:  {"", ""},            // binary64 of 16
	ir.Fmod:  {"fmodf", "fmod"},   // 0; 0 of 0
}

func (w *printer) floats(op ir.Op, t ir.Type, in *ir.Instr, a, b, c string) string {
	man, emin := fraction(t)
	size := t.Bits()
	sign, inf := uint64(1)<<(size-1), (uint64(1)<<(size-1-man)-1)<<man
	bits := func(x string) string { return bitsOf(t, x) }
	w.helper("soft", soft[1:])
	switch op { // what keeps bits
	case ir.Neg:
		if in.Op == ir.Neg && w.bare[in.Dst] && w.plain(t) {
			return "-(" + a + ")" // which costs nothing there
		}
		return w.fromBits(t, fmt.Sprintf("(%s ^ 0x%xu)", bits(a), sign))
	case ir.Abs:
		return w.fromBits(t, fmt.Sprintf("(%s & 0x%xu)", bits(a), sign-1))
	case ir.CopySign:
		return w.fromBits(t, fmt.Sprintf("((%s & 0x%xu) | (%s & 0x%xu))", bits(a), sign-1, bits(b), sign))
	case ir.Min, ir.Max:
		return w.fromBits(t, fmt.Sprintf("gm_extremum(%s, %s, 0x%xu, 0x%xu, 0x%xu, %t, %t)",
			bits(a), bits(b), sign, inf, uint64(1)<<man, w.flush(t).In, op == ir.Min))
	case ir.IsNaN:
		return fmt.Sprintf("(%s & 0x%xu) > 0x%xu", bits(a), sign-1, inf)
	case ir.IsInf:
		return fmt.Sprintf("(%s & 0x%xu) == 0x%xu", bits(a), sign-1, inf)
	case ir.IsFinite:
		return fmt.Sprintf("(%s & 0x%xu) < 0x%xu", bits(a), sign-1, inf)
	case ir.IsNormal:
		return fmt.Sprintf("(%s & 0x%xu) - 0x%xu < 0x%xu", bits(a), sign-1, uint64(1)<<man, inf-uint64(1)<<man)
	case ir.SignBit:
		return fmt.Sprintf("(%s & 0x%xu) != 0", bits(a), sign)
	}
	if w.plain(t) {
		names := native
		if !w.cuda() {
			names = exactOpenCL
			if s, ok := map[ir.Op]string{ir.Add: "+", ir.Sub: "-", ir.Mul: "*"}[op]; ok {
				return fmt.Sprintf("%s %s %s", a, s, b)
			}
		}
		if f, ok := names[op]; ok {
			switch {
			case op == ir.Fma:
				return fmt.Sprintf("%s(%s, %s, %s)", f, a, b, c)
			case ir.Ops[op].B != ir.NoOperand:
				return fmt.Sprintf("%s(%s, %s)", f, a, b)
			}
			return fmt.Sprintf("%s(%s)", f, a)
		}
	}
	f, isLibrary := library[op]
	if isLibrary && op != ir.Fmod {
		return w.library(op, t, f, a, b)
	}
	x := w.wide(t, a)
	y := func() string { return w.wide(t, b) }
	switch op {
	case ir.Add:
		return w.narrow(t, fmt.Sprintf("gm_odd_add(%s, %s)", x, y()))
	case ir.Sub:
		return w.narrow(t, fmt.Sprintf("gm_odd_add(%s, -(%s))", x, y()))
	case ir.Mul:
		return w.narrow(t, fmt.Sprintf("gm_mul64(%s, %s)", x, y()))
	case ir.Div:
		return w.narrow(t, fmt.Sprintf("gm_odd_div(%s, %s)", x, y()))
	case ir.Fma:
		return w.narrow(t, fmt.Sprintf("gm_odd_add(gm_mul64(%s, %s), %s)", x, y(), w.wide(t, c)))
	case ir.Sqrt:
		return w.narrow(t, fmt.Sprintf("gm_odd_sqrt(%s)", x))
	case ir.Rsqrt:
		return w.narrow(t, fmt.Sprintf("gm_odd_rsqrt(%s)", x))
	case ir.Fdim:
		return w.narrow(t, fmt.Sprintf("gm_fdim(%s, %s)", x, y()))
	case ir.Floor, ir.Ceil, ir.Trunc, ir.Rint:
		return w.narrow(t, fmt.Sprintf("%s(%s)", op, x))
	case ir.Round:
		return w.narrow(t, fmt.Sprintf("gm_round(%s)", x))
	case ir.Fmod:
		return w.narrow(t, fmt.Sprintf("fmod(%s, %s)", x, y()))
	case ir.Fract:
		mode := 0
		if w.ar.Rounding == model.TowardZero {
			mode = 1
		}
		if f := w.flush(t); f.Out {
			mode |= 2
			if f.Before {
				mode |= 4
			}
		}
		return w.fromBits(t, fmt.Sprintf("gm_fract(%s, %d, %d, %d)", x, man, emin, mode))
	case ir.NextAfter:
		return w.fromBits(t, fmt.Sprintf("gm_nextafter(%s, %s, %d, %d, %t)", x, y(), man, emin, w.flush(t).Out))
	case ir.Ldexp:
		return w.narrow(t, fmt.Sprintf("gm_ldexp(%s, %s)", x, b))
	case ir.Ilogb:
		return fmt.Sprintf("gm_ilogb(%s)", x)
	case ir.FrexpMan:
		return w.narrow(t, fmt.Sprintf("gm_mantissa(%s)", x))
	case ir.FrexpExp:
		return fmt.Sprintf("gm_exponent(%s)", x)
	}
	w.refuse(in.Pos, "%s on %s is not printed", op, t)
	return "0"
}

// library is a call of a library function. It rounds to nearest whatever the behaviour says, as ir.Eval does.
func (w *printer) library(op ir.Op, t ir.Type, f libraryFunction, a, b string) string {
	name := f.cuda
	if !w.cuda() {
		name = f.opencl
	}
	two := ir.Ops[op].B != ir.NoOperand
	call := func(name, x, y string) string {
		if two {
			return fmt.Sprintf("%s(%s, %s)", name, x, y)
		}
		return fmt.Sprintf("%s(%s)", name, x)
	}
	wide := func(x string) string {
		if two || x == a {
			return w.wide(t, x)
		}
		return ""
	}
	if name != "" && w.plain(t) {
		return call(name, a, b)
	}
	if text, ok := functions[op.String()]; ok {
		w.helper(op.String(), text)
		name = "gm_" + op.String()
	} else {
		name = op.String()
	}
	return w.rounded(t, call(name, wide(a), wide(b)), false)
}
