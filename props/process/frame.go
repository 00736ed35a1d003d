package process

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Version is the version of the protocol.
const Version = 1

const (
	magic    = "GMMA"
	headSize = 16
	mostBody = 1 << 30
)

// kind is the kind of a frame.
type kind uint16

const (
	hello kind = iota
	call
	results
	// Failed: the function returned an error.
	Failed
	// Refused: it cannot be called so.
	Refused
	// Spoilt: it wrote where it must not.
	Spoilt
	// Changed: it left the thread's rounding or flushing changed.
	Changed
)

// Array is an array of a call or of its results, in row-major order, or a number if it has no dimensions: then Data has one element.
type Array struct {
	Name string
	Dims []int
	// Data is a slice of float32, float64, complex64, complex128, bool, or of integers of a width.
	Data any
}

// Vector returns an array of one dimension, and Number one of none.
func Vector[T Element](name string, v []T) Array { return Array{name, []int{len(v)}, v} }

// Number returns an array without dimensions.
func Number[T Element](name string, v T) Array { return Array{name, nil, []T{v}} }

// Element is what arrays are made of.
type Element interface {
	float32 | float64 | complex64 | complex128 | bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// code returns how a frame writes the type of an array's elements, with their bytes and the size of each part that has an order of bytes.
func code(data any) (name string, all []byte, part int) {
	switch v := data.(type) {
	case []float32:
		return "f4", raw(v), 4
	case []float64:
		return "f8", raw(v), 8
	case []complex64:
		return "c8", raw(v), 4
	case []complex128:
		return "c16", raw(v), 8
	case []bool:
		return "b1", raw(v), 1
	case []int8:
		return "i1", raw(v), 1
	case []int16:
		return "i2", raw(v), 2
	case []int32:
		return "i4", raw(v), 4
	case []int64:
		return "i8", raw(v), 8
	case []uint8:
		return "u1", raw(v), 1
	case []uint16:
		return "u2", raw(v), 2
	case []uint32:
		return "u4", raw(v), 4
	case []uint64:
		return "u8", raw(v), 8
	}
	panic(fmt.Sprintf("process: an array of a call is a %T; it has to be a slice of numbers or truth values", data))
}

// raw returns the memory of a slice.
func raw[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// little says that this machine's numbers are little-endian.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// swap turns the bytes of each part of an array around where this machine needs that.
func swap(b []byte, part int) {
	if little {
		return
	}
	for ; len(b) >= part; b = b[part:] {
		slices.Reverse(b[:part])
	}
}

// pad appends zeros up to a multiple of 8 bytes.
func pad(b []byte) []byte {
	for len(b)&7 != 0 {
		b = append(b, 0)
	}
	return b
}

// head appends the head of a frame, whose body's length is not known yet.
func head(b []byte, k kind, id uint32) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint16(b, uint16(k))
	b = binary.LittleEndian.AppendUint32(b, id)
	return append(b, 0, 0, 0, 0)
}

// finish writes the length of the body into the head of the frame b.
func finish(b []byte) ([]byte, error) {
	if len(b)-headSize > mostBody {
		return nil, fmt.Errorf("a frame of %d bytes is longer than the protocol's %d", len(b)-headSize, mostBody)
	}
	binary.LittleEndian.PutUint32(b[12:], uint32(len(b)-headSize))
	return b, nil
}

// appendFrame appends a call of a function, or results if it has no name, to b, which is empty.
func appendFrame(b []byte, k kind, id uint32, function string, arrays []Array) ([]byte, error) {
	if len(function) > math.MaxUint16 || len(arrays) > math.MaxUint16 {
		return nil, fmt.Errorf("a name of %d bytes, or %d arrays, do not fit a frame", len(function), len(arrays))
	}
	b = head(b, k, id)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(function)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(arrays)))
	b = pad(append(append(b, 0, 0, 0, 0), function...))
	for i := range arrays {
		a := &arrays[i]
		if len(a.Dims) > math.MaxUint8 || len(a.Name) > math.MaxUint8 {
			return nil, fmt.Errorf("array %q has %d dimensions; the name and they are 255 at most", a.Name, len(a.Dims))
		}
		name, all, part := code(a.Data)
		b = append(append(b, name...), "\x00\x00\x00"[len(name)-1:]...)
		b = append(b, uint8(len(a.Dims)), uint8(len(a.Name)), 0, 0)
		for _, n := range a.Dims {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		b = pad(append(b, a.Name...))
		from := len(b)
		b = append(b, all...)
		swap(b[from:], part)
		b = pad(b)
	}
	return finish(b)
}

// frame is a frame that was read, whose arrays lie in its memory.
type frame struct {
	kind     kind
	id       uint32
	function string
	arrays   []Array
	text     string
}

