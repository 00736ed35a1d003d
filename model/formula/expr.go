package formula

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
)

// Expr is an expression over arrays, immutable. Functions of this package make it.
type Expr struct {
	node   Node
	axes   []string
	typ    Type
	inputs []*Expr // each name once
	err    error
}

// Node returns what e is made of.
func (e *Expr) Node() Node { return e.node }

// Axes returns the names of e's axes, slowest first; none for a scalar.
func (e *Expr) Axes() []string { return e.axes }

// Type returns the type of e's elements.
func (e *Expr) Type() Type { return e.typ }

// Err returns what is wrong with e, or nil.
func (e *Expr) Err() error {
	if e == nil {
		return errors.New("formula: the expression is nil")
	}
	return e.err
}

// Inputs returns the inputs of e, each once, in the order in which they first occur from left to right.
func (e *Expr) Inputs() []*Expr { return slices.Clone(e.inputs) }

// Nodes returns e and all that it is made of, each once, operands before what uses them.
func (e *Expr) Nodes() []*Expr {
	var order []*Expr
	seen := map[*Expr]bool{}
	var walk func(*Expr)
	walk = func(n *Expr) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.node.Args {
			walk(a)
		}
		order = append(order, n)
	}
	walk(e)
	return order
}

// place returns the first caller outside this package.
func place() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "gamma/model/formula.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}

// mistake is what is wrong with an expression.
type mistake struct {
	place string // file and line of the call
	op    Op
	text  string
}

func (m *mistake) Error() string { return fmt.Sprintf("%s: formula: %s: %s", m.place, m.op, m.text) }

func wrong(n Node, format string, args ...any) *Expr {
	return &Expr{node: n, err: &mistake{place(), n.Op, fmt.Sprintf(format, args...)}}
}

// merge adds the inputs of an operand, and returns what is wrong if two of one name differ.
func (e *Expr) merge(a *Expr) string {
	for _, in := range a.inputs {
		i := slices.IndexFunc(e.inputs, func(f *Expr) bool { return f.node.Name == in.node.Name })
		switch {
		case i < 0:
			e.inputs = append(e.inputs, in)
		case e.inputs[i].typ != in.typ || !slices.Equal(e.inputs[i].axes, in.axes):
			return fmt.Sprintf("two inputs are called %s: one is %s%v, the other %s%v", in.node.Name, e.inputs[i].typ, e.inputs[i].axes, in.typ, in.axes)
		}
	}
	return ""
}

// build makes an expression of n, whose axes are those of its operands, each once.
func build(n Node) *Expr {
	e := &Expr{node: n}
	for i, a := range n.Args {
		if a == nil {
			return wrong(n, "operand %d is nil", i+1)
		}
		if a.err != nil {
			return &Expr{node: n, err: a.err}
		}
	}
	// The operand with the most axes says their order, so that a row and a matrix give a matrix.
	widest := 0
	for i, a := range n.Args {
		if len(a.axes) > len(n.Args[widest].axes) {
			widest = i
		}
	}
	if len(n.Args) > 0 {
		e.axes = slices.Clone(n.Args[widest].axes)
	}
	for _, a := range n.Args {
		for _, x := range a.axes {
			if !slices.Contains(e.axes, x) {
				e.axes = append(e.axes, x)
			}
		}
	}
	for _, a := range n.Args {
		if problem := e.merge(a); problem != "" {
			return wrong(n, "%s", problem)
		}
	}
	if problem := e.setType(); problem != "" {
		return wrong(n, "%s", problem)
	}
	return e
}

