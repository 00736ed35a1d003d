// Package stdlib is Metal's standard library as the checker needs it: types by name, conversions, operators,
// functions with their overloads, traits and constants. What it gives are trees of package typed.
//
// Start here: Resolve, then NamedType and Convert.
package stdlib
