package adversary_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// edges are register values that operations stumble over, before they are cut to a type.
var edges = []uint64{
	0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256,
	0x3c00, 0x7bff, 0x7c00, 0x7e01, 0x8000, 0x8001, 0x3f80, 0x7f80, 0x7fc1, 0xff80, 0x7fff, 0xffff,
	0x3f800000, 0xbf800000, 0x3f800001, 0x33800000, 0x00000001, 0x007fffff, 0x00800000, 0x80000001, 0x7f7fffff, 0x7f800000, 0xff800000,
	0x7fc12345, 0x4b000001, 0x5f000000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
	0x0001000000000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0,
}

// noise is a stream of words for tests.
type noise uint64

func (n *noise) next() uint64 {
	*n = *n*6364136223846793005 + 1442695040888963407
	return uint64(*n) ^ uint64(*n)>>29
}

func (n *noise) value(t ir.Type) uint64 {
	v := edges[n.next()>>33%uint64(len(edges))]
	switch n.next() >> 40 % 4 {
	case 0:
		v = n.next()
	case 1:
		v = -v
	}
	return v & t.Mask()
}

// operandType returns the type of an operand of in.
func operandType(o ir.Operand, t, from ir.Type) ir.Type {
	switch o {
	case ir.OfT:
		return t
	case ir.OfFrom:
		return from
	case ir.OfBool:
		return ir.Bool
	case ir.OfU16:
		return ir.U16
	case ir.OfU32:
		return ir.U32
	case ir.OfI32:
		return ir.I32
	}
	return ir.Void
}

// TestEveryOperationIsEvals runs every pure operation on every type under several behaviours and holds the results to ir.Eval.
func TestEveryOperationIsEvals(t *testing.T) {
	behaviours := []model.Behaviour{
		{},
		{Rounding: model.TowardZero},
		{Flush: model.Flush{In: true, Out: true}},
		{Flush: model.Flush{In: true, Out: true, AnySign: true}},
		{Flush16: model.Flush{In: true, Out: true}, Order: "accesses", Seed: 7},
	}
	tried := 0
	for op := range ir.Op(ir.NumOps) {
		info := &ir.Ops[op]
		if info.Effect != ir.Pure || info.Imm || info.Result == ir.NoOperand || op == ir.Undef {
			continue
		}
		froms := info.From.Types()
		if len(froms) == 0 {
			froms = []ir.Type{ir.Void}
		}
		for _, typ := range info.Types.Types() {
			for _, from := range froms {
				if op == ir.Bitcast && typ.Size() != from.Size() || op == ir.Bitcast && (typ == ir.Bool) != (from == ir.Bool) {
					continue
				}
				if op == ir.Convert && typ != ir.Bool && !typ.IsInteger() && from == ir.Ptr {
					continue
				}
				if ir.Verify(pureKernel(op, typ, from)) != nil {
					continue
				}
				tried++
				checkPure(t, op, typ, from, behaviours)
			}
		}
	}
	require.Greater(t, tried, 400)
}

const pureCount = 256

// pureKernel loads operands, runs op and stores the result.
func pureKernel(op ir.Op, typ, from ir.Type) *ir.Kernel {
	info := &ir.Ops[op]
	b := ir.NewBuilder(op.String())
	src := b.Buffer("src", 0, ir.Device, 32)
	dst := b.Buffer("dst", 1, ir.Device, 8)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	var operands []ir.Reg
	for n, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
		if ot := operandType(o, typ, from); ot != ir.Void {
			operands = append(operands, b.Load(ot, src, i, 32, int64(8*n)))
		}
	}
	result := typ
	if info.Result != ir.OfT {
		result = operandType(info.Result, typ, from)
	}
	b.Store(result, dst, i, 8, 0, b.From(op, typ, from, operands...))
	return b.Kernel()
}

func checkPure(t *testing.T, op ir.Op, typ, from ir.Type, behaviours []model.Behaviour) {
	t.Helper()
	info := &ir.Ops[op]
	name := fmt.Sprintf("%s %s from %s", op, typ, from)
	k := pureKernel(op, typ, from)
	p, err := adversary.Compile(k)
	require.NoError(t, err, name)
	n := noise(uint64(op)*1000 + uint64(typ)*20 + uint64(from))
	src := make([]byte, 32*pureCount)
	tuples := make([][4]uint64, pureCount)
	for i := range tuples {
		for j, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
			if ot := operandType(o, typ, from); ot != ir.Void {
				tuples[i][j] = n.value(ot)
				binary.LittleEndian.PutUint64(src[32*i+8*j:], tuples[i][j])
			}
		}
	}
	for _, b := range behaviours {
		for _, checks := range []bool{false, true} {
			dst := make([]byte, 8*pureCount)
			grid, group := line(pureCount/32, 32)
			r, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{
				{Mem: &engine.Memory{Bytes: src}}, {Mem: &engine.Memory{Bytes: dst}},
			}}, engine.Options{Checks: checks, Behaviour: b})
			require.NoError(t, err, name)
			faults := false
			for i, v := range tuples {
				want, fault := ir.Eval(op, typ, from, 0, ir.ArithOf(b), v[0], v[1], v[2], v[3])
				faults = faults || fault != ir.NoFault
				if got := binary.LittleEndian.Uint64(dst[8*i:]); got != want {
					t.Fatalf("%s of %#x under %s: got %#x, want %#x", name, v, b, got, want)
				}
			}
			require.Equal(t, faults && checks, len(r.Findings) > 0, "%s: %v", name, r.Findings)
		}
	}
}
