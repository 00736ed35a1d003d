package fast

import (
	"math"
	"math/bits"
)

// The loops below compute one operation over many lanes. A name that ends in S has one second operand for all lanes, one in R one
// first operand. Integers of all widths share a loop where the mask of the type makes up for the difference: registers hold zeros
// above the value's own bits.

func f32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

// nan32 is the NaN that operations of floats give.
const nan32 = 0x7fc00000

// bits32 returns r's bits, and the canonical NaN's for any NaN.
func bits32(r float32) uint64 {
	if r != r {
		return nan32
	}
	return uint64(math.Float32bits(r))
}

func truth(b bool) uint64 {
	var v uint64
	if b {
		v = 1
	}
	return v
}

func high(a, b uint64) uint64 {
	h, _ := bits.Mul64(a, b)
	return h
}

func loopAdd(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] + b[i]) & m
	}
}

func loopAddS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] + b0) & m
	}
}

func loopAdd64(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func loopAdd64S(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] + b0
	}
}

func loopSub(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] - b[i]) & m
	}
}

func loopSubS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] - b0) & m
	}
}

func loopSubR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = (a0 - b[i]) & m
	}
}

func loopSub64(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func loopSub64S(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] - b0
	}
}

func loopSub64R(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a0 - b[i]
	}
}

func loopMul(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] * b[i]) & m
	}
}

func loopMulS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	m := x.in.mask
	for i := range d {
		d[i] = (a[i] * b0) & m
	}
}

func loopMul64(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func loopMul64S(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] * b0
	}
}

func loopAnd(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func loopAndS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] & b0
	}
}

func loopOr(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func loopOrS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] | b0
	}
}

func loopXor(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func loopXorS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] ^ b0
	}
}

func loopShl(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	m := x.in.mask
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a[i] << (b[i] & n & 63) & m
	}
}

func loopShlS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	m := x.in.mask
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a[i] << (b0 & n & 63) & m
	}
}

func loopShlR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	m := x.in.mask
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a0 << (b[i] & n & 63) & m
	}
}

func loopShrU(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a[i] >> (b[i] & n & 63)
	}
}

func loopShrUS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a[i] >> (b0 & n & 63)
	}
}

func loopShrUR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = a0 >> (b[i] & n & 63)
	}
}

func loopShrS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	m := x.in.mask
	s := x.in.shift
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = uint64(int64(a[i]<<(s&63))>>(s&63)>>(b[i]&n&63)) & m
	}
}

func loopShrSS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	m := x.in.mask
	s := x.in.shift
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = uint64(int64(a[i]<<(s&63))>>(s&63)>>(b0&n&63)) & m
	}
}

func loopShrSR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	m := x.in.mask
	s := x.in.shift
	n := uint64(63 - x.in.shift)
	for i := range d {
		d[i] = uint64(int64(a0<<(s&63))>>(s&63)>>(b[i]&n&63)) & m
	}
}

func loopMulHi32(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i] >> 32
	}
}

func loopMulHi32S(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = a[i] * b0 >> 32
	}
}

func loopMulHi64(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = high(a[i], b[i])
	}
}

func loopMulHi64S(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = high(a[i], b0)
	}
}

func loopEq(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] == b[i])
	}
}

func loopEqS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(a[i] == b0)
	}
}

func loopNe(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] != b[i])
	}
}

func loopNeS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(a[i] != b0)
	}
}

func loopLtU(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] < b[i])
	}
}

func loopLtUS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(a[i] < b0)
	}
}

func loopLtUR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a0 < b[i])
	}
}

func loopLeU(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] <= b[i])
	}
}

func loopLeUS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(a[i] <= b0)
	}
}

func loopLeUR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(a0 <= b[i])
	}
}

func loopLtS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a[i]<<(s&63)) < int64(b[i]<<(s&63)))
	}
}

func loopLtSS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a[i]<<(s&63)) < int64(b0<<(s&63)))
	}
}

func loopLtSR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a0<<(s&63)) < int64(b[i]<<(s&63)))
	}
}

func loopLeS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a[i]<<(s&63)) <= int64(b[i]<<(s&63)))
	}
}

func loopLeSS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a[i]<<(s&63)) <= int64(b0<<(s&63)))
	}
}

func loopLeSR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = truth(int64(a0<<(s&63)) <= int64(b[i]<<(s&63)))
	}
}

func loopMinU(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func loopMinUS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = min(a[i], b0)
	}
}

func loopMaxU(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func loopMaxUS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = max(a[i], b0)
	}
}

func loopMinS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = uint64(min(int64(a[i]<<(s&63)), int64(b[i]<<(s&63)))) >> (s & 63)
	}
}

func loopMinSS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	s := x.in.shift
	for i := range d {
		d[i] = uint64(min(int64(a[i]<<(s&63)), int64(b0<<(s&63)))) >> (s & 63)
	}
}

func loopMaxS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	s := x.in.shift
	for i := range d {
		d[i] = uint64(max(int64(a[i]<<(s&63)), int64(b[i]<<(s&63)))) >> (s & 63)
	}
}

func loopMaxSS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	s := x.in.shift
	for i := range d {
		d[i] = uint64(max(int64(a[i]<<(s&63)), int64(b0<<(s&63)))) >> (s & 63)
	}
}

func loopAddF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) + f32(b[i])))
	}
}

func loopAddFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) + f32(b0)))
	}
}

func loopAddFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a0) + f32(b[i])))
	}
}

