// Package lint finds, in Go sources, what makes floating point differ between machines or round twice, with the standard library's
// parser and type checker alone.
//
// Start here: Check in a test, or Packages.
//
//   - contraction: a product that Go may fuse into an addition. The language allows that within an expression and across statements, for
//     x*y + z, z += x*y, and p := x*y with p + z later, also where p is a field or an element of a local value and of copies of it. The compiler does it on arm64, ppc64le, s390x, riscv64 and on amd64 under
//     GOAMD64=v3, so that the result depends on the machine. An explicit conversion rounds: float64(x*y) + z.
//   - double-rounding: float32(math.FMA(…)), which rounds to 53 bits and then to 24, and so is no fused operation of binary32.
//
// What is right as it is says so where it stands, by a comment in the line or above it, with a reason:
//
//	s = float32(math.FMA(x, y, z)) // gamma:allow double-rounding: the claim is of this kernel's two roundings
//
// Metal sources have a lint of their own: msl.Lint.
package lint
