package apple

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"gamma/metal"
	"gamma/metal/msl/ir"
)

// encoder is a metal.ComputeCommandEncoder that records, and checks what Metal would not survive.
type encoder struct {
	c       *commandBuffer
	d       *Device
	kind    metal.DispatchType
	ended   bool
	s       *pipeline
	slots   [metal.MaxBufferIndex + 1]slot
	lengths [metal.MaxBufferIndex + 1]int
	record  []step
}

// slot is what is bound at an index.
type slot struct {
	b             *buffer
	title         string
	offset, bytes int // from the offset on, bytes are there
}

// step is one message of a record.
type step struct {
	m    message
	args []argument
}

// legal says whether call may come now.
func (e *encoder) legal(call string) error {
	if e.ended {
		return errorf("%s: the encoder has ended; make another", call)
	}
	return e.d.ready()
}

// index says whether call may use index i.
func (e *encoder) index(call string, i int) error {
	if err := e.legal(call); err != nil {
		return err
	}
	if i < 0 || i > metal.MaxBufferIndex {
		return errorf("%s: there is no index %d; use 0 to %d", call, i, metal.MaxBufferIndex)
	}
	return nil
}

// add records a message.
func (e *encoder) add(m message, args ...argument) { e.record = append(e.record, step{m, args}) }

// SetComputePipelineState says what the next dispatches run.
func (e *encoder) SetComputePipelineState(p metal.ComputePipelineState) error {
	if err := e.legal("SetComputePipelineState"); err != nil {
		return err
	}
	s, ok := p.(*pipeline)
	if !ok {
		return foreign("pipeline", p)
	}
	if err := s.take(e.d, "pipeline of "+s.name); err != nil {
		return err
	}
	e.c.held = append(e.c.held, s.object)
	e.s = s
	e.add(msgSetComputePipelineState, objectArg(s.ref))
	return nil
}

// SetBuffer binds b from byte offset.
func (e *encoder) SetBuffer(b metal.Buffer, offset, i int) error {
	const call = "SetBuffer"
	if err := e.index(call, i); err != nil {
		return err
	}
	if b == nil {
		e.slots[i] = slot{}
		e.add(msgSetBuffer, objectArg(0), unsignedArg(0), unsignedArg(uint64(i)))
		return nil
	}
	buf, ok := b.(*buffer)
	if !ok {
		return foreign("buffer", b)
	}
	buf.mu.Lock()
	title := buf.title()
	buf.mu.Unlock()
	if offset < 0 || offset >= buf.Length() {
		return errorf("%s: offset %d is outside the %s bound at %d, which has %d bytes; use a smaller one", call, offset, title, i, buf.Length())
	}
	if err := buf.take(e.d, title); err != nil {
		return err
	}
	e.c.held = append(e.c.held, buf.object)
	e.slots[i] = slot{b: buf, title: title, offset: offset, bytes: buf.Length() - offset}
	e.add(msgSetBuffer, objectArg(buf.ref), unsignedArg(uint64(offset)), unsignedArg(uint64(i)))
	return nil
}

// SetBytes binds a copy of data.
func (e *encoder) SetBytes(data []byte, i int) error {
	const call = "SetBytes"
	if err := e.index(call, i); err != nil {
		return err
	}
	if len(data) < 1 || len(data) > metal.MaxSetBytes {
		return errorf("%s: %d bytes at %d; 1 to %d are possible, use a buffer for more", call, len(data), i, metal.MaxSetBytes)
	}
	e.slots[i] = slot{title: "bytes bound there", bytes: len(data)}
	e.add(msgSetBytes, bytesArg(append([]byte(nil), data...)), unsignedArg(uint64(len(data))), unsignedArg(uint64(i)))
	return nil
}

// SetThreadgroupMemoryLength sets the bytes of a threadgroup argument; 0 takes them back.
func (e *encoder) SetThreadgroupMemoryLength(length, i int) error {
	const call = "SetThreadgroupMemoryLength"
	if err := e.index(call, i); err != nil {
		return err
	}
	switch most := e.d.p.MaxThreadgroupMemoryLength; {
	case length < 0 || length%16 != 0:
		return errorf("%s: %d bytes at %d; use a multiple of 16, not below 0", call, length, i)
	case length > most:
		return errorf("%s: %d bytes at %d are more than the device has, %d; use less", call, length, i, most)
	}
	e.lengths[i] = length
	if length > 0 || e.has(msgSetThreadgroupMemoryLength, uint64(i)) {
		e.add(msgSetThreadgroupMemoryLength, unsignedArg(uint64(length)), unsignedArg(uint64(i)))
	}
	return nil
}

