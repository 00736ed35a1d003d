package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// anyOrder are behaviours under which a kernel without faults gives the same bits.
var anyOrder = []model.Behaviour{
	{},
	{Seed: 5},
	{Order: "reverse"},
	{Order: "stages", Seed: 1},
	{Order: "stages", Seed: 2, Poison: true},
	{Order: "accesses", Seed: 3, SIMDWidth: 8},
	{Order: "accesses", Seed: 4, Poison: true, SIMDWidth: 64},
}

// TestStepsAreCounted: a kernel runs as many instructions on every engine, and those of devices that share are counted together.
func TestStepsAreCounted(t *testing.T) {
	counts := map[int64]bool{}
	for _, engine := range []sim.Engine{sim.Auto, sim.Fast, sim.Adversarial} {
		d := sim.New(sim.Options{Engine: engine})
		require.Zero(t, d.Steps())
		run, _ := sumOn(t, d, sumInput()[:500])
		run()
		one := d.Steps()
		require.Greater(t, one, int64(500))
		run, _ = sumOn(t, d.With(model.Behaviour{}), sumInput()[:500])
		run()
		require.Equal(t, 2*one, d.Steps())
		counts[one] = true
	}
	require.Len(t, counts, 1, "%v", counts)
}

// TestEnginesAgree runs the shaders of testdata on every engine, under every order: same bits as native, and no findings.
func TestEnginesAgree(t *testing.T) {
	x := sumInput()[:5000]
	want := make([]float32, (len(x)+sumGroup-1)/sumGroup)
	nativeSum(want, x)
	tr := newTransform(1024)
	in := tr.input()
	spectrum := slices.Clone(in)
	tr.native(spectrum)
	for _, engine := range []sim.Engine{sim.Auto, sim.Fast, sim.Adversarial} {
		for _, noChecks := range []bool{false, true} {
			base := sim.New(sim.Options{Engine: engine, NoChecks: noChecks})
			for _, b := range anyOrder {
				d := base.With(b)
				if q, err := d.NewCommandQueue(); engine == sim.Fast && (b.Order != "" || b.Poison) {
					require.ErrorContains(t, err, "the fast engine cannot run", "%s", b)
					continue
				} else {
					require.NotNil(t, q)
				}
				run, out := sumOn(t, d, x)
				run()
				require.True(t, bytes.Equal(floatBytes(want), out()), "sum on %s, %s", engine, b)
				run, data := tr.on(t, d, in)
				run()
				raw := make([]byte, data.Length())
				require.NoError(t, data.Read(0, raw))
				require.True(t, bytes.Equal(longBytes(spectrum), raw), "transform on %s, %s", engine, b)
				require.Empty(t, d.Findings())
			}
		}
	}
}

// TestTransformIsOne holds the twin of the benchmark to the definition: X[k] = sum x[rev(i)]·root^(ik) mod q.
func TestTransformIsOne(t *testing.T) {
	tr := newTransform(16)
	x := tr.input()
	got := slices.Clone(x)
	tr.native(got)
	root := powMod(nttNonResidue, (nttPrime-1)/16)
	for k := range 16 {
		sum := uint64(0)
		for i := range 16 {
			rev := i&1<<3 | i&2<<1 | i&4>>1 | i&8>>3
			sum = (sum + mulMod(x[rev], powMod(root, uint64(i*k)))) % nttPrime
		}
		require.Equal(t, sum, got[k], "k=%d", k)
	}
}

