// Package lint finds, in a checked source, what breaks an error bound or a claim without being an error of the language. Package msl has its
// front door, msl.Lint, which describes the kinds of findings.
//
// Start here: Source.Run.
//
// What depends on how a number is written is looked for in the typed tree, beside the tokens: literal.go. The rest is looked for in the
// lowered kernels, where calls are inlined and variables are registers. flow.go gives each register's value a number, so that equal
// numbers are equal values, whatever statements lie between.
package lint
