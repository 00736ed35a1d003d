package model_test

// stream runs an algorithm that reads its leaves one after the other over all inputs at once. Its
// state is a few toy numbers, the running sum first, and for every state the front of
// (running sum - exact sum, A) over all inputs that lead there is kept.
type stream struct {
	leaves []term
	start  func(x int64) state          // after the first leaf
	step   func(s state, x int64) state // after another
	window int64                        // states with a larger word are dropped
}

// term is a leaf v that the algorithm reads, which may itself be computed from exact terms: at
// holds v's errors and their magnitudes.
type term struct {
	v  int64
	at front
}

// state is the words of a streaming algorithm.
type state [3]int64

type states map[state]front

// terms returns the numbers as leaves that stand for themselves.
func terms(nums []int64) []term {
	list := make([]term, len(nums))
	for i, x := range nums {
		list[i] = term{x, front{{0, max(x, -x)}}}
	}
	return list
}

// add offers every sum of a point of f and one of g, moved by e, to s.
func (m states) add(s state, e int64, f, g front) {
	to := m[s]
	for _, p := range f {
		for _, q := range g {
			to = to.with(point{p.e + q.e + e, p.a + q.a})
		}
	}
	m[s] = to
}

func (a stream) inside(s state) bool {
	for _, w := range s {
		if w > a.window || w < -a.window {
			return false
		}
	}
	return true
}

// first returns the states after one leaf.
func (a stream) first() states {
	m := states{}
	for _, x := range a.leaves {
		if s := a.start(x.v); a.inside(s) {
			m.add(s, s[0]-x.v, front{{0, 0}}, x.at)
		}
	}
	return m
}

// next returns the states after one leaf more.
func (a stream) next(from states) states {
	m := make(states, len(from))
	for s, f := range from {
		for _, x := range a.leaves {
			if t := a.step(s, x.v); a.inside(t) {
				m.add(t, t[0]-s[0]-x.v, f, x.at)
			}
		}
	}
	return m
}

// results returns the fronts of finish's results, their errors now being result - exact sum.
func (m states) results(finish func(state) int64) map[int64]front {
	out := map[int64]front{}
	for s, f := range m {
		r := finish(s)
		to := out[r]
		for _, p := range f {
			to = to.with(point{p.e + r - s[0], p.a})
		}
		out[r] = to
	}
	return out
}

// kahan is Kahan's sum: the words are s and c.
func (t toy) kahan() stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			y := t.one(x - w[1])
			s := t.one(w[0] + y)
			return state{s, t.one(t.one(s-w[0]) - y)}
		},
	}
}

// sum2 is the sum by two-sums: the words are s and the sum c of the error words.
func (t toy) sum2() stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			s, e := t.twoSum(w[0], x)
			return state{s, t.one(w[1] + e)}
		},
	}
}

// klein is the second-order sum: the words are s, c and cc.
func (t toy) klein() stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			s, e := t.twoSum(w[0], x)
			c, f := t.twoSum(w[1], e)
			return state{s, c, t.one(w[2] + f)}
		},
	}
}

// sum3 is SumK with three folds: the words are the running sums of the three passes, of which the
// last two go on with what the pass before ends with.
func (t toy) sum3() (stream, func(state) int64) {
	return t.klein(), func(w state) int64 {
		top, e := t.twoSum(w[1], w[0])
		return t.one(t.one(w[2]+e) + top)
	}
}

// dot2 is sum2 over products with error-free halves; its leaves are the exact products.
func (t toy) dot2() stream {
	return stream{
		start: func(x int64) state {
			p := t.one(x)
			return state{p, t.one(x - p)}
		},
		step: func(w state, x int64) state {
			p := t.one(x)
			s, e := t.twoSum(w[0], p)
			return state{s, t.one(w[1] + t.one(e+t.one(x-p)))}
		},
	}
}

// blocks returns the sums of blocks of b leaves from left to right, as terms.
func (t toy) blocks(b int) []term {
	plain := stream{
		leaves: terms(t.numbers()), window: 1 << t.top,
		start: func(x int64) state { return state{x} },
		step:  func(w state, x int64) state { return state{t.one(w[0] + x)} },
	}
	m := plain.first()
	for range b - 1 {
		m = plain.next(m)
	}
	var list []term
	for s, f := range m {
		list = append(list, term{s[0], f})
	}
	return list
}

// plus is an addition with its flushes.
func (t toy) plus(a, b int64) int64 { return t.one(t.operand(a) + t.operand(b)) }

// kahanFlushing is kahan by additions that may flush.
func (t toy) kahanFlushing() stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			y := t.plus(x, -w[1])
			s := t.plus(w[0], y)
			return state{s, t.plus(t.plus(s, -w[0]), -y)}
		},
	}
}

// sum2Flushing is sum2 by additions that may flush: Knuth's two-sum, or the one by comparison.
func (t toy) sum2Flushing(knuth bool) stream {
	return stream{
		start: func(x int64) state { return state{x} },
		step: func(w state, x int64) state {
			a, b := w[0], x
			s := t.plus(a, b)
			var e int64
			switch {
			case knuth:
				bb := t.plus(s, -a)
				e = t.plus(t.plus(a, -t.plus(s, -bb)), t.plus(b, -bb))
			case max(a, -a) >= max(b, -b):
				e = t.plus(t.plus(a, -s), b)
			default:
				e = t.plus(t.plus(b, -s), a)
			}
			return state{s, t.plus(w[1], e)}
		},
	}
}
