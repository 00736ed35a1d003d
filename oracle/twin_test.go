package oracle

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

// fromFloat returns the value of a twin.
func fromFloat(x *big.Float) Dyadic {
	if x.Sign() == 0 {
		return Dyadic{}
	}
	m := new(big.Float)
	e := x.MantExp(m)
	n, _ := m.SetMantExp(m, int(x.MinPrec())).Int(nil)
	return NewDyadic(n, e-int(x.MinPrec()))
}

// effort multiplies the number of random trials.
func effort() int {
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		return 50
	}
	return 1
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

// families32 draw one finite element each.
var families32 = []struct {
	name string
	draw func(r *rand.Rand) float32
}{
	{"normal", func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }},
	{"all bits", func(r *rand.Rand) float32 {
		for {
			if x := math.Float32frombits(r.Uint32()); x-x == 0 {
				return x
			}
		}
	}},
	{"subnormal", func(r *rand.Rand) float32 {
		return math.Float32frombits(r.Uint32()&(1<<31|1<<24-1) + r.Uint32N(3)<<23)
	}},
	{"ties", func(r *rand.Rand) float32 {
		return float32(math.Ldexp(float64(r.IntN(5)-2), r.IntN(60)-30))
	}},
	{"zeros", func(r *rand.Rand) float32 {
		if r.IntN(4) > 0 {
			return float32(math.Copysign(0, float64(r.IntN(2))-0.5))
		}
		return math.Float32frombits(r.Uint32() & (1<<31 | 3))
	}},
	{"largest", func(r *rand.Rand) float32 {
		return math.Float32frombits(0x7f7fffff - r.Uint32N(3)<<r.Uint32N(24) | r.Uint32()&(1<<31))
	}},
}

var families64 = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"all bits", func(r *rand.Rand) float64 {
		for {
			if x := math.Float64frombits(r.Uint64()); x-x == 0 {
				return x
			}
		}
	}},
	{"subnormal", func(r *rand.Rand) float64 {
		return math.Float64frombits(r.Uint64()&(1<<63|1<<53-1) + r.Uint64N(3)<<52)
	}},
	{"ties", func(r *rand.Rand) float64 { return math.Ldexp(float64(r.IntN(5)-2), r.IntN(120)-60) }},
	{"zeros", func(r *rand.Rand) float64 {
		if r.IntN(4) > 0 {
			return math.Copysign(0, float64(r.IntN(2))-0.5)
		}
		return math.Float64frombits(r.Uint64() & (1<<63 | 3))
	}},
	{"largest", func(r *rand.Rand) float64 {
		return math.Float64frombits((0x7fefffffffffffff - r.Uint64N(3)<<r.Uint64N(53)) | r.Uint64()&(1<<63))
	}},
}

// requireSame asserts that s and t mean the same; which zeros were seen beside other numbers is
// left open.
func requireSame(t *testing.T, s, u specials) {
	t.Helper()
	require.Equal(t, s&notFinite, u&notFinite)
	for r := model.NearestEven; r <= model.TowardZero; r++ {
		require.Equal(t, s.negativeZero(r), u.negativeZero(r))
	}
}

// vector draws n elements, one in three times so that they cancel, or all but cancel.
func vector[T float32 | float64](r *rand.Rand, n int, draw func(r *rand.Rand) T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = draw(r)
	}
	if r.IntN(3) == 0 {
		for i := range n / 2 {
			x[n-1-i] = -x[i]
		}
		r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
		if n > 0 && r.IntN(2) == 0 {
			x[0] = draw(r)
		}
	}
	return x
}

var testLengths = []int{0, 1, 2, 3, 5, 31, 33, 254, 255, 256, 257, 511, 512, 513, 1023, 1100}

