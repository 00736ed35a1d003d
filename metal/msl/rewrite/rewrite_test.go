package rewrite

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// straight runs a kernel without branches on float inputs, buffers of one float each, and returns what it stores to the
// last of them.
func straight(t *testing.T, k *ir.Kernel, inputs ...float32) uint64 {
	t.Helper()
	require.NoError(t, ir.Verify(k), k.String())
	regs := make([]uint64, len(k.Regs))
	mem := map[ir.Reg]uint64{}
	for i, x := range inputs {
		mem[k.Buffers[i].Reg] = uint64(math.Float32bits(x))
	}
	var run func(b ir.Block)
	run = func(b ir.Block) {
		for _, n := range b {
			switch n := n.(type) {
			case *ir.Scope:
				run(n.Body)
			case *ir.Leave:
			case *ir.Instr:
				switch n.Op {
				case ir.Load:
					regs[n.Dst] = mem[n.A]
				case ir.Store:
					mem[n.A] = regs[n.C]
				case ir.Const:
					regs[n.Dst] = n.Imm
				default:
					regs[n.Dst], _ = ir.Eval(n.Op, n.Type, n.From, n.FP, ir.Arith{}, regs[n.A], regs[n.B], regs[n.C], regs[n.D])
				}
			default:
				t.Fatalf("a branch: %T", n)
			}
		}
	}
	run(k.Body)
	return mem[k.Buffers[len(k.Buffers)-1].Reg]
}

// build makes a kernel of n loaded inputs and one stored output.
func build(n int, fp ir.FP, body func(b *ir.Builder, x []ir.Reg) ir.Reg) *ir.Kernel {
	b := ir.NewBuilder("k")
	b.FP, b.Stmt = fp, 1
	ptrs := make([]ir.Reg, n+1)
	for i := range ptrs {
		ptrs[i] = b.Buffer(string(rune('a'+i)), i, ir.Device, 4)
	}
	x := make([]ir.Reg, n)
	for i := range x {
		x[i] = b.Load(ir.F32, ptrs[i], 0, 0, 0)
	}
	b.Store(ir.F32, ptrs[n], 0, 0, 0, body(b, x))
	return b.Kernel()
}

const (
	safe    = ir.ContractOn
	relaxed = ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal
	fast    = relaxed | ir.NoNaNs | ir.NoInfs
)

func apply(t *testing.T, k *ir.Kernel, behaviour string) *ir.Kernel {
	t.Helper()
	b, err := model.ParseBehaviour(behaviour)
	require.NoError(t, err)
	before := k.String()
	out, err := Apply(k, b)
	require.NoError(t, err)
	require.NoError(t, ir.Verify(out), out.String())
	require.Equal(t, before, k.String(), "Apply changed its argument")
	return out
}

func twoSum(b *ir.Builder, x []ir.Reg) ir.Reg {
	s := b.Op(ir.Add, ir.F32, x[0], x[1])
	bb := b.Op(ir.Sub, ir.F32, s, x[0])
	da := b.Op(ir.Sub, ir.F32, x[0], b.Op(ir.Sub, ir.F32, s, bb))
	return b.Op(ir.Add, ir.F32, da, b.Op(ir.Sub, ir.F32, x[1], bb))
}

// The inputs of gpuweb issue C01: the error word is what reassociation takes away.
func TestReassociationCollapsesTwoSum(t *testing.T) {
	const a, b = 1e10, 1e-10
	right := uint64(math.Float32bits(1e-10))
	for fp, want := range map[ir.FP]uint64{safe: right, relaxed: 0, fast: 0} {
		k := build(2, fp, twoSum)
		require.Equal(t, right, straight(t, k, a, b))
		require.Equal(t, want, straight(t, apply(t, k, "rne ftz=off contract=fast reassoc nsz recip"), a, b), "flags %v", fp)
		require.Equal(t, right, straight(t, apply(t, k, "rne ftz=off contract=fast nsz recip"), a, b), "without reassociation")
	}
}

