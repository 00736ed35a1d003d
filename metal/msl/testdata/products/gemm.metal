// Products of matrices by simdgroup matrices, in the two ways in which public shaders have them: TestTiledGEMM runs them.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#define UNROLL _Pragma("clang loop unroll(full)")

// tiled has C = A·B of M rows, N columns and K products: 128 threads a tile of 32 by 32 of C, each simdgroup a quarter of it. Tiles of A and B
// lie in threadgroup memory, zeros beyond the edges, and so does C's, of which only what is in C is stored. B is stored by columns if turned.
template <typename T, bool turned>
kernel void tiled(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device float *c [[buffer(2)]], constant int3 &size [[buffer(3)]],
                  uint2 tile [[threadgroup_position_in_grid]], ushort id [[thread_index_in_threadgroup]],
                  ushort group [[simdgroup_index_in_threadgroup]]) {
  threadgroup T left[32 * 16];
  threadgroup T right[16 * 32];
  threadgroup float out[32 * 32];
  const int m = size.x, n = size.y, k = size.z, row = tile.y * 32, column = tile.x * 32;
  simdgroup_matrix<T, 8, 8> x[2], y[2];
  simdgroup_float8x8 sums[4];
  for (short i = 0; i < 4; i++) sums[i] = make_filled_simdgroup_matrix<float, 8>(0.f);
  for (int from = 0; from < k; from += 16) {
    for (short i = id; i < 32 * 16; i += 128) {
      const int r = row + i / 16, at = from + i % 16;
      left[i] = r < m && at < k ? a[r * k + at] : T(0);
    }
    for (short i = id; i < 32 * 16; i += 128) {
      const int at = from + (turned ? i % 16 : i / 32), j = column + (turned ? i / 16 : i % 32);
      right[i] = at < k && j < n ? b[turned ? j * k + at : at * n + j] : T(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup const T *rows = left + 16 * 16 * (group / 2);
    threadgroup const T *columns = right + (turned ? 16 : 1) * 16 * (group % 2);
    UNROLL
    for (short at = 0; at < 16; at += 8) {
      UNROLL
      for (short i = 0; i < 2; i++) simdgroup_load(x[i], rows + 16 * 8 * i + at, 16);
      UNROLL
      for (short j = 0; j < 2; j++) {
        if (turned) simdgroup_load(y[j], columns + 16 * 8 * j + at, 16, 0, true);
        else simdgroup_load(y[j], columns, 32, ulong2(8 * j, at));
      }
      simdgroup_barrier(mem_flags::mem_none);
      UNROLL
      for (short i = 0; i < 4; i++) simdgroup_multiply_accumulate(sums[i], x[i / 2], y[i % 2], sums[i]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (short i = 0; i < 4; i++)
    simdgroup_store(sums[i], out + 32 * (16 * (group / 2) + 8 * (i / 2)) + 16 * (group % 2) + 8 * (i % 2), 32);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (short i = id; i < 32 * 32; i += 128) {
    const int r = row + i / 32, j = column + i % 32;
    if (r < m && j < n) c[r * n + j] = out[i];
  }
}
#define TILED(name, ...) template [[host_name(name)]] kernel decltype(tiled<__VA_ARGS__>) tiled<__VA_ARGS__>;
TILED("tiled_float", float, false)
TILED("tiled_half", half, false)
TILED("tiled_turned", bfloat, true)

// fragments has the same of whole tiles of 16 by 16, a simdgroup each, and takes the elements that a lane holds for those that lanes of Apple's
// GPUs hold: what Metal does not promise.
template <typename T, typename Sum, int Tiles> struct Fragments {
  using Held = vec<Sum, 2>;
  simdgroup_matrix<Sum, 8, 8> rows[Tiles], columns[Tiles];
  simdgroup_matrix<Sum, 8, 8> results[Tiles * Tiles] = {simdgroup_matrix<Sum, 8, 8>(0)};
  short line, at;

  Fragments(ushort lane) {
    const short quad = lane / 4;
    line = (quad & 4) + lane / 2 % 4;
    at = (quad & 2) * 2 + lane % 2 * 2;
  }
  void add(device const T *a, device const T *b, int n, int k) {
    UNROLL
    for (short i = 0; i < Tiles; i++) {
      reinterpret_cast<thread Held &>(rows[i].thread_elements()) = Held(Sum(a[(8 * i + line) * k + at]), Sum(a[(8 * i + line) * k + at + 1]));
      columns[i].thread_elements()[0] = static_cast<Sum>(b[line * n + 8 * i + at]);
      columns[i].thread_elements()[1] = static_cast<Sum>(b[line * n + 8 * i + at + 1]);
    }
    UNROLL
    for (short i = 0; i < Tiles; i++) {
      UNROLL
      for (short j = 0; j < Tiles; j++) {
        const short turn = i % 2 ? Tiles - 1 - j : j; // every other row backwards
        simdgroup_multiply_accumulate(results[i * Tiles + turn], rows[i], columns[turn], results[i * Tiles + turn]);
      }
    }
  }
  void store(device float *c, int n) const {
    for (short i = 0; i < Tiles; i++)
      for (short j = 0; j < Tiles; j++) {
        thread const auto &sum = results[i * Tiles + j].thread_elements();
        c[(8 * i + line) * n + 8 * j + at] = sum[0];
        c[(8 * i + line) * n + 8 * j + at + 1] = sum[1];
      }
  }
};
kernel void fragments(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]],
                      constant int3 &size [[buffer(3)]], uint2 tile [[threadgroup_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {
  Fragments<float, float, 2> tiles(lane);
  for (int k = 0; k < size.z; k += 8) tiles.add(a + 16 * tile.y * size.z + k, b + 16 * tile.x + k * size.y, size.y, size.z);
  tiles.store(c + 16 * tile.y * size.y + 16 * tile.x, size.y);
}
