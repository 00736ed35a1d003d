package sim

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"gamma/metal"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/run"
)

// encoder is a metal.ComputeCommandEncoder.
type encoder struct {
	c          *commandBuffer
	concurrent bool
	ended      bool
	k          *kernel
	slots      [metal.MaxBufferIndex + 1]slot
	lengths    [metal.MaxBufferIndex + 1]int
	pass       []launch // since the last barrier, of a concurrent encoder
}

// slot is what is bound at an index: a buffer from a byte, or bytes.
type slot struct {
	b      *buffer
	offset int
	bytes  []byte
}

// legal says whether call may come now.
func (e *encoder) legal(call string) error {
	switch {
	case e.ended:
		return errorf("%s: the encoder has ended; make another", call)
	case e.c.q.d.life.over():
		return errorf("%s: the device was released; make another by New", call)
	}
	return nil
}

func index(call string, i int) error {
	if i < 0 || i > metal.MaxBufferIndex {
		return errorf("%s: there is no index %d; use 0 to %d", call, i, metal.MaxBufferIndex)
	}
	return nil
}

// SetComputePipelineState says what the next dispatches run.
func (e *encoder) SetComputePipelineState(p metal.ComputePipelineState) error {
	const call = "SetComputePipelineState"
	if err := e.legal(call); err != nil {
		return err
	}
	pl, ok := p.(*pipeline)
	if !ok {
		return foreign("pipeline", p)
	}
	if err := pl.usable(e.c.q.d.s, "pipeline"); err != nil {
		return err
	}
	e.k = pl.k
	return nil
}

// SetBuffer binds b from byte offset.
func (e *encoder) SetBuffer(b metal.Buffer, offset, i int) error {
	const call = "SetBuffer"
	if err := e.legal(call); err != nil {
		return err
	}
	if err := index(call, i); err != nil {
		return err
	}
	if b == nil {
		e.slots[i] = slot{}
		return nil
	}
	buf, ok := b.(*buffer)
	if !ok {
		return foreign("buffer", b)
	}
	buf.mu.Lock()
	title := buf.title()
	buf.mu.Unlock()
	if err := buf.usable(e.c.q.d.s, title); err != nil {
		return err
	}
	if offset < 0 || offset >= buf.length {
		return errorf("%s: offset %d is outside the %s bound at %d, which has %d bytes; use a smaller one", call, offset, title, i, buf.length)
	}
	e.slots[i] = slot{b: buf, offset: offset}
	return nil
}

// SetBytes binds a copy of data.
func (e *encoder) SetBytes(data []byte, i int) error {
	const call = "SetBytes"
	if err := e.legal(call); err != nil {
		return err
	}
	if err := index(call, i); err != nil {
		return err
	}
	if len(data) < 1 || len(data) > metal.MaxSetBytes {
		return errorf("%s: %d bytes at %d; 1 to %d are possible, use a buffer for more", call, len(data), i, metal.MaxSetBytes)
	}
	e.slots[i] = slot{bytes: append([]byte(nil), data...)}
	return nil
}