// Fast2Sum's error word and the low half of Dekker's split go the same way; a two-product by fma does not.
func TestReassociationCollapses(t *testing.T) {
	for name, c := range map[string]struct {
		body    func(b *ir.Builder, x []ir.Reg) ir.Reg
		inputs  []float32
		keeps   bool
		contact string
	}{
		"fast two-sum": {body: func(b *ir.Builder, x []ir.Reg) ir.Reg {
			s := b.Op(ir.Add, ir.F32, x[0], x[1])
			return b.Op(ir.Sub, ir.F32, x[1], b.Op(ir.Sub, ir.F32, s, x[0]))
		}, inputs: []float32{1, 0x1p-30}},
		"low half of a split": {body: func(b *ir.Builder, x []ir.Reg) ir.Reg {
			c := b.Op(ir.Mul, ir.F32, b.Float(4097), x[0])
			hi := b.Op(ir.Sub, ir.F32, c, b.Op(ir.Sub, ir.F32, c, x[0]))
			return b.Op(ir.Sub, ir.F32, x[0], hi)
		}, inputs: []float32{1 + 0x1p-23}},
		"two-product": {body: func(b *ir.Builder, x []ir.Reg) ir.Reg {
			p := b.Op(ir.Mul, ir.F32, x[0], x[1])
			return b.Op(ir.Fma, ir.F32, x[0], x[1], b.Op(ir.Neg, ir.F32, p))
		}, inputs: []float32{1 + 0x1p-12, 1 + 0x1p-12}, keeps: true},
	} {
		k := build(len(c.inputs), relaxed, c.body)
		right := straight(t, k, c.inputs...)
		require.NotZero(t, right, name)
		got := straight(t, apply(t, k, "rne ftz=off contract=off reassoc"), c.inputs...)
		if c.keeps {
			require.Equal(t, right, got, name)
		} else {
			require.Zero(t, got, name)
		}
	}
}

func TestReassociationJoinsConstants(t *testing.T) {
	body := func(b *ir.Builder, x []ir.Reg) ir.Reg {
		return b.Op(ir.Add, ir.F32, b.Op(ir.Add, ir.F32, x[0], b.Float(0x1p-24)), b.Float(0x1p-24))
	}
	require.Equal(t, uint64(0x3f800000), straight(t, apply(t, build(1, safe, body), "rne ftz=off contract=off reassoc"), 1))
	require.Equal(t, uint64(0x3f800001), straight(t, apply(t, build(1, relaxed, body), "rne ftz=off contract=off reassoc"), 1))
}

// (x·-0·1)+0, the probe for signed zeros, and x/y by the reciprocal.
func TestZerosAndReciprocals(t *testing.T) {
	probe := func(b *ir.Builder, x []ir.Reg) ir.Reg {
		return b.Op(ir.Add, ir.F32, b.Op(ir.Mul, ir.F32, x[0], b.Float(1)), b.Float(0))
	}
	negZero := float32(math.Copysign(0, -1))
	require.Equal(t, uint64(0), straight(t, apply(t, build(1, safe, probe), "rne ftz=off contract=off nsz"), negZero))
	require.Equal(t, uint64(0x80000000), straight(t, apply(t, build(1, relaxed, probe), "rne ftz=off contract=off nsz"), negZero))

	div := func(b *ir.Builder, x []ir.Reg) ir.Reg { return b.Op(ir.Div, ir.F32, x[0], x[1]) }
	third := float32(1) / 3
	k := build(2, relaxed, div)
	require.Equal(t, uint64(math.Float32bits(5*third)), straight(t, apply(t, k, "rne ftz=off contract=off recip"), 5, 3))
	require.NotEqual(t, straight(t, k, 5, 3), straight(t, apply(t, k, "rne ftz=off contract=off recip"), 5, 3))
	require.Equal(t, straight(t, k, 5, 3), straight(t, apply(t, build(2, safe, div), "rne ftz=off contract=off recip"), 5, 3))
}

// Within a statement, across statements, and not at all.
func TestContraction(t *testing.T) {
	body := func(second int32) func(b *ir.Builder, x []ir.Reg) ir.Reg {
		return func(b *ir.Builder, x []ir.Reg) ir.Reg {
			p := b.Op(ir.Mul, ir.F32, x[0], x[1])
			b.Stmt = second
			return b.Op(ir.Sub, ir.F32, p, x[2])
		}
	}
	in := []float32{1 + 0x1p-12, 1 + 0x1p-12, 1 + 0x1p-11}
	fused := uint64(math.Float32bits(0x1p-24))
	for _, c := range []struct {
		fp        ir.FP
		stmt      int32
		behaviour string
		want      uint64
	}{
		{0, 1, "contract=fast", 0},
		{ir.ContractOn, 1, "contract=off", 0},
		{ir.ContractOn, 1, "contract=on", fused},
		{ir.ContractOn, 2, "contract=on", 0},
		{ir.ContractOn, 2, "contract=fast", 0},
		{ir.ContractFast, 2, "contract=fast", fused},
		{ir.ContractFast, 2, "contract=on", 0},
		{ir.ContractFast, 1, "contract=on", fused},
	} {
		k := build(3, c.fp, body(c.stmt))
		require.Equal(t, c.want, straight(t, apply(t, k, "rne ftz=off "+c.behaviour), in...), "%+v", c)
	}
}

