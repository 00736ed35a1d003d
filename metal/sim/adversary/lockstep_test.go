package adversary

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// races draws kernels whose threads share memory: mostly their own words, words of a neighbour with a barrier in between, and now
// and then without one.
type races struct {
	b           *ir.Builder
	s           source
	vars        []ir.Reg
	x, tmp, own ir.Reg
	tid, gid, n ir.Reg
	left        int
	risky       bool
}

func (r *races) variable() ir.Reg { return r.vars[r.s.below(len(r.vars))] }

// place returns a buffer and an index in it.
func (r *races) place(write bool) (p, index ir.Reg, scale uint32) {
	b := r.b
	shift := int64(0)
	if r.risky && r.s.below(8) == 0 || !write && r.s.below(40) == 0 {
		shift = int64(1 + r.s.below(2))
	}
	move := func(i ir.Reg) ir.Reg {
		if shift == 0 {
			return i
		}
		return b.Op(ir.Add, ir.U32, i, b.Int(ir.U32, shift))
	}
	switch r.s.below(3) {
	case 0:
		return r.x, move(r.gid), 4
	case 1:
		return r.tmp, move(r.tid), 4
	}
	return r.own, b.Op(ir.And, ir.U32, r.variable(), b.Int(ir.U32, 3)), 4
}

func (r *races) block(depth int, top bool) {
	b := r.b
	for range 1 + r.s.below(6) {
		if r.left--; r.left < 0 {
			return
		}
		v, w := r.variable(), r.variable()
		switch c := r.s.below(15); {
		case c < 4:
			ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Xor, ir.And, ir.Or, ir.Min, ir.Max, ir.MulHi, ir.Rotate}
			b.Set(v, ir.U32, b.Op(ops[r.s.below(len(ops))], ir.U32, w, r.variable()))
		case c == 4:
			by := b.Op(ir.And, ir.U32, w, b.Int(ir.U32, 31))
			b.Set(v, ir.U32, b.Op([]ir.Op{ir.Shl, ir.Shr}[r.s.below(2)], ir.U32, v, by))
		case c == 5:
			b.Set(v, ir.U32, b.Op(ir.Select, ir.U32, b.Op(ir.Lt, ir.U32, v, w), r.variable(), r.variable()))
		case c < 8:
			p, i, scale := r.place(true)
			b.Store(ir.U32, p, i, scale, 0, w)
		case c < 10:
			p, i, scale := r.place(false)
			b.Set(v, ir.U32, b.Load(ir.U32, p, i, scale, 0))
		case c == 10 && depth < 3:
			low := func(v ir.Reg) ir.Reg { return b.Op(ir.And, ir.U32, v, b.Int(ir.U32, 3)) }
			less := b.Op([]ir.Op{ir.Lt, ir.Eq, ir.Le, ir.Ne}[r.s.below(4)], ir.U32, low(v), low(w))
			b.If(less, func() { r.block(depth+1, false) }, func() {
				if r.s.below(2) == 0 {
					r.block(depth+1, false)
				}
			})
		case c == 11 && depth < 2:
			n := b.Reg(ir.U32)
			b.Set(n, ir.U32, b.Int(ir.U32, 0))
			limit := b.Op(ir.And, ir.U32, w, b.Int(ir.U32, 3))
			if top {
				limit = b.Int(ir.U32, 3)
			}
			b.Loop(func(label int32) {
				b.If(b.Op(ir.Le, ir.U32, limit, n), func() { b.Leave(label) }, nil)
				b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, b.Int(ir.U32, 1)))
				r.block(depth+1, top)
			})
		case c == 12 && r.risky && r.s.below(12) == 0:
			b.Set(v, ir.U32, b.Op(ir.SimdSum, ir.U32, w))
		case top:
			if r.s.below(2) == 0 { // all write one word, mostly the same
				alike := b.Int(ir.U32, int64(r.s.below(9)))
				if r.s.below(40) == 0 {
					alike = w
				}
				b.Store(ir.U32, r.tmp, 0, 0, 4*raceThreads, alike)
				b.Store(ir.U32, r.x, 0, 0, 4*raceGroups*raceThreads, b.Int(ir.U32, 6))
				if r.s.below(40) == 0 {
					b.Set(v, ir.U32, b.Load(ir.U32, r.tmp, 0, 0, 4*raceThreads))
				}
				b.Barrier(3)
				b.Set(w, ir.U32, b.Load(ir.U32, r.tmp, 0, 0, 4*raceThreads))
			}
			b.Barrier(3)
			// What another thread wrote, after the barrier.
			other := b.Op(ir.Rem, ir.U32, b.Op(ir.Add, ir.U32, r.tid, b.Int(ir.U32, int64(1+r.s.below(5)))), r.n)
			b.Set(v, ir.U32, b.Load(ir.U32, r.tmp, other, 4, 0))
			if !r.risky || r.s.below(3) > 0 {
				b.Barrier(3)
			}
		}
	}
}

const raceThreads, raceGroups = 19, 3

