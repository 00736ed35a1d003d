package oracle_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// fixed is a bound with a given factor.
func fixed(r *big.Rat, normwise bool) word.Bound {
	return word.Bound{Text: "fixed", Normwise: normwise, Factor: func(int) *big.Rat { return r }}
}

// relative returns the greatest relative error of a row, or the square of the norm's, and ok = false if it is not a rational.
func relative(op word.Op, f model.Format, in, out []uint64, normwise bool) (r *big.Rat, ok bool) {
	exact, state := twinExact(op, f, in)
	if state != oracle.WordJudged {
		return nil, false
	}
	r = new(big.Rat)
	sum, size := new(big.Rat), new(big.Rat)
	for c, e := range exact {
		z := new(big.Rat)
		for _, w := range out[c*op.Z : (c+1)*op.Z] {
			if !f.IsFinite(w) {
				return nil, false
			}
			z.Add(z, f.Rat(w))
		}
		if e.Sign() == 0 {
			return nil, false
		}
		if op.Function == word.Root {
			if e, ok = rationalRoot(e); !ok {
				return nil, false
			}
		}
		d := ratSub(z, e)
		sum.Add(sum, ratMul(d, d))
		size.Add(size, ratMul(e, e))
		if d.Quo(d, e).Abs(d).Cmp(r) > 0 {
			r = d
		}
	}
	if normwise {
		r = sum.Quo(sum, size)
	}
	return r, r.Sign() > 0
}

// rationalRoot returns √x, and ok = false if it is not a rational.
func rationalRoot(x *big.Rat) (r *big.Rat, ok bool) {
	r = new(big.Rat).SetFrac(new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom()))
	return r, ratMul(r, r).Cmp(x) == 0
}

// A row at its limit is within it, and one beyond by a part in 2^400 is not; and the quick test never passes one beyond.
func TestWordVerdictFlipsAtTheLimit(t *testing.T) {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	for _, op := range wordOps() {
		for _, f := range wordFormats {
			r := rand.New(rand.NewPCG(uint64(f.P), 77))
			j, err := oracle.NewWordJudge(op, f)
			require.NoError(t, err)
			done := 0
			for range 1500 {
				in, out := drawRow(r, op, f)
				normwise := r.IntN(2) == 0
				b, ok := relative(op, f, in, out, normwise)
				if !ok {
					continue
				}
				done++
				note := fmt.Sprintf("%s %s: %x -> %x, %v", op, f, in, out, normwise)
				for _, c := range []struct {
					by   *big.Rat
					want bool
				}{{rat(1, 1), true}, {ratAdd(rat(1, 1), tiny), true}, {ratSub(rat(1, 1), tiny), false}, {ratSub(rat(1, 1), rat(1, 1<<40)), false}} {
					l := oracle.NewWordLimit(fixed(ratMul(b, c.by), normwise), f.P)
					v := j.Judge(in, out, l)
					require.Equal(t, c.want, v.Within, "%s times %v", note, c.by)
					if l.Float64() > 0x1p-500 && l.Float64() < 0x1p500 {
						require.LessOrEqual(t, math.Abs(v.Ratio-1), 0x1p-39, note)
					}
					if f != model.Binary32 {
						continue
					}
					x, z := make([]float32, len(in)), make([]float32, len(out))
					for i, w := range in {
						x[i] = math.Float32frombits(uint32(w))
					}
					for i, w := range out {
						z[i] = math.Float32frombits(uint32(w))
					}
					if _, _, unsure := j.Rows32(x, z, l, nil, nil); !c.want {
						require.Equal(t, []int{0}, unsure, note)
					}
				}
				if done == 12 {
					break
				}
			}
			require.Greater(t, done, 2, "%s %s", op, f)
		}
	}
}

