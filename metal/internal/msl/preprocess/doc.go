// Package preprocess turns the text of a Metal shader into tokens: it scans as C++14 does, expands
// macros, follows conditionals and includes, and keeps the pragmas that change arithmetic.
//
// Start here: Run, and Options.
//
// The headers of Metal itself (metal_stdlib and its like, simd/simd.h) are known and expand to nothing;
// what they define as macros (M_PI_F, INFINITY, FLT_MAX, METAL_FUNC, …) is defined from the start.
// INFINITY is __builtin_inff() and NAN is __builtin_nanf(""): the checker knows both.
//
// A pragma about floating point becomes one token.Pragma, whose text is brought to one form: words
// with one space between them, an option as name(value). The forms are
//
//	METAL fp math_mode(safe|relaxed|fast) contract(off|on|fast) …
//	clang fp contract(off|on|fast) reassociate(on|off) …
//	STDC FP_CONTRACT ON|OFF
//
// Not supported, and refused by name: raw strings, strings and characters with a prefix, long long
// and long double literals, __VA_OPT__, __DATE__ and __TIME__, #include_next, #embed, and the
// pragmas pack, float_control, clang attribute, STDC FENV_ACCESS ON, STDC FENV_ROUND, STDC
// FP_CONTRACT DEFAULT, and clang fp with reciprocal, exceptions or eval_method.
package preprocess
