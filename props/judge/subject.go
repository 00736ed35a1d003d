package judge

import (
	"gamma/model"
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
	// RunStrided reduces n leaves, x[0], x[incx], x[2·incx], …, as BLAS does with an increment. incx is 1 or more, and x ends with the last leaf.
	RunStrided   func(n int, x []float32, incx int) float32
	Run64Strided func(n int, x []float64, incx int) float64

	// The same with an error, for kernels that can fail.
	RunErr     func(x []float32) (float32, error)
	Run64Err   func(x []float64) (float64, error)
	RunBitsErr func(x []uint16) (uint64, error)
	RunTreeErr func(t *sumtree.Tree, x []float32) (float32, error)
	RunRowsErr func(dst, x []float32, n int) error

	RunStridedErr   func(n int, x []float32, incx int) (float32, error)
	Run64StridedErr func(n int, x []float64, incx int) (float64, error)

	// The same for a kernel on a device, such as a shader, run as at says. The error may be a model.Findings, what the
	// device's checkers found, with the result beside it: the laws of kernels judge the findings and all others the result.
	RunOn     func(at Setting, x []float32) (float32, error)
	RunBitsOn func(at Setting, x []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x []float32) (float32, error)
	RunRowsOn func(at Setting, dst, x []float32, n int) error

	RunStridedOn     func(at Setting, n int, x []float32, incx int) (float32, error)
	RunBitsStridedOn func(at Setting, n int, x []uint16, incx int) (uint64, error)
	// Device says what of a device the claim holds for; it goes with those that end in On.
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
	// RunStrided is as for Reduction: the factors are x[i·incx] and y[i·incy].
	RunStrided   func(n int, x []float32, incx int, y []float32, incy int) float32
	Run64Strided func(n int, x []float64, incx int, y []float64, incy int) float64
	// RunSquares is a sum of squares, the dot product of x with itself.
	RunSquares func(x []float32) float32

	RunErr          func(x, y []float32) (float32, error)
	Run64Err        func(x, y []float64) (float64, error)
	RunBitsErr      func(x, y []uint16) (uint64, error)
	RunTreeErr      func(t *sumtree.Tree, x, y []float32) (float32, error)
	RunRowsErr      func(dst, a, x []float32, n int) error
	RunSquaresErr   func(x []float32) (float32, error)
	RunStridedErr   func(n int, x []float32, incx int, y []float32, incy int) (float32, error)
	Run64StridedErr func(n int, x []float64, incx int, y []float64, incy int) (float64, error)

	// These and Device are as for Reduction.
	RunOn     func(at Setting, x, y []float32) (float32, error)
	RunBitsOn func(at Setting, x, y []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x, y []float32) (float32, error)

	RunStridedOn     func(at Setting, n int, x []float32, incx int, y []float32, incy int) (float32, error)
	RunBitsStridedOn func(at Setting, n int, x []uint16, incx int, y []uint16, incy int) (uint64, error)

	Device DeviceClaim

	// Schedule is as for Reduction, over the products.
	Schedule func(n int) *sumtree.Tree

	Claim model.Claim
	Laws  []Law
}
