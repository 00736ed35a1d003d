// Command gamma judges kernels without a test: functions of shared libraries and of other programs, kernels in CUDA C++ and in Metal, by what they claim, and Metal
// shaders without a claim. Start here.
//
//	go run gamma/props/gamma check libmine.so -kernel "float my_sum(const float *x, size_t n)" -claim "sum tree=left"
//	go run gamma/props/gamma check kernels.py -kernel softmax -formula "x binary32[n]; e = exp(sub(x, max(x, n))); result div(e, sum(e, n))"
//	go run gamma/props/gamma check gamma.json -sarif gamma.sarif
//	go run gamma/props/gamma check shader.metal -kernel rms_norm -buffer x=float:n -buffer out=float:n -n 1024
//
// The exit code is 0 if nothing was found, 1 if something was, 2 of a wrong call or if a kernel or source was refused and nothing found.
//
// # Kernels with a claim
//
// Each is a subject of package judge (of device, for .cu and .metal), judged as a test does: cases on file, then a search for each law that says something of the claim. What is
// printed is how each law came out, how many inputs it judged and the largest error/bound, and the report of the first that is violated, reduced.
//
// A file of JSON has a list "subjects" of objects. Their fields are file, process or mlx, kernel, claim and formula; name, if that of file and kernel is not to be; strided, bind, grid, threads and
// math. Those of one kernel are also flags. file is found from the folder of the list.
//
// file is a shared library (.so, .dylib, .dll: package foreign), a file of Python whose kernels are marked (.py: process.Python), or a source (.cu, .metal: package device). process is
// a command line, split at spaces, of another program that speaks the protocol of package process. mlx is a piece for MLX's metal_kernel, which says kernel, grid and threads itself: its
// inputs are the formula's, and its only output, or dst, the result. kernel is the function's name, of a library its declaration in C.
//
// claim is sum, dot, fft, operation, modular or ntt, and after that words. Of sums and dot products: in=, acc= and out= with the name of a format; tree= with a shape of package sumtree; height= with a number of additions such as 12, log2,
// log2+3 or n/8+3; compensation=, folds=, block=, fusion=, min=, max=, multiple=, and mean, commutes, repeats, signed-zero, overflow-safe, finite, as the fields of model.Claim say; strided, of a process whose
// function takes increments. Of fft there are in= and max=.
//
// After operation, one on floating-point words in rows, comes an algorithm of word.Algorithms, such as 2Sum or DWTimesDW1, and exact, splits, finite, unnormalised and multiple=, as word.Claim says; in=, of a
// process. After modular comes a function of package modular, such as product or forward-butterfly, and bits= (64), in= and out= with the range of each word of a row and, after ^, its power
// of R (in=2^1,2^1), multiple=, unchecked. Of ntt there are bits=, negacyclic, min=, max=, forward= and inverse= with orders (natural>bit-reversed) or none, and unscaled. Both have least-modulus=,
// greatest-modulus=, moduli=17,257, even and prime. Package foreign says what these functions are in C, and package process in other programs.
//
// With a formula, in the language of formula.Parse with a semicolon or the end of a line after each of its lines, the words of claim are format=, out=, functions= with a platform such as GNU-libm,
// CUDA or Metal-precise, exactly, unfused, finite, repeats, as formula.Claim says, and the sizes of axes: n>=1, n<=64, n==8, n%4.
//
// A .cu file needs an NVIDIA GPU. Without claim and formula its kernels are asked for the same bits in each run; bind says then how large arrays are.
//
// # Suggest
//
// gamma suggest takes what check takes, and looks for the tightest claim against which its laws find nothing: of sums and dot products the exact result rounded once, an order in binary64 or in the format of the
// leaves (the commonest shapes of package sumtree), a compensation, an accumulator, a height of the order; of formulas the ulps of its functions and whether each operation rounds; and then promises such as repeats.
// What -claim says already stays. It prints the claim as Go for a test, how each law came out on it, and what is no part of it with the law that is against that. A claim that survives
// 500 inputs for each law (-cases) may be false all the same.
//
// # SARIF
//
// With -sarif findings are written as results of SARIF 2.1.0, each with the law or the check as its rule, and with file, line and column where they have such a place: of what the simulator's checkers find that of the
// access, else that of the function's definition in a file of text, or the file. What was refused is a notification of the invocation, which is then not successful.
//
// # Shaders without a claim
//
// Of each kernel in Metal it asks what every shader owes: no race, no access out of bounds, nothing read before it is written, no result left unwritten, barriers
// that all threads reach, no undefined operation on integers, and the same bits in every order of threads and in every call. A table says which
// of these hold, and each finding has its place in the source.
//
// # What nobody says
//
// What the signature does not say is assumed, and the assumptions stand below the table: that integers are n, that the elements of integer arrays are
// below n, that a kernel with threadgroup memory is launched in one threadgroup and another one in n threads. An array whose size nobody gave starts with
// n elements and grows, twofold, while the simulator reports an access outside of it, up to n² elements, and at least 65,536 and at most 4,194,304. What is
// outside even then is a finding. Such an array is filled, and nothing is said of what a kernel leaves unwritten in it: say how large the results are by -buffer.
// Where nobody gave n it starts with 256, and goes down to 16 while the kernel does not end in time or accesses are outside of what may grow. A range of it, -n 1000..1024, has the kernel
// checked at each of its sizes, or at 32 of them: both ends, powers of two and what is next to them, and sizes between.
//
// Where threads ask for their position in the grid along two axes or three, and nobody said grid or threads, the grid has n threads along the first and up to 64 along the second, and
// threadgroups are of 8 by 8, or of three dimensions, 8 by 4 by 2.
//
// Where something is found with such a guess, a grid of one dimension is tried. Where that is a race, a barrier that some threads do not reach, or threadgroup memory that nobody wrote, and the grid is of one
// dimension, four others are. Each integer that nobody gave is taken as 1, if each run then has as many instructions, and changes as many elements of the results: so a stride is, and the length of a loop is not.
// The elements of integer arrays are taken as all different, as in a permutation, if the kernel reads no array that it writes. Of a kernel with threadgroup memory, numbers of threads are tried, each with these
// integers: one is right if nothing is wrong with that memory, and something is with half as many. And n=4096: a kernel may ask for so many columns. If nothing is found with one of these, the table is about it, and a
// note says what was found with the first. What is wrong with all of them is a finding, and a kernel for which the time does not suffice to try them is refused.
//
// Function constants that the kernel needs and -constant does not give are false, or 1. Of a vector -constant takes all components, size=16,8, or one for all.
//
// A pointer in a structure is an array called as the member is, such as args.x or args.layers[1].w, also for -buffer. In an array of structures all pointers that are read lead to the same
// array, and of those that are written each has its own elements, one after the other: an access outside of them is found at the last one, and else may be a race.
//
// A texture has as many texels as the grid has threads along each axis; what is read outside of it is zero, and what is written there is ignored, as Metal has it. Its
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
