package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestBoundsHoldEveryResult draws intervals of 8-bit operands and holds all results in them to the bounds, which some have to meet.
func TestBoundsHoldEveryResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	ops := append([]ir.Op{ir.Mov, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Select, ir.Convert}, integerOps...)
	types := []ir.Type{ir.I8, ir.U8}
	rounds := 30
	if thorough {
		rounds = 1000
	}
	for _, op := range ops {
		info := ir.Ops[op]
		if info.C != ir.NoOperand && op != ir.Select {
			continue
		}
		sharp := 0
		for range rounds {
			typ, from := types[rng.IntN(2)], ir.Void
			if op == ir.Convert {
				from = types[rng.IntN(2)]
				typ = []ir.Type{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U32, ir.I64}[rng.IntN(6)]
			}
			in := &ir.Instr{Op: op, Type: typ, From: from}
			var lists [3][]uint64
			var i [3]ir.Interval
			for j, o := range []ir.Operand{info.A, info.B, info.C} {
				if o == ir.NoOperand {
					lists[j] = []uint64{0}
					continue
				}
				k := kindType(o, in)
				ends := ir.Whole(k)
				lo := ends.Lo.Int64() + rng.Int64N(ends.Hi.Int64()-ends.Lo.Int64()+1)
				hi := min(ends.Hi.Int64(), lo+rng.Int64N(10))
				if op == ir.Shl || op == ir.Shr || op == ir.Mul {
					lo, hi = lo%9, lo%9+rng.Int64N(5)
					lo, hi = max(lo, ends.Lo.Int64()), min(hi, ends.Hi.Int64())
				}
				for v := lo; v <= hi; v++ {
					lists[j] = append(lists[j], uint64(v)&k.Mask())
				}
				i[j] = ir.Interval{Lo: ir.Point(k, lists[j][0]).Lo, Hi: ir.Point(k, lists[j][len(lists[j])-1]).Lo}
			}
			result := kindType(info.Result, in)
			bounds := ir.Bounds(op, typ, from, i[0], i[1], i[2])
			low, high := false, false
			for _, a := range lists[0] {
				for _, b := range lists[1] {
					for _, c := range lists[2] {
						r, _ := ir.Eval(op, typ, from, 0, ir.Arith{}, a, b, c, 0)
						require.True(t, bounds.Has(result, r), "%s %s from %s %#x %#x %#x: %#x is not in %v", op, typ, from, a, b, c, r, bounds)
						x := ir.Point(result, r).Lo
						low = low || x.Cmp(bounds.Lo) == 0
						high = high || x.Cmp(bounds.Hi) == 0
					}
				}
			}
			if low && high {
				sharp++
			}
		}
		switch op {
		case ir.Clz, ir.Ctz, ir.Popcount, ir.ReverseBits, ir.Rotate, ir.AbsDiff, ir.Rem, ir.And, ir.Or, ir.Xor:
		default:
			require.Greater(t, sharp, rounds/10, "%s", op)
		}
	}
	require.True(t, ir.Interval{}.Has(ir.I8, 0x80))
	require.Equal(t, ir.Whole(ir.U64), ir.Bounds(ir.Add, ir.U64, ir.Void, ir.Interval{}, ir.Interval{}, ir.Interval{}))
}
