// Package dft computes discrete Fourier transforms in fixed point of 192 bits, with a proven error: what kernels in floating point are judged
// by. It shares nothing with kernels.
//
// [For] returns a plan for a number of points, [Plan.Transform] transforms.
package dft
