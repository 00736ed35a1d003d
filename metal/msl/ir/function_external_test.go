package ir_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/model"
)

const slowBits = 256

func bf(x float64) *big.Float { return new(big.Float).SetPrec(slowBits).SetFloat64(x) }
func bz() *big.Float          { return new(big.Float).SetPrec(slowBits) }

// slowExp sums the series of exp after 64 halvings of the argument.
func slowExp(x *big.Float) *big.Float {
	y := bz().SetMantExp(x, -64)
	sum, term := bf(1), bf(1)
	for i := 1; i < 60; i++ {
		term.Mul(term, y)
		term.Quo(term, bf(float64(i)))
		sum.Add(sum, term)
	}
	// (1+e)^2 - 1 = 2e + e² keeps the digits that squaring 1+e would lose.
	e := bz().Sub(sum, bf(1))
	for range 64 {
		e.Add(bz().SetMantExp(e, 1), bz().Mul(e, e))
	}
	return bz().Add(e, bf(1))
}

// slowLog solves exp(y) = x by Newton from binary64's guess.
func slowLog(x *big.Float) *big.Float {
	man := bz()
	e := x.MantExp(man)
	f, _ := man.Float64()
	y := bf(math.Log(f))
	for range 4 {
		t := slowExp(bz().Neg(y))
		t.Mul(t, man)
		t.Sub(t, bf(1))
		y.Add(y, t)
		y.Sub(y, bz().Quo(bz().Mul(t, t), bf(2)))
	}
	return y.Add(y, bz().Mul(bf(float64(e)), ln2))
}

var (
	ln2    = seriesLn2()
	slowPi = machin()
)

// seriesLn2 is Σ 1/(k·2^k).
func seriesLn2() *big.Float {
	s := bz()
	for k := 1; k < slowBits+8; k++ {
		t := bz().SetMantExp(bf(1), -k)
		s.Add(s, t.Quo(t, bf(float64(k))))
	}
	return s
}

// arctan is the series of atan after three halvings of the angle: atan(x) = 2·atan(x/(1+√(1+x²))).
func arctan(x *big.Float) *big.Float {
	const halvings = 6
	y := bz().Set(x)
	for range halvings {
		d := bz().Mul(y, y)
		d.Add(d, bf(1)).Sqrt(d)
		y.Quo(y, d.Add(d, bf(1)))
	}
	s, p, sq := bz(), bz().Set(y), bz().Mul(y, y)
	for i := range 60 {
		t := bz().Quo(p, bf(float64(2*i+1)))
		if i%2 == 1 {
			t.Neg(t)
		}
		s.Add(s, t)
		p.Mul(p, sq)
	}
	return s.SetMantExp(s, halvings)
}

// machin is π = 16·atan(1/5) - 4·atan(1/239).
func machin() *big.Float {
	a := arctan(bz().Quo(bf(1), bf(5)))
	b := arctan(bz().Quo(bf(1), bf(239)))
	return a.Sub(a.Mul(a, bf(16)), b.Mul(b, bf(4)))
}

// slowSinCos reduces by the nearest multiple of π/2 and sums both series.
func slowSinCos(x *big.Float) (sin, cos *big.Float) {
	half := bz().Quo(slowPi, bf(2))
	q := bz().Quo(x, half)
	q.Add(q, bf(math.Copysign(0.5, float64(q.Sign()))))
	n, _ := q.Int(nil)
	r := bz().Sub(x, bz().Mul(bz().SetInt(n), half))
	s, c, term := bz(), bz(), bf(1)
	for i := range 60 {
		switch i % 4 {
		case 0:
			c.Add(c, term)
		case 1:
			s.Add(s, term)
		case 2:
			c.Sub(c, term)
		case 3:
			s.Sub(s, term)
		}
		term = bz().Quo(bz().Mul(term, r), bf(float64(i+1)))
	}
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 0:
		return s, c
	case 1:
		return c, s.Neg(s)
	case 2:
		return s.Neg(s), c.Neg(c)
	}
	return c.Neg(c), s
}

