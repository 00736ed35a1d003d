package lint

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"gamma/model"
)

// reader looks at the declarations of one file.
type reader struct {
	info    *types.Info
	at      func(token.Pos) model.Position
	escapes bool
	parents map[ast.Node]ast.Node
	found   model.Findings

	// Of the declaration at hand:
	root    ast.Node
	results map[types.Object]bool      // named results
	uses    map[variable][]ast.Expr    // where each variable stands
	traced  map[variable]map[kind]bool // to end at a cycle
}

// variable is a variable as an expression writes it: an object, or a field, element or target of one.
type variable struct {
	object types.Object
	path   string
}

// kind says what is traced: a product, or the result of math.FMA.
type kind uint8

const (
	product kind = iota
	fused
)

// parents returns the node around each node.
func parents(f *ast.File) map[ast.Node]ast.Node {
	up := map[ast.Node]ast.Node{}
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			up[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return up
}

// declaration looks at a function with the functions in it, or at the initialisers of variables.
func (r *reader) declaration(d ast.Decl) {
	r.root, r.results, r.uses = d, map[types.Object]bool{}, map[variable][]ast.Expr{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			if n.Results != nil {
				for _, f := range n.Results.List {
					for _, name := range f.Names {
						r.results[r.info.Defs[name]] = true
					}
				}
			}
		case ast.Expr:
			if v, ok := r.variable(n); ok {
				r.uses[v] = append(r.uses[v], n)
			}
		}
		return true
	})
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.MUL && r.info.Types[n].Value == nil {
				r.product(n, n.Pos(), r.info.Types[n].Type, func(u *usage) { r.follow(n, u) })
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN {
				r.product(n, n.Pos(), r.info.Types[n.Lhs[0]].Type, func(u *usage) { r.store(n.Lhs[0], n, u) })
			}
		case *ast.CallExpr:
			if r.called(n) == "math.FMA" {
				u := usage{kind: fused}
				r.traced = map[variable]map[kind]bool{}
				r.follow(n, &u)
				if u.narrowed != nil {
					r.report(model.FindingDoubleRounding, n.Pos(), "math.FMA rounds to binary64, and the conversion to float32"+r.line(n, u.narrowed)+" rounds again",
						"add the product, which is exact in float64, by a two-sum and round to odd, as kernels.FMA does")
				}
			}
		}
		return true
	})
}

// product judges one product of type t.
func (r *reader) product(n ast.Node, pos token.Pos, t types.Type, follow func(*usage)) {
	if isOf(t, types.IsComplex) {
		r.report(model.FindingContraction, pos, "a product of complex numbers is a sum of products, which may be fused whatever is around it",
			"write it by real and imaginary parts, each product in a conversion")
		return
	}
	if !isOf(t, types.IsFloat) {
		return
	}
	u := usage{kind: product}
	r.traced = map[variable]map[kind]bool{}
	follow(&u)
	fix := fmt.Sprintf("write %s(x*y)", types.TypeString(t, func(*types.Package) string { return "" }))
	switch {
	case u.added != nil:
		r.report(model.FindingContraction, pos, "this product may be fused into the addition"+r.line(n, u.added), fix)
	case r.escapes && u.escaped != nil && !r.doubles(n):
		r.report(model.FindingContraction, pos, "this product leaves the function unrounded"+r.line(n, u.escaped)+", and may be fused into an addition where the function is inlined", fix)
	}
}

// line names the line of n if it is not that of from.
func (r *reader) line(from, n ast.Node) string {
	if a, b := r.at(from.Pos()), r.at(n.Pos()); a.Line != b.Line {
		return fmt.Sprintf(" in line %d", b.Line)
	}
	return ""
}

func (r *reader) report(k model.FindingKind, pos token.Pos, text, fix string) {
	r.found = append(r.found, model.Finding{Kind: k, Pos: r.at(pos), Index: -1, Text: text, Fix: fix})
}

// called returns the full name of the function of a package that c calls, or "".
func (r *reader) called(c *ast.CallExpr) string {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if f, ok := r.info.Uses[s.Sel].(*types.Func); ok {
			return f.FullName()
		}
	}
	return ""
}

// doubles reports whether n multiplies by a constant 2^k, k >= 0: fused or not, the sum is the same unless the product overflows.
func (r *reader) doubles(n ast.Node) bool {
	var factors []ast.Expr
	switch n := n.(type) {
	case *ast.BinaryExpr:
		factors = []ast.Expr{n.X, n.Y}
	case *ast.AssignStmt:
		factors = n.Rhs
	}
	for _, f := range factors {
		if v := r.info.Types[f].Value; v != nil {
			x, _ := constant.Float64Val(constant.ToFloat(v))
			if m, e := math.Frexp(math.Abs(x)); m == 0.5 && e >= 1 {
				return true
			}
		}
	}
	return false
}

// isOf reports whether t is a basic type with this property, or a type parameter that may be one.
func isOf(t types.Type, what types.BasicInfo) bool {
	return mayBe(t, func(b *types.Basic) bool { return b.Info()&what != 0 })
}

// mayBe reports whether t is a basic type that is has, or a type parameter that may be one.
func mayBe(t types.Type, is func(*types.Basic) bool) bool {
	if t == nil {
		return false
	}
	if p, ok := t.(*types.TypeParam); ok {
		return someTerm(p.Constraint(), is)
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && is(b)
}

// someTerm reports whether a type that a constraint allows is such.
func someTerm(t types.Type, is func(*types.Basic) bool) bool {
	u, ok := t.Underlying().(*types.Interface)
	if !ok {
		return mayBe(t, is)
	}
	for i := range u.NumEmbeddeds() {
		e := u.EmbeddedType(i)
		if union, ok := e.(*types.Union); ok {
			for j := range union.Len() {
				if someTerm(union.Term(j).Type(), is) {
					return true
				}
			}
		} else if someTerm(e, is) {
			return true
		}
	}
	return false
}
