package lint

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// rules looks at the instructions of one kernel.
type rules struct {
	*linter
	flow   *flow
	added  map[value]bool // it is an addend
	undone map[value]bool // it undoes an addition
	scaled []scaled
	halves map[value]bool // products of which a % sees the lower half alone
}

// scaled is a product by the rounded reciprocal of an integer.
type scaled struct {
	in      *ir.Instr
	product value
	by      float64
	n       float64
}

func (r *rules) finding(kind model.FindingKind, in *ir.Instr, text, fix string) {
	r.report(model.Finding{Kind: kind, Kernel: r.flow.k.Name, Pos: r.flow.at(in), Text: text, Fix: fix})
}

// instr looks at an instruction that gives dst.
func (r *rules) instr(in *ir.Instr, dst value) {
	if r.Repeatable {
		r.inOrder(in)
	}
	switch {
	case isFloat(in.Type):
		switch in.Op {
		case ir.Add, ir.Sub, ir.Fma:
			r.transform(in, dst)
			r.vanishes(in)
			for _, x := range []ir.Reg{in.A, in.B, in.C} {
				if in.Op != ir.Fma || x == in.C {
					_, base := r.sign(r.flow.held[x])
					r.added[base] = true
				}
			}
		case ir.Div:
			r.quotient(in)
		case ir.Mul:
			r.product(in, dst)
		}
	case in.Op == ir.Rem && (in.Type == ir.U64 || in.Type == ir.I64):
		r.residue(in)
	}
}

// inOrder finds sums of floats whose order nothing fixes.
func (r *rules) inOrder(in *ir.Instr) {
	name := ir.Ops[in.Op].Name
	switch {
	case !isFloat(in.Type) && in.Op != ir.AtomicCAS:
	case in.Op == ir.AtomicAdd || in.Op == ir.AtomicSub:
		r.finding(model.FindingOrder, in, "threads reach this atomic addition of floats in another order in every run, and each order rounds differently",
			"let each thread write its part to a place of its own, and add the parts in a fixed order")
	case in.Op == ir.AtomicCAS && r.addsFloats(r.flow.held[in.C]):
		r.finding(model.FindingOrder, in, "this loop adds floats to an atomic in the order in which threads reach it, which differs from run to run",
			"let each thread write its part to a place of its own, and add the parts in a fixed order")
	case in.Imm == ir.MatrixLanes && ir.Ops[in.Op].Effect == ir.Lanes:
		r.finding(model.FindingOrder, in, "the specification leaves open in which order, and how rounded, a product of simdgroup matrices is added up",
			"where the same bits are claimed, multiply without simdgroup matrices")
	case in.Op == ir.SimdSum || in.Op == ir.SimdProduct || in.Op >= ir.SimdPrefixSum && in.Op <= ir.SimdPrefixProdEx:
		r.finding(model.FindingOrder, in, "the specification leaves open in which order "+name+" combines the lanes, and a simdgroup has not as many everywhere",
			"combine the lanes by simd_shuffle_xor or threadgroup memory, in an order of your own")
	}
}

// addsFloats reports whether v is the bits of a float that was added up.
func (r *rules) addsFloats(v value) bool {
	e := r.flow.exprs[v]
	if e.op != ir.Bitcast || !isFloat(e.from) {
		return false
	}
	sum := r.flow.exprs[e.a]
	return sum.op == ir.Add || sum.op == ir.Sub || sum.op == ir.Fma
}

// sign takes the negations from v.
func (r *rules) sign(v value) (negative bool, base value) {
	for isFloat(r.flow.exprs[v].typ) && r.flow.exprs[v].op == ir.Neg {
		negative, v = !negative, r.flow.exprs[v].a
	}
	return negative, v
}

// term is a signed term of a sum.
type term struct {
	negative bool
	of       value
}

// terms returns the two terms of v if it is a sum or difference.
func (r *rules) terms(v value, negative bool) []term {
	e := r.flow.exprs[v]
	if e.op != ir.Add && e.op != ir.Sub {
		return nil
	}
	n1, a := r.sign(e.a)
	n2, b := r.sign(e.b)
	return []term{{negative != n1, a}, {negative != n2 != (e.op == ir.Sub), b}}
}

