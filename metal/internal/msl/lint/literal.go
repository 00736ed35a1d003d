package lint

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// literals looks at the literals of program-scope constants and of all functions that kernels reach.
func (l *linter) literals() {
	w := &writer{linter: l, at: map[typed.Pos][]int{}, seen: map[*typed.Func]bool{}}
	for i, t := range l.Tokens {
		w.at[t.Pos] = append(w.at[t.Pos], i)
	}
	for _, x := range l.Program.Initialisers {
		w.walk(x)
	}
	for _, k := range l.Program.Kernels {
		w.kernel = k.Name
		w.walk(k.Func.Body)
	}
}

// writer compares constants with how they are written.
type writer struct {
	*linter
	at     map[typed.Pos][]int // tokens by place; several where a macro stands
	seen   map[*typed.Func]bool
	kernel string
}

// written returns the index of the number that is written at a place, after a sign if one stands there.
func (w *writer) written(p typed.Pos) (int, bool) {
	number := -1
	for _, i := range w.at[p] {
		if t := w.Tokens[i]; (t.Is("-") || t.Is("+")) && len(w.at[p]) == 1 {
			i++
		}
		if k := w.Tokens[i].Kind; k == token.Int || k == token.Float {
			if number >= 0 {
				return 0, false // a macro with two numbers
			}
			number = i
		}
	}
	return number, number >= 0
}

func (w *writer) walk(n any) {
	switch n := n.(type) {
	case *typed.Const:
		w.rounded(n)
	case *typed.ConvertExpr:
		if k := kind(n.Type); k == ir.F16 || k == ir.BF16 {
			w.promoted(n.X, k, false)
		}
	case *typed.CompoundExpr:
		if k := kind(n.To.PlaceType()); k == ir.F16 || k == ir.BF16 {
			w.promoted(n.X, k, true)
		}
	case *typed.Call:
		w.function(n.Func)
	case *typed.ConstructExpr:
		w.function(n.Func)
	}
	typed.EachPart(n, w.walk)
}

func (w *writer) function(f *typed.Func) {
	if !w.seen[f] {
		w.seen[f] = true
		w.walk(f.Body)
	}
}

// kind returns the type of a scalar or of a vector's elements.
func kind(t typed.Type) ir.Type {
	switch t := t.(type) {
	case *typed.Scalar:
		return t.Kind
	case *typed.Vector:
		return t.Elem.Kind
	}
	return ir.Void
}

var typeNames = map[ir.Type]string{ir.F32: "float", ir.F16: "half", ir.BF16: "bfloat"}

// double is the number of significant digits from which on a literal is taken for one of binary64.
const double = 16

// rounded finds a literal whose value is not the one that is meant: an integer, or quotient of integers, that the type has not, a number with the digits of a
// binary64 and no suffix, one that becomes 0 or infinite. Fewer digits, or a suffix, are taken for a way to write the nearest number of the type.
func (w *writer) rounded(c *typed.Const) {
	k := kind(c.Type)
	if !isFloat(k) {
		return
	}
	i, ok := w.written(c.Pos)
	if !ok {
		w.divided(c, k)
		return
	}
	t := w.Tokens[i]
	value := math.Abs(ir.Widen(k, c.Bits))
	exact, digits, ok := read(t)
	if !ok {
		return
	}
	lost, fix := "", fmt.Sprintf("write %s, or a second literal for the rest", hex(value)+suffix[k])
	switch {
	case exact != nil && exact.Sign() != 0 && value == 0, exact == nil && value == 0:
		lost = "which is too small for a " + typeNames[k] + ", becomes 0"
		fix = "scale the other operand, or compute in a wider type"
	case math.IsInf(value, 0):
		lost = "which is too large for a " + typeNames[k] + ", becomes infinite"
		fix = "scale the other operand, or compute in a wider type"
	case exact == nil || new(big.Rat).SetFloat64(value).Cmp(exact) == 0:
		return
	case t.Kind == token.Int:
		lost = fmt.Sprintf("which is no %s, becomes %s", typeNames[k], strconv.FormatFloat(value, 'f', -1, 64))
	case digits >= double && strings.Trim(t.Text, "0123456789.eE+-'") == "" && nearest(exact) != value:
		lost = fmt.Sprintf("which has the digits of a double and no suffix, becomes the %s %s", typeNames[k], hex(value))
	default:
		return
	}
	w.report(model.Finding{
		Kind: model.FindingLiteral, Kernel: w.kernel, Pos: t.Pos, Text: t.Text + ", " + lost,
		Fix: fix,
	})
}

