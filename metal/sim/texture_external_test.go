package sim_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

const textureHead = "#include <metal_stdlib>\nusing namespace metal;\n"

// engines are both engines, the adversarial one in two orders.
func engines() map[string]*sim.Device {
	list := map[string]*sim.Device{"fast": sim.New(sim.Options{Engine: sim.Fast})}
	for _, order := range []string{"stages", "accesses"} {
		list["adversarial in "+order] = sim.New(sim.Options{Engine: sim.Adversarial, Behaviour: model.Behaviour{Order: order, Seed: 7}})
	}
	return list
}

func texture(t testing.TB, d metal.Device, desc metal.TextureDescriptor, data []byte) metal.Texture {
	t.Helper()
	x, err := d.NewTexture(desc)
	require.NoError(t, err)
	if data != nil {
		require.NoError(t, x.Write(data))
	}
	return x
}

// flat describes a texture of two dimensions.
func flat(f metal.PixelFormat, w, h int) metal.TextureDescriptor {
	return metal.TextureDescriptor{Type: metal.Texture2D, Format: f, Width: w, Height: h}
}

// textured runs the kernel k of a source on textures bound from index 0 on.
func textured(t testing.TB, d metal.Device, source string, grid, group metal.Size, textures ...metal.Texture) error {
	t.Helper()
	e, c := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, d, textureHead+source, "k")))
	for i, x := range textures {
		require.NoError(t, e.SetTexture(x, i))
	}
	require.NoError(t, e.DispatchThreads(grid, group))
	return finish(t, e, c)
}

func halves(v ...uint16) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	return b
}

