package oracle_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// wordOps are the operations of all algorithms, and some that have none.
func wordOps() []word.Op {
	seen := map[word.Op]bool{}
	var ops []word.Op
	add := func(o word.Op) {
		if !seen[o] {
			seen[o] = true
			ops = append(ops, o)
		}
	}
	for _, a := range word.Algorithms() {
		add(a.Op)
	}
	add(word.ComplexDWTimesRound)
	add(word.DWDivFPRound)
	add(word.Dot3Round)
	add(word.Op{Function: word.Difference, X: 2, Y: 2, Z: 2})
	add(word.Op{Function: word.Difference, X: 2, Y: 2, Z: 1})
	add(word.Op{Function: word.Root, X: 2, Z: 1})
	add(word.Op{Function: word.Root, X: 1, Z: 3})
	add(word.Op{Function: word.ComplexSum, X: 1, Y: 2, Z: 1})
	add(word.Op{Function: word.Product, X: 3, Y: 4, Z: 4})
	add(word.Op{Function: word.Quotient, X: 1, Y: 1, Z: 3})
	add(word.Op{Function: word.DotProduct, X: 2, Y: 1, Z: 2, Terms: 5})
	return ops
}

func rat(n, d int64) *big.Rat { return big.NewRat(n, d) }

func ratMul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func ratAdd(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func ratSub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// twinExact computes the exact components in rationals; of a root, the number under it.
func twinExact(op word.Op, f model.Format, in []uint64) (parts []*big.Rat, state oracle.WordState) {
	for _, b := range in {
		if !f.IsFinite(b) {
			return nil, oracle.WordOperand
		}
	}
	var n []*big.Rat
	for _, words := range op.Operands() {
		sum := new(big.Rat)
		for range words {
			sum.Add(sum, f.Rat(in[0]))
			in = in[1:]
		}
		n = append(n, sum)
	}
	switch op.Function {
	case word.Value:
		return n[:1], 0
	case word.Sum:
		return []*big.Rat{ratAdd(n[0], n[1])}, 0
	case word.Difference:
		return []*big.Rat{ratSub(n[0], n[1])}, 0
	case word.Product:
		return []*big.Rat{ratMul(n[0], n[1])}, 0
	case word.Quotient:
		if n[1].Sign() == 0 {
			return nil, oracle.WordUndefined
		}
		return []*big.Rat{new(big.Rat).Quo(n[0], n[1])}, 0
	case word.Root:
		if n[0].Sign() < 0 {
			return nil, oracle.WordUndefined
		}
		return n[:1], 0
	case word.ComplexSum:
		return []*big.Rat{ratAdd(n[0], n[2]), ratAdd(n[1], n[3])}, 0
	case word.ComplexProduct:
		return []*big.Rat{ratSub(ratMul(n[0], n[2]), ratMul(n[1], n[3])), ratAdd(ratMul(n[0], n[3]), ratMul(n[1], n[2]))}, 0
	}
	sum := new(big.Rat)
	for i := range op.Terms {
		sum.Add(sum, ratMul(n[i], n[op.Terms+i]))
	}
	return []*big.Rat{sum}, 0
}

// twinRoot returns √x as a float of 3000 bits.
func twinRoot(x *big.Rat) *big.Float {
	return new(big.Float).SetPrec(3000).Sqrt(new(big.Float).SetPrec(3000).SetRat(x))
}

// twinNearest rounds a rational to nearest, ties to even or away, by model/round.
func twinNearest(f model.Format, x *big.Rat, r model.Rounding) uint64 {
	n := new(big.Int).Abs(x.Num())
	k := max(0, 200-n.BitLen()+x.Denom().BitLen())
	n.Lsh(n, uint(k))
	q, rest := new(big.Int).QuoRem(n, x.Denom(), new(big.Int))
	q.Lsh(q, 1)
	if rest.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	return round.Arith{F: f, R: r}.FromDyadic(x.Sign() < 0, q, -k-1)
}

// order maps finite and infinite encodings to integers in the order of their values.
func order(f model.Format, b uint64) int64 {
	m := int64(b &^ f.SignBit())
	if f.Signbit(b) {
		return -m
	}
	return m
}

// twinWithin decides a row without rounding at the end.
func twinWithin(op word.Op, b word.Bound, p int, exact, z []*big.Rat) bool {
	factor := new(big.Rat)
	if b.Factor != nil {
		factor = b.Factor(p)
	}
	if op.Function == word.Root {
		x := exact[0]
		if x.Sign() == 0 {
			return z[0].Sign() == 0
		}
		// |z/√x - 1| <= B; z/√x is irrational unless x is a square
		r := new(big.Float).SetPrec(3000).SetRat(z[0])
		r.Quo(r, twinRoot(x))
		r.Sub(r, big.NewFloat(1))
		r.Abs(r)
		f := new(big.Float).SetPrec(3000).SetRat(factor)
		if b.Normwise {
			f.Sqrt(f)
		}
		r.Sub(r, f)
		if r.Sign() != 0 && r.MantExp(nil) < -2900 {
			return true // equal: nothing else comes so near
		}
		return r.Sign() <= 0
	}
	errs, sizes := new(big.Rat), new(big.Rat)
	for c := range exact {
		d := ratSub(z[c], exact[c])
		if !b.Normwise && d.Abs(d).Cmp(ratMul(factor, new(big.Rat).Abs(exact[c]))) > 0 {
			return false
		}
		errs.Add(errs, ratMul(d, d))
		sizes.Add(sizes, ratMul(exact[c], exact[c]))
	}
	return !b.Normwise || errs.Cmp(sizes.Mul(sizes, factor)) <= 0
}

// twinRounded decides a row that was rounded once at the end.
func twinRounded(op word.Op, b word.Bound, f model.Format, r model.Rounding, exact []*big.Rat, out []uint64) bool {
	factor := new(big.Rat)
	if b.Factor != nil {
		factor = b.Factor(f.P)
	}
	same := func(x, y uint64) bool { return order(f, x) == order(f, y) }
	if !b.Normwise && op.Function != word.Root {
		for c, e := range exact {
			room := ratMul(factor, new(big.Rat).Abs(e))
			lo, hi := twinNearest(f, ratSub(e, room), r), twinNearest(f, ratAdd(e, room), r)
			if order(f, out[c]) < order(f, lo) || order(f, out[c]) > order(f, hi) {
				return false
			}
		}
		return true
	}
	dist2, sizes, open := new(big.Rat), new(big.Rat), false
	for c, e := range exact {
		sizes.Add(sizes, ratMul(e, e))
		z := f.Rat(out[c])
		side := func(toward uint64) *big.Rat { // the middle between z and its neighbour
			n := new(big.Rat)
			if f.IsFinite(toward) && !same(toward, out[c]) {
				n = f.Rat(toward)
			} else if f.Overflow == model.OverflowSaturate { // beyond the largest there is no end
				n.SetInt(new(big.Int).Lsh(big.NewInt(int64(z.Sign())), 9000))
			} else {
				n.Sub(ratAdd(z, z), f.Rat(out[c]-1))
			}
			return ratMul(ratAdd(n, z), rat(1, 2))
		}
		up, down := f.Next(out[c]), f.Prev(out[c])
		lo, hi := side(down), side(up)
		if op.Function == word.Root {
			root := twinRoot(e)
			lof, hif := new(big.Float).SetPrec(3000).SetRat(lo), new(big.Float).SetPrec(3000).SetRat(hi)
			size := new(big.Float).SetPrec(3000).SetRat(factor)
			if b.Normwise {
				size.Sqrt(size)
			}
			room := new(big.Float).SetPrec(3000).Mul(root, size)
			hiRoot, loRoot := new(big.Float).SetPrec(3000).Add(root, room), new(big.Float).SetPrec(3000).Sub(root, room)
			cmp := func(x, y *big.Float) int { // what is that near is equal
				d := new(big.Float).SetPrec(3000).Sub(x, y)
				if d.Sign() != 0 && d.MantExp(nil) < y.MantExp(nil)-2900 {
					return 0
				}
				return d.Sign()
			}
			a, z := cmp(hiRoot, lof), cmp(hif, loRoot)
			loIn, hiIn := same(twinNearest(f, lo, r), out[c]), same(twinNearest(f, hi, r), out[c])
			return (a > 0 || a == 0 && loIn) && (z > 0 || z == 0 && hiIn)
		}
		end := e
		switch {
		case e.Cmp(lo) < 0 || e.Cmp(lo) == 0 && !same(twinNearest(f, lo, r), out[c]):
			end = lo
		case e.Cmp(hi) > 0 || e.Cmp(hi) == 0 && !same(twinNearest(f, hi, r), out[c]):
			end = hi
		default:
			continue
		}
		if !same(twinNearest(f, end, r), out[c]) {
			open = true
		}
		d := ratSub(e, end)
		dist2.Add(dist2, d.Mul(d, d))
	}
	c := dist2.Cmp(sizes.Mul(sizes, factor))
	return c < 0 || c == 0 && !open
}

// drawWord draws a word: anything, or something near the others in size, or structured.
func drawWord(r *rand.Rand, f model.Format) uint64 {
	mask := f.SignBit()<<1 - 1
	switch r.IntN(12) {
	case 0:
		return r.Uint64() & mask
	case 1:
		return r.Uint64() & f.SignBit()
	case 2: // subnormal
		return r.Uint64()&f.SignBit() | r.Uint64()&(f.MinNormalBits()-1)
	case 3: // the largest
		return r.Uint64()&f.SignBit() | (f.MaxBits() - uint64(r.IntN(3)))
	}
	// near 1
	one := uint64(-f.Emin+1) << (f.P - 1)
	e := one + uint64(int64(r.IntN(7)-3)<<(f.P-1))
	m := r.Uint64() & (1<<(f.P-1) - 1)
	switch r.IntN(4) {
	case 0:
		m &= 3
	case 1:
		m |= (1<<(f.P-1) - 1) &^ 3
	}
	return (e + m | r.Uint64()&f.SignBit()) & mask
}

// drawRow draws operands, often as double words, and results that are near the exact ones.
func drawRow(r *rand.Rand, op word.Op, f model.Format) (in, out []uint64) {
	a := round.Arith{F: f}
	for _, words := range op.Operands() {
		x := drawWord(r, f)
		in = append(in, x)
		for range words - 1 {
			switch r.IntN(6) {
			case 0:
				x = 0
			case 1:
				x = drawWord(r, f)
			case 2: // half an ulp
				if f.IsFinite(x) {
					neg := r.IntN(2) == 0
					x = a.FromDyadic(neg, big.NewInt(1), f.UlpExp(x)-1)
				}
			default:
				if f.IsFinite(x) {
					x = a.FromDyadic(r.IntN(2) == 0, new(big.Int).SetUint64(r.Uint64()>>12), f.UlpExp(x)-53-r.IntN(3))
				}
			}
			in = append(in, x)
		}
	}
	if op.Y > 0 && op.Y == op.X && r.IntN(3) == 0 { // cancellation
		for i := range op.X {
			in[len(in)-op.Y+i] = in[i] ^ f.SignBit()
		}
		if r.IntN(2) == 0 {
			in[len(in)-1] = f.Next(in[len(in)-1])
		}
	}
	if op.Function == word.Root && r.IntN(4) > 0 {
		in[0] &^= f.SignBit()
		if r.IntN(3) == 0 {
			in[0] = a.Mul(in[0], in[0])
			for i := range in[1:] {
				in[i+1] = 0
			}
		}
	}
	parts, state := twinExact(op, f, in)
	for c := range op.Components() {
		e := new(big.Rat)
		if state == oracle.WordJudged {
			e.Set(parts[c])
			if op.Function == word.Root {
				e, _ = twinRoot(parts[c]).Rat(nil)
			}
		}
		for i := range op.Z {
			w := twinNearest(f, e, model.NearestEven)
			if i == op.Z-1 {
				for range r.IntN(4) {
					w = [...]func(uint64) uint64{f.Next, f.Prev}[r.IntN(2)](w)
				}
			}
			if r.IntN(60) == 0 {
				w = drawWord(r, f)
			}
			out = append(out, w)
			if !f.IsFinite(w) {
				for range op.Z - 1 - i {
					out = append(out, 0)
				}
				break
			}
			e = ratSub(e, f.Rat(w))
		}
	}
	return in, out
}

var wordFormats = []model.Format{
	model.Toy(2), model.Toy(3), model.Toy(5), model.Toy(7), model.E4M3, model.E5M2, model.Binary16, model.Binary32, model.Binary64,
	{Name: "saturating", P: 4, Emin: -6, Emax: 8, ExpBits: 4, MaxFinite: 14, NaNs: model.NaNOnes, Overflow: model.OverflowSaturate},
}

// wordBounds are limits near what a result with its last word some units off reaches.
func wordBounds(r *rand.Rand, op word.Op, p int) word.Bound {
	if r.IntN(8) == 0 {
		return word.Bound{Text: "0"}
	}
	n, d := int64(1+r.IntN(40)), int64(1+r.IntN(8))
	k := p * op.Z
	if r.IntN(3) == 0 {
		k = p
	}
	b := word.Bound{Text: "drawn", Normwise: r.IntN(2) == 0}
	b.Factor = func(int) *big.Rat {
		x := new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Lsh(big.NewInt(d), uint(k)))
		if b.Normwise {
			x.Mul(x, x)
		}
		return x
	}
	return b
}

