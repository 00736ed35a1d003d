package device

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
)

// hosted is a kernel that adds in one thread and writes if n is not 2.
const hosted = `#include <metal_stdlib>
using namespace metal;
struct Padded { uchar flag; float value; };
kernel void sum(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i == 0 && n != 2) { float v = 0; for (uint k = 0; k < n; k++) v += x[k]; out[0] = v; }
}
kernel void racy(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[0] = i; }
kernel void three(device const float* x [[buffer(0)]], device float3* out [[buffer(1)]], uint i [[thread_position_in_grid]]) { if (i == 0) out[1] = float3(x[0], x[1], x[2]); }
kernel void two(device const float* x [[buffer(0)]], device float4* out [[buffer(1)]], uint i [[thread_position_in_grid]]) { if (i == 0) { out[1].x = x[0]; out[1].y = x[1]; } }
kernel void padded(device const float* x [[buffer(0)]], device Padded* out [[buffer(1)]], uint i [[thread_position_in_grid]]) { if (i == 0) { out[1].flag = 1; out[1].value = x[0]; } }
`

// judgeHost judges one case of a sum by host code.
func judgeHost(t *testing.T, dev metal.Device, law model.LawID, x []float32, host func(r *Run, x []float32) (float32, error)) props.Verdict {
	t.Helper()
	s, err := Props(Reduction{Name: "host.metal#sum", Source: hosted, Function: "sum", Device: dev, Host: host})
	require.NoError(t, err)
	l, err := judge.LawByID(judge.Laws(), law)
	require.NoError(t, err)
	v, err := judge.Judge(l, s, &corpus.Case{X: corpus.Values{Format: model.Binary32, F32: x}, Launch: model.Launch1D(1, 2)})
	require.NoError(t, err)
	return v
}

// readers are the ways in which host code reads a buffer.
var readers = map[string]func(r *Run, b metal.Buffer) (float32, error){
	"Run.Read": func(r *Run, b metal.Buffer) (float32, error) {
		var v [1]float32
		err := r.Read(b, v[:])
		return v[0], err
	},
	"Run.Read of bytes": func(r *Run, b metal.Buffer) (float32, error) {
		var v [4]byte
		err := r.Read(b, v[:])
		return math.Float32frombits(binary.LittleEndian.Uint32(v[:])), err
	},
	"Run.Float": func(r *Run, b metal.Buffer) (float32, error) { return r.Float(b, 0) },
	"Buffer.Read": func(r *Run, b metal.Buffer) (float32, error) {
		if err := r.Read(b, []byte{}); err != nil { // runs what was encoded
			return 0, err
		}
		var v [4]byte
		err := b.Read(0, v[:])
		return math.Float32frombits(binary.LittleEndian.Uint32(v[:])), err
	},
	"Buffer.Read, its error left out": func(r *Run, b metal.Buffer) (float32, error) {
		var v [4]byte
		err := r.Read(b, []byte{})
		_ = b.Read(0, v[:])
		return math.Float32frombits(binary.LittleEndian.Uint32(v[:])), err
	},
}

// TestUnwritten: what the host reads and nobody wrote is a finding that names the buffer and the bytes, by whatever way it is read and whoever
// made the buffer; what somebody wrote is none.
func TestUnwritten(t *testing.T) {
	for name, read := range readers {
		for _, own := range []bool{false, true} {
			host := func(r *Run, x []float32) (float32, error) {
				in, e1 := r.Buffer("x", Floats(x))
				out, e2 := r.Empty("result", 8)
				if own {
					out, e2 = r.Device().NewBuffer(8)
				}
				if err := errors.Join(e1, e2); err != nil {
					return 0, err
				}
				out.SetLabel("result")
				if err := r.Dispatch("sum", r.Launch(), in, out, uint32(len(x))); err != nil {
					return 0, err
				}
				return read(r, out)
			}
			require.Equal(t, props.Holds, judgeHost(t, nil, model.KernelInit, []float32{1, 2, 3}, host).Outcome, name)
			v := judgeHost(t, nil, model.KernelInit, []float32{1, 2}, host)
			require.Equal(t, props.Violated, v.Outcome, name)
			require.Equal(t, `uninitialised in host code: the host reads bytes 0 to 3 of the buffer labelled "result", and neither a kernel nor the host wrote them: they hold anything`, v.Reason)
			require.Len(t, v.Witness.Findings, 1, name)
			require.Equal(t, "result", v.Witness.Findings[0].Buffer)
			unchecked := sim.New(sim.Options{NoChecks: true})
			require.Equal(t, props.Holds, judgeHost(t, unchecked, model.KernelInit, []float32{1, 2}, func(r *Run, x []float32) (float32, error) {
				v, err := host(r, x)
				require.NoError(t, err, "nobody looks for faults")
				return v, err
			}).Outcome, name)
		}
	}
}

