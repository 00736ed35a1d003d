package oracle

import "gamma/model"

// NormalDW reports whether hi and lo are a double word, hi = RN(hi+lo) with ties to even, exactly.
//
// Special: false if either is not finite, or if hi+lo rounds beyond MaxFinite. Signs of zeros do not count.
func NormalDW(f model.Format, hi, lo uint64) bool {
	if !f.IsFinite(hi) || !f.IsFinite(lo) {
		return false
	}
	// lo must lie between the ends of the numbers that round to hi, less hi, in quarters of hi's last place
	m, e := wordTerm(&f, lo)
	low, high, at, lowIn, highIn, bounded := wordEnds(&f, hi, false)
	h, _ := wordTerm(&f, hi)
	low, high = low-4*h, high-4*h
	if !bounded && m != 0 && (m > 0) == (h > 0) {
		return true
	}
	// |lo| against the end on its side, which is 1 or 2
	end, in := high, highIn
	if m < 0 {
		m, end, in = -m, -low, lowIn
	}
	if m == 0 {
		return true
	}
	k := e - at // m·2^k against end
	switch {
	case k > 1 || k >= 0 && m > 2:
		return false
	case k >= 0:
		m <<= k
	default:
		if k < -60 {
			return true // m < 2^53
		}
		end <<= -k
	}
	return m < end || m == end && in
}
