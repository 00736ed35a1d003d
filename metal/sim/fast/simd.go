package fast

import "gamma/metal/msl/ir"

// laneRoom is room for the lanes of one simdgroup.
type laneRoom struct {
	at     []uint8 // positions in the simdgroup of its active lanes
	values []uint64
	// undefined: one of the values is.
	undefined bool
}

// runLanes runs a SIMD operation, simdgroup by simdgroup. The results are kept apart until all are known, since the result may
// take the place of an operand.
func runLanes(m *machine, in *inst) {
	w := in.src.GroupWidth(m.width)
	list := m.all(&m.act)
	results, flags := m.tmp[4][:len(list)], m.tmp[5][:0]
	if in.marks != nil {
		flags = m.tmp[5][:len(list)]
	}
	for from := 0; from < len(list); {
		lo := int(list[from]) / w * w
		to := from + 1
		for to < len(list) && int(list[to]) < lo+w {
			to++
		}
		if len(flags) > 0 {
			m.flags(in, list[from:to], flags[from:to])
			m.simdgroup(in, list[from:to], lo, w, results[from:to], flags[from:to])
		} else {
			m.simdgroup(in, list[from:to], lo, w, results[from:to], nil)
		}
		from = to
	}
	d := m.v[in.dst]
	for k, l := range list {
		d[l] = results[k]
	}
	if len(flags) > 0 && in.marks[4] != 0 {
		d := m.v[in.marks[4]]
		for k, l := range list {
			d[l] = flags[k]
		}
	}
}

// flags finds the flags of the operands of a SIMD operation, and makes of them those of its results, unless it is a shuffle, which finds them
// itself.
func (m *machine) flags(in *inst, active []uint16, flags []uint64) {
	m.lane.undefined = false
	for k, l := range active {
		flags[k] = m.flag(in.marks[0], int(l))
		m.lane.undefined = m.lane.undefined || ir.UndefinedMark(flags[k]) != 0
	}
	info, flag := &ir.Ops[in.src.Op], uint64(defined)
	switch {
	case !m.lane.undefined:
		return
	case info.Shuffle.Move == ir.MoveFirst:
		flag = flags[0]
	case info.Scan == ir.AllLanes:
		flag = ir.Spread(flags...)
	default:
		for k, f := range flags {
			flags[k] = flag
			if flag = ir.Spread(flag, f); info.Scan == ir.Inclusive {
				flags[k] = flag
			}
		}
		return
	}
	for k := range flags {
		flags[k] = flag
	}
}

// simdgroup runs a SIMD operation over the active lanes of the simdgroup that begins at lane lo and has width lanes. A shuffle sets flags, if
// there are any.
func (m *machine) simdgroup(in *inst, active []uint16, lo, width int, out, flags []uint64) {
	v := m.lane.values[:len(active)]
	if in.src.A != 0 && ir.Ops[in.src.Op].A != ir.NoOperand {
		for k, l := range active {
			v[k] = m.value(in, 0, in.a, int(l))
		}
	}
	same := func(x uint64) {
		for k := range out {
			out[k] = x
		}
	}
	switch in.src.Op {
	case ir.SimdSum, ir.SimdProduct, ir.SimdMin, ir.SimdMax, ir.SimdAnd, ir.SimdOr, ir.SimdXor:
		same(m.butterfly(in, active, lo, v))
	case ir.SimdPrefixSum, ir.SimdPrefixProd:
		sum := v[0]
		out[0] = sum
		for k := 1; k < len(v); k++ {
			sum = m.combine(in, int(active[k]), sum, v[k])
			out[k] = sum
		}
	case ir.SimdPrefixSumEx, ir.SimdPrefixProdEx:
		sum := in.src.Identity()
		for k := range v {
			out[k] = sum
			if k == 0 {
				sum = v[0]
			} else {
				sum = m.combine(in, int(active[k]), sum, v[k])
			}
		}
	case ir.SimdBallot, ir.SimdActive:
		mask := uint64(0)
		for k, l := range active {
			if in.src.Op == ir.SimdActive || v[k] != 0 {
				mask |= 1 << (int(l) - lo)
			}
		}
		same(mask)
	case ir.SimdAll, ir.SimdAny:
		all, some := uint64(1), uint64(0)
		for _, x := range v {
			all &= x
			some |= x
		}
		if in.src.Op == ir.SimdAll {
			some = all
		}
		same(some)
	case ir.SimdIsFirst:
		same(0)
		out[0] = 1
	case ir.SimdBroadcastLow:
		same(v[0])
	default:
		m.shuffle(in, active, lo, width, out, flags)
	}
}

// butterfly combines values whose positions differ only in the last bit, then those whose positions differ only in the last but one, and so on.
func (m *machine) butterfly(in *inst, active []uint16, lo int, v []uint64) uint64 {
	at := m.lane.at[:len(v)]
	for k, l := range active {
		at[k] = uint8(int(l) - lo)
	}
	sum32 := in.src.Op == ir.SimdSum && in.src.Type == ir.F32 && !m.args.arith.Flush.Any()
	for n := len(v); n > 1; {
		out := 0
		for k := 0; k < n; k++ {
			r, p := v[k], at[k]>>1
			if k+1 < n && at[k+1]>>1 == p {
				if sum32 {
					r = bits32(float32(f32(r) + f32(v[k+1])))
				} else {
					r = m.combine(in, int(active[0]), r, v[k+1])
				}
				k++
			}
			v[out], at[out] = r, p
			out++
		}
		n = out
	}
	return v[0]
}

func (m *machine) combine(in *inst, l int, a, b uint64) uint64 {
	i := in.src
	r, f := ir.Eval(ir.Ops[i.Op].Fold, i.Type, i.Type, i.FP, m.args.arith, a, b, 0, 0)
	if f != ir.NoFault && m.r.checks && (in.marks == nil || !m.lane.undefined) {
		m.integer(in, l, f)
	}
	return r
}

// shuffle gives each active lane a value of another.
func (m *machine) shuffle(in *inst, active []uint16, lo, w int, out, flags []uint64) {
	move := ir.Ops[in.src.Op].Shuffle
	note := func(k, from, operand int, slot int32) {
		out[k] = m.value(in, operand, slot, lo+from)
		if flags != nil {
			flags[k] = m.flag(in.marks[operand], lo+from)
		}
	}
	for k, l := range active {
		by, sub := int(m.value(in, 1, in.b, int(l))), 0
		if in.src.D != 0 {
			sub = int(m.value(in, 3, in.d, int(l)))
		}
		from, filled := move.Source(int(l)-lo, by, sub, w)
		switch {
		case from < 0 || from >= w || !m.act.has(lo+from):
			out[k] = 0
			if flags != nil {
				flags[k] = defined * uint64(m.c.undefined.Mark(in.src))
			}
		case filled:
			note(k, from, 2, in.c)
		default:
			note(k, from, 0, in.a)
		}
	}
}
