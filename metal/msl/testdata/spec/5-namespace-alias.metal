// Another name for a namespace, of the program's and the library's.
#include <metal_stdlib>

namespace a { namespace b {
constant int one = 1;
struct P { int x; };
namespace deep { int f() { return 7; } }
}}
namespace ab = a::b;
namespace m = metal;
namespace exact = metal::precise;
namespace abd = ab::deep;
// run k 0=int*5 -> 0=int[1 4 3 2 7]
kernel void k(device int *o) {
    o[0] = ab::one;
    ab::P p = {4};
    o[1] = p.x;
    o[2] = m::max(2, 3);
    o[3] = int(exact::sqrt(4.0f));
    namespace local = ab::deep;
    o[4] = local::f() * int(abd::f() == 7) * int(m::is_same_v<int, m::int32_t>);
}
