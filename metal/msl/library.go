package msl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/internal/msl/lower"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// Diagnostics is what the front end says of a source, one error or warning a line: the type of Compile's error, for errors.As.
type Diagnostics = token.List

// Library is a compiled source. It may be used from many goroutines.
type Library struct {
	// Warnings are what the front end found that is not an error.
	Warnings Diagnostics

	program *typed.Program
	byName  map[string]*typed.Kernel
	// instructions is the option of how many a kernel may become.
	instructions int
}

// FunctionInfo describes a kernel of a library.
type FunctionInfo struct {
	Name string
	Pos  model.Position
	Args []metal.Argument // what the host binds, in the order of the parameters
	// Fields are the numbers in each parameter that is, or points at, a structure.
	Fields map[string][]Field
}

// Field is a number in a structure. A member of a structure in it has a name such as "a.b", and a member that is an array its length.
type Field struct {
	Name, TypeName string
	Offset, Size   int // bytes, of one element
	Length         int // 1 of what is no array
}

// Functions returns the kernels, in the order of the source.
func (l *Library) Functions() []FunctionInfo {
	fs := make([]FunctionInfo, 0, len(l.program.Kernels))
	for _, k := range l.program.Kernels {
		fs = append(fs, FunctionInfo{Name: k.Name, Pos: k.Func.Pos, Args: arguments(k), Fields: structures(k)})
	}
	return fs
}

// arguments describes what a kernel wants bound.
func arguments(k *typed.Kernel) []metal.Argument {
	var args []metal.Argument
	inside := membersOf(k)
	for i, p := range k.Params {
		if p.IsInput {
			continue
		}
		v := k.Func.Params[i]
		for j := range max(p.Count, 1) {
			name, typ := typed.BufferOf(&p, v, j)
			a := metal.Argument{
				Name: name, Index: p.Index + j, Threadgroup: p.Space == ir.Threadgroup, ReadOnly: p.ReadOnly || p.Space == ir.Constant,
				Optional: p.Enabled != nil, ElementSize: typ.Size(), TypeName: cmp.Or(p.TypeName, typ.String()), Sampler: p.Sampler, Members: inside[name],
			}
			if t, ok := typ.(*typed.Pointer); ok && !v.Ref {
				a.ElementSize, a.TypeName = t.Elem.Size(), t.Elem.String()
				a.ReadOnly = a.ReadOnly || t.Const
			}
			args = append(args, WithTexture(a, p.Texture))
		}
	}
	return args
}

// WithTexture returns a with what the texture t is, if it is one.
func WithTexture(a metal.Argument, t ir.Texture) metal.Argument {
	for x := metal.Texture1D; x <= metal.TextureBuffer; x++ {
		if x.String() == t.String() {
			a.Texture, a.ElementSize = x, ir.TexelSize
		}
	}
	a.Format = map[ir.Type]metal.PixelFormat{ir.F32: metal.RGBA32Float, ir.I32: metal.RGBA32Sint, ir.U32: metal.RGBA32Uint}[t.Texel]
	return a
}

// structures returns the numbers in what parameters are, or point at, by their names.
func structures(k *typed.Kernel) map[string][]Field {
	m := map[string][]Field{}
	eachStructure(k, func(name string, s *typed.Struct) { m[name] = fields(nil, s, "", 0) })
	return m
}

// eachStructure calls f for each parameter that is, or points at, a structure.
func eachStructure(k *typed.Kernel, f func(name string, s *typed.Struct)) {
	for i, v := range k.Func.Params {
		if k.Params[i].TypeName != "" { // a texture or a sampler, whose members are nobody's business
			continue
		}
		for j := range max(k.Params[i].Count, 1) {
			name, elem := typed.BufferOf(&k.Params[i], v, j)
			if t, ok := elem.(*typed.Pointer); ok {
				elem = t.Elem
			}
			if t, ok := elem.(*typed.Struct); ok {
				f(name, t)
			}
		}
	}
}

