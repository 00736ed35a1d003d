package fast

import "gamma/metal/msl/ir"

// laneRoom is room for the lanes of one simdgroup.
type laneRoom struct {
	at     []uint8 // positions in the simdgroup of its active lanes
	values []uint64
}

// runLanes runs a SIMD operation, simdgroup by simdgroup. The results are kept apart until all are known, since the result may
// take the place of an operand.
func runLanes(m *machine, in *inst) {
	w := in.src.GroupWidth(m.width)
	list := m.all(&m.act)
	results := m.tmp[4][:len(list)]
	for from := 0; from < len(list); {
		lo := int(list[from]) / w * w
		to := from + 1
		for to < len(list) && int(list[to]) < lo+w {
			to++
		}
		m.simdgroup(in, list[from:to], lo, w, results[from:to])
		from = to
	}
	d := m.v[in.dst]
	for k, l := range list {
		d[l] = results[k]
	}
}

// simdgroup runs a SIMD operation over the active lanes of the simdgroup that begins at lane lo and has width lanes.
func (m *machine) simdgroup(in *inst, active []uint16, lo, width int, out []uint64) {
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
		m.shuffle(in, active, lo, width, v, out)
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
	if f != ir.NoFault && m.r.checks {
		m.integer(in, l, f)
	}
	return r
}

// shuffle gives each active lane a value of another.
func (m *machine) shuffle(in *inst, active []uint16, lo, w int, v, out []uint64) {
	move := ir.Ops[in.src.Op].Shuffle
	for k, l := range active {
		by, sub := int(m.value(in, 1, in.b, int(l))), 0
		if in.src.D != 0 {
			sub = int(m.value(in, 3, in.d, int(l)))
		}
		from, filled := move.Source(int(l)-lo, by, sub, w)
		out[k] = 0
		switch {
		case from < 0 || from >= w || !m.act.has(lo+from):
			m.inactive(in, int(l), from)
		case filled:
			out[k] = m.value(in, 2, in.c, lo+from)
		default:
			out[k] = m.value(in, 0, in.a, lo+from)
		}
	}
}