// slowFunction is op at finite x (and y), in the interior of its domain, by the series above.
func slowFunction(op ir.Op, x, y float64) *big.Float {
	a := bf(x)
	one := bf(1)
	quo := func(p, q *big.Float) *big.Float { return bz().Quo(p, q) }
	root := func(p *big.Float) *big.Float { return bz().Sqrt(p) }
	switch op {
	case ir.Exp:
		return slowExp(a)
	case ir.Exp2:
		return slowExp(a.Mul(a, ln2))
	case ir.Exp10:
		return slowExp(a.Mul(a, slowLog(bf(10))))
	case ir.Log:
		return slowLog(a)
	case ir.Log2:
		return quo(slowLog(a), ln2)
	case ir.Log10:
		return quo(slowLog(a), slowLog(bf(10)))
	case ir.SinPi, ir.CosPi, ir.TanPi:
		return slowTrig(op-ir.SinPi+ir.Sin, a.Mul(a, slowPi))
	case ir.Sin, ir.Cos, ir.Tan:
		return slowTrig(op, a)
	case ir.Atan:
		return arctan(a)
	case ir.Asin: // atan(x/√(1-x²))
		d := bz().Sub(one, bz().Mul(a, a))
		return arctan(quo(a, root(d)))
	case ir.Acos: // 2·atan(√((1-x)/(1+x)))
		d := arctan(root(quo(bz().Sub(one, a), bz().Add(one, a))))
		return d.Mul(d, bf(2))
	case ir.Atan2:
		r := arctan(quo(a, bf(y)))
		if y < 0 && x < 0 {
			r.Sub(r, slowPi)
		} else if y < 0 {
			r.Add(r, slowPi)
		}
		return r
	case ir.Sinh, ir.Cosh, ir.Tanh:
		p, q := slowExp(a), slowExp(bz().Neg(a))
		s, c := bz().Sub(p, q), bz().Add(p, q)
		switch op {
		case ir.Sinh:
			return s.Quo(s, bf(2))
		case ir.Cosh:
			return c.Quo(c, bf(2))
		}
		return s.Quo(s, c)
	case ir.Asinh: // sign·log(|x|+√(x²+1))
		m := bz().Abs(a)
		d := root(bz().Add(bz().Mul(a, a), one))
		r := slowLog(m.Add(m, d))
		if x < 0 {
			r.Neg(r)
		}
		return r
	case ir.Acosh:
		d := root(bz().Sub(bz().Mul(a, a), one))
		return slowLog(d.Add(d, a))
	case ir.Atanh:
		r := slowLog(quo(bz().Add(one, a), bz().Sub(one, a)))
		return r.Quo(r, bf(2))
	case ir.Pow, ir.Powr:
		r := slowExp(bz().Mul(bf(y), slowLog(bf(math.Abs(x)))))
		if x < 0 && math.Mod(y, 2) != 0 {
			r.Neg(r)
		}
		return r
	}
	panic(op)
}

func slowTrig(op ir.Op, a *big.Float) *big.Float {
	s, c := slowSinCos(a)
	switch op {
	case ir.Sin:
		return s
	case ir.Cos:
		return c
	}
	return s.Quo(s, c)
}

// domain says where the slow twin of op is sharp: in the interior of the domain, with results in range.
func domain(op ir.Op, x, y float64) bool {
	m := math.Abs(x)
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 || m < 0x1p-60 {
		return false
	}
	switch op {
	case ir.Exp, ir.Sinh, ir.Cosh, ir.Exp2, ir.Exp10, ir.Tanh:
		return m < 90
	case ir.Log, ir.Log2, ir.Log10:
		return x > 0 && x != 1
	case ir.Sin, ir.Cos, ir.Tan:
		return m < 0x1p120
	case ir.SinPi, ir.CosPi, ir.TanPi:
		return 2*x != math.Trunc(2*x)
	case ir.Asin, ir.Acos, ir.Atanh:
		return m < 1
	case ir.Acosh:
		return x > 1
	case ir.Atan2:
		return y != 0 && !math.IsInf(y, 0) && !math.IsNaN(y) && math.Abs(y) > 0x1p-60
	case ir.Pow, ir.Powr:
		e := y * math.Log2(m)
		return y != 0 && math.Abs(e) < 150 && m != 1 && (x > 0 || op == ir.Pow && y == math.Trunc(y)) && !math.IsNaN(e)
	}
	return true
}

// ulpError returns |got-want| in units of the gap of t's floats around want.
func ulpError(t ir.Type, got uint64, want *big.Float) float64 {
	w, _ := want.Float64()
	p := map[ir.Type]int{ir.F16: 11, ir.BF16: 8, ir.F32: 24}[t]
	emin := map[ir.Type]int{ir.F16: -14, ir.BF16: -126, ir.F32: -126}[t]
	_, e := math.Frexp(w)
	d := bz().Sub(bf(ir.Widen(t, got)), want)
	d.SetMantExp(d, p-max(e, emin+1))
	f, _ := d.Float64()
	return math.Abs(f)
}

