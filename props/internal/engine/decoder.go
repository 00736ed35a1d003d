package engine

import (
	"encoding/binary"
)

// Decoder reads a case from bytes; past the end it reads zeros, so that every string is a case.
type Decoder []byte

func (d *Decoder) Byte() byte {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return b
}

func (d *Decoder) Word(bytes int) uint64 {
	var b [8]byte
	for i := range bytes {
		b[i] = d.Byte()
	}
	return binary.LittleEndian.Uint64(b[:])
}

// MaxFuzzRows is the largest batch that the decoder makes.
const MaxFuzzRows = 64
