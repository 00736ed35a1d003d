package props_test

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"testing"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/props"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// The tests of this file and of the others whose names begin so hold kernels that are right by construction to claims that are drawn: a
// law that accuses one, or that fails since it has nothing to say about such a claim, is wrong. For a longer look
//
//	go test ./props -run TestEveryClaim -claims 2000
var randomClaims = flag.Int("claims", 16, "how many random claims of each kind TestEveryClaim… tries")

// choices is a small generator of choices.
type choices uint64

func (c *choices) next(n int) int {
	*c = *c*6364136223846793005 + 1442695040888963407
	return int(uint64(*c>>33) % uint64(n))
}

// simulated returns a sum, or a dot product, that follows a schedule in the formats, the rounding and the flushing of its claim.
func simulated(c model.Claim, shape sumtree.Shape, dot bool) func(x, y []uint64) uint64 {
	acc, out := round.Arith{F: c.Acc, R: c.Rounding, Fl: c.Flush}, round.Arith{F: c.Out, R: c.Rounding, Fl: c.Flush}
	return func(x, y []uint64) uint64 {
		n := len(x)
		if n < c.MinN || c.MaxN > 0 && n > c.MaxN || c.Multiple > 1 && n%c.Multiple != 0 {
			panic(fmt.Sprintf("length %d is not claimed", n))
		}
		tree := shape.Tree(n)
		leaves := append(append([]uint64{}, x...), y...)
		if dot {
			tree = tree.OverProducts(c.Fusion == model.FusedChain)
		}
		for i, b := range leaves {
			if c.Finite && !c.In.IsFinite(b) {
				panic("a leaf that is not claimed")
			}
			leaves[i] = round.Convert(acc, c.In, b)
		}
		s, err := eval.Bits(tree, acc, leaves)
		if err != nil {
			panic(err)
		}
		if c.Mean {
			d := acc.FromDyadic(false, big.NewInt(int64(n)), 0)
			s = acc.Div(s, d)
		}
		return round.Convert(out, c.Acc, s)
	}
}

// compensated returns a compensated sum as textbooks have it, which minds no infinities.
func compensated(c model.Claim) func(x []uint64) uint64 {
	a := round.Arith{F: c.In, R: c.Rounding, Fl: c.Flush}
	sub := func(x, y uint64) uint64 { return a.Add(x, y^a.F.SignBit()) }
	two := func(x, y uint64) (s, e uint64) {
		s = a.Add(x, y)
		b := sub(s, x)
		return s, a.Add(sub(x, sub(s, b)), sub(y, b))
	}
	return func(x []uint64) uint64 {
		var s, e, ee uint64
		for _, v := range x {
			if !c.In.IsFinite(v) {
				panic("a leaf that is not claimed")
			}
			switch c.Compensation {
			case model.Kahan:
				y := sub(v, e)
				t := a.Add(s, y)
				e = sub(sub(t, s), y)
				s = t
			case model.Sum2:
				var d uint64
				s, d = two(s, v)
				e = a.Add(e, d)
			default:
				var d uint64
				s, d = two(s, v)
				e, d = two(e, d)
				ee = a.Add(ee, d)
			}
		}
		switch c.Compensation {
		case model.Sum2:
			s = a.Add(s, e)
		case model.Klein:
			s = a.Add(s, a.Add(e, ee))
		case model.KleinLeft:
			s = a.Add(a.Add(s, e), ee)
		}
		return s
	}
}

