package msl_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/reference"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/metal/sim/symbolic"
	"gamma/model"
)

// onThreads is the number of threads that run each operation: one simdgroup, since shuffles read all of it.
const onThreads = 32

// TestEveryOperationHasEveryEngineAndPrinter runs every operation of the table, on every type that the table allows, on every engine, which all have
// to give what the reference interpreter gives, and prints it in every dialect: a line of the table without an entry somewhere fails here.
func TestEveryOperationHasEveryEngineAndPrinter(t *testing.T) {
	for op := range ir.Op(ir.NumOps) {
		for _, typ := range orVoid(ir.Ops[op].Types) {
			for _, from := range orVoid(ir.Ops[op].From) {
				in := &ir.Instr{Op: op, Type: typ, From: from}
				if ir.Ops[op].Address {
					in.Scale = 1
				}
				k := around(in)
				if ir.Verify(k) != nil {
					require.True(t, op == ir.Bitcast || op == ir.Convert, "%s: %v", op, ir.Verify(k)) // sizes that differ, and floats of pointers
					continue
				}
				everyEngine(t, k)
				for _, d := range []emit.Dialect{emit.CUDA, emit.OpenCL} {
					var refusal *metal.Refusal
					if _, err := emit.Print(k, emit.Options{Dialect: d}); err != nil {
						require.ErrorAs(t, err, &refusal)
						require.NotContains(t, err.Error(), "is not printed", "%s", k)
					}
				}
			}
		}
	}
}

// TestEveryInputHasEveryEngineAndPrinter does the same with what threads are told, at the edge of a grid.
func TestEveryInputHasEveryEngineAndPrinter(t *testing.T) {
	for kind := range ir.InputKind(ir.NumInputs) {
		for axis := range 3 {
			if axis > 0 && !kind.HasAxes() {
				continue
			}
			b := ir.NewBuilder("input")
			out := b.Buffer("out", 0, ir.Device, 4)
			i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
			g := b.Input(ir.ThreadgroupPositionInGrid, 0, ir.U32)
			v := b.Input(kind, axis, ir.U32)
			at := b.Op(ir.Add, ir.U32, i, b.Op(ir.Mul, ir.U32, g, b.Const(ir.U32, 12)))
			b.Store(ir.U32, out, at, 4, 0, v)
			everyEngineOn(t, b.Kernel(), model.Size3{X: 6, Y: 2, Z: 2}, model.Size3{X: 3, Y: 2, Z: 2}, 96)
			_, err := emit.Print(b.Kernel(), emit.Options{Dialect: emit.CUDA})
			require.NoError(t, err, "%s", kind)
			var refusal *metal.Refusal
			_, err = emit.Print(b.Kernel(), emit.Options{Dialect: emit.OpenCL})
			require.True(t, err == nil || errors.As(err, &refusal), "%s: %v", kind, err)
		}
	}
}

func orVoid(s ir.TypeSet) []ir.Type {
	if s == 0 {
		return []ir.Type{ir.Void}
	}
	return s.Types()
}

