package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// usage is what becomes of a value: the first addition, place where it leaves the function, and conversion to float32.
type usage struct {
	kind                     kind
	added, escaped, narrowed ast.Node
}

func first(to *ast.Node, n ast.Node) {
	if *to == nil {
		*to = n
	}
}

// follow finds what becomes of the value of e, unrounded.
func (r *reader) follow(e ast.Node, u *usage) {
	switch p := r.parents[e].(type) {
	case *ast.ParenExpr:
		r.follow(p, u)
	case *ast.UnaryExpr:
		if p.Op == token.SUB || p.Op == token.ADD {
			r.follow(p, u)
		}
	case *ast.BinaryExpr:
		if p.Op == token.ADD || p.Op == token.SUB {
			first(&u.added, p)
		}
	case *ast.AssignStmt:
		r.assigned(p, e, u)
	case *ast.IncDecStmt:
		first(&u.added, p)
	case *ast.ValueSpec:
		for i, v := range p.Values {
			if v == e && len(p.Names) == len(p.Values) {
				r.store(p.Names[i], p, u)
			}
		}
	case *ast.CallExpr:
		r.passed(p, e, u)
	case *ast.CompositeLit, *ast.KeyValueExpr:
		first(&u.escaped, p)
		if lit, path := r.element(e); lit != nil {
			r.held(lit, path, u)
		}
	case *ast.ReturnStmt, *ast.SendStmt:
		first(&u.escaped, p)
	}
}

// element returns the literal that e is an element of, and how that element is selected; nil if e is a key.
func (r *reader) element(e ast.Node) (lit *ast.CompositeLit, path string) {
	var key ast.Expr
	if kv, ok := r.parents[e].(*ast.KeyValueExpr); ok {
		if kv.Key == e {
			return nil, ""
		}
		key, e = kv.Key, kv
	}
	lit, ok := r.parents[e].(*ast.CompositeLit)
	if !ok {
		return nil, ""
	}
	t := types.Unalias(r.info.Types[lit].Type)
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T is left out in elements
		t = p.Elem()
	}
	at := slices.Index(lit.Elts, e.(ast.Expr))
	switch t := t.Underlying().(type) {
	case *types.Struct:
		if key != nil {
			return lit, "." + types.ExprString(key)
		}
		return lit, "." + t.Field(at).Name()
	default:
		if key != nil {
			return lit, "[" + types.ExprString(key) + "]"
		}
		return lit, fmt.Sprintf("[%d]", at)
	}
}

// held follows the part at path of the value of e.
func (r *reader) held(e ast.Node, path string, u *usage) {
	switch p := r.parents[e].(type) {
	case *ast.ParenExpr:
		r.held(p, path, u)
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			r.held(p, path, u)
		}
	case *ast.SelectorExpr:
		if rest, ok := strings.CutPrefix(path, "."+p.Sel.Name); ok && rest == "" {
			r.follow(p, u)
		} else if ok && (rest[0] == '.' || rest[0] == '[') {
			r.held(p, rest, u)
		}
	case *ast.CompositeLit, *ast.KeyValueExpr:
		if lit, outer := r.element(e); lit != nil {
			r.held(lit, outer+path, u)
		}
	case *ast.AssignStmt:
		for i, v := range p.Rhs {
			if v == e && len(p.Lhs) == len(p.Rhs) {
				r.keep(p.Lhs[i], path, p, u)
			}
		}
	case *ast.ValueSpec:
		for i, v := range p.Values {
			if v == e && len(p.Names) == len(p.Values) {
				r.keep(p.Names[i], path, p, u)
			}
		}
	}
}

// assigned follows e on the right or the left of an assignment.
func (r *reader) assigned(p *ast.AssignStmt, e ast.Node, u *usage) {
	adds := p.Tok == token.ADD_ASSIGN || p.Tok == token.SUB_ASSIGN
	for i, v := range p.Rhs {
		switch {
		case v != e:
		case adds:
			first(&u.added, p)
		case (p.Tok == token.ASSIGN || p.Tok == token.DEFINE) && len(p.Lhs) == len(p.Rhs):
			r.store(p.Lhs[i], p, u)
		}
	}
	if adds && p.Lhs[0] == e {
		first(&u.added, p)
	}
}

