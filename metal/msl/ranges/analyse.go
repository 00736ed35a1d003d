package ranges

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Analyse bounds every word that a kernel stores, on a launch of which f is known.
//
// Domain: k passes ir.Verify, and has no textures; Facts.Modulus is 2 at least.
// Cost:   a few passes over the instructions, more in loops.
func Analyse(k *ir.Kernel, f Facts) (*Report, error) {
	if f.Modulus < 2 {
		return nil, fmt.Errorf("ranges: Facts.Modulus is %d; set it to the kernel's modulus", f.Modulus)
	}
	for _, b := range k.Buffers {
		if b.Texture.Dimensions > 0 || b.Sampler {
			return nil, fmt.Errorf("ranges: %s: kernel %s: textures and samplers are not analysed: %s is a %s", b.Pos, k.Name, b.Name, b.Type)
		}
	}
	m := &maker{q: new(big.Int).SetUint64(f.Modulus), known: map[string]*value{}, facts: &f, fields: map[Place]*Field{}, readOnly: map[int]bool{}}
	w := &walker{k: k, m: m, r: newReader(k, &f), exits: map[int32]*state{}, stores: map[target]*Store{}, order: map[*ir.Instr]int{}}
	s := &state{regs: map[ir.Reg]*value{}, memory: map[slot]content{}}
	if err := w.begin(s); err != nil {
		return nil, err
	}
	s = w.block(s, k.Body)
	s = w.merge(s, w.exits[0])
	if w.steps > maxSteps {
		return nil, errors.New("ranges: the kernel's loops do not come to rest; analyse one stage at a time")
	}
	rep := &Report{Final: map[int]*big.Int{}}
	list := slices.SortedFunc(maps.Keys(w.stores), func(a, b target) int {
		return cmp.Or(w.order[a.in]-w.order[b.in], a.object-b.object)
	})
	for _, t := range list {
		rep.Stores = append(rep.Stores, *w.stores[t])
	}
	if s != nil {
		for at, c := range s.memory {
			if at.object >= len(k.Buffers) || k.Buffers[at.object].ReadOnly || k.Buffers[at.object].Space == ir.Threadgroup {
				continue
			}
			i := k.Buffers[at.object].Index
			if s.wild && c.t.IsInteger() {
				c.hi = ir.Whole(c.t).Hi
			}
			if was := rep.Final[i]; was == nil || was.Cmp(c.hi) < 0 {
				rep.Final[i] = c.hi
			}
		}
	}
	return rep, nil
}

// errTooWide: for such a modulus there is no such word.
var errTooWide = errors.New("more than the greatest")

// MaxModulus returns the greatest modulus of candidates, in ascending order, for which every store of integers is proved, and those
// to the given buffer are below limit multiples of q, or 0 if there is none. facts returns what is known for a modulus. The search
// is by halves: what is proved for one modulus is so for smaller ones, as far as facts are alike and no constant takes part in a product.
func MaxModulus(k *ir.Kernel, buffer int, limit uint64, candidates []uint64, facts func(q uint64) Facts) (uint64, error) {
	var failed error
	n := sort.Search(len(candidates), func(i int) bool {
		q := candidates[i]
		f := facts(q)
		r, err := Analyse(k, f)
		if errors.Is(err, errTooWide) {
			return true
		}
		if err != nil {
			failed = err
			return true
		}
		most := GreatestBelow(limit, q)
		return slices.ContainsFunc(r.Stores, func(s Store) bool {
			// A store of another width leaves words of which it is but a part.
			part := slices.ContainsFunc(f.Arrays[buffer].Fields, func(f Field) bool { return f.word() != s.Type })
			return !s.Proved || s.Buffer == buffer && (s.Max.Cmp(most) > 0 || part)
		})
	})
	if failed != nil {
		return 0, failed
	}
	if n == 0 {
		return 0, nil
	}
	return candidates[n-1], nil
}

const maxSteps = 200_000

// target is an instruction that stores, and an object that it may store into; -1: any.
type target struct {
	in     *ir.Instr
	object int
}

