package dd_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/dd"
)

var (
	inf   = math.Inf(1)
	nan   = math.NaN()
	nzero = math.Copysign(0, -1)
)

func rat[T kernels.Float](x dd.DD[T]) *big.Rat {
	r := new(big.Rat).SetFloat64(float64(x.Hi))
	return r.Add(r, new(big.Rat).SetFloat64(float64(x.Lo)))
}

// pairs are finite pairs, normalised and not: ties of both parities, low words of 0, powers of two, edges of the format.
func pairs[T kernels.Float](p, emin, emax int) []dd.DD[T] {
	u := math.Ldexp(1, -p)
	largest := math.Ldexp(2-2*u, emax)
	smallest := math.Ldexp(1, emin-p+1)
	var list []dd.DD[T]
	for _, h := range []float64{0, nzero, 1, 1 + 2*u, 2 - 2*u, 1.5, 3, 4095, math.Ldexp(1, emin), smallest, 5 * smallest, largest, math.Ldexp(1, emax)} {
		ulp := math.Ldexp(1, math.Ilogb(h)-p+1)
		if h == 0 {
			ulp = 1
		}
		for _, l := range []float64{0, nzero, ulp / 2, ulp / 2 * (1 - 2*u), ulp / 4, ulp, smallest, ulp * u, ulp * 3, h, h / 2} {
			for _, x := range []dd.DD[T]{{T(h), T(l)}, {T(h), T(-l)}, {T(-h), T(l)}, {T(l), T(h)}} {
				if x.Finite() {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

func TestCmpIsTheOrderOfExactNumbers(t *testing.T) {
	compare(t, pairs[float32](24, -126, 127))
	compare(t, pairs[float64](53, -1022, 1023))
}

func compare[T kernels.Float](t *testing.T, list []dd.DD[T]) {
	exact := make([]*big.Rat, len(list))
	for i, x := range list {
		exact[i] = rat(x)
		require.Equal(t, 0, exact[i].Cmp(rat(x.Renormalise())), "%x", x)
		require.True(t, x.Renormalise().Normal(), "%x", x)
		require.Equal(t, x.Renormalise(), x.Renormalise().Renormalise())
		require.Equal(t, 0, new(big.Rat).Neg(exact[i]).Cmp(rat(x.Neg())))
		require.Equal(t, 0, new(big.Rat).Abs(exact[i]).Cmp(rat(x.Abs())))
	}
	for i, x := range list {
		for j, y := range list {
			if x.Cmp(y) != exact[i].Cmp(exact[j]) {
				t.Fatalf("%x and %x: %d", x, y, x.Cmp(y))
			}
		}
	}
	a, n := T(inf), T(nan)
	order := []dd.DD[T]{{n, 0}, {-a, 0}, {-1, 0}, {0, T(nzero)}, {1, 0}, {a, -5}}
	for i, x := range order {
		for j, y := range order {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			require.Equal(t, want, x.Cmp(y), "%v %v", x, y)
		}
	}
	require.Equal(t, 0, dd.DD[T]{a, -a}.Cmp(dd.DD[T]{1, n}), "both are NaN")
	require.Equal(t, 0, dd.DD[T]{a, 3}.Cmp(dd.DD[T]{a, a}), "both are infinite")
	require.Equal(t, 0, dd.FromWord(T(nzero)).Cmp(dd.FromWord(T(0))))
	require.False(t, math.Signbit(float64(dd.FromWord(T(nzero)).Abs().Hi)))
	require.False(t, dd.DD[T]{n, 0}.Normal())
}

func TestFromPairKeepsTheLargest(t *testing.T) {
	// Two-sum of these has an error of NaN for one order.
	const b = -0x1.8p104
	for _, x := range []dd.DD32{dd.FromPair[float32](math.MaxFloat32, b), dd.FromPair[float32](b, math.MaxFloat32)} {
		require.Equal(t, 0, rat(x).Cmp(rat(dd.DD32{math.MaxFloat32, b})))
	}
	require.Equal(t, dd.FromWord(float32(inf)), dd.FromPair[float32](math.MaxFloat32, 0x1p103))
	require.True(t, math.IsNaN(dd.FromPair(inf, -inf).Hi))
	require.Equal(t, dd.FromWord(inf), dd.FromPair(inf, 3))
}

func TestFromFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	ties := 0
	for i := range 50_000 {
		v := math.Float64frombits(rng.Uint64())
		switch i % 4 {
		case 0:
			v = math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		case 1: // a low word that rounds to half an ulp of the high one
			v = float64(1<<24+2*rng.IntN(1<<10)) + 1 - 0x1p-28*float64(rng.IntN(16))
		case 2: // next to the largest and the smallest words
			v = math.MaxFloat32 + 0x1p70*float64(rng.IntN(1<<34))
			if i%8 == 2 {
				v = math.Ldexp(rng.Float64(), -120-rng.IntN(35))
			}
		}
		x := dd.FromFloat64[float32](v)
		hi := float32(v)
		lo := float32(v - float64(hi))
		if lo := float32(v - float64(hi)); lo+hi != hi && !math.IsInf(float64(hi), 0) {
			ties++
		}
		switch {
		case v != v:
			require.True(t, x.Hi != x.Hi && x.Lo == 0)
		case math.IsInf(float64(hi+lo), 0) || math.IsInf(float64(hi), 0):
			require.Equal(t, dd.FromWord(float32(math.Inf(int(math.Copysign(1, v))))), x, "%x", v)
		default:
			require.True(t, x.Normal(), "%x: %x", v, x)
			require.Equal(t, 0, rat(x).Cmp(rat(dd.DD32{hi, lo})), "%x: %x", v, x)
			if math.Abs(v) > 0x1p-100 {
				require.LessOrEqual(t, math.Abs(x.Float64()-v), 0x1p-48*math.Abs(v))
			}
		}
		require.True(t, dd.FromFloat64[float64](v).Hi == v || v != v)
	}
	require.Positive(t, ties)
	require.True(t, math.Signbit(float64(dd.FromFloat64[float32](nzero).Hi)))
	require.Equal(t, 1+0x1p-30, dd.DD32{1, 0x1p-30}.Float64())
	require.Equal(t, 1.0, dd.DD64{1, 0x1p-60}.Float64())
}

func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	edges := []uint64{0, 1, 1 << 24, 1<<24 + 1, 1<<48 - 1, 1 << 48, 1<<48 + 1, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64, math.MaxUint64 - 1<<38, math.MaxUint64 - 1<<39, 1<<64 - 1<<40 + 1}
	for i := range 10_000 {
		n := rng.Uint64() >> rng.IntN(64)
		if i < len(edges) {
			n = edges[i]
		}
		exact := new(big.Rat).SetInt(new(big.Int).SetUint64(n))
		x, y := dd.FromUint64[float32](n), dd.FromUint64[float64](n)
		require.Equal(t, 0, exact.Cmp(rat(y)), n)
		require.True(t, x.Normal() && y.Normal(), n)
		parsed, err := dd.Parse[float32](exact.Num().String())
		require.NoError(t, err)
		require.Equal(t, parsed, x, n)
		if n <= 1<<48 {
			require.Equal(t, 0, exact.Cmp(rat(x)), n)
		}
		m := int64(n)
		got, ok := dd.FromInt64[float64](m).Int64()
		require.True(t, ok)
		require.Equal(t, m, got)
		whole(t, dd.FromInt64[float32](m))
		whole(t, x)
		whole(t, y)
		whole(t, dd.DD32{float32(m), float32(rng.Float64() * 4)})
		whole(t, dd.DD64{math.Ldexp(rng.Float64(), rng.IntN(64)), -rng.Float64()})
	}
	for _, x := range []dd.DD64{{inf, 0}, {nan, 0}, {0x1p63, 0}, {-0x1p63, -1}, {0x1p64, -1}, {1e300, 1}} {
		n, ok := x.Int64()
		require.False(t, ok, x)
		require.Zero(t, n)
	}
	for want, x := range map[int64]dd.DD64{
		math.MaxInt64: {0x1p63, -1}, math.MaxInt64 - 1: {0x1p63, -2}, math.MinInt64: {-0x1p63, -0.5}, 2: {3, -0x1p-80}, -2: {-3, 0x1p-80}, 3: {3, 0x1p-80},
	} {
		n, ok := x.Int64()
		require.True(t, ok, x)
		require.Equal(t, want, n)
	}
	n, ok := dd.DD32{0x1p63, -0x1p-100}.Int64()
	require.True(t, ok)
	require.Equal(t, int64(math.MaxInt64), n)
}

// whole holds Int64 to exact numbers.
func whole[T kernels.Float](t *testing.T, x dd.DD[T]) {
	r := rat(x)
	q := new(big.Int).Quo(r.Num(), r.Denom())
	n, ok := x.Int64()
	require.Equal(t, q.IsInt64(), ok, "%x", x)
	if ok {
		require.Equal(t, q.Int64(), n, "%x", x)
	}
}

func TestTextAndBack(t *testing.T) {
	back(t, pairs[float32](24, -126, 127))
	back(t, pairs[float64](53, -1022, 1023))
	rng := rand.New(rand.NewPCG(3, 1))
	for range 3000 {
		h := math.Float32frombits(rng.Uint32())
		back(t, []dd.DD32{{h, float32(math.Ldexp(float64(h), -24-rng.IntN(30)) * rng.Float64())}})
	}
	for _, x := range []dd.DD64{{inf, 0}, {-inf, 0}, {nzero, 0}} {
		y, err := dd.Parse[float64](x.String())
		require.NoError(t, err)
		require.Equal(t, x, y)
		require.Equal(t, math.Signbit(x.Hi), math.Signbit(y.Hi))
	}
	y, err := dd.Parse[float32](dd.DD32{Hi: float32(nan)}.String())
	require.NoError(t, err)
	require.True(t, y.Hi != y.Hi)
	require.Equal(t, "1.00000000001", dd.DD64{1, 1e-11}.Text(12))
	require.Equal(t, "2", dd.DD64{1.5, 0x1p-80}.Text(1))
	require.Equal(t, "2", dd.DD64{2.5, -0x1p-80}.Text(1))
	require.Equal(t, "2", dd.DD64{2.5, 0}.Text(1), "a tie goes to the even digit")
	require.PanicsWithValue(t, "dd: a text has one significant digit or more, not 0", func() { dd.DD64{}.Text(0) })
}

func back[T kernels.Float](t *testing.T, list []dd.DD[T]) {
	for _, x := range list {
		x = x.Renormalise()
		if !x.Finite() {
			continue
		}
		y, err := dd.Parse[T](x.String())
		require.NoError(t, err, x)
		require.True(t, x == y, "%x is %s is %x", x, x, y)
	}
}

// TestParseRoundsOnce parses numbers that lie next to ties of high and low words, among them ones of thousands of digits.
func TestParseRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 2000 {
		h := big.NewRat(int64(1<<23+rng.IntN(1<<23)), 1)
		l := big.NewRat(int64(1<<23+rng.IntN(1<<23)), 1<<24)
		if rng.IntN(2) == 0 {
			l = big.NewRat(int64([]int{0, 1, 2}[rng.IntN(3)]), 2)
		}
		x := h.Add(h, l)                                                   // the low word in 24 bits, or a tie of the high one
		x.Add(x, big.NewRat(int64(rng.IntN(5)-2), 1<<26))                  // ties of low words
		x.Add(x, new(big.Rat).SetFloat64(0x1p-900*float64(rng.IntN(3)-1))) // and next to them
		text := x.FloatString(900)
		hi, _ := x.Float32()
		lo, _ := new(big.Rat).Sub(x, new(big.Rat).SetFloat64(float64(hi))).Float32()
		y, err := dd.Parse[float32](text)
		require.NoError(t, err)
		require.True(t, y.Normal())
		require.Equal(t, 0, rat(y).Cmp(rat(dd.DD32{hi, lo})), text)
	}
	// A tie of low words, and something 3000 digits after it.
	const tie = "16777216.000000059604644775390625" // 2^24 + 2^-24: exact
	exact, err := dd.Parse[float32](tie)
	require.NoError(t, err)
	require.Equal(t, dd.DD32{0x1p24, 0x1p-24}, exact)
	half := "1." + new(big.Rat).SetFrac64(1<<24+1, 1<<60).FloatString(60)[2:] // between two low words
	down, err := dd.Parse[float32](half)
	require.NoError(t, err)
	up, err := dd.Parse[float32](half + strings.Repeat("0", 3000) + "1")
	require.NoError(t, err)
	require.Equal(t, dd.DD32{1, 0x1p-36}, down)
	require.Equal(t, dd.DD32{1, 0x1p-36 * (1 + 0x1p-23)}, up)
}

func TestParse(t *testing.T) {
	for text, want := range map[string]dd.DD32{
		"0": {}, "+1": {1, 0}, "-1.5": {-1.5, 0}, ".5": {0.5, 0}, "5.": {5, 0}, "1e2": {100, 0}, "1E-0002": {0.01, -float32(0.01 - 1e-2)},
		"1e-1000000000000000000000": {}, "0e99999999999999999999": {}, "0.000e400": {}, strings.Repeat("0", 5000) + "7": {7, 0},
		"0." + strings.Repeat("0", 5000) + "7e5001": {7, 0}, "7" + strings.Repeat("0", 5000) + "e-5000": {7, 0},
		"16777217": {0x1p24, 1}, "16777219": {0x1p24 + 4, -1}, "inf": {float32(inf), 0}, "-Infinity": {-float32(inf), 0}, "1e-46": {}, "8e-46": {0x1p-149, 0},
	} {
		x, err := dd.Parse[float32](text)
		require.NoError(t, err, text)
		if text == "1E-0002" {
			want = dd.DD32{0.01, 0}
			require.Equal(t, want.Hi, x.Hi)
			require.NotZero(t, x.Lo)
			continue
		}
		require.Equal(t, want, x, text)
	}
	x, err := dd.Parse[float64]("-0e5")
	require.NoError(t, err)
	require.True(t, math.Signbit(x.Hi))
	for text, want := range map[string]string{
		"":        `dd: "" ends where a digit belongs, after 0 characters`,
		"-":       `dd: "-" ends where a digit belongs, after 1 characters`,
		".":       `dd: "." ends where a digit belongs, after 1 characters`,
		"1.2x":    `dd: character 4 of "1.2x" is 'x', where the end belongs`,
		"1.2.3":   `dd: character 4 of "1.2.3" is '.', where the end belongs`,
		" 1":      `dd: character 1 of " 1" is ' ', where a digit belongs`,
		"1 ":      `dd: character 2 of "1 " is ' ', where the end belongs`,
		"--1":     `dd: character 2 of "--1" is '-', where a digit belongs`,
		"1e":      `dd: "1e" ends where a digit of the exponent belongs, after 2 characters`,
		"1e+":     `dd: "1e+" ends where a digit of the exponent belongs, after 3 characters`,
		"1ex":     `dd: character 3 of "1ex" is 'x', where a digit of the exponent belongs`,
		"e5":      `dd: character 1 of "e5" is 'e', where a digit belongs`,
		"0x10":    `dd: character 2 of "0x10" is 'x', where the end belongs`,
		"1_000":   `dd: character 2 of "1_000" is '_', where the end belongs`,
		"1,5":     `dd: character 2 of "1,5" is ',', where the end belongs`,
		"1٣":      `dd: character 2 of "1٣" is '٣', where the end belongs`,
		"infinit": `dd: character 1 of "infinit" is 'i', where a digit belongs`,
		"1\xff":   `dd: character 2 of "1\xff" is '�', where the end belongs`,
	} {
		_, err := dd.Parse[float32](text)
		require.EqualError(t, err, want)
	}
	_, err = dd.Parse[float32](strings.Repeat("9", 100) + "z")
	require.ErrorContains(t, err, "character 101 of")
	require.ErrorContains(t, err, "and 37 more characters")
	for _, text := range []string{"1e39", "-1e400", "1e999999999999999999999", "340282356779733661637539395458142568448"} {
		x, err := dd.Parse[float32](text)
		require.True(t, errors.Is(err, dd.ErrRange), text)
		require.True(t, math.IsInf(float64(x.Hi), 0) && x.Lo == 0)
	}
	x32, err := dd.Parse[float32]("3.4028235e38")
	require.NoError(t, err)
	require.Equal(t, float32(math.MaxFloat32), x32.Hi)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.5", "-0", "1e-400", ".", "9e99999999999", "Inf", "1.2x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := dd.Parse[float64](text)
		if err != nil && !errors.Is(err, dd.ErrRange) {
			return
		}
		y, err2 := dd.Parse[float64](x.String())
		if x.Hi == x.Hi && (err2 != nil || x != y) {
			t.Fatalf("%q is %x is %s is %x (%v)", text, x, x, y, err2)
		}
	})
}