// parseHead reads the head of a frame, and returns the length of its body.
func parseHead(b []byte) (k kind, id uint32, n int, err error) {
	if string(b[:4]) != magic {
		return 0, 0, 0, errNoFrame
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v != Version {
		return 0, 0, 0, fmt.Errorf("it speaks version %d of the protocol, and not %d", v, Version)
	}
	if n = int(binary.LittleEndian.Uint32(b[12:])); n > mostBody {
		return 0, 0, 0, fmt.Errorf("it sent a frame of %d bytes; the most is %d", n, mostBody)
	}
	return kind(binary.LittleEndian.Uint16(b[6:])), binary.LittleEndian.Uint32(b[8:]), n, nil
}

// parse reads a body into f. Its arrays lie in b, which begins at a multiple of 8 bytes.
func (f *frame) parse(b []byte) error {
	if f.kind == hello || f.kind > results {
		f.text = string(b)
		return nil
	}
	whole := b
	take := func(n int) []byte { // n bytes, and what fills up 8
		padded := (n + 7) &^ 7
		if n < 0 || padded > len(b) {
			return nil
		}
		v := b[:n:n]
		b = b[padded:]
		return v
	}
	cut := func(what string) error {
		return fmt.Errorf("its frame of %d bytes ends within %s", len(whole), what)
	}
	h := take(8)
	if h == nil {
		return cut("the head of its body")
	}
	name := take(int(binary.LittleEndian.Uint16(h)))
	if name == nil {
		return cut("the name of the function")
	}
	if f.arrays = f.arrays[:0]; f.function != string(name) {
		f.function = string(name)
	}
	for i := range int(binary.LittleEndian.Uint16(h[2:])) {
		h := take(8)
		if h == nil {
			return cut(fmt.Sprintf("the head of array %d", i))
		}
		dims := take(8 * int(h[4]))
		name := take(int(h[5]))
		if dims == nil || name == nil {
			return cut(fmt.Sprintf("the lengths of array %d", i))
		}
		a, size := Array{Name: string(name)}, 1
		for d := 0; d < len(dims); d += 8 {
			n := binary.LittleEndian.Uint64(dims[d:])
			if n > mostBody || size > 0 && n > uint64(mostBody/size) {
				return fmt.Errorf("array %d of its frame has a dimension of %d", i, n)
			}
			a.Dims, size = append(a.Dims, int(n)), size*int(n)
		}
		data, err := elements(h[:4], size, take)
		if err != nil {
			return fmt.Errorf("array %d of its frame of %d bytes: %w", i, len(whole), err)
		}
		a.Data = data
		f.arrays = append(f.arrays, a)
	}
	if len(b) != 0 {
		return fmt.Errorf("its frame has %d bytes after its arrays", len(b))
	}
	return nil
}

// elements takes n elements of a type.
func elements(code []byte, n int, take func(int) []byte) (any, error) {
	switch string(code) {
	case "f4\x00\x00":
		return cast[float32](n, 4, take)
	case "f8\x00\x00":
		return cast[float64](n, 8, take)
	case "c8\x00\x00":
		return cast[complex64](n, 4, take)
	case "c16\x00":
		return cast[complex128](n, 8, take)
	case "b1\x00\x00":
		return truths(n, take)
	case "i1\x00\x00":
		return cast[int8](n, 1, take)
	case "i2\x00\x00":
		return cast[int16](n, 2, take)
	case "i4\x00\x00":
		return cast[int32](n, 4, take)
	case "i8\x00\x00":
		return cast[int64](n, 8, take)
	case "u1\x00\x00":
		return cast[uint8](n, 1, take)
	case "u2\x00\x00":
		return cast[uint16](n, 2, take)
	case "u4\x00\x00":
		return cast[uint32](n, 4, take)
	case "u8\x00\x00":
		return cast[uint64](n, 8, take)
	}
	return nil, fmt.Errorf("the type %q is not one of the protocol's", code)
}

// cast takes n elements where they lie.
func cast[T any](n, part int, take func(int) []byte) (any, error) {
	var zero T
	b := take(n * int(unsafe.Sizeof(zero)))
	if b == nil {
		return nil, fmt.Errorf("it ends within %d elements", n)
	}
	swap(b, part)
	if n == 0 {
		return []T{}, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
}

// truths takes n truth values, for a bool that is neither 0 nor 1 is no bool of Go's.
func truths(n int, take func(int) []byte) (any, error) {
	b := take(n)
	if b == nil {
		return nil, fmt.Errorf("it ends within %d elements", n)
	}
	v := make([]bool, n)
	for i, x := range b {
		if x > 1 {
			return nil, fmt.Errorf("element %d is %d, and a truth value is 0 or 1", i, x)
		}
		v[i] = x == 1
	}
	return v, nil
}
