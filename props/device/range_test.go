package device

import (
	"encoding/binary"
	"errors"
	"math/big"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/ranges"
	"gamma/model/modular"
	"gamma/shaders"
)

// nttKernel compiles a function of shaders/ntt.metal.
func nttKernel(t *testing.T, function string) *ir.Kernel {
	t.Helper()
	headers := shaders.ModularHeaders()
	lib, err := msl.Compile(headers["ntt.metal"], msl.Options(metal.CompileOptions{Headers: headers, FileName: "ntt.metal"}))
	require.NoError(t, err)
	k, err := lib.Kernel(function, nil)
	require.NoError(t, err)
	return k
}

// nttFacts is what the host code of shaders.NTT binds for transforms of 8 points, or of 2^16 by columns and rows, by the names of arguments: words below in·q, and
// reduced factors.
func nttFacts(k *ir.Kernel, width int, q, in, span uint64) ranges.Facts {
	inv := q // 1/q modulo 2^64 by Newton; q·q = 1 modulo 8
	for range 6 {
		inv *= 2 - q*inv
	}
	words := func(v ...uint64) (list []byte) {
		for _, x := range v {
			if width == 32 {
				list = binary.LittleEndian.AppendUint32(list, uint32(x))
			} else {
				list = binary.LittleEndian.AppendUint64(list, x)
			}
		}
		return list
	}
	t := ir.U64
	if width == 32 {
		t = ir.U32
	}
	f := ranges.Facts{Modulus: q, Constants: map[int][]byte{}, Arrays: map[int]ranges.Array{}}
	for _, b := range k.Buffers {
		switch b.Name {
		case "field":
			_, r := bits.Div64(1%q, 0, q)
			hi, lo := bits.Mul64(r, r)
			_, r2 := bits.Div64(hi%q, lo, q)
			f.Constants[b.Index] = words(q, -inv, r2)
		case "n":
			n := uint32(8)
			if strings.Contains(k.Name, "columns") || strings.Contains(k.Name, "rows") {
				n = 1 << 16
			}
			f.Constants[b.Index] = binary.LittleEndian.AppendUint32(nil, n)
		case "span":
			f.Constants[b.Index] = binary.LittleEndian.AppendUint32(nil, uint32(span))
		case "x":
			most := ranges.GreatestBelow(in, q)
			if w := ir.Whole(t).Hi; w.Cmp(most) < 0 {
				most = w // any word
			}
			f.Arrays[b.Index] = ranges.Array{Fields: []ranges.Field{{Type: t, Max: most}}}
		case "z":
			f.Arrays[b.Index] = ranges.Array{Fields: []ranges.Field{{Type: t, Max: new(big.Int)}}}
		case "w", "scale":
			fields := []ranges.Field{{Type: t, Max: ranges.GreatestBelow(1, q)}}
			if b.Elem == 16 {
				fields = append(fields, ranges.Field{Offset: 8, Max: new(big.Int).SetUint64(^uint64(0)), Shoup: true, Of: ranges.Place{Buffer: b.Index}})
			}
			f.Arrays[b.Index] = ranges.Array{Fields: fields}
		}
	}
	return f
}

// TestRangesOfShaders proves from the code of shaders/ntt.metal that every kernel keeps its words in the range that its comment and
// its claim give, up to the largest modulus claimed, and finds where that ends.
func TestRangesOfShaders(t *testing.T) {
	for _, c := range []struct {
		function string
		width    int
		span     uint64
		in, out  uint64 // multiples of q
		claimed  uint64 // the largest odd modulus of the claim
		most     uint64 // the largest odd modulus that is proved
	}{
		{"ntt_forward_stage", 64, 2, 1, 1, 1<<63 - 1, 1<<63 - 1},
		{"ntt_inverse_stage", 64, 2, 1, 1, 1<<63 - 1, 1<<63 - 1},
		{"ntt_inverse_final_scale", 64, 2, 1, 1, 1<<63 - 1, 0x9e3779b97f4a7c15},
		{"ntt_pointwise", 64, 2, 1, 1, 1<<63 - 1, 0x9e3779b97f4a7c15},
		{"ntt_forward_tile", 64, 2, 1, 1, 1<<63 - 1, 1<<63 - 1},
		{"ntt_inverse_tile", 64, 2, 1, 1, 1<<63 - 1, 1<<63 - 1},
		{"ntt_forward_stage_31", 32, 2, 1, 1, 1<<31 - 1, 1<<31 - 1},
		{"ntt_inverse_stage_31", 32, 2, 1, 1, 1<<31 - 1, 1<<31 - 1},
		{"ntt_inverse_final_scale_31", 32, 2, 1, 1, 1<<31 - 1, 0x9e3779b9},
		{"ntt_forward_tile_31", 32, 2, 1, 1, 1<<31 - 1, 1<<31 - 1},
		{"ntt_inverse_tile_31", 32, 2, 1, 1, 1<<31 - 1, 1<<31 - 1},
		{"ntt_forward_stage_lazy_4q", 64, 2, 4, 4, 1<<62 - 1, 1<<62 - 1},
		{"ntt_inverse_stage_lazy_2q", 64, 1, 4, 2, 1<<62 - 1, 1<<62 - 1},
		{"ntt_inverse_stage_lazy_2q", 64, 2, 2, 2, 1<<62 - 1, 1<<62 - 1},
		{"ntt_reduce_4q", 64, 2, 4, 1, 1<<62 - 1, 1<<64 - 1},
		{"ntt_scale", 64, 2, 4, 1, 1<<62 - 1, 1<<63 - 1},
		{"ntt_scale_lazy_2q", 64, 2, 4, 2, 1<<62 - 1, 1<<63 - 1},
		{"ntt_forward_columns_lazy_4q", 64, 0, 4, 4, 1<<62 - 1, 1<<62 - 1},
		{"ntt_forward_rows", 64, 0, 4, 1, 1<<62 - 1, 1<<62 - 1},
		{"ntt_inverse_rows_lazy_2q", 64, 0, 4, 2, 1<<62 - 1, 1<<62 - 1},
		{"ntt_inverse_columns", 64, 0, 2, 1, 1<<62 - 1, 1<<62 - 1},
	} {
		t.Run(c.function, func(t *testing.T) {
			k := nttKernel(t, c.function)
			written := -1
			for _, b := range k.Buffers {
				if b.Name == "z" || b.Name == "x" && !b.ReadOnly {
					written = b.Index
				}
			}
			facts := func(q uint64) ranges.Facts { return nttFacts(k, c.width, q, c.in, c.span) }
			r, err := ranges.Analyse(k, facts(c.claimed))
			require.NoError(t, err)
			require.NotEmpty(t, r.Stores)
			// Every odd modulus of so many bits: what is proved for one is proved below it.
			lo, hi := uint64(1), ^uint64(0)>>(64-c.width)
			for lo < hi {
				mid := lo + (hi-lo)/2 | 1
				if mid == lo {
					mid += 2
				}
				q, err := ranges.MaxModulus(k, written, c.out, []uint64{mid}, facts)
				require.NoError(t, err)
				if q == mid {
					lo = mid
				} else {
					hi = mid - 2
				}
			}
			require.Equal(t, c.most, lo, "%s", r.Text(c.claimed))
			require.GreaterOrEqual(t, lo, c.claimed)
		})
	}
}

