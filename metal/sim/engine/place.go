package engine

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// Place names byte off of an object, or the texel there if the object, which holds memory, is a texture t.
func Place(t ir.Texture, object string, off int64, memory []byte) string {
	if t.Dimensions == 0 {
		return fmt.Sprintf("byte %d of %s", off, object)
	}
	texel, _ := t.Place(off, memory)
	return texel + " of " + object
}

// Nowhere says what a pointer is whose object is not there.
func Nowhere(k *ir.Kernel, object int) string {
	if object >= 0 && object < len(k.Buffers) && k.Buffers[object].Resource {
		return "the address of a buffer that is not resident, see UseResource"
	}
	return "a null pointer"
}

// Extent says how much there is of an object, which is a texture t, or has no texels.
func Extent(t ir.Texture, memory []byte, size int64) string {
	if t.Dimensions == 0 {
		return fmt.Sprintf("which has %d", size)
	}
	_, texels := t.Place(0, memory)
	return "which has " + texels
}

// Part names byte off of what an access to an object reads.
func Part(t ir.Texture, off int64) string {
	if t.Dimensions == 0 {
		return fmt.Sprintf("byte %d", off)
	}
	return "channel " + "rgba"[off/4%4:][:1]
}

// Element is the index of the element of size bytes at byte off, or of the texel there, as the texels lie in memory; -1 if that has no meaning.
func Element(t ir.Texture, off int64, size int, memory []byte) int64 {
	if t.Dimensions > 0 {
		if n := (off - ir.TextureHeader) / ir.TexelSize; off >= ir.TextureHeader && off < int64(len(memory)) {
			return n
		}
		return -1
	}
	if size <= 0 {
		return -1
	}
	n := off / int64(size)
	if off < 0 && off%int64(size) != 0 {
		n--
	}
	return n
}
