package attack

import (
	"math"

	"gamma/model/word"
)

// small draws a number of 0 to 23 bits, all lengths alike likely: most are small, as the distances to powers of two and to ties
// are in the worst rows known.
func (a *attacker) small() uint32 {
	r := a.rng.Uint64()
	return uint32(r) & 0x7fffff >> (r >> 32 % 24)
}

// number draws ±(1+f)·2^e whose fraction is random, a few bits near a power of two from above or below, or a few bits on top.
func (a *attacker) number(e int) float32 {
	r := a.rng.Uint64()
	b := uint32(127+e) << 23
	switch r >> 8 % 8 {
	case 0:
		b |= uint32(r>>32) & 0x7fffff
	case 1, 2, 3:
		b += a.small()
	case 4, 5:
		b -= a.small()
	case 6:
		b |= uint32(r>>32) & 0x7fffff &^ (1<<(r>>16%24) - 1)
	case 7:
		b = b | uint32(r>>32)&0x7fffff&^(1<<(r>>16%24)-1) + a.small()
	}
	return math.Float32frombits(b | uint32(r)<<31)
}

// low draws a low word for the high word h: half an ulp of h less little, a number of any exponent below, or zero.
func (a *attacker) low(h float32) float32 {
	r := a.rng.Uint64()
	b := math.Float32bits(h)>>23&0xff<<23 - 24<<23
	switch r % 8 {
	case 0:
		return 0
	case 1, 2, 3, 4:
		b -= a.small()
	case 5, 6:
		b -= uint32(r>>32) & 0x7fffff
	case 7:
		b -= uint32(r>>8%16)<<23 + a.small()
	}
	return math.Float32frombits(b | uint32(r>>16)<<31)
}

// Draw fills a row.
func (a *attacker) Draw(row []float32) {
	for i, words := range a.Words {
		e := a.intn(3) - 1
		if a.sum && i > 0 && a.intn(2) == 0 {
			e -= a.intn(26)
		}
		h := a.number(e)
		k := a.Offsets[i]
		row[k] = h
		for j := 1; j < words; j++ {
			row[k+j] = a.low(row[k+j-1])
		}
	}
}

// offset returns how far b lies above the nearest power of two, in units of its last place, negative if below.
func offset(b uint32) int32 { return int32((b+1<<22)&0x7fffff) - 1<<22 }

// ridge moves one or two high words along a ridge: a product (1+s)(1+t) of words near powers of two keeps the part st that its
// rounding sees when s grows as t shrinks; the square in a quotient's when an offset is scaled by the root of a ratio.
func (a *attacker) ridge(row []float32) {
	i := a.intn(len(a.Offsets))
	j := a.intn(len(a.Offsets))
	bi, bj := math.Float32bits(row[a.Offsets[i]]), math.Float32bits(row[a.Offsets[j]])
	s, t := float64(offset(bi)), float64(offset(bj))
	to := float64(s * math.Sqrt(float64(1+a.intn(9))/float64(1+a.intn(9))))
	if a.intn(2) == 0 {
		to = float64(a.small())
	}
	if math.Abs(to) > 1<<21 {
		return
	}
	row[a.Offsets[i]] = math.Float32frombits(bi + uint32(int32(to)) - uint32(int32(s)))
	if i == j || to == 0 {
		return
	}
	if to = math.RoundToEven(s * t / to); math.Abs(to) < 1<<21 {
		row[a.Offsets[j]] = math.Float32frombits(bj + uint32(int32(to)) - uint32(int32(t)))
	}
}

// Mutate changes one to three words of a row.
func (a *attacker) Mutate(row []float32) {
	if a.intn(6) == 0 {
		a.ridge(row)
		return
	}
	n := 1 + a.intn(8)/4
	if a.intn(8) == 0 {
		n = 3
	}
	for range n {
		a.change(row, a.intn(len(row)))
	}
}

// Perturb changes one or two high words much.
func (a *attacker) Perturb(row []float32) {
	for range 1 + a.intn(2) {
		k := a.Offsets[a.intn(len(a.Offsets))]
		b := math.Float32bits(row[k])
		switch a.intn(4) {
		case 0:
			a.ridge(row)
		case 1:
			row[k] = a.number(int(b>>23&0xff) - 127)
		default:
			a.change(row, k)
		}
	}
}

// change changes the word k of a row.
func (a *attacker) change(row []float32, k int) {
	b := math.Float32bits(row[k])
	r := a.rng.Uint64()
	sign := -(uint32(r>>40) & 1) | 1 // ±1
	switch r % 16 {
	case 0, 1, 2, 3: // one bit's worth up or down
		b += sign << (r >> 8 % 23)
	case 4, 5, 6, 7: // any small distance
		b += sign * a.small()
	case 8, 9: // one step
		b += sign
	case 10: // a coarser number near by
		b = (b + 1<<(r>>8%23)>>1) &^ (1<<(r>>8%23) - 1)
	case 11:
		b ^= 1 << 31
	case 12: // the exponent
		if b<<1 != 0 {
			b += sign << 23
		}
	default: // a new word
		i := a.operand(k)
		if k == a.Offsets[i] {
			row[k] = a.number(int(b>>23&0xff) - 127)
		} else {
			row[k] = a.low(row[k-1])
		}
		return
	}
	row[k] = math.Float32frombits(b)
}

// operand returns which operand the word k belongs to.
func (a *attacker) operand(k int) int {
	i := len(a.Offsets) - 1
	for a.Offsets[i] > k {
		i--
	}
	return i
}

// Fix makes a row one that the bound speaks of: exponents near 0, double words, signs and order as required.
func (a *attacker) Fix(row []float32) {
	for i, words := range a.Words {
		k := a.Offsets[i]
		h := row[k]
		b := math.Float32bits(h)
		lo, hi := uint32(127-3), uint32(127+3)
		if a.sum && i > 0 {
			lo, hi = 127-30, 127+30
		}
		if e := b >> 23 & 0xff; e < lo || e > hi {
			b = b&0x807fffff | min(max(e, lo), hi)<<23
		}
		if a.op.Function == word.Root || a.same && i > 0 && (b^math.Float32bits(row[0]))>>31 != 0 {
			sign := b&(1<<31) ^ math.Float32bits(row[0])&(1<<31)
			if a.op.Function == word.Root {
				sign = b & (1 << 31)
			}
			b ^= sign
			if words > 1 && sign != 0 {
				row[k+1] = -row[k+1]
			}
		}
		row[k] = math.Float32frombits(b)
		for j := 1; j < words; j++ {
			mendPair(row[k+j-1 : k+j+1])
		}
	}
	if a.o.Ordered && len(a.Words) == 2 && math.Abs(float64(row[0])) < math.Abs(float64(row[a.Offsets[1]])) {
		row[0], row[a.Offsets[1]] = row[a.Offsets[1]], row[0]
	}
}

// mendPair makes w a double word whose low word is zero or not far below the high word's last bit.
func mendPair(w []float32) {
	h, l := w[0], w[1]
	eh, b := math.Float32bits(h)>>23&0xff, math.Float32bits(l)
	el := b >> 23 & 0xff
	switch {
	case el == 0 || h == 0:
		w[1] = 0
		return
	case el+24 > eh: // no more than half an ulp
		b = b&(1<<31) | (eh-24)<<23
		l = math.Float32frombits(b)
	case el+60 < eh:
		l = 0
	}
	if s := h + l; s != h { // a tie at an odd h, or a power of two with too much below
		l -= s - h
		h = s
	}
	w[0], w[1] = h, l
}
