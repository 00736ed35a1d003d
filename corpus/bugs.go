package corpus

import (
	"fmt"
	"regexp"
	"slices"

	"gamma/model"
)

// Bug says what became of one entry of the log of bugs in other people's kernels that this project
// started from: the cases that were made of it, or the reason why there are none.
type Bug struct {
	ID      string
	Project string // where it was found
	Kernel  string // the log's word for it
	// Cases are the paths in Files of the cases whose comments name the entry, in order.
	Cases []string
	// Law is the one that must catch this class of fault on generated inputs, and Mutant the planted
	// fault of kernels/mutants or shaders/mutants that stands for the class. Both are empty where the
	// entry is not for our kernels, and Mutant where there is no fault or none of the class is planted.
	Law    model.LawID
	Mutant string
	// Reason says why there is no case, or in what the cases differ from the entry.
	Reason string
}

// provenance matches the comment of a case that was made of an entry.
var provenance = regexp.MustCompile(`^Bug log ([A-Z][0-9]{2}), `)

// Bugs returns every entry of the log whose kernel is a sum, dot product, mean or norm, and those
// whose kernel has such a word inside another, in the order of the log. It panics if a case in Files names another entry.
func Bugs() []Bug {
	list := slices.Clone(bugs)
	files, _ := Load[*Case](Files, Options{keepGen: true}) // a test finds that there are no errors
	for _, f := range files {
		for _, line := range f.Body.Comments {
			m := provenance.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			i := slices.IndexFunc(list, func(b Bug) bool { return b.ID == m[1] })
			if i < 0 {
				panic(fmt.Sprintf("corpus: %s names the entry %s of the log, which is not in the table of bugs", f.Path, m[1]))
			}
			list[i].Cases = append(list[i].Cases, f.Path)
		}
	}
	return list
}

