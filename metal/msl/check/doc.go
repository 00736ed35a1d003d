// Package check turns the syntax tree of a Metal source into the typed tree: it resolves names and overloads,
// instantiates templates, evaluates constant expressions and writes out every conversion.
//
// Start here: Program.
package check
