// Command gamma checks Metal shaders without a test and without a claim, on the simulator. Start here.
//
//	go run gamma/props/gamma check shader.metal -kernel rms_norm -buffer x=float:n -buffer out=float:n -n 1024
//
// Of each kernel it asks what every shader owes: no race, no access out of bounds, nothing read before it is written, no result left unwritten, barriers
// that all threads reach, no undefined operation on integers, and the same bits in every order of threads and in every call. A table says which
// of these hold, each finding has its place in the source, and the exit code is 0 if nothing was found, 1 if something was, 2 of a wrong call or if
// a source was refused and nothing found.
//
// # What nobody says
//
// What the signature does not say is assumed, and the assumptions stand below the table: that integers are n, that the elements of integer arrays are
// below n, that a kernel with threadgroup memory is launched in one threadgroup and another one in n threads. An array whose size nobody gave starts with
// n elements and grows, twofold, while the simulator reports an access outside of it, up to n² elements, and at least 65,536 and at most 4,194,304. What is
// outside even then is a finding. Such an array is filled, and nothing is said of what a kernel leaves unwritten in it: say how large the results are by -buffer.
// Where nobody gave n it starts with 256, and goes down to 16 while the kernel does not end in time or accesses are outside of what may grow.
//
// A texture has as many texels as the grid has threads along each axis, and grows, twofold up to eight times along each, while an access is outside of it; its
// format is that of its texels with 32 bits in each of four channels. Samplers are Metal's defaults. Kernels with textures of two dimensions have threadgroups of
// 16 by 16, with layers or three dimensions 8 by 8 by 4.
//
// Where nobody says how many threads a threadgroup has, and something is wrong that a shape for which the kernel is not made may explain, threadgroups of
// 16 by 16, 8 by 8 by 4 and 8 by 8 are tried, those of fewer threads only if accesses are outside of threadgroup or thread memory, and what is wrong with each
// of them is a finding, with a note. Reductions of simdgroups combine their lanes in
// one order, as on each device alone, and simdgroups have 32 threads.
//
// An array that a kernel may write, and whose size is given, is a result: reading it before it is written is a finding, unless the kernel never writes to
// it, or -buffer says "inout".
package main
