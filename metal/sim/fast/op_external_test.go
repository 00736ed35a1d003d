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

// special are bit patterns in which operations find their corners; each is cut to the type's width.
var special = []uint64{
	0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
	1 << 62, 1<<63 - 1, 1 << 63, ^uint64(0),
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00800000, 0x007fffff, 0x80000001,
	0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, 0x4effffff, 0x5f000000, 0xbf7fffff, 0x3f000000, 0x4b000001,
	0x3c00, 0xbc00, 0x7c00, 0x7e00, 0x0400, 0x03ff, 0x3f80, 0x7f80, 0x7fc0,
}

// pattern is a set of active lanes.
type pattern struct {
	name string
	has  func(l int) bool
}

var patterns = []pattern{
	{"all", func(int) bool { return true }},
	{"first", func(l int) bool { return l < 11 }},
	{"last", func(l int) bool { return l >= 30 }},
	{"middle", func(l int) bool { return l >= 5 && l < 40 }},
	{"odd", func(l int) bool { return l%2 == 1 }},
	{"few", func(l int) bool { return l == 3 || l == 41 }},
	{"one", func(l int) bool { return l == 17 }},
}

// opKernel writes a kernel that runs in on operands that are loaded for each lane, or for all lanes together, in the lanes whose word in
// the mask buffer is not 0, and stores the result, which is what it was before in the other lanes.
func opKernel(in ir.Instr, uniform int, again bool) *ir.Kernel {
	k := &ir.Kernel{Name: "op", Regs: []ir.Type{ir.Void}, Places: []model.Position{{}, {File: "op", Line: 1}}}
	reg := func(t ir.Type) ir.Reg { k.Regs = append(k.Regs, t); return ir.Reg(len(k.Regs) - 1) }
	for i := range 6 { // four operands, mask, result
		k.Buffers = append(k.Buffers, ir.Buffer{Name: fmt.Sprint("b", i), Index: i, Reg: reg(ir.Ptr), Elem: 8, Align: 8})
	}
	tid := reg(ir.U32)
	k.Inputs = []ir.Input{{Kind: ir.ThreadIndexInThreadgroup, Reg: tid}}
	add := func(b *ir.Block, x ir.Instr) ir.Reg { *b = append(*b, &x); return x.Dst }
	info := &ir.Ops[in.Op]
	for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
		if o == ir.NoOperand {
			continue
		}
		load := ir.Instr{Op: ir.Load, Type: typeOf(&in, o), Dst: reg(typeOf(&in, o)), A: ir.Reg(i + 1), Align: 1}
		if uniform>>i&1 == 0 {
			load.B, load.From, load.Scale = tid, ir.U32, 8
		}
		*[]*ir.Reg{&in.A, &in.B, &in.C, &in.D}[i] = add(&k.Body, load)
	}
	result := typeOf(&in, info.Result)
	out := reg(result)
	add(&k.Body, ir.Instr{Op: ir.Load, Type: result, Dst: out, A: 6, B: tid, From: ir.U32, Scale: 8, Align: 1})
	mask, zero, cond := reg(ir.U32), reg(ir.U32), reg(ir.Bool)
	add(&k.Body, ir.Instr{Op: ir.Load, Type: ir.U32, Dst: mask, A: 5, B: tid, From: ir.U32, Scale: 8})
	add(&k.Body, ir.Instr{Op: ir.Const, Type: ir.U32, Dst: zero})
	add(&k.Body, ir.Instr{Op: ir.Ne, Type: ir.U32, Dst: cond, A: mask, B: zero})
	x := &ir.If{Cond: cond}
	k.Body = append(k.Body, x)
	in.Dst, in.Pos = out, 1
	if again { // the result takes an operand's place
		same := reg(result)
		in.Dst = same
		add(&x.Then, in)
		add(&x.Then, ir.Instr{Op: ir.Mov, Type: result, Dst: out, A: same})
	} else {
		add(&x.Then, in)
	}
	add(&k.Body, ir.Instr{Op: ir.Store, Type: result, A: 6, B: tid, From: ir.U32, Scale: 8, C: out, Align: 1})
	return k
}

