package sim

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
)

// Outcome is what the buffers of a command buffer hold after one of its possible runs.
type Outcome struct{ contents map[*memory][]byte }

// Read copies len(dst) bytes of b from byte offset, as they are in this outcome.
func (o Outcome) Read(b metal.Buffer, offset int, dst []byte) error {
	m, ok := protocol.MemoryOf(b).(*memory)
	if !ok {
		return errorf("the buffer, a %T, is of another device; make it with this one", b)
	}
	data, ok := o.contents[m]
	if !ok {
		return errorf("no dispatch of the command buffer uses the buffer; read it itself")
	}
	if offset < 0 || offset > len(data) || len(dst) > len(data)-offset {
		return errorf("read of bytes %d to %d of a buffer that has %d; stay inside", offset, offset+len(dst), len(data))
	}
	copy(dst, data[offset:])
	return nil
}

// Outcomes tries every schedule of what c encoded, under the order that d's behaviour names: with "stages" threads take turns at barriers, with
// "accesses" at every access to shared memory; the other orders have one schedule. It calls each once for every distinct
// content of the buffers at the end. The buffers stay as they are, and c can still be committed.
//
// It is for tiny launches: at most limit states are explored in each dispatch, and at most limit contents between two, and Options.Steps
// bounds the instructions of all schedules of a dispatch together. complete is false if these did not suffice, or because each said to
// stop. Findings are not made. Dispatches that a Concurrent encoder does not order are refused.
func (d *Device) Outcomes(c metal.CommandBuffer, limit int, each func(Outcome) bool) (complete bool, err error) {
	release, err := protocol.Hold(d.base)
	if err != nil {
		return false, err
	}
	defer release()
	pending, given, err := protocol.Pending(d.base, "Outcomes", c)
	switch {
	case err != nil:
		return false, err
	case each == nil:
		return false, errorf("Outcomes: there is no function to call with each outcome; give one")
	case limit < 1:
		return false, errorf("Outcomes: a limit of %d states leaves nothing to explore; use 1 or more", limit)
	}
	w := pending.(*work)
	for _, pass := range w.passes(given) {
		if len(pass) > 1 {
			return false, errorf("Outcomes: %d dispatches of a concurrent encoder are not ordered; put a MemoryBarrier between each two", len(pass))
		}
	}
	launches := w.launches
	unlock := lock(launches)
	states := []state{present(launches)}
	unlock()
	complete = true
	for i := range launches {
		next := map[[32]byte]state{}
		for _, s := range states {
			whole, err := d.b.explore(&launches[i], s, limit, next)
			if err != nil {
				return false, err
			}
			complete = complete && whole && len(next) <= limit
		}
		states = states[:0]
		for _, s := range next {
			states = append(states, s)
		}
	}
	slices.SortFunc(states, compareStates)
	for _, s := range states {
		o := Outcome{contents: map[*memory][]byte{}}
		for i, m := range s.buffers {
			o.contents[m] = s.memory[i].Bytes
		}
		if !each(o) {
			return false, nil
		}
	}
	return complete, nil
}

// state is what buffers hold between two dispatches.
type state struct {
	buffers []*memory
	memory  []*engine.Memory
}

// present copies what the memories of launches hold, which are locked.
func present(launches []launch) state {
	var s state
	for _, l := range launches {
		for _, m := range l.memories {
			if m != nil && !slices.Contains(s.buffers, m) {
				s.buffers = append(s.buffers, m)
				s.memory = append(s.memory, &engine.Memory{Bytes: bytes.Clone(m.Bytes), Init: bytes.Clone(m.Init), Name: m.Name})
			}
		}
	}
	return s
}

// with returns s with the contents that one run of l left.
func (s state) with(l *launch, mem []engine.Memory) state {
	memory := slices.Clone(s.memory)
	for i, b := range l.memories {
		if b == nil {
			continue
		}
		at := slices.Index(s.buffers, b)
		m := &engine.Memory{Bytes: mem[i].Bytes, Init: memory[at].Init, Name: memory[at].Name}
		if !l.k.code.Buffers[i].ReadOnly {
			m.Init = nil
		}
		memory[at] = m
	}
	return state{s.buffers, memory}
}

func (s state) key() [32]byte {
	h := sha256.New()
	for _, m := range s.memory {
		h.Write(m.Bytes)
	}
	return [32]byte(h.Sum(nil))
}

func compareStates(a, b state) int {
	for i := range a.memory {
		if c := bytes.Compare(a.memory[i].Bytes, b.memory[i].Bytes); c != 0 {
			return c
		}
	}
	return 0
}

// explore adds to next what l may make of s.
func (b *backend) explore(l *launch, s state, limit int, next map[[32]byte]state) (complete bool, err error) {
	defer name.Rescue("exploring "+l.k.title(), &err)
	p, err := l.k.program(variantOf(b.o.Behaviour, Adversarial))
	if err != nil {
		return false, err
	}
	d := &engine.Dispatch{Kernel: p.code, Grid: l.grid, Group: l.group, Args: slices.Clone(l.args)}
	for i, m := range l.memories {
		if m != nil {
			d.Args[i].Mem = s.memory[slices.Index(s.buffers, m)]
		}
	}
	return p.Program.(*adversary.Program).Outcomes(d, b.runOptions(Adversarial, 0, d.Grid), limit, func(mem []engine.Memory) bool {
		t := s.with(l, mem)
		next[t.key()] = t
		return len(next) <= limit
	})
}
