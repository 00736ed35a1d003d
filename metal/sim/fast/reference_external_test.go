package fast_test

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// reference runs a kernel in the plainest way: all lanes of a threadgroup in lockstep, every value by ir.Eval, every
// access written down. It shares nothing with the engine but ir.
type reference struct {
	k     *ir.Kernel
	d     *engine.Dispatch
	width int
	arith ir.Arith

	group  int
	at     model.Size3
	size   model.Size3
	lanes  int
	regs   [][]uint64      // by lane
	none   [][]uint64      // by lane and register: the bytes that depend on what has no value
	alien  [][]uint64      // the bytes that depend on a lane that was not active
	pardon []bool          // by lane: an operand of the instruction has such bytes
	device map[ir.Reg]bool // registers that hold the address of a device buffer all the time
	gone   []int32         // label that each lane leaves for, -1 if none
	local  map[int][]byte
	localI map[int][]byte
	own    []map[int][]byte
	ownI   []map[int][]byte

	steps  int64
	budget int64
	// time of the last barrier for device and threadgroup memory, and of each simdgroup.
	epoch [2]int
	simd  [2][]int
	clock int

	accesses []access
	faults   map[string]bool // kind and position
}

type access struct {
	mem           any // *engine.Memory or a variable of a group
	lo, hi        int64
	write, atomic bool
	group, lane   int
	clock         int
	epoch, simd   int
	pos           int32
	bits          uint64 // of a store
	vague         bool   // not all of them have a value
}

func (r *reference) fault(kind model.FindingKind, pos int32) {
	r.faults[fmt.Sprintf("%s %d", kind, pos)] = true
}

func (r *reference) run() bool {
	g := r.d.Groups()
	r.faults = map[string]bool{}
	r.device = map[ir.Reg]bool{}
	for _, b := range r.k.Buffers {
		r.device[b.Reg] = b.Space == ir.Device
	}
	for list := []ir.Block{r.k.Body}; len(list) > 0; list = list[1:] {
		for _, n := range list[0] {
			switch n := n.(type) {
			case *ir.Instr:
				delete(r.device, n.Dst)
				delete(r.device, n.Dst2)
			case *ir.If:
				list = append(list, n.Then, n.Else)
			case *ir.Loop:
				list = append(list, n.Body)
			case *ir.Scope:
				list = append(list, n.Body)
			}
		}
	}
	for i := range g.X * g.Y * g.Z {
		r.group = i
		r.at = model.Size3{X: i % g.X, Y: i / g.X % g.Y, Z: i / g.X / g.Y}
		r.begin()
		mask := make([]bool, r.lanes)
		for l := range mask {
			mask[l] = true
		}
		r.steps += int64(r.lanes)
		if !r.block(r.k.Body, mask) {
			return false
		}
	}
	return true
}

