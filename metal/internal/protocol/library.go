package protocol

import (
	"fmt"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
)

// library is a metal.Library.
type library struct {
	object
	l Library
}

// IsCUDA reports whether a source is CUDA C++: its file is called so.
func IsCUDA(o metal.CompileOptions) bool { return strings.HasSuffix(o.FileName, ".cu") }

// NewLibrary compiles source.
func (d *Device) NewLibrary(source string, o metal.CompileOptions) (metal.Library, error) {
	release, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if b, ok := d.c.Backend.(interface{ TakesCUDA() bool }); IsCUDA(o) && (!ok || !b.TakesCUDA()) {
		return nil, &metal.Refusal{Err: d.errorf("%s is CUDA C++, which an NVIDIA GPU alone takes: import _ \"gamma/metal/cuda\" on a machine that has one", o.FileName)}
	}
	l, err := d.c.Backend.Compile(source, o)
	if err != nil {
		return nil, err
	}
	return &library{object: made(d, l), l: l}, nil
}

// FunctionNames returns the names of the kernels, in the order of the source.
func (l *library) FunctionNames() []string { return slices.Clone(l.l.Names()) }

// NewFunction returns the kernel called name, with its constants fixed.
func (l *library) NewFunction(name string, constants metal.FunctionConstants) (metal.Function, error) {
	release, err := l.d.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if err := l.hold(l.d, "library"); err != nil {
		return nil, err
	}
	defer l.drop()
	if names := l.l.Names(); !slices.Contains(names, name) {
		return nil, l.d.errorf("the library has no function called %s; %s", quoted(name), advice(name, names))
	}
	f, err := l.l.Function(name, constants)
	if err != nil {
		return nil, err
	}
	return &function{object: made(l.d, f.Native), f: f}, nil
}

// function is a metal.Function.
type function struct {
	object
	f *Function
}

// Name returns the name by which the host asked for it.
func (f *function) Name() string { return f.f.Name }

// Arguments describes what is to be bound, in the order of the parameters; nil where metal/msl does not take the source.
func (f *function) Arguments() []metal.Argument {
	if f.f.Kernel == nil {
		return nil
	}
	list := make([]metal.Argument, 0, len(f.f.Kernel.Buffers))
	for _, b := range f.f.Kernel.Buffers {
		if b.Resource {
			continue
		}
		list = append(list, msl.WithTexture(metal.Argument{
			Name: b.Name, Index: b.Index, Threadgroup: b.Space == ir.Threadgroup, ReadOnly: b.ReadOnly || b.Space == ir.Constant,
			Optional: b.Optional, ElementSize: b.Elem, TypeName: b.Type, Sampler: b.Sampler, Members: f.f.Members[b.Name],
		}, b.Texture))
	}
	return list
}

// advice names the functions that somebody who wrote name may have meant.
func advice(name string, names []string) string {
	if len(names) == 0 {
		return "it has no kernels at all; mark one with kernel, or instantiate a template"
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return distance(name, a) - distance(name, b) })
	more := ""
	if n := len(sorted); n > 8 {
		sorted, more = sorted[:8], fmt.Sprintf(" and %d more", n-8)
	}
	for i := range sorted {
		sorted[i] = quoted(sorted[i])
	}
	if distance(name, strings.Trim(sorted[0], `"`)) <= 1+len(name)/3 {
		if len(sorted) == 1 {
			return "did you mean " + sorted[0] + "?"
		}
		return "did you mean " + sorted[0] + "? There are also " + strings.Join(sorted[1:], ", ") + more
	}
	return "it has " + strings.Join(sorted, ", ") + more
}

// distance returns how many letters to insert, drop or change between a and b, as far as their first 64 go.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
