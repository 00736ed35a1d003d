package fast_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// leftovers are what other registers may leave in a slot: bits above those of narrower types, over low bits that look like 0, -1 or any number.
var leftovers = []uint64{
	1 << 63, 1 << 48, 1 << 33, 1 << 32, 1 << 17, 1 << 16, 1 << 9, 1 << 8, ^uint64(0), 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_0000, 0xffff_ffff_ffff_ff00, 0x7f80_0000_7f80_0001,
	0xffff_ffff_8000_0000, 0x8000_0000_ffff_ffff, 0x00ff_00ff_00ff_00ff,
}

// staleKernel writes a kernel that fills registers of 64 bits with leftovers, which all lanes have, and then runs in where a lane's mask is not 0, on
// operands that only these lanes load. What they load comes to where the leftovers were.
func staleKernel(in ir.Instr) *ir.Kernel {
	k := &ir.Kernel{Name: "stale", Regs: []ir.Type{ir.Void}, Places: []model.Position{{}, {File: "op", Line: 1}}}
	reg := func(t ir.Type) ir.Reg { k.Regs = append(k.Regs, t); return ir.Reg(len(k.Regs) - 1) }
	for i := range 7 { // four operands, mask, result, leftovers
		k.Buffers = append(k.Buffers, ir.Buffer{Name: fmt.Sprint("b", i), Index: i, Reg: reg(ir.Ptr), Elem: 8, Align: 8})
	}
	tid := reg(ir.U32)
	k.Inputs = []ir.Input{{Kind: ir.ThreadIndexInThreadgroup, Reg: tid}}
	add := func(b *ir.Block, x ir.Instr) ir.Reg { *b = append(*b, &x); return x.Dst }
	old := make([]ir.Reg, 12)
	for i := range old {
		old[i] = add(&k.Body, ir.Instr{Op: ir.Load, Type: ir.U64, Dst: reg(ir.U64), A: 7, B: tid, From: ir.U32, Scale: 8})
	}
	for _, r := range old[1:] {
		add(&k.Body, ir.Instr{Op: ir.Xor, Type: ir.U64, Dst: reg(ir.U64), A: old[0], B: r})
	}
	mask, zero, cond := reg(ir.U32), reg(ir.U32), reg(ir.Bool)
	add(&k.Body, ir.Instr{Op: ir.Load, Type: ir.U32, Dst: mask, A: 5, B: tid, From: ir.U32, Scale: 8})
	add(&k.Body, ir.Instr{Op: ir.Const, Type: ir.U32, Dst: zero})
	add(&k.Body, ir.Instr{Op: ir.Ne, Type: ir.U32, Dst: cond, A: mask, B: zero})
	x := &ir.If{Cond: cond}
	k.Body = append(k.Body, x)
	info := &ir.Ops[in.Op]
	for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
		if o == ir.NoOperand {
			continue
		}
		t := typeOf(&in, o)
		load := ir.Instr{Op: ir.Load, Type: t, Dst: reg(t), A: ir.Reg(i + 1), Align: 1, B: tid, From: ir.U32, Scale: 8}
		*[]*ir.Reg{&in.A, &in.B, &in.C, &in.D}[i] = add(&x.Then, load)
	}
	result := typeOf(&in, info.Result)
	in.Dst, in.Pos = reg(result), 1
	add(&x.Then, in)
	add(&x.Then, ir.Instr{Op: ir.Store, Type: result, A: 6, B: tid, From: ir.U32, Scale: 8, C: in.Dst, Align: 1})
	return k
}

// TestInactiveLanesHoldAnything: every operation, on every type, gives what ir.Eval gives in the lanes that are active, and reports the faults of
// these alone, whatever the registers of the other lanes hold.
func TestInactiveLanesHoldAnything(t *testing.T) {
	const n = 48
	rng := rand.New(rand.NewPCG(16, 1))
	count := 0
	for op := range ir.Op(ir.NumOps) {
		info := &ir.Ops[op]
		if info.Effect != ir.Pure || info.Address || info.A == ir.NoOperand {
			continue
		}
		for _, ty := range info.Types.Types() {
			froms := []ir.Type{0}
			if info.From != 0 {
				froms = info.From.Types()
			}
			for _, from := range froms {
				if op == ir.Bitcast && from.Bits() != ty.Bits() || op == ir.Convert && from == ir.Ptr && !ty.IsInteger() && ty != ir.Bool {
					continue
				}
				for _, act := range patterns {
					tryStale(t, rng, ir.Instr{Op: op, Type: ty, From: from}, n, act)
					count++
				}
			}
		}
	}
	t.Logf("%d operations on types and sets of lanes", count)
	require.Greater(t, count, 3000)
}

func tryStale(t *testing.T, rng *rand.Rand, in ir.Instr, n int, act pattern) {
	k := staleKernel(in)
	p, err := fast.Compile(k)
	require.NoError(t, err, "%s", k)
	info, result := &ir.Ops[in.Op], typeOf(&in, ir.Ops[in.Op].Result)
	var data [7][]uint64
	for i := range data {
		data[i] = make([]uint64, n)
		for l := range data[i] {
			data[i][l] = special[rng.IntN(len(special))]
		}
	}
	for l := range n {
		data[4][l], data[5][l], data[6][l] = b2u(act.has(l)), 0, leftovers[rng.IntN(len(leftovers))]
	}
	want, faulty := make([]uint64, n), false
	for l := range n {
		if !act.has(l) {
			continue
		}
		var v [4]uint64
		for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
			if o != ir.NoOperand {
				v[i] = data[i][l] & typeOf(&in, o).Mask()
			}
		}
		r, f := ir.Eval(in.Op, in.Type, in.From, 0, ir.Arith{}, v[0], v[1], v[2], v[3])
		want[l], faulty = r, faulty || f != ir.NoFault
	}
	for _, checks := range []bool{true, false} {
		d := &engine.Dispatch{Grid: model.Size3{X: n, Y: 1, Z: 1}, Group: model.Size3{X: n, Y: 1, Z: 1}}
		for i := range data {
			d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: words64(data[i]...)}})
		}
		res, err := p.Run(d, engine.Options{Checks: checks, Workers: 1})
		name := fmt.Sprintf("%s %s from %s, lanes %s, checks %v", in.Op, in.Type, in.From, act.name, checks)
		require.NoError(t, err, name)
		require.Equal(t, words64(want...), d.Args[5].Mem.Bytes, "%s, result %s", name, result)
		require.Equal(t, checks && faulty, len(res.Findings) > 0, "%s: %v", name, res.Findings)
	}
}
