package shaders

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// modulus is an odd number with what Montgomery's product by it needs, for words of 32 or 64 bits. Its own products use division.
type modulus struct {
	q       uint64
	bits    int
	inverse uint64 // -1/q modulo R
	one, r2 uint64 // R mod q, R² mod q
}

// newModulus returns the modulus q, odd and from 3 to R-1.
func newModulus(q uint64, width int) modulus {
	m := modulus{q: q, bits: width}
	// Newton's iteration doubles the number of correct bits; an odd q as its own inverse has three.
	x := q
	for range 5 {
		x *= 2 - q*x
	}
	m.inverse = -x & m.greatest()
	if width == 64 {
		_, m.one = bits.Div64(1, 0, q)
	} else {
		m.one = 1 << 32 % q
	}
	m.r2 = m.mul(m.one, m.one)
	return m
}

// greatest returns R-1.
func (m modulus) greatest() uint64 { return ^uint64(0) >> (64 - m.bits) }

// mul returns a·b mod q for reduced a and b.
func (m modulus) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, m.q)
	return r
}

// pow returns a^e mod q for a reduced a.
func (m modulus) pow(a, e uint64) uint64 {
	p := uint64(1)
	for ; e > 0; e /= 2 {
		if e&1 == 1 {
			p = m.mul(p, a)
		}
		a = m.mul(a, a)
	}
	return p
}

// overPower returns 1/2^k mod q.
func (m modulus) overPower(k int) uint64 {
	return m.pow(m.q/2+1, uint64(k))
}

// shoup returns ⌊a·R/q⌋ for a reduced a.
func (m modulus) shoup(a uint64) uint64 { return shoup(a, m.q, m.bits) }

// shoup returns ⌊a·R/q⌋ for an a below q.
func shoup(a, q uint64, width int) uint64 {
	if width == 32 {
		return a << 32 / q
	}
	f, _ := bits.Div64(a, 0, q)
	return f
}

// field returns m as the structs of modular.h hold it.
func (m modulus) field() []byte { return m.words(m.q, m.inverse, m.r2) }

// words returns words as a device stores them.
func (m modulus) words(x ...uint64) []byte { return wordBytes(x, m.bits) }

// wordBytes returns words of 32 or 64 bits as a device stores them.
func wordBytes(x []uint64, width int) []byte {
	b := make([]byte, width/8*len(x))
	if width == 32 {
		for i, v := range x {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
		}
		return b
	}
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	return b
}

// readWords fills dst from what a device stored.
func readWords(dst []uint64, b []byte, width int) {
	if width == 32 {
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return
	}
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// multiple returns f·q, and whether it limits words: it does not if f is 0 or f·q is above R.
func multiple(f, q uint64, width int) (limit uint64, limits bool) {
	hi, lo := bits.Mul64(f, q)
	return lo, f != 0 && hi == 0 && lo <= ^uint64(0)>>(64-width)
}

// tooLarge returns the error for a word that is out of its range.
func tooLarge(what string, v, f, q uint64) error {
	if f == 1 {
		return fmt.Errorf("%s is %d, not below the modulus %d; reduce it first", what, v, q)
	}
	return fmt.Errorf("%s is %d, not below %d times the modulus %d; reduce it first", what, v, f, q)
}