// TestSpecialValues: the plain operations give what Go's give of the high words, and a low word of 0.
func TestSpecialValues(t *testing.T) {
	values := []float64{0, nzero, 1, -2, inf, -inf, nan, math.MaxFloat64, -math.MaxFloat64, 0x1p-1074, 0x1p600}
	for _, a := range values {
		for _, b := range values {
			x, y := dd.FromWord(a), dd.FromWord(b)
			for name, c := range map[string]struct {
				z    dd.DD64
				want float64
			}{
				"plus": {x.Plus(y), a + b}, "minus": {x.Minus(y), a - b}, "times": {x.Times(y), a * b}, "over": {x.Over(y), a / b}, "root": {x.Root(), math.Sqrt(a)},
			} {
				if c.want-c.want != 0 {
					require.True(t, c.z.Hi == c.want || c.z.Hi != c.z.Hi && c.want != c.want, "%v %s %v: %v", a, name, b, c.z)
					require.Zero(t, c.z.Lo)
				} else {
					// The double word may lie on the other side of a tie.
					require.True(t, c.z.Hi == c.want || math.Nextafter(c.z.Hi, c.want) == c.want && c.z.Lo != 0, "%v %s %v: %v", a, name, b, c.z)
					require.True(t, c.z.Normal(), "%v %s %v: %v", a, name, b, c.z)
				}
			}
		}
	}
	root := dd.FromWord(nzero).Root()
	require.True(t, root.Hi == 0 && math.Signbit(root.Hi) && root.Lo == 0)
	require.True(t, dd.DD64{inf, nan}.Plus(dd.FromWord(1.0)).Hi != dd.DD64{inf, nan}.Plus(dd.FromWord(1.0)).Hi, "a pair with a NaN is one")
}

