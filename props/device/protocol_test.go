package device

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

func simulator(o sim.Options) func() (metal.Device, error) {
	o.Workers = 1
	return func() (metal.Device, error) { return sim.New(o), nil }
}

// TestPropDevice draws calls, legal and not, on simulators of several behaviours.
func TestPropDevice(t *testing.T) {
	for name, o := range map[string]sim.Options{
		"sim":             {},
		"sim/no checks":   {NoChecks: true},
		"sim/adversarial": {Engine: sim.Adversarial, Behaviour: model.Behaviour{Order: "accesses", SIMDWidth: 4, Poison: true, Seed: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Protocol{Name: name, New: simulator(o)}.Check(t)
		})
	}
}

// TestProtocolReaches: the sequences drawn reach every call, legal and illegal, and read what both kernels wrote.
func TestProtocolReaches(t *testing.T) {
	seen := map[string]int{}
	rng := uint64(1)
	below := func(n int) int {
		rng += 0x9e3779b97f4a7c15
		z := (rng ^ rng>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return int((z ^ z>>31) >> 1 % uint64(n))
	}
	for range 600 {
		s := &state{}
		for range 60 {
			c := draw(s, below).(step).call.turnedIn(s)
			name := strings.SplitN(c.String(), ".", 2)[1]
			name = strings.SplitN(name, "(", 2)[0]
			if c.illegal(s) {
				name = "illegal " + name
			}
			seen[name]++
			if c.op == opCommit && !c.illegal(s) {
				for _, w := range s.commands[c.on].work {
					seen[[]string{"ran fill", "ran add"}[w.pipeline]]++
				}
			}
			s = c.Next(s).copied()
		}
	}
	for _, name := range []string{
		"NewBuffer", "NewBufferWithBytes", "Write", "Read", "Release", "CommandBuffer", "ComputeCommandEncoder", "SetComputePipelineState", "SetBuffer",
		"SetBytes", "SetThreadgroupMemoryLength", "DispatchThreadgroups", "DispatchThreads", "MemoryBarrier", "EndEncoding", "Commit", "WaitUntilCompleted",
		"illegal NewBuffer", "illegal NewBufferWithBytes", "illegal Write", "illegal Read", "illegal CommandBuffer", "illegal ComputeCommandEncoder",
		"illegal SetComputePipelineState", "illegal SetBuffer", "illegal SetBytes", "illegal SetThreadgroupMemoryLength", "illegal DispatchThreadgroups",
		"illegal DispatchThreads", "illegal MemoryBarrier", "illegal EndEncoding", "illegal Commit", "illegal WaitUntilCompleted", "ran fill", "ran add",
	} {
		require.GreaterOrEqual(t, seen[name], 20, "%s, of %v", name, seen)
	}
}

// faulty is a device with one planted fault.
type faulty struct {
	metal.Device
	fault string
}

func (d faulty) NewBuffer(n int) (metal.Buffer, error) {
	if d.fault == "empty" && n == 0 {
		n = 4
	}
	b, err := d.Device.NewBuffer(n)
	if err != nil {
		return nil, err
	}
	return &faultyBuffer{Buffer: b, fault: d.fault}, nil
}

func (d faulty) NewBufferWithBytes(data []byte) (metal.Buffer, error) {
	b, err := d.Device.NewBufferWithBytes(data)
	if err != nil {
		return nil, err
	}
	return &faultyBuffer{Buffer: b, fault: d.fault, contents: data}, nil
}

func (d faulty) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := d.Device.NewCommandQueue()
	return faultyQueue{q, d.fault}, err
}

type faultyBuffer struct {
	metal.Buffer
	fault    string
	released bool
	contents []byte
}

func (b *faultyBuffer) Read(offset int, dst []byte) error {
	switch err := b.Buffer.Read(offset, dst); {
	case b.fault == "late" && b.released:
		return nil
	case b.fault == "panic" && err != nil:
		panic("offset out of range")
	case b.fault == "stale" && err == nil && len(dst) > 0 && offset+len(dst) <= len(b.contents):
		copy(dst, b.contents[offset:]) // what it was made with
		return nil
	default:
		return err
	}
}

func (b *faultyBuffer) Release() {
	b.released = true
	b.Buffer.Release()
}

type faultyQueue struct {
	metal.CommandQueue
	fault string
}

func (q faultyQueue) CommandBuffer() (metal.CommandBuffer, error) {
	c, err := q.CommandQueue.CommandBuffer()
	if err != nil {
		return nil, err
	}
	return &faultyCommands{CommandBuffer: c, fault: q.fault}, nil
}

type faultyCommands struct {
	metal.CommandBuffer
	fault string
	done  bool
}

func (c *faultyCommands) ComputeCommandEncoder(k metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	e, err := c.CommandBuffer.ComputeCommandEncoder(k)
	if err != nil {
		return nil, err
	}
	return faultyEncoder{e, c.fault}, nil
}

func (c *faultyCommands) Commit() error {
	err := c.CommandBuffer.Commit()
	if c.fault == "twice" && c.done {
		return nil
	}
	c.done = c.done || err == nil
	return err
}

type faultyEncoder struct {
	metal.ComputeCommandEncoder
	fault string
}

func (e faultyEncoder) SetBuffer(b metal.Buffer, offset, index int) error {
	if f, ok := b.(*faultyBuffer); ok {
		b = f.Buffer
	}
	if e.fault == "offset" && offset > 0 && index == 0 {
		offset = 0
	}
	return e.ComputeCommandEncoder.SetBuffer(b, offset, index)
}

func (e faultyEncoder) DispatchThreads(grid, threads metal.Size) error {
	if e.fault == "last group" && grid.X > threads.X {
		grid.X -= grid.X % max(threads.X, 1)
	}
	return e.ComputeCommandEncoder.DispatchThreads(grid, threads)
}

func (e faultyEncoder) EndEncoding() error {
	if err := e.ComputeCommandEncoder.EndEncoding(); err != nil && e.fault != "end twice" {
		return err
	}
	return nil
}

// TestProtocolFinds plants faults in a device, each of which the protocol finds and shortens.
func TestProtocolFinds(t *testing.T) {
	t.Setenv("GAMMA_BUDGET", "1m")
	for fault, most := range map[string]int{
		"empty": 1, "late": 6, "panic": 3, "stale": 4, "twice": 3, "end twice": 4, "offset": 11, "last group": 14,
	} {
		t.Run(fault, func(t *testing.T) {
			if testing.Short() && most > 3 {
				t.Skip("long sequences take long to shorten under the race detector: run without -short")
			}
			open := func() (metal.Device, error) { return faulty{sim.New(sim.Options{Workers: 1}), fault}, nil }
			f, err := Protocol{Name: "faulty", New: open, Sequences: 2000}.Find()
			require.NoError(t, err)
			require.NotNil(t, f, "not found")
			require.LessOrEqual(t, len(f.Commands), most, f.Text())
			require.Regexp(t, "^faulty (violates|breaks under) device.protocol: after ", f.Text())
			t.Log("\n" + f.Text())
		})
	}
	f, err := Protocol{Name: "sound", New: func() (metal.Device, error) { return faulty{sim.New(sim.Options{Workers: 1}), ""}, nil }}.Find()
	require.NoError(t, err)
	require.Nil(t, f)
	f, err = Protocol{Name: "absent", New: func() (metal.Device, error) { return nil, errors.New("no such device") }}.Find()
	require.NoError(t, err)
	require.Contains(t, f.Verdict.Reason, "cannot be set up: no such device")
	_, err = Protocol{New: simulator(sim.Options{})}.Find()
	require.ErrorContains(t, err, "needs a Name")
}
