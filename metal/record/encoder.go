package record

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"gamma/metal"
	"gamma/metal/msl/ir"
)

// encoder is a metal.ComputeCommandEncoder: it checks, and gives dispatches to the Work.
type encoder struct {
	c       *commandBuffer
	ended   bool
	p       *pipeline
	slots   [metal.MaxBufferIndex + 1]slot
	lengths [metal.MaxBufferIndex + 1]int
	next    Dispatch
}

// slot is what is bound at an index: a buffer from a byte, or bytes.
type slot struct {
	b      *buffer
	offset int
	bytes  []byte
	placed int // of bytes that are only read: one more than where they lie in the command buffer's, 0 for nowhere yet
}

var _ metal.ComputeCommandEncoder = (*encoder)(nil)

// legal says whether call may come now, with an index if that is not below 0.
func (e *encoder) legal(call string) error {
	switch {
	case e.ended:
		return e.c.d.errorf("%s: the encoder has ended; make another", call)
	case e.c.d.ended.Load():
		return e.c.d.errorf("%s: the device was released; open another by Open", call)
	}
	return nil
}

// bindable is legal, for calls with an index.
func (e *encoder) bindable(call string, i int) error {
	if err := e.legal(call); err != nil {
		return err
	}
	if i < 0 || i > metal.MaxBufferIndex {
		return e.c.d.errorf("%s: there is no index %d; use 0 to %d", call, i, metal.MaxBufferIndex)
	}
	return nil
}

// SetComputePipelineState says what the next dispatches run.
func (e *encoder) SetComputePipelineState(p metal.ComputePipelineState) error {
	if err := e.legal("SetComputePipelineState"); err != nil {
		return err
	}
	pl, ok := p.(*pipeline)
	if !ok || pl == nil {
		return e.c.d.foreign("pipeline", p)
	}
	if err := pl.usable(e.c.d, "pipeline"); err != nil {
		return err
	}
	e.p = pl
	return nil
}

// SetBuffer binds b from byte offset.
func (e *encoder) SetBuffer(b metal.Buffer, offset, i int) error {
	const call = "SetBuffer"
	if err := e.bindable(call, i); err != nil {
		return err
	}
	if b == nil {
		e.slots[i] = slot{}
		return nil
	}
	buf, ok := b.(*buffer)
	if !ok || buf == nil {
		return e.c.d.foreign("buffer", b)
	}
	if err := buf.bindable(e.c.d); err != nil {
		return err
	}
	if offset < 0 || offset >= buf.length {
		return e.c.d.errorf("%s: offset %d is outside the %s bound at %d, which has %d bytes; use a smaller one", call, offset, buf.titled(), i, buf.length)
	}
	e.slots[i] = slot{b: buf, offset: offset}
	return nil
}

// SetBytes binds a copy of data.
func (e *encoder) SetBytes(data []byte, i int) error {
	const call = "SetBytes"
	if err := e.bindable(call, i); err != nil {
		return err
	}
	if len(data) < 1 || len(data) > metal.MaxSetBytes {
		return e.c.d.errorf("%s: %d bytes at %d; 1 to %d are possible, use a buffer for more", call, len(data), i, metal.MaxSetBytes)
	}
	e.slots[i] = slot{bytes: append([]byte(nil), data...)}
	return nil
}

// SetThreadgroupMemoryLength sets the bytes of a threadgroup argument; 0 takes them back.
func (e *encoder) SetThreadgroupMemoryLength(length, i int) error {
	const call = "SetThreadgroupMemoryLength"
	if err := e.bindable(call, i); err != nil {
		return err
	}
	switch most := e.c.d.c.Limits.Shared; {
	case length < 0 || length%16 != 0:
		return e.c.d.errorf("%s: %d bytes at %d; use a multiple of 16, not below 0", call, length, i)
	case length > most:
		return e.c.d.errorf("%s: %d bytes at %d are more than the device has, %d; use less", call, length, i, most)
	}
	e.lengths[i] = length
	return nil
}