// fields appends the numbers in a structure that lies at an offset.
func fields(list []Field, s *typed.Struct, prefix string, offset int) []Field {
	for _, f := range s.Fields {
		if t, ok := f.Type.(*typed.Struct); ok {
			list = fields(list, t, prefix+f.Name+".", offset+f.Offset)
			continue
		}
		t, n := f.Type, 1
		if array, ok := t.(*typed.Array); ok {
			t, n = array.Elem, array.Len
		}
		list = append(list, Field{Name: prefix + f.Name, TypeName: t.String(), Offset: offset + f.Offset, Size: t.Size(), Length: n})
	}
	return list
}

// Members returns the members of the structures with pointers that parameters of a kernel are, or point at, by the parameters' names.
func (l *Library) Members(kernel string) map[string][]metal.Member {
	return membersOf(l.byName[kernel])
}

func membersOf(k *typed.Kernel) map[string][]metal.Member {
	m := map[string][]metal.Member{}
	eachStructure(k, func(name string, s *typed.Struct) {
		if typed.HoldsPointer(s) {
			m[name] = members(nil, s, "", 0)
		}
	})
	return m
}

// members appends the members of an object that lies at an offset.
func members(list []metal.Member, t typed.Type, name string, offset int) []metal.Member {
	m := metal.Member{Name: name, Offset: offset, ElementSize: max(t.Size(), 1), TypeName: t.String(), ReadOnly: true}
	switch t := t.(type) {
	case *typed.Pointer:
		m.ElementSize, m.ReadOnly, m.Nested = max(t.Elem.Size(), 1), t.Const || t.Space == ir.Constant, typed.HoldsPointer(t.Elem)
	case *typed.Array:
		if typed.HoldsPointer(t) {
			for i := range t.Len {
				list = members(list, t.Elem, fmt.Sprintf("%s[%d]", name, i), offset+i*t.Elem.Size())
			}
			return list
		}
	case *typed.Struct:
		if name != "" {
			name += "."
		}
		for _, f := range t.Fields {
			list = members(list, f.Type, name+f.Name, offset+f.Offset)
		}
		return list
	}
	return append(list, m)
}

// Kernel returns the IR of the kernel called name, with its function constants fixed.
func (l *Library) Kernel(name string, constants metal.FunctionConstants) (*ir.Kernel, error) {
	t, ok := l.byName[name]
	if !ok {
		return nil, fmt.Errorf("the library has no function %q: it has %s", name, l.names())
	}
	values, err := l.values(constants)
	if err != nil {
		return nil, fmt.Errorf("function %s: %w", name, err)
	}
	k, errs := l.lowered(t, values)
	if errs != nil {
		return nil, errs
	}
	return k, nil
}

// lowered lowers a kernel and verifies it; the list is nil or has an error.
func (l *Library) lowered(t *typed.Kernel, values lower.Constants) (k *ir.Kernel, errs token.List) {
	defer func() {
		if r := recover(); r != nil {
			k, errs = nil, token.List{{Pos: t.Func.Pos, Msg: fmt.Sprintf("kernel %s cannot be lowered (%v); this is a fault of the compiler: please report the source", t.Name, r)}}
		}
	}()
	k, errs = lower.Kernel(t, values, l.instructions)
	if errs.Errors() > 0 {
		return nil, errs
	}
	if err := ir.Verify(k); err != nil {
		return nil, token.List{{Pos: t.Func.Pos, Msg: fmt.Sprintf("kernel %s was lowered badly (%v); this is a fault of the compiler: please report the source", t.Name, err)}}
	}
	return k, nil
}

// names lists some of the functions.
func (l *Library) names() string {
	if len(l.program.Kernels) == 0 {
		return "no kernels at all"
	}
	var s []string
	for i, k := range l.program.Kernels {
		if i == 8 {
			s = append(s, "…")
			break
		}
		s = append(s, k.Name)
	}
	return strings.Join(s, ", ")
}

// Constants returns the function constants of the library, by index.
func (l *Library) Constants() []FunctionConstant {
	cs := make([]FunctionConstant, 0, len(l.program.Constants))
	for _, c := range l.program.Constants {
		cs = append(cs, FunctionConstant{Name: c.Name, Index: c.Index, Type: constantType(c)})
	}
	slices.SortStableFunc(cs, func(a, b FunctionConstant) int { return a.Index - b.Index })
	return cs
}
