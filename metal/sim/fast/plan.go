package fast

import (
	"bytes"
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// memory is one of the Memories that a dispatch binds, however often.
type memory struct {
	mem     *engine.Memory
	grain   int   // bytes of a cell; 0: nothing accesses it
	cells   int64 // 0: races are impossible or not looked for
	written bool
	atomics bool
	texture bool
	apart   bool // not coherent
	words   words
}

// plan is what the machines of one dispatch have in common.
type plan struct {
	memories []memory
	of       []int // of each buffer: its memory, -1 if none
	bytes    int64 // that one machine needs
	views    bool  // every memory that atomics reach has views
	local    int64 // bytes of threadgroup memory
	private  int64 // bytes of thread memory, of each lane
}

// round makes n a multiple of 16.
func round(n int64) int64 { return (n + 15) &^ 15 }

// plan looks at what d binds and says how much memory a machine takes.
func (p *Program) plan(r *dispatch, c *code) (*plan, error) {
	k, a := p.k, p.a
	pl := &plan{of: make([]int, len(k.Buffers)), views: true}
	number := map[*engine.Memory]int{}
	for i, b := range k.Buffers {
		arg := r.d.Args[i]
		pl.of[i] = -1
		if b.Space == ir.Threadgroup {
			pl.local += round(int64(arg.Length))
			continue
		}
		if arg.Mem == nil {
			continue
		}
		n, ok := number[arg.Mem]
		if !ok {
			n = len(pl.memories)
			number[arg.Mem] = n
			pl.memories = append(pl.memories, memory{mem: arg.Mem})
		}
		pl.of[i] = n
		m := &pl.memories[n]
		m.texture = b.Texture.Dimensions > 0
		m.apart = m.apart || b.Space == ir.Device && !m.texture && !b.Coherent
		m.written = m.written || a.written.has(i) && b.Space == ir.Device
		m.atomics = m.atomics || a.atomic.has(i)
		if g := a.grain[i]; g != 0 && (m.grain == 0 || g < m.grain) {
			m.grain = g
		}
		for m.grain > 1 && arg.Offset%m.grain != 0 {
			m.grain /= 2
		}
	}
	for i := range pl.memories {
		m := &pl.memories[i]
		m.words = viewsOf(m.mem.Bytes)
		if m.atomics {
			n := len(m.mem.Bytes)
			pl.views = pl.views && (n < 8 || m.words.length(8) > 0) && (n < 4 || m.words.length(4) > 0)
		}
		if r.checks && m.written && m.grain > 0 {
			m.cells = int64(len(m.mem.Bytes)/m.grain) + 1
			pl.bytes += m.cells * 24
			if m.atomics {
				pl.bytes += m.cells * 32
			}
		}
	}
	for _, o := range k.Objects {
		switch o.Space {
		case ir.Threadgroup:
			pl.local += round(int64(o.Size))
		case ir.Thread:
			pl.private += round(int64(o.Size))
		}
		if pl.local > maxMemory || pl.private > maxMemory {
			return nil, fmt.Errorf("its variables need more than %d bytes; make them smaller", int64(maxMemory))
		}
	}
	lanes := int64(volume(r.d.Group))
	per := int64(1)
	if r.checks {
		per = 26 // a shadow has 24 bytes for each byte at most
	}
	registers := lanes * int64(c.vectors+16) * 8
	sets := int64(c.depth+1) * lanes * 8
	pl.bytes += registers + sets + pl.local*per + pl.private*lanes*2
	if pl.bytes > maxMemory {
		return nil, fmt.Errorf("threadgroups of %d threads need %d bytes for %d registers a thread, %d for thread memory, %d for sets of lanes, and with shadows more than %d in all; "+
			"launch smaller threadgroups, make variables or buffers smaller, or run without checks", lanes, registers, c.vectors, pl.private*lanes, sets, int64(maxMemory))
	}
	return pl, nil
}

// loses reports whether a load of the dispatch may meet bytes that are undefined.
func (p *Program) loses(pl *plan) bool {
	for i := range pl.memories {
		m := pl.memories[i].mem
		for init := m.Init; len(init) > 0; init = init[min(len(init), len(ones)):] {
			if n := min(len(init), len(ones)); !bytes.Equal(init[:n], ones[:n]) {
				return true
			}
		}
	}
	return pl.local+pl.private > 0
}

// save copies what the dispatch may change.
func (pl *plan) save() [][2][]byte {
	list := make([][2][]byte, len(pl.memories))
	for i := range pl.memories {
		if m := &pl.memories[i]; m.written {
			list[i] = [2][]byte{append([]byte(nil), m.mem.Bytes...), append([]byte(nil), m.mem.Init...)}
		}
	}
	return list
}

func (pl *plan) restore(list [][2][]byte) {
	for i := range pl.memories {
		copy(pl.memories[i].mem.Bytes, list[i][0])
		copy(pl.memories[i].mem.Init, list[i][1])
	}
}

// input is a register that holds a place or size of the thread.
type input struct {
	in    ir.Input
	slot  int32
	mask  uint64
	unit  bool
	again bool // its register is written by the kernel too
}

// start makes n machines ready for r.
func (p *Program) start(r *dispatch, c *code, md mode, pl *plan, n, width int) []*machine {
	size := int(volume(r.d.Group))
	list := make([]*machine, n)
	for i := range list {
		m := p.take(md, size, width)
		if m == nil {
			m = p.machine(c, md, size, width)
		}
		m.prepare(r, pl, n)
		list[i] = m
	}
	return list
}

// machine makes a machine for threadgroups of up to size lanes.
func (p *Program) machine(c *code, md mode, size, width int) *machine {
	m := &machine{p: p, c: c, size: size, width: width}
	m.args.arith = md.arith
	slab := make([]uint64, size*(c.vectors+7))
	cut := func() []uint64 {
		s := slab[:size:size]
		slab = slab[size:]
		return s
	}
	m.v = make([][]uint64, c.scalars+c.vectors)
	scalars := make([]uint64, c.scalars)
	for i := range m.v {
		if i < c.scalars {
			m.v[i] = scalars[i : i+1 : i+1]
		} else {
			m.v[i] = cut()
		}
	}
	for i := range m.tmp {
		m.tmp[i] = cut()
	}
	m.base = make([]uint64, len(m.v))
	m.args.a, m.args.b, m.args.c, m.args.e = m.v[0], m.v[0], m.v[0], m.v[0]
	m.idx = cut()
	m.iota = make([]uint16, size)
	for i := range m.iota {
		m.iota[i] = uint16(i)
	}
	m.scratch, m.scratch2 = make([]uint16, 0, size), make([]uint16, 0, size)
	m.holds = make([]hold, c.depth+1)
	rooms := make([]uint16, 4*size*len(m.holds))
	for i := range m.holds {
		h := &m.holds[i]
		for _, s := range []*[]uint16{&h.yesRoom, &h.noRoom, &h.room, &h.leftRoom} {
			*s = rooms[:size:size]
			rooms = rooms[size:]
		}
	}
	m.lane = laneRoom{at: make([]uint8, MaxWidth), values: make([]uint64, MaxWidth)}
	for _, in := range p.k.Inputs {
		m.inputs = append(m.inputs, input{in: in, slot: c.slot[in.Reg], mask: p.k.Regs[in.Reg].Mask(), unit: p.a.unit[in.Reg], again: p.a.defs[in.Reg] > 1})
	}
	if p.a.simdBar {
		for i := range m.shadow.simds {
			m.shadow.simds[i] = make([]uint32, (size-1)/width+1)
		}
	}
	m.shadow.device = domain{width: width, simd: m.shadow.simds[0]}
	m.shadow.local = domain{width: width, simd: m.shadow.simds[1]}
	m.shadow.texture = domain{width: width, simd: m.shadow.simds[2], fences: make([]uint32, size)}
	if p.a.messages && md.checks {
		x := &messages{shadows: &m.shadow}
		for i, d := range m.shadow.domains() {
			d.messages, d.memory = x, i
		}
	}
	return m
}

// late is the time after which shadows are cleared between dispatches.
const late = 1 << 31

// prepare binds r's memory.
func (m *machine) prepare(r *dispatch, pl *plan, workers int) {
	k := m.p.k
	m.seat, m.bytes = ir.Seat{Grid: r.d.Grid, Nominal: r.d.Group, SIMDWidth: m.width}, pl.bytes
	for i := range m.holds {
		h := &m.holds[i] // what a run that was stopped left
		h.no, h.done, h.left = lanes{}, lanes{}, lanes{}
	}
	m.r, m.stop, m.steps, m.beside, m.failed = r, false, 0, workers > 1, nil
	m.limit = r.limit
	if workers > 1 { // together they make less than a sixteenth of the bound before that is seen
		m.limit = min(1<<20, r.limit/int64(16*workers))
	}
	m.found.reset()
	m.shadow.runs = m.shadow.runs[:0]
	if m.time >= late {
		m.time, m.shadow.memories, m.shadow.variables = 0, nil, nil
		for _, s := range m.shadow.simds {
			clear(s)
		}
		clear(m.shadow.texture.fences)
	}
	m.time++
	m.shadow.device.start, m.shadow.texture.start = m.time, m.time
	if x := m.shadow.device.messages; x != nil {
		x.objects, x.more = nil, map[*uint64][]uint64{}
	}
	for len(m.shadow.memories) < len(pl.memories) {
		m.shadow.memories = append(m.shadow.memories, &shadow{d: &m.shadow.device})
	}
	for i := range pl.memories {
		if x := &pl.memories[i]; x.cells > 0 {
			s := m.shadow.memories[i]
			if s.d = &m.shadow.device; x.texture {
				s.d = &m.shadow.texture
			}
			if g := log2(x.grain); s.grain != g {
				s.cells, s.atomics, s.grain = nil, nil, g
			}
			s.apart = x.apart
			s.ready(x.cells, x.atomics)
		}
	}
	n := len(k.Buffers) + len(k.Objects)
	if len(m.objects) != n {
		m.objects = make([]object, n)
		m.shadow.variables = nil
	}
	if len(m.shadow.variables) != n {
		m.shadow.variables = make([]*shadow, n)
	}
	for i, b := range k.Buffers {
		o := &m.objects[i]
		arg := r.d.Args[i]
		pointer := uint64(ir.MakePointer(i, 0))
		if b.Space == ir.Threadgroup {
			m.variable(i, int64(arg.Length), ir.Threadgroup)
		} else {
			*o = object{number: i, space: b.Space, fixed: b.Space == ir.Constant || arg.ReadOnly, held: arg.Mem != nil}
			if arg.Mem == nil {
				pointer = 0
			} else {
				m.bind(o, arg, pl.of[i], pl)
			}
		}
		m.give(&input{slot: m.c.slot[b.Reg], mask: ir.Ptr.Mask()}, pointer)
	}
	for i, x := range k.Objects {
		n := len(k.Buffers) + i
		if x.Space == ir.Constant {
			o := &m.objects[n]
			*o = object{number: n, space: x.Space, fixed: true, held: true, size: int64(x.Size)}
			data := aligned(int64(x.Size))
			copy(data, x.Data)
			o.set(data, nil)
			continue
		}
		m.variable(n, int64(x.Size), x.Space)
	}
	m.act = lanes{lo: 0, hi: m.size}
	for i := range m.inputs {
		in := &m.inputs[i]
		if in.in.Kind.Level() == ir.PerDispatch {
			m.give(in, m.told(in, 0))
		}
	}
	for i := range m.c.dispatch {
		in := &m.c.dispatch[i]
		in.run(m, in)
	}
}

func log2(n int) uint8 {
	s := uint8(0)
	for n > 1 {
		n, s = n/2, s+1
	}
	return s
}

// bind makes o a buffer.
func (m *machine) bind(o *object, arg engine.Arg, n int, pl *plan) {
	x := &pl.memories[n]
	var known []byte
	if arg.Mem.Init != nil {
		known = arg.Mem.Init[arg.Offset:]
	}
	o.set(arg.Mem.Bytes[arg.Offset:], known)
	o.size, o.base, o.whole = int64(len(o.bytes)), int64(arg.Offset), &x.words
	if m.r.checks {
		o.want = o.init
	}
	if x.cells > 0 {
		o.shadow, o.cell = m.shadow.memories[n], int64(arg.Offset/x.grain)
	}
}

// variable makes object n a variable in threadgroup or thread memory.
func (m *machine) variable(n int, size int64, space ir.Space) {
	o := &m.objects[n]
	total, stride := size, int64(0)
	if space == ir.Thread {
		stride = round(size)
		total = stride * int64(m.size)
	}
	if o.space != space || int64(len(o.bytes)) != total || !o.held {
		*o = object{number: n, space: space, held: true, size: size, stride: stride}
		var known []byte
		if m.r.checks {
			known = aligned(total)
		}
		o.set(aligned(total), known)
		o.want = o.init
	}
	o.shadow = nil
	if grain := m.p.a.grain[n]; m.r.checks && space == ir.Threadgroup && grain > 0 && m.p.a.written.has(n) {
		s := m.shadow.variables[n]
		if s == nil {
			s = &shadow{d: &m.shadow.local, grain: log2(grain), local: true}
			m.shadow.variables[n] = s
		}
		s.ready(size/int64(grain)+1, m.p.a.atomic.has(n))
		o.shadow = s
	}
}

// give puts a value into an input's register, for all lanes.
func (m *machine) give(in *input, v uint64) {
	if in.slot == 0 {
		return
	}
	s := m.v[in.slot]
	for i := range s {
		s[i] = v & in.mask
	}
}

// told returns what lane l is told.
func (m *machine) told(in *input, l int) uint64 {
	m.seat.Thread = l
	return uint64(m.seat.Input(in.in))
}

// begin makes m ready for threadgroup g.
func (m *machine) begin(g int64) {
	m.seat.At, m.groupIndex = m.r.groupAt(g), g
	size := m.r.d.GroupSize(m.seat.At)
	same := size == m.seat.Group
	m.seat.Group = size
	m.lanes = size.X * size.Y * size.Z
	m.act = lanes{lo: 0, hi: m.lanes}
	m.holds[0].left = lanes{} // those of the threadgroup before that returned
	if m.sourced {
		clear(m.sources[:])
		m.sourced = false
	}
	for i := range m.objects {
		if o := &m.objects[i]; o.space == ir.Threadgroup || o.space == ir.Thread {
			clear(o.bytes)
			clear(o.init)
		}
	}
	if m.r.checks {
		t := m.tick()
		m.shadow.device.group, m.shadow.device.epoch = t, t
		m.shadow.texture.group, m.shadow.texture.epoch = t, t
		m.shadow.local.start, m.shadow.local.group, m.shadow.local.epoch = t, t, t
		m.shadow.started(g, t)
		if x := m.shadow.device.messages; x != nil {
			x.begin(m.lanes)
		}
	}
	for i, b := range m.p.k.Buffers {
		if m.p.a.defs[b.Reg] > 1 { // the threadgroup before may have changed it
			pointer := uint64(0)
			if m.objects[i].held {
				pointer = uint64(ir.MakePointer(i, 0))
			}
			m.give(&input{slot: m.c.slot[b.Reg], mask: ir.Ptr.Mask()}, pointer)
		}
	}
	for i := range m.inputs {
		in := &m.inputs[i]
		switch in.in.Kind.Level() {
		case ir.PerThreadgroup:
			m.give(in, m.told(in, 0))
		case ir.PerThread:
			if in.slot != 0 {
				m.positions(in, same)
			}
		default:
			if in.again {
				m.give(in, m.told(in, 0))
			}
		}
	}
}

// positions fills an input that differs between lanes. same: the threadgroup before had the same shape.
func (m *machine) positions(in *input, same bool) {
	v := m.v[in.slot][:m.lanes]
	size := m.seat.Group
	if in.unit {
		base := uint64(0)
		if in.in.Kind == ir.ThreadPositionInGrid {
			base = uint64(m.seat.At.X) * uint64(m.r.d.Group.X)
		}
		if most := in.mask >> 1; size.X != m.lanes && in.in.Kind != ir.ThreadIndexInThreadgroup || base > most || base+uint64(m.lanes) > most {
			base = noBase
		}
		m.base[in.slot] = base
		if base != noBase && m.c.quiet[in.slot] {
			return
		}
	}
	if same && in.in.Kind != ir.ThreadPositionInGrid && !in.again && !(in.unit && m.c.quiet[in.slot]) {
		return // it is there from the threadgroup before
	}
	switch in.in.Kind {
	case ir.ThreadPositionInGrid, ir.ThreadPositionInThreadgroup:
		start := m.told(in, 0)
		// Lanes that follow one another have the same position as long as those of the axes before it run through.
		hold, n := 1, size.X
		switch in.in.Axis {
		case 1:
			hold, n = size.X, size.Y
		case 2:
			hold, n = size.X*size.Y, size.Z
		}
		if hold == 1 && n == len(v) {
			for i := range v {
				v[i] = (start + uint64(i)) & in.mask
			}
			return
		}
		for i := range v {
			v[i] = (start + uint64(i/hold%n)) & in.mask
		}
	default:
		for i := range v {
			v[i] = m.told(in, i)
		}
	}
}
