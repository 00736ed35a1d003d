package lower

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/internal/reference"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// A small kit to write typed trees by hand.

var (
	tInt   = &typed.Scalar{Kind: ir.I32, Name: "int"}
	tUint  = &typed.Scalar{Kind: ir.U32, Name: "uint"}
	tUlong = &typed.Scalar{Kind: ir.U64, Name: "ulong"}
	tBool  = &typed.Scalar{Kind: ir.Bool, Name: "bool"}
	tVoid  = &typed.VoidType{}
	tUint2 = &typed.Vector{Elem: tUint, N: 2}
	tUint3 = &typed.Vector{Elem: tUint, N: 3}
)

var line int

func at() typed.Pos {
	line++
	return typed.Pos{File: "t.metal", Line: line, Column: 1}
}

func node(t typed.Type) typed.Node                { return typed.Node{Type: t, Pos: at()} }
func lit(t *typed.Scalar, bits uint64) typed.Expr { return &typed.Const{Node: node(t), Bits: bits} }
func u(n uint64) typed.Expr                       { return lit(tUint, n) }
func local(name string, t typed.Type) *typed.Var {
	return &typed.Var{Name: name, Type: t, Space: ir.Thread}
}
func ref(name string, t typed.Type) *typed.Var    { v := local(name, t); v.Ref = true; return v }
func pl(v *typed.Var) typed.Place                 { return &typed.VarPlace{Var: v, Pos: at()} }
func ld(p typed.Place) typed.Expr                 { return &typed.LoadExpr{Node: node(p.PlaceType()), X: p} }
func rd(v *typed.Var) typed.Expr                  { return ld(pl(v)) }
func pointer(s ir.Space, t typed.Type) typed.Type { return &typed.Pointer{Space: s, Elem: t} }
func addrOf(p typed.Place, s ir.Space) typed.Expr {
	return &typed.AddrOf{Node: node(pointer(s, p.PlaceType())), X: p}
}
func deref(e typed.Expr) typed.Place         { return &typed.Deref{Ptr: e, Pos: at()} }
func field(p typed.Place, i int) typed.Place { return &typed.FieldPlace{X: p, Index: i, Pos: at()} }

func elem(p typed.Place, i typed.Expr) typed.Place { return &typed.IndexPlace{X: p, I: i, Pos: at()} }

func swz(p typed.Place, c ...int) typed.Place { return &typed.SwizzlePlace{X: p, Comps: c, Pos: at()} }

func do(e typed.Expr) typed.Stmt { return &typed.ExprStmt{X: e, Pos: e.At(), FP: ir.ContractOn} }

func set1(p typed.Place, e typed.Expr) typed.Stmt {
	return do(&typed.AssignExpr{Node: node(tVoid), To: p, X: e})
}

func decl(v *typed.Var, init typed.Expr) typed.Stmt {
	return &typed.VarStmt{Var: v, Init: init, Pos: at()}
}
func block(s ...typed.Stmt) *typed.Block { return &typed.Block{Stmts: s} }
func ret(e typed.Expr) typed.Stmt        { return &typed.Return{X: e, Pos: at()} }

func at2(p *typed.Var, i typed.Expr) typed.Place {
	return deref(&typed.PtrAddExpr{Node: node(p.Type), X: rd(p), I: i})
}

func bin(op ir.Op, l, r typed.Expr) typed.Expr {
	t := l.ExprType()
	switch op {
	case ir.Eq, ir.Ne, ir.Lt, ir.Le:
		t = tBool
	}
	return &typed.Binary{Node: node(t), Op: op, L: l, R: r}
}

func upd(op ir.Op, p typed.Place, e typed.Expr) typed.Stmt {
	return do(&typed.CompoundExpr{Node: node(tVoid), Op: op, To: p, X: e})
}

func fn(name string, result typed.Type, params []*typed.Var, body ...typed.Stmt) *typed.Func {
	return &typed.Func{Name: name, Result: result, Params: params, Body: block(body...), Pos: at()}
}