// passed follows an argument. A conversion rounds; a builtin that gives one of its arguments does not.
func (r *reader) passed(p *ast.CallExpr, e ast.Node, u *usage) {
	fun := r.info.Types[p.Fun]
	switch {
	case p.Fun == e:
	case fun.IsType():
		if mayBe(fun.Type, func(b *types.Basic) bool { return b.Kind() == types.Float32 }) {
			first(&u.narrowed, p)
		}
	case fun.IsBuiltin():
		if id, ok := ast.Unparen(p.Fun).(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
			r.follow(p, u)
			return
		}
		first(&u.escaped, p)
	case !addsNothing[r.called(p)]:
		first(&u.escaped, p)
	}
}

// addsNothing lists functions that are one instruction or look at bits, and so never add an argument to something.
var addsNothing = map[string]bool{
	"math.Abs": true, "math.Ceil": true, "math.Copysign": true, "math.Float32bits": true, "math.Float64bits": true, "math.Floor": true,
	"math.IsInf": true, "math.IsNaN": true, "math.Max": true, "math.Min": true, "math.RoundToEven": true, "math.Signbit": true,
	"math.Sqrt": true, "math.Trunc": true,
}

// store follows a value that a statement stores in an expression: to every place after it, or around a loop, where that is read.
func (r *reader) store(to ast.Expr, statement ast.Node, u *usage) { r.keep(to, "", statement, u) }

// keep follows the part at path of a value that a statement stores in an expression: to every place where that part is read, alone or in a copy of what it is a part of.
func (r *reader) keep(to ast.Expr, path string, statement ast.Node, u *usage) {
	v, ok := r.variable(to)
	if !ok {
		if id, blank := ast.Unparen(to).(*ast.Ident); !blank || id.Name != "_" {
			first(&u.escaped, statement)
		}
		return
	}
	if v.path += path; v.path != "" || r.results[v.object] || !r.local(v.object) {
		first(&u.escaped, statement)
	}
	if r.traced[v][u.kind] {
		return
	}
	if r.traced[v] == nil {
		r.traced[v] = map[kind]bool{}
	}
	r.traced[v][u.kind] = true
	after := func(use ast.Expr) bool { return use.Pos() >= statement.End() || r.loops(statement, use) }
	for _, use := range r.uses[v] {
		if after(use) {
			r.follow(use, u)
		}
	}
	for i := range len(v.path) {
		if v.path[i] != '.' && v.path[i] != '[' {
			continue
		}
		for _, use := range r.uses[variable{v.object, v.path[:i]}] {
			if _, selected := r.parents[use].(*ast.SelectorExpr); after(use) && !selected {
				r.held(use, v.path[i:], u)
			}
		}
	}
}

// local reports whether o is declared in the function at hand.
func (r *reader) local(o types.Object) bool { return r.root.Pos() <= o.Pos() && o.Pos() < r.root.End() }

// loops reports whether a loop is around both a and b, so that b is read after a.
func (r *reader) loops(a, b ast.Node) bool {
	for n := a; n != nil; n = r.parents[n] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if n.Pos() <= b.Pos() && b.Pos() < n.End() {
				return true
			}
		}
	}
	return false
}

// variable returns the variable that an expression is; ok is false for other expressions, and for _.
func (r *reader) variable(e ast.Expr) (v variable, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		o := r.info.ObjectOf(e)
		if _, isVar := o.(*types.Var); !isVar || e.Name == "_" {
			return variable{}, false
		}
		return variable{object: o}, true
	case *ast.ParenExpr:
		return r.variable(e.X)
	case *ast.SelectorExpr:
		if v, ok = r.variable(e.X); ok {
			v.path += "." + e.Sel.Name
		} else if o, isVar := r.info.Uses[e.Sel].(*types.Var); isVar && !o.IsField() { // of another package
			return variable{object: o}, true
		}
		return v, ok
	case *ast.IndexExpr:
		if v, ok = r.variable(e.X); ok {
			v.path += "[" + types.ExprString(e.Index) + "]"
		}
		return v, ok
	case *ast.StarExpr:
		if v, ok = r.variable(e.X); ok {
			v.path += "*"
		}
		return v, ok
	}
	return variable{}, false
}