// TestEveryClaimOfCompensatedSums holds textbooks' sums to claims about finite numbers alone.
func TestEveryClaimOfCompensatedSums(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "400")
	t.Setenv("GAMMA_SAVE", "off")
	t.Setenv("GAMMA_MAXN", "1100")
	for seed := range *randomClaims {
		pick := choices(seed)
		c := model.Claim{
			In: []model.Format{model.Binary32, model.Binary64, model.Binary16, model.BFloat16, model.E4M3, model.E5M2}[pick.next(6)], Finite: true,
			Compensation: []model.Compensation{model.Kahan, model.Sum2, model.Klein, model.KleinLeft}[pick.next(4)],
		}
		if pick.next(3) == 0 {
			c.Rounding = model.Rounding(pick.next(5))
		}
		if pick.next(3) == 0 {
			c.Flush = model.Flush{In: pick.next(2) == 0, Out: true, Before: pick.next(2) == 0}
		}
		c.Repeats = pick.next(2) == 0
		if pick.next(3) == 0 {
			c.Multiple = 1 << pick.next(9)
		}
		run := compensated(c)
		text := fmt.Sprintf("%d %s %s %s flush=%s multiple=%d", seed, c.In, c.Compensation, c.Rounding, c.Flush, c.Multiple)
		r := props.Reduction{Name: text, Claim: c}
		switch c.In {
		case model.Binary32:
			r.Run = func(x []float32) float32 { return math.Float32frombits(uint32(run(eval.Bits32(x)))) }
		case model.Binary64:
			r.Run64 = func(x []float64) float64 { return math.Float64frombits(run(eval.Bits64(x))) }
		default:
			r.RunBits = func(x []uint16) uint64 { return run(wide(x)) }
		}
		t.Run(text, r.Check)
	}
}

// maximum returns the greater number, and a NaN for a NaN.
func maximum(f model.Format) func(x, y uint64) uint64 {
	key := func(b uint64) int64 {
		if f.Signbit(b) {
			return -int64(b&^f.SignBit()) - 1
		}
		return int64(b)
	}
	return func(x, y uint64) uint64 {
		switch {
		case f.IsNaN(x) || f.IsNaN(y):
			return f.NaNBits()
		case key(x) > key(y):
			return x
		}
		return y
	}
}

// finiteAlone returns an arithmetic whose operations panic where an operand or a result is not finite, and which claims no more.
func finiteAlone(a props.Arithmetic, f model.Format) props.Arithmetic {
	a.Finite = true
	check := func(list ...uint64) uint64 {
		for _, b := range list {
			if !f.IsFinite(b) {
				panic("a number that is not claimed")
			}
		}
		return list[0]
	}
	two := func(op func(x, y uint64) uint64) func(x, y uint64) uint64 {
		if op == nil {
			return nil
		}
		return func(x, y uint64) uint64 { return check(op(x, y), x, y) }
	}
	a.Add, a.Sub, a.Mul, a.Div, a.Maximum = two(a.Add), two(a.Sub), two(a.Mul), two(a.Div), two(a.Maximum)
	if fma := a.Fma; fma != nil {
		a.Fma = func(x, y, z uint64) uint64 { return check(fma(x, y, z), x, y, z) }
	}
	if root := a.Sqrt; root != nil {
		a.Sqrt = func(x uint64) uint64 { return check(root(x), x) }
	}
	if compare := a.Compare; compare != nil {
		a.Compare = func(x, y uint64) (int, bool) {
			check(x, y)
			return compare(x, y)
		}
	}
	return a
}

// TestEveryClaimOfArithmetic holds software's operations to the laws of single ones: each alone, two, and some, in several formats.
func TestEveryClaimOfArithmetic(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "500")
	t.Setenv("GAMMA_SAVE", "off")
	for _, f := range []model.Format{model.Binary32, model.Binary16, model.E4M3, model.E5M2, model.BFloat16} {
		for seed := range 8 + *randomClaims/4 {
			pick := choices(seed)
			var a props.Arithmetic
			rounding := model.NearestEven
			if seed >= 8 {
				rounding = model.Rounding(pick.next(5))
			}
			flush := model.Flush{}
			if seed >= 8 && pick.next(3) == 0 {
				flush = model.Flush{In: pick.next(2) == 0, Out: true}
			}
			r := round.Arith{F: f, R: rounding, Fl: flush}
			set := []func(){
				func() { a.Add = r.Add }, func() { a.Sub = r.Sub }, func() { a.Mul = r.Mul }, func() { a.Div = r.Div }, func() { a.Fma = r.Fma },
				func() { a.Sqrt = r.Sqrt },
				func() { a.Compare = r.Compare }, func() { a.Maximum = maximum(f) },
			}
			if seed < len(set) {
				set[seed]()
			} else {
				for range 1 + pick.next(3) {
					set[pick.next(len(set))]()
				}
			}
			if pick.next(2) == 0 {
				a = finiteAlone(a, f)
			}
			a.Name, a.Format, a.Rounding, a.Flush = fmt.Sprint("arithmetic", seed), f, rounding, flush
			t.Run(fmt.Sprintf("%s %d %s flush=%s", f, seed, rounding, flush), a.Check)
		}
	}
}

