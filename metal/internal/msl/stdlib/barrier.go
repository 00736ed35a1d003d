package stdlib

import (
	"slices"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func init() {
	special["threadgroup_barrier"] = barrier(ir.Barrier)
	special["simdgroup_barrier"] = barrier(ir.SimdBarrier)
	special["atomic_thread_fence"] = fence
}

// constantOf returns the bits of an argument that has to be a constant of one of the library's enumerations.
func (c *call) constantOf(a Arg, t *typed.Scalar, example string) (uint64, error) {
	k, ok := a.X.(*typed.Const)
	if !ok || !same(k.Type, t) {
		return 0, wrong(a.X.At(), "%s wants a constant %s here, such as %s", c.name, t, example)
	}
	return k.Bits, nil
}

// barrier is threadgroup_barrier and simdgroup_barrier.
func barrier(op ir.Op) func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
	return func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
		if len(targs) > 0 || len(args) < 1 || len(args) > 2 {
			return nil, wrong(c.pos, "%s takes flags: %s(mem_flags::mem_threadgroup)", c.name, c.name)
		}
		flags, err := c.constantOf(args[0], memFlags, "mem_flags::mem_threadgroup")
		if err != nil {
			return nil, err
		}
		if len(args) == 2 {
			if _, err := c.constantOf(args[1], threadScope, "thread_scope_threadgroup"); err != nil {
				return nil, err
			}
		}
		return &typed.BarrierExpr{Node: c.node(Void), Op: op, Flags: flags & ir.MemFlags}, nil
	}
}

// fenceScopes are the values of thread_scope, in the order of ir.FenceScope: device, threadgroup, simdgroup, thread.
var fenceScopes = [...]uint64{2, 1, 4, 0}

// fence is atomic_thread_fence(flags, order, scope). A relaxed fence orders nothing.
func fence(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
	if len(targs) > 0 || len(args) < 2 || len(args) > 3 {
		return nil, wrong(c.pos, "atomic_thread_fence takes flags, an order and a scope: "+
			"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device)")
	}
	flags, err := c.constantOf(args[0], memFlags, "mem_flags::mem_device")
	if err != nil {
		return nil, err
	}
	order, err := c.constantOf(args[1], memoryOrder, "memory_order_seq_cst")
	if err != nil {
		return nil, err
	}
	if order != relaxed && order != seqCst {
		return nil, wrong(args[1].X.At(), "atomic_thread_fence takes memory_order_seq_cst or memory_order_relaxed")
	}
	scope := 0
	if len(args) == 3 {
		bits, err := c.constantOf(args[2], threadScope, "thread_scope_device")
		if err != nil {
			return nil, err
		}
		scope = slices.Index(fenceScopes[:], bits)
	}
	if order == relaxed {
		flags = 0
	}
	return &typed.BarrierExpr{Node: c.node(Void), Op: ir.Fence, Flags: ir.WithScope(flags&ir.MemFlags, scope)}, nil
}
