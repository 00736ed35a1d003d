package engine

import "time"

// pace is how long the inputs of a search take, by their size, so that none is begun that would end after the search's time.
type pace struct {
	start time.Time
	last  map[int]time.Duration // what the last input of each size took, if that was leastPace or more
	quick int                   // the greatest size of which one took less
}

// leastPace is the longest that an input may end late, whatever was judged before it.
const leastPace = time.Millisecond

// note says how long an input of n elements took.
func (p *pace) note(n int, took time.Duration) {
	switch {
	case took < leastPace:
		delete(p.last, n)
		p.quick = max(p.quick, n)
		return
	case p.last == nil:
		p.last = map[int]time.Duration{}
	}
	p.last[n] = took
}

// fits reports whether an input of n elements would end in time, if it takes as long as the last of its size, or if there was none as long as expected says.
func (p *pace) fits(n int, end time.Duration) bool {
	if len(p.last) == 0 {
		return true
	}
	took, ok := p.last[n]
	if !ok && n > p.quick {
		took = p.expected(n)
	}
	return took <= end-time.Since(p.start)
}

// expected returns how long an input of n elements takes if time grows as it did up to the greatest size below n that was judged: in proportion where a small one
// was quick, and otherwise from the least size on, since each takes some time however small it is; 0 if none is known.
func (p *pace) expected(n int) time.Duration {
	least, most := 0, 0
	for m := range p.last {
		if m < n {
			most = max(most, m)
			if least == 0 || m < least {
				least = m
			}
		}
	}
	took, base := p.last[most], p.last[least]
	switch {
	case most == 0:
		return 0
	case p.quick > 0:
		least, base = 0, 0
	case 2*least > most:
		return took
	}
	return took + time.Duration(float64(took-base)/float64(most-least)*float64(n-most))
}