// dispatch runs one kernel with a buffer of zeros and returns what is in it.
func (s *stand) dispatch(d *sim.Device, name string, words_ int, grid, group metal.Size) ([]uint32, error) {
	s.t.Helper()
	q, err := d.NewCommandQueue()
	require.NoError(s.t, err)
	c, err := q.CommandBuffer()
	require.NoError(s.t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(s.t, err)
	out := buffer(s.t, d, make([]byte, 4*words_))
	require.NoError(s.t, e.SetComputePipelineState(s.pipeline(name, nil)))
	require.NoError(s.t, e.SetBuffer(out, 0, 0))
	require.NoError(s.t, e.DispatchThreads(grid, group))
	err = finish(s.t, e, c)
	return read(s.t, out), err
}

// TestKernelsThatDoNotEnd: the budget ends them, dispatches after them are not run, and the device stays usable.
func TestKernelsThatDoNotEnd(t *testing.T) {
	for _, o := range []sim.Options{
		{Steps: 10000},
		{Steps: 10000, NoChecks: true},
		{Steps: 10000, Engine: sim.Adversarial},
		{Steps: 10000, Behaviour: model.Behaviour{Order: "accesses", Seed: 1}, NoChecks: true},
	} {
		s := newStand(t, o)
		e, c := s.encoder(metal.Serial)
		out, next := buffer(t, s.d, make([]byte, 4)), buffer(t, s.d, make([]byte, 4))
		require.NoError(t, e.SetComputePipelineState(s.pipeline("endless", nil)))
		require.NoError(t, e.SetBuffer(out, 0, 0))
		require.NoError(t, e.DispatchThreads(line(1), line(1)))
		require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
		require.NoError(t, e.SetBuffer(next, 0, 0))
		require.NoError(t, e.DispatchThreads(line(1), line(1)))
		err := finish(t, e, c)
		var found model.Findings
		require.ErrorAs(t, err, &found, "%+v", o)
		require.Len(t, found, 1)
		require.Equal(t, model.FindingSteps, found[0].Kind)
		require.Equal(t, metal.Failed, c.Status())
		require.Positive(t, read(t, out)[0], "it ran until then")
		require.Equal(t, []uint32{0}, read(t, next), "the dispatch after it was not run")
		_, err = s.dispatch(s.d, "small", 1, line(1), line(1))
		require.NoError(t, err)
	}
}

// TestFindingsDoNotStop: what is found in one dispatch does not stop those after it.
func TestFindingsDoNotStop(t *testing.T) {
	s := newStand(t, sim.Options{})
	e, c := s.encoder(metal.Serial)
	out, next := s.buffer(64), buffer(t, s.d, make([]byte, 4))
	in := s.buffer(64) // never written
	in.SetLabel("never written")
	out.SetLabel("too short")
	require.NoError(t, e.SetComputePipelineState(s.pipeline("copy", nil)))
	require.NoError(t, e.SetBuffer(in, 0, 0))
	require.NoError(t, e.SetBuffer(out, 0, 1))
	require.NoError(t, e.SetBytes(words(17), 2))
	require.NoError(t, e.DispatchThreads(line(17), line(17)))
	require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
	require.NoError(t, e.SetBuffer(next, 0, 0))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	err := finish(t, e, c)
	var found model.Findings
	require.ErrorAs(t, err, &found)
	kinds := map[model.FindingKind]bool{}
	for _, f := range found {
		kinds[f.Kind] = true
		require.Equal(t, "copy", f.Kernel)
		if f.Kind == model.FindingUninitialised {
			require.Contains(t, f.Text, `(in is the buffer labelled "never written")`)
		} else if f.Buffer == "out" {
			require.Contains(t, f.Text, `(out is the buffer labelled "too short")`)
		}
	}
	require.Equal(t, map[model.FindingKind]bool{model.FindingUninitialised: true, model.FindingOutOfBounds: true}, kinds)
	require.NotZero(t, read(t, next)[0])

	// Without checks nothing is said.
	s = newStand(t, sim.Options{NoChecks: true})
	_, err = s.dispatch(s.d, "small", 4, line(64), line(64))
	require.NoError(t, err)
	require.Empty(t, s.d.Findings())
}

// TestWrittenMemoryStays: what a run wrote, with or without checks, counts as written in the next one, so that poison stays away from it.
func TestWrittenMemoryStays(t *testing.T) {
	for _, noChecks := range []bool{false, true} {
		s := newStand(t, sim.Options{NoChecks: noChecks})
		mem, out := s.buffer(16), s.buffer(16)
		use := func(d *sim.Device, name string, slot int) error {
			q, err := d.NewCommandQueue()
			require.NoError(t, err)
			c, err := q.CommandBuffer()
			require.NoError(t, err)
			e, err := c.ComputeCommandEncoder(metal.Serial)
			require.NoError(t, err)
			require.NoError(t, e.SetComputePipelineState(s.pipeline(name, nil)))
			require.NoError(t, e.SetBuffer(out, 0, 1))
			require.NoError(t, e.SetBuffer(mem, 0, slot))
			require.NoError(t, e.SetBytes(words(4), 2))
			require.NoError(t, e.DispatchThreads(line(4), line(4)))
			return finish(t, e, c)
		}
		require.NoError(t, use(s.d, "small", 0))
		require.NoError(t, use(s.d.With(model.Behaviour{Poison: true, Seed: 3}), "copy", 0))
		require.Equal(t, []uint32{0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}, read(t, out))
		// Memory that nobody wrote holds junk under poison.
		mem = s.buffer(16)
		err := use(s.d.With(model.Behaviour{Poison: true, Seed: 3}), "copy", 0)
		require.Equal(t, noChecks, err == nil)
		require.NotEqual(t, make([]uint32, 4), read(t, out))
	}
}

// TestAliasing: a buffer may be bound twice, with ranges that overlap, and engines see one memory.
func TestAliasing(t *testing.T) {
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		s := newStand(t, sim.Options{Engine: engine})
		b := buffer(t, s.d, words(1, 2, 3, 4, 5, 6, 7, 8))
		e, c := s.encoder(metal.Serial)
		require.NoError(t, e.SetComputePipelineState(s.pipeline("copy", nil)))
		require.NoError(t, e.SetBuffer(b, 0, 0))
		require.NoError(t, e.SetBuffer(b, 16, 1))
		require.NoError(t, e.SetBytes(words(4), 2))
		require.NoError(t, e.DispatchThreads(line(4), line(2)))
		require.NoError(t, finish(t, e, c), engine.String())
		require.Equal(t, []uint32{1, 2, 3, 4, 1, 2, 3, 4}, read(t, b))
	}
	// Overlapping: thread i reads what thread i-1 writes.
	s := newStand(t, sim.Options{})
	b := buffer(t, s.d, words(1, 2, 3, 4, 5, 6, 7, 8))
	e, c := s.encoder(metal.Serial)
	require.NoError(t, e.SetComputePipelineState(s.pipeline("copy", nil)))
	require.NoError(t, e.SetBuffer(b, 0, 0))
	require.NoError(t, e.SetBuffer(b, 4, 1))
	require.NoError(t, e.SetBytes(words(4), 2))
	require.NoError(t, e.DispatchThreads(line(4), line(1)))
	var found model.Findings
	require.ErrorAs(t, finish(t, e, c), &found)
	require.Equal(t, model.FindingRace, found[0].Kind)
}