func (r *reference) begin() {
	r.size = r.d.GroupSize(r.at)
	r.lanes = r.size.X * r.size.Y * r.size.Z
	r.regs = make([][]uint64, r.lanes)
	r.gone, r.none = make([]int32, r.lanes), make([][]uint64, r.lanes)
	r.alien, r.pardon = make([][]uint64, r.lanes), make([]bool, r.lanes)
	r.own, r.ownI = make([]map[int][]byte, r.lanes), make([]map[int][]byte, r.lanes)
	r.local, r.localI = map[int][]byte{}, map[int][]byte{}
	r.clock++
	r.epoch = [2]int{r.clock, r.clock}
	r.simd = [2][]int{make([]int, r.lanes/r.width+1), make([]int, r.lanes/r.width+1)}
	nb := len(r.k.Buffers)
	for i, b := range r.k.Buffers {
		if b.Space == ir.Threadgroup {
			r.local[i], r.localI[i] = make([]byte, r.d.Args[i].Length), make([]byte, r.d.Args[i].Length)
		}
	}
	for i, o := range r.k.Objects {
		if o.Space == ir.Threadgroup {
			r.local[nb+i], r.localI[nb+i] = make([]byte, o.Size), make([]byte, o.Size)
		}
	}
	nom := r.d.Group.X * r.d.Group.Y * r.d.Group.Z
	for l := range r.lanes {
		r.regs[l] = make([]uint64, len(r.k.Regs))
		r.gone[l] = -1
		r.none[l], r.alien[l] = make([]uint64, len(r.k.Regs)), make([]uint64, len(r.k.Regs))
		r.own[l], r.ownI[l] = map[int][]byte{}, map[int][]byte{}
		for i, o := range r.k.Objects {
			if o.Space == ir.Thread {
				r.own[l][nb+i], r.ownI[l][nb+i] = make([]byte, o.Size), make([]byte, o.Size)
			}
		}
		for i, b := range r.k.Buffers {
			if b.Space == ir.Threadgroup || r.d.Args[i].Mem != nil {
				r.regs[l][b.Reg] = uint64(ir.MakePointer(i, 0))
			}
		}
		p := model.Size3{X: l % r.size.X, Y: l / r.size.X % r.size.Y, Z: l / (r.size.X * r.size.Y)}
		g := r.d.Groups()
		for _, in := range r.k.Inputs {
			axis := func(s model.Size3) int { return [3]int{s.X, s.Y, s.Z}[in.Axis] }
			up := func(n, w int) int { return (n + w - 1) / w }
			v := 0
			switch in.Kind {
			case ir.ThreadPositionInGrid:
				v = axis(r.at)*axis(r.d.Group) + axis(p)
			case ir.ThreadPositionInThreadgroup:
				v = axis(p)
			case ir.ThreadgroupPositionInGrid:
				v = axis(r.at)
			case ir.ThreadsPerGrid, ir.GridSize:
				v = axis(r.d.Grid)
			case ir.ThreadgroupsPerGrid:
				v = axis(g)
			case ir.ThreadsPerThreadgroup:
				v = axis(r.size)
			case ir.DispatchThreadsPerThreadgroup:
				v = axis(r.d.Group)
			case ir.ThreadIndexInThreadgroup:
				v = l
			case ir.ThreadIndexInSimdgroup:
				v = l % r.width
			case ir.SimdgroupIndexInThreadgroup:
				v = l / r.width
			case ir.SimdgroupsPerThreadgroup:
				v = up(r.lanes, r.width)
			case ir.DispatchSimdgroupsPerThreadgroup:
				v = up(nom, r.width)
			case ir.ThreadsPerSimdgroup:
				v = r.width
			case ir.ThreadIndexInQuadgroup:
				v = l % 4
			case ir.QuadgroupIndexInThreadgroup:
				v = l / 4
			case ir.QuadgroupsPerThreadgroup:
				v = up(r.lanes, 4)
			case ir.DispatchQuadgroupsPerThreadgroup:
				v = up(nom, 4)
			}
			r.regs[l][in.Reg] = uint64(v) & r.k.Regs[in.Reg].Mask()
		}
	}
}

// active returns mask without the lanes that are leaving, and whether any is left.
func (r *reference) active(mask []bool) ([]bool, bool) {
	out, some := make([]bool, len(mask)), false
	for l := range mask {
		out[l] = mask[l] && r.gone[l] < 0
		some = some || out[l]
	}
	return out, some
}

func (r *reference) block(b ir.Block, mask []bool) bool {
	for _, n := range b {
		act, some := r.active(mask)
		if !some {
			return true
		}
		switch n := n.(type) {
		case *ir.Instr:
			for l := range act {
				if act[l] && n.Op != ir.Nop {
					r.steps++
				}
			}
			if r.steps > r.budget {
				return false
			}
			r.valued(n, act)
			r.instr(n, act)
		case *ir.If:
			t, f := make([]bool, r.lanes), make([]bool, r.lanes)
			for l := range act {
				if act[l] {
					r.look(l, n.Cond, n.Pos)
				}
				c := r.regs[l][n.Cond] != 0
				t[l], f[l] = act[l] && c, act[l] && !c
			}
			if !r.block(n.Then, t) || !r.block(n.Else, f) {
				return false
			}
		case *ir.Loop:
			for {
				if !r.block(n.Body, act) {
					return false
				}
				act, some = r.active(act)
				if !some {
					break
				}
				for l := range act {
					if act[l] {
						r.steps++
					}
				}
				if r.steps > r.budget {
					return false
				}
			}
			r.arrive(n.Label)
		case *ir.Scope:
			if !r.block(n.Body, act) {
				return false
			}
			r.arrive(n.Label)
		case *ir.Leave:
			for l := range act {
				if act[l] {
					r.gone[l] = n.Label
				}
			}
		}
	}
	return true
}

