package record

import (
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
)

// library is a metal.Library.
type library struct {
	thing
	l     *msl.Library
	names []string
}

const maxSource = 8 << 20

// NewLibrary compiles source by the front end of metal/msl.
func (d *Device) NewLibrary(source string, o metal.CompileOptions) (metal.Library, error) {
	release, err := d.Hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if len(source) > maxSource {
		return nil, d.errorf("the source has %d bytes; at most %d are possible, split it", len(source), maxSource)
	}
	l, err := msl.Compile(source, msl.Options(o))
	if err != nil {
		return nil, err
	}
	lib := &library{thing: thing{d: d}, l: l}
	for _, f := range l.Functions() {
		lib.names = append(lib.names, f.Name)
	}
	return lib, nil
}

// FunctionNames returns the names of the kernels, in the order of the source.
func (l *library) FunctionNames() []string { return slices.Clone(l.names) }

// Release ends the library; its functions stay.
func (l *library) Release() { l.ended.Store(true) }

// NewFunction returns the kernel called name, with its constants fixed.
func (l *library) NewFunction(name string, constants metal.FunctionConstants) (metal.Function, error) {
	if err := l.usable(l.d, "library"); err != nil {
		return nil, err
	}
	if !slices.Contains(l.names, name) {
		return nil, l.d.errorf("the library has no function called %s; it has %s", quoted(name), head(strings.Join(l.names, ", "), 400))
	}
	k, err := l.l.Kernel(name, constants)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(k); err != nil {
		return nil, l.d.errorf("compiling function %s failed inside; please report it with the source: %w", quoted(name), err)
	}
	ir.Optimise(k)
	return &function{thing: thing{d: l.d}, k: k}, nil
}

// function is a metal.Function.
type function struct {
	thing
	k *ir.Kernel
}

// Name returns the name by which the host asked for it.
func (f *function) Name() string { return f.k.Name }

// Arguments describes what is to be bound, in the order of the parameters.
func (f *function) Arguments() []metal.Argument {
	list := make([]metal.Argument, len(f.k.Buffers))
	for i, b := range f.k.Buffers {
		list[i] = metal.Argument{
			Name: b.Name, Index: b.Index, Threadgroup: b.Space == ir.Threadgroup, ReadOnly: b.ReadOnly || b.Space == ir.Constant,
			Optional: b.Optional, ElementSize: b.Elem, TypeName: b.Type,
		}
	}
	return list
}

// Release ends the function; pipelines made of it stay.
func (f *function) Release() { f.ended.Store(true) }