func call(f *typed.Func, args []typed.Expr, places ...typed.Place) typed.Expr {
	if places == nil {
		places = make([]typed.Place, len(args))
	}
	return &typed.Call{Node: node(f.Result), Func: f, Args: args, Places: places}
}

// kernel1 has out (buffer 0) and in (buffer 1), of uints, and the thread's position.
type kernel1 struct {
	out, in, gid *typed.Var
	k            *typed.Kernel
}

func newKernel(body func(k *kernel1) []typed.Stmt) *kernel1 {
	k := &kernel1{out: local("out", pointer(ir.Device, tUint)), in: local("in", pointer(ir.Device, tUint)), gid: local("gid", tUint)}
	f := fn("f", tVoid, []*typed.Var{k.out, k.in, k.gid})
	k.k = &typed.Kernel{Name: "f", Func: f, Params: []typed.KernelParam{
		{Space: ir.Device, Index: 0}, {Space: ir.Device, Index: 1, ReadOnly: true}, {IsInput: true, Input: ir.ThreadPositionInGrid},
	}}
	f.Body = block(body(k)...)
	return k
}

func words(x ...uint32) []byte {
	var b []byte
	for _, w := range x {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func lower(t *testing.T, k *typed.Kernel) *ir.Kernel {
	t.Helper()
	low, errs := Kernel(k, nil, 0)
	require.NoError(t, errs.Err())
	require.NoError(t, ir.Verify(low), low.String())
	return low
}

// run lowers the kernel and runs it in as many threads as there are words in want.
func (k *kernel1) run(t *testing.T, in []uint32, want ...uint32) *ir.Kernel {
	t.Helper()
	low := lower(t, k.k)
	out := make([]byte, 4*len(want))
	args := [][]byte{out, words(in...)}
	err := reference.Run(low, reference.Launch{Groups: model.Size3{X: 1, Y: 1, Z: 1}, Threads: model.Size3{X: len(want), Y: 1, Z: 1}, Args: args})
	require.NoError(t, err, low.String())
	got := make([]uint32, len(want))
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	require.Equal(t, want, got, low.String())
	return low
}

func countOps(k *ir.Kernel) map[ir.Op]int {
	n := map[ir.Op]int{}
	k.Body.Each(func(in *ir.Instr) { n[in.Op]++ })
	return n
}

func TestIndexBecomesOneLoadAndOneStore(t *testing.T) {
	// out[gid] = in[2*gid + 1] + in[3];
	k := newKernel(func(k *kernel1) []typed.Stmt {
		i := bin(ir.Add, bin(ir.Mul, u(2), rd(k.gid)), u(1))
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), bin(ir.Add, ld(at2(k.in, i)), ld(at2(k.in, u(3)))))}
	})
	low := k.run(t, []uint32{10, 20, 30, 40, 50, 60}, 60, 80, 100)
	require.Equal(t, map[ir.Op]int{ir.Const: 2, ir.Mul: 1, ir.Add: 2, ir.Load: 2, ir.Store: 1}, countOps(low), low.String())
	low.Body.Each(func(in *ir.Instr) {
		switch {
		case in.Op == ir.Load && in.B == 0:
			require.Equal(t, uint64(12), in.Imm)
			require.Equal(t, low.Buffers[1].Reg, in.A)
		case in.Op == ir.Load || in.Op == ir.Store:
			require.Equal(t, uint32(4), in.Scale)
			require.Equal(t, ir.U32, in.From)
		}
	})
}

func TestEarlyReturnOfKernelEndsThread(t *testing.T) {
	// if (gid >= 2) return; out[gid] = 7;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		return []typed.Stmt{
			&typed.If{Cond: bin(ir.Le, u(2), rd(k.gid)), Then: ret(nil), Pos: at()},
			set1(at2(k.out, rd(k.gid)), u(7)),
		}
	})
	low := k.run(t, []uint32{0}, 7, 7, 0)
	var leaves int
	for _, n := range low.Body {
		if i, ok := n.(*ir.If); ok {
			require.Equal(t, int32(0), i.Then[0].(*ir.Leave).Label)
			leaves++
		}
	}
	require.Equal(t, 1, leaves)
}

