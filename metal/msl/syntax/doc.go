// Package syntax parses Metal Shading Language: from the preprocessor's tokens to a tree that
// still knows templates, names and pragmas as they were written.
//
// Start here: Parse, and File.
package syntax
