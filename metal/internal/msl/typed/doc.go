// Package typed is the checked tree of a Metal source: monomorphic, with every name resolved, every template
// instantiated, every overload chosen and every conversion explicit. The checker builds it, lowering consumes it.
//
// Start here: Program, then Expr and Place.
package typed
