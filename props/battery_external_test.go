package props_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props"
	"gamma/props/internal/own"
)

// What package own's binary32 is made of.
var (
	f32, b32, over32 = own.F32, own.B32, own.Over32
	order32, minNum  = own.Float32().Compare, own.Float32().MinNum
)

// fault is one planted fault of scalar arithmetic: a claim and operations that do not keep it.
type fault struct {
	name  string
	a     props.Arithmetic
	kills string // the laws that find it, all of them, without "round."
}

// claiming returns what arithmetic does under the name and claim of round to nearest even.
func claiming(f model.Format, does round.Arith) props.Arithmetic {
	claim := own.Arithmetic(round.Arith{F: f})
	a := own.Arithmetic(does)
	a.Rounding, a.Flush, a.Toward = claim.Rounding, claim.Flush, nil
	return a
}

// changed returns the machine's binary32 with a change.
func changed(change func(a *props.Arithmetic)) props.Arithmetic {
	a := own.Float32()
	change(&a)
	return a
}

// directed returns package round's binary32 toward positive, with a change.
func directed(change func(a *props.Arithmetic)) props.Arithmetic {
	a := own.Arithmetic(round.Arith{F: model.Binary32, R: model.TowardPositive})
	change(&a)
	return a
}

// payloads returns package round's binary32, which claims payloads, with a change.
func payloads(change func(a *props.Arithmetic)) props.Arithmetic {
	a := own.Arithmetic(round.Arith{F: model.Binary32})
	change(&a)
	return a
}

// register28 rounds to 28 bits before it rounds to binary32, as the x87 unit rounds to 64 and 53.
func register28(a, b uint64) uint64 {
	wide := model.Format{Name: "register28", P: 28, Emin: -1022, Emax: 1023, ExpBits: 11, MaxFinite: 1<<28 - 1, HasInf: true}
	w := round.Arith{F: wide}
	return round.Convert(round.Arith{F: model.Binary32}, wide, w.Add(round.Convert(w, model.Binary32, a), round.Convert(w, model.Binary32, b)))
}

// noGuard subtracts as a unit without a guard digit does: it cuts what the operand of the smaller
// exponent has below the last digit of the other.
func noGuard(x, y float32) float32 {
	if x == 0 || y == 0 || math.IsInf(float64(x), 0) || math.IsInf(float64(y), 0) || x != x || y != y {
		return x - y
	}
	a, b := x, y
	if math.Abs(float64(a)) < math.Abs(float64(b)) {
		a, b = b, a
	}
	_, e := math.Frexp(float64(a))
	ulp := math.Ldexp(1, max(e-24, -149))
	cut := float32(math.Trunc(float64(b)/ulp) * ulp)
	if a == x {
		return x - cut
	}
	return cut - y
}

var (
	even32 = round.Arith{F: model.Binary32}
	away32 = round.Arith{F: model.Binary32, R: model.NearestAway}
	zero32 = round.Arith{F: model.Binary32, R: model.TowardZero}
	up32   = round.Arith{F: model.Binary32, R: model.TowardPositive}
	down32 = round.Arith{F: model.Binary32, R: model.TowardNegative}
)

// nudged moves one result in many up by an ulp.
func nudged(op func(a, b uint64) uint64) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		r := op(a, b)
		if f := model.Binary32; f.Class(r) == model.ClassNormal && (a^b)*0x9e3779b97f4a7c15>>58 == 0 {
			return f.Next(r)
		}
		return r
	}
}

