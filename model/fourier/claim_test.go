package fourier

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestBound compares bounds of powers of two with ((1+u)(1+u)(1+ρ))^m - 1, m stages, to first order, and with values that have exact first orders.
func TestBound(t *testing.T) {
	single := Claim{Twiddle: 1}
	for m, want := range map[int]float64{3: 12.7, 6: 25.4, 10: 42.4, 13: 55.1, 16: 67.8, 18: 76.2} {
		b := single.Bound(Transform{N: 1 << m})
		require.InDelta(t, want, b.L2/0x1p-24, 0.06, m) // the table of ../shared/reference has one digit
		require.Equal(t, b.L2, b.Max)
	}
	first := func(c Claim, t Transform) float64 { return c.Bound(t).L2 / c.WithDefaults().Inside.U() }
	fused := Claim{Fused: true, Twiddle: 1, In: Number{Format: model.Binary64}}
	for _, tt := range []struct {
		c    Claim
		t    Transform
		want float64
	}{
		{single, Transform{N: 1}, 0},
		{fused, Transform{N: 1024}, 40},
		{Claim{Fused: true, Twiddle: 0.5}, Transform{N: 2}, 3.5},
		{single, Transform{N: 1, Scale: ByN}, 0},
		{single, Transform{N: 2, Data: RealInput}, 3 + math.Sqrt(5)},
		{single, Transform{N: 3}, 6*math.Sqrt(6) + 1 + math.Sqrt(5)},
		{Claim{Method: Direct, Twiddle: 1}, Transform{N: 5}, 11 * math.Sqrt(10)}, // 10 products of each part, one after the other: 9 sums, a product, a constant
		{Claim{Method: Direct, Compensated: true, Twiddle: 1}, Transform{N: 8}, 5 * 4},
		{Claim{Twiddle: 1, Stages: func(int) int { return 2 }}, Transform{N: 9}, 2 * (2 + math.Sqrt(5))},
		{Claim{Twiddle: 1, In: Number{model.Binary64, 2}}, Transform{N: 2}, 3 + 5*math.Sqrt2 + 3 + 1},
		{Claim{Twiddle: 1, In: Number{model.Binary64, 2}, Sum: 3}, Transform{N: 2}, 3*math.Sqrt2 + 8*math.Sqrt2 + 1}, // products have such sums, too
		{Claim{Twiddle: 1, In: Number{model.Binary64, 2}, Sum: 3, Product: 13}, Transform{N: 2}, 3*math.Sqrt2 + 13*math.Sqrt2 + 1},
		{Claim{Own: func(int) float64 { return 0 }}, Transform{N: 3, Scale: ByRootN}, 3},
		{Claim{Own: func(int) float64 { return 0 }, In: Number{model.Binary64, 2}}, Transform{N: 3, Scale: ByN}, 7}, // a product of double words is 5
		{Claim{Own: func(int) float64 { return 0x1p-22 }}, Transform{N: 77}, 4},
	} {
		require.InEpsilon(t, 1+tt.want, 1+first(tt.c, tt.t), 1e-4, "%v %v", tt.c, tt.t)
	}
	b := Claim{Inside: Number{Format: model.Binary64}}.Bound(Transform{N: 1 << 18})
	require.InEpsilon(t, 0x1p-24, b.L2, 1e-6, "binary64 inside, rounded once")
	odd := Claim{Lengths: AnyLength, Radix: 7}
	for n := 2; n < 300; n++ {
		b := odd.Bound(Transform{N: n})
		require.Less(t, b.L2, 0.01, n)
		require.Equal(t, greatestPrime(n) > 7, math.IsInf(b.Max, 1), n)
		require.LessOrEqual(t, b.Tiny, 1e-38, n)
	}
}

// TestClaims: which lengths are claimed, and which claims are none.
func TestClaims(t *testing.T) {
	has := func(c Claim) (list []int) {
		for n := range 13 {
			if c.Has(n) {
				list = append(list, n)
			}
		}
		return list
	}
	require.Equal(t, []int{1, 2, 4, 8}, has(Claim{}))
	require.Equal(t, []int{1, 2, 3, 4, 6, 8, 9, 12}, has(Claim{Lengths: Smooth, Radix: 3}))
	require.Equal(t, []int{3, 4, 5}, has(Claim{Lengths: AnyLength, MinN: 3, MaxN: 5}))
	for _, bad := range []Claim{
		{In: Number{Format: model.Binary16}},
		{Out: Number{model.Binary32, 3}},
		{Method: 2},
		{Compensated: true},
		{Radix: 1},
		{Twiddle: -1},
		{Twiddle: math.NaN()},
		{Norm: 4},
		{Lengths: Smooth},
		{MinN: 4, MaxN: 2},
		{MinN: 3, MaxN: 3},
		{MinN: 7, MaxN: 7, Lengths: Smooth, Radix: 3},
		{Layout: HalfComplex},
		{Real: true, Order: BitReversed},
		{Order: BitReversed, Lengths: AnyLength},
		{Own: func(int) float64 { return 1 }},
	} {
		require.Error(t, bad.Check(), "%+v", bad)
	}
	require.NoError(t, Claim{}.Check())
	require.Equal(t, RealOutput, Claim{Real: true}.Transform(4, Inverse).Data)
	require.Equal(t, "binary32 in, binary32 out, binary32 inside by passes; twiddle factors within 0.7072 units; real data; half-complex; norm ortho",
		Claim{Real: true, Layout: HalfComplex, Norm: NormOrtho}.String())
}

