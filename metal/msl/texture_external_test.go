package msl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ranges"
)

// textureCases are kernels with textures, each run on every engine. Values of samples are computed by hand, with weights that 8 bits hold.
var textureCases = []class{
	{name: "the reproduction of public shaders", src: `
// run k groups=2,2,1 x0=2,2,1,1:4:0:float*16 -> x0=float[1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1]
kernel void k(texture2d<float, access::write> t [[texture(0)]], uint2 i [[thread_position_in_grid]]) { t.write(float4(1.0f), i); }`},
	{name: "read, write and sizes in two dimensions", src: `
// run k groups=2,3,1 x0=2,3,1,1:4:0:float[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23] x1=3,2,1,1:4:0:float*24 0=uint*4 -> x1=float[0 2 4 6 16 18 20 22 32 34 36 38 8 10 12 14 24 26 28 30 40 42 44 46] 0=uint[3 2 1 2]
kernel void k(texture2d<float, access::read> a [[texture(0)]], texture2d<float, access::write> b [[texture(1)]], device uint *o [[buffer(0)]],
              uint2 i [[thread_position_in_grid]]) {
  b.write(a.read(i) * 2, i.yx);
  if (i.x == 0 && i.y == 0) { o[0] = b.get_width(); o[1] = b.get_height(0); o[2] = b.get_num_mip_levels(); o[3] = a.get_width(); }
}
// run shorts x0=2,1,1,1:4:0:float[1 2 3 4 5 6 7 8] x1=2,1,1,1:4:0:float*8 -> x1=float[5 6 7 8 0 0 0 0]
kernel void shorts(texture2d<float> a [[texture(0)]], texture2d<float, access::write> b [[texture(1)]]) {
  b.write(a.read(ushort2(1, 0), 0), ushort2(0, 0));
}`},
	{name: "half, and what formats hold", src: `
// run k x0=1,1,1,1:4:0:float[1.5 0.1000003814697265625 -3 65504] x1=1,1,1,1:4:1:float*4 -> x1=float[3 0.199951171875 -6 inf]
kernel void k(texture2d<half, access::read> a [[texture(0)]], texture2d<half, access::write> b [[texture(1)]]) {
  b.write(a.read(uint2(0)) * 2, uint2(0));
}
// run halves x0=2,1,1,1:2:1:float*8 -> x0=float[0.0999755859375 1 0 1 2 -0.25 0 1]
kernel void halves(texture2d<float, access::write> a [[texture(0)]]) {
  a.write(float4(0.1f, 1, 2, 3), uint2(0)); a.write(float4(2, -0.25f, 2, 3), uint2(1, 0));
}
// run unorm x0=2,1,1,1:4:2:float*8 -> x0=float[0 1 0.501960813999176025390625 0 0.003921568859368562698364257812500 0 0 1]
kernel void unorm(texture2d<float, access::write> a [[texture(0)]]) {
  a.write(float4(-1, 2, 0.5f, 0.001f), uint2(0)); a.write(float4(0.004f, as_type<float>(0x7fc00000), 0.0019f, 0.999f), uint2(1, 0));
}
// run one x0=1,1,1,1:1:0:float*4 -> x0=float[5 0 0 1]
kernel void one(texture2d<float, access::write> a [[texture(0)]]) { a.write(float4(5, 6, 7, 8), uint2(0)); }`},
	{name: "integers", src: `
// run k x0=1,1,1,1:4:0:uint[4294967295 1 70000 0] x1=1,1,1,1:4:0:uint*4 -> x1=uint[0 2 70001 1]
kernel void k(texture2d<uint, access::read> a [[texture(0)]], texture2d<uint, access::write> b [[texture(1)]]) { b.write(a.read(uint2(0)) + 1, uint2(0)); }
// run s x0=1,1,1,1:4:0:int[-5 1 70000 -2147483648] x1=1,1,1,1:4:0:int*4 -> x1=int[5 -1 -70000 -2147483648]
kernel void s(texture2d<int, access::read> a [[texture(0)]], texture2d<int, access::write> b [[texture(1)]]) { b.write(int4(-uint4(a.read(uint2(0)))), uint2(0)); }
// run u16 x0=1,1,1,1:4:4:uint[65535 1 7 0] x1=1,1,1,1:4:4:uint*4 -> x1=uint[0 2 8 1]
kernel void u16(texture2d<ushort, access::read> a [[texture(0)]], texture2d<ushort, access::write> b [[texture(1)]]) { b.write(a.read(uint2(0)) + ushort(1), uint2(0)); }
// run s16 x0=1,1,1,1:1:6:int[-5 0 0 1] x1=1,1,1,1:1:6:int*4 -> x1=int[5 0 0 1]
kernel void s16(texture2d<short, access::read> a [[texture(0)]], texture2d<short, access::write> b [[texture(1)]]) { b.write(short4(-a.read(uint2(0)).x), uint2(0)); }
// run narrow x0=2,1,1,1:4:3:uint*8 x1=2,1,1,1:4:6:int*8 x2=1,1,1,1:4:5:int*4 -> x0=uint[255 255 3 0 0 0 0 0] x1=int[32767 -32768 3 -3 0 0 0 0] x2=int[127 -128 3 -3]
kernel void narrow(texture2d<uint, access::write> a [[texture(0)]], texture2d<int, access::write> b [[texture(1)]], texture2d<int, access::write> c [[texture(2)]]) {
  a.write(uint4(256, 100000, 3, 0), uint2(0)); b.write(int4(100000, -100000, 3, -3), uint2(0)); c.write(int4(1000, -1000, 3, -3), uint2(0));
}`},
	{name: "one and three dimensions, layers and buffers", src: `
// run line x0=3,1,1,1:4:0:float[1 2 3 4 5 6 7 8 9 10 11 12] x1=3,1,1,1:4:0:float*12 0=uint*1 -> x1=float[9 10 11 12 0 0 0 0 5 6 7 8] 0=uint[3]
kernel void line(texture1d<float, access::read> a [[texture(0)]], texture1d<float, access::write> b [[texture(1)]], device uint *o) {
  b.write(a.read(2u), ushort(0)); b.write(a.read(ushort(1)), 2u); o[0] = a.get_width();
}
// run lines x0=2,1,1,2:4:0:float[1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4] x1=2,1,1,2:4:0:float*16 0=uint*1 -> x1=float[0 0 0 0 4 4 4 4 3 3 3 3 0 0 0 0] 0=uint[2]
kernel void lines(texture1d_array<float, access::read> a [[texture(0)]], texture1d_array<float, access::write> b [[texture(1)]], device uint *o) {
  b.write(a.read(1u, 1), 1u, 0); b.write(a.read(0u, 1), 0u, 1); o[0] = a.get_array_size();
}
// run layers x0=1,2,1,3:4:0:int[1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4 5 5 5 5 6 6 6 6] x1=1,2,1,2:4:0:int*16 0=uint*2 -> x1=int[0 0 0 0 0 0 0 0 6 6 6 6 3 3 3 3] 0=uint[3 2]
kernel void layers(texture2d_array<int, access::read> a [[texture(0)]], texture2d_array<int, access::write> b [[texture(1)]], device uint *o) {
  b.write(a.read(uint2(0, 1), 2), uint2(0, 0), 1); b.write(a.read(ushort2(0, 0), 1), uint2(0, 1), 1); o[0] = a.get_array_size(); o[1] = b.get_height();
}
// run solid x0=2,1,2,1:4:0:float[1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4] x1=1,2,2,1:4:0:float*16 0=uint*3 -> x1=float[0 0 0 0 2 2 2 2 3 3 3 3 0 0 0 0] 0=uint[1 2 2]
kernel void solid(texture3d<float, access::read> a [[texture(0)]], texture3d<float, access::write> b [[texture(1)]], device uint *o) {
  b.write(a.read(uint3(0, 0, 1)), uint3(0, 0, 1)); b.write(a.read(uint3(1, 0, 0)), uint3(0, 1, 0));
  o[0] = b.get_width(); o[1] = b.get_height(); o[2] = b.get_depth();
}
// run linear x0=4,1,1,1:4:0:uint[1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4] x1=2,1,1,1:1:0:uint*8 0=uint*1 -> x1=uint[0 0 0 0 4 0 0 1] 0=uint[4]
kernel void linear(texture_buffer<uint> a [[texture(0)]], texture_buffer<uint, access::write> b [[texture(1)]], device uint *o) { b.write(a.read(3), 1); o[0] = a.get_width(); }`},
	{name: "read and write of one texture", src: `
// run k threads=4 x0=4,1,1,1:4:0:float[1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4] -> x0=float[5 5 5 5 4 4 4 4 3 3 3 3 2 2 2 2]
kernel void k(texture2d<float, access::read_write> a [[texture(0)]], uint i [[thread_position_in_grid]]) {
  uint2 at = uint2(i, 0);
  a.write(a.read(at) + 1, at); a.fence();
  float4 own = a.read(at);
  a.write(own, at);
  threadgroup_barrier(mem_flags::mem_texture);
  float4 x = a.read(uint2(3 - i, 0));
  threadgroup_barrier(mem_flags::mem_texture);
  a.write(x, at);
}`},
	{name: "names of samplers are names of others too, and names of metal", src: `
struct S { float f() const { return (address) * 2; } float filter() const { return (coord) - 1; } float address, coord; };
constexpr metal::sampler whole(metal::coord::pixel, metal::filter::linear);
// run k x0=1,1,1,1:1:0:float*4 0=float*2 -> 0=float[6 4] x0=float[7 0 0 1]
kernel void k(metal::texture2d<float, metal::access::write> t [[texture(0)]], device float *o [[buffer(0)]]) {
  S s = {3, 5};
  int level = 7, filter = 0;
  o[filter] = s.f(); o[1] = s.filter(); t.write(float4(level), uint2(0));
}`},
	{name: "textures and samplers as arguments of functions", src: `
template <typename T> T first(T a, T b) { return a; }
template <typename T, access A> vec<T, 4> at(texture2d<T, A> t, uint2 p) { return t.read(p); }
float4 twice(thread const texture2d<float> &t, sampler s, float2 p) { return t.sample(s, p) * 2; }
// run k x0=2,1,1,1:4:0:float[1 2 3 4 5 6 7 8] x1=1,1,1,1:4:0:float*4 0=float*4 -> 0=float[11 14 17 20]
kernel void k(texture2d<float> a [[texture(0)]], texture2d<float> b [[texture(1)]], device float4 *o [[buffer(0)]]) {
  constexpr sampler s(coord::pixel);
  texture2d<float> c = first(a, b);
  o[0] = at(c, uint2(0)) + twice(a, s, float2(1.5f, 0));
}`},
}