func TestFunctionOfTwoReturnsNeedsNoBranch(t *testing.T) {
	// uint sub(uint x, uint q) { if (x >= q) return x - q; return x; }
	x, q := local("x", tUint), local("q", tUint)
	sub := fn("sub", tUint, []*typed.Var{x, q},
		&typed.If{Cond: bin(ir.Le, rd(q), rd(x)), Then: ret(bin(ir.Sub, rd(x), rd(q))), Pos: at()},
		ret(rd(x)))
	k := newKernel(func(k *kernel1) []typed.Stmt {
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), call(sub, []typed.Expr{ld(at2(k.in, rd(k.gid))), u(17)}))}
	})
	low := k.run(t, []uint32{3, 17, 20}, 3, 0, 3)
	require.Equal(t, map[ir.Op]int{ir.Const: 1, ir.Le: 1, ir.Sub: 1, ir.Select: 1, ir.Load: 1, ir.Store: 1}, countOps(low), low.String())
}

func TestOutParametersStayInRegisters(t *testing.T) {
	// void mul(uint a, uint b, thread uint& hi, thread uint* lo) { hi = mulhi(a, b); *lo = a*b; }
	// uint h, l; mul(in[gid], 0x10001, h, &l); out[gid] = h ^ l;
	a, b, hi, lo := local("a", tUint), local("b", tUint), ref("hi", tUint), local("lo", pointer(ir.Thread, tUint))
	mul := fn("mul", tVoid, []*typed.Var{a, b, hi, lo},
		set1(pl(hi), bin(ir.MulHi, rd(a), rd(b))), set1(deref(rd(lo)), bin(ir.Mul, rd(a), rd(b))))
	k := newKernel(func(k *kernel1) []typed.Stmt {
		h, l := local("h", tUint), local("l", tUint)
		return []typed.Stmt{
			decl(h, nil), decl(l, nil),
			do(call(mul, []typed.Expr{ld(at2(k.in, rd(k.gid))), u(0x10001), nil, addrOf(pl(l), ir.Thread)}, nil, nil, pl(h), nil)),
			set1(at2(k.out, rd(k.gid)), bin(ir.Xor, rd(h), rd(l))),
		}
	})
	low := k.run(t, []uint32{0xffffffff}, 0x10000^0xfffeffff)
	require.Empty(t, low.Objects)
	require.Equal(t, map[ir.Op]int{ir.Const: 1, ir.MulHi: 1, ir.Mul: 1, ir.Xor: 1, ir.Load: 1, ir.Store: 1}, countOps(low), low.String())
}

func TestUninitialisedReadGoesToMemory(t *testing.T) {
	// uint x; if (gid > 0) x = 5; out[gid] = x;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		x := local("x", tUint)
		return []typed.Stmt{
			decl(x, nil),
			&typed.If{Cond: bin(ir.Lt, u(0), rd(k.gid)), Then: set1(pl(x), u(5)), Pos: at()},
			set1(at2(k.out, rd(k.gid)), rd(x)),
		}
	})
	low := lower(t, k.k)
	require.Len(t, low.Objects, 1)
	require.Equal(t, "x", low.Objects[0].Name)
	err := reference.Run(low, reference.Launch{Groups: model.Size3{X: 1, Y: 1, Z: 1}, Threads: model.Size3{X: 2, Y: 1, Z: 1}, Args: [][]byte{make([]byte, 8), {}}})
	require.ErrorContains(t, err, "thread 0 reads byte 0 of object 2, which was never written")
}

func TestReadBehindABranchThatReturns(t *testing.T) {
	// uint x; if (gid == 0) {} else return; out[gid] = x;   and with x = 5 in the braces
	for _, writes := range []bool{false, true} {
		k := newKernel(func(k *kernel1) []typed.Stmt {
			x := local("x", tUint)
			then := block()
			if writes {
				then = block(set1(pl(x), u(5)))
			}
			return []typed.Stmt{
				decl(x, nil),
				&typed.If{Cond: bin(ir.Eq, u(0), rd(k.gid)), Then: then, Else: ret(nil), Pos: at()},
				set1(at2(k.out, rd(k.gid)), rd(x)),
			}
		})
		low := lower(t, k.k)
		require.Equal(t, writes, len(low.Objects) == 0)
	}
}

