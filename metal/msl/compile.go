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
	program, _, diags := front(src, o)
	if program == nil {
		return nil, diags
	}
	return newLibrary(program, o, diags), nil
}

// front runs the front end up to the checked program, which is nil if there is an error among the diagnostics.
func front(src string, o Options) (*typed.Program, []token.Token, token.List) {
	if o.FileName == "" {
		o.FileName = "program_source"
	}
	begin := token.Pos{File: o.FileName, Line: 1, Column: 1}
	refuse := func(msg string) (*typed.Program, []token.Token, token.List) {
		return nil, nil, token.List{{Pos: begin, Msg: msg}}
	}
	switch {
	case o.MathMode > metal.MathFast:
		return refuse("the math mode of the options is none of safe, relaxed and fast")
	case o.MathFunctions > metal.FunctionsFast:
		return refuse("the math functions of the options are neither precise nor fast")
	case o.MaxInstances < 0 || o.MaxInstructions < 0:
		return refuse("the limits of the options are negative: 0 means the default")
	case o.LanguageVersion != 0 && (o.LanguageVersion>>16 < 1 || o.LanguageVersion>>16 > 9 || o.LanguageVersion&0xffff > 9):
		return refuse("the language version of the options is none: it is major<<16 | minor, as metal.Version32")
	}
	tokens, diags := preprocess.Run(src, preprocess.Options{
		Headers: o.Headers, Files: o.HeaderFiles, Defines: o.Macros, Version: o.version(), FileName: o.FileName,
	})
	if diags.Errors() > 0 {
		return nil, nil, diags
	}
	warnings := diags
	file, diags := syntax.Parse(tokens)
	warnings = append(warnings, diags...)
	if diags.Errors() > 0 {
		return nil, nil, warnings
	}
	program, diags := check.Program(file, check.Options{FP: o.flags(), Version: o.version(), Instances: o.MaxInstances})
	warnings = append(warnings, diags...)
	if warnings.Errors() > 0 {
		return nil, nil, warnings
	}
	return program, tokens, warnings
}

// newLibrary makes a library of a checked program.
func newLibrary(p *typed.Program, o Options, warnings token.List) *Library {
	l := &Library{Warnings: warnings, program: p, instructions: o.MaxInstructions, byName: map[string]*typed.Kernel{}}
	for _, k := range p.Kernels {
		l.byName[k.Name] = k
	}
	return l
}
