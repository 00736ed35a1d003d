package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// level is a construct around what is printed.
type level struct {
	mask  string // the variable that holds its active lanes; "" if it is not followed
	join  string // the label where its threads meet again
	label int32  // of a Loop or Scope
	loop  bool
	after string // the label after it, of one that is not followed; "" until something goes there
}

// followed reports whether a construct has to keep track of its lanes: it has lane operations in it, or threads leave it for
// a place outside. Nothing inside one that need not has to.
func (w *printer) followed(body ir.Block, label int32) bool {
	if !w.tracked || w.apart > 0 {
		return false
	}
	lanes := false
	body.Each(func(in *ir.Instr) {
		lanes = lanes || ir.Ops[in.Op].Effect == ir.Lanes || in.Op == ir.SimdBarrier
	})
	return lanes || escapes(body, map[int32]bool{label: label > 0})
}

// escapes reports whether a Leave in b names what is not inside.
func escapes(b ir.Block, inside map[int32]bool) bool {
	within := func(body ir.Block, label int32) bool {
		inside[label] = true
		defer delete(inside, label)
		return escapes(body, inside)
	}
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Leave:
			if !inside[n.Label] {
				return true
			}
		case *ir.If:
			if escapes(n.Then, inside) || escapes(n.Else, inside) {
				return true
			}
		case *ir.Loop:
			if within(n.Body, n.Label) {
				return true
			}
		case *ir.Scope:
			if within(n.Body, n.Label) {
				return true
			}
		}
	}
	return false
}

func (w *printer) push(l level) { w.level = append(w.level, l) }

func (w *printer) pop() level {
	l := w.level[len(w.level)-1]
	w.level = w.level[:len(w.level)-1]
	return l
}

// block prints a block's nodes.
func (w *printer) block(b ir.Block) {
	for i := 0; i < len(b); i++ {
		if w.err != nil {
			return
		}
		if n, name, base := w.vector(b[i:]); n > 0 {
			w.whole(b[i:i+n], name, base)
			i += n - 1
			continue
		}
		switch n := b[i].(type) {
		case *ir.Instr:
			w.instr(n)
		case *ir.If:
			if w.followed(ir.Block{n}, 0) {
				w.followedIf(n)
			} else {
				w.plainIf(n)
			}
		case *ir.Loop:
			if w.followed(n.Body, n.Label) {
				w.followedLoop(n.Body, n.Label, true)
			} else {
				w.plainLoop(n.Body, n.Label, true, w.at(n.Pos))
			}
		case *ir.Scope:
			if w.followed(n.Body, n.Label) {
				w.followedLoop(n.Body, n.Label, false)
			} else {
				w.plainLoop(n.Body, n.Label, false, "")
			}
		case *ir.Leave:
			w.leave(n)
		}
	}
}

func (w *printer) nested(b ir.Block) {
	w.depth++
	w.block(b)
	w.depth--
}

func (w *printer) plainIf(n *ir.If) {
	cond, at := w.operand(n.Cond), w.at(n.Pos)
	then, other := n.Then, n.Else
	if len(then) == 0 {
		cond, then, other = "!"+cond, other, nil
	}
	w.apart++
	w.put("if (%s) {%s", cond, at)
	w.nested(then)
	if len(other) > 0 {
		w.put("} else {")
		w.nested(other)
	}
	w.put("}")
	w.apart--
}

func (w *printer) plainLoop(b ir.Block, label int32, loop bool, at string) {
	mask := ""
	if len(w.level) > 0 {
		mask = w.level[len(w.level)-1].mask
	}
	if loop {
		w.put("for (;;) {%s", at)
	} else {
		w.put("{")
	}
	w.push(level{label: label, loop: loop, mask: mask})
	w.apart++
	w.nested(b)
	w.apart--
	w.put("}")
	if l := w.pop(); l.after != "" {
		w.put("%s:;", l.after)
	}
}

// leave prints a Leave: a jump forward to the end of something around, or, where lanes are followed, to the end of the
// innermost such construct, where the threads meet.
func (w *printer) leave(n *ir.Leave) {
	at := w.at(n.Pos)
	for i := len(w.level) - 1; i >= 0; i-- {
		l := &w.level[i]
		if l.join != "" {
			w.put("gm_left = %d;%s", n.Label+1, at)
			w.put("goto %s;", l.join)
			return
		}
		if l.label == n.Label && n.Label > 0 {
			inner := true
			for _, o := range w.level[i+1:] {
				inner = inner && !o.loop
			}
			if l.loop && inner {
				w.put("break;%s", at)
				return
			}
			l.after = fmt.Sprintf("gm_after_%d", n.Label)
			w.put("goto %s;%s", l.after, at)
			return
		}
	}
	w.put("return;%s", at)
}

// reconverge prints where threads meet that may have left a construct: the lanes that go on, and the jump of the others.
func (w *printer) reconverge(escapes bool) {
	outer := w.level[len(w.level)-1]
	if !escapes {
		w.put("__syncwarp(%s);", outer.mask)
		return
	}
	w.put("%s = __ballot_sync(%s, gm_left == 0);", outer.mask, outer.mask)
	for i := len(w.level) - 1; i >= 0; i-- {
		if join := w.level[i].join; join != "" {
			w.put("if (gm_left != 0) goto %s;", join)
			return
		}
	}
	w.put("if (gm_left != 0) return;")
}

