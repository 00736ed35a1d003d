package fast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// preamble is what the kernels below have in common: places 1 to 9 are lines 1 to 9 of k.metal, %1 is device memory of 64 words that
// nobody wrote, %2 the same written, %3 constant, %4 an optional buffer that is not bound; %5 is the thread's position in the grid, %6 in the
// threadgroup, %7 the threadgroup's; objects 4 and 5 are 64 words of threadgroup memory at %11 and of thread memory at %12.
const preamble = `
kernel "k"
at "k.metal":1:1
%s
buffer %%1 "fresh" index=0 device elem=4 align=4
buffer %%2 "x" index=1 device elem=4 align=4
buffer %%3 "table" index=2 constant elem=4 align=4
buffer %%4 "maybe" index=3 device elem=4 align=4 optional
input %%5 u32 thread_position_in_grid.0
input %%6 u32 thread_index_in_threadgroup.0
input %%7 u32 threadgroup_position_in_grid.0
object "tmp" threadgroup size=256 align=4 elem=4
object "own" thread size=256 align=4 elem=4
{
  %%11:ptr = obj_addr 4
  %%12:ptr = obj_addr 5
  %%20:u32 = const 0
  %%21:u32 = const 1
  %%22:u32 = const 16
  %%23:u32 = const 31
  %s
}
`

func kernelText(body string) string {
	var places strings.Builder
	for i := range 9 {
		fmt.Fprintf(&places, "place \"k.metal\":%d:1\n", i+1)
	}
	for r := 8; r < 34; r++ { // numbers that are left out are registers all the same
		if text := fmt.Sprintf("%%%d:", r); !strings.Contains(preamble, "%"+text) && !strings.Contains(body, text) {
			fmt.Fprintf(&places, "reg %su32\n", text)
		}
	}
	return fmt.Sprintf(preamble, "place \"\":0:0\n"+places.String(), body)
}

func bound() []engine.Arg {
	return []engine.Arg{
		{Mem: &engine.Memory{Bytes: make([]byte, 256), Init: make([]byte, 256), Name: "label"}},
		{Mem: known(make([]byte, 256))},
		{Mem: known(make([]byte, 256))},
		{},
	}
}

// findings runs body over threads in threadgroups of group, and checks that results do not depend on the number of workers.
func findings(t *testing.T, body string, threads, group int) []model.Finding {
	p := parsed(t, kernelText(body))
	var first engine.Result
	for i, workers := range []int{1, 2, 3, 0} {
		d := &engine.Dispatch{Grid: model.Size3{X: threads, Y: 1, Z: 1}, Group: model.Size3{X: group, Y: 1, Z: 1}, Args: bound()}
		res, err := p.Run(d, engine.Options{Checks: true, Workers: workers, Steps: 1 << 20})
		require.NoError(t, err)
		if i == 0 {
			first = res
		}
		require.Equal(t, first.Findings, res.Findings, "%d workers", workers)
	}
	return first.Findings
}

// fault is a kernel that has a fault, and its twin that has not.
type fault struct {
	name      string
	kind      model.FindingKind
	bad, good string
	// threads that the finding names, and words of its text.
	threads []int
	says    string
	group   int // 32 unless given
	size    int // threads; one threadgroup unless given
}

const (
	storeTmp = "store u32 [%11 + u32 %6*4], %5 @1\n"
	turn     = "%30:u32 = xor %6, %23 \n" // the lane on the other side
	// copies leaves 8 bytes in thread memory at 8, and those at 4 times the lane and 128 beyond in threadgroup memory: the second half has no value.
	copies = "store u32 [%12], %5\n%24:u32 = load [%12]\n%25:u32 = load [%12 + 4]\nstore u32 [%12 + 8], %24\nstore u32 [%12 + 12], %25\n" +
		"%26:u32 = load [%12 + 8]\n%27:u32 = load [%12 + 12]\nstore u32 [%11 + u32 %6*4], %26\nstore u32 [%11 + u32 %6*4 + 128], %27\n"
	// bytesOf copies a word of which the lower half was written.
	bytesOf = "%30:u16 = const 7\nstore u16 [%12], %30\n%24:u32 = load [%12]\n%25:f32 = bitcast from u32 %24\nstore f32 [%12 + 4], %25\n"
	loadTmp = "%31:u32 = load [%11 + u32 %30*4] @2\n"
	keepIt  = "store u32 [%2 + u32 %5*4], %31 @3\n"
	keep33  = "store u32 [%2 + u32 %5*4], %33 @4\n"
	// pairs is half the lane.
	pairs     = "%30:u32 = shr %6, %21\n"
	zeros     = "%30:u32 = and %6, %20\n" // in every lane
	sameValue = "store u32 [%2], %20 @1\n"
	loadSame  = "%31:u32 = load [%2] @2\n"
)

// only lets one lane run body.
func only(lane int, body string) string {
	return fmt.Sprintf("%%32:u32 = const %d\n%%33:bool = eq u32 %%6, %%32\nif %%33 {\n%s}\n", lane, body)
}

