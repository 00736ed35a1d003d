package enclosure

import (
	"slices"

	"gamma/model/formula"
)

// correlated reports whether an error that many elements share meets itself again: two operands of one operation depend on it, or a sum adds
// its derivatives. Elsewhere the mean-value form is no narrower than plain intervals but for what one element's own errors do twice, and it
// is not evaluated.
func (p *Program) correlated() bool {
	shared := make([][]int, len(p.steps)) // the broadcast nodes whose errors reach each step
	for i := range p.steps {
		s := &p.steps[i]
		for k, a := range s.args {
			for _, n := range p.reaching(s, a, shared[a]) {
				if slices.Contains(shared[i], n) && k > 0 {
					return true
				}
				if s.Op != opSquare && s.Op.Class() == formula.Reduction && adds(s.Op) && len(shared[a]) > 0 {
					return true
				}
				shared[i] = append(shared[i], n)
			}
		}
	}
	return false
}

// reaching returns the shared errors that step s sees in its operand a.
func (p *Program) reaching(s *step, a int, shared []int) []int {
	if p.errorFree(a) {
		return nil
	}
	if isElementwise(s.Op) && len(p.steps[a].axes) < len(s.axes) {
		return []int{a}
	}
	return shared
}

func adds(op formula.Op) bool { return op == formula.OpSum || op == formula.OpDot }

// errorFree reports whether step i is an input, or of inputs by operations that do not round.
func (p *Program) errorFree(i int) bool {
	s := &p.steps[i]
	switch {
	case s.Op == opSquare || !s.typ.IsReal() && s.Op.Class() != formula.Leaf:
		return false
	case s.Op.Class() == formula.Leaf:
		return true
	}
	switch s.Op {
	case formula.OpMax, formula.OpMin, formula.OpMaximum, formula.OpMinimum, formula.OpAbs, formula.OpNeg,
		formula.OpScanMax, formula.OpScanMin, formula.OpGather, formula.OpRename, formula.OpOrder, formula.OpSelect:
		for _, a := range s.args {
			if !p.errorFree(a) {
				return false
			}
		}
		return true
	}
	return false
}
