package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Promise says how far the result of one operation may be from the exact one. The zero value promises correct rounding.
type Promise struct {
	// Ulps of the exact result; at a power of two those of the larger binade, since OpenCL's and Metal's definitions can be read either
	// way there. Zero means correctly rounded.
	Ulps float64
	// Slope adds Slope·|x| ulps, rounded down, of an operand x, as exp has them on some platforms.
	Slope float64
	// OfRounded says that Ulps is counted from the correctly rounded result, so that the error is up to half an ulp more.
	OfRounded bool
	// Abs, if not zero, is an absolute error that holds instead of Ulps where Lo <= x <= Hi.
	Abs, Lo, Hi float64
	// From and To, if To is not zero, restrict the promise: nothing is promised unless From <= |x| <= To, where x is the last operand
	// (the divisor of a division).
	From, To float64
	// None says that nothing is promised.
	None bool
	// InRange says that results keep to the function's range: exp, exp2 and sqrt are 0 or more, expm1 is -1 or more, and tanh, erf, sin and
	// cos are at most 1 in magnitude. No result of exp and exp2 is -0 then.
	//
	// A number of ulps says nothing of that: the result is any number so near to the exact one. Where 2^x underflows, 4 ulp leave -0, by which x/2^y is
	// -∞ in the place of ∞, and four numbers below it. The sources of the tables below give such a number for exp and exp2, and no sign; where numbers are
	// flushed, [MSL 4.0] §8.5 and [OpenCL 2020] leave a zero's sign open themselves. Only of e^-∞, which is exactly 0, is the result +0.
	InRange bool
}

// String returns the promise in words: "correctly rounded", "4 ulp", "3 + floor(|2x|) ulp".
func (p Promise) String() string {
	var ulps string
	switch {
	case p.None:
		return "nothing promised"
	case p.Slope > 0:
		ulps = fmt.Sprintf("%g + floor(|%gx|) ulp", p.Ulps, p.Slope)
	case p.Ulps > 0:
		ulps = fmt.Sprintf("%g ulp", p.Ulps)
	default:
		ulps = "correctly rounded"
	}
	if p.OfRounded {
		ulps += " of the rounded result"
	}
	if p.Abs > 0 {
		inside := fmt.Sprintf("%s for x in [%s, %s]", short(p.Abs), short(p.Lo), short(p.Hi))
		switch {
		case p.To > 0 && p.To <= p.Hi && p.Lo <= -p.To:
			ulps = inside + ", nothing outside"
		default:
			ulps = inside + ", else " + ulps
		}
	} else if p.To > 0 {
		ulps += fmt.Sprintf(", for |x| from %s to %s", short(p.From), short(p.To))
	}
	if p.InRange {
		ulps += ", in range"
	}
	return ulps
}

// short returns a number as a person writes it: π, powers of two, few digits.
func short(v float64) string {
	switch e := math.Log2(v); {
	case math.Abs(v) == math.Pi:
		return strings.Replace(fmt.Sprintf("%.0fπ", v/math.Pi), "1π", "π", 1)
	case e < -4 || e > 4:
		return fmt.Sprintf("2^%.4g", e)
	}
	return fmt.Sprintf("%g", v)
}

// Accuracy is what a platform promises of its elementary operations, in ulps of the claim's format. The tables of this package are what is published for
// binary32.
type Accuracy struct {
	Name   string // in reports
	Source string // a key of the list in package model
	Ops    [opEnd]Promise
}

// With returns a with another promise for op.
func (a Accuracy) With(op Op, p Promise) Accuracy {
	a.Ops[op] = p
	return a
}

// Functions returns the operations that platforms do not all round correctly, division and square root among them: those for which
// the tables of this file have entries.
func Functions() []Op {
	return []Op{OpDiv, OpSqrt, OpRsqrt, OpExp, OpExp2, OpExpm1, OpLog, OpLog2, OpLog1p, OpSin, OpCos, OpTan, OpSinPi, OpCosPi, OpTanh, OpErf, OpPow}
}

// none promises nothing: the platform has no such function, or gives no figure for it.
var none = Promise{None: true}

// of returns a promise counted from the exact result, and ofRounded one counted from the correctly rounded result.
func of(ulps float64) Promise        { return Promise{Ulps: ulps} }
func ofRounded(ulps float64) Promise { return Promise{Ulps: ulps, OfRounded: true} }

