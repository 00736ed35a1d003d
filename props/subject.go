package props

import (
	"testing"

	"gamma/model"
	"gamma/props/internal/check"
	"gamma/props/internal/vectors"
	"gamma/sumtree"
)

// Reduction is a sum, or a mean, to be judged. Set Name and exactly one of the Run functions.
//
// A Run function must not keep or change its arguments; the judge notices if it does.
type Reduction struct {
	// Name is package and function, such as "mykernel.Sum"; reports and case files use it.
	Name string

	Run   func(x []float32) float32
	Run64 func(x []float64) float64
	// RunBits takes encodings of Claim.In, a format of 16 or 8 bits, and returns an encoding of
	// Claim.Out: for binary16 leaves and a binary32 result,
	// func(x []uint16) uint64 { return uint64(math.Float32bits(sum(x))) }.
	RunBits func(x []uint16) uint64
	// RunTree follows the schedule it is given: every node is an addition of two operands.
	RunTree func(t *sumtree.Tree, x []float32) float32
	// RunRows reduces rows of n leaves: dst[i] is the sum of x[i*n:(i+1)*n].
	RunRows func(dst, x []float32, n int)

	// The same with an error, for kernels that can fail.
	RunErr     func(x []float32) (float32, error)
	Run64Err   func(x []float64) (float64, error)
	RunBitsErr func(x []uint16) (uint64, error)
	RunTreeErr func(t *sumtree.Tree, x []float32) (float32, error)
	RunRowsErr func(dst, x []float32, n int) error

	// The same for a kernel on a device, such as a shader, run as at says. The error may be a model.Findings, what the
	// device's checkers found, with the result beside it: the laws of kernels judge the findings and all others the result.
	RunOn     func(at Setting, x []float32) (float32, error)
	RunBitsOn func(at Setting, x []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x []float32) (float32, error)
	RunRowsOn func(at Setting, dst, x []float32, n int) error
	// Device says what of a device the claim holds for; it goes with the four above.
	Device DeviceClaim

	// Magnitudes: the kernel sums the |x[i]|, as an L1 norm or BLAS's asum does.
	Magnitudes bool
	// Schedule returns the tree of n leaves that the kernel follows, for kernels whose order no shape
	// of package sumtree names; it takes the place of Claim.Tree.
	Schedule func(n int) *sumtree.Tree

	// Claim is what the kernel promises beyond adding every leaf once, in any order.
	Claim model.Claim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []Law
}

// Dot is a dot product to be judged. Set Name and exactly one of the Run functions.
type Dot struct {
	Name string

	Run   func(x, y []float32) float32
	Run64 func(x, y []float64) float64
	// RunBits is as for Reduction.
	RunBits func(x, y []uint16) uint64
	// RunTree follows the schedule it is given over the products x[i]·y[i].
	RunTree func(t *sumtree.Tree, x, y []float32) float32
	// RunRows multiplies a matrix of rows of n elements by a vector: dst[i] is the dot product of
	// a[i*n:(i+1)*n] and x.
	RunRows func(dst, a, x []float32, n int)
	// RunSquares is a sum of squares, the dot product of x with itself.
	RunSquares func(x []float32) float32

	RunErr        func(x, y []float32) (float32, error)
	Run64Err      func(x, y []float64) (float64, error)
	RunBitsErr    func(x, y []uint16) (uint64, error)
	RunTreeErr    func(t *sumtree.Tree, x, y []float32) (float32, error)
	RunRowsErr    func(dst, a, x []float32, n int) error
	RunSquaresErr func(x []float32) (float32, error)

	// These and Device are as for Reduction.
	RunOn     func(at Setting, x, y []float32) (float32, error)
	RunBitsOn func(at Setting, x, y []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x, y []float32) (float32, error)
	Device    DeviceClaim

	// Schedule is as for Reduction, over the products.
	Schedule func(n int) *sumtree.Tree

	Claim model.Claim
	Laws  []Law
}

// Check judges the reduction: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (r Reduction) Check(t *testing.T) { t.Helper(); check.Check(t, r.Judged) }

// Check judges the dot product, as Reduction.Check does.
func (d Dot) Check(t *testing.T) { t.Helper(); check.Check(t, d.Judged) }

// Replay judges the cases on file alone, without a search: those below testdata/gamma that name the subject, and those embedded in
// package corpus.
func (r Reduction) Replay(t *testing.T) { t.Helper(); check.Replay(t, r.Judged) }

// Replay judges the cases on file, as Reduction.Replay does.
func (d Dot) Replay(t *testing.T) { t.Helper(); check.Replay(t, d.Judged) }

// Fuzz judges the reduction on cases that Go's fuzzer makes: every byte string is a case.
func (r Reduction) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, r.Judged) }

// Fuzz judges the dot product, as Reduction.Fuzz does.
func (d Dot) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, d.Judged) }

type (
	// Failure is a violation by a kernel that takes vectors: the law, the smallest case, what is known of its cause, and
	// where it was saved.
	Failure = vectors.Failure
	// Law is a law about kernels that take vectors: sums and dot products.
	Law = vectors.Law
	// Trial is one run of a subject on one case, as a law sees it.
	Trial = vectors.Trial
)

// Laws returns the built-in laws.
func Laws() []Law {
	return vectors.Laws()
}
