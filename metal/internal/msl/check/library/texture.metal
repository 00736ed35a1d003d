// Textures of kernel functions. [MSL 4.0] §2.9, §2.10, §6.12 and §8.7
//
// A texture is memory as ir.Texture describes it: a header, and then each texel as four values of 32 bits, whatever the format; what is written
// becomes first what its format can hold. So all that is known of memory is known of textures: what was never written, and what races. By §6.12 a read outside of a texture, or of another
// level of detail than there is, gives zeros, and 1 for an alpha that the format lacks, and a write there is ignored.
enum class access { sample, read, write, read_write };
enum class coord { normalized, pixel };
enum class address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat };
enum class s_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat };
enum class t_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat };
enum class r_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat };
enum class filter { nearest, linear };
enum class mag_filter { nearest, linear };
enum class min_filter { nearest, linear };
enum class mip_filter { none, nearest, linear };

// level chooses the level of detail that sample reads; there is one.
struct level {
  float __lod;
  explicit level(float lod) : __lod(lod) {}
};

// sampler is the word of metal.SamplerState: bit 0 for coordinates in pixels, bit 1 for a linear filter, and from bits 2, 4 and 6 on the
// address modes of the axes, each with its lowest bit turned, so that 0 is a sampler with Metal's defaults.
struct sampler {
  uint __word = 0;
  constexpr sampler() = default;
  template <typename... P> constexpr explicit sampler(coord c, P... p) { __word = uint(c); __more(p...); }
  template <typename... P> constexpr explicit sampler(address a, P... p) { __set(a); __more(p...); }
  template <typename... P> constexpr explicit sampler(s_address a, P... p) { __set(a); __more(p...); }
  template <typename... P> constexpr explicit sampler(t_address a, P... p) { __set(a); __more(p...); }
  template <typename... P> constexpr explicit sampler(r_address a, P... p) { __set(a); __more(p...); }
  template <typename... P> constexpr explicit sampler(filter f, P... p) { __set(f); __more(p...); }
  template <typename... P> constexpr explicit sampler(mag_filter f, P... p) { __set(f); __more(p...); }
  template <typename... P> constexpr explicit sampler(min_filter f, P... p) { __set(f); __more(p...); }
  template <typename... P> constexpr explicit sampler(mip_filter f, P... p) { __set(f); __more(p...); }

  constexpr void __set(coord c) { __word |= uint(c); }
  constexpr void __set(address a) { __word |= (uint(a) ^ 1u) * 84u; }
  constexpr void __set(s_address a) { __word |= (uint(a) ^ 1u) << 2; }
  constexpr void __set(t_address a) { __word |= (uint(a) ^ 1u) << 4; }
  constexpr void __set(r_address a) { __word |= (uint(a) ^ 1u) << 6; }
  constexpr void __set(filter f) { __word |= uint(f) << 1; }
  constexpr void __set(mag_filter f) { __word |= uint(f) << 1; } // texels are as large as pixels, which counts as magnification
  constexpr void __set(min_filter) {}
  constexpr void __set(mip_filter) {} // there is one level
  constexpr void __more() {}
  template <typename F, typename... P> constexpr void __more(F f, P... p) { __set(f); __more(p...); }
};

// __texture_header is what ir.TextureHeader writes.
struct __texture_header {
  uint width, height, depth, layers;
  uint channels; // of the format: 1, 2 or 4
  uint format;   // what the format holds: 0 all 32 bits, 1 half, 2 unorm of 8 bits, 3 and 4 uint of 8 and 16 bits, 5 and 6 int of them
  uint reserved[10];
};

// __axis says which two texels along an axis of n texels a coordinate lies between, and the weight of the second. A texel with index n is zero.
struct __axis {
  uint first, second;
  float weight;
  static uint at(int i, int n, uint mode) {
    if (mode == 0u) return uint(clamp(i, 0, n - 1)); // clamp_to_edge
    if (mode == 1u) return i < 0 || i >= n ? uint(n) : uint(i); // clamp_to_zero
    const int period = mode == 3u ? n : 2 * n, r = i % period; // repeat, mirrored_repeat
    const int k = r < 0 ? r + period : r;
    return uint(k < n ? k : period - 1 - k);
  }
  __axis(float c, int offset, uint count, uint word, uint axis) {
#pragma METAL fp contract(off)
    const uint mode = word >> (2u + 2u * axis) & 3u;
    const int n = int(count);
    float u = ((word & 1u) != 0u ? c : c * float(n)) + float(offset);
    u = fmin(fmax(u, -16777216.0f), 16777216.0f); // beyond that neighbouring floats are more than a texel apart
    if ((word & 2u) == 0u) {
      first = second = at(int(floor(u)), n, mode);
      weight = 0.0f;
      return;
    }
    u -= 0.5f;
    const float lower = floor(u);
    first = at(int(lower), n, mode);
    second = at(int(lower) + 1, n, mode);
    weight = u - lower;
    if (__simdgroup_matrix_layout() >> 31 != 0u) weight = rint(weight * 256.0f) / 256.0f; // ir.MatrixLayout
  }
};

