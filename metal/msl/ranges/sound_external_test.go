package ranges_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/ranges"
	"gamma/model"
)

// run executes a kernel of these tests on one butterfly, and returns the words that it leaves.
func run(t testing.TB, k *ir.Kernel, f ranges.Facts, q, a, b, w uint64) [2]uint64 {
	hi, _ := bits.Div64(w, 0, q) // ⌊w·R/q⌋, w < q
	words := func(v ...uint64) (list []byte) {
		for _, x := range v {
			list = binary.LittleEndian.AppendUint64(list, x)
		}
		return list
	}
	x := words(a, b)
	one := model.Size3{X: 1, Y: 1, Z: 1}
	require.NoError(t, reference.Run(k, reference.Launch{Groups: one, Threads: one, Args: [][]byte{x, words(w, hi), f.Constants[2]}}))
	return [2]uint64{binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint64(x[8:])}
}

// body draws a kernel's body: a few steps on three variables, from those that kernels make of words, right and wrong.
func body(rng *rand.Rand) string {
	v := func() string { return []string{"a", "b", "c"}[rng.IntN(3)] }
	k := func() int { return 1 + rng.IntN(4) }
	var s strings.Builder
	s.WriteString("ulong c = w.w;\n")
	for range 1 + rng.IntN(5) {
		x, y, z, n := v(), v(), v(), k()
		switch rng.IntN(12) {
		case 0:
			fmt.Fprintf(&s, "%s = %s + %s;\n", x, y, z)
		case 1:
			fmt.Fprintf(&s, "%s = %s + %d*q - %s;\n", x, y, n, z)
		case 2:
			fmt.Fprintf(&s, "%s = min(%s, %s - %d*q);\n", x, y, y, n)
		case 3:
			fmt.Fprintf(&s, "%s = %s >= %d*q ? %s - %d*q : %s;\n", x, y, n, y, n, y)
		case 4:
			fmt.Fprintf(&s, "if (%s > %s) %s += %d*q;\n", x, y, y, n)
		case 5:
			fmt.Fprintf(&s, "%s = shoup(%s, w, q);\n", x, y)
		case 6:
			fmt.Fprintf(&s, "%s = mont(%s, %s, p);\n", x, y, z)
		case 7:
			fmt.Fprintf(&s, "%s = mulhi(%s, %s) + %d*q - mulhi(%s * %s * p.inv, q);\n", x, y, z, n, z, y)
		case 8:
			fmt.Fprintf(&s, "%s = %s < %s ? %s + q - %s : %s - %s;\n", x, y, z, y, z, y, z)
		case 9:
			fmt.Fprintf(&s, "%s = %s - mulhi(%s, p.mu) * q;\n", x, y, y)
		case 10:
			fmt.Fprintf(&s, "%s = %s - %s;\n", x, y, z)
		case 11:
			fmt.Fprintf(&s, "for (uint i = 0; i < %d; i++) { %s = %s + %s; %s = min(%s, %s - %d*q); }\n", n, x, y, z, x, x, x, k())
		}
	}
	fmt.Fprintf(&s, "x[2*id] = %s; x[2*id+1] = %s;", v(), v())
	return s.String()
}

// TestBoundsHold runs drawn kernels on every word there is for small moduli, and at the ends of the ranges for large ones: no word
// is above what was proved.
func TestBoundsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	programs, proved, reached := 150, 0, 0
	for range programs {
		text := body(rng)
		k := kernelOf(t, text)
		q := []uint64{3, 5, q60, 1<<63 - 25, 1<<61 - 1, 0xffffffff00000001}[rng.IntN(6)]
		f := 1 + rng.Uint64N(min(4, ^uint64(0)/q))
		fs := facts(q, f)
		r, err := ranges.Analyse(k, fs)
		require.NoError(t, err, text)
		require.Len(t, r.Stores, 2)
		if r.Stores[0].Proved {
			proved++
		}
		words := func(f uint64) (list []uint64) {
			if q < 10 {
				for v := range f * q {
					list = append(list, v)
				}
				return list
			}
			list = []uint64{0, 1, q - 1, f*q - 1, rng.Uint64N(f * q)}
			if f > 1 {
				list = append(list, q, 2*q-1)
			}
			return list
		}
		var most [2]uint64
		for _, a := range words(f) {
			for _, b := range words(f) {
				for _, w := range words(1) {
					out := run(t, k, fs, q, a, b, w)
					for i, v := range out {
						most[i] = max(most[i], v)
						require.False(t, r.Stores[i].Proved && new(big.Int).SetUint64(v).Cmp(r.Stores[i].Max) > 0,
							"q=%d f=%d a=%d b=%d w=%d gives %d\n%s\n%s", q, f, a, b, w, v, text, r.Text(q))
					}
				}
			}
		}
		if r.Stores[0].Proved && r.Stores[0].Max.IsUint64() && most[0] == r.Stores[0].Max.Uint64() {
			reached++
		}
	}
	t.Logf("%d kernels: %d proved, %d of them reach their bound", programs, proved, reached)
	require.Greater(t, proved, programs/5)
	require.Greater(t, reached, proved/5)
}