func faults() []fault {
	return append(fmaFaults(), []fault{
		{"ties away", claiming(model.Binary32, away32), "add convert div fma mul sub"},
		{"truncated", claiming(model.Binary32, zero32), "add convert div fma mul operand relative result root sqrt sub"},
		{"rounded up", claiming(model.Binary32, up32), "add convert div fma mul negate operand relative result root sqrt sub"},
		{"flushed", claiming(model.Binary32, round.Arith{F: model.Binary32, Fl: model.Flush{Out: true}}), "add convert div faithful fma identity mul operand relative result sterbenz sub subnormal"},
		{"operands flushed", claiming(model.Binary32, round.Arith{F: model.Binary32, Fl: model.Flush{In: true}}), "add compare convert div faithful fma identity infinite invalid mul operand relative result sqrt sterbenz sub subnormal zero"},
		{"register of 28 bits", changed(func(a *props.Arithmetic) { a.Add = register28 }), "add fused operand relative result"},
		{"no guard digit", changed(func(a *props.Arithmetic) { a.Sub = over32(noGuard) }), "faithful relative result sterbenz sub subnormal"},
		{"by the reciprocal", changed(func(a *props.Arithmetic) {
			a.Div = over32(func(x, y float32) float32 { return float32(x * (1 / y)) })
		}), "div faithful identity relative"},
		{"fma not fused", changed(func(a *props.Arithmetic) {
			a.Fma = func(x, y, z uint64) uint64 { return b32(float32(f32(x)*f32(y)) + f32(z)) }
		}), "faithful fma infinite relative zero"},
		{"fma with ties away", changed(func(a *props.Arithmetic) { a.Fma = away32.Fma }), "fma fused"},
		{"converted in two steps", payloads(func(a *props.Arithmetic) {
			a.Conversions = []props.Conversion{{To: model.E5M2, Run: func(b uint64) uint64 {
				half := round.Convert(round.Arith{F: model.Binary16}, model.Binary32, b)
				return round.Convert(round.Arith{F: model.E5M2}, model.Binary16, half)
			}}}
		}), "convert"},
		{"one ulp off at times", changed(func(a *props.Arithmetic) { a.Add = nudged(a.Add) }), "add faithful fused identity monotone negate operand relative result sterbenz"},
		{"ties to the first operand", changed(func(a *props.Arithmetic) {
			a.Add = func(x, y uint64) uint64 {
				if x < y {
					return even32.Add(x, y)
				}
				return away32.Add(x, y)
			}
		}), "add commutes fused negate"},
		{"ties upward", changed(func(a *props.Arithmetic) {
			a.Add = func(x, y uint64) uint64 { return nearestUp(x, y) }
		}), "add fused negate"},
		{"up that leads away from zero", directed(func(a *props.Arithmetic) {
			a.Add = func(x, y uint64) uint64 {
				r := up32.Add(x, y)
				if f := model.Binary32; f.Signbit(r) {
					return down32.Add(x, y)
				}
				return r
			}
			add := a.Add
			a.Toward = func(r model.Rounding) props.Arithmetic {
				o := own.Arithmetic(round.Arith{F: model.Binary32, R: r})
				if r == model.TowardPositive {
					o.Add = add
				}
				return o
			}
		}), "add bracket direction fused identity"},
		{"up that is to nearest", directed(func(a *props.Arithmetic) {
			a.Mul = even32.Mul
			a.Toward = func(r model.Rounding) props.Arithmetic {
				o := own.Arithmetic(round.Arith{F: model.Binary32, R: r})
				if r == model.TowardPositive {
					o.Mul = even32.Mul
				}
				return o
			}
		}), "bracket direction fused identity mul"},
		{"NaN ignored", changed(func(a *props.Arithmetic) {
			a.Add = over32(func(x, y float32) float32 {
				switch {
				case x != x:
					return y
				case y != y:
					return x
				}
				return x + y
			})
		}), "fused nan"},
		{"NaN left signaling", payloads(func(a *props.Arithmetic) {
			a.Mul = func(x, y uint64) uint64 {
				if model.Binary32.IsNaN(x) {
					return x
				}
				return even32.Mul(x, y)
			}
		}), "nan"},
		{"last NaN wins", payloads(func(a *props.Arithmetic) {
			a.Add = func(x, y uint64) uint64 { return even32.Add(y, x) }
		}), "nan"},
		{"inf-inf is 0", changed(func(a *props.Arithmetic) {
			a.Sub = over32(func(x, y float32) float32 {
				if x == y {
					return 0
				}
				return x - y
			})
		}), "invalid zero"},
		{"0·inf is 0", changed(func(a *props.Arithmetic) {
			a.Fma = func(x, y, z uint64) uint64 {
				if f32(x) == 0 || f32(y) == 0 {
					return even32.Add(even32.Mul(x&(1<<31), y&(1<<31)), z)
				}
				return even32.Fma(x, y, z)
			}
		}), "fused invalid nan"},
		{"division by zero gives the largest number", changed(func(a *props.Arithmetic) {
			a.Div = over32(func(x, y float32) float32 {
				if y == 0 && x != 0 && x == x {
					return math.MaxFloat32 * float32(math.Copysign(1, float64(x))*math.Copysign(1, float64(y)))
				}
				return x / y
			})
		}), "infinite"},
		{"a/inf is NaN", changed(func(a *props.Arithmetic) {
			a.Div = over32(func(x, y float32) float32 { return x * (1 / y) * (y / y) })
		}), "div faithful identity infinite relative"},
		{"zeros without sign", changed(func(a *props.Arithmetic) {
			a.Add = over32(func(x, y float32) float32 { return x + y + 0 })
		}), "zero"},
		{"compared as integers", changed(func(a *props.Arithmetic) {
			a.Compare = func(x, y uint64) (int, bool) {
				_, ok := order32(x, y)
				if !ok {
					return 0, false
				}
				return int(max(-1, min(1, int64(int32(x))-int64(int32(y))))), true
			}
		}), "compare"},
		{"NaN equals itself", changed(func(a *props.Arithmetic) {
			a.Compare = func(x, y uint64) (int, bool) {
				if x == y {
					return 0, true
				}
				return order32(x, y)
			}
		}), "compare"},
		{"minimum ignores NaN", changed(func(a *props.Arithmetic) { a.Minimum = minNum }), "minmax"},
		{"minNum hands on quiet NaN", changed(func(a *props.Arithmetic) { a.MinNum = a.Minimum }), "minmax"},
		{"minimum of zeros by order of operands", changed(func(a *props.Arithmetic) {
			minimum := a.Minimum
			a.Minimum = func(x, y uint64) uint64 {
				if f32(x) == 0 && f32(y) == 0 {
					return x
				}
				return minimum(x, y)
			}
		}), "minmax"},
	}...)
}

