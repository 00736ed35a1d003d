package model

// Compensation names the scheme by which a kernel compensates for its rounding errors. Each has its own
// bound; see the functions of the same names with Bound appended, such as KahanBound.
type Compensation string

const (
	Uncompensated Compensation = ""
	// Kahan: y = x-c; t = s+y; c = (t-s)-y; s = t; the result is s.
	Kahan Compensation = "kahan"
	// Sum2: two-sum at every addition, the error words summed and added at the end. Neumaier's and
	// Kahan-Babuska's sums, and Dot2 for dot products.
	Sum2 Compensation = "sum2"
	// Klein: second order, the result s+(c+cc).
	Klein Compensation = "klein"
	// KleinLeft: second order, the result (s+c)+cc.
	KleinLeft Compensation = "klein-left"
	// SumK: Claim.Folds passes of the error-free vector transformation.
	SumK Compensation = "sumk"
	// FABsum: blocks of Claim.Block leaves summed plainly, the block sums by Sum2.
	FABsum Compensation = "fabsum"
	// Binned: Claim.Folds bins, the same bits for every order (Demmel-Ahrens-Nguyen).
	Binned Compensation = "binned"
	// DoubleWord: every leaf, or both words of every exact product, is added to a double word by DWPlusFP, in
	// order, and the sum rounded once; a mean is divided before that.
	DoubleWord Compensation = "double-word"
	// Rounded: the exact result, rounded once.
	Rounded Compensation = "rounded"
)

// Fusion says which of a dot product's multiplications are fused with its additions.
type Fusion string

const (
	// Unfused: every product is rounded before it is added.
	Unfused Fusion = ""
	// FusedChain: every product enters the running sum by a fused multiply-add.
	FusedChain Fusion = "chain"
	// FusedAny: some products may be fused and others rounded.
	FusedAny Fusion = "any"
)

// Claim is what a kernel's author promises, as plain data. The zero value promises only what holds
// for every sum: the leaves are added in some order, each once, in the input's format, rounding to
// nearest with gradual underflow, and the result is rounded to the input's format.
//
// Each field that is set makes the promise stronger, except Flush, Rounding and narrow accumulators,
// which weaken it, as the bounds take into account, and MinN, MaxN, Multiple and Finite, which restrict it to some inputs.
type Claim struct {
	In  Format // of the leaves; zero means the format of the subject's Run function
	Acc Format // of the additions; zero means In
	Out Format // of the result; zero means In

	// Tree is the schedule, a shape of package sumtree without its leaf count, such as "left",
	// "pairwise/8" or "lanes/32". The result is then judged bit for bit. Empty means any order.
	Tree string
	// Height bounds the number of additions between any leaf and the result, as a function of the
	// leaf count. Nil means the claimed tree's height, or n-1.
	Height func(n int) int

	Compensation Compensation
	Folds        int // of SumK and Binned
	Block        int // of FABsum; for Binned the distance of bins in bits, with 0 for P of Acc
	Fusion       Fusion

	// Mean: the result is the sum divided by n, one more rounding. Where Out is not Acc, the sum may be
	// divided in Acc and then rounded to Out, or the other way round.
	Mean bool

	Rounding Rounding // of every addition
	// Mixed: any operation may round to nearest even where the others round by Rounding, as those of host code do beside a device.
	Mixed bool
	Flush Flush // what the kernel may flush

	Commutes   bool // any permutation of the leaves gives the same bits
	Repeats    bool // the same input gives the same bits each time; a row of many wherever in a batch it stands
	SignedZero bool // a sum of negative zeros is -0
	// OverflowSafe: the result is finite, and inside the bound, whenever the exact result rounds
	// to a finite number, even where intermediate sums overflow.
	OverflowSafe bool
	// MinN and MaxN are the lengths of the shortest and the longest vector that the kernel accepts. The
	// zero values set no limits.
	MinN, MaxN int
	// Multiple, if above 1, says that lengths are its multiples, as of a kernel without a tail.
	Multiple int
	// Finite restricts the claim to finite leaves no partial sum of which overflows in any order; beside OverflowSafe, to those whose
	// exact result is finite. Nothing is claimed about NaNs, infinities and overflow, as of a textbook's compensated sum.
	Finite bool
}

// WithDefaults returns c with In set to in where it is zero, and Acc and Out to In.
func (c Claim) WithDefaults(in Format) Claim {
	if c.In.IsZero() {
		c.In = in
	}
	if c.Acc.IsZero() {
		c.Acc = c.In
	}
	if c.Out.IsZero() {
		c.Out = c.In
	}
	return c
}
