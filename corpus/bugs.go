package corpus

import "gamma/model"

// Bug says what became of one entry of the log of bugs in other people's kernels that this project
// started from: the cases that were made of it, or the reason why there are none.
type Bug struct {
	ID      string
	Project string // where it was found
	Kernel  string // the log's word for it
	// Cases are paths in Files.
	Cases []string
	// Law is the one that must catch this class of fault on generated inputs, and Mutant the planted
	// fault of kernels/mutants that stands for the class; both empty where the entry is none of ours.
	Law    model.LawID
	Mutant string
	// Reason says why there is no case, or in what the cases differ from the entry.
	Reason string
}

// Bugs returns every entry of the log whose kernel is a sum, dot product, mean or norm, and those
// whose kernel has such a word inside another, in the order of the log.
func Bugs() []Bug {
	return []Bug{
		{
			ID: "A01", Project: "numpy", Kernel: "sum,mean",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-sumdouble-f8a1707a.case",
				"sum.tree/sum.tree-kernels-sumrows-7c1312c2.case",
				"sum.compensated/sum.compensated-kernels-sumkahan-a9ee9743.case",
			},
			Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
		},
		{
			ID: "A03", Project: "mlx", Kernel: "sum,mean",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-sumhalfwide-a34efe9e.case",
				"sum.enclosure/sum.enclosure-kernels-sumbfloatwide-c5aac287.case",
			},
			Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
			Reason: "Sums only: no kernel of ours takes the mean of a half format.",
		},
		{
			ID: "A04", Project: "llvm-project (MLIR tosa)", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumhalfwide-7a2e300e.case",
				"sum.height/sum.height-kernels-sumhalfpairwise-3785ba6c.case",
			},
			Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
		},
		{
			ID: "A05", Project: "numpy", Kernel: "mean",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-sumhalfto32-8a440f0a.case",
			},
			Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
			Reason: "The sum only: no kernel of ours takes the mean of a half format.",
		},
		{
			ID: "A06", Project: "pytorch", Kernel: "mean",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-sumdouble-81409abc.case",
				"sum.rounded/sum.rounded-kernels-sumexact-268b9e67.case",
			},
			Law: model.SumRounded, Mutant: "mutants.SumDoubleAsExact",
			Reason: "The sum only: our means do not claim OverflowSafe, so infinity is what kernels.Mean owes here, as many libraries document it.",
		},
		{
			ID: "A07", Project: "tensorflow", Kernel: "mean,var",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-mean-7fb91dfe.case",
			},
			Law: model.SumEnclosure, Mutant: "mutants.MeanHalfCount",
			Reason: "In binary32, where the count of the report is harmless: no kernel of ours takes the mean of a half format.",
		},
		{
			ID: "A08", Project: "numba", Kernel: "sum",
			Cases: []string{
				"sum.height/sum.height-kernels-sumpairwise128-b01431f4.case",
				"sum.enclosure/sum.enclosure-kernels-sumdouble-014c8c65.case",
			},
			Law: model.SumTree, Mutant: "mutants.SumFollowsLeft",
		},
		{
			ID: "A10", Project: "CUDA.jl", Kernel: "mean",
			Cases: []string{
				"sum.enclosure/sum.enclosure-kernels-mean-901f3ce7.case",
			},
			Law: model.SumTree, Mutant: "mutants.MeanOfQuotients",
		},
		{
			ID: "A11", Project: "polars", Kernel: "sum",
			Cases: []string{
				"sum.rounded/sum.rounded-kernels-sumexact-74fdebd3.case",
				"sum.enclosure/sum.enclosure-kernels-sumhalfwide-ed93b165.case",
			},
			Law:    model.SumRounded,
			Reason: "A false report; 2^28+1 leaves are also more than a case holds, so 2^28 stands in one leaf.",
		},
		{
			ID: "A12", Project: "numpy", Kernel: "sum",
			Cases: []string{
				"sum.member/sum.member-kernels-sumnumpy-e9eb17d8.case",
				"sum.member/sum.member-kernels-sumnumpy-4d3cf711.case",
				"sum.permute/sum.permute-kernels-sumbinned-c5daf355.case",
			},
			Law:    model.SumMember,
			Reason: "Not a fault: two trees.",
		},
		{
			ID: "A13", Project: "mlx", Kernel: "sum,mean",
			Cases: []string{
				"sum.member/sum.member-kernels-sumhalfnarrow-830fa453.case",
				"sum.member/sum.member-kernels-sumhalfpairwise-69f92add.case",
			},
			Law:    model.SumMember,
			Reason: "Not a fault: several trees.",
		},
		{
			ID: "A16", Project: "pytorch", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumrows-72b45a0e.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumDoublesLast",
			Reason: "The rows only: our kernels take rows that follow each other, without axes and strides.",
		},
		{
			ID: "A18", Project: "pytorch", Kernel: "sum",
			Cases: []string{
				"sum.special/sum.special-kernels-sumhalfwide-114dae40.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.SumSaturates",
			Reason: "Not as reported: no kernel of ours adds integers. The case has the same store in binary16.",
		},
		{
			ID: "A20", Project: "mlx", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumrows-39ee71c5.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumDropsLast",
			Reason: "The rows only: our kernels take rows that follow each other, without axes and strides.",
		},
		{
			ID: "A21", Project: "mlx", Kernel: "sum,min,max",
			Reason: "No case: it is a view with a negative stride, and our kernels take contiguous vectors. A gathered copy of the view is just another vector; belongs to the shaders that read views.",
		},
		{
			ID: "A23", Project: "arrayfire", Kernel: "sum,norm",
			Cases: []string{
				"dot.enclosure/dot.enclosure-kernels-squaresdouble-9a28327d.case",
			},
			Law: model.DotEnclosure, Mutant: "mutants.DotHalfNarrowAsWide",
			Reason: "The stall only, in the sum of squares: we have no 2-norm, and 10^9 leaves are more than a case holds.",
		},
		{
			ID: "A24", Project: "amrex", Kernel: "sum",
			Reason: "No case: it is the arithmetic of a grid-stride loop past 2^31 threads. It belongs to a device's index model; our loops count in 64 bits.",
		},
		{
			ID: "A25", Project: "mlx", Kernel: "dot (gemv)",
			Reason: "No case: a matrix of 2^31 elements. It belongs to a device's index model; our loops count in 64 bits.",
		},
		{
			ID: "A28", Project: "pytorch", Kernel: "layernorm",
			Reason: "No case: layernorm is not among our kernels; a storage offset that is ignored belongs to the shaders that read views.",
		},
		{
			ID: "B01", Project: "FlexAIDdS", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumlanes-de1c14ac.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumIgnoresTail",
		},
		{
			ID: "B02", Project: "AdaptiveCpp", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumpairwise-a937a64e.case",
				"sum.integers/sum.integers-kernels-sumpairwise-7a5bbf3d.case",
				"sum.integers/sum.integers-kernels-sumlanes-bf59ed85.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumDoublesBlockEdge",
		},
		{
			ID: "B04", Project: "rocPRIM", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumblocked-b64afd8a.case",
				"sum.integers/sum.integers-kernels-sumparallel-07b44f94.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumIgnoresTail",
		},
		{
			ID: "B07", Project: "mlx-lm", Kernel: "logsumexp/softmax",
			Reason: "No case: logsumexp is not among our kernels; the race belongs to the devices' findings (model.FindingRace).",
		},
		{
			ID: "B11", Project: "FastNN (also miniFE #13, GPUMD #36, kaldi #3211)", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumparallel-cbbd4193.case",
				"sum.repeat/sum.repeat-kernels-sumparallel-a7a1e97b.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumLosesLastLane",
		},
		{
			ID: "B12", Project: "pytorch", Kernel: "sum",
			Cases: []string{
				"sum.integers/sum.integers-kernels-sumarrival-7f3a72f0.case",
			},
			Law: model.SumIntegers, Mutant: "mutants.SumDropsLast",
		},
		{
			ID: "B14", Project: "triton", Kernel: "sum of squares",
			Cases: []string{
				"dot.tree/dot.tree-kernels-squaresserial-cf49d7b1.case",
				"dot.member/dot.member-kernels-squareslanes-98d9ffee.case",
				"dot.enclosure/dot.enclosure-kernels-squaresdouble-12303456.case",
			},
			Law: model.DotTree, Mutant: "mutants.DotFusedAsUnfused",
		},
		{
			ID: "B16", Project: "vllm-mlx", Kernel: "norm/attention",
			Reason: "No case: a barrier that some threads do not reach has no values to store; belongs to the devices' findings (model.FindingBarrier).",
		},
		{
			ID: "B17", Project: "mlx", Kernel: "atomic product/sum",
			Cases: []string{
				"sum.special/sum.special-kernels-sumarrival-544f1760.case",
			},
			Law:    model.SumSpecial,
			Reason: "The NaN only, through the sum over goroutines: our kernels have no compare-and-exchange loop on floats.",
		},
		{
			ID: "C01", Project: "gpuweb (Dawn on Metal)", Kernel: "dd (two_sum)",
			Reason: "No case: a two-sum, not a sum; belongs to the laws of error-free transforms.",
		},
		{
			ID: "C02", Project: "bezier", Kernel: "dd (two_sum)",
			Reason: "No case: a two-sum, not a sum; belongs to the laws of error-free transforms.",
		},
		{
			ID: "C03", Project: "amrex", Kernel: "sum (Kahan)",
			Cases: []string{
				"sum.compensated/sum.compensated-kernels-sumkahan-34c7d1d2.case",
				"sum.compensated/sum.compensated-kernels-sumneumaier-0f98e82d.case",
				"sum.compensated/sum.compensated-kernels-sumkahan-16839f80.case",
			},
			Law: model.SumCompensated, Mutant: "mutants.SumKahanSimplified",
		},
		{
			ID: "C08", Project: "xla", Kernel: "dot (2 terms)",
			Cases: []string{
				"dot.tree/dot.tree-kernels-dotserial-be365de1.case",
				"dot.member/dot.member-kernels-dotpairwise-0a5a879a.case",
				"dot.tree/dot.tree-kernels-dotserial-c0bf6bf1.case",
			},
			Law: model.DotTree, Mutant: "mutants.DotFusedAsUnfused",
		},
		{
			ID: "C11", Project: "jax", Kernel: "dd (two_sum)",
			Reason: "No case: a two-sum, not a sum; belongs to the laws of error-free transforms.",
		},
		{
			ID: "C17", Project: "double-js", Kernel: "dd (two_sum)",
			Reason: "No case: a two-sum, not a sum; belongs to the laws of error-free transforms.",
		},
		{
			ID: "D01", Project: "llvm-project (flang)", Kernel: "sum (Kahan)",
			Cases: []string{
				"sum.special/sum.special-kernels-sumkahan-1c8450ba.case",
				"sum.special/sum.special-kernels-sumkahan64-6255c161.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.Sum2Infinity",
		},
		{
			ID: "D03", Project: "elasticsearch", Kernel: "sum (Kahan)",
			Cases: []string{
				"sum.special/sum.special-kernels-sumkahan64-e204db34.case",
				"sum.special/sum.special-kernels-sumneumaier64-b3e6992a.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.SumInfinityForNaN",
		},
		{
			ID: "D04", Project: "gonum (found here); same class turso #5331", Kernel: "sum (Neumaier)",
			Cases: []string{
				"sum.rounded/sum.rounded-kernels-sumexact-268b9e67.case",
				"sum.special/sum.special-kernels-sumneumaier64-d4d6ef20.case",
				"sum.special/sum.special-kernels-sumneumaier64-b06f5193.case",
				"sum.special/sum.special-kernels-sumneumaier64-c2f55691.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.Sum2Infinity",
		},
		{
			ID: "D05", Project: "gam", Kernel: "sum (Kahan)",
			Cases: []string{
				"sum.compensated/sum.compensated-kernels-sumneumaier64-7aebfba3.case",
				"sum.compensated/sum.compensated-kernels-sum2of64-1cbf7a57.case",
				"sum.compensated/sum.compensated-kernels-sumneumaier64-db827078.case",
			},
			Law: model.SumCompensated, Mutant: "mutants.SumKahanAsSum2",
		},
		{
			ID: "D06", Project: "gonum", Kernel: "norm (L1)",
			Cases: []string{
				"sum.special/sum.special-kernels-sumneumaier64-4469d127.case",
				"sum.special/sum.special-kernels-sumneumaier64-52852ace.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.Sum2Infinity",
			Reason: "By a sum of one sign: we have no 1-norm. gonum's own is a subject of props/peers.",
		},
		{
			ID: "D11", Project: "universal (also MatX #1159, swift-numerics #321)", Kernel: "dd (fast_two_sum)",
			Reason: "No case: a two-sum, not a sum; belongs to the laws of error-free transforms.",
		},
		{
			ID: "E05", Project: "OpenBLAS", Kernel: "norm",
			Reason: "No case: we have no 2-norm, and nothing in a sum or a sum of squares divides by the largest leaf.",
		},
		{
			ID: "E09", Project: "numpy (also julia #11618)", Kernel: "sum",
			Cases: []string{
				"sum.special/sum.special-kernels-sumserial64-2b4ce348.case",
				"sum.special/sum.special-kernels-sumpairwise64-b0ca8779.case",
				"sum.special/sum.special-kernels-sumneumaier64-3a8bc3ff.case",
			},
			Law: model.SumSpecial, Mutant: "mutants.SumStartsFromZero",
		},
		{
			ID: "E12", Project: "mlx", Kernel: "logsumexp",
			Reason: "No case: logsumexp is not among our kernels; infinity less infinity in sums is D01 to D04.",
		},
		{
			ID: "F01", Project: "blis", Kernel: "norm",
			Reason: "No case: we have no 2-norm. A sum of squares owes the overflow and the underflow that the report complains of.",
		},
		{
			ID: "F02", Project: "OpenBLAS", Kernel: "norm",
			Cases: []string{
				"dot.special/dot.special-kernels-squareslanes-f503d8bd.case",
			},
			Law: model.DotSpecial, Mutant: "mutants.Dot2Infinity",
			Reason: "Its sum of squares: we have no 2-norm.",
		},
	}
}