// setType gives e the type that its operation makes of its operands', and returns what is wrong with these.
func (e *Expr) setType() string {
	n := e.node
	switch op := n.Op; op {
	case OpNot, OpAnd, OpOr, OpAny, OpAll, OpCount:
		for _, a := range n.Args {
			if !a.typ.Bool {
				return fmt.Sprintf("its operand is %s, and has to be bool", a.typ)
			}
		}
	case OpSelect:
		if !n.Args[0].typ.Bool {
			return fmt.Sprintf("its condition is %s, and has to be bool", n.Args[0].typ)
		}
		if n.Args[1].typ.Int != n.Args[2].typ.Int || n.Args[1].typ.Bool != n.Args[2].typ.Bool {
			return fmt.Sprintf("it chooses between %s and %s, which have to be of one kind", n.Args[1].typ, n.Args[2].typ)
		}
	case OpStore:
	default:
		for _, a := range n.Args {
			if a.typ.Bool && op.Class() != Layout {
				return "its operand is bool, and has to be a number"
			}
		}
	}
	allInt := true
	for _, a := range n.Args {
		allInt = allInt && a.typ.Int
	}
	switch table[n.Op].result {
	case given:
		e.typ = n.Type
	case constant:
		if n.Type.Int {
			e.typ = whole
		}
	case integer:
		if (n.Op == OpQuo || n.Op == OpMod) && !allInt {
			return "its operands have to be integers; Div divides real numbers"
		}
		e.typ = whole
	case boolean:
		e.typ = Bool
	case number:
		if allInt {
			e.typ = whole
		}
	case first, second:
		a := n.Args[0]
		if table[n.Op].result == second {
			a = n.Args[1]
		}
		e.typ = a.typ
		if n.Op.Class() != Layout && n.Op != OpMax && n.Op != OpMin && n.Op != OpScanMax && n.Op != OpScanMin {
			// What is computed is stored nowhere.
			switch {
			case a.typ.Int:
				e.typ = whole
			case a.typ.IsReal():
				e.typ = Type{}
			}
		}
	case real:
	}
	return ""
}

// Input returns the array called name, with elements of type t and the given axes, slowest first. Two inputs of one name are one.
func Input(name string, t Type, axes ...string) *Expr {
	axes = slices.Clone(axes)
	n := Node{Op: OpInput, Name: name, Type: t, Axes: axes}
	if !isName(name) {
		return wrong(n, "an array cannot be called %q: a name is a letter, then letters, digits and underscores", name)
	}
	if !t.IsStored() {
		return wrong(n, "%s has no stored type; Float, Int, Uint and Bool make one", name)
	}
	for i, a := range axes {
		if !isName(a) {
			return wrong(n, "an axis cannot be called %q: a name is a letter, then letters, digits and underscores", a)
		}
		if slices.Contains(axes[:i], a) {
			return wrong(n, "%s has two axes called %s", name, a)
		}
	}
	e := build(n)
	e.axes = axes
	e.inputs = []*Expr{e}
	return e
}

func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// Const returns the real number whose shortest decimal reads as v: Const(0.1) is a tenth, not the binary64 number next to it. The
// claim says how far a kernel's constant may be from it: by default, as far as its nearest number of the claim's format.
func Const(v float64) *Expr {
	n := Node{Op: OpConst, Value: v}
	if math.IsNaN(v) {
		return wrong(n, "a constant is a number or an infinity")
	}
	return build(n)
}

// Integer returns the integer v, which is exact, as Index and Len are: positions are made of these.
//
// Domain: |v| <= 2^53.
func Integer(v int64) *Expr {
	n := Node{Op: OpConst, Type: whole, Value: float64(v)}
	if v < -1<<53 || v > 1<<53 {
		return wrong(n, "%d is beyond ±2^53", v)
	}
	return build(n)
}

// Index returns the position along axis, from 0. The size of the axis is that of the inputs that have it.
func Index(axis string) *Expr { return index(axis, nil) }

// IndexOf returns the position along axis, from 0 to size-1. It makes an axis that no input has, of a size that is an integer scalar,
// such as a constant or an expression of Len: what Gather takes elements along.
func IndexOf(axis string, size *Expr) *Expr {
	n := Node{Op: OpIndex, Axes: []string{axis}, Args: []*Expr{size}}
	if size != nil && size.err == nil && (!size.typ.Int || len(size.axes) > 0) {
		return wrong(n, "the size of axis %s is %s%v, and has to be an integer scalar", axis, size.typ, size.axes)
	}
	return index(axis, n.Args)
}

func index(axis string, size []*Expr) *Expr {
	n := Node{Op: OpIndex, Axes: []string{axis}, Args: size}
	if !isName(axis) {
		return wrong(n, "an axis cannot be called %q: a name is a letter, then letters, digits and underscores", axis)
	}
	e := build(n)
	if e.err == nil {
		e.axes = []string{axis}
	}
	return e
}