func TestBranchThatWritesItsOwnCondition(t *testing.T) {
	// bool f = gid > 0; uint x = 3; if (f) { f = false; x = 7; } out[gid] = x;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		f, x := local("f", tBool), local("x", tUint)
		return []typed.Stmt{
			decl(f, bin(ir.Lt, u(0), rd(k.gid))), decl(x, u(3)),
			&typed.If{Cond: rd(f), Then: block(set1(pl(f), lit(tBool, 0)), set1(pl(x), u(7))), Pos: at()},
			set1(at2(k.out, rd(k.gid)), rd(x)),
		}
	})
	k.run(t, nil, 3, 7, 7)
}

func TestFieldsAreFollowedOneByOne(t *testing.T) {
	s := &typed.Struct{Name: "S", Fields: []typed.Field{{Name: "a", Type: tUint}, {Name: "v", Type: tUint2}}}
	s.Layout(0)
	// S s; s.a = in[0]; s.v.y = 3; out[gid] = s.a + s.v.y;   s.v.x is never written and never read.
	k := newKernel(func(k *kernel1) []typed.Stmt {
		v := local("s", s)
		return []typed.Stmt{
			decl(v, nil), set1(field(pl(v), 0), ld(at2(k.in, u(0)))), set1(swz(field(pl(v), 1), 1), u(3)),
			set1(at2(k.out, rd(k.gid)), bin(ir.Add, ld(field(pl(v), 0)), ld(swz(field(pl(v), 1), 1)))),
		}
	})
	require.Empty(t, k.run(t, []uint32{40}, 43).Objects)
	// The same with out = s.v.x: memory.
	k = newKernel(func(k *kernel1) []typed.Stmt {
		v := local("s", s)
		return []typed.Stmt{decl(v, nil), set1(field(pl(v), 0), u(1)), set1(at2(k.out, rd(k.gid)), ld(swz(field(pl(v), 1), 0)))}
	})
	low := lower(t, k.k)
	require.Len(t, low.Objects, 1)
}

func TestSwizzleAssignmentIsAllAtOnce(t *testing.T) {
	// uint3 v = uint3(1, 2, 3); v.zxy = v; out[gid] = v.x*100 + v.y*10 + v.z;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		v := local("v", tUint3)
		c := func(i int) typed.Expr { return ld(swz(pl(v), i)) }
		return []typed.Stmt{
			decl(v, &typed.MakeVector{Node: node(tUint3), Elems: []typed.Expr{u(1), u(2), u(3)}}),
			set1(swz(pl(v), 2, 0, 1), rd(v)),
			set1(at2(k.out, rd(k.gid)), bin(ir.Add, bin(ir.Add, bin(ir.Mul, c(0), u(100)), bin(ir.Mul, c(1), u(10))), c(2))),
		}
	})
	k.run(t, nil, 231)
}

func TestOperandsKeepTheValueTheyWereReadWith(t *testing.T) {
	// uint inc(thread uint& x) { x += 1; return x; }   uint a = in[0]; out[gid] = a*100 + inc(a)*10 + a++;
	x := ref("x", tUint)
	inc := fn("inc", tUint, []*typed.Var{x}, upd(ir.Add, pl(x), u(1)), ret(rd(x)))
	k := newKernel(func(k *kernel1) []typed.Stmt {
		a := local("a", tUint)
		e := bin(ir.Add, bin(ir.Add, bin(ir.Mul, rd(a), u(100)), bin(ir.Mul, call(inc, []typed.Expr{nil}, pl(a)), u(10))),
			&typed.IncDec{Node: node(tUint), To: pl(a), Delta: 1})
		return []typed.Stmt{decl(a, ld(at2(k.in, u(0)))), set1(at2(k.out, rd(k.gid)), bin(ir.Add, rd(a), bin(ir.Sub, e, rd(a))))}
	})
	// a + (e - a) with a = 4: 4 read first, e = 400 + 50 + 5, then a is 6.
	k.run(t, []uint32{4}, 4+455-6)
}

