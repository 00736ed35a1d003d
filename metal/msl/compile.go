package msl

import (
	"gamma/metal"
	"gamma/metal/internal/msl/check"
	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Options are what a source is compiled with. They have the fields of metal.CompileOptions, which converts to them.
type Options metal.CompileOptions

// flags returns what the options allow floating point.
func (o Options) flags() ir.FP {
	var f ir.FP
	switch o.MathMode {
	case metal.MathSafe:
		f = ir.ContractOn
	case metal.MathRelaxed:
		f = ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal
	case metal.MathFast:
		f = ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal | ir.NoNaNs | ir.NoInfs
	}
	if o.MathFunctions == metal.FunctionsFast {
		f |= ir.FastFunctions
	}
	return f
}

// version is the language's as the parts of the front end count it: 320 for 3.2.
func (o Options) version() int {
	return int(o.LanguageVersion>>16)*100 + int(o.LanguageVersion&0xffff)*10
}

// Compile compiles a source. The error is Diagnostics: one diagnostic a line, as file:line:column: error: text, with what
// is not supported by its name. Warnings alone are no error: see Library.Warnings.
//
// Any text is taken. Time and memory are bounded: each part gives up with an error when a source is larger, nests deeper or
// expands further than its documented limits.
func Compile(src string, o Options) (*Library, error) {
	if o.FileName == "" {
		o.FileName = "program_source"
	}
	var warnings token.List
	begin := token.Pos{File: o.FileName, Line: 1, Column: 1}
	switch {
	case o.MathMode > metal.MathFast:
		return nil, token.List{{Pos: begin, Msg: "the math mode of the options is none of safe, relaxed and fast"}}
	case o.MathFunctions > metal.FunctionsFast:
		return nil, token.List{{Pos: begin, Msg: "the math functions of the options are neither precise nor fast"}}
	case o.LanguageVersion != 0 && (o.LanguageVersion>>16 < 1 || o.LanguageVersion>>16 > 9 || o.LanguageVersion&0xffff > 9):
		return nil, token.List{{Pos: begin, Msg: "the language version of the options is none: it is major<<16 | minor, as metal.Version32"}}
	}
	tokens, diags := preprocess.Run(src, preprocess.Options{
		Headers: o.Headers, Defines: o.Macros, Version: o.version(), FileName: o.FileName,
	})
	if diags.Errors() > 0 {
		return nil, diags
	}
	warnings = append(warnings, diags...)
	file, diags := syntax.Parse(tokens)
	if diags.Errors() > 0 {
		return nil, append(warnings, diags...)
	}
	warnings = append(warnings, diags...)
	program, diags := check.Program(file, check.Options{FP: o.flags(), Version: o.version()})
	warnings = append(warnings, diags...)
	if warnings.Errors() > 0 {
		return nil, warnings
	}
	return newLibrary(program, warnings), nil
}

// newLibrary makes a library of a checked program.
func newLibrary(p *typed.Program, warnings token.List) *Library {
	l := &Library{Warnings: warnings, program: p, byName: map[string]*typed.Kernel{}}
	for _, k := range p.Kernels {
		l.byName[k.Name] = k
	}
	return l
}