// TestConcurrentDispatches run in an order that the behaviour draws, and between barriers only.
func TestConcurrentDispatches(t *testing.T) {
	s := newStand(t, sim.Options{NoChecks: true})
	p := pipeline(t, s.d, `kernel void append(device uint *x, constant uint &digit) { x[0] = x[0] * 10 + digit; }`, "append")
	results := func(b model.Behaviour, kind metal.DispatchType) uint32 {
		q, err := s.d.With(b).NewCommandQueue()
		require.NoError(t, err)
		c, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := c.ComputeCommandEncoder(kind)
		require.NoError(t, err)
		x := buffer(t, s.d, words(0))
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		for digit := range uint32(6) {
			if digit == 3 {
				require.NoError(t, e.MemoryBarrier())
			}
			require.NoError(t, e.SetBytes(words(digit+1), 1))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
		}
		require.NoError(t, finish(t, e, c))
		return read(t, x)[0]
	}
	require.Equal(t, uint32(123456), results(model.Behaviour{}, metal.Concurrent))
	require.Equal(t, uint32(321654), results(model.Behaviour{Order: "reverse"}, metal.Concurrent))
	require.Equal(t, uint32(123456), results(model.Behaviour{Order: "reverse"}, metal.Serial))
	first, second := map[uint32]bool{}, map[uint32]bool{}
	for seed := range uint64(100) {
		r := results(model.Behaviour{Order: "stages", Seed: seed}, metal.Concurrent)
		first[r/1000], second[r%1000] = true, true
		require.Equal(t, uint32(123456), results(model.Behaviour{Order: "accesses", Seed: seed}, metal.Serial))
	}
	require.Len(t, first, 6)
	require.Len(t, second, 6)
	require.True(t, first[123] && first[321] && second[456] && second[654])
}

