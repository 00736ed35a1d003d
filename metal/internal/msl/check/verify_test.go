package check

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// verifier holds a typed tree to what package typed promises.
type verifier struct {
	seen map[*typed.Func]bool
	errs []string
}

func (v *verifier) need(ok bool, pos Pos, format string, args ...any) {
	if !ok && len(v.errs) < 5 {
		v.errs = append(v.errs, pos.String()+": "+fmt.Sprintf(format, args...))
	}
}

func (v *verifier) same(pos Pos, what string, a, b typed.Type) {
	v.need(a != nil && b != nil && a.String() == b.String(), pos, "%s: %v and %v", what, a, b)
}

func (v *verifier) function(f *typed.Func) {
	if v.seen[f] {
		return
	}
	v.seen[f] = true
	if f.Body == nil {
		v.need(false, f.Pos, "%s has no body", f.Name)
		return
	}
	v.stmt(f, f.Body)
}

func (v *verifier) boolean(x typed.Expr) {
	v.need(x.ExprType().String() == "bool", x.At(), "a condition of type %s", x.ExprType())
	v.expr(x)
}

func (v *verifier) stmt(f *typed.Func, s typed.Stmt) {
	switch s := s.(type) {
	case *typed.Block:
		for _, t := range s.Stmts {
			v.need(t != nil, f.Pos, "a statement is nil")
			v.stmt(f, t)
		}
	case *typed.VarStmt:
		v.need(s.Var.Type != nil, s.Pos, "%s has no type", s.Var.Name)
		v.need(s.Var.Ref == (s.Bind != nil), s.Pos, "%s is bound: %v", s.Var.Name, s.Bind != nil)
		if s.Init != nil {
			v.expr(s.Init)
			v.same(s.Pos, "initialiser of "+s.Var.Name, s.Var.Type, s.Init.ExprType())
		}
		if s.Bind != nil {
			v.bound(s.Pos, s.Var, s.Bind)
		}
	case *typed.ExprStmt:
		v.expr(s.X)
	case *typed.If:
		v.boolean(s.Cond)
		v.stmt(f, s.Then)
		if s.Else != nil {
			v.stmt(f, s.Else)
		}
	case *typed.Loop:
		if s.Init != nil {
			v.stmt(f, s.Init)
		}
		if s.Cond != nil {
			v.boolean(s.Cond)
		}
		if s.Post != nil {
			v.expr(s.Post)
		}
		v.stmt(f, s.Body)
	case *typed.Switch:
		v.expr(s.X)
		for _, k := range s.Cases {
			for _, t := range k.Stmts {
				v.stmt(f, t)
			}
		}
	case *typed.Return:
		if s.X != nil {
			v.expr(s.X)
			v.same(s.Pos, "return", f.Result, s.X.ExprType())
		}
	}
}

// bound checks the binding of a reference.
func (v *verifier) bound(pos Pos, p *typed.Var, to typed.Place) {
	v.place(to)
	v.same(pos, "reference "+p.Name, p.Type, to.PlaceType())
	v.need(spaceOf(to) == p.Space, pos, "reference %s is in %d and bound to what is in %d", p.Name, p.Space, spaceOf(to))
}

func spaceOf(p typed.Place) ir.Space {
	switch p := p.(type) {
	case *typed.VarPlace:
		return p.Var.Space
	case *typed.Deref:
		return p.Ptr.ExprType().(*typed.Pointer).Space
	case *typed.FieldPlace:
		return spaceOf(p.X)
	case *typed.IndexPlace:
		return spaceOf(p.X)
	case *typed.SwizzlePlace:
		return spaceOf(p.X)
	case *typed.SeqPlace:
		return spaceOf(p.X)
	case *typed.CondPlace:
		return spaceOf(p.T)
	}
	return ir.Thread
}