func (r *reference) arrive(label int32) {
	for l := range r.gone {
		if r.gone[l] == label {
			r.gone[l] = -1
		}
	}
}

// look reports a use of register x of lane l, if that is undefined, by the kind of its first undefined byte.
func (r *reference) look(l int, x ir.Reg, pos int32) {
	none, alien := r.none[l][x], r.alien[l][x]
	switch first := (none | alien) & -(none | alien); {
	case none&first != 0:
		r.fault(model.FindingUninitialised, pos)
	case first != 0:
		r.fault(model.FindingInactiveLane, pos)
	}
}

// valued looks for operands that are used and undefined, and says which results are.
func (r *reference) valued(in *ir.Instr, act []bool) {
	info := &ir.Ops[in.Op]
	for l := range act {
		if !act[l] {
			continue
		}
		none, result := r.none[l], uint64(0)
		alien, taken := r.alien[l], uint64(0)
		r.pardon[l] = false
		look := func(kind ir.Operand, reg ir.Reg) {
			if kind != ir.NoOperand {
				r.look(l, reg, in.Pos)
			}
		}
		compute := func(kind ir.Operand, reg ir.Reg) {
			if kind == ir.NoOperand || none[reg]|alien[reg] == 0 || r.pardon[l] {
				return
			}
			r.pardon[l] = true
			if first := (none[reg] | alien[reg]) & -(none[reg] | alien[reg]); none[reg]&first != 0 {
				result, taken = 0xff, 0
			} else {
				result, taken = 0, 0xff
			}
		}
		switch in.Op {
		case ir.Undef:
			result = 0xff
		case ir.Mov, ir.Bitcast:
			result, taken = none[in.A], alien[in.A]
		case ir.Select:
			result, taken = none[in.C], alien[in.C]
			if r.regs[l][in.A] != 0 {
				result, taken = none[in.B], alien[in.B]
			}
			compute(info.A, in.A)
		case ir.Store: // to what, memory says
			look(info.A, in.A)
			look(info.B, in.B)
			if r.device[in.A] {
				look(info.C, in.C)
			}
		default:
			switch info.Effect {
			case ir.Pure:
				compute(info.A, in.A)
				compute(info.B, in.B)
				compute(info.C, in.C)
				compute(info.D, in.D)
			case ir.Lanes:
				look(info.B, in.B)
				look(info.D, in.D)
			default:
				look(info.A, in.A)
				look(info.B, in.B)
				look(info.C, in.C)
				look(info.D, in.D)
			}
		}
		if info.Effect != ir.Lanes { // those are still to be read
			none[in.Dst], none[in.Dst2] = result, 0
			alien[in.Dst], alien[in.Dst2] = taken, 0
		}
		none[0], alien[0] = 0, 0
	}
}