func TestLoops(t *testing.T) {
	// uint s = 0; for (uint i = 0; i < 10; i++) { if (i == 3) continue; if (i == 6) break; s += in[i]; } out[gid] = s;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		s, i := local("s", tUint), local("i", tUint)
		return []typed.Stmt{
			decl(s, u(0)),
			&typed.Loop{
				Init: decl(i, u(0)), Cond: bin(ir.Lt, rd(i), u(10)), Post: &typed.CompoundExpr{Node: node(tVoid), Op: ir.Add, To: pl(i), X: u(1)},
				Body: block(
					&typed.If{Cond: bin(ir.Eq, rd(i), u(3)), Then: &typed.Continue{Pos: at()}, Pos: at()},
					&typed.If{Cond: bin(ir.Eq, rd(i), u(6)), Then: &typed.Break{Pos: at()}, Pos: at()},
					upd(ir.Add, pl(s), ld(at2(k.in, rd(i))))),
				Pos: at(),
			},
			set1(at2(k.out, rd(k.gid)), rd(s)),
		}
	})
	k.run(t, []uint32{1, 2, 4, 8, 16, 32, 64}, 1+2+4+16+32)
	// do { s += 1; if (s == 2) continue; } while (s < 5);
	k = newKernel(func(k *kernel1) []typed.Stmt {
		s := local("s", tUint)
		return []typed.Stmt{
			decl(s, u(0)),
			&typed.Loop{TestAfter: true, Cond: bin(ir.Lt, rd(s), u(5)), Pos: at(), Body: block(
				upd(ir.Add, pl(s), u(1)), &typed.If{Cond: bin(ir.Eq, rd(s), u(2)), Then: &typed.Continue{Pos: at()}, Pos: at()})},
			set1(at2(k.out, rd(k.gid)), rd(s)),
		}
	})
	k.run(t, nil, 5)
}

func TestSwitch(t *testing.T) {
	for _, fall := range []bool{false, true} {
		t.Run(fmt.Sprintf("fallthrough=%v", fall), func(t *testing.T) {
			k := newKernel(func(k *kernel1) []typed.Stmt {
				r := local("r", tUint)
				brk := func(s ...typed.Stmt) []typed.Stmt {
					if fall {
						return s
					}
					return append(s, &typed.Break{Pos: at()})
				}
				return []typed.Stmt{
					decl(r, u(0)),
					&typed.Switch{X: ld(at2(k.in, rd(k.gid))), Pos: at(), Cases: []typed.Case{
						{Values: []uint64{1, 5}, Stmts: brk(upd(ir.Add, pl(r), u(1)))},
						{Default: true, Stmts: brk(upd(ir.Add, pl(r), u(10)))},
						{Values: []uint64{2}},
						{Values: []uint64{3}, Stmts: brk(upd(ir.Add, pl(r), u(100)))},
					}},
					set1(at2(k.out, rd(k.gid)), rd(r)),
				}
			})
			if fall {
				k.run(t, []uint32{1, 2, 3, 4, 5}, 111, 100, 100, 110, 111)
			} else {
				k.run(t, []uint32{1, 2, 3, 4, 5}, 1, 100, 100, 10, 1)
			}
		})
	}
}

func TestArraysWithConstantIndicesAreRegisters(t *testing.T) {
	arr := &typed.Array{Elem: tUint, Len: 3}
	for _, dynamic := range []bool{false, true} {
		k := newKernel(func(k *kernel1) []typed.Stmt {
			a := local("a", arr)
			i := u(2)
			if dynamic {
				i = bin(ir.Rem, rd(k.gid), u(3))
			}
			return []typed.Stmt{
				decl(a, &typed.Aggregate{Node: node(arr), Elems: []typed.Expr{u(7), ld(at2(k.in, u(0)))}}),
				set1(elem(pl(a), u(2)), bin(ir.Add, ld(elem(pl(a), u(0))), ld(elem(pl(a), u(1))))),
				set1(at2(k.out, rd(k.gid)), ld(elem(pl(a), i))),
			}
		})
		if dynamic {
			require.Len(t, k.run(t, []uint32{5}, 7, 5, 12).Objects, 1)
		} else {
			require.Empty(t, k.run(t, []uint32{5}, 12, 12).Objects)
		}
	}
}