// TestContraction: a behaviour changes the kernel where the source allows it, and pipelines made before follow the queue's device.
func TestContraction(t *testing.T) {
	d := sim.New(sim.Options{})
	const body = `kernel void k(device float *x) { x[0] = x[1] * x[2] + x[3]; }`
	// a·a - 1 with a = 1 + 2^-12: the product rounds to 1 + 2^-11, the fused result keeps 2^-24.
	a := uint32(0x3f800800)
	run := func(d *sim.Device, p metal.ComputePipelineState) uint32 {
		e, c := encoder(t, d)
		x := buffer(t, d, words(0, a, a, 0xbf800000))
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreads(line(1), line(1)))
		require.NoError(t, finish(t, e, c))
		return read(t, x)[0]
	}
	const separate, fused = 0x3a000000, 0x3a000400
	on := model.Behaviour{Contract: model.ContractStatement}
	plain := pipeline(t, d, body, "k")
	require.Equal(t, uint32(separate), run(d, plain))
	require.Equal(t, uint32(fused), run(d.With(on), plain))
	require.Equal(t, uint32(separate), run(d, pipeline(t, d.With(on), body, "k")))
	strict := pipeline(t, d, "#pragma METAL fp contract(off)\n"+body, "k")
	require.Equal(t, uint32(separate), run(d.With(on), strict))
	// With other seeds fusing is a choice.
	got := map[uint32]bool{}
	for seed := range uint64(200) {
		on.Seed = seed
		got[run(d.With(on), plain)] = true
	}
	require.Equal(t, map[uint32]bool{separate: true, fused: true}, got)
	require.Equal(t, uint32(fused), run(d.With(model.Behaviour{Contract: model.ContractFast, Order: "accesses"}), plain))
}

// TestFlush: the fast engine flushes where the behaviour says so, as the adversarial one does.
func TestFlush(t *testing.T) {
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		d := sim.New(sim.Options{Engine: engine})
		p := pipeline(t, d, `kernel void k(device float *x) { x[0] = x[1] + x[2]; }`, "k")
		for _, test := range []struct {
			b    model.Behaviour
			want uint32
		}{{model.Behaviour{}, 3}, {model.Behaviour{Flush: model.Flush{In: true, Out: true}}, 0}} {
			d := d.With(test.b)
			e, c := encoder(t, d)
			x := buffer(t, d, words(7, 1, 2))
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(x, 0, 0))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
			require.NoError(t, finish(t, e, c))
			require.Equal(t, test.want, read(t, x)[0], "%s: %s", engine, test.b)
		}
	}
}

// TestEitherSign: where the sign of a flushed zero is open, operands and results become zeros of both signs, and both engines give the same.
func TestEitherSign(t *testing.T) {
	const n = 64 // operands, and then results
	bits := make([]uint32, 2*n)
	for i := range uint32(n) {
		bits[i], bits[n+i] = 1+i*0x1234, 0x30800000+i<<17 // from 2^-149, and from 2^-30
	}
	b, err := model.ParseBehaviour("rne ftz=on-anysign contract=off")
	require.NoError(t, err)
	var first []uint32
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		d := sim.New(sim.Options{Engine: engine})
		p := pipeline(t, d, `kernel void k(device float *x, uint i [[thread_position_in_grid]]) { x[i] = i < 64 ? 1.0f / x[i] : x[i] * as_type<float>(0x0d800000u); }`, "k")
		d = d.With(b)
		e, c := encoder(t, d)
		x := buffer(t, d, words(bits...))
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreads(line(2*n), line(32)))
		require.NoError(t, finish(t, e, c))
		got, seen := read(t, x), map[uint32]int{}
		for _, v := range got {
			seen[v]++
		}
		require.Len(t, seen, 4, "%s: infinities and zeros of both signs", engine)
		for v, k := range seen {
			require.Greater(t, k, n/4, "%s: %#x", engine, v)
		}
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "%s", engine)
	}
}

