package dd

import "gamma/kernels/eft"

// PlusFP returns x + y.
//
// Error:  2u²·|x+y|, for p >= 3; without overflow.
// Source: [JMP 2017] Algorithm 4, DWPlusFP; [MR 2022].
func (x DD[T]) PlusFP(y T) DD[T] {
	sh, sl := eft.TwoSum(x.Hi, y)
	v := x.Lo + sl
	zh, zl := eft.FastTwoSum(sh, v)
	return DD[T]{zh, zl}
}

// SloppyPlus returns x + y, in 11 operations.
//
// Error:  3u²·|x+y| if x and y have one sign; otherwise none: the relative error may be 1. The absolute error is a few u² of
// |x|+|y|.
// Source: [JMP 2017] Algorithm 5, SloppyDWPlusDW.
func (x DD[T]) SloppyPlus(y DD[T]) DD[T] {
	sh, sl := eft.TwoSum(x.Hi, y.Hi)
	v := x.Lo + y.Lo
	w := sl + v
	zh, zl := eft.FastTwoSum(sh, w)
	return DD[T]{zh, zl}
}

// AccuratePlus returns x + y, in 20 operations.
//
// Error:  3u²/(1-4u)·|x+y|, for p >= 3; without overflow.
// Source: [JMP 2017] Algorithm 6, AccurateDWPlusDW; [MR 2022].
func (x DD[T]) AccuratePlus(y DD[T]) DD[T] {
	sh, sl := eft.TwoSum(x.Hi, y.Hi)
	th, tl := eft.TwoSum(x.Lo, y.Lo)
	c := sl + th
	vh, vl := eft.FastTwoSum(sh, c)
	w := tl + vl
	zh, zl := eft.FastTwoSum(vh, w)
	return DD[T]{zh, zl}
}
