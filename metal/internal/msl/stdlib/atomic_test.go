package stdlib

import (
	"strings"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

// pointer makes an argument that points to a type.
func pointer(space ir.Space, elem string, isConst bool) Arg {
	t := &typed.Pointer{Space: space, Elem: NamedType(elem), Const: isConst}
	return Arg{X: &argument{Node: typed.Node{Type: t}, v: value{0}}}
}

func libraryConstant(t *testing.T, name string) Arg {
	t.Helper()
	x, ok := Constant(name)
	require.True(t, ok, name)
	return Arg{X: x}
}

// atomicCall resolves a function of atomics as it is used: of the object, values where it takes them, and relaxed orders.
func atomicCall(t *testing.T, name string, object Arg, val string) (typed.Expr, error) {
	t.Helper()
	args := []Arg{object}
	order := libraryConstant(t, "memory_order_relaxed")
	switch {
	case strings.Contains(name, "compare"):
		args = append(args, pointer(ir.Thread, val, false), arg(val), order)
	case !strings.Contains(name, "load"):
		args = append(args, arg(val))
	}
	return Resolve(name, nil, append(args, order), typed.Pos{}, 0)
}

// TestAtomics: which functions take which objects where. The table is the language's, written out.
func TestAtomics(t *testing.T) {
	device := map[string]string{
		"load": "int uint bool float", "store": "int uint bool float", "exchange": "int uint bool float",
		"compare_exchange_weak": "int uint bool float",
		"fetch_add":             "int uint float", "fetch_sub": "int uint float", "fetch_min": "int uint", "fetch_max": "int uint",
		"fetch_and": "int uint", "fetch_or": "int uint", "fetch_xor": "int uint", "min": "ulong", "max": "ulong",
	}
	local := map[string]string{
		"load": "int uint bool", "store": "int uint bool", "exchange": "int uint bool", "compare_exchange_weak": "int uint bool",
		"fetch_add": "int uint", "fetch_sub": "int uint", "fetch_min": "int uint", "fetch_max": "int uint",
		"fetch_and": "int uint", "fetch_or": "int uint", "fetch_xor": "int uint",
	}
	ops := map[string]ir.Op{
		"load": ir.AtomicLoad, "store": ir.AtomicStore, "exchange": ir.AtomicXchg, "compare_exchange_weak": ir.AtomicCAS,
		"fetch_add": ir.AtomicAdd, "fetch_sub": ir.AtomicSub, "fetch_min": ir.AtomicMin, "fetch_max": ir.AtomicMax,
		"fetch_and": ir.AtomicAnd, "fetch_or": ir.AtomicOr, "fetch_xor": ir.AtomicXor, "min": ir.AtomicMin, "max": ir.AtomicMax,
	}
	require.Len(t, atomicOps, len(device))
	has := func(list, w string) bool { return strings.Contains(" "+list+" ", " "+w+" ") }
	for name := range device {
		full := "atomic_" + name + "_explicit"
		for _, val := range []string{"int", "uint", "bool", "float", "ulong"} {
			for space, allowed := range map[ir.Space]bool{
				ir.Device:      has(device[name], val),
				ir.Threadgroup: has(local[name], val),
				ir.Constant:    false,
				ir.Thread:      false,
			} {
				x, err := atomicCall(t, full, pointer(space, "atomic_"+val, false), val)
				if !allowed {
					require.ErrorContains(t, err, "it takes atomic_", full)
					continue
				}
				require.NoError(t, err)
				a := x.(*typed.AtomicExpr)
				require.Equal(t, ops[name], a.Op, name)
				want := val
				switch name {
				case "store", "min", "max":
					want = "void"
				case "compare_exchange_weak":
					want = "bool"
				}
				require.Equal(t, want, a.Type.String(), full)
				require.True(t, ir.Ops[a.Op].Types.Has(NamedType(val).(*typed.Scalar).Kind), "%s of %s", a.Op, val)
				_, err = atomicCall(t, full, pointer(space, "atomic_"+val, true), val)
				require.Equal(t, name == "load", err == nil, full)
			}
		}
	}
}

// TestAtomicErrors: each names the fix.
func TestAtomicErrors(t *testing.T) {
	relaxed := libraryConstant(t, "memory_order_relaxed")
	object := pointer(ir.Device, "atomic_uint", false)
	for _, c := range []struct {
		name string
		args []Arg
		want string
	}{
		{"atomic_load_explicit", []Arg{object}, "is called as atomic_load_explicit(&object, memory_order_relaxed)"},
		{"atomic_load_explicit", []Arg{object, libraryConstant(t, "memory_order_seq_cst")}, "takes memory_order_relaxed only"},
		{"atomic_load_explicit", []Arg{object, arg("int")}, "wants a constant memory_order here, such as memory_order_relaxed"},
		{"atomic_load_explicit", []Arg{pointer(ir.Device, "uint", false), relaxed}, "takes a pointer to an atomic object, not device uint*"},
		{"atomic_load_explicit", []Arg{arg("uint"), relaxed}, "takes a pointer to an atomic object, not uint"},
		{"atomic_fetch_max_explicit", []Arg{pointer(ir.Device, "atomic_float", false), floats(1), relaxed}, "has no version for device atomic_float*; it takes atomic_int, atomic_uint in device and threadgroup memory"},
		{"atomic_fetch_add_explicit", []Arg{pointer(ir.Threadgroup, "atomic_float", false), floats(1), relaxed}, "it takes atomic_int, atomic_uint, atomic_float in device memory and atomic_int, atomic_uint in threadgroup memory"},
		{"atomic_fetch_add_explicit", []Arg{pointer(ir.Device, "atomic_ulong", false), arg("ulong"), relaxed}, "has no version for device atomic_ulong*"},
		{"atomic_max_explicit", []Arg{pointer(ir.Threadgroup, "atomic_ulong", false), arg("ulong"), relaxed}, "it takes atomic_ulong in device memory only"},
		{"atomic_fetch_add_explicit", []Arg{object, arg("uint2"), relaxed}, "uint2 is not converted to uint: name the component, as in .x"},
		{"atomic_compare_exchange_weak_explicit", []Arg{object, pointer(ir.Device, "uint", false), arg("uint"), relaxed, relaxed}, "the address of a local variable of type uint for the expected value, not device uint*"},
		{"atomic_compare_exchange_weak_explicit", []Arg{object, pointer(ir.Thread, "int", false), arg("uint"), relaxed, relaxed}, "of type uint for the expected value, not thread int*"},
		{"threadgroup_barrier", nil, "takes flags: threadgroup_barrier(mem_flags::mem_threadgroup)"},
		{"threadgroup_barrier", []Arg{arg("mem_flags")}, "wants a constant mem_flags here"},
		{"threadgroup_barrier", []Arg{arg("int")}, "wants a constant mem_flags here"},
		{"atomic_thread_fence", []Arg{libraryConstant(t, "mem_flags::mem_device")}, "takes flags, an order and a scope"},
		{"atomic_thread_fence", []Arg{libraryConstant(t, "mem_flags::mem_device"), libraryConstant(t, "memory_order_acquire")}, "takes memory_order_seq_cst or memory_order_relaxed"},
	} {
		_, err := Resolve(c.name, nil, c.args, typed.Pos{}, 0)
		require.ErrorContains(t, err, c.want, c.name)
	}
	// An integer is converted to the object's type.
	x, err := Resolve("atomic_fetch_add_explicit", nil, []Arg{pointer(ir.Device, "atomic_float", false), arg("int"), relaxed}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Equal(t, "float", x.(*typed.AtomicExpr).X.ExprType().String())
	// The address of a variable is the variable.
	v := local("uint")
	addr := &typed.AddrOf{Node: typed.Node{Type: &typed.Pointer{Space: ir.Thread, Elem: NamedType("uint")}}, X: v.Place}
	x, err = Resolve("atomic_compare_exchange_weak_explicit", nil, []Arg{object, {X: addr}, arg("uint"), relaxed, relaxed}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Same(t, v.Place, x.(*typed.AtomicExpr).Expected)
}

// TestBarriers: flags of barriers and fences.
func TestBarriers(t *testing.T) {
	device, local, texture := libraryConstant(t, "mem_flags::mem_device"), libraryConstant(t, "mem_flags::mem_threadgroup"), libraryConstant(t, "mem_flags::mem_texture")
	seqCst, relaxed := libraryConstant(t, "memory_order_seq_cst"), libraryConstant(t, "memory_order_relaxed")
	for _, c := range []struct {
		name  string
		args  []Arg
		op    ir.Op
		flags uint64
	}{
		{"threadgroup_barrier", []Arg{local}, ir.Barrier, 2},
		{"threadgroup_barrier", []Arg{device}, ir.Barrier, 1},
		{"threadgroup_barrier", []Arg{texture}, ir.Barrier, 4},
		{"threadgroup_barrier", []Arg{libraryConstant(t, "mem_flags::mem_none")}, ir.Barrier, 0},
		{"simdgroup_barrier", []Arg{local}, ir.SimdBarrier, 2},
		{"atomic_thread_fence", []Arg{device, seqCst}, ir.Fence, 1},
		{"atomic_thread_fence", []Arg{device, relaxed}, ir.Fence, 0},
		{"atomic_thread_fence", []Arg{local, seqCst, libraryConstant(t, "thread_scope_threadgroup")}, ir.Fence, ir.WithScope(2, 1)},
		{"atomic_thread_fence", []Arg{device, seqCst, libraryConstant(t, "thread_scope_device")}, ir.Fence, 1},
		{"atomic_thread_fence", []Arg{device, seqCst, libraryConstant(t, "thread_scope_simdgroup")}, ir.Fence, ir.WithScope(1, 2)},
		{"atomic_thread_fence", []Arg{device, seqCst, libraryConstant(t, "thread_scope_thread")}, ir.Fence, ir.WithScope(1, 3)},
	} {
		x, err := Resolve(c.name, nil, c.args, typed.Pos{}, 0)
		require.NoError(t, err)
		b := x.(*typed.BarrierExpr)
		require.Equal(t, c.op, b.Op)
		require.Equal(t, c.flags, b.Flags, c.name)
	}
}

// TestCasts: as_type keeps the bits, and needs as many.
func TestCasts(t *testing.T) {
	as := func(to string, x Arg) error {
		e, err := Resolve("as_type", targs(to), []Arg{x}, typed.Pos{}, 0)
		if err == nil {
			require.Equal(t, to, e.ExprType().String())
		}
		return err
	}
	for _, c := range [][2]string{
		{"float", "uint"},
		{"uint", "float"},
		{"half2", "uint"},
		{"ulong", "uint2"},
		{"uint2", "ulong"},
		{"uint3", "float3"},
		{"ushort4", "uint2"},
		{"packed_float3", "uint3"},
		{"bfloat", "ushort"},
		{"float", "float"},
	} {
		require.NoError(t, as(c[1], arg(c[0])), c)
	}
	require.ErrorContains(t, as("ulong", arg("float")), "as_type<ulong> of float: they have 64 and 32 bits, and need as many")
	require.ErrorContains(t, as("bool", arg("char")), "not bool")
	require.ErrorContains(t, as("half3", arg("float")), "48 and 32 bits")
	require.ErrorContains(t, as("float", pointer(ir.Device, "float", false)), "both have to be numbers")
	_, err := Resolve("as_type", nil, []Arg{floats(1)}, typed.Pos{}, 0)
	require.ErrorContains(t, err, "as_type<T>(x)")
}

// TestGroups: operands of functions of simdgroups stand as the operations want them.
func TestGroups(t *testing.T) {
	x, err := Resolve("simd_shuffle_and_fill_up", nil, []Arg{floats(1), floats(2), arg("ushort", 3)}, typed.Pos{}, 0)
	require.NoError(t, err)
	s := x.(*typed.SimdExpr)
	require.Equal(t, ir.SimdFillUp, s.Op)
	require.Zero(t, s.Lanes)
	e := &evaluator{}
	require.Equal(t, []value{{0x3f800000}, {3}, {0x40000000}, {0}}, []value{e.eval(s.Args[0]), e.eval(s.Args[1]), e.eval(s.Args[2]), e.eval(s.Args[3])})
	x, err = Resolve("quad_shuffle_and_fill_down", nil, []Arg{floats(1), floats(2), arg("ushort", 3), arg("ushort", 4)}, typed.Pos{}, 0)
	require.NoError(t, err)
	s = x.(*typed.SimdExpr)
	require.Equal(t, 4, s.Lanes)
	require.Equal(t, value{4}, e.eval(s.Args[3]))
	// Every other operation: the operands that the table of operations wants.
	for name, fs := range table {
		if !strings.HasPrefix(name, "simd_") && !strings.HasPrefix(name, "quad_") {
			continue
		}
		for _, f := range fs {
			for _, o := range f.expand(name) {
				var args []Arg
				for _, p := range o.params {
					args = append(args, arg(p.String()))
				}
				x, err := Resolve(name, nil, args, typed.Pos{}, 0)
				require.NoError(t, err)
				if a, ok := x.(*typed.Aggregate); ok {
					x = a.Elems[0]
				}
				s := x.(*typed.SimdExpr)
				info := ir.Ops[s.Op]
				wants := []ir.Operand{info.A, info.B, info.C, info.D}
				for i, w := range wants {
					if i >= len(s.Args) {
						require.Equal(t, ir.NoOperand, w, name)
						continue
					}
					k := kindOf(s.Args[i].ExprType())
					if w == ir.OptionalU16 {
						w = ir.OfU16
					}
					require.Equal(t, kindOfOperand(w, kindOf(o.typ)), k, "%s: operand %d", name, i)
				}
				require.Equal(t, kindOfOperand(info.Result, kindOf(o.typ)), kindOf(s.Type), name)
				require.Equal(t, strings.HasPrefix(name, "quad_"), s.Lanes == 4, name)
			}
		}
	}
}

// TestVotes: any() of a vote and the integer in it.
func TestVotes(t *testing.T) {
	v, err := Resolve("simd_ballot", nil, []Arg{arg("bool", 1)}, typed.Pos{}, 0)
	require.NoError(t, err)
	x, err := Convert(v, NamedType("uint64_t"), true)
	require.NoError(t, err)
	require.Equal(t, "ulong", x.ExprType().String())
	x, err = Resolve("simd_vote::any", nil, []Arg{{X: v}}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Equal(t, "bool", x.ExprType().String())
	_, err = Resolve("simd_vote::all", nil, []Arg{{X: v}}, typed.Pos{}, 0)
	require.ErrorContains(t, err, "write simd_all(…) of the condition")
	_, err = Resolve("simd_vote::any", nil, []Arg{{X: v}, floats(1)}, typed.Pos{}, 0)
	require.ErrorContains(t, err, "any of a vote takes no arguments")
	_, err = Resolve("quad_vote::any", nil, []Arg{floats(1)}, typed.Pos{}, 0)
	require.Error(t, err)
	require.False(t, IsFunction("simd_vote::none"))
	require.False(t, IsFunction("fast::simd_vote::any"))
}
