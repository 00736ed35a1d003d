package stdlib

import (
	"fmt"
	"slices"
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// atomicOp is a function of atomics: the types it takes, and where.
type atomicOp struct {
	op          ir.Op
	device      []ir.Type
	threadgroup []ir.Type
	operand     bool // it takes a value
	result      bool // it gives the value before
	constant    bool // it takes a pointer to const
}

var (
	atomicAny   = []ir.Type{ir.I32, ir.U32, ir.Bool, ir.F32}
	atomicLocal = []ir.Type{ir.I32, ir.U32, ir.Bool}
	atomicAdd   = []ir.Type{ir.I32, ir.U32, ir.F32}
)

var atomicOps = map[string]atomicOp{
	"atomic_load_explicit":                  {ir.AtomicLoad, atomicAny, atomicLocal, false, true, true},
	"atomic_store_explicit":                 {ir.AtomicStore, atomicAny, atomicLocal, true, false, false},
	"atomic_exchange_explicit":              {ir.AtomicXchg, atomicAny, atomicLocal, true, true, false},
	"atomic_compare_exchange_weak_explicit": {ir.AtomicCAS, atomicAny, atomicLocal, true, true, false},
	"atomic_fetch_add_explicit":             {ir.AtomicAdd, atomicAdd, words, true, true, false},
	"atomic_fetch_sub_explicit":             {ir.AtomicSub, atomicAdd, words, true, true, false},
	"atomic_fetch_min_explicit":             {ir.AtomicMin, words, words, true, true, false},
	"atomic_fetch_max_explicit":             {ir.AtomicMax, words, words, true, true, false},
	"atomic_fetch_and_explicit":             {ir.AtomicAnd, words, words, true, true, false},
	"atomic_fetch_or_explicit":              {ir.AtomicOr, words, words, true, true, false},
	"atomic_fetch_xor_explicit":             {ir.AtomicXor, words, words, true, true, false},
	"atomic_min_explicit":                   {ir.AtomicMin, []ir.Type{ir.U64}, nil, true, false, false},
	"atomic_max_explicit":                   {ir.AtomicMax, []ir.Type{ir.U64}, nil, true, false, false},
}

func init() {
	for name, o := range atomicOps {
		special[name] = func(c *call, targs []TArg, args []Arg) (typed.Expr, error) { return c.atomic(o, targs, args) }
		refusals[strings.TrimSuffix(name, "_explicit")] = "atomics without _explicit"
	}
	for _, name := range []string{"atomic_init", "atomic_flag_test_and_set", "atomic_flag_clear", "atomic_compare_exchange_strong_explicit"} {
		refusals[name] = "atomics that Metal does not have"
	}
}

// usage writes how the function is called.
func (o atomicOp) usage(name string) string {
	switch {
	case o.op == ir.AtomicCAS:
		return name + "(&object, &expected, desired, memory_order_relaxed, memory_order_relaxed)"
	case o.operand:
		return name + "(&object, value, memory_order_relaxed)"
	}
	return name + "(&object, memory_order_relaxed)"
}

// allowed writes which types there are where.
func (o atomicOp) allowed() string {
	list := func(ks []ir.Type) string {
		var s []string
		for _, k := range ks {
			s = append(s, "atomic_"+scalars[k].Name)
		}
		return strings.Join(s, ", ")
	}
	switch {
	case len(o.threadgroup) == 0:
		return fmt.Sprintf("%s in device memory only", list(o.device))
	case slices.Equal(o.device, o.threadgroup):
		return fmt.Sprintf("%s in device and threadgroup memory", list(o.device))
	}
	return fmt.Sprintf("%s in device memory and %s in threadgroup memory", list(o.device), list(o.threadgroup))
}

func (c *call) atomic(o atomicOp, targs []TArg, args []Arg) (typed.Expr, error) {
	n := 2
	switch {
	case o.op == ir.AtomicCAS:
		n = 5
	case o.operand:
		n = 3
	}
	if len(targs) > 0 || len(args) != n {
		return nil, wrong(c.pos, "%s is called as %s", c.name, o.usage(c.name))
	}
	ptr, ok := args[0].X.ExprType().(*typed.Pointer)
	var object *typed.Atomic
	if ok {
		object, ok = ptr.Elem.(*typed.Atomic)
	}
	if !ok {
		return nil, wrong(args[0].X.At(), "%s takes a pointer to an atomic object, not %s: it is called as %s",
			c.name, typeName(args[0].X.ExprType()), o.usage(c.name))
	}
	var there []ir.Type
	switch ptr.Space {
	case ir.Device:
		there = o.device
	case ir.Threadgroup:
		there = o.threadgroup
	}
	k := object.Elem.Kind
	if !slices.Contains(there, k) {
		return nil, wrong(args[0].X.At(), "%s has no version for %s; it takes %s", c.name, ptr, o.allowed())
	}
	if ptr.Const && !o.constant {
		return nil, wrong(args[0].X.At(), "%s writes, and %s is const", c.name, ptr)
	}
	orders := args[n-1:]
	if o.op == ir.AtomicCAS {
		orders = args[n-2:]
	}
	for _, a := range orders {
		order, err := c.constantOf(a, memoryOrder, "memory_order_relaxed")
		if err != nil {
			return nil, err
		}
		if order != relaxed {
			return nil, wrong(a.X.At(), "%s takes memory_order_relaxed only: order other memory by atomic_thread_fence or a barrier", c.name)
		}
	}
	elem := scalars[k]
	x := &typed.AtomicExpr{Node: c.node(elem), Op: o.op, Ptr: args[0].X}
	var err error
	switch {
	case o.op == ir.AtomicCAS:
		x.Type = scalars[ir.Bool]
		if x.Expected, err = c.expected(args[1], elem); err != nil {
			return nil, err
		}
		x.X, err = Convert(args[2].X, elem, false)
	case o.operand:
		x.X, err = Convert(args[1].X, elem, false)
	}
	if err != nil {
		return nil, err
	}
	if !o.result {
		x.Type = Void
	}
	return x, nil
}

// expected returns the place of the expected value of a compare and exchange.
func (c *call) expected(a Arg, elem *typed.Scalar) (typed.Place, error) {
	p, ok := a.X.ExprType().(*typed.Pointer)
	if !ok || p.Space != ir.Thread || p.Const || !same(p.Elem, elem) {
		return nil, wrong(a.X.At(), "%s takes the address of a local variable of type %s for the expected value, not %s",
			c.name, elem, typeName(a.X.ExprType()))
	}
	if addr, ok := a.X.(*typed.AddrOf); ok && !addr.Decay {
		return addr.X, nil
	}
	return &typed.Deref{Ptr: a.X, Pos: a.X.At()}, nil
}