// TestPadding: bytes of an element that belong to none of its members are nobody's to write, and members that are left out are.
func TestPadding(t *testing.T) {
	for _, c := range []struct {
		kernel      string
		first, last int // element 1 is written
		found       string
	}{
		{"three", 16, 31, ""},
		{"padded", 8, 15, ""},
		{"three", 0, 31, "bytes 0 to 15"},
		{"padded", 0, 15, "bytes 0 to 7"},
		{"two", 16, 31, "bytes 24 to 31"},
	} {
		v := judgeHost(t, nil, model.KernelInit, []float32{1, 2, 3}, func(r *Run, x []float32) (float32, error) {
			in, e1 := r.Buffer("x", Floats(x))
			out, e2 := r.Empty("out", 32)
			if err := errors.Join(e1, e2, r.Dispatch(c.kernel, r.Launch(), in, out), r.Read(in, []byte{})); err != nil {
				return 0, err
			}
			return 6, out.Read(c.first, make([]byte, c.last-c.first+1))
		})
		if c.found == "" {
			require.Equal(t, props.Holds, v.Outcome, "%v: %s", c, v.Reason)
			continue
		}
		require.Equal(t, props.Violated, v.Outcome, "%v", c)
		require.Contains(t, v.Reason, c.found+" of")
	}
}

// TestUnwrittenOnHardware: nobody knows which bytes a GPU wrote; a result that depends on what was never written differs between runs.
func TestUnwrittenOnHardware(t *testing.T) {
	host := func(r *Run, x []float32) (float32, error) {
		in, e1 := r.Buffer("x", Floats(x))
		out, e2 := r.Empty("result", 4)
		if err := errors.Join(e1, e2, r.Dispatch("sum", r.Launch(), in, out, uint32(len(x)))); err != nil {
			return 0, err
		}
		return r.Float(out, 0)
	}
	dev := plainHardware{sim.New(sim.Options{NoChecks: true})}
	require.Equal(t, props.Holds, judgeHost(t, dev, model.DeviceRepeat, []float32{1, 2, 3}, host).Outcome)
	require.Equal(t, props.Violated, judgeHost(t, dev, model.DeviceRepeat, []float32{1, 2}, host).Outcome)
}

// plainHardware is a device that is no simulator as far as the judge knows.
type plainHardware struct{ metal.Device }

// TestFindingsOfOwnWork: what host code makes on Run.Device runs under the behaviour of the case, and findings count whether it waits for the
// work, looks at the error, or does neither.
func TestFindingsOfOwnWork(t *testing.T) {
	var queue metal.CommandQueue
	for name, after := range map[string]func(c metal.CommandBuffer) error{
		"not waited for":     func(metal.CommandBuffer) error { return nil },
		"waited for":         func(c metal.CommandBuffer) error { _ = c.WaitUntilCompleted(); return nil },
		"its error returned": func(c metal.CommandBuffer) error { return c.WaitUntilCompleted() },
	} {
		host := func(r *Run, x []float32) (float32, error) {
			require.Equal(t, r.At.Behaviour, r.Device().(*sim.Device).Behaviour())
			out, e1 := r.Empty("out", 4)
			p, e2 := r.on.pipeline("racy")
			q, e3 := r.Device().NewCommandQueue()
			require.NoError(t, errors.Join(e1, e2, e3))
			queue = q
			return 0, commit(t, q, p, out, after)
		}
		v := judgeHost(t, nil, model.KernelRace, []float32{1, 2}, host)
		require.Equal(t, props.Violated, v.Outcome, name)
		require.Len(t, v.Witness.Findings, 1, name)
		_, err := queue.CommandBuffer()
		require.ErrorContains(t, err, "queues have ended", "a queue is for one run")
	}
}

// commit commits one dispatch by two threads, without waiting for it.
func commit(t *testing.T, q metal.CommandQueue, p metal.ComputePipelineState, b metal.Buffer, after func(c metal.CommandBuffer) error) error {
	t.Helper()
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	one := metal.Size{X: 1, Y: 1, Z: 1}
	require.NoError(t, errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, 0, 0), e.DispatchThreadgroups(one, metal.Size{X: 2, Y: 1, Z: 1}), e.EndEncoding(), c.Commit()))
	return after(c)
}

// slow is hardware whose work ends when somebody waits for it, and then has failed.
type slow struct{ metal.Device }

func (d slow) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := d.Device.NewCommandQueue()
	return slowQueue{q}, err
}

type slowQueue struct{ metal.CommandQueue }

func (q slowQueue) CommandBuffer() (metal.CommandBuffer, error) {
	c, err := q.CommandQueue.CommandBuffer()
	return slowCommand{c}, err
}

type slowCommand struct{ metal.CommandBuffer }

var errSlow = errors.New("the GPU hung")

func (slowCommand) WaitUntilCompleted() error { return errSlow }

// TestOwnWorkOnHardware: work on hardware that host code commits to a queue of its own is waited for when the run ends, and what stopped it
// breaks the run; work that was never committed does not.
func TestOwnWorkOnHardware(t *testing.T) {
	var queue metal.CommandQueue
	for _, commits := range []bool{false, true} {
		v := judgeHost(t, slow{sim.New(sim.Options{NoChecks: true})}, model.SumEnclosure, []float32{1, 2}, func(r *Run, x []float32) (float32, error) {
			out, e1 := r.Empty("out", 4)
			p, e2 := r.on.pipeline("racy")
			q, e3 := r.Device().NewCommandQueue()
			require.NoError(t, errors.Join(e1, e2, e3))
			queue = q
			if commits {
				return 3, commit(t, q, p, out, func(metal.CommandBuffer) error { return nil })
			}
			_, err := q.CommandBuffer()
			return 3, err
		})
		if !commits {
			require.Equal(t, props.Holds, v.Outcome, v.Reason)
			continue
		}
		require.Equal(t, props.Broken, v.Outcome)
		require.True(t, strings.Contains(v.Reason, errSlow.Error()), v.Reason)
	}
	_, err := queue.CommandBuffer()
	require.ErrorContains(t, err, "a run that has ended")
}
