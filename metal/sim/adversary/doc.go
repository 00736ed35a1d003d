// Package adversary runs kernels under any behaviour that the Metal Shading Language allows a device: any order of threads and
// threadgroups, any width of simdgroups, any order of simd_sum, flushing, rounding toward zero, library functions that err
// inside their limits, and junk in memory that was never written. It is the "for all schedules, for all conforming devices" of a theorem.
//
// Start here: Compile, Program.Run, Program.Outcomes. Everything random follows from Behaviour.Seed by a generator that
// counts, so that a run replays bit for bit. One core runs one dispatch; Options.Workers is not used.
//
// # Orders
//
// A thread runs alone until it comes to a point where others may be interleaved:
//   - "" is program order: threadgroups ascending, in each the simdgroups ascending, in each the threads ascending; a thread
//     runs to its next barrier, SIMD operation or end.
//   - "reverse" is the reverse of all of these.
//   - "stages" draws them: a threadgroup runs from one barrier to the next without interleaving, and in it a thread
//     from one barrier or SIMD operation to the next; which threadgroup is next, and in it which thread, is drawn.
//   - "accesses" draws them at every access to memory that others may write: device and threadgroup loads, stores
//     and atomics. Memory is sequentially consistent: stores are seen at once and in order.
//
// At most Resident threadgroups, or as many as fit into memory, are resident at any time, as on a device.
//
// Where any two accesses to one place, one of them a write, are ordered by a barrier or write the same bits, every schedule gives the same results. So
// each dispatch is first run with the threads of each threadgroup in lockstep, and watched for races; see lockstep and watch. If there is
// one, or anything must be reported, memory is restored and the order above is run. The bits are the same either way.
//
// # SIMD groups
//
// A simdgroup is a run of Behaviour.SIMDWidth consecutive thread indices, a quadgroup a run of four. Threads reconverge
// by structure: the lanes that are active in a SIMD operation are those of its group that execute the same instruction in the same
// iteration of every loop around it. So lanes that take the two branches of an if reconverge at its end, and
// lanes that leave a loop reconverge with the others after it. A thread waits at a SIMD operation until no other thread of its group can reach
// it any more: a thread never waits for threads at later instructions. simdgroup_barrier waits in the same way.
//
// A sum, product, minimum or maximum over the lanes is a butterfly in program order (lanes 0 and 1, 2 and 3, … first, then these
// pairs, and so on; a lane that is not active is left out, as in package fast), from the last lane
// to the first under "reverse", and under the drawn orders any binary tree over any permutation of the active lanes; prefixes keep
// the order of the lanes and draw the association. Which elements of a simdgroup matrix a lane holds, and how a product of two is added up, is an
// ir.MatrixLayout, the default one in program order and drawn from the seed under each other order; so is how finely a linear filter weighs texels.
//
// # Junk
//
// With Poison, memory that was never written holds values drawn from the seed (NaNs, huge, tiny, plausible), and so does what a
// shuffle takes from an inactive lane; otherwise both are zero. An access that is out of bounds or misaligned gives the same,
// or stores nothing.
// Such values may be copied and computed with; with checks, any other use is reported, with where the value comes from; see flagger. A run is first made
// without flags of what loads give, and again with them if a load meets what is undefined.
// A weak compare-and-exchange fails spuriously now and then under Poison and under "accesses".
package adversary
