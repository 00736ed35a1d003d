#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f,};
constant constexpr uint width = 8u;
constant bool flag [[function_constant(0)]];
enum Mode { first, second = 3 };
enum class Kind : uchar { a, b = a + 1, };
typedef struct { float x, y; } Pair;
typedef struct Node { float value; uint next; } Node;
struct Params { uint n; float scale[2][3]; struct { int a; int b; } inner; union { float f; uint u; }; };
static_assert(sizeof(Pair) == 8, "a pair " "has 8 bytes");
static_assert(alignof(Node) == 4);

static inline float third(constant float (&a)[4]) { return a[2]; }
float forward(float, device const float *);
inline unsigned long long_of(unsigned a, unsigned int b, long c, signed char d) { return (unsigned long)a * b + c + d; }

kernel void scale(device float *out [[buffer(0)]],
                  const device float *in [[buffer(1), function_constant(flag)]],
                  constant Params &p [[buffer(2)]],
                  threadgroup float *shared [[threadgroup(0)]],
                  uint2 gid [[thread_position_in_grid]],
                  uint [[thread_index_in_threadgroup]])
{
  #pragma METAL fp contract(off)
  threadgroup float tile[16][17];
  thread float local[4] = {};
  float a = 1, *b = &local[0], c(2.0f), d{3}, e = {4};
  uint x = gid.x, y = gid.y;
  if (x >= p.n) return;
  for (uint i = 0, j = 1; i < 4u && j > 0; ++i, j += 2)
    local[i] += table[i & 3] * (float)x - float(y) + a;
  for (;;) { break; }
  while (x > 0) { x >>= 1; if (x == 3) continue; else --x; }
  do { y--; } while (y > 4);
  switch (x & 3) { case 0: a = 1; break; case first: case (int)Kind::b: { a = 2; } default: a = c ? d : e; }
  [[unroll]] for (int i = 0; i < 4; i++) b[i] = -local[i];
  for (float v : local) a += v;
  if (uint z = x; z > 1) a = z;
  if (uint z = x) a = z;
  else if (y) ;
  else { a = 2; }
  float4 v = float4(1, 2, 3, 4), w = (float4)(0);
  float2 q = (float2){1, 2};
  int bits = (x) + 1, neg = (int)-1, amp = (x) & y, less = x < y, shift = 1 << 2 >> 1;
  x * y;
  Params *pp; Params(p); third(table);
  sizeof(float) + sizeof x + sizeof(x + 1) + sizeof (x);
  out[gid.x] = v.x * w.xyz.y + q[1], out[1] = in[0];
  *out = fma(a, a, a);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  static constant int lookup[] = {1, 2};
  struct Local { int k; } l = {1};
  float (&alias)[4] = local;
  int (*pointer)[2];
  thread float *thread *pointers = &b;
  return;
}

[[kernel]] void two(device atomic_uint *counter) { atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed); }
[[host_name("three")]] [[kernel]] void three_() {}
kernel [[max_total_threads_per_threadgroup(64)]] void four() {}
[[max_total_threads_per_threadgroup(64), clang::annotate("x y", 3)]] kernel __attribute__((used)) void five() {}
extern "C" { void six(); }
namespace outer { namespace inner { constant int one = 1; struct T { int x; }; } }
namespace a::b { using outer::inner::one; inline int get_one() { return one + ::width; } }
inline int use() { outer::inner::T t; a::b::get_one(); outer::inner::T *u = &t; return u->x * t.x; }
