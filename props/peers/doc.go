// Peers judges the sums, dot products, Fourier and number-theoretic transforms of other people's libraries by the same laws as
// our own kernels. It is a module of its own, so that Gamma's users do not depend on what it judges.
//
// Run it in its directory: go test -v . -count=1
//
// Faults of theirs that are known and open stand below testdata/gamma as cases with
// `expect violated`; a replay fails when one starts to pass.
//
// # What was found
//
// gonum's sums and dot products pass but for infinities in floats.SumCompensated and in the L1 norm that lapack64.Langb calls, which stand as
// open faults. Four of them give other bits at another address, inside the bound, since their assembly begins with single elements up to an
// aligned one: law sum.pure found it, and they do not claim to repeat.
//
// gonum's Fourier transforms pass, with twiddle factors claimed within 23u, since their angles are rounded, and real ones for lengths without a
// prime factor above 5: the pass for others makes its factors by a recurrence, and single results lie outside of what is proved with a table
// (3.2 times at 997 points). FFTW and kissfft are judged where their libraries are installed.
//
// Lattigo's and gnark-crypto's number-theoretic transforms pass, but for what Lattigo documents otherwise than it is: moduli of 62 bits and more
// are accepted and transform wrongly, and NTTLazy leaves words of almost 6q.
package main