// bugs are the entries, but for their cases.
var bugs = []Bug{
	{
		ID: "A01", Project: "numpy", Kernel: "sum,mean",
		Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
	},
	{
		ID: "A03", Project: "mlx", Kernel: "sum,mean",
		Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
		Reason: "Sums only: no kernel of ours takes the mean of a half format.",
	},
	{
		ID: "A04", Project: "llvm-project (MLIR tosa)", Kernel: "sum",
		Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
	},
	{
		ID: "A05", Project: "numpy", Kernel: "mean",
		Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesHalf",
		Reason: "The sum only: no kernel of ours takes the mean of a half format.",
	},
	{
		ID: "A06", Project: "pytorch", Kernel: "mean",
		Law: model.SumRounded, Mutant: "mutants.SumDoubleAsExact",
		Reason: "The sum only: our means do not claim OverflowSafe, so infinity is what kernels.Mean owes here, as many libraries document it.",
	},
	{
		ID: "A07", Project: "tensorflow", Kernel: "mean,var",
		Law: model.SumEnclosure, Mutant: "mutants.MeanHalfCount",
		Reason: "In binary32, where the count of the report is harmless: no kernel of ours takes the mean of a half format.",
	},
	{
		ID: "A08", Project: "numba", Kernel: "sum",
		Law: model.SumTree, Mutant: "mutants.SumFollowsLeft",
	},
	{
		ID: "A10", Project: "CUDA.jl", Kernel: "mean",
		Law: model.SumTree, Mutant: "mutants.MeanOfQuotients",
	},
	{
		ID: "A11", Project: "polars", Kernel: "sum",
		Law:    model.SumRounded,
		Reason: "A false report; 2^28+1 leaves are also more than a case holds, so 2^28 stands in one leaf.",
	},
	{
		ID: "A12", Project: "numpy", Kernel: "sum",
		Law:    model.SumMember,
		Reason: "Not a fault: two trees.",
	},
	{
		ID: "A13", Project: "mlx", Kernel: "sum,mean",
		Law:    model.SumMember,
		Reason: "Not a fault: several trees.",
	},
	{
		ID: "A16", Project: "pytorch", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumDoublesLast",
		Reason: "The rows only: our kernels take rows that follow each other, without axes and strides.",
	},
	{
		ID: "A18", Project: "pytorch", Kernel: "sum",
		Law: model.SumSpecial, Mutant: "mutants.SumSaturates",
		Reason: "Not as reported: no kernel of ours adds integers. The case has the same store in binary16.",
	},
	{
		ID: "A20", Project: "mlx", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumDropsLast",
		Reason: "The rows only: our kernels take rows that follow each other, without axes and strides.",
	},
	{
		ID: "A21", Project: "mlx", Kernel: "sum,min,max",
		Reason: "No case: it is a view with a negative stride, and our kernels take contiguous vectors. A gathered copy of the view is just another vector; belongs to the shaders that read views.",
	},
	{
		ID: "A23", Project: "arrayfire", Kernel: "sum,norm",
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
		Law: model.SumIntegers, Mutant: "mutants.SumIgnoresTail",
	},
	{
		ID: "B02", Project: "AdaptiveCpp", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumDoublesBlockEdge",
	},
	{
		ID: "B04", Project: "rocPRIM", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumIgnoresTail",
	},
	{
		ID: "B07", Project: "mlx-lm", Kernel: "logsumexp/softmax",
		Reason: "No case: logsumexp is not among our kernels; the race belongs to the devices' findings (model.FindingRace).",
	},
	{
		ID: "B11", Project: "FastNN (also miniFE #13, GPUMD #36, kaldi #3211)", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumLosesLastLane",
	},
	{
		ID: "B12", Project: "pytorch", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumDropsLast",
	},
	{
		ID: "B14", Project: "triton", Kernel: "sum of squares",
		Law: model.DotTree, Mutant: "mutants.DotFusedAsUnfused",
	},
	{
		ID: "B16", Project: "vllm-mlx", Kernel: "norm/attention",
		Reason: "No case: a barrier that some threads do not reach has no values to store; belongs to the devices' findings (model.FindingBarrier).",
	},
	{
		ID: "B17", Project: "mlx", Kernel: "atomic product/sum",
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
		Law: model.SumCompensated, Mutant: "mutants.SumKahanSimplified",
	},
	{
		ID: "C08", Project: "xla", Kernel: "dot (2 terms)",
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
		Law: model.SumSpecial, Mutant: "mutants.Sum2Infinity",
	},
	{
		ID: "D03", Project: "elasticsearch", Kernel: "sum (Kahan)",
		Law: model.SumSpecial, Mutant: "mutants.SumInfinityForNaN",
	},
	{
		ID: "D04", Project: "gonum (found here); same class turso #5331", Kernel: "sum (Neumaier)",
		Law: model.SumSpecial, Mutant: "mutants.Sum2Infinity",
	},
	{
		ID: "D05", Project: "gam", Kernel: "sum (Kahan)",
		Law: model.SumCompensated, Mutant: "mutants.SumKahanAsSum2",
	},
	{
		ID: "D06", Project: "gonum", Kernel: "norm (L1)",
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
		Law: model.DotSpecial, Mutant: "mutants.Dot2Infinity",
		Reason: "Its sum of squares: we have no 2-norm.",
	},
	{
		ID: "N01", Project: "ggml-org/llama.cpp", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "shaders/mutants/last_simdgroup.metal#simd",
		Reason: "In the one result of the sum: our kernels do not give it to every thread.",
	},
	{
		ID: "N08", Project: "carni-ships/zkMetal", Kernel: "sum",
		Law: model.SumIntegers, Mutant: "mutants.SumDoublesBlockEdge",
	},
	{
		ID: "N13", Project: "ml-explore/mlx", Kernel: "sum",
		Law: model.KernelRace, Mutant: "shaders/mutants/slot_reuse.metal#rows",
		Reason: "By a halving in threadgroup memory, of two rows: no kernel of ours adds by simd_sum twice.",
	},
	{
		ID: "N20", Project: "pytorch/pytorch", Kernel: "sum",
		Law: model.KernelInit, Mutant: "shaders/mutants/slots_missing.metal#tree",
		Reason: "Without the NaN: the law asks whether a slot is read that nobody wrote, whatever it holds.",
	},
	{
		ID: "N22", Project: "NVIDIA/Fuser", Kernel: "sum",
		Law: model.KernelRace, Mutant: "shaders/mutants/slot_reuse.metal#rows",
	},
	{
		ID: "N24", Project: "ROCm/rocPRIM", Kernel: "sum",
		Reason: "No case: our kernels do not give their result to every thread, and the one that the first thread has was right.",
	},
	{
		ID: "N25", Project: "OpenMathLib/OpenBLAS", Kernel: "dot",
		Law: model.KernelBounds, Mutant: "shaders/mutants/past_end.metal#tree",
		Reason: "Without the NaN: the law asks whether an element outside is read, whatever it holds. The planted fault is in a sum.",
	},
	{
		ID: "N26", Project: "OpenMathLib/OpenBLAS", Kernel: "dot",
		Law: model.DotIntegers, Mutant: "mutants.DotIgnoresTail",
	},
	{
		ID: "N29", Project: "nntrainer/nntrainer", Kernel: "sum",
		Law: model.DotEnclosure, Mutant: "mutants.DotHalfNarrowAsWide",
		Reason: "The sum of squares only: no kernel of ours divides by its root.",
	},
	{
		ID: "N31", Project: "ml-explore/mlx", Kernel: "sum",
		Reason: "No case: no kernel of ours adds integers.",
	},
	{
		ID: "N34", Project: "openjdk/jdk", Kernel: "sum (compensated)",
		Law: model.SumCompensated, Mutant: "mutants.SumKahanWrongSign",
		Reason: "By the leaves of both halves: no kernel of ours merges two states. The log's halves end with a compensation of zero, which hides the fault, so these are others, and of a scheme whose bound the fault exceeds.",
	},
	{
		ID: "N37", Project: "huggingface/candle", Kernel: "sum of squares",
		Law:    model.DotSpecial,
		Reason: "The sum of squares only. No planted fault overflows in a term that is no part of the sum.",
	},
	{
		ID: "T03", Project: "vllm-project/vllm", Kernel: "norm, quantisation",
		Reason: "No case: no kernel of ours rounds a norm to codes, and no law takes a bound through a jump.",
	},
	{
		ID: "T04", Project: "sgl-project/sglang", Kernel: "norm, rotary",
		Law:    model.SumEnclosure,
		Reason: "Not a fault: half an ulp. By a sum of the same size: we have no RMS norm and no rotary embedding.",
	},
	{
		ID: "T11", Project: "linkedin/Liger-Kernel", Kernel: "norm",
		Law: model.SumEnclosure, Mutant: "mutants.SumAccumulatesBFloat",
		Reason: "Not a fault: two accumulators, each right under its own claim. The sum only, of leaves that the log does not give: no kernel of ours takes the mean of a half format.",
	},
	{
		ID: "T12", Project: "NVIDIA/Fuser", Kernel: "norm backward",
		Law:    model.SumEnclosure,
		Reason: "Not a fault: a bound that grows with the count. One column only, of leaves that the log does not give.",
	},
}