var libraryOps = []ir.Op{
	ir.Exp, ir.Exp2, ir.Exp10, ir.Log, ir.Log2, ir.Log10, ir.Sin, ir.Cos, ir.Tan, ir.SinPi, ir.CosPi, ir.TanPi, ir.Asin, ir.Acos, ir.Atan,
	ir.Atan2, ir.Sinh, ir.Cosh, ir.Tanh, ir.Asinh, ir.Acosh, ir.Atanh, ir.Pow, ir.Powr,
}

// hardReductions are binary32 numbers nearest to multiples of π/2, relative to their size.
var hardReductions = []float64{0x1.6ac5b2p+26, 0x1.df3d9ap+32, 0x1.4ccd16p+44, 0x1.921fb6p+0, 0x1.921fb6p+1, 0x1.2d97c8p+2, 0x1.0d9dccp+3}

// hardPowers are drawn binary32 pairs at which math.Pow, which squares again and again, rounds to the wrong neighbour.
var hardPowers = [][2]float64{
	{0x1.000002p+00, -0x1.43f312p+27},
	{0x1.000004p+00, -0x1.a03172p+27},
	{0x1.000004p+00, -0x1.02aa7ep+27},
	{0x1.000006p+00, 0x1.fe0bccp+25},
	{0x1.000006p+00, -0x1.161a08p+27},
	{0x1.000006p+00, -0x1.251ea6p+27},
}

// TestFunctionsBelowLimit measures library functions against series in 256 bits, and what Perturb makes of them.
func TestFunctionsBelowLimit(t *testing.T) {
	rounds := 24
	if thorough {
		rounds = 3000
	}
	rng := rand.New(rand.NewPCG(6, 1))
	moved := map[string]int{}
	for _, op := range libraryOps {
		worst := 0.0
		for i := range rounds * 3 {
			typ := floatTypes[i%3]
			x, y := drawFloat(rng, typ), drawFloat(rng, typ)
			switch rng.IntN(4) {
			case 0: // near 1, where logs and powers are hard
				x = ir.Arith{}.Narrow(typ, 1+rng.NormFloat64()*math.Ldexp(1, -rng.IntN(24)))
				y = ir.Arith{}.Narrow(typ, rng.NormFloat64()*math.Ldexp(1, rng.IntN(24)))
			case 1, 2:
				x = ir.Arith{}.Narrow(typ, rng.NormFloat64()*math.Ldexp(1, rng.IntN(7)))
				y = ir.Arith{}.Narrow(typ, math.Round(rng.NormFloat64()*9))
			}
			if op == ir.Pow && typ == ir.F32 && i/3 < len(hardPowers) {
				x, y = ir.Arith{}.Narrow(typ, hardPowers[i/3][0]), ir.Arith{}.Narrow(typ, hardPowers[i/3][1])
			}
			if op == ir.Acosh {
				x = ir.Arith{}.Narrow(typ, 1+math.Abs(ir.Widen(typ, x)))
			}
			if op >= ir.Sin && op <= ir.Tan && typ == ir.F32 && i/3 < len(hardReductions) {
				x = ir.Arith{}.Narrow(typ, hardReductions[i/3])
			}
			fx, fy := ir.Widen(typ, x), ir.Widen(typ, y)
			if !domain(op, fx, fy) {
				continue
			}
			want := slowFunction(op, fx, fy)
			got, _ := ir.Eval(op, typ, ir.Void, 0, ir.Arith{}, x, y, 0, 0)
			if v := ir.Widen(typ, got); v == 0 || math.IsInf(v, 0) {
				w, _ := want.Float64()
				require.Equal(t, ir.Arith{}.Narrow(typ, w), got, "%s %s %v %v", op, typ, fx, fy)
				continue
			}
			e := ulpError(typ, got, want)
			worst = max(worst, e)
			require.Less(t, e, 0.501, "%s %s %v %v: %v", op, typ, fx, fy, ir.Widen(typ, got))
			for _, fp := range []ir.FP{0, ir.FastFunctions} {
				ulps, abs := ir.LimitULP(op, typ, fp, fx, fy)
				if math.IsInf(ulps, 1) {
					ulps = 64
				}
				for seed := range uint64(10) {
					p := ir.Perturb(op, typ, fp, ir.Arith{}, []uint64{x, y}, got, seed)
					require.Equal(t, p, ir.Perturb(op, typ, fp, ir.Arith{}, []uint64{x, y}, got, seed))
					d := bz().Sub(bf(ir.Widen(typ, p)), want)
					f, _ := d.Float64()
					require.True(t, ulpError(typ, p, want) <= ulps || math.Abs(f) <= abs || p == got,
						"%s %s %v %v: %v is beyond %v ulp and %v", op, typ, fx, fy, ir.Widen(typ, p), ulps, abs)
					if p != got {
						moved[fmt.Sprint(op, typ, fp)]++
					}
				}
			}
		}
		if thorough {
			t.Logf("%s: %.4f ulp", op, worst)
		}
	}
	for _, op := range libraryOps {
		for _, typ := range floatTypes {
			require.NotZero(t, moved[fmt.Sprint(op, typ, ir.FP(0))], "Perturb never moved %s on %s", op, typ)
		}
	}
}