// transform finds an addition that takes back a term of its operand, such as (a+b)-a, or fma(a, b, -(a*b)). In exact arithmetic it gives
// nothing new; in floating point it gives the rounding error, if the compiler leaves it alone.
func (r *rules) transform(in *ir.Instr, dst value) {
	var inner value
	switch in.Op {
	case ir.Fma:
		n, c := r.sign(r.flow.held[in.C])
		n1, a := r.sign(r.flow.held[in.A])
		n2, b := r.sign(r.flow.held[in.B])
		e := r.flow.exprs[c]
		n3, p := r.sign(e.a)
		n4, q := r.sign(e.b)
		if e.op == ir.Mul && (p == a && q == b || p == b && q == a) && (n1 != n2) != (n != n3 != n4) {
			inner = c
		}
	default:
		n1, a := r.sign(r.flow.held[in.A])
		n2, b := r.sign(r.flow.held[in.B])
		both := []term{{n1, a}, {n2 != (in.Op == ir.Sub), b}}
		for i, x := range both {
			for _, t := range r.terms(x.of, x.negative) {
				if other := both[1-i]; t.of == other.of && t.negative != other.negative && !r.isConst(t.of) {
					inner = x.of
				}
			}
		}
	}
	if inner == 0 {
		return
	}
	first := !r.undone[inner]
	r.undone[dst] = true
	by := r.flow.by[inner]
	if by == nil || !first {
		return // what belongs to a transform that was looked at
	}
	text, fp := "", in.FP|by.FP
	switch {
	case fp&ir.Reassoc != 0:
		text = "the math mode lets a compiler simplify this error-free transform, whose error term is 0 in exact arithmetic"
	case fp&(ir.ContractOn|ir.ContractFast) != 0:
		text = "contraction is on around this error-free transform, so that a product may be fused into its sum and the error term be that of another sum"
	default:
		return
	}
	r.finding(model.FindingTransform, in, text, "write #pragma METAL fp math_mode(safe) and #pragma METAL fp contract(off) above it; before Metal 3.2, #pragma clang fp reassociate(off) contract(off)")
}

// vanishes finds a*b - p of p = a*b, which is 0 as it stands, and the product's rounding error if a compiler fuses it. In one line it is the determinant of equal columns, or the like.
func (r *rules) vanishes(in *ir.Instr) {
	n1, a := r.sign(r.flow.held[in.A])
	n2, b := r.sign(r.flow.held[in.B])
	if in.Op == ir.Fma || a != b || r.flow.exprs[a].op != ir.Mul || (n1 != n2) == (in.Op == ir.Sub) {
		return
	}
	if by := r.flow.by[a]; by == nil || r.flow.at(by).Line == r.flow.at(in).Line {
		return
	}
	r.finding(model.FindingTransform, in, "this product less itself is 0, unless a compiler happens to fuse it: only then it is the product's rounding error", "write fma(a, b, -p) for p = a * b")
}

// isConst reports whether v is a constant: x + c - c rounds x to a multiple and is no transform.
func (r *rules) isConst(v value) bool { return r.flow.exprs[v].op == ir.Const }

// constant returns the value of a constant, or of a quotient of two.
func (r *rules) constant(v value) (float64, bool) {
	e := r.flow.exprs[v]
	switch e.op {
	case ir.Const:
		return ir.Widen(e.typ, e.imm), isFloat(e.typ)
	case ir.Div:
		a, b := r.flow.exprs[e.a], r.flow.exprs[e.b]
		if a.op == ir.Const && b.op == ir.Const && isFloat(e.typ) {
			bits, fault := ir.Eval(ir.Div, e.typ, 0, 0, ir.Arith{}, a.imm, b.imm, 0, 0)
			return ir.Widen(e.typ, bits), fault == ir.NoFault
		}
	}
	return 0, false
}