var faults = []fault{
	{
		name: "missing barrier", kind: model.FindingRace,
		bad: storeTmp + turn + loadTmp + keepIt, good: storeTmp + turn + "barrier 2\n" + loadTmp + keepIt,
		threads: []int{0, 31}, says: "reads 4 bytes at byte 124 of threadgroup tmp, where thread (31,0,0) writes 4 at k.metal:1:1",
	},
	{
		name: "barrier without flags", kind: model.FindingRace,
		bad: storeTmp + turn + "barrier 0 @3\n" + loadTmp + keepIt, good: storeTmp + turn + "barrier 3\n" + loadTmp + keepIt,
		threads: []int{0, 31}, says: "at k.metal:1:1: threadgroup_barrier(mem_flags::mem_none) at k.metal:3:1 is between the two and does not order threadgroup memory; that takes mem_flags::mem_threadgroup",
	},
	{
		name: "barrier for device memory around threadgroup memory", kind: model.FindingRace,
		bad: storeTmp + turn + "barrier 5 @3\n" + loadTmp + keepIt, good: storeTmp + turn + "barrier 2\n" + loadTmp + keepIt,
		threads: []int{0, 31}, says: "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_texture) at k.metal:3:1 is between",
	},
	{
		name: "barrier without flags before both accesses", kind: model.FindingRace,
		bad: "barrier 0 @3\n" + storeTmp + turn + loadTmp + keepIt, good: storeTmp + turn + "barrier 2\n" + loadTmp + keepIt,
		threads: []int{0, 31}, says: "no barrier orders the two",
	},
	{
		name: "simdgroup_barrier for device memory around threadgroup memory", kind: model.FindingRace,
		bad: storeTmp + turn + "simd_barrier 1 @3\n" + loadTmp + keepIt, good: storeTmp + turn + "simd_barrier 2\n" + loadTmp + keepIt,
		threads: []int{0, 31}, says: "simdgroup_barrier(mem_flags::mem_device) at k.metal:3:1 is between",
	},
	{
		name: "simdgroup_barrier without flags between simdgroups", kind: model.FindingRace,
		bad:     storeTmp + "%30:u32 = const 32\n%32:u32 = xor %6, %30\nsimd_barrier 0 @3\n%31:u32 = load [%11 + u32 %32*4] @2\n",
		good:    storeTmp + turn + "simd_barrier 2\n" + loadTmp,
		threads: []int{0, 32}, group: 64, says: "no barrier orders the two",
	},
	{
		name: "two threadgroups with a fence", kind: model.FindingRace,
		bad: "%30:u32 = xor %5, %22\nstore u32 [%2 + u32 %30*4], %5 @1\nfence 1 @3\n%31:u32 = load [%2 + u32 %5*4] @2\n", good: storeTmp,
		threads: []int{16, 0}, says: "no barrier orders two threadgroups, 1 and 0; nor do fences, such as that at k.metal:3:1: each of the two needs one with mem_flags::mem_device and a scope that holds both", group: 16, size: 32,
	},
	{
		name: "barrier for threadgroup memory around device memory", kind: model.FindingRace,
		bad:     "store u32 [%2 + u32 %6*4], %5 @1\n" + turn + "barrier 2\n%31:u32 = load [%2 + u32 %30*4] @2\n",
		good:    "store u32 [%2 + u32 %6*4], %5 @1\n" + turn + "barrier 1\n%31:u32 = load [%2 + u32 %30*4] @2\n",
		threads: []int{0, 31}, says: "threadgroup_barrier(mem_flags::mem_threadgroup) at k.metal:1:1 is between the two and does not order device memory; that takes mem_flags::mem_device",
	},
	{
		name: "one word written by two lanes in one instruction", kind: model.FindingRace,
		bad: "store u32 [%11], %5 @1\n", good: storeTmp, threads: []int{1, 0},
	},
	{
		// The twin writes the same value by two threads, which no order can tell.
		name: "two values written by two threads", kind: model.FindingRace,
		bad:     pairs + "store u32 [%11 + u32 %30*4], %5 @1\n",
		good:    pairs + "store u32 [%11 + u32 %30*4], %20 @1\n",
		threads: []int{1, 0},
	},
	{
		name: "one of two values is what was there before", kind: model.FindingRace,
		bad:     pairs + "%31:u32 = xor %6, %21\nstore u32 [%2 + u32 %30*4], %31 @1\n",
		good:    pairs + "store u32 [%2 + u32 %30*4], %30 @1\n",
		threads: []int{1, 0},
	},
	{
		name: "the third of three values that two threads have written", kind: model.FindingRace,
		bad:     only(0, sameValue) + only(1, sameValue) + only(2, "store u32 [%2], %21 @1\n"),
		good:    only(0, sameValue) + only(1, sameValue) + only(2, "store u32 [%2], %20 @1\n"),
		threads: []int{2, 0},
	},
	{
		name: "a reader of what all have written", kind: model.FindingRace,
		bad:     sameValue + only(5, loadSame),
		good:    sameValue + "barrier 1\n" + only(5, loadSame),
		threads: []int{5, 0}, says: "where thread (0,0,0) writes 4",
	},
	{
		name: "the last of two writers of one value reads it", kind: model.FindingRace,
		bad:     only(0, sameValue) + only(1, sameValue+loadSame),
		good:    only(0, sameValue) + "barrier 1\n" + only(1, sameValue+loadSame),
		threads: []int{1, 0},
	},
	{
		name: "the first of two writers of one value reads it", kind: model.FindingRace,
		bad:     only(0, sameValue) + only(1, sameValue) + only(0, loadSame),
		good:    only(0, sameValue) + only(1, sameValue) + "barrier 1\n" + only(0, loadSame),
		threads: []int{0, 1},
	},
	{
		// The second store disturbs no store, and the reader before the first.
		name: "a reader before the same value", kind: model.FindingRace,
		bad:     only(0, loadSame+"store u32 [%2], %20\n") + only(1, "store u32 [%2], %20 @1\n"),
		good:    only(0, loadSame) + "barrier 1\n" + sameValue,
		threads: []int{1, 0}, says: "where thread (0,0,0) reads 4",
	},
	{
		name: "an atomic before the same value", kind: model.FindingRace,
		bad:     only(0, "atomic_add u32 [%2], %21 @2\n"+"store u32 [%2], %20\n") + only(1, "store u32 [%2], %20 @1\n"),
		good:    only(0, "atomic_add u32 [%2], %21 @2\n") + "barrier 1\n" + sameValue,
		threads: []int{1, 0}, says: "accesses atomically",
	},
	{
		name: "the same value from two simdgroups, of which one reads it", kind: model.FindingRace, group: 64,
		bad:     only(0, sameValue) + only(40, sameValue) + "simd_barrier 1\n" + only(1, loadSame),
		good:    only(0, sameValue) + only(2, sameValue) + "simd_barrier 1\n" + only(1, loadSame),
		threads: []int{1, 40},
	},
	{
		name: "the same value from two simdgroups and one of them again", kind: model.FindingRace, group: 64,
		bad:     only(40, sameValue) + only(0, sameValue) + only(1, sameValue) + "simd_barrier 1\n" + only(2, loadSame),
		good:    only(3, sameValue) + only(0, sameValue) + only(1, sameValue) + "simd_barrier 1\n" + only(2, loadSame),
		threads: []int{2, 40},
	},
	{
		name: "the same value from two threadgroups, of which one reads it", kind: model.FindingRace, group: 8, size: 16,
		bad:     sameValue + "barrier 1\n" + loadSame,
		good:    sameValue,
		threads: []int{8, 0},
	},
	{
		name: "the same value that an atomic returned", kind: model.FindingRace,
		bad:  "%30:u32 = atomic_add [%2], %21\n%31:u32 = and %30, %20\nstore u32 [%2 + 8], %31 @1\n",
		good: "%30:u32 = atomic_add [%2], %21\n%31:u32 = and %30, %20\nstore u32 [%2 + 8], %20 @1\n",
	},
	{
		name: "the same value that an atomic returned, through thread memory", kind: model.FindingRace,
		bad:  "%30:u32 = atomic_add [%2], %21\nstore u32 [%12], %30\n%31:u32 = load [%12]\n%32:u32 = and %31, %20\nstore u32 [%2 + 8], %32 @1\n",
		good: "%30:u32 = atomic_add [%2], %21\nstore u32 [%11 + u32 %6*4], %30\n%31:u32 = load [%12 + u32 %6*0 + 4]\n",
	},
	{
		name: "the same value that an atomic returned, handed to all", kind: model.FindingRace,
		bad:  "%30:u32 = atomic_add [%2], %21\n%24:u16 = const 1\n%31:u32 = simd_shuffle_up %30, %24\n%32:u32 = and %31, %20\nstore u32 [%2 + 8], %32 @1\n",
		good: "%30:u32 = atomic_add [%2], %21\n%31:u32 = simd_broadcast_first %30\n%32:u32 = and %31, %20\nstore u32 [%2 + 8], %32 @1\n",
	},
	{
		name: "the same value if an atomic returned something", kind: model.FindingRace,
		bad:  "%30:u32 = atomic_add [%2], %21\n%31:bool = lt u32 %20, %30\nif %31 {\nstore u32 [%2 + 8], %20 @1\n}\n",
		good: "%30:u32 = atomic_add [%2], %21\n%31:bool = lt u32 %20, %30\nif %31 {\n}\nstore u32 [%2 + 8], %20 @1\n",
	},
	{
		name: "the same value unless an atomic made the thread leave", kind: model.FindingRace,
		bad:  "scope 1 {\n%30:u32 = atomic_add [%2], %21\n%31:bool = lt u32 %30, %21\nif %31 {\nleave 1\n}\nstore u32 [%2 + 8], %20 @1\n}\n",
		good: "scope 1 {\n%30:u32 = atomic_add [%2], %21\n%31:bool = lt u32 %30, %21\nif %31 {\nleave 1\n}\n}\nstore u32 [%2 + 8], %20 @1\n",
	},
	{
		name: "neighbours' words with another value", kind: model.FindingRace,
		bad:  zeros + "store u32 [%11 + u32 %6*4], %30 @1\nstore u32 [%11 + u32 %6*4 + 4], %6 @2\n",
		good: zeros + "store u32 [%11 + u32 %6*4], %30 @1\nstore u32 [%11 + u32 %6*4 + 4], %30 @2\n",
	},
	{
		name: "neighbours' words with the same value, and a reader", kind: model.FindingRace,
		bad:  zeros + "store u32 [%11 + u32 %6*4], %30 @1\nstore u32 [%11 + u32 %6*4 + 4], %30 @2\n%31:u32 = load [%11 + u32 %6*4 + 4] @3\n",
		good: zeros + "store u32 [%11 + u32 %6*4], %30 @1\nstore u32 [%11 + u32 %6*4 + 4], %30 @2\nbarrier 2\n%31:u32 = load [%11 + u32 %6*4 + 4] @3\n",
	},
	{
		name: "a byte of a word with another value", kind: model.FindingRace,
		bad:  "%30:u8 = const 1\nstore u32 [%11 + u32 %6*4], %21 @1\nstore u8 [%11 + u32 %6*4 + 5], %30 @2\n",
		good: "%30:u8 = const 1\nstore u32 [%11 + u32 %6*4], %21 @1\nstore u8 [%11 + u32 %6*4 + 4], %30 @2\n",
	},
	{
		// Thread 0 reads, thread 1 reads, thread 0 writes: 1 and 0 disturb one another.
		name: "second reader", kind: model.FindingRace,
		bad: "store u32 [%11 + u32 %6*4], %5\nbarrier 2\n%30:bool = le u32 %6, %21\nif %30 {\n%31:u32 = load [%11] @1\n}\n" +
			"%32:bool = eq u32 %6, %20\nif %32 {\nstore u32 [%11], %5 @2\n}\n",
		good: "store u32 [%11 + u32 %6*4], %5\nbarrier 2\n%32:bool = eq u32 %6, %20\nif %32 {\n%31:u32 = load [%11] @1\nstore u32 [%11], %5 @2\n}\n",

		threads: []int{0, 1}, says: "where thread (1,0,0) reads 4",
	},
	{
		name: "halves of a word", kind: model.FindingRace,
		bad: "%30:u16 = convert from u32 %6\n%32:u32 = shr %6, %21\nstore u16 [%11 + u32 %6*2], %30 @1\n%31:u32 = load [%11 + u32 %32*4] @2\n",
		// Neighbouring bytes are not the same bytes.
		good: "%30:u8 = convert from u32 %6\nstore u8 [%11 + u32 %6*1], %30 @1\n%31:u8 = load [%11 + u32 %6*1] @2\n",
	},
	{
		name: "atomic and plain", kind: model.FindingRace,
		bad:  "atomic_add u32 [%2], %21 @1\n%30:bool = eq u32 %6, %20\nif %30 {\n%31:u32 = load [%2] @2\n}\n",
		good: "atomic_add u32 [%2], %21 @1\n%30:bool = eq u32 %6, %20\nif %30 {\n%31:u32 = atomic_load [%2] @2\n}\n",
		says: "accesses atomically",
	},
	{
		name: "atomic load and plain store", kind: model.FindingRace,
		bad:  "%31:u32 = atomic_load [%2] @1\n%30:bool = eq u32 %6, %20\nif %30 {\nstore u32 [%2], %5 @2\n}\n",
		good: "%31:u32 = atomic_load [%2] @1\n%30:bool = eq u32 %6, %20\nif %30 {\n%32:u32 = load [%2] @2\n}\n",
	},
	{
		name: "two threadgroups, and a barrier inside each", kind: model.FindingRace,
		bad:     "store u32 [%2 + u32 %5*4], %5 @1\nbarrier 1\n%30:u32 = xor %5, %22\n%31:u32 = load [%2 + u32 %30*4] @2\n",
		good:    "store u32 [%2 + u32 %5*4], %5 @1\nbarrier 1\n%30:u32 = xor %5, %21\n%31:u32 = load [%2 + u32 %30*4] @2\n",
		threads: []int{16, 0}, says: "no barrier orders two threadgroups, 1 and 0", group: 16, size: 32,
	},
	{
		name: "two threadgroups write one word", kind: model.FindingRace,
		bad:     "%30:bool = eq u32 %6, %20\nif %30 {\nstore u32 [%2], %7 @1\n}\n",
		good:    "%30:bool = eq u32 %6, %20\nif %30 {\nstore u32 [%2 + u32 %7*4], %7 @1\n}\n",
		threads: []int{8, 0}, group: 8, size: 32,
	},
	{
		name: "one threadgroup reads what a later one writes", kind: model.FindingRace,
		bad:   "%31:u32 = load [%2] @1\n%30:bool = eq u32 %7, %21\n%32:bool = eq u32 %6, %20\n%33:bool = and %30, %32\nif %33 {\nstore u32 [%2], %20 @2\n}\n",
		good:  "%31:u32 = load [%2] @1\n",
		group: 8, size: 32,
		threads: []int{8, 0},
	},
	{
		name: "simdgroup_barrier across simdgroups", kind: model.FindingRace,
		bad:     storeTmp + "%30:u32 = const 32\n%32:u32 = xor %6, %30\nsimd_barrier 2\n%31:u32 = load [%11 + u32 %32*4] @2\n",
		good:    storeTmp + turn + "simd_barrier 2\n" + loadTmp,
		threads: []int{0, 32}, group: 64,
	},
	{
		// Lanes 0 and 1 and then lane 40 read; the barrier orders the first two before lane 2's write, and not lane 40.
		name: "third reader of another simdgroup", kind: model.FindingRace,
		bad: "store u32 [%11 + u32 %6*4], %5\nbarrier 2\n%30:bool = le u32 %6, %21\nif %30 {\n%31:u32 = load [%11] @1\n}\n%24 = const 40\n%30 = eq u32 %6, %24\n" +
			"if %30 {\n%32:u32 = load [%11] @3\n}\nsimd_barrier 2\n%25 = const 2\n%30 = eq u32 %6, %25\nif %30 {\nstore u32 [%11], %5 @2\n}\n",
		good: "store u32 [%11 + u32 %6*4], %5\nbarrier 2\n%30:bool = le u32 %6, %21\nif %30 {\n%31:u32 = load [%11] @1\n}\n" +
			"simd_barrier 2\n%25 = const 2\n%30 = eq u32 %6, %25\nif %30 {\nstore u32 [%11], %5 @2\n}\n",

		threads: []int{2, 40}, group: 64,
	},
	{
		name: "one word of neighbours' words", kind: model.FindingRace,
		bad:     storeTmp + "%30:bool = eq u32 %6, %20\nif %30 {\n%31:u32 = load [%11 + 20] @2\n}\n",
		good:    storeTmp + "%30:bool = eq u32 %6, %20\nif %30 {\n%31:u32 = load [%11] @2\n}\n",
		threads: []int{0, 5},
	},
	{
		name: "neighbours' words after one word", kind: model.FindingRace,
		bad:     "%30:bool = eq u32 %6, %20\nif %30 {\nstore u32 [%11 + 20], %5 @2\n}\n" + storeTmp,
		good:    "%30:bool = eq u32 %6, %20\nif %30 {\nstore u32 [%11], %5 @2\n}\n" + storeTmp,
		threads: []int{5, 0},
	},
	{
		name: "neighbours' words, shifted", kind: model.FindingRace,
		bad:     "%30:u32 = add %6, %21\n" + storeTmp + "store u32 [%11 + u32 %30*4], %5 @2\n",
		good:    "%30:u32 = add %6, %21\n" + storeTmp + "barrier 2\nstore u32 [%11 + u32 %30*4], %5 @2\n",
		threads: []int{0, 1},
	},
	{
		name: "barrier in one branch", kind: model.FindingBarrier,
		bad:     "%30:bool = lt u32 %6, %22\nif %30 @1 {\nbarrier 2 @2\n}\n",
		good:    "%30:bool = lt u32 %7, %22\nif %30 @1 {\nbarrier 2 @2\n}\n",
		threads: []int{0, 16}, says: "thread (16,0,0) does not reach: that one takes the other way at the if at k.metal:1:1",
	},
	{
		name: "barriers in both branches", kind: model.FindingBarrier,
		bad:     "%30:bool = lt u32 %6, %22\nif %30 @1 {\nbarrier 2 @2\n} else {\nbarrier 2 @3\n}\n",
		good:    "%30:bool = lt u32 %7, %22\nif %30 @1 {\nbarrier 2 @2\n} else {\nbarrier 2 @3\n}\n",
		threads: []int{0, 16},
	},
	{
		name: "barrier in a loop whose lanes leave one by one", kind: model.FindingBarrier,
		bad:  "%30:u32 = mov %20\nloop 1 @1 {\n%31:bool = lt u32 %6, %30\nif %31 {\nleave 1 @2\n}\nbarrier 2 @3\n%30 = add %30, %22\n%32:bool = lt u32 %22, %30\nif %32 {\nleave 1 @4\n}\n}\n",
		good: "%30:u32 = mov %20\nloop 1 @1 {\n%31:bool = lt u32 %22, %30\nif %31 {\nleave 1 @2\n}\nbarrier 2 @3\n%30 = add %30, %22\n}\n",

		threads: []int{16, 0}, says: "has left the loop or block at k.metal:2:1",
	},
	{
		name: "early return", kind: model.FindingBarrier,
		bad:     "%30:bool = le u32 %22, %6\nif %30 {\nleave 0 @1\n}\nbarrier 2 @2\n",
		good:    "%30:bool = le u32 %22, %6\nbarrier 2 @2\nif %30 {\nleave 0 @1\n}\n",
		threads: []int{0, 16}, says: "warning: thread (16,0,0) returned before, at k.metal:1:1",
	},
	{
		name: "simdgroup_barrier in part of a simdgroup", kind: model.FindingBarrier,
		bad:  "%30:bool = lt u32 %6, %22\nif %30 @1 {\nsimd_barrier 2 @2\n}\n",
		good: "%31:u32 = const 32\n%30:bool = lt u32 %6, %31\nif %30 @1 {\nsimd_barrier 2 @2\n}\n", group: 64,
		threads: []int{0, 16}, says: "of its simdgroup",
	},
	{
		name: "shuffle from a lane that is not active", kind: model.FindingInactiveLane,
		bad:     "%30:bool = lt u32 %6, %22\n%31:u16 = const 8\nif %30 {\n%32:u32 = simd_shuffle_down %6, %31 @1\nstore u32 [%2 + u32 %5*4], %32 @2\n}\n",
		good:    "%30:bool = lt u32 %6, %22\n%31:u16 = const 8\nif %30 {\n%32:u32 = simd_shuffle_down %6, %31 @1\n%34:u32 = add %32, %32\n}\n",
		threads: []int{8}, says: "depends on what simd_shuffle_down at k.metal:1:1 took from a lane that was not active",
	},
	{
		name: "shuffle beyond the last simdgroup's end", kind: model.FindingInactiveLane,
		bad:   "%31:u16 = const 8\n%32:u32 = simd_shuffle_down %6, %31 @1\n%33:u32 = mul %32, %6\n%34:bool = lt u32 %33, %22\nif %34 @2 {\n}\n",
		good:  "%32:u32 = simd_sum %6 @1\n%34:bool = lt u32 %32, %22\nif %34 {\n}\n",
		group: 40, threads: []int{32}, says: "simd_shuffle_down at k.metal:1:1",
	},
	{
		name: "shuffle from a lane that no simdgroup has", kind: model.FindingInactiveLane,
		bad:  "%31:u16 = const 40\n%32:u32 = simd_shuffle %6, %31 @1\n%33:u32 = load [%1 + u32 %32*4] @2\n",
		good: "%31:u16 = const 30\n%32:u32 = simd_shuffle %6, %31 @1\n%33:u32 = add %32, %5\nstore u32 [%2 + u32 %5*4], %33\n",
		says: "simd_shuffle at k.metal:1:1",
	},
	{
		name: "threadgroup memory that nobody wrote", kind: model.FindingUninitialised,
		bad:     turn + loadTmp + "%33:u32 = add %31, %21 @3\n" + keep33,
		good:    storeTmp + "%31:u32 = load [%11 + u32 %6*4] @2\n%33:u32 = add %31, %21 @3\n" + keep33,
		threads: []int{0}, says: "uses a value that depends on byte 124 of threadgroup tmp, which was never written when it was read at k.metal:2:1",
	},
	{
		name: "threadgroup memory that nobody wrote, in a branch", kind: model.FindingUninitialised,
		bad:     turn + loadTmp + "%33:bool = lt u32 %31, %22\nif %33 @4 {\nstore u32 [%2 + u32 %5*4], %5\n}\n",
		good:    turn + loadTmp + "%33:u32 = mul %31, %22\nstore u32 [%11 + u32 %6*4 + 128], %33\n",
		threads: []int{0}, says: "depends on byte 124 of threadgroup tmp",
	},
	{
		name: "threadgroup memory that nobody wrote, in an address", kind: model.FindingUninitialised,
		bad:     turn + loadTmp + "%33:u32 = and %31, %22\n%24:u32 = load [%2 + u32 %33*4] @4\n",
		good:    turn + loadTmp + "%33:u32 = and %31, %22\n",
		threads: []int{0}, says: "depends on byte 124 of threadgroup tmp",
	},
	{
		name: "thread memory that nobody wrote", kind: model.FindingUninitialised,
		bad:     "store u32 [%12], %5\n%31:u32 = load [%12 + u32 %6*4] @2\n%33:u32 = add %31, %21 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		good:    "store u32 [%12 + u32 %6*4], %5\n%31:u32 = load [%12 + u32 %6*4] @2\n%33:u32 = add %31, %21 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		threads: []int{1}, says: "of thread own",
	},
	{
		name: "thread memory written in part", kind: model.FindingUninitialised,
		bad:     "%30:u8 = const 1\nstore u8 [%12 + 1], %30\n%31:u16 = load [%12] @2\n%33:bool = eq u16 %31, %31 @3\nstore bool [%2 + u32 %5*4], %33 @4\n",
		good:    "%30:u8 = const 1\nstore u8 [%12], %30\nstore u8 [%12 + 1], %30\n%31:u16 = load [%12] @2\n%33:bool = eq u16 %31, %31 @3\nstore bool [%2 + u32 %5*4], %33 @4\n",
		threads: []int{0}, says: "byte 0 of thread own, which was never written",
	},
	{
		name: "device memory that nobody wrote", kind: model.FindingUninitialised,
		bad:     "%31:u32 = load [%1 + u32 %5*4] @2\n%33:u32 = add %31, %21 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		good:    "store u32 [%1 + u32 %5*4], %5\n%31:u32 = load [%1 + u32 %5*4] @2\n%33:u32 = add %31, %21 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		threads: []int{0}, says: "of device fresh (label)",
	},
	{
		name: "copy of a part that nobody wrote, used", kind: model.FindingUninitialised,
		// Two words of which the first was written are copied twice, in thread and in threadgroup memory.
		bad:     copies + "%33:u32 = load [%11 + u32 %6*4 + 128] @2\n%33 = add %33, %33 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		good:    copies + "%33:u32 = load [%11 + u32 %6*4] @2\n%32:u32 = add %33, %33 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		threads: []int{0}, says: "depends on byte 4 of thread own, which was never written",
	},
	{
		name: "copy used in one branch", kind: model.FindingUninitialised,
		bad:     "%31:u32 = load [%12] @2\n%32:bool = lt u32 %6, %22\nif %32 {\n%33:u32 = add %31, %31 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n}\n",
		good:    "%31:u32 = load [%12] @2\n%32:bool = lt u32 %23, %6\nif %32 {\n%33:u32 = add %31, %31 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n}\n",
		threads: []int{0}, says: "depends on byte 0 of thread own",
	},
	{
		name: "copy that comes to device memory", kind: model.FindingUninitialised,
		bad:     copies + "%33:u32 = load [%12 + 12] @2\n%32:ptr = ptr_add [%2 + u32 %5*4]\nstore u32 [%32], %33 @3\n",
		good:    copies + "%33:u32 = load [%12 + 8] @2\n%32:ptr = ptr_add [%2 + u32 %5*4]\nstore u32 [%32], %33 @3\n",
		threads: []int{0}, says: "depends on byte 4 of thread own",
	},
	{
		name: "choice written over what it chooses from", kind: model.FindingUninitialised,
		bad:     "%32:bool = lt u32 %6, %22\n%31:u32 = load [%12] @2\n%31 = select %32, %5, %31\n%33:u32 = add %31, %31 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		good:    "%32:bool = le u32 %6, %23\n%31:u32 = load [%12] @2\n%31 = select %32, %5, %31\n%33:u32 = add %31, %31 @3\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		threads: []int{16}, says: "depends on byte 0 of thread own",
	},
	{
		name: "copy of some bytes of a word", kind: model.FindingUninitialised,
		bad:     bytesOf + "%31:u8 = load [%12 + 7] @2\n%32:u8 = add %31, %31 @3\nstore u8 [%2 + u32 %5*4], %32 @4\n",
		good:    bytesOf + "%31:u8 = load [%12 + 5] @2\n%32:u8 = add %31, %31 @3\nstore u8 [%2 + u32 %5*4], %32 @4\n",
		threads: []int{0}, says: "depends on byte 2 of thread own",
	},
	{
		name: "variable without a value", kind: model.FindingUninitialised,
		bad:  "%30:u32 = undef\n%32:bool = lt u32 %6, %22\nif %32 {\n%30 = mov %5\n}\n%31:u32 = mov %30\n%33:u32 = add %31, %21 @2\nstore u32 [%2 + u32 %5*4], %33 @4\n",
		good: "%30:u32 = undef\n%32:bool = lt u32 %6, %22\nif %32 {\n%30 = mov %5\n}\n%31:u32 = mov %30\nif %32 {\n%33:u32 = add %31, %21 @2\nstore u32 [%2 + u32 %5*4], %33 @4\n}\n",

		threads: []int{16}, says: "has no value",
	},
	{
		name: "variable that a turn of the loop leaves without a value", kind: model.FindingUninitialised,
		bad:  "%30:u32 = undef\n%31:u32 = mov %20\n%32:u32 = mov %20\nloop 1 {\n%24 = add %31, %21 @2\nstore u32 [%2 + u32 %5*4], %24 @4\n%31 = mov %30\n%32 = add %32, %21\n%33:bool = lt u32 %21, %32\nif %33 {\nleave 1\n}\n}\n",
		good: "%30:u32 = undef\n%31:u32 = mov %20\n%32:u32 = mov %20\nloop 1 {\n%24 = add %31, %21 @2\nstore u32 [%2 + u32 %5*4], %24 @4\n%30 = mov %5\n%31 = mov %30\n%32 = add %32, %21\n%33:bool = lt u32 %21, %32\nif %33 {\nleave 1\n}\n}\n",
	},
	{
		name: "position that is written over", kind: model.FindingUninitialised,
		bad:  "%31:bool = lt u32 %6, %22\nif %31 {\n%7 = undef\n}\n%30:u32 = add %7, %21 @1\nstore u32 [%2 + u32 %6*4], %30 @4\n",
		good: "%31:bool = lt u32 %6, %22\nif %31 {\n%30:u32 = add %7, %21 @1\nstore u32 [%2 + u32 %6*4], %30 @4\n%7 = undef\n}\n", threads: []int{0},
	},
	{
		name: "atomic on memory that nobody wrote", kind: model.FindingUninitialised,
		// The first threadgroup takes its time, so that with several workers another one comes before it.
		bad:  "%30:bool = eq u32 %7, %20\n%24 = const 50000\n%31:u32 = mov %20\nif %30 {\nloop 1 {\n%31 = add %31, %21\n%32:bool = lt u32 %24, %31\nif %32 {\nleave 1\n}\n}\n}\natomic_add u32 [%1], %21 @1\n",
		good: "atomic_add u32 [%2], %21 @1\n", threads: []int{0}, group: 1, size: 300,
	},
	{
		name: "read past the end", kind: model.FindingOutOfBounds,
		bad:     "%31:u32 = load [%2 + u32 %5*4 + 132] @2\n",
		good:    "%31:u32 = load [%2 + u32 %5*4 + 128] @2\n",
		threads: []int{31}, says: "reads 4 bytes at byte 256 of device x, which has 256",
	},
	{
		name: "write before the start", kind: model.FindingOutOfBounds,
		bad:     "store u32 [%2 + u32 %5*4 - 4], %5 @2\n",
		good:    "store u32 [%2 + u32 %5*4], %5 @2\n",
		threads: []int{0}, says: "at byte -4",
	},
	{
		name: "threadgroup memory past its end", kind: model.FindingOutOfBounds,
		bad: "store u32 [%11 + u32 %5*12], %5 @2\n", good: "store u32 [%11 + u32 %5*8], %5 @2\n",
		threads: []int{22}, says: "of threadgroup tmp",
	},
	{
		name: "thread memory past its end", kind: model.FindingOutOfBounds,
		bad: "store u32 [%12 + 256], %5 @2\n", good: "store u32 [%12 + 252], %5 @2\n",
		threads: []int{0}, says: "of thread own",
	},
	{
		name: "null pointer", kind: model.FindingOutOfBounds,
		bad: "%31:u32 = load [%4] @2\n", good: "%31:u32 = load [%2] @2\n", says: "null pointer",
	},
	{
		name: "constant memory written", kind: model.FindingOutOfBounds,
		bad: "store u32 [%3 + u32 %5*4], %5 @2\n", good: "%31:u32 = load [%3 + u32 %5*4] @2\n", says: "never to be written",
	},
	{
		name: "misaligned", kind: model.FindingMisaligned,
		bad:     "%31:u32 = load [%2 + u32 %5*2] @2\n",
		good:    "%31:u32 = load [%2 + u32 %5*2] align=2 @2\n",
		threads: []int{1}, says: "multiple of 4 is needed",
	},
	{
		name: "a vector's alignment", kind: model.FindingMisaligned,
		bad:     "%31:u32 = load [%2 + u32 %5*4] align=8 @2\n",
		good:    "%31:u32 = load [%2 + u32 %5*8] align=8 @2\n",
		threads: []int{1},
	},
	{
		name: "division by zero", kind: model.FindingInteger,
		bad:     "%31:u32 = div %21, %5 @2\n",
		good:    "%30:u32 = add %5, %21\n%31:u32 = div %21, %30 @2\n",
		threads: []int{0}, says: "division by zero",
	},
	{
		name: "division by zero in a branch that is not taken", kind: model.FindingInteger,
		bad:  "%31:u32 = div %21, %20 @2\n",
		good: "%30:bool = lt u32 %5, %20\nif %30 {\n%31:u32 = div %21, %20 @2\n}\n",
	},
	{
		name: "signed overflow, and a shift as wide as the type", kind: model.FindingInteger,
		bad:  "%30:i32 = const -2147483648\n%31:i32 = neg %30 @2\n",
		good: "%30:u32 = const 32\n%31:u32 = shl %5, %30 @2\n%32:i32 = const -1\n%33:i32 = shr %32, %32 @2\n",
	},
	{
		name: "signed overflow", kind: model.FindingInteger,
		bad:     "%30:i32 = const 0x7fffffe1\n%31:i32 = bitcast from u32 %5\n%32:i32 = add %30, %31 @2\n",
		good:    "%30:i32 = const 0x7fffffe0\n%31:i32 = bitcast from u32 %5\n%32:i32 = add %30, %31 @2\n",
		threads: []int{31}, says: "signed overflow in add of type i32",
	},
	{
		name: "float that no integer holds", kind: model.FindingInteger,
		bad:     "%30:f32 = convert from u32 %5\n%31:f32 = const 1e9\n%32:f32 = mul %30, %31\n%33:i32 = convert from f32 %32 @2\n",
		good:    "%30:f32 = convert from u32 %5\n%31:f32 = const 1e7\n%32:f32 = mul %30, %31\n%33:i32 = convert from f32 %32 @2\n",
		threads: []int{3},
	},
	{
		name: "endless loop", kind: model.FindingSteps,
		bad:     "loop 1 @1 {\n%30:u32 = add %5, %21 @2\n}\n",
		good:    "loop 1 @1 {\n%30:u32 = add %5, %21 @2\nleave 1\n}\n",
		threads: []int{0}, says: "stopped after 1048576 instructions",
	},
	{
		name: "endless loop without instructions", kind: model.FindingSteps,
		bad:  "loop 1 @1 {\n}\n",
		good: "loop 1 @1 {\nleave 1\n}\n",
	},
}

