package adversary

import (
	"math"
	"math/bits"
)

// A row holds one register of all threads of a threadgroup, one after the other. These compute rows from rows of the same length,
// as exec computes registers from registers.

// unaryRows are the operations with one operand that may do nothing but compute.
var unaryRows = [opcodes]func(d, a []uint64){
	opMov: func(d, a []uint64) { copy(d, a) },
	opNot32: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(^uint32(a[i]))
		}
	},
	opNotBool: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = a[i] ^ 1
		}
	},
	opBool: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = truth(a[i] != 0)
		}
	},
	opLow8: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(uint8(a[i]))
		}
	},
	opLow16: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(uint16(a[i]))
		}
	},
	opLow32: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(uint32(a[i]))
		}
	},
	opWiden32: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(int64(int32(a[i])))
		}
	},
	opU32ToF32: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(math.Float32bits(float32(uint32(a[i]))))
		}
	},
	opI32ToF32: func(d, a []uint64) {
		a = a[:len(d)]
		for i := range d {
			d[i] = uint64(math.Float32bits(float32(int32(a[i]))))
		}
	},
}

// binaryRows are those with two. The jumps among them give what they compare.
var binaryRows = [opcodes]func(d, a, b []uint64){
	opAdd32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = uint64(uint32(a[i] + b[i]))
		}
	},
	opSub32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = uint64(uint32(a[i] - b[i]))
		}
	},
	opMul32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = uint64(uint32(a[i]) * uint32(b[i]))
		}
	},
	opMulHi32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] * b[i] >> 32
		}
	},
	opMin32: minRows,
	opMin64: minRows,
	opMax32: maxRows,
	opMax64: maxRows,
	opAdd64: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	opSub64: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	opMul64: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	opMulHi64: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i], _ = bits.Mul64(a[i], b[i])
		}
	},
	opAnd: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	opOr: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	opXor: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	opEq: eqRows, opUnlessEq: eqRows,
	opNe: neRows, opUnlessNe: neRows,
	opLtU: ltURows, opUnlessLtU: ltURows,
	opLeU: leURows, opUnlessLeU: leURows,
	opLtI32: ltI32Rows, opUnlessLtI32: ltI32Rows,
	opLeI32: leI32Rows, opUnlessLeI32: leI32Rows,
	opLtF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = truth(f32(a[i]) < f32(b[i]))
		}
	},
	opLeF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = truth(f32(a[i]) <= f32(b[i]))
		}
	},
	opEqF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = truth(f32(a[i]) == f32(b[i]))
		}
	},
	opNeF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = truth(f32(a[i]) != f32(b[i]))
		}
	},
	opAddF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(float32(f32(a[i]) + f32(b[i])))
		}
	},
	opSubF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(float32(f32(a[i]) - f32(b[i])))
		}
	},
	opMulF32: func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(float32(f32(a[i]) * f32(b[i])))
		}
	},
}

func minRows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func maxRows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func eqRows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] == b[i])
	}
}

func neRows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] != b[i])
	}
}

func ltURows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] < b[i])
	}
}

func leURows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] <= b[i])
	}
}

func ltI32Rows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(int32(a[i]) < int32(b[i]))
	}
}

func leI32Rows(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(int32(a[i]) <= int32(b[i]))
	}
}

// partialRows are those with two that have no plain result everywhere, and say whether they had one. If not, d is spoilt.
var partialRows = [opcodes]func(d, a, b []uint64) bool{
	opShl32: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			by := b[i]
			over |= by &^ 31
			d[i] = uint64(uint32(a[i]) << (by & 31))
		}
		return over == 0
	},
	opShr32: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			by := b[i]
			over |= by &^ 31
			d[i] = uint64(uint32(a[i]) >> (by & 31))
		}
		return over == 0
	},
	opSar32: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			by := b[i]
			over |= by &^ 31
			d[i] = uint64(uint32(int32(a[i]) >> (by & 31)))
		}
		return over == 0
	},
	opShl64: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			by := b[i]
			over |= by &^ 63
			d[i] = a[i] << (by & 63)
		}
		return over == 0
	},
	opShr64: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			by := b[i]
			over |= by &^ 63
			d[i] = a[i] >> (by & 63)
		}
		return over == 0
	},
	opDiv32: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			by := uint32(b[i])
			if by == 0 {
				return false
			}
			d[i] = uint64(uint32(a[i]) / by)
		}
		return true
	},
	opRem32: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			by := uint32(b[i])
			if by == 0 {
				return false
			}
			d[i] = uint64(uint32(a[i]) % by)
		}
		return true
	},
	opAdd32S: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint32(0)
		for i := range d {
			v, w := uint32(a[i]), uint32(b[i])
			r := v + w
			over |= (v ^ r) & (w ^ r)
			d[i] = uint64(r)
		}
		return over>>31 == 0
	},
	opSub32S: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint32(0)
		for i := range d {
			v, w := uint32(a[i]), uint32(b[i])
			r := v - w
			over |= (v ^ w) & (v ^ r)
			d[i] = uint64(r)
		}
		return over>>31 == 0
	},
	opMul32S: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			r := int64(int32(a[i])) * int64(int32(b[i]))
			if int64(int32(r)) != r {
				return false
			}
			d[i] = uint64(uint32(r))
		}
		return true
	},
	opAdd64S: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			v, w := a[i], b[i]
			r := v + w
			over |= (v ^ r) & (w ^ r)
			d[i] = r
		}
		return over>>63 == 0
	},
	opSub64S: func(d, a, b []uint64) bool {
		a, b = a[:len(d)], b[:len(d)]
		over := uint64(0)
		for i := range d {
			v, w := a[i], b[i]
			r := v - w
			over |= (v ^ w) & (v ^ r)
			d[i] = r
		}
		return over>>63 == 0
	},
}