// Every function, over formats narrow and wide, is judged as rationals say.
func TestWordJudgeAgreesWithRationals(t *testing.T) {
	for _, op := range wordOps() {
		for _, f := range wordFormats {
			t.Run(fmt.Sprintf("%s/%s", op, f), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(f.P), uint64(op.In())))
				j, err := oracle.NewWordJudge(op, f)
				require.NoError(t, err)
				n := 80
				if op.Function == word.Root {
					n = 30
				}
				for range n {
					b := wordBounds(r, op, f.P)
					in, out := drawRow(r, op, f)
					v := j.Judge(in, out, oracle.NewWordLimit(b, f.P))
					note := fmt.Sprintf("%s %x -> %x, %+v", b.Text, in, out, v)
					exact, state := twinExact(op, f, in)
					if state == oracle.WordJudged {
						for _, w := range out {
							if !f.IsFinite(w) {
								state = oracle.WordResult
							}
						}
					}
					require.Equal(t, state, v.State, note)
					if state != oracle.WordJudged {
						require.True(t, math.IsNaN(v.Ratio) && !v.Within, note)
						continue
					}
					var z []*big.Rat
					for c := range exact {
						sum := new(big.Rat)
						for _, w := range out[c*op.Z : (c+1)*op.Z] {
							sum.Add(sum, f.Rat(w))
						}
						z = append(z, sum)
					}
					require.Equal(t, twinWithin(op, b, f.P, exact, z), v.Within, note)
					require.Equal(t, v.Within, v.Ratio <= 1, note)
					if op.Z != 1 {
						continue
					}
					for _, ties := range []model.Rounding{model.NearestEven, model.NearestAway} {
						l := oracle.NewRoundedLimit(b, f)
						if ties == model.NearestAway {
							l = l.TiesAway()
						}
						v := j.Judge(in, out, l)
						require.Equal(t, twinRounded(op, b, f, ties, exact, out), v.Within, "rounded, %v, %s", ties, note)
						require.Equal(t, v.Within, v.Ratio <= 1, note)
					}
				}
			})
		}
	}
}
