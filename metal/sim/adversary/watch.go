package adversary

import (
	"sync"
	"unsafe"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// A watch tells whether the order of a dispatch's accesses to memory can be seen. Two accesses to one place, one of them a write, are
// ordered if one thread makes both, or if threads of one threadgroup make them with a barrier in between. Where all are ordered, every
// schedule gives the same: let a read be the first, in some other schedule, that gives something else. All accesses before it are
// those of the run that was watched; the last write before it among those to its place is ordered before it in both runs, and so
// is any other to be the last, so that it is the same one.
//
// Writes of the same bits need no order among them, if all other accesses are ordered with each of them: whichever is the last, it leaves the
// same, and a read sees that. A place that two threads have written so has two writers, as one that two have read has two readers.
//
// The accesses of a run are stamped: those of thread i between two barriers with base+i, base being larger for every later threadgroup
// and after every barrier. Memory is divided into grains as large as the kernel's smallest access.
type watch struct {
	cells []cell
	pages []uint32 // for each page of memory that the host made, the run that saved it
	stamp uint32   // the last that was given
	saves []save
	kept  []byte // the bytes of saves

	run   uint32 // the first stamp of this run; it also marks what several threadgroups have read, or written alike
	group uint32 // the first stamp of this threadgroup
	base  uint32 // the stamp of thread 0
}

// cell holds the stamps of who wrote a grain last, and of who read it.
type cell struct{ write, read uint32 }

// save is bytes of memory, and of the marks of what was written, as they were.
type save struct {
	mem    *engine.Memory
	lo, hi int
	kept   int // where they are in kept
}

const pageBits = 12

// Limits of what is watched: grains and pages for each thread of the dispatch, and more for all of them.
const (
	grainsEach = 64
	grainsMore = 1 << 16
	maxStamp   = 1<<32 - 1<<20
)

var watches = sync.Pool{New: func() any { return &watch{} }}

// begin starts a run over so many grains and pages.
func (w *watch) begin(grains, pages int) {
	if w.stamp > maxStamp/2 {
		clear(w.cells[:cap(w.cells)])
		clear(w.pages[:cap(w.pages)])
		w.stamp = 0
	}
	w.cells, w.pages = sized(w.cells, grains), sized(w.pages, pages)
	w.saves, w.kept = w.saves[:0], w.kept[:0]
	w.stamp++
	w.run = w.stamp
}

// enter starts a threadgroup of n threads, and pass a barrier interval of it. They report whether there are stamps left.
func (w *watch) enter(n int) bool {
	w.group = w.stamp + 1
	return w.pass(n)
}

func (w *watch) pass(n int) bool {
	w.base = w.stamp + 1
	w.stamp += uint32(n) + 1 // one for what several threads have read, or written alike
	return w.stamp < maxStamp
}

// happensBefore reports whether the access with stamp before is ordered before the one with stamp me. Stamps below floor are of earlier runs, or of other
// threadgroups' own memory.
func (w *watch) happensBefore(before, me, floor uint32) bool {
	return before == me || before-w.group < w.base-w.group || before < floor
}

// reads notes a read of c, and reports whether it is ordered after the last write.
func (w *watch) reads(c *cell, me, floor uint32) bool {
	if r := c.read; r != me {
		switch {
		case r >= w.base: // several threads in one interval, whose stamp is the one after the last thread's
			c.read = w.stamp
		case r >= w.group || r < floor:
			c.read = me
		default:
			c.read = w.run
		}
	}
	return w.happensBefore(c.write, me, floor)
}

// writes notes a write of c, and reports whether it is ordered after all accesses so far.
func (w *watch) writes(c *cell, me, floor uint32) bool {
	if !w.happensBefore(c.read, me, floor) || !w.happensBefore(c.write, me, floor) {
		return false
	}
	c.write = me
	return true
}

// repeats notes a write of c, of the bits that are there, that is not ordered after the last write, and reports whether it is ordered after all reads.
func (w *watch) repeats(c *cell, me, floor uint32) bool {
	if c.write >= w.base { // by a thread of this interval, or several
		c.write = w.stamp
	} else {
		c.write = w.run
	}
	return w.happensBefore(c.read, me, floor)
}

// keep saves the page of mem that holds byte at.
func (w *watch) keep(mem *engine.Memory, at int) {
	lo := at >> pageBits << pageBits
	hi := min(lo+1<<pageBits, len(mem.Bytes))
	w.saves = append(w.saves, save{mem, lo, hi, len(w.kept)})
	w.kept = append(w.kept, mem.Bytes[lo:hi]...)
	if mem.Init != nil {
		w.kept = append(w.kept, mem.Init[lo:hi]...)
	}
}

// undo puts memory back to what it was when the run began.
func (w *watch) undo() {
	for _, s := range w.saves {
		n := s.hi - s.lo
		copy(s.mem.Bytes[s.lo:s.hi], w.kept[s.kept:])
		if s.mem.Init != nil {
			copy(s.mem.Init[s.lo:s.hi], w.kept[s.kept+n:])
		}
	}
}

// grain returns the binary logarithm of the size of the kernel's smallest access to memory, 3 if there is none. Aligned loads of what is bound in the
// constant address space do not count: if such a buffer is written by another name after all, the grains are larger than what is read, and
// accesses that seem to race are run in the order that was asked for.
func (p *Program) grain() uint {
	grain := 8
	constant := map[ir.Reg]bool{}
	for _, b := range p.k.Buffers {
		constant[b.Reg] = b.Space == ir.Constant && p.uniform[b.Reg]
	}
	for i := range p.flat {
		x := &p.flat[i]
		if x.kind == flatInstr && x.in.Op == ir.Load && constant[x.in.A] && alignment(x.in) >= uint64(x.in.Type.Size()) {
			continue
		}
		if x.kind == flatInstr && touches(x.in.Op) {
			grain = min(grain, max(1, x.in.Type.Size()))
			if x.in.Align > 0 {
				grain = min(grain, int(x.in.Align&-x.in.Align))
			}
		}
	}
	bits := uint(0)
	for 2<<bits <= grain {
		bits++
	}
	return bits
}

// overlap reports whether two memories share bytes.
func overlap(a, b *engine.Memory) bool {
	if len(a.Bytes) == 0 || len(b.Bytes) == 0 {
		return false
	}
	x, y := uintptr(unsafe.Pointer(&a.Bytes[0])), uintptr(unsafe.Pointer(&b.Bytes[0]))
	return x < y+uintptr(len(b.Bytes)) && y < x+uintptr(len(a.Bytes))
}