func TestTablesOfConstants(t *testing.T) {
	arr := &typed.Array{Elem: tUint, Len: 200}
	a := &typed.Aggregate{Node: node(arr)}
	for i := range 150 {
		a.Elems = append(a.Elems, u(uint64(i*i)))
	}
	g := &typed.Var{Name: "table", Type: arr, Space: ir.Constant, Const: true, Global: a}
	k := newKernel(func(k *kernel1) []typed.Stmt {
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), bin(ir.Add, ld(elem(pl(g), rd(k.gid))), ld(elem(pl(g), u(10)))))}
	})
	low := k.run(t, nil, 100, 101, 104, 109)
	require.Equal(t, 1, countOps(low)[ir.Load], "the constant index is folded")
	require.Len(t, low.Objects[0].Data, 800)
}

func TestBigArraysAreClearedByLoops(t *testing.T) {
	arr := &typed.Array{Elem: tUint, Len: 5000}
	k := newKernel(func(k *kernel1) []typed.Stmt {
		a, b := local("a", arr), local("b", arr)
		return []typed.Stmt{
			decl(a, &typed.Aggregate{Node: node(arr), Elems: []typed.Expr{u(9)}}),
			decl(b, rd(a)),
			set1(at2(k.out, rd(k.gid)), bin(ir.Add, ld(elem(pl(b), rd(k.gid))), ld(elem(pl(b), u(4999))))),
		}
	})
	low := k.run(t, nil, 9, 0)
	require.Less(t, len(low.Body), 40)
}

func TestFunctionConstants(t *testing.T) {
	fc := &typed.FunctionConstant{Name: "N", Index: 4, Type: tUint, N: 1}
	k := newKernel(func(k *kernel1) []typed.Stmt {
		n := &typed.ConstantRef{Node: node(tUint), Constant: fc}
		return []typed.Stmt{
			&typed.If{Cond: &typed.ConstantRef{Node: node(tBool), Constant: fc, Defined: true}, Pos: at(), Then: set1(at2(k.out, rd(k.gid)), n), Else: set1(at2(k.out, rd(k.gid)), u(1))},
		}
	})
	k.run(t, nil, 1)
	low, errs := Kernel(k.k, Constants{4: {Bits: [4]uint64{77}}}, 0)
	require.NoError(t, errs.Err())
	require.Equal(t, map[ir.Op]int{ir.Const: 1, ir.Store: 1}, countOps(low))
	k = newKernel(func(k *kernel1) []typed.Stmt {
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), &typed.ConstantRef{Node: node(tUint), Constant: fc})}
	})
	_, errs = Kernel(k.k, nil, 0)
	require.ErrorContains(t, errs.Err(), "function constant N (index 4) has no value")
	k.k.Params[1].Enabled = &typed.ConstantRef{Node: node(tBool), Constant: fc}
	k.k.Func.Body = block()
	low, errs = Kernel(k.k, Constants{4: {}}, 0)
	require.NoError(t, errs.Err())
	require.True(t, low.Buffers[1].Optional)
	require.False(t, low.Buffers[0].Optional)
}

