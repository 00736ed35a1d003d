// Package msl compiles Metal Shading Language: from a source to kernels in the intermediate representation of package ir, which the
// simulator runs and other devices print.
//
// Start here: Compile, then Library.Kernel.
//
// The way of a source is preprocess (text to tokens), syntax (tokens to a tree), check (names, templates, overloads and
// conversions resolved: package typed) and lower (calls inlined, vectors and structs taken apart: package ir). Each of them has
// limits, so that any text is answered in bounded time and memory, with errors that carry file, line and column.
package msl