func (r *reference) instr(in *ir.Instr, act []bool) {
	info := &ir.Ops[in.Op]
	switch {
	case in.Op == ir.Barrier:
		for l := range act {
			if !act[l] {
				r.fault(model.FindingBarrier, in.Pos)
			}
		}
		r.clock++
		for i, flag := range []uint64{1, 2} {
			if in.Imm&flag != 0 {
				r.epoch[i] = r.clock
			}
		}
		return
	case in.Op == ir.SimdBarrier:
		r.clock++
		for s := 0; s*r.width < r.lanes; s++ {
			some, all := false, true
			for l := s * r.width; l < min(r.lanes, (s+1)*r.width); l++ {
				some, all = some || act[l], all && act[l]
			}
			if !some {
				continue
			}
			if !all {
				r.fault(model.FindingBarrier, in.Pos)
			}
			for i, flag := range []uint64{1, 2} {
				if in.Imm&flag != 0 {
					r.simd[i][s] = r.clock
				}
			}
		}
		return
	case info.Effect == ir.Lanes:
		r.lane(in, act)
		return
	}
	for l := range act {
		if !act[l] {
			continue
		}
		v := r.regs[l]
		switch {
		case in.Op == ir.Const:
			v[in.Dst] = in.Imm
		case in.Op == ir.Undef:
			v[in.Dst] = 0
		case in.Op == ir.ObjAddr:
			v[in.Dst] = uint64(ir.MakePointer(int(in.Imm), 0))
		case in.Op == ir.PtrAdd:
			v[in.Dst] = uint64(in.Address(v[in.A], v[in.B]))
		case info.Effect == ir.Reads || info.Effect == ir.Writes:
			r.memory(in, l)
		case info.Effect == ir.Pure && in.Dst != 0:
			x, f := ir.Eval(in.Op, in.Type, in.From, in.FP, r.arith, v[in.A], v[in.B], v[in.C], v[in.D])
			if f != ir.NoFault && !r.pardon[l] {
				r.fault(model.FindingInteger, in.Pos)
			}
			v[in.Dst] = x
		}
	}
}

// memory is one lane's load, store or atomic.
func (r *reference) memory(in *ir.Instr, l int) {
	v := r.regs[l]
	p := in.Address(v[in.A], v[in.B])
	size := int64(in.Type.Size())
	a := access{lo: p.Offset(), hi: p.Offset() + size, group: r.group, lane: l, clock: r.clock, pos: in.Pos}
	a.atomic = in.Op >= ir.AtomicLoad && in.Op <= ir.AtomicCAS
	a.write = in.Op != ir.Load && in.Op != ir.AtomicLoad
	give := func(x uint64) {
		if in.Dst != 0 {
			v[in.Dst] = x
		}
	}
	k, nb := p.Object(), len(r.k.Buffers)
	var b, init []byte
	base, space := int64(0), ir.Device
	fixed, held := false, k >= 0 && k < nb+len(r.k.Objects)
	if held {
		if k < nb {
			space = r.k.Buffers[k].Space
		} else {
			space = r.k.Objects[k-nb].Space
		}
		fixed = space == ir.Constant
		switch {
		case space == ir.Threadgroup:
			b, init = r.local[k], r.localI[k]
			a.mem, a.epoch, a.simd = [2]int{r.group, k}, r.epoch[1], r.simd[1][l/r.width]
		case space == ir.Thread:
			b, init = r.own[l][k], r.ownI[l][k]
		case k >= nb:
			b = r.k.Objects[k-nb].Data
		case r.d.Args[k].Mem == nil:
			held = false
		default:
			arg := r.d.Args[k]
			b = arg.Mem.Bytes[arg.Offset:]
			if arg.Mem.Init != nil {
				init = arg.Mem.Init[arg.Offset:]
			}
			base = int64(arg.Offset)
			a.mem, a.epoch, a.simd = arg.Mem, r.epoch[0], r.simd[0][l/r.width]
		}
	}
	align := size
	if in.Align != 0 {
		align = int64(in.Align)
	}
	bad := model.FindingKind("")
	switch {
	case !held || a.lo < 0 || a.hi > int64(len(b)):
		bad = model.FindingOutOfBounds
	case (a.lo+base)%align != 0:
		bad = model.FindingMisaligned
	case a.write && fixed:
		bad = model.FindingOutOfBounds
	}
	if bad != "" {
		r.fault(bad, in.Pos)
		give(0)
		if in.Dst2 != 0 {
			v[in.Dst2] = 0
		}
		return
	}
	if init != nil && in.Op != ir.Store && in.Op != ir.AtomicStore {
		r.marks(in, l, init[a.lo:a.hi])
	}
	if in.Op == ir.Store && space == ir.Device {
		r.shown(in, l)
	}
	if a.mem != nil {
		x := a
		x.lo, x.hi, x.bits = a.lo+base, a.hi+base, v[in.C]
		x.vague = in.Op == ir.Store && r.none[l][in.C]|r.alien[l][in.C] != 0
		r.accesses = append(r.accesses, x)
	}
	var word [8]byte
	copy(word[:], b[a.lo:a.hi])
	old := binary.LittleEndian.Uint64(word[:]) & in.Type.Mask()
	store := func(x uint64) {
		binary.LittleEndian.PutUint64(word[:], x)
		copy(b[a.lo:a.hi], word[:])
		if init != nil {
			for k := range init[a.lo:a.hi] {
				init[a.lo:a.hi][k] = r.mark(in, l, k, space)
			}
		}
	}
	apply := func(op ir.Op) {
		x, _ := ir.Eval(op, in.Type, in.Type, in.FP, r.arith, old, v[in.C], 0, 0)
		store(x)
		give(old)
	}
	switch in.Op {
	case ir.Load, ir.AtomicLoad:
		give(old)
	case ir.Store, ir.AtomicStore:
		store(v[in.C])
	case ir.AtomicXchg:
		store(v[in.C])
		give(old)
	case ir.AtomicCAS:
		ok := old == v[in.D]
		if ok {
			store(v[in.C])
		}
		give(old)
		if in.Dst2 != 0 {
			v[in.Dst2] = 0
			if ok {
				v[in.Dst2] = 1
			}
		}
	case ir.AtomicAdd:
		apply(ir.Add)
	case ir.AtomicSub:
		apply(ir.Sub)
	case ir.AtomicMin:
		apply(ir.Min)
	case ir.AtomicMax:
		apply(ir.Max)
	case ir.AtomicAnd:
		apply(ir.And)
	case ir.AtomicOr:
		apply(ir.Or)
	case ir.AtomicXor:
		apply(ir.Xor)
	}
}

