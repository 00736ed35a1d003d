package check

import (
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// qual is a type with what C++ writes around it.
type qual struct {
	T               typed.Type
	Const, Volatile bool
	Space           ir.Space
	HasSpace        bool
	Ref             refKind
	// Auto: the type is deduced; T is nil.
	Auto bool
	// AutoElem: it is a pointer, auto *, and what is written of what it points to.
	AutoElem *qual
	// Func: it is the type of a function, or of a pointer or reference to one; T is void.
	Func *signature
}

type refKind uint8

const (
	noRef refKind = iota
	lvalueRef
	rvalueRef
)

var spaceWord = [...]string{ir.Device: "device", ir.Constant: "constant", ir.Threadgroup: "threadgroup", ir.Thread: "thread"}

func (q qual) String() string {
	var s strings.Builder
	if q.Const && (!q.HasSpace || q.Space != ir.Constant) {
		s.WriteString("const ")
	}
	if q.Volatile {
		s.WriteString("volatile ")
	}
	if q.HasSpace || q.Ref != noRef {
		s.WriteString(spaceWord[q.space()] + " ")
	}
	if q.T == nil {
		s.WriteString("auto")
	} else if q.Func != nil {
		s.WriteString(q.Func.String())
	} else {
		s.WriteString(q.T.String())
	}
	switch q.Ref {
	case lvalueRef:
		s.WriteByte('&')
	case rvalueRef:
		s.WriteString("&&")
	}
	return s.String()
}

// space returns the address space, thread by default.
func (q qual) space() ir.Space {
	if q.HasSpace {
		return q.Space
	}
	return ir.Thread
}

// value returns the type without reference, const and space.
func (q qual) value() qual { return qual{T: q.T} }

var (
	voidType  = stdlib.Void
	boolType  = stdlib.ScalarOf(ir.Bool)
	intType   = stdlib.ScalarOf(ir.I32)
	uintType  = stdlib.ScalarOf(ir.U32)
	longType  = stdlib.ScalarOf(ir.I64)
	ulongType = stdlib.ScalarOf(ir.U64)
)

// same reports whether a and b are one type.
func same(a, b typed.Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *typed.Scalar:
		b, ok := b.(*typed.Scalar)
		return ok && a.Kind == b.Kind && a.Enum == b.Enum && (!a.Enum || a.Name == b.Name)
	case *typed.Vector:
		b, ok := b.(*typed.Vector)
		return ok && a.N == b.N && a.Packed == b.Packed && same(a.Elem, b.Elem)
	case *typed.Array:
		b, ok := b.(*typed.Array)
		return ok && a.Len == b.Len && a.Metal == b.Metal && same(a.Elem, b.Elem)
	case *typed.Pointer:
		b, ok := b.(*typed.Pointer)
		return ok && a.Space == b.Space && a.Const == b.Const && a.Volatile == b.Volatile && same(a.Elem, b.Elem)
	case *typed.Atomic:
		b, ok := b.(*typed.Atomic)
		return ok && same(a.Elem, b.Elem)
	case *typed.VoidType:
		_, ok := b.(*typed.VoidType)
		return ok
	case *typed.Struct:
		b, ok := b.(*typed.Struct)
		return ok && a.Name == b.Name
	}
	return false
}

func isVoid(t typed.Type) bool {
	_, ok := t.(*typed.VoidType)
	return ok
}

func isStruct(t typed.Type) bool {
	_, ok := t.(*typed.Struct)
	return ok
}

// kindOf returns the kind of a scalar, Void for all other types.
func kindOf(t typed.Type) ir.Type {
	if s, ok := t.(*typed.Scalar); ok {
		return s.Kind
	}
	return ir.Void
}

func isIntKind(k ir.Type) bool    { return k >= ir.Bool && k <= ir.U64 }
func isFloatKind(k ir.Type) bool  { return k == ir.F16 || k == ir.BF16 || k == ir.F32 }
func isSignedKind(k ir.Type) bool { return k == ir.I8 || k == ir.I16 || k == ir.I32 || k == ir.I64 }

// integral reports whether t is a scalar that counts: bool, an integer or an enumeration.
func integral(t typed.Type) bool { return isIntKind(kindOf(t)) }

// element returns the element of a vector, and t itself otherwise.
func element(t typed.Type) typed.Type {
	if v, ok := t.(*typed.Vector); ok {
		return v.Elem
	}
	return t
}

// promoted returns what the kind becomes in arithmetic.
func promoted(k ir.Type) ir.Type {
	if k < ir.I32 && k != ir.Void {
		return ir.I32
	}
	return k
}

// vectorOf returns the vector of n elements, the scalar itself for n = 1.
func vectorOf(s *typed.Scalar, n int) typed.Type {
	if n == 1 {
		return s
	}
	return stdlib.VectorOf(s, n)
}

// unpacked returns a packed vector's plain twin, the element of a vector of one, and all other types as they are.
func unpacked(t typed.Type) typed.Type {
	if v, ok := t.(*typed.Vector); ok && v.N == 1 {
		return v.Elem
	}
	if v, ok := t.(*typed.Vector); ok && v.Packed {
		return stdlib.VectorOf(v.Elem, v.N)
	}
	return t
}

func pointerTo(t typed.Type, space ir.Space, isConst, isVolatile bool) *typed.Pointer {
	return &typed.Pointer{Space: space, Elem: t, Const: isConst || space == ir.Constant, Volatile: isVolatile}
}

// arrayOf returns the array, or fails if it is too large.
func (c *checker) arrayOf(pos Pos, elem typed.Type, n uint64, metal bool) *typed.Array {
	size := max(elem.Size(), 1)
	if n > uint64(maxSize/size) {
		c.fail(pos, "an array of %d elements of type %s is larger than %d bytes", n, elem, maxSize)
	}
	return &typed.Array{Elem: elem, Len: int(n), Metal: metal}
}
