// Package sim is a Metal device in Go: it runs Metal Shading Language on the CPU, under any behaviour that the specification
// allows a device, and looks for faults while it runs.
//
// Start here: New, Options, Device.With. The rest is metal.Device. Below it lie the engines: package fast for plain runs and
// package adversary for all others.
//
// # Behaviours
//
// A Device has one model.Behaviour. With gives a copy of it under another one in no time: both share libraries, functions,
// pipelines and buffers, and what was compiled is kept. The device whose queue a command buffer comes from says how it runs, wherever its
// pipelines were made. So a test makes everything once and one queue a case:
//
//	queue, err := device.With(behaviour).NewCommandQueue()
//
// Contraction and the rewrites of relaxed and fast mode change the kernel before it runs, where the source's pragmas and options allow
// them. The dispatch that comes first in a command buffer draws from Behaviour.Seed, those after it from seeds that follow from it.
//
// # Findings
//
// Checks are on unless Options.NoChecks says otherwise. What they find does not stop a command buffer: every dispatch runs to its
// end, and the buffers hold what they then hold and can be read. Afterwards the command buffer's status is Failed, and its error is
// a model.Findings, in which errors.As finds the single ones. A kernel that uses up Options.Steps is stopped there, and the dispatches
// after it are not run. Device.Findings collects what all command buffers of one Device found. What a kernel logs by os_log is a note among them,
// of each place that of the first thread that comes there, and fails nothing.
//
// The fast engine looks for races; the adversarial one shows what they lead to. Two plain stores of the same bits to the same bytes are no race, ordered or
// not: C++, and so the specification, leaves them undefined, but every order of them leaves the same memory, we know of no Metal compiler
// that makes anything else of them, and kernels in which all lanes store a row's result are common. A read, an atomic operation or a store of other
// bits that is not ordered with one of them is a race as ever. What two dispatches of one Concurrent encoder do to the same
// memory is not checked: they run one after the other, in an order that the behaviour draws between two barriers.
//
// Device.Outcomes goes further on tiny launches: it tries every schedule of a command buffer that is not committed, and gives
// every content that the buffers may have at the end.
//
// Not found: an index beyond an inner array that stays inside the whole object, and a pointer to a thread variable whose block
// has ended.
//
// Memory that was never written, a variable without a value, and what a shuffle takes from an inactive lane are undefined, byte by byte, and so is what is
// copied or computed from them. That is no fault before it decides a branch, an address or an atomic operation, or reaches device memory, which the host
// sees: the finding is there, and says from which variable or shuffle the value comes and where it was read. Both engines keep this rule.
//
// Fences order as in C++: what one thread did before a fence comes before what another does after one, if the first changes an atomic object after its fence, and
// the second, before its own, reads that value or what later updates made of it. Both scopes have to hold both threads, and both fences to name the memory. Memory
// itself is sequentially consistent, so that the adversarial engine shows no other values where a fence is missing: the race is found by the fast one. Threadgroups
// see of each other's writes what is in buffers that are coherent(device). A source in which more is coherent than parameters of kernels may mean any buffer by that,
// and so may pointers in structures.
//
// A thread that waits for another in a loop of atomic operations is stopped at once where the order of threads would never let the other run.
// Behaviour.Fair lets it: then those that have begun take turns.
//
// # Order of calls
//
// A call that is out of order, or an argument that cannot be, gives an error and changes nothing. A command buffer runs inside Commit, and keeps
// its buffers to itself meanwhile: Read and Write by other goroutines wait. As in Metal, it keeps what was encoded alive: releasing
// a buffer, pipeline, function or library matters only to calls that come later.
package sim