// marks looks at the marks of what lane l reads.
func (r *reference) marks(in *ir.Instr, l int, marks []byte) {
	for k, w := range marks {
		switch {
		case w == 2 && in.Op != ir.Load:
			r.fault(model.FindingInactiveLane, in.Pos)
			return
		case w == 2:
			r.alien[l][in.Dst] |= 1 << k
		case w == 0 && in.Op != ir.Load:
			r.fault(model.FindingUninitialised, in.Pos)
			return
		case w == 0:
			r.none[l][in.Dst] |= 1 << k
		}
	}
}

// shown looks at what lane l stores where the host may see it.
func (r *reference) shown(in *ir.Instr, l int) {
	r.look(l, in.C, in.Pos)
}

// mark returns the mark of byte k of what lane l stores.
func (r *reference) mark(in *ir.Instr, l, k int, space ir.Space) byte {
	switch {
	case in.Op != ir.Store || space == ir.Device:
	case r.none[l][in.C]>>k&1 == 1:
		return 0
	case r.alien[l][in.C]>>k&1 == 1:
		return 2
	}
	return 1
}

// combined notes which of the lanes in list get a value that is combined from an undefined one, and of which kind the first of these is.
func (r *reference) combined(in *ir.Instr, list []int, lo int, lack, taken []uint64) (some bool) {
	scan := ir.Ops[in.Op].Scan
	for _, j := range list {
		none, alien := r.none[lo+j][in.A], r.alien[lo+j][in.A]
		if in.A == 0 || none|alien == 0 {
			continue
		}
		some = true
		kind := taken
		if first := (none | alien) & -(none | alien); none&first != 0 {
			kind = lack
		}
		for _, i := range list { // of a prefix operation, what comes from lanes before
			if (scan == ir.AllLanes || j < i || scan == ir.Inclusive && j == i) && lack[lo+i]|taken[lo+i] == 0 {
				kind[lo+i] = 0xff
			}
		}
	}
	return some
}

