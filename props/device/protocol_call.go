package device

import (
	"encoding/binary"
	"fmt"

	"gamma/metal"
	"gamma/props"
	"gamma/props/internal/engine"
)

// call is one call on a device.
type call struct {
	op   op
	on   int // the object, by the order of making
	a, b int // arguments
	size metal.Size
	data []uint32
}

type op uint8

const (
	opNewBuffer op = iota // of a words; a <= 0 is illegal
	opNewBufferWithBytes
	opWrite   // data from word a
	opRead    // b words from word a
	opRelease // a buffer
	opCommandBuffer
	opEncoder     // a: 1 concurrent
	opSetPipeline // a: 0 fill, 1 add, 2 nil
	opSetBuffer   // buffer a (-1: nil) from word b at index size.X, 0 or 1 if it is legal
	opSetBytes    // a at index b, 2 or 3 if it is legal
	opSetLength   // a bytes at index b
	opDispatch    // size.X threadgroups of size.Y threads
	opDispatchThreads
	opBarrier
	opEnd
	opCommit
	opWait
	opReleaseQueue
)

// step is a call whose objects are counted back from the newest, so that it means the same when other objects are left out of a
// sequence that is shortened.
type step struct{ call }

var _ props.ProtocolCommand[*state, *rig] = step{}

// turned counts the objects of a call from the other end, there being so many of each kind.
func (c call) turned(buffers, commands, encoders int) call {
	switch c.op {
	case opWrite, opRead, opRelease:
		c.on = buffers - 1 - c.on
	case opEncoder, opCommit, opWait:
		c.on = commands - 1 - c.on
	case opNewBuffer, opNewBufferWithBytes, opCommandBuffer, opReleaseQueue:
	case opSetBuffer:
		if c.a >= 0 {
			if c.a = buffers - 1 - c.a; c.a < 0 {
				c.on = -1 // there is no such buffer
				return c
			}
		}
		fallthrough
	default:
		c.on = encoders - 1 - c.on
	}
	return c
}

func (c call) turnedIn(s *state) call {
	return c.turned(len(s.buffers), len(s.commands), len(s.encoders))
}

// Possible leaves out steps on objects that there are not.
func (c step) Possible(s *state) bool { return c.call.turnedIn(s).Possible(s) }

// Next carries out the step on the model.
func (c step) Next(s *state) *state { return c.call.turnedIn(s).Next(s) }

// Run carries out the step on the device.
func (c step) Run(r *rig) (string, func(*state) string) {
	real := c.call.turned(len(r.buffers), len(r.commands), len(r.encoders))
	return real.String(), real.Run(r)
}

// String writes the call as Go does; b, c and e are buffers, command buffers and encoders, numbered as they are made.
func (c call) String() string {
	switch c.op {
	case opNewBuffer:
		return fmt.Sprintf("device.NewBuffer(%d)", 4*c.a)
	case opNewBufferWithBytes:
		return fmt.Sprintf("device.NewBufferWithBytes(words %v)", c.data)
	case opWrite:
		return fmt.Sprintf("b%d.Write(%d, words %v)", c.on, 4*c.a, c.data)
	case opRead:
		return fmt.Sprintf("b%d.Read(%d, %d bytes)", c.on, 4*c.a, 4*c.b)
	case opRelease:
		return fmt.Sprintf("b%d.Release()", c.on)
	case opCommandBuffer:
		return "queue.CommandBuffer()"
	case opEncoder:
		return fmt.Sprintf("c%d.ComputeCommandEncoder(%s)", c.on, []string{"Serial", "Concurrent"}[c.a])
	case opSetPipeline:
		return fmt.Sprintf("e%d.SetComputePipelineState(%s)", c.on, []string{"fill", "add", "nil"}[c.a])
	case opSetBuffer:
		if c.a < 0 {
			return fmt.Sprintf("e%d.SetBuffer(nil, 0, %d)", c.on, c.size.X)
		}
		return fmt.Sprintf("e%d.SetBuffer(b%d, %d, %d)", c.on, c.a, 4*c.b, c.size.X)
	case opSetBytes:
		return fmt.Sprintf("e%d.SetBytes(uint %d, %d)", c.on, c.a, c.b)
	case opSetLength:
		return fmt.Sprintf("e%d.SetThreadgroupMemoryLength(%d, %d)", c.on, c.a, c.b)
	case opDispatch:
		return fmt.Sprintf("e%d.DispatchThreadgroups(%d, %d)", c.on, c.size.X, c.size.Y)
	case opDispatchThreads:
		return fmt.Sprintf("e%d.DispatchThreads(%d, %d)", c.on, c.size.X, c.size.Y)
	case opBarrier:
		return fmt.Sprintf("e%d.MemoryBarrier()", c.on)
	case opEnd:
		return fmt.Sprintf("e%d.EndEncoding()", c.on)
	case opCommit:
		return fmt.Sprintf("c%d.Commit()", c.on)
	case opWait:
		return fmt.Sprintf("c%d.WaitUntilCompleted()", c.on)
	}
	return "queue.Release()"
}

