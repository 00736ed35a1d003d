package typed

// EachPart calls f for the statements, expressions and places that n, one of those itself, is made of, in the order of evaluation: an
// assignment's value before its place. Parts that n does without are left out. What a place or a function refers to is not a part of it.
func EachPart(n any, f func(part any)) {
	one := func(x any) {
		if x != nil {
			f(x)
		}
	}
	switch n := n.(type) {
	case *Block:
		if n != nil {
			each(n.Stmts, one)
		}
	case *VarStmt:
		one(n.Init)
		one(n.Bind)
	case *ExprStmt:
		one(n.X)
	case *If:
		one(n.Cond)
		one(n.Then)
		one(n.Else)
	case *Loop:
		one(n.Init)
		one(n.Cond)
		one(n.Post)
		one(n.Body)
	case *Switch:
		one(n.X)
		for _, c := range n.Cases {
			each(c.Stmts, one)
		}
	case *Return:
		one(n.X)
	default:
		partsOfPlace(n, one)
		partsOfValue(n, one)
	}
}

func each[T any](list []T, f func(any)) {
	for _, x := range list {
		f(x)
	}
}

func partsOfPlace(p any, f func(any)) {
	switch p := p.(type) {
	case *Deref:
		f(p.Ptr)
	case *FieldPlace:
		f(p.X)
	case *IndexPlace:
		f(p.X)
		f(p.I)
	case *SwizzlePlace:
		f(p.X)
	case *TempPlace:
		f(p.X)
	case *SeqPlace:
		each(p.Effects, f)
		f(p.X)
	case *CondPlace:
		f(p.C)
		f(p.T)
		f(p.F)
	}
}

func partsOfValue(e any, f func(any)) {
	switch e := e.(type) {
	case *LoadExpr:
		f(e.X)
	case *AddrOf:
		f(e.X)
	case *Unary:
		f(e.X)
	case *Binary:
		f(e.L)
		f(e.R)
	case *Ternary:
		f(e.A)
		f(e.B)
		f(e.C)
	case *Quaternary:
		f(e.A)
		f(e.B)
		f(e.C)
		f(e.D)
	case *ConvertExpr:
		f(e.X)
	case *PtrConvert:
		f(e.X)
	case *BitcastExpr:
		f(e.X)
	case *Splat:
		f(e.X)
	case *MakeVector:
		each(e.Elems, f)
	case *Aggregate:
		each(e.Elems, f)
	case *FieldExpr:
		f(e.X)
	case *SwizzleExpr:
		f(e.X)
	case *IndexExpr:
		f(e.X)
		f(e.I)
	case *CondExpr:
		f(e.C)
		f(e.T)
		f(e.F)
	case *Logical:
		f(e.L)
		f(e.R)
	case *AssignExpr:
		f(e.X)
		f(e.To)
	case *CompoundExpr:
		f(e.X)
		f(e.To)
	case *IncDec:
		f(e.To)
	case *PtrAddExpr:
		f(e.X)
		f(e.I)
	case *PtrDiff:
		f(e.L)
		f(e.R)
	case *PtrCompare:
		f(e.L)
		f(e.R)
	case *Call:
		each(e.Args, f)
		each(e.Places, f)
	case *ConstructExpr:
		each(e.Args, f)
		each(e.Places, f)
	case *AtomicExpr:
		f(e.Ptr)
		f(e.X)
		f(e.Expected)
	case *SimdExpr:
		each(e.Args, f)
	case *ReportExpr:
		each(e.Args, f)
	case *SeqExpr:
		each(e.Effects, f)
		f(e.X)
	case *TwoResults:
		f(e.X)
		f(e.Out)
	}
}
