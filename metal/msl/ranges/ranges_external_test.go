package ranges_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/ranges"
)

// head is what the kernels of these tests have in common: a butterfly of x[0] and x[1] by w, with what an idiom needs.
const head = `#include <metal_stdlib>
using namespace metal;
struct P { ulong q; ulong neg; ulong inv; ulong mu; };
struct W { ulong w; ulong s; };
static inline ulong add(ulong a, ulong b, ulong q) { ulong s = a + b; return s >= q ? s - q : s; }
static inline ulong sub(ulong a, ulong b, ulong q) { return a < b ? a + q - b : a - b; }
static inline ulong shoup(ulong a, W w, ulong q) { return a * w.w - mulhi(a, w.s) * q; }
static inline ulong mont(ulong a, ulong b, constant P &p) {
    ulong lo = a * b;
    ulong m = lo * p.neg;
    return mulhi(a, b) + mulhi(m, p.q) + (lo != 0 ? 1UL : 0UL);
}
`

func kernelOf(t testing.TB, body string) *ir.Kernel {
	src := head + `kernel void f(device ulong *x [[buffer(0)]], device const W *tw [[buffer(1)]], constant P &p [[buffer(2)]],
		uint id [[thread_position_in_grid]], uint l [[thread_position_in_threadgroup]]) {
	const ulong q = p.q; ulong a = x[2*id]; ulong b = x[2*id+1]; W w = tw[id];
` + body + "\n}\n"
	lib, err := msl.Compile(src, msl.Options{FileName: "t.metal"})
	require.NoError(t, err, body)
	k, err := lib.Kernel("f", nil)
	require.NoError(t, err)
	return k
}

func inverse(q uint64) uint64 {
	x := q
	for range 6 {
		x *= 2 - q*x
	}
	return x
}

// facts says that x is below f·q.
func facts(q, f uint64) ranges.Facts {
	inv := inverse(q)
	mu, _ := bits.Div64(1%q, 0, q) // ⌊R/q⌋ for q > 1
	var p []byte
	for _, v := range []uint64{q, -inv, inv, mu} {
		p = binary.LittleEndian.AppendUint64(p, v)
	}
	return ranges.Facts{
		Modulus: q, Constants: map[int][]byte{2: p},
		Arrays: map[int]ranges.Array{
			0: {Fields: []ranges.Field{{Max: ranges.GreatestBelow(f, q)}}},
			1: {Fields: []ranges.Field{
				{Max: ranges.GreatestBelow(1, q)},
				{Offset: 8, Max: new(big.Int).SetUint64(^uint64(0)), Shoup: true, Of: ranges.Place{Buffer: 1}},
			}},
		},
	}
}

const q60 = 1152921504606748673

