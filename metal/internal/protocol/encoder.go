package protocol

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
	// What is bound at indices of textures and samplers; the latter by their words.
	textures map[int]*texture
	samplers map[int]uint32
	// resources are resident, and used how.
	resources map[*buffer]metal.ResourceUsage
	next      Dispatch
}

// slot is what is bound at an index: a buffer from a byte, or bytes, which lie from offset on among the command buffer's.
type slot struct {
	b      *buffer
	offset int
	bytes  int // their number, 0 for none
	use    use // of the bytes where they lie
}

// use is what the dispatches so far do to bytes.
type use uint8

const (
	unused  use = iota
	read        // by any number of dispatches
	written     // by one
)

var _ metal.ComputeCommandEncoder = (*encoder)(nil)

// legal says whether call may come now.
func (e *encoder) legal(call string) error {
	if e.ended {
		return e.c.d.errorf("%s: the encoder has ended; make another", call)
	}
	if e.c.d.over() {
		return e.c.d.ready(call + ": ")
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
	if err := e.c.keep(&pl.object, "pipeline"); err != nil {
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
	if err := buf.usable(e.c.d, buf.title()); err != nil {
		return err
	}
	if offset < 0 || offset >= buf.length {
		return e.c.d.errorf("%s: offset %d is outside the %s bound at %d, which has %d bytes; use a smaller one", call, offset, buf.title(), i, buf.length)
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
	e.slots[i] = slot{offset: e.c.place(data), bytes: len(data)}
	return nil
}

// UseResource makes a buffer resident for the dispatches that follow.
func (e *encoder) UseResource(b metal.Buffer, usage metal.ResourceUsage) error {
	const call = "UseResource"
	if err := e.legal(call); err != nil {
		return err
	}
	buf, ok := b.(*buffer)
	if !ok || buf == nil {
		return e.c.d.foreign("buffer", b)
	}
	if usage < metal.UsageRead || usage > metal.UsageRead|metal.UsageWrite {
		return e.c.d.errorf("%s: there is no usage %d; use metal.UsageRead, metal.UsageWrite or both", call, usage)
	}
	if err := e.c.keep(&buf.object, buf.title()); err != nil {
		return err
	}
	if e.resources == nil {
		e.resources = map[*buffer]metal.ResourceUsage{}
	}
	e.resources[buf] |= usage
	return nil
}

// bytesAlign is the alignment of the bytes of every SetBytes, as large as any type's.
const bytesAlign = 256

// place copies data after what was given to SetBytes before, and returns where it lies.
func (c *commandBuffer) place(data []byte) int {
	at := (len(c.bytes) + bytesAlign - 1) &^ (bytesAlign - 1)
	c.bytes = append(append(c.bytes, make([]byte, at-len(c.bytes))...), data...)
	return at
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
	title := e.p.p.Function.Title
	if !positive(threads) {
		return e.c.d.errorf("%s: %s: a threadgroup of %s threads is empty; use 1 or more in each dimension", call, title(), sizeText(threads))
	}
	most := e.p.MaxTotalThreadsPerThreadgroup()
	if n, ok := Volume(axes(threads)); !ok || n > uint64(most) {
		return e.c.d.errorf("%s: %s: a threadgroup of %s threads is larger than the pipeline's MaxTotalThreadsPerThreadgroup, %d; make it smaller",
			call, title(), sizeText(threads), most)
	}
	for i, n := range axes(threads) {
		if m := e.c.d.c.Limits.MaxBlock[i]; m > 0 && n > m {
			return e.c.d.errorf("%s: %s: a threadgroup of %s threads has more than %d along %s; turn it", call, title(), sizeText(threads), m, axisNames[i])
		}
	}
	return nil
}

var axisNames = [3]string{"x", "y", "z"}

// dispatch encodes a dispatch whose sizes are possible.
func (e *encoder) dispatch(call string, grid, threads [3]int) error {
	n, limits := &e.next, &e.c.d.c.Limits
	n.Pipeline, n.Grid, n.Threads, n.Threadgroup, n.Args, n.Resources = e.p.p, grid, threads, 0, n.Args[:0], n.Resources[:0]
	for b, usage := range e.resources {
		n.Resources = append(n.Resources, Resource{b.memory, usage})
	}
	err := func() error {
		for i := range grid {
			n.Groups[i] = (grid[i] + threads[i] - 1) / threads[i]
			if most := limits.MaxGrid[i]; most > 0 && n.Groups[i] > most {
				return fmt.Errorf("%d threadgroups along %s are more than the device has, %d; use larger ones, or another dimension", n.Groups[i], axisNames[i], most)
			}
		}
		if err := e.arguments(n); err != nil {
			return err
		}
		total := e.p.p.Static
		if n.Threadgroup > 0 {
			total = (total+15)&^15 + n.Threadgroup
		}
		if total > limits.Shared {
			return fmt.Errorf("%d bytes of threadgroup memory, variables and arguments together, are more than the device has, %d; use less", total, limits.Shared)
		}
		return e.c.work.Add(n)
	}()
	if err != nil {
		return e.c.d.errorf("%s: %s: %w", call, e.p.p.Function.Title(), err)
	}
	n.Barrier = false
	return nil
}

// arguments notes in n what is bound, or says what is wrong with it.
func (e *encoder) arguments(n *Dispatch) error {
	k := e.p.p.Function.Kernel
	if k == nil {
		return e.everything(n)
	}
	// What is bound is checked as a whole before anything is placed.
	for i := range k.Buffers {
		if err := e.fits(&k.Buffers[i]); err != nil {
			return err
		}
	}
	for i := range k.Buffers {
		b := &k.Buffers[i]
		switch {
		case b.Resource:
			n.Args = append(n.Args, Arg{})
		case b.Space == ir.Threadgroup:
			n.shared(e.lengths[b.Index], b.Index)
		case b.Texture.Dimensions > 0 || b.Sampler:
			n.Args = append(n.Args, e.textureArg(b))
		default:
			n.Args = append(n.Args, e.arg(b.Index, b.ReadOnly))
		}
	}
	return nil
}

// everything is arguments for a kernel of which nobody knows what it wants.
func (e *encoder) everything(n *Dispatch) error {
	for i := range e.slots {
		if s := &e.slots[i]; s.b != nil {
			if err := e.c.keep(&s.b.object, s.b.title()); err != nil {
				return fmt.Errorf("buffer index %d: %w", i, err)
			}
		}
		if s := e.slots[i]; s.b != nil || s.bytes > 0 {
			n.Args = append(n.Args, e.arg(i, false))
		}
	}
	for i, length := range e.lengths {
		if length > 0 {
			n.shared(length, i)
		}
	}
	return nil
}

// shared adds an argument in threadgroup memory.
func (d *Dispatch) shared(length, i int) {
	a := Arg{Length: length, Index: i}
	if length > 0 {
		a.Kind, a.Offset = Threadgroup, d.Threadgroup
		d.Threadgroup += (length + 15) &^ 15
	}
	d.Args = append(d.Args, a)
}

// arg returns what is bound at index i. A dispatch that may write to its bytes has its own.
func (e *encoder) arg(i int, readOnly bool) Arg {
	s := &e.slots[i]
	switch {
	case s.b != nil:
		return Arg{Kind: Buffer, Memory: s.b.memory, Offset: s.offset, Length: s.b.length - s.offset, Index: i}
	case s.bytes == 0:
		return Arg{Index: i}
	}
	at := s.offset
	switch {
	case readOnly && s.use == written:
		at = e.c.place(e.c.bytes[at : at+s.bytes])
		s.offset, s.use = at, read
	case readOnly:
		s.use = read
	case s.use == unused:
		s.use = written
	default:
		at = e.c.place(e.c.bytes[at : at+s.bytes])
	}
	return Arg{Kind: Bytes, Offset: at, Length: s.bytes, Index: i}
}

// fits says what is wrong with what is bound for b.
func (e *encoder) fits(b *ir.Buffer) error {
	if b.Resource {
		return nil
	}
	if b.Texture.Dimensions > 0 || b.Sampler {
		return e.fitsTexture(b)
	}
	if b.Index < 0 || b.Index > metal.MaxBufferIndex {
		return fmt.Errorf("%s has an index beyond %d; give it a smaller one in the source", place(b), metal.MaxBufferIndex)
	}
	if b.Space == ir.Threadgroup {
		switch n := e.lengths[b.Index]; {
		case n == 0 && !b.Optional:
			return fmt.Errorf("%s has no length; call SetThreadgroupMemoryLength(bytes, %d)", place(b), b.Index)
		case n > 0 && n < b.Elem && b.Whole:
			return fmt.Errorf("%s has %d bytes, and one %s needs %d; set a larger length", place(b), n, b.Type, b.Elem)
		}
		return nil
	}
	s := &e.slots[b.Index]
	length := s.bytes
	switch {
	case s.b != nil:
		if err := e.c.keep(&s.b.object, s.b.title()); err != nil {
			return fmt.Errorf("%s: %w", place(b), err)
		}
		length = s.b.length - s.offset
		if b.Align > 1 && s.offset%b.Align != 0 {
			return fmt.Errorf("%s begins at offset %d, which is not a multiple of the alignment of %s, %d; change the offset", place(b), s.offset, b.Type, b.Align)
		}
		if m := e.c.d.c.Limits.ConstantOffset; m > 0 && b.Space == ir.Constant && s.offset%m != 0 {
			return fmt.Errorf("%s begins at offset %d, and this GPU needs multiples of %d for buffers in constant memory; change the offset", place(b), s.offset, m)
		}
	case length == 0 && b.Optional:
		return nil
	case length == 0:
		return fmt.Errorf("nothing is bound for %s; call SetBuffer or SetBytes with index %d", place(b), b.Index)
	}
	if b.Whole && length < b.Elem {
		title, offset := "bytes bound there", 0
		if s.b != nil {
			title, offset = s.b.title(), s.offset
		}
		return fmt.Errorf("%s: the %s has %d bytes from offset %d, and one %s needs %d; bind more", place(b), title, length, offset, b.Type, b.Elem)
	}
	return nil
}

// place names an argument in errors.
func place(b *ir.Buffer) string {
	kind := "buffer"
	switch {
	case b.Space == ir.Threadgroup:
		kind = "threadgroup"
	case b.Sampler:
		kind = "sampler"
	case b.Texture.Dimensions > 0:
		kind = "texture"
	}
	s := b.Name + " [[" + kind + "(" + strconv.Itoa(b.Index) + ")]]"
	if at := b.Pos.String(); at != "" {
		s += " at " + at
	}
	return s
}

// MemoryBarrier orders the dispatches before it and those after it. In a serial encoder they are ordered anyway, and it changes nothing.
func (e *encoder) MemoryBarrier() error {
	if err := e.legal("MemoryBarrier"); err != nil {
		return err
	}
	e.next.Barrier = e.next.Concurrent
	return nil
}

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

// Volume returns the product of sizes, if 64 bits hold it.
func Volume(s [3]int) (uint64, bool) {
	hi, lo := bits.Mul64(uint64(s[0]), uint64(s[1]))
	hi2, lo := bits.Mul64(lo, uint64(s[2]))
	return lo, hi|hi2 == 0
}
