package lower

import "gamma/metal/msl/typed"

// countUses counts for every variable how often it is named, and how often only to follow the pointer that it holds.
func (s *storage) countUses(st typed.Stmt) {
	switch st := st.(type) {
	case nil:
	case *typed.Block:
		if st == nil {
			return
		}
		for _, x := range st.Stmts {
			s.countUses(x)
		}
	case *typed.VarStmt:
		s.countExpr(st.Init)
		s.countPlace(st.Bind)
	case *typed.ExprStmt:
		s.countExpr(st.X)
	case *typed.If:
		s.countExpr(st.Cond)
		s.countUses(st.Then)
		s.countUses(st.Else)
	case *typed.Loop:
		s.countUses(st.Init)
		s.countExpr(st.Cond)
		s.countExpr(st.Post)
		s.countUses(st.Body)
	case *typed.Switch:
		s.countExpr(st.X)
		for _, c := range st.Cases {
			for _, x := range c.Stmts {
				s.countUses(x)
			}
		}
	case *typed.Return:
		s.countExpr(st.X)
	}
}

func (s *storage) countPlace(p typed.Place) {
	switch p := p.(type) {
	case *typed.VarPlace:
		s.uses[p.Var]++
	case *typed.Deref:
		if v := loadedVar(p.Ptr); v != nil {
			s.follows[v]++
		}
		s.countExpr(p.Ptr)
	case *typed.FieldPlace:
		s.countPlace(p.X)
	case *typed.IndexPlace:
		s.countPlace(p.X)
		s.countExpr(p.I)
	case *typed.SwizzlePlace:
		s.countPlace(p.X)
	case *typed.TempPlace:
		s.countExpr(p.X)
	case *typed.SeqPlace:
		s.countExprs(p.Effects)
		s.countPlace(p.X)
	case *typed.CondPlace:
		s.countExpr(p.C)
		s.countPlace(p.T)
		s.countPlace(p.F)
	}
}

func (s *storage) countExprs(list []typed.Expr) {
	for _, e := range list {
		s.countExpr(e)
	}
}

func (s *storage) countArgs(fn *typed.Func, args []typed.Expr, places []typed.Place) {
	info := s.l.info(fn)
	for i, a := range args {
		if a == nil {
			continue
		}
		if i < len(fn.Params) && info.refLike[fn.Params[i]] {
			if v := loadedVar(a); v != nil {
				s.follows[v]++
			}
		}
		s.countExpr(a)
	}
	for _, p := range places {
		s.countPlace(p)
	}
}

func (s *storage) countExpr(e typed.Expr) {
	switch e := e.(type) {
	case *typed.LoadExpr:
		s.countPlace(e.X)
	case *typed.AddrOf:
		s.countPlace(e.X)
	case *typed.Unary:
		s.countExpr(e.X)
	case *typed.Binary:
		s.countExpr(e.L)
		s.countExpr(e.R)
	case *typed.Ternary:
		s.countExprs([]typed.Expr{e.A, e.B, e.C})
	case *typed.Quaternary:
		s.countExprs([]typed.Expr{e.A, e.B, e.C, e.D})
	case *typed.ConvertExpr:
		s.countExpr(e.X)
	case *typed.PtrConvert:
		s.countExpr(e.X)
	case *typed.BitcastExpr:
		s.countExpr(e.X)
	case *typed.Splat:
		s.countExpr(e.X)
	case *typed.MakeVector:
		s.countExprs(e.Elems)
	case *typed.Aggregate:
		s.countExprs(e.Elems)
	case *typed.FieldExpr:
		s.countExpr(e.X)
	case *typed.SwizzleExpr:
		s.countExpr(e.X)
	case *typed.IndexExpr:
		s.countExpr(e.X)
		s.countExpr(e.I)
	case *typed.CondExpr:
		s.countExprs([]typed.Expr{e.C, e.T, e.F})
	case *typed.Logical:
		s.countExpr(e.L)
		s.countExpr(e.R)
	case *typed.AssignExpr:
		s.countExpr(e.X)
		s.countPlace(e.To)
	case *typed.CompoundExpr:
		s.countExpr(e.X)
		s.countPlace(e.To)
	case *typed.IncDec:
		s.countPlace(e.To)
	case *typed.PtrAddExpr:
		s.countExpr(e.X)
		s.countExpr(e.I)
	case *typed.PtrDiff:
		s.countExpr(e.L)
		s.countExpr(e.R)
	case *typed.PtrCompare:
		s.countExpr(e.L)
		s.countExpr(e.R)
	case *typed.Call:
		s.countArgs(e.Func, e.Args, e.Places)
	case *typed.ConstructExpr:
		s.countArgs(e.Func, e.Args, e.Places)
	case *typed.AtomicExpr:
		s.countExpr(e.Ptr)
		s.countExpr(e.X)
		s.countPlace(e.Expected)
	case *typed.SimdExpr:
		s.countExprs(e.Args)
	case *typed.SeqExpr:
		s.countExprs(e.Effects)
		s.countExpr(e.X)
	case *typed.TwoResults:
		s.countExpr(e.X)
		s.countPlace(e.Out)
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
