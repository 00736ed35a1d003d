package protocol

import (
	"encoding/binary"
	"fmt"
	"math"

	"gamma/metal"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// texture is a metal.Texture: memory as ir.Texture describes it.
type texture struct {
	*buffer
	desc metal.TextureDescriptor
	kind ir.Texture
}

var _ metal.Texture = (*texture)(nil)

// formats says how texels of a format are kept.
var formats = map[metal.PixelFormat]struct {
	texel ir.Type
	holds ir.TexelFormat
}{
	metal.R8Unorm: {ir.F32, ir.Unorm8}, metal.RG8Unorm: {ir.F32, ir.Unorm8}, metal.RGBA8Unorm: {ir.F32, ir.Unorm8},
	metal.R16Float: {ir.F32, ir.Float16}, metal.RG16Float: {ir.F32, ir.Float16}, metal.RGBA16Float: {ir.F32, ir.Float16},
	metal.R32Float: {ir.F32, ir.Whole32}, metal.RG32Float: {ir.F32, ir.Whole32}, metal.RGBA32Float: {ir.F32, ir.Whole32},
	metal.R8Uint: {ir.U32, ir.Uint8}, metal.RGBA8Uint: {ir.U32, ir.Uint8},
	metal.R16Uint: {ir.U32, ir.Uint16}, metal.RGBA16Uint: {ir.U32, ir.Uint16},
	metal.R32Uint: {ir.U32, ir.Whole32}, metal.RG32Uint: {ir.U32, ir.Whole32}, metal.RGBA32Uint: {ir.U32, ir.Whole32},
	metal.R8Sint: {ir.I32, ir.Sint8}, metal.RGBA8Sint: {ir.I32, ir.Sint8},
	metal.R16Sint: {ir.I32, ir.Sint16}, metal.RGBA16Sint: {ir.I32, ir.Sint16},
	metal.R32Sint: {ir.I32, ir.Whole32}, metal.RG32Sint: {ir.I32, ir.Whole32}, metal.RGBA32Sint: {ir.I32, ir.Whole32},
}

// Most texels along an axis of a texture, of one with three dimensions, and most layers, as Metal's feature set tables have them.
const (
	maxWidth  = 16384
	maxWidth3 = 2048
	maxLayers = 2048
)

// textureSize says what is wrong with the sizes of a texture, and returns them with 1 for those that it does not have.
func textureSize(d metal.TextureDescriptor, kind ir.Texture) (size [4]int, err error) {
	size = [4]int{d.Width, d.Height, d.Depth, d.ArrayLength}
	for i, name := range [...]string{"width", "height", "depth", "array length"} {
		most := maxWidth
		switch {
		case i == 3 && kind.Array:
			most = maxLayers
		case i == 3 || i >= kind.Dimensions:
			most = 1
			size[i] = max(size[i], 1) // 0 is none
		case kind.Dimensions == 3:
			most = maxWidth3
		case kind.Linear:
			most = 1 << 28
		}
		if size[i] < 1 || size[i] > most {
			return size, fmt.Errorf("a %s of %s %d cannot be; 1 to %d are possible", d.Type, name, size[i], most)
		}
	}
	return size, nil
}

// NewTexture returns a texture whose texels hold anything.
func (d *Device) NewTexture(desc metal.TextureDescriptor) (metal.Texture, error) {
	if !d.c.Textures {
		return nil, d.errorf("textures are not supported on this device; the simulator has them")
	}
	kind, ok := ir.ParseTexture(desc.Type.String())
	f, known := formats[desc.Format]
	switch {
	case !ok:
		return nil, d.errorf("there is no %s; use one of metal.Texture1D to metal.TextureBuffer", desc.Type)
	case !known:
		return nil, d.errorf("there is no %s here; use one of metal.R8Unorm to metal.RGBA32Sint", desc.Format)
	}
	size, err := textureSize(desc, kind)
	if err != nil {
		return nil, d.errorf("%w", err)
	}
	desc = metal.TextureDescriptor{Type: desc.Type, Format: desc.Format, Width: size[0], Height: size[1], Depth: size[2], ArrayLength: size[3]}
	kind.Texel = f.texel
	b, err := d.buffer("texture", ir.TextureHeader+ir.TexelSize*desc.Texels(), nil)
	if err != nil {
		return nil, err
	}
	t := &texture{buffer: b, desc: desc, kind: kind}
	if m, ok := b.memory.(interface{ SetTexture(t ir.Texture) }); ok {
		m.SetTexture(kind)
	}
	header := make([]byte, 0, ir.TextureHeader)
	for _, n := range append(size[:], desc.Format.Channels(), int(f.holds)) {
		header = binary.LittleEndian.AppendUint32(header, uint32(n))
	}
	if err := b.Write(0, header[:ir.TextureHeader]); err != nil {
		return nil, err
	}
	return t, nil
}

// Descriptor returns what the texture was made of.
func (t *texture) Descriptor() metal.TextureDescriptor { return t.desc }

// whole says whether data has all texels, for a call.
func (t *texture) whole(call string, data []byte) error {
	if n := t.desc.Texels() * t.desc.Format.Size(); len(data) != n {
		return t.d.errorf("%s of %d bytes: the %s of %d x %d x %d x %d texels of %s has %d", call, len(data), t.title(),
			t.desc.Width, t.desc.Height, t.desc.Depth, t.desc.ArrayLength, t.desc.Format, n)
	}
	return nil
}

// Write sets all texels.
func (t *texture) Write(data []byte) error {
	if err := t.whole("write", data); err != nil {
		return err
	}
	f, size := t.desc.Format, t.desc.Format.Size()/t.desc.Format.Channels()
	kept := make([]byte, 0, ir.TexelSize*t.desc.Texels())
	for i := 0; i < len(data); {
		for c := range 4 {
			var x uint32
			switch {
			case c < f.Channels():
				x = t.kept(data[i : i+size])
				i += size
			case c == 3:
				x = t.one()
			}
			kept = binary.LittleEndian.AppendUint32(kept, x)
		}
	}
	return t.buffer.Write(ir.TextureHeader, kept)
}

// Read gets all texels.
func (t *texture) Read(dst []byte) error {
	if err := t.whole("read", dst); err != nil {
		return err
	}
	kept := make([]byte, ir.TexelSize*t.desc.Texels())
	err := t.buffer.Read(ir.TextureHeader, kept)
	if _, found := err.(model.Findings); err != nil && !found {
		return err
	}
	f, size := t.desc.Format, t.desc.Format.Size()/t.desc.Format.Channels()
	for i := 0; len(kept) > 0; kept = kept[ir.TexelSize:] {
		for c := range f.Channels() {
			t.given(dst[i:i+size], binary.LittleEndian.Uint32(kept[4*c:]))
			i += size
		}
	}
	return err
}

// one is a channel of 1, as it is kept.
func (t *texture) one() uint32 {
	if t.kind.Texel == ir.F32 {
		return math.Float32bits(1)
	}
	return 1
}

// kept returns how a channel that the host has is kept.
func (t *texture) kept(b []byte) uint32 {
	var x uint32
	for i := range b {
		x |= uint32(b[i]) << (8 * i)
	}
	switch formats[t.desc.Format].holds {
	case ir.Unorm8:
		return math.Float32bits(float32(x) / 255)
	case ir.Float16:
		return math.Float32bits(float32(ir.Widen(ir.F16, uint64(x))))
	case ir.Sint8:
		return uint32(int32(int8(x)))
	case ir.Sint16:
		return uint32(int32(int16(x)))
	}
	return x
}

// given writes a channel that is kept as the host has it.
func (t *texture) given(dst []byte, x uint32) {
	switch formats[t.desc.Format].holds {
	case ir.Unorm8:
		x = uint32(math.RoundToEven(float64(math.Float32frombits(x)) * 255))
	case ir.Float16:
		x = uint32(ir.ArithOf(model.Behaviour{}).Narrow(ir.F16, float64(math.Float32frombits(x))))
	}
	for i := range dst {
		dst[i] = byte(x >> (8 * i))
	}
}

// SetTexture binds t.
func (e *encoder) SetTexture(t metal.Texture, i int) error {
	const call = "SetTexture"
	if err := e.legal(call); err != nil {
		return err
	}
	if i < 0 || i > metal.MaxTextureIndex {
		return e.c.d.errorf("%s: there is no index %d; use 0 to %d", call, i, metal.MaxTextureIndex)
	}
	if t == nil {
		delete(e.textures, i)
		return nil
	}
	x, ok := t.(*texture)
	if !ok || x == nil {
		return e.c.d.foreign("texture", t)
	}
	if err := x.usable(e.c.d, x.title()); err != nil {
		return err
	}
	if e.textures == nil {
		e.textures = map[int]*texture{}
	}
	e.textures[i] = x
	return nil
}

// SetSamplerState binds a sampler.
func (e *encoder) SetSamplerState(s metal.SamplerDescriptor, i int) error {
	const call = "SetSamplerState"
	if err := e.legal(call); err != nil {
		return err
	}
	word := uint32(s.Coordinates) | uint32(s.Filter)<<1
	clamps := true
	for axis, a := range s.Address {
		word |= uint32(a) << (2 + 2*axis)
		clamps = clamps && a <= metal.ClampToZero
	}
	switch {
	case !e.c.d.c.Textures:
		return e.c.d.errorf("%s: samplers are not supported on this device; the simulator has them", call)
	case i < 0 || i > metal.MaxSamplerIndex:
		return e.c.d.errorf("%s: there is no index %d; use 0 to %d", call, i, metal.MaxSamplerIndex)
	case s.Coordinates > metal.Pixel || s.Filter > metal.Linear || max(s.Address[0], s.Address[1], s.Address[2]) > metal.Repeat:
		return e.c.d.errorf("%s: there is no sampler %v", call, s)
	case s.Coordinates == metal.Pixel && !clamps:
		return e.c.d.errorf("%s: a sampler with coordinates in pixels clamps to the edge or to zero", call)
	}
	if e.samplers == nil {
		e.samplers = map[int]uint32{}
	}
	e.samplers[i] = word
	return nil
}

// fitsTexture says what is wrong with what is bound for the texture or sampler b.
func (e *encoder) fitsTexture(b *ir.Buffer) error {
	if b.Sampler {
		if _, ok := e.samplers[b.Index]; !ok && !b.Optional {
			return fmt.Errorf("nothing is bound for %s; call SetSamplerState with index %d", place(b), b.Index)
		}
		return nil
	}
	t := e.textures[b.Index]
	switch {
	case t == nil && b.Optional:
		return nil
	case t == nil:
		return fmt.Errorf("nothing is bound for %s; call SetTexture with index %d", place(b), b.Index)
	case t.kind != b.Texture:
		return fmt.Errorf("%s is a %s, and the %s bound there is a %s of %s", place(b), b.Type, t.title(), t.desc.Type, t.desc.Format)
	}
	if err := e.c.keep(&t.object, t.title()); err != nil {
		return fmt.Errorf("%s: %w", place(b), err)
	}
	return nil
}

// textureArg returns what is bound for the texture or sampler b.
func (e *encoder) textureArg(b *ir.Buffer) Arg {
	if b.Sampler {
		word, ok := e.samplers[b.Index]
		if !ok {
			return Arg{Index: b.Index}
		}
		return Arg{Kind: Bytes, Offset: e.c.place(binary.LittleEndian.AppendUint32(nil, word)), Length: 4, Index: b.Index}
	}
	if t := e.textures[b.Index]; t != nil {
		return Arg{Kind: Buffer, Memory: t.memory, Length: t.length, Index: b.Index}
	}
	return Arg{Index: b.Index}
}
