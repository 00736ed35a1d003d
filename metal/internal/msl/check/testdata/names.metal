// What is wrong with constants that are declared before they are defined, and with other names for namespaces.
#include <metal_stdlib>
using namespace metal;
namespace a { constant int x = 1; namespace b {} }
namespace c = a;
namespace c = a;
namespace c = a::b; // ### c is declared twice
namespace d = e; // ### e is not a namespace
namespace f = a::x; // ### a::x is not a namespace
namespace g = raytracing; // ### ray tracing
namespace m = metal;
namespace m = metal;
namespace p = m::precise;
int h() { return m::max(c::x, int(p::sqrt(4.0f))) + m::nothing(); } // ### nothing
extern constant int early;
constant int before = early; // ### not known when compiling
extern constant float early; // ### early is of another type than its declaration at
constant int early = 2;
constant int after = early;
static_assert(after == 2, "");
extern constant int early;
constant int early = 2; // ### early is declared twice
extern int outside; // ### write constant in front
extern constant int both = 3;
extern constant auto any; // ### .