func (w *printer) followedIf(n *ir.If) {
	w.joins++
	id := w.joins
	outer := w.level[len(w.level)-1].mask
	cond := w.operand(n.Cond)
	w.put("const u32 gm_then_%d = __ballot_sync(%s, %s);", id, outer, cond)
	branch := func(b ir.Block, mask string) {
		w.depth++
		w.put("u32 gm_lanes_%d = %s;", id, mask)
		w.push(level{mask: fmt.Sprintf("gm_lanes_%d", id), join: fmt.Sprintf("gm_join_%d", id)})
		w.block(b)
		w.pop()
		w.depth--
	}
	w.put("if (%s) {%s", cond, w.at(n.Pos))
	branch(n.Then, fmt.Sprintf("gm_then_%d", id))
	if len(n.Else) > 0 {
		w.put("} else {")
		branch(n.Else, fmt.Sprintf("%s & ~gm_then_%d", outer, id))
	}
	w.put("}")
	out := escapes(ir.Block{n}, map[int32]bool{})
	if out {
		w.put("gm_join_%d:;", id)
	}
	w.reconverge(out)
}

// followedLoop prints a Loop, or a Scope, whose lanes are followed.
func (w *printer) followedLoop(b ir.Block, label int32, loop bool) {
	w.joins++
	id := w.joins
	outer := w.level[len(w.level)-1].mask
	mask, join := fmt.Sprintf("gm_lanes_%d", id), fmt.Sprintf("gm_join_%d", id)
	w.put("{")
	w.depth++
	w.put("u32 %s = %s;", mask, outer)
	if loop {
		w.put("for (;;) {")
		w.depth++
		w.put("const u32 gm_in_%d = %s;", id, mask)
		w.put("{")
	}
	w.push(level{mask: mask, join: join})
	if loop {
		w.nested(b)
	} else {
		w.block(b)
	}
	w.pop()
	left := escapes(b, map[int32]bool{})
	if loop {
		w.put("}")
		if left {
			w.put("%s:;", join)
		}
		w.put("%s = __ballot_sync(gm_in_%d, gm_left == 0);", mask, id)
		w.put("if (gm_left != 0) break;")
		w.depth--
		w.put("}")
	}
	w.depth--
	w.put("}")
	if !loop && left {
		w.put("%s:;", join)
	}
	w.put("if (gm_left == %d) gm_left = 0;", label+1)
	w.reconverge(escapes(b, map[int32]bool{label: true}))
}

// instr prints an instruction.
func (w *printer) instr(in *ir.Instr) {
	w.cur = in
	info := &ir.Ops[in.Op]
	if in.Op == ir.Nop || info.Effect == ir.Reports || in.Op == ir.Const && w.constants[in.Dst] == in {
		return
	}
	at := w.at(in.Pos)
	switch {
	case in.Op == ir.Store:
		v := w.operand(in.C)
		switch in.Type {
		case ir.Ptr:
			v = "(u64)" + v
		case ir.Bool:
			v = "(u8)" + v
		}
		w.put("%s = %s;%s", w.access(in), v, at)
		return
	case info.Effect == ir.Orders:
		w.order(in, at)
		return
	case in.Op == ir.AtomicCAS:
		w.put("{%s", at)
		w.put("    bool gm_stored;")
		v := w.atomic(in)
		if in.Dst != 0 {
			v = w.names[in.Dst] + " = " + v
		}
		w.put("    %s;", v)
		if in.Dst2 != 0 {
			w.put("    %s = gm_stored;", w.names[in.Dst2])
		}
		w.put("}")
		return
	}
	var v string
	switch {
	case in.Op == ir.Const && in.Type == ir.Ptr:
		v = w.pointer(in)
	case in.Op == ir.Const:
		v = w.literal(in.Type, in.Imm)
	case in.Op == ir.Undef:
		v = "0"
	case in.Op == ir.ObjAddr:
		v = w.object(int(in.Imm))
	case in.Op == ir.PtrAdd:
		v = w.address(in)
	case in.Op == ir.Load:
		w.ownPointer(in)
		v = w.load(in)
	case info.Address:
		v = w.atomic(in)
	case info.Effect == ir.Lanes:
		v = w.lane(in)
	default:
		v = w.value(in)
	}
	switch {
	case in.Dst == 0:
		w.put("%s;%s", v, at)
	case w.inPlace[in.Dst]:
		w.put("%s %s = %s;%s", w.constant(in.Dst), w.names[in.Dst], v, at)
	default:
		w.put("%s = %s;%s", w.names[in.Dst], v, at)
	}
}

// constant is the type of a register that is declared where it is written.
func (w *printer) constant(r ir.Reg) string {
	if w.k.Regs[r] == ir.Ptr {
		return w.ctype(r) + "const"
	}
	return "const " + w.ctype(r)
}

// order prints a barrier or fence. A fence has the scope that the source says, but for a simdgroup's, which in CUDA and OpenCL is that of a threadgroup, and orders all memory.
func (w *printer) order(in *ir.Instr, at string) {
	switch {
	case in.Op == ir.Barrier && w.cuda():
		w.put("__syncthreads();%s", at)
	case in.Op == ir.Barrier:
		w.put("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);%s", at)
	case in.Op == ir.SimdBarrier:
		w.put("__syncwarp(%s);%s", w.level[len(w.level)-1].mask, at)
	case !fences(in):
	case w.cuda():
		w.put("%s();%s", [...]string{"__threadfence", "__threadfence_block", "__threadfence_block"}[ir.FenceScope(in.Imm)], at)
	default:
		scope := [...]string{"memory_scope_device", "memory_scope_work_group", "memory_scope_work_group"}[ir.FenceScope(in.Imm)]
		w.put("atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, %s);%s", scope, at)
	}
}

// fences reports whether an instruction is a fence that orders anything: one of no memory does not, and neither does one among the accesses of one thread.
func fences(in *ir.Instr) bool {
	return in.Op == ir.Fence && in.Imm&ir.MemFlags != 0 && ir.FenceScope(in.Imm) != ir.ThreadScope
}
