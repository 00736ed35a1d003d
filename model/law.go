package model

// LawID names a law: dotted, lower case, the same string in the subtest, the corpus directory, the
// flag, the documentation and the report.
type LawID string

// The laws of sums and of dot products.
const (
	SumEnclosure   LawID = "sum.enclosure"   // order-free bound (n-1)·v·A
	SumHeight      LawID = "sum.height"      // height bound ((1+v)^h-1)·A
	SumTree        LawID = "sum.tree"        // bit for bit the claimed tree
	SumMember      LawID = "sum.member"      // one of the values reachable by some tree
	SumIntegers    LawID = "sum.integers"    // exact where every partial sum is
	SumSpecial     LawID = "sum.special"     // infinities, NaNs, signed zeros
	SumRepeat      LawID = "sum.repeat"      // same input, same bits
	SumPermute     LawID = "sum.permute"     // permuted input, same bits
	SumCompensated LawID = "sum.compensated" // the scheme's own bound
	SumRounded     LawID = "sum.rounded"     // the exact sum, rounded once
	SumPure        LawID = "sum.pure"        // the same result whatever was computed between, at any address
	SumIndependent LawID = "sum.independent" // the same result whatever the other rows hold
	SumLong        LawID = "sum.long"        // the same sum among zeros in 2 GiB and more

	DotEnclosure   LawID = "dot.enclosure"
	DotHeight      LawID = "dot.height"
	DotTree        LawID = "dot.tree"
	DotMember      LawID = "dot.member"
	DotIntegers    LawID = "dot.integers"
	DotSpecial     LawID = "dot.special"
	DotRepeat      LawID = "dot.repeat"
	DotPermute     LawID = "dot.permute"
	DotCompensated LawID = "dot.compensated"
	DotRounded     LawID = "dot.rounded"
	DotPure        LawID = "dot.pure"
	DotIndependent LawID = "dot.independent"
	DotLong        LawID = "dot.long"
)

// The laws of kernels that run on a device with checkers.
const (
	KernelRace     LawID = "kernel.race"     // no two threads conflict unordered
	KernelBounds   LawID = "kernel.bounds"   // every access inside its object, and aligned
	KernelInit     LawID = "kernel.init"     // nothing read before it is written
	KernelBarrier  LawID = "kernel.barrier"  // every thread of a group reaches each barrier
	KernelIntegers LawID = "kernel.integers" // no undefined operation on integers, no undefined shuffle
	KernelAssert   LawID = "kernel.assert"   // what the kernel asserts holds
	KernelSchedule LawID = "kernel.schedule" // the same bits for every order of threads and groups
	DeviceEqual    LawID = "device.equal"    // the simulator's bits, where the claim leaves no choice
	DeviceRepeat   LawID = "device.repeat"   // many runs: one result where the claim says so, else each inside the claim
	DeviceOrder    LawID = "device.order"    // the observed tree, replayed, gives the device's bits
)

// The laws of error-free transforms, of double-word and complex arithmetic.
const (
	EFTSum     LawID = "eft.sum"     // 2Sum: s = RN(a+b), s+e = a+b
	EFTFast    LawID = "eft.fast"    // Fast2Sum: the same for ordered operands
	EFTSplit   LawID = "eft.split"   // hi+lo = a, each of half the bits
	EFTProduct LawID = "eft.product" // p = RN(a·b), p+e = a·b
	EFTFlush   LawID = "eft.flush"   // what is left of them where subnormal numbers are flushed
	EFTSpecial LawID = "eft.special" // infinities, NaNs, overflow

	DDAdd     LawID = "dd.add"     // relative error of double word + double word
	DDAddFP   LawID = "dd.addfp"   // of double word + word
	DDMul     LawID = "dd.mul"     // of double word · double word
	DDMulFP   LawID = "dd.mulfp"   // of double word · word
	DDDiv     LawID = "dd.div"     // of double word / double word
	DDDivFP   LawID = "dd.divfp"   // of double word / word
	DDSqrt    LawID = "dd.sqrt"    // of the root of a double word
	DDSloppy  LawID = "dd.sloppy"  // absolute error of the sloppy sum, for any signs
	DDNormal  LawID = "dd.normal"  // the result is a double word
	DDRounded LawID = "dd.rounded" // a result in one word is rounded once
	DDSpecial LawID = "dd.special" // infinities, NaNs, overflow, pairs that are not normalised
	DDFlush   LawID = "dd.flush"   // bounds where subnormal numbers are flushed

	ComplexMul     LawID = "complex.mul"
	ComplexAdd     LawID = "complex.add"
	ComplexRounded LawID = "complex.rounded"
	ComplexSpecial LawID = "complex.special"

	WordProgram     LawID = "word.program"     // bit for bit the claimed algorithm
	WordPure        LawID = "word.pure"        // the same results whatever was computed between, at any address
	WordIndependent LawID = "word.independent" // the same results whatever the other rows hold
)