// samples are kernels that sample textures: rows of coordinates, and the first channel of what is there.
var samples = []struct {
	kind, size, texels, sampler, coord string
	args                               string // after the coordinate
	at, want                           string
}{
	{"texture1d", "4,1,1,1", "1 2 3 4", "coord::normalized", "x", "", "0 0.25 0.5 0.75 0.9375 1 2 -1", "1 2 3 4 4 4 4 1"},
	{"texture1d", "4,1,1,1", "1 2 3 4", "coord::pixel", "x", "", "0 0.9375 1 2.5 3 4 100 -5", "1 1 2 3 4 4 4 1"},
	{"texture1d", "4,1,1,1", "1 2 3 4", "address::clamp_to_zero", "x", "", "0 0.25 0.9375 1 1.5 -0.015625 0x7fc00000 inf", "1 2 4 0 0 0 0 0"},
	{"texture1d", "4,1,1,1", "1 2 3 4", "address::repeat", "x", "", "1 1.25 2.5 -0.25 -0.5 -3.75", "1 2 3 4 3 2"},
	{"texture1d", "4,1,1,1", "1 2 3 4", "address::mirrored_repeat", "x", "", "1 1.25 1.75 2 -0.125 -0.375 -1.125", "4 3 1 1 1 2 4"},
	{"texture1d", "4,1,1,1", "1 2 4 8", "filter::linear", "x", "", "0.125 0.25 0.375 0.4375 0 1 0.8125", "1 1.5 2 2.5 1 8 7"},
	{"texture1d", "4,1,1,1", "1 2 4 8", "filter::linear, address::repeat", "x", "", "0 1 0.0625 -0.25 1.25", "4.5 4.5 2.75 6 1.5"},
	{"texture1d", "4,1,1,1", "1 2 4 8", "filter::linear, address::clamp_to_zero", "x", "", "0 1 -0.125 1.0625", "0.5 4 0 2"},
	{"texture1d", "4,1,1,1", "1 2 4 8", "coord::pixel, filter::linear", "x", "", "0.5 1 1.75 3.5 9", "1 1.5 2.5 8 8"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "filter::linear", "float2(x, 0.5f)", "", "0.25 0.5 0.75", "2.5 3.75 5"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "filter::linear, t_address::clamp_to_zero", "float2(0.25f, x)", "", "0.25 0.5 0.75 1", "1 2.5 4 2"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "s_address::repeat, t_address::clamp_to_zero", "float2(x, x)", "", "0.25 0.75 1.25 -0.25", "1 8 0 0"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "mag_filter::linear, min_filter::nearest, mip_filter::nearest", "float2(x, 0)", ", level(0)", "0.25 0.5 0.75", "1 1.5 2"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "coord::pixel", "float2(x, 0)", ", int2(1, 1)", "-1 -0.5 0 5", "4 4 8 8"},
	{"texture2d", "2,2,1,1", "1 2 4 8", "filter::linear, address::repeat", "float2(x, 0.25f)", ", level(0), int2(-1, 0)", "0.25 0.5 0.75", "2 1.5 1"},
	{"texture2d_array", "2,1,1,2", "1 2 4 8", "address::clamp_to_zero", "float2(x, 0)", ", 1, int2(1, 0)", "0 0.25 0.5", "8 8 0"},
	{"texture3d", "2,1,2,1", "1 2 4 8", "coord::pixel", "float3(x, 0, 0)", ", int3(0, 0, 1)", "0 1", "4 8"},
	{"texture3d", "2,1,2,1", "1 2 4 8", "coord::pixel", "float3(x, 0, 0)", ", level(1), int3(1, 0, 0)", "0 1", "2 2"},
	{"texture2d_array", "2,1,1,2", "1 2 4 8", "filter::linear", "float2(x, 0)", ", 1", "0 0.25 0.5 0.75", "4 4 6 8"},
	{"texture2d_array", "2,1,1,2", "1 2 4 8", "coord::normalized", "float2(x, 0)", ", 7, level(0)", "0 0.75", "4 8"},
	{"texture1d_array", "2,1,1,2", "1 2 4 8", "coord::normalized", "x", ", 1", "0.25 0.75", "4 8"},
	{"texture3d", "2,1,2,1", "1 2 4 8", "filter::linear", "float3(x, 0, 0.5f)", "", "0.25 0.5 0.75", "2.5 3.75 5"},
	{"texture3d", "2,1,2,1", "1 2 4 8", "r_address::repeat", "float3(x, 0, x + 1)", "", "0.25 0.75", "1 8"},
	{"texture3d", "2,1,2,1", "1 2 4 8", "coord::pixel", "float3(x, 0, 1.5f)", ", level(0)", "0.25 1.5", "4 8"},
}

