// Package metal is the device interface, in Metal's own words: devices, libraries, functions, pipelines, buffers, command
// queues and compute encoders. Package metal/sim implements it in Go; devices that run on hardware live beside it.
//
// Start here: Device. The order of calls is Metal's: a library from source, a function of it, a pipeline; buffers; a command queue, a
// command buffer, a compute encoder, dispatches, EndEncoding, Commit, WaitUntilCompleted.
//
// Every method that can fail returns an error that names the place and the mend; a call out of order is such an error, not a crash.
// Objects may be used from many goroutines, except command buffers and encoders, which belong to one at a time.
package metal