// fmaFaults are those of an fma that rounds twice, or is wrong where that would be.
func fmaFaults() []fault {
	return []fault{
		{"fma by way of binary64", changed(func(a *props.Arithmetic) {
			a.Fma = func(x, y, z uint64) uint64 {
				return b32(float32(math.FMA(float64(f32(x)), float64(f32(y)), float64(f32(z)))))
			}
		}), "fma"},
		{"fma wrong next to halfway cases", changed(func(a *props.Arithmetic) {
			a.Fma = func(x, y, z uint64) uint64 {
				if nextToTie(x, y, z) {
					return otherNeighbour(x, y, z)
				}
				return even32.Fma(x, y, z)
			}
		}), "fma"},
		{"fma wrong next to halfway cases of large addends", changed(func(a *props.Arithmetic) {
			a.Fma = func(x, y, z uint64) uint64 {
				if nextToTie(x, y, z) && math.Abs(float64(f32(z))) > math.Abs(float64(f32(x))*float64(f32(y))) {
					return otherNeighbour(x, y, z)
				}
				return even32.Fma(x, y, z)
			}
		}), "fma"},
	}
}

// nextToTie reports whether x·y+z is no middle between two numbers of binary32, but rounds to one in binary64: it lies within 2^-29 of their
// distance. Next to a power of two the other neighbour breaks the bound of the relative error, too: these are left out.
func nextToTie(x, y, z uint64) bool {
	p, c := float64(f32(x))*float64(f32(y)), float64(f32(z)) // the product is exact
	s := p + c
	b := s - p
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 && bits>>32&0xfffff != 0 && (p-(s-b))+(c-b) != 0 && math.Abs(s) < math.MaxFloat32 && math.Abs(s) > 0x1p-126
}

// otherNeighbour returns the neighbour of x·y+z that is not the nearest.
func otherNeighbour(x, y, z uint64) uint64 {
	if down := down32.Fma(x, y, z); down != even32.Fma(x, y, z) {
		return down
	}
	return up32.Fma(x, y, z)
}

// nearestUp rounds a sum to nearest, ties toward positive.
func nearestUp(x, y uint64) uint64 {
	even, away := even32.Add(x, y), away32.Add(x, y)
	if f := model.Binary32; !f.IsNaN(even) && f32(away) > f32(even) {
		return away
	}
	if lo := down32.Add(x, y); even == lo && even != up32.Add(x, y) { // was it a tie that went down?
		if d := model.Binary32; d.IsFinite(even) && isTie(x, y) {
			return up32.Add(x, y)
		}
	}
	return even
}

// isTie reports whether x+y lies in the middle between two numbers.
func isTie(x, y uint64) bool {
	f := model.Binary32
	lo, hi := down32.Add(x, y), up32.Add(x, y)
	if !f.IsFinite(x) || !f.IsFinite(y) || !f.IsFinite(lo) || !f.IsFinite(hi) || lo == hi {
		return false
	}
	exact := oracle.FromBits(f, x).Add(oracle.FromBits(f, y))
	return oracle.FromBits(f, lo).Add(oracle.FromBits(f, hi)).Cmp(exact.Scale(1)) == 0
}

// TestScalarLawsKillTheirMutants lets every law look for every fault that it is said to find, with
// the budget of a quick run, and at level thorough for every other one too, which it must not find.
// Each law names faults that it finds.
func TestScalarLawsKillTheirMutants(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "2000")
	found := map[string][]string{} // names of faults by law
	for _, f := range faults() {
		f.a.Name = f.name
		b := f.a.Battery()
		want := strings.Fields(f.kills)
		require.NotEmpty(t, want, f.name)
		var got []string
		for _, l := range b.Laws {
			short := strings.TrimPrefix(string(l.ID), "round.")
			if !slices.Contains(want, short) && os.Getenv("GAMMA_LEVEL") != "thorough" {
				continue
			}
			failure, err := b.Find(l)
			require.NoError(t, err)
			if failure != nil {
				got = append(got, short)
				t.Logf("%s kills %s after %d cases", short, f.name, failure.Cases)
				found[short] = append(found[short], f.name)
				require.Contains(t, failure.Text(), f.name)
			}
		}
		slices.Sort(got)
		require.Equal(t, want, got, f.name)
	}
	for _, l := range props.RoundLaws() {
		require.NotEmpty(t, l.Kills, l.ID)
		for _, name := range l.Kills {
			require.Contains(t, found[strings.TrimPrefix(string(l.ID), "round.")], name, l.ID)
		}
	}
}