// TestStepsThatOverflow: sums and quotients near the largest number are as good as elsewhere.
func TestStepsThatOverflow(t *testing.T) {
	largest := float32(math.MaxFloat32)
	for _, c := range []struct{ x, y dd.DD32 }{
		{dd.DD32{-0x1.8p104, 0x1p80}, dd.DD32{largest, 0x1p102}},
		{dd.DD32{largest, 0x1p100}, dd.DD32{-0x1.8p104, 0x1p79}},
		{dd.DD32{largest, -0x1p90}, dd.DD32{0x1p102, 0}},
	} {
		z := c.x.Plus(c.y)
		exact := rat(c.x)
		exact.Add(exact, rat(c.y))
		e := new(big.Rat).Sub(rat(z), exact)
		require.True(t, z.Normal())
		require.LessOrEqual(t, e.Abs(e).Cmp(exact.Mul(exact.Abs(exact), big.NewRat(3, 1<<48))), 0)
	}
	require.Equal(t, dd.FromWord(float32(inf)), dd.DD32{largest, 0x1p102}.Plus(dd.DD32{0x1p102, 0}))
	spoilt := 0
	for y := float32(1); y < 2; y += 0x1p-12 {
		x := dd.DD32{largest, 0x1p102}
		if !x.Div2(dd.FromWord(y)).Finite() {
			spoilt++
		}
		z := x.Over(dd.FromWord(y))
		require.True(t, z.Normal(), y)
		exact := new(big.Rat).Quo(rat(x), new(big.Rat).SetFloat64(float64(y)))
		e := new(big.Rat).Sub(rat(z), exact)
		require.LessOrEqual(t, e.Abs(e).Cmp(exact.Mul(exact, big.NewRat(15, 1<<48))), 0)
	}
	require.Positive(t, spoilt)
}
