package builtin_test

import (
	"testing"

	"gamma/model"
	"gamma/model/round"
	"gamma/props"
	"gamma/props/internal/own"
)

// TestPropRound judges the arithmetic of the machine and of package round, in every format,
// direction and way to flush, by the laws of single operations.
func TestPropRound(t *testing.T) {
	var list []props.Arithmetic
	list = append(list, own.Float32(), own.Float64())
	for _, r := range own.Directions {
		list = append(list, own.Arithmetic(round.Arith{F: model.Toy(3), R: r}))
	}
	for _, a := range []round.Arith{
		{F: model.Binary64},
		{F: model.Binary32, R: model.NearestAway},
		{F: model.Binary32, R: model.TowardPositive},
		{F: model.Binary16},
		{F: model.Binary16, R: model.TowardZero},
		{F: model.BFloat16},
		{F: model.E5M2},
		{F: model.E4M3},
		{F: model.E4M3, R: model.TowardNegative},
		{F: model.Toy(4), Fl: model.Flush{In: true}},
		{F: model.Toy(4), Fl: model.Flush{Out: true}, R: model.TowardPositive},
		{F: model.Toy(4), Fl: model.Flush{Out: true, Before: true}},
		{F: model.Toy(4), Fl: model.Flush{In: true, Out: true}},
	} {
		list = append(list, own.Arithmetic(a))
	}
	props.CheckAll(t, list...)
}

// TestPropRoundExhaustively judges every operand and every pair of small formats, by the laws that take
// so many.
func TestPropRoundExhaustively(t *testing.T) {
	for p := 2; p <= 8; p++ {
		f := model.Toy(p)
		all := uint64(1) << f.Bits()
		for _, r := range own.Directions {
			for _, l := range own.Arithmetic(round.Arith{F: f, R: r}).Battery().Laws {
				var x [2]uint64
				pairs := uint64(1)
				switch {
				case l.Operands == 2 && p <= 2:
					pairs = all
				case l.Operands != 1:
					continue
				}
				for x[0] = range all {
					for x[1] = range pairs {
						if v := l.Judge(x[:l.Operands]); v.Outcome == props.Violated || v.Outcome == props.Broken {
							t.Fatalf("%s %s, %#x: %s", f, r, x[:l.Operands], v)
						}
					}
				}
			}
		}
	}
}
