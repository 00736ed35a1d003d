package msl_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// engine is what runs a prepared dispatch.
type runner interface {
	Run(d *engine.Dispatch, o engine.Options) (engine.Result, error)
}

// TestEnginesGiveTheSame runs the shaders of testdata on the engines of the simulator, with all checks: the results are those of
// the comments, and nothing is found.
func TestEnginesGiveTheSame(t *testing.T) {
	for file, text := range shaders(t) {
		lib, err := msl.Compile(text, msl.Options{FileName: file})
		require.NoError(t, err)
		for _, r := range runLines(t, file, text) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".metal")+"/"+r.name, func(t *testing.T) { r.everywhere(t, lib) })
		}
	}
}

// everywhere runs the kernel on every engine of the simulator, on the adversarial one under some behaviours beside the plain one, and,
// optimised, on the reference interpreter.
func (r *runLine) everywhere(t *testing.T, lib *msl.Library, behaviours ...string) {
	t.Helper()
	compile := func() *ir.Kernel {
		k, err := lib.Kernel(r.name, r.constants)
		require.NoError(t, err)
		return k
	}
	k := compile()
	a, err := adversary.Compile(k)
	require.NoError(t, err)
	r.on(t, "adversary", a, k, model.Behaviour{SIMDWidth: r.width})
	for _, text := range behaviours {
		b, err := model.ParseBehaviour(text)
		require.NoError(t, err)
		r.on(t, "adversary under "+text, a, k, b)
	}
	k = compile()
	f, err := fast.Compile(k)
	require.NoError(t, err)
	r.on(t, "fast", f, k, model.Behaviour{SIMDWidth: r.width})

	k = compile()
	ir.Optimise(k)
	require.NoError(t, ir.Verify(k))
	args := r.args(k)
	require.NoError(t, reference.Run(k, reference.Launch{Groups: r.groups, Threads: r.threads, Args: args, Width: r.width}))
	r.check(t, k, args)
}

// on runs the kernel on an engine, which finds nothing: notes are what a kernel logs.
func (r *runLine) on(t *testing.T, name string, e runner, k *ir.Kernel, b model.Behaviour) {
	t.Helper()
	for _, f := range r.dispatch(t, name, e, k, b) {
		require.Equal(t, model.FindingNote, f.Kind, "%s engine: %s", name, f)
	}
}

// dispatch runs the kernel on an engine, holds the results to what the line says, and returns what is found.
func (r *runLine) dispatch(t *testing.T, name string, e runner, k *ir.Kernel, b model.Behaviour) model.Findings {
	t.Helper()
	args := r.args(k)
	mems := map[int]*engine.Memory{}
	d := &engine.Dispatch{
		Kernel: k, Group: r.threads,
		Grid: model.Size3{X: r.groups.X * r.threads.X, Y: r.groups.Y * r.threads.Y, Z: r.groups.Z * r.threads.Z},
	}
	for i, bytes := range args {
		buf := k.Buffers[i]
		switch {
		case buf.Space == ir.Threadgroup:
			d.Args = append(d.Args, engine.Arg{Length: len(bytes)})
		case bytes == nil:
			d.Args = append(d.Args, engine.Arg{})
		default:
			if mems[slot(buf)] == nil {
				mems[slot(buf)] = &engine.Memory{Bytes: bytes, Name: buf.Name}
			}
			d.Args = append(d.Args, engine.Arg{Mem: mems[slot(buf)]})
		}
	}
	res, err := e.Run(d, engine.Options{Checks: true, SIMDWidth: r.width, Behaviour: b})
	require.NoError(t, err, "%s engine", name)
	r.check(t, k, args)
	return res.Findings
}
