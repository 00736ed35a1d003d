// Package symbolic runs kernels on names instead of numbers, so that a reduction shader yields the SumTree that it
// follows for a given launch.
//
// Start here: Machine. A float that depends on a leaf travels through registers, memory and the host as a NaN whose payload is the
// number of an expression; every other value is what it is. So the host code of a kernel runs unchanged: it is given leaves for
// inputs, and what it reads back names the expression of the result.
//
//	m := symbolic.New()
//	x := make([]float32, n)
//	for i := range x {
//		bits, _ := m.Leaf(ir.F32, i)
//		x[i] = math.Float32frombits(uint32(bits))
//	}
//	// … dispatches by m.Run on memory that holds x …
//	tree, err := m.Tree(ir.F32, result, n)
//
// Threads run in lockstep, which for kernels without races is as good as any order; races are the business of the other
// engines. What depends on leaves may decide a Select, but no branch, address or integer: such kernels are refused, the place named.
package symbolic
