// Package offload has what devices have in common whose driver compiles kernels printed in a C dialect: CUDA and OpenCL.
//
// Start here: New, which makes a device of package protocol on a Driver. Kernels are printed, checked for what the device has, and built;
// Driver has the calls of the vendor's library.
//
// Isolation is a Driver in a child process, for kernels that may fault or never end: the child has the real one, and is dropped with it.
//
// Probe is the self-test: it finds out by a kernel what the hardware and the compiler do to floating point.
//
// Search finds the vendor's library, Bind its calls, and Error is the error of one.
package offload
