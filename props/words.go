package props

import (
	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/words"
)

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

// WordLaws returns the built-in laws of operations on words.
func WordLaws() []WordLaw {
	return words.WordLaws()
}

// JudgeWords judges one row that is already computed, in any format: the results out of an operation with this claim
// for the operands in.
func JudgeWords(l WordLaw, c word.Claim, f model.Format, in, out []uint64) (Verdict, error) {
	return words.JudgeWords(l, c, f, in, out)
}
