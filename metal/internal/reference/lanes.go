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
	var active uint64
	for i := range n {
		if m[first+i] {
			active |= 1 << i
		}
	}
	if active == 0 {
		return
	}
	out := make([]uint64, n)
	if op, ok := folds[in.Op]; ok {
		g.fold(in, op, active, first, out)
	} else {
		ballot := uint64(0)
		for i, v := range g.regs[in.A][first : first+n] {
			ballot |= v & 1 << i & active
		}
		for i := range out {
			if active>>i&1 == 0 {
				continue
			}
			switch in.Op {
			case ir.SimdBallot:
				out[i] = ballot
			case ir.SimdAll:
				out[i] = flag(ballot == active)
			case ir.SimdAny:
				out[i] = flag(ballot != 0)
			case ir.SimdIsFirst:
				out[i] = flag(i == bits.TrailingZeros64(active))
			case ir.SimdActive:
				out[i] = active
			default:
				from, r := g.source(in, active, first, i, w)
				if from >= 0 && from < n && active>>from&1 != 0 { // otherwise any value
					out[i] = g.regs[r][first+from]
				}
			}
		}
	}
	for i, v := range out {
		if active>>i&1 != 0 {
			g.regs[in.Dst][first+i] = v
		}
	}
}

// source returns the lane that lane i of those from thread first on reads, and of which register. It is written without ir.Shuffle, so
// that tests hold that to it.
func (g *group) source(in *ir.Instr, active uint64, first, i, w int) (from int, r ir.Reg) {
	by := int(g.regs[in.B][first+i])
	switch in.Op {
	case ir.SimdShuffle, ir.SimdBroadcast:
		return by, in.A
	case ir.SimdShuffleXor:
		return i ^ by, in.A
	case ir.SimdShuffleUp:
		if i < by {
			return i, in.A
		}
		return i - by, in.A
	case ir.SimdShuffleDown:
		if i+by >= w {
			return i, in.A
		}
		return i + by, in.A
	case ir.SimdRotateUp:
		return ((i-by)%w + w) % w, in.A
	case ir.SimdRotateDown:
		return (i + by) % w, in.A
	case ir.SimdBroadcastLow:
		return bits.TrailingZeros64(active), in.A
	}
	sub := w
	if d := int(g.regs[in.D][first+i]); in.D != 0 && d != 0 {
		sub = d
	}
	base, k := i/sub*sub, i%sub
	switch {
	case in.Op == ir.SimdFillUp && k >= by, in.Op == ir.SimdFillDown && k+by < sub:
		r = in.A
	default:
		r = in.C
	}
	if in.Op == ir.SimdFillUp {
		return base + (k-by+sub)%sub, r
	}
	return base + (k+by)%sub, r
}

// fold combines the values of the active lanes, in order.
func (g *group) fold(in *ir.Instr, op ir.Op, active uint64, first int, out []uint64) {
	arith := ir.ArithOf(model.Behaviour{})
	exclusive := in.Op == ir.SimdPrefixSumEx || in.Op == ir.SimdPrefixProdEx
	prefix := exclusive || in.Op == ir.SimdPrefixSum || in.Op == ir.SimdPrefixProd
	sum, started := uint64(0), exclusive
	if exclusive && op == ir.Mul {
		sum, _ = ir.Eval(ir.Convert, in.Type, ir.I32, 0, arith, 1, 0, 0, 0)
	}
	for i := range out {
		if active>>i&1 == 0 {
			continue
		}
		if exclusive {
			out[i] = sum
		}
		if v := g.regs[in.A][first+i]; started {
			sum, _ = ir.Eval(op, in.Type, 0, 0, arith, sum, v, 0, 0)
		} else {
			sum, started = v, true
		}
		if !exclusive {
			out[i] = sum
		}
	}
	for i := range out {
		if !prefix {
			out[i] = sum
		}
	}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