// quotient finds fast divisions by powers of two, which would be exact as products, and divisions by a rounded reciprocal.
func (r *rules) quotient(in *ir.Instr) {
	c, ok := r.constant(r.flow.held[in.B])
	if _, both := r.constant(r.flow.held[in.A]); !ok || both {
		return
	}
	if m, e := math.Frexp(math.Abs(c)); m == 0.5 {
		ulps, _ := ir.LimitULP(ir.Div, in.Type, in.FP, 3, c)
		if e != 1 && ulps != 0 && -100 < e && e < 100 {
			r.finding(model.FindingScaling, in, fmt.Sprintf("a fast division may err by %g ulp, though a scaling by %s is exact", ulps, short(1/c)),
				fmt.Sprintf("write x * %s", literal(1/c, in.Type)))
		}
		return
	}
	if n, ok := r.reciprocal(c, in.Type); ok {
		r.finding(model.FindingScaling, in, fmt.Sprintf("%s is 1/%s rounded, so that this quotient rounds twice where a product rounds once", short(c), short(n)),
			fmt.Sprintf("write x * %s", literal(n, in.Type)))
	}
}

// reciprocal returns the integer n, no power of two, with c = 1/n rounded.
func (r *rules) reciprocal(c float64, t ir.Type) (n float64, ok bool) {
	n = math.Round(1 / c)
	if m, _ := math.Frexp(n); m == 0.5 || m == -0.5 || math.Abs(n) < 3 || math.Abs(n) > limit[t] {
		return 0, false
	}
	return n, ir.Widen(t, narrow(t, 1/n)) == c
}

// limit is the largest integer whose reciprocal is looked for among the constants of a type: few constants are one by chance.
var limit = map[ir.Type]float64{ir.F32: 4096, ir.F16: 45, ir.BF16: 16}

// product finds products by the rounded reciprocal of an integer, or by what was meant as a power of two. A decimal that ends, such as 0.1, is
// taken for a coefficient, unless it is written as a quotient.
func (r *rules) product(in *ir.Instr, dst value) {
	by := r.flow.held[in.A]
	c, ok := r.constant(by)
	if b, ok2 := r.constant(r.flow.held[in.B]); ok2 {
		if ok {
			return
		}
		c, ok, by = b, true, r.flow.held[in.B]
	}
	if m, _ := math.Frexp(math.Abs(c)); !ok || c == 0 || m == 0.5 || math.IsInf(c, 0) || math.IsNaN(c) {
		return
	}
	if power, yes := truncated(c); yes {
		r.finding(model.FindingScaling, in, fmt.Sprintf("%s is a power of two, %s, with digits cut off: the scaling is not exact", short(c), short(power)),
			fmt.Sprintf("write %s", literal(power, in.Type)))
		return
	}
	if n, ok := r.reciprocal(c, in.Type); ok && (r.flow.exprs[by].op == ir.Div || !ends(n)) {
		r.scaled = append(r.scaled, scaled{in, dst, c, n})
	}
}

// ends reports whether 1/n is a decimal that ends: n has no prime factors but 2 and 5.
func ends(n float64) bool {
	k := int(math.Abs(n))
	for _, p := range []int{2, 5} {
		for k%p == 0 {
			k /= p
		}
	}
	return k == 1
}

// reciprocals reports the products by reciprocals that are no terms of sums: in a polynomial, the coefficient's error is part of the
// approximation's.
func (r *rules) reciprocals() {
	for _, s := range r.scaled {
		if !r.added[s.product] {
			r.finding(model.FindingScaling, s.in, fmt.Sprintf("%s is 1/%s rounded, so that this product rounds twice where a quotient rounds once", short(s.by), short(s.n)),
				fmt.Sprintf("write precise::divide(x, %s)", literal(s.n, s.in.Type)))
		}
	}
}

// narrow returns x rounded to t, as bits.
func narrow(t ir.Type, x float64) uint64 { return ir.Arith{}.Narrow(t, x) }

// truncated reports whether c is ±2^-k, k >= 4, to three or more decimal digits but not exactly, and returns that power.
func truncated(c float64) (float64, bool) {
	power := math.Copysign(math.Exp2(math.Round(math.Log2(math.Abs(c)))), c)
	text := strconv.FormatFloat(c, 'e', -1, 32)
	mantissa, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
	count := len(strings.ReplaceAll(mantissa, ".", ""))
	return power, math.Abs(power) <= 0x1p-4 && power != c && count >= 3 && strconv.FormatFloat(power, 'e', count-1, 64) == text
}