// Len returns the size of axis.
func Len(axis string) *Expr {
	n := Node{Op: OpLen, Axes: []string{axis}}
	if !isName(axis) {
		return wrong(n, "an axis cannot be called %q: a name is a letter, then letters, digits and underscores", axis)
	}
	return build(n)
}

// Add returns a + b.
func Add(a, b *Expr) *Expr { return build(Node{Op: OpAdd, Args: []*Expr{a, b}}) }

// Sub returns a - b.
func Sub(a, b *Expr) *Expr { return build(Node{Op: OpSub, Args: []*Expr{a, b}}) }

// Mul returns a·b.
func Mul(a, b *Expr) *Expr { return build(Node{Op: OpMul, Args: []*Expr{a, b}}) }

// Div returns a/b, a real number.
func Div(a, b *Expr) *Expr { return build(Node{Op: OpDiv, Args: []*Expr{a, b}}) }

// FMA returns a·b + c, rounded once.
func FMA(a, b, c *Expr) *Expr { return build(Node{Op: OpFMA, Args: []*Expr{a, b, c}}) }

// Quo returns the integer floor(a/b).
func Quo(a, b *Expr) *Expr { return build(Node{Op: OpQuo, Args: []*Expr{a, b}}) }

// Mod returns the integer a - b·floor(a/b).
func Mod(a, b *Expr) *Expr { return build(Node{Op: OpMod, Args: []*Expr{a, b}}) }

// Maximum returns the greater of a and b, and Minimum the less. Meant says what they do with NaN.
func Maximum(a, b *Expr) *Expr { return build(Node{Op: OpMaximum, Args: []*Expr{a, b}}) }

// Minimum returns the less of a and b.
func Minimum(a, b *Expr) *Expr { return build(Node{Op: OpMinimum, Args: []*Expr{a, b}}) }

func unary(op Op, a *Expr) *Expr { return build(Node{Op: op, Args: []*Expr{a}}) }

// Abs returns |a|.
func Abs(a *Expr) *Expr { return unary(OpAbs, a) }

// Neg returns -a.
func Neg(a *Expr) *Expr { return unary(OpNeg, a) }

// Sqrt returns the square root of a.
func Sqrt(a *Expr) *Expr { return unary(OpSqrt, a) }

// Rsqrt returns 1/√a.
func Rsqrt(a *Expr) *Expr { return unary(OpRsqrt, a) }

// Exp returns e^a.
func Exp(a *Expr) *Expr { return unary(OpExp, a) }

// Exp2 returns 2^a.
func Exp2(a *Expr) *Expr { return unary(OpExp2, a) }

// Expm1 returns e^a - 1.
func Expm1(a *Expr) *Expr { return unary(OpExpm1, a) }

// Log returns the natural logarithm of a.
func Log(a *Expr) *Expr { return unary(OpLog, a) }

// Log2 returns the logarithm of a to base 2.
func Log2(a *Expr) *Expr { return unary(OpLog2, a) }

// Log1p returns the natural logarithm of 1 + a.
func Log1p(a *Expr) *Expr { return unary(OpLog1p, a) }

// Sin returns the sine of a in radians.
func Sin(a *Expr) *Expr { return unary(OpSin, a) }

// Cos returns the cosine of a in radians.
func Cos(a *Expr) *Expr { return unary(OpCos, a) }

// Tan returns the tangent of a in radians.
func Tan(a *Expr) *Expr { return unary(OpTan, a) }

// SinPi returns the sine of π·a.
func SinPi(a *Expr) *Expr { return unary(OpSinPi, a) }

// CosPi returns the cosine of π·a.
func CosPi(a *Expr) *Expr { return unary(OpCosPi, a) }

// Tanh returns the hyperbolic tangent of a.
func Tanh(a *Expr) *Expr { return unary(OpTanh, a) }

// Erf returns the error function of a, 2/√π·∫exp(-t²) dt from 0 to a.
func Erf(a *Expr) *Expr { return unary(OpErf, a) }

