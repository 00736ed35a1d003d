package ir

import "fmt"

var typeInfo = [...]struct {
	name string
	size int
}{
	Void: {"void", 0},
	Bool: {"bool", 1},
	I8:   {"i8", 1}, U8: {"u8", 1},
	I16: {"i16", 2}, U16: {"u16", 2},
	I32: {"i32", 4}, U32: {"u32", 4},
	I64: {"i64", 8}, U64: {"u64", 8},
	F16: {"f16", 2}, BF16: {"bf16", 2}, F32: {"f32", 4},
	Ptr: {"ptr", 8},
}

// String returns the type's name in dumps: bool, i8, …, u64, f16, bf16, f32, ptr.
func (t Type) String() string {
	if t.Valid() {
		return typeInfo[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// ParseType is the inverse of Type.String.
func ParseType(s string) (Type, bool) {
	for t, x := range typeInfo {
		if x.name == s {
			return Type(t), true
		}
	}
	return Void, false
}

// Valid reports whether t is one of the types above.
func (t Type) Valid() bool { return int(t) < len(typeInfo) }

// Size returns the bytes of t in memory: 1 for Bool, 8 for Ptr, 0 for Void.
func (t Type) Size() int {
	if !t.Valid() {
		return 0
	}
	return typeInfo[t].size
}

// Bits returns the width of t's values: 8 times the size, and 1 for Bool.
func (t Type) Bits() int {
	if t == Bool {
		return 1
	}
	return 8 * t.Size()
}

// Mask has ones where a register of type t may have them.
func (t Type) Mask() uint64 {
	if n := t.Bits(); n < 64 {
		return 1<<n - 1
	}
	return ^uint64(0)
}

// IsInteger reports whether t is I8 to U64; Bool is none.
func (t Type) IsInteger() bool { return t >= I8 && t <= U64 }

// IsSigned reports whether t is a signed integer.
func (t Type) IsSigned() bool { return t.IsInteger() && (t-I8)%2 == 0 }

// IsFloat reports whether t is F16, BF16 or F32.
func (t Type) IsFloat() bool { return t >= F16 && t <= F32 }

// Signed returns the value of a register of integer type t, sign-extended if t is signed. A U64 keeps its bits.
func (t Type) Signed(v uint64) int64 {
	if t.IsSigned() {
		n := 64 - t.Bits()
		return int64(v<<n) >> n
	}
	return int64(v)
}

// TypeSet is a set of types, bit 1<<t for t.
type TypeSet uint32

// The sets that operations allow.
const (
	SetBool     TypeSet = 1 << Bool
	SetIntegers TypeSet = 1<<I8 | 1<<U8 | 1<<I16 | 1<<U16 | 1<<I32 | 1<<U32 | 1<<I64 | 1<<U64
	SetFloats   TypeSet = 1<<F16 | 1<<BF16 | 1<<F32
	SetPtr      TypeSet = 1 << Ptr
	SetNumbers          = SetIntegers | SetFloats
	SetScalars          = SetBool | SetNumbers // everything a program can hold but pointers
	SetAll              = SetScalars | SetPtr
)

// Has reports whether t is in s.
func (s TypeSet) Has(t Type) bool { return t.Valid() && s>>t&1 == 1 }

// Types returns the members in order.
func (s TypeSet) Types() []Type {
	var list []Type
	for t := range Type(len(typeInfo)) {
		if s.Has(t) {
			list = append(list, t)
		}
	}
	return list
}