// TestOperations: every operation that only computes, on every type, with operands that differ between lanes or do not, for several sets of
// active lanes, gives what ir.Eval gives in these lanes and leaves the others alone; and reports a fault exactly if one of them has one.
func TestOperations(t *testing.T) {
	const n = 53
	rng := rand.New(rand.NewPCG(8, 8))
	count := 0
	flush := model.Behaviour{Flush: model.Flush{In: true, Out: true}, Flush16: model.Flush{In: true, Out: true}}
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
				in := ir.Instr{Op: op, Type: ty, From: from}
				if op == ir.Bitcast && from.Bits() != ty.Bits() || op == ir.Convert && from == ir.Ptr && !ty.IsInteger() && ty != ir.Bool {
					continue
				}
				count++
				operands := 1
				for i, o := range []ir.Operand{info.B, info.C, info.D} {
					if o != ir.NoOperand {
						operands = i + 2
					}
				}
				for uniform := range 1 << operands {
					tryOperation(t, rng, in, uniform, n, count%2 == 0, patterns[(count+uniform)%len(patterns)], model.Behaviour{})
				}
				if ty.IsFloat() || from.IsFloat() {
					tryOperation(t, rng, in, 0, n, false, patterns[count%len(patterns)], flush)
				}
			}
		}
	}
	t.Logf("%d operations on types", count)
	require.Greater(t, count, 500)
}

func tryOperation(t *testing.T, rng *rand.Rand, in ir.Instr, uniform, n int, again bool, act pattern, b model.Behaviour) {
	k := opKernel(in, uniform, again)
	p, err := fast.Compile(k)
	require.NoError(t, err, "%s", k)
	info := &ir.Ops[in.Op]
	var data [6][]uint64
	for i := range data {
		data[i] = make([]uint64, n)
		for l := range data[i] {
			v := special[rng.IntN(len(special))]
			if rng.IntN(4) == 0 {
				v = rng.Uint64() >> rng.IntN(60)
			}
			if i == 4 {
				v = b2u(act.has(l))
			}
			data[i][l] = v
		}
	}
	d := &engine.Dispatch{Grid: model.Size3{X: n, Y: 1, Z: 1}, Group: model.Size3{X: n, Y: 1, Z: 1}}
	for i := range data {
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: words64(data[i]...)}})
	}
	want := append([]uint64(nil), data[5]...)
	faulty := false
	result := typeOf(&in, info.Result)
	for l := range n {
		low := result.Mask()
		if result.Size() == 1 {
			low = 0xff
		}
		keep := data[5][l] &^ low
		want[l] = keep | data[5][l]&result.Mask()
		if !act.has(l) {
			continue
		}
		var v [4]uint64
		for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
			if o != ir.NoOperand {
				at := l
				if uniform>>i&1 == 1 {
					at = 0
				}
				v[i] = data[i][at] & typeOf(&in, o).Mask()
			}
		}
		r, f := ir.Eval(in.Op, in.Type, in.From, 0, ir.ArithOf(b), v[0], v[1], v[2], v[3])
		faulty = faulty || f != ir.NoFault
		want[l] = keep | r
	}
	for _, checks := range []bool{true, false} {
		copy(d.Args[5].Mem.Bytes, words64(data[5]...))
		res, err := p.Run(d, engine.Options{Checks: checks, Workers: 1, Behaviour: b})
		require.NoError(t, err)
		name := fmt.Sprintf("%s %s from %s, uniform %b, lanes %s, checks %v", in.Op, in.Type, in.From, uniform, act.name, checks)
		require.Equal(t, words64(want...), d.Args[5].Mem.Bytes, name)
		found := false
		for _, f := range res.Findings {
			require.Equal(t, model.FindingInteger, f.Kind, name)
			require.Equal(t, 1, f.Pos.Line)
			found = true
		}
		require.Equal(t, checks && faulty, found, "%s: %v", name, res.Findings)
	}
}