// Pow returns a^b.
func Pow(a, b *Expr) *Expr { return build(Node{Op: OpPow, Args: []*Expr{a, b}}) }

// Floor returns the greatest integer that is at most a.
func Floor(a *Expr) *Expr { return unary(OpFloor, a) }

// Ceil returns the least integer that is at least a.
func Ceil(a *Expr) *Expr { return unary(OpCeil, a) }

// Trunc returns a without its fraction.
func Trunc(a *Expr) *Expr { return unary(OpTrunc, a) }

// Round returns the integer nearest to a, the even one of two.
func Round(a *Expr) *Expr { return unary(OpRound, a) }

// Ufp returns the unit in the first place of a, the greatest power of two that is at most |a|; 0 of 0, and +∞ of an infinity. It is exact, as
// scaling by it is: kernels get it from a number's exponent.
func Ufp(a *Expr) *Expr { return unary(OpUfp, a) }

// Less reports whether a < b, false if one is NaN.
func Less(a, b *Expr) *Expr { return build(Node{Op: OpLess, Args: []*Expr{a, b}}) }

// LessEqual reports whether a <= b, false if one is NaN.
func LessEqual(a, b *Expr) *Expr { return build(Node{Op: OpLessEqual, Args: []*Expr{a, b}}) }

// Equal reports whether a == b, false if one is NaN.
func Equal(a, b *Expr) *Expr { return build(Node{Op: OpEqual, Args: []*Expr{a, b}}) }

// Not returns whether a is false.
func Not(a *Expr) *Expr { return unary(OpNot, a) }

// And returns whether both are true.
func And(a, b *Expr) *Expr { return build(Node{Op: OpAnd, Args: []*Expr{a, b}}) }

// Or returns whether one of both is true.
func Or(a, b *Expr) *Expr { return build(Node{Op: OpOr, Args: []*Expr{a, b}}) }

// Select returns a where cond is true, and b elsewhere.
func Select(cond, a, b *Expr) *Expr { return build(Node{Op: OpSelect, Args: []*Expr{cond, a, b}}) }

// Store returns a converted to type t: rounded to nearest even to a floating-point format; a real number to an integer type rounded to
// nearest even, which Store(Trunc(a), t) avoids. What t cannot hold becomes what over says.
func Store(a *Expr, t Type, over Overflow) *Expr {
	n := Node{Op: OpStore, Args: []*Expr{a}, Type: t, Overflow: over}
	if !t.IsStored() {
		return wrong(n, "%s says nothing of how a number is stored; Float, Int, Uint and Bool make a type that does", t)
	}
	if over == Wrap && !t.Int {
		return wrong(n, "only integers wrap, not %s", t)
	}
	return build(n)
}

// reduce makes a reduction along axes, or the last axis if none is named.
func reduce(n Node, axes []string) *Expr {
	e := build(n)
	if e.err != nil {
		return e
	}
	if len(axes) == 0 {
		if len(e.axes) == 0 {
			return wrong(n, "its operand has no axis")
		}
		axes = e.axes[len(e.axes)-1:]
	}
	for i, a := range axes {
		if !slices.Contains(e.axes, a) {
			return wrong(n, "its operand has no axis %s; it has %v", a, e.axes)
		}
		if slices.Contains(axes[:i], a) {
			return wrong(n, "it names the axis %s twice", a)
		}
	}
	e.node.Axes = slices.Clone(axes)
	e.axes = slices.DeleteFunc(slices.Clone(e.axes), func(a string) bool { return slices.Contains(axes, a) })
	return e
}

// Sum returns the sum of a along axes, its last if none is named, in any order: Ordered says otherwise.
func Sum(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpSum, Args: []*Expr{a}}, axes) }

// Prod returns the product of a along axes, its last if none is named.
func Prod(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpProd, Args: []*Expr{a}}, axes) }

// Max returns the greatest element of a along axes, its last if none is named; -∞ of no elements.
func Max(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpMax, Args: []*Expr{a}}, axes) }

// Min returns the least element of a along axes, its last if none is named; +∞ of no elements.
func Min(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpMin, Args: []*Expr{a}}, axes) }