// objects returns how many objects of the kind that the call is made on there are.
func (c call) objects(s *state) int {
	switch c.op {
	case opWrite, opRead, opRelease:
		return len(s.buffers)
	case opEncoder, opCommit, opWait:
		return len(s.commands)
	case opNewBuffer, opNewBufferWithBytes, opCommandBuffer, opReleaseQueue:
		return 1
	}
	return len(s.encoders)
}

// work returns the dispatch that the call encodes, whatever is missing being -1.
func (c call) work(e *encoder) work {
	w := work{pipeline: e.pipeline, out: e.slots[0], in: e.slots[1], value: e.value, count: e.count, threads: c.size.X}
	if c.op == opDispatch {
		w.threads *= c.size.Y
	}
	return w
}

// illegal says whether the call must give an error.
func (c call) illegal(s *state) bool {
	switch c.op {
	case opNewBuffer:
		return c.a <= 0
	case opNewBufferWithBytes:
		return len(c.data) == 0
	case opWrite, opRead:
		n := c.b
		if c.op == opWrite {
			n = len(c.data)
		}
		m := &s.buffers[c.on]
		return m.released || c.a < 0 || c.a+n > len(m.words)
	case opCommandBuffer:
		return s.over
	case opEncoder:
		return s.commands[c.on].committed || s.commands[c.on].open >= 0
	case opCommit:
		return s.commands[c.on].committed || s.commands[c.on].open >= 0
	case opWait:
		return !s.commands[c.on].committed
	case opRelease, opReleaseQueue:
		return false
	}
	e := &s.encoders[c.on]
	if e.ended {
		return true
	}
	switch c.op {
	case opSetPipeline:
		return c.a == 2
	case opSetBuffer:
		return c.size.X < 0 || c.size.X > metal.MaxBufferIndex || c.a >= 0 && (s.buffers[c.a].released || c.b < 0 || c.b >= len(s.buffers[c.a].words))
	case opSetBytes:
		return c.b < 0 || c.b > metal.MaxBufferIndex
	case opSetLength:
		return c.b < 0 || c.b > metal.MaxBufferIndex || c.a < 0 || c.a%16 != 0
	case opDispatch, opDispatchThreads:
		w := c.work(e)
		return w.pipeline < 0 || c.size.X < 1 || c.size.Y < 1 || c.size.Y > 1024 || w.out.buffer < 0 || w.count < 0 ||
			w.pipeline == 0 && w.value < 0 || w.pipeline == 1 && w.in.buffer < 0
	}
	return false
}

