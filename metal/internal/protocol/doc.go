// Package protocol is the Metal object protocol, once for every device: devices, libraries, functions, pipelines, buffers, command queues,
// command buffers and compute encoders, with Metal's rules about their lifetimes, limits and order of calls, and the messages for what breaks them.
//
// Start here: New, which makes a Device of a Backend. What passes the checks reaches the Backend as values: sources to compile, pipelines to
// make, memory to allocate, and for each command buffer a Work that is given one Dispatch after another. So a Backend checks nothing that is true
// of every device, and all devices give the same errors. The backends are in packages metal/sim and metal/apple, and, by way of
// metal/internal/offload, in metal/cuda and metal/opencl.
//
// Backends whose kernels run from the IR of metal/msl have their Compile from FrontEnd.
package protocol
