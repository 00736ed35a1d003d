package typed

// Pure reports whether x certainly does nothing but give a value. Reading volatile memory does more. No expression at all is pure.
func Pure(x Expr) bool {
	switch x := x.(type) {
	case nil, *Const, *Zero, *ConstantRef:
		return true
	case *LoadExpr:
		return PurePlace(x.X) && !volatile(x.X)
	case *AddrOf:
		return PurePlace(x.X)
	case *Unary:
		return Pure(x.X)
	case *Binary:
		return Pure(x.L) && Pure(x.R)
	case *Ternary:
		return Pure(x.A) && Pure(x.B) && Pure(x.C)
	case *Logical:
		return Pure(x.L) && Pure(x.R)
	case *CondExpr:
		return Pure(x.C) && Pure(x.T) && Pure(x.F)
	case *ConvertExpr:
		return Pure(x.X)
	case *PtrConvert:
		return Pure(x.X)
	case *BitcastExpr:
		return Pure(x.X)
	case *Splat:
		return Pure(x.X)
	case *SwizzleExpr:
		return Pure(x.X)
	case *FieldExpr:
		return Pure(x.X)
	case *IndexExpr:
		return Pure(x.X) && Pure(x.I)
	case *PtrAddExpr:
		return Pure(x.X) && Pure(x.I)
	case *MakeVector:
		for _, e := range x.Elems {
			if !Pure(e) {
				return false
			}
		}
		return true
	}
	return false
}

// PurePlace reports whether finding p certainly does nothing else.
func PurePlace(p Place) bool {
	switch p := p.(type) {
	case *VarPlace:
		return true
	case *Deref:
		return Pure(p.Ptr)
	case *FieldPlace:
		return PurePlace(p.X)
	case *IndexPlace:
		return PurePlace(p.X) && Pure(p.I)
	case *SwizzlePlace:
		return PurePlace(p.X)
	case *TempPlace:
		return Pure(p.X)
	}
	return false
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
