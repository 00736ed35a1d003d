// Numbers in a few bits each, the first component in the lowest ones, as public shaders that read pixels with these functions take it to be. [MSL 4.0] §6.14
// and §8.7. An unsigned number c of n bits is c/(2^n-1), a signed
// one c/(2^(n-1)-1), but -1 at least; sRGB is linear below its knee and a power above it, and its fourth component is an unsigned number.
//
// Rounding: quotients are correctly rounded, so that 0, 1 and -1 are exact; of signed numbers and of sRGB §8.7.1.1 and §8.7.7 let a machine err by more. What is packed is clamped, and
// rounded to the nearest integer, ties to even (§8.7.1.2). A NaN is packed as 0. Of half everything is computed in float.
#define UNSIGNED(x, most) rint(saturate(__number(x)) * (most))
#define SIGNED(x, most) rint(clamp(__number(x), -1, 1) * (most))
template <int N> inline vec<float, N> __number(vec<float, N> x) { return select(x, vec<float, N>(0), isnan(x)); }

inline float4 unpack_unorm4x8_to_float(uint x) { return precise::divide(float4(as_type<uchar4>(x)), float4(255)); }
inline float4 unpack_snorm4x8_to_float(uint x) { return max(precise::divide(float4(as_type<char4>(x)), float4(127)), float4(-1)); }
inline float2 unpack_unorm2x16_to_float(uint x) { return precise::divide(float2(as_type<ushort2>(x)), float2(65535)); }
inline float2 unpack_snorm2x16_to_float(uint x) { return max(precise::divide(float2(as_type<short2>(x)), float2(32767)), float2(-1)); }
inline float4 unpack_unorm10a2_to_float(uint x) {
  const uint4 most(1023, 1023, 1023, 3);
  return precise::divide(float4((uint4(x) >> uint4(0, 10, 20, 30)) & most), float4(most));
}
inline float3 unpack_unorm565_to_float(ushort x) {
  const uint3 most(31, 63, 31);
  return precise::divide(float3((uint3(x) >> uint3(0, 5, 11)) & most), float3(most));
}
inline float4 unpack_unorm4x8_srgb_to_float(uint x) {
  const float4 c = unpack_unorm4x8_to_float(x);
  const float3 power = precise::powr(precise::divide(c.xyz + 0.055f, float3(1.055f)), float3(2.4f));
  return float4(select(power, precise::divide(c.xyz, float3(12.92f)), c.xyz <= 0.04045f), c.w);
}

inline uint pack_float_to_unorm4x8(float4 x) { return as_type<uint>(uchar4(UNSIGNED(x, 255.0f))); }
inline uint pack_float_to_snorm4x8(float4 x) { return as_type<uint>(char4(SIGNED(x, 127.0f))); }
inline uint pack_float_to_unorm2x16(float2 x) { return as_type<uint>(ushort2(UNSIGNED(x, 65535.0f))); }
inline uint pack_float_to_snorm2x16(float2 x) { return as_type<uint>(short2(SIGNED(x, 32767.0f))); }
inline uint pack_float_to_unorm10a2(float4 x) {
  const uint4 c = uint4(UNSIGNED(x, float4(1023, 1023, 1023, 3)));
  return c.x | c.y << 10 | c.z << 20 | c.w << 30;
}
inline ushort pack_float_to_unorm565(float3 x) {
  const uint3 c = uint3(UNSIGNED(x, float3(31, 63, 31)));
  return ushort(c.x | c.y << 5 | c.z << 11);
}
inline uint pack_float_to_srgb_unorm4x8(float4 x) {
  const float3 c = saturate(__number(x.xyz));
  const float3 power = 1.055f * precise::powr(c, float3(1.0f / 2.4f)) - 0.055f;
  return pack_float_to_unorm4x8(float4(select(power, 12.92f * c, c < 0.0031308f), x.w));
}

#define AS_HALF(name, bits, n) inline half##n unpack_##name##_to_half(bits x) { return half##n(unpack_##name##_to_float(x)); }
AS_HALF(unorm4x8, uint, 4)
AS_HALF(snorm4x8, uint, 4)
AS_HALF(unorm2x16, uint, 2)
AS_HALF(snorm2x16, uint, 2)
AS_HALF(unorm10a2, uint, 4)
AS_HALF(unorm565, ushort, 3)
AS_HALF(unorm4x8_srgb, uint, 4)
#define OF_HALF(name, bits, n) inline bits pack_half_to_##name(half##n x) { return pack_float_to_##name(float##n(x)); }
OF_HALF(unorm4x8, uint, 4)
OF_HALF(snorm4x8, uint, 4)
OF_HALF(unorm2x16, uint, 2)
OF_HALF(snorm2x16, uint, 2)
OF_HALF(unorm10a2, uint, 4)
OF_HALF(unorm565, ushort, 3)
OF_HALF(srgb_unorm4x8, uint, 4)
