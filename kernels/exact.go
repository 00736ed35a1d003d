package kernels

import (
	"math"
	"math/bits"

	"gamma/model"
)

func exacts() []Kernel {
	binned := scheme(model.Binary32, model.Binned)
	binned.Folds, binned.Block = binFolds, binWidth
	binned.Commutes = true
	exact := scheme(model.Binary32, model.Rounded)
	exact.Commutes, exact.OverflowSafe = true, true
	return []Kernel{
		{Name: "kernels.SumBinned", Claim: binned, Sum32: SumBinned},
		{Name: "kernels.SumExact", Claim: exact, Sum32: SumExact},
	}
}

// specials records the leaves that are in no bin, in a form that does not depend on their order.
type specials struct {
	nan, posInf, negInf bool
	notNegZero          bool // some leaf was not -0
	some                bool // there was a leaf
}

// see records a leaf that is infinite, NaN or zero.
func (sp *specials) see(b uint32) {
	sp.some = true
	switch {
	case b&0x7fffffff > 0x7f800000:
		sp.nan = true
	case b == 0x7f800000:
		sp.posInf = true
	case b == 0xff800000:
		sp.negInf = true
	}
	if b != 1<<31 {
		sp.notNegZero = true
	}
}

// merge records what other has seen.
func (sp *specials) merge(other specials) {
	sp.nan = sp.nan || other.nan
	sp.posInf = sp.posInf || other.posInf
	sp.negInf = sp.negInf || other.negInf
	sp.notNegZero = sp.notNegZero || other.notNegZero
	sp.some = sp.some || other.some
}

// over returns the result that the specials determine, or else the sum v of the finite leaves.
func (sp *specials) over(v float32) float32 {
	switch {
	case sp.nan || sp.posInf && sp.negInf:
		return float32(math.NaN())
	case sp.posInf:
		return float32(math.Inf(1))
	case sp.negInf:
		return float32(math.Inf(-1))
	case v == 0 && sp.some && !sp.notNegZero:
		return float32(math.Copysign(0, -1))
	}
	return v
}

// SumExact returns the exact sum, rounded once, with one integer bin for each exponent.
//
// Shape: fewer than 2^38 leaves, so that no bin of 2^24·n overflows.
// Error: v·|S|; +Inf or -Inf exactly where the exact sum rounds to it.
// Special: any order gives the same bits.
// Cost: one integer addition a leaf, and at the end one step for each exponent of the range.
func SumExact(x []float32) float32 {
	var (
		bin [256]int64 // bin e holds the significands of leaves with exponent field e
		sp  specials
	)
	lo, hi := 255, 0
	for _, v := range x {
		b := math.Float32bits(v)
		e := int(b >> 23 & 0xff)
		m := int64(b & 0x7fffff)
		switch e {
		case 255:
			sp.see(b)
			continue
		case 0:
			if m == 0 {
				sp.see(b)
				continue
			}
			e = 1
		default:
			m |= 1 << 23
		}
		sign := int64(int32(b) >> 31) // 0 or -1
		bin[e] += m ^ sign - sign
		lo, hi = min(lo, e), max(hi, e)
	}
	if hi == 0 {
		return sp.over(0)
	}
	sp.notNegZero = true
	return sp.over(roundBins(bin[lo:hi+1], lo-150))
}

// roundBins returns the sum of bin_i·2^(i+scale), rounded to binary32 to nearest even; an exact
// zero is +0.
//
// Shape: at most 576 bins.
func roundBins(bin []int64, scale int) float32 {
	// The carry out of a pass of floor(t/2) has the sign of the whole.
	var carry int64
	for _, v := range bin {
		carry = (carry + v) >> 1
	}
	sign := int64(1)
	if carry < 0 {
		sign = -1
	}
	var words [10]uint64 // the magnitude, bit i of weight 2^(i+scale)
	carry = 0
	top := -1
	for i := 0; i < len(bin) || carry != 0; i++ {
		t := carry
		if i < len(bin) {
			t += sign * bin[i]
		}
		if t&1 != 0 {
			words[i>>6] |= 1 << (i & 63)
			top = i
		}
		carry = t >> 1
	}
	if top < 0 {
		return 0
	}
	unit := max(top+scale-23, -149) // exponent of the result's last place
	drop := unit - scale            // bits below it
	var q uint64
	if drop <= 0 {
		q, unit = words[0], scale // top <= 23, the value is exact
	} else {
		q = words[drop>>6] >> (drop & 63)
		if drop&63 != 0 && drop>>6+1 < len(words) {
			q |= words[drop>>6+1] << (64 - drop&63)
		}
		half := words[(drop-1)>>6]>>((drop-1)&63)&1 != 0
		if half && (q&1 != 0 || lowBits(words[:], drop-1)) {
			q++
		}
	}
	return float32(float64(sign) * math.Ldexp(float64(q), unit))
}

// lowBits reports whether any of the first n bits of words is set.
func lowBits(words []uint64, n int) bool {
	for _, w := range words[:n>>6] {
		if w != 0 {
			return true
		}
	}
	return n&63 != 0 && bits.TrailingZeros64(words[n>>6]) < n&63
}

const (
	// binWidth is W, the distance of the bins' grids in bits.
	binWidth = 24
	// binFolds is K, the number of bins kept below the largest leaf.
	binFolds = 3
	// binRun is the number of leaves after which float64 bins are emptied into integers.
	binRun = 1 << 20
	// binFirst is the grid exponent of bin 0, which is below everything that binary32 can drop.
	binFirst = -224
)

