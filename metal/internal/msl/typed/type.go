package typed

import (
	"fmt"
	"strings"

	"gamma/metal/msl/ir"
)

// Type is a type: *Scalar, *Vector, *Array, *Pointer, *Struct, *Atomic or *Void. Types are equal if and only if their
// String is; the checker makes one object a type where it can.
type Type interface {
	String() string // as a programmer writes it
	Size() int      // bytes
	Align() int
}

// Scalar is a scalar type.
type Scalar struct {
	Kind ir.Type // never Void or Ptr
	Name string  // "float", "uint", …; of an enumeration its name
	Enum bool
}

// Vector is a vector of 1 to 4 scalars. A vector of 3 takes the room of 4 unless it is packed. One of 1 is vec<T, 1>, which is a scalar in all
// that is computed with it.
type Vector struct {
	Elem   *Scalar
	N      int
	Packed bool
}

// Array is an array of Len elements: a C array or metal::array.
type Array struct {
	Elem Type
	Len  int
	// Metal: it is metal::array, which is copied as a value.
	Metal bool
}

// Pointer is a pointer. References are no types here: see Var.Ref and Param.
type Pointer struct {
	Space    ir.Space
	Elem     Type
	Const    bool
	Volatile bool
}

// Struct is a struct or union.
type Struct struct {
	Name   string
	Union  bool
	Fields []Field
	size   int
	align  int
	sum    content
}

// Field is a member of a struct.
type Field struct {
	Name     string
	Type     Type
	Offset   int
	Align    int // at least, as alignas says; 0 if it is the type's
	Volatile bool
}

// Atomic is atomic<Elem>.
type Atomic struct{ Elem *Scalar }

// VoidType is void.
type VoidType struct{}

var scalarSize = [...]int{ir.Bool: 1, ir.I8: 1, ir.U8: 1, ir.I16: 2, ir.U16: 2, ir.I32: 4, ir.U32: 4, ir.I64: 8, ir.U64: 8, ir.F16: 2, ir.BF16: 2, ir.F32: 4, ir.Ptr: 8}

// SizeOf returns the size of a scalar in bytes.
func SizeOf(k ir.Type) int { return scalarSize[k] }

func (t *Scalar) String() string { return t.Name }
func (t *Scalar) Size() int      { return scalarSize[t.Kind] }
func (t *Scalar) Align() int     { return scalarSize[t.Kind] }

func (t *Vector) String() string {
	switch {
	case t.N == 1 && t.Packed:
		return fmt.Sprintf("packed_vec<%s, 1>", t.Elem.Name)
	case t.N == 1:
		return fmt.Sprintf("vec<%s, 1>", t.Elem.Name)
	case t.Packed:
		return fmt.Sprintf("packed_%s%d", t.Elem.Name, t.N)
	}
	return fmt.Sprintf("%s%d", t.Elem.Name, t.N)
}

func (t *Vector) Size() int {
	if t.N == 3 && !t.Packed {
		return 4 * t.Elem.Size()
	}
	return t.N * t.Elem.Size()
}

func (t *Vector) Align() int {
	if t.Packed {
		return t.Elem.Align()
	}
	return t.Size()
}

func (t *Array) String() string {
	if t.Metal {
		return fmt.Sprintf("array<%s, %d>", t.Elem, t.Len)
	}
	return fmt.Sprintf("%s[%d]", t.Elem, t.Len)
}
func (t *Array) Size() int  { return t.Elem.Size() * t.Len }
func (t *Array) Align() int { return t.Elem.Align() }

var spaceNames = [...]string{ir.Device: "device", ir.Constant: "constant", ir.Threadgroup: "threadgroup", ir.Thread: "thread"}

func (t *Pointer) String() string {
	var s strings.Builder
	if t.Const {
		s.WriteString("const ")
	}
	if t.Volatile {
		s.WriteString("volatile ")
	}
	fmt.Fprintf(&s, "%s %s*", spaceNames[t.Space], t.Elem)
	return s.String()
}
func (t *Pointer) Size() int  { return 8 }
func (t *Pointer) Align() int { return 8 }

