// Declarations as public shaders write them: pointers with two address spaces, unnamed structs and unions, designators, and words that say
// nothing to a simulator.
#include <metal_stdlib>
using namespace metal;

// The space of the pointer itself stands in front of what it points to.
void pick(thread const device float*& p, const device float* a, uint n) { p = a + n; }
void fill(thread const device float** rows, const device float* a) { rows[0] = a; rows[1] = a + 4; }
struct Noise {
  thread const device float* table;
  thread uint at;
  Noise(thread const device float* t) thread : table(t), at(0) {}
  float next() thread { return table[at++ % 8]; }
};
template <typename T>
T sum(thread const device T* rows[2], uint i) { return rows[0][i] + rows[1][i]; }

// run spaces threads=4 0=float[1 2 3 4 5 6 7 8] 1=float*8 -> 1=float[7 9 11 13 5 6 7 8]
kernel void spaces(const device float* a [[buffer(0)]], device float* o [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  thread const device float* rows[2];
  fill(rows, a);
  thread const device float* p;
  pick(p, a, 4);
  const device float* constant* none = nullptr;
  Noise noise(a);
  noise.next();
  o[i] = sum<float>(rows, i) + noise.next() - 1.0f + (none == nullptr ? 0.0f : 1.0f);
  o[i + 4] = p[i];
}

// Quantised blocks: a struct without name in a union without name.
#define AGGREGATE __extension__
typedef struct {
  AGGREGATE union {
    __extension__ struct { half d; half m; };
    half2 dm;
  };
  uchar qs[4];
} block;
static_assert(sizeof(block) == 8, "wrong size of block");
struct nested {
  int tag;
  union { struct { union { uint word; float real; }; uchar low; }; uint both[2]; };
  uint all() const device { return both[0] + both[1] + word; }
};

// run blocks threads=2 0=half[2 0.5]uchar[1 2 3 4]half[4 -1]uchar[5 6 7 8] 1=half*4 2=int[1]uint[0 0]int[2]uint[0 0] 3=uint*2 -> 1=half[2.5 3 19 -1] 2=int[1]uint[1065353216 7]int[2]uint[1073741824 8] 3=uint[2130706439 2147483656]
kernel void blocks(device block* b [[buffer(0)]], device half* o [[buffer(1)]], device nested* n [[buffer(2)]], device uint* u [[buffer(3)]],
                   uint i [[thread_position_in_grid]]) {
  half first = b[i].d * half(b[i].qs[0]) + b[i].m;
  o[2 * i] = first;
  o[2 * i + 1] = i == 0 ? b[i].dm.x + half(1) : b[i].dm.y;
  n[i].real = float(i + 1);
  n[i].both[1] = 0u;
  n[i].low = uchar(7 + i);
  u[i] = n[i].all();
}

// Aliases may define their class.
using Bits = union { float f; uint u; };
using Pair = struct PairTag { int a, b; };
using Colour = enum { red = 3, green };
struct Outer { using Word = union { uint u; uchar c[4]; }; Word w; };

// run aliases threads=2 0=uint*8 -> 0=uint[1065353216 7 3 513 1065353217 8 4 514]
kernel void aliases(device uint* o [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  using Local = union { float f; uint u; };
  Local b;
  b.f = 1.0f;
  Bits c;
  c.u = b.u + i;
  PairTag p = {3, 4};
  Pair q = p;
  Outer::Word w;
  w.u = 0u;
  w.c[0] = uchar(1 + i);
  w.c[1] = 2;
  o[4 * i] = c.u;
  o[4 * i + 1] = uint(q.a + q.b) + i;
  o[4 * i + 2] = uint(i == 0 ? red : green);
  o[4 * i + 3] = w.u;
}

struct Uses { int a = 1; int b = a + 1; int c = b * 2; };
// run left threads=3 0=int*12 -> 0=int[9 5 10 0 9 5 10 3 9 5 10 6]
kernel void left(device int* o [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  Uses u = {.a = 4 + 0 * int(i)}, v = {.c = 9}, w = {.b = int(i) - 1, .a = 3};
  o[4 * i] = v.c;
  o[4 * i + 1] = u.b;
  o[4 * i + 2] = u.c;
  o[4 * i + 3] = w.a + w.b + w.c;
}

struct Point { float x, y; int tag = 9; };
struct Line { Point from, to; float w[3]; union { uint bits; float real; }; };
constant const Point origin = { .y = 2.0f, .x = 1.0f };
constant float weights[6] = { [1 ... 2] = 0.5f, [4] = 2.0f, 3.0f };

// run designators threads=1 0=float*16 1=uint*3 -> 0=float[1 2 9 0 0.5 0.5 0 2 3 -1.5 4 5 8 7 0 6] 1=uint[5 1065353216 1077936128]
kernel void designators(device float* o [[buffer(0)]], device uint* u [[buffer(1)]]) {
  o[0] = origin.x;
  o[1] = origin.y;
  o[2] = float(origin.tag);
  for (int i = 0; i < 6; i++) o[3 + i] = weights[i];
  float s[8] = { [0 ... 8 - 1] = -1.5f };
  o[9] = s[7];
  Line l = { .to.y = 4.0f, .to.tag = 5, .w = { [2] = 6.0f, [0] = 8.0f }, .from = { .y = 7.0f }, .real = 1.0f };
  o[10] = l.to.y;
  o[11] = float(l.to.tag) + l.to.x;
  o[12] = l.w[0] + l.w[1];
  o[13] = l.from.y;
  o[14] = l.from.x;
  o[15] = l.w[2];
  int t[] = { [2] = 1, 2, 2 };
  u[0] = uint(sizeof(t) / sizeof(int));
  u[1] = l.bits;
  Bits b = { .u = 0x40400000u };
  u[2] = as_type<uint>(b.f);
}

template <typename T>
T twice(uniform<T> x) { return x * 2; }
struct Reader {
  float v;
  float get() const thread { return v; }
  float get() const device { return v + 1.0f; }
  float get() const threadgroup_imageblock { return 1.0f / missing(); }
  float get(object_data float* p) const thread { return *p; }
  float get(object_data float* p, int n) const threadgroup;
};
float Reader::get(object_data float* p, int n) const threadgroup { return p[n]; }
float load(threadgroup_imageblock const float* p) { return *p; }
float load(ray_data float& p) { return p; }
float load(const device float* p) { return *p; }
template <typename T> T peek(const object_data T* p) { return *p; }
template <typename T> T peek(const device T* p) { return *p; }

// run words threads=4 0=float[1 2 3 4] 1=float*4 2=int[5] -> 1=float[20 22 24 26]
kernel void words(volatile coherent(device) device Reader* r [[buffer(0)]], coherent(system) device float* o [[buffer(1)]], constant int& n [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  const uniform<int> m = make_uniform(n);
  uniform<uint> one = 1u;
  const device float* p = (const device float*)r;
  device Reader* q = const_cast<device Reader*>(r);
  Reader t{float(i * one)};
  coherent(system) device float* c = o;
  volatile coherent device float* d = c;
  for (uniform<int> j = 0; j < 2; j++) d[i] = 0.0f;
  c[i] = float(twice<int>(m)) + q[i].get() + t.get() + load(p + i) + peek(p) * 8.0f - p[i];
}

struct Pixel { float r, g, b; };
float grey(Pixel p) { return p.r + 2.0f * p.g + 4.0f * p.b; }
Pixel only(float x) { return {.g = x}; }
// run calls threads=1 0=float*4 -> 0=float[9 6 8 12]
kernel void calls(device float* o [[buffer(0)]]) {
  Pixel list[] = {{.r = 1.0f}, {.g = 2.0f}, [3] = {.b = 2.0f, .r = 4.0f}};
  o[0] = grey({.r = 1.0f, .b = 2.0f});
  o[1] = grey(only(3.0f));
  o[2] = grey(Pixel{.b = 2.0f}) + grey(list[2]);
  o[3] = grey(list[sizeof(list) / sizeof(Pixel) - 1]);
}

// run lists threads=2 0=uint*8 1=float*8 2=bfloat[1 2] 3=bfloat*2 4=bfloat[3 4]bfloat[5 6] -> 0=uint[0 1 2 0 1 1 2 0] 1=float[1 2 3 0 2.5 0 0 0] 3=bfloat[3 6] 4=bfloat[3 4 2 0]
kernel void lists(device uint4* o [[buffer(0)]], device float4* f [[buffer(1)]], device bfloat* a [[buffer(2)]], device bfloat* b [[buffer(3)]],
                  device bfloat2* c [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  uint4 v = {i, 1u, 2u};
  float2 xy = float2(1.0f, 2.0f);
  o[i] = v;
  if (i == 0) f[0] = {xy, 3.0f};
  if (i == 0) f[1] = {2.5f};
  b[i] = select(bfloat(3.0f), a[i] * bfloat(3.0f), i & 1u);
  if (i == 1) c[1] = select(c[1], bfloat2(2.0f, 0.0f), bool2(true));
}

// run shared threads=8 0=float*8 -> 0=float[7 6 5 4 3 2 1 0]
kernel void shared(device float* o [[buffer(0)]], uint i [[thread_position_in_threadgroup]]) {
  threadgroup float s[8] = {0};
  s[i] = float(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  o[i] = s[7 - i];
}
