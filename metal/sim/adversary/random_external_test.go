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
		plain, err := f.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: want}}}, engine.Options{Workers: 1, SIMDWidth: width})
		require.NoError(t, err)
		results[string(want.Bytes)] = true
		for n, order := range []string{"", "reverse", "stages", "accesses"} {
			got := &engine.Memory{Bytes: make([]byte, len(want.Bytes))}
			r, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: got}}},
				engine.Options{SIMDWidth: width, Checks: seed%2 == uint64(n%2), Behaviour: model.Behaviour{Order: order, Seed: seed}})
			require.NoError(t, err)
			require.Empty(t, r.Findings)
			require.Equal(t, plain.Steps, r.Steps, "kernel %d, order %q: steps\n%s", seed, order, k)
			if string(want.Bytes) != string(got.Bytes) {
				t.Fatalf("kernel %d, width %d, order %q: not what the fast engine gives\n%s", seed, width, order, k)
			}
		}
	}
	require.Greater(t, len(results), int(kernels)*3/4)
}

// sharing draws a kernel whose three or four threads write few values to few words that they share, and read them.
func sharing(n *noise) *ir.Kernel {
	b := ir.NewBuilder("sharing")
	below := func(k int) int { return int(n.next() >> 33 % uint64(k)) }
	x, out := b.Buffer("x", 0, ir.Device, 4), b.Buffer("out", 1, ir.Device, 4)
	tmp := b.Object(ir.Object{Name: "tmp", Space: ir.Threadgroup, Size: 16, Align: 4, Elem: 4})
	gid, tid := b.Input(ir.ThreadPositionInGrid, 0, ir.U32), b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	v := b.Reg(ir.U32)
	b.Set(v, ir.U32, b.Int(ir.U32, 7))
	value := func() ir.Reg {
		if below(6) == 0 {
			return v
		}
		return b.Int(ir.U32, int64(below(8)/7))
	}
	step := func() {
		p := []ir.Reg{x, tmp}[below(2)]
		if at := int64(4 * below(2)); below(4) == 0 {
			b.Set(v, ir.U32, b.Load(ir.U32, p, 0, 0, at))
		} else {
			b.Store(ir.U32, p, 0, 0, at, value())
		}
	}
	b.Store(ir.U32, tmp, tid, 4, 0, b.Int(ir.U32, 0))
	b.Barrier(3)
	for range 1 + below(6) {
		switch below(4) {
		case 0:
			step()
		case 1:
			b.Barrier(3)
		default:
			who := []ir.Reg{gid, tid}[below(2)]
			b.If(b.Op(ir.Eq, ir.U32, who, b.Int(ir.U32, int64(below(4)))), step, nil)
		}
	}
	b.Store(ir.U32, out, gid, 4, 0, v)
	return b.Kernel()
}

// TestNoRaceIsOneOutcome: where the fast engine finds no race, all orders of accesses leave the same memory, stores of the same bits included.
func TestNoRaceIsOneOutcome(t *testing.T) {
	n := noise(5)
	kernels, calm := 1500, 0
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		kernels = 50000
	}
	for i := range kernels {
		k := sharing(&n)
		threads, group := []int{3, 2, 4}[i%3], []int{3, 1, 2}[i%3]
		grid, size := line(threads/group, group)
		dispatch := func() *engine.Dispatch {
			mem := func(words int) engine.Arg { return engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 4*words)}} }
			return &engine.Dispatch{Kernel: k, Grid: grid, Group: size, Args: []engine.Arg{mem(2), mem(threads)}}
		}
		f, err := fast.Compile(k)
		require.NoError(t, err)
		r, err := f.Run(dispatch(), engine.Options{Checks: true, Workers: 1 + i%2})
		require.NoError(t, err)
		if len(r.Findings) > 0 {
			continue
		}
		calm++
		p, err := adversary.Compile(k)
		require.NoError(t, err)
		outcomes := map[string]bool{}
		whole, err := p.Outcomes(dispatch(), engine.Options{Behaviour: model.Behaviour{Order: "accesses"}}, 1<<16, func(mem []engine.Memory) bool {
			outcomes[string(mem[0].Bytes)+string(mem[1].Bytes)] = true
			return true
		})
		require.NoError(t, err)
		require.True(t, whole)
		if len(outcomes) != 1 {
			t.Fatalf("kernel %d, %d threads in threadgroups of %d: no race found, and %d outcomes\n%s", i, threads, group, len(outcomes), k)
		}
	}
	t.Logf("%d of %d kernels without a race", calm, kernels)
	require.Greater(t, calm, kernels/5)
}
