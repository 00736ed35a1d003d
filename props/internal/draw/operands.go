package draw

import (
	"math/bits"

	"gamma/model"
)

// cost says how far operands are from simple ones; shrinking makes it less.
func cost(f model.Format, x []uint64) (c int) {
	for _, b := range x {
		m := b &^ f.SignBit()
		frac := m & (1<<(f.P-1) - 1)
		switch {
		case f.IsNaN(b):
			c += 4 * f.P
		case m != 0:
			c += 1 + 3*(f.P-1-min(f.P-1, bits.TrailingZeros64(frac|1<<(f.P-1)))) + bits.OnesCount64(frac)
			c += 2 * abs(int(m>>(f.P-1))-(1-f.Emin))
		}
		if b != m {
			c++
		}
	}
	return c
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}

// SimplerOperands returns simpler operands, the simplest first: zeros and ones, fractions cut short,
// exponents nearer to that of one, alone and all together, signs removed.
func SimplerOperands(f model.Format, x []uint64) (offers [][]uint64) {
	limit := cost(f, x)
	offer := func(change func(y []uint64)) {
		y := append([]uint64(nil), x...)
		change(y)
		if cost(f, y) < limit {
			offers = append(offers, y)
		}
	}
	bias := 1 - f.Emin
	top := int(f.MaxBits() >> (f.P - 1))
	frac := uint64(1)<<(f.P-1) - 1
	field := func(b uint64) int { return int(b &^ f.SignBit() >> (f.P - 1)) }
	moved := func(b uint64, by int) uint64 {
		if e := field(b); e > 0 && e <= top && f.IsFinite(b) {
			return b&(f.SignBit()|frac) | uint64(max(1, min(top, e+by)))<<(f.P-1)
		}
		return b
	}
	for i, b := range x {
		for _, s := range []uint64{0, uint64(bias) << (f.P - 1)} {
			offer(func(y []uint64) { y[i] = s })
			offer(func(y []uint64) { y[i] = s | b&f.SignBit() })
		}
		offer(func(y []uint64) { y[i] = b &^ f.SignBit() })
	}
	offer(func(y []uint64) {
		for i := range y {
			y[i] ^= f.SignBit()
		}
	})
	for _, b := range x { // all exponents together
		for _, by := range []int{bias - field(b), (bias - field(b)) / 2, 1, -1} {
			offer(func(y []uint64) {
				for i := range y {
					y[i] = moved(y[i], by)
				}
			})
		}
	}
	for i, b := range x {
		for _, by := range []int{bias - field(b), (bias - field(b)) / 2, 1, -1} {
			offer(func(y []uint64) { y[i] = moved(b, by) })
		}
		if !f.IsFinite(b) {
			continue
		}
		for k := f.P - 1; k > 0; k-- { // cut below bit k, then single bits
			offer(func(y []uint64) { y[i] = b &^ (uint64(1)<<k - 1) })
		}
		for k := range f.P - 1 {
			offer(func(y []uint64) { y[i] = b &^ (uint64(1) << k) })
		}
	}
	return offers
}
