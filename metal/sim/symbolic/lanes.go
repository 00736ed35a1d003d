package symbolic

import (
	"math/bits"

	"gamma/metal/msl/ir"
)

// across runs an operation of simdgroups or quadgroups over the active lanes.
func (x *execution) across(in *ir.Instr, lanes []int) error {
	width := in.GroupWidth(x.width)
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
	if ir.Ops[in.Op].Fold != ir.Nop {
		return x.reduce(in, active, values, named)
	}
	if in.Imm == ir.MatrixLanes && named {
		return x.errorf(in.Pos, "no tree holds for every order in which products of simdgroup matrices may be added")
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
func (x *execution) reduce(in *ir.Instr, active []int, values []uint64, named bool) error {
	op, scan := ir.Ops[in.Op].Fold, ir.Ops[in.Op].Scan
	if named && op != ir.Add {
		return x.errorf(in.Pos, "%s of what depends on the values of the leaves has no tree", in.Op)
	}
	acc, some := uint64(0), false
	if scan == ir.Exclusive {
		acc = in.Identity()
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
		if scan == ir.Exclusive {
			results[j] = before
		}
	}
	for j, i := range active {
		x.lanes[i].regs[in.Dst] = acc
		if scan != ir.AllLanes {
			x.lanes[i].regs[in.Dst] = results[j]
		}
	}
	return nil
}

// shuffled returns what thread i receives.
func (x *execution) shuffled(in *ir.Instr, i, base, width int, active []int) (uint64, error) {
	l := &x.lanes[i]
	info := &ir.Ops[in.Op]
	if info.Shuffle.Move == ir.NoMove {
		return 0, x.errorf(in.Pos, "%s is unknown to the symbolic engine", in.Op)
	}
	id, src, sub := i-base, in.A, 0
	if in.D != 0 {
		if sub = int(l.regs[in.D]); sub > width || bits.OnesCount(uint(sub)) > 1 {
			return 0, x.errorf(in.Pos, "%s with sub-groups of %d lanes in groups of %d", in.Op, sub, width)
		}
	}
	from, filled := info.Shuffle.Source(id, int(l.regs[in.B]), sub, width)
	if filled {
		src = in.C
	}
	for _, a := range active {
		if a == base+from {
			return x.lanes[a].regs[src], nil
		}
	}
	if !in.Type.IsFloat() {
		return 0, nil
	}
	e, err := x.m.intern(Node{Op: ir.Undef, Type: in.Type}) // any value
	if err != nil {
		return 0, err
	}
	return x.m.bits(e)
}