// Possible leaves out calls on objects that there are not, and those of which Metal leaves open what they do.
func (c call) Possible(s *state) bool {
	if c.on < 0 || c.on >= c.objects(s) || c.op == opSetBuffer && c.a >= len(s.buffers) {
		return false
	}
	if c.illegal(s) {
		return true
	}
	switch c.op {
	case opDispatch, opDispatchThreads:
		e := s.encoders[c.on]
		w := c.work(&e)
		if s.buffers[w.out.buffer].released || w.pipeline == 1 && s.buffers[w.in.buffer].released {
			return false
		}
		return s.fits(w) && (!e.concurrent || e.touch(w))
	case opCommit:
		return s.defined(s.commands[c.on].work)
	}
	return true
}

// Next carries out the call on the model.
func (c call) Next(s *state) *state {
	refused := c.illegal(s)
	s = s.copied()
	if s.refused = refused; refused {
		return s
	}
	switch c.op {
	case opNewBuffer:
		s.buffers = append(s.buffers, memory{words: make([]uint32, c.a), known: make([]bool, c.a)})
	case opNewBufferWithBytes:
		m := memory{words: c.data, known: make([]bool, len(c.data))}
		for i := range m.known {
			m.known[i] = true
		}
		s.buffers = append(s.buffers, m)
	case opWrite:
		m := s.write(c.on)
		for i, v := range c.data {
			m.words[c.a+i], m.known[c.a+i] = v, true
		}
	case opRelease:
		s.buffers[c.on].released = true
	case opCommandBuffer:
		s.commands = append(s.commands, commands{open: -1})
	case opEncoder:
		s.commands[c.on].open = len(s.encoders)
		s.encoders = append(s.encoders, encoder{
			of: c.on, concurrent: c.a == 1, pipeline: -1, slots: [2]slot{{buffer: -1}, {buffer: -1}}, value: -1, count: -1,
		})
	case opSetPipeline:
		s.encoders[c.on].pipeline = c.a
	case opSetBuffer:
		s.encoders[c.on].slots[c.size.X] = slot{c.a, c.b}
	case opSetBytes:
		if e := &s.encoders[c.on]; c.b == 2 {
			e.value = c.a
		} else {
			e.count = c.a
		}
	case opDispatch, opDispatchThreads:
		e := &s.encoders[c.on]
		w := c.work(e)
		if e.concurrent {
			e.touch(w)
		}
		cb := &s.commands[e.of]
		cb.work = append(cb.work[:len(cb.work):len(cb.work)], w)
	case opBarrier:
		s.encoders[c.on].touched = nil
	case opEnd:
		s.encoders[c.on].ended = true
		s.commands[s.encoders[c.on].of].open = -1
	case opCommit:
		s.commands[c.on].committed = true
		for _, w := range s.commands[c.on].work {
			s.run(w)
		}
	case opReleaseQueue:
		s.over = true
	}
	return s
}

// Run carries out the call on the device.
func (c call) Run(r *rig) func(*state) string {
	if r.err != nil {
		return func(*state) string { return fmt.Sprintf("the device cannot be set up: %v", r.err) }
	}
	var err error
	var got []uint32
	made := 0 // objects that the model must have too
	var b metal.Buffer
	switch c.op {
	case opNewBuffer, opNewBufferWithBytes:
		if c.op == opNewBuffer {
			b, err = r.dev.NewBuffer(4 * c.a)
		} else {
			b, err = r.dev.NewBufferWithBytes(raw(c.data))
		}
		if err == nil {
			r.buffers = append(r.buffers, b)
		}
		made = len(r.buffers)
	case opWrite:
		err = r.buffers[c.on].Write(4*c.a, raw(c.data))
	case opRead:
		text := make([]byte, 4*max(c.b, 0))
		_, err = engine.SplitFindings(r.buffers[c.on].Read(4*c.a, text)) // that nobody wrote some bytes is no refusal
		for i := 0; i < len(text); i += 4 {
			got = append(got, binary.LittleEndian.Uint32(text[i:]))
		}
	case opRelease:
		r.buffers[c.on].Release()
	case opCommandBuffer:
		var cb metal.CommandBuffer
		if cb, err = r.queue.CommandBuffer(); err == nil {
			r.commands = append(r.commands, cb)
		}
		made = len(r.commands)
	case opEncoder:
		var e metal.ComputeCommandEncoder
		if e, err = r.commands[c.on].ComputeCommandEncoder(metal.DispatchType(c.a)); err == nil {
			r.encoders = append(r.encoders, e)
		}
		made = len(r.encoders)
	case opCommit:
		err = r.commands[c.on].Commit()
	case opWait:
		err = r.commands[c.on].WaitUntilCompleted()
	case opReleaseQueue:
		r.queue.Release()
	default:
		err = c.encode(r, r.encoders[c.on])
	}
	return func(after *state) string { return c.compare(after, err, made, got, r) }
}

