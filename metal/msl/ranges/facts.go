package ranges

import (
	"fmt"
	"math/big"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Facts is what is known of a launch.
type Facts struct {
	// Modulus is q.
	Modulus uint64
	// Constants are the bytes of constant buffers, by buffer index: the modulus, its inverses and so on, little endian.
	Constants map[int][]byte
	// Arrays say what elements hold when the kernel starts, by buffer index. Of other buffers nothing is known.
	Arrays map[int]Array
}

// Array describes the elements of a buffer, which are alike.
type Array struct {
	// Stride is the size of an element in bytes. 0: that of what the argument points to.
	Stride int
	Fields []Field
}

// Field is a word of an element.
type Field struct {
	// Offset is where it stands in its element, in bytes.
	Offset int
	// Type is the word's. The zero value stands for ir.U64.
	Type ir.Type
	// Max is the greatest value that it may have.
	Max *big.Int
	// Shoup: the word is ⌊w·R/q⌋ of another word w that is below q: the field at Of.Offset of the element with the same number
	// in the buffer Of.Buffer. Max is needed all the same: the greatest word there is will do. Both buffers have to be const.
	Shoup bool
	Of    Place
}

func (f *Field) word() ir.Type {
	if f.Type == ir.Void {
		return ir.U64
	}
	return f.Type
}

// array returns what is known of the elements of an argument. Threadgroup memory, whose arguments have indices of their own, holds nothing.
func (f *Facts) array(b *ir.Buffer) (a Array, ok bool) {
	if b.Space == ir.Threadgroup {
		return a, false
	}
	a, ok = f.Arrays[b.Index]
	return a, ok
}

// Place names a field of a buffer.
type Place struct{ Buffer, Offset int }

// GreatestBelow returns the greatest value of a word in [0, f·q).
func GreatestBelow(f, q uint64) *big.Int {
	m := new(big.Int).Mul(new(big.Int).SetUint64(f), new(big.Int).SetUint64(q))
	return m.Sub(m, big.NewInt(1))
}

// Report is what is proved of a kernel.
type Report struct {
	// Stores are the stores of integers to device and threadgroup memory, in the order of the text.
	Stores []Store
	// Final is the greatest value that an element of a buffer may hold when the kernel ends, by buffer index: of all fields.
	Final map[int]*big.Int
}

// Tile stands for the index of a buffer where threadgroup memory is meant.
const Tile = -1

// Anywhere stands for the index of a buffer where a store's address is not known.
const Anywhere = -2

// Store is a store of a word.
type Store struct {
	Pos    model.Position
	Buffer int    // its index, Tile or Anywhere
	Name   string // of the argument or variable
	Type   ir.Type
	// Max is the greatest value that may be stored; of a word of which nothing is proved, the greatest of its type.
	Max *big.Int
	// Proved: the word leaves its type on no way that counts. Otherwise Wrap is where it may, and Why says what.
	Proved bool
	Wrap   model.Position
	Why    string
}

// Multiple returns (Max+1)/q: the word is below so many times q.
func (s *Store) Multiple(q uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).Add(s.Max, big.NewInt(1)), new(big.Int).SetUint64(q))
}

// String returns "ntt.metal:40:9: x[] below 2.000 q", or where the word may wrap.
func (s *Store) text(q uint64) string {
	if !s.Proved {
		return fmt.Sprintf("%v: %s[] is not bounded: at %v %s", s.Pos, s.Name, s.Wrap, s.Why)
	}
	f, _ := s.Multiple(q).Float64()
	return fmt.Sprintf("%v: %s[] below %.4g q", s.Pos, s.Name, f)
}

// Text returns a line for each store.
func (r *Report) Text(q uint64) string {
	text := ""
	for i := range r.Stores {
		text += r.Stores[i].text(q) + "\n"
	}
	return text
}
