package corpus

import (
	"math"

	"gamma/model"
)

// Values is a vector in one format. It keeps the numbers in the shape that kernels take, so that a
// case runs without conversion: F32 for binary32, F64 for binary64, and Bits, one encoding an
// element, for every narrower format.
type Values struct {
	Format model.Format
	F32    []float32
	F64    []float64
	Bits   []uint16
}

// Float32s returns x as a vector; it shares x's memory.
func Float32s(x []float32) Values { return Values{Format: model.Binary32, F32: x} }

// Float64s returns x as a vector; it shares x's memory.
func Float64s(x []float64) Values { return Values{Format: model.Binary64, F64: x} }

// Encodings returns x, encodings of format f, as a vector; it shares x's memory.
func Encodings(f model.Format, x []uint16) Values { return Values{Format: f, Bits: x} }

// NewValues returns a vector of n zeros in format f.
func NewValues(f model.Format, n int) Values {
	v := Values{Format: f}
	switch f.Name {
	case model.Binary32.Name:
		v.F32 = make([]float32, n)
	case model.Binary64.Name:
		v.F64 = make([]float64, n)
	default:
		v.Bits = make([]uint16, n)
	}
	return v
}

// Len returns the number of elements.
func (v Values) Len() int { return len(v.F32) + len(v.F64) + len(v.Bits) }

// At returns the encoding of element i.
func (v Values) At(i int) uint64 {
	switch {
	case v.F32 != nil:
		return uint64(math.Float32bits(v.F32[i]))
	case v.F64 != nil:
		return math.Float64bits(v.F64[i])
	}
	return uint64(v.Bits[i])
}

// Set stores an encoding as element i.
func (v Values) Set(i int, b uint64) {
	switch {
	case v.F32 != nil:
		v.F32[i] = math.Float32frombits(uint32(b))
	case v.F64 != nil:
		v.F64[i] = math.Float64frombits(b)
	default:
		v.Bits[i] = uint16(b)
	}
}

// Slice returns elements i to j-1; it shares v's memory.
func (v Values) Slice(i, j int) Values {
	switch {
	case v.F32 != nil:
		v.F32 = v.F32[i:j]
	case v.F64 != nil:
		v.F64 = v.F64[i:j]
	default:
		v.Bits = v.Bits[i:j]
	}
	return v
}

// Clone returns a copy of v with memory of its own.
func (v Values) Clone() Values {
	c := NewValues(v.Format, v.Len())
	copy(c.F32, v.F32)
	copy(c.F64, v.F64)
	copy(c.Bits, v.Bits)
	return c
}

// Equal reports whether v and w have the same format and the same encodings, NaN payloads and
// signs of zeros included.
func (v Values) Equal(w Values) bool {
	if v.Format != w.Format || v.Len() != w.Len() {
		return false
	}
	for i := range v.Len() {
		if v.At(i) != w.At(i) {
			return false
		}
	}
	return true
}