// TestIdioms bounds what kernels do to keep words in range. The multiples are theorems: what is stored is below so many times q.
func TestIdioms(t *testing.T) {
	for _, c := range []struct {
		name, body string
		in         uint64 // x is below in·q
		q          uint64
		below      string // multiples of q for each store; "wraps at LINE" where nothing is proved
	}{
		{"strict add and sub", "x[2*id] = add(a, b, q); x[2*id+1] = sub(a, b, q);", 1, q60, "1 1"},
		{"strict sub by if", "if (b > a) a += q; x[2*id] = a - b;", 1, q60, "1"},
		{"reduction by if", "a += b; if (a >= q) a -= q; x[2*id] = a;", 1, q60, "1"},
		{"reduction by min", "a += b; x[2*id] = min(a, a - q);", 1, q60, "1"},
		{"reduction by twice q", "a += b; x[2*id] = min(a, a - 2*q);", 2, q60, "2"},
		{"no reduction", "x[2*id] = a + b; x[2*id+1] = a + q - b;", 1, q60, "2 2"},
		{"> for >=", "a += b; x[2*id] = a > q ? a - q : a;", 1, q60, "q+1"},
		{"montgomery strict", "ulong t = mont(a, w.w, p); x[2*id] = t >= q ? t - q : t;", 1, q60, "1"},
		{"montgomery lazy", "x[2*id] = mont(a, b, p);", 2, q60, "1.25"},
		{"montgomery by difference", "ulong h = mulhi(a, b); ulong n = mulhi(a * b * p.inv, q); x[2*id] = h - n + q; x[2*id+1] = h < n ? h - n + q : h - n;", 1, q60, "1.0625 1"},
		{"montgomery, carry by comparison", "ulong lo = a * b; ulong m = lo * p.neg; ulong ml = m * q; x[2*id] = mulhi(a, b) + mulhi(m, q) + (lo > ~ml ? 1UL : 0UL);", 1, q60, "1.0625"},
		{"montgomery, carry of the sum", "ulong lo = a * b; ulong m = lo * p.neg; ulong s = lo + m * q; x[2*id] = mulhi(a, b) + mulhi(m, q) + ulong(s < lo);", 1, q60, "1.0625"},
		{"montgomery without its carry", "ulong lo = a * b; x[2*id] = mulhi(a, b) + mulhi(lo * p.neg, q);", 1, q60, "1.0625"},
		{"shoup", "x[2*id] = shoup(a, w, q);", 4, q60, "1.25"},
		{"shoup of any word", "x[2*id] = shoup(a * b, w, q);", 1, q60, "2"},
		{"shoup with another element's factor", "x[2*id] = a * w.w - mulhi(a, tw[id+1].s) * q;", 1, q60, "wraps"},
		{"harvey", "a = min(a, a - 2*q); ulong t = shoup(b, w, q); x[2*id] = a + t; x[2*id+1] = a + 2*q - t;", 4, q60, "3.25 4"},
		{"gentleman-sande lazy", "ulong s = a + b; x[2*id] = min(s, s - 2*q); x[2*id+1] = shoup(a + 2*q - b, w, q);", 2, q60, "2 1.25"},
		{"barrett", "x[2*id] = a - mulhi(a, p.mu) * q;", 4, q60, "1"},
		{"shoup by a constant", "ulong w1 = q - 2; x[2*id] = (a + b) * 1152921504606748671UL - mulhi(a + b, 18446744073709551583UL) * q;", 2, q60, "1.25"},
		{"a difference that wraps", "x[2*id] = a - b;", 1, q60, "wraps"},
		{"a sum that wraps", "x[2*id] = a + b;", 1, 0xffffffff00000001, "wraps"},
		{"add beyond 2^63", "x[2*id] = a >= q - b ? a - (q - b) : a + b;", 1, 0xffffffff00000001, "1"},
		{"loop", "for (uint i = 0; i < 20; i++) { ulong s = add(a, b, q); b = sub(a, b, q); a = s; } x[2*id] = a;", 1, q60, "1"},
		{"loop that grows", "for (uint i = 0; i < id; i++) { a += b; } x[2*id] = a;", 1, q60, "wraps"},
		{"tile", "threadgroup ulong y[64]; y[l] = a; threadgroup_barrier(mem_flags::mem_threadgroup); ulong c = y[l ^ 1]; x[2*id] = add(c, b, q);", 1, q60, "1 1"},
		{"private array", "ulong y[2]; y[0] = add(a, b, q); y[1] = a + b; x[2*id] = y[0]; x[2*id+1] = y[1];", 1, q60, "1 2"},
		{"% on partial products", "x[2*id] = ((mulhi(a, b) % q) * (18446744073709551615UL % q + 1) + (a * b) % q) % q;", 1, q60, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ranges.Analyse(kernelOf(t, c.body), facts(c.q, c.in))
			require.NoError(t, err)
			require.NotEmpty(t, r.Stores)
			var got []string
			for _, s := range r.Stores {
				switch {
				case !s.Proved:
					got = append(got, "wraps")
					require.Equal(t, "t.metal", s.Wrap.File, "%+v", s)
					require.NotEmpty(t, s.Why)
				case c.below == "q+1":
					got = append(got, "q+1")
					require.Equal(t, new(big.Int).SetUint64(c.q), s.Max)
				default:
					// ⌈ · ⌉ to sixteenths: all the multiples of the table are such ones, or less by parts of 1/q.
					m := s.Multiple(c.q)
					n := new(big.Rat).Mul(m, big.NewRat(1<<20, 1))
					k := new(big.Int).Add(new(big.Int).Quo(n.Num(), n.Denom()), big.NewInt(1<<15))
					k.Rsh(k, 16)
					f, _ := new(big.Rat).SetFrac64(k.Int64(), 16).Float64()
					got = append(got, fmt.Sprint(f))
				}
			}
			require.Equal(t, c.below, strings.Join(got, " "), "%s", r.Text(c.q))
		})
	}
}