// around returns a kernel in which each thread gives in ones as operands, and stores its results.
func around(in *ir.Instr) *ir.Kernel {
	info := ir.Ops[in.Op]
	k := &ir.Kernel{
		Name: "operation", Regs: []ir.Type{ir.Void, ir.Ptr, ir.U32, ir.Ptr},
		Buffers: []ir.Buffer{{Name: "out", Space: ir.Device, Reg: 1, Elem: 8, Align: 8}},
		Inputs:  []ir.Input{{Kind: ir.ThreadIndexInThreadgroup, Reg: 2}},
		Body:    ir.Block{&ir.Instr{Op: ir.PtrAdd, Dst: 3, A: 1, B: 2, From: ir.U32, Scale: 8}},
	}
	reg := func(t ir.Type) ir.Reg {
		k.Regs = append(k.Regs, t)
		return ir.Reg(len(k.Regs) - 1)
	}
	for i, r := range []*ir.Reg{&in.A, &in.B, &in.C, &in.D} {
		switch t := operandType([]ir.Operand{info.A, info.B, info.C, info.D}[i], in); t {
		case ir.Void:
		case ir.Ptr:
			*r = 3
		default:
			*r = reg(t)
			c := &ir.Instr{Op: ir.Const, Type: t, Dst: *r, Imm: one(t)}
			if info.A == ir.OfPtr && i == 1 {
				c.Imm = 0 // in the thread's own word
			}
			k.Body = append(k.Body, c)
		}
	}
	switch {
	case in.Op == ir.Const:
		in.Imm = one(in.Type)
	case info.Effect == ir.Reports:
		k.Texts = []string{"%d of %u: %x, %o"}
	}
	k.Body = append(k.Body, in)
	if t := operandType(info.Result, in); t != ir.Void {
		in.Dst = reg(t)
		if in.Op != ir.Undef {
			k.Body = append(k.Body, &ir.Instr{Op: ir.Store, Type: t, A: 3, Imm: 8 * onThreads, C: in.Dst})
		}
	}
	if in.Op == ir.AtomicCAS {
		in.Dst2 = reg(ir.Bool)
		k.Body = append(k.Body, &ir.Instr{Op: ir.Store, Type: ir.Bool, A: 3, Imm: 16 * onThreads, C: in.Dst2})
	}
	return k
}

func one(t ir.Type) uint64 {
	switch t {
	case ir.F16:
		return 0x3c00
	case ir.BF16:
		return 0x3f80
	case ir.F32:
		return uint64(math.Float32bits(1))
	case ir.Ptr:
		return uint64(ir.MakePointer(0, 0))
	}
	return 1
}

func operandType(o ir.Operand, in *ir.Instr) ir.Type {
	switch o {
	case ir.OfT, ir.OptionalT:
		return in.Type
	case ir.OfFrom, ir.OfIndex:
		return in.From
	}
	return map[ir.Operand]ir.Type{
		ir.OfBool: ir.Bool, ir.OfU16: ir.U16, ir.OptionalU16: ir.U16, ir.OfU32: ir.U32, ir.OfI32: ir.I32, ir.OfU64: ir.U64, ir.OfPtr: ir.Ptr,
	}[o]
}

func everyEngine(t *testing.T, k *ir.Kernel) {
	t.Helper()
	everyEngineOn(t, k, model.Size3{X: onThreads, Y: 1, Z: 1}, model.Size3{X: onThreads, Y: 1, Z: 1}, 24*onThreads)
}

// everyEngineOn runs k with a buffer of n bytes, all zero, and holds the engines to the reference interpreter.
func everyEngineOn(t *testing.T, k *ir.Kernel, grid, group model.Size3, n int) {
	t.Helper()
	want := make([]byte, n)
	groups := model.Size3{X: grid.X / group.X, Y: grid.Y / group.Y, Z: grid.Z / group.Z}
	require.NoError(t, reference.Run(k, reference.Launch{Groups: groups, Threads: group, Args: [][]byte{want}}), "%s", k)
	a, err := adversary.Compile(k)
	require.NoError(t, err)
	f, err := fast.Compile(k)
	require.NoError(t, err)
	for name, e := range map[string]runner{"adversarial": a, "fast": f, "symbolic": symbolicEngine{k}} {
		got := make([]byte, n)
		d := &engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: &engine.Memory{Bytes: got}}}}
		r, err := e.Run(d, engine.Options{Checks: true})
		require.NoError(t, err, "%s engine: %s", name, k)
		require.Empty(t, model.Findings(r.Findings).Faults(), "%s engine: %s", name, k)
		require.Equal(t, want, got, "%s engine: %s", name, k)
	}
}

type symbolicEngine struct{ k *ir.Kernel }

func (e symbolicEngine) Run(d *engine.Dispatch, o engine.Options) (engine.Result, error) {
	return symbolic.New().Run(e.k, d, o)
}
