package rlwe

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// sampleUniform fills dst with residues modulo q, all equally likely: it draws words of as many bits as q has until one is
// below q.
func sampleUniform(source io.Reader, dst []uint64, q uint64) error {
	shift := bits.LeadingZeros64(q)
	for at := 0; at < len(dst); {
		b := make([]byte, 8*(len(dst)-at))
		if _, err := io.ReadFull(source, b); err != nil {
			return fmt.Errorf("rlwe: the random source: %w", err)
		}
		for ; len(b) > 0; b = b[8:] {
			if v := binary.LittleEndian.Uint64(b) >> shift; v < q {
				dst[at] = v
				at++
			}
		}
	}
	return nil
}

// sampleTernary fills dst with -1, 0 and 1, all equally likely: the five base-3 digits of a byte below 3^5.
func sampleTernary(source io.Reader, dst []int64) error {
	const digits, below = 5, 243
	for at := 0; at < len(dst); {
		b := make([]byte, (len(dst)-at+digits-1)/digits)
		if _, err := io.ReadFull(source, b); err != nil {
			return fmt.Errorf("rlwe: the random source: %w", err)
		}
		for _, v := range b {
			for i := 0; v < below && i < digits && at < len(dst); i++ {
				dst[at] = int64(v/[...]byte{1, 3, 9, 27, 81}[i]%3) - 1
				at++
			}
		}
	}
	return nil
}
