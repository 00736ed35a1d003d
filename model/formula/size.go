package formula

import (
	"fmt"
	"maps"
	"math"
)

// Sizes returns the size of each axis in e, where given says those of the inputs' axes: IndexOf says the others, and an axis that
// Rename names has the size of the axis it was.
//
// It is an error if an axis has no size or two, or one that is not from 0 to 2^31-1, and if a size depends on an array's values.
func (e *Expr) Sizes(given map[string]int) (map[string]int, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	s := &sizing{sizes: map[string]int{}}
	for _, in := range e.inputs {
		for _, a := range in.axes {
			n, ok := given[a]
			if !ok {
				return nil, fmt.Errorf("formula: axis %s of the input %s has no size", a, in.node.Name)
			}
			if err := s.put(a, int64(n), "the arrays"); err != nil {
				return nil, err
			}
		}
	}
	nodes := e.Nodes()
	for before := -1; before != len(s.sizes); {
		// An axis may need the size of another that is found later in the list.
		before = len(s.sizes)
		s.values = map[*Expr]value{}
		for _, n := range nodes {
			if err := s.node(n); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range nodes {
		names := n.axes
		if n.node.Op == OpLen {
			names = n.node.Axes
		}
		for _, a := range names {
			if _, ok := s.sizes[a]; !ok {
				return nil, fmt.Errorf("formula: axis %s has no size: no input has it, and no IndexOf of a known size makes it", a)
			}
		}
	}
	return maps.Clone(s.sizes), nil
}

// value is an integer scalar, or not known yet.
type value struct {
	v     int64
	known bool
	err   error
}

// sizing is the sizes found so far, and the values of scalars that follow from them.
type sizing struct {
	sizes  map[string]int
	values map[*Expr]value
}

func (s *sizing) put(axis string, n int64, source string) error {
	if n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("formula: axis %s has %d elements by %s, and has to have 0 to 2^31-1", axis, n, source)
	}
	if had, ok := s.sizes[axis]; ok && int64(had) != n {
		return fmt.Errorf("formula: axis %s has %d elements, and %d by %s", axis, had, n, source)
	}
	s.sizes[axis] = int(n)
	return nil
}

// node takes what n says of the size of an axis.
func (s *sizing) node(n *Expr) error {
	switch {
	case n.node.Op == OpRename:
		if size, ok := s.sizes[n.node.Axes[0]]; ok {
			return s.put(n.node.To, int64(size), n.String())
		}
	case n.node.Op == OpIndex && len(n.node.Args) > 0:
		v := s.value(n.node.Args[0])
		if v.err != nil {
			return fmt.Errorf("formula: the size of axis %s: %w", n.node.Axes[0], v.err)
		}
		if v.known {
			return s.put(n.node.Axes[0], v.v, n.String())
		}
	}
	return nil
}

// largest bounds the integers that sizes are computed from, so that none overflows.
const largest = 1 << 53

// value returns what an integer scalar is.
func (s *sizing) value(e *Expr) value {
	if v, ok := s.values[e]; ok {
		return v
	}
	n := e.node
	v := value{known: true}
	switch n.Op {
	case OpConst:
		v.v = int64(n.Value)
	case OpLen:
		size, ok := s.sizes[n.Axes[0]]
		v.v, v.known = int64(size), ok
	case OpAdd, OpSub, OpMul, OpQuo, OpMod, OpMaximum, OpMinimum:
		a, b := s.value(n.Args[0]), s.value(n.Args[1])
		switch {
		case a.err != nil:
			v = a
		case b.err != nil || !b.known:
			v = b
		case !a.known:
			v = a
		default:
			v = combine(n.Op, a.v, b.v)
		}
	default:
		v = value{err: fmt.Errorf("%s depends on more than sizes", e)}
	}
	s.values[e] = v
	return v
}

// combine returns an operation's value.
func combine(op Op, a, b int64) value {
	var v int64
	switch op {
	case OpAdd:
		v = a + b
	case OpSub:
		v = a - b
	case OpMul:
		if b != 0 && max(a, -a) > largest/max(b, -b) {
			return value{err: fmt.Errorf("%d·%d is beyond ±2^53", a, b)}
		}
		v = a * b
	case OpMaximum:
		v = max(a, b)
	case OpMinimum:
		v = min(a, b)
	default:
		if b == 0 {
			return value{err: fmt.Errorf("division of %d by 0", a)}
		}
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q-- // toward -∞
		}
		if v = q; op == OpMod {
			v = a - b*q
		}
	}
	if v > largest || v < -largest {
		return value{err: fmt.Errorf("%d is beyond ±2^53", v)}
	}
	return value{v: v, known: true}
}