// lane is a SIMD operation.
func (r *reference) lane(in *ir.Instr, act []bool) {
	w := r.width
	if in.Imm == 4 {
		w = 4
	}
	result, lack, taken := make([]uint64, r.lanes), make([]uint64, r.lanes), make([]uint64, r.lanes)
	for lo := 0; lo < r.lanes; lo += w {
		value := func(l int, reg ir.Reg) uint64 { return r.regs[l][reg] }
		on := func(i int) bool { return i >= 0 && i < w && lo+i < r.lanes && act[lo+i] }
		var list []int
		for i := range w {
			if on(i) {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			continue
		}
		pardon := r.combined(in, list, lo, lack, taken)
		fold := func(op ir.Op, a, b uint64) uint64 {
			x, f := ir.Eval(op, in.Type, in.Type, in.FP, r.arith, a, b, 0, 0)
			if f != ir.NoFault && !pardon {
				r.fault(model.FindingInteger, in.Pos)
			}
			return x
		}
		// tree returns the combination of the active lanes of [i, i+n), n a power of two.
		var tree func(op ir.Op, i, n int) (uint64, bool)
		tree = func(op ir.Op, i, n int) (uint64, bool) {
			if n == 1 {
				if on(i) {
					return value(lo+i, in.A), true
				}
				return 0, false
			}
			a, x := tree(op, i, n/2)
			b, y := tree(op, i+n/2, n/2)
			switch {
			case x && y:
				return fold(op, a, b), true
			case x:
				return a, true
			}
			return b, y
		}
		all := func(op ir.Op) {
			x, _ := tree(op, 0, 64)
			for _, i := range list {
				result[lo+i] = x
			}
		}
		prefix := func(op ir.Op, inclusive bool, one uint64) {
			sum := one
			for k, i := range list {
				if !inclusive {
					result[lo+i] = sum
				}
				if k == 0 {
					sum = value(lo+i, in.A)
				} else {
					sum = fold(op, sum, value(lo+i, in.A))
				}
				if inclusive {
					result[lo+i] = sum
				}
			}
		}
		one := uint64(1)
		if in.Type.IsFloat() {
			one, _ = ir.Eval(ir.Convert, in.Type, ir.Bool, 0, ir.Arith{}, 1, 0, 0, 0)
		}
		from := func(i, src int, reg ir.Reg) {
			if !on(src) {
				result[lo+i], lack[lo+i], taken[lo+i] = 0, 0, 0xff
				return
			}
			result[lo+i], lack[lo+i], taken[lo+i] = value(lo+src, reg), r.none[lo+src][reg], r.alien[lo+src][reg]
		}
		switch in.Op {
		case ir.SimdSum:
			all(ir.Add)
		case ir.SimdProduct:
			all(ir.Mul)
		case ir.SimdMin:
			all(ir.Min)
		case ir.SimdMax:
			all(ir.Max)
		case ir.SimdAnd:
			all(ir.And)
		case ir.SimdOr:
			all(ir.Or)
		case ir.SimdXor:
			all(ir.Xor)
		case ir.SimdPrefixSum:
			prefix(ir.Add, true, 0)
		case ir.SimdPrefixSumEx:
			prefix(ir.Add, false, 0)
		case ir.SimdPrefixProd:
			prefix(ir.Mul, true, one)
		case ir.SimdPrefixProdEx:
			prefix(ir.Mul, false, one)
		}
		for k, i := range list {
			by := 0
			if in.B != 0 {
				by = int(value(lo+i, in.B))
			}
			switch in.Op {
			case ir.SimdShuffle, ir.SimdBroadcast:
				from(i, by, in.A)
			case ir.SimdShuffleXor:
				from(i, i^by, in.A)
			case ir.SimdShuffleUp:
				if by > i {
					by = 0
				}
				from(i, i-by, in.A)
			case ir.SimdShuffleDown:
				if i+by >= w {
					by = 0
				}
				from(i, i+by, in.A)
			case ir.SimdRotateUp:
				from(i, ((i-by)%w+w)%w, in.A)
			case ir.SimdRotateDown:
				from(i, (i+by)%w, in.A)
			case ir.SimdFillUp, ir.SimdFillDown:
				d := w
				if in.D != 0 {
					if x := int(value(lo+i, in.D)); x != 0 && x < w {
						d = x
					}
				}
				block, at := i/d*d, i%d
				if in.Op == ir.SimdFillUp {
					by = -by
				}
				switch at += by; {
				case at >= 0 && at < d:
					from(i, block+at, in.A)
				case at < 0 && at+d >= 0:
					from(i, block+at+d, in.C)
				case at >= d && at-d < d:
					from(i, block+at-d, in.C)
				default:
					from(i, -1, in.C)
				}
			case ir.SimdBroadcastLow:
				from(i, list[0], in.A)
			case ir.SimdIsFirst:
				result[lo+i] = 0
				if k == 0 {
					result[lo+i] = 1
				}
			case ir.SimdActive, ir.SimdBallot, ir.SimdAll, ir.SimdAny:
				mask, every := uint64(0), uint64(0)
				for _, j := range list {
					every |= 1 << j
					if in.Op == ir.SimdActive || value(lo+j, in.A) != 0 {
						mask |= 1 << j
					}
				}
				switch in.Op {
				case ir.SimdAll:
					mask = b2u(mask == every)
				case ir.SimdAny:
					mask = b2u(mask != 0)
				}
				result[lo+i] = mask
			}
		}
	}
	for l := range act {
		if act[l] {
			r.regs[l][in.Dst], r.none[l][in.Dst], r.alien[l][in.Dst] = result[l], lack[l], taken[l]
		}
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// before reports whether access a, which was made first, is ordered before b.
func (r *reference) before(a, b *access) bool {
	return a.group == b.group && (a.lane == b.lane || a.clock < b.epoch || a.lane/r.width == b.lane/r.width && a.clock < b.simd)
}

// repeats reports whether a and b are stores that give byte i the same bits.
func (a *access) repeats(b *access, i int64) bool {
	return a.write && b.write && !a.atomic && !b.atomic && byte(a.bits>>(8*(i-a.lo))) == byte(b.bits>>(8*(i-b.lo)))
}

// races returns the pairs of positions, as "a b", of all accesses that disturb one another: earlier first. all holds all of them, and must those of
// which one at least has to be found: not stores of the same bits, and no store that another replaced in order. Stores of the same bits may be
// found where they depend on more than this run shows: where there are atomics, or bytes without a value.
func (r *reference) races() (all, must map[string]bool) {
	type key struct {
		mem any
		i   int64
	}
	byByte := map[key][]int{}
	all, must = map[string]bool{}, map[string]bool{}
	open := false
	r.k.Body.Each(func(in *ir.Instr) { open = open || in.Op >= ir.AtomicLoad && in.Op <= ir.AtomicCAS })
	for n := range r.accesses {
		b := &r.accesses[n]
		for i := b.lo; i < b.hi; i++ {
			list := byByte[key{b.mem, i}]
			for at, e := range list {
				a := &r.accesses[e]
				if !(a.write || b.write) || a.atomic && b.atomic || r.before(a, b) {
					continue
				}
				replaced := slices.ContainsFunc(list[at+1:], func(e int) bool {
					x := &r.accesses[e]
					return a.write && !a.atomic && b.write && !b.atomic && x.write && !x.atomic && r.before(a, x)
				})
				pair := fmt.Sprintf("%d %d", a.pos, b.pos)
				switch {
				case !a.repeats(b, i):
					all[pair] = true
					if !replaced {
						must[pair] = true
					}
				case open || a.vague || b.vague:
					all[pair] = true
				}
			}
			byByte[key{b.mem, i}] = append(list, n)
		}
	}
	return all, must
}