// sampled returns the source of samples[i], with a texture of T.
func sampled(i int, scalar string) string {
	c := samples[i]
	var texels []string
	for _, x := range strings.Fields(c.texels) {
		texels = append(texels, x+" 0 0 1")
	}
	kept := map[string]string{"int": "int", "uint": "uint", "short": "int", "ushort": "uint"}[scalar]
	if kept == "" {
		kept = "float"
	}
	n := len(strings.Fields(c.at))
	return fmt.Sprintf(`
// run k threads=%[1]d x0=%[2]s:1:0:%[9]s[%[3]s] 0=float[%[4]s] 1=float*%[1]d -> 1=float[%[5]s]
constexpr sampler global(%[6]s);
kernel void k(%[7]s<%[10]s> t [[texture(0)]], device const float *c [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  constexpr sampler s(%[6]s);
  float x = c[i];
  o[i] = float(t.sample(s, %[8]s).x) == float(t.sample(global, %[8]s).x) ? float(t.sample(s, %[8]s).x) : -1;
}`, n, c.size, strings.Join(texels, " "), c.at, c.want, c.sampler, c.kind, c.coord+c.args, kept, scalar)
}

// orders are behaviours under which the adversarial engine weighs texels finely and coarsely.
func orders() []string {
	var list []string
	for seed := range 6 {
		list = append(list, fmt.Sprintf("rne ftz=off contract=off order=%s seed=%d", []string{"stages", "accesses", "reverse"}[seed%3], seed))
	}
	return list
}

