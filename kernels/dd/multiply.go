package dd

import "gamma/kernels/eft"

// The products' bounds hold where no step overflows and, for all words a of x and b of y that are multiplied, a·b = 0 or the
// exponents of a and b add up to emin+p-1 or more: -103 for float32, -970 for float64.

// TimesFP1 returns x·y.
//
// Error:  (3/2·u² + 4u³)·|x·y|, for p >= 4.
// Source: [JMP 2017] Algorithm 7, DWTimesFP1; [MR 2022].
func (x DD[T]) TimesFP1(y T) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y)
	cl2 := T(x.Lo * y)
	th, tl1 := eft.FastTwoSum(ch, cl2)
	tl2 := tl1 + cl1
	zh, zl := eft.FastTwoSum(th, tl2)
	return DD[T]{zh, zl}
}

// TimesFP2 returns x·y.
//
// Error:  3u²·|x·y|, for p >= 3.
// Source: [JMP 2017] Algorithm 8, DWTimesFP2; [MR 2022].
func (x DD[T]) TimesFP2(y T) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y)
	cl2 := T(x.Lo * y)
	cl3 := cl1 + cl2
	zh, zl := eft.FastTwoSum(ch, cl3)
	return DD[T]{zh, zl}
}

// TimesFP3 returns x·y.
//
// Error:  2u²·|x·y|, for p >= 3.
// Source: [JMP 2017] Algorithm 9, DWTimesFP3; [MR 2022].
func (x DD[T]) TimesFP3(y T) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y)
	cl3 := eft.FMA(x.Lo, y, cl1)
	zh, zl := eft.FastTwoSum(ch, cl3)
	return DD[T]{zh, zl}
}

// Times1 returns x·y.
//
// Error:  5u²·|x·y|, for p >= 6 and ties to even.
// Source: [JMP 2017] Algorithm 10, DWTimesDW1; [MR 2022].
func (x DD[T]) Times1(y DD[T]) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y.Hi)
	tl1 := T(x.Hi * y.Lo)
	tl2 := T(x.Lo * y.Hi)
	cl2 := tl1 + tl2
	cl3 := cl1 + cl2
	zh, zl := eft.FastTwoSum(ch, cl3)
	return DD[T]{zh, zl}
}

// Times2 returns x·y.
//
// Error:  5u²·|x·y|, for p >= 5.
// Source: [JMP 2017] Algorithm 11, DWTimesDW2; [MR 2022].
func (x DD[T]) Times2(y DD[T]) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y.Hi)
	tl := T(x.Hi * y.Lo)
	cl2 := eft.FMA(x.Lo, y.Hi, tl)
	cl3 := cl1 + cl2
	zh, zl := eft.FastTwoSum(ch, cl3)
	return DD[T]{zh, zl}
}

// Times3 returns x·y.
//
// Error:  (4u² + u³/2)/(1+u)²·|x·y|, for p >= 5.
// Source: [JMP 2017] Algorithm 12, DWTimesDW3; [MR 2022] Theorem 2.8.
func (x DD[T]) Times3(y DD[T]) DD[T] {
	ch, cl1 := eft.TwoProductFMA(x.Hi, y.Hi)
	tl0 := T(x.Lo * y.Lo)
	tl1 := eft.FMA(x.Hi, y.Lo, tl0)
	cl2 := eft.FMA(x.Lo, y.Hi, tl1)
	cl3 := cl1 + cl2
	zh, zl := eft.FastTwoSum(ch, cl3)
	return DD[T]{zh, zl}
}
