package emit

import (
	"fmt"
	"maps"
	"slices"

	"gamma/metal/msl/ir"
)

// set is a set of objects, by their numbers.
type set map[int]bool

// follow finds what every pointer may point to, whatever the order of the code: the sets grow until nothing changes. Pointers in memory
// are one set.
func (w *printer) follow() {
	k := w.k
	w.points = make([]set, len(k.Regs))
	for r, t := range k.Regs {
		if t == ir.Ptr {
			w.points[r] = set{}
		}
	}
	for i, b := range k.Buffers {
		w.points[b.Reg][i] = true
	}
	memory := set{}
	for changed := true; changed; {
		changed = false
		join := func(to, from set) {
			n := len(to)
			maps.Copy(to, from)
			changed = changed || len(to) != n
		}
		k.Body.Each(func(in *ir.Instr) {
			if in.Op == ir.Store && in.Type == ir.Ptr {
				join(memory, w.points[in.C])
			}
			if in.Dst == 0 || k.Regs[in.Dst] != ir.Ptr {
				return
			}
			to := w.points[in.Dst]
			switch in.Op {
			case ir.Const:
				if o := ir.Pointer(in.Imm).Object(); o >= 0 {
					join(to, set{o: true})
				}
			case ir.ObjAddr:
				join(to, set{int(in.Imm): true})
			case ir.Load:
				join(to, memory)
			case ir.Select:
				join(to, w.points[in.B])
				join(to, w.points[in.C])
			case ir.Mov, ir.PtrAdd, ir.Bitcast, ir.Convert:
				if w.points[in.A] != nil {
					join(to, w.points[in.A])
				}
			}
		})
	}
}

// space is the address space of an object.
func (w *printer) space(o int) ir.Space {
	if n := len(w.k.Buffers); o >= n {
		return w.k.Objects[o-n].Space
	}
	return w.k.Buffers[o].Space
}

// qualifier is the address space of what r points to, in OpenCL: "" where r may point into several.
func (w *printer) qualifier(r ir.Reg) string {
	if w.cuda() {
		return ""
	}
	q := ""
	for _, o := range slices.Sorted(maps.Keys(w.points[r])) {
		var s string
		switch n := len(w.k.Buffers); w.space(o) {
		case ir.Threadgroup:
			s = "__local "
		case ir.Thread:
			s = "__private "
		case ir.Constant:
			s = "__global "
			if o >= n {
				s = "__constant "
			}
		default:
			s = "__global "
		}
		if q != "" && q != s {
			pos := int32(0)
			if w.cur != nil {
				pos = w.cur.Pos
			}
			w.refuse(pos, "%s is refused in OpenCL C: the pointer may point into several address spaces", w.names[r])
		}
		q = s
	}
	if q == "" {
		return "__private " // the null pointer only
	}
	return q
}

// single returns the one object that the pointers rs may point to, -1 if none, and refuses several.
func (w *printer) single(in *ir.Instr, rs ...ir.Reg) int {
	all := set{}
	for _, r := range rs {
		maps.Copy(all, w.points[r])
	}
	if len(all) > 1 {
		w.refuse(in.Pos, "%s is refused for pointers that may point to different objects", in.Op)
	}
	for o := range all {
		return o
	}
	return -1
}

// ownPointer refuses to load a pointer that the host has stored.
func (w *printer) ownPointer(in *ir.Instr) {
	if in.Type != ir.Ptr {
		return
	}
	for o := range w.points[in.A] {
		if o < len(w.k.Buffers) && w.space(o) != ir.Threadgroup {
			w.refuse(in.Pos, "an argument buffer is refused: where the pointers in %s point is not known here", w.k.Buffers[o].Name)
		}
	}
}

// object is the first byte of object o as a pointer.
func (w *printer) object(o int) string {
	switch {
	case o < 0:
		return "0"
	case w.cuda():
		return fmt.Sprintf("(char *)%s", w.objects[o])
	case o >= len(w.k.Buffers) && w.space(o) == ir.Constant:
		return fmt.Sprintf("(__constant char *)%s", w.objects[o])
	}
	return w.objects[o]
}
