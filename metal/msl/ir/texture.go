package ir

import (
	"fmt"
	"strings"
)

// Texture says what texture a buffer stands for; the zero value is none.
//
// The memory of a texture is a header of TextureHeader bytes, and then each texel, x first, then y, then the depth or the layer, as four values of
// 32 bits, TexelSize bytes, whatever the format: floats, or signed or unsigned integers, as Texel says. The words of the header are width, height, depth,
// layers, the channels of the format (1, 2 or 4), and what the format can hold (a TexelFormat).
type Texture struct {
	Dimensions int  // of a texel's coordinate, 1 to 3, without the layer; 0: no texture
	Array      bool // it has layers
	Linear     bool // texture_buffer
	Texel      Type // F32, I32 or U32
}

// Sizes of a texture's memory in bytes.
const (
	TextureHeader = 64
	TexelSize     = 16
)

// TexelFormat is what the channels of a format hold.
type TexelFormat uint32

const (
	Whole32 TexelFormat = iota // all 32 bits
	Float16
	Unorm8
	Uint8
	Uint16
	Sint8
	Sint16
)

// String returns the name of Metal's type, such as texture2d_array; "" for no texture.
func (t Texture) String() string {
	switch {
	case t.Dimensions == 0:
		return ""
	case t.Linear:
		return "texture_buffer"
	case t.Array:
		return fmt.Sprintf("texture%dd_array", t.Dimensions)
	}
	return fmt.Sprintf("texture%dd", t.Dimensions)
}

// ParseTexture returns the texture of Metal's type of that name, whose texels are still to be set.
func ParseTexture(name string) (Texture, bool) {
	switch name {
	case "texture_buffer":
		return Texture{Dimensions: 1, Linear: true}, true
	case "texture1d", "texture2d", "texture3d", "texture1d_array", "texture2d_array":
		return Texture{Dimensions: int(name[len("texture")] - '0'), Array: strings.HasSuffix(name, "_array")}, true
	}
	return Texture{}, false
}

// valid reports whether there is such a texture, in that space.
func (t Texture) valid(s Space) bool {
	u, ok := ParseTexture(t.String())
	u.Texel = t.Texel
	return ok && u == t && s == Device && (t.Texel == F32 || t.Texel == I32 || t.Texel == U32)
}

// Place names the texel at byte off of a texture's memory, and how many there are by its header: "texel (3, 4)" and "8 x 8 texels".
func (t Texture) Place(off int64, header []byte) (texel, texels string) {
	if len(header) < TextureHeader {
		return fmt.Sprintf("byte %d", off), "no texels"
	}
	var size [4]int64
	for i := range size {
		size[i] = int64(headerWord(header[4*i:]))
	}
	n := (off - TextureHeader) / TexelSize
	at := [3]int64{n % max(size[0], 1), n / max(size[0], 1) % max(size[1], 1), n / max(size[0]*size[1], 1)}
	place, sizes := []string{fmt.Sprint(at[0])}, []string{fmt.Sprint(size[0])}
	for i := 1; i < t.Dimensions; i++ {
		place, sizes = append(place, fmt.Sprint(at[i])), append(sizes, fmt.Sprint(size[i]))
	}
	texel, texels = strings.Join(place, ", "), strings.Join(sizes, " x ")+" texels"
	if t.Dimensions > 1 {
		texel = "(" + texel + ")"
	}
	if t.Array {
		texel += fmt.Sprintf(" of layer %d", at[2])
		texels += fmt.Sprintf(" in each of %d layers", size[3])
	}
	return "texel " + texel, texels
}

// headerWord is the first word of b, which is stored as memory is.
func headerWord(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
