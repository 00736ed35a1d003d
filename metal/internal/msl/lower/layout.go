package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// leaf is a scalar of a type: where it is in memory, and what the address of a vector that begins with it is a multiple of.
type leaf struct {
	typ   ir.Type
	off   int
	align uint32 // 0: the scalar's own
}

// maxLeaves bounds the scalars of a value, maxRegisters those of a variable kept in registers.
const (
	maxLeaves    = 4096
	maxRegisters = 64
)

// count returns the number of scalars of a type, at most maxLeaves+1.
func count(t typed.Type) int { return min(typed.Scalars(t), maxLeaves+1) }

var chunkType = map[int]ir.Type{1: ir.U8, 2: ir.U16, 4: ir.U32, 8: ir.U64}

// leaves returns the scalars of a type, in order.
func (l *lowerer) leaves(t typed.Type) []leaf {
	switch t := t.(type) {
	case *typed.Scalar:
		return []leaf{{typ: t.Kind}}
	case *typed.Pointer:
		return []leaf{{typ: ir.Ptr}}
	case *typed.Atomic:
		return []leaf{{typ: t.Elem.Kind}}
	case *typed.Struct, *typed.Array:
		if got, ok := l.layouts[t]; ok {
			return got
		}
		got := appendLeaves(nil, t, 0)
		l.layouts[t] = got
		return got
	}
	return appendLeaves(nil, t, 0)
}

func appendLeaves(to []leaf, t typed.Type, off int) []leaf {
	if n := count(t); n == 0 || n > maxLeaves {
		return to
	}
	switch t := t.(type) {
	case *typed.Scalar:
		return append(to, leaf{typ: t.Kind, off: off})
	case *typed.Pointer:
		return append(to, leaf{typ: ir.Ptr, off: off})
	case *typed.Atomic:
		return append(to, leaf{typ: t.Elem.Kind, off: off})
	case *typed.Vector:
		size := t.Elem.Size()
		for i := range t.N {
			f := leaf{typ: t.Elem.Kind, off: off + i*size}
			if i == 0 && t.Align() > size {
				f.align = uint32(t.Align())
			}
			to = append(to, f)
		}
	case *typed.Array:
		for i := range t.Len {
			to = appendLeaves(to, t.Elem, off+i*t.Elem.Size())
		}
	case *typed.Struct:
		if t.Union {
			c := t.Chunk()
			for i := 0; i+c <= t.Size(); i += c {
				to = append(to, leaf{typ: chunkType[c], off: off + i})
			}
			return to
		}
		for i := range t.Fields {
			to = appendLeaves(to, t.Fields[i].Type, off+t.Fields[i].Offset)
		}
	}
	return to
}

// fieldLeaf returns the number of scalars in front of field i.
func fieldLeaf(t *typed.Struct, i int) int {
	n := 0
	for j := range i {
		n += count(t.Fields[j].Type)
	}
	return n
}

// inMemory reports whether variables of type t always live in memory.
func inMemory(t typed.Type) bool {
	return count(t) > maxRegisters || typed.HoldsAtomic(t) || typed.HoldsUnion(t)
}

// element returns the scalar type of a scalar or of a vector's elements.
func element(t typed.Type) ir.Type {
	switch t := t.(type) {
	case *typed.Scalar:
		return t.Kind
	case *typed.Vector:
		return t.Elem.Kind
	case *typed.Pointer:
		return ir.Ptr
	case *typed.Atomic:
		return t.Elem.Kind
	}
	return ir.Void
}