// walker goes through the text.
type walker struct {
	k      *ir.Kernel
	m      *maker
	r      *reader
	exits  map[int32]*state // what is known where a Leave goes
	stores map[target]*Store
	order  map[*ir.Instr]int
	steps  int
}

// begin sets what is known at the start.
func (w *walker) begin(s *state) error {
	for i, b := range w.k.Buffers {
		p := w.m.fresh(ir.ObjAddr, ir.Ptr, b.Pos, new(big.Int), new(big.Int))
		p.objects, p.form = []int{i}, constant(new(big.Int))
		s.regs[b.Reg] = p
		if b.Space != ir.Threadgroup {
			w.m.readOnly[b.Index] = b.ReadOnly
		}
		a, ok := w.m.facts.array(&w.k.Buffers[i])
		if !ok {
			continue
		}
		for j := range a.Fields {
			f := &a.Fields[j]
			where := fmt.Sprintf("ranges: Facts.Arrays[%d].Fields[%d]", b.Index, j)
			switch t := f.word(); {
			case !t.IsInteger() || f.Offset < 0 || f.Offset+t.Size() > w.r.stride[i]:
				return fmt.Errorf("%s: a word of type %s at offset %d is not inside an element of %d bytes", where, t, f.Offset, w.r.stride[i])
			case f.Max == nil || f.Max.Sign() < 0:
				return fmt.Errorf("%s: set Max to what the word may be at most", where)
			case f.Max.Cmp(ir.Whole(t).Hi) > 0:
				return fmt.Errorf("%s: Max is %v, %w %s", where, f.Max, errTooWide, t)
			}
			w.m.fields[Place{b.Index, f.Offset}] = f
		}
	}
	for _, in := range w.k.Inputs {
		s.regs[in.Reg] = w.m.unknown(w.k.Regs[in.Reg], w.k.Pos)
	}
	w.k.Body.Each(func(in *ir.Instr) { w.order[in] = len(w.order) })
	for i := range w.k.Buffers {
		a, _ := w.m.facts.array(&w.k.Buffers[i])
		for _, f := range a.Fields {
			s.memory[slot{i, f.Offset}] = content{lo: new(big.Int), hi: f.Max, t: f.word()}
		}
	}
	return nil
}

// block returns what is known after b, nil if its end is never reached.
func (w *walker) block(s *state, b ir.Block) *state {
	for _, n := range b {
		if s == nil || w.steps > maxSteps {
			return nil
		}
		switch n := n.(type) {
		case *ir.Instr:
			w.steps++
			w.instr(s, n)
		case *ir.If:
			s = w.branch(s, n)
		case *ir.Scope:
			was := w.exits[n.Label]
			delete(w.exits, n.Label)
			s = w.block(s, n.Body)
			s = w.merge(s, w.exits[n.Label])
			w.exits[n.Label] = was
		case *ir.Loop:
			s = w.loop(s, n)
		case *ir.Leave:
			w.exits[n.Label] = w.merge(w.exits[n.Label], s)
			return nil
		}
	}
	return s
}

// branch runs both branches; a register that they leave different is a selection.
func (w *walker) branch(s *state, n *ir.If) *state {
	cond := s.regs[n.Cond]
	if cond == nil {
		cond = w.m.unknown(ir.Bool, w.k.Pos)
	}
	if cond.t == ir.Bool && cond.lo.Cmp(cond.hi) == 0 { // it goes one way alone
		if cond.lo.Sign() > 0 {
			return w.block(s, n.Then)
		}
		return w.block(s, n.Else)
	}
	a, b := w.block(s.clone(), n.Then), w.block(s, n.Else)
	if a == nil || b == nil {
		return w.merge(a, b)
	}
	joined := w.merge(a, b)
	for r, x := range a.regs {
		if y := b.regs[r]; y != nil && x != y && x.t == y.t && x.t.IsInteger() {
			joined.regs[r] = w.m.pure(ir.Select, x.t, 0, x.pos, cond, x, y)
		}
	}
	return joined
}

