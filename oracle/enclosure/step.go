package enclosure

import (
	"fmt"
	"math"

	"gamma/model/formula"
)

// step evaluates step i.
func (r *run) step(i int) error {
	s := &r.p.steps[i]
	a, err := r.evaluate(s)
	r.arrays[i] = a
	return err
}

func (r *run) evaluate(s *step) (*array, error) {
	switch s.Op {
	case formula.OpInput:
		return r.input(s)
	case formula.OpConst:
		return r.constant(s)
	case formula.OpIndex, formula.OpLen:
		return r.position(s)
	case formula.OpStore:
		return r.store(s)
	case formula.OpSum:
		return r.sum(s)
	case formula.OpDot:
		return r.dot(s)
	case formula.OpProd:
		return r.prod(s)
	case formula.OpMax:
		return r.extreme(s, 1)
	case formula.OpMin:
		return r.extreme(s, -1)
	case formula.OpArgMax:
		return r.argument(s, 1)
	case formula.OpArgMin:
		return r.argument(s, -1)
	case formula.OpAny:
		return r.connective(s, 0, math.Max)
	case formula.OpAll:
		return r.connective(s, 1, math.Min)
	case formula.OpCount:
		return r.connective(s, 0, func(x, y float64) float64 { return x + y })
	case formula.OpScanSum, formula.OpScanProd, formula.OpScanMax, formula.OpScanMin:
		return r.scan(s)
	case formula.OpGather:
		return r.gather(s)
	case formula.OpRename, formula.OpOrder:
		return r.reorder(s)
	}
	if s.Op != opSquare && s.Op.Class() != formula.Elementwise {
		return nil, fmt.Errorf("enclosure: there is no rule for %s", s.Op)
	}
	return r.elementwise(s)
}
