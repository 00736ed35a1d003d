package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Bits of mem_flags, and values of memory_order and thread_scope.
const (
	relaxed = 0
	seqCst  = 5
)

var constants = map[string]struct {
	typ  *typed.Scalar
	bits uint64
}{
	"mem_flags::mem_none": {memFlags, 0}, "mem_flags::mem_device": {memFlags, 1}, "mem_flags::mem_threadgroup": {memFlags, 2},
	"mem_flags::mem_texture": {memFlags, 4}, "mem_flags::mem_threadgroup_imageblock": {memFlags, 8},
	"mem_flags::mem_object_data": {memFlags, 16},
	"memory_order_relaxed":       {memoryOrder, relaxed}, "memory_order_acquire": {memoryOrder, 2}, "memory_order_release": {memoryOrder, 3},
	"memory_order_acq_rel": {memoryOrder, 4}, "memory_order_seq_cst": {memoryOrder, seqCst},
	"memory_order::memory_order_relaxed": {memoryOrder, relaxed}, "memory_order::memory_order_seq_cst": {memoryOrder, seqCst},
	"thread_scope_thread": {threadScope, 0}, "thread_scope_simdgroup": {threadScope, 4}, "thread_scope_threadgroup": {threadScope, 1},
	"thread_scope_device":               {threadScope, 2},
	"thread_scope::thread_scope_thread": {threadScope, 0}, "thread_scope::thread_scope_simdgroup": {threadScope, 4},
	"thread_scope::thread_scope_threadgroup": {threadScope, 1}, "thread_scope::thread_scope_device": {threadScope, 2},
}

// Constant returns the library's constant of that name: flags of memory, orders and scopes. The expression has no place.
func Constant(name string) (typed.Expr, bool) {
	c, ok := constants[name]
	if !ok {
		return nil, false
	}
	return &typed.Const{Node: typed.Node{Type: c.typ}, Bits: c.bits}, true
}

// KernelAttribute returns what an attribute of a kernel's parameter tells the thread.
func KernelAttribute(name string) (kind ir.InputKind, ok bool) {
	if name == "thread_execution_width" {
		return ir.ThreadsPerSimdgroup, true
	}
	return ir.ParseInput(name)
}