// merge returns what is known where control comes from a or from b; it may use them up.
func (w *walker) merge(a, b *state) *state {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := &state{map[ir.Reg]*value{}, map[slot]content{}, a.epoch, a.wild || b.wild}
	if a.epoch != b.epoch {
		out.epoch = w.m.newEpoch()
	}
	for r, x := range a.regs {
		if y := b.regs[r]; y != nil {
			out.regs[r] = w.phi(x, y)
		}
	}
	for at, x := range a.memory {
		if y, ok := b.memory[at]; ok {
			out.memory[at] = joinTyped(x, y)
		} else {
			out.memory[at] = half(x)
		}
	}
	for at, y := range b.memory {
		if _, ok := a.memory[at]; !ok {
			out.memory[at] = half(y)
		}
	}
	return out
}

// half is what a slot holds that only one of two ways wrote. What was not written may not be read, so that it is what was.
func half(c content) content {
	c.v = nil
	return c
}

func joinTyped(x, y content) content {
	if x.t != y.t {
		return anything(x.t)
	}
	return join(x, y)
}

// phi is x or y.
func (w *walker) phi(x, y *value) *value {
	if x == y {
		return x
	}
	if x.t != y.t {
		return w.m.unknown(x.t, x.pos)
	}
	lo, hi := x.lo, x.hi
	if y.lo.Cmp(lo) < 0 {
		lo = y.lo
	}
	if y.hi.Cmp(hi) > 0 {
		hi = y.hi
	}
	v := w.m.fresh(opPhi, x.t, x.pos, lo, hi)
	v.args = [3]*value{x, y}
	if x.t == ir.Ptr && x.objects != nil && y.objects != nil {
		v.objects = append([]int(nil), x.objects...)
		for _, o := range y.objects {
			if !slices.Contains(v.objects, o) {
				v.objects = append(v.objects, o)
			}
		}
		if len(v.objects) == 1 {
			v.objects = append(v.objects, v.objects[0]) // one object, and an offset that is not known
		}
	}
	return v
}

// turns is how often a loop is tried before its bounds are given up.
const turns = 6

// loop iterates the body until what is known at its head holds at its end, too.
func (w *walker) loop(s *state, n *ir.Loop) *state {
	was := w.exits[n.Label]
	defer func() { w.exits[n.Label] = was }()
	written := map[ir.Reg]bool{}
	n.Body.Each(func(in *ir.Instr) {
		written[in.Dst] = true
		written[in.Dst2] = true
	})
	head := s.clone()
	head.epoch = w.m.newEpoch()
	for r := range written {
		if x := head.regs[r]; x != nil {
			head.regs[r] = w.again(x, x.lo, x.hi)
		}
	}
	for turn := 0; ; turn++ {
		outer := maps.Clone(w.exits)
		delete(w.exits, n.Label)
		end := w.block(head.clone(), n.Body)
		out := w.exits[n.Label]
		if end == nil || w.steps > maxSteps {
			return out
		}
		next := &state{map[ir.Reg]*value{}, map[slot]content{}, w.m.newEpoch(), head.wild || end.wild}
		same := next.wild == head.wild
		for r, x := range head.regs {
			y := end.regs[r]
			if !written[r] || y == nil {
				next.regs[r] = x
				continue
			}
			lo, hi, grown := widen(x.t, x.lo, x.hi, y.lo, y.hi, turn)
			if x.t == ir.Ptr {
				if p := w.phi(x, y); !slices.Equal(p.objects, x.objects) && x != y {
					same = same && len(p.objects) == len(x.objects)
					next.regs[r] = p
					continue
				}
			}
			same = same && !grown
			next.regs[r] = w.again(x, lo, hi)
		}
		for at, c := range end.memory {
			old, ok := head.memory[at]
			if !ok {
				next.memory[at] = half(c)
				same = false
				continue
			}
			if old.t != c.t {
				next.memory[at] = joinTyped(old, c)
				continue
			}
			lo, hi, grown := widen(c.t, old.lo, old.hi, c.lo, c.hi, turn)
			same = same && !grown && (old.v == c.v || old.v == nil)
			j := join(old, c)
			j.lo, j.hi = lo, hi
			next.memory[at] = j
		}
		for at, c := range head.memory {
			if _, ok := end.memory[at]; !ok {
				next.memory[at] = c
			}
		}
		if same {
			return out
		}
		w.exits = outer
		head = next
	}
}

