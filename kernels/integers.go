package kernels

// Integer is a sum of unsigned integers of Bits bits, modulo 2^Bits.
type Integer struct {
	Name string
	Bits int
	Sum  func(x []uint64) uint64 // of terms below 2^Bits
}

// Integers returns the sums of integers, one for each width.
func Integers() []Integer {
	return []Integer{
		{"kernels.SumWrap8", 8, words(SumWrap[uint8])},
		{"kernels.SumWrap16", 16, words(SumWrap[uint16])},
		{"kernels.SumWrap32", 32, words(SumWrap[uint32])},
		{"kernels.SumWrap64", 64, words(SumWrap[uint64])},
	}
}

// words returns sum as a function of words that have room for every width.
func words[T uint8 | uint16 | uint32 | uint64](sum func(x []T) T) func(x []uint64) uint64 {
	return func(x []uint64) uint64 {
		own := make([]T, len(x))
		for i, v := range x {
			own[i] = T(v)
		}
		return uint64(sum(own))
	}
}

// SumWrap returns Σx_i modulo 2^k, k the bits of T, by four running sums. Since addition modulo 2^k commutes and associates, every
// order gives this result.
func SumWrap[T uint8 | uint16 | uint32 | uint64](x []T) T {
	var s [4]T
	for ; len(x) >= len(s); x = x[len(s):] {
		for i := range s {
			s[i] += x[i]
		}
	}
	for i, v := range x {
		s[i] += v
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
