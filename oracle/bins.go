package oracle

import "math"

// Long slices go through one bin for each sign and exponent field: a term costs one addition to
// memory and no shift, and the bins are folded into limbs from time to time.

const (
	bins32Least = 256 // folding does not pay for shorter slices

	// A bin counts its terms from bit 43 on and sums their fractions below. Four bins weighed by 1,
	// 2, 4 and 8 add up to fractions below 8·2^17·2^23 and counts of 8·2^17 at most.
	binCount  = 43
	binMask   = 1<<binCount - 1
	binFold   = 1 << 17
	binTables = 1 << 13 // from here on four tables break the chains of additions to one bin
)

type bins32 [512]uint64

// addBinned is addSlice through bins.
func (a *Acc32) addBinned(x []float32, keep uint32, abs *Acc32) {
	for len(x) > 0 {
		n := min(len(x), binFold)
		var t bins32
		if n < binTables {
			t.add(x[:n], keep)
		} else {
			t.add4(x[:n], keep)
		}
		t.fold(a, abs, n)
		x = x[n:]
	}
}

func (t *bins32) add(x []float32, keep uint32) {
	for _, v := range x {
		b := math.Float32bits(v) & keep
		t[b>>23] += uint64(b&(1<<23-1)) | 1<<binCount
	}
}

func (t *bins32) add4(x []float32, keep uint32) {
	var t1, t2, t3 bins32
	for len(x) >= 4 {
		b := math.Float32bits(x[0]) & keep
		b1 := math.Float32bits(x[1]) & keep
		b2 := math.Float32bits(x[2]) & keep
		b3 := math.Float32bits(x[3]) & keep
		t[b>>23] += uint64(b&(1<<23-1)) | 1<<binCount
		t1[b1>>23] += uint64(b1&(1<<23-1)) | 1<<binCount
		t2[b2>>23] += uint64(b2&(1<<23-1)) | 1<<binCount
		t3[b3>>23] += uint64(b3&(1<<23-1)) | 1<<binCount
		x = x[4:]
	}
	t.add(x, keep)
	for i := range t {
		t[i] += t1[i] + t2[i] + t3[i]
	}
}

// fold adds the n terms in the bins to a, and their magnitudes to abs unless it is nil.
func (t *bins32) fold(a, abs *Acc32, n int) {
	// What follows adds less than 2^43 to a limb, less than the largest term.
	a.reserve(1)
	if abs != nil {
		abs.reserve(1)
	}
	for g := range 8 {
		// Exponent fields 32g to 32g+15, and the 16 above them.
		p0, p1 := t.horner(32*g), t.horner(32*g+16)
		q0, q1 := t.horner(256+32*g), t.horner(256+32*g+16)
		lo, hi := p0-q0, p1-q1
		a.limb[g] += lo&limbMask + hi<<16&limbMask
		a.limb[g+1] += lo>>limbBits + hi>>16
		if abs != nil {
			lo, hi = p0+q0, p1+q1
			abs.limb[g] += lo&limbMask + hi<<16&limbMask
			abs.limb[g+1] += lo>>limbBits + hi>>16
		}
	}
	var zeros [2]int // zeros among subnormals need not be counted: only sums of nothing but zeros use the counts
	for sign := range zeros {
		if t[256*sign]&binMask == 0 {
			zeros[sign] = int(t[256*sign] >> binCount)
		}
		var seen specials
		if s := t[256*sign+255]; s&binMask != 0 {
			seen = sawNaN
		} else if s != 0 {
			seen = sawPosInf << sign
		}
		a.seen |= seen
		if abs != nil {
			if seen == sawNegInf {
				seen = sawPosInf
			}
			abs.seen |= seen
		}
	}
	a.note(zeros[0], zeros[1], n)
	if abs != nil {
		abs.note(zeros[0]+zeros[1], 0, n)
	}
}

// horner returns the terms in the 16 bins from i on, in units of the first one's last place:
// the sum of s·2^j, where s are the significands in bin i+j. It is below 2^(17+24+16). Its
// value for exponent field 255 is never used, since the sum is then infinite or a NaN.
func (t *bins32) horner(i int) int64 {
	bin := (*[16]uint64)(t[i : i+16])
	sum := significands(bin[12], bin[13], bin[14], bin[15])
	sum = sum<<4 + significands(bin[8], bin[9], bin[10], bin[11])
	sum = sum<<4 + significands(bin[4], bin[5], bin[6], bin[7])
	sum = sum<<4 + significands(bin[0], bin[1], bin[2], bin[3])
	if i&0xff == 0 { // exponent field 0 has no hidden bit, and the last place of 1
		sum += bin[0]&binMask - bin[0]>>binCount<<23
	}
	return int64(sum)
}

// significands returns the significands in four bins, added as horner does. The terms being at most
// binFold in all, neither field of the bins overflows on the way.
func significands(b0, b1, b2, b3 uint64) uint64 {
	b := b0 + 2*(b1+2*(b2+2*b3))
	return b&binMask + b>>binCount<<23
}
