package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"gamma/metal/internal/msl/typed"

	"github.com/stretchr/testify/require"
)

// requireBits holds floats against others bit for bit, all NaNs being alike.
func requireBits(t *testing.T, want, got []float32, what string, args ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if want[i] != want[i] && got[i] != got[i] {
			continue
		}
		require.Equal(t, math.Float32bits(want[i]), math.Float32bits(got[i]), append([]any{what}, args...)...)
	}
}

// drawn are floats with special ones among them.
func drawn(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	special := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		math.MaxFloat32, math.SmallestNonzeroFloat32,
	}
	for i := range out {
		if out[i] = float32(rng.NormFloat64()); rng.IntN(3) == 0 {
			out[i] = special[rng.IntN(len(special))]
		}
	}
	return out
}

func nan(x float32) bool { return x != x }

func min2(a, b float32) float32 {
	switch {
	case nan(a):
		return b
	case nan(b):
		return a
	case a == b && math.Signbit(float64(b)):
		return b
	case b < a:
		return b
	}
	return a
}

func max2(a, b float32) float32 { return -min2(-a, -b) }

// TestComposed holds the functions that are no operation of their own against the same formulas in Go, bit for bit.
func TestComposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	zero := math.Float32frombits(0)
	for range 2000 {
		x := drawn(rng, 3)
		a, b, c := x[0], x[1], x[2]
		args := []Arg{floats(a), floats(b), floats(c)}
		requireBits(t, []float32{min2(max2(a, b), c)}, run(t, "clamp", args...), "clamp %v", x)
		requireBits(t, []float32{min2(max2(a, 0), 1)}, run(t, "saturate", args[0]), "saturate %v", x)
		requireBits(t, []float32{min2(min2(a, b), c)}, run(t, "min3", args...), "min3 %v", x)
		requireBits(t, []float32{max2(max2(a, b), c)}, run(t, "fmax3", args...), "fmax3 %v", x)
		requireBits(t, []float32{max2(min2(a, b), min2(max2(a, b), c))}, run(t, "median3", args...), "median3 %v", x)
		d := b - a
		p := float32(d * c)
		requireBits(t, []float32{a + p}, run(t, "mix", args...), "mix %v", x)
		step := float32(1)
		if b < a {
			step = 0
		}
		requireBits(t, []float32{step}, run(t, "step", args[0], args[1]), "step %v", x)
		var sign float32
		switch {
		case a > 0:
			sign = 1
		case a < 0:
			sign = -1
		case a == 0:
			sign = a
		default:
			sign = zero
		}
		requireBits(t, []float32{sign}, run(t, "sign", args[0]), "sign %v", x)
		u := min2(max2((c-a)/(b-a), 0), 1)
		uu, two := float32(u*u), float32(2*u)
		requireBits(t, []float32{uu * (3 - two)}, run(t, "smoothstep", args...), "smoothstep %v", x)

		ordered := !nan(a) && !nan(b)
		for name, want := range map[string]bool{"isordered": ordered, "isunordered": !ordered} {
			x, err := Resolve(name, nil, args[:2], typed.Pos{}, 0)
			require.NoError(t, err)
			require.Equal(t, want, evaluate(t, x)[0] == 1, name)
		}
	}
}

// TestVectors holds the geometric functions against sums in the order of the elements.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	dot := func(x, y []float32) float32 {
		s := float32(x[0] * y[0])
		for i := 1; i < len(x); i++ {
			s += float32(x[i] * y[i])
		}
		return s
	}
	sqrt := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	for range 300 {
		for n := 2; n <= 4; n++ {
			x, y, z := drawn(rng, n), drawn(rng, n), drawn(rng, n)
			ax, ay, az := floats(x...), floats(y...), floats(z...)
			diff, refl, face := make([]float32, n), make([]float32, n), make([]float32, n)
			two := float32(2 * dot(y, x))
			for i := range diff {
				diff[i] = x[i] - y[i]
				refl[i] = x[i] - float32(two*y[i])
				face[i] = -x[i]
				if dot(z, y) < 0 {
					face[i] = x[i]
				}
			}
			requireBits(t, []float32{dot(x, y)}, run(t, "dot", ax, ay), "dot %v %v", x, y)
			requireBits(t, []float32{dot(x, x)}, run(t, "length_squared", ax), "length_squared %v", x)
			requireBits(t, []float32{sqrt(dot(x, x))}, run(t, "length", ax), "length %v", x)
			requireBits(t, []float32{dot(diff, diff)}, run(t, "distance_squared", ax, ay), "distance_squared")
			requireBits(t, []float32{sqrt(dot(diff, diff))}, run(t, "precise::distance", ax, ay), "distance")
			requireBits(t, refl, run(t, "reflect", ax, ay), "reflect")
			requireBits(t, face, run(t, "faceforward", ax, ay, az), "faceforward %v %v %v", x, y, z)
			r := run(t, "rsqrt", floats(dot(x, x)))[0]
			unit := make([]float32, n)
			for i := range unit {
				unit[i] = x[i] * r
			}
			requireBits(t, unit, run(t, "normalize", ax), "normalize %v", x)
			eta := float32(rng.Float64() * 2)
			d := dot(y, x)
			ee, dd := float32(eta*eta), float32(d*d)
			k := 1 - float32(ee*(1-dd))
			bent := make([]float32, n)
			if !(k < 0) {
				f := float32(eta*d) + sqrt(k)
				for i := range bent {
					bent[i] = float32(eta*x[i]) - float32(f*y[i])
				}
			}
			requireBits(t, bent, run(t, "refract", ax, ay, floats(eta)), "refract %v %v %v", x, y, eta)
			if n == 3 {
				cross := []float32{
					float32(x[1]*y[2]) - float32(x[2]*y[1]),
					float32(x[2]*y[0]) - float32(x[0]*y[2]),
					float32(x[0]*y[1]) - float32(x[1]*y[0]),
				}
				requireBits(t, cross, run(t, "cross", ax, ay), "cross %v %v", x, y)
			}
		}
	}
}