func loopSubF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) - f32(b[i])))
	}
}

func loopSubFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) - f32(b0)))
	}
}

func loopSubFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a0) - f32(b[i])))
	}
}

func loopMulF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) * f32(b[i])))
	}
}

func loopMulFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) * f32(b0)))
	}
}

func loopMulFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a0) * f32(b[i])))
	}
}

func loopDivF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) / f32(b[i])))
	}
}

func loopDivFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = bits32(float32(f32(a[i]) / f32(b0)))
	}
}

func loopDivFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = bits32(float32(f32(a0) / f32(b[i])))
	}
}

func loopEqF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a[i]) == f32(b[i]))
	}
}

func loopEqFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(f32(a[i]) == f32(b0))
	}
}

func loopNeF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a[i]) != f32(b[i]))
	}
}

func loopNeFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(f32(a[i]) != f32(b0))
	}
}

func loopLtF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a[i]) < f32(b[i]))
	}
}

func loopLtFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(f32(a[i]) < f32(b0))
	}
}

func loopLtFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a0) < f32(b[i]))
	}
}

func loopLeF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a[i]) <= f32(b[i]))
	}
}

func loopLeFS(x *args) {
	d := x.d
	a := x.a[:len(d)]
	b0 := x.b[0]
	for i := range d {
		d[i] = truth(f32(a[i]) <= f32(b0))
	}
}

func loopLeFR(x *args) {
	d := x.d
	a0 := x.a[0]
	b := x.b[:len(d)]
	for i := range d {
		d[i] = truth(f32(a0) <= f32(b[i]))
	}
}

func loopMov(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = a[i]
	}
}

func loopNot(x *args) {
	d := x.d
	a := x.a[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = ^a[i] & m
	}
}

func loopNeg(x *args) {
	d := x.d
	a := x.a[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = -a[i] & m
	}
}

func loopCut(x *args) {
	d := x.d
	a := x.a[:len(d)]
	m := x.in.mask
	for i := range d {
		d[i] = a[i] & m
	}
}

func loopTrue(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = truth(a[i] != 0)
	}
}

func loopNegF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = a[i] ^ 0x80000000
	}
}

func loopAbsF(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = a[i] & 0x7fffffff
	}
}

func loopFromU32(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = uint64(math.Float32bits(float32(uint32(a[i]))))
	}
}

func loopFromI32(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = uint64(math.Float32bits(float32(int32(a[i]))))
	}
}

func loopPopcount(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		d[i] = uint64(bits.OnesCount64(a[i]))
	}
}

// loopSpread gives all lanes one value.
func loopSpread(x *args) {
	d, v := x.d, x.a[0]
	for i := range d {
		d[i] = v
	}
}

// loopConst gives all lanes the instruction's immediate.
func loopConst(x *args) {
	d, v := x.d, uint64(x.in.n)
	for i := range d {
		d[i] = v
	}
}

func loopSelect(x *args) {
	d := x.d
	a, b, c := x.a[:len(d)], x.b[:len(d)], x.c[:len(d)]
	for i := range d {
		d[i] = c[i] ^ (b[i]^c[i])&-a[i]
	}
}

// loopSelectVS has one value for the lanes whose condition is false, loopSelectSV one for those whose is true, loopSelectSS both.
func loopSelectVS(x *args) {
	d := x.d
	a, b, c := x.a[:len(d)], x.b[:len(d)], x.c[0]
	for i := range d {
		d[i] = c ^ (b[i]^c)&-a[i]
	}
}

func loopSelectSV(x *args) {
	d := x.d
	a, b, c := x.a[:len(d)], x.b[0], x.c[:len(d)]
	for i := range d {
		d[i] = c[i] ^ (b^c[i])&-a[i]
	}
}

func loopSelectSS(x *args) {
	d := x.d
	a, b, c := x.a[:len(d)], x.b[0], x.c[0]
	for i := range d {
		d[i] = c ^ (b^c)&-a[i]
	}
}

// loopChoose has one condition for all lanes.
func loopChoose(x *args) {
	if x.a[0] != 0 {
		copy(x.d, x.b)
		return
	}
	copy(x.d, x.c)
}

// loopSign extends the sign of From to Type.
func loopSign(x *args) {
	d := x.d
	a, m := x.a[:len(d)], x.in.mask
	s := uint(64-x.in.src.From.Bits()) & 63
	for i := range d {
		d[i] = uint64(int64(a[i]<<s)>>s) & m
	}
}

func loopToI32(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		f := f32(a[i])
		switch {
		case f > -0x1.000002p31 && f < 0x1p31:
			d[i] = uint64(uint32(int32(f)))
		case f != f:
			d[i] = 0
		case f > 0:
			d[i] = math.MaxInt32
		default:
			d[i] = 1 << 31
		}
	}
}

func loopToU32(x *args) {
	d := x.d
	a := x.a[:len(d)]
	for i := range d {
		f := f32(a[i])
		switch {
		case f > -1 && f < 0x1p32:
			d[i] = uint64(uint32(int64(f)))
		case f >= 0x1p32:
			d[i] = math.MaxUint32
		default:
			d[i] = 0
		}
	}
}

func loopFma(x *args) {
	d := x.d
	a, b, c := x.a[:len(d)], x.b[:len(d)], x.c[:len(d)]
	for i := range d {
		d[i] = bits32(fma32(f32(a[i]), f32(b[i]), f32(c[i])))
	}
}