func (t *Struct) String() string { return t.Name }
func (t *Struct) Size() int      { return t.size }
func (t *Struct) Align() int     { return t.align }

// Layout gives the fields their offsets and the struct its size and alignment, at least align. The checker calls
// it once, when the struct is complete.
func (t *Struct) Layout(align int) {
	off := 0
	t.align = max(align, 1)
	t.size = 0
	t.sum = content{parts: 1, union: t.Union}
	for i := range t.Fields {
		f := &t.Fields[i]
		t.sum.add(contentOf(f.Type))
		t.sum.volatile = t.sum.volatile || f.Volatile
		a := max(f.Type.Align(), f.Align, 1)
		t.align = max(t.align, a)
		if t.Union {
			t.size = max(t.size, f.Type.Size())
			continue
		}
		off = (off + a - 1) / a * a
		f.Offset = off
		off += f.Type.Size()
		t.size = off
	}
	t.size = max((t.size+t.align-1)/t.align*t.align, 1)
	if t.Union {
		t.sum.scalars = min(t.size/t.Chunk(), MaxCount)
	}
}

// Chunk is the size of the pieces in which a union is copied.
func (t *Struct) Chunk() int { return min(t.align, 8) }

// MaxCount is where Scalars and Parts stop counting.
const MaxCount = 1 << 20

// content is what objects of a type are made of. Layout finds it once a struct from the structs in it: a walk over all
// the members of the members takes time that doubles with each struct that holds another one twice.
type content struct {
	scalars, parts int
	// volatile: a member is, or one of its members.
	atomic, pointer, union, volatile bool
}

// add adds what a member is made of.
func (c *content) add(m content) {
	c.scalars = min(c.scalars+m.scalars, MaxCount)
	c.parts = min(c.parts+m.parts, MaxCount)
	c.atomic = c.atomic || m.atomic
	c.pointer = c.pointer || m.pointer
	c.union = c.union || m.union
	c.volatile = c.volatile || m.volatile
}

func contentOf(t Type) content {
	switch t := t.(type) {
	case *Scalar:
		return content{scalars: 1, parts: 1}
	case *Pointer:
		return content{scalars: 1, parts: 1, pointer: true}
	case *Atomic:
		return content{scalars: 1, parts: 1, atomic: true}
	case *Vector:
		return content{scalars: t.N, parts: 1}
	case *Array:
		c := contentOf(t.Elem)
		switch {
		case t.Len <= 0:
			c.scalars = 0
		case c.scalars > MaxCount/t.Len:
			c.scalars = MaxCount
		default:
			c.scalars *= t.Len
		}
		return c
	case *Struct:
		return t.sum
	}
	return content{}
}

// Scalars returns the number of scalars of a type, at most MaxCount; a union has the pieces in which it is copied.
func Scalars(t Type) int { return contentOf(t).scalars }

// Parts returns the number of members in objects of a type, those of its members counted too, at most MaxCount. The
// elements of an array count once.
func Parts(t Type) int { return contentOf(t).parts }

// HoldsAtomic reports whether there is an atomic in an object of type t.
func HoldsAtomic(t Type) bool { return contentOf(t).atomic }

// HoldsPointer reports whether there is a pointer in an object of type t.
func HoldsPointer(t Type) bool { return contentOf(t).pointer }

// HoldsUnion reports whether there is a union in an object of type t, or t is one.
func HoldsUnion(t Type) bool { return contentOf(t).union }

// HoldsVolatile reports whether there is a volatile member in an object of type t.
func HoldsVolatile(t Type) bool { return contentOf(t).volatile }

func (t *Atomic) String() string { return "atomic_" + t.Elem.Name }
func (t *Atomic) Size() int      { return t.Elem.Size() }
func (t *Atomic) Align() int     { return t.Elem.Align() }

func (*VoidType) String() string { return "void" }
func (*VoidType) Size() int      { return 0 }
func (*VoidType) Align() int     { return 1 }