func raceKernel(seed uint64) *ir.Kernel {
	b := ir.NewBuilder("races")
	r := &races{b: b, s: newSource(seed, 99), left: 40, risky: seed%2 == 1}
	r.x = b.Buffer("x", 0, ir.Device, 4)
	r.gid = b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	r.tid = b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	r.n = b.Input(ir.ThreadsPerThreadgroup, 0, ir.U32)
	r.tmp = b.Object(ir.Object{Name: "tmp", Space: ir.Threadgroup, Size: 4 * (raceThreads + 2), Align: 4, Elem: 4})
	r.own = b.Object(ir.Object{Name: "own", Space: ir.Thread, Size: 16, Align: 4, Elem: 4})
	for n := range 5 {
		v := b.Reg(ir.U32)
		b.Set(v, ir.U32, b.Op(ir.Mul, ir.U32, []ir.Reg{r.gid, r.n}[r.s.below(2)], b.Int(ir.U32, int64(n)*77+int64(r.s.below(9)))))
		r.vars = append(r.vars, v)
	}
	for r.left > 0 {
		r.block(0, true)
	}
	for _, v := range r.vars {
		b.Store(ir.U32, r.x, r.gid, 4, 0, b.Op(ir.Add, ir.U32, v, b.Load(ir.U32, r.x, r.gid, 4, 0)))
	}
	return b.Kernel()
}

// TestLockstepIsASchedule holds lockstep runs to runs thread by thread: the same bits, steps and findings under the same seed, whether
// or not the order of accesses can be seen.
func TestLockstepIsASchedule(t *testing.T) {
	const groups = raceGroups
	grid, group := model.Size3{X: groups*raceThreads - 5, Y: 1, Z: 1}, model.Size3{X: raceThreads, Y: 1, Z: 1}
	together, alone := 0, 0
	for seed := range uint64(250) {
		k := raceKernel(seed)
		p, err := Compile(k)
		require.NoError(t, err)
		for n, order := range []string{"", "reverse", "stages", "accesses"} {
			o := engine.Options{
				SIMDWidth: 8, Checks: (seed/2+uint64(n))%3 == 0,
				Behaviour: model.Behaviour{Order: order, Seed: seed, Poison: seed%4 < 2, ULP: true},
			}
			var results [2]string
			for way := range results {
				mem := &engine.Memory{Bytes: make([]byte, 4*(groups*raceThreads+2))}
				for i := range mem.Bytes {
					mem.Bytes[i] = byte(mix(uint64(i)))
				}
				if o.Checks {
					mem.Init = bytes.Repeat([]byte{1}, len(mem.Bytes))
					mem.Init[len(mem.Init)-1] = 0
				}
				d := &engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: mem}}}
				if way == 1 {
					before := bytes.Clone(mem.Bytes)
					m, err := p.newMachine(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: mem}}}, o, order)
					require.NoError(t, err)
					if m.lockstep() {
						together++
					} else {
						alone++
						require.Equal(t, before[:len(before)-1], mem.Bytes[:len(before)-1], "kernel %d, %q: memory was not put back", seed, order)
					}
					m.release()
					copy(mem.Bytes, before)
					if o.Checks {
						mem.Init[len(mem.Init)-1] = 0
					}
				}
				r, err := p.run(d, o, way == 1)
				require.NoError(t, err)
				results[way] = fmt.Sprint(mem.Bytes, mem.Init, r.Steps, r.Findings)
			}
			if results[0] != results[1] {
				t.Fatalf("kernel %d, order %q: lockstep gives something else\n%s\n%s\n%s", seed, order, results[0], results[1], k)
			}
		}
	}
	t.Logf("%d runs in lockstep, %d not", together, alone)
	require.Greater(t, together, 100)
	require.Greater(t, alone, 100)
}

// TestLockstepRunsBenchmarks says that what is benchmarked runs in lockstep.
func TestLockstepRunsBenchmarks(t *testing.T) {
	p, err := Compile(treeSum())
	require.NoError(t, err)
	x, out := &engine.Memory{Bytes: make([]byte, 4*1024)}, &engine.Memory{Bytes: make([]byte, 16)}
	d := &engine.Dispatch{
		Kernel: p.k, Grid: model.Size3{X: 1024, Y: 1, Z: 1}, Group: model.Size3{X: 256, Y: 1, Z: 1}, Args: []engine.Arg{{Mem: x}, {Mem: out}},
	}
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		m, err := p.newMachine(d, engine.Options{}, order)
		require.NoError(t, err)
		require.True(t, m.lockstep())
		m.release()
	}
}