// TestNonUniformThreadgroups: dispatchThreads runs exactly the grid, in three dimensions.
func TestNonUniformThreadgroups(t *testing.T) {
	for _, b := range []model.Behaviour{{}, {Order: "accesses", Seed: 1}} {
		d := sim.New(sim.Options{Behaviour: b})
		p := pipeline(t, d, `kernel void k(device uint *x, uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]],
			uint3 size [[threads_per_threadgroup]]) { x[at.x + grid.x * (at.y + grid.y * at.z)] = size.x * 100 + size.y * 10 + size.z; }`, "k")
		e, c := encoder(t, d)
		x := buffer(t, d, make([]byte, 4*5*3*2))
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreads(metal.Size{X: 5, Y: 3, Z: 2}, metal.Size{X: 4, Y: 2, Z: 1}))
		require.NoError(t, finish(t, e, c))
		require.Equal(t, []uint32{
			421, 421, 421, 421, 121, 421, 421, 421, 421, 121, 411, 411, 411, 411, 111,
			421, 421, 421, 421, 121, 421, 421, 421, 421, 121, 411, 411, 411, 411, 111,
		}, read(t, x))
	}
}

// TestManyGoroutines: one device, its copies, one queue and one buffer, used from many goroutines at once.
func TestManyGoroutines(t *testing.T) {
	d := sim.New(sim.Options{Workers: 2})
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	shared := buffer(t, d, make([]byte, 4))
	const add = `kernel void add(device uint *x, constant uint &by) { x[0] += by; }`
	var wait sync.WaitGroup
	errs := make([]error, 16)
	for g := range errs {
		wait.Go(func() {
			errs[g] = func() error {
				d := d.With(model.Behaviour{Order: "accesses", Seed: uint64(g)})
				l, err := d.NewLibrary(add, metal.CompileOptions{})
				if err != nil {
					return err
				}
				f, err := l.NewFunction("add", nil)
				if err != nil {
					return err
				}
				p, err := d.NewComputePipelineState(f)
				if err != nil {
					return err
				}
				for i := range 20 {
					queue := q
					if i%2 == 1 {
						if queue, err = d.NewCommandQueue(); err != nil {
							return err
						}
					}
					c, err := queue.CommandBuffer()
					if err != nil {
						return err
					}
					e, err := c.ComputeCommandEncoder(metal.Serial)
					if err != nil {
						return err
					}
					if err := errors.Join(e.SetComputePipelineState(p), e.SetBuffer(shared, 0, 0), e.SetBytes(words(1), 1),
						e.DispatchThreads(line(1), line(1)), e.EndEncoding(), c.Commit(), c.WaitUntilCompleted(),
						shared.Read(0, make([]byte, 4))); err != nil {
						return err
					}
					shared.SetLabel(fmt.Sprint(g, i))
					d.Findings()
				}
				return nil
			}()
		})
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, []uint32{320}, read(t, shared))
}

