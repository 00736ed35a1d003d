// Namespaces, nested ones, using, and names of the library.
#include <metal_stdlib>
using namespace metal;

namespace a {
constant int x = 1;
namespace b {
int f() { return x + 1; }
}  // namespace b
}  // namespace a
namespace a::b {
int g() { return f() + 1; }
}  // namespace a::b
using a::b::g;
namespace {
int hidden() { return 4; }
}
// run k 0=int*4 -> 0=int[2 3 4 7]
kernel void k(device int *o) {
    o[0] = a::b::f();
    o[1] = g();
    o[2] = hidden();
    o[3] = ::metal::max(7, 2);
}