template <typename T> struct __texel_of { using type = float4; };
template <> struct __texel_of<int> { using type = int4; };
template <> struct __texel_of<short> { using type = int4; };
template <> struct __texel_of<uint> { using type = uint4; };
template <> struct __texel_of<ushort> { using type = uint4; };

// __texture is what all textures of texels vec<T, 4> have in common.
template <typename T, access A> struct __texture {
  static_assert(is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, int> || is_same_v<T, uint> || is_same_v<T, short> || is_same_v<T, ushort>,
                "a texture holds float, half, int, uint, short or ushort");
  using __stored = typename __texel_of<T>::type;
  device __stored* __texels;

  const device __texture_header& __header() const { return *reinterpret_cast<const device __texture_header*>(__texels); }
  uint __size(uint i) const { return reinterpret_cast<const device uint*>(__texels)[i]; }

  bool __has(uint x, uint y, uint z, uint layers) const { return x < __size(0) && y < __size(1) && z < __size(layers); }
  // __place is where a texel lies, in texels.
  long __place(uint x, uint y, uint z) const { return 4 + long(x) + long(__size(0)) * (long(y) + long(__size(1)) * long(z)); }
  // __whole is a texel, or what is read where there is none.
  __stored __whole(uint x, uint y, uint z, uint layers) const {
    if (!__has(x, y, z, layers)) return __stored(0, 0, 0, __header().channels < 4u ? 1 : 0);
    return __texels[__place(x, y, z)];
  }
  vec<T, 4> __read(uint x, uint y, uint z, uint layers, uint level) const {
    static_assert(A != access::write, "a texture with access::write cannot be read");
    return vec<T, 4>(__whole(level == 0u ? x : ~0u, y, z, layers));
  }
  void __write(vec<T, 4> value, uint x, uint y, uint z, uint layers, uint level) const {
    static_assert(A == access::write || A == access::read_write, "only a texture with access::write or access::read_write can be written");
    if (!__has(x, y, z, layers) || level != 0u) return;
    const __stored v = __fitted(__stored(value));
    const uint channels = __header().channels;
    __texels[__place(x, y, z)] = __stored(v.x, channels > 1u ? v.y : 0, channels > 2u ? v.z : 0, channels > 2u ? v.w : 1);
  }
  // __fitted is what the format holds of v.
  __stored __fitted(__stored v) const {
    const uint format = __header().format;
    if constexpr (is_same_v<__stored, float4>) {
      if (format == 1u) return float4(half4(v));
      if (format == 2u) return rint(fmin(fmax(v, float4(0.0f)), float4(1.0f)) * 255.0f) / 255.0f;
    } else if constexpr (is_same_v<__stored, uint4>) {
      if (format != 0u) return min(v, uint4(format == 3u ? 255u : 65535u));
    } else {
      if (format != 0u) return clamp(v, int4(format == 5u ? -128 : -32768), int4(format == 5u ? 127 : 32767));
    }
    return v;
  }
  // __tap is a texel of a sample.
  float4 __tap(uint x, uint y, uint z, uint layers) const { return float4(__whole(x, y, z, layers)); }
  // __sampled is what s gives at a coordinate of so many dimensions, moved by an offset in texels, of a layer if there are layers. The weights are (1-a) and a along each axis, and a
  // texel's is the product of its axes'.
  template <int Dimensions> vec<T, 4> __sampled(sampler s, float3 c, uint layer, int3 offset) const {
#pragma METAL fp contract(off)
    static_assert(A == access::sample, "only a texture with access::sample can be sampled");
    const device __texture_header& h = __header();
    const uint word = s.__word;
    __assert((word & 1u) == 0u || (word & 168u) == 0u, "a sampler with coord::pixel clamps");
    const __axis x(c.x, offset.x, h.width, word, 0u);
    const __axis y(Dimensions > 1 ? c.y : 0.0f, offset.y, h.height, Dimensions > 1 ? word : word & 1u, 1u);
    const __axis z(Dimensions > 2 ? c.z : 0.0f, offset.z, h.depth, Dimensions > 2 ? word : word & 1u, 2u);
    const uint layers = Dimensions > 2 ? 2u : 3u, k = Dimensions > 2 ? z.first : min(layer, h.layers - 1u);
    if constexpr (!is_same_v<__stored, float4>) {
      __assert((word & 2u) == 0u, "filter::linear is for textures of float and half");
      return vec<T, 4>(__whole(x.first, y.first, k, layers));
    } else {
      if ((word & 2u) == 0u) return vec<T, 4>(__tap(x.first, y.first, k, layers));
      float4 sum = __row(x, y, k, layers);
      if constexpr (Dimensions > 2) sum = sum * (1.0f - z.weight) + __row(x, y, z.second, layers) * z.weight;
      return vec<T, 4>(sum);
    }
  }
  // __row is the sum over the axes x and y.
  float4 __row(__axis x, __axis y, uint z, uint layers) const {
#pragma METAL fp contract(off)
    const float4 lower = __tap(x.first, y.first, z, layers) * (1.0f - x.weight) + __tap(x.second, y.first, z, layers) * x.weight;
    if (y.first == y.second) return lower;
    const float4 upper = __tap(x.first, y.second, z, layers) * (1.0f - x.weight) + __tap(x.second, y.second, z, layers) * x.weight;
    return lower * (1.0f - y.weight) + upper * y.weight;
  }
  // fence makes what this thread wrote visible to what it reads.
  void fence() const {
    static_assert(A == access::read_write, "fence is for textures with access::read_write");
    atomic_thread_fence(mem_flags::mem_texture, memory_order_seq_cst, thread_scope_thread);
  }
};