// encode carries out a call on an encoder.
func (c call) encode(r *rig, e metal.ComputeCommandEncoder) error {
	switch c.op {
	case opSetPipeline:
		if c.a == 2 {
			return e.SetComputePipelineState(nil)
		}
		return e.SetComputePipelineState(r.pipelines[c.a])
	case opSetBuffer:
		if c.a < 0 {
			return e.SetBuffer(nil, 0, c.size.X)
		}
		return e.SetBuffer(r.buffers[c.a], 4*c.b, c.size.X)
	case opSetBytes:
		return e.SetBytes(raw([]uint32{uint32(c.a)}), c.b)
	case opSetLength:
		return e.SetThreadgroupMemoryLength(c.a, c.b)
	case opDispatch:
		return e.DispatchThreadgroups(metal.Size{X: c.size.X, Y: 1, Z: 1}, metal.Size{X: c.size.Y, Y: 1, Z: 1})
	case opDispatchThreads:
		return e.DispatchThreads(metal.Size{X: c.size.X, Y: 1, Z: 1}, metal.Size{X: c.size.Y, Y: 1, Z: 1})
	case opBarrier:
		return e.MemoryBarrier()
	}
	return e.EndEncoding()
}

// raw returns words as bytes in memory.
func raw(words []uint32) []byte {
	b, _ := bytesOf(Words(words))
	return b
}

// compare says how what a call returned differs from the model, "" if it does not.
func (c call) compare(after *state, err error, made int, got []uint32, r *rig) string {
	if after.refused {
		if err == nil {
			return "it gives no error, and must: the call is out of order or its argument cannot be"
		}
		return ""
	}
	if err != nil {
		return fmt.Sprintf("it gives an error, and is legal: %v", err)
	}
	want := 0
	switch c.op {
	case opNewBuffer, opNewBufferWithBytes:
		want = len(after.buffers)
		if n := r.buffers[len(r.buffers)-1].Length(); n != 4*len(after.buffers[want-1].words) {
			return fmt.Sprintf("the buffer has %d bytes; it should have %d", n, 4*len(after.buffers[want-1].words))
		}
	case opCommandBuffer:
		want = len(after.commands)
	case opEncoder:
		want = len(after.encoders)
	case opRead:
		m := &after.buffers[c.on]
		for i, v := range got {
			if m.known[c.a+i] && v != m.words[c.a+i] {
				return fmt.Sprintf("word %d of b%d is %d; it should be %d", c.a+i, c.on, v, m.words[c.a+i])
			}
		}
	case opCommit:
		s := r.commands[c.on].Status()
		if s != metal.Completed && s != metal.Committed && s != metal.Scheduled {
			return fmt.Sprintf("the status after it is %d; it should be that of committed or completed work", s)
		}
	case opWait:
		if s := r.commands[c.on].Status(); s != metal.Completed {
			return fmt.Sprintf("the status after it is %d; it should be %d, completed", s, metal.Completed)
		}
	}
	if made != want {
		return fmt.Sprintf("%d objects of its kind were made; the model has %d", made, want)
	}
	return ""
}
