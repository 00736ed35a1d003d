package round

import "gamma/model"

// Sqrt returns fl(√p).
//
// Special: the root of -0 is -0; the root of any other number below zero, -inf included, is invalid.
// Cost:    P+2 steps of the schoolbook root, two bits of the radicand a step; no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Sqrt(p uint64) uint64 {
	x := a.read(p)
	if b, ok := a.nan(&x); ok {
		return b
	}
	switch {
	case x.class == model.ClassZero:
		return a.signed(x.neg, 0)
	case x.neg:
		return a.invalid()
	case x.class == model.ClassInf:
		return a.infinite(false)
	}
	m, e := normalized(x.m, x.e)
	if e&1 != 0 { // m's last bits are 0, as P <= 53
		m, e = m>>1, e+1
	}
	// After k steps root = floor(√(m·2^(2k-64))) and rest is what root² leaves of the bits seen;
	// m has 32 pairs, and zeros follow. The first pair is not 00, so that root gets P+2 bits.
	var root, rest uint64
	steps := a.F.P + 2
	for range steps {
		rest = rest<<2 | m>>62
		m <<= 2
		try := root<<2 | 1
		root <<= 1
		if rest >= try {
			rest -= try
			root |= 1
		}
	}
	if rest|m != 0 {
		root |= 1
	}
	return a.round(false, root, e/2+32-steps)
}
