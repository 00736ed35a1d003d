// Package modular says what operations on residues and number-theoretic transforms are, as plain data that judge and judged
// share: functions modulo q, how words stand for residues, in which range words are, what a transform computes, and what a
// kernel claims of all this. It computes no residues, except in [Recurrence.Run], which executes declared steps.
//
// Start here: [Claim] for one operation, [Transform] and [TransformClaim] for transforms, [Recurrence] for the steps by which a
// lazy kernel keeps its words in range, [Recurrence.Bound], [StageBounds] and [MaxModulus] for the proof that it does.
//
// # Words
//
// A kernel's word has b bits, b = 8, 16, 32 or 64, and R = 2^b. In rows every word is a uint64 below R. A word a stands for
// the residue x with
//
//	a ≡ x·R^k (mod q)
//
// where the claim gives k, the power, for each word: 0 for the residue itself, 1 for Montgomery's domain, 2 for a word that
// brings another into the domain when Montgomery's product multiplies them, and so on. A word of range f is in [0, f·q); range 1
// is the reduced word, ranges above are lazy, and range 0 means any word.
//
// Keys in brackets are those of package model.
package modular
