package sim_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

const pointerSource = `#include <metal_stdlib>
using namespace metal;
struct Args { const device uint* from; device uint* to; uint n; };
kernel void copy(constant Args& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { if (i < a.n) { a.to[i] = a.from[i]; } }
kernel void both(constant Args& a [[buffer(0)]], device uint* x [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] = i; if (i > 0) { a.to[i - 1] = 7u; } }
`

// pointed runs a kernel of pointerSource, of eight threads, with whatever prepare makes of its structure, and returns what is found.
func pointed(t *testing.T, dev *sim.Device, kernel string, prepare func(e metal.ComputeCommandEncoder) (from, to uint64)) (found model.Findings) {
	t.Helper()
	lib, err := dev.NewLibrary(pointerSource, metal.CompileOptions{FileName: "copy.metal"})
	require.NoError(t, err)
	f, err := lib.NewFunction(kernel, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"from", "to", "n"}, []string{f.Arguments()[0].Members[0].Name, f.Arguments()[0].Members[1].Name, f.Arguments()[0].Members[2].Name})
	p, err := dev.NewComputePipelineState(f)
	require.NoError(t, err)
	q, err := dev.NewCommandQueue()
	require.NoError(t, err)
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	from, to := prepare(e)
	args := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, from), to)
	args = binary.LittleEndian.AppendUint64(args, 8)
	require.NoError(t, errors.Join(e.SetComputePipelineState(p), e.SetBytes(args, 0), e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, metal.Size{X: 4, Y: 1, Z: 1}), e.EndEncoding(), c.Commit()))
	if err := c.WaitUntilCompleted(); err != nil {
		require.ErrorAs(t, err, &found)
	}
	return found
}

// addressed returns a buffer with a label, and its address.
func addressed(t *testing.T, dev *sim.Device, label string, bytes int) (metal.Buffer, uint64) {
	t.Helper()
	b, err := dev.NewBufferWithBytes(make([]byte, bytes))
	require.NoError(t, err)
	b.SetLabel(label)
	at, err := b.GPUAddress()
	require.NoError(t, err)
	again, err := b.GPUAddress()
	require.NoError(t, err)
	require.Equal(t, at, again)
	return b, at
}

// TestArgumentBuffers: what the host makes resident is reached by its address, on each engine, and all that is checked of bound buffers is of what pointers lead to.
func TestArgumentBuffers(t *testing.T) {
	for _, o := range []sim.Options{{Engine: sim.Fast}, {Engine: sim.Adversarial}, {Behaviour: model.Behaviour{Order: "accesses", Seed: 3}}} {
		dev := sim.New(o)
		from, fromAt := addressed(t, dev, "from", 32)
		to, toAt := addressed(t, dev, "to", 40)
		require.NoError(t, from.Write(0, []byte{1, 2, 3, 4, 5}))
		use := func(e metal.ComputeCommandEncoder) (uint64, uint64) {
			require.NoError(t, errors.Join(e.UseResource(from, metal.UsageRead), e.UseResource(to, metal.UsageRead|metal.UsageWrite)))
			return fromAt, toAt + 8
		}
		require.Empty(t, pointed(t, dev, "copy", use))
		got := make([]byte, 16)
		require.NoError(t, to.Read(0, got))
		require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0}, got)

		for want, prepare := range map[string]func(e metal.ComputeCommandEncoder) (uint64, uint64){
			"byte 40 of device to, which has 40": func(e metal.ComputeCommandEncoder) (uint64, uint64) { use(e); return fromAt, toAt + 12 },
			"through the address of a buffer that is not resident, see UseResource": func(e metal.ComputeCommandEncoder) (uint64, uint64) { // not resident
				require.NoError(t, e.UseResource(to, metal.UsageWrite))
				return fromAt, toAt
			},
			"of device to, which is never to be written": func(e metal.ComputeCommandEncoder) (uint64, uint64) {
				require.NoError(t, errors.Join(e.UseResource(from, metal.UsageRead), e.UseResource(to, metal.UsageRead)))
				return fromAt, toAt
			},
			"an address that is a multiple of 4 is needed": func(e metal.ComputeCommandEncoder) (uint64, uint64) { use(e); return fromAt, toAt + 2 },
			"of device new, which was never written": func(e metal.ComputeCommandEncoder) (uint64, uint64) {
				b, err := dev.NewBuffer(32)
				require.NoError(t, err)
				b.SetLabel("new")
				at, err := b.GPUAddress()
				require.NoError(t, err)
				use(e)
				require.NoError(t, e.UseResource(b, metal.UsageRead))
				return at, toAt
			},
		} {
			found := pointed(t, dev, "copy", prepare)
			require.NotEmpty(t, found, want)
			require.Contains(t, found.Error(), want)
		}
		if o.Engine == sim.Fast { // one buffer, bound and reached by a pointer
			found := pointed(t, dev, "both", func(e metal.ComputeCommandEncoder) (uint64, uint64) {
				require.NoError(t, errors.Join(e.SetBuffer(to, 0, 1), e.UseResource(to, metal.UsageWrite)))
				return 0, toAt
			})
			require.Contains(t, found.Error(), "race")
			require.Empty(t, pointed(t, dev, "both", func(e metal.ComputeCommandEncoder) (uint64, uint64) {
				require.NoError(t, errors.Join(e.SetBuffer(from, 0, 1), e.UseResource(to, metal.UsageWrite)))
				return 0, toAt
			}))
		}
		dev.Release()
	}
}

// TestAddresses: there are 31 at a time, and a buffer that is released gives its own back.
func TestAddresses(t *testing.T) {
	dev := sim.New(sim.Options{})
	defer dev.Release()
	var buffers []metal.Buffer
	seen := map[uint64]bool{}
	for range 31 {
		b, at := addressed(t, dev, "", 16)
		require.False(t, seen[at])
		seen[at], buffers = true, append(buffers, b)
	}
	b, err := dev.With(model.Behaviour{}).NewBuffer(16)
	require.NoError(t, err)
	_, err = b.GPUAddress()
	require.ErrorContains(t, err, "31 buffers have an address already")
	buffers[7].Release()
	_, err = buffers[7].GPUAddress()
	require.ErrorContains(t, err, "was released")
	at, err := b.GPUAddress()
	require.NoError(t, err)
	require.True(t, seen[at])
}
