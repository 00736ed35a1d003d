// Package engine holds what the simulator's engines share: a dispatch ready to run, memory, options and the list of findings.
//
// Start here: Dispatch.
package engine
