package fast

import (
	"unsafe"

	"gamma/metal/msl/ir"
)

// object is what a pointer's number names while a threadgroup runs.
type object struct {
	bytes []byte // of thread memory, those of all lanes
	init  []byte // 1 where a byte was written; nil: everywhere
	want  []byte // init, if loads are to look at it
	words words
	known words // of init
	// size is the number of bytes that a thread sees, stride the bytes between the copies of two lanes in thread memory.
	size, stride int64
	base         int64  // offset of the first byte in its Memory, for alignment and shadows
	whole        *words // of the Memory
	space        ir.Space
	held         bool // bound, or a variable
	fixed        bool // never to be written
	number       int
	shadow       *shadow // nil: races are impossible or not looked for
	cell         int64   // of the first byte, in cells
}

// words are views of bytes as numbers, on machines where these have the order of bytes that memory has. A view is empty where the
// bytes are not aligned for it.
type words struct {
	u8  []uint8
	u16 []uint16
	u32 []uint32
	u64 []uint64
}

// little reports whether numbers have their lowest byte first here.
var little = func() bool {
	x := [2]byte{1, 0}
	return *(*uint16)(unsafe.Pointer(&x)) == 1
}()

func view[T uint16 | uint32 | uint64](b []byte) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	n := len(b) / size
	if n == 0 || !little || uintptr(unsafe.Pointer(&b[0]))%unsafe.Sizeof(t) != 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

func viewsOf(b []byte) words {
	return words{u8: b, u16: view[uint16](b), u32: view[uint32](b), u64: view[uint64](b)}
}

// floatsOf returns words as numbers of binary32.
func floatsOf(words []uint32) []float32 {
	return *(*[]float32)(unsafe.Pointer(&words))
}

// length returns the number of whole words of size bytes in the view, 0 if there is none.
func (w *words) length(size uint8) uint64 {
	switch size {
	case 1:
		return uint64(len(w.u8))
	case 2:
		return uint64(len(w.u16))
	case 4:
		return uint64(len(w.u32))
	}
	return uint64(len(w.u64))
}

func (o *object) set(bytes, init []byte) {
	o.bytes, o.init = bytes, init
	o.words = viewsOf(bytes)
	o.known = words{}
	if init != nil {
		o.known = viewsOf(init)
	}
}

// aligned makes a slice of n bytes that is aligned for every view.
func aligned(n int64) []byte {
	if n == 0 {
		return nil
	}
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n)
}