// requireExact asserts that an accumulator's every view is that of the exact sum d, which is
// tested by itself, and that d is the twin's.
func requireExact(t *testing.T, a interface {
	Dyadic() Dyadic
	Round(model.Format, model.Rounding) uint64
	Float32() float32
	Float64() float64
	Interval() (float64, float64)
	Sign() int
	IsZero() bool
}, d Dyadic,
) {
	t.Helper()
	require.Zero(t, a.Dyadic().Cmp(d), "%v and %v", a.Dyadic(), d)
	require.Equal(t, d.Sign(), a.Sign())
	require.Equal(t, d.IsZero(), a.IsZero())
	if d.IsZero() {
		return // signs of zero have their own test
	}
	require.Equal(t, d.Float32(), a.Float32())
	require.Equal(t, d.Float64(), a.Float64())
	lo, hi := a.Interval()
	dlo, dhi := d.Interval()
	require.Equal(t, Interval{dlo, dhi}, Interval{lo, hi})
	for _, f := range model.Formats() {
		for r := model.NearestEven; r <= model.TowardZero; r++ {
			require.Equal(t, d.Round(f, r), a.Round(f, r), "%v %v %v", f, r, d)
		}
	}
}

func TestAcc32EqualsTwin(t *testing.T) {
	r := source(1)
	for _, fam := range families32 {
		for range 3 * effort() {
			for _, n := range testLengths {
				x := vector(r, n, fam.draw)
				want := fromFloat(SumTwin(x))
				var a, b, c, sub, abs, bin, viaBits Acc32
				a.AddSlice(x)
				requireExact(t, &a, want)
				bin.addBinned(x, ^uint32(0), nil)
				requireExact(t, &bin, want)
				for _, v := range x {
					b.Add(v)
					sub.Sub(v)
					viaBits.AddBits(model.Binary32, uint64(math.Float32bits(v)))
				}
				requireExact(t, &b, want)
				requireExact(t, &viaBits, want)
				requireExact(t, &sub, want.Neg())
				requireSame(t, a.seen, b.seen)
				requireSame(t, b.seen, viaBits.seen)
				sub.Neg()
				requireSame(t, a.seen, sub.seen)
				requireExact(t, &sub, want)

				// Parts of a permutation, merged.
				y := append([]float32(nil), x...)
				r.Shuffle(n, func(i, j int) { y[i], y[j] = y[j], y[i] })
				for len(y) > 0 {
					k := 1 + r.IntN(len(y))
					var part Acc32
					part.AddSlice(y[:k])
					c.Merge(&part)
					y = y[k:]
				}
				requireExact(t, &c, want)
				cmp, ok := c.Cmp(&a)
				require.True(t, ok)
				require.Zero(t, cmp)

				// Magnitudes.
				mag := make([]float32, n)
				for i, v := range x {
					mag[i] = float32(math.Abs(float64(v)))
				}
				whole := fromFloat(SumTwin(mag))
				abs.AddAbsSlice(x)
				requireExact(t, &abs, whole)
				requireEnclosed(t, whole, Enclose(AbsInterval32(x)))
				for _, add := range []func(a *Acc32, x []float32, abs *Acc32){
					(*Acc32).AddBothSlice,
					func(a *Acc32, x []float32, abs *Acc32) { a.addBinned(x, ^uint32(0), abs) },
				} {
					var s, m Acc32
					add(&s, x, &m)
					requireExact(t, &s, want)
					requireExact(t, &m, whole)
					requireSame(t, a.seen, s.seen)
					requireSame(t, abs.seen, m.seen)
				}
			}
		}
	}
}

func TestAcc64EqualsTwin(t *testing.T) {
	r := source(2)
	for _, fam := range families64 {
		for range effort() {
			for _, n := range testLengths {
				x := vector(r, n, fam.draw)
				want := fromFloat(SumTwin64(x))
				var a, b, c, sub, abs Acc64
				var dot AccDot64
				a.AddSlice(x)
				dot.AddSlice(x)
				requireExact(t, &a, want)
				requireExact(t, &dot, want)
				for _, v := range x {
					b.AddBits(model.Binary64, math.Float64bits(v))
					sub.Sub(v)
				}
				requireExact(t, &b, want)
				requireExact(t, &sub, want.Neg())
				sub.Neg()
				requireSame(t, a.seen, sub.seen)
				requireSame(t, a.seen, dot.seen)
				y := append([]float64(nil), x...)
				r.Shuffle(n, func(i, j int) { y[i], y[j] = y[j], y[i] })
				for len(y) > 0 {
					k := 1 + r.IntN(len(y))
					var part Acc64
					part.AddSlice(y[:k])
					c.Merge(&part)
					y = y[k:]
				}
				requireExact(t, &c, want)
				mag := make([]float64, n)
				for i, v := range x {
					mag[i] = math.Abs(v)
				}
				whole := fromFloat(SumTwin64(mag))
				abs.AddAbsSlice(x)
				requireExact(t, &abs, whole)
				requireEnclosed(t, whole, Enclose(AbsInterval64(x)))
			}
		}
	}
}

