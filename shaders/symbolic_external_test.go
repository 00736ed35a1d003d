package shaders_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/symbolic"
	"gamma/model"
	"gamma/shaders"
	"gamma/sumtree"
)

// symbolDevice runs host code on names of leaves: what it reads back says which schedule the kernel followed. It has what
// package shaders uses of a device, and does each dispatch when it is encoded.
type symbolDevice struct {
	metal.Device
	m *symbolic.Machine
	b model.Behaviour
}

func (d *symbolDevice) width() int {
	if d.b.SIMDWidth != 0 {
		return d.b.SIMDWidth
	}
	return 32
}

func (d *symbolDevice) NewLibrary(source string, o metal.CompileOptions) (metal.Library, error) {
	l, err := msl.Compile(source, msl.Options(o))
	return symbolLibrary{l: l}, err
}

func (d *symbolDevice) NewComputePipelineState(f metal.Function) (metal.ComputePipelineState, error) {
	k := f.(symbolFunction).k
	code, err := rewrite.Apply(k, model.Behaviour{Contract: d.b.Contract, Rewrites: d.b.Rewrites, Seed: d.b.Seed})
	return &symbolPipeline{k: code, width: d.width()}, err
}

func (d *symbolDevice) NewBuffer(length int) (metal.Buffer, error) {
	return &symbolBuffer{mem: engine.Memory{Bytes: make([]byte, length)}}, nil
}

func (d *symbolDevice) NewBufferWithBytes(b []byte) (metal.Buffer, error) {
	return &symbolBuffer{mem: engine.Memory{Bytes: append([]byte(nil), b...)}}, nil
}

func (d *symbolDevice) NewCommandQueue() (metal.CommandQueue, error) { return symbolQueue{d: d}, nil }

type symbolLibrary struct {
	metal.Library
	l *msl.Library
}

func (l symbolLibrary) NewFunction(name string, c metal.FunctionConstants) (metal.Function, error) {
	k, err := l.l.Kernel(name, c)
	return symbolFunction{k: k}, err
}

func (l symbolLibrary) Release() {}

type symbolFunction struct {
	metal.Function
	k *ir.Kernel
}

func (symbolFunction) Release() {}

type symbolPipeline struct {
	metal.ComputePipelineState
	k     *ir.Kernel
	width int
}

func (p *symbolPipeline) ThreadExecutionWidth() int { return p.width }
func (p *symbolPipeline) Release()                  {}

type symbolBuffer struct {
	metal.Buffer
	mem engine.Memory
}

func (b *symbolBuffer) Length() int     { return len(b.mem.Bytes) }
func (b *symbolBuffer) SetLabel(string) {}
func (b *symbolBuffer) Release()        {}
func (b *symbolBuffer) Read(at int, dst []byte) error {
	copy(dst, b.mem.Bytes[at:])
	return nil
}

type symbolQueue struct {
	metal.CommandQueue
	d *symbolDevice
}

func (q symbolQueue) CommandBuffer() (metal.CommandBuffer, error) { return symbolCommands{d: q.d}, nil }
func (symbolQueue) Release()                                      {}

type symbolCommands struct {
	metal.CommandBuffer
	d *symbolDevice
}

func (c symbolCommands) ComputeCommandEncoder(metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	return &symbolEncoder{d: c.d}, nil
}
func (symbolCommands) Commit() error             { return nil }
func (symbolCommands) WaitUntilCompleted() error { return nil }

type symbolEncoder struct {
	metal.ComputeCommandEncoder
	d      *symbolDevice
	p      *symbolPipeline
	args   [metal.MaxBufferIndex + 1]engine.Arg
	shared [metal.MaxBufferIndex + 1]int
}

func (e *symbolEncoder) SetComputePipelineState(p metal.ComputePipelineState) error {
	e.p = p.(*symbolPipeline)
	return nil
}

func (e *symbolEncoder) SetBuffer(b metal.Buffer, offset, i int) error {
	e.args[i] = engine.Arg{Mem: &b.(*symbolBuffer).mem, Offset: offset}
	return nil
}

func (e *symbolEncoder) SetBytes(b []byte, i int) error {
	e.args[i] = engine.Arg{Mem: &engine.Memory{Bytes: append([]byte(nil), b...)}}
	return nil
}

