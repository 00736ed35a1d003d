package round

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// jam returns n shifted right by k, its last bit set if bits were lost.
func jam(n *big.Int, k uint) *big.Int {
	r := new(big.Int).Rsh(n, k)
	if n.Sign() != 0 && n.TrailingZeroBits() < k {
		r.SetBit(r, 0, 1)
	}
	return r
}

func wide(hi, lo uint64) *big.Int {
	n := new(big.Int).SetUint64(hi)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(lo))
}

func TestShiftJam(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 1))
	words := []uint64{0, 1, 2, 3, 1 << 63, 1<<63 | 1, 1 << 62, ^uint64(0), ^uint64(1)}
	for range 8 {
		words = append(words, d.Uint64(), d.Uint64()>>d.IntN(64), d.Uint64()<<d.IntN(64))
	}
	for n := range uint(200) {
		for _, hi := range words {
			require.Zero(t, wide(0, shiftJam(hi, n)).Cmp(jam(wide(0, hi), n)), "%#x >> %d", hi, n)
			for _, lo := range words {
				h, l := shiftJam128(hi, lo, n)
				require.Zero(t, wide(h, l).Cmp(jam(wide(hi, lo), n)), "%#x %#x >> %d", hi, lo, n)
			}
		}
	}
}

func TestLeading126(t *testing.T) {
	for i := range 127 {
		n := new(big.Int).Lsh(big.NewInt(1), uint(i))
		n.SetBit(n, i/3, 1)
		hi, lo, e := leading126(new(big.Int).Rsh(n, 64).Uint64(), n.Uint64(), 5)
		require.EqualValues(t, 1, hi>>62)
		require.Equal(t, 5-(126-i), e)
		require.Zero(t, wide(hi, lo).Cmp(n.Lsh(n, uint(126-i))))
	}
}

// A jammed odd significand must round like every value between its neighbours, down to the
// smallest significand for which round promises it.
func TestRoundKnowsJammedSignificands(t *testing.T) {
	for _, f := range []model.Format{model.Toy(2), model.Toy(4), model.E4M3} {
		for r := model.NearestEven; r <= model.TowardZero; r++ {
			a := Arith{F: f, R: r}
			for m := uint64(1)<<(f.P+1) + 1; m < 1<<(f.P+4); m += 2 {
				for e := f.Emin - 2*f.P - 4; e <= f.Emax; e++ {
					for _, neg := range []bool{false, true} {
						got := a.round(neg, m, e)
						low := a.FromDyadic(neg, new(big.Int).SetUint64((m-1)<<9+1), e-9)
						high := a.FromDyadic(neg, new(big.Int).SetUint64((m+1)<<9-1), e-9)
						require.Equal(t, low, got, "%s %s %d·2^%d", f, r, m, e)
						require.Equal(t, high, got, "%s %s %d·2^%d", f, r, m, e)
					}
				}
			}
		}
	}
}

func TestFormatsOwnBitsAgree(t *testing.T) {
	for _, f := range append(model.Formats(), model.Toy(2), model.Toy(12)) {
		a := &Arith{F: f}
		require.Equal(t, f.SignBit(), a.signBit())
		require.Equal(t, f.MaxBits(), a.maxBits())
		for b := range min(uint64(1)<<f.Bits()-1, 1<<16) {
			b = b * (f.SignBit()>>15 | 1) & (f.SignBit()<<1 - 1) // all of the width is met
			x := a.read(b)
			want := operand{bits: b, neg: f.Signbit(b), class: f.Class(b)}
			if f.IsFinite(b) {
				_, want.m, want.e = f.Decode(b)
			} else {
				want.e = x.e // says nothing
			}
			if x != want {
				t.Fatalf("%s read %#x as %+v, want %+v", f, b, x, want)
			}
			if f.IsNaN(b) && a.signaling(&x) != f.IsSignaling(b) {
				t.Fatalf("%s takes the NaN %#x for signaling: %v", f, b, a.signaling(&x))
			}
		}
	}
}
