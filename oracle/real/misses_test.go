package real

import (
	"flag"
	"fmt"
	"math"
)

var cases = flag.Int("cases", 3000, "arguments of each function that the fast half is compared on with the slow one")

// judged are the bits that the slow half begins with: its intervals are 2^-42 units of the fast half's wide.
const judged = 96

// misses says what is wrong with the enclosure [lo, hi] of the value that slow encloses, or nothing. An interval that reaches over an end of the
// enclosure is not precise enough to decide: the value of a tiny argument may be 2^-2000 away.
func misses(lo, hi float64, slow func(Bits) Interval) string {
	if !(lo <= hi) {
		return "no interval"
	}
	within := Between(lo, hi)
	y := slow(judged)
	if !y.Inside(within) {
		y, _ = Refine(8192, slow, func(y Interval) bool { return y.Inside(within) || y.Hi.Cmp(within.Lo) < 0 || within.Hi.Cmp(y.Lo) < 0 })
	}
	switch {
	case !y.Inside(within):
		return fmt.Sprintf("the value lies outside, in %.40g to %.40g", y.Lo, y.Hi)
	case lo == hi, math.IsInf(hi, 1), math.IsInf(lo, -1):
		return ""
	case math.Nextafter(math.Nextafter(lo, hi), hi) < hi:
		return "wider than two units in the last place"
	}
	return ""
}
