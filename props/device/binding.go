package device

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/props/internal/devices"
)

// binding says what the arguments of a kernel are for, by their types.
type binding struct {
	s      *shader
	inputs []metal.Argument // arrays of leaves
	out    metal.Argument
	length *metal.Argument // n, if the kernel takes it
	// increments say how far neighbours lie apart in each input; nil: the kernel takes none.
	increments []*metal.Argument
	groups     []metal.Argument
	outFormat  model.Format
}

// typeNames are the types of Metal for formats of leaves and results.
var typeNames = map[string]model.Format{
	"float": model.Binary32, "half": model.Binary16, "bfloat": model.BFloat16, "atomic_float": model.Binary32, "atomic<float>": model.Binary32,
}

var lengthNames = []string{"uint", "int", "uint32_t", "int32_t", "size_t", "ulong", "long", "ushort", "short"}

// isTexture reports whether an argument is a texture or a sampler.
func isTexture(a metal.Argument) bool { return a.Texture != metal.NoTexture || a.Sampler }

// binding reads the arguments of the function, which has so many arrays of leaves.
func (s *shader) binding(inputs int) (*binding, error) {
	b := &binding{s: s}
	claim := s.claim.WithDefaults(s.claim.In)
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("device: %s %s: kernel %s %s; set Host, and bind it there", s.kind, s.name, s.function, fmt.Sprintf(format, args...))
	}
	found := false
	arguments := s.arguments[s.function]
	increments := map[string]*metal.Argument{} // by the name of the array
	for _, a := range arguments {
		array, is := strings.CutPrefix(a.Name, "inc")
		named := func(o metal.Argument) bool { return o.Name == array && isArray(o) && !o.Threadgroup }
		name := devices.ElementType(a.TypeName)
		format, number := typeNames[name]
		switch {
		case isTexture(a):
			return nil, wrong("has the %s %s", a.TypeName, a.Name)
		case a.Threadgroup:
			b.groups = append(b.groups, a)
		case number && a.ReadOnly && len(b.inputs) < inputs:
			if format != claim.In {
				return nil, wrong("reads %s from %s, and Claim.In is %s", a.TypeName, a.Name, claim.In)
			}
			b.inputs = append(b.inputs, a)
		case number && !a.ReadOnly && !found:
			if format != claim.Out {
				return nil, wrong("writes %s to %s, and Claim.Out is %s", a.TypeName, a.Name, claim.Out)
			}
			b.out, found = a, true
		case is && slices.Contains(lengthNames, name) && a.ReadOnly && !isArray(a) && slices.ContainsFunc(arguments, named):
			increments[array] = &a
		case slices.Contains(lengthNames, name) && a.ReadOnly && b.length == nil:
			b.length = &a
		case a.Optional:
		default:
			return nil, wrong("has an argument %s of type %s [[buffer(%d)]] whose purpose its type does not tell", a.Name, a.TypeName, a.Index)
		}
	}
	switch {
	case len(b.inputs) < inputs:
		return nil, wrong("has %d read-only arrays of numbers, and a %s needs %d", len(b.inputs), s.kind, inputs)
	case !found:
		return nil, wrong("has no array for the result")
	}
	for _, in := range b.inputs {
		if a := increments[in.Name]; a != nil {
			b.increments = append(b.increments, a)
			delete(increments, in.Name)
		}
	}
	if len(increments) > 0 || b.increments != nil && len(b.increments) < inputs {
		return nil, wrong("takes an increment for some of its arrays, and not for each that it reads and no other")
	}
	b.outFormat = claim.Out
	return b, nil
}

// call runs the kernel on inputs of n leaves under a setting, and returns the encoding of its result.
func (b *binding) call(at props.Setting, n int, inc []int, x ...any) (v uint64, err error) {
	err = b.s.run(at, n, func(r *Run) error {
		v, err = b.run(r, n, inc, x)
		return err
	})
	return v, err
}

// run binds, dispatches and reads.
func (b *binding) run(r *Run, n int, inc []int, x []any) (uint64, error) {
	l := r.Launch()
	if l.Groups.X*l.Groups.Y*l.Groups.Z != 1 {
		return 0, fmt.Errorf("device: %s is launched with %s, and would leave a sum for each threadgroup; launch one, or set Host", b.s.name, l)
	}
	e, err := r.kernel(b.s.function)
	if err != nil {
		return 0, err
	}
	for i, a := range b.inputs {
		buf, err := r.Buffer(a.Name, x[i])
		if err != nil {
			return 0, err
		}
		if err := e.SetBuffer(buf, 0, a.Index); err != nil {
			return 0, err
		}
	}
	width := b.outFormat.Bits() / 8
	out, err := r.Empty(b.out.Name, width)
	if err != nil {
		return 0, err
	}
	if err := e.SetBuffer(out, 0, b.out.Index); err != nil {
		return 0, err
	}
	for i, a := range append([]*metal.Argument{b.length}, b.increments...) {
		if a == nil {
			continue
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(append([]int{n}, inc...)[i]))
		if err := e.SetBytes(word[:min(max(a.ElementSize, 1), 8)], a.Index); err != nil {
			return 0, err
		}
	}
	for _, g := range b.groups {
		if err := e.SetThreadgroupMemoryLength((max(g.ElementSize, 1)*r.Threads()+15)/16*16, g.Index); err != nil {
			return 0, err
		}
	}
	if err := e.DispatchThreadgroups(l.Groups, l.Threads); err != nil {
		return 0, err
	}
	var word [8]byte
	if err := r.Read(out, word[:width]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(word[:]), nil
}
