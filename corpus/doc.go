// Package corpus holds cases on file: the plain data of a case, its text form, and the cases that
// this project keeps for ever. Start here.
package corpus
