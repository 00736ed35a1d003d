package device

import (
	"gamma/metal"
	"gamma/props"
)

// maxWords is the length of the longest buffer that the protocol makes.
const maxWords = 40

// draw draws a call for a state: mostly one that goes on with what was begun, and one time in six any.
func draw(s *state, below func(n int) int) props.ProtocolCommand[*state, *rig] {
	if below(2) == 0 {
		if c := drawNext(s, below); c.Possible(s) {
			return step{c.turnedIn(s)}
		}
	}
	for range 50 {
		if c := drawAny(s, below); c.Possible(s) && (!c.illegal(s) || below(3) == 0) {
			return step{c.turnedIn(s)}
		}
	}
	return step{call{op: opNewBuffer, a: 1}}
}

// drawNext draws the call that is missing until the newest encoder has dispatched something and it was run and read.
func drawNext(s *state, below func(n int) int) call {
	c := len(s.commands) - 1
	live := -1
	for i, m := range s.buffers {
		if !m.released && (live < 0 || below(2) == 0) {
			live = i
		}
	}
	switch {
	case live < 0:
		return call{op: opNewBufferWithBytes, data: []uint32{uint32(below(9)), 1, 2, 3, 4, 5, 6, 7}}
	case c < 0 || s.commands[c].committed:
		switch {
		case c >= 0 && below(4) == 0:
			return call{op: opWait, on: c}
		case c >= 0 && below(2) == 0:
			return call{op: opRead, on: live, b: len(s.buffers[live].words)}
		}
		return call{op: opCommandBuffer}
	case s.commands[c].open < 0 && len(s.commands[c].work) > 0 && below(2) == 0:
		return call{op: opCommit, on: c}
	case s.commands[c].open < 0:
		return call{op: opEncoder, on: c, a: below(2)}
	}
	e := s.commands[c].open
	switch enc := &s.encoders[e]; {
	case enc.pipeline < 0:
		return call{op: opSetPipeline, on: e, a: below(2)}
	case enc.slots[0].buffer < 0:
		return call{op: opSetBuffer, on: e, a: live, size: metal.Size{X: 0}, b: below(2) * below(len(s.buffers[live].words))}
	case enc.slots[1].buffer < 0 && enc.pipeline == 1:
		return call{op: opSetBuffer, on: e, a: live, size: metal.Size{X: 1}}
	case enc.value < 0 && enc.pipeline == 0:
		return call{op: opSetBytes, on: e, a: below(1000), b: 2}
	case enc.count < 0:
		return call{op: opSetBytes, on: e, a: 1 + below(maxWords), b: 3}
	}
	switch d := (call{op: opDispatchThreads, on: e, size: metal.Size{X: 1 + below(maxWords), Y: 1 + below(16)}}); below(6) {
	case 0:
		return call{op: opEnd, on: e}
	case 1:
		return call{op: opSetBytes, on: e, a: 1 + below(8), b: 3}
	case 2:
		return call{op: opSetBuffer, on: e, a: live, size: metal.Size{X: below(2)}}
	case 3:
		d.op, d.size.X = opDispatch, 1+below(3)
		return d
	default:
		return d
	}
}

// drawAny draws a call on the newest objects most of the time.
func drawAny(s *state, below func(n int) int) call {
	newest := func(n int) int {
		if n > 1 && below(4) == 0 {
			return below(n)
		}
		return max(n-1, 0)
	}
	words := func(n int) []uint32 {
		w := make([]uint32, n)
		for i := range w {
			w[i] = uint32(below(1 << 20))
		}
		return w
	}
	odd := below(12) == 0 // an argument that may be illegal
	b, e, c := 0, newest(len(s.encoders)), newest(len(s.commands))
	if len(s.buffers) > 0 {
		b = below(len(s.buffers))
	}
	size := 1
	if b < len(s.buffers) {
		size = len(s.buffers[b].words)
	}
	index := func(legal ...int) int {
		if odd {
			return []int{-1, metal.MaxBufferIndex + 1}[below(2)]
		}
		return legal[below(len(legal))]
	}
	switch below(24) {
	case 0:
		if odd {
			return call{op: opNewBuffer, a: -below(2)}
		}
		return call{op: opNewBuffer, a: 1 + below(maxWords)}
	case 1, 2:
		n := 1 + below(maxWords)
		if odd {
			n = 0
		}
		return call{op: opNewBufferWithBytes, data: words(n)}
	case 3, 4:
		at := below(size)
		n := below(size - at + 1)
		if odd {
			at, n = below(size+2)-1, below(size+2)
		}
		return call{op: opWrite, on: b, a: at, data: words(n)}
	case 5, 6, 7:
		at := below(size)
		n := size - at
		if odd {
			at, n = below(size+2)-1, below(size+2)
		}
		return call{op: opRead, on: b, a: at, b: n}
	case 8:
		if below(4) == 0 {
			return call{op: opRelease, on: b}
		}
		fallthrough
	case 9:
		return call{op: opCommandBuffer}
	case 10, 11:
		return call{op: opEncoder, on: c, a: below(2)}
	case 12, 13:
		return call{op: opSetPipeline, on: e, a: below(2) + map[bool]int{true: 1}[odd]}
	case 14, 15:
		return drawSetBuffer(e, b, size, odd, below, index)
	case 16, 17:
		at := index(2, 3)
		v := below(1000)
		if at == 3 {
			v = below(maxWords)
		}
		return call{op: opSetBytes, on: e, a: v, b: at}
	case 18:
		n := 16 * below(4)
		if odd {
			n = []int{-16, 1, 24}[below(3)]
		}
		return call{op: opSetLength, on: e, a: n, b: index(0, 1, 2)}
	case 19, 20:
		return drawDispatch(e, odd, below)
	case 21:
		return call{op: opBarrier, on: e}
	case 22:
		if below(40) == 0 {
			return call{op: opReleaseQueue}
		}
		return call{op: opEnd, on: e}
	}
	if below(3) == 0 {
		return call{op: opWait, on: c}
	}
	return call{op: opCommit, on: c}
}

// drawSetBuffer binds buffer b, of so many words, or none, to encoder e.
func drawSetBuffer(e, b, size int, odd bool, below func(n int) int, index func(legal ...int) int) call {
	if below(16) == 0 {
		b = -1
	}
	at := 0
	if size > 1 && below(3) == 0 {
		at = below(size)
	}
	if odd && below(2) == 0 {
		at = []int{-1, size, size + 3}[below(3)]
		return call{op: opSetBuffer, on: e, a: b, b: at, size: metal.Size{X: below(2)}}
	}
	return call{op: opSetBuffer, on: e, a: b, b: max(at, 0), size: metal.Size{X: index(0, 1)}}
}

// drawDispatch dispatches threadgroups or threads on encoder e.
func drawDispatch(e int, odd bool, below func(n int) int) call {
	d := call{op: opDispatch, on: e, size: metal.Size{X: 1 + below(3), Y: 1 + below(16)}}
	if below(2) == 0 {
		d = call{op: opDispatchThreads, on: e, size: metal.Size{X: 1 + below(maxWords), Y: 1 + below(16)}}
	}
	if odd {
		d.size = []metal.Size{{X: 0, Y: 1}, {X: 1, Y: 0}, {X: -1, Y: 4}, {X: 1, Y: 1025}, {X: 1, Y: -3}}[below(5)]
	}
	return d
}