// The laws of arithmetic modulo q.
const (
	MontValue       LawID = "mont.value"       // every result stands for the function of the residues, by division
	MontRange       LawID = "mont.range"       // every result is in its range
	MontConstants   LawID = "mont.constants"   // R mod q, R² mod q, ±1/q mod R, Shoup's factors
	MontIdentity    LawID = "mont.identity"    // 0, 1, q-1 and commuted operands give what they must
	MontClosure     LawID = "mont.closure"     // results are operands: a chain of operations is exact
	MontDistributes LawID = "mont.distributes" // (a+b)·c = a·c+b·c, in and across domains
	MontInverse     LawID = "mont.inverse"     // x·(1/x) = 1
	MontRefuses     LawID = "mont.refuses"     // a modulus that is not claimed is an error
	MontPure        LawID = "mont.pure"        // the same results whatever was computed between, at any address
	MontIndependent LawID = "mont.independent" // the same results whatever the other rows hold
)

// The laws of number-theoretic transforms.
const (
	NTTExact       LawID = "ntt.exact"       // the transform by division, without a difference
	NTTRoundtrip   LawID = "ntt.roundtrip"   // inverse of forward is the input, times the declared factor
	NTTShift       LawID = "ntt.shift"       // the transform of x·a is that of a, turned
	NTTImpulse     LawID = "ntt.impulse"     // an impulse gives the powers of the root
	NTTEval        LawID = "ntt.eval"        // a value is that of the polynomial, by Horner
	NTTLinear      LawID = "ntt.linear"      // the transform of c·a+b
	NTTConvolution LawID = "ntt.convolution" // products of values are those of polynomials, by the schoolbook
	NTTRange       LawID = "ntt.range"       // every word in its range, after every stage
	NTTButterfly   LawID = "ntt.butterfly"   // exact where a butterfly adds a to q-a or takes a from a, in every stage
	NTTFactor      LawID = "ntt.factor"      // the declared factor and domain
	NTTRefuses     LawID = "ntt.refuses"     // moduli, roots, sizes and lengths that are not claimed are errors
	NTTPure        LawID = "ntt.pure"        // the same results whatever was computed between, at any address, in place or not
	NTTIndependent LawID = "ntt.independent" // the same results whatever the other transforms of a call hold
)

// The laws of integer sums modulo 2^k.
const (
	WrapExact   LawID = "wrap.exact"   // the exact sum modulo 2^k
	WrapPermute LawID = "wrap.permute" // permuted terms, same result
	WrapSplit   LawID = "wrap.split"   // the sum of both parts is the sum of the whole
	WrapRepeat  LawID = "wrap.repeat"  // same terms, same result, whatever ran between
)

// The laws of kernels that compute a formula.
const (
	FormulaEnclosure   LawID = "formula.enclosure"   // each element inside what the claim allows
	FormulaSpecial     LawID = "formula.special"     // the same where NaNs and infinities come in
	FormulaExact       LawID = "formula.exact"       // exact where no rounding can happen
	FormulaZero        LawID = "formula.zero"        // the sign of a zero that is copied, negated or taken the magnitude of
	FormulaSymmetry    LawID = "formula.symmetry"    // odd or even, bit for bit
	FormulaMonotone    LawID = "formula.monotone"    // results in the order of their arguments
	FormulaPure        LawID = "formula.pure"        // same inputs, same result, whatever ran between
	FormulaIndependent LawID = "formula.independent" // rows do not depend on each other, nor on their place

	PipelineOneRounding LawID = "pipeline.onerounding" // the exact value, off by at most what the claim says, and rounded once
	PipelineRoundings   LawID = "pipeline.roundings"   // it rounds where the claim says so, and nowhere else
)