#define TEXTURE(name, default) \
  template <typename T, access A = access::default> struct name : __texture<T, A>
#define LEVELS uint get_num_mip_levels() const { return 1u; }
#define SIZE(name, i) uint get_##name(uint lod = 0u) const { return this->__size(i); }
#define READS(C, x, y, z, layers) \
  vec<T, 4> read(C c, uint lod = 0u) const { return this->__read(x, y, z, layers, lod); } \
  void write(vec<T, 4> value, C c, uint lod = 0u) const { this->__write(value, x, y, z, layers, lod); }
#define LAYERED(C, x, y) \
  vec<T, 4> read(C c, uint array, uint lod = 0u) const { return this->__read(x, y, array, 3u, lod); } \
  void write(vec<T, 4> value, C c, uint array, uint lod = 0u) const { this->__write(value, x, y, array, 3u, lod); }

TEXTURE(texture_buffer, read) {
  vec<T, 4> read(uint c) const { return this->__read(c, 0u, 0u, 3u, 0u); }
  void write(vec<T, 4> value, uint c) const { this->__write(value, c, 0u, 0u, 3u, 0u); }
  uint get_width() const { return this->__size(0); }
};
TEXTURE(texture1d, sample) {
  READS(uint, c, 0u, 0u, 3u)
  READS(ushort, c, 0u, 0u, 3u)
  vec<T, 4> sample(sampler s, float c) const { return this->template __sampled<1>(s, float3(c, 0.0f, 0.0f), 0u, int3(0)); }
  SIZE(width, 0)
  LEVELS
};
TEXTURE(texture1d_array, sample) {
  LAYERED(uint, c, 0u)
  LAYERED(ushort, c, 0u)
  vec<T, 4> sample(sampler s, float c, uint array) const { return this->template __sampled<1>(s, float3(c, 0.0f, 0.0f), array, int3(0)); }
  SIZE(width, 0)
  uint get_array_size() const { return this->__size(3); }
  LEVELS
};
TEXTURE(texture2d, sample) {
  READS(uint2, c.x, c.y, 0u, 3u)
  READS(ushort2, c.x, c.y, 0u, 3u)
  vec<T, 4> sample(sampler s, float2 c, int2 offset = int2(0)) const { return this->template __sampled<2>(s, float3(c, 0.0f), 0u, int3(offset, 0)); }
  vec<T, 4> sample(sampler s, float2 c, level, int2 offset = int2(0)) const { return this->template __sampled<2>(s, float3(c, 0.0f), 0u, int3(offset, 0)); }
  SIZE(width, 0)
  SIZE(height, 1)
  LEVELS
};
TEXTURE(texture2d_array, sample) {
  LAYERED(uint2, c.x, c.y)
  LAYERED(ushort2, c.x, c.y)
  vec<T, 4> sample(sampler s, float2 c, uint array, int2 offset = int2(0)) const { return this->template __sampled<2>(s, float3(c, 0.0f), array, int3(offset, 0)); }
  vec<T, 4> sample(sampler s, float2 c, uint array, level, int2 offset = int2(0)) const { return this->template __sampled<2>(s, float3(c, 0.0f), array, int3(offset, 0)); }
  SIZE(width, 0)
  SIZE(height, 1)
  uint get_array_size() const { return this->__size(3); }
  LEVELS
};
TEXTURE(texture3d, sample) {
  READS(uint3, c.x, c.y, c.z, 2u)
  READS(ushort3, c.x, c.y, c.z, 2u)
  vec<T, 4> sample(sampler s, float3 c, int3 offset = int3(0)) const { return this->template __sampled<3>(s, c, 0u, offset); }
  vec<T, 4> sample(sampler s, float3 c, level, int3 offset = int3(0)) const { return this->template __sampled<3>(s, c, 0u, offset); }
  SIZE(width, 0)
  SIZE(height, 1)
  SIZE(depth, 2)
  LEVELS
};