// TestOptions: options and behaviours that cannot be are refused by whatever is made first.
func TestOptions(t *testing.T) {
	for want, o := range map[string]sim.Options{
		"Options.Workers is -1":              {Workers: -1},
		"Options.SIMDWidth is 2000":          {SIMDWidth: 2000},
		"Options.MaxTotalThreads is 1025":    {MaxTotalThreads: 1025},
		"Options.MaxThreadgroupMemory is -":  {MaxThreadgroupMemory: -1},
		"Options.MaxBuffer is -1":            {MaxBuffer: -1},
		"Options.Steps is -5":                {Steps: -5},
		"there is no Engine(7)":              {Engine: 7},
		"no order is called":                 {Behaviour: model.Behaviour{Order: "sideways"}},
		"no Metal device rounds by rna":      {Behaviour: model.Behaviour{Rounding: model.NearestAway}},
		"there is no Contraction(9)":         {Behaviour: model.Behaviour{Contract: 9}},
		"change Behaviour.SIMDWidth":         {Behaviour: model.Behaviour{SIMDWidth: -1}},
		"of 128 lanes needs the Adversarial": {SIMDWidth: 128},
		"of 65 lanes needs the Adversarial":  {Engine: sim.Fast, Behaviour: model.Behaviour{SIMDWidth: 65}},
		"the fast engine cannot run":         {Engine: sim.Fast, Behaviour: model.Behaviour{ULP: true}},
	} {
		d := sim.New(o)
		_, err := d.NewBuffer(4)
		require.ErrorContains(t, err, want)
		_, err = d.NewLibrary("", metal.CompileOptions{})
		require.ErrorContains(t, err, want)
		_, err = d.NewCommandQueue()
		require.ErrorContains(t, err, want)
		require.Equal(t, "sim", d.Properties().Kind)
		if o.Behaviour != (model.Behaviour{}) {
			_, err = d.With(model.Behaviour{}).NewBuffer(4)
			require.NoError(t, err, "another behaviour fixes it")
			_, err = sim.New(sim.Options{Engine: o.Engine}).With(o.Behaviour).NewBuffer(4)
			require.ErrorContains(t, err, want)
		}
	}
	d := sim.New(sim.Options{SIMDWidth: 16})
	p := d.Properties()
	require.Equal(t, 16, p.ThreadExecutionWidth)
	require.Equal(t, 1024, p.MaxTotalThreads)
	require.Equal(t, 32768, p.MaxThreadgroupMemoryLength)
	require.Contains(t, p.Detail, "engine fast, with checks")
	wide := d.With(model.Behaviour{SIMDWidth: 64, Poison: true})
	require.Equal(t, 64, wide.Properties().ThreadExecutionWidth)
	require.Contains(t, wide.Properties().Detail, "engine adversarial")
	require.Equal(t, model.Behaviour{SIMDWidth: 64, Poison: true}, wide.Behaviour())
	require.Equal(t, 1024, wide.Options().MaxTotalThreads)
}

// TestCopies: a copy's findings are its own, and its end is not the end of the device.
func TestCopies(t *testing.T) {
	s := newStand(t, sim.Options{Steps: 1000})
	c := s.d.With(model.Behaviour{Order: "stages"})
	_, err := s.dispatch(c, "endless", 1, line(1), line(1))
	require.Error(t, err)
	require.Len(t, c.Findings(), 1)
	require.Empty(t, s.d.Findings())
	b, err := c.NewBuffer(4)
	require.NoError(t, err)
	c.Release()
	_, err = c.NewCommandQueue()
	require.ErrorContains(t, err, "the device was released")
	require.ErrorContains(t, b.Read(0, nil), "went with its device")
	b.Release()
	_, err = s.dispatch(s.d, "small", 1, line(1), line(1))
	require.NoError(t, err)
	d := s.d.With(model.Behaviour{})
	s.d.Release()
	_, err = d.NewBuffer(1)
	require.ErrorContains(t, err, "the device was released")
}

// TestThreadSteps: a dispatch of many threads may run as many steps more; one that does not end is stopped.
func TestThreadSteps(t *testing.T) {
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		for _, c := range []struct {
			threads, of int
			steps, each int64
			ends        bool
		}{
			{1, 100, 1000, 0, true}, {1, 1000, 1000, 0, false}, {1, 1000, 1000, 1 << 13, true}, {64, 100, 1000, 0, false}, {64, 100, 1000, 1000, true}, {64, 1 << 30, 1000, 1000, false},
		} {
			d := sim.New(sim.Options{Engine: engine, Steps: c.steps, ThreadSteps: c.each})
			e, command := encoder(t, d)
			x := buffer(t, d, words(make([]uint32, c.threads)...))
			require.NoError(t, e.SetComputePipelineState(pipeline(t, d, `
				kernel void count(device uint *x, constant uint &n, uint i [[thread_position_in_grid]]) { uint s = i; for (uint k = 0; k < n; k++) s = s * 3 + k; x[i] = s; }`, "count")))
			require.NoError(t, errors.Join(e.SetBuffer(x, 0, 0), e.SetBytes(words(uint32(c.of)), 1), e.DispatchThreads(line(c.threads), line(min(c.threads, 32))), e.EndEncoding(), command.Commit()))
			if err := command.WaitUntilCompleted(); c.ends {
				require.NoError(t, err, "%v: %+v", engine, c)
			} else {
				require.ErrorContains(t, err, "the dispatch was stopped", "%v: %+v", engine, c)
			}
		}
	}
}

