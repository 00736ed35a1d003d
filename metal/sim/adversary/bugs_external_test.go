package adversary_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// warpSum is the last step of a sum that trusts the threads of a simdgroup to run in lockstep: s[t] += s[t+2]; s[t] += s[t+1],
// by two threads, without a barrier. Guarded, only thread 0 does the second step.
func warpSum(guarded bool) *ir.Kernel {
	b := ir.NewBuilder("warp_sum")
	out := b.Buffer("out", 0, ir.Device, 4)
	x := b.Buffer("x", 1, ir.Device, 4)
	t := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	s := b.Object(ir.Object{Name: "s", Space: ir.Threadgroup, Size: 16, Align: 4, Elem: 4})
	b.Store(ir.U32, s, t, 4, 0, b.Load(ir.U32, x, t, 4, 0))
	b.Store(ir.U32, s, t, 4, 8, b.Load(ir.U32, x, t, 4, 8))
	b.Barrier(2)
	add := func(stride int64) {
		a := b.Load(ir.U32, s, t, 4, 0)
		b.Store(ir.U32, s, t, 4, 0, b.Op(ir.Add, ir.U32, a, b.Load(ir.U32, s, t, 4, 4*stride)))
	}
	add(2)
	first := b.Op(ir.Eq, ir.U32, t, b.Int(ir.U32, 0))
	if guarded {
		b.If(first, func() { add(1) }, nil)
	} else {
		add(1)
	}
	b.If(first, func() { b.Store(ir.U32, out, 0, 0, 0, b.Load(ir.U32, s, 0, 0, 0)) }, nil)
	return b.Kernel()
}

// Report B11 of the log of bugs.
func TestWarpSynchronousSumHasExactlyTheseOutcomes(t *testing.T) {
	args := []engine.Arg{{Mem: words(0)}, {Mem: words(1, 2, 4, 8)}}
	require.Equal(t, []string{"[15]", "[19]", "[7]"}, outcomes(t, warpSum(false), "accesses", 1, 2, args...))
	require.Equal(t, []string{"[15]", "[7]"}, outcomes(t, warpSum(true), "accesses", 1, 2, args...))
	require.Equal(t, []string{"[19]", "[7]"}, outcomes(t, warpSum(false), "stages", 1, 2, args...))
}

// logSumExp computes log(Σ exp(x)) of one value a thread: the maximum over a shared buffer, then the sum over the same one, without
// a barrier between what is read of the first and written of the second unless repaired.
func logSumExp(repaired bool) *ir.Kernel {
	b := ir.NewBuilder("logsumexp")
	out := b.Buffer("out", 0, ir.Device, 4)
	x := b.Buffer("x", 1, ir.Device, 4)
	t := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	s := b.Object(ir.Object{Name: "shared", Space: ir.Threadgroup, Size: 8, Align: 4, Elem: 4})
	v := b.Load(ir.F32, x, t, 4, 0)
	b.Store(ir.F32, s, t, 4, 0, v)
	b.Barrier(2)
	m := b.Op(ir.Max, ir.F32, b.Load(ir.F32, s, 0, 0, 0), b.Load(ir.F32, s, 0, 0, 4))
	if repaired {
		b.Barrier(2)
	}
	b.Store(ir.F32, s, t, 4, 0, b.Op(ir.Exp, ir.F32, b.Op(ir.Sub, ir.F32, v, m)))
	b.Barrier(2)
	sum := b.Op(ir.Add, ir.F32, b.Load(ir.F32, s, 0, 0, 0), b.Load(ir.F32, s, 0, 0, 4))
	b.Store(ir.F32, out, t, 4, 0, b.Op(ir.Add, ir.F32, m, b.Op(ir.Log, ir.F32, sum)))
	return b.Kernel()
}

// Report B07.
func TestReusedSlotHasExactlyTheseOutcomes(t *testing.T) {
	args := []engine.Arg{{Mem: words(0, 0)}, {Mem: words(math.Float32bits(100), 0)}}
	right := "[1120403456 1120403456]" // 100 and 100
	// Thread 0 computes with the second sum 1+1/e: 100+log(1+1/e); thread 1 takes the first sum, 1, for the maximum.
	wrong := fmt.Sprintf("[%d %d]", math.Float32bits(100.31326), math.Float32bits(1.3132616875)) // the report says 1.3132617
	for _, order := range []string{"stages", "accesses"} {
		got := outcomes(t, logSumExp(false), order, 1, 2, args...)
		require.Len(t, got, 2)
		require.Equal(t, []string{right, wrong}, got, order)
		require.Equal(t, []string{right}, outcomes(t, logSumExp(true), order, 1, 2, args...), order)
	}
}

// lostUpdate counts without atomics; with them every thread counts. The counter is named by a pointer that was computed.
func lostUpdate(atomic bool) *ir.Kernel {
	b := ir.NewBuilder("count")
	n := b.Reg(ir.Ptr)
	b.Memory(ir.Instr{Op: ir.PtrAdd, A: b.Buffer("n", 0, ir.Device, 4), Dst: n})
	one := b.Int(ir.U32, 1)
	if atomic {
		b.Memory(ir.Instr{Op: ir.AtomicAdd, Type: ir.U32, A: n, C: one})
	} else {
		b.Store(ir.U32, n, 0, 0, 0, b.Op(ir.Add, ir.U32, b.Load(ir.U32, n, 0, 0, 0), one))
	}
	return b.Kernel()
}

func TestLostUpdates(t *testing.T) {
	require.Equal(t, []string{"[1]", "[2]", "[3]"}, outcomes(t, lostUpdate(false), "accesses", 3, 1, engine.Arg{Mem: words(0)}))
	require.Equal(t, []string{"[3]"}, outcomes(t, lostUpdate(false), "stages", 3, 1, engine.Arg{Mem: words(0)}))
	require.Equal(t, []string{"[6]"}, outcomes(t, lostUpdate(true), "accesses", 3, 2, engine.Arg{Mem: words(0)}))
}

// casLoop counts with a loop of weak compare-and-exchanges, or with one that believes the first failure.
func casLoop(again bool) *ir.Kernel {
	b := ir.NewBuilder("cas")
	n := b.Buffer("n", 0, ir.Device, 4)
	one := b.Int(ir.U32, 1)
	b.Loop(func(label int32) {
		old, was, ok := b.Reg(ir.U32), b.Reg(ir.U32), b.Reg(ir.Bool)
		b.Memory(ir.Instr{Op: ir.AtomicLoad, Type: ir.U32, A: n, Dst: old})
		b.Memory(ir.Instr{Op: ir.AtomicCAS, Type: ir.U32, A: n, C: b.Op(ir.Add, ir.U32, old, one), D: old, Dst: was, Dst2: ok})
		if again {
			b.If(ok, func() { b.Leave(label) }, nil)
		} else {
			b.Leave(label)
		}
	})
	return b.Kernel()
}

func TestWeakExchangeMayFail(t *testing.T) {
	require.Equal(t, []string{"[2]"}, outcomes(t, casLoop(true), "accesses", 2, 1, engine.Arg{Mem: words(0)}))
	require.Equal(t, []string{"[0]", "[1]", "[2]"}, outcomes(t, casLoop(false), "accesses", 2, 1, engine.Arg{Mem: words(0)}))
	require.Equal(t, []string{"[2]"}, outcomes(t, casLoop(false), "stages", 2, 1, engine.Arg{Mem: words(0)}))
}