func TestLimitsAreErrors(t *testing.T) {
	var f *typed.Func
	f = fn("again", tVoid, nil)
	f.Body = block(do(call(f, nil)), do(call(f, nil)))
	k := newKernel(func(k *kernel1) []typed.Stmt { return []typed.Stmt{do(call(f, nil))} })
	_, errs := Kernel(k.k, nil, 0)
	require.ErrorContains(t, errs.Err(), "recursion: again calls again; write a loop")

	// Each function calls the one before twice: 2^30 instructions.
	x := ref("x", tUint)
	f = fn("f0", tVoid, []*typed.Var{x}, upd(ir.Mul, pl(x), u(3)))
	for i := range 30 {
		y := ref("y", tUint)
		f = fn(fmt.Sprintf("f%d", i+1), tVoid, []*typed.Var{y}, do(call(f, []typed.Expr{nil}, pl(y))), do(call(f, []typed.Expr{nil}, pl(y))))
	}
	k = newKernel(func(k *kernel1) []typed.Stmt {
		v := local("v", tUint)
		return []typed.Stmt{decl(v, u(1)), do(call(f, []typed.Expr{nil}, pl(v)))}
	})
	_, errs = Kernel(k.k, nil, 200_000)
	require.ErrorContains(t, errs.Err(), "in function f0, becomes more than 200000 instructions")

	// 200 functions deep.
	f = fn("g0", tVoid, nil)
	for i := range 200 {
		f = fn(fmt.Sprintf("g%d", i+1), tVoid, nil, do(call(f, nil)))
	}
	k = newKernel(func(k *kernel1) []typed.Stmt { return []typed.Stmt{do(call(f, nil))} })
	_, errs = Kernel(k.k, nil, 0)
	require.ErrorContains(t, errs.Err(), "nested more than 128 deep")
}

func TestShortCircuit(t *testing.T) {
	// out[gid] = gid < 2 && in[gid] == 5 ? 1 : 0, where in has two words: the read must not happen for gid 2.
	k := newKernel(func(k *kernel1) []typed.Stmt {
		c := &typed.Logical{Node: node(tBool), L: bin(ir.Lt, rd(k.gid), u(2)), R: bin(ir.Eq, ld(at2(k.in, rd(k.gid))), u(5))}
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), &typed.CondExpr{Node: node(tUint), C: c, T: u(1), F: u(0)})}
	})
	k.run(t, []uint32{5, 6}, 1, 0, 0)
	// Cheap on the right: no branch.
	k = newKernel(func(k *kernel1) []typed.Stmt {
		c := &typed.Logical{Node: node(tBool), Or: true, L: bin(ir.Lt, rd(k.gid), u(1)), R: bin(ir.Eq, rd(k.gid), u(2))}
		return []typed.Stmt{set1(at2(k.out, rd(k.gid)), &typed.CondExpr{Node: node(tUint), C: c, T: u(1), F: u(0)})}
	})
	low := k.run(t, nil, 1, 0, 1)
	for _, n := range low.Body {
		require.IsType(t, &ir.Instr{}, n)
	}
}

func TestBitcastsOfOtherShapes(t *testing.T) {
	// ulong w = as_type<ulong>(uint2(in[0], in[1])); uint2 p = as_type<uint2>(w * 3); out[gid] = gid == 0 ? p.x : p.y;
	k := newKernel(func(k *kernel1) []typed.Stmt {
		w, p := local("w", tUlong), local("p", tUint2)
		pair := &typed.MakeVector{Node: node(tUint2), Elems: []typed.Expr{ld(at2(k.in, u(0))), ld(at2(k.in, u(1)))}}
		return []typed.Stmt{
			decl(w, &typed.BitcastExpr{Node: node(tUlong), X: pair}),
			decl(p, &typed.BitcastExpr{Node: node(tUint2), X: bin(ir.Mul, rd(w), lit(tUlong, 3))}),
			set1(at2(k.out, rd(k.gid)), &typed.CondExpr{Node: node(tUint), C: bin(ir.Eq, rd(k.gid), u(0)), T: ld(swz(pl(p), 0)), F: ld(swz(pl(p), 1))}),
		}
	})
	k.run(t, []uint32{0xffffffff, 1}, 0xfffffffd, 5)
}

