package oracle

import (
	"math"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

func TestErrorIsTheDistance(t *testing.T) {
	r := source(13)
	for range 3000 * effort() {
		x := vector(r, 1+r.IntN(40), families32[r.IntN(6)].draw)
		var a Acc32
		var b Acc64
		var c AccDot64
		a.AddSlice(x)
		b.AddSlice32(x)
		c.Merge(&AccDot64{})
		whole := new(Acc32)
		whole.AddAbsSlice(x)
		var mag Acc64
		mag.AddAbsSlice32(x)
		requireExact(t, &mag, whole.Dyadic())
		for _, v := range x {
			c.Add(float64(v))
		}
		y := families32[r.IntN(6)].draw(r)
		if s := a.Float32(); r.IntN(2) == 0 && s-s == 0 {
			y = s
		}
		d := a.Dyadic().Sub(FromFloat32(y)).Abs()
		dlo, dhi := d.Interval()
		for _, got := range []Interval{Enclose(a.Error(y)), Enclose(b.Error(float64(y))), Enclose(c.Error(float64(y)))} {
			require.Equal(t, Interval{dlo, dhi}, got)
		}
	}
	inf := math.Inf(1)
	var a Acc32
	a.Add(float32(inf))
	require.Equal(t, Point(0), Enclose(a.Error(float32(inf))))
	require.Equal(t, Point(inf), Enclose(a.Error(float32(-inf))))
	require.Equal(t, Point(inf), Enclose(a.Error(1)))
	a.Reset()
	require.Equal(t, Point(inf), Enclose(a.Error(float32(inf))))
	a.Add(float32(math.NaN()))
	lo, hi := a.Error(1)
	require.True(t, lo != lo && hi != hi)
}

func TestCmp(t *testing.T) {
	values := []float64{math.Inf(-1), -math.MaxFloat64, -1, -0x1p-1074, 0, 0x1p-1074, 1, math.MaxFloat64, math.Inf(1)}
	for i, x := range values {
		for j, y := range values {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			var a, b Acc64
			a.Add(x)
			b.Add(y)
			c, ok := a.Cmp(&b)
			require.True(t, ok)
			require.Equal(t, want, c, "%v and %v", x, y)
			var d, e AccDot64
			d.AddProduct(x, 2)
			e.AddProduct(-2, -y)
			c, ok = d.Cmp(&e)
			require.True(t, ok)
			require.Equal(t, want, c)
			require.Equal(t, 0, d.Sign()-a.Sign())
		}
	}
	var a, b Acc32
	a.Add(float32(math.NaN()))
	_, ok := a.Cmp(&b)
	require.False(t, ok)
	_, ok = b.Cmp(&a)
	require.False(t, ok)
	require.Zero(t, a.Sign())
}

func TestRoundedConveniences(t *testing.T) {
	require.Equal(t, float32(3e38), SumFloat32([]float32{3e38, 3e38, -3e38}))
	require.Equal(t, 0x1p-1074, SumFloat64([]float64{1e308, 1e308, 0x1p-1074, -1e308, -1e308}))
	require.Equal(t, float32(0x1p-149), DotFloat32([]float32{0x1p-149, 1e30, -1e30}, []float32{1, 1e30, 1e30}))
	require.Equal(t, 0x1p-1074, DotFloat64([]float64{0x1p-1074, 1e300, -1e300}, []float64{1, 1e300, 1e300}))
	require.Equal(t, 0.0, DotFloat64([]float64{0x1p-600}, []float64{0x1p-600}))
	require.PanicsWithValue(t, lengthMismatch, func() { DotFloat32(nil, []float32{1}) })
	require.PanicsWithValue(t, lengthMismatch, func() { DotFloat64(nil, []float64{1}) })
	require.PanicsWithValue(t, tooWide(model.Binary64), func() { new(Acc32).AddBits(model.Binary64, 0) })
	require.PanicsWithValue(t, tooWide(model.Binary64), func() { new(Acc64).AddProductBits(model.Binary64, 0, 0) })
}

func TestAbsIntervalSpecials(t *testing.T) {
	inf := math.Inf(1)
	inf32 := float32(inf)
	require.Equal(t, Interval{}, Enclose(AbsInterval32(nil)))
	require.Equal(t, Point(3), Enclose(AbsInterval32([]float32{-3})))
	require.Equal(t, Point(inf), Enclose(AbsInterval32([]float32{1, -inf32, inf32})))
	require.Equal(t, Point(inf), Enclose(AbsDotInterval32([]float32{1, -inf32}, []float32{1, 1})))
	lo, _ := AbsDotInterval32([]float32{0}, []float32{inf32})
	require.True(t, lo != lo)
	lo, hi := AbsInterval32([]float32{float32(math.NaN())})
	require.True(t, lo != lo && hi != hi)
	lo, hi = AbsInterval64([]float64{math.NaN()})
	require.True(t, lo != lo && hi != hi)
	lo, hi = AbsInterval64([]float64{math.MaxFloat64, -math.MaxFloat64})
	require.Equal(t, inf, hi)
	require.Less(t, 0x1.fffffp1023, lo)
	_, hi = AbsInterval64([]float64{-inf})
	require.Equal(t, inf, hi)
	lo, hi = AbsDotInterval64([]float64{0x1p-600}, []float64{0x1p-600})
	require.Equal(t, Interval{0, 0x1p-1073}, Interval{lo, max(hi, 0x1p-1073)})
	require.PanicsWithValue(t, lengthMismatch, func() { AbsDotInterval32(nil, []float32{1}) })
	require.PanicsWithValue(t, lengthMismatch, func() { AbsDotInterval64(nil, []float64{1}) })
}