// TestLockstepSeesWhoElseRead has the last thread write what all threads have read.
func TestLockstepSeesWhoElseRead(t *testing.T) {
	for _, last := range []int64{-1, raceThreads - 1} {
		b := ir.NewBuilder("read")
		x, out := b.Buffer("x", 0, ir.Device, 4), b.Buffer("out", 1, ir.Device, 4)
		tid := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
		v := b.Load(ir.U32, x, 0, 0, 0)
		b.If(b.Op(ir.Eq, ir.U32, tid, b.Int(ir.U32, last)), func() { b.Store(ir.U32, x, 0, 0, 0, tid) }, nil)
		b.Store(ir.U32, out, tid, 4, 0, v)
		p, err := Compile(b.Kernel())
		require.NoError(t, err)
		size := model.Size3{X: raceThreads, Y: 1, Z: 1}
		m, err := p.newMachine(&engine.Dispatch{Kernel: p.k, Grid: size, Group: size, Args: []engine.Arg{
			{Mem: &engine.Memory{Bytes: make([]byte, 4)}}, {Mem: &engine.Memory{Bytes: make([]byte, 4*raceThreads)}},
		}}, engine.Options{}, "stages")
		require.NoError(t, err)
		require.Equal(t, last < 0, m.lockstep())
		m.release()
	}
}

// TestLockstepErrsAlike holds what library functions give, where they err, to threads alone.
func TestLockstepErrsAlike(t *testing.T) {
	b := ir.NewBuilder("errs")
	out := b.Buffer("out", 0, ir.Device, 4)
	id := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	v := b.Reg(ir.F32)
	b.Set(v, ir.F32, b.From(ir.Convert, ir.F32, ir.U32, id))
	n := b.Reg(ir.U32)
	b.Set(n, ir.U32, b.Int(ir.U32, 0))
	b.Loop(func(label int32) {
		b.If(b.Op(ir.Eq, ir.U32, n, b.Int(ir.U32, 5)), func() { b.Leave(label) }, nil)
		b.Set(v, ir.F32, b.Op(ir.Sin, ir.F32, v))
		b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, b.Int(ir.U32, 1)))
	})
	b.Store(ir.F32, out, id, 4, 0, v)
	p, err := Compile(b.Kernel())
	require.NoError(t, err)
	size := model.Size3{X: raceThreads, Y: 1, Z: 1}
	for seed := range uint64(20) {
		var got [2][]byte
		for way := range got {
			mem := &engine.Memory{Bytes: make([]byte, 4*raceThreads)}
			d := &engine.Dispatch{Kernel: p.k, Grid: size, Group: size, Args: []engine.Arg{{Mem: mem}}}
			_, err := p.run(d, engine.Options{Behaviour: model.Behaviour{Order: "stages", ULP: true, Seed: seed}}, way == 1)
			require.NoError(t, err)
			got[way] = mem.Bytes
		}
		require.Equal(t, got[0], got[1])
	}
}

// TestLockstepWritesAlike has all threads of two threadgroups write one word: the same bits need no order, unless somebody reads them.
func TestLockstepWritesAlike(t *testing.T) {
	for name, test := range map[string]struct {
		value, reader int64 // value is multiplied by the thread's index; the reader reads before the barrier
		late          bool  // all read after it
		want          bool
	}{
		"alike":                    {reader: -1, want: true},
		"alike, and read later":    {reader: -1, late: true},
		"alike, and read too soon": {reader: 3},
		"other bits":               {value: 1, reader: -1},
	} {
		b := ir.NewBuilder("alike")
		x, out := b.Buffer("x", 0, ir.Device, 4), b.Buffer("out", 1, ir.Device, 4)
		tid, gid := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32), b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
		tmp := b.Object(ir.Object{Name: "tmp", Space: ir.Threadgroup, Size: 4, Align: 4, Elem: 4})
		b.Store(ir.U32, x, 0, 0, 0, b.Int(ir.U32, 5))
		b.Store(ir.U32, tmp, 0, 0, 0, b.Op(ir.Mul, ir.U32, tid, b.Int(ir.U32, test.value)))
		b.If(b.Op(ir.Eq, ir.U32, tid, b.Int(ir.U32, test.reader)), func() { b.Store(ir.U32, out, gid, 4, 0, b.Load(ir.U32, tmp, 0, 0, 0)) }, nil)
		b.Barrier(3)
		b.Store(ir.U32, out, gid, 4, 0, b.Load(ir.U32, tmp, 0, 0, 0)) // of the threadgroup: ordered
		if test.late {
			b.Store(ir.U32, out, gid, 4, 0, b.Load(ir.U32, x, 0, 0, 0)) // of both: nothing orders them
		}
		p, err := Compile(b.Kernel())
		require.NoError(t, err)
		m, err := p.newMachine(&engine.Dispatch{
			Kernel: p.k, Grid: model.Size3{X: 2 * raceThreads, Y: 1, Z: 1}, Group: model.Size3{X: raceThreads, Y: 1, Z: 1}, Args: []engine.Arg{
				{Mem: &engine.Memory{Bytes: make([]byte, 4)}}, {Mem: &engine.Memory{Bytes: make([]byte, 8*raceThreads)}},
			},
		}, engine.Options{}, "stages")
		require.NoError(t, err)
		require.Equal(t, test.want, m.lockstep(), name)
		m.release()
	}
}