// sumClaim draws a claim of a sum or a dot product, the shape that the kernel follows, and for one in three a device that it runs on.
func sumClaim(pick *choices) (c model.Claim, shape string, dot bool, device props.DeviceClaim) {
	formats := []model.Format{model.Binary32, model.Binary64, model.Binary16, model.BFloat16, model.E4M3, model.E5M2}
	c.In = formats[pick.next(6)]
	c.Acc, c.Out = c.In, c.In
	if c.In.Bits() <= 16 && pick.next(2) == 0 {
		c.Acc = formats[pick.next(4)]
		if c.Acc.P < c.In.P || c.Acc.Emax < c.In.Emax {
			c.Acc = model.Binary32
		}
		if c.Acc.Bits() <= 16 && pick.next(2) == 0 {
			c.Out = c.Acc
		}
	}
	shape = []string{"left", "pairwise/1", "lanes/4", "blocked/7", "numpy"}[pick.next(5)]
	if pick.next(2) == 0 {
		c.Tree = shape
	}
	c.Rounding = model.Rounding(pick.next(5))
	if pick.next(3) == 0 {
		c.Flush = model.Flush{In: pick.next(2) == 0, Out: true, Before: pick.next(2) == 0}
	}
	dot = pick.next(2) == 0
	c.Mean = !dot && pick.next(4) == 0 && c.Acc.P >= 24
	if dot && pick.next(3) == 0 {
		c.Fusion, shape, c.Tree = model.FusedChain, "left", ""
	}
	c.Repeats, c.Finite = pick.next(2) == 0, pick.next(2) == 0
	switch pick.next(5) {
	case 0:
		c.MinN = 1 + pick.next(40)
	case 1:
		c.MinN = 1 + pick.next(300)
		c.MaxN = c.MinN
	case 2:
		c.Multiple = 1 << pick.next(9)
	case 3:
		c.Multiple, c.MinN = 3, 1+pick.next(30)
		c.MaxN = c.MinN + 40
	}
	if c.In == model.Binary32 && pick.next(3) == 0 {
		device = props.DeviceClaim{Cost: 1, Strict: pick.next(2) == 0, Admits: model.Behaviour{
			Flush: model.Flush{In: pick.next(2) == 0, Out: pick.next(2) == 0}, Contract: model.Contraction(pick.next(3)), Order: "reverse", Poison: true,
			Rewrites: model.Rewrites{Reassociate: pick.next(2) == 0, NoSignedZeros: pick.next(2) == 0, NoNaNs: pick.next(2) == 0, NoInfs: pick.next(2) == 0},
		}}
		if pick.next(2) == 0 {
			device.Admits.Rounding = model.TowardZero
		}
	}
	return c, shape, dot, device
}

// TestEveryClaimOfSums holds sums and dot products that follow their schedules in the judge's own arithmetic to random claims.
func TestEveryClaimOfSums(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "300")
	t.Setenv("GAMMA_SAVE", "off")
	t.Setenv("GAMMA_MAXN", "1100")
	for seed := range *randomClaims {
		pick := choices(seed)
		c, name, dot, device := sumClaim(&pick)
		shape, err := sumtree.ParseShape(name)
		if err != nil {
			t.Fatal(err)
		}
		run := simulated(c, shape, dot)
		on := func(at props.Setting) func(x, y []uint64) uint64 {
			under := c
			if b := at.Behaviour; b.Rounding != model.NearestEven {
				under.Rounding = b.Rounding
			}
			under.Flush.In, under.Flush.Out = under.Flush.In || at.Behaviour.Flush.In, under.Flush.Out || at.Behaviour.Flush.Out
			return simulated(under, shape, dot)
		}
		own := c
		if c.Out == c.In {
			own.Out = model.Format{}
		}
		text := fmt.Sprintf("%d %s %+v %+v", seed, name, own, device.Admits)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Log(text)
			r, d := props.Reduction{Name: fmt.Sprintf("sum%d", seed), Claim: own}, props.Dot{Name: fmt.Sprintf("dot%d", seed), Claim: own}
			switch {
			case device.Cost > 0:
				r.Device, d.Device = device, device
				r.RunOn = func(at props.Setting, x []float32) (float32, error) {
					return math.Float32frombits(uint32(on(at)(eval.Bits32(x), nil))), nil
				}
				d.RunOn = func(at props.Setting, x, y []float32) (float32, error) {
					return math.Float32frombits(uint32(on(at)(eval.Bits32(x), eval.Bits32(y)))), nil
				}
			case c.In == model.Binary32:
				r.Run = func(x []float32) float32 { return math.Float32frombits(uint32(run(eval.Bits32(x), nil))) }
				d.Run = func(x, y []float32) float32 { return math.Float32frombits(uint32(run(eval.Bits32(x), eval.Bits32(y)))) }
			case c.In == model.Binary64:
				r.Run64 = func(x []float64) float64 { return math.Float64frombits(run(eval.Bits64(x), nil)) }
				d.Run64 = func(x, y []float64) float64 { return math.Float64frombits(run(eval.Bits64(x), eval.Bits64(y))) }
			default:
				r.RunBits = func(x []uint16) uint64 { return run(wide(x), nil) }
				d.RunBits = func(x, y []uint16) uint64 { return run(wide(x), wide(y)) }
			}
			if dot {
				d.Check(t)
			} else {
				r.Check(t)
			}
		})
	}
}

