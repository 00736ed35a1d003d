package shaders_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/ranges"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
)

// words returns words of 32 or 64 bits, little endian.
func words(width int, x ...uint64) []byte {
	var b []byte
	for _, v := range x {
		for i := range width / 8 {
			b = append(b, byte(v>>(8*i)))
		}
	}
	return b
}

// fieldOf returns a field as host code binds it.
func fieldOf(q uint64, width int) []byte {
	x := q
	for range 6 {
		x *= 2 - q*x
	}
	r := mod(q).radix(width)
	return words(width, q, -x, mod(q).mul(r, r))
}

// compiled returns a function of a source.
func compiled(t *testing.T, p shaders.Program, function string) *ir.Kernel {
	t.Helper()
	lib, err := msl.Compile(p.Source, msl.Options{FileName: strings.TrimPrefix(p.Name, "shaders/"), Headers: p.Options.Headers})
	require.NoError(t, err)
	k, err := lib.Kernel(function, nil)
	require.NoError(t, err)
	return k
}

// TestProvedRanges: of the intermediate code of every stage it is proved, for the largest modulus that the claim admits, that no word
// leaves its type and that what is stored is in the range between stages; for the next odd number this is not so.
func TestProvedRanges(t *testing.T) {
	for _, k := range shaders.NTTs() {
		if k.Claim.Negacyclic || strings.Contains(k.Name, "tiled") || k.Host.ForwardRows != "" {
			continue // other roots of the same functions; tiles, columns and rows are stages in other memory
		}
		most := k.Claim.Moduli.MaxModulus(k.Claim.Bits)
		type stage struct {
			function string
			in, out  uint64
			span     uint64
			words    int // of a thread
		}
		stages := []stage{{k.Host.ForwardStage, 4, 4, 1, 2}, {k.Host.InverseStage, 4, 2, 1, 2}, {k.Host.InverseStage, 2, 2, 4, 2}}
		if k.Host.ForwardFours != "" {
			stages = append(stages, stage{k.Host.ForwardFours, 4, 4, 2, 4}, stage{k.Host.InverseFours, 4, 2, 1, 4}, stage{k.Host.InverseFours, 2, 2, 4, 4})
		}
		for _, s := range stages {
			if k.Host.Factors != shaders.ShoupFactors {
				s.in, s.out = 1, 1
			}
			text, ok := proved(t, k, s.function, most, s.in, s.out, s.span, s.words)
			require.True(t, ok, "%s: %s", k.Name, text)
			if most < 1<<63 {
				text, ok = proved(t, k, s.function, most+2, s.in, s.out, s.span, s.words)
				require.False(t, ok, "%s, a modulus beyond the claim: %s", k.Name, text)
			}
		}
	}
}

// proved reports whether a stage is proved to take words of one range to words of another.
func proved(t *testing.T, k shaders.NTT, function string, q, in, out, span uint64, stores int) (text string, ok bool) {
	t.Helper()
	below := func(f uint64) *big.Int {
		most := new(big.Int).SetUint64(^uint64(0) >> (64 - k.Claim.Bits))
		if b := ranges.GreatestBelow(f, q); b.Cmp(most) < 0 {
			return b
		}
		return most
	}
	x, factors := ranges.Field{Max: below(in)}, []ranges.Field{{Max: below(1)}}
	if k.Claim.Bits == 32 {
		x.Type, factors[0].Type = ir.U32, ir.U32
	}
	if k.Host.Factors == shaders.ShoupFactors {
		factors = append(factors, ranges.Field{Offset: 8, Max: new(big.Int).SetUint64(^uint64(0)), Shoup: true, Of: ranges.Place{Buffer: 1}})
	}
	r, err := ranges.Analyse(compiled(t, k.Program, function), ranges.Facts{
		Modulus:   q,
		Constants: map[int][]byte{2: fieldOf(q, k.Claim.Bits), 3: words(32, 16), 4: words(32, span)},
		Arrays:    map[int]ranges.Array{0: {Fields: []ranges.Field{x}}, 1: {Fields: factors}},
	})
	require.NoError(t, err)
	require.Len(t, r.Stores, stores)
	for _, s := range r.Stores {
		if !s.Proved || s.Max.Cmp(ranges.GreatestBelow(out, q)) > 0 {
			return r.Text(q), false
		}
	}
	return r.Text(q), true
}

// TestDeclaredSteps: the steps that claims declare keep their ranges for every modulus that is claimed, and give the words that the
// shaders give.
func TestDeclaredSteps(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	rng := rand.New(rand.NewPCG(8, 8))
	for _, m := range shaders.Modulars() {
		c := &m.Claim
		if c.Recurrence == nil {
			continue
		}
		q := c.Moduli.MaxModulus(c.Bits)
		_, err := c.Bounds(q)
		require.NoError(t, err, m.Name)
		const rows = 200
		src, want := rowsOf(c, mod(q), rows, rng)
		dst := make([]uint64, len(want))
		require.NoError(t, m.Run(r, model.Launch1D(rows, 1), q, dst, src))
		for i := range rows {
			var row []uint64
			for j, w := range c.In {
				if !w.Shoup {
					row = append(row, src[i*len(c.In)+j])
				}
			}
			steps, err := c.Recurrence.Run(q, c.Bits, row)
			require.NoError(t, err, m.Name)
			require.Equal(t, steps, dst[i*len(c.Out):][:len(c.Out)], "%s of %d modulo %d", m.Name, row, q)
		}
	}
	for _, k := range shaders.NTTs() {
		for _, d := range []modular.Direction{k.Claim.Forward, k.Claim.Inverse} {
			if d.Stages == nil {
				require.Contains(t, k.Name, "wide")
				continue
			}
			q, in := k.Claim.Moduli.MaxModulus(k.Claim.Bits), new(big.Rat).SetInt(new(big.Int).SetUint64(d.In.Range))
			for _, n := range []int{2, 16} {
				bounds, err := modular.StageBounds(d.Stages(n), in, q, k.Claim.Bits)
				require.NoError(t, err, k.Name)
				require.LessOrEqual(t, bounds[len(bounds)-1].Cmp(new(big.Rat).SetInt(new(big.Int).SetUint64(d.Out.Range))), 0, k.Name)
			}
		}
	}
}