// TestFaults: each fault is found, at its place and with its threads, and its twin has none.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			group := f.group
			if group == 0 {
				group = 32
			}
			size := max(f.size, group)
			list := findings(t, f.bad, size, group)
			require.NotEmpty(t, list)
			for _, x := range list {
				require.Equal(t, f.kind, x.Kind, "%s", x)
			}
			x := list[0]
			require.Equal(t, "k", x.Kernel)
			require.NotEmpty(t, x.Pos.File, "%s", x)
			require.Contains(t, x.Text, f.says)
			if f.threads != nil {
				var got []int
				for _, s := range x.Threads {
					require.Zero(t, s.Y+s.Z)
					got = append(got, s.X)
				}
				require.Equal(t, f.threads, got, "%s", x)
			}
			if f.kind == model.FindingRace {
				require.NotEmpty(t, x.Other.File, "%s", x)
				require.NotEmpty(t, x.Buffer)
				require.GreaterOrEqual(t, x.Index, int64(0))
			}
			require.Empty(t, findings(t, f.good, size, group), "the twin without the fault")
		})
	}
}

// TestUndefinedInSeveralLanes: a use of a value that is undefined in several lanes is a finding for each origin that it has in one of them. Of two
// threads, the first gets what the second read and nobody wrote, and the second takes from a lane that is not active.
func TestUndefinedInSeveralLanes(t *testing.T) {
	const value = "%30:u32 = load [%11 + u32 %6*4] @1\n%24:u16 = const 1\n%31:u32 = simd_shuffle_down %30, %24 @2\n"
	for name, use := range map[string]string{
		"address": "%33:u32 = load [%2 + u32 %31*4] @3\n",
		"atomic":  "atomic_add u32 [%2], %31 @3\n",
		"branch":  "%33:bool = eq u32 %31, %20\nif %33 @3 {\n}\n",
		"lane":    "%25:u16 = convert from u32 %31\n%33:u32 = simd_shuffle %6, %25 @3\n",
		"store":   "store u32 [%2 + u32 %6*4], %31 @3\n",
	} {
		t.Run(name, func(t *testing.T) {
			list := findings(t, value+use, 2, 2)
			require.Len(t, list, 2)
			for i, kind := range []model.FindingKind{model.FindingUninitialised, model.FindingInactiveLane} {
				require.Equal(t, kind, list[i].Kind, "%s", list)
				require.Equal(t, 3, list[i].Pos.Line, "%s", list)
				require.Equal(t, i+1, list[i].Other.Line, "%s", list)
				require.Equal(t, []model.Size3{{X: i}}, list[i].Threads, "%s", list)
			}
		})
	}
}

