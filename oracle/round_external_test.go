package oracle_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// Two roundings that share no line agree: this package's, and that of model/round.
func TestRoundAgreesWithModelRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	formats := model.Formats()
	for p := 2; p <= 12; p++ {
		formats = append(formats, model.Toy(p))
	}
	for _, f := range formats {
		for range 1000 {
			m := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
			m.Lsh(m, uint(r.IntN(2))*80)
			m.Add(m, big.NewInt(r.Int64N(2)))
			e := f.Emin - f.P - 10 - m.BitLen() + r.IntN(f.Emax-f.Emin+f.P+20)
			neg := r.IntN(2) == 0
			if m.Sign() == 0 {
				continue
			}
			d := oracle.NewDyadic(new(big.Int).Set(m), e)
			if neg {
				d = d.Neg()
			}
			for rd := model.NearestEven; rd <= model.TowardZero; rd++ {
				want := round.Arith{F: f, R: rd}.FromDyadic(neg, m, e)
				require.Equal(t, want, d.Round(f, rd), "%v to %v %v", d, f, rd)
			}
		}
	}
}

// Fma32 is the fma of model/round.
func TestFma32AgreesWithModelRound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	arith := round.Arith{F: model.Binary32}
	for range 20000 {
		x, y, z := r.Uint32(), r.Uint32(), r.Uint32()
		if r.IntN(2) == 0 { // z's exponent near the product's
			ex, ey := int(x>>23&0xff), int(y>>23&0xff)
			ez := max(0, min(254, ex+ey-127+r.IntN(60)-30))
			z = z&(1<<31|1<<23-1) | uint32(ez)<<23
			z &^= r.Uint32() & (1<<23 - 1)
			y &^= 1<<r.IntN(23) - 1
		}
		want := arith.Fma(uint64(x), uint64(y), uint64(z))
		got := oracle.Fma32(float(x), float(y), float(z))
		if model.Binary32.IsNaN(want) {
			require.True(t, got != got)
			continue
		}
		require.Equal(t, want, bits(got), "%#x·%#x + %#x", x, y, z)
	}
}

func float(b uint32) float32 { return math.Float32frombits(b) }

func bits(x float32) uint64 { return uint64(math.Float32bits(x)) }
