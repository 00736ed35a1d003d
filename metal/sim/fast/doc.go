// Package fast runs kernels quickly on the CPU: one instruction after the other, each over all lanes of a threadgroup. With
// Options.Checks it looks for faults on the way.
//
// Start here: Compile, Program.Run. In the code: region.go says what differs between lanes, code.go turns blocks into
// instructions of the machine, machine.go runs them, memory.go reads and writes, shadow.go finds races.
//
// # What it computes
//
// Arithmetic is ir.Eval's: to nearest even, nothing fused, flushed only where Behaviour.Flush and Flush16 say so. The lanes of a threadgroup
// run in lockstep, the threadgroups in ascending order, shared among Options.Workers goroutines. In a divergent if the
// lanes of the then part run first; lanes that leave a loop wait at its end. So every run of a kernel without races
// gives the same bits, for any number of workers. Kernels with atomics on device memory whose order can be seen (those of floats,
// and those whose results are used) run on one worker; so do runs in which checks find that threadgroups disturb one another:
// they are repeated from the start on one, for the findings not to depend on the number of workers.
//
// A reduction over a simdgroup is a butterfly: lanes 0 and 1, 2 and 3, … first, then these pairs, and so on; a lane that is not
// active is left out. Prefixes go from the first lane to the last. Simdgroup matrices have the default ir.MatrixLayout.
//
// An access out of bounds, misaligned, or through the null pointer reads 0 and writes nothing, and so does a shuffle from a lane that is not
// active. Undef is 0, and threadgroup and thread memory is 0 when a threadgroup starts.
//
// # Checks
//
// Every access is looked at for bounds, alignment, bytes never written and races; integer operations for what the language leaves
// undefined; barriers for threads that do not reach them; uses of what shuffles take from lanes that are not active. The same faults at the same
// places of the source are one finding.
//
// Bytes that were never written are undefined, and so is what a shuffle takes from a lane that is not active, and all that is copied or computed from
// these, byte by byte. The finding is at what uses the value: a branch, an address, an atomic, a store to device memory. It says from what memory, variable
// or shuffle the value comes. Where nothing undefined is loaded, loads have no flags: a dispatch is first run without them, and again with them if a
// load meets what is undefined.
//
// A race is two accesses to the same bytes by different threads, one of them at least a write, not both atomic, not both plain stores of the
// same bits, and nothing between them that orders them. threadgroup_barrier orders the accesses of its threadgroup to the memory that its flags name;
// simdgroup_barrier those of its simdgroup. Two threadgroups of a dispatch are ordered by fences around
// atomic operations alone, as any two threads may be (see messages). A thread's own read of what it wrote to a texture is a race unless a fence or a barrier of textures is between the two. The order in which the
// engine happens to run the lanes hides no race, since an access is compared with what the shadow of its memory remembers:
// the last write and two readers, chosen so that whatever disturbs any reader disturbs one of the two (see cell).
//
// Stores of the same bits leave the same memory in every order: let a read be the first, in some order, that gives something else than here. The stores
// before it that no later one replaces are those of this run, since no store is unordered with a read, and they left the same bits. So what
// is compared are the bits of this run, and no other order has others, with one exception: the results of atomics depend on the order though nothing
// races. A store that depends on such a result, as a value, as an address or in a branch, has to be ordered with all others (see orders).
package fast