// again returns a fresh value like x, with bounds.
func (w *walker) again(x *value, lo, hi *big.Int) *value {
	v := w.m.fresh(opPhi, x.t, x.pos, lo, hi)
	v.objects = x.objects
	if len(v.objects) == 1 {
		v.objects = []int{x.objects[0], x.objects[0]}
	}
	v.args[0] = x
	return v
}

// widen returns bounds that hold both pairs, and after some turns whatever the type holds.
func widen(t ir.Type, alo, ahi, blo, bhi *big.Int, turn int) (lo, hi *big.Int, grown bool) {
	lo, hi = alo, ahi
	w := ir.Interval{Lo: alo, Hi: ahi}
	if t.IsInteger() || t == ir.Bool {
		w = ir.Whole(t)
	}
	if blo.Cmp(lo) < 0 {
		lo, grown = blo, true
		if turn >= turns {
			lo = w.Lo
		}
	}
	if bhi.Cmp(hi) > 0 {
		hi, grown = bhi, true
		if turn >= turns {
			hi = w.Hi
		}
	}
	return lo, hi, grown
}

// instr runs one instruction.
func (w *walker) instr(s *state, in *ir.Instr) {
	info := &ir.Ops[in.Op]
	pos := w.place(in.Pos)
	switch {
	case in.Op == ir.Nop:
	case in.Op == ir.Const:
		s.regs[in.Dst] = w.m.constant(in.Type, in.Imm)
		if in.Type == ir.Ptr {
			s.regs[in.Dst] = w.m.unknown(ir.Ptr, pos)
		}
	case in.Op == ir.ObjAddr:
		p := w.m.fresh(ir.ObjAddr, ir.Ptr, pos, new(big.Int), new(big.Int))
		p.objects, p.form = []int{int(in.Imm)}, constant(new(big.Int))
		s.regs[in.Dst] = p
	case in.Op == ir.PtrAdd:
		a := w.m.address(s, in)
		p := w.m.fresh(ir.PtrAdd, ir.Ptr, pos, new(big.Int), new(big.Int))
		p.objects = a.objects
		if a.known {
			p.form = a.offset
		} else if len(p.objects) == 1 {
			p.objects = []int{p.objects[0], p.objects[0]}
		}
		s.regs[in.Dst] = p
	case in.Op == ir.Load:
		s.regs[in.Dst] = w.m.load(w.r, s, in, pos)
	case in.Op == ir.Store:
		w.store(s, in, pos)
	case info.Effect == ir.Orders:
		s.epoch = w.m.newEpoch()
	case info.Shuffle.Move != ir.NoMove && info.Shuffle.Edge != ir.EdgeFill && in.Type.IsInteger():
		// The value of another lane, which has computed it here, too.
		if x := s.regs[in.A]; x != nil {
			s.regs[in.Dst] = w.again(x, x.lo, x.hi)
		} else {
			s.regs[in.Dst] = w.m.unknown(in.Type, pos)
		}
	case info.Effect != ir.Pure:
		if info.Address && info.Effect == ir.Writes {
			v := w.m.unknown(in.Type, pos)
			a := w.m.address(s, in)
			w.m.store(w.r, s, a, v)
			if in.Type.IsInteger() {
				w.report(a, in, pos, v)
			}
		}
		w.forget(s, in, pos)
	case in.Op == ir.Undef:
		w.forget(s, in, pos)
	default:
		args := [3]*value{}
		for i, r := range []ir.Reg{in.A, in.B, in.C} {
			if r == 0 {
				continue
			}
			if args[i] = s.regs[r]; args[i] == nil {
				w.forget(s, in, pos)
				return
			}
		}
		if in.D != 0 {
			w.forget(s, in, pos)
			return
		}
		s.regs[in.Dst] = w.m.pure(in.Op, in.Type, in.From, pos, args[0], args[1], args[2])
	}
}

