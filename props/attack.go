package props

import (
	"gamma/model/word"
	"gamma/props/internal/attack"
	"gamma/props/internal/engine"
)

type (
	// AttackOptions bound a search.
	AttackOptions = attack.AttackOptions
	// AttackResult is the worst row that a search met.
	AttackResult = attack.AttackResult
	// FingerprintResult says which known algorithms a black box behaves as.
	FingerprintResult = attack.FingerprintResult
)

// Attack looks for operands whose error is as large a part of bound as possible: a hill climb over structured
// mantissas, by several climbers of which the better ones stay.
func Attack(op word.Op, run func(dst, src []float32), bound word.Bound, o AttackOptions) AttackResult {
	run, release := owned(run)
	defer release()
	return attack.Attack(op, run, bound, o)
}

// Fingerprint runs a few witness rows and names the algorithms of op that give the same bits: each as written and
// exchanged, with every choice of products that a compiler may fuse with sums, with Dekker's product for a fused one,
// and all of these in arithmetic that flushes subnormals or rounds toward zero.
func Fingerprint(op word.Op, run func(dst, src []float32)) FingerprintResult {
	run, release := owned(run)
	defer release()
	return attack.Fingerprint(op, run)
}

// owned ties a search to its thread until release is called, and puts back what run leaves of the thread's floating-point environment. It
// blames nobody: that is for verdicts.
func owned(run func(dst, src []float32)) (guarded func(dst, src []float32), release func()) {
	calls := &engine.Guard{}
	return func(dst, src []float32) {
		defer calls.End(calls.Begin(), new(error))
		run(dst, src)
	}, calls.Own()
}
