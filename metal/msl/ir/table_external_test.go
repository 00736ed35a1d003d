package ir_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestTableAgreesWithEval evaluates every pure operation on every type that the table allows, and holds the table to what comes
// out: a result of the result's type, faults only where they are announced, operands exchanged where it says so, one answer.
func TestTableAgreesWithEval(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	faulted := map[ir.Op][]ir.Fault{}
	for op := range ir.Op(ir.NumOps) {
		info := ir.Ops[op]
		if info.Effect != ir.Pure || slices.Contains([]ir.Op{ir.Nop, ir.Const, ir.Undef, ir.PtrAdd, ir.ObjAddr}, op) {
			continue
		}
		froms := info.From.Types()
		if info.From == 0 {
			froms = []ir.Type{ir.Void}
		}
		for _, typ := range info.Types.Types() {
			for _, from := range froms {
				if op == ir.Bitcast && from.Bits() != typ.Bits() || op == ir.Convert && from == ir.Ptr && typ.IsFloat() {
					continue
				}
				in := &ir.Instr{Op: op, Type: typ, From: from}
				for range 60 {
					ar := ariths()[rng.IntN(12)]
					var v [4]uint64
					for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
						if o == ir.NoOperand {
							continue
						}
						switch k := kindType(o, in); {
						case k.IsFloat():
							v[i] = drawFloat(rng, k)
						case rng.IntN(4) == 0:
							v[i] = 1 << (k.Bits() - 1)
						case rng.IntN(2) == 0:
							v[i] = rng.Uint64N(9) & k.Mask()
						default:
							v[i] = rng.Uint64() & k.Mask()
						}
					}
					r, fault := ir.Eval(op, typ, from, 0, ar, v[0], v[1], v[2], v[3])
					require.Zero(t, r&^kindType(info.Result, in).Mask(), "%s %s from %s %x: %#x", op, typ, from, v, r)
					again, _ := ir.Eval(op, typ, from, ir.FastFunctions, ar, v[0], v[1], v[2], v[3])
					require.Equal(t, r, again)
					if fault != ir.NoFault {
						require.True(t, ir.MayFault(op, typ, from), "%s %s from %s", op, typ, from)
						require.Contains(t, info.Faults, fault)
						faulted[op] = append(faulted[op], fault)
					}
					if info.Swaps {
						s, _ := ir.Eval(op, typ, from, 0, ar, v[1], v[0], v[2], v[3])
						require.Equal(t, r, s, "%s %s %x does not commute", op, typ, v)
					}
				}
			}
		}
		for _, f := range info.Faults {
			if op != ir.Div && op != ir.Rem || f != ir.FaultOver { // least/-1 is rare
				require.Contains(t, faulted[op], f, "%s never had its fault", op)
			}
		}
	}
}

// TestTable holds the table's words to each other.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for op := range ir.Op(ir.NumOps) {
		info := ir.Ops[op]
		require.False(t, seen[info.Name], "%s twice", info.Name)
		seen[info.Name] = true
		back, ok := ir.ParseOp(info.Name)
		require.True(t, ok)
		require.Equal(t, op, back)
		require.Equal(t, info.Address, info.A == ir.OfPtr, info.Name)
		require.Equal(t, info.Types == 0, !strings.Contains(operandsOf(info), "T"), info.Name)
	}
	require.Equal(t, "unknown operation", ir.Op(255).String())
	for typ := ir.Void; typ.Valid(); typ++ {
		back, ok := ir.ParseType(typ.String())
		require.True(t, ok)
		require.Equal(t, typ, back)
	}
}

// operandsOf has a T if an operand or the result is of the instruction's type.
func operandsOf(info ir.Info) string {
	for _, o := range []ir.Operand{info.A, info.B, info.C, info.D, info.Result} {
		if o == ir.OfT || o == ir.OptionalT {
			return "T"
		}
	}
	return ""
}
