package ir_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

func bigOf(t ir.Type, v uint64) *big.Int {
	x := new(big.Int).SetUint64(v)
	if t.IsSigned() && x.Bit(t.Bits()-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	return x
}

// slowInteger is Eval for integers by math/big and by single bits: the result before it wraps, and the fault it has when it does not fit.
func slowInteger(op ir.Op, t ir.Type, av, bv, c, d uint64) (want *big.Int, fault ir.Fault) {
	n := t.Bits()
	a, b := bigOf(t, av), bigOf(t, bv)
	r := new(big.Int)
	one := big.NewInt(1)
	lo, hi := new(big.Int), new(big.Int).Lsh(one, uint(n))
	if t.IsSigned() {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, one)
	fits := func(x *big.Int) bool { return x.Cmp(lo) >= 0 && x.Cmp(hi) <= 0 }
	checked := func(x *big.Int) (*big.Int, ir.Fault) {
		if t.IsSigned() && !fits(x) {
			return x, ir.FaultOver
		}
		return x, ir.NoFault
	}
	clamp := func(x *big.Int) (*big.Int, ir.Fault) {
		if x.Cmp(lo) < 0 {
			return lo, 0
		}
		if x.Cmp(hi) > 0 {
			return hi, 0
		}
		return x, 0
	}
	bit := func(v uint64, i int) bool { return v>>i&1 == 1 }
	build := func(f func(i int) bool) *big.Int {
		x := new(big.Int)
		for i := range n {
			if f(i) {
				x.SetBit(x, i, 1)
			}
		}
		return x
	}
	switch op {
	case ir.Add:
		return checked(r.Add(a, b))
	case ir.Sub:
		return checked(r.Sub(a, b))
	case ir.Mul:
		return checked(r.Mul(a, b))
	case ir.Neg:
		return checked(r.Neg(a))
	case ir.Abs:
		return checked(r.Abs(a))
	case ir.Div, ir.Rem:
		if b.Sign() == 0 {
			if op == ir.Div {
				return big.NewInt(-1), ir.FaultDivide
			}
			return a, ir.FaultDivide
		}
		q, m := new(big.Int).QuoRem(a, b, new(big.Int))
		_, fault = checked(q)
		if op == ir.Div {
			return q, fault
		}
		return m, fault
	case ir.And:
		return r.And(a, b), 0
	case ir.Or:
		return r.Or(a, b), 0
	case ir.Xor:
		return r.Xor(a, b), 0
	case ir.Not:
		return r.Not(a), 0
	case ir.Shl, ir.Shr:
		s := uint(new(big.Int).Mod(b, big.NewInt(int64(n))).Int64())
		if op == ir.Shl {
			return r.Lsh(a, s), 0
		}
		return r.Rsh(a, s), 0
	case ir.MulHi:
		return r.Rsh(r.Mul(a, b), uint(n)), 0
	case ir.Min:
		if a.Cmp(b) < 0 {
			return a, 0
		}
		return b, 0
	case ir.Max:
		if a.Cmp(b) > 0 {
			return a, 0
		}
		return b, 0
	case ir.AddSat:
		return clamp(r.Add(a, b))
	case ir.SubSat:
		return clamp(r.Sub(a, b))
	case ir.HAdd:
		return r.Rsh(r.Add(a, b), 1), 0
	case ir.RHAdd:
		return r.Rsh(r.Add(r.Add(a, b), one), 1), 0
	case ir.AbsDiff:
		return r.Abs(r.Sub(a, b)), 0
	case ir.Clz, ir.Ctz:
		k := 0
		for k < n && !bit(av, map[ir.Op]int{ir.Clz: n - 1 - k, ir.Ctz: k}[op]) {
			k++
		}
		return big.NewInt(int64(k)), 0
	case ir.Popcount:
		k := 0
		for i := range n {
			if bit(av, i) {
				k++
			}
		}
		return big.NewInt(int64(k)), 0
	case ir.ReverseBits:
		return build(func(i int) bool { return bit(av, n-1-i) }), 0
	case ir.Rotate:
		s := int(new(big.Int).Mod(b, big.NewInt(int64(n))).Int64())
		return build(func(i int) bool { return bit(av, (i-s+n)%n) }), 0
	case ir.ExtractBits:
		if bv+c > uint64(n) {
			fault = ir.FaultBits
		}
		last := -1 // the field's last bit
		x := build(func(i int) bool {
			j := uint64(i) + bv
			in := uint64(i) < c && j < uint64(n)
			if in {
				last = int(j)
			}
			return in && bit(av, int(j))
		})
		if t.IsSigned() && last >= 0 && bit(av, last) {
			x.Sub(x, new(big.Int).Lsh(one, uint(last)-uint(bv)+1))
		}
		return x, fault
	case ir.InsertBits:
		if c+d > uint64(n) {
			fault = ir.FaultBits
		}
		return build(func(i int) bool {
			if uint64(i) >= c && uint64(i) < c+d {
				return bit(bv, i-int(c))
			}
			return bit(av, i)
		}), fault
	}
	panic(op)
}

var integerOps = []ir.Op{
	ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.Neg, ir.And, ir.Or, ir.Xor, ir.Not, ir.Shl, ir.Shr, ir.MulHi, ir.Abs, ir.Min, ir.Max,
	ir.AddSat, ir.SubSat, ir.HAdd, ir.RHAdd, ir.AbsDiff, ir.Clz, ir.Ctz, ir.Popcount, ir.ReverseBits, ir.Rotate, ir.ExtractBits, ir.InsertBits,
}

func checkInteger(t *testing.T, op ir.Op, typ ir.Type, a, b, c, d uint64) {
	t.Helper()
	want, fault := slowInteger(op, typ, a, b, c, d)
	got, gotFault := ir.Eval(op, typ, ir.Void, 0, ir.Arith{}, a, b, c, d)
	bits := new(big.Int).And(want, new(big.Int).SetUint64(typ.Mask())).Uint64()
	if bits != got || fault != gotFault {
		require.Failf(t, "another result", "%s %s %#x %#x %d %d: want %#x, %s; got %#x, %s", op, typ, a, b, c, d, bits, fault, got, gotFault)
	}
	if fault != ir.NoFault {
		require.True(t, ir.MayFault(op, typ, ir.Void), "%s %s", op, typ)
		require.Contains(t, ir.Ops[op].Faults, fault)
	}
}

// TestIntegersExhaustive8 runs every operation on all pairs of 8-bit operands, and on a fifth of them at the quick level.
func TestIntegersExhaustive8(t *testing.T) {
	step := uint64(5)
	if thorough {
		step = 1
	}
	for _, op := range integerOps {
		for _, typ := range []ir.Type{ir.I8, ir.U8} {
			for a := range uint64(256) {
				switch {
				case op == ir.ExtractBits:
					for b := range uint64(11) {
						for c := range uint64(11) {
							checkInteger(t, op, typ, a, b, c, 0)
						}
					}
				case op == ir.InsertBits:
					for c := range uint64(11) {
						for d := range uint64(11) {
							checkInteger(t, op, typ, a, a*37+c&0xff, c, d)
						}
					}
				case ir.Ops[op].B == ir.NoOperand:
					checkInteger(t, op, typ, a, 0, 0, 0)
				default:
					for b := a % step; b < 256; b += step {
						checkInteger(t, op, typ, a, b, 0, 0)
					}
				}
			}
		}
	}
}

// TestIntegersWide samples the wider types, with operands near powers of two and the ends of the range.
func TestIntegersWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	draw := func(typ ir.Type) uint64 {
		v := rng.Uint64() >> rng.IntN(64)
		switch rng.IntN(3) {
		case 0:
			v = 1<<rng.IntN(64) + rng.Uint64N(3) - 1
		case 1:
			v = -v
		}
		return v & typ.Mask()
	}
	for _, typ := range ir.SetIntegers.Types()[2:] {
		for _, op := range integerOps {
			for range 1000 {
				a, b := draw(typ), draw(typ)
				c, d := rng.Uint64N(70), rng.Uint64N(70)
				if rng.IntN(8) == 0 {
					c, d = 0xffffffff, rng.Uint64N(1<<32)
				}
				if op == ir.ExtractBits {
					b, c, d = c, d, 0
				}
				checkInteger(t, op, typ, a, b, c, d)
			}
		}
	}
	for _, typ := range ir.SetIntegers.Types() {
		for range 500 {
			a, b := draw(typ), draw(typ)
			if rng.IntN(4) == 0 {
				b = a
			}
			order := bigOf(typ, a).Cmp(bigOf(typ, b))
			for op, want := range map[ir.Op]bool{ir.Eq: order == 0, ir.Ne: order != 0, ir.Lt: order < 0, ir.Le: order <= 0} {
				got, _ := ir.Eval(op, typ, ir.Void, 0, ir.Arith{}, a, b, 0, 0)
				require.Equal(t, want, got == 1, "%s %s %#x %#x", op, typ, a, b)
			}
			for _, to := range ir.SetIntegers.Types() {
				got, fault := ir.Eval(ir.Convert, to, typ, 0, ir.Arith{}, a, 0, 0, 0)
				require.Zero(t, fault)
				want := new(big.Int).And(bigOf(typ, a), new(big.Int).SetUint64(to.Mask()))
				require.Equal(t, want.Uint64(), got, "%s from %s %#x", to, typ, a)
			}
			got, _ := ir.Eval(ir.Convert, ir.Bool, typ, 0, ir.Arith{}, a, 0, 0, 0)
			require.Equal(t, a != 0, got == 1)
		}
	}
}

