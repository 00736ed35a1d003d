// Package conv computes long convolutions by Fourier transforms, as layers of the Hyena kind do: a stream of 3 taps a channel, real transforms,
// a product of spectra, bias and gate. Start here: Load reads a Profile, Flag lets the flags of a program choose one, New makes a Pipeline of it, All lists the kernels with their formulas and claims.
//
// # What is computed
//
// For each row of n numbers x, with the filters k and r of its channel, n numbers each, its taps w, its bias and the gate of each element,
//
//	v_t = w_0·x_(t-2) + w_1·x_(t-1) + w_2·x_t          x_t = 0 before the first
//	y_t = gate_t·(bias + Σ_(s<=t) k_(t-s)·v_s + Σ_(s>=t) r_(s-t)·v_s)
//
// and with half of both sums if the profile says avg. Rows are padded with zeros to N = 2^⌈log2 2n⌉ points, so that nothing wraps around.
//
// # Roundings
//
// Results of steps are held in binary32, or wider. The plain pipeline holds four of them in binary32, as the seed counts: the spectra, their
// product, the inverse, and the result. Taps make a fifth and a gate a sixth. The extended one computes in binary64, the one called double_double in double
// words of binary64, and both round the result alone.
// What is held wide follows from the profile, in Profile.Roundings:
//
//   - ep_fft holds everything from the spectra to the result in binary64, and as "double-double" in double words of it. It needs ep_freqmul.
//   - ep_freqmul without it computes the product in binary64, and rounds it to binary32 before the inverse: each part is more accurate, but no rounding less is
//     counted. The seed's extended profile, which says no more, has four roundings as the plain one (seed_extended.json).
//   - ep_depthwise likewise: v is rounded to binary32 unless ep_fft holds it.
//
// # Error
//
// With u = 2^-24, or 2^-53 if the profile says ep_fft, V = ‖|w|∗|x|‖₂ of the row and H = ‖k‖₂ + ‖r‖₂, half of that for avg, y is the exact value off by
// at most
//
//	|gate|·((13·log2 n + 66)·u·V·H + 3u·|bias|),
//
// and in double words, with u = 2^-106, by at most |gate|·((300·log2 n + 660)·u·V·H + 5u·|bias|). It is
// rounded once to binary32; see the proof beside Within. A result is not within so many ulps of itself: a convolution by transforms has an error that
// goes by the largest elements of its row.
//
// # Determinism
//
// Every sum has a fixed order: on one machine results are the same bits in each run, however many rows are computed at a time. Between machines the
// transforms of package fft may differ, which fuse products where the processor can; those by definition, that strict_kernels asks for up to StrictN
// points, do not. DETERMINISM.md has what the seeds say of orders and drift, tested.
package conv