func (v *verifier) place(p typed.Place) {
	v.need(p.At().Line != 0, p.At(), "a place without a position: %T", p)
	switch p := p.(type) {
	case *typed.VarPlace:
	case *typed.Deref:
		v.expr(p.Ptr)
		_, ok := p.Ptr.ExprType().(*typed.Pointer)
		v.need(ok, p.Pos, "Deref of %s", p.Ptr.ExprType())
	case *typed.FieldPlace:
		v.place(p.X)
		s, ok := p.X.PlaceType().(*typed.Struct)
		v.need(ok && p.Index < len(s.Fields), p.Pos, "a field of %s", p.X.PlaceType())
	case *typed.IndexPlace:
		v.place(p.X)
		v.expr(p.I)
		v.need(p.PlaceType() != nil && integral(p.I.ExprType()), p.Pos, "an index into %s", p.X.PlaceType())
	case *typed.SwizzlePlace:
		v.place(p.X)
		_, ok := p.X.PlaceType().(*typed.Vector)
		v.need(ok, p.Pos, "a swizzle of %s", p.X.PlaceType())
	case *typed.TempPlace:
		v.expr(p.X)
	case *typed.SeqPlace:
		for _, e := range p.Effects {
			v.expr(e)
		}
		v.place(p.X)
	case *typed.CondPlace:
		v.boolean(p.C)
		v.place(p.T)
		v.place(p.F)
		v.same(p.Pos, "?:", p.T.PlaceType(), p.F.PlaceType())
		v.need(spaceOf(p.T) == spaceOf(p.F), p.Pos, "?: of two spaces")
	default:
		v.need(false, p.At(), "a place of type %T", p)
	}
}

func (v *verifier) call(pos Pos, f *typed.Func, args []typed.Expr, places []typed.Place, from int) {
	v.need(len(args) == len(f.Params) && len(places) == len(f.Params), pos, "%s: %d arguments, %d places", f.Name, len(args), len(places))
	for i := from; i < len(f.Params) && i < len(args) && i < len(places); i++ {
		p := f.Params[i]
		v.need((args[i] == nil) == p.Ref && (places[i] != nil) == p.Ref, pos, "%s: argument %d", f.Name, i)
		switch {
		case args[i] != nil:
			v.expr(args[i])
			v.same(pos, f.Name+" "+p.Name, p.Type, args[i].ExprType())
		case places[i] != nil:
			v.bound(pos, p, places[i])
		}
	}
	v.function(f)
}

// shapeOf returns the kind of the elements and their number.
func shapeOf(t typed.Type) (ir.Type, int) {
	if w, ok := t.(*typed.Vector); ok {
		return w.Elem.Kind, w.N
	}
	return kindOf(t), 1
}