// TestPointers: conversions and order of pointers, and the address of memory operations.
func TestPointers(t *testing.T) {
	eval := func(op ir.Op, typ, from ir.Type, a, b uint64) uint64 {
		r, fault := ir.Eval(op, typ, from, 0, ir.Arith{}, a, b, 0, 0)
		require.Zero(t, fault)
		return r
	}
	p, q := uint64(ir.MakePointer(2, -8)), uint64(ir.MakePointer(2, 4))
	require.Equal(t, ^uint64(7), eval(ir.Convert, ir.I64, ir.Ptr, p, 0))
	require.Equal(t, uint64(4), eval(ir.Convert, ir.U64, ir.Ptr, q, 0))
	require.Equal(t, uint64(1), eval(ir.Lt, ir.Ptr, ir.Void, p, q))
	require.Equal(t, uint64(0), eval(ir.Le, ir.Ptr, ir.Void, q, p))
	require.Equal(t, uint64(1), eval(ir.Convert, ir.Bool, ir.Ptr, p, 0))
	require.Equal(t, uint64(0), eval(ir.Convert, ir.Bool, ir.Ptr, uint64(ir.MakePointer(-1, 4)), 0))
	in := ir.Instr{Op: ir.Load, A: 1, B: 2, From: ir.I32, Scale: 12, Imm: ^uint64(3)}
	require.Equal(t, ir.MakePointer(2, 4-24-4), in.Address(q, 0xfffffffe))
	in.From = ir.U32
	require.Equal(t, ir.MakePointer(2, 4+12*0xfffffffe-4), in.Address(q, 0xfffffffe))
	in.B = 0
	require.Equal(t, ir.MakePointer(2, 0), in.Address(q, 77))
}