// requireEnclosed asserts that i holds d.
func requireEnclosed(t *testing.T, d Dyadic, i Interval) {
	t.Helper()
	require.False(t, math.IsInf(i.Lo, 1))
	require.True(t, FromFloat64(i.Lo).Cmp(d) <= 0, "%v is below %v", d, i)
	require.True(t, math.IsInf(i.Hi, 1) || d.Cmp(FromFloat64(i.Hi)) <= 0, "%v is above %v", d, i)
}

func TestDot32EqualsTwin(t *testing.T) {
	r := source(3)
	for _, fx := range families32 {
		for _, fy := range families32 {
			for range effort() {
				for _, n := range []int{1, 2, 3, 33, 100} {
					x, y := vector(r, n, fx.draw), vector(r, n, fy.draw)
					want := fromFloat(DotTwin(x, y))
					var a, b, abs Acc64
					var dot AccDot64
					a.AddProductSlice(x, y)
					magX, magY := make([]float32, n), make([]float32, n)
					for i := range x {
						b.AddProductBits(model.Binary32, uint64(math.Float32bits(x[i])), uint64(math.Float32bits(y[i])))
						dot.AddProduct(float64(x[i]), float64(y[i]))
						magX[i], magY[i] = float32(math.Abs(float64(x[i]))), float32(math.Abs(float64(y[i])))
					}
					requireExact(t, &a, want)
					requireExact(t, &b, want)
					requireExact(t, &dot, want)
					requireSame(t, a.seen, dot.seen)
					requireSame(t, a.seen, b.seen)
					abs.AddAbsProductSlice(x, y)
					whole := fromFloat(DotTwin(magX, magY))
					requireExact(t, &abs, whole)
					requireEnclosed(t, whole, Enclose(AbsDotInterval32(x, y)))
				}
			}
		}
	}
}

func TestDot64EqualsTwin(t *testing.T) {
	r := source(4)
	for _, fx := range families64 {
		for _, fy := range families64 {
			for range effort() {
				for _, n := range []int{1, 2, 3, 33, 100} {
					x, y := vector(r, n, fx.draw), vector(r, n, fy.draw)
					want := fromFloat(DotTwin64(x, y))
					var a, c, abs AccDot64
					a.AddProductSlice(x, y)
					requireExact(t, &a, want)
					k := r.IntN(n)
					var p, q AccDot64
					p.AddProductSlice(x[:k], y[:k])
					q.AddProductSlice(x[k:], y[k:])
					q.Neg()
					p.Neg()
					c.Merge(&q)
					c.Merge(&p)
					c.Neg()
					requireExact(t, &c, want)
					requireSame(t, a.seen, c.seen)
					magX, magY := make([]float64, n), make([]float64, n)
					for i := range x {
						magX[i], magY[i] = math.Abs(x[i]), math.Abs(y[i])
					}
					abs.AddAbsProductSlice(x, y)
					whole := fromFloat(DotTwin64(magX, magY))
					requireExact(t, &abs, whole)
					requireEnclosed(t, whole, Enclose(AbsDotInterval64(x, y)))
				}
			}
		}
	}
}