// TestAliases: buffers that lie in one Memory are one memory to races, at whatever offset they begin.
func TestAliases(t *testing.T) {
	for _, text := range []string{
		"%30:u64 = const 1\n%31:bool = eq u32 %6, %20\nif %31 {\nstore u64 [%1 + 4], %30 @1\n}\n%31 = eq u32 %6, %21\nif %31 {\n%32:u64 = load [%2 + 8] @2\n}\n",
		"%31:bool = eq u32 %6, %20\nif %31 {\nstore u32 [%1 + 4], %20 @1\n}\n%31 = eq u32 %6, %21\nif %31 {\n%32:u32 = load [%3 + 8] @2\n}\n",
	} {
		p := parsed(t, kernelText(text))
		m := known(make([]byte, 64))
		d := &engine.Dispatch{
			Grid: model.Size3{X: 2, Y: 1, Z: 1}, Group: model.Size3{X: 2, Y: 1, Z: 1},
			Args: []engine.Arg{{Mem: m, Offset: 4}, {Mem: m}, {Mem: m}, {}},
		}
		res, err := p.Run(d, engine.Options{Checks: true})
		require.NoError(t, err)
		require.Len(t, res.Findings, 1)
		require.Equal(t, model.FindingRace, res.Findings[0].Kind)
		d.Args[0].Offset = 12
		res, err = p.Run(d, engine.Options{Checks: true})
		require.NoError(t, err)
		require.Empty(t, res.Findings)
	}
}

