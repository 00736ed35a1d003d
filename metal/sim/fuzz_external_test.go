package sim_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// sane fails where the simulator says that it is at fault itself.
func sane(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "bug in the simulator") || strings.Contains(err.Error(), "please report")) {
		t.Fatal(err)
	}
}

// runAll compiles a source and runs each of its kernels with whatever it wants bound. Nothing but errors may come of it.
func runAll(t *testing.T, d *sim.Device, text string) {
	l, err := d.NewLibrary(text, metal.CompileOptions{})
	sane(t, err)
	if err != nil {
		return
	}
	for _, name := range l.FunctionNames() {
		f, err := l.NewFunction(name, metal.FunctionConstants{0: uint32(2), 1: true})
		sane(t, err)
		if err != nil {
			continue
		}
		p, err := d.NewComputePipelineState(f)
		sane(t, err)
		if err != nil {
			continue
		}
		e, c := encoder(t, d)
		require.NoError(t, e.SetComputePipelineState(p))
		for _, a := range f.Arguments() {
			if a.Threadgroup {
				sane(t, e.SetThreadgroupMemoryLength(256, a.Index))
			} else if b, err := d.NewBuffer(max(16, min(a.ElementSize, 1<<16))); err == nil {
				b.SetLabel(a.Name)
				sane(t, e.SetBuffer(b, 0, a.Index))
				defer b.Release()
			}
		}
		sane(t, e.DispatchThreads(line(5), line(2)))
		sane(t, e.DispatchThreadgroups(line(2), line(3)))
		sane(t, finish(t, e, c))
	}
}

// sources are shaders to begin with.
func sources(t testing.TB) []string {
	return []string{protocol, source(t, "sum.metal"), source(t, "ntt.metal")}
}

// fuzzOptions keep runs short.
func fuzzOptions(b model.Behaviour) sim.Options {
	return sim.Options{Steps: 20000, Workers: 1, MaxBuffer: 1 << 24, Behaviour: b}
}

var fuzzBehaviours = []model.Behaviour{
	{},
	{Order: "accesses", Poison: true, ULP: true, Seed: 1},
	{Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true}, Order: "stages", Seed: 2},
}

// TestMutatedSources runs shaders with lines and letters lost, doubled and exchanged, on every engine.
func TestMutatedSources(t *testing.T) {
	n := 150
	if thorough {
		n = 20000
	}
	rng := rand.New(rand.NewPCG(3, 1))
	ran := 0
	for _, text := range sources(t) {
		runAll(t, sim.New(fuzzOptions(model.Behaviour{})), text)
		words := strings.SplitAfter(text, " ")
		for range n {
			m := append([]string(nil), words...)
			for range 1 + rng.IntN(3) {
				i, j := rng.IntN(len(m)), rng.IntN(len(m))
				switch rng.IntN(3) {
				case 0:
					m[i] = m[j]
				case 1:
					m[i], m[j] = m[j], m[i]
				case 2:
					m[i] = ""
				}
			}
			mutant := strings.Join(m, "")
			d := sim.New(fuzzOptions(fuzzBehaviours[rng.IntN(len(fuzzBehaviours))]))
			if _, err := d.NewLibrary(mutant, metal.CompileOptions{}); err == nil {
				ran++
			}
			runAll(t, d, mutant)
		}
	}
	require.Greater(t, ran, n/10, "hardly a mutant compiles")
}

// FuzzSource runs whatever text it is given.
func FuzzSource(f *testing.F) {
	for _, text := range sources(f) {
		f.Add(text, uint8(0))
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, b uint8) {
		runAll(t, sim.New(fuzzOptions(fuzzBehaviours[int(b)%len(fuzzBehaviours)])), text)
	})
}

// FuzzCalls makes calls in any order with any arguments: errors, but never a crash, and at the end the device still works.
func FuzzCalls(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e"))
	rng := rand.New(rand.NewPCG(8, 9))
	for range 40 {
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(calls)
}

// calls decodes calls, total over bytes.
func calls(t *testing.T, code []byte) {
	if len(code) > 2000 {
		return
	}
	s := newStand(t, fuzzOptions(model.Behaviour{}))
	names := s.l.FunctionNames()
	var buffers []metal.Buffer
	next := func() int {
		if len(code) == 0 {
			return 0
		}
		v := code[0]
		code = code[1:]
		return int(v)
	}
	number := func() int {
		edges := []int{-1, 0, 1, 2, 4, 16, 30, 31, 64, 1024, 1 << 20, 1 << 31, 1 << 32, 1 << 62, -1 << 63, 1<<63 - 1}
		return edges[next()%len(edges)]
	}
	size := func() metal.Size {
		if next()%4 > 0 {
			return line(1 + next()%8)
		}
		return metal.Size{X: number(), Y: number(), Z: number()}
	}
	buf := func() metal.Buffer {
		if len(buffers) == 0 {
			return nil
		}
		return buffers[next()%len(buffers)]
	}
	e, c := s.encoder(metal.DispatchType(next() % 2))
	for len(code) > 0 {
		var err error
		switch next() % 15 {
		case 0:
			var b metal.Buffer
			if b, err = s.d.NewBuffer(number()); err == nil {
				buffers = append(buffers, b)
			}
		case 1:
			if b := buf(); b != nil {
				err = b.Write(number(), make([]byte, next()))
			}
		case 2:
			if b := buf(); b != nil {
				err = b.Read(number(), make([]byte, next()))
			}
		case 3:
			if b := buf(); b != nil && next()%4 == 0 {
				b.Release()
			}
		case 4, 5:
			err = e.SetComputePipelineState(s.pipeline(names[next()%len(names)], metal.FunctionConstants{0: uint32(1), 1: next()%2 == 0}))
		case 6, 7:
			err = e.SetBuffer(buf(), number()*(next()%2), next()%32)
		case 8:
			err = e.SetBytes(make([]byte, next()*17), next()%32)
		case 9:
			err = e.SetThreadgroupMemoryLength(number(), next()%32)
		case 10:
			err = e.DispatchThreads(size(), size())
		case 11:
			err = e.DispatchThreadgroups(size(), size())
		case 12:
			err = e.MemoryBarrier()
		case 13:
			err = e.EndEncoding()
			sane(t, err)
			e, err = c.ComputeCommandEncoder(metal.DispatchType(next() % 3))
			if err != nil {
				sane(t, err)
				_ = c.Commit()
				e, c = s.encoder(metal.Serial)
				err = nil
			}
		case 14:
			sane(t, c.Commit())
			sane(t, c.WaitUntilCompleted())
			if c.Status() != metal.NotEnqueued {
				e, c = s.encoder(metal.Serial)
			}
		}
		sane(t, err)
	}
	_ = e.EndEncoding()
	sane(t, c.Commit())
	sane(t, c.WaitUntilCompleted())
	for _, b := range buffers {
		b.Release()
	}
	_, err := s.dispatch(s.d, "small", 4, line(4), line(2))
	require.NoError(t, err)
}
