package typed

// Pure reports whether x certainly does nothing but give a value. Reading volatile memory does more. No expression at all is pure.
func Pure(x Expr) bool { return pure(x) }

// PurePlace reports whether finding p certainly does nothing else.
func PurePlace(p Place) bool { return p != nil && pure(p) }

func pure(n any) bool {
	switch n := n.(type) {
	case nil, *Const, *Zero, *ConstantRef, *InputExpr, *VarPlace:
		return true
	case *LoadExpr:
		if volatile(n.X) {
			return false
		}
	case *AddrOf, *Unary, *Binary, *Ternary, *Logical, *CondExpr, *ConvertExpr, *PtrConvert, *BitcastExpr, *Splat, *SwizzleExpr, *FieldExpr,
		*IndexExpr, *PtrAddExpr, *MakeVector, *Deref, *FieldPlace, *IndexPlace, *SwizzlePlace, *TempPlace:
	default:
		return false
	}
	all := true
	EachPart(n, func(part any) { all = all && pure(part) })
	return all
}

// volatile reports whether p lies in something volatile.
func volatile(p Place) bool {
	switch p := p.(type) {
	case *VarPlace:
		return p.Var.Volatile
	case *Deref:
		t, ok := p.Ptr.ExprType().(*Pointer)
		return ok && t.Volatile
	case *FieldPlace:
		return volatile(p.X)
	case *IndexPlace:
		return volatile(p.X)
	case *SwizzlePlace:
		return volatile(p.X)
	}
	return false
}