// TestScalarReport looks at what a violation is simplified to, and at its report.
func TestScalarReport(t *testing.T) {
	f := faults()
	b := f[slices.IndexFunc(f, func(f fault) bool { return f.name == "fma by way of binary64" })].a.Battery()
	b.Name = "mine.Fma"
	l := b.Laws[slices.IndexFunc(b.Laws, func(l props.ScalarLaw) bool { return l.ID == model.RoundFma })]
	failure, err := b.Find(l)
	require.NoError(t, err)
	require.NotNil(t, failure)
	require.Positive(t, failure.Shrinks, "it takes drawn operands")
	text := failure.Text()
	t.Log(text)
	for _, want := range []string{"mine.Fma violates round.fma: fma(", "law ", "source ", "x2 ", "computed ", "expected ", "-gamma.seed=fixed", "Cases: [][]uint64{{0x"} {
		require.Contains(t, text, want)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "reproduce") && !strings.HasPrefix(line, "keep it as") {
			require.LessOrEqual(t, len([]rune(line)), 93, line)
		}
	}
	again, err := b.Find(l)
	require.NoError(t, err)
	require.Equal(t, failure.Operands, again.Operands, "a run repeats")

	b.Cases = [][]uint64{failure.Operands}
	again, err = b.Find(l)
	require.NoError(t, err)
	require.Equal(t, 1, again.Cases, "cases on file come first")

	l.Judge = func([]uint64) props.Verdict { panic("no such number") }
	failure, err = b.Find(l)
	require.NoError(t, err)
	require.Contains(t, failure.Text(), "breaks under round.fma: it panicked: no such number")
	require.Contains(t, failure.Text(), "battery_external_test.go")

	_, err = props.Battery{Name: "none"}.Find(l)
	require.ErrorContains(t, err, "has no Format")
	_, err = props.Battery{Format: model.Binary32}.Find(l)
	require.ErrorContains(t, err, "has no Name")
}

// TestConvertedInTwoSteps: a conversion by way of a format between the two rounds twice, and every seed finds that.
func TestConvertedInTwoSteps(t *testing.T) {
	for _, c := range []struct{ from, by, to model.Format }{
		{model.Binary64, model.Binary32, model.Binary16},
		{model.Binary64, model.Binary32, model.BFloat16},
		{model.Binary64, model.Binary32, model.E5M2},
		{model.Binary64, model.Binary16, model.E4M3},
		{model.Binary32, model.BFloat16, model.E5M2},
	} {
		twice := func(b uint64) uint64 {
			return round.Convert(round.Arith{F: c.to}, c.by, round.Convert(round.Arith{F: c.by}, c.from, b))
		}
		once := func(b uint64) uint64 { return round.Convert(round.Arith{F: c.to}, c.from, b) }
		for _, seed := range []string{"1", "2", "3", "4"} {
			t.Setenv("GAMMA_SEED", seed)
			for i, run := range []func(uint64) uint64{once, twice} {
				b := props.Arithmetic{Name: "steps", Format: c.from, Conversions: []props.Conversion{{To: c.to, Run: run}}}.Battery()
				require.Len(t, b.Laws, 1)
				f, err := b.Find(b.Laws[0])
				require.NoError(t, err)
				require.Equal(t, i == 0, f == nil, "%s by way of %s to %s, seed %s", c.from, c.by, c.to, seed)
			}
		}
	}
}

// TestRoundedTwice: the report of an operation that rounds to binary64 first says so, of the halfway case that it shows.
func TestRoundedTwice(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	twice := props.Arithmetic{Name: "twice", Format: model.Binary32, Fma: func(a, b, c uint64) uint64 {
		p := float64(f32(a)) * float64(f32(b))
		return b32(float32(p + float64(f32(c))))
	}}
	away := props.Arithmetic{Name: "away", Format: model.Binary32, Mul: round.Arith{F: model.Binary32, R: model.NearestAway}.Mul}
	for _, c := range []struct {
		a    props.Arithmetic
		want string
	}{{twice, "It was rounded twice: in binary64 the exact result is"}, {away, ""}} {
		for _, l := range c.a.Battery().Laws {
			if l.ID != "round.fma" && l.ID != "round.mul" {
				continue
			}
			f, err := c.a.Battery().Find(l)
			require.NoError(t, err)
			require.NotNil(t, f)
			if c.want != "" {
				require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), c.want)
			} else {
				require.NotContains(t, f.Text(), "twice:")
			}
		}
	}
}
