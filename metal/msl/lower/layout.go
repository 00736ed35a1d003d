package lower

import (
	"gamma/metal/msl/ir"
	"gamma/metal/msl/typed"
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
func count(t typed.Type) int {
	switch t := t.(type) {
	case *typed.Scalar, *typed.Pointer, *typed.Atomic:
		return 1
	case *typed.Vector:
		return t.N
	case *typed.Array:
		if t.Len <= 0 {
			return 0
		}
		n := count(t.Elem)
		if n == 0 {
			return 0
		}
		if n > maxLeaves/t.Len {
			return maxLeaves + 1
		}
		return n * t.Len
	case *typed.Struct:
		if t.Union {
			return min(t.Size()/unionChunk(t), maxLeaves+1)
		}
		n := 0
		for i := range t.Fields {
			n = min(n+count(t.Fields[i].Type), maxLeaves+1)
		}
		return n
	}
	return 0
}

// unionChunk is the size of the pieces in which a union is copied.
func unionChunk(t *typed.Struct) int { return min(t.Align(), 8) }

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
		if count(t) > maxLeaves {
			return to
		}
		for i := range t.Len {
			to = appendLeaves(to, t.Elem, off+i*t.Elem.Size())
		}
	case *typed.Struct:
		if count(t) > maxLeaves {
			return to
		}
		if t.Union {
			c := unionChunk(t)
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
	if count(t) > maxRegisters {
		return true
	}
	switch t := t.(type) {
	case *typed.Atomic:
		return true
	case *typed.Array:
		return inMemory(t.Elem)
	case *typed.Struct:
		if t.Union {
			return true
		}
		for i := range t.Fields {
			if inMemory(t.Fields[i].Type) {
				return true
			}
		}
	}
	return false
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
