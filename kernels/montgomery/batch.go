package montgomery

import (
	"fmt"
	"unsafe"
)

// inverter is what batchInverse needs of a modulus.
type inverter[W Word] interface {
	Q() W
	One() W
	Mul(a, b W) W
	Inverse(a W) (x W, ok bool)
}

// batchInverse is BatchInverse for words of any width.
//
// It keeps the products of the words before each one, zeros left out, inverts the last product, and walks back: the inverse of all
// words up to i, times the product of those before i, is 1/src[i]; times src[i], it is the inverse of the words before i. For a
// composite q the last product may have no inverse though no word is 0: then each word is inverted separately.
func batchInverse[W Word](m inverter[W], dst, src []W) (units int, err error) {
	if len(dst) != len(src) {
		return 0, fmt.Errorf("montgomery: BatchInverse: dst has %d words and src %d; give both the same length", len(dst), len(src))
	}
	if overlaps(dst, src) && &dst[0] != &src[0] {
		return 0, fmt.Errorf("montgomery: BatchInverse: dst overlaps src; give the same slice, or slices that do not overlap")
	}
	for i, a := range src {
		if a >= m.Q() {
			return 0, fmt.Errorf("montgomery: BatchInverse: word %d is %d and not below the modulus %d; reduce it first", i, a, m.Q())
		}
	}
	before, all := make([]W, len(src)), m.One()
	for i, a := range src {
		before[i] = all
		if a != 0 {
			all = m.Mul(all, a)
			units++
		}
	}
	inverse, ok := m.Inverse(all)
	if !ok {
		units = 0
		for i, a := range src {
			if dst[i], ok = m.Inverse(a); ok {
				units++
			}
		}
		return units, nil
	}
	for i := len(src) - 1; i >= 0; i-- {
		a := src[i]
		if a == 0 {
			dst[i] = 0
			continue
		}
		dst[i], inverse = m.Mul(inverse, before[i]), m.Mul(inverse, a)
	}
	return units, nil
}

// overlaps reports whether x and y share a word.
func overlaps[W Word](x, y []W) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	// Slices are contiguous, and the garbage collector does not move heap objects: addresses can be compared.
	first := func(s []W) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []W) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(x) <= last(y) && first(y) <= last(x)
}
