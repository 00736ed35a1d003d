package emit

import (
	"fmt"
	"strconv"
	"strings"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// form is how a pure operation is printed. In its texts {a}, {b} and {c} stand for the operands and {t} for the type.
type form struct {
	// integer is the value of integers; "" where it is a call of the operation's integerHelpers. {A} and {B} are operands in the type {w} that is
	// computed in, {W} is a cast to that type, {u} the unsigned type of the same width, {shift} operand b modulo the width, and {( and )} put the
	// value back into {t}.
	integer string
	// truth is the value of Bool.
	truth string
	// bits is the value of floats, as bits if it is a float, without rounding. {a#} and {b#} are the operands' bits, {sign} the bit of the sign,
	// {size} all the others, {inf} those of infinity, {least} those of the least normal number, and {x} and {y} the operands in binary64;
	// {man}, {emin}, {mode}, {in} and {out} are the type and its flushing, as the helpers take them.
	bits string
	// binary64 is the value of floats in binary64, of which one rounding makes the result; {x}, {y} and {z} are the operands there.
	binary64 string
	// cuda and opencl are the dialect's own function of binary32, or its operator; "" if it has none that is good enough.
	cuda, opencl string
}

// forms is how every pure operation is printed that value does not print by itself. Where a library function has no text in binary64, it is the
// function of that name or one of libraryHelpers, rounded once: below 0.51 ulp.
//
// Of CUDA, the strict operations are taken, which are never contracted. Beside library functions stands the greatest error in ulps for which they
// were chosen, CUDA's and then OpenCL's; ir.LimitULP's for precise functions is 4 unless it is named. The numbers are those of NVIDIA's table
// of single precision (CUDA C++ Programming Guide, mathematical functions) and Khronos's (OpenCL C 3.0, ULP values, full profile) as the
// author remembers them; neither page was at hand. A run on a device has to measure them before a report relies on them.
var forms = [ir.NumOps]form{
	ir.Add: {integer: "{(}{A} + {B}{)}", binary64: "gm_odd_add({x}, {y})", cuda: "__fadd_rn", opencl: "+"},
	ir.Sub: {integer: "{(}{A} - {B}{)}", binary64: "gm_odd_add({x}, -({y}))", cuda: "__fsub_rn", opencl: "-"},
	ir.Mul: {integer: "{(}{A} * {B}{)}", binary64: "gm_mul64({x}, {y})", cuda: "__fmul_rn", opencl: "*"},
	ir.Div: {binary64: "gm_odd_div({x}, {y})", cuda: "__fdiv_rn"},
	ir.Fma: {binary64: "gm_odd_add(gm_mul64({x}, {y}), {z})", cuda: "__fmaf_rn", opencl: "fma"},
	ir.Neg: {integer: "{(}0 - {A}{)}", bits: "({a#} ^ {sign})"},
	ir.Abs: {integer: "{a} < 0 ? ({t})(0 - {A}) : {a}", bits: "({a#} & {size})"},
	ir.Min: {integer: "{b} < {a} ? {b} : {a}", bits: "gm_extremum({a#}, {b#}, {sign}, {inf}, {least}, {in}, true)"},
	ir.Max: {integer: "{b} < {a} ? {a} : {b}", bits: "gm_extremum({a#}, {b#}, {sign}, {inf}, {least}, {in}, false)"},

	ir.And:      {integer: "{(}{A} & {B}{)}", truth: "(bool)({a} & {b})"},
	ir.Or:       {integer: "{(}{A} | {B}{)}", truth: "(bool)({a} | {b})"},
	ir.Xor:      {integer: "{(}{A} ^ {B}{)}", truth: "{a} != {b}"},
	ir.Not:      {integer: "{(}~{A}{)}", truth: "!{a}"},
	ir.Shl:      {integer: "{(}{A} << {shift}{)}"},
	ir.Shr:      {integer: "({t})({a} >> {shift})"},
	ir.HAdd:     {integer: "({t})({W}({a} & {b}) + ({w})(({t})({a} ^ {b}) >> 1))"},
	ir.RHAdd:    {integer: "({t})({W}({a} | {b}) - ({w})(({t})({a} ^ {b}) >> 1))"},
	ir.AbsDiff:  {integer: "{a} < {b} ? ({t})(({w}){b} - ({w}){a}) : ({t})(({w}){a} - ({w}){b})"},
	ir.Popcount: {integer: "({t})gm_popcount((u64)({u}){a})"},

	ir.IsNaN:     {bits: "({a#} & {size}) > {inf}"},
	ir.IsInf:     {bits: "({a#} & {size}) == {inf}"},
	ir.IsFinite:  {bits: "({a#} & {size}) < {inf}"},
	ir.IsNormal:  {bits: "({a#} & {size}) - {least} < {normal}"},
	ir.SignBit:   {bits: "({a#} & {sign}) != 0"},
	ir.CopySign:  {bits: "(({a#} & {size}) | ({b#} & {sign}))"},
	ir.Fract:     {bits: "gm_fract({x}, {man}, {emin}, {mode})"},
	ir.NextAfter: {bits: "gm_nextafter({x}, {y}, {man}, {emin}, {out})"},

	ir.Sqrt:     {binary64: "gm_odd_sqrt({x})", cuda: "__fsqrt_rn"},
	ir.Rsqrt:    {binary64: "gm_odd_rsqrt({x})", cuda: "__frsqrt_rn"},
	ir.Floor:    {binary64: "floor({x})", cuda: "floorf", opencl: "floor"},
	ir.Ceil:     {binary64: "ceil({x})", cuda: "ceilf", opencl: "ceil"},
	ir.Trunc:    {binary64: "trunc({x})", cuda: "truncf", opencl: "trunc"},
	ir.Rint:     {binary64: "rint({x})", cuda: "rintf", opencl: "rint"},
	ir.Round:    {binary64: "gm_round({x})"},
	ir.Fdim:     {binary64: "gm_fdim({x}, {y})"},
	ir.Fmod:     {binary64: "fmod({x}, {y})"},
	ir.Ldexp:    {binary64: "gm_ldexp({x}, {b})"},
	ir.Ilogb:    {binary64: "gm_ilogb({x})"},
	ir.FrexpMan: {binary64: "gm_mantissa({x})"},
	ir.FrexpExp: {binary64: "gm_exponent({x})"},

	ir.Exp:   {cuda: "expf", opencl: "exp"},     // 2; 3
	ir.Exp2:  {cuda: "exp2f", opencl: "exp2"},   // 2; 3
	ir.Exp10: {cuda: "exp10f", opencl: "exp10"}, // 2; 3
	ir.Log:   {cuda: "logf", opencl: "log"},     // 1; 3
	ir.Log2:  {cuda: "log2f", opencl: "log2"},   // 1; 3
	ir.Log10: {cuda: "log10f", opencl: "log10"}, // 2; 3
	ir.Sin:   {cuda: "sinf", opencl: "sin"},     // 2; 4
	ir.Cos:   {cuda: "cosf", opencl: "cos"},     // 2; 4
	ir.Tan:   {cuda: "tanf", opencl: "tan"},     // 4; 5 of 6
	ir.SinPi: {cuda: "sinpif", opencl: "sinpi"}, // 2; 4
	ir.CosPi: {cuda: "cospif", opencl: "cospi"}, // 2; 4
	ir.TanPi: {},                                // binary64 of 6
	ir.Asin:  {cuda: "asinf", opencl: "asin"},   // 2; 4
	ir.Acos:  {cuda: "acosf", opencl: "acos"},   // 2; 4
	ir.Atan:  {cuda: "atanf", opencl: "atan"},   // 2; 5 of 5
	ir.Atan2: {cuda: "atan2f", opencl: "atan2"}, // 3; 6 of 6
	ir.Sinh:  {cuda: "sinhf", opencl: "sinh"},   // 3; 4
	ir.Cosh:  {cuda: "coshf", opencl: "cosh"},   // 2; 4
	ir.Tanh:  {cuda: "tanhf", opencl: "tanh"},   // 2; 5 of 5
	ir.Asinh: {cuda: "asinhf", opencl: "asinh"}, // 3; 4
	ir.Acosh: {cuda: "acoshf", opencl: "acosh"}, // 4; 4
	ir.Atanh: {cuda: "atanhf"},                  // 3; binary64, as OpenCL allows 5
	ir.Pow:   {cuda: "powf", opencl: "pow"},     // 4 to 9; 16 of 16
	ir.Powr:  {},                                // binary64 of 16
}

// call is a call of a function, or its operator between two operands.
func call(name string, args []string) string {
	if len(name) == 1 {
		return args[0] + " " + name + " " + args[1]
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// operands are those of texts a to d that op has.
func operands(op ir.Op, texts ...string) []string {
	info := &ir.Ops[op]
	for i, o := range [...]ir.Operand{info.A, info.B, info.C, info.D} {
		if o == ir.NoOperand {
			return texts[:i]
		}
	}
	return texts
}

// integers is an operation on integers of type t.
func (w *printer) integers(op ir.Op, t ir.Type, in *ir.Instr, a, b, c, d string) string {
	cast, open, end := "", "", ""
	if t != work(t) {
		cast, open, end = fmt.Sprintf("(%s)", work(t)), fmt.Sprintf("(%s)(", t), ")"
	}
	double := "u64"
	if t.IsSigned() {
		double = "i64"
	}
	shift := fmt.Sprintf("(%s & %d)", b, t.Bits()-1)
	if op == in.Op {
		if k := w.constants[in.B]; k != nil {
			shift = strconv.FormatUint(k.Imm&uint64(t.Bits()-1), 10)
		}
	}
	r := strings.NewReplacer("{a}", a, "{b}", b, "{A}", cast+a, "{B}", cast+b, "{W}", cast, "{w}", work(t).String(), "{u}", unsigned(t).String(),
		"{t}", t.String(), "{shift}", shift, "{(}", open, "{)}", end, "{n}", strconv.Itoa(t.Bits()), "{signed}", strconv.FormatBool(t.IsSigned()),
		"{double}", double)
	k := w.constants[in.B]
	switch {
	case op == ir.Abs && !t.IsSigned():
		return a
	case (op == ir.Div || op == ir.Rem) && k != nil && k.Imm != 0 && !t.IsSigned() && in.Op == op:
		return fmt.Sprintf("(%s)(%s %s %s)", t, a, map[ir.Op]string{ir.Div: "/", ir.Rem: "%"}[op], b)
	case op == ir.MulHi && t == ir.U64:
		return call("gm_umulhi", operands(op, a, b, c, d))
	case forms[op].integer != "":
		return r.Replace(forms[op].integer)
	}
	text := integerHelpers[op]
	if op == ir.MulHi && t == ir.I64 {
		text = mulhi64
	}
	if text == "" {
		return w.unprinted(op, t, in)
	}
	name := fmt.Sprintf("%s_%s", op, t)
	w.helper(name, r.Replace(text))
	return call("gm_"+name, operands(op, a, b, c, d))
}

// unprinted refuses an operation without a form.
func (w *printer) unprinted(op ir.Op, t ir.Type, in *ir.Instr) string {
	w.refuse(in.Pos, "%s on %s is not printed", op, t)
	return "0"
}

// floats is an operation on floats of type t. A library function rounds to nearest whatever the behaviour says, as ir.Eval does.
func (w *printer) floats(op ir.Op, t ir.Type, in *ir.Instr, a, b, c string) string {
	if op == ir.Neg && in.Op == ir.Neg && w.bare[in.Dst] && w.plain(t) {
		return "-(" + a + ")" // which costs nothing there
	}
	w.helper("soft", soft[1:])
	form, args := &forms[op], operands(op, a, b, c)
	native := form.opencl
	if w.cuda() {
		native = form.cuda
	}
	man, emin := fraction(t)
	sign := uint64(1) << (t.Bits() - 1)
	inf, least := sign-uint64(1)<<man, uint64(1)<<man
	hex := func(v uint64) string { return fmt.Sprintf("0x%xu", v) }
	flush := w.flush(t)
	wide := make([]string, 3)
	for i, x := range args {
		wide[i] = w.wide(t, x)
	}
	r := strings.NewReplacer("{a#}", bitsOf(t, a), "{b#}", bitsOf(t, b), "{b}", b, "{x}", wide[0], "{y}", wide[1], "{z}", wide[2],
		"{sign}", hex(sign), "{size}", hex(sign-1), "{inf}", hex(inf), "{least}", hex(least), "{normal}", hex(inf-least),
		"{man}", strconv.Itoa(man), "{emin}", strconv.Itoa(emin), "{mode}", strconv.Itoa(w.mode(t, w.ar.Rounding == model.TowardZero)),
		"{in}", strconv.FormatBool(flush.In), "{out}", strconv.FormatBool(flush.Out))
	isFloat := ir.Ops[op].Result == ir.OfT
	switch {
	case form.bits != "" && isFloat:
		return w.fromBits(t, r.Replace(form.bits))
	case form.bits != "":
		return r.Replace(form.bits)
	case native != "" && w.plain(t):
		return call(native, args)
	case form.binary64 != "" && isFloat:
		return w.narrow(t, r.Replace(form.binary64))
	case form.binary64 != "":
		return r.Replace(form.binary64)
	case !ir.Ops[op].Library:
		return w.unprinted(op, t, in)
	}
	name := op.String()
	if text, ok := libraryHelpers[op]; ok {
		w.helper(name, text)
		name = "gm_" + name
	}
	return w.rounded(t, call(name, wide[:len(args)]), false)
}
