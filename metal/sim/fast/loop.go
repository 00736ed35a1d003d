package fast

import (
	"math"
	"math/bits"
)

// The loops below, and those of two operands in loops_gen.go, compute one operation over many lanes. A name that ends in S has one second
// operand for all lanes, one in R one first operand. Integers of all widths share a loop where the mask of the type makes up for the difference:
// registers hold zeros above the value's own bits.

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

// quieten makes every NaN among v the canonical one.
func quieten(v []float32) {
	for i, r := range v {
		if r != r {
			v[i] = math.Float32frombits(nan32)
		}
	}
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
