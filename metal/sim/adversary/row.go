package adversary

import (
	"gamma/metal/msl/ir"
)

// rowKind says what is known of a row: the values of one register in all threads of a threadgroup.
type rowKind uint8

const (
	varying    rowKind = iota
	linear             // every word is one more than the one before, and none wraps
	uniform            // all threads have one value, and only the first word holds it
	replicated         // all threads have one value, and all words hold it
)

// row returns the words of the threads of s at a place.
func (t *lockstep) row(place uint16, s lanes) []uint64 {
	at := int(place) * t.width
	return t.rows[at+s.lo : at+s.hi]
}

// set gives all threads one value.
func (t *lockstep) set(place uint16, v uint64) {
	t.rows[int(place)*t.width] = v
	t.kinds[place] = uniform
}

// replicate writes the value of a uniform row to all its words.
func (t *lockstep) replicate(place uint16) {
	if t.kinds[place] != uniform {
		return
	}
	row := t.rows[int(place)*t.width:][:t.width]
	v := row[0]
	for i := range row {
		row[i] = v
	}
	t.kinds[place] = replicated
}

// allUniform reports whether an instruction with these operands is run once for all threads.
func (t *lockstep) allUniform(operands ...uint16) bool {
	if t.count < t.n {
		return false
	}
	for _, p := range operands {
		if t.kinds[p] < uniform {
			return false
		}
	}
	return true
}

// prepare makes the row of a result ready to be written for the active threads alone.
func (t *lockstep) prepare(place uint16) {
	if t.count < t.n {
		t.replicate(place)
	}
	t.kinds[place] = varying
}

// compute runs an instruction that gives a row of results from rows of operands, and reports whether it could.
func (t *lockstep) compute(x *inst, at int32) bool {
	if f := binaryRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a, x.b) {
			f(t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s))
		}
		return true
	}
	if f := unaryRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a) {
			f(t.row(x.dst, s), t.row(x.a, s))
		}
		return true
	}
	if f := partialRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a, x.b) {
			if !f(t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s)) {
				return false
			}
		}
		return true
	}
	switch x.op {
	case opEval, opLibrary:
		return t.eval(x, at)
	case opUndef:
		if t.m.o.Behaviour.Poison {
			return false
		}
		t.constant(x.dst, 0)
	case opConst:
		t.constant(x.dst, x.imm)
	case opSelect:
		t.selectRow(x)
	case opFmaF32:
		t.fma(x)
	case opPtrAdd:
		t.movePointer(x)
	default:
		return false
	}
	return true
}

// constant writes v for the active threads.
func (t *lockstep) constant(place uint16, v uint64) {
	if t.count == t.n {
		t.set(place, v)
		return
	}
	t.prepare(place)
	for _, s := range t.active {
		for i, row := 0, t.row(place, s); i < len(row); i++ {
			row[i] = v
		}
	}
}

// increment adds 1 for the active threads.
func (t *lockstep) increment(place uint16) {
	if t.allUniform(place) {
		t.rows[int(place)*t.width]++
		t.kinds[place] = uniform
		return
	}
	t.prepare(place)
	for _, s := range t.active {
		for i, row := 0, t.row(place, s); i < len(row); i++ {
			row[i]++
		}
	}
}

// computedLanes returns the threads for which an instruction is computed: the first alone if its operands are uniform.
func (t *lockstep) computedLanes(dst uint16, operands ...uint16) []lanes {
	if t.allUniform(operands...) {
		t.kinds[dst] = uniform
		return firstLane
	}
	for _, p := range operands {
		t.replicate(p)
	}
	t.prepare(dst)
	return t.active
}

var firstLane = []lanes{{0, 1}}

func (t *lockstep) selectRow(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b, x.c) {
		d, a, b, c := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s)
		a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
		for i := range d {
			v, w := c[i], b[i]
			if a[i] != 0 {
				v = w
			}
			d[i] = v
		}
	}
}

func (t *lockstep) fma(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b, x.c) {
		d, a, b, c := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s)
		for i := range d {
			d[i] = bits32(ir.Fma32(f32(a[i]), f32(b[i]), f32(c[i])))
		}
	}
}

func (t *lockstep) movePointer(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b) {
		d, a, b := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s)
		for i := range d {
			d[i] = moved(x, a[i], b[i])
		}
	}
}

// eval runs an instruction by the reference, and reports whether there was no fault to report.
func (t *lockstep) eval(x *inst, pc int32) bool {
	m, flat := t.m, &t.m.p.flat[t.asm.from[pc]]
	in := flat.in
	errs := x.op == opLibrary && m.o.Behaviour.ULP
	who := t.active
	if errs {
		for _, p := range [...]uint16{x.a, x.b, x.c, x.d} {
			t.replicate(p)
		}
		t.prepare(x.dst)
	} else {
		who = t.computedLanes(x.dst, x.a, x.b, x.c, x.d)
	}
	for _, s := range who {
		dst, a, b, c, d := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s), t.row(x.d, s)
		for i := range dst {
			args := [...]uint64{a[i], b[i]}
			r, fault := ir.Eval(in.Op, in.Type, in.From, in.FP, m.arith, args[0], args[1], c[i], d[i])
			if fault != ir.NoFault && m.checks {
				return false
			}
			if errs {
				t.perturbed[s.lo+i]++
				r = m.perturb(in, flat.n, t.g.id, s.lo+i, t.perturbed[s.lo+i], args, r)
			}
			dst[i] = r
		}
	}
	return true
}