// TestTextures runs what kernels do with textures on every engine.
func TestTextures(t *testing.T) {
	list := textureCases
	for i, c := range samples {
		for _, scalar := range []string{"float", "half", "int", "uint", "short", "ushort"} {
			if scalar != "float" && scalar != "half" && strings.Contains(c.sampler, "linear") {
				continue
			}
			list = append(list, class{name: "sample " + scalar, src: sampled(i, scalar)})
		}
	}
	for i, c := range list {
		t.Run(fmt.Sprintf("%s %d", c.name, i), func(t *testing.T) {
			lib, err := msl.Compile(head+c.src, msl.Options{FileName: "c.metal"})
			require.NoError(t, err)
			runs := runLines(t, "c.metal", c.src)
			require.Len(t, runs, len(lib.Functions()))
			for _, r := range runs {
				r.everywhere(t, lib, orders()...)
			}
		})
	}
}

// TestTexturesAreRefusedElsewhere: what has no textures says so by name.
func TestTexturesAreRefusedElsewhere(t *testing.T) {
	lib, err := msl.Compile(head+textureCases[0].src, msl.Options{FileName: "c.metal"})
	require.NoError(t, err)
	require.Equal(t, []metal.Argument{{Name: "t", TypeName: "texture2d<float, access::write>", ElementSize: 16, Texture: metal.Texture2D, Format: metal.RGBA32Float}}, lib.Functions()[0].Args)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	for _, d := range []emit.Dialect{emit.CUDA, emit.OpenCL} {
		_, err := emit.Print(k, emit.Options{Dialect: d})
		var refusal *metal.Refusal
		require.ErrorAs(t, err, &refusal)
		require.ErrorContains(t, err, "c.metal:5:47: kernel k: textures and samplers are refused: t is a texture2d<float, access::write>")
	}
	_, err = ranges.Analyse(k, ranges.Facts{Modulus: 17})
	require.ErrorContains(t, err, "kernel k: textures and samplers are not analysed")
}