// The laws of discrete Fourier transforms.
const (
	FFTError       LawID = "fft.error"       // the error's 2-norm within the proven bound
	FFTEntry       LawID = "fft.entry"       // each result's error within what is proved of it
	FFTTypical     LawID = "fft.typical"     // errors as small as independent roundings make them
	FFTExact       LawID = "fft.exact"       // constants, alternating numbers and impulses at 0 without an error
	FFTTwiddle     LawID = "fft.twiddle"     // the table of twiddle factors within its claim
	FFTSymmetric   LawID = "fft.symmetric"   // of real numbers: X_(N-k) = conj X_k, to the bit
	FFTRoundtrip   LawID = "fft.roundtrip"   // there and back gives the input, times the declared factor
	FFTConvolution LawID = "fft.convolution" // the product of transforms is that of the convolution
	FFTLinear      LawID = "fft.linear"      // the transform of a sum is the sum of the transforms
	FFTShift       LawID = "fft.shift"       // the transform of a shifted input is turned
	FFTParseval    LawID = "fft.parseval"    // the result's 2-norm is the input's, times the declared factor
	FFTSpecial     LawID = "fft.special"     // infinities and NaNs reach every result of their row, and no other row
	FFTRefuses     LawID = "fft.refuses"     // lengths that are not claimed give errors
	FFTPure        LawID = "fft.pure"        // the same results whatever was computed between, at any address, in place or not
	FFTIndependent LawID = "fft.independent" // the same results whatever the other rows hold
)

// AccModel is the law of exact accumulators: whatever the commands and their order, every observable
// is that of the exact sum.
const AccModel LawID = "acc.model"

// DeviceProtocol is the law of devices: calls in a legal order do what a model of the memory says, and illegal ones give errors
// and change nothing.
const DeviceProtocol LawID = "device.protocol"

// The laws of single rounded operations: the local facts on which every bound stands.
const (
	RoundAdd       LawID = "round.add"       // the exact sum, rounded once
	RoundSub       LawID = "round.sub"       // the exact difference, rounded once
	RoundMul       LawID = "round.mul"       // the exact product, rounded once
	RoundDiv       LawID = "round.div"       // the exact quotient, rounded once
	RoundFma       LawID = "round.fma"       // the exact x·y+z, rounded once
	RoundSqrt      LawID = "round.sqrt"      // the exact root, rounded once
	RoundConvert   LawID = "round.convert"   // the same number, rounded once into another format
	RoundFaithful  LawID = "round.faithful"  // one of the two neighbours
	RoundRelative  LawID = "round.relative"  // |d| <= v·|exact|
	RoundResult    LawID = "round.result"    // |d| <= u·|result|
	RoundOperand   LawID = "round.operand"   // |d| <= min(|a|, |b|)
	RoundSubnormal LawID = "round.subnormal" // subnormal sums are exact
	RoundDirection LawID = "round.direction" // the error's sign and size in a directed rounding
	RoundBracket   LawID = "round.bracket"   // down <= nearest <= up
	RoundCommutes  LawID = "round.commutes"  // a+b is b+a, a·b is b·a
	RoundSterbenz  LawID = "round.sterbenz"  // a-b is exact for a/2 <= b <= 2a
	RoundMonotone  LawID = "round.monotone"  // a <= b gives a+c <= b+c
	RoundNegate    LawID = "round.negate"    // -a-b is -(a+b)
	RoundFused     LawID = "round.fused"     // fma(a, b, 0) is a·b, fma(a, 1, b) is a+b
	RoundIdentity  LawID = "round.identity"  // a+0, a·1, a/1 are a; a-a is 0; a/a is 1
	RoundRoot      LawID = "round.root"      // the root of a·a is |a|
	RoundNaN       LawID = "round.nan"       // a NaN goes in, a quiet NaN comes out
	RoundInvalid   LawID = "round.invalid"   // inf-inf, 0·inf, 0/0, … are NaN
	RoundInfinite  LawID = "round.infinite"  // exact infinities, and quotients by them
	RoundZero      LawID = "round.zero"      // signs of zeros
	RoundCompare   LawID = "round.compare"   // order of numbers; NaNs are in none
	RoundMinMax    LawID = "round.minmax"    // minimum, maximum, minNum, maxNum
)
