package apple

import (
	_ "embed"
	"fmt"
	"math"

	"gamma/metal"
	"gamma/metal/internal/protocol"
)

//go:embed probe.metal
var probeSource string

// Operations of the probe's kernel.
const (
	opWitness = iota
	opAdd
	opMul
	opDiv
	opFMA
	opStatement // a*b + c
	opAcross    // p = a*b; p + c
	opSum       // (a+b) + c
	opTwoSum    // the error of a+b
	opPlusZero
	opPositive
	opIsNaN
	opIsInf
	opSqrt
	opHalf
	opBFloat
	operations
)

const witness = 0x47616d61

// probeMode is a way to compile the probe.
type probeMode struct {
	name    string
	options metal.CompileOptions
}

var probeModes = []probeMode{
	{"strict", metal.CompileOptions{MathMode: metal.MathSafe, MathFunctions: metal.FunctionsPrecise, Macros: map[string]string{"GAMMA_STRICT": "1"}}},
	{"safe", metal.CompileOptions{MathMode: metal.MathSafe, MathFunctions: metal.FunctionsPrecise}},
	{"relaxed", metal.CompileOptions{MathMode: metal.MathRelaxed, MathFunctions: metal.FunctionsPrecise}},
	{"fast", metal.CompileOptions{MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast}},
}

// triple of operands, as bits.
type operands [3]uint32

// Bits of numbers that the probes use.
const (
	one       = 0x3f800000
	oneUp     = 0x3f800001 // 1 + 2^-23
	twoUp     = 0x3f800002 // 1 + 2^-22
	minusOne  = 0xbf800000
	half24    = 0x33800000 // 2^-24, half an ulp of 1
	most24    = 0x33c00000 // 3·2^-25, three quarters
	sub130    = 0x00080000 // 2^-130, subnormal
	sub127    = 0x00400000 // 2^-127, subnormal
	least     = 0x00800000 // 2^-126, the least normal
	leastHalf = 0x00c00000 // 3·2^-127
	up10      = 0x44800000 // 2^10
	up20      = 0x49800000 // 2^20
	tiny100   = 0x0d800000 // 2^-100
	tiny30    = 0x30800000 // 2^-30
	wide      = 0x3f800800 // 1 + 2^-12
	wideSum   = 0xbf801000 // -(1 + 2^-11)
	nan       = 0x7fc00000
	infinity  = 0x7f800000
	minusZero = 0x80000000
)

// probeAt names the rows of the table of operands.
const (
	atTieDown       = iota // of addition: 1 + half an ulp
	atTieUp                // 1+ulp + half an ulp
	atMore                 // 1 + three quarters
	atMinus                // -1 - three quarters
	atFlushSum             // 3·2^-127 - 2^-126, exactly 2^-127
	atFlushMul             // 2^-100 · 2^-30
	atFlushNegative        // -2^-100 · 2^-30
	atInSum                // 2^-130 + 2^-126
	atInMul                // 2^-130 · 2^20
	atInNegative           // -2^-130 · 2^20, and -2^-130 > 0
	atBefore               // (1-2^-13)·2^-63 · (1+2^-13)·2^-63, just below 2^-126
	atFused                // (1+2^-12)² - (1+2^-11)
	atFusedOnce            // (1+2^-12)² + 2^-60, which rounding to binary64 on the way gets wrong
	atFlushDiv             // 2^-100 / 2^30
	atInFMA                // 2^-130 · 2^20 + 0
	atReassociate          // (1 + 2^-24) + 2^-24
	atTwoSum               // 1 and 2^-30
	atMinusZero
	atNaN
	atInfinity
	atHalf // 2^-14 · 2^-2 of binary16, and 2^-20 · 2^10 next
	atHalfIn
	atBFloat
	atBFloatIn
	atTable // here the pairs for division and square roots begin
)

// probeRows are the operands, atTable of them with meanings and then pairs for division.
var probeRows = func() []operands {
	rows := make([]operands, atTable, atTable+divisions)
	for i, r := range map[int]operands{
		atTieDown: {one, half24}, atTieUp: {oneUp, half24}, atMore: {one, most24}, atMinus: {minusOne, most24 | minusZero},
		atFlushSum: {leastHalf, least | minusZero}, atFlushMul: {tiny100, tiny30}, atFlushNegative: {tiny100 | minusZero, tiny30},
		atInSum: {sub130, least}, atInMul: {sub130, up20}, atInNegative: {sub130 | minusZero, up20},
		atBefore: {0x1ffff800, 0x20000400}, atFused: {wide, wide, wideSum}, atFusedOnce: {wide, wide, 0x21800000},
		atFlushDiv: {tiny100, 0x4e800000}, atInFMA: {sub130, up20}, atReassociate: {one, half24, half24}, atTwoSum: {one, tiny30},
		atMinusZero: {minusZero}, atNaN: {nan}, atInfinity: {infinity},
		atHalf: {0x0400, 0x3400}, atHalfIn: {0x0010, 0x6400}, atBFloat: {0x0080, 0x3e80}, atBFloatIn: {0x0008, 0x4980},
	} {
		rows[i] = r
	}
	x := uint64(1)
	word := func() uint32 { // significands from a linear congruence, exponents within 2^±8
		x = x*6364136223846793005 + 1442695040888963407
		return uint32(x>>41)&0x007fffff | uint32(119+x>>33%17)<<23
	}
	for _, r := range [][2]float32{{1, 3}, {2, 3}, {5, 3}, {1, 7}, {9, 7}, {1, 10}, {10, 3}, {1, 49}, {3, 1.9999999}, {1.0000001, 1.9999998}} {
		rows = append(rows, operands{math.Float32bits(r[0]), math.Float32bits(r[1])})
	}
	for len(rows) < atTable+divisions {
		rows = append(rows, operands{word(), word()})
	}
	return rows
}()

// divisions is the number of pairs for division.
const divisions = 232

// answers are what the probe wrote.
type answers []uint32

// of returns the bits of an operation's result on a row.
func (a answers) of(op, row int) uint32 { return a[op*len(probeRows)+row] }

// probe runs the kernel on d, compiled in one mode, and returns its answers and the SIMD width of its pipeline.
func probe(d metal.Device, m probeMode) (a answers, width int, err error) {
	n := len(probeRows)
	in, out := make([]uint32, 0, 3*n), make([]uint32, operations*n)
	for _, r := range probeRows {
		in = append(in, r[:]...)
	}
	o := protocol.Once{
		Source: probeSource, Name: "gamma_probe", Options: m.options, Buffers: [][]uint32{in, out, {uint32(n)}},
		Grid: metal.Size{X: (n + probeGroup - 1) / probeGroup * probeGroup, Y: operations, Z: 1}, Threads: metal.Size{X: probeGroup, Y: 1, Z: 1},
	}
	o.Options.FileName = "gamma_probe.metal"
	if width, err = o.Run(d); err != nil {
		return nil, 0, err
	}
	a = out
	for i := range n {
		if got, want := a.of(opWitness, i), probeRows[i][0]^witness; got != want {
			return nil, 0, fmt.Errorf("thread %d of a kernel that copies bits wrote %08x and not %08x: this device does not run kernels, or does not keep bits", i, got, want)
		}
	}
	return a, width, nil
}

// probeGroup is the size of the probe's threadgroups.
const probeGroup = 32
