package oracle_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// ordinaryRow draws normalised operands of like sizes and a result whose last word is a few units off.
func ordinaryRow(r *rand.Rand, op word.Op, off int) (in, out []float32) {
	for _, words := range op.Operands() {
		x := math.Ldexp(1+r.Float64(), r.IntN(9)-4)
		if r.IntN(2) == 0 && op.Function != word.Root {
			x = -x
		}
		for range words {
			w := float32(x)
			in = append(in, w)
			x -= float64(w)
		}
	}
	bits := make([]uint64, len(in))
	for i, w := range in {
		bits[i] = uint64(math.Float32bits(w))
	}
	parts, _ := twinExact(op, model.Binary32, bits)
	for _, e := range parts {
		z := new(big.Float).SetPrec(200).SetRat(e)
		if op.Function == word.Root {
			z.Sqrt(z)
		}
		for i := range op.Z {
			w, _ := z.Float32()
			if i > 0 && i == op.Z-1 && w != 0 {
				w = math.Float32frombits(uint32(int32(math.Float32bits(w)) + int32(r.IntN(2*off+1)-off)))
			}
			out = append(out, w)
			z.Sub(z, big.NewFloat(float64(w)))
		}
	}
	return in, out
}

// opLimits returns the limits of every algorithm of op, or one that suits it.
func opLimits(op word.Op) []*oracle.WordLimit {
	var l []*oracle.WordLimit
	for _, a := range word.Algorithms() {
		if a.Op == op {
			for _, b := range a.Bounds {
				l = append(l, oracle.NewWordLimit(b, 24))
				if op.Z == 1 {
					l = append(l, oracle.NewRoundedLimit(b, model.Binary32))
				}
			}
		}
	}
	for _, normwise := range []bool{false, true} {
		b := word.Bound{Text: "4u^Z", Normwise: normwise, Factor: func(p int) *big.Rat {
			x := new(big.Rat).SetFrac(big.NewInt(4), new(big.Int).Lsh(big.NewInt(1), uint(24*op.Z)))
			if normwise {
				x.Mul(x, x)
			}
			return x
		}}
		l = append(l, oracle.NewWordLimit(b, 24))
		if op.Z == 1 {
			b := word.Bound{Text: "4u²", Normwise: normwise, Factor: func(p int) *big.Rat {
				x := rat(4, 1<<48)
				if normwise {
					x.Mul(x, x)
				}
				return x
			}}
			l = append(l, oracle.NewRoundedLimit(b, model.Binary32), oracle.NewRoundedLimit(b, model.Binary32).TiesAway())
		}
	}
	return append(l, oracle.NewWordLimit(word.Bound{Text: "0"}, 24))
}

// The quick test never passes a row that Judge does not, leaves no ordinary row that Judge passes, and is right about the ratio.
func TestWordRows32AgreeWithJudge(t *testing.T) {
	for _, op := range wordOps() {
		t.Run(op.String(), func(t *testing.T) {
			j, err := oracle.NewWordJudge(op, model.Binary32)
			require.NoError(t, err)
			r := rand.New(rand.NewPCG(uint64(op.Function), uint64(op.In())))
			const n = 500
			var in, out []float32
			for i := range n {
				if i%2 == 0 {
					x, z := ordinaryRow(r, op, i/2%2)
					in, out = append(in, x...), append(out, z...)
					continue
				}
				x, z := drawRow(r, op, model.Binary32)
				for _, w := range x {
					in = append(in, math.Float32frombits(uint32(w)))
				}
				for _, w := range z {
					out = append(out, math.Float32frombits(uint32(w)))
				}
			}
			for _, l := range opLimits(op) {
				one := func(i int) ([]float32, []float32) {
					return in[i*op.In() : (i+1)*op.In()], out[i*op.Out() : (i+1)*op.Out()]
				}
				var spread, alone oracle.Spread
				worst, row, unsure := j.Rows32(in, out, l, []int{-7}, &spread)
				require.Equal(t, -7, unsure[0])
				unsure = unsure[1:]
				require.True(t, slices.IsSorted(unsure))
				best, left, passed := -1.0, 0, 0
				for i := range n {
					x, z := one(i)
					v := j.Judge32(x, z, l)
					_, open := slices.BinarySearch(unsure, i)
					note := fmt.Sprintf("%s: %x -> %x %+v", l, x, z, v)
					if !open {
						require.True(t, v.Within, note)
						best = max(best, v.Ratio)
						if l.Rounded() {
							continue
						}
						// alone, the row has its ratio
						was := alone
						got, at, rest := j.Rows32(x, z, l, nil, &alone)
						require.True(t, at == 0 && rest == nil, note)
						for k := range alone {
							if alone[k] != was[k] {
								lo, hi := math.Ldexp(1, -k), math.Ldexp(1, 1-k)
								if k == 0 {
									lo, hi = 0, 0
								}
								require.True(t, lo-0x1p-18 <= v.Ratio && v.Ratio <= hi+0x1p-18, "%d %s", k, note)
							}
						}
						require.LessOrEqual(t, math.Abs(got-v.Ratio), 0x1p-18, note)
					} else if v.Within && i%2 == 0 {
						left++
					}
					if v.Within && i%2 == 0 {
						passed++
					}
				}
				if !l.Rounded() || row < 0 {
					require.LessOrEqual(t, math.Abs(worst-max(best, 0)), 0x1p-18, l.String())
				}
				counted := 0
				for _, k := range spread {
					counted += k
				}
				require.Equal(t, n-len(unsure), counted, "each row is counted once")
				require.True(t, l.Rounded() || alone == spread, "rows are counted together as alone")
				require.Equal(t, best < 0, row < 0)
				root := op.Function == word.Root && (l.Rounded() || l.Normwise())
				if !root {
					require.LessOrEqual(t, left*100, passed, "%s: %d of %d ordinary rows are left over", l, left, passed)
				}
			}
		})
	}
}