// forget gives the results of an instruction of which nothing is known.
func (w *walker) forget(s *state, in *ir.Instr, pos model.Position) {
	for _, r := range []ir.Reg{in.Dst, in.Dst2} {
		if r != 0 {
			s.regs[r] = w.m.unknown(w.k.Regs[r], pos)
		}
	}
}

// store stores a value, and reports it if the host can see it.
func (w *walker) store(s *state, in *ir.Instr, pos model.Position) {
	v := s.regs[in.C]
	if v == nil {
		v = w.m.unknown(in.Type, pos)
	}
	a := w.m.address(s, in)
	w.m.store(w.r, s, a, v)
	if !in.Type.IsInteger() {
		return
	}
	w.report(a, in, pos, v)
}

// report records a store of v for every object that it may go to.
func (w *walker) report(a address, in *ir.Instr, pos model.Position, v *value) {
	st := Store{Pos: pos, Type: in.Type, Max: v.hi, Proved: true}
	if c := cause(v); c != nil {
		st.Proved, st.Wrap, st.Why = false, c.pos, why(c)
	} else if v.whole() {
		st.Proved, st.Wrap, st.Why = false, v.pos, "a word comes of which nothing is known"
	}
	if a.objects == nil {
		st.Buffer, st.Name, st.Proved, st.Wrap, st.Why = Anywhere, "?", false, pos, "a word goes to an address of which nothing is known"
		w.keep(target{in, -1}, st)
		return
	}
	for _, o := range a.objects {
		switch n := len(w.k.Buffers); {
		case w.r.space(o) == ir.Thread:
			continue
		case o >= n:
			st.Buffer, st.Name = Tile, w.k.Objects[o-n].Name
		case w.k.Buffers[o].Space == ir.Threadgroup:
			st.Buffer, st.Name = Tile, w.k.Buffers[o].Name
		default:
			st.Buffer, st.Name = w.k.Buffers[o].Index, w.k.Buffers[o].Name
		}
		w.keep(target{in, o}, st)
	}
}

// keep records a store; of a loop's turns the one that says most counts.
func (w *walker) keep(t target, st Store) {
	if was := w.stores[t]; was != nil && (!was.Proved || was.Max.Cmp(st.Max) > 0 && st.Proved) {
		return
	}
	w.stores[t] = &st
}

// cause returns the operation that may have left its type, of those that a value of which nothing is known comes from.
func cause(v *value) *value {
	seen := map[*value]bool{}
	var find func(v *value) *value
	find = func(v *value) *value {
		if v == nil || seen[v] || !v.t.IsInteger() || !v.whole() {
			return nil
		}
		seen[v] = true
		for _, a := range v.args {
			if c := find(a); c != nil {
				return c
			}
		}
		if v.wraps {
			return v
		}
		return nil
	}
	return find(v)
}

// why says what may leave the type.
func why(v *value) string {
	lo, hi := v.form.interval()
	r := new(big.Int).Lsh(big.NewInt(1), uint(v.t.Bits()))
	if v.op == ir.Sub && lo.Sign() < 0 && hi.Cmp(r) < 0 {
		return fmt.Sprintf("the difference may be below 0: as little as %v", lo)
	}
	if hi.Cmp(r) >= 0 && v.op != ir.Mul && v.op != ir.MulHi {
		return fmt.Sprintf("the %s may reach %v, which is %s times 2^%d", ir.Ops[v.op].Name, hi, ratio(hi, r), v.t.Bits())
	}
	return fmt.Sprintf("the %s may leave its %d bits", ir.Ops[v.op].Name, v.t.Bits())
}

func ratio(a, b *big.Int) string {
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	return fmt.Sprintf("%.3g", f)
}

func (w *walker) place(i int32) model.Position {
	if int(i) < len(w.k.Places) && i >= 0 {
		return w.k.Places[i]
	}
	return w.k.Pos
}
