// Package record is what devices that compile printed kernels have in common: a metal.Device without the hardware.
//
// Start here: New, which makes a Device of a Backend. It has libraries by the front end of metal/msl, functions, pipelines, buffers, command
// queues, command buffers and encoders, with all of Metal's checks of order, bindings, sizes and lifetimes. What passes them reaches
// the Backend as values: kernels to build, memory to allocate, and for each command buffer a Work that gets one Dispatch after another.
// So a Backend checks nothing, and packages metal/cuda and metal/opencl give the same errors.
//
// Isolation is a Backend in a child process, for kernels that may fault or never end: the child has the real one, and is dropped with it.
//
// Probe is their self-test: it finds out by a kernel what the hardware and the compiler do to floating point.
package record