// A row rounded once passes when the end of z's numbers is as far from the exact result as the limit, if that end rounds to z.
func TestWordRoundedFlipsAtTheLimit(t *testing.T) {
	closed, open := 0, 0
	for _, op := range []word.Op{word.DWDivFPRound, word.Dot3Round, word.ComplexTimes, word.ComplexDWTimesRound, {Function: word.Difference, X: 2, Y: 1, Z: 1}, {Function: word.Root, X: 2, Z: 1}} {
		for _, f := range wordFormats {
			r := rand.New(rand.NewPCG(uint64(f.P), 78))
			j, err := oracle.NewWordJudge(op, f)
			require.NoError(t, err)
			for range 80 {
				in, out := drawRow(r, op, f)
				exact, state := twinExact(op, f, in)
				if state != oracle.WordJudged || !f.IsFinite(out[0]) || exact[0].Sign() == 0 || len(out) == 2 && (!f.IsFinite(out[1]) || exact[1].Sign() == 0) {
					continue
				}
				center := exact[0]
				if op.Function == word.Root {
					var ok bool
					if center, ok = rationalRoot(center); !ok {
						continue
					}
				}
				// the middle between z and its neighbour toward the exact result, of the first component
				n := f.Next(out[0])
				if f.Rat(out[0]).Cmp(center) > 0 {
					n = f.Prev(out[0])
				}
				if !f.IsFinite(n) {
					continue
				}
				end := ratMul(ratAdd(f.Rat(out[0]), f.Rat(n)), rat(1, 2))
				d := ratSub(center, end)
				d.Quo(d, center).Abs(d)
				for _, by := range []*big.Rat{rat(1, 1), rat(1<<50+1, 1<<50), rat(1<<50-1, 1<<50)} {
					b := fixed(ratMul(d, by), false)
					for _, ties := range []model.Rounding{model.NearestEven, model.NearestAway} {
						l := oracle.NewRoundedLimit(b, f)
						if ties == model.NearestAway {
							l = l.TiesAway()
						}
						want := twinRounded(op, b, f, ties, exact, out)
						require.Equal(t, want, j.Judge(in, out, l).Within, "%s %s %v: %x -> %x", op, f, ties, in, out)
						if by.IsInt() && d.Sign() > 0 && len(out) == 1 {
							if want {
								closed++
							} else {
								open++
							}
						}
					}
				}
			}
		}
	}
	require.Greater(t, min(closed, open), 50)
}

