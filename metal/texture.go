package metal

import "fmt"

// TextureType is MTLTextureType.
type TextureType uint8

const (
	NoTexture TextureType = iota
	Texture1D
	Texture1DArray
	Texture2D
	Texture2DArray
	Texture3D
	TextureBuffer
)

var textureTypes = [...]string{"", "texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture3d", "texture_buffer"}

// String returns the type's name in shaders, such as texture2d_array.
func (t TextureType) String() string {
	if int(t) < len(textureTypes) {
		return textureTypes[t]
	}
	return fmt.Sprintf("TextureType(%d)", uint8(t))
}

// PixelFormat is MTLPixelFormat. A channel that a format does not have reads as 0, alpha as 1.
//
// Unorm: a byte b is b/255, rounded to binary32, and x is written as 255·x, rounded to the nearest integer, ties to even, of what is clamped to 0 and 1; a NaN
// is 0. Source: [MSL 4.0] §6.12 and §8.7.1.
type PixelFormat uint8

const (
	R8Unorm PixelFormat = iota + 1
	RG8Unorm
	RGBA8Unorm
	R16Float
	RG16Float
	RGBA16Float
	R32Float
	RG32Float
	RGBA32Float
	R8Uint
	RGBA8Uint
	R16Uint
	RGBA16Uint
	R32Uint
	RG32Uint
	RGBA32Uint
	R8Sint
	RGBA8Sint
	R16Sint
	RGBA16Sint
	R32Sint
	RG32Sint
	RGBA32Sint
)

var pixelFormats = [...]struct {
	name            string
	channels, bytes int // bytes of a channel
}{
	R8Unorm: {"R8Unorm", 1, 1}, RG8Unorm: {"RG8Unorm", 2, 1}, RGBA8Unorm: {"RGBA8Unorm", 4, 1},
	R16Float: {"R16Float", 1, 2}, RG16Float: {"RG16Float", 2, 2}, RGBA16Float: {"RGBA16Float", 4, 2},
	R32Float: {"R32Float", 1, 4}, RG32Float: {"RG32Float", 2, 4}, RGBA32Float: {"RGBA32Float", 4, 4},
	R8Uint: {"R8Uint", 1, 1}, RGBA8Uint: {"RGBA8Uint", 4, 1}, R16Uint: {"R16Uint", 1, 2}, RGBA16Uint: {"RGBA16Uint", 4, 2},
	R32Uint: {"R32Uint", 1, 4}, RG32Uint: {"RG32Uint", 2, 4}, RGBA32Uint: {"RGBA32Uint", 4, 4},
	R8Sint: {"R8Sint", 1, 1}, RGBA8Sint: {"RGBA8Sint", 4, 1}, R16Sint: {"R16Sint", 1, 2}, RGBA16Sint: {"RGBA16Sint", 4, 2},
	R32Sint: {"R32Sint", 1, 4}, RG32Sint: {"RG32Sint", 2, 4}, RGBA32Sint: {"RGBA32Sint", 4, 4},
}

// Valid reports whether f is one of the formats above.
func (f PixelFormat) Valid() bool { return f > 0 && int(f) < len(pixelFormats) }

// String returns the format's name.
func (f PixelFormat) String() string {
	if f.Valid() {
		return pixelFormats[f].name
	}
	return fmt.Sprintf("PixelFormat(%d)", uint8(f))
}

// Channels returns the number of channels, 1, 2 or 4, and Size the bytes of a texel; both are 0 for what is no format.
func (f PixelFormat) Channels() int {
	if f.Valid() {
		return pixelFormats[f].channels
	}
	return 0
}

// Size returns the bytes of a texel as the host has them.
func (f PixelFormat) Size() int {
	if f.Valid() {
		return pixelFormats[f].channels * pixelFormats[f].bytes
	}
	return 0
}

// TextureDescriptor is MTLTextureDescriptor. Sizes that the type does not have are 0 or 1.
type TextureDescriptor struct {
	Type                 TextureType
	Format               PixelFormat
	Width, Height, Depth int
	ArrayLength          int
}

// Texels returns the number of texels, of all layers.
func (d TextureDescriptor) Texels() int {
	return max(d.Width, 1) * max(d.Height, 1) * max(d.Depth, 1) * max(d.ArrayLength, 1)
}

// Texture is a texture of one level of detail.
type Texture interface {
	Descriptor() TextureDescriptor
	// Write sets all texels, and Read gets them: Format.Size() bytes each, little-endian, x first, then y, then the depth or the layer. What Buffer
	// says of waiting, and of what nobody wrote, is true of them too.
	Write(data []byte) error
	Read(dst []byte) error
	SetLabel(label string)
	Label() string
	Release()
}

// Coordinates, AddressMode and Filter say how a kernel samples a texture. The zero values are Metal's defaults.
type (
	Coordinates uint8
	AddressMode uint8
	Filter      uint8
)

const (
	Normalized Coordinates = iota // 0 to 1 over the texture
	Pixel                         // in texels; address modes are ClampToEdge and ClampToZero
)

const (
	ClampToEdge AddressMode = iota
	ClampToZero             // zero outside, but for alpha, which is 1 if the format has none
	MirroredRepeat
	Repeat
)

const (
	Nearest Filter = iota
	Linear         // of textures of float and half
)

// SamplerDescriptor is MTLSamplerDescriptor. Address has the mode along x, y and z.
type SamplerDescriptor struct {
	Coordinates Coordinates
	Filter      Filter
	Address     [3]AddressMode
}

// MaxTextureIndex and MaxSamplerIndex are the largest indices of textures and samplers.
const (
	MaxTextureIndex = 127
	MaxSamplerIndex = 15
)
