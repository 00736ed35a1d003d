package formula

// zero returns what fills an array like a where it has no elements: 0, or false.
func zero(a *Expr) *Expr {
	switch {
	case a.Err() != nil || a.typ.IsReal():
		return Const(0)
	case a.typ.Bool:
		return Less(Integer(0), Integer(0))
	}
	return Integer(0)
}

// Slice returns elements from, from+1, … of a along axis, so many of them, along a new axis called to; 0 where a has no such element.
// Both from and size are integer scalars.
//
//	Slice(a, axis, to, from, size)[i] = a[from + i], 0 <= i < size
func Slice(a *Expr, axis, to string, from, size *Expr) *Expr {
	return Gather(a, axis, Add(IndexOf(to, size), from), zero(a))
}

// Pad returns a along a new axis called to, with so many elements fill before and after it.
//
//	Pad(a, axis, to, before, after, fill)[i] = a[i - before], 0 <= i < before + n + after
func Pad(a *Expr, axis, to string, before, after int, fill *Expr) *Expr {
	size := Add(Len(axis), Integer(int64(before)+int64(after)))
	return Gather(a, axis, Sub(IndexOf(to, size), Integer(int64(before))), fill)
}

// Shift returns a moved by so many places along axis, toward greater indices if by is positive; the places left free hold fill.
//
//	Shift(a, axis, by, fill)[i] = a[i - by]
func Shift(a *Expr, axis string, by int, fill *Expr) *Expr {
	return Gather(a, axis, Sub(Index(axis), Integer(int64(by))), fill)
}

// Reverse returns a with its last element along axis first.
//
//	Reverse(a, axis)[i] = a[n-1 - i]
func Reverse(a *Expr, axis string) *Expr {
	return Gather(a, axis, Sub(Sub(Len(axis), Integer(1)), Index(axis)), zero(a))
}

// SplitAxis returns a with axis cut into groups of so many elements: outer counts the groups, inner the elements of one. The last group
// is filled up with zeros.
//
//	SplitAxis(a, axis, outer, inner, size)[i, j] = a[size·i + j], 0 <= i < ⌈n/size⌉, 0 <= j < size
//
// Domain: size >= 1.
func SplitAxis(a *Expr, axis, outer, inner string, size int) *Expr {
	if size < 1 {
		return wrong(Node{Op: OpGather, Args: []*Expr{a}}, "SplitAxis makes groups of 1 or more elements, not of %d", size)
	}
	group := Integer(int64(size))
	groups := Quo(Add(Len(axis), Integer(int64(size)-1)), group)
	return Gather(a, axis, Add(Mul(IndexOf(outer, groups), group), IndexOf(inner, group)), zero(a))
}

// JoinAxes returns a with the axes outer and inner as one, that of index, which is Index or IndexOf; 0 beyond the last element.
//
//	JoinAxes(a, outer, inner, Index(axis))[k] = a[⌊k/n⌋, k mod n], n the size of inner
func JoinAxes(a *Expr, outer, inner string, index *Expr) *Expr {
	rows := Gather(a, outer, Quo(index, Len(inner)), zero(a))
	return Gather(rows, inner, Mod(index, Len(inner)), zero(a))
}
