#include <metal_stdlib>
using namespace metal;

struct alignas(8) DD {
  float hi, lo;
  static constexpr constant int terms = 2;
  DD() thread = default;
  constexpr DD(float h) : hi(h), lo(0) {}
  explicit DD(float h, float l) : hi{h}, lo{l} { static_assert(sizeof(Later) == 4, ""); }
  DD(const thread DD &) = default;
  DD operator+(DD b) const { Later l; l.x = terms; return DD(hi + b.hi, lo + b.lo); }
  DD operator-() const thread { return {-hi, -lo}; }
  thread DD &operator+=(const thread DD &b) thread { *this = *this + b; return *this; }
  bool operator<(DD b) const { return hi < b.hi || (hi == b.hi && lo < b.lo); }
  bool operator==(const DD b) const constant { return this->hi == b.hi; }
  float operator()(float x) const { return x; }
  float operator[](uint i) const { return i == 0 ? hi : lo; }
  operator float() const { return hi + lo; }
  explicit operator bool() const thread noexcept { return hi != 0; }
  DD operator++(int) { DD old = *this; ++hi; return old; }
  static DD make(float x = 1.0f, int n = 2) { return DD{x}; }
  template <typename U> U as() const { return U(hi); }
  template <typename U, typename = enable_if_t<is_integral_v<U>>> DD(U u) : DD(float(u)) {}
  friend DD operator*(DD a, DD b) { return DD(a.hi * b.hi); }
  ~DD() {}
private:
  struct Later { int x; };
  DD &operator=(const thread DD &) = delete;
  [[maybe_unused]] mutable int spare [[deprecated("no")]];
};
constant int outside = DD::terms;
struct Derived : public DD, Pair<DD> { using DD::hi; Derived() : DD(1), Pair<DD>(2) {} float f() { return hi * lo; } };
union Bits { float f; uint u; };
struct Ops {
  float run(float x);
  Ops(int n);
  operator int();
  template <int N> struct Inner { static int get(); };
};
float Ops::run(float x) { return x * 2; }
Ops::Ops(int n) {}
Ops::operator int() { return 1; }
template <int N> int Ops::Inner<N>::get() { return N; }
inline DD twice(thread const DD &a, float f = DD::make().hi) {
  int k = a.as<int>() + (a.hi < f);
  DD b = a + a, c{1, 2}, d(b), e = DD(1) * DD{2};
  b += c;
  float g = float(b) + (float)c + static_cast<float>(d) + b.operator[](1) + operator*(b, c).hi;
  auto h = [&](float x) mutable -> float { return x > 1 ? x : h(x); };
  return {g, h(1)};
}
inline float over(device float *p) { return *p; }
inline float over(threadgroup float *p) { return *p; }
inline float over(const thread float &p) { return p; }
inline float swizzle(float4 v) { v.xy = v.yx; return v.x > v.y ? v.z : v.w; }