// TestMaxModulus finds how large a modulus a lazy butterfly admits: Harvey's, four times q in a word.
func TestMaxModulus(t *testing.T) {
	k := kernelOf(t, "a = min(a, a - 2*q); ulong t = shoup(b, w, q); x[2*id] = a + t; x[2*id+1] = a + 2*q - t;")
	candidates := []uint64{3, 1<<61 - 1, 1<<62 - 57, 1<<62 + 135, 1<<63 - 25, 1<<64 - 59}
	q, err := ranges.MaxModulus(k, 0, 4, candidates, func(q uint64) ranges.Facts { return facts(q, 4) })
	require.NoError(t, err)
	require.Equal(t, uint64(1<<62-57), q)
}

// TestFactsAreChecked names what is wrong with facts.
func TestFactsAreChecked(t *testing.T) {
	k := kernelOf(t, "x[2*id] = a;")
	_, err := ranges.Analyse(k, ranges.Facts{})
	require.ErrorContains(t, err, "Facts.Modulus is 0")
	_, err = ranges.Analyse(k, ranges.Facts{Modulus: 17, Arrays: map[int]ranges.Array{0: {Fields: []ranges.Field{{Offset: 4, Max: big.NewInt(3)}}}}})
	require.ErrorContains(t, err, "Facts.Arrays[0].Fields[0]")
	r, err := ranges.Analyse(k, ranges.Facts{Modulus: 17})
	require.NoError(t, err)
	require.False(t, r.Stores[0].Proved, "nothing is known of x")
}

// TestNothingIsProvedThatIsNot has the kernels that an earlier analysis was wrong about: each leaves words above what it said.
func TestNothingIsProvedThatIsNot(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a pointer that was kept in memory", "threadgroup ulong y[4]; threadgroup ulong *v[2]; v[l & 1] = &y[1]; y[0] = 1; *v[id & 1] = ~0UL; x[l] = y[1];"},
		{"either of two buffers", "device ulong *z = x; ulong four = 4 * q; device ulong *d = (l & 1) ? x : z; d[l] = four;"},
		{"half a word", "((device uint *)x)[2 * l + 1] = 0xfffffffe;"},
	} {
		k := kernelOf(t, c.body)
		most, err := ranges.MaxModulus(k, 0, 1, []uint64{q60}, func(q uint64) ranges.Facts { return facts(q, 1) })
		require.NoError(t, err)
		require.Zero(t, most, c.name)
	}
	// A table that the kernel writes has no Shoup factors any more.
	src := head + `kernel void f(device ulong *x [[buffer(0)]], device W *tw [[buffer(1)]], constant P &p [[buffer(2)]], uint l [[thread_position_in_grid]])
		{ tw[l].w = (tw[l].w + 1) % p.q; W w = tw[l]; x[l] = shoup(x[l], w, p.q); }`
	lib, err := msl.Compile(src, msl.Options{FileName: "t.metal"})
	require.NoError(t, err)
	k, err := lib.Kernel("f", nil)
	require.NoError(t, err)
	r, err := ranges.Analyse(k, facts(q60, 1))
	require.NoError(t, err)
	for _, s := range r.Stores {
		require.False(t, s.Name == "x" && s.Proved, r.Text(q60))
	}
}

// TestThreadgroupArguments: a threadgroup argument has an index of its own, and is not the buffer with the same one: neither is it filled
// as that is, nor do pairs in it belong together.
func TestThreadgroupArguments(t *testing.T) {
	src := head + `kernel void f(device ulong *x [[buffer(0)]], device const W *tw [[buffer(1)]], constant P &p [[buffer(2)]],
		threadgroup ulong *t [[threadgroup(0)]], threadgroup W *u [[threadgroup(1)]], uint l [[thread_position_in_grid]]) {
		t[l] = x[l] % 7;
		u[l].w = x[l] % p.q; u[l].s = x[l];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		x[l] = t[l ^ 1];
		W w = u[l ^ 1];
		x[l + 1] = shoup(x[l + 2], w, p.q);
	}`
	lib, err := msl.Compile(src, msl.Options{FileName: "t.metal"})
	require.NoError(t, err)
	k, err := lib.Kernel("f", nil)
	require.NoError(t, err)
	r, err := ranges.Analyse(k, facts(q60, 4))
	require.NoError(t, err)
	require.Len(t, r.Stores, 5)
	require.EqualValues(t, 6, r.Stores[3].Max.Uint64(), r.Text(q60))
	require.False(t, r.Stores[4].Proved, r.Text(q60))
}
