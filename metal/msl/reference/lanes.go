package reference

import (
	"math/bits"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// folds are the operations that fold the values of all active lanes, in order.
var folds = map[ir.Op]ir.Op{
	ir.SimdSum: ir.Add, ir.SimdProduct: ir.Mul, ir.SimdMin: ir.Min, ir.SimdMax: ir.Max,
	ir.SimdAnd: ir.And, ir.SimdOr: ir.Or, ir.SimdXor: ir.Xor,
	ir.SimdPrefixSum: ir.Add, ir.SimdPrefixSumEx: ir.Add, ir.SimdPrefixProd: ir.Mul, ir.SimdPrefixProdEx: ir.Mul,
}

// lanes runs an operation of a simdgroup or quadgroup.
func (g *group) lanes(in *ir.Instr, m mask) {
	w := g.l.Width
	if in.Imm == 4 {
		w = 4
	}
	for first := 0; first < len(m); first += w {
		g.gang(in, m, first, min(w, len(m)-first), w)
	}
}

// gang runs it in the n lanes from thread first on.
func (g *group) gang(in *ir.Instr, m mask, first, n, w int) {
	a, b, c, d := g.regs[in.A], g.regs[in.B], g.regs[in.C], g.regs[in.D]
	var active uint64
	for i := range n {
		if m[first+i] {
			active |= 1 << i
		}
	}
	if active == 0 {
		return
	}
	arith := ir.ArithOf(model.Behaviour{})
	out := make([]uint64, n)
	from := func(i, src int, vs []uint64) {
		if src < 0 || src >= n || active>>src&1 == 0 {
			g.fail(in.Pos, "thread %d reads lane %d, which is not active", first+i, src)
			return
		}
		out[i] = vs[first+src]
	}
	op, fold := folds[in.Op]
	exclusive := in.Op == ir.SimdPrefixSumEx || in.Op == ir.SimdPrefixProdEx
	prefix := exclusive || in.Op == ir.SimdPrefixSum || in.Op == ir.SimdPrefixProd
	var sum uint64
	started := false
	if exclusive && op == ir.Mul {
		sum, _ = ir.Eval(ir.Convert, in.Type, ir.I32, 0, arith, 1, 0, 0, 0)
		started = true
	}
	if exclusive && op == ir.Add {
		started = true
	}
	var ballot uint64
	for i := range n {
		if active>>i&1 == 0 {
			continue
		}
		t := first + i
		lane := int(b[t])
		switch in.Op {
		case ir.SimdShuffle, ir.SimdBroadcast:
			from(i, lane, a)
		case ir.SimdShuffleXor:
			from(i, i^lane, a)
		case ir.SimdShuffleUp:
			if i < lane {
				out[i] = a[t]
			} else {
				from(i, i-lane, a)
			}
		case ir.SimdShuffleDown:
			if i+lane >= w {
				out[i] = a[t]
			} else {
				from(i, i+lane, a)
			}
		case ir.SimdRotateUp:
			from(i, ((i-lane)%w+w)%w, a)
		case ir.SimdRotateDown:
			from(i, (i+lane)%w, a)
		case ir.SimdFillUp, ir.SimdFillDown:
			sub := w
			if in.D != 0 && d[t] != 0 {
				sub = int(d[t])
			}
			base, k := i/sub*sub, i%sub
			if in.Op == ir.SimdFillUp {
				if k >= lane {
					from(i, i-lane, a)
				} else {
					from(i, base+sub-lane+k, c)
				}
			} else if k+lane < sub {
				from(i, i+lane, a)
			} else {
				from(i, base+k+lane-sub, c)
			}
		case ir.SimdBroadcastLow:
			from(i, bits.TrailingZeros64(active), a)
		case ir.SimdBallot, ir.SimdAll, ir.SimdAny:
			ballot |= a[t] << i
		}
		if fold {
			if prefix && exclusive {
				out[i] = sum
			}
			if started {
				sum, _ = ir.Eval(op, in.Type, 0, 0, arith, sum, a[t], 0, 0)
			} else {
				sum, started = a[t], true
			}
			if prefix && !exclusive {
				out[i] = sum
			}
		}
	}
	for i := range n {
		if active>>i&1 == 0 {
			continue
		}
		switch {
		case fold && !prefix:
			out[i] = sum
		case in.Op == ir.SimdBallot:
			out[i] = ballot
		case in.Op == ir.SimdAll:
			out[i] = flag(ballot == active)
		case in.Op == ir.SimdAny:
			out[i] = flag(ballot != 0)
		case in.Op == ir.SimdIsFirst:
			out[i] = flag(i == bits.TrailingZeros64(active))
		case in.Op == ir.SimdActive:
			out[i] = active
		}
		g.regs[in.Dst][first+i] = out[i]
	}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