func floats(v ...float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// TestFormatsPassThroughKernels copies textures of every format, twice as many of the components as the format has, by kernels that add one, and looks
// at the bytes that the host gets.
func TestFormatsPassThroughKernels(t *testing.T) {
	for _, c := range []struct {
		format    metal.PixelFormat
		scalar    string
		in, write string // what is written of the texel x that was read
		data      []byte
		want      []byte
	}{
		{metal.R8Unorm, "float", "x", "x", []byte{0, 255}, []byte{0, 255}},
		{metal.RG8Unorm, "float", "x", "x.yxzw", []byte{1, 2, 3, 4}, []byte{2, 1, 4, 3}},
		{metal.RGBA8Unorm, "half", "x", "x", []byte{0, 1, 128, 255, 5, 6, 7, 8}, []byte{0, 1, 128, 255, 5, 6, 7, 8}},
		{metal.R8Unorm, "float", "x", "x * 255 == float4(7, 0, 0, 255) ? 1 : 0", []byte{7, 8}, []byte{255, 0}},
		{metal.R8Unorm, "float", "x", "float4(x.x + 0.5f / 255)", []byte{2, 5}, []byte{2, 6}}, // ties to even
		{metal.R16Float, "half", "x", "x + 1", halves(0x3c00, 0xc000), halves(0x4000, 0xbc00)},
		{metal.RG16Float, "float", "x", "x.yxzw", halves(1, 0x7bff, 0x7c00, 0x8000), halves(0x7bff, 1, 0x8000, 0x7c00)},
		{metal.RGBA16Float, "float", "x", "x * 2", halves(0x7bff, 1, 2, 0x3c00, 0, 0, 0, 0), halves(0x7c00, 2, 4, 0x4000, 0, 0, 0, 0)},
		{metal.R32Float, "float", "x", "x.yzwx", floats(3, 4), floats(0, 0)},
		{metal.R32Float, "float", "x", "x.wzyx", floats(3, 4), floats(1, 1)},
		{metal.RG32Float, "float", "x", "x + 1", floats(1, 2, 3, 4), floats(2, 3, 4, 5)},
		{metal.RGBA32Float, "float", "x", "x + 1", floats(1, 2, 3, 4, 5, 6, 7, 8), floats(2, 3, 4, 5, 6, 7, 8, 9)},
		{metal.R8Uint, "ushort", "x", "x + ushort(1)", []byte{1, 255}, []byte{2, 255}},
		{metal.RGBA8Uint, "uint", "x", "x.wzyx", []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{4, 3, 2, 1, 8, 7, 6, 5}},
		{metal.R16Uint, "ushort", "x", "x + ushort(1)", halves(1, 65534), halves(2, 65535)},
		{metal.RGBA16Uint, "ushort", "x", "x.wzyx", halves(1, 2, 3, 4, 5, 6, 7, 8), halves(4, 3, 2, 1, 8, 7, 6, 5)},
		{metal.R32Uint, "uint", "x", "x + 1", words(1, 1<<32-1), words(2, 0)},
		{metal.RG32Uint, "uint", "x", "x.yxzw", words(1, 2, 3, 4), words(2, 1, 4, 3)},
		{metal.RGBA32Uint, "uint", "x", "x + 1", words(1, 2, 3, 4, 5, 6, 7, 8), words(2, 3, 4, 5, 6, 7, 8, 9)},
		{metal.R8Sint, "short", "x", "-x", []byte{1, 0xff}, []byte{0xff, 1}},
		{metal.RGBA8Sint, "int", "x", "x - 100", []byte{1, 0xff, 100, 200, 0, 1, 2, 3}, []byte{157, 155, 0, 128, 156, 157, 158, 159}},
		{metal.R16Sint, "short", "x", "-x", halves(1, 0xffff), halves(0xffff, 1)},
		{metal.RGBA16Sint, "int", "x", "x * 2", halves(1, 0xffff, 0x4000, 0xb000, 0, 0, 0, 0), halves(2, 0xfffe, 0x7fff, 0x8000, 0, 0, 0, 0)},
		{metal.R32Sint, "int", "x", "-x", words(1, 1<<32-1), words(1<<32-1, 1)},
		{metal.RG32Sint, "int", "x", "x.yxzw", words(1, 2, 3, 4), words(2, 1, 4, 3)},
		{metal.RGBA32Sint, "int", "x", "x + 1", words(1, 2, 3, 4, 5, 6, 7, 8), words(2, 3, 4, 5, 6, 7, 8, 9)},
	} {
		t.Run(c.format.String()+" "+c.write, func(t *testing.T) {
			source := "kernel void k(texture2d<" + c.scalar + ", access::read> a [[texture(0)]], texture2d<" + c.scalar + ", access::write> b [[texture(1)]],\n" +
				"uint2 i [[thread_position_in_grid]]) { vec<" + c.scalar + ", 4> x = a.read(i); b.write(vec<" + c.scalar + ", 4>(" + c.write + "), i); }"
			for name, d := range engines() {
				a, b := texture(t, d, flat(c.format, 2, 1), c.data), texture(t, d, flat(c.format, 2, 1), nil)
				require.NoError(t, textured(t, d, source, line(2), line(2), a, b), name)
				got := make([]byte, len(c.want))
				require.NoError(t, b.Read(got), name)
				require.Equal(t, c.want, got, name)
				require.NoError(t, a.Read(got), name)
				require.Equal(t, c.data, got, "what the host wrote, %s", name)
			}
		})
	}
}

// textureFaults are kernels with one fault each, and the finding that names it; texels is the size of the square texture at index 0, and
// on says which engine does not look for it.
var textureFaults = []struct {
	name, source  string
	kind          model.FindingKind
	text          string
	index         int64
	grid, group   metal.Size
	fastOnly, raw bool
}{
	{
		"two writers of a texel", `kernel void k(texture2d<float, access::write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) { t.write(float4(i.x), uint2(1, 2)); }`,
		model.FindingRace, "thread (1,0,0) writes 4 bytes at texel (1, 2) of texture t, where thread (0,0,0) writes 4 at test.metal:3:105: no barrier orders the two", 9, line(4), line(4), true, false,
	},
	{
		"a reader of what another writes", `kernel void k(texture2d<float, access::read_write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) {
	t.write(float4(i.x), i);
	threadgroup_barrier(mem_flags::mem_device);
	float4 x = t.read(uint2(3 - i.x, 0));
	threadgroup_barrier(mem_flags::mem_texture);
	t.write(x, i); }`,
		model.FindingRace, "threadgroup_barrier(mem_flags::mem_device) at test.metal:5:2 is between the two and does not order texture memory; that takes mem_flags::mem_texture", 3, line(4), line(4), true, false,
	},
	{
		"no fence", `kernel void k(texture2d<float, access::read_write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) {
	t.write(float4(i.x), i);
	t.write(t.read(i) + 1, i); }`,
		model.FindingRace, "thread (0,0,0) reads 4 bytes at texel (0, 0) of texture t, where thread (0,0,0) writes 4 at test.metal:4:3: no fence() of the texture is between the two, and without one a thread need not see what it wrote", 0, line(4), line(4), true, false,
	},
	{
		"a texel that nobody wrote", `kernel void k(texture2d<float, access::read_write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) { t.write(t.read(uint2(2, 3)), i); }`,
		model.FindingUninitialised, "texel (2, 3) of texture t", 14, line(2), line(2), false, true,
	},
	{
		"a linear filter of integers", `kernel void k(texture2d<int> t [[texture(1)]], texture2d<float, access::write> o [[texture(0)]], uint2 i [[thread_position_in_grid]]) {
	constexpr sampler s(filter::linear);
	o.write(float4(t.sample(s, float2(0))), i); }`,
		model.FindingAssertion, "filter::linear is for textures of float and half", -1, line(4), line(4), false, false,
	},
	{
		"a sampler that repeats pixels", `kernel void k(texture2d<int> t [[texture(1)]], texture2d<float, access::write> o [[texture(0)]], uint2 i [[thread_position_in_grid]]) {
	constexpr sampler s(coord::pixel, t_address::repeat);
	o.write(float4(t.sample(s, float2(0))), i); }`,
		model.FindingAssertion, "a sampler with coord::pixel clamps", -1, line(4), line(4), false, false,
	},
}

// TestFaultsOfTextures finds what is wrong with kernels that access textures, and names the texels.
func TestFaultsOfTextures(t *testing.T) {
	for _, c := range textureFaults {
		t.Run(c.name, func(t *testing.T) {
			for name, d := range engines() {
				if c.fastOnly && name != "fast" { // the adversarial engine shows races by their results
					continue
				}
				x := texture(t, d, flat(metal.RGBA32Float, 4, 4), make([]byte, 256))
				if c.raw {
					x = texture(t, d, flat(metal.RGBA32Float, 4, 4), nil)
				}
				whole := texture(t, d, flat(metal.RGBA32Sint, 1, 1), make([]byte, 16))
				err := textured(t, d, c.source, c.grid, c.group, x, whole)
				var found model.Findings
				require.ErrorAs(t, err, &found, name)
				require.Equal(t, c.kind, found[0].Kind, "%s: %v", name, err)
				require.Contains(t, found[0].Text, c.text, name)
				require.Equal(t, c.index, found[0].Index, name)
				require.Equal(t, "test.metal", found[0].Pos.File, "%s: the place in the user's source", name)
			}
		})
	}
}

// TestOutside: a read outside of a texture, or of a level that it does not have, gives zeros, and 1 for an alpha that its format lacks, and a write there is ignored. Neither is a fault.
func TestOutside(t *testing.T) {
	const source = `kernel void k(texture2d<float, access::read> a [[texture(0)]], texture2d<float, access::read> whole [[texture(1)]], texture2d<float, access::write> b [[texture(2)]],
	uint2 i [[thread_position_in_grid]]) {
	float4 red = a.read(i), all = whole.read(uint2(0, 0u - i.x));
	b.write(float4(red.xw, all.xw), i); b.write(float4(9), i + 2); b.write(float4(9), i, 1);
	if (i.x == 1) { b.write(b.get_width() > 2 ? a.read(uint2(0), 1) : 0, uint2(2, 0)); } }`
	for name, d := range engines() {
		x := texture(t, d, flat(metal.R32Float, 1, 1), floats(5))
		whole := texture(t, d, flat(metal.RGBA32Float, 1, 1), floats(6, 6, 6, 7))
		y := texture(t, d, flat(metal.RGBA32Float, 3, 1), floats(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5))
		require.NoError(t, textured(t, d, source, line(2), line(2), x, whole, y), name)
		got := make([]byte, 48)
		require.NoError(t, y.Read(got))
		require.Equal(t, floats(5, 1, 6, 7, 0, 1, 0, 0, 0, 0, 0, 1), got, name)
	}
}

// TestUnwrittenTexels: the host reads what nobody wrote.
func TestUnwrittenTexels(t *testing.T) {
	d := sim.New(sim.Options{})
	x := texture(t, d, flat(metal.R32Float, 2, 2), nil)
	x.SetLabel("picture")
	require.NoError(t, textured(t, d, `kernel void k(texture2d<float, access::write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) { t.write(1.0f, i); }`, metal.Size{X: 2, Y: 1, Z: 1}, line(2), x))
	require.ErrorContains(t, x.Read(make([]byte, 16)), `the host reads texel (0, 1) of the texture labelled "picture", and neither a kernel nor the host wrote it: it holds anything`)
}

// TestWeightsOfLinearFilters: the adversarial engine weighs texels exactly, and by weights of 8 bits.
func TestWeightsOfLinearFilters(t *testing.T) {
	const source = `kernel void k(texture1d<float> a [[texture(0)]], texture1d<float, access::write> b [[texture(1)]], uint i [[thread_position_in_grid]]) {
	constexpr sampler s(coord::pixel, filter::linear);
	b.write(a.sample(s, 0.5f + 1.0f / 1024), i); }`
	seen := map[float32]bool{}
	for seed := range uint64(12) {
		d := sim.New(sim.Options{Behaviour: model.Behaviour{Order: "stages", Seed: seed}})
		a := texture(t, d, metal.TextureDescriptor{Type: metal.Texture1D, Format: metal.R32Float, Width: 2}, floats(0, 1024))
		b := texture(t, d, metal.TextureDescriptor{Type: metal.Texture1D, Format: metal.R32Float, Width: 1}, nil)
		require.NoError(t, textured(t, d, source, line(1), line(1), a, b))
		got := make([]byte, 4)
		require.NoError(t, b.Read(got))
		seen[math.Float32frombits(binary.LittleEndian.Uint32(got))] = true
	}
	require.Equal(t, map[float32]bool{1: true, 0: true}, seen, "1024/1024, and the nearest of 256 weights, 0")
}

// TestSamplersOfTheHost binds samplers.
func TestSamplersOfTheHost(t *testing.T) {
	const source = textureHead + `kernel void k(texture1d<float> a [[texture(0)]], sampler s [[sampler(3)]], device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { o[i] = a.sample(s, float(i) / 8).x; }`
	for _, c := range []struct {
		s    metal.SamplerDescriptor
		want []float32
	}{
		{metal.SamplerDescriptor{}, []float32{1, 1, 2, 2, 3, 3, 4, 4, 4, 4}},
		{metal.SamplerDescriptor{Filter: metal.Linear}, []float32{1, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4, 4}},
		{metal.SamplerDescriptor{Address: [3]metal.AddressMode{metal.ClampToZero}}, []float32{1, 1, 2, 2, 3, 3, 4, 4, 0, 0}},
		{metal.SamplerDescriptor{Address: [3]metal.AddressMode{metal.Repeat}}, []float32{1, 1, 2, 2, 3, 3, 4, 4, 1, 1}},
		{metal.SamplerDescriptor{Address: [3]metal.AddressMode{metal.MirroredRepeat}}, []float32{1, 1, 2, 2, 3, 3, 4, 4, 4, 4}},
		{metal.SamplerDescriptor{Coordinates: metal.Pixel, Filter: metal.Linear}, []float32{1, 1, 1, 1, 1, 1.125, 1.25, 1.375, 1.5, 1.625}},
	} {
		for name, d := range engines() {
			a := texture(t, d, metal.TextureDescriptor{Type: metal.Texture1D, Format: metal.R32Float, Width: 4}, floats(1, 2, 3, 4))
			o := buffer(t, d, make([]byte, 40))
			e, cb := encoder(t, d)
			require.NoError(t, e.SetComputePipelineState(pipeline(t, d, source, "k")))
			require.NoError(t, e.SetTexture(a, 0))
			require.NoError(t, e.SetSamplerState(c.s, 3))
			require.NoError(t, e.SetBuffer(o, 0, 0))
			require.NoError(t, e.DispatchThreads(line(10), line(10)))
			require.NoError(t, finish(t, e, cb))
			got := make([]byte, 40)
			require.NoError(t, o.Read(0, got))
			require.Equal(t, floats(c.want...), got, "%v, %s", c.s, name)
		}
	}
}

// TestTexturesThatCannotBe: what host code gets wrong is said by name.
func TestTexturesThatCannotBe(t *testing.T) {
	d := sim.New(sim.Options{})
	for _, c := range []struct {
		desc metal.TextureDescriptor
		err  string
	}{
		{metal.TextureDescriptor{Format: metal.R32Float, Width: 1}, "there is no ; use one of metal.Texture1D"},
		{metal.TextureDescriptor{Type: metal.Texture1D, Width: 1}, "there is no PixelFormat(0) here"},
		{metal.TextureDescriptor{Type: metal.Texture2D, Format: metal.R32Float, Width: 1}, "a texture2d of height 0 cannot be; 1 to 16384"},
		{metal.TextureDescriptor{Type: metal.Texture2D, Format: metal.R32Float, Width: 1, Height: 1, Depth: 2}, "a texture2d of depth 2 cannot be; 1 to 1"},
		{metal.TextureDescriptor{Type: metal.Texture3D, Format: metal.R32Float, Width: 1, Height: 1, Depth: 2049}, "a texture3d of depth 2049 cannot be; 1 to 2048"},
		{metal.TextureDescriptor{Type: metal.Texture2DArray, Format: metal.R32Float, Width: 1, Height: 1}, "a texture2d_array of array length 0 cannot be"},
		{metal.TextureDescriptor{Type: metal.Texture2D, Format: metal.R32Float, Width: 16384, Height: 16384}, "does not fit"},
	} {
		_, err := d.NewTexture(c.desc)
		require.ErrorContains(t, err, c.err)
	}
	p := pipeline(t, d, textureHead+`kernel void k(texture2d<float, access::write> t [[texture(2)]], sampler s [[sampler(1)]]) { t.write(s.__word, uint2(0)); }`, "k")
	x := texture(t, d, flat(metal.R32Uint, 1, 1), nil)
	require.ErrorContains(t, x.Write(make([]byte, 5)), "write of 5 bytes: the texture of 1 x 1 x 1 x 1 texels of R32Uint has 4")
	e, _ := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(p))
	dispatch := func() error { return e.DispatchThreads(line(1), line(1)) }
	require.ErrorContains(t, dispatch(), "nothing is bound for t [[texture(2)]] at test.metal:3:47; call SetTexture with index 2")
	require.NoError(t, e.SetTexture(x, 2))
	require.ErrorContains(t, dispatch(), "t [[texture(2)]] at test.metal:3:47 is a texture2d<float, access::write>, and the texture bound there is a texture2d of R32Uint")
	require.NoError(t, e.SetTexture(texture(t, d, flat(metal.R32Float, 1, 1), nil), 2))
	require.ErrorContains(t, dispatch(), "nothing is bound for s [[sampler(1)]]")
	require.ErrorContains(t, e.SetSamplerState(metal.SamplerDescriptor{}, 16), "there is no index 16; use 0 to 15")
	require.ErrorContains(t, e.SetTexture(x, 128), "there is no index 128; use 0 to 127")
	require.ErrorContains(t, e.SetSamplerState(metal.SamplerDescriptor{Coordinates: metal.Pixel, Address: [3]metal.AddressMode{metal.Repeat}}, 0), "clamps")
	require.ErrorContains(t, e.SetSamplerState(metal.SamplerDescriptor{Filter: 2}, 0), "there is no sampler")
	require.NoError(t, e.SetSamplerState(metal.SamplerDescriptor{}, 1))
	require.NoError(t, dispatch())
	x.Release()
	require.ErrorContains(t, e.SetTexture(x, 2), "was released")
}