// Narrow formats: every encoding of the 8-bit ones and random vectors of all, against Dyadic sums.
func TestBitsEqualDyadics(t *testing.T) {
	r := source(5)
	formats := []model.Format{model.Binary16, model.BFloat16, model.E4M3, model.E5M2}
	for p := 2; p <= 12; p++ {
		formats = append(formats, model.Toy(p))
	}
	for _, f := range formats {
		for range 20 * effort() {
			n := r.IntN(300)
			x, y := make([]uint16, n), make([]uint16, n)
			var want, abs, dot Dyadic
			var a Acc32
			var b, ad Acc64
			var c, cd AccDot64
			for i := range x {
				for _, v := range []*uint16{&x[i], &y[i]} {
					for ok := false; !ok; ok = f.IsFinite(uint64(*v)) {
						*v = uint16(r.Uint64N(1 << f.Bits()))
					}
				}
				xi, yi := uint64(x[i]), uint64(y[i])
				want = want.Add(FromBits(f, xi))
				abs = abs.Add(FromBits(f, xi).Abs())
				dot = dot.Add(FromBits(f, xi).Mul(FromBits(f, yi)))
				b.AddBits(f, xi)
				c.AddBits(f, xi)
				ad.AddProductBits(f, xi, yi)
				cd.AddProductBits(f, xi, yi)
			}
			a.AddBitsSlice(f, x)
			requireExact(t, &a, want)
			requireExact(t, &b, want)
			requireExact(t, &c, want)
			requireExact(t, &ad, dot)
			requireExact(t, &cd, dot)
			requireSame(t, a.seen, b.seen)
			requireSame(t, a.seen, c.seen)
			requireSame(t, ad.seen, cd.seen)
			var m Acc32
			m.AddAbsBitsSlice(f, x)
			requireExact(t, &m, abs)
		}
	}
}

// More elements than binary32 counts, and than any bin or limb holds without a carry.
func TestManyElements(t *testing.T) {
	n := 1 << 20
	x := make([]float32, n)
	for i := range x {
		x[i] = math.MaxFloat32
	}
	var a, one Acc32
	for range 17 {
		a.AddSlice(x)
	}
	want := FromFloat32(math.MaxFloat32).Mul(FromInt(17 << 20))
	requireExact(t, &a, want)
	// Doubling by Merge goes on for ever; 2^60 times the largest number still fits.
	one.Add(math.MaxFloat32)
	for range 60 {
		one.Merge(&one)
	}
	requireExact(t, &one, FromFloat32(math.MaxFloat32).Scale(60))
	one.Neg()
	requireExact(t, &one, FromFloat32(-math.MaxFloat32).Scale(60))

	var b Acc64
	var c AccDot64
	for range 3000 {
		b.Add(-math.MaxFloat64)
		c.AddProduct(-math.MaxFloat64, math.MaxFloat64)
	}
	most := FromFloat64(math.MaxFloat64)
	requireExact(t, &b, most.Mul(FromInt(-3000)))
	requireExact(t, &c, most.Mul(most).Mul(FromInt(-3000)))
	for range 50 {
		b.Merge(&b)
		c.Merge(&c)
	}
	requireExact(t, &b, most.Mul(FromInt(-3000)).Scale(50))
	requireExact(t, &c, most.Mul(most).Mul(FromInt(-3000)).Scale(50))

	// The largest upper parts that a term of Acc64 has.
	wide := make([]float64, 5000)
	for i := range wide {
		wide[i] = 0x1.fffffffffffffp992
	}
	b.Reset()
	b.AddSlice(wide)
	requireExact(t, &b, FromFloat64(wide[0]).Mul(FromInt(5000)))
	b.Neg()
	for _, v := range wide {
		b.Sub(v)
	}
	requireExact(t, &b, FromFloat64(wide[0]).Mul(FromInt(-10000)))

	// A single term a call, across carries in both signs.
	var d, e Acc32
	for range 1000 {
		d.Add(-0x1.fffffep-126)
		e.Sub(math.MaxFloat32)
	}
	requireExact(t, &d, FromFloat32(-0x1.fffffep-126).Mul(FromInt(1000)))
	requireExact(t, &e, FromFloat32(-math.MaxFloat32).Mul(FromInt(1000)))
}

