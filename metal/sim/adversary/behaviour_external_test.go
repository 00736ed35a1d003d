package adversary_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// launch runs k once and returns the first buffer's bytes and the findings.
func launch(t *testing.T, k *ir.Kernel, groups, threads int, o engine.Options, args ...engine.Arg) ([]byte, []model.Finding) {
	t.Helper()
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	grid, group := line(groups, threads)
	r, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: args}, o)
	require.NoError(t, err)
	if len(args) == 0 {
		return nil, r.Findings
	}
	return args[0].Mem.Bytes, r.Findings
}

// noteOrder has every thread take a ticket, or add its number to a float.
func noteOrder() *ir.Kernel {
	b := ir.NewBuilder("tickets")
	out := b.Buffer("out", 0, ir.Device, 4)
	next := b.Buffer("next", 1, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	ticket := func(round int64) {
		r := b.Reg(ir.U32)
		b.Memory(ir.Instr{Op: ir.AtomicAdd, Type: ir.U32, A: next, C: b.Int(ir.U32, 1), Dst: r})
		b.Store(ir.U32, out, i, 12, 4*round, r)
	}
	ticket(0)
	ticket(1)
	b.Barrier(3)
	ticket(2)
	return b.Kernel()
}

func TestOrders(t *testing.T) {
	const groups, threads = 3, 4
	tickets := func(b model.Behaviour) []uint32 {
		mem := &engine.Memory{Bytes: make([]byte, 12*groups*threads)}
		out, found := launch(t, noteOrder(), groups, threads, engine.Options{Checks: true, Behaviour: b}, engine.Arg{Mem: mem}, engine.Arg{Mem: words(0)})
		require.Empty(t, found)
		return values(out)
	}
	var forward, backward []uint32
	for g := range uint32(groups) {
		for i := range uint32(threads) {
			forward = append(forward, 12*g+2*i, 12*g+2*i+1, 12*g+8+i)
		}
	}
	for n := range uint32(groups * threads) {
		g, i := groups-1-n/threads, threads-1-n%threads
		backward = append(backward, 12*g+2*i, 12*g+2*i+1, 12*g+8+i)
	}
	require.Equal(t, forward, tickets(model.Behaviour{}))
	require.Equal(t, backward, tickets(model.Behaviour{Order: "reverse"}))

	for _, order := range []string{"stages", "accesses"} {
		met := map[string]bool{}
		together, apart, crossed := 0, 0, 0
		for seed := range uint64(200) {
			got := tickets(model.Behaviour{Order: order, Seed: seed})
			require.Equal(t, got, tickets(model.Behaviour{Order: order, Seed: seed}), "a seed replays")
			met[fmt.Sprint(got)] = true
			for n := range groups * threads {
				if got[3*n+1] == got[3*n]+1 {
					together++
				} else {
					apart++
				}
				require.Greater(t, got[3*n+2], got[3*(n/threads*threads)+1], "a barrier orders")
			}
			if got[2] > got[3*threads] && got[0] < got[3*threads] {
				crossed++ // group 1 came between the intervals of group 0
			}
		}
		require.Greater(t, len(met), 150, "%s: few schedules are drawn", order)
		require.Positive(t, crossed, order)
		require.Positive(t, together, order)
		if order == "stages" {
			require.Zero(t, apart, "between barriers a thread runs alone")
		} else {
			require.Positive(t, apart)
		}
	}
}

// treeKernel adds up a threadgroup's floats by halves, rightly or without its barriers.
func treeKernel(barrier bool) *ir.Kernel {
	b := ir.NewBuilder("tree")
	out := b.Buffer("out", 0, ir.Device, 4)
	x := b.Buffer("x", 1, ir.Device, 4)
	gid := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	tid := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	grp := b.Input(ir.ThreadgroupPositionInGrid, 0, ir.U32)
	n := b.Input(ir.ThreadsPerThreadgroup, 0, ir.U32)
	tmp := b.Object(ir.Object{Name: "tmp", Space: ir.Threadgroup, Size: 256, Align: 4, Elem: 4})
	b.Store(ir.F32, tmp, tid, 4, 0, b.Load(ir.F32, x, gid, 4, 0))
	b.Barrier(2)
	s, one := b.Reg(ir.U32), b.Int(ir.U32, 1)
	b.Set(s, ir.U32, b.Op(ir.Shr, ir.U32, n, one))
	b.Loop(func(label int32) {
		b.If(b.Op(ir.Eq, ir.U32, s, b.Int(ir.U32, 0)), func() { b.Leave(label) }, nil)
		b.If(b.Op(ir.Lt, ir.U32, tid, s), func() {
			a := b.Load(ir.F32, tmp, tid, 4, 0)
			c := b.Load(ir.F32, tmp, b.Op(ir.Add, ir.U32, tid, s), 4, 0)
			b.Store(ir.F32, tmp, tid, 4, 0, b.Op(ir.Add, ir.F32, a, c))
		}, nil)
		if barrier {
			b.Barrier(2)
		}
		b.Set(s, ir.U32, b.Op(ir.Shr, ir.U32, s, one))
	})
	b.If(b.Op(ir.Eq, ir.U32, tid, b.Int(ir.U32, 0)), func() {
		b.Store(ir.F32, out, grp, 4, 0, b.Load(ir.F32, tmp, 0, 0, 0))
	}, nil)
	return b.Kernel()
}

func TestRaceFreeKernelsGiveTheSameBits(t *testing.T) {
	x := &engine.Memory{}
	for i := range 5 * 64 {
		x.Bytes = binary.LittleEndian.AppendUint32(x.Bytes, math.Float32bits(float32(i*i%97)/7))
	}
	sums := func(k *ir.Kernel, o engine.Options) string {
		out, _ := launch(t, k, 5, 64, o, engine.Arg{Mem: words(0, 0, 0, 0, 0)}, engine.Arg{Mem: x})
		return fmt.Sprintf("%x", out)
	}
	good, bad := treeKernel(true), treeKernel(false)
	right := sums(good, engine.Options{})
	wrong := map[string]bool{}
	for seed := range uint64(30) {
		for n, order := range []string{"", "reverse", "stages", "accesses"} {
			b := model.Behaviour{Order: order, Seed: seed, SIMDWidth: 1 << (seed % 7), Poison: seed&1 == 1}
			require.Equal(t, right, sums(good, engine.Options{Behaviour: b, Checks: n&1 == 1}), "%s", b)
			wrong[sums(bad, engine.Options{Behaviour: b})] = true
		}
	}
	require.Greater(t, len(wrong), 10, "the missing barrier is hardly seen")
}

// stray reads a threadgroup word and a thread word that nobody wrote, and a shuffle from a lane beyond the others.
func stray() *ir.Kernel {
	b := ir.NewBuilder("stray")
	out := b.Buffer("out", 0, ir.Device, 8)
	in := b.Buffer("in", 1, ir.Device, 8)
	i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	g := b.Object(ir.Object{Name: "g", Space: ir.Threadgroup, Size: 64, Align: 8, Elem: 8})
	own := b.Object(ir.Object{Name: "own", Space: ir.Thread, Size: 64, Align: 8, Elem: 8})
	b.Store(ir.U64, out, i, 32, 0, b.Load(ir.U64, g, i, 8, 0))
	b.Store(ir.U64, out, i, 32, 8, b.Load(ir.U64, own, i, 8, 0))
	b.Store(ir.U64, out, i, 32, 16, b.Load(ir.U64, in, i, 8, 0))
	lane := b.Op(ir.SimdShuffle, ir.U32, i, b.Int(ir.U16, 9))
	b.Store(ir.U32, out, i, 32, 24, lane)
	u := b.Reg(ir.U32)
	b.Instr(ir.Instr{Op: ir.Undef, Type: ir.U32, Dst: u})
	b.Store(ir.U32, out, i, 32, 28, u)
	return b.Kernel()
}

func TestPoison(t *testing.T) {
	get := func(b model.Behaviour) []byte {
		in := &engine.Memory{Bytes: make([]byte, 32), Init: make([]byte, 32), Name: "in"}
		out, found := launch(t, stray(), 1, 4, engine.Options{Checks: true, Behaviour: b}, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 128)}}, engine.Arg{Mem: in})
		kinds := map[model.FindingKind]int{}
		for _, f := range found {
			kinds[f.Kind]++
		}
		require.Equal(t, map[model.FindingKind]int{model.FindingUninitialised: 1, model.FindingInactiveLane: 1}, kinds, "one place, one finding")
		return out
	}
	require.Equal(t, make([]byte, 128), get(model.Behaviour{Seed: 5}))
	a := get(model.Behaviour{Poison: true, Seed: 5})
	require.Equal(t, a, get(model.Behaviour{Poison: true, Seed: 5}))
	require.NotEqual(t, a, get(model.Behaviour{Poison: true, Seed: 6}))
	classes := map[string]bool{}
	for seed := range uint64(50) {
		v := get(model.Behaviour{Poison: true, Seed: seed})
		for _, w := range values(v) {
			f := float64(math.Float32frombits(w))
			switch {
			case math.IsNaN(f):
				classes["nan"] = true
			case math.Abs(f) > 1e30:
				classes["huge"] = true
			case f != 0 && math.Abs(f) < 1e-37:
				classes["tiny"] = true
			case math.Abs(f) > 0.1 && math.Abs(f) < 10:
				classes["plausible"] = true
			}
		}
		for n := range 4 {
			require.NotEqual(t, make([]byte, 32), v[32*n:32*n+32])
		}
	}
	require.Len(t, classes, 4)
}

