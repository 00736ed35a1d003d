// Package check turns the syntax tree of a Metal source into the typed tree: it resolves names and overloads,
// instantiates templates, evaluates constant expressions and writes out every conversion.
//
// Start here: Program.
//
// A class is completed where it is named, or, if its template has no definition there yet, where it is first needed. The body of a function that is not a template is checked after its declaration, and the body
// of an instance at the end of the source. A template that nothing instantiates is parsed and not checked.
//
// # What is refused, by the feature's name
//
// Types: double, long long, long double; cube, depth and multisampled textures, function tables, ray tracing, tensors and
// MetalPerformancePrimitives, imageblocks, pixel types, indirect command buffers; tuple, pair, array_ref; variables that are functions or point to
// them.
//
// Classes: virtual functions; several base classes, and bases from the library; destructors that do something; bit-fields;
// inherited constructors; && members; packed structs and members.
//
// Functions: lambdas; auto parameters; vertex, fragment, mesh, object and intersection functions. Recursion is lowering's (constant expressions may recur).
//
// Templates: packs of bases, packs of parameters before others, lists in braces that are expanded; template template parameters;
// functions of the library as values; templates of methods, and methods of
// specialisations, defined outside their class, and methods there whose template parameters have other names.
//
// Variables: static local variables, references outside functions, positions of threads outside parameters.
//
// Statements: for over what is not an array; labels that do not stand directly in their switch.
//
// Lists in braces: ranges of elements whose value has effects; designators of a part of what has a value already.
//
// Expressions: casts between pointers and integers; the value of an assignment whose place has side effects; more than 4096
// objects constructed at once.
//
// Logging: formats that are no literal; values to log that are no numbers.
//
// Kernels: arrays of pointers into threadgroup memory; attributes of other stages; required_threads_per_threadgroup.
//
// # Where it is more lenient than Metal's own compiler
//
// The types of simd/simd.h, such as vector_float3 and simd::float4x4, are known without that header; private and protected are not enforced. Names within a template are looked up where it is
// instantiated. Functions of what lies in address spaces of other stages, such as threadgroup_imageblock, are not looked at. Of two templates that fit a call equally, the one whose parameters say more is taken.
package check