// texelAt is where texel i along an axis of n texels is in an address mode, -1 for none.
func texelAt(i, n int, mode metal.AddressMode) int {
	for i < 0 || i >= n {
		switch mode {
		case metal.ClampToZero:
			return -1
		case metal.ClampToEdge:
			i = max(0, min(i, n-1))
		case metal.Repeat:
			if i < 0 {
				i += n
			} else {
				i -= n
			}
		case metal.MirroredRepeat:
			if i < 0 {
				i = -1 - i
			} else {
				i = 2*n - 1 - i
			}
		}
	}
	return i
}

// sampleSum returns 64^3 times what is sampled at coordinates of 64ths of a texel, from texels that are whole numbers.
func sampleSum(s metal.SamplerDescriptor, size, at [3]int, texels []byte) (sum int) {
	var index, weight [3][2]int
	for axis, u := range at {
		if s.Filter == metal.Linear {
			u -= 32
		}
		floor := (u + 1<<20) / 64 * 64 // of what may be negative
		fraction := u + 1<<20 - floor
		if s.Filter == metal.Nearest {
			fraction = 0
		}
		for k := range 2 {
			index[axis][k] = texelAt((floor-1<<20)/64+k, size[axis], s.Address[axis])
		}
		weight[axis] = [2]int{64 - fraction, fraction}
	}
	for k := range 8 {
		x, y, z := k&1, k>>1&1, k>>2
		if i, j, l := index[0][x], index[1][y], index[2][z]; i >= 0 && j >= 0 && l >= 0 {
			sum += weight[0][x] * weight[1][y] * weight[2][z] * int(texels[(l*size[1]+j)*size[0]+i])
		}
	}
	return sum
}

