package kernels

import "gamma/model"

// lanes is the number of running sums of SumLanes and DotLanes: a SIMD register of binary32.
const lanes = 8

func sums() []Kernel {
	b32, b64 := model.Binary32, model.Binary64
	return []Kernel{
		{Name: "kernels.SumSerial", Claim: plain(b32, "left"), Sum32: SumSerial[float32]},
		{Name: "kernels.SumSerial64", Claim: plain(b64, "left"), Sum64: SumSerial[float64]},
		{Name: "kernels.SumReverse", Claim: plain(b32, "right"), Sum32: SumReverse[float32]},
		{Name: "kernels.SumPairwise", Claim: plain(b32, "pairwise"), Sum32: SumPairwise[float32]},
		{Name: "kernels.SumPairwise64", Claim: plain(b64, "pairwise"), Sum64: SumPairwise[float64]},
		{Name: "kernels.SumPairwise8", Claim: plain(b32, "pairwise/8"), Sum32: SumPairwise8[float32]},
		{Name: "kernels.SumPairwise128", Claim: plain(b32, "pairwise/128"), Sum32: SumPairwise128[float32]},
		{Name: "kernels.SumBlocked", Claim: plain(b32, "blocked/64"), Sum32: SumBlocked[float32]},
		{Name: "kernels.SumLanes", Claim: plain(b32, "lanes/8"), Sum32: SumLanes[float32]},
		{Name: "kernels.SumLanes64", Claim: plain(b64, "lanes/8"), Sum64: SumLanes[float64]},
		{Name: "kernels.SumNumPy", Claim: plain(b32, "numpy"), Sum32: SumNumPy[float32]},
		{Name: "kernels.SumDouble", Claim: double("left"), Sum32: SumDouble},
		{Name: "kernels.SumRows", Claim: plain(b32, "lanes/8"), Rows32: SumRows[float32]},
		{Name: "kernels.SumFollowing", Claim: plain(b32, ""), SumTree: SumFollowing},
	}
}

// double is the claim of a binary32 kernel that follows tree in binary64 and rounds once more.
//
// It does not claim OverflowSafe: no partial sum overflows, but the leaves MaxFinite, 2^103 and
// -2^-149 have an exact sum that rounds to MaxFinite, and the sum in binary64 is the tie above it,
// which rounds to +Inf.
func double(tree string) model.Claim {
	c := plain(model.Binary32, tree)
	c.Acc = model.Binary64
	return c
}

// SumSerial returns ((x_0+x_1)+x_2)+…, the sum from left to right.
//
// Error: (n-1)·u/(1+u)·A.
// Special: as in IEEE 754; the empty sum is +0.
// Source: [Jeannerod-Rump 2018] Theorem 4.1.
func SumSerial[T Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	s := x[0]
	for _, v := range x[1:] {
		s += v
	}
	return s
}

// SumReverse returns ((x_{n-1}+x_{n-2})+x_{n-3})+…, the sum from right to left.
//
// Error, Special: as SumSerial.
func SumReverse[T Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	last := len(x) - 1
	s := x[last]
	for i := last - 1; i >= 0; i-- {
		s += x[i]
	}
	return s
}

// SumPairwise returns the sum of the two halves' sums, halving down to single leaves; for an
// odd number of leaves the right half has one more.
//
// Error: ((1+v)^h - 1)·A with h = ceil(log2 n) and v = u/(1+u).
// Source: [Higham 2002] §4.2.
func SumPairwise[T Float](x []T) T {
	switch n := len(x); n {
	case 0:
		return 0
	case 1:
		return x[0]
	case 2:
		return x[0] + x[1]
	default:
		return SumPairwise(x[:n/2]) + SumPairwise(x[n/2:])
	}
}

// SumPairwise8 is SumPairwise, but stops halving at 8 leaves and sums those from left to right.
func SumPairwise8[T Float](x []T) T { return pairwise(x, 8) }

// SumPairwise128 is SumPairwise, but stops halving at 128 leaves, for speed.
func SumPairwise128[T Float](x []T) T { return pairwise(x, 128) }

func pairwise[T Float](x []T, base int) T {
	n := len(x)
	if n <= base {
		return SumSerial(x)
	}
	return pairwise(x[:n/2], base) + pairwise(x[n/2:], base)
}

// SumBlocked returns the sum from left to right of the sums of blocks of 64, each summed from left
// to right.
//
// Error: ((1+v)^h - 1)·A with h = 63 + ceil(n/64) - 1 for n > 64.
func SumBlocked[T Float](x []T) T {
	const b = 64
	if len(x) <= b {
		return SumSerial(x)
	}
	s := SumSerial(x[:b])
	for x = x[b:]; len(x) > b; x = x[b:] {
		s += SumSerial(x[:b])
	}
	return s + SumSerial(x)
}

// SumLanes returns the pairwise sum of eight lanes, where lane j is the sum from left to right of
// x_j, x_{j+8}, x_{j+16} and so on; lanes without a leaf are left out.
//
// Error: ((1+v)^h - 1)·A with h = ceil(n/8) - 1 + ceil(log2 min(n, 8)).
func SumLanes[T Float](x []T) T {
	if len(x) < lanes {
		return SumPairwise(x)
	}
	r0, r1, r2, r3 := x[0], x[1], x[2], x[3]
	r4, r5, r6, r7 := x[4], x[5], x[6], x[7]
	for x = x[lanes:]; len(x) >= lanes; x = x[lanes:] {
		r0 += x[0]
		r1 += x[1]
		r2 += x[2]
		r3 += x[3]
		r4 += x[4]
		r5 += x[5]
		r6 += x[6]
		r7 += x[7]
	}
	r := [lanes]T{r0, r1, r2, r3, r4, r5, r6, r7}
	for j, v := range x {
		r[j] += v
	}
	return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
}

// SumNumPy returns the sum in the order of NumPy's pairwise sum: fewer than 8 leaves from left to
// right; up to 128 in eight lanes, then the remaining ones one by one; more by halves, the left one
// rounded down to a multiple of 8.
//
// Error: ((1+v)^h - 1)·A, h from the tree.
func SumNumPy[T Float](x []T) T {
	n := len(x)
	switch {
	case n < lanes:
		return SumSerial(x)
	case n <= 128:
		whole := n &^ (lanes - 1)
		s := SumLanes(x[:whole])
		for _, v := range x[whole:] {
			s += v
		}
		return s
	default:
		half := n / 2 &^ (lanes - 1)
		return SumNumPy(x[:half]) + SumNumPy(x[half:])
	}
}

// SumDouble returns the sum from left to right in binary64, rounded to binary32.
//
// Error: v·|S| + (1+v)·(n-1)·v'·A with v' = u'/(1+u') and u' = 2^-53.
// Special: no partial sum overflows below 2^896 leaves.
func SumDouble(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	s := float64(x[0])
	for _, v := range x[1:] {
		s += float64(v)
	}
	return float32(s)
}

// SumRows sets dst_i to SumLanes of the i-th row of n leaves of x.
//
// Shape: len(x) = len(dst)·n; it panics otherwise.
// Alias: dst and x must not overlap.
func SumRows[T Float](dst, x []T, n int) {
	if n < 0 || len(x) != len(dst)*n {
		panic(rowsDoNotFit(len(dst), n, len(x)))
	}
	for i := range dst {
		dst[i] = SumLanes(x[i*n : (i+1)*n])
	}
}