// Of a·b - c·d either product can be fused, or none; the seed says which.
func TestContractionChoosesBySeed(t *testing.T) {
	k := build(4, ir.ContractOn, func(b *ir.Builder, x []ir.Reg) ir.Reg {
		return b.Op(ir.Sub, ir.F32, b.Op(ir.Mul, ir.F32, x[0], x[1]), b.Op(ir.Mul, ir.F32, x[2], x[3]))
	})
	seen := map[uint64]bool{}
	for seed := range 40 {
		out := apply(t, k, "rne ftz=off contract=on seed="+string(rune('0'+seed%10))+string(rune('0'+seed/10)))
		seen[straight(t, out, 1+0x1p-12, 1+0x1p-12, 1+0x1p-12, 1+0x1p-12)] = true
	}
	require.Len(t, seen, 3, "0, the error of one product, and its negative")
}

// A sum of five terms is associated in many ways, each term once: integers keep their sum.
func TestReassociationBySeed(t *testing.T) {
	sum := func(b *ir.Builder, x []ir.Reg) ir.Reg {
		s := x[0]
		for _, y := range x[1:] {
			s = b.Op(ir.Add, ir.F32, s, y)
		}
		return s
	}
	k := build(5, relaxed, sum)
	values := map[uint64]bool{}
	for seed := range 60 {
		b := model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}, Seed: uint64(seed)}
		out, err := Apply(k, b)
		require.NoError(t, err)
		require.Equal(t, uint64(math.Float32bits(31)), straight(t, out, 1, 2, 4, 8, 16))
		values[straight(t, out, 1, 0x1p-24, 0x1p-24, -1, 0x1p-50)] = true
	}
	require.Greater(t, len(values), 3)
}

// a·m + b·m becomes (a+b)·m for some seeds.
func TestFactoring(t *testing.T) {
	k := build(4, relaxed, func(b *ir.Builder, x []ir.Reg) ir.Reg {
		p, q := b.Op(ir.Mul, ir.F32, x[0], x[2]), b.Op(ir.Mul, ir.F32, x[1], x[2])
		return b.Op(ir.Add, ir.F32, b.Op(ir.Add, ir.F32, p, q), x[3])
	})
	factored := 0
	for seed := range 40 {
		out, err := Apply(k, model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}, Seed: uint64(seed)})
		require.NoError(t, err)
		require.Equal(t, uint64(math.Float32bits(41)), straight(t, out, 2, 3, 7, 6))
		if strings.Count(out.String(), "mul") == 1 {
			factored++
		}
	}
	require.Greater(t, factored, 5)
	require.Less(t, factored, 35)
}

// Values are not carried past where their registers may have been written: in loops, after branches, after returns.
func TestNamesEndAtBranches(t *testing.T) {
	const text = `
kernel "k"
statements 9
buffer %1 "a" index=0 device elem=4 align=4
buffer %2 "o" index=1 device elem=4 align=4
{
  %3:f32 = load [%1]
  %4:f32 = const 0x1p+0
  %5:f32 = mul %3, %3 s1 fp=contract_fast|reassoc
  %6:bool = lt f32 %3, %4
  if %6 {
    %5 = const 0x1p+1
  }
  %7:f32 = add %5, %4 s2 fp=contract_fast|reassoc
  store f32 [%2], %7
  loop 1 {
    %8:f32 = sub %7, %4 s3 fp=contract_fast|reassoc
    %7 = mul %8, %8 s4 fp=contract_fast|reassoc
    if %6 {
      leave 1
    }
  }
  scope 2 {
    if %6 {
      leave 2
    }
    %7 = mul %3, %3 s5 fp=contract_fast|reassoc
  }
  %9:f32 = add %7, %4 s6 fp=contract_fast|reassoc
  store f32 [%2], %9
}
`
	k, err := ir.Parse(text)
	require.NoError(t, err)
	out := apply(t, k, "rne ftz=off contract=fast reassoc nsz recip")
	require.NotContains(t, out.String(), "fma")
	// Without the branches all three sums take a product in.
	flat := strings.NewReplacer("if %6 {\n    %5 = const 0x1p+1\n  }\n", "", "  scope 2 {\n    if %6 {\n      leave 2\n    }\n", "", "s5 fp=contract_fast|reassoc\n  }", "s5 fp=contract_fast|reassoc").Replace(text)
	k, err = ir.Parse(flat)
	require.NoError(t, err, flat)
	require.Equal(t, 2, strings.Count(apply(t, k, "rne ftz=off contract=fast").String(), "fma"))
}

func TestPlainIsTheSameKernel(t *testing.T) {
	k := build(2, fast, twoSum)
	out, err := Apply(k, model.Behaviour{Seed: 7, Order: "reverse"})
	require.NoError(t, err)
	require.Same(t, k, out)
}