// DispatchThreadgroups encodes a dispatch of groups threadgroups of threads threads.
func (e *encoder) DispatchThreadgroups(groups, threads metal.Size) error {
	const call = "DispatchThreadgroups"
	if err := e.group(call, threads); err != nil {
		return err
	}
	if !positive(groups) {
		return e.c.d.errorf("%s: a grid of %s threadgroups has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, sizeText(groups))
	}
	g, t := axes(groups), axes(threads)
	var grid [3]int
	for i := range grid {
		if g[i] > math.MaxUint32/t[i] {
			return e.c.d.errorf("%s: %s threadgroups of %s threads are more than 2^32-1 threads in one dimension; use fewer", call, sizeText(groups), sizeText(threads))
		}
		grid[i] = g[i] * t[i]
	}
	return e.dispatch(call, grid, t)
}

// DispatchThreads encodes a dispatch of exactly grid threads: threadgroups at its edges are smaller.
func (e *encoder) DispatchThreads(grid, threads metal.Size) error {
	const call = "DispatchThreads"
	if err := e.group(call, threads); err != nil {
		return err
	}
	if !positive(grid) {
		return e.c.d.errorf("%s: a grid of %s threads has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, sizeText(grid))
	}
	if max(grid.X, grid.Y, grid.Z) > math.MaxUint32 {
		return e.c.d.errorf("%s: a grid of %s has more than 2^32-1 threads in one dimension; use fewer", call, sizeText(grid))
	}
	return e.dispatch(call, axes(grid), axes(threads))
}

// group says whether threads can be the size of a threadgroup.
func (e *encoder) group(call string, threads metal.Size) error {
	if err := e.legal(call); err != nil {
		return err
	}
	if e.p == nil {
		return e.c.d.errorf("%s: no kernel is set; call SetComputePipelineState first", call)
	}
	if !positive(threads) {
		return e.c.d.errorf("%s: %s: a threadgroup of %s threads is empty; use 1 or more in each dimension", call, e.p.title(), sizeText(threads))
	}
	most := e.p.MaxTotalThreadsPerThreadgroup()
	hi, n := bits.Mul64(uint64(threads.X), uint64(threads.Y))
	hi2, n := bits.Mul64(n, uint64(threads.Z))
	if hi|hi2 != 0 || n > uint64(most) {
		return e.c.d.errorf("%s: %s: a threadgroup of %s threads is larger than the pipeline's MaxTotalThreadsPerThreadgroup, %d; make it smaller",
			call, e.p.title(), sizeText(threads), most)
	}
	for i, n := range axes(threads) {
		if m := e.c.d.c.Limits.MaxBlock[i]; n > m {
			return e.c.d.errorf("%s: %s: a threadgroup of %s threads has more than %d along %s; turn it", call, e.p.title(), sizeText(threads), m, axisNames[i])
		}
	}
	return nil
}

var axisNames = [3]string{"x", "y", "z"}

// dispatch encodes a dispatch whose sizes are possible.
func (e *encoder) dispatch(call string, grid, threads [3]int) error {
	p := e.p
	fail := func(err error) error { return e.c.d.errorf("%s: %s: %w", call, p.title(), err) }
	n := &e.next
	n.Source, n.Shape, n.Grid, n.Threads, n.Threadgroup, n.Args = p.src, p.shape, grid, threads, 0, n.Args[:0]
	for i := range grid {
		n.Groups[i] = (grid[i] + threads[i] - 1) / threads[i]
		if most := e.c.d.c.Limits.MaxGrid[i]; n.Groups[i] > most {
			return fail(fmt.Errorf("%d threadgroups along %s are more than the device has, %d; use larger ones, or another dimension", n.Groups[i], axisNames[i], most))
		}
	}
	// What is bound is checked as a whole before anything is noted.
	for i := range p.k.Buffers {
		b := &p.k.Buffers[i]
		if err := e.fits(b); err != nil {
			return fail(err)
		}
		if b.Space == ir.Threadgroup {
			n.Threadgroup += (e.lengths[b.Index] + 15) &^ 15
		}
	}
	if total, most := p.shape.Static+n.Threadgroup, e.c.d.c.Limits.Shared; total > most {
		return fail(fmt.Errorf("%d bytes of threadgroup memory, variables and arguments together, are more than the device has, %d; use less", total, most))
	}
	shared := 0
	for i := range p.k.Buffers {
		b := &p.k.Buffers[i]
		a := e.arg(b)
		if a.Kind == Threadgroup {
			a.Offset = shared
			shared += (a.Length + 15) &^ 15
		}
		n.Args = append(n.Args, a)
	}
	e.c.work.Add(n)
	return nil
}

// bound returns the bytes that are bound for b, from its offset on.
func (e *encoder) bound(b *ir.Buffer) int {
	if b.Space == ir.Threadgroup {
		return e.lengths[b.Index]
	}
	s := &e.slots[b.Index]
	if s.b != nil {
		return s.b.length - s.offset
	}
	return len(s.bytes)
}

// fits says what is wrong with what is bound for b.
func (e *encoder) fits(b *ir.Buffer) error {
	if b.Index < 0 || b.Index > metal.MaxBufferIndex {
		return fmt.Errorf("%s has an index beyond %d; give it a smaller one in the source", place(b), metal.MaxBufferIndex)
	}
	n := e.bound(b)
	if b.Space == ir.Threadgroup {
		switch {
		case n == 0 && !b.Optional:
			return fmt.Errorf("%s has no length; call SetThreadgroupMemoryLength(bytes, %d)", place(b), b.Index)
		case n > 0 && n < b.Elem && b.Whole:
			return fmt.Errorf("%s has %d bytes, and one %s needs %d; set a larger length", place(b), n, b.Type, b.Elem)
		}
		return nil
	}
	s := &e.slots[b.Index]
	if s.b == nil && s.bytes == nil {
		if b.Optional {
			return nil
		}
		return fmt.Errorf("nothing is bound for %s; call SetBuffer or SetBytes with index %d", place(b), b.Index)
	}
	if s.b != nil {
		if err := s.b.bindable(e.c.d); err != nil {
			return fmt.Errorf("%s: %w", place(b), err)
		}
	}
	if b.Align > 1 && s.offset%b.Align != 0 {
		return fmt.Errorf("%s begins at offset %d, which is not a multiple of the alignment of %s, %d; change the offset", place(b), s.offset, b.Type, b.Align)
	}
	if b.Whole && n < b.Elem {
		return fmt.Errorf("%s has %d bytes bound from offset %d, and one %s needs %d; bind more", place(b), n, s.offset, b.Type, b.Elem)
	}
	return nil
}

// place names an argument in errors.
func place(b *ir.Buffer) string {
	kind := "buffer"
	if b.Space == ir.Threadgroup {
		kind = "threadgroup"
	}
	s := b.Name + " [[" + kind + "(" + strconv.Itoa(b.Index) + ")]]"
	if at := b.Pos.String(); at != "" {
		s += " at " + at
	}
	return s
}

// arg returns what is bound for b, putting bytes among the command buffer's.
func (e *encoder) arg(b *ir.Buffer) Arg {
	a := Arg{Length: e.bound(b)}
	s := &e.slots[b.Index]
	switch {
	case b.Space == ir.Threadgroup:
		if a.Length > 0 {
			a.Kind = Threadgroup
		}
	case s.b != nil:
		e.c.keep(s.b)
		a.Kind, a.Memory, a.Offset = Buffer, s.b.m, s.offset
	case s.bytes == nil:
	case s.placed > 0 && b.ReadOnly:
		a.Kind, a.Offset = Bytes, s.placed-1
	default:
		// Each dispatch that writes to its bytes has its own.
		c := e.c
		for len(c.bytes)%bytesAlign != 0 {
			c.bytes = append(c.bytes, 0)
		}
		a.Kind, a.Offset = Bytes, len(c.bytes)
		c.bytes = append(c.bytes, s.bytes...)
		if b.ReadOnly {
			s.placed = a.Offset + 1
		}
	}
	return a
}

// bytesAlign is the alignment of every SetBytes, as large as any type's.
const bytesAlign = 256

// MemoryBarrier changes nothing: dispatches run in their order.
func (e *encoder) MemoryBarrier() error { return e.legal("MemoryBarrier") }

// EndEncoding ends the encoder.
func (e *encoder) EndEncoding() error {
	if e.ended {
		return e.c.d.errorf("EndEncoding: the encoder has ended before; call it once")
	}
	e.ended, e.c.open = true, nil
	return nil
}

func positive(s metal.Size) bool   { return s.X > 0 && s.Y > 0 && s.Z > 0 }
func axes(s metal.Size) [3]int     { return [3]int{s.X, s.Y, s.Z} }
func sizeText(s metal.Size) string { return fmt.Sprintf("%d,%d,%d", s.X, s.Y, s.Z) }