func infinity(t ir.Type) uint64 {
	return map[ir.Type]uint64{ir.F16: 0x7c00, ir.BF16: 0x7f80, ir.F32: 0x7f800000}[t]
}

// TestExactFunctions holds the functions that have one right answer to math/big or to the definition.
func TestExactFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, ar := range []ir.Arith{{}, {Rounding: model.TowardZero}} {
		for _, typ := range floatTypes {
			j := judge(typ, ar)
			check := func(v uint64) {
				x := ir.Widen(typ, v)
				eval := func(op ir.Op, b uint64) uint64 {
					r, _ := ir.Eval(op, typ, ir.Void, 0, ar, v, b, 0, 0)
					return r
				}
				for op, f := range map[ir.Op]func(float64) float64{
					ir.Floor: math.Floor, ir.Ceil: math.Ceil, ir.Trunc: math.Trunc, ir.Rint: math.RoundToEven, ir.Round: math.Round,
				} {
					got := ir.Widen(typ, eval(op, 0))
					require.True(t, got == f(x) && math.Signbit(got) == math.Signbit(f(x)) || math.IsNaN(x) && math.IsNaN(got), "%s %v", op, x)
				}
				require.Equal(t, math.IsNaN(x), eval(ir.IsNaN, 0) == 1)
				require.Equal(t, math.IsInf(x, 0), eval(ir.IsInf, 0) == 1)
				require.Equal(t, !math.IsInf(x, 0) && !math.IsNaN(x), eval(ir.IsFinite, 0) == 1)
				require.Equal(t, v>>(typ.Bits()-1) == 1, eval(ir.SignBit, 0) == 1)
				normal := x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0) && flushed(typ, v) == v
				require.Equal(t, normal, eval(ir.IsNormal, 0) == 1, "%v", x)
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return
				}
				fl := new(big.Rat).SetFloat64(math.Floor(x))
				fract := j.FromRat(fl.Sub(new(big.Rat).SetFloat64(x), fl))
				if ir.Widen(typ, fract) == 1 {
					fract, _ = ir.Eval(ir.NextAfter, typ, ir.Void, 0, ar, fract, 0, 0, 0)
				}
				require.Equal(t, fract, eval(ir.Fract, 0), "fract %v", x)
				if x > 0 {
					// r = rsqrt(x) to nearest: (r - ulp/2)² <= 1/x <= (r + ulp/2)²; toward zero r² <= 1/x < (r+ulp)².
					r := eval(ir.Rsqrt, 0)
					mid := func(p, q uint64) *big.Rat { // between two floats
						s := new(big.Rat).Add(new(big.Rat).SetFloat64(ir.Widen(typ, p)), new(big.Rat).SetFloat64(ir.Widen(typ, q)))
						return s.Mul(s, big.NewRat(1, 2))
					}
					lo, hi := mid(r-1, r), mid(r, r+1)
					if ar.Rounding == model.TowardZero {
						lo, hi = mid(r, r), mid(r+1, r+1)
					}
					inv := new(big.Rat).Inv(new(big.Rat).SetFloat64(x))
					require.LessOrEqual(t, lo.Mul(lo, lo).Cmp(inv), 0, "rsqrt %v", x)
					require.GreaterOrEqual(t, hi.Mul(hi, hi).Cmp(inv), 0, "rsqrt %v", x)
				}
				if x != 0 {
					m, _ := ir.Eval(ir.FrexpMan, typ, ir.Void, 0, ar, v, 0, 0, 0)
					e := eval(ir.FrexpExp, 0)
					man := math.Abs(ir.Widen(typ, m))
					require.True(t, man >= 0.5 && man < 1)
					require.Equal(t, x, math.Ldexp(ir.Widen(typ, m), int(int32(e))))
					require.Equal(t, uint64(uint32(int32(e)-1)), eval(ir.Ilogb, 0))
					n := int32(rng.IntN(600) - 300)
					want := new(big.Rat).SetFloat64(x)
					p := new(big.Rat).SetFloat64(math.Ldexp(1, int(n)))
					require.Equal(t, j.FromRat(want.Mul(want, p)), eval(ir.Ldexp, uint64(uint32(n))), "ldexp %v %d", x, n)
					up, down := eval(ir.NextAfter, infinity(typ)), eval(ir.NextAfter, infinity(typ)|1<<(typ.Bits()-1))
					require.Less(t, x, ir.Widen(typ, up))
					require.Greater(t, x, ir.Widen(typ, down))
					require.Equal(t, uint64(1), max(up, v)-min(up, v))
					require.Equal(t, uint64(1), max(down, v)-min(down, v))
				}
				w := drawFloat(rng, typ)
				y := ir.Widen(typ, w)
				if y != 0 && !math.IsInf(y, 0) && !math.IsNaN(y) {
					q := new(big.Rat).Quo(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
					n := new(big.Int).Quo(q.Num(), q.Denom())
					rest := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).Mul(new(big.Rat).SetInt(n), new(big.Rat).SetFloat64(y)))
					want, _ := rest.Float64()
					require.Equal(t, want, ir.Widen(typ, eval(ir.Fmod, w)), "fmod %v %v", x, y)
					wd := uint64(0)
					if x > y {
						wd = j.Sub(v, w)
					}
					require.Equal(t, wd, eval(ir.Fdim, w), "fdim %v %v", x, y)
				}
			}
			if typ != ir.F32 {
				step := uint64(7)
				if thorough {
					step = 1
				}
				for v := uint64(0); v < 1<<16; v += step {
					check(v)
				}
			} else {
				for range 4000 {
					check(drawFloat(rng, typ))
				}
			}
		}
	}
}

