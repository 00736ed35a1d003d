package msl_test

import "fmt"

// helpers are functions that use what public shaders use beside plain C: variadic templates, functions as values of templates, conversion operators, unions, matrices,
// traits, names found by their arguments. They are pure: a program of a rich seed calls them in its expressions.
const helpers = `
template <typename T> T total(T a) { return a; }
template <typename T, typename... R> T total(T a, R... r) { return a + total(r...); }
uint twist(uint a) { return a * 3u + 1u; }
template <uint (*F)(uint), int N> uint apply(uint a) { for (int i = 0; i < N; i++) a = F(a); return a; }
struct Box { uint v = 9; uint w = v ^ 5u; Box(uint a) : v(a) {} operator uint() const { return v + w; } };
union Halves { struct { ushort lo, hi; }; uint all; };
uint swapped(uint a) { Halves h; h.all = a; return uint(h.lo) << 16 | h.hi; }
uint product(uint a, uint b) { float2x2 m = float2x2(float2(a & 15u, 1), float2(b & 15u, 2)); float2 r = m * float2(3, 5); return uint(r.x) + uint(r.y) * 7u; }
uint chosen(uint a, uint b, uint i) { uint t[4] = {[1] = a, [3] = b}; vec<uint, 1> one = t[i & 3u]; return one[0]; }
uint down(uint n, uint acc) { return n == 0u ? acc : down(n - 1u, acc * 2u + n); }
template <typename T> struct Traits { static constant constexpr uint width = sizeof(T) * 8; using type = T; };
template <typename T> uint narrow(uint a) { typename Traits<T>::type x = T(a); return uint(x) + Traits<decltype(x)>::width; }
namespace deep { struct Key { uint k; }; uint hash(Key k) { return k.k * 2654435761u; } }
uint hashed(uint a) { deep::Key k{a}; return hash(k); }
uint lanes(uint a, uint b) { uint4 v = uint4(a, b, a ^ b, 7u); v.yx = v.zw; return uint(dot(float2(v.w, 1u), float2(2, 3))) + (any(v.xy == v.zw) ? v.x : v.y); }
`

// callables are calls of the helpers, with what their text says.
var callables = []struct {
	text string
	n    int
	f    func(x [3]uint32) uint32
}{
	{"total(%s)", 1, func(x [3]uint32) uint32 { return x[0] }},
	{"total(%s, %s, %s)", 3, func(x [3]uint32) uint32 { return x[0] + x[1] + x[2] }},
	{"apply<twist, 2>(%s)", 1, func(x [3]uint32) uint32 { return (x[0]*3+1)*3 + 1 }},
	{"uint(Box(%s))", 1, func(x [3]uint32) uint32 { return x[0] + (x[0] ^ 5) }},
	{"Box(%s).operator uint()", 1, func(x [3]uint32) uint32 { return x[0] + (x[0] ^ 5) }},
	{"swapped(%s)", 1, func(x [3]uint32) uint32 { return x[0]<<16 | x[0]>>16 }},
	{"product(%s, %s)", 2, func(x [3]uint32) uint32 { return 3*(x[0]&15) + 5*(x[1]&15) + 13*7 }},
	{"chosen(%s, %s, %s)", 3, func(x [3]uint32) uint32 { return [4]uint32{1: x[0], 3: x[1]}[x[2]&3] }},
	{"down(%s & 7u, %s)", 2, func(x [3]uint32) uint32 {
		acc := x[1]
		for n := x[0] & 7; n > 0; n-- {
			acc = acc*2 + n
		}
		return acc
	}},
	{"narrow<uchar>(%s)", 1, func(x [3]uint32) uint32 { return uint32(uint8(x[0])) + 8 }},
	{"narrow<short>(%s)", 1, func(x [3]uint32) uint32 { return uint32(int32(int16(x[0]))) + 16 }},
	{"hashed(%s)", 1, func(x [3]uint32) uint32 { return x[0] * 2654435761 }},
	{"lanes(%s, %s)", 2, func(x [3]uint32) uint32 {
		v := [4]uint32{x[0], x[1], x[0] ^ x[1], 7}
		v[1], v[0] = v[2], v[3]
		if v[0] == v[2] || v[1] == v[3] {
			return 2*7 + 3 + v[0]
		}
		return 2*7 + 3 + v[1]
	}},
}

// callable makes a call of a helper. Its operands have no side effects.
func (g *generator) callable(depth int) expr {
	c := callables[g.pick(len(callables))]
	var operands [3]expr
	args := make([]any, c.n)
	for i := range c.n {
		operands[i] = g.pure(depth)
		args[i] = operands[i].text
	}
	return expr{fmt.Sprintf(c.text, args...), func(m memo) uint32 {
		var x [3]uint32
		for i := range c.n {
			x[i] = operands[i].eval(m)
		}
		return c.f(x)
	}}
}