// The tables below have no entry InRange: none of the sources promises that a result keeps to its function's range.
var (
	// MetalPrecise is what metal::precise promises. Metal has no expm1, log1p and erf.
	MetalPrecise = Accuracy{Name: "Metal precise", Source: "[MSL 4.0] §8.4, table 8.1", Ops: [opEnd]Promise{
		OpExp: of(4), OpExp2: of(4), OpExpm1: none,
		OpLog: of(4), OpLog2: of(4), OpLog1p: none,
		OpSin: of(4), OpCos: of(4), OpTan: of(6),
		OpSinPi: of(4), OpCosPi: of(4),
		OpTanh: of(5), OpErf: none, OpPow: of(16),
	}}

	// MetalFast is what metal::fast promises. Functions that the table composes of others (tan, tanh, pow) have no figure of their own.
	// The square root is x·rsqrt(x): 2 ulp of rsqrt are less than 4 of the product, whose rounding adds at most one; of 0 and ∞ that is NaN.
	MetalFast = Accuracy{Name: "Metal fast", Source: "[MSL 4.0] §8.4, table 8.2", Ops: [opEnd]Promise{
		OpDiv:  {Ulps: 2.5, From: 0x1p-126, To: 0x1p126},
		OpSqrt: {Ulps: 5, From: 0x1p-149, To: math.MaxFloat32}, OpRsqrt: of(2),
		OpExp: {Ulps: 3, Slope: 2}, OpExp2: {Ulps: 3, Slope: 2}, OpExpm1: none,
		OpLog:   {Ulps: 3, Abs: 0x1p-21, Lo: 0.5, Hi: 2},
		OpLog2:  {Ulps: 2, Abs: 0x1p-22, Lo: 0.5, Hi: 2},
		OpLog1p: none,
		OpSin:   {Abs: 0x1p-13, Lo: -math.Pi, Hi: math.Pi, To: math.Pi},
		OpCos:   {Abs: 0x1p-13, Lo: -math.Pi, Hi: math.Pi, To: math.Pi},
		OpSinPi: {Abs: 0x1p-13, Lo: -1, Hi: 1, To: 1},
		OpCosPi: {Abs: 0x1p-13, Lo: -1, Hi: 1, To: 1},
		OpTan:   none, OpTanh: none, OpErf: none, OpPow: none,
	}}

	// CUDA is what NVIDIA publishes of the functions of its library, with the compiler's defaults for division and square root. The
	// source says that these figures come from extensive, not exhaustive, tests and are no guarantee.
	CUDA = Accuracy{Name: "CUDA", Source: "[CUDA Guide 2025] table 17", Ops: [opEnd]Promise{
		OpRsqrt: ofRounded(2),
		OpExp:   ofRounded(2), OpExp2: ofRounded(2), OpExpm1: ofRounded(1),
		OpLog: ofRounded(1), OpLog2: ofRounded(1), OpLog1p: ofRounded(1),
		OpSin: ofRounded(2), OpCos: ofRounded(2), OpTan: ofRounded(4),
		OpSinPi: ofRounded(1), OpCosPi: ofRounded(1),
		OpTanh: ofRounded(2), OpErf: ofRounded(2), OpPow: ofRounded(4),
	}}

	// CUDAFast is CUDA under -use_fast_math. The source does not say what the intrinsics' ulps are counted from; the rounded result, as in
	// its other tables, is the wider reading. A relative error of 2^-11, for tanh, is at most 2^13 ulp. The square root is that of the
	// oldest devices.
	CUDAFast = Accuracy{Name: "CUDA fast", Source: "[CUDA Guide 2025] tables 17, 20 and 21", Ops: [opEnd]Promise{
		OpDiv:  {Ulps: 2, OfRounded: true, From: 0x1p-126, To: 0x1p126},
		OpSqrt: ofRounded(3), OpRsqrt: ofRounded(2),
		OpExp: {Ulps: 2, Slope: 1.173, OfRounded: true}, OpExp2: ofRounded(2), OpExpm1: ofRounded(1),
		OpLog:   {Ulps: 3, OfRounded: true, Abs: 0.75263 * 0x1p-21, Lo: 0.5, Hi: 2}, // 2^-21.41
		OpLog2:  {Ulps: 2, OfRounded: true, Abs: 0x1p-22, Lo: 0.5, Hi: 2},
		OpLog1p: ofRounded(1),
		OpSin:   {Abs: 0.75263 * 0x1p-21, Lo: -math.Pi, Hi: math.Pi, To: math.Pi}, // 2^-21.41
		OpCos:   {Abs: 0.87661 * 0x1p-21, Lo: -math.Pi, Hi: math.Pi, To: math.Pi}, // 2^-21.19
		OpSinPi: ofRounded(1), OpCosPi: ofRounded(1),
		OpTan: none, OpTanh: of(0x1p13), OpErf: ofRounded(2), OpPow: none,
	}}

	// OpenCL is what a device of the full profile has to keep.
	OpenCL = Accuracy{Name: "OpenCL full profile", Source: "[OpenCL 2020] ULP values for math instructions", Ops: [opEnd]Promise{
		OpDiv: of(2.5), OpSqrt: of(3), OpRsqrt: of(2),
		OpExp: of(3), OpExp2: of(3), OpExpm1: of(3),
		OpLog: of(3), OpLog2: of(3), OpLog1p: of(2),
		OpSin: of(4), OpCos: of(4), OpTan: of(5),
		OpSinPi: of(4), OpCosPi: of(4),
		OpTanh: of(5), OpErf: of(16), OpPow: of(16),
	}}

	// GNU is the largest error that the tests of the GNU C library know of on x86-64, one value a call: of two editions the larger, the
	// later of which lists none for expm1, log1p, tan and erf. It is not a promise. The library has no rsqrt, and of sinpi and cospi
	// no figure was read.
	GNU = Accuracy{Name: "GNU libm", Source: "[GNU libm 2025]", Ops: [opEnd]Promise{
		OpRsqrt: none,
		OpExp:   ofRounded(1), OpExp2: ofRounded(1), OpExpm1: ofRounded(1),
		OpLog: ofRounded(1), OpLog2: ofRounded(1), OpLog1p: ofRounded(1),
		OpSin: ofRounded(1), OpCos: ofRounded(1), OpTan: ofRounded(1),
		OpSinPi: none, OpCosPi: none,
		OpTanh: ofRounded(2), OpErf: ofRounded(1), OpPow: ofRounded(1),
	}}

	// GNUVector is the same for the vector functions that compilers call, of 4 to 16 lanes.
	GNUVector = Accuracy{Name: "GNU libmvec", Source: "[GNU libm 2025]", Ops: [opEnd]Promise{
		OpRsqrt: none,
		OpExp:   ofRounded(1), OpExp2: ofRounded(1), OpExpm1: ofRounded(1),
		OpLog: ofRounded(3), OpLog2: ofRounded(1), OpLog1p: ofRounded(2),
		OpSin: ofRounded(1), OpCos: ofRounded(1), OpTan: ofRounded(2),
		OpSinPi: none, OpCosPi: none,
		OpTanh: ofRounded(2), OpErf: ofRounded(2), OpPow: ofRounded(3),
	}}

	// CorrectlyRounded promises that each operation returns the number nearest to its exact result, as the functions of CORE-MATH do. In a claim that says
	// Exactly, that is one number, and otherwise one that may be rounded twice, first in a finer format.
	CorrectlyRounded = Accuracy{Name: "correctly rounded", Source: "[IEEE 754-2019] §9.2"}

	// Published admits of each function what the least accurate of the platforms does that promise one, without their fast modes; that
	// is the default of a claim. Additions, products, quotients and square roots are correctly rounded.
	Published = widest("published", MetalPrecise, CUDA, OpenCL, GNU, GNUVector)
)

// Platforms returns the tables of this package that are of one platform.
func Platforms() []Accuracy {
	return []Accuracy{MetalPrecise, MetalFast, CUDA, CUDAFast, OpenCL, GNU, GNUVector}
}

// widest returns, for each function but division and square root, the largest number of ulps that one of the platforms promises,
// counted from the exact result. Results keep to the function's range if all platforms say so.
func widest(name string, platforms ...Accuracy) Accuracy {
	w := Accuracy{Name: name}
	var sources []string
	for _, a := range platforms {
		if !slices.Contains(sources, a.Source) {
			sources = append(sources, a.Source)
		}
	}
	w.Source = strings.Join(sources, "; ")
	for _, op := range Functions() {
		if op == OpDiv || op == OpSqrt {
			continue
		}
		p := Promise{None: true, InRange: true}
		for _, a := range platforms {
			q := a.Ops[op]
			if q.None {
				continue
			}
			if q.OfRounded {
				q.Ulps += 0.5
			}
			p.None, p.Ulps, p.InRange = false, math.Max(p.Ulps, q.Ulps), p.InRange && q.InRange
		}
		w.Ops[op] = p
	}
	return w
}