// TestConstants: what follows from constants is there in the first threadgroup, though some of it is computed in its place for the
// sake of checks.
func TestConstants(t *testing.T) {
	p := parsed(t, kernelText("%30:i32 = const 7\n%31:i32 = add %30, %30\n%32:u32 = bitcast from i32 %31\n%33:u32 = mul %32, %22\nstore u32 [%2 + u32 %5*4], %33\n"))
	for _, checks := range []bool{true, false} {
		d := &engine.Dispatch{Grid: model.Size3{X: 4, Y: 1, Z: 1}, Group: model.Size3{X: 2, Y: 1, Z: 1}, Args: bound()}
		_, err := p.Run(d, engine.Options{Checks: checks, Workers: 1})
		require.NoError(t, err)
		require.Equal(t, words32(224, 224, 224, 224), d.Args[1].Mem.Bytes[:16])
	}
}

// TestStoppedRun: a run that is stopped leaves the program usable.
func TestStoppedRun(t *testing.T) {
	p := parsed(t, kernelText("loop 1 @1 {\n%30:bool = lt u32 %7, %20\n%31:u32 = load [%2] @2\n%32:bool = ne u32 %31, %20\nif %32 {\nleave 1\n}\n}\nstore u32 [%2 + u32 %5*4 + 4], %5\n"))
	for _, checks := range []bool{false, true} {
		for _, workers := range []int{1, 3} {
			d := &engine.Dispatch{Grid: model.Size3{X: 40, Y: 1, Z: 1}, Group: model.Size3{X: 8, Y: 1, Z: 1}, Args: bound()}
			o := engine.Options{Checks: checks, Workers: workers, Steps: 10000}
			res, err := p.Run(d, o)
			require.NoError(t, err)
			require.Equal(t, model.FindingSteps, res.Findings[0].Kind, "without checks too")
			d.Args[1].Mem.Bytes[0] = 1
			res, err = p.Run(d, o)
			require.NoError(t, err)
			require.Empty(t, res.Findings)
			require.Equal(t, words32(39), d.Args[1].Mem.Bytes[160:164])
		}
	}
}

