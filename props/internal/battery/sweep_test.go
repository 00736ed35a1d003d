package battery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/oracle"
)

// What integers decide at once is what roundsTo decides by its definition: for each pair of operands and each result of small formats, and they decide all but
// zeros, what is not finite, and what lies beyond the largest number.
func TestNarrowIsRoundsTo(t *testing.T) {
	operations := map[model.LawID]*operation{model.RoundAdd: &opAdd, model.RoundSub: &opSub, model.RoundMul: &opMul, model.RoundDiv: &opDiv}
	for _, f := range []model.Format{model.Toy(2), model.Toy(3), model.Toy(4), model.E5M2, model.E4M3} {
		step := uint64(1)
		if f.Bits() > 7 {
			step = 41
		}
		right := 0
		for id, op := range operations {
			var got uint64
			any := func(uint64, uint64) uint64 { return got }
			a := Arithmetic{Format: f, Add: any, Sub: any, Mul: any, Div: any}
			quick := a.narrow(id)
			for x := uint64(0); x < 2*f.SignBit(); x += step {
				for y := uint64(0); y < 2*f.SignBit(); y++ {
					v, finite := finiteValues(f, []uint64{x, y})
					q, defined := quotient{}, false
					if finite {
						q, defined = op.exact(v)
					}
					for got = range 2 * f.SignBit() {
						known := quick(x, y)
						if !defined {
							require.False(t, known)
							continue
						}
						if want := roundsTo(f, model.NearestEven, model.Flush{}, q, got); known != (want && q.sign() != 0) {
							over := q.num.Abs().Cmp(oracle.FromBits(f, f.MaxBits()).Mul(q.den)) > 0
							require.True(t, over && want && !known, "%s %s: %#x, %#x gives %#x: %t", f, op.name, x, y, got, known)
						} else if known {
							right++
						}
					}
				}
			}
		}
		require.Positive(t, right, f.Name)
	}
	for _, a := range []Arithmetic{{Format: model.Binary32}, {Format: model.Binary16, Rounding: model.TowardZero}, {Format: model.Binary16, Finite: true}, {Format: model.Binary16, Flush: model.Flush{In: true}}} {
		a.Add = func(x, _ uint64) uint64 { return x }
		require.Nil(t, a.narrow(model.RoundAdd), "its definition is another, or has conditions")
	}
}

// BenchmarkNarrow judges pairs of halfs by integers alone: the sweep's rate beside the operation's own.
func BenchmarkNarrow(b *testing.B) {
	for _, id := range []model.LawID{model.RoundAdd, model.RoundMul, model.RoundDiv} {
		b.Run(string(id), func(b *testing.B) {
			same := func(x, _ uint64) uint64 { return x }
			a := Arithmetic{Format: model.Binary16, Add: same, Mul: same, Div: same}
			quick, x := a.narrow(id), uint64(0)
			for b.Loop() {
				quick(0x3a55, x&0x7bff)
				x += 0x1235
			}
		})
	}
}