func (e *symbolEncoder) SetThreadgroupMemoryLength(n, i int) error {
	e.shared[i] = n
	return nil
}

func (e *symbolEncoder) DispatchThreadgroups(groups, threads metal.Size) error {
	work := engine.Dispatch{Kernel: e.p.k, Grid: metal.Size{X: groups.X * threads.X, Y: 1, Z: 1}, Group: threads}
	for _, b := range e.p.k.Buffers {
		if b.Space == ir.Threadgroup {
			work.Args = append(work.Args, engine.Arg{Length: e.shared[b.Index]})
		} else {
			work.Args = append(work.Args, e.args[b.Index])
		}
	}
	_, err := e.d.m.Run(e.p.k, &work, engine.Options{SIMDWidth: e.p.width})
	return err
}

func (*symbolEncoder) EndEncoding() error { return nil }

// symbols finds the tree that kernels follow.
type symbols struct {
	options *metal.CompileOptions
	b       model.Behaviour
}

// tree returns the tree that k follows for n terms in a launch, or t for a kernel that follows what it is given.
func (s symbols) tree(k shaders.Kernel, n int, l model.Launch, t *sumtree.Tree) (*sumtree.Tree, error) {
	d := &symbolDevice{m: symbolic.New(), b: s.b}
	r := shaders.NewRunner(d)
	if s.options != nil {
		r = shaders.NewRunnerWith(d, *s.options)
	}
	leaf := func(f ir.Type, i int) (bits uint64) {
		bits, err := d.m.Leaf(f, i)
		if err != nil {
			panic(err)
		}
		return bits
	}
	var x, y []float32
	for i := range n {
		x = append(x, math.Float32frombits(uint32(leaf(ir.F32, i))))
	}
	var v float32
	var err error
	slots := n
	switch {
	case k.Sum32 != nil:
		v, err = k.Sum32(r, l, x)
	case k.SumTree != nil:
		v, err = k.SumTree(r, t, x)
	case k.SumBits != nil:
		f := map[string]ir.Type{"binary16": ir.F16, "bfloat16": ir.BF16}[k.Claim.In.Name]
		var h []uint16
		for i := range n {
			h = append(h, uint16(leaf(f, i)))
		}
		var bits uint64
		bits, err = k.SumBits(r, l, h)
		v = math.Float32frombits(uint32(bits))
	case k.Rows32 != nil:
		// The rows before and after are of numbers; the result is the second row's.
		rows := append(append(make([]float32, n), x...), make([]float32, n)...)
		dst := make([]float32, 3)
		err = k.Rows32(r, l, dst, rows, n)
		v = dst[1]
	default:
		for i := range n {
			y = append(y, math.Float32frombits(uint32(leaf(ir.F32, n+i))))
		}
		slots = 2 * n
		v, err = k.Dot32(r, l, x, y)
	}
	if err != nil {
		return nil, err
	}
	return d.m.Tree(ir.F32, uint64(math.Float32bits(v)), slots)
}

// sizes are lengths of vectors at the boundaries of threadgroups and simdgroups.
var sizes = []int{1, 2, 3, 4, 5, 31, 32, 33, 127, 255, 256, 257, 513, 1000}

// TestSymbolicTrees compares the tree that a symbolic run of the shader gives with Kernel.Tree, for every launch.
func TestSymbolicTrees(t *testing.T) {
	for _, k := range shaders.All() {
		t.Run(k.Function, func(t *testing.T) {
			t.Parallel()
			if k.Schedule == nil {
				return
			}
			for _, n := range sizes {
				if k.Claim.In.Name == "bfloat16" && n > 127 {
					break // the symbolic engine has no more names of that format
				}
				for _, l := range k.Launches(n) {
					want := k.Tree(n, l)
					if want == nil {
						require.Equal(t, model.FusedAny, k.Claim.Fusion)
						continue
					}
					got, err := symbols{}.tree(k, n, l, nil)
					require.NoError(t, err)
					require.True(t, want.Equal(got), "%s, %d leaves, %s: the shader follows\n%s\nand the schedule is\n%s", k.Name, n, l, got, want)
				}
			}
		})
	}
}
