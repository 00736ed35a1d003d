package stdlib

import (
	"fmt"
	"math"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

// value is a scalar or vector: the bits of its elements.
type value []uint64

// argument stands for an argument in a test: it counts how often it is evaluated.
type argument struct {
	typed.Node
	v     value
	count int
}

// evaluator gives trees their meaning by ir.Eval, element by element.
type evaluator struct {
	vars map[*typed.Var]value
	fp   ir.FP // of the function that was called last
}

func evaluate(t *testing.T, x typed.Expr) value {
	t.Helper()
	e := &evaluator{vars: map[*typed.Var]value{}}
	v := e.eval(x)
	_, n := shape(x.ExprType())
	require.Len(t, v, n, "%T of %s", x, x.ExprType())
	return v
}

// op evaluates an operation and holds its types against the table of operations.
func (e *evaluator) op(op ir.Op, result, t typed.Type, operands ...typed.Expr) value {
	k, n := shape(t)
	info := ir.Ops[op]
	if !info.Types.Has(k) {
		panic(fmt.Sprintf("%s of %s", op, t))
	}
	wants := []ir.Operand{info.A, info.B, info.C, info.D}
	vals := [4]value{}
	for i, x := range operands {
		vals[i] = e.eval(x)
		xk, xn := shape(x.ExprType())
		if kindOfOperand(wants[i], k) != xk || xn != n {
			panic(fmt.Sprintf("%s of %s: operand %d is %s", op, t, i, x.ExprType()))
		}
	}
	if len(operands) < 4 && wants[len(operands)] != ir.NoOperand {
		panic(fmt.Sprintf("%s has more than %d operands", op, len(operands)))
	}
	if rk, rn := shape(result); kindOfOperand(info.Result, k) != rk || rn != n {
		panic(fmt.Sprintf("%s of %s gives %s", op, t, result))
	}
	out := make(value, n)
	for i := range out {
		var a [4]uint64
		for j := range operands {
			a[j] = vals[j][i]
		}
		out[i], _ = ir.Eval(op, k, ir.Void, 0, ir.Arith{}, a[0], a[1], a[2], a[3])
	}
	return out
}

func kindOfOperand(o ir.Operand, t ir.Type) ir.Type {
	switch o {
	case ir.OfT:
		return t
	case ir.OfBool:
		return ir.Bool
	case ir.OfU16:
		return ir.U16
	case ir.OfU32:
		return ir.U32
	case ir.OfI32:
		return ir.I32
	case ir.OfU64:
		return ir.U64
	}
	return ir.Void
}

func (e *evaluator) eval(x typed.Expr) value {
	switch x := x.(type) {
	case *argument:
		x.count++
		return x.v
	case *typed.Const:
		return value{x.Bits}
	case *typed.Unary:
		return e.op(x.Op, x.Type, x.X.ExprType(), x.X)
	case *typed.Binary:
		return e.op(x.Op, x.Type, x.L.ExprType(), x.L, x.R)
	case *typed.Ternary:
		if x.Op == ir.Select {
			return e.op(x.Op, x.Type, x.Type, x.A, x.B, x.C)
		}
		return e.op(x.Op, x.Type, x.Type, x.A, x.B, x.C)
	case *typed.Quaternary:
		return e.op(x.Op, x.Type, x.Type, x.A, x.B, x.C, x.D)
	case *typed.ConvertExpr:
		fk, fn := shape(x.X.ExprType())
		k, n := shape(x.Type)
		if fn != n || n == 0 {
			panic(fmt.Sprintf("conversion of %s to %s", x.X.ExprType(), x.Type))
		}
		out := make(value, n)
		for i, v := range e.eval(x.X) {
			out[i] = v
			if k != fk {
				out[i], _ = ir.Eval(ir.Convert, k, fk, 0, ir.Arith{}, v, 0, 0, 0)
			}
		}
		return out
	case *typed.Splat:
		if kindOf(x.X.ExprType()) != kindOf(x.Type) {
			panic("splat of another type")
		}
		v := e.eval(x.X)
		_, n := shape(x.Type)
		out := make(value, n)
		for i := range out {
			out[i] = v[0]
		}
		return out
	case *typed.MakeVector:
		var out value
		for _, el := range x.Elems {
			out = append(out, e.eval(el)...)
		}
		return out
	case *typed.SwizzleExpr:
		v := e.eval(x.X)
		var out value
		for _, i := range x.Comps {
			out = append(out, v[i])
		}
		return out
	case *typed.LoadExpr:
		return e.vars[x.X.(*typed.VarPlace).Var]
	case *typed.Call:
		e.call(x)
		return e.eval(x.Func.Body.Stmts[0].(*typed.Return).X)
	case *typed.FieldExpr:
		return e.eval(x.X.(*typed.Aggregate).Elems[x.Index])
	case *typed.TwoResults:
		return e.eval(x.X)
	case *typed.SimdExpr:
		for _, a := range x.Args {
			e.eval(a)
		}
		_, n := shape(x.Type)
		return make(value, n)
	case *typed.Aggregate:
		return e.eval(x.Elems[0])
	}
	panic(fmt.Sprintf("nothing of the library is a %T", x))
}

// call binds a function's parameters.
func (e *evaluator) call(x *typed.Call) {
	if len(x.Args) != len(x.Func.Params) || len(x.Func.Body.Stmts) != 1 || !same(x.Type, x.Func.Result) {
		panic("a function of the library is one return statement")
	}
	r := x.Func.Body.Stmts[0].(*typed.Return)
	if !same(r.X.ExprType(), x.Type) {
		panic(fmt.Sprintf("%s returns %s as %s", x.Func.Name, r.X.ExprType(), x.Type))
	}
	e.fp = r.FP
	for i, a := range x.Args {
		if !same(a.ExprType(), x.Func.Params[i].Type) {
			panic(fmt.Sprintf("%s: argument %d is %s", x.Func.Name, i, a.ExprType()))
		}
		e.vars[x.Func.Params[i]] = e.eval(a)
	}
}

// arg makes an argument of a named type.
func arg(typ string, bits ...uint64) Arg {
	t := NamedType(typ)
	if _, n := shape(t); len(bits) == 0 {
		bits = make(value, n)
	}
	return Arg{X: &argument{Node: typed.Node{Type: t}, v: bits}}
}

// floats makes an argument of float or a vector of it.
func floats(x ...float32) Arg {
	var v value
	for _, f := range x {
		v = append(v, uint64(math.Float32bits(f)))
	}
	return Arg{X: &argument{Node: typed.Node{Type: wide(ir.F32, len(x))}, v: v}}
}

// run resolves and evaluates a call of float results.
func run(t *testing.T, name string, args ...Arg) []float32 {
	t.Helper()
	x, err := Resolve(name, nil, args, typed.Pos{}, 0)
	require.NoError(t, err)
	var out []float32
	for _, b := range evaluate(t, x) {
		out = append(out, math.Float32frombits(uint32(b)))
	}
	return out
}

// local makes a variable in thread memory.
func local(typ string) Arg {
	t := NamedType(typ)
	p := &typed.VarPlace{Var: &typed.Var{Name: "v", Type: t, Space: ir.Thread}}
	return Arg{X: &typed.LoadExpr{Node: typed.Node{Type: t}, X: p}, Place: p}
}
