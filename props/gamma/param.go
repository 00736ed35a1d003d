package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/props/device"
	"gamma/props/internal/devices"
)

// param is a parameter of a kernel, with what is bound to it.
type param struct {
	metal.Argument
	fields []field // of what it is or points at; a number that is no structure is one field without a name
	size   devices.Extent
	inout  bool // it also holds an input
	below  int  // its integers are below that; 0: n
	values map[string]string

	elements, before int
	filled, suspect  bool // filled since it is read before it is written, which is a finding if changed
	changed          bool

	pointees []pointee // of a structure with pointers
	reached  bool      // by a pointer in one, and it is no parameter itself
	copies   int       // of one that is written: for each structure of an array its own, one after the other
}

// pointee is what a pointer at an offset of a structure leads to: the parameter of that number.
type pointee struct{ offset, param int }

// field is a number, or a vector, of a parameter.
type field struct {
	msl.Field
	kind string // the scalar type that it consists of; "" if that is unknown
}

func (f *field) real() bool { return f.kind == "float" || f.kind == "half" || f.kind == "bfloat" }

func (p param) array() bool   { return strings.Contains(p.TypeName, "*") }
func (p param) texture() bool { return p.Texture != metal.NoTexture }
func (p param) result() bool  { return (p.array() || p.texture()) && !p.ReadOnly && !p.Threadgroup }

// sizesOfNumbers are those of Metal's scalar types, in bytes.
var sizesOfNumbers = map[string]int{
	"bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "half": 2, "bfloat": 2, "float": 4,
}

// number returns the scalar type that a type consists of: float of float4, packed_float3, atomic<float> and float4x4; "" if it is another one.
func number(text string) string {
	text = strings.NewReplacer("packed_", "", "atomic<", "", "atomic_", "", ">", "", "_t", "").Replace(devices.ElementType(text))
	text = strings.TrimRight(text, "0123456789x")
	if sizesOfNumbers[text] == 0 {
		return map[string]string{"uint32": "uint", "int32": "int", "size": "ulong"}[text]
	}
	return text
}

// names are those of the axes.
func (k *kernel) names() []string {
	return slices.Compact(slices.Sorted(maps.Keys(merged(k.axes, map[string]int{"n": 0}))))
}

