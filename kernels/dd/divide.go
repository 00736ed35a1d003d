package dd

import "gamma/kernels/eft"

// The quotients' bounds hold where no step overflows and the products of the quotient's and the divisor's words satisfy the
// condition in multiply.go.

// DivFP1 returns x/y.
//
// Error:  7/2·u²·|x/y|, for p >= 4.
// Source: [JMP 2017] Algorithm 13, DWDivFP1; [MR 2022].
func (x DD[T]) DivFP1(y T) DD[T] {
	th := x.Hi / y
	ph, pl := eft.TwoProductFMA(th, y)
	dh, d1 := eft.TwoSum(x.Hi, -ph)
	d2 := x.Lo - pl
	dl := d1 + d2
	d := dh + dl
	tl := d / y
	zh, zl := eft.FastTwoSum(th, tl)
	return DD[T]{zh, zl}
}

// DivFP2 returns x/y.
//
// Error:  7/2·u²·|x/y|, for p >= 4: x.Hi - ph is exact, so that it is DivFP1 with fewer operations.
// Source: [JMP 2017] Algorithm 14, DWDivFP2; [MR 2022].
func (x DD[T]) DivFP2(y T) DD[T] {
	th := x.Hi / y
	ph, pl := eft.TwoProductFMA(th, y)
	dh := x.Hi - ph
	dl := x.Lo - pl
	d := dh + dl
	tl := d / y
	zh, zl := eft.FastTwoSum(th, tl)
	return DD[T]{zh, zl}
}

// DivFP3 returns x/y.
//
// Error:  3u²·|x/y|, for p >= 4.
// Source: [JMP 2017] Algorithm 15, DWDivFP3; [MR 2022].
func (x DD[T]) DivFP3(y T) DD[T] {
	th := x.Hi / y
	ph, pl := eft.TwoProductFMA(th, y)
	dh := x.Hi - ph
	dt := dh - pl
	d := dt + x.Lo
	tl := d / y
	zh, zl := eft.FastTwoSum(th, tl)
	return DD[T]{zh, zl}
}

// Div1 returns x/y.
//
// Error:  (15u² + 56u³)·|x/y|, for p >= 7.
// Source: [JMP 2017] Algorithm 16, DWDivDW1; [MR 2022].
func (x DD[T]) Div1(y DD[T]) DD[T] {
	th := x.Hi / y.Hi
	r := y.TimesFP1(th)
	ph, pl := eft.TwoSum(x.Hi, -r.Hi)
	dh := pl - r.Lo
	dl := dh + x.Lo
	d := ph + dl
	tl := d / y.Hi
	zh, zl := eft.FastTwoSum(th, tl)
	return DD[T]{zh, zl}
}

// Div2 returns x/y.
//
// Error:  (15u² + 56u³)·|x/y|, for p >= 7: x.Hi - r.Hi is exact, so that it is Div1 with fewer operations.
// Source: [JMP 2017] Algorithm 17, DWDivDW2; [MR 2022].
func (x DD[T]) Div2(y DD[T]) DD[T] {
	th := x.Hi / y.Hi
	r := y.TimesFP1(th)
	ph := x.Hi - r.Hi
	dl := x.Lo - r.Lo
	d := ph + dl
	tl := d / y.Hi
	zh, zl := eft.FastTwoSum(th, tl)
	return DD[T]{zh, zl}
}

// Div3 returns x/y, through the reciprocal of y.
//
// Domain: as Div2, and 1/y.Hi must be a normal number too: |y.Hi| <= 2^(emax-1).
// Error:  49/5·u²·|x/y|, for p >= 14.
// Source: [JMP 2017] Algorithm 18, DWDivDW3; [MR 2022].
func (x DD[T]) Div3(y DD[T]) DD[T] {
	th := 1 / y.Hi
	rh := eft.FMA(-y.Hi, th, 1)
	rl := -T(y.Lo * th)
	eh, el := eft.FastTwoSum(rh, rl)
	d := DD[T]{eh, el}.TimesFP3(th)
	m := d.PlusFP(th)
	return x.Times2(m)
}

// Sqrt returns √x.
//
// Domain: x > 0; for zero the algorithm returns NaN, and Root zero.
// Error:  25/8·u²·√x.
// Source: [LLMPR 2023] Algorithm 8, SQRTDWtoDW.
func (x DD[T]) Sqrt() DD[T] {
	sh := eft.Sqrt(x.Hi)
	r1 := eft.FMA(-sh, sh, x.Hi)
	r2 := x.Lo + r1
	sl := r2 / (sh + sh)
	zh, zl := eft.FastTwoSum(sh, sl)
	return DD[T]{zh, zl}
}