// A double word is one that rounds to its high word: all pairs of narrow formats, and drawn ones.
func TestNormalDW(t *testing.T) {
	check := func(f model.Format, hi, lo uint64) {
		want := f.IsFinite(hi) && f.IsFinite(lo)
		if want {
			sum := ratAdd(f.Rat(hi), f.Rat(lo))
			want = order(f, twinNearest(f, sum, model.NearestEven)) == order(f, hi)
		}
		if want != oracle.NormalDW(f, hi, lo) {
			t.Fatalf("%s %#x %#x: want %v", f, hi, lo, want)
		}
	}
	for _, f := range []model.Format{model.Toy(2), model.Toy(3), model.E4M3, wordFormats[len(wordFormats)-1]} {
		for hi := range f.SignBit() << 1 {
			for lo := range f.SignBit() << 1 {
				check(f, hi, lo)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range wordFormats {
		for range 2000 {
			in, _ := drawRow(r, pair, f)
			check(f, in[0], in[1])
		}
	}
	var x []float32
	var want []int
	for i := range 20000 {
		in, _ := drawRow(r, pair, model.Binary32)
		x = append(x, math.Float32frombits(uint32(in[0])), math.Float32frombits(uint32(in[1])))
		if !oracle.NormalDW(model.Binary32, in[0], in[1]) {
			want = append(want, i)
		}
	}
	require.Equal(t, want, oracle.NormalRows32(x, nil))
	require.Panics(t, func() { oracle.NormalRows32(x[1:], nil) })
}

// Details writes out what Judge compares.
func TestWordDetails(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, op := range wordOps() {
		j, err := oracle.NewWordJudge(op, model.Binary32)
		require.NoError(t, err)
		for range 40 {
			in, out := drawRow(r, op, model.Binary32)
			d := j.Details(in, out)
			exact, state := twinExact(op, model.Binary32, in)
			if state != oracle.WordJudged {
				require.Equal(t, state, d.State)
				require.Nil(t, d.Exact)
				require.Nil(t, d.Errors)
				continue
			}
			for c, e := range exact {
				v := d.Exact[c]
				if op.Function != word.Root {
					got, ok := v.Exact()
					require.True(t, ok && got.Cmp(e) == 0)
				} else {
					lo, hi := ratMul(v.Lo, v.Lo), ratMul(v.Hi, v.Hi)
					require.True(t, lo.Cmp(e) == 0 && hi.Cmp(e) == 0 || lo.Cmp(e) < 0 && hi.Cmp(e) > 0)
					wide := ratSub(v.Hi, v.Lo)
					require.LessOrEqual(t, wide.Mul(wide, rat(1, 1).SetInt(new(big.Int).Lsh(big.NewInt(1), 190))).Cmp(v.Lo), 0)
				}
				if d.Computed != nil {
					require.Zero(t, d.Errors[c].Hi.Cmp(ratSub(d.Computed[c], v.Lo)))
					require.Zero(t, d.Errors[c].Lo.Cmp(ratSub(d.Computed[c], v.Hi)))
				}
			}
		}
	}
}

// Rows that have no error are named, in batches left over, and never passed.
func TestWordRowsWithoutAnError(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	one := func(p int) *big.Rat { return rat(1, 2) }
	for _, c := range []struct {
		op      word.Op
		in, out []float32
		want    oracle.WordState
	}{
		{word.DWDivDW, []float32{0, 0, 0, 0}, []float32{0, 0}, oracle.WordUndefined},
		{word.DWDivDW, []float32{1, 0, 1, -1}, []float32{1, 0}, oracle.WordUndefined},
		{word.DWDivDW, []float32{0, 0, 1, -1}, []float32{1, 0}, oracle.WordUndefined},
		{word.DWDivDW, []float32{0, 0, 1, -1}, []float32{0, 0}, oracle.WordUndefined},
		{word.DWDivDW, []float32{1, 0, inf, 0}, []float32{0, 0}, oracle.WordOperand},
		{word.DWDivFPRound, []float32{0, 0, 0}, []float32{0}, oracle.WordUndefined},
		{word.DWPlusDW, []float32{inf, 0, 1, 0}, []float32{inf, 0}, oracle.WordOperand},
		{word.DWPlusDW, []float32{inf, 0, 1, 0}, []float32{1, 0}, oracle.WordOperand},
		{word.DWTimesDW, []float32{inf, 0, 1, 0}, []float32{1, 0}, oracle.WordOperand},
		{word.DWTimesDW, []float32{inf, 0, 0, 0}, []float32{0, 0}, oracle.WordOperand},
		{word.DWTimesDW, []float32{1, 0, 1, 0}, []float32{inf, 0}, oracle.WordResult},
		{word.DWTimesDW, []float32{1, 0, 1, 0}, []float32{1, nan}, oracle.WordResult},
		{word.DWSqrt, []float32{-1, 0}, []float32{1, 0}, oracle.WordUndefined},
		{word.DWSqrt, []float32{0, -0x1p-149}, []float32{0, 0}, oracle.WordUndefined},
		{word.DWSqrt, []float32{inf, 0}, []float32{inf, 0}, oracle.WordOperand},
		{word.TwoSum, []float32{inf, 1}, []float32{inf, 0}, oracle.WordOperand},
		{word.TwoProduct, []float32{inf, 1}, []float32{inf, 0}, oracle.WordOperand},
		{word.Split, []float32{nan}, []float32{nan, nan}, oracle.WordOperand},
		{word.Split, []float32{inf}, []float32{inf, 0}, oracle.WordOperand},
		{word.ComplexTimes, []float32{inf, 1, 1, 1}, []float32{inf, inf}, oracle.WordOperand},
		{word.ComplexTimes, []float32{inf, 1, 1, 1}, []float32{1, 1}, oracle.WordOperand},
		{word.ComplexDWTimesRound, []float32{1, 0, 1, 0, 1, 0, 1, 0}, []float32{0, inf}, oracle.WordResult},
		{word.ComplexDWPlus, []float32{1, 0, inf, 0, 1, 0, 1, 0}, []float32{2, 0, 1, 0}, oracle.WordOperand},
		{word.Dot3Round, []float32{1, 1, inf, 1, 1, 0}, []float32{2}, oracle.WordOperand},
	} {
		j, err := oracle.NewWordJudge(c.op, model.Binary32)
		require.NoError(t, err)
		limits := []*oracle.WordLimit{
			oracle.NewWordLimit(word.Bound{Text: "0"}, 24),
			oracle.NewWordLimit(word.Bound{Text: "1/2", Factor: one}, 24),
			oracle.NewWordLimit(word.Bound{Text: "1/2", Factor: one, Normwise: true}, 24),
		}
		if c.op.Z == 1 {
			limits = append(limits, oracle.NewRoundedLimit(word.Bound{Text: "1/2", Factor: one}, model.Binary32),
				oracle.NewRoundedLimit(word.Bound{Text: "1/2", Factor: one, Normwise: true}, model.Binary32))
		}
		for _, l := range limits {
			v := j.Judge32(c.in, c.out, l)
			require.Equal(t, c.want, v.State, "%s %v", c.op, c.in)
			require.False(t, v.Within)
			require.True(t, math.IsNaN(v.Ratio))
			_, row, unsure := j.Rows32(c.in, c.out, l, nil, nil)
			require.Equal(t, []int{0}, unsure, "%s %v", c.op, c.in)
			require.Equal(t, -1, row)
		}
	}
}

// The negative of a root is not a root, though its square is right.
func TestWordNegativeRoot(t *testing.T) {
	j, err := oracle.NewWordJudge(word.DWSqrt, model.Binary32)
	require.NoError(t, err)
	for _, b := range []word.Bound{{Text: "0"}, fixed(rat(1, 1<<40), false), fixed(rat(1, 1<<40), true)} {
		l := oracle.NewWordLimit(b, 24)
		in, out := []float32{4, 0}, []float32{-2, 0}
		v := j.Judge32(in, out, l)
		require.False(t, v.Within)
		require.Greater(t, v.Ratio, 0x1p20)
		_, _, unsure := j.Rows32(in, out, l, nil, nil)
		require.Equal(t, []int{0}, unsure)
	}
}

// A programmer's mistakes are told, and operations that there are not.
func TestWordJudgeMistakes(t *testing.T) {
	_, err := oracle.NewWordJudge(word.Op{Function: word.Sum, X: 9, Y: 1, Z: 1}, model.Binary32)
	require.Error(t, err)
	_, err = oracle.NewWordJudge(word.TwoSum, model.Format{})
	require.Error(t, err)
	j, err := oracle.NewWordJudge(word.TwoSum, model.Binary32)
	require.NoError(t, err)
	zero := word.Bound{Text: "0"}
	l := oracle.NewWordLimit(zero, 24)
	require.Panics(t, func() { j.Rows32(make([]float32, 3), make([]float32, 2), l, nil, nil) })
	require.Panics(t, func() { j.Rows32(make([]float32, 4), make([]float32, 2), l, nil, nil) })
	require.Panics(t, func() { j.Rows64(nil, nil, l, nil) })
	require.Panics(t, func() { j.Judge(make([]uint64, 3), make([]uint64, 2), l) })
	require.Panics(t, func() { j.Judge(make([]uint64, 2), make([]uint64, 2), oracle.NewRoundedLimit(zero, model.Binary32)) })
	require.Panics(t, func() { oracle.NewWordLimit(fixed(rat(-1, 2), false), 24) })
	w, row, unsure := j.Rows32(nil, nil, l, nil, nil)
	require.True(t, w == 0 && row == -1 && unsure == nil)
}

// pair is an operation whose operand is two words.
var pair = word.Op{Function: word.Value, X: 2, Z: 1}