// TestSamplesAreTheFormula samples textures of all sizes up to 7 in every mode, at coordinates and texels of which no result is rounded, and compares
// with sums in whole numbers.
func TestSamplesAreTheFormula(t *testing.T) {
	const points = 64
	source := textureHead + `kernel void k(texture3d<float> t [[texture(0)]], sampler s [[sampler(0)]], device const packed_float3 *c [[buffer(0)]],
	device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = t.sample(s, float3(c[i])).x; }
kernel void flat(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device const packed_float3 *c [[buffer(0)]],
	device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = t.sample(s, float2(float3(c[i]).xy)).x; }`
	rng := rand.New(rand.NewPCG(3, 1))
	devices := engines()
	for turn := range 60 {
		s := metal.SamplerDescriptor{Filter: metal.Filter(rng.IntN(2)), Coordinates: metal.Coordinates(rng.IntN(2))}
		size := [3]int{1 + rng.IntN(7), 1 + rng.IntN(7), 1 + rng.IntN(7)}
		desc, kernel := metal.TextureDescriptor{Type: metal.Texture3D, Format: metal.R32Float, Width: size[0], Height: size[1], Depth: size[2]}, "k"
		if turn%2 == 1 {
			size[2], desc.Depth, desc.Type, kernel = 1, 0, metal.Texture2D, "flat"
		}
		for axis := range s.Address {
			s.Address[axis] = metal.AddressMode(rng.IntN(4 - 2*int(s.Coordinates)))
		}
		texels := make([]byte, size[0]*size[1]*size[2])
		var stored, coords, want []float32
		for i := range texels {
			texels[i] = byte(rng.IntN(16))
			stored = append(stored, float32(texels[i]))
		}
		for range points {
			var at [3]int // in 64ths of a texel
			for axis, n := range size {
				k := rng.IntN(5*64) - 2*64 // in 64ths of the texture, or of a texel
				if at[axis] = k; s.Coordinates == metal.Normalized {
					at[axis] *= n
				}
				coords = append(coords, float32(k)/64)
			}
			if kernel == "flat" {
				at[2] = 32
			}
			want = append(want, float32(sampleSum(s, size, at, texels))/(64*64*64))
		}
		for name, d := range devices {
			x, c, o := texture(t, d, desc, floats(stored...)), buffer(t, d, floats(coords...)), buffer(t, d, make([]byte, 4*points))
			e, cb := encoder(t, d)
			require.NoError(t, e.SetComputePipelineState(pipeline(t, d, source, kernel)))
			require.NoError(t, e.SetTexture(x, 0))
			require.NoError(t, e.SetSamplerState(s, 0))
			require.NoError(t, e.SetBuffer(c, 0, 0))
			require.NoError(t, e.SetBuffer(o, 0, 1))
			require.NoError(t, e.DispatchThreads(line(points), line(points)))
			require.NoError(t, finish(t, e, cb))
			got := make([]byte, 4*points)
			require.NoError(t, o.Read(0, got))
			require.Equal(t, floats(want...), got, "%s: %v of %v, %s", name, s, size, kernel)
		}
	}
}