func TestLibraryFunctionsErrInsideTheirLimits(t *testing.T) {
	b := ir.NewBuilder("exp")
	x := b.Buffer("x", 0, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	b.Store(ir.F32, x, i, 4, 0, b.Op(ir.Exp, ir.F32, b.Load(ir.F32, x, i, 4, 0)))
	k := b.Kernel()
	get := func(o model.Behaviour) []uint32 {
		out, _ := launch(t, k, 8, 8, engine.Options{Behaviour: o}, engine.Arg{Mem: &engine.Memory{Bytes: bytes.Repeat(words(0x3f812345).Bytes, 64)}})
		return values(out)
	}
	exact := get(model.Behaviour{Seed: 3})
	off := get(model.Behaviour{ULP: true, Seed: 3})
	require.Equal(t, off, get(model.Behaviour{ULP: true, Seed: 3}))
	require.NotEqual(t, off, get(model.Behaviour{ULP: true, Seed: 4}))
	met := map[int]bool{}
	for n := range off {
		d := int(int32(off[n] - exact[n]))
		require.LessOrEqual(t, max(d, -d), 5) // exp has 4 ulps, and the exact value need not be a number
		met[d] = true
	}
	require.Greater(t, len(met), 3, "threads err alike")
}

// TestFindings provokes each kind once, on a line of its own.
func TestFindings(t *testing.T) {
	type maker func(b *ir.Builder, x, i ir.Reg)
	for _, c := range []struct {
		name string
		kind model.FindingKind
		text string
		make maker
	}{
		{"bounds", model.FindingOutOfBounds, "thread (7,0,0) writes 4 bytes at byte 32 of device x, which has 32", func(b *ir.Builder, x, i ir.Reg) {
			b.Store(ir.U32, x, i, 4, 4, i)
		}},
		{"below", model.FindingOutOfBounds, "thread (0,0,0) reads 8 bytes at byte -8 of device x, which has 32", func(b *ir.Builder, x, i ir.Reg) {
			b.Load(ir.U64, x, i, 4, -8)
		}},
		{"aligned", model.FindingMisaligned, "thread (0,0,0) reads 4 bytes at byte 2 of device x, and an address that is a multiple of 4 is needed", func(b *ir.Builder, x, i ir.Reg) {
			b.Load(ir.U32, x, 0, 0, 2)
		}},
		{"null", model.FindingOutOfBounds, "thread (0,0,0) accesses atomically 4 bytes at byte 12 through a null pointer", func(b *ir.Builder, x, i ir.Reg) {
			b.Memory(ir.Instr{Op: ir.AtomicAdd, Type: ir.U32, A: b.Const(ir.Ptr, 0), C: i, Imm: 12})
		}},
		{"init", model.FindingUninitialised, "thread (0,0,0) uses a value that depends on byte 4 of thread v, which was never written when it was read at k.metal:7:3", func(b *ir.Builder, x, i ir.Reg) {
			v := b.Object(ir.Object{Name: "v", Space: ir.Thread, Size: 8, Align: 4, Elem: 4})
			b.Store(ir.U32, v, 0, 0, 0, i)
			b.Load(ir.U32, v, 0, 0, 0)
			w := b.Load(ir.U32, v, 0, 0, 4)
			b.Store(ir.U32, x, i, 4, 0, b.Op(ir.Add, ir.U32, w, w))
		}},
		{"integer", model.FindingInteger, "thread (1,0,0): signed overflow in add of type i32", func(b *ir.Builder, x, i ir.Reg) {
			v := b.From(ir.Convert, ir.I32, ir.U32, i)
			b.Op(ir.Add, ir.I32, v, b.Int(ir.I32, math.MaxInt32))
		}},
		{"branch", model.FindingBarrier, "thread (1,0,0) waits at a barrier of its threadgroup that thread (0,0,0) does not reach: that one is at k.metal:9:1", func(b *ir.Builder, x, i ir.Reg) {
			b.If(b.Op(ir.Lt, ir.U32, b.Int(ir.U32, 0), i), func() { b.Barrier(2) }, nil)
			b.Pos = 2
			b.Barrier(1)
		}},
		{"return", model.FindingBarrier, "warning: thread (0,0,0) returned before, at k.metal:9:1, and thread (1,0,0) waits at a barrier of its threadgroup; most devices allow that", func(b *ir.Builder, x, i ir.Reg) {
			b.Pos = 2
			b.If(b.Op(ir.Eq, ir.U32, b.Int(ir.U32, 0), i), func() { b.Leave(0) }, nil)
			b.Pos = 1
			b.Barrier(2)
		}},
		{"simd", model.FindingBarrier, "thread (1,0,0) waits at a barrier of its simdgroup that thread (0,0,0) does not reach: that one is at k.metal:9:1", func(b *ir.Builder, x, i ir.Reg) {
			b.If(b.Op(ir.Eq, ir.U32, b.Int(ir.U32, 0), i), func() {
				b.Pos = 2
				b.Barrier(2)
				b.Pos = 1
			}, func() { b.Instr(ir.Instr{Op: ir.SimdBarrier, Imm: 2}) })
		}},
		{"lane", model.FindingInactiveLane, "thread (0,0,0) uses a value that depends on what simd_shuffle at k.metal:7:3 took from a lane that was not active", func(b *ir.Builder, x, i ir.Reg) {
			b.Store(ir.U32, x, 0, 0, 0, b.Op(ir.SimdShuffle, ir.U32, i, b.Int(ir.U16, 40)))
		}},
		{"steps", model.FindingSteps, "the dispatch was stopped after 100000 instructions, while thread (0,0,0) ran; the kernel does not end, or Options.Steps is to be larger", func(b *ir.Builder, x, i ir.Reg) {
			b.Loop(func(int32) { b.Op(ir.Add, ir.U32, i, i) })
		}},
	} {
		b := ir.NewBuilder(c.name)
		x := b.Buffer("x", 0, ir.Device, 4)
		i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
		b.Pos = 1
		c.make(b, x, i)
		k := b.Kernel()
		k.Places = []model.Position{{}, {File: "k.metal", Line: 7, Column: 3}, {File: "k.metal", Line: 9, Column: 1}}
		_, found := launch(t, k, 1, 8, engine.Options{Checks: true, Steps: 100000}, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 32)}})
		require.NotEmpty(t, found, c.name)
		require.Equal(t, c.kind, found[0].Kind, c.name)
		require.Equal(t, c.text, found[0].Text)
		require.Equal(t, "k.metal:7:3", found[0].Pos.String())
		require.Equal(t, c.name, found[0].Kernel)
		for _, order := range []string{"reverse", "stages", "accesses"} {
			_, found := launch(t, k, 1, 8, engine.Options{Checks: true, Steps: 100000, Behaviour: model.Behaviour{Order: order}}, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 32)}})
			kinds := map[model.FindingKind]bool{}
			for _, f := range found {
				kinds[f.Kind] = true
			}
			require.True(t, kinds[c.kind], "%s %s", c.name, order)
		}
		_, found = launch(t, k, 1, 8, engine.Options{Steps: 100000}, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 32)}})
		require.Equal(t, c.kind == model.FindingSteps, len(found) > 0, "%s: findings without checks", c.name)
	}
}

