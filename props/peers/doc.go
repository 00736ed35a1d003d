// Peers judges the libraries that everybody uses by the same laws as our own kernels, and writes a page about them, [PEERS.md]. It is a module of its own, so that
// Gamma's users do not depend on what it judges. Run it in its directory:
//
//	./install.sh                       installs Debian's packages of the libraries
//	go run .                           judges all that is present, and writes the page if nothing is absent
//	go run . -only 'GSL cblas_sdot'    judges some claims, and leaves the page as it is
//	go run . -h                        lists the flags
//	go test -v . -count=1              judges gonum, Lattigo and gnark-crypto, and those C libraries that are there, as tests
//
// The table of libraries and claims is data in Go: a function, what is claimed of it, and the sentence of documentation that the claim comes from. A shared library
// runs in a process of its own by its declarations in C; shims makes C functions on arrays of what has another form, and is compiled as the command runs; kernels.py has the functions
// of Python. A library that is absent is named with the package to install, and the rest goes on.
//
// A claim that is violated without a sentence in the table that says what was found by hand makes the command fail, and TestByHand computes what these sentences say
// by math/big. The page is replaced whole, by a run in which every claim was judged.
//
// # Long runs
//
// -checks, -time and -seed say how much is judged, and -sweep all judges every input of the functions of one number of 32 bits. -maxn 1048576 draws transforms and products modulo n of up to 2^20
// numbers: of FLINT's and NTL's, go run . -maxn 1048576 -time 60s -only '^(FLINT nmod_poly|NTL (FFT|mul))' takes some 80 seconds, and FLINT's Fermat transforms and fmpz_poly_mul_SS end where their
// numbers do. -json keeps what a run found as lines, and -from adds
// such lines to the page: counts are added up, and one violation counts. ./bundle.sh packs the command with the C libraries for a machine where nothing is installed.
//
// # Known faults
//
// Faults in libraries in Go that are known and open stand below testdata/gamma as cases with `expect violated`; a replay fails when one starts to pass. Of gonum these are infinities in
// floats.SumCompensated and in the L1 norm that lapack64.Langb calls, and real transforms of lengths with a prime factor above 5, whose twiddle factors are made by a recurrence. Four of its sums and products give
// other bits at another address, inside the bound, since their assembly begins with single elements up to an aligned one: they do not claim to repeat.
package main