// TestLaunches: launches that cannot run are errors that say why.
func TestLaunches(t *testing.T) {
	p := parsed(t, kernelText("store u32 [%2 + u32 %5*4], %5\n"))
	one := model.Size3{X: 1, Y: 1, Z: 1}
	huge := model.Size3{X: 1 << 62, Y: 1 << 62, Z: 1}
	for _, c := range []struct {
		d    *engine.Dispatch
		o    engine.Options
		says string
	}{
		{nil, engine.Options{}, "no dispatch"},
		{&engine.Dispatch{Group: one, Args: bound()}, engine.Options{}, "a grid of 0·0·0 threads"},
		{&engine.Dispatch{Grid: one, Group: model.Size3{X: -1, Y: 1, Z: 1}, Args: bound()}, engine.Options{}, "a threadgroup of -1"},
		{&engine.Dispatch{Grid: huge, Group: one, Args: bound()}, engine.Options{}, "has to be from 1 to"},
		{&engine.Dispatch{Grid: model.Size3{X: 1 << 32, Y: 1 << 32, Z: 1 << 32}, Group: one, Args: bound()}, engine.Options{}, "threadgroups cannot run"},
		{&engine.Dispatch{Grid: one, Group: model.Size3{X: 1 << 20, Y: 1 << 30, Z: 1 << 20}, Args: bound()}, engine.Options{}, "at most 4096"},
		{&engine.Dispatch{Grid: one, Group: one}, engine.Options{}, "0 arguments are bound"},
		{&engine.Dispatch{Grid: one, Group: one, Args: make([]engine.Arg, 4)}, engine.Options{}, "buffer fresh (index 0) is not bound"},
		{&engine.Dispatch{Grid: one, Group: one, Args: append([]engine.Arg{{Mem: &engine.Memory{}, Offset: 1}}, bound()[1:]...)}, engine.Options{}, "at byte 1 of 0"},
		{&engine.Dispatch{Grid: one, Group: one, Args: append([]engine.Arg{{Mem: &engine.Memory{Bytes: make([]byte, 4), Init: make([]byte, 3)}}}, bound()[1:]...)}, engine.Options{}, "Init speaks of 3"},
		{&engine.Dispatch{Grid: one, Group: one, Args: bound()}, engine.Options{SIMDWidth: 65}, "1 to 64 lanes"},
		{&engine.Dispatch{Grid: one, Group: one, Args: bound()}, engine.Options{Behaviour: model.Behaviour{Rounding: model.TowardZero}}, "adversarial engine"},
		{&engine.Dispatch{Grid: one, Group: one, Args: bound()}, engine.Options{Behaviour: model.Behaviour{Order: "reverse"}}, "adversarial engine"},
		{&engine.Dispatch{Grid: one, Group: one, Args: bound()}, engine.Options{Behaviour: model.Behaviour{Poison: true}}, "adversarial engine"},
	} {
		_, err := p.Run(c.d, c.o)
		require.ErrorContains(t, err, c.says)
	}
	big := parsed(t, strings.Replace(kernelText("store u32 [%12], %5\n"), `object "own" thread size=256`, `object "own" thread size=8388608`, 1))
	_, err := big.Run(&engine.Dispatch{Grid: one, Group: model.Size3{X: 1024, Y: 1, Z: 1}, Args: bound()}, engine.Options{})
	require.ErrorContains(t, err, "for thread memory")
	_, err = fast.Compile(&ir.Kernel{})
	require.Error(t, err)
}