// TestMinMax holds the rules for NaN, signed zeros and subnormals.
func TestMinMax(t *testing.T) {
	flush := ir.Arith{Flush: model.Flush{In: true, Out: true}}
	for _, c := range []struct {
		op         ir.Op
		ar         ir.Arith
		a, b, want uint64
	}{
		{ir.Min, ir.Arith{}, 0x80000000, 0, 0x80000000},
		{ir.Min, ir.Arith{}, 0, 0x80000000, 0x80000000},
		{ir.Max, ir.Arith{}, 0x80000000, 0, 0},
		{ir.Max, ir.Arith{}, 0, 0x80000000, 0},
		{ir.Min, ir.Arith{}, 0x7fc00001, 0x3f800000, 0x3f800000},
		{ir.Max, ir.Arith{}, 0xbf800000, 0xffc00001, 0xbf800000},
		{ir.Max, ir.Arith{}, 0x7fc00001, 0xffc00001, 0x7fc00000},
		{ir.Min, ir.Arith{}, 3, 2, 2},
		{ir.Min, flush, 3, 2, 3},
		{ir.Max, flush, 2, 3, 2},
		{ir.Min, flush, 3, 0, 0},
		{ir.Min, flush, 0xbf800000, 0xff800000, 0xff800000},
		{ir.Neg, flush, 3, 0, 0x80000003},
		{ir.Abs, flush, 0x80000003, 0, 3},
		{ir.CopySign, flush, 3, 0x80000000, 0x80000003},
		{ir.Floor, flush, 0x80000003, 0, 0x80000000},
		{ir.Ceil, flush, 3, 0, 0},
		{ir.Floor, ir.Arith{}, 0x80000003, 0, 0xbf800000},
		{ir.NextAfter, flush, 0, 0x3f800000, 0},
		{ir.NextAfter, ir.Arith{}, 0, 0xbf800000, 0x80000001},
	} {
		got, _ := ir.Eval(c.op, ir.F32, ir.Void, 0, c.ar, c.a, c.b, 0, 0)
		require.Equal(t, c.want, got, "%s %#x %#x", c.op, c.a, c.b)
	}
}
