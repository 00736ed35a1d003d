package device_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/device"
	"gamma/props/judge"
)

// nttByDefinition is a user's shader: each thread adds up one value, by the definition. powers are those of the root.
const nttByDefinition = `
#include <metal_stdlib>
using namespace metal;

kernel void transform(device const uint *x [[buffer(0)]], device const uint *powers [[buffer(1)]], device uint *out [[buffer(2)]],
                      constant uint &n [[buffer(3)]], constant uint &q [[buffer(4)]], uint k [[thread_position_in_grid]]) {
    if (k >= n) return;
    uint sum = 0;
    for (uint j = 0; j < n; j++) {
        sum = (sum + x[j] * powers[j * k % n]) % q;
    }
    out[k] = sum;
}
`

// definition returns the literal of a user: words of 32 bits whose products do not overflow below 2^16.
func definition(source string, most uint64) device.NTT {
	side := modular.Side{Range: 1}
	return device.NTT{
		Name: "mine.metal#transform", Source: source, MaxN: 32,
		Claim: modular.TransformClaim{
			Bits: 32, Forward: modular.Direction{In: side, Out: side}, Moduli: modular.Moduli{Min: 3, Max: most}, MaxN: 1 << 12,
		},
		Launches: func(n int) []model.Launch { return []model.Launch{model.Launch1D((n+7)/8, 8), model.Launch1D(1, n)} },
		Fits: func(n int, l model.Launch) error {
			if l.Groups.X*l.Threads.X < n {
				return fmt.Errorf("%d threads are too few for %d points", l.Groups.X*l.Threads.X, n)
			}
			return nil
		},
		Plan: func(t modular.Transform) (device.HostTransforms, error) {
			var none device.HostTransforms
			q, n := t.Modulus, uint64(t.N)
			if t.N < 1 || bits.OnesCount64(n) != 1 || n > 1<<12 {
				return none, fmt.Errorf("%d points; use a power of two up to 4096", t.N)
			}
			if q < 3 || q > most || q%2 == 0 {
				return none, fmt.Errorf("modulus %d; use an odd one from 3 to %d", q, most)
			}
			powers := device.Words{1}
			for p := t.Root % q; uint64(len(powers)) < n; p = p * t.Root % q {
				powers = append(powers, uint32(p))
			}
			minus := uint64(powers[n/2])
			if t.Root >= q || n > 1 && minus != q-1 || n == 1 && t.Root != 1 {
				return none, fmt.Errorf("root %d does not have order %d modulo %d", t.Root, n, q)
			}
			return device.HostTransforms{Forward: func(r *device.Run, dst, src []uint64) error {
				if len(dst) != t.N || len(src) != t.N {
					return fmt.Errorf("dst has %d words and src %d, of %d points", len(dst), len(src), t.N)
				}
				words := make(device.Words, len(src))
				for i, w := range src {
					words[i] = uint32(w)
				}
				x, err := r.Buffer("x", words)
				if err != nil {
					return err
				}
				w, err := r.Buffer("powers", powers)
				if err != nil {
					return err
				}
				out, err := r.Empty("out", max(4*t.N, 16))
				if err != nil {
					return err
				}
				if err := r.Dispatch("transform", r.Launch(), x, w, out, uint32(t.N), uint32(q)); err != nil {
					return err
				}
				got := make([]uint32, t.N)
				if err := r.Read(out, got); err != nil {
					return err
				}
				for i, w := range got {
					dst[i] = uint64(w)
				}
				return nil
			}}, nil
		},
	}
}