// TestRecurrencesOfShaders holds the recurrences that the shaders' claims declare to what the code is proved to do: for every modulus,
// no stage leaves words above the recurrence's bound.
func TestRecurrencesOfShaders(t *testing.T) {
	for _, s := range shaders.NTTs() {
		for _, d := range []struct {
			dir      *modular.Direction
			function string
		}{{&s.Claim.Forward, s.Host.ForwardStage}, {&s.Claim.Inverse, s.Host.InverseStage}} {
			if d.dir.Stages == nil {
				continue
			}
			k := nttKernel(t, d.function)
			q := s.Claim.Moduli.MaxModulus(s.Claim.Bits) - 2
			in := new(big.Rat).SetUint64(d.dir.In.Range)
			for i, stage := range d.dir.Stages(4)[:2] {
				out, err := stage.Bound(q, s.Claim.Bits, []*big.Rat{in, in, big.NewRat(1, 1)})
				require.NoError(t, err, s.Name)
				bound := out[0]
				if out[1].Cmp(bound) > 0 {
					bound = out[1]
				}
				r, err := ranges.Analyse(k, nttFacts(k, s.Claim.Bits, q, ceil(in), uint64(i+1)))
				require.NoError(t, err)
				for _, st := range r.Stores {
					require.True(t, st.Proved, "%s: %s", s.Name, r.Text(q))
					require.LessOrEqual(t, st.Multiple(q).Cmp(bound), 0, "%s, stage %d: the code may store %s q, the recurrence %s q", s.Name, i,
						st.Multiple(q).FloatString(6), bound.FloatString(6))
				}
				in = new(big.Rat).SetUint64(ceil(bound))
			}
		}
	}
}

func ceil(x *big.Rat) uint64 {
	n := new(big.Int).Add(x.Num(), new(big.Int).Sub(x.Denom(), big.NewInt(1)))
	return n.Quo(n, x.Denom()).Uint64()
}

// TestFactsRefuseClaims: a claim up to a modulus at which a word may wrap is refused, with the place and the modulus that can be claimed.
func TestFactsRefuseClaims(t *testing.T) {
	const source = `
kernel void stage(device ulong *x [[buffer(0)]], constant ulong &q [[buffer(1)]], uint id [[thread_position_in_grid]])
{
    ulong a = x[2 * id], b = x[2 * id + 1];
    ulong s = a + b;
    x[2 * id] = s >= q ? s - q : s;
    x[2 * id + 1] = a >= b ? a - b : a + q - b;
}`
	side := modular.Side{Range: 1}
	n := NTT{
		Name: "mine.metal#stage", Source: source, Options: metal.CompileOptions{FileName: "mine.metal"},
		Claim: modular.TransformClaim{Bits: 64, Forward: modular.Direction{In: side, Out: side}, Moduli: modular.Moduli{Min: 3, Max: 1<<63 - 1}},
		Plan:  func(modular.Transform) (HostTransforms, error) { return HostTransforms{}, errors.New("never asked") },
		Facts: func(q uint64) map[string]ranges.Facts {
			return map[string]ranges.Facts{"stage": {
				Modulus: q, Constants: map[int][]byte{1: binary.LittleEndian.AppendUint64(nil, q)},
				Arrays: map[int]ranges.Array{0: {Fields: []ranges.Field{{Max: ranges.GreatestBelow(1, q)}}}},
			}}
		},
	}
	_, err := Props(n)
	require.NoError(t, err)
	n.Claim.Moduli.Max = 0
	_, err = Props(n)
	require.ErrorContains(t, err, "kernel stage stores a word at mine.metal:6:")
	require.ErrorContains(t, err, "it is proved up to 9223372036854775807 = 0x7fffffffffffffff: set Claim.Moduli.Max to that")
	n.Facts = func(q uint64) map[string]ranges.Facts { return map[string]ranges.Facts{"stages": {Modulus: q}} }
	_, err = Props(n)
	require.ErrorContains(t, err, `the library has no function "stages"`)
}
