// Package msl compiles Metal Shading Language: from a source to kernels in the intermediate representation of package ir, which the
// simulator runs and other devices print.
//
// Start here: Compile, then Library.Kernel. Lint looks for what breaks error bounds and claims.
//
// The way of a source, through packages of metal/internal/msl, is preprocess (text to tokens), syntax (tokens to a tree), check (names, templates, overloads and
// conversions resolved: package typed) and lower (calls inlined, vectors and structs taken apart: package ir). Each of them has
// limits, so that any text is answered in bounded time and memory, with errors that carry file, line and column.
//
// # What is supported
//
// Compute kernels of Metal 2.4 to 3.2, by tiers:
//
//   - The C core: functions, all statements but goto; pointers, references, arrays of any dimension and structs in the
//     address spaces device, constant, threadgroup and thread; integers of 8 to 64 bits, bool, float, half, bfloat; vectors of 1 to
//     4, packed ones too, with swizzles; the preprocessor with # and ##, includes from a map or a folder, _Pragma.
//   - Kernels: buffers by number or counted, threadgroup arguments, every position and size of a thread, both forms of kernel,
//     max_total_threads_per_threadgroup, access(…), function constants, of vectors too, and arguments that depend on them.
//   - Functions whose calls of themselves, or of one another, are the last that they do: they are loops.
//   - Structs with methods, constructors, operators, conversions, static members, references as members, one base class; unions; enums; namespaces;
//     overloads, by address space too; default arguments. Functions that a source adds to namespace metal join the library's of
//     that name as overloads.
//   - Templates with type and value parameters, functions as values, packs and defaults, explicit instantiation with host_name,
//     specialisation of members too, decltype, auto, constexpr, if constexpr, folds, aliases, the usual traits and enable_if,
//     static_assert, metal::array, vec<T, N>. An instance is completed when it is first needed, so that it may be named before its
//     template is defined. integral_constant and the traits that are true or false are classes, from which a source may derive, and
//     which it may specialise.
//   - Names of the headers that come with Apple's compiler, which are not of Metal's public language, where public shaders use them:
//     __metal_exp and so on for every function of the library, with the macros __METAL_MAYBE_FAST_MATH__, __METAL_FAST_MATH__ and
//     __METAL_PRECISE_MATH__, __is_empty and the like, _numeric_limits_impl, _fp_numeric_limits_impl_base, _fp_encoding_traits,
//     _make_scalar_impl, _conjunction, _disjunction, _negation, vec_elements.
//   - Lists in braces, in which narrowing is an error as in C++11: a constant that fits is none. Designators as in C99, ranges of elements too.
//   - volatile: such objects lie in memory, and every access that the source makes to them is made, in that order.
//   - Matrices of 2 to 4 columns and rows of half and float: constructors, operators, transpose, determinant. Their order of rounding is
//     written at the top of their text, library/matrix.metal in package check.
//   - Simdgroup matrices of 8 columns and rows of half, bfloat and float: simdgroup_load, simdgroup_store, simdgroup_multiply,
//     simdgroup_multiply_accumulate of any of these types, make_filled_simdgroup_matrix, diagonal ones, *, thread_elements. A kernel that
//     uses them has simdgroups of 32 lanes, whatever a behaviour says, and needs all of them: where one is not active, what the others
//     load, store or multiply depends on an inactive lane. Metal does not say which elements a lane holds, and in which order and precision
//     products are added: ir.MatrixLayout is what machines differ in here. That all lanes give the same pointer and sizes is not checked.
//   - Textures of one to three dimensions, arrays of those of one and two, and texture_buffer, of float, half, int, uint, short and ushort, as parameters and as
//     arguments of functions: read, write, sample, fence and the sizes; samplers in the source and from the host, with coord, address (but for
//     clamp_to_border) and filters nearest and linear. There is one level of detail. A texture becomes memory (ir.Texture), so that
//     races and texels that nobody wrote are found and named. The text is library/texture.metal in package check, where the
//     arithmetic of filters is written; ir.MatrixLayout has what machines differ in. A read outside gives zeros, and a write there is ignored, as §6.12 of
//     [MSL 4.0] has it.
//   - Barriers with flags, atomics (32 bits, bool, float, and minimum and maximum of ulong), reductions, prefixes, shuffles and
//     votes of simdgroups and quadgroups, as_type, mulhi and the bit functions, the library of mathematics with
//     precise:: and fast::, and the functions that pack and unpack. The types of simd/simd.h.
//   - Argument buffers, structs with pointers into device or constant memory in a buffer, in arrays and structs too: the host writes the addresses of buffers, and what
//     they lead to is checked as what is bound (ir.Resources). [[id(n)]] has no effect: members lie as in any struct. Devices other than the simulator refuse the kernel.
//   - os_log with the methods log, log_debug, log_info, log_error and log_fault, and assert, unless NDEBUG is defined: a device that looks for
//     faults makes a note of what is logged, and a finding of an assertion that does not hold. Literals in quotes are arrays of char in constant.
//   - The pragmas METAL fp, clang fp and STDC FP_CONTRACT, with their scope.
//
// # What is refused, by the feature's name
//
// Cube, depth and multisampled textures, textures in argument buffers and arrays of textures, gather, comparison samplers, borders, anisotropy, gradients and bias;
// pixel types, ray tracing, functions of other stages, tensors; lambdas, template
// template parameters, virtual functions, exceptions, goto, new, recursion whose calls are not the last of their functions (the kernels that
// reach it cannot be had, the others can), pointers to functions, bit-fields, double, long long, positions of threads outside parameters. The documentation of packages
// preprocess, syntax and check has the full lists.
//
// # What lowering may refuse
//
// A source that instantiates more than 100,000 templates (an option); a kernel of more than 5,000,000 instructions with its calls inlined (an option), calls nested more than 128 deep, more than 1 MiB of thread
// memory, 16 MiB of threadgroup memory or 4 MiB of tables; values of more than 4,096 scalars passed by value; a function constant
// that is used and has no value.
package msl
