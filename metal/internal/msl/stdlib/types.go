package stdlib

import (
	"fmt"
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Void is void.
var Void = &typed.VoidType{}

// kinds are the scalar kinds, in the order of their conversion rank.
var kinds = []ir.Type{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.F16, ir.BF16, ir.F32}

var scalars = [...]*typed.Scalar{
	ir.Bool: {Kind: ir.Bool, Name: "bool"},
	ir.I8:   {Kind: ir.I8, Name: "char"},
	ir.U8:   {Kind: ir.U8, Name: "uchar"},
	ir.I16:  {Kind: ir.I16, Name: "short"},
	ir.U16:  {Kind: ir.U16, Name: "ushort"},
	ir.I32:  {Kind: ir.I32, Name: "int"},
	ir.U32:  {Kind: ir.U32, Name: "uint"},
	ir.I64:  {Kind: ir.I64, Name: "long"},
	ir.U64:  {Kind: ir.U64, Name: "ulong"},
	ir.F16:  {Kind: ir.F16, Name: "half"},
	ir.BF16: {Kind: ir.BF16, Name: "bfloat"},
	ir.F32:  {Kind: ir.F32, Name: "float"},
}

// The library's own enumerations and structs.
var (
	memoryOrder = &typed.Scalar{Kind: ir.I32, Name: "memory_order", Enum: true}
	memFlags    = &typed.Scalar{Kind: ir.U32, Name: "mem_flags", Enum: true}
	threadScope = &typed.Scalar{Kind: ir.I32, Name: "thread_scope", Enum: true}

	simdVote = voteType("simd_vote")
	quadVote = voteType("quad_vote")
)

// voteType makes the type of the result of a ballot: one field, the bits of the lanes.
func voteType(name string) *typed.Struct {
	s := &typed.Struct{Name: name, Fields: []typed.Field{{Name: "bits", Type: scalars[ir.U64]}}}
	s.Layout(1)
	return s
}

var (
	vectors [len(scalars)][2][5]*typed.Vector // by kind, packed, width
	atomics = map[ir.Type]*typed.Atomic{}
	named   = map[string]typed.Type{"void": Void}
)

func init() {
	for _, k := range kinds {
		s := scalars[k]
		named[s.Name] = s
		for n := 1; n <= 4; n++ {
			for p := range 2 {
				v := &typed.Vector{Elem: s, N: n, Packed: p == 1}
				vectors[k][p][n] = v
				if n > 1 {
					named[v.String()] = v
				}
			}
		}
	}
	for _, k := range []ir.Type{ir.I32, ir.U32, ir.Bool, ir.F32, ir.U64} {
		atomics[k] = &typed.Atomic{Elem: scalars[k]}
		named[atomics[k].String()] = atomics[k]
	}
	for alias, k := range map[string]ir.Type{
		"int8_t": ir.I8, "uint8_t": ir.U8, "int16_t": ir.I16, "uint16_t": ir.U16, "int32_t": ir.I32, "uint32_t": ir.U32,
		"int64_t": ir.I64, "uint64_t": ir.U64, "size_t": ir.U64, "ptrdiff_t": ir.I64, "intptr_t": ir.I64, "uintptr_t": ir.U64,
		"simd_vote::vote_t": ir.U64, "quad_vote::vote_t": ir.U64,
	} {
		named[alias] = scalars[k]
	}
	named["memory_order"], named["mem_flags"], named["thread_scope"] = memoryOrder, memFlags, threadScope
	named["simd_vote"], named["quad_vote"] = simdVote, quadVote
}

// NamedType returns the library's type of that name, written without "metal::", or nil. There is one object a type.
func NamedType(name string) typed.Type { return named[name] }

// ScalarOf returns the scalar type of a kind, which is neither Void nor Ptr.
func ScalarOf(kind ir.Type) *typed.Scalar {
	if int(kind) >= len(scalars) || scalars[kind] == nil {
		panic(fmt.Sprintf(panicScalar, kind.String()))
	}
	return scalars[kind]
}

// VectorOf returns the vector of n elements, 1 to 4. Of an enumeration it is a vector of its kind.
func VectorOf(elem *typed.Scalar, n int) *typed.Vector {
	if n < 1 || n > 4 {
		panic(fmt.Sprintf(panicVector, n))
	}
	return vectors[elem.Kind][0][n]
}

// PackedOf returns the packed vector of n elements, 1 to 4.
func PackedOf(elem *typed.Scalar, n int) *typed.Vector {
	if n < 1 || n > 4 {
		panic(fmt.Sprintf(panicVector, n))
	}
	return vectors[elem.Kind][1][n]
}

// wide returns the scalar (n = 1) or vector of a kind.
func wide(k ir.Type, n int) typed.Type {
	if n == 1 {
		return scalars[k]
	}
	return vectors[k][0][n]
}

// single reports whether t is a vector of one element.
func single(t typed.Type) bool {
	v, ok := t.(*typed.Vector)
	return ok && v.N == 1
}

// One returns the element of a vector of one element, and all else as it is.
func One(x typed.Expr) typed.Expr {
	if t := x.ExprType(); single(t) {
		return &typed.SwizzleExpr{Node: typed.Node{Type: scalars[kindOf(t)], Pos: x.At()}, X: x, Comps: []int{0}}
	}
	return x
}

// shape takes a scalar or vector apart; n is 1 for scalars and 0 for other types.
func shape(t typed.Type) (k ir.Type, n int) {
	switch t := t.(type) {
	case *typed.Scalar:
		return t.Kind, 1
	case *typed.Vector:
		return t.Elem.Kind, t.N
	}
	return ir.Void, 0
}

// same reports whether two types are equal.
func same(a, b typed.Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *typed.Scalar:
		b, ok := b.(*typed.Scalar)
		return ok && a.Kind == b.Kind && a.Enum == b.Enum && a.Name == b.Name
	case *typed.Vector:
		b, ok := b.(*typed.Vector)
		return ok && a.Elem.Kind == b.Elem.Kind && a.N == b.N && a.Packed == b.Packed
	case nil:
		return false
	}
	return b != nil && a.String() == b.String()
}

func isFloat(k ir.Type) bool  { return k == ir.F16 || k == ir.BF16 || k == ir.F32 }
func isInt(k ir.Type) bool    { return k >= ir.I8 && k <= ir.U64 }
func isSigned(k ir.Type) bool { return k == ir.I8 || k == ir.I16 || k == ir.I32 || k == ir.I64 }
func bitsOf(k ir.Type) int    { return 8 * typed.SizeOf(k) }

// signedOf and unsignedOf return the integer kind of the same width.
func signedOf(k ir.Type) ir.Type {
	if isInt(k) && !isSigned(k) {
		return k - 1
	}
	return k
}

func unsignedOf(k ir.Type) ir.Type {
	if isSigned(k) {
		return k + 1
	}
	return k
}

// listTypes writes types as the arguments of a call.
func listTypes(ts []typed.Type) string {
	var s strings.Builder
	for i, t := range ts {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(typeName(t))
	}
	return s.String()
}

func typeName(t typed.Type) string {
	if t == nil {
		return "nothing"
	}
	return t.String()
}
