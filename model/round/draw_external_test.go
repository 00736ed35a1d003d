package round_test

import (
	"math/rand/v2"

	"gamma/model"
	"gamma/model/round"
)

// edges returns the encodings, of both signs, at which something changes in f.
func edges(f model.Format) []uint64 {
	one := uint64(-f.Emin+1) << (f.P - 1) // 2^0
	ulp := func(b uint64, d int) uint64 { return b + uint64(d) }
	exp := func(k int) uint64 { return uint64(int64(one) + int64(k)<<(f.P-1)) } // 2^k
	half := uint64(1) << (f.P - 2)
	var list []uint64
	add := func(bs ...uint64) {
		for _, b := range bs {
			list = append(list, b&(f.SignBit()-1))
		}
	}
	add(0, 1, 2, 3, half, half+1)
	for _, b := range []uint64{f.MinNormalBits(), 2 * f.MinNormalBits(), one, exp(1), exp(-1), exp(f.P), exp(-f.P), f.MaxBits(), f.MaxBits() - f.MinNormalBits()} {
		add(ulp(b, -1), b, ulp(b, 1))
	}
	add(ulp(one, 2), one|half, exp(1)|half, exp(f.P-1), exp(f.P-1)+1, exp(1-f.P), exp(-f.P-1), ulp(exp(-f.P), 1))
	add(exp(f.Emin/2), exp(f.Emin/2)-1, exp(f.Emin/2)+1, exp(f.Emax/2), exp(f.Emax/2)-1, exp(f.Emax/2)+1, f.MaxBits()-1)
	if f.HasInf {
		add(f.InfBits(), f.InfBits()|1, f.InfBits()|half>>1, f.NaNBits()|1)
	}
	add(f.NaNBits())
	for _, b := range list {
		list = append(list, b|f.SignBit())
	}
	return list
}

// drawer draws operands that meet alignment, cancellation, ties, subnormals and overflow often.
type drawer struct {
	*rand.Rand
	f     model.Format
	edges []uint64
	exact round.Arith // only proposes operands that nearly cancel
}

func newDrawer(f model.Format, seed uint64) *drawer {
	return &drawer{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), f, edges(f), round.Arith{F: f}}
}

// fraction draws a fraction field: uniform, sparse, nearly all ones or nearly zero.
func (d *drawer) fraction() uint64 {
	w := d.f.P - 1
	mask := uint64(1)<<w - 1
	switch d.IntN(6) {
	case 0:
		return d.Uint64() & mask
	case 1: // one or two bits
		i, j := d.IntN(w), d.IntN(w)
		return uint64(1)<<i | uint64(1)<<j
	case 2:
		return -(uint64(1) << d.IntN(w)) & mask
	case 3:
		return -d.Uint64N(4) & mask
	case 4: // a run of ones
		return mask >> d.IntN(w) << d.IntN(w) & mask
	}
	return d.Uint64() & d.Uint64() & mask
}

// number draws a finite number whose exponent field is field, moved into the format's range.
func (d *drawer) number(field int) uint64 {
	top := int(d.f.MaxBits() >> (d.f.P - 1))
	field = max(0, min(field, top))
	b := min(d.f.MaxBits(), uint64(field)<<(d.f.P-1)|d.fraction())
	if d.IntN(2) == 0 {
		b |= d.f.SignBit()
	}
	return b
}

func (d *drawer) field(b uint64) int {
	return int(b &^ d.f.SignBit() >> (d.f.P - 1))
}

// any draws an encoding of any kind.
func (d *drawer) any() uint64 {
	top := int(d.f.MaxBits()>>(d.f.P-1)) + 1
	switch d.IntN(16) {
	case 0:
		return d.edges[d.IntN(len(d.edges))]
	case 1:
		return d.Uint64() & (d.f.SignBit()<<1 - 1)
	case 2:
		return d.number(0)
	case 3:
		return d.number(top - 1 - d.IntN(2))
	case 4:
		return d.number(d.IntN(3))
	}
	return d.number(d.IntN(top))
}

// around draws an integer within n of k.
func (d *drawer) around(k, n int) int { return k - n + d.IntN(2*n+1) }

// near returns b, moved by a few places in its last digits.
func (d *drawer) near(b uint64) uint64 {
	m := b&(d.f.SignBit()-1) + d.Uint64N(7) - 3
	return b&d.f.SignBit() | m&(d.f.SignBit()-1)
}

// operands draws the operands of op into x.
func (d *drawer) operands(op string, x []uint64) {
	x[0] = d.any()
	if len(x) == 1 {
		if d.IntN(3) == 0 { // nearly squares
			x[0] = d.near(d.exact.Mul(x[0], x[0]))
		}
		return
	}
	bias, p := 1-d.f.Emin, d.f.P
	other := func(k int) uint64 { // an exponent field whose sum with x[0]'s is about k
		return d.number(d.around(k, 3) - d.field(x[0]))
	}
	switch op {
	case "add", "sub":
		switch d.IntN(4) {
		case 0:
			x[1] = d.any()
		case 1:
			x[1] = d.near(x[0]) ^ d.f.SignBit()*d.Uint64N(2)
		default:
			x[1] = d.number(d.around(d.field(x[0]), p+3))
		}
	case "mul":
		x[1] = d.partner(other, bias)
	case "div":
		x[1] = d.any()
		switch d.IntN(4) {
		case 0: // nearly a multiple
			x[0] = d.near(d.exact.Mul(x[0], x[1]))
		case 1: // results near the ends of the range
			k := d.field(x[1]) - bias
			x[0] = d.number(d.around(k+[]int{0, 1, 1 - p, d.field(d.f.MaxBits())}[d.IntN(4)], 3))
		}
	case "fma":
		x[1] = d.partner(other, bias)
		product := d.field(x[0]) + d.field(x[1]) - bias
		switch d.IntN(5) {
		case 0:
			x[2] = d.any()
		case 1, 2: // cancels up to rounding
			x[2] = d.near(d.exact.Mul(x[0], x[1])) ^ d.f.SignBit()
		case 3:
			x[2] = d.number(d.around(product, p+3))
		default:
			x[2] = d.number(d.around(product, 2*p+3))
		}
	}
}

// partner draws a second factor: anything, or one that takes the product to an end of the range.
func (d *drawer) partner(other func(int) uint64, bias int) uint64 {
	switch d.IntN(5) {
	case 0:
		return d.any()
	case 1:
		return other(bias) // about 2^Emin
	case 2:
		return other(bias - d.f.P) // about half the least subnormal
	case 3:
		return other(bias + d.field(d.f.MaxBits()))
	}
	return d.number(d.around(bias, d.f.P))
}