func benchRows(b *testing.B, op word.Op, l *oracle.WordLimit) {
	const n = 1024
	r := rand.New(rand.NewPCG(1, 2))
	j, err := oracle.NewWordJudge(op, model.Binary32)
	require.NoError(b, err)
	var in, out []float32
	off := 1
	if l.Factor() == nil {
		off = 0
	}
	for range n {
		x, z := ordinaryRow(r, op, off)
		in, out = append(in, x...), append(out, z...)
	}
	var spread oracle.Spread
	unsure := make([]int, 0, n)
	for b.Loop() {
		_, _, unsure = j.Rows32(in, out, l, unsure[:0], &spread)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	b.ReportMetric(float64(len(unsure))/n, "unsure/row")
}

func BenchmarkWordRows(b *testing.B) {
	for _, c := range []struct{ name, algorithm string }{
		{"mul", "DWTimesDW3"},
		{"add", "AccurateDWPlusDW"},
		{"div", "DWDivDW1"},
		{"sqrt", "SQRTDWtoDW"},
		{"complex", "ComplexDW3"},
		{"complexadd", "ComplexDWPlus"},
		{"complex32", "ComplexPlain"},
		{"twosum", "2Sum"},
		{"twoproduct", "2ProdFMA"},
	} {
		b.Run(c.name, func(b *testing.B) {
			a, _ := word.ByName(c.algorithm)
			benchRows(b, a.Op, oracle.NewWordLimit(a.Bounds[0], 24))
		})
	}
	b.Run("complexround", func(b *testing.B) {
		a, _ := word.ByName("ComplexDW3")
		benchRows(b, word.ComplexDWTimesRound, oracle.NewRoundedLimit(a.Bounds[0], model.Binary32))
	})
	b.Run("divround", func(b *testing.B) {
		a, _ := word.ByName("DWDivFP3")
		benchRows(b, word.DWDivFPRound, oracle.NewRoundedLimit(a.Bounds[0], model.Binary32))
	})
}

// BenchmarkWordJudge measures the exact path.
func BenchmarkWordJudge(b *testing.B) {
	for _, f := range []model.Format{model.Toy(3), model.Toy(6), model.Binary32, model.Binary64} {
		for _, name := range []string{"DWTimesDW3", "AccurateDWPlusDW", "DWDivDW1", "SQRTDWtoDW", "ComplexPlain", "ComplexDW3"} {
			b.Run(fmt.Sprintf("%s/%s", f, name), func(b *testing.B) {
				a, _ := word.ByName(name)
				r := rand.New(rand.NewPCG(3, 4))
				j, err := oracle.NewWordJudge(a.Op, f)
				require.NoError(b, err)
				l := oracle.NewWordLimit(a.Bounds[0], f.P)
				const n = 256
				var in, out [][]uint64
				for len(in) < n {
					x, z := drawRow(r, a.Op, f)
					if j.Judge(x, z, l).State == oracle.WordJudged {
						in, out = append(in, x), append(out, z)
					}
				}
				for b.Loop() {
					for i := range in {
						j.Judge(in[i], out[i], l)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
