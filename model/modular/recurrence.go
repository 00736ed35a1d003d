package modular

// StepOp is an operation of a recurrence on words. Each has a condition under which the words never leave [0, R), and a bound on
// its result, in multiples of q: α and β are the bounds of A and B, so that a < α·q and b < β·q, and ρ = q/R.
type StepOp uint8

const (
	// Add is a+b. It requires (α+β)·q <= R; the result is below α+β.
	Add StepOp = iota
	// Subtract is a+K·q-b. It requires β <= K and (α+K)·q <= R; the result is below α+K.
	Subtract
	// Reduce is a-K·q if a >= K·q, else a. The result is below max(min(α, K), α-K). It requires K·q < R.
	Reduce
	// Shoup is a·w-⌊a·w'/R⌋·q for a reduced w = B and w' = ⌊w·R/q⌋ ([Harvey 2014]). The result is below 1+α·ρ. It requires
	// (1+α·ρ)·q <= R and α·q <= R.
	Shoup
	// Montgomery is (a·b+m·q)/R, m = -a·b/q modulo R, without a last subtraction ([Montgomery 1985]). The result is below
	// α·β·ρ+1. It requires a·b+m·q < R², so α·β·q² <= R·(R-q), and (α·β·ρ+1)·q <= R.
	Montgomery
	// Copy is a.
	Copy
)

// Step computes the next word of a recurrence from earlier ones.
type Step struct {
	Op   StepOp
	A, B int    // numbers of earlier words: first the recurrence's operands, then the results of its steps
	K    uint64 // of Subtract and Reduce
}

// Recurrence is a straight-line program of steps on words: what a lazy operation does to keep them in range.
type Recurrence struct {
	// In names the operands. A butterfly's are x, y and w, where w is a twiddle factor: reduced.
	In    []string
	Steps []Step
	// Out are the numbers of the words that are the results, in the order of the operation's.
	Out []int
}