func merged[K comparable, V any](a, b map[K]V) map[K]V {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// parameters returns the parameters with what was said of them.
func (k *kernel) parameters(arguments []metal.Argument) (list []param, err error) {
	typed := map[string]bool{}
	for _, b := range k.buffers {
		name, _, _ := strings.Cut(b, "=")
		typed[name] = true
	}
	all := slices.Clone(arguments)
	for _, a := range arguments {
		if a.Optional {
			continue
		}
		for _, m := range a.Members {
			if m.Nested {
				return nil, fmt.Errorf("%s.%s points at structures with pointers: these are not bound by this command, but by Host of a device.Kernel", a.Name, m.Name)
			}
			if strings.Contains(m.TypeName, "*") {
				all = append(all, metal.Argument{Name: a.Name + "." + m.Name, Index: unbound, ReadOnly: m.ReadOnly, ElementSize: m.ElementSize, TypeName: m.TypeName})
			}
		}
	}
	for _, a := range all {
		if a.Optional {
			continue
		}
		p := param{Argument: a, values: map[string]string{}, reached: a.Index == unbound, copies: 1}
		for _, f := range k.fields[a.Name] {
			if strings.Contains(f.TypeName, "*") {
				continue
			}
			p.fields = append(p.fields, field{f, number(f.TypeName)})
		}
		if p.texture() {
			t := map[metal.PixelFormat]string{metal.RGBA32Float: "float", metal.RGBA32Sint: "int", metal.RGBA32Uint: "uint"}[a.Format]
			p.ElementSize, p.fields = a.Format.Size(), []field{{msl.Field{TypeName: t, Size: 4, Length: 4}, t}}
		} else if t := number(a.TypeName); t != "" {
			p.fields = []field{{msl.Field{TypeName: t, Size: a.ElementSize, Length: 1}, t}}
		}
		k.shared = k.shared || a.Threadgroup
		what, given := k.given[a.Name]
		switch {
		case (given || typed[a.Name]) && (p.texture() || p.Sampler):
			err = errors.New("textures are as large as the grid, and samplers are Metal's defaults: say -grid and -threads, or bind others by Host of a device.Kernel")
		case given && (p.array() || a.Threadgroup):
			err = k.sized(&p, what, typed[a.Name])
		case typed[a.Name]:
			err = fmt.Errorf("it is no array: say -scalar %s=%s", a.Name, "value")
		case given:
			err = k.valued(&p, "", what)
		}
		for _, f := range p.fields {
			if what, given := k.given[a.Name+"."+f.Name]; given && err == nil {
				err = k.valued(&p, f.Name, what)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %s of type %s: %w", a.Name, a.TypeName, err)
		}
		list = append(list, p)
	}
	for i := range list {
		for _, m := range list[i].Members {
			if j := slices.IndexFunc(list, func(p param) bool { return p.reached && p.Name == list[i].Name+"."+m.Name }); j >= 0 {
				list[i].pointees = append(list[i].pointees, pointee{m.Offset, j})
			}
		}
	}
	return list, nil
}

// unbound is the index of what no parameter is.
const unbound = -1

// sized reads the size of an array, after its type if it is typed.
func (k *kernel) sized(p *param, what string, typed bool) (err error) {
	if typed {
		parts := strings.Split(what, ":")
		if len(parts) < 2 {
			return fmt.Errorf("-buffer takes name=type:size, such as %s=%s:n, and not %s", p.Name, devices.ElementType(p.TypeName), what)
		}
		want := strings.NewReplacer("atomic<", "", "atomic_", "", ">", "").Replace(devices.ElementType(p.TypeName))
		if parts[0] != want {
			return fmt.Errorf("-buffer %s says that its elements are %s, and they are %s", p.Name, parts[0], want)
		}
		for _, more := range parts[2:] {
			below, ok := strings.CutPrefix(more, "<")
			if p.below, err = strconv.Atoi(below); ok && err == nil && p.below > 0 {
				continue
			}
			if p.inout = more == "inout"; !p.inout {
				return fmt.Errorf("-buffer takes inout or such as <8 after the size, and not %q", more)
			}
		}
		what = parts[1]
	}
	p.size, err = devices.ReadExtent(what, k.names())
	return err
}

// valued reads the value of a number: a literal or a size.
func (k *kernel) valued(p *param, name, what string) error {
	if !slices.ContainsFunc(p.fields, func(f field) bool { return f.Name == name }) {
		return fmt.Errorf("it is no number: say -scalar %s.field=value of its fields, such as %v", p.Name, p.fields)
	}
	if _, err := strconv.ParseFloat(what, 64); err != nil && what != "true" && what != "false" {
		if _, err := devices.ReadExtent(what, k.names()); err != nil {
			return err
		}
	}
	p.values[name] = what
	return nil
}

// reset makes a parameter as it is before its size is searched.
func (p *param) reset(k *kernel) {
	if p.elements = k.n; p.Threadgroup {
		p.elements = k.group()
	}
	p.before = p.elements
	p.filled, p.suspect, p.changed = p.inout || p.result() && p.size == nil, false, false
}

// described returns the texture that is bound for a parameter: as large as the grid along each axis.
func (k *kernel) described(p *param) metal.TextureDescriptor {
	grid := k.threadsOfGrid()
	d := metal.TextureDescriptor{Type: p.Texture, Format: p.Format, Width: grid.X}
	switch p.Texture {
	case metal.Texture1DArray:
		d.ArrayLength = grid.Y
	case metal.Texture2D:
		d.Height = grid.Y
	case metal.Texture2DArray:
		d.Height, d.ArrayLength = grid.Y, grid.Z
	case metal.Texture3D:
		d.Height, d.Depth = grid.Y, grid.Z
	}
	return d
}

// grow makes an array larger, so that it has an element there, and reports whether it may be as large.
func (p *param) grow(index int64, limit int) bool {
	if p.Threadgroup {
		limit = 32768 / max(p.ElementSize, 1)
	}
	if p.elements >= limit || index >= int64(limit) {
		return false
	}
	for again := true; again; again = int64(p.elements) <= index {
		p.elements = min(2*p.elements, limit)
	}
	return true
}

// grown is grow where an access is outside as a finding says: what is reached by a pointer is seen there as bytes.
func (k *kernel) grown(p *param, index int64) bool {
	if p.reached {
		index = index/int64(p.ElementSize) - int64((p.copies-1)*k.count(p))
	}
	return p.grow(index, k.most())
}

// point writes the addresses of what the pointers in data, the structures of p, lead to, and makes that resident.
func (k *kernel) point(r *device.Run, p *param, data []byte, buffers []metal.Buffer) error {
	for _, to := range p.pointees {
		address, err := buffers[to.param].GPUAddress()
		if err != nil {
			return err
		}
		q, usage := &k.params[to.param], metal.UsageRead
		if !q.ReadOnly {
			usage |= metal.UsageWrite
		}
		if err := r.UseResource(buffers[to.param], usage); err != nil {
			return err
		}
		for i := range len(data) / max(p.ElementSize, 1) {
			at := address
			if q.copies > 1 {
				at += uint64(i * k.count(q) * q.ElementSize)
			}
			binary.LittleEndian.PutUint64(data[i*p.ElementSize+to.offset:], at)
		}
	}
	return nil
}

// count returns how many elements an array has, 1 of what is none.
func (k *kernel) count(p *param) int {
	switch {
	case p.texture():
		return k.described(p).Texels()
	case p.size != nil:
		return p.size.Of(k.size, k.group())
	case !p.array() && !p.Threadgroup:
		return 1
	}
	return p.elements
}

// fill gives a parameter its bytes: the values that were given, n for integers by themselves, and else what is drawn.
func (k *kernel) fill(p *param, data []byte, rng *rand.Rand) {
	if len(p.fields) == 0 {
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
	}
	alone := !p.array() && !p.texture()
	if whole := data; len(data) > drawn { // the rest repeats them
		n := max(drawn/max(p.ElementSize, 1), 1) * max(p.ElementSize, 1)
		defer func() {
			for at := n; at < len(whole); at *= 2 {
				copy(whole[at:], whole[:at])
			}
		}()
		data = data[:n]
	}
	for at := 0; at+p.ElementSize <= len(data); at += max(p.ElementSize, 1) {
		for _, f := range p.fields {
			for j := range f.Length {
				width := sizesOfNumbers[f.kind]
				for to := data[at+f.Offset+j*f.Size:][:f.Size]; width > 0 && len(to) >= width; to = to[width:] { // of a vector each
					var word [8]byte
					binary.LittleEndian.PutUint64(word[:], k.bits(&f, p, alone, rng))
					if k.apart && p.array() && p.indices(&f) {
						binary.LittleEndian.PutUint64(word[:], uint64(k.n-1-at/p.ElementSize%k.n))
					}
					copy(to[:width], word[:])
				}
			}
		}
	}
}

// drawn is how many bytes of an array are drawn.
const drawn = 1 << 16

// bits returns the encoding of one number: the value given, n, or one that is drawn. Floating-point numbers that are drawn are from 1/4 to 4, of either sign.
func (k *kernel) bits(f *field, p *param, alone bool, rng *rand.Rand) uint64 {
	t := f.kind
	what, given := p.values[f.Name]
	wide := rng.Uint64()
	sign, exponent, mantissa := wide>>63, uint32(wide>>32)%4, uint32(wide)
	switch {
	case given && f.real():
		x, err := strconv.ParseFloat(what, 64)
		if err != nil {
			x = float64(k.value(what))
		}
		return encode(t, float32(x))
	case given:
		return uint64(k.value(what))
	case f.real():
		return encode(t, math.Float32frombits(uint32(sign)<<31|(125+exponent)<<23|mantissa&0x7fe000))
	case alone:
		return uint64(k.alone(p, f))
	case t == "bool":
		return wide & 1
	case strings.HasSuffix(t, "char") && p.below == 0:
		return wide & 0xff
	}
	return wide % uint64(cmp.Or(p.below, k.n))
}

// named is what flags and reports call a number of p.
func (p *param) named(f *field) string { return strings.TrimSuffix(p.Name+"."+f.Name, ".") }

// indices reports whether a number of an array that is read may be an index of another, below n.
func (p *param) indices(f *field) bool {
	return p.ReadOnly && f.kind != "" && !f.real() && f.kind != "bool" && !strings.HasSuffix(f.kind, "char") && p.below == 0
}

// guessed reports whether a number stands by itself, is no real one, and nobody gave it.
func (k *kernel) guessed(p *param, f *field) bool {
	_, given := p.values[f.Name]
	_, axis := k.axes[p.named(f)]
	return !p.array() && !p.texture() && !p.Sampler && !p.Threadgroup && f.kind != "" && !f.real() && !given && !axis
}

// alone is the value of an integer that nobody gave: n, or what fits; of a bool 0.
func (k *kernel) alone(p *param, f *field) int {
	switch t := f.kind; {
	case k.one != "" && k.one == p.named(f):
		return 1
	case t == "bool":
		return 0
	case t == "char":
		return min(k.n, 127)
	case t == "uchar":
		return min(k.n, 255)
	}
	return min(k.n, 1<<(8*min(sizesOfNumbers[f.kind], 4)-1)-1)
}

// value returns the value of a literal, or a size, that valued has read.
func (k *kernel) value(what string) int64 {
	if what == "true" {
		return 1
	}
	if n, err := strconv.ParseInt(what, 0, 64); err == nil {
		return n
	}
	e, err := devices.ReadExtent(what, k.names())
	if err != nil {
		return 0
	}
	return int64(e.Of(k.size, k.group()))
}

// encode returns a number in a format, which of 16 bits is rounded toward zero.
func encode(t string, x float32) uint64 {
	b := math.Float32bits(x)
	switch {
	case t == "bfloat":
		return uint64(b >> 16)
	case t == "half":
		e := int(b>>23&0xff) - 112
		if e <= 0 {
			return uint64(b >> 31 << 15)
		}
		return uint64(b>>31<<15 | uint32(min(e, 30))<<10 | b>>13&0x3ff)
	}
	return uint64(b)
}