// short writes a number as a reader of a source knows it.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }

// literal writes x as a literal of type t.
func literal(x float64, t ir.Type) string {
	s := strconv.FormatFloat(x, 'g', -1, 32)
	if m, e := math.Frexp(math.Abs(x)); m == 0.5 && (e < -1 || e > 10) {
		s = fmt.Sprintf("0x1p%+d", e-1)
		if x < 0 {
			s = "-" + s
		}
	} else if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		s += ".0"
	}
	return s + map[ir.Type]string{ir.F32: "f", ir.F16: "h", ir.BF16: "bf"}[t]
}

// residue finds, in the dividend of a 64-bit %, a product of a residue that may have more than 64 bits.
func (r *rules) residue(in *ir.Instr) {
	q := r.flow.held[in.B]
	var search func(v value, depth int)
	search = func(v value, depth int) {
		e := r.flow.exprs[v]
		switch {
		case depth == 0:
		case e.op == ir.Add || e.op == ir.Sub:
			search(e.a, depth-1)
			search(e.b, depth-1)
		case e.op == ir.Mul && r.bits(e.a, 8)+r.bits(e.b, 8) == 128 && !r.isPart(e.a, q) && !r.isPart(e.b, q):
			r.halves[v] = true
		case e.op == ir.Mul && (r.isPart(e.a, q) || r.isPart(e.b, q)) && r.bits(e.a, 8)+r.bits(e.b, 8) > 64:
			by := r.flow.by[v]
			r.finding(model.FindingPartialProduct, by, "this product of a residue or a high half has up to 128 bits: its upper half is lost before % sees it, unless the modulus is below 2^32",
				"multiply by Montgomery's or Barrett's method, with mulhi for the upper half, or divide the 128-bit product")
		}
	}
	search(r.flow.held[in.A], 8)
}

// products reports the products of two numbers of any 64 bits whose upper half no mulhi gives.
func (r *rules) products() {
	for _, v := range slices.Sorted(maps.Keys(r.halves)) {
		e := r.flow.exprs[v]
		upper, swapped := e, e
		upper.op, swapped.op = ir.MulHi, ir.MulHi
		swapped.a, swapped.b = e.b, e.a
		if r.flow.numbers[upper] == 0 && r.flow.numbers[swapped] == 0 {
			r.finding(model.FindingPartialProduct, r.flow.by[v], "this product of two numbers of 64 bits has up to 128: its upper half is lost before % sees it, unless both are below 2^32",
				"multiply by Montgomery's or Barrett's method, with mulhi for the upper half, or take both from uint")
		}
	}
}

// isPart reports whether v is a residue modulo q, or the upper half of a product.
func (r *rules) isPart(v, q value) bool {
	e := r.flow.exprs[v]
	return e.op == ir.MulHi || e.op == ir.Rem && e.b == q
}

// widths are the bits of integers without a sign.
var widths = map[ir.Type]int{ir.Bool: 1, ir.U8: 8, ir.U16: 16, ir.U32: 32}

// bits returns an upper bound of the bits of an integer, by what is known of its operands to a depth.
func (r *rules) bits(v value, depth int) int {
	e := r.flow.exprs[v]
	switch {
	case depth == 0:
	case e.op == ir.Const:
		return bits.Len64(e.imm)
	case e.op == ir.Convert && widths[e.from] != 0:
		return widths[e.from]
	case e.op == ir.Rem:
		return r.bits(e.b, depth-1)
	case e.op == ir.Div:
		return r.bits(e.a, depth-1)
	case e.op == ir.And || e.op == ir.Min:
		return min(r.bits(e.a, depth-1), r.bits(e.b, depth-1))
	case e.op == ir.Shr && r.flow.exprs[e.b].op == ir.Const:
		return max(r.bits(e.a, depth-1)-int(r.flow.exprs[e.b].imm&63), 0)
	}
	return 64
}