// ArgMax returns the index of the greatest element of a along one axis, the first of several: WithTies says otherwise.
func ArgMax(a *Expr, axis ...string) *Expr { return argument(OpArgMax, a, axis) }

// ArgMin returns the index of the least element of a along one axis, the first of several: WithTies says otherwise.
func ArgMin(a *Expr, axis ...string) *Expr { return argument(OpArgMin, a, axis) }

func argument(op Op, a *Expr, axis []string) *Expr {
	n := Node{Op: op, Args: []*Expr{a}}
	if len(axis) > 1 {
		return wrong(n, "it goes along one axis, not %v", axis)
	}
	return reduce(n, axis)
}

// Any reports whether an element of a is true along axes, its last if none is named.
func Any(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpAny, Args: []*Expr{a}}, axes) }

// All reports whether all elements of a are true along axes, its last if none is named.
func All(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpAll, Args: []*Expr{a}}, axes) }

// Count returns how many elements of a are true along axes, its last if none is named.
func Count(a *Expr, axes ...string) *Expr { return reduce(Node{Op: OpCount, Args: []*Expr{a}}, axes) }

// Dot returns the sum of the products a·b along axes, as in a matrix product. Each product may be rounded, or fused with an
// addition, as the claim says. It is Sum(Mul(a, b), axes...), said so that no array of the products is ever made.
func Dot(a, b *Expr, axes ...string) *Expr {
	if len(axes) == 0 {
		return wrong(Node{Op: OpDot, Args: []*Expr{a, b}}, "name the axes that it sums over")
	}
	return reduce(Node{Op: OpDot, Args: []*Expr{a, b}}, axes)
}

// scan makes a scan along axis, or the last axis if none is named.
func scan(op Op, a *Expr, axis []string) *Expr {
	n := Node{Op: op, Args: []*Expr{a}}
	e := build(n)
	if e.err != nil {
		return e
	}
	switch {
	case len(axis) > 1:
		return wrong(n, "it goes along one axis, not %v", axis)
	case len(e.axes) == 0:
		return wrong(n, "its operand has no axis")
	case len(axis) == 0:
		axis = e.axes[len(e.axes)-1:]
	case !slices.Contains(e.axes, axis[0]):
		return wrong(n, "its operand has no axis %s; it has %v", axis[0], e.axes)
	}
	e.node.Axes = slices.Clone(axis)
	return e
}

// ScanSum returns the sums of a's first 1, 2, … elements along an axis, its last if none is named, each in any order.
func ScanSum(a *Expr, axis ...string) *Expr { return scan(OpScanSum, a, axis) }

// ScanProd returns the products of a's first 1, 2, … elements along an axis, its last if none is named.
func ScanProd(a *Expr, axis ...string) *Expr { return scan(OpScanProd, a, axis) }

// ScanMax returns the greatest of a's first 1, 2, … elements along an axis, its last if none is named.
func ScanMax(a *Expr, axis ...string) *Expr { return scan(OpScanMax, a, axis) }

// ScanMin returns the least of a's first 1, 2, … elements along an axis, its last if none is named.
func ScanMin(a *Expr, axis ...string) *Expr { return scan(OpScanMin, a, axis) }

