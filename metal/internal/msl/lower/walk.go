package lower

import "gamma/metal/internal/msl/typed"

// countUses counts for every variable how often it is named in n, and how often only to follow the pointer that it holds.
func (s *storage) countUses(n any) {
	switch n := n.(type) {
	case *typed.VarPlace:
		s.uses[n.Var]++
	case *typed.Deref:
		s.countFollowed(n.Ptr)
	case *typed.Call:
		s.countArgs(n.Func, n.Args)
	case *typed.ConstructExpr:
		s.countArgs(n.Func, n.Args)
	}
	typed.EachPart(n, s.countUses)
}

// countArgs counts the pointers that fn only follows.
func (s *storage) countArgs(fn *typed.Func, args []typed.Expr) {
	info := s.l.info(fn)
	for i, a := range args {
		if a != nil && i < len(fn.Params) && info.refLike[fn.Params[i]] {
			s.countFollowed(a)
		}
	}
}

func (s *storage) countFollowed(pointer typed.Expr) {
	if v := loadedVar(pointer); v != nil {
		s.follows[v]++
	}
}

// asPlace returns the place that a part of a loaded value is, so that only this part has to be loaded.
func asPlace(e typed.Expr) typed.Place {
	switch e := e.(type) {
	case *typed.LoadExpr:
		return e.X
	case *typed.FieldExpr:
		if p := asPlace(e.X); p != nil {
			return &typed.FieldPlace{X: p, Index: e.Index, Pos: e.Pos}
		}
	case *typed.IndexExpr:
		if p := asPlace(e.X); p != nil {
			return &typed.IndexPlace{X: p, I: e.I, Pos: e.Pos}
		}
	case *typed.SwizzleExpr:
		if p := asPlace(e.X); p != nil {
			return &typed.SwizzlePlace{X: p, Comps: e.Comps, Pos: e.Pos}
		}
	}
	return nil
}
