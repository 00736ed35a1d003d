// Package ranges proves how large the words of a kernel can become that computes modulo q: from its intermediate code and from
// what the host binds, it bounds every word that the kernel stores, exactly and in multiples of q, and names the place where a word
// may leave its type.
//
// Start here: [Analyse], and [MaxModulus] for the largest modulus that a kernel is proved for. The kernel comes from package msl: msl.Compile
// and the Kernel method of what it returns.
//
// # What is proved
//
// Values are bounded by intervals of integers. Where intervals alone say too little, sums are kept as linear forms of what they are
// made of, and three things are known of them:
//
//   - Montgomery's reduction: mulhi(a,b) + mulhi(m,q) + [a·b mod R != 0], with m = -a·b/q mod R, is (a·b + m·q)/R < a·b/R + q; the
//     form with m = a·b/q and a difference is (a·b - m·q)/R, above -q and at most a·b/R;
//   - Shoup's product: a·w - mulhi(a,w')·q with w' = ⌊w·R/q⌋ is below q + a·q/R [Harvey 2014];
//   - the same by a constant w is below q + a·(w·R mod q)/R; with w = 1 it is Barrett's reduction of a word.
//
// A selection, from ?: or an if, is bounded branch by branch, each under its condition: so s >= q ? s-q : s, u < t ? u+q-t : u-t and
// min(s, s-q) are what they are meant to be. Loops are iterated to a fixed point.
//
// # What is assumed
//
// The host binds what [Facts] say. The kernel has no race: between barriers no thread reads what another writes (the laws
// kernel.race and kernel.schedule are there to find one), and reads nothing that was not written. No two arguments that are written
// are the same buffer. An array has one bound for all
// its elements, so that a loop over growing stages in one dispatch is bounded only if some bound is kept by every turn.
package ranges
