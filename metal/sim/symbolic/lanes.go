package symbolic

import (
	"math/bits"

	"gamma/metal/msl/ir"
)

// across runs an operation of simdgroups or quadgroups over the active lanes.
func (x *execution) across(in *ir.Instr, lanes []int) error {
	width := x.width
	if in.Imm == 4 {
		width = 4
	}
	for from := 0; from < len(lanes); {
		base := lanes[from] / width * width
		to := from
		for to < len(lanes) && lanes[to] < base+width {
			to++
		}
		if err := x.simdgroup(in, lanes[from:to], base, width); err != nil {
			return err
		}
		from = to
	}
	return nil
}

var reductions = map[ir.Op]ir.Op{
	ir.SimdSum: ir.Add, ir.SimdProduct: ir.Mul, ir.SimdMin: ir.Min, ir.SimdMax: ir.Max, ir.SimdAnd: ir.And, ir.SimdOr: ir.Or, ir.SimdXor: ir.Xor,
	ir.SimdPrefixSum: ir.Add, ir.SimdPrefixSumEx: ir.Add, ir.SimdPrefixProd: ir.Mul, ir.SimdPrefixProdEx: ir.Mul,
}

// simdgroup runs it in one group, whose lane 0 is thread base.
func (x *execution) simdgroup(in *ir.Instr, active []int, base, width int) error {
	values := make([]uint64, len(active))
	named := false
	for j, i := range active {
		if in.A != 0 {
			values[j] = x.lanes[i].regs[in.A]
			named = named || x.expr(&x.lanes[i], in.A) != 0
		}
	}
	set := func(v uint64) {
		for _, i := range active {
			x.lanes[i].regs[in.Dst] = v
		}
	}
	truth := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	switch in.Op {
	case ir.SimdSum:
		if named {
			v := values[0]
			if len(values) > 1 {
				var err error
				if v, err = x.any(in.Type, values); err != nil {
					return err
				}
			}
			set(v)
			return nil
		}
	case ir.SimdBroadcastLow:
		set(values[0])
		return nil
	case ir.SimdIsFirst:
		for j, i := range active {
			x.lanes[i].regs[in.Dst] = truth(j == 0)
		}
		return nil
	case ir.SimdActive, ir.SimdBallot, ir.SimdAll, ir.SimdAny:
		if named {
			return x.errorf(in.Pos, "%s of what depends on the values of the leaves", in.Op)
		}
		var mask, all uint64
		for j, i := range active {
			all |= 1 << (i - base)
			mask |= values[j] & 1 << (i - base)
		}
		switch in.Op {
		case ir.SimdActive:
			set(all)
		case ir.SimdBallot:
			set(mask)
		case ir.SimdAll:
			set(truth(mask == all))
		case ir.SimdAny:
			set(truth(mask != 0))
		}
		return nil
	}
	if op, ok := reductions[in.Op]; ok {
		return x.reduce(in, op, active, values, named)
	}
	results := make([]uint64, len(active))
	for j, i := range active {
		v, err := x.shuffled(in, i, base, width, active)
		if err != nil {
			return err
		}
		results[j] = v
	}
	for j, i := range active {
		x.lanes[i].regs[in.Dst] = results[j]
	}
	return nil
}

// any returns the sum of values in an order that is not known, each of them one operand.
func (x *execution) any(t ir.Type, values []uint64) (uint64, error) {
	n := Node{Op: ir.AtomicAdd, Type: t}
	for _, v := range values {
		e, ok := x.m.Lookup(t, v)
		if !ok {
			var err error
			if e, err = x.m.intern(Node{Op: ir.Const, Type: t, Bits: v}); err != nil {
				return 0, err
			}
		}
		n.Args = append(n.Args, e)
	}
	e, err := x.m.intern(n)
	if err != nil {
		return 0, err
	}
	return x.m.bits(e)
}

// reduce runs reductions and prefix operations. Those of what depends on leaves are known for sums only: prefix sums are
// sums of any order too.
func (x *execution) reduce(in *ir.Instr, op ir.Op, active []int, values []uint64, named bool) error {
	exclusive := in.Op == ir.SimdPrefixSumEx || in.Op == ir.SimdPrefixProdEx
	prefix := exclusive || in.Op == ir.SimdPrefixSum || in.Op == ir.SimdPrefixProd
	if named && op != ir.Add {
		return x.errorf(in.Pos, "%s of what depends on the values of the leaves has no tree", in.Op)
	}
	acc, some := uint64(0), false
	switch {
	case op == ir.Mul:
		acc = 1
		if in.Type.IsFloat() {
			acc = ir.Arith{}.Narrow(in.Type, 1)
		}
	}
	results := make([]uint64, len(active))
	for j := range active {
		before := acc
		switch {
		case named && j > 0:
			v, err := x.any(in.Type, values[:j+1])
			if err != nil {
				return err
			}
			acc = v
		case !some:
			acc = values[j]
		default:
			acc, _ = ir.Eval(op, in.Type, ir.Void, in.FP, ir.Arith{}, acc, values[j], 0, 0)
		}
		some = true
		results[j] = acc
		if exclusive {
			results[j] = before
		}
	}
	for j, i := range active {
		x.lanes[i].regs[in.Dst] = acc
		if prefix {
			x.lanes[i].regs[in.Dst] = results[j]
		}
	}
	return nil
}

// shuffled returns what thread i receives.
func (x *execution) shuffled(in *ir.Instr, i, base, width int, active []int) (uint64, error) {
	l := &x.lanes[i]
	id, by := i-base, int(l.regs[in.B])
	from, src := id, in.A
	switch in.Op {
	case ir.SimdShuffle, ir.SimdBroadcast:
		from = by
	case ir.SimdShuffleXor:
		from = id ^ by
	case ir.SimdShuffleUp:
		if id >= by {
			from = id - by
		}
	case ir.SimdShuffleDown:
		if id+by < width {
			from = id + by
		}
	case ir.SimdRotateUp:
		from = ((id-by)%width + width) % width
	case ir.SimdRotateDown:
		from = (id + by) % width
	case ir.SimdFillUp, ir.SimdFillDown:
		sub := width
		if in.D != 0 {
			if v := int(l.regs[in.D]); v > 0 && v <= width && bits.OnesCount(uint(v)) == 1 {
				sub = v
			} else if v != 0 {
				return 0, x.errorf(in.Pos, "%s with sub-groups of %d lanes in groups of %d", in.Op, v, width)
			}
		}
		first := id / sub * sub
		at := id - first - by
		if in.Op == ir.SimdFillDown {
			at = id - first + by
		}
		if at < 0 || at >= sub {
			at, src = ((at%sub)+sub)%sub, in.C
		}
		from = first + at
	default:
		return 0, x.errorf(in.Pos, "%s is unknown to the symbolic engine", in.Op)
	}
	for _, a := range active {
		if a == base+from {
			return x.lanes[a].regs[src], nil
		}
	}
	return 0, x.errorf(in.Pos, "thread %d of its simdgroup reads lane %d, which is not active", id, from)
}
