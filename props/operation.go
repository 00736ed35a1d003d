package props

import (
	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/words"
)

// Rows11 makes a batch function of one that takes a word and returns one; Rows12 and so on likewise.
func Rows11[T float32 | float64](f func(a T) T) func(dst, src []T) {
	return func(dst, src []T) {
		for i := range dst {
			dst[i] = f(src[i])
		}
	}
}

// Rows12 takes a word and returns two.
func Rows12[T float32 | float64](f func(a T) (h, l T)) func(dst, src []T) {
	return func(dst, src []T) {
		for i, a := range src {
			dst[2*i], dst[2*i+1] = f(a)
		}
	}
}

// Rows22 takes two words and returns two: of such names the first digit counts the words that go in, the second those that come out.
func Rows22[T float32 | float64](f func(a, b T) (h, l T)) func(dst, src []T) {
	return func(dst, src []T) {
		for i := 0; i < len(src); i += 2 {
			dst[i], dst[i+1] = f(src[i], src[i+1])
		}
	}
}

// Rows32 takes three words and returns two.
func Rows32[T float32 | float64](f func(xh, xl, y T) (h, l T)) func(dst, src []T) {
	return func(dst, src []T) {
		for i := 0; i < len(src)/3; i++ {
			dst[2*i], dst[2*i+1] = f(src[3*i], src[3*i+1], src[3*i+2])
		}
	}
}

// Rows42 takes four words and returns two.
func Rows42[T float32 | float64](f func(xh, xl, yh, yl T) (h, l T)) func(dst, src []T) {
	return func(dst, src []T) {
		for i := 0; i < len(src)/4; i++ {
			dst[2*i], dst[2*i+1] = f(src[4*i], src[4*i+1], src[4*i+2], src[4*i+3])
		}
	}
}

type (
	// WordFailure is a violation of a law by a row, reduced.
	WordFailure = words.WordFailure
	// WordLaw is a law about operations on words, a pure function of a row: its claim, its operands and its results.
	WordLaw = words.WordLaw
	// WordRow is one row as a law sees it.
	WordRow = words.WordRow
)

// WeakenWord returns what is left of a claim under a behaviour, and what it leaves out altogether: "" or why no law of
// values says anything.
func WeakenWord(c word.Claim, b model.Behaviour, strict bool) (left word.Claim, silent string) {
	return words.WeakenWord(c, b, strict)
}

// JudgeWords judges one row that is already computed, in any format: the results out of an operation with this claim
// for the operands in.
func JudgeWords(l WordLaw, c word.Claim, f model.Format, in, out []uint64) (Verdict, error) {
	return words.JudgeWords(l, c, f, in, out)
}
