package props

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/attack"
)

// toyWords is arithmetic of precision p without ends of the range, to nearest, over numbers of binary64 that have p bits: each
// operation is done in binary64, its last bit made to stand for all below it, and rounded to p bits. TestToyWords holds it to
// model/round.
type toyWords struct {
	p    int
	away bool // ties
}

// round rounds x, a number of binary64 whose last bit is odd if anything is below it.
func (t toyWords) round(x float64) float64 {
	b := math.Float64bits(x)
	k := uint(53 - t.p)
	half := uint64(1) << (k - 1)
	if !t.away {
		half += b>>k&1 - 1
	}
	return math.Float64frombits((b + half) &^ (1<<k - 1))
}

// odd rounds s+e, with |e| at most half an ulp of s, to odd.
func odd(s, e float64) float64 {
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		return math.Float64frombits(b)
	}
	return s
}

func (t toyWords) Add(a, b float64) float64 {
	s := a + b
	v := s - a
	return t.round(odd(s, (a-(s-v))+(b-v)))
}

func (t toyWords) Mul(a, b float64) float64 { return t.round(float64(a * b)) }

// Div and Sqrt round twice, which for p <= 24 is the same as once.
func (t toyWords) Div(a, b float64) float64 { return t.round(a / b) }

func (t toyWords) Sqrt(a float64) float64 { return t.round(math.Sqrt(a)) }

func (t toyWords) Fma(a, b, c float64) float64 { return t.Add(float64(a*b), c) }

func (toyWords) Neg(a float64) float64 { return -a }

func (toyWords) One() float64 { return 1 }

func (t toyWords) Splitter() float64 { return math.Ldexp(1, (t.p+1)/2) + 1 }

func TestToyWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for p := 2; p <= 16; p++ {
		for _, away := range []bool{false, true} {
			toy := toyWords{p, away}
			f := model.Binary64
			f.Name, f.P, f.MaxFinite = "wide", p, 1<<p-1
			a := attack.WordArith{Arith: round.Arith{F: f}}
			if away {
				a.R = model.NearestAway
			}
			draw := func() (float64, uint64) {
				m, e, neg := rng.Uint64N(1<<(p-1)), rng.IntN(60)-30, rng.Uint64N(2)
				if rng.IntN(3) == 0 {
					m &= 3
				}
				x := math.Ldexp(1+float64(m)/float64(uint64(1)<<(p-1)), e)
				if neg == 1 {
					x = -x
				}
				return x, uint64(e+1023)<<(p-1) | m | neg<<(p+10)
			}
			value := func(b uint64) float64 {
				v, _ := f.Rat(b).Float64()
				return v
			}
			for range 500 {
				x, bx := draw()
				y, by := draw()
				z, bz := draw()
				require.Equal(t, x, value(bx))
				require.Equal(t, value(a.Add(bx, by)), toy.Add(x, y))
				require.Equal(t, value(a.Mul(bx, by)), toy.Mul(x, y))
				require.Equal(t, value(a.Div(bx, by)), toy.Div(x, y))
				require.Equal(t, value(a.Fma(bx, by, bz)), toy.Fma(x, y, z))
				require.Equal(t, value(a.Sqrt(a.Abs(bx))), toy.Sqrt(math.Abs(x)))
			}
			require.Equal(t, value(a.Splitter()), toy.Splitter())
			require.Equal(t, 1.0, value(a.One()))
		}
	}
}
