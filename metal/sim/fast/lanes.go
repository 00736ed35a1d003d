package fast

// lanes is a set of lanes of a threadgroup: all of [lo,hi), or those in list.
type lanes struct {
	lo, hi int
	list   []uint16 // ascending; nil: all from lo to hi
}

func (s *lanes) count() int {
	if s.list != nil {
		return len(s.list)
	}
	return s.hi - s.lo
}

func (s *lanes) empty() bool { return s.lo >= s.hi }

// first returns the lowest lane of a set that is not empty.
func (s *lanes) first() int { return s.lo }

// has reports whether lane l is in s.
func (s *lanes) has(l int) bool {
	if l < s.lo || l >= s.hi {
		return false
	}
	if s.list == nil {
		return true
	}
	lo, hi := 0, len(s.list)
	for lo < hi {
		if mid := (lo + hi) / 2; int(s.list[mid]) < l {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(s.list) && int(s.list[lo]) == l
}

// lanesOf returns the set of the lanes in an ascending list, which it keeps unless they are consecutive.
func lanesOf(list []uint16) lanes {
	if len(list) == 0 {
		return lanes{}
	}
	s := lanes{lo: int(list[0]), hi: int(list[len(list)-1]) + 1, list: list}
	if s.hi-s.lo == len(list) {
		s.list = nil
	}
	return s
}

// all returns the lanes of s in ascending order.
func (m *machine) all(s *lanes) []uint16 {
	if s.list != nil {
		return s.list
	}
	return m.iota[s.lo:s.hi]
}

// keep copies s into room, so that it outlives the room it was made in.
func keep(s lanes, room []uint16) lanes {
	if s.list != nil {
		s.list = room[:copy(room, s.list)]
	}
	return s
}

// join returns the union of two sets that have no lane in common, in room if it needs a list.
func (m *machine) join(s, o lanes, room []uint16) lanes {
	switch {
	case s.empty():
		return keep(o, room)
	case o.empty():
		return keep(s, room)
	case s.list == nil && o.list == nil && s.hi == o.lo:
		return lanes{lo: s.lo, hi: o.hi}
	case s.list == nil && o.list == nil && o.hi == s.lo:
		return lanes{lo: o.lo, hi: s.hi}
	}
	a, b := m.all(&s), m.all(&o)
	out := m.scratch[:0]
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i] < b[j] {
			out = append(out, a[i])
			i++
		} else {
			out = append(out, b[j])
			j++
		}
	}
	out = append(append(out, a[i:]...), b[j:]...)
	return keep(lanesOf(out), room)
}

// split returns the active lanes whose cond is true, and the others, in rooms yes and no if they need lists.
func (m *machine) split(cond []uint64, yes, no []uint16) (t, f lanes) {
	s := &m.act
	if s.list == nil {
		// Nearly always one boundary at most: threads below a limit, or one of them.
		lo, hi := s.lo, s.hi
		i := lo
		first := cond[lo]
		for i < hi && cond[i] == first {
			i++
		}
		j := i
		for j < hi && cond[j] != first {
			j++
		}
		if j == hi {
			a, b := lanes{lo: lo, hi: i}, lanes{lo: i, hi: hi}
			if first != 0 {
				return a, b
			}
			return b, a
		}
	}
	out, rest := m.scratch[:0], m.scratch2[:0]
	for _, l := range m.all(s) {
		if cond[l] != 0 {
			out = append(out, l)
		} else {
			rest = append(rest, l)
		}
	}
	return keep(lanesOf(out), yes), keep(lanesOf(rest), no)
}