// SetThreadgroupMemoryLength sets the bytes of a threadgroup argument; 0 takes them back.
func (e *encoder) SetThreadgroupMemoryLength(length, i int) error {
	const call = "SetThreadgroupMemoryLength"
	if err := e.legal(call); err != nil {
		return err
	}
	if err := index(call, i); err != nil {
		return err
	}
	switch most := e.c.q.d.o.MaxThreadgroupMemory; {
	case length < 0 || length%16 != 0:
		return errorf("%s: %d bytes at %d; use a multiple of 16, not below 0", call, length, i)
	case length > most:
		return errorf("%s: %d bytes at %d are more than the device has, %d; use less", call, length, i, most)
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
		return errorf("%s: a grid of %s threadgroups has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, text(groups))
	}
	var grid metal.Size
	for _, x := range []struct {
		dst  *int
		a, b int
	}{{&grid.X, groups.X, threads.X}, {&grid.Y, groups.Y, threads.Y}, {&grid.Z, groups.Z, threads.Z}} {
		if x.a > math.MaxUint32/x.b {
			return errorf("%s: %s threadgroups of %s threads are more than 2^32-1 threads in one dimension; use fewer", call, text(groups), text(threads))
		}
		*x.dst = x.a * x.b
	}
	return e.dispatch(call, grid, threads)
}

// DispatchThreads encodes a dispatch of exactly grid threads.
func (e *encoder) DispatchThreads(grid, threads metal.Size) error {
	const call = "DispatchThreads"
	if err := e.group(call, threads); err != nil {
		return err
	}
	if !positive(grid) {
		return errorf("%s: a grid of %s threads has nothing to run; leave the dispatch out, or use 1 or more in each dimension", call, text(grid))
	}
	if grid.X > math.MaxUint32 || grid.Y > math.MaxUint32 || grid.Z > math.MaxUint32 {
		return errorf("%s: a grid of %s has more than 2^32-1 threads in one dimension; use fewer", call, text(grid))
	}
	return e.dispatch(call, grid, threads)
}

// group says whether threads can be the size of a threadgroup.
func (e *encoder) group(call string, threads metal.Size) error {
	if err := e.legal(call); err != nil {
		return err
	}
	if e.k == nil {
		return errorf("%s: no kernel is set; call SetComputePipelineState first", call)
	}
	if !positive(threads) {
		return errorf("%s: %s: a threadgroup of %s threads is empty; use 1 or more in each dimension", call, e.k.title(), text(threads))
	}
	most := e.c.q.d.o.MaxTotalThreads
	if n, ok := volume(threads); !ok || n > uint64(e.k.maxThreads(most)) {
		limit := "the device's MaxTotalThreads"
		if e.k.maxThreads(most) < most {
			limit = "max_total_threads_per_threadgroup"
		}
		return errorf("%s: %s: a threadgroup of %s threads is larger than %s, %d; make it smaller",
			call, e.k.title(), text(threads), limit, e.k.maxThreads(most))
	}
	return nil
}

// Launching costs as many steps: a thread at least one instruction, a threadgroup as much as groupSteps.
const groupSteps = 64

// dispatch encodes a dispatch whose sizes are possible.
func (e *encoder) dispatch(call string, grid, threads metal.Size) error {
	d, k := e.c.q.d, e.k
	l := launch{k: k, grid: grid, group: threads}
	groups, ok := volume((&run.Dispatch{Grid: grid, Group: threads}).Groups())
	total, ok2 := volume(grid)
	if budget := uint64(d.o.Steps); !ok || !ok2 || total > budget || groups > budget/groupSteps {
		return errorf("%s: %s: a grid of %s threads in threadgroups of %s would use up the budget of %d steps before it ends; make it smaller, or raise Options.Steps",
			call, k.title(), text(grid), text(threads), d.o.Steps)
	}
	memory := k.groupMemory()
	for _, b := range k.code.Buffers {
		arg, buf, err := e.argument(&b)
		if err != nil {
			return errorf("%s: %s: %w", call, k.title(), err)
		}
		if b.Space == ir.Threadgroup {
			memory = (memory+15)/16*16 + arg.Length
		}
		l.args = append(l.args, arg)
		l.buffers = append(l.buffers, buf)
	}
	if most := d.o.MaxThreadgroupMemory; memory > most {
		return errorf("%s: %s: %d bytes of threadgroup memory, variables and arguments together, are more than the device has, %d; use less",
			call, k.title(), memory, most)
	}
	if e.concurrent {
		e.pass = append(e.pass, l)
	} else {
		e.c.passes = append(e.c.passes, []launch{l})
	}
	return nil
}

// argument returns what is bound for b, or what is wrong with it.
func (e *encoder) argument(b *ir.Buffer) (run.Arg, *buffer, error) {
	what := b.Name + " [[buffer(" + strconv.Itoa(b.Index) + ")]]"
	if b.Space == ir.Threadgroup {
		what = b.Name + " [[threadgroup(" + strconv.Itoa(b.Index) + ")]]"
	}
	if at := b.Pos.String(); at != "" {
		what += " at " + at
	}
	if b.Index < 0 || b.Index > metal.MaxBufferIndex {
		return run.Arg{}, nil, fmt.Errorf("%s has an index beyond %d; give it a smaller one in the source", what, metal.MaxBufferIndex)
	}
	if b.Space == ir.Threadgroup {
		n := e.lengths[b.Index]
		switch {
		case n == 0 && !b.Optional:
			return run.Arg{}, nil, fmt.Errorf("%s has no length; call SetThreadgroupMemoryLength(bytes, %d)", what, b.Index)
		case n > 0 && n < b.Elem && b.Whole:
			return run.Arg{}, nil, fmt.Errorf("%s has %d bytes, and one %s needs %d; set a larger length", what, n, b.Type, b.Elem)
		}
		return run.Arg{Length: n}, nil, nil
	}
	s := e.slots[b.Index]
	length, title := len(s.bytes), "bytes bound there"
	var mem *run.Memory
	switch {
	case s.b != nil:
		s.b.mu.Lock()
		title = s.b.title()
		s.b.mu.Unlock()
		if err := s.b.usable(e.c.q.d.s, title); err != nil {
			return run.Arg{}, nil, fmt.Errorf("%s: %w", what, err)
		}
		length, mem = s.b.length, &s.b.mem
	case s.bytes != nil:
		mem = &run.Memory{Bytes: s.bytes}
		if !b.ReadOnly {
			mem.Bytes = append([]byte(nil), s.bytes...)
		}
	case b.Optional:
		return run.Arg{}, nil, nil
	default:
		return run.Arg{}, nil, fmt.Errorf("nothing is bound for %s; call SetBuffer or SetBytes with index %d", what, b.Index)
	}
	if b.Align > 1 && s.offset%b.Align != 0 {
		return run.Arg{}, nil, fmt.Errorf("%s begins at offset %d, which is not a multiple of the alignment of %s, %d; change the offset",
			what, s.offset, b.Type, b.Align)
	}
	if b.Whole && length-s.offset < b.Elem {
		return run.Arg{}, nil, fmt.Errorf("%s: the %s has %d bytes from offset %d, and one %s needs %d; bind more",
			what, title, length-s.offset, s.offset, b.Type, b.Elem)
	}
	return run.Arg{Mem: mem, Offset: s.offset}, s.b, nil
}

// MemoryBarrier orders the dispatches before it and those behind it. In a serial encoder they are ordered anyway, and it changes nothing.
func (e *encoder) MemoryBarrier() error {
	if err := e.legal("MemoryBarrier"); err != nil {
		return err
	}
	e.flush()
	return nil
}

// flush ends the pass of a concurrent encoder.
func (e *encoder) flush() {
	if len(e.pass) > 0 {
		e.c.passes = append(e.c.passes, e.pass)
		e.pass = nil
	}
}

// EndEncoding ends the encoder.
func (e *encoder) EndEncoding() error {
	if e.ended {
		return errorf("EndEncoding: the encoder has ended before; call it once")
	}
	e.flush()
	e.ended, e.c.open = true, nil
	return nil
}

func positive(s metal.Size) bool { return s.X > 0 && s.Y > 0 && s.Z > 0 }

// volume returns the product of a size's dimensions, if 64 bits hold it.
func volume(s metal.Size) (uint64, bool) {
	hi, lo := bits.Mul64(uint64(s.X), uint64(s.Y))
	hi2, lo2 := bits.Mul64(lo, uint64(s.Z))
	return lo2, hi == 0 && hi2 == 0
}

// triple returns a size as x,y,z.
func text(s metal.Size) string { return fmt.Sprintf("%d,%d,%d", s.X, s.Y, s.Z) }