func TestBadLaunches(t *testing.T) {
	k := treeKernel(true)
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	size := func(n int) model.Size3 { return model.Size3{X: n, Y: 1, Z: 1} }
	good := []engine.Arg{{Mem: words(0)}, {Mem: words(0)}}
	line16 := size(16)
	for _, c := range []struct {
		want string
		d    *engine.Dispatch
		o    engine.Options
	}{
		{"no dispatch", nil, engine.Options{}},
		{"a size that is not between", &engine.Dispatch{Grid: size(0), Group: size(1), Args: good}, engine.Options{}},
		{"a size that is not between", &engine.Dispatch{Grid: size(1), Group: size(-1), Args: good}, engine.Options{}},
		{"too many threadgroups", &engine.Dispatch{Grid: model.Size3{X: 1 << 31, Y: 1 << 31, Z: 1 << 31}, Group: size(1), Args: good}, engine.Options{}},
		{"more than 65536 threads", &engine.Dispatch{Grid: size(1 << 20), Group: size(1 << 20), Args: good}, engine.Options{}},
		{"1 arguments for 2 buffers", &engine.Dispatch{Grid: size(1), Group: size(1), Args: good[:1]}, engine.Options{}},
		{"nothing is bound at buffer x (1)", &engine.Dispatch{Grid: size(1), Group: size(1), Args: []engine.Arg{good[0], {}}}, engine.Options{}},
		{"starts at byte 5 of 4", &engine.Dispatch{Grid: size(1), Group: size(1), Args: []engine.Arg{good[0], {Mem: words(0), Offset: 5}}}, engine.Options{}},
		{"1 marks", &engine.Dispatch{Grid: size(1), Group: size(1), Args: []engine.Arg{good[0], {Mem: &engine.Memory{Bytes: make([]byte, 4), Init: []byte{1}}}}}, engine.Options{}},
		{"1 to 1024 lanes", &engine.Dispatch{Grid: size(1), Group: size(1), Args: good}, engine.Options{SIMDWidth: 2000}},
		{"rounds to nearest even or toward zero", &engine.Dispatch{Grid: size(1), Group: size(1), Args: good}, engine.Options{Behaviour: model.Behaviour{Rounding: model.TowardPositive}}},
		{"no order is called", &engine.Dispatch{Grid: size(1), Group: size(1), Args: good}, engine.Options{Behaviour: model.Behaviour{Order: "random"}}},
	} {
		_, err := p.Run(c.d, c.o)
		require.ErrorContains(t, err, c.want)
		_, err = p.Outcomes(c.d, c.o, 10, func([]engine.Memory) bool { return true })
		require.ErrorContains(t, err, c.want)
	}

	// Kernels that ask for too much.
	for want, size := range map[string]int{"at most": 1 << 40, "make it smaller": 1 << 26} {
		b := ir.NewBuilder("big")
		b.Object(ir.Object{Name: "big", Space: ir.Thread, Size: size, Align: 4})
		p, err := adversary.Compile(b.Kernel())
		require.NoError(t, err)
		_, err = p.Run(&engine.Dispatch{Grid: line16, Group: line16}, engine.Options{})
		require.ErrorContains(t, err, want)
	}

	// A grid that never ends, of threads that do.
	b := ir.NewBuilder("empty")
	p, err = adversary.Compile(b.Kernel())
	require.NoError(t, err)
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		r, err := p.Run(&engine.Dispatch{Grid: model.Size3{X: 1 << 31, Y: 1 << 20, Z: 1}, Group: size(3)}, engine.Options{Steps: 1e5, Behaviour: model.Behaviour{Order: order}})
		require.NoError(t, err)
		require.Len(t, r.Findings, 1)
		require.Equal(t, model.FindingSteps, r.Findings[0].Kind)
	}
	_, err = adversary.Compile(nil)
	require.Error(t, err)
	_, err = adversary.Compile(&ir.Kernel{Name: "bad", Regs: []ir.Type{ir.Void}, Body: ir.Block{&ir.Instr{Op: ir.Add, Type: ir.U32, Dst: 7, A: 8, B: 9}}})
	require.ErrorContains(t, err, "bad")
}