// TestWrongTextures: what a source gets wrong about textures is an error at its place.
func TestWrongTextures(t *testing.T) {
	for _, c := range []class{
		{src: "kernel void k(texture2d<float, access::read> t [[texture(0)]]) { t.write(float4(1), uint2(0)); }", err: "only a texture with access::write or access::read_write can be written"},
		{src: "kernel void k(texture2d<float, access::write> t [[texture(0)]]) { t.write(t.read(uint2(0)), uint2(0)); }", err: "a texture with access::write cannot be read"},
		{src: "kernel void k(texture2d<float, access::read> t [[texture(0)]], device float4 *o) { o[0] = t.sample(sampler(coord::pixel), float2(0)); }", err: "only a texture with access::sample can be sampled"},
		{src: "kernel void k(texture2d<float, access::write> t [[texture(0)]]) { t.fence(); }", err: "fence is for textures with access::read_write"},
		{src: "kernel void k(texture2d<float> t [[buffer(0)]]) {}", err: "t is a texture: write [[texture(0)]]"},
		{src: "kernel void k(sampler t [[texture(0)]]) {}", err: "t is a sampler: write [[sampler(0)]]"},
		{src: "kernel void k(device float *t [[texture(0)]]) {}", err: "t is in device: write [[buffer(0)]]"},
		{src: "kernel void k(texture2d<float> t [[texture(128)]]) {}", err: "the index of a texture is 0 to 127, not 128"},
		{src: "kernel void k(texture2d<float> t [[texture(1)]], texture1d<float> u [[texture(1)]]) {}", err: "texture 1 is another parameter's already"},
		{src: "kernel void k(thread texture2d<float> &t [[texture(1)]]) {}", err: "t is passed by value"},
		{src: "kernel void k(array<texture2d<float>, 2> t [[texture(1)]]) {}", err: "not supported: arrays and structs of textures"},
		{src: "struct S { texture2d<float> t; }; kernel void k(constant S &s [[buffer(1)]]) {}", err: "not supported: textures in argument buffers"},
		{src: "kernel void k(texture2d<float> t, device float4 *o) { o[0] = t.gather(sampler(coord::pixel), float2(0)); }", err: "gather"},
		{src: "kernel void k(texture2d<float> t, device float4 *o) { o[0] = t.sample(sampler(coord::pixel), float2(0), bias(1)); }", err: "not supported: levels of detail"},
		{src: "kernel void k(texture2d<bool> t) {}", err: "a texture holds float, half, int, uint, short or ushort"},
	} {
		_, err := msl.Compile(head+c.src, msl.Options{FileName: "c.metal"})
		require.ErrorContains(t, err, c.err, c.src)
		require.ErrorContains(t, err, "c.metal:3:", c.src)
	}
}