// has reports whether the record has an m whose last argument is i.
func (e *encoder) has(m message, i uint64) bool {
	for _, s := range e.record {
		if s.m == m && s.args[len(s.args)-1].word == i {
			return true
		}
	}
	return false
}

// DispatchThreadgroups records a dispatch of groups threadgroups of threads threads.
func (e *encoder) DispatchThreadgroups(groups, threads metal.Size) error {
	const call = "DispatchThreadgroups"
	if err := e.group(call, threads); err != nil {
		return err
	}
	if !positive(groups) {
		return errorf("%s: a grid of %s threadgroups has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, triple(groups))
	}
	for _, x := range [][2]int{{groups.X, threads.X}, {groups.Y, threads.Y}, {groups.Z, threads.Z}} {
		if x[0] > math.MaxUint32/x[1] {
			return errorf("%s: %s threadgroups of %s threads are more than 2^32-1 threads in one dimension; use fewer", call, triple(groups), triple(threads))
		}
	}
	return e.dispatch(call, msgDispatchThreadgroups, groups, threads)
}

// DispatchThreads records a dispatch of exactly grid threads.
func (e *encoder) DispatchThreads(grid, threads metal.Size) error {
	const call = "DispatchThreads"
	if err := e.group(call, threads); err != nil {
		return err
	}
	switch {
	case !positive(grid):
		return errorf("%s: a grid of %s threads has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, triple(grid))
	case grid.X > math.MaxUint32 || grid.Y > math.MaxUint32 || grid.Z > math.MaxUint32:
		return errorf("%s: a grid of %s has more than 2^32-1 threads in one dimension; use fewer", call, triple(grid))
	case !e.d.uneven:
		return errorf("%s: %s is of no family that has threadgroups of several sizes in one dispatch (Apple4, Mac2); use DispatchThreadgroups and let threads beyond the end return", call, e.d.p.Name)
	}
	return e.dispatch(call, msgDispatchThreads, grid, threads)
}

// group says whether threads can be the size of a threadgroup.
func (e *encoder) group(call string, threads metal.Size) error {
	if err := e.legal(call); err != nil {
		return err
	}
	if e.s == nil {
		return errorf("%s: no kernel is set; call SetComputePipelineState first", call)
	}
	if !positive(threads) {
		return errorf("%s: %s: a threadgroup of %s threads is empty; use 1 or more in each dimension", call, e.s.title(), triple(threads))
	}
	if n, ok := volume(threads); !ok || n > uint64(e.s.most) {
		return errorf("%s: %s: a threadgroup of %s threads is larger than its maxTotalThreadsPerThreadgroup, %d; make it smaller",
			call, e.s.title(), triple(threads), e.s.most)
	}
	if most := e.d.p.MaxThreadsPerThreadgroup; threads.X > most.X || threads.Y > most.Y || threads.Z > most.Z {
		return errorf("%s: %s: a threadgroup of %s threads is larger than the device's maxThreadsPerThreadgroup, %s; make it smaller",
			call, e.s.title(), triple(threads), triple(most))
	}
	return nil
}

// dispatch records a dispatch whose sizes are possible.
func (e *encoder) dispatch(call string, m message, grid, threads metal.Size) error {
	memory := e.s.static
	for _, n := range e.lengths {
		memory = (memory+15)/16*16 + n
	}
	if most := e.d.p.MaxThreadgroupMemoryLength; memory > most {
		return errorf("%s: %s: %d bytes of threadgroup memory, variables and arguments together, are more than the device has, %d; use less",
			call, e.s.title(), memory, most)
	}
	if e.s.code != nil {
		for i := range e.s.code.Buffers {
			if err := e.argument(&e.s.code.Buffers[i]); err != nil {
				return errorf("%s: %s: %w", call, e.s.title(), err)
			}
		}
	}
	e.add(m, sizeArg(sizeOf(grid)), sizeArg(sizeOf(threads)))
	return nil
}

// argument says whether what is bound is enough for b.
func (e *encoder) argument(b *ir.Buffer) error {
	kind := "buffer"
	if b.Space == ir.Threadgroup {
		kind = "threadgroup"
	}
	what := b.Name + " [[" + kind + "(" + strconv.Itoa(b.Index) + ")]]"
	if at := b.Pos.String(); at != "" {
		what += " at " + at
	}
	if b.Index < 0 || b.Index > metal.MaxBufferIndex {
		return fmt.Errorf("%s has an index beyond %d; give it a smaller one in the source", what, metal.MaxBufferIndex)
	}
	if b.Space == ir.Threadgroup {
		switch n := e.lengths[b.Index]; {
		case n == 0 && !b.Optional:
			return fmt.Errorf("%s has no length; call SetThreadgroupMemoryLength(bytes, %d)", what, b.Index)
		case n > 0 && n < b.Elem && b.Whole:
			return fmt.Errorf("%s has %d bytes, and one %s needs %d; set a larger length", what, n, b.Type, b.Elem)
		}
		return nil
	}
	s := &e.slots[b.Index]
	switch {
	case s.bytes == 0 && b.Optional:
		return nil
	case s.bytes == 0:
		return fmt.Errorf("nothing is bound for %s; call SetBuffer or SetBytes with index %d", what, b.Index)
	case s.b != nil && s.b.ended.Load():
		return fmt.Errorf("%s: the %s was released; keep it for longer, or make another", what, s.title)
	case b.Align > 1 && s.offset%b.Align != 0:
		return fmt.Errorf("%s begins at offset %d, which is not a multiple of the alignment of %s, %d; change the offset", what, s.offset, b.Type, b.Align)
	case b.Space == ir.Constant && s.b != nil && s.offset%e.d.constant != 0:
		return fmt.Errorf("%s begins at offset %d, and this GPU needs multiples of %d for buffers in constant memory; change the offset", what, s.offset, e.d.constant)
	case b.Whole && s.bytes < b.Elem:
		return fmt.Errorf("%s: the %s has %d bytes from offset %d, and one %s needs %d; bind more", what, s.title, s.bytes, s.offset, b.Type, b.Elem)
	}
	return nil
}

// MemoryBarrier orders the dispatches before it and those behind it. In a serial encoder they are ordered anyway, and Metal is not told.
func (e *encoder) MemoryBarrier() error {
	if err := e.legal("MemoryBarrier"); err != nil {
		return err
	}
	if e.kind == metal.Concurrent {
		e.add(msgMemoryBarrier, unsignedArg(barrierBuffers))
	}
	return nil
}

// EndEncoding ends the encoder.
func (e *encoder) EndEncoding() error {
	if e.ended {
		return errorf("EndEncoding: the encoder has ended before; call it once")
	}
	e.ended, e.c.open = true, nil
	e.c.passes = append(e.c.passes, e)
	return nil
}

// play sends the record to a new encoder of the command buffer x.
func (e *encoder) play(p *pool, x id) error {
	kind := uint64(dispatchSerial)
	if e.kind == metal.Concurrent {
		kind = dispatchConcurrent
	}
	enc := p.send(msgComputeCommandEncoder, x, unsignedArg(kind)).object()
	if enc == 0 {
		return errorf("computeCommandEncoderWithDispatchType: returned nil; the device is out of memory")
	}
	err := p.understands(e.d.ref, enc, "MTLComputeCommandEncoder")
	for i := 0; i < len(e.record) && err == nil; i++ {
		p.send(e.record[i].m, enc, e.record[i].args...)
	}
	p.send(msgEndEncoding, enc) // an encoder that is freed before stops the process
	return err
}

func positive(s metal.Size) bool { return s.X > 0 && s.Y > 0 && s.Z > 0 }

// volume returns the product of a size's dimensions, if 64 bits hold it.
func volume(s metal.Size) (uint64, bool) {
	hi, lo := bits.Mul64(uint64(s.X), uint64(s.Y))
	hi2, lo2 := bits.Mul64(lo, uint64(s.Z))
	return lo2, hi == 0 && hi2 == 0
}

// sizeOf returns s as MTLSize.
func sizeOf(s metal.Size) size {
	return size{Width: uint64(s.X), Height: uint64(s.Y), Depth: uint64(s.Z)}
}

// triple returns a size as x,y,z.
func triple(s metal.Size) string { return fmt.Sprintf("%d,%d,%d", s.X, s.Y, s.Z) }