// TestDeepNesting: blocks in blocks as deep as Verify lets them be run in bounded memory.
func TestDeepNesting(t *testing.T) {
	body := ir.Block{&ir.Instr{Op: ir.Add, Type: ir.U32, Dst: 1, A: 1, B: 3}}
	for label := int32(1); depthOf(body) < ir.MaxDepth-3; label++ {
		body = ir.Block{
			&ir.Instr{Op: ir.Lt, Type: ir.U32, Dst: 2, A: 3, B: 1},
			&ir.If{Cond: 2, Then: body},
		}
		if label%3 == 0 {
			body = ir.Block{&ir.Loop{Label: label, Body: append(body, &ir.Leave{Label: label})}}
		}
	}
	k := &ir.Kernel{Name: "deep", Regs: []ir.Type{0, ir.U32, ir.Bool, ir.U32}, Inputs: []ir.Input{{Kind: ir.ThreadPositionInGrid, Reg: 1}, {Kind: ir.ThreadIndexInSimdgroup, Reg: 3}}, Body: body}
	p, err := fast.Compile(k)
	require.NoError(t, err)
	res, err := p.Run(&engine.Dispatch{Grid: model.Size3{X: 2000, Y: 1, Z: 1}, Group: model.Size3{X: 1024, Y: 1, Z: 1}}, engine.Options{Checks: true})
	require.NoError(t, err)
	require.Empty(t, res.Findings)
	require.Positive(t, res.Steps)
}

func depthOf(b ir.Block) int {
	d := 0
	for _, n := range b {
		switch n := n.(type) {
		case *ir.If:
			d = max(d, 1+depthOf(n.Then), 1+depthOf(n.Else))
		case *ir.Loop:
			d = max(d, 1+depthOf(n.Body))
		}
	}
	return d
}
