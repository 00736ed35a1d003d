package round_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
)

// encodings returns every encoding of f.
func encodings(f model.Format) []uint64 {
	all := make([]uint64, 1<<f.Bits())
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

// exhaust compares every tuple of operands of op with the twin.
func exhaust(t *testing.T, f model.Format, op string) {
	t.Run(f.Name+"/"+op, func(t *testing.T) {
		tw := newTwin(f)
		total := 0
		eachTuple(encodings(f), operands(op), func(x []uint64) {
			n, err := tw.check(op, x)
			if err != nil {
				t.Fatal(err)
			}
			total += n
		})
		t.Logf("%d results", total)
	})
}

func TestSmallFormatsExhaustively(t *testing.T) {
	pairs := []model.Format{model.Toy(2), model.Toy(3), saturating(model.Toy(3)), model.E5M2, model.E4M3}
	triples := []model.Format{model.Toy(2), saturating(model.Toy(2))}
	if thorough {
		pairs = append(pairs, model.Toy(4), model.Toy(5), saturating(model.E5M2), saturating(model.E4M3))
		triples = append(triples, model.Toy(3))
	}
	for _, f := range pairs {
		for _, op := range []string{"add", "sub", "mul", "div"} {
			if op != "sub" || f.Bits() < 8 || thorough { // else its operands are drawn below
				exhaust(t, f, op)
			}
		}
	}
	for _, f := range triples {
		exhaust(t, f, "fma")
	}
	for _, f := range append(pairs, model.Toy(5), model.Toy(8), model.Binary16, model.BFloat16) {
		if f.Bits() <= 12 || thorough {
			exhaust(t, f, "sqrt")
		}
	}
}

// TestAgainstRationals draws operands for the formats that are too large to exhaust.
func TestAgainstRationals(t *testing.T) {
	formats := append(model.Formats(), model.Toy(3), model.Toy(7), model.Toy(12), saturating(model.E4M3), saturating(model.E5M2))
	for i, f := range formats {
		tw, d := newTwin(f), newDrawer(f, uint64(100+i))
		for _, op := range allOps {
			t.Run(f.Name+"/"+op, func(t *testing.T) {
				x := make([]uint64, operands(op))
				for range level(2_000, 60_000) {
					d.operands(op, x)
					if _, err := tw.check(op, x); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestFma32 is the check of binary32's fma that the machine cannot give.
func TestFma32(t *testing.T) {
	tw := newTwin(model.Binary32)
	a := round.Arith{F: model.Binary32}
	check := func(x []uint64) {
		e := tw.compute("fma", x, false)
		var p place
		if e.number() {
			p = tw.locate(e)
		}
		if got, want := apply(a, "fma", x), tw.settle(e, p, model.NearestEven, model.Flush{}); got != want {
			t.Fatal(&failure{a, "fma", x, got, want})
		}
	}
	table := edges(model.Binary32)
	if !thorough { // every fifth edge of each sign
		var some []uint64
		for i := 0; i < len(table); i += 5 {
			some = append(some, table[i])
		}
		table = some
	}
	eachTuple(table, 3, check)
	d := newDrawer(model.Binary32, 32)
	x := make([]uint64, 3)
	for range level(100_000, 10_000_000) {
		d.operands("fma", x)
		check(x)
	}
}

// TestDrawnOperandsMeetEverything guards the tests that draw: a drawer that no longer meets a kind
// of result makes them blind.
func TestDrawnOperandsMeetEverything(t *testing.T) {
	for _, f := range []model.Format{model.Binary64, model.Binary32, model.Binary16, model.E4M3} {
		tw, d := newTwin(f), newDrawer(f, 1)
		for _, op := range allOps {
			met := map[string]int{}
			x := make([]uint64, operands(op))
			const draws = 4000
			for range draws {
				d.operands(op, x)
				e := tw.compute(op, x, false)
				switch {
				case e.nan:
					met["nan"]++
				case e.inf:
					met["inf"]++
				case e.cancels:
					met["cancels"]++
				case e.isZero():
					met["zero"]++
				default:
					p := tw.locate(e)
					switch {
					case p.beyond || p.lo == f.MaxBits() && !p.onLo:
						met["overflow"]++
					case p.below:
						met["below"]++
					case p.onLo:
						met["exact"]++
					case p.half == 0:
						met["tie"]++
					default:
						met["inexact"]++
					}
				}
			}
			want := []string{"nan", "exact", "inexact"}
			switch op {
			case "add", "sub":
				want = append(want, "cancels", "overflow", "below", "tie")
			case "mul":
				want = append(want, "zero", "overflow", "below", "tie")
			case "div":
				want = append(want, "zero", "inf", "overflow", "below")
			case "fma":
				want = append(want, "cancels", "overflow", "below", "tie")
			}
			for _, kind := range want {
				require.GreaterOrEqual(t, met[kind], 8, "%s %s meets %s too rarely: %v", f, op, kind, met)
			}
		}
	}
}

func TestNegAbsCompare(t *testing.T) {
	for _, f := range []model.Format{model.Toy(2), model.E4M3, model.E5M2} {
		for _, in := range []bool{false, true} {
			a := round.Arith{F: f, Fl: model.Flush{In: in}}
			tw := newTwin(f)
			for _, p := range encodings(f) {
				require.Equal(t, p^f.SignBit(), a.Neg(p))
				require.Equal(t, p&^f.SignBit(), a.Abs(p))
				x := tw.read(p, in)
				for _, q := range encodings(f) {
					y := tw.read(q, in)
					want, ordered := 0, !x.nan && !y.nan
					if ordered {
						want = value(x).Cmp(value(y))
					}
					got, ok := a.Compare(p, q)
					if got != want || ok != ordered {
						t.Fatalf("%s Compare(%#x, %#x) = %d, %v, want %d, %v", f, p, q, got, ok, want, ordered)
					}
				}
			}
		}
	}
}

func TestBitsAboveTheFormatAreIgnored(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	for _, f := range model.Formats() {
		width := f.SignBit()<<1 - 1
		a := round.Arith{F: f}
		draw := newDrawer(f, 3)
		for _, op := range allOps {
			for range 200 {
				clean, dirty := make([]uint64, operands(op)), make([]uint64, operands(op))
				draw.operands(op, clean)
				for i := range clean {
					dirty[i] = clean[i] | d.Uint64()&^width
				}
				got := apply(a, op, dirty)
				require.Equal(t, apply(a, op, clean), got)
				require.Zero(t, got&^width)
			}
		}
		require.Equal(t, f.SignBit(), a.Neg(^width))
		require.Zero(t, a.Abs(^width))
	}
}

func TestProgrammersMistakes(t *testing.T) {
	require.PanicsWithValue(t, `round: a format needs 2 to 53 bits of precision and at most 64 bits in all; "" has 0 and 0`,
		func() { round.Arith{}.Add(0, 0) })
	require.PanicsWithValue(t, "round: Rounding(9) is not one of the five rounding directions",
		func() { round.Arith{F: model.Binary32, R: 9}.Div(0x3f800000, 0x40400000) })
}

func TestNoOperationAllocates(t *testing.T) {
	a := round.Arith{F: model.Binary32}
	for _, op := range allOps {
		d := newDrawer(a.F, 9)
		x := make([]uint64, operands(op))
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			d.operands(op, x)
			apply(a, op, x)
		}), op)
	}
}