func wide(x []uint16) []uint64 {
	y := make([]uint64, len(x))
	for i, b := range x {
		y[i] = uint64(b)
	}
	return y
}

// TestEveryClaimOfOperations holds every algorithm, run step by step, to its own claims under every rounding and flush.
func TestEveryClaimOfOperations(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "350")
	t.Setenv("GAMMA_SAVE", "off")
	for i, a := range word.Algorithms() {
		for seed := range 1 + *randomClaims/40 {
			pick := choices(i + 1000*seed)
			c := word.Claim{Op: a.Op, Algorithm: a.Name, Exact: pick.next(2) == 0, Rounding: model.Rounding(pick.next(5)), Finite: pick.next(2) == 0, Unnormalised: pick.next(3) == 0}
			if pick.next(2) == 0 {
				c.Rounding = model.NearestEven
			}
			if pick.next(3) == 0 {
				c.Flush = model.Flush{In: pick.next(2) == 0, Out: true}
			}
			if pick.next(3) == 0 {
				c.Multiple = 1 + pick.next(9)
			}
			if !c.Exact { // where an operand or the result is no number, algorithms lose infinities
				c.Special = word.SpecialNotFinite
			}
			ar := stepArith{round.Arith{F: model.Binary32, R: c.Rounding, Fl: c.Flush}}
			values := make([]uint64, len(a.Program.Inputs)+len(a.Program.Steps))
			out := make([]uint64, len(a.Program.Results))
			text := fmt.Sprintf("%s %d exact=%t %s flush=%s finite=%t multiple=%d", a.Name, seed, c.Exact, c.Rounding, c.Flush, c.Finite, c.Multiple)
			if len(a.Bounds) == 0 && !c.Exact {
				continue
			}
			t.Run(text, func(t *testing.T) {
				props.Operation{Name: text, Claim: c, Run: func(dst, src []float32) {
					n, m := len(a.Program.Inputs), len(out)
					if c.Multiple > 1 && len(src)/n%c.Multiple != 0 {
						panic("rows that are no multiple")
					}
					for i := 0; i < len(src)/n; i++ {
						for k := range n {
							values[k] = uint64(math.Float32bits(src[i*n+k]))
							if c.Finite && !model.Binary32.IsFinite(values[k]) {
								panic("an operand that is not claimed")
							}
						}
						word.Run(a.Program, ar, values, out)
						for k, b := range out {
							dst[i*m+k] = math.Float32frombits(uint32(b))
						}
					}
				}}.Check(t)
			})
		}
	}
}

// stepArith is arithmetic that runs a program.
type stepArith struct{ round.Arith }

func (a stepArith) Neg(b uint64) uint64 { return b ^ a.F.SignBit() }
func (a stepArith) One() uint64         { return uint64(1-a.F.Emin) << (a.F.P - 1) }
func (a stepArith) Splitter() uint64 {
	k := (a.F.P + 1) / 2
	return uint64(1-a.F.Emin+k)<<(a.F.P-1) | 1<<(a.F.P-1-k)
}