// divided finds a quotient of two integer literals that is divided before it becomes a number of type k, as 1/3, which is 0.
func (w *writer) divided(c *typed.Const, k ir.Type) {
	at := w.at[c.Pos]
	if len(at) != 1 || at[0] == 0 || !w.Tokens[at[0]].Is("/") {
		return
	}
	a, b := w.Tokens[at[0]-1], w.Tokens[at[0]+1] // the parser has seen an operand there
	if a.Kind != token.Int || b.Kind != token.Int {
		return
	}
	x, _, ok1 := read(a)
	y, _, ok2 := read(b)
	if !ok1 || !ok2 || y.Sign() == 0 || new(big.Rat).Quo(x, y).IsInt() {
		return
	}
	w.report(model.Finding{
		Kind: model.FindingLiteral, Kernel: w.kernel, Pos: c.Pos,
		Text: fmt.Sprintf("%s / %s is divided in integers, and becomes %s", a.Text, b.Text, short(ir.Widen(k, c.Bits))),
		Fix:  fmt.Sprintf("write %s.0%s / %s.0%s", x.RatString(), suffix[k], y.RatString(), suffix[k]),
	})
}

var suffix = map[ir.Type]string{ir.F32: "f", ir.F16: "h", ir.BF16: "bf"}

func nearest(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func hex(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// read returns the value that a number's text means, nil for one far out of any range, and how many significant digits it is written with.
func read(t token.Token) (exact *big.Rat, digits int, ok bool) {
	text := strings.ToLower(strings.ReplaceAll(t.Text, "'", ""))
	if t.Kind == token.Int {
		n, ok := new(big.Int).SetString(strings.TrimRight(text, "ul"), 0)
		if !ok {
			return nil, 0, false
		}
		return new(big.Rat).SetInt(n), 0, true
	}
	if strings.HasPrefix(text, "0x") {
		text = strings.TrimRight(text, "fhb")
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x == 0 {
			return nil, 0, false
		}
		return new(big.Rat).SetFloat64(x), 0, true
	}
	text = strings.TrimRight(text, "fhb")
	mantissa, _, _ := strings.Cut(text, "e")
	digits = len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "0"))
	if x, err := strconv.ParseFloat(text, 64); digits > 0 && (err != nil || x == 0) {
		return nil, digits, true
	}
	exact, ok = new(big.Rat).SetString(strings.TrimSuffix(text, "."))
	return exact, digits, ok
}

// promoted finds literals of type float that make arithmetic on numbers of type k, half or bfloat, be done in float, and rounded to k only
// after it. Half says that there is such a number; without one, or with a cast to float, it is meant.
func (w *writer) promoted(x typed.Expr, k ir.Type, half bool) {
	var literals []*typed.Const
	others := false
	var leaves func(n any)
	leaves = func(n any) {
		switch n := n.(type) {
		case *typed.Const:
			literals = append(literals, n)
		case *typed.ConvertExpr:
			from := kind(n.X.ExprType())
			half = half || from == k
			others = others || isFloat(from) && from != k
		case *typed.Unary, *typed.Binary, *typed.Ternary, *typed.Splat:
			typed.EachPart(n, leaves)
		default:
			others = true
		}
	}
	if kind(x.ExprType()) != ir.F32 {
		return
	}
	leaves(x)
	if others || !half {
		return
	}
	for _, c := range literals {
		i, ok := w.written(c.Pos)
		value := ir.Widen(ir.F32, c.Bits)
		if !ok || w.Tokens[i].Kind != token.Float || w.casts(i) || ir.Widen(k, narrow(k, value)) == value {
			continue
		}
		t := w.Tokens[i]
		name := typeNames[k]
		w.report(model.Finding{
			Kind: model.FindingLiteral, Kernel: w.kernel, Pos: t.Pos,
			Text: fmt.Sprintf("%s is a float, so that this is computed in float and then rounded to %s", t.Text, name),
			Fix:  fmt.Sprintf("write %s, or say float(x) where float is meant", strings.TrimRight(t.Text, "fF")+suffix[k]),
		})
	}
}

// casts reports whether the statement around token i casts to float, as far as it is near.
func (w *writer) casts(i int) bool {
	const near = 200 // tokens
	ends := func(t token.Token) bool { return t.Kind == token.EOF || t.Is(";") || t.Is("{") || t.Is("}") }
	from := i
	for from > max(0, i-near) && !ends(w.Tokens[from-1]) {
		from--
	}
	for ; from < min(i+near, len(w.Tokens)-1) && !ends(w.Tokens[from]); from++ {
		next := w.Tokens[from+1]
		if strings.HasPrefix(w.Tokens[from].Text, "float") && (next.Is("(") || next.Is(")") || next.Is(">")) {
			return true
		}
	}
	return false
}
