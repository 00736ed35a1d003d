package stdlib

import (
	"math"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// constant returns v in a scalar type, or in every element of a vector type. Of a float type, v is small and exact.
func constant(t typed.Type, v int64, pos typed.Pos) typed.Expr {
	k, n := shape(t)
	var x typed.Expr = &typed.Const{Node: typed.Node{Type: wide(k, 1), Pos: pos}, Bits: scalarBits(k, v)}
	if n > 1 {
		x = &typed.Splat{Node: typed.Node{Type: t, Pos: pos}, X: x}
	}
	return x
}

// bitsConstant returns the scalar whose register holds bits.
func bitsConstant(k ir.Type, bits uint64, pos typed.Pos) typed.Expr {
	return &typed.Const{Node: typed.Node{Type: scalars[k], Pos: pos}, Bits: bits}
}

// boolConstant returns true or false.
func boolConstant(b bool, pos typed.Pos) typed.Expr {
	if b {
		return bitsConstant(ir.Bool, 1, pos)
	}
	return bitsConstant(ir.Bool, 0, pos)
}

// scalarBits returns the bits of v, as a register holds them. Of a float kind |v| is at most 2^8, so that v is exact.
func scalarBits(k ir.Type, v int64) uint64 {
	switch {
	case k == ir.F32:
		return uint64(math.Float32bits(float32(v)))
	case k == ir.BF16:
		return uint64(math.Float32bits(float32(v)) >> 16)
	case k == ir.F16:
		if v == 0 {
			return 0
		}
		b := math.Float32bits(float32(v))
		return uint64(b>>16&0x8000 | (b>>13-(127-15)<<10)&0x7fff)
	case k == ir.Bool:
		return uint64(v) & 1
	case bitsOf(k) == 64:
		return uint64(v)
	}
	return uint64(v) & (1<<bitsOf(k) - 1)
}
