package oracle

import "math"

// Long slices go through one bin for each sign and exponent field: a term costs one addition to
// memory and no shift, and the bins are folded into limbs now and then.

const (
	bins32Least = 512 // shorter slices are not worth the fold

	// A bin counts its terms above bit 40 and sums their fractions below: 2^17 fractions of 23 bits
	// fit, and the count never reaches bit 58.
	binCount   = 40
	binFold    = 1 << 17
	binTables2 = 1 << 13 // from here on two tables break the chains of additions to one bin
)

type bins32 [512]uint64

// addBinned adds the elements of x, their bits masked by keep.
func (a *Acc32) addBinned(x []float32, keep uint32) {
	for len(x) > 0 {
		n := min(len(x), binFold)
		var t bins32
		if n < binTables2 {
			t.add(x[:n], keep)
		} else {
			t.add2(x[:n], keep)
		}
		a.fold(&t, n)
		x = x[n:]
	}
}

func (t *bins32) add(x []float32, keep uint32) {
	for _, v := range x {
		b := math.Float32bits(v) & keep
		t[b>>23] += uint64(b&(1<<23-1)) | 1<<binCount
	}
}

func (t *bins32) add2(x []float32, keep uint32) {
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

// fold adds the n terms in the bins to a's limbs.
func (a *Acc32) fold(t *bins32, n int) {
	carry(a.limb[:])
	a.adds = 1 // what follows adds less than 2^43 to a limb
	const frac = 1<<binCount - 1
	// The significands of 16 exponents by Horner's rule: below 2^(17+24+16).
	for g := range 16 {
		pos, neg := t[16*g:16*g+16:16*g+16], t[256+16*g:256+16*g+16:256+16*g+16]
		var s int64
		for i := 15; i >= 0; i-- {
			p, q := pos[i], neg[i]
			s += s + int64(p&frac+p>>binCount<<23) - int64(q&frac+q>>binCount<<23)
		}
		if g == 0 { // exponent field 0 has no hidden bit and the scale of 1
			p, q := int64(t[0]), int64(t[256])
			s += p&frac - q&frac - p>>binCount<<23 + q>>binCount<<23
		}
		if g == 15 { // exponent field 255 has no value
			p, q := t[255], t[511]
			s -= (int64(p&frac+p>>binCount<<23) - int64(q&frac+q>>binCount<<23)) << 15
		}
		a.limb[g>>1] += s << (g & 1 * 16) & limbMask
		a.limb[g>>1+1] += s >> (limbBits - g&1*16)
	}
	var zeros [2]int // zeros among subnormals may go uncounted, for only sums of zeros alone ask
	for sign := range zeros {
		if t[256*sign]&frac == 0 {
			zeros[sign] = int(t[256*sign] >> binCount)
		}
		if s := t[256*sign+255]; s&frac != 0 {
			a.seen |= sawNaN
		} else if s != 0 {
			a.seen |= sawPosInf << sign
		}
	}
	a.note(zeros[0], zeros[1], n)
}