func (v *verifier) expr(x typed.Expr) {
	t := x.ExprType()
	v.need(t != nil && x.At().Line != 0, x.At(), "an expression without type or position: %T", x)
	if t == nil {
		return
	}
	_, n := shapeOf(t)
	switch x := x.(type) {
	case *typed.Const:
		_, isPointer := t.(*typed.Pointer)
		v.need(kindOf(t) != ir.Void || isPointer, x.Pos, "a constant of type %s", t)
		if k := kindOf(t); k != ir.Void {
			v.need(trim(k, x.Bits) == x.Bits, x.Pos, "bits %x of %s", x.Bits, t)
		}
	case *typed.LoadExpr:
		v.place(x.X)
		v.same(x.Pos, "load", t, x.X.PlaceType())
	case *typed.AddrOf:
		v.place(x.X)
		p, ok := t.(*typed.Pointer)
		v.need(ok && p.Space == spaceOf(x.X), x.Pos, "address of type %s of what is in %d", t, spaceOf(x.X))
		if ok && !x.Decay {
			v.same(x.Pos, "address", p.Elem, x.X.PlaceType())
		}
	case *typed.Unary:
		v.expr(x.X)
		_, m := shapeOf(x.X.ExprType())
		v.need(m == n, x.Pos, "unary %d of %s gives %s", x.Op, x.X.ExprType(), t)
	case *typed.Binary:
		v.expr(x.L)
		v.expr(x.R)
		if x.Op != ir.Ldexp {
			v.same(x.Pos, "operands", x.L.ExprType(), x.R.ExprType())
		}
		k, m := shapeOf(x.L.ExprType())
		v.need(k != ir.Void && m == n, x.Pos, "binary %d of %s gives %s", x.Op, x.L.ExprType(), t)
		if x.Op >= ir.Eq && x.Op <= ir.Le {
			kind, _ := shapeOf(t)
			v.need(kind == ir.Bool, x.Pos, "a comparison gives %s", t)
		}
	case *typed.Ternary:
		v.expr(x.A)
		v.expr(x.B)
		v.expr(x.C)
	case *typed.ConvertExpr:
		v.expr(x.X)
		k, m := shapeOf(x.X.ExprType())
		v.need(k != ir.Void && m == n, x.Pos, "conversion of %s to %s", x.X.ExprType(), t)
	case *typed.PtrConvert:
		v.expr(x.X)
		a, ok1 := t.(*typed.Pointer)
		b, ok2 := x.X.ExprType().(*typed.Pointer)
		v.need(ok1 && ok2 && a.Space == b.Space, x.Pos, "conversion of %s to %s", x.X.ExprType(), t)
	case *typed.Splat:
		v.expr(x.X)
		w, ok := t.(*typed.Vector)
		v.need(ok && same(w.Elem, x.X.ExprType()), x.Pos, "splat of %s to %s", x.X.ExprType(), t)
	case *typed.MakeVector:
		m := 0
		for _, e := range x.Elems {
			v.expr(e)
			k, c := shapeOf(e.ExprType())
			m += c
			want, _ := shapeOf(t)
			v.need(k == want, x.Pos, "%s in %s", e.ExprType(), t)
		}
		v.need(m == n, x.Pos, "%d of %d components", m, n)
	case *typed.Aggregate:
		for i, e := range x.Elems {
			v.expr(e)
			switch u := t.(type) {
			case *typed.Struct:
				v.same(x.Pos, "member", u.Fields[x.Field+i].Type, e.ExprType())
			case *typed.Array:
				v.same(x.Pos, "element", u.Elem, e.ExprType())
				v.need(len(x.Elems) <= u.Len, x.Pos, "%d elements for %s", len(x.Elems), t)
			default:
				v.need(false, x.Pos, "an aggregate of type %s", t)
			}
		}
	case *typed.FieldExpr:
		v.expr(x.X)
		s, ok := x.X.ExprType().(*typed.Struct)
		v.need(ok && same(s.Fields[x.Index].Type, t), x.Pos, "a field")
	case *typed.SwizzleExpr:
		v.expr(x.X)
		v.need(len(x.Comps) == n, x.Pos, "a swizzle")
	case *typed.IndexExpr:
		v.expr(x.X)
		v.expr(x.I)
	case *typed.CondExpr:
		v.boolean(x.C)
		v.expr(x.T)
		v.expr(x.F)
		v.same(x.Pos, "?:", t, x.T.ExprType())
		v.same(x.Pos, "?:", t, x.F.ExprType())
	case *typed.Logical:
		v.boolean(x.L)
		v.boolean(x.R)
	case *typed.AssignExpr:
		v.place(x.To)
		v.expr(x.X)
		v.same(x.Pos, "=", x.To.PlaceType(), x.X.ExprType())
	case *typed.CompoundExpr:
		v.place(x.To)
		v.expr(x.X)
		_, a := shapeOf(x.To.PlaceType())
		_, b := shapeOf(x.X.ExprType())
		v.need(a == b || b == 1, x.Pos, "compound of %s and %s", x.To.PlaceType(), x.X.ExprType())
	case *typed.IncDec:
		v.place(x.To)
		v.same(x.Pos, "++", t, x.To.PlaceType())
	case *typed.PtrAddExpr:
		v.expr(x.X)
		v.expr(x.I)
		v.same(x.Pos, "pointer + integer", t, x.X.ExprType())
	case *typed.PtrDiff:
		v.expr(x.L)
		v.expr(x.R)
		v.same(x.Pos, "pointer - pointer", x.L.ExprType(), x.R.ExprType())
	case *typed.PtrCompare:
		v.expr(x.L)
		v.expr(x.R)
		v.same(x.Pos, "pointers", x.L.ExprType(), x.R.ExprType())
	case *typed.Call:
		v.call(x.Pos, x.Func, x.Args, x.Places, 0)
		v.same(x.Pos, "result", t, x.Func.Result)
	case *typed.ConstructExpr:
		v.need(x.Args[0] == nil && x.Places[0] == nil, x.Pos, "this")
		v.call(x.Pos, x.Func, x.Args, x.Places, 1)
	case *typed.SeqExpr:
		for _, e := range x.Effects {
			v.expr(e)
		}
		v.expr(x.X)
		v.same(x.Pos, "sequence", t, x.X.ExprType())
	}
}

// verify returns what is wrong with the tree of a program.
func verify(p *typed.Program) []string {
	v := &verifier{seen: map[*typed.Func]bool{}}
	for _, k := range p.Kernels {
		v.function(k.Func)
		v.need(len(k.Params) == len(k.Func.Params), k.Func.Pos, "parameters of %s", k.Name)
	}
	return v.errs
}

