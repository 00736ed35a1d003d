// Package reference runs the intermediate representation in the plainest way: all threads of a threadgroup go through the code
// together, one operation after the other, each operation by ir.Eval. It is slow, knows one order only, and is there so that
// tests of the front end, and of faster engines, have something independent to compare with.
//
// Start here: Run.
package reference