// TestNTTLiteral judges a user's shader with host code of his own, and finds faults that are planted in it.
func TestNTTLiteral(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	t.Run("sound", func(t *testing.T) { definition(nttByDefinition, 1<<16-1).Check(t) })
	for _, c := range []struct {
		old, new string
		most     uint64
		law      model.LawID
	}{
		{"% n]", "% (n + 1)]", 1<<16 - 1, model.KernelBounds},
		{"j < n", "j + 1 < n", 1<<16 - 1, model.NTTImpulse},
		{"j * k % n", "j * (n - k) % n", 1<<16 - 1, model.NTTEval},
		{"(sum + x[j] * powers[j * k % n]) % q", "sum + x[j] * powers[j * k % n] % q", 1<<16 - 1, model.NTTRange},
		{"", "", 1<<18 - 1, model.NTTExact}, // products overflow: the claim is too wide
	} {
		n, err := device.Props(definition(strings.Replace(nttByDefinition, c.old, c.new, 1), c.most))
		require.NoError(t, err)
		l, err := judge.LawByID(judge.NTTLaws(), c.law)
		require.NoError(t, err)
		f, _, err := judge.Find(l, n, 200)
		require.NoError(t, err)
		require.NotNil(t, f, "%s for %s", c.new, c.old)
		require.Contains(t, f.Text(), "launch ")
	}
}

// TestNTTLiteralMistakes says what is wrong with a literal.
func TestNTTLiteralMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(n *device.NTT)
		want   string
	}{
		{func(n *device.NTT) { n.Name = "" }, "has no Name"},
		{func(n *device.NTT) { n.Source = "" }, "has no Source"},
		{func(n *device.NTT) { n.Source = "kernel void f(" }, "mine.metal:1:"},
		{func(n *device.NTT) { n.Plan = nil }, "has no Plan"},
	} {
		n := definition(nttByDefinition, 1<<16-1)
		c.change(&n)
		_, err := device.Props(n)
		require.ErrorContains(t, err, c.want)
	}
}

// TestNTTLiteralOn64 reads words of 64 bits.
func TestNTTLiteralOn64(t *testing.T) {
	const source = `
kernel void turn(device const ulong *x [[buffer(0)]], device ulong *out [[buffer(1)]], constant ulong &q [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
    out[i] = x[i] >= q ? x[i] - q : x[i];
}
`
	side := modular.Side{Range: 2}
	n, err := device.Props(device.NTT{
		Name: "mine.metal#turn", Source: source,
		Claim: modular.TransformClaim{Bits: 64, Forward: modular.Direction{In: side, Out: modular.Side{Range: 1}}, MaxN: 1, Moduli: modular.Moduli{Min: 3, Max: 1<<63 - 1}},
		Fits:  func(_ int, l model.Launch) error { return one(l) },
		Launches: func(int) []model.Launch {
			return []model.Launch{model.Launch1D(1, 1)}
		},
		Plan: func(t modular.Transform) (device.HostTransforms, error) {
			if t.Modulus < 3 || t.Modulus > 1<<63-1 || t.Modulus%2 == 0 || t.N != 1 || t.Root != 1 {
				return device.HostTransforms{}, fmt.Errorf("%s, root %d", t, t.Root)
			}
			return device.HostTransforms{Forward: func(r *device.Run, dst, src []uint64) error {
				if len(dst) != 1 || len(src) != 1 {
					return fmt.Errorf("%d words to %d; use one", len(src), len(dst))
				}
				x, err := r.Buffer("x", src)
				if err != nil {
					return err
				}
				var out metal.Buffer
				if out, err = r.Empty("out", 16); err != nil {
					return err
				}
				if err := r.Dispatch("turn", r.Launch(), x, out, t.Modulus); err != nil {
					return err
				}
				return r.Read(out, dst)
			}}, nil
		},
	})

	require.NoError(t, err)
	for _, l := range judge.NTTLaws() {
		f, _, err := judge.Find(l, n, 60)
		if err != nil {
			require.ErrorContains(t, err, "says nothing about")
			continue
		}
		if f != nil {
			t.Errorf("%s", f.Text())
		}
	}
}

func one(l model.Launch) error {
	if l != model.Launch1D(1, 1) {
		return fmt.Errorf("launch %s: use one thread", l)
	}
	return nil
}