// TestTreesAreWellFormed verifies the trees of all sources of testdata that are right.
func TestTreesAreWellFormed(t *testing.T) {
	n := 0
	for _, pattern := range []string{"testdata/*.metal", "testdata/run/*.metal", "../../../msl/testdata/*.metal"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, part := range strings.Split(string(src), "// ------\n") {
				if p, errs := checkSource(name, part, ir.ContractOn); errs.Errors() == 0 {
					require.Empty(t, verify(p))
					n++
				}
			}
		}
	}
	require.Greater(t, n, 8)
}

// TestRandomExpressions checks expressions of random operators and operands: the trees of those that are right are well formed.
func TestRandomExpressions(t *testing.T) {
	n := 1200
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		n = 200000
	}
	operands := strings.Fields(`i u c us l ul f h bf b v2 v4 h3 u4 b4 i2 pk arr p dp cp s cs arr[1] p[2] *p &f &arr[2] s.x cs.x v4.xy v4.x v4.zw 1 2u 3.5f 1h 0 nullptr true E::a e1 m m[1]
		ct[1] k2 fi(i) fr(f) ft(u) s.get() S(1) S{2} float2(1) int3(1,2,3) half4(v4) pp *pp out[1] gs[0] ds[0].x min(f,2.0f) as_type<uint>(f) in sizeof(i) fc`)
	binary := strings.Fields("+ - * / % & | ^ << >> == != < <= > >= && || , = += -= *= /= %= &= |= <<= >>=")
	unary := strings.Fields("- ! ~ + ++ -- * & (float) (int) (uint4) (bool) float4 uint S half2 (ulong) (void) (S)")
	r := rand.New(rand.NewPCG(7, 7))
	var gen func(depth int) string
	gen = func(depth int) string {
		if depth == 0 || r.IntN(5) == 0 {
			return operands[r.IntN(len(operands))]
		}
		switch r.IntN(10) {
		case 0, 1:
			return unary[r.IntN(len(unary))] + "(" + gen(depth-1) + ")"
		case 2:
			return "(" + gen(depth-1) + " ? " + gen(depth-1) + " : " + gen(depth-1) + ")"
		case 3:
			return "(" + gen(depth-1) + ")" + []string{"++", "--", ".x", ".xy", "[i]", "[1]", ".x.x", "->x"}[r.IntN(8)]
		case 4:
			return []string{"fr", "fi", "ft", "fs", "fp", "max", "select"}[r.IntN(7)] + "(" + gen(depth-1) + ")"
		}
		return "(" + gen(depth-1) + " " + binary[r.IntN(len(binary))] + " " + gen(depth-1) + ")"
	}
	right := 0
	for range n {
		x := gen(1 + r.IntN(3))
		src := `#include <metal_stdlib>
using namespace metal;
enum class E { a, b }; enum F { e1 = 3 };
struct S { float x; S(float v) : x(v) {} S() : x(0) {} S operator+(S o) const { return S(x + o.x); } operator float() const { return x; } float get() const { return x; } thread S &operator+=(S o) { x += o.x; return *this; } };
constant float ct[3] = {1, 2, 3}; constant int k2 = 5; constant bool fc [[function_constant(0)]];
int fi(int x) { return x; } thread float &fr(thread float &x) { return x; } template <typename T> T ft(T x) { return x; } S fs(S x) { return x; } float fp(thread const float *q) { return *q; }
kernel void k(device float *out, device S *ds, constant float *in, threadgroup float *gs) {
int i = 1; uint u = 2; char c = 3; ushort us = 4; long l = 5; ulong ul = 6; float f = 7; half h = 8; bfloat bf = bfloat(1.0f); bool b = true;
float2 v2 = 1; float4 v4 = 2; half3 h3 = 3; uint4 u4 = 4; bool4 b4 = true; int2 i2 = 1; packed_float3 pk = packed_float3(1); float arr[4] = {}; thread float *p = arr; device float *dp = out; constant float *cp = in;
S s(1); const S cs(2); array<int, 3> m = {1, 2, 3}; thread float **pp = &p;
` + x + ";\nauto r = " + x + ";\n}"
		prog, errs := checkSource("r.metal", src, ir.ContractOn)
		for _, e := range errs {
			require.NotContains(t, e.Msg, "the checker failed inside", src)
			require.NotZero(t, e.Pos.Line, src)
		}
		if prog == nil {
			continue
		}
		right++
		require.Empty(t, verify(prog), "%s", x)
	}
	t.Logf("%d of %d are right", right, n)
	require.Greater(t, right, n/20)
}
