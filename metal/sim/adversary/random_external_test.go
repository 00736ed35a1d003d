package adversary_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// maker draws kernels without races: ifs, loops, scopes and SIMD operations in any nesting, over variables and the thread's own words.
type maker struct {
	b      *ir.Builder
	n      noise
	vars   []ir.Reg
	out, i ir.Reg
	labels []int32
	slot   ir.Reg
	left   int
}

func (m *maker) below(n int) int { return int(m.n.next() >> 33 % uint64(n)) }

func (m *maker) variable() ir.Reg { return m.vars[m.below(len(m.vars))] }

func (m *maker) block(depth int) {
	b := m.b
	for range 1 + m.below(5) {
		if m.left--; m.left < 0 {
			return
		}
		v, w := m.variable(), m.variable()
		switch c := m.below(12); {
		case c < 4:
			ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.And, ir.Or, ir.Min, ir.MulHi, ir.Rotate}
			b.Set(v, ir.U32, b.Op(ops[m.below(len(ops))], ir.U32, w, m.variable()))
		case c == 4:
			b.Store(ir.U32, m.out, m.slot, 4, int64(4*m.below(8)), w)
		case c == 5:
			b.Set(v, ir.U32, b.Load(ir.U32, m.out, m.slot, 4, int64(4*m.below(8))))
		case c == 6:
			ops := []ir.Op{ir.SimdSum, ir.SimdMax, ir.SimdXor, ir.SimdPrefixSum, ir.SimdBroadcastLow}
			b.Set(v, ir.U32, b.Op(ops[m.below(len(ops))], ir.U32, w))
		case c < 9 && depth < 4:
			less := b.Op([]ir.Op{ir.Lt, ir.Eq, ir.Le}[m.below(3)], ir.U32, b.Op(ir.And, ir.U32, v, b.Int(ir.U32, 3)), b.Op(ir.And, ir.U32, w, b.Int(ir.U32, 3)))
			b.If(less, func() { m.block(depth + 1) }, func() {
				if m.below(2) == 0 {
					m.block(depth + 1)
				}
			})
		case c == 9 && depth < 4:
			b.Scope(func(label int32) { m.inside(label, depth) })
		case c == 10 && depth < 3:
			n := b.Reg(ir.U32)
			b.Set(n, ir.U32, b.Int(ir.U32, 0))
			b.Loop(func(label int32) {
				end := b.Op(ir.Le, ir.U32, b.Op(ir.And, ir.U32, w, b.Int(ir.U32, 3)), n)
				b.If(end, func() { b.Leave(label) }, nil)
				b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, b.Int(ir.U32, 1)))
				b.If(b.Op(ir.Eq, ir.U32, n, b.Int(ir.U32, 6)), func() { b.Leave(label) }, nil)
				m.inside(label, depth)
			})
		case c == 11 && len(m.labels) > 0 && m.below(2) == 0:
			label := m.labels[m.below(len(m.labels))]
			b.If(b.Op(ir.Lt, ir.U32, v, w), func() { b.Leave(label) }, nil)
		}
	}
}

func (m *maker) inside(label int32, depth int) {
	m.labels = append(m.labels, label)
	m.block(depth + 1)
	m.labels = m.labels[:len(m.labels)-1]
}

func drawnKernel(seed uint64) *ir.Kernel {
	b := ir.NewBuilder("drawn")
	m := &maker{b: b, n: noise(seed), left: 40}
	m.out = b.Buffer("out", 0, ir.Device, 4)
	m.i = b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	m.slot = b.Op(ir.Mul, ir.U32, m.i, b.Int(ir.U32, 8))
	for n := range 5 {
		v := b.Reg(ir.U32)
		b.Set(v, ir.U32, b.Op(ir.Mul, ir.U32, m.i, b.Int(ir.U32, int64(n)*77+int64(m.below(9)))))
		m.vars = append(m.vars, v)
	}
	for m.left > 0 {
		m.block(0)
	}
	for n, v := range m.vars {
		b.Store(ir.U32, m.out, m.slot, 4, int64(4*n), v)
	}
	return b.Kernel()
}

// TestDrawnKernels holds every order to the fast engine, on kernels whose result does not depend on it.
func TestDrawnKernels(t *testing.T) {
	kernels := uint64(300)
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		kernels = 20000
	}
	const groups, threads = 2, 13
	grid, group := line(groups, threads)
	results := map[string]bool{}
	for seed := range kernels {
		k := drawnKernel(seed)
		f, err := fast.Compile(k)
		require.NoError(t, err)
		p, err := adversary.Compile(k)
		require.NoError(t, err)
		width := []int{4, 5, 8, 32}[seed%4]
		want := &engine.Memory{Bytes: make([]byte, 4*8*groups*threads)}
		_, err = f.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: want}}}, engine.Options{Workers: 1, SIMDWidth: width})
		require.NoError(t, err)
		results[string(want.Bytes)] = true
		for n, order := range []string{"", "reverse", "stages", "accesses"} {
			got := &engine.Memory{Bytes: make([]byte, len(want.Bytes))}
			r, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: got}}},
				engine.Options{SIMDWidth: width, Checks: seed%2 == uint64(n%2), Behaviour: model.Behaviour{Order: order, Seed: seed}})
			require.NoError(t, err)
			require.Empty(t, r.Findings)
			if string(want.Bytes) != string(got.Bytes) {
				t.Fatalf("kernel %d, width %d, order %q: not what the fast engine gives\n%s", seed, width, order, k)
			}
		}
	}
	require.Greater(t, len(results), int(kernels)*3/4)
}
