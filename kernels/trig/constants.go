package trig

// The split of π/2 into three binary32 numbers, as words 0x3FC90FDA, 0x33A22168 and 0x27C234C5: Σ = π/2 - 9.5e-23.
const (
	half1 = 0x1.921fb4p+00
	half2 = 0x1.4442dp-24
	half3 = 0x1.84698ap-48
)

// π in two binary32 numbers: Σ = π + 3.4e-15.
const (
	pi1 = 0x1.921fb6p+01
	pi2 = -0x1.777a5cp-24
)

// π/2 in two binary64 numbers: Σ = π/2 + 1.5e-33.
const (
	wide1 = 0x1.921fb54442d18p+00
	wide2 = 0x1.1a62633145c07p-54
)

const twoOverPi = 0x1.45f306dc9c883p-01 // 2/π to binary64

// twoOverPiBits is 2/π: bit j after the point is bit j+63 of the words, counted from 0 at the first word's top; the first word holds what
// stands before the point. A test computes them.
var twoOverPiBits = [...]uint64{
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}
