package draw

import (
	"math/bits"
)

// Even spreads a place over all there are: rapid prefers small numbers, and so would draw the first family most of the time.
func Even(place int, a, b uint8, seed uint64) int {
	return int(Mix(seed^uint64(place)<<40^uint64(a)<<16^uint64(b)<<8) & 0xffff)
}

// Splitmix is SplitMix64: state += 0x9e3779b97f4a7c15, and two multiply-xorshift rounds.
// Source: [Steele-Lea-Flood 2014]; S. Vigna's constants.
type Splitmix uint64

func (s *Splitmix) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return Mix(uint64(*s))
}

// Mix is the finaliser of splitmix, a bijection.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below returns a number from 0 to n-1; its bias is below n·2^-64.
func (s *Splitmix) Below(n int) int {
	hi, _ := bits.Mul64(s.Next(), uint64(n))
	return int(hi)
}

// Grow returns s with length n, of the same memory where that is large enough.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