// Gather returns a with its element index along axis, an integer expression, and fill where index is no position of that axis: a
// slice, a shift, a reversal, a padding, a convolution's window or a look-up. The axes of index and fill take the place of axis.
//
// Nothing is rounded: fill is what its own expression holds, whether a's format has that number or not. For what a kernel stores beside a, as padding
// in an array of halves, fill is Store(…, a.Type(), …). So the result has a's type where fill has it, too, or is a constant that is a number of a's
// format, and not a subnormal one. Otherwise it is a real number: where Claim.Flush16 admits it, halves are read, perhaps as 0, as they are moved, and
// what is not stored as a half is not flushed.
func Gather(a *Expr, axis string, index, fill *Expr) *Expr {
	n := Node{Op: OpGather, Args: []*Expr{a, index, fill}, Axes: []string{axis}}
	e := build(n)
	if e.err != nil {
		return e
	}
	switch {
	case !slices.Contains(a.axes, axis):
		return wrong(n, "its operand has no axis %s; it has %v", axis, a.axes)
	case !index.typ.Int:
		return wrong(n, "its index is %s, and has to be an integer", index.typ)
	case fill.typ.Int != a.typ.Int || fill.typ.Bool != a.typ.Bool:
		return wrong(n, "it fills an array of %s with %s", a.typ, fill.typ)
	}
	// The axes of the index stand where axis stood; axis itself stays only if the index goes along it.
	var axes []string
	for _, x := range a.axes {
		if x != axis {
			axes = append(axes, x)
			continue
		}
		for _, i := range index.axes {
			if i == axis || !slices.Contains(a.axes, i) {
				axes = append(axes, i)
			}
		}
	}
	for _, x := range fill.axes {
		if !slices.Contains(axes, x) {
			axes = append(axes, x)
		}
	}
	e.axes = axes
	if a.typ.IsReal() && fill.typ != a.typ && !(fill.node.Op == OpConst && a.typ.holds(fill.node.Value)) {
		e.typ = Type{}
	}
	return e
}

// Rename returns a with its axis from called to, so that an array can meet itself.
func Rename(a *Expr, from, to string) *Expr {
	n := Node{Op: OpRename, Args: []*Expr{a}, Axes: []string{from}, To: to}
	e := build(n)
	if e.err != nil {
		return e
	}
	i := slices.Index(a.axes, from)
	switch {
	case i < 0:
		return wrong(n, "its operand has no axis %s; it has %v", from, a.axes)
	case !isName(to):
		return wrong(n, "an axis cannot be called %q: a name is a letter, then letters, digits and underscores", to)
	case slices.Contains(a.axes, to):
		return wrong(n, "its operand has an axis %s already", to)
	}
	e.axes[i] = to
	return e
}

// InOrder returns a with its axes in the stated order, slowest first: how a result lies in memory.
func InOrder(a *Expr, axes ...string) *Expr {
	n := Node{Op: OpOrder, Args: []*Expr{a}, Axes: axes}
	e := build(n)
	if e.err != nil {
		return e
	}
	have, want := slices.Sorted(slices.Values(a.axes)), slices.Sorted(slices.Values(axes))
	if !slices.Equal(have, want) {
		return wrong(n, "%v does not list each of its operand's axes %v once", axes, a.axes)
	}
	e.axes = slices.Clone(axes)
	return e
}

// joined lists operations by name.
func joined(ops []Op) string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = op.String()
	}
	return strings.Join(names, ", ")
}

// with returns a copy of e with its node changed, or an error if e is of another operation than ops.
func (e *Expr) with(what string, change func(*Node), ops []Op) *Expr {
	if e == nil || e.err != nil {
		return e
	}
	if !slices.Contains(ops, e.node.Op) {
		return wrong(e.node, "%s is for %s", what, joined(ops))
	}
	c := *e
	change(&c.node)
	return &c
}

// Ordered returns e, a sum, product, dot product or scan of these, added in the given order.
func (e *Expr) Ordered(o Order) *Expr {
	if e.Err() == nil && (o.Block < 0 || o.Extra < 0) {
		return wrong(e.node, "an order has no negative block or height: %+v", o)
	}
	return e.with("Ordered", func(n *Node) { n.Order = o }, withOrder)
}

// Meant returns e, a maximum or minimum, with a stated meaning for NaN and signed zeros.
func (e *Expr) Meant(m Meaning) *Expr {
	return e.with("Meant", func(n *Node) { n.Meaning = m }, withMeaning)
}

// WithTies returns e, an argmax or argmin, with a stated choice among equal elements.
func (e *Expr) WithTies(t Ties) *Expr {
	return e.with("WithTies", func(n *Node) { n.Ties = t }, withTies)
}

// Exclusively returns e, a scan, in which element i is of the elements before i alone.
func (e *Expr) Exclusively() *Expr {
	return e.with("Exclusively", func(n *Node) { n.Exclusive = true }, scans)
}

// Backwards returns e, a scan, from the last element to the first.
func (e *Expr) Backwards() *Expr {
	return e.with("Backwards", func(n *Node) { n.Reverse = true }, scans)
}