// TestOperations: an operation of its own for each other function, found by a value that tells it from the others.
func TestOperations(t *testing.T) {
	for name, f := range map[string]func(float64) float64{
		"acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin, "asinh": math.Asinh, "atan": math.Atan, "atanh": math.Atanh,
		"ceil": math.Ceil, "cos": math.Cos, "cosh": math.Cosh, "exp": math.Exp, "exp2": math.Exp2, "fabs": math.Abs, "abs": math.Abs,
		"floor": math.Floor, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "rint": math.RoundToEven, "round": math.Round,
		"sin": math.Sin, "sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh, "trunc": math.Trunc,
		"fract": func(x float64) float64 { return x - math.Floor(x) },
		"exp10": func(x float64) float64 { return math.Pow(10, x) },
		"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
		"cospi": func(x float64) float64 { return math.Cos(math.Pi * x) },
		"sinpi": func(x float64) float64 { return math.Sin(math.Pi * x) },
		"tanpi": func(x float64) float64 { return math.Tan(math.Pi * x) },
	} {
		for _, x := range []float32{0.4375, -0.71875, 2.5, -2.5, 1.1875} {
			want := f(float64(x))
			got := float64(run(t, name, floats(x))[0])
			// Which operation it is shows in the first digits; its bits are the IR's business.
			pole := math.Abs(want) > 1e10 && math.IsInf(got, 0)
			ok := pole || math.IsNaN(want) && math.IsNaN(got) || math.Abs(got-want) <= max(math.Abs(want), 1e-3)/1e5
			require.True(t, ok, "%s(%v) = %v, want about %v", name, x, got, want)
		}
	}
	for name, want := range map[string]float32{
		"atan2": float32(math.Atan2(-1.5, 4)), "copysign": 1.5, "divide": -0.375, "fdim": 0, "fmax": 4, "fmin": -1.5, "max": 4, "min": -1.5,
		"fmod": -1.5, "pow": 5.0625, "nextafter": math.Nextafter32(-1.5, 4),
	} {
		require.Equal(t, want, run(t, name, floats(-1.5), floats(4))[0], name)
	}
	require.Equal(t, float32(5.0625), run(t, "powr", floats(1.5), floats(4))[0])
	// The product's low bits are lost unless it is rounded once.
	x := float32(1 + 1.0/4096)
	require.Equal(t, float32(1.0/(1<<24)), run(t, "fma", floats(x), floats(x), floats(-1-2.0/4096))[0])
	require.Equal(t, float32(24), run(t, "ldexp", floats(1.5), arg("int", 4))[0])
	for name, want := range map[string][]uint64{
		"isnan": {0, 0, 0, 1}, "isinf": {0, 0, 1, 0}, "isfinite": {1, 1, 0, 0}, "isnormal": {1, 0, 0, 0}, "signbit": {1, 0, 0, 0},
	} {
		x, err := Resolve(name, nil, []Arg{floats(-1, 0, float32(math.Inf(1)), float32(math.NaN()))}, typed.Pos{}, 0)
		require.NoError(t, err)
		require.Equal(t, value(want), evaluate(t, x), name)
	}
	y, err := Resolve("ilogb", nil, []Arg{floats(10)}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Equal(t, value{3}, evaluate(t, y))
}

// TestSelect: select(a, b, c) is c ? b : a, and votes of the elements of a vector.
func TestSelect(t *testing.T) {
	requireBits(t, []float32{1, 4}, run(t, "select", floats(1, 2), floats(3, 4), arg("bool2", 0, 1)), "select")
	for _, c := range []struct {
		v        value
		all, any uint64
	}{{value{0, 0, 0}, 0, 0}, {value{0, 1, 0}, 0, 1}, {value{1, 1, 0}, 0, 1}, {value{0, 1, 1}, 0, 1}, {value{1, 1, 1}, 1, 1}} {
		for name, want := range map[string]uint64{"all": c.all, "any": c.any} {
			x, err := Resolve(name, nil, []Arg{arg("bool3", c.v...)}, typed.Pos{}, 0)
			require.NoError(t, err)
			require.Equal(t, value{want}, evaluate(t, x), "%s %v", name, c.v)
		}
	}
}
