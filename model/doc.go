// Package model is the mathematics of Gamma as plain data: floating-point formats, what a kernel
// may claim, what a device may do, and the error bounds that theorems grant. Start here.
//
// Nothing in this package rounds, fuses or flushes: executable rounding is in model/round, which
// only the judge imports, so that a kernel and its judge share names and no arithmetic.
//
// # Notation
//
// For a format with precision P, rounding to nearest, and n leaves x_i:
//
//	u    unit roundoff 2^-P                 v    u/(1+u)
//	S    exact sum of the leaves            A    sum of the |x_i|
//	E    |computed - S|                     h    height of the tree
//	η    half the least subnormal           γ_k  k·u/(1-k·u)
//
// # Sources
//
// Doc comments, laws and reports cite by these keys, in every package of the module; a test holds each citation to this list.
//
//	[BGM 2017]               S. Boldo, S. Graillat, J.-M. Muller, On the robustness of the 2Sum and Fast2Sum algorithms, ACM TOMS 44, 4.
//	[BJMNP 2020]             N. Brisebarre, M. Joldes, J.-M. Muller, A.-M. Naneş, J. Picot, Error analysis of some operations involved in the
//	                         Cooley-Tukey fast Fourier transform, ACM TOMS 46, 11.
//	[BPZ 2007]               R. Brent, C. Percival, P. Zimmermann, Error bounds on complex floating-point multiplication, Math. Comp. 76,
//	                         1469-1481.
//	[Bailey 1990]            D. H. Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4, 23-35.
//	[Barrett 1986]           P. Barrett, Implementing the RSA public key encryption algorithm on a standard DSP, CRYPTO '86, 311-323.
//	[Blanchard-Higham-Mary 2020]  A class of fast and accurate summation algorithms, SISC 42, A1541-A1557.
//	[Bluestein 1970]         L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier transform, IEEE TAU 18, 451-455.
//	[Boldo 2015]             S. Boldo, Stupid is as stupid does: taking the square root of the square of a floating-point number, ENTCS 317.
//	[Boldo-Melquiond 2008]   Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE TC 57, 462-471.
//	[C17]                    ISO/IEC 9899:2018, Programming languages: C.
//	[C++17]                  ISO/IEC 14882:2017, Programming languages: C++.
//	[CUDA Guide 2025]        NVIDIA, CUDA C++ Programming Guide, release 13.0, chapter 17, Mathematical Functions.
//	[CORE-MATH 2022]         A. Sibidanov, P. Zimmermann, S. Glondu, The CORE-MATH project, ARITH 2022; core-math.gitlabpages.inria.fr.
//	[Cooley-Tukey 1965]      An algorithm for the machine calculation of complex Fourier series, Math. Comp. 19, 297-301.
//	[Dekker 1971]            T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18, 224-242.
//	[Demmel-Ahrens-Nguyen 2016]  Efficient reproducible floating point summation and BLAS, UC Berkeley, EECS-2016-121 (ReproBLAS).
//	[FHMP 2021]              M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ CS 7, e330.
//	[FPRev 2025]             P. Xie et al., FPRev: revealing floating-point accumulation orders in software/hardware implementations,
//	                         USENIX ATC.
//	[Fan-Vercauteren 2012]   Somewhat practical fully homomorphic encryption, IACR ePrint 2012/144.
//	[Figueroa 1995]          S. A. Figueroa, When is double rounding innocuous?, ACM SIGNUM Newsletter 30(3), 21-26.
//	[FloatLib]               github.com/lean-dojo/FloatLib: Numerics.Reduction, TorchLean's successor, with premises on the operands met.
//	[Gentleman-Sande 1966]   Fast Fourier transforms for fun and profit, AFIPS 29, 563-578.
//	[GNU libm 2025]          GNU C library, sysdeps/x86_64/fpu/libm-test-ulps: the largest errors that its tests know, in ulps of the
//	                         correctly rounded result.
//	[Harvey 2014]            D. Harvey, Faster arithmetic for number-theoretic transforms, J. Symb. Comp. 60, 113-119.
//	[Hauser 1996]            J. R. Hauser, Handling floating-point exceptions in numeric programs, ACM TOPLAS 18, 139-174.
//	[Higham 2002]            N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM.
//	[Higham-Mary 2019]       A new approach to probabilistic rounding error analysis, SISC 41, A2815-A2835.
//	[IEEE 754-2008]          IEEE Standard for Floating-Point Arithmetic, the edition before the current one.
//	[IEEE 754-2019]          IEEE Standard for Floating-Point Arithmetic.
//	[Intel SDM]              Intel 64 and IA-32 Architectures Software Developer's Manual.
//	[JKLM 2017]              C.-P. Jeannerod, P. Kornerup, N. Louvet, J.-M. Muller, Error bounds on complex floating-point multiplication
//	                         with an FMA, Math. Comp. 86, 881-898.
//	[JLM 2013]               C.-P. Jeannerod, N. Louvet, J.-M. Muller, Further analysis of Kahan's algorithm for the accurate computation
//	                         of 2x2 determinants, Math. Comp. 82, 2245-2264.
//	[JMP 2017]               M. Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word
//	                         arithmetic, ACM TOMS 44, 15res. Numbers such as Algorithm 10 are its own.
//	[Jeannerod-Rump 2013]    Improved error bounds for inner products in floating-point arithmetic, SIMAX 34, 338-344.
//	[Jeannerod-Rump 2018]    On relative errors of floating-point operations, Math. Comp. 87, 803-819.
//	[Klein 2006]             A. Klein, A generalized Kahan-Babuška-summation-algorithm, Computing 76, 279-293.
//	[Knuth 1997]             D. E. Knuth, The Art of Computer Programming, vol. 2, 3rd ed., Addison-Wesley; §4.2.2 unless another is named.
//	[LLMPR 2023]             V. Lefèvre, N. Louvet, J.-M. Muller, J. Picot, L. Rideau, Accurate calculation of Euclidean norms using
//	                         double-word arithmetic, ACM TOMS 49, 1.
//	[Lange-Rump 2017]        Error estimates for the summation of real numbers, BIT 57, 927-941.
//	[Lange-Rump 2019]        Sharp estimates for perturbation errors in summations, Math. Comp. 88, 349-368.
//	[Lyubashevsky-Peikert-Regev 2010]  On ideal lattices and learning with errors over rings, EUROCRYPT 2010.
//	[Milakov-Gimelshein 2018] Online normalizer calculation for softmax, arXiv 1805.02867.
//	[MR 2022]                J.-M. Muller, L. Rideau, Formalization of double-word arithmetic, and comments on [JMP 2017], ACM TOMS 48, 9,
//	                         with a Coq development, which has the constants.
//	[MSL 4.0]                Apple, Metal Shading Language Specification, version 4.0.
//	[Montgomery 1985]        P. L. Montgomery, Modular multiplication without trial division, Math. Comp. 44, 519-521.
//	[Montgomery 1987]        P. L. Montgomery, Speeding the Pollard and elliptic curve methods of factorization, Math. Comp. 48, §10.3.1.
//	[Moore-Kearfott-Cloud 2009]  Introduction to Interval Analysis, SIAM.
//	[NumPy]                  github.com/numpy/numpy: pairwise_sum in numpy/_core/src/umath/loops_utils.h.src.
//	[Nussbaumer 1980]        H. J. Nussbaumer, Fast polynomial transform algorithms for digital convolution, IEEE TASSP 28, 205-215.
//	[OCP FP8 2023]           Open Compute Project, OCP 8-bit Floating Point Specification (OFP8), rev. 1.0.
//	[Ogita-Rump-Oishi 2005]  Accurate sum and dot product, SISC 26, 1955-1988.
//	[OpenCL 2020]            Khronos, The OpenCL SPIR-V Environment Specification, version 3.0, Relative Error as ULPs.
//	[Payne-Hanek 1983]       M. H. Payne, R. N. Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18, 19-24.
//	[Pollard 1971]           J. M. Pollard, The fast Fourier transform in a finite field, Math. Comp. 25, 365-374.
//	[Rump 2012]              S. M. Rump, Error estimation of floating-point summation and dot product, BIT 52, 201-220.
//	[Sorenson-Webster 2017]  J. Sorenson, J. Webster, Strong pseudoprimes to twelve prime bases, Math. Comp. 86, 985-1003.
//	[Stafford 2011]          D. Stafford, Better bit mixing: improving on MurmurHash3's 64-bit finalizer, zimbry.blogspot.com.
//	[Steele-Lea-Flood 2014]  Fast splittable pseudorandom number generators, OOPSLA 2014, 453-472.
//	[Sterbenz 1974]          P. H. Sterbenz, Floating-Point Computation, Prentice-Hall.
//	[Suiche 2025]            M. Suiche, Porting CUDA FFT to Mojo: achieving bit-exact precision, msuiche.com, 17 October 2025.
//	[TorchLean]              github.com/lean-dojo/TorchLean: NN.Floats.IEEEExec.Reductions, and SpecialRules beside it.
//	[lean-ieee754]           github.com/tunnellm/lean-ieee754: ReductionTree.mixed_error.
//	[Welford 1962]           B. P. Welford, Note on a method for calculating corrected sums of squares and products, Technometrics 4, 419-420.
//
// Theorems of this project, each derived in the doc comment of a function that gives the key as its Source; those of this package are
// also checked exhaustively in toy formats, by the max-plus dynamic programme of the tests or, O1 to O6, by all trees over all terms:
//
//	[Gamma B1] [Gamma D1] [Gamma D2] [Gamma D3] [Gamma D4] [Gamma F1] [Gamma F2] [Gamma F3] [Gamma F4] [Gamma K1] [Gamma K2] [Gamma K3]
//	[Gamma N1] [Gamma N2] [Gamma O1] [Gamma O2] [Gamma O3] [Gamma O4] [Gamma O5] [Gamma O6] [Gamma P1] [Gamma R1] [Gamma R2] [Gamma R3] [Gamma S1] [Gamma S2]
//	[Gamma T1] [Gamma T2] [Gamma T3] [Gamma W1] [Gamma W2] [Gamma W3] [Gamma W4] [Gamma W5] [Gamma W6] [Gamma W13] [Gamma W14] [Gamma W15] [Gamma W16] [Gamma W17]
//	[Gamma Y1] [Gamma Y2]
package model