func TestPointers(t *testing.T) {
	// device uint* p = in + 1; p++; out[gid] = p[-1] + *(p - gid) + uint(p - in);
	k := newKernel(func(k *kernel1) []typed.Stmt {
		p := local("p", k.in.Type)
		neg := &typed.PtrAddExpr{Node: node(p.Type), X: rd(p), I: rd(k.gid), Neg: true}
		diff := &typed.PtrDiff{Node: node(&typed.Scalar{Kind: ir.I64, Name: "long"}), L: rd(p), R: rd(k.in)}
		return []typed.Stmt{
			decl(p, &typed.PtrAddExpr{Node: node(p.Type), X: rd(k.in), I: u(1)}),
			do(&typed.IncDec{Node: node(p.Type), To: pl(p), Delta: 1}),
			set1(at2(k.out, rd(k.gid)), bin(ir.Add, bin(ir.Add, ld(at2(p, lit(tInt, 0xffffffff))), ld(deref(neg))), &typed.ConvertExpr{Node: node(tUint), X: diff})),
		}
	})
	k.run(t, []uint32{1, 10, 100}, 10+100+2, 10+10+2, 10+1+2)
}

func TestFolding(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		k    ir.Type
		a, b uint64
		want uint64
		ok   bool
	}{
		{ir.Add, ir.U32, 0xffffffff, 1, 0, true},
		{ir.Add, ir.I32, 0x7fffffff, 1, 0, false},
		{ir.Sub, ir.I64, 1 << 63, 1, 0, false},
		{ir.Mul, ir.I64, 1 << 62, 2, 0, false},
		{ir.Mul, ir.I64, ^uint64(0), 1 << 63, 0, false},
		{ir.Mul, ir.I64, ^uint64(0), 7, ^uint64(6), true},
		{ir.Mul, ir.I8, 0xfe, 3, 0xfa, true},
		{ir.Div, ir.I32, 0x80000000, 0xffffffff, 0, false},
		{ir.Div, ir.I32, 0xfffffff9, 2, 0xfffffffd, true},
		{ir.Rem, ir.U8, 7, 0, 0, false},
		{ir.Shl, ir.U32, 1, 33, 2, true},
		{ir.Shl, ir.I8, 0xc1, 0xf9, 0x82, true},
		{ir.Shr, ir.I16, 0x8000, 15, 0xffff, true},
		{ir.Lt, ir.I8, 0xff, 0, 1, true},
		{ir.Lt, ir.F32, 0x80000000, 0, 0, true},
		{ir.Eq, ir.F32, 1, 0, 0, false},
		{ir.Add, ir.F32, 0x3f800000, 0x3f800000, 0, false},
	} {
		got, ok := foldBinary(c.op, c.k, c.a, c.b)
		require.Equal(t, c.ok, ok, "%v", c)
		if ok {
			require.Equal(t, c.want, got, "%v", c)
			ref, fault := ir.Eval(c.op, c.k, 0, 0, ir.Arith{}, c.a, c.b, 0, 0)
			require.Zero(t, fault)
			require.Equal(t, ref, got, "%v", c)
		}
	}
	for _, c := range []struct {
		from, to ir.Type
		a, want  uint64
		ok       bool
	}{
		{ir.I32, ir.F32, 3, 0x40400000, true},
		{ir.I32, ir.F32, 16777217, 0, false},
		{ir.U64, ir.F16, 65536, 0, false},
		{ir.F32, ir.F16, 0x3fc00000, 0x3e00, true},
		{ir.F32, ir.F16, 0x3f800001, 0, false},
		{ir.F32, ir.I32, 0xbf800000, 0xffffffff, true},
		{ir.F32, ir.U32, 0xbf800000, 0, false},
		{ir.F32, ir.F32, 1, 1, true},
		{ir.F16, ir.F32, 1, 0, false},
		{ir.I8, ir.U32, 0xff, 0xffffffff, true},
		{ir.U32, ir.Bool, 256, 1, true},
		{ir.F32, ir.BF16, 0x3f800000, 0x3f80, true},
	} {
		got, ok := foldConvert(c.from, c.to, c.a)
		require.Equal(t, c.ok, ok, "%v", c)
		if ok {
			require.Equal(t, c.want, got, "%v", c)
			ref, fault := ir.Eval(ir.Convert, c.to, c.from, 0, ir.Arith{}, c.a, 0, 0, 0)
			require.Zero(t, fault)
			require.Equal(t, ref, got, "%v", c)
		}
	}
}