// TestBytesAreCopied: SetBytes keeps what it was given, and every dispatch has it anew.
func TestBytesAreCopied(t *testing.T) {
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		d := sim.New(sim.Options{Engine: engine})
		e, c := encoder(t, d)
		x := buffer(t, d, words(0, 0))
		require.NoError(t, e.SetComputePipelineState(pipeline(t, d, `
			kernel void count(device uint *x, device uint *bytes, constant uint &at) { bytes[0] += 1; x[at] = bytes[0]; }`, "count")))
		data := words(41)
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.SetBytes(data, 1))
		data[0] = 0
		for at := range uint32(2) {
			require.NoError(t, e.SetBytes(words(at), 2))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
		}
		require.NoError(t, finish(t, e, c))
		require.Equal(t, []uint32{42, 42}, read(t, x), engine.String())
	}
}

// TestSameTextOtherOptions: what a source means depends on its options, and a source compiled before is not mistaken for it.
func TestSameTextOtherOptions(t *testing.T) {
	d := sim.New(sim.Options{})
	const text = `#include "n.h"
kernel void k(device uint *x) { x[0] = N + M; }`
	folder := fstest.MapFS{"n.h": {}}
	for n, o := range []metal.CompileOptions{
		{Macros: map[string]string{"N": "0"}, Headers: map[string]string{"n.h": "#define M 0"}},
		{Macros: map[string]string{"N": "1"}, Headers: map[string]string{"n.h": "#define M 0"}},
		{Macros: map[string]string{"N": "1"}, Headers: map[string]string{"n.h": "#define M 1"}},
		{Macros: map[string]string{"N": "1"}, HeaderFiles: folder},
		{Macros: map[string]string{"N": "1"}, HeaderFiles: folder},
	} {
		folder["n.h"].Data = fmt.Appendf(nil, "#define M %d", n-1) // a file that changes is read again
		for range 2 {
			l, err := d.NewLibrary(text, o)
			require.NoError(t, err)
			f, err := l.NewFunction("k", nil)
			require.NoError(t, err)
			p, err := d.NewComputePipelineState(f)
			require.NoError(t, err)
			e, c := encoder(t, d)
			x := buffer(t, d, words(9))
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(x, 0, 0))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
			require.NoError(t, finish(t, e, c))
			require.Equal(t, uint32(n), read(t, x)[0])
		}
	}
	_, err := d.NewLibrary(text, metal.CompileOptions{MathMode: 9})
	require.ErrorContains(t, err, "math mode")
}

// TestHostWritesCount: bytes that the host wrote are known, the others are not.
func TestHostWritesCount(t *testing.T) {
	s := newStand(t, sim.Options{})
	in := s.buffer(16)
	require.NoError(t, in.Write(4, words(7, 8)))
	for from, want := range []bool{false, true, false} {
		e, c := s.encoder(metal.Serial)
		require.NoError(t, e.SetComputePipelineState(s.pipeline("copy", nil)))
		require.NoError(t, e.SetBuffer(in, 4*from, 0))
		require.NoError(t, e.SetBuffer(s.buffer(16), 0, 1))
		require.NoError(t, e.SetBytes(words(2), 2))
		require.NoError(t, e.DispatchThreads(line(2), line(2)))
		require.Equal(t, want, finish(t, e, c) == nil, "from word %d", from)
	}
}