// TestContracted: a product of complex numbers, each of whose parts is fused in one of two ways or not, errs by √(16/3)·u of its magnitude at most: of all numbers of five bits within two binades.
func TestContracted(t *testing.T) {
	const p, u = 5, 0x1p-5
	round := func(x float64) float64 { // to nearest even; x is exact, in far fewer than 53 bits
		m, e := math.Frexp(x)
		return math.Ldexp(math.RoundToEven(math.Ldexp(m, p)), e-p)
	}
	worst, same := 0.0, 0.0
	var parts [2][3]float64
	for i := range 1 << (4 * 5) {
		var x [4]float64
		for k := range x {
			x[k] = math.Ldexp(float64(16+i>>(5*k)&15), i>>(5*k+4)&1)
		}
		a, b, c, d := x[0], x[1], x[2], x[3]
		exact := [2]float64{a*c - b*d, a*d + b*c}
		parts[0] = [3]float64{round(round(a*c) - round(b*d)), round(a*c - round(b*d)), round(round(a*c) - b*d)}
		parts[1] = [3]float64{round(round(a*d) + round(b*c)), round(a*d + round(b*c)), round(round(a*d) + b*c)}
		size := (a*a + b*b) * (c*c + d*d)
		for j, re := range parts[0] {
			for k, im := range parts[1] {
				off := ((re-exact[0])*(re-exact[0]) + (im-exact[1])*(im-exact[1])) / size
				if worst = max(worst, off); j == 0 && k == 0 {
					same = max(same, off)
				}
			}
		}
	}
	require.LessOrEqual(t, worst, 16.0/3*u*u)
	require.LessOrEqual(t, same, 5.0*u*u)
	t.Logf("%.4f u, and unfused %.4f u", math.Sqrt(worst)/u, math.Sqrt(same)/u)
	require.Greater(t, worst, same, "a part alone that is fused can make it worse")
	one := Claim{Contracted: true, Twiddle: 1}.Bound(Transform{N: 2}).L2 / 0x1p-24
	require.InEpsilon(t, 2+math.Sqrt(16.0/3), one, 1e-4)
}

// TestBluestein: the bound grows as √N times that of the transforms inside, and B, the transform of the factors, is below the bound that it takes and of the size √N.
func TestBluestein(t *testing.T) {
	c := Claim{Lengths: AnyLength, Radix: 7}
	for _, n := range []int{11, 101, 499, 1009, 4093, 10007, 100003} {
		m := padded(n)
		inside := Claim{}.Bound(Transform{N: m}).L2
		grown := c.Bound(Transform{N: n}).L2 / (inside * math.Sqrt(float64(n)))
		require.Greater(t, grown, 5.0, n) // 4 + √(2M/N), M from 2N on
		require.Less(t, grown, 8.0, n)
		if n > 1009 {
			continue
		}
		most := 0.0
		for k := range m {
			var re, im float64
			for j := 1 - n; j < n; j++ {
				angle := math.Pi*float64(j*j%(2*n))/float64(n) - 2*math.Pi*float64((j+n)*k%m-n*k%m)/float64(m)
				re += math.Cos(angle)
				im += math.Sin(angle)
			}
			most = max(most, math.Hypot(re, im))
		}
		require.LessOrEqual(t, most, float64(2*n-1))
		t.Logf("N = %d: L2 is %.2f·√N times that of %d points; |B_k| is %.2f·√N at most", n, grown, m, most/math.Sqrt(float64(n)))
		require.Less(t, most, 2.5*math.Sqrt(float64(n)))
		require.Greater(t, most, math.Sqrt(float64(n)))
	}
}

// TestTypical: which transforms have a model, and that it is between those of the parts that it adds.
func TestTypical(t *testing.T) {
	of := func(c Claim, n int) float64 {
		v, ok := c.Typical(Transform{N: n})
		if !ok {
			return -1
		}
		return v
	}
	seven := Claim{Lengths: AnyLength, Radix: 7}
	for _, c := range []struct {
		c    Claim
		n    int
		want float64
	}{
		{Claim{}, 64, 6 * 0.49},
		{Claim{Lengths: AnyLength}, 81, -1},
		{Claim{Lengths: AnyLength, Radix: 17}, 17, -1},
		{seven, 17, 3*6*0.49 + 6*0.18 + 0.36},
		{seven, 64, 6 * 0.49},
		{Claim{Method: Direct, Compensated: true}, 81, 0.60},
		{Claim{Method: Direct}, 81, -1},
		{Claim{Stages: func(int) int { return 1 }}, 64, -1},
		{Claim{Inside: Number{model.Binary64, 2}}, 64, -1},
		// Twiddle factors 2/3·(0.36 + 0.12), sums 0.18·5/3, constants 4/9·(0.36 + 0.25), and along the result 4/9·√3/2·0.5.
		{seven, 3, 0.32 + 0.30 + 4.0/9*0.61 + math.Pow(4.0/9*math.Sqrt(3)/4, 2)},
	} {
		if got := of(c.c, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %d points: %g, and should be %g", c.c, c.n, got, c.want)
		}
	}
	if a, b, c := of(seven, 9), of(seven, 5), of(seven, 45); !(c > a+b) { // parts along the result add up before they are squared
		t.Errorf("45 points have %g, and 9 and 5 %g and %g", c, a, b)
	}
	loose := seven
	loose.Twiddle = 2
	if of(loose, 105) <= of(seven, 105) {
		t.Error("factors that are farther off are not modelled")
	}
}
