// Package lower turns a checked kernel into the intermediate representation: every call inlined, vectors, structs and small
// arrays taken apart into scalar registers, and what needs an address put into objects.
//
// Start here: Kernel.
//
// Where a variable lives is decided once a function, by storage.go: in registers if its address is not taken, every index
// into it is constant, and each read of each of its scalars comes after a write on every path; otherwise in an object of
// thread memory, where engines see reads of what was never written.
package lower
