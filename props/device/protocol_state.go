package device

import (
	"maps"
	"slices"
)

// state is the model: what a device's objects are, by the order in which they were made. It does not change once given out.
type state struct {
	buffers  []memory
	commands []commands
	encoders []encoder
	over     bool // the queue was released
	refused  bool // the last call must have given an error
}

// memory is a buffer: its words, and which of them are known.
type memory struct {
	words    []uint32
	known    []bool
	released bool
}

// commands is a command buffer: the dispatches to run, and which encoder is open, -1 for none.
type commands struct {
	work      []work
	open      int
	committed bool
}

// encoder is a compute encoder, with what is bound.
type encoder struct {
	of         int // command buffer
	concurrent bool
	ended      bool
	pipeline   int // -1: none
	slots      [2]slot
	value      int         // of fill, -1: none
	count      int         // n, -1: none
	touched    map[int]int // since the last barrier, of a concurrent encoder: buffer to 1 read, 2 written
}

// slot is a buffer bound from a word on; buffer is -1 for none.
type slot struct{ buffer, from int }

// work is one dispatch with its bindings.
type work struct {
	pipeline     int
	out, in      slot
	value, count int
	threads      int
}

// copied returns a state that may be changed down to the slices of the objects; words are copied by those who write them.
func (s *state) copied() *state {
	c := *s
	c.buffers, c.commands, c.encoders = slices.Clone(s.buffers), slices.Clone(s.commands), slices.Clone(s.encoders)
	return &c
}

// write gives buffer i memory of its own to write to.
func (s *state) write(i int) *memory {
	m := &s.buffers[i]
	m.words, m.known = slices.Clone(m.words), slices.Clone(m.known)
	return m
}

// run carries out a dispatch.
func (s *state) run(w work) {
	n := min(w.count, w.threads)
	m := s.write(w.out.buffer)
	for i := range n {
		at := w.out.from + i
		if w.pipeline == 0 {
			m.words[at], m.known[at] = uint32(w.value+i), true
			continue
		}
		m.words[at] += s.buffers[w.in.buffer].words[w.in.from+i]
	}
}

// fits says whether a dispatch stays inside its buffers.
func (s *state) fits(w work) bool {
	n := min(w.count, w.threads)
	if w.out.from+n > len(s.buffers[w.out.buffer].words) {
		return false
	}
	return w.pipeline == 0 || w.in.buffer != w.out.buffer && w.in.from+n <= len(s.buffers[w.in.buffer].words)
}

// defined says whether all that a list of dispatches reads is known when they run one after the other.
func (s *state) defined(list []work) bool {
	known := make([][]bool, len(s.buffers))
	for i, m := range s.buffers {
		known[i] = slices.Clone(m.known)
	}
	for _, w := range list {
		for i := range min(w.count, w.threads) {
			if w.pipeline == 0 {
				known[w.out.buffer][w.out.from+i] = true
			} else if !known[w.out.buffer][w.out.from+i] || !known[w.in.buffer][w.in.from+i] {
				return false
			}
		}
	}
	return true
}

// touch notes what a dispatch of a concurrent encoder does to its buffers, and reports whether that needs a barrier first.
func (e *encoder) touch(w work) (free bool) {
	t := maps.Clone(e.touched)
	if t == nil {
		t = map[int]int{}
	}
	if t[w.out.buffer] != 0 || w.pipeline == 1 && t[w.in.buffer] == 2 {
		return false
	}
	t[w.out.buffer] = 2
	if w.pipeline == 1 {
		t[w.in.buffer] = max(t[w.in.buffer], 1)
	}
	e.touched = t
	return true
}
