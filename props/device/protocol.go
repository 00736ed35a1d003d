package device

import (
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
)

// Protocol checks a device. Gopter draws sequences of calls, legal and not: buffers made, written, read and released, command
// buffers, encoders, bindings, dispatches of two small kernels, EndEncoding, Commit, WaitUntilCompleted. After each call what it
// returned is compared with what a model of the memory says.
//
// Calls of which Metal leaves open what they do are not drawn: dispatches that are not ordered and touch the same memory, reads of
// memory that was never written, accesses out of bounds, dispatches of a buffer released after it was bound.
type Protocol struct {
	Name string
	// New returns a device, fresh for each sequence; Check releases it.
	New func() (metal.Device, error)
	// Sequences and MaxCommands are how many sequences are run, 0: 200, and how long the longest is, 0: 60.
	Sequences, MaxCommands int
}

func (p Protocol) props() props.Protocol[*state, *rig] {
	n := p.Sequences
	if n == 0 {
		n = 200
	}
	return props.Protocol[*state, *rig]{
		Name: p.Name, Law: model.DeviceProtocol,
		Statement: "calls in a legal order leave in memory what their kernels say, in the order of commits; a call out of order, or with an argument that cannot be, gives an error and changes nothing; none panics",
		Start:     func() *state { return &state{} }, New: func() *rig { return newRig(p.New) }, Close: (*rig).close, Draw: draw,
		Sequences: n, MaxCommands: p.MaxCommands,
	}
}

// Check fails the test with the shortest sequence found that shows a difference.
func (p Protocol) Check(t *testing.T) { t.Helper(); p.props().Check(t) }

// Find is Check without a testing package: it returns the report of a difference, or nil.
func (p Protocol) Find() (*props.SequenceFailure, error) { return p.props().Find() }

// protocolSource has the two kernels of the protocol.
const protocolSource = `#include <metal_stdlib>
using namespace metal;

kernel void fill(device uint* out [[buffer(0)]], constant uint& v [[buffer(2)]], constant uint& n [[buffer(3)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        out[i] = v + i;
    }
}

kernel void add(device uint* out [[buffer(0)]], device const uint* in [[buffer(1)]], constant uint& n [[buffer(3)]],
                uint i [[thread_position_in_grid]])
{
    if (i < n) {
        out[i] += in[i];
    }
}
`

// rig is a device in the hands of a sequence: what was made so far, in the order of the calls that made it.
type rig struct {
	err       error // of making the rig itself
	dev       metal.Device
	queue     metal.CommandQueue
	pipelines [2]metal.ComputePipelineState // fill, add
	buffers   []metal.Buffer
	commands  []metal.CommandBuffer
	encoders  []metal.ComputeCommandEncoder
}

func newRig(open func() (metal.Device, error)) *rig {
	r := &rig{}
	if r.dev, r.err = open(); r.err != nil {
		return r
	}
	var l metal.Library
	if l, r.err = r.dev.NewLibrary(protocolSource, metal.CompileOptions{FileName: "protocol.metal"}); r.err != nil {
		return r
	}
	for i, name := range []string{"fill", "add"} {
		var f metal.Function
		if f, r.err = l.NewFunction(name, nil); r.err != nil {
			return r
		}
		if r.pipelines[i], r.err = r.dev.NewComputePipelineState(f); r.err != nil {
			return r
		}
	}
	r.queue, r.err = r.dev.NewCommandQueue()
	return r
}

func (r *rig) close() {
	if r.dev != nil {
		r.dev.Release()
	}
}