// Binned is a reproducible sum: its result depends only on the leaves, not on their order or
// on how they were split among accumulators that were merged. The zero value is the empty sum.
//
// Bin i has the grid 2^(g_i) with g_i = W·i - 224 and W = 24. A leaf x is cut into slices from the top:
// in every bin its slice is the multiple of 2^(g_i) nearest to the remainder from the bins above, ties
// to even, and the new remainder is at most half the grid. A bin far above x takes a slice of 0, so
// slices depend only on x and the grids. The leaf's top bin is the
// highest whose slice may differ from 0, the i with 2^(g_i - 1) <= |x| < 2^(g_i + W - 1); the sum
// keeps the K = 3 bins from the highest top bin of any leaf downwards.
//
// The bins of the result are complete: while the highest top bin was lower, leaves had no slices
// above it, and the bins that the result still keeps were kept then too. Each bin's sum is exact:
// slices are at most 2^(W-1) grids, so a run of 2^20 leaves adds up exactly in float64, and 2^38
// leaves in an int64. Integer addition commutes, so every order gives the same bits; at the end
// the bins are added exactly and rounded once.
//
// Error: every leaf loses at most half the lowest kept grid, and the largest leaf M has
// |M| >= 2^(g_top - 1), so with T the sum of the kept slices |T-S| <= n·2^(-W·(K-1))·|M|, and
// E <= v·|S| + (1+v)·n·2^-48·max|x_i|. That is below the bound of ReproBLAS for K = 3 in binary32,
// n·2^-26·max|x_i| + 7u·|S|/(1-…).
// Source: [Demmel-Ahrens-Nguyen 2016] for the idea; the bound is [Gamma B1].
type Binned struct {
	top int             // index of the highest kept bin
	bin [binFolds]int64 // sums in grids, highest bin first
	sp  specials
}

// binGrid returns the exponent of bin i's grid.
func binGrid(i int) int { return binFirst + binWidth*i }

// binTop returns the top bin of the finite nonzero magnitude b.
func binTop(b uint32) int {
	e := int(b>>23) - 127
	if e == -127 {
		e = bits.Len32(b) - 150
	}
	return (e + 1 - binFirst) / binWidth
}

// raise makes bin top the highest; lower bins fall out.
func (a *Binned) raise(top int) {
	up := top - a.top
	if up <= 0 {
		return
	}
	a.top = top
	for k := binFolds - 1; k >= 0; k-- {
		if k >= up {
			a.bin[k] = a.bin[k-up]
		} else {
			a.bin[k] = 0
		}
	}
}

// Add adds the leaves x.
func (a *Binned) Add(x []float32) {
	for len(x) > binRun {
		a.run(x[:binRun])
		x = x[binRun:]
	}
	a.run(x)
}

// run adds at most binRun leaves.
func (a *Binned) run(x []float32) {
	var largest, nonzero uint32
	for _, v := range x {
		b := math.Float32bits(v) &^ (1 << 31)
		largest = max(largest, b)
		nonzero |= b
	}
	switch {
	case nonzero == 0 || largest >= 0x7f800000:
		a.slow(x, largest)
		return
	}
	a.sp.some, a.sp.notNegZero = true, true
	a.cut(x, binTop(largest))
}

// slow adds leaves some of which are infinite or NaN, or all of which are zero.
func (a *Binned) slow(x []float32, largest uint32) {
	for _, v := range x {
		b := math.Float32bits(v)
		switch m := b &^ (1 << 31); {
		case m == 0 || m >= 0x7f800000:
			a.sp.see(b)
		case largest >= 0x7f800000:
			a.sp.some, a.sp.notNegZero = true, true
			a.cut([]float32{v}, binTop(m))
		}
	}
}

// cut adds finite leaves, the largest of which has its top bin at top.
func (a *Binned) cut(x []float32, top int) {
	a.raise(top)
	// 1.5·2^(g+52) + r rounds r to a multiple of 2^g.
	g := binGrid(a.top)
	m0 := math.Ldexp(1.5, g+52)
	m1 := math.Ldexp(1.5, g-binWidth+52)
	m2 := math.Ldexp(1.5, g-2*binWidth+52)
	var s0, s1, s2 float64
	for _, v := range x {
		r := float64(v)
		q := (m0 + r) - m0
		s0 += q
		r -= q
		q = (m1 + r) - m1
		s1 += q
		r -= q
		s2 += (m2 + r) - m2
	}
	a.bin[0] += int64(math.Ldexp(s0, -g))
	a.bin[1] += int64(math.Ldexp(s1, binWidth-g))
	a.bin[2] += int64(math.Ldexp(s2, 2*binWidth-g))
}

// Merge adds the leaves of other, which it does not change.
func (a *Binned) Merge(other *Binned) {
	b := *other
	top := max(a.top, b.top)
	a.raise(top)
	b.raise(top)
	for k := range a.bin {
		a.bin[k] += b.bin[k]
	}
	a.sp.merge(b.sp)
}

// Float32 returns the sum of the leaves added so far.
func (a *Binned) Float32() float32 {
	var bin [binWidth*(binFolds-1) + 1]int64
	for k, v := range a.bin {
		bin[binWidth*(binFolds-1-k)] = v
	}
	return a.sp.over(roundBins(bin[:], binGrid(a.top-binFolds+1)))
}

// SumBinned returns the sum of x by Binned: the same bits for every permutation and partition.
//
// Shape, Error: see Binned.
// Cost: two passes, ten additions a leaf.
func SumBinned(x []float32) float32 {
	var a Binned
	a.Add(x)
	return a.Float32()
}