// The binary32 table: terms, sum to nearest, and sum toward negative where it differs.
func TestSpecialValues(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(0)
	neg := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		x    []float32
		near float32
		down float32
	}{
		{nil, zero, zero},
		{[]float32{zero}, zero, zero},
		{[]float32{neg}, neg, neg},
		{[]float32{neg, neg, neg}, neg, neg},
		{[]float32{zero, zero}, zero, zero},
		{[]float32{neg, zero}, zero, neg},
		{[]float32{zero, neg, neg}, zero, neg},
		{[]float32{1, -1}, zero, neg},
		{[]float32{1, -1, neg}, zero, neg},
		{[]float32{neg, -1, 1, zero}, zero, neg},
		{[]float32{0x1p-149, -0x1p-149}, zero, neg},
		{[]float32{inf}, inf, inf},
		{[]float32{-inf, 1}, -inf, -inf},
		{[]float32{inf, 4, -inf}, nan, nan},
		{[]float32{inf, inf, 3e38}, inf, inf},
		{[]float32{nan, 1}, nan, nan},
		{[]float32{nan, -inf, inf}, nan, nan},
		{[]float32{3e38, 3e38, -3e38}, 3e38, 3e38},
		{[]float32{3e38, 3e38}, inf, math.MaxFloat32},
		{[]float32{-3e38, -3e38}, -inf, -inf},
	} {
		for _, pad := range []int{0, 600} { // the second goes through the bins
			x := append([]float32(nil), c.x...)
			for range pad {
				x = append(x, c.x...)
			}
			if pad > 0 && (len(c.x) == 0 || c.near != 0 && c.near-c.near == 0 || c.x[0] == 3e38 || c.x[0] == -3e38) {
				continue
			}
			name := fmt.Sprint(c.x, pad)
			same := func(want, got float32) {
				t.Helper()
				if want != want {
					require.True(t, got != got, name)
					return
				}
				require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%s: %v, not %v", name, got, want)
			}
			var a, bin, n, both Acc32
			var b, p Acc64
			var d, q AccDot64
			a.AddSlice(x)
			bin.addBinned(x, ^uint32(0), nil)
			for i, add := range []func(a *Acc32, x []float32, abs *Acc32){
				func(a *Acc32, x []float32, abs *Acc32) { a.addBinned(x, ^uint32(0), abs) },
				(*Acc32).AddBothSlice,
			} {
				var abs, want Acc32
				both.Reset()
				add(&both, x, &abs)
				for _, v := range x {
					want.AddAbs(v)
				}
				require.Equal(t, math.Float32bits(want.Float32()), math.Float32bits(abs.Float32()), "%s %d", name, i)
			}
			for _, v := range x {
				n.Sub(v)
				b.Add(float64(v))
				p.AddProduct(v, 1)
				d.Add(float64(v))
				q.AddProduct(-1, float64(-v))
			}
			n.Neg()
			for _, s := range []interface {
				Float32() float32
				Float64() float64
				IsNaN() bool
				IsFinite() bool
				Interval() (float64, float64)
				Round(model.Format, model.Rounding) uint64
			}{&a, &bin, &n, &both, &b, &p, &d, &q} {
				same(c.near, s.Float32())
				same(c.near, math.Float32frombits(uint32(s.Round(model.Binary32, model.NearestEven))))
				same(c.down, math.Float32frombits(uint32(s.Round(model.Binary32, model.TowardNegative))))
				require.Equal(t, c.near != c.near, s.IsNaN())
				if s.IsFinite() {
					require.Equal(t, math.Signbit(float64(c.near)), math.Signbit(s.Float64()))
					require.Equal(t, math.Signbit(float64(c.near)), s.Round(model.E4M3, model.NearestEven)>>7 == 1)
					continue
				}
				lo, hi := s.Interval()
				same(c.near, float32(lo))
				same(c.near, float32(hi))
				require.True(t, model.E4M3.IsNaN(s.Round(model.E4M3, model.NearestEven)))
				require.Equal(t, c.near != c.near, model.E5M2.IsNaN(s.Round(model.E5M2, model.NearestEven)))
			}
			if !a.IsFinite() {
				require.PanicsWithValue(t, notFiniteSum, func() { a.Dyadic() })
			}
		}
	}
}

// Products by IEEE 754: 0·Inf is a NaN, signs multiply, zeros keep theirs.
func TestSpecialProducts(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, -1, 0x1p-149, -0x1p-149, math.MaxFloat32, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range values {
		for _, y := range values {
			want := x * y
			var a Acc64
			var b AccDot64
			a.AddProduct(float32(x), float32(y))
			b.AddProduct(x, y)
			for _, got := range []float64{a.Float64(), b.Float64()} {
				if want != want {
					require.True(t, got != got)
				} else {
					require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%v·%v", x, y)
				}
			}
		}
	}
}
