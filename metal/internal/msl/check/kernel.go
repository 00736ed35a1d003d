package check

import (
	"slices"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// What the host binds, each with indices of its own.
const (
	bufferIndex = iota
	threadgroupIndex
	textureIndex
	samplerIndex
)

var (
	indexWords = [...]string{"buffer", "threadgroup", "texture", "sampler"}
	maxIndex   = [...]int{30, 30, 127, 15}
)

// indices says where each index was given, by its kind.
type indices [4][128]Pos

// indexKind returns the kind of index of a parameter.
func indexKind(k *typed.KernelParam) int {
	switch {
	case k.Texture.Dimensions > 0:
		return textureIndex
	case k.Sampler:
		return samplerIndex
	case k.Space == ir.Threadgroup:
		return threadgroupIndex
	}
	return bufferIndex
}

// hostName returns the name that [[host_name("…")]] gives, or "".
func hostName(lists ...[]syntax.Attribute) string {
	for _, list := range lists {
		for _, a := range list {
			if a.Name == "host_name" && len(a.Args) == 1 {
				if l, ok := a.Args[0].(*syntax.Literal); ok {
					if s, err := strconv.Unquote(l.Text); err == nil {
						return s
					}
					return strings.Trim(l.Text, `"`)
				}
			}
		}
	}
	return ""
}

// kernelDecl makes an entry point of f.
func (c *checker) kernelDecl(f *function, host string, attrs []syntax.Attribute) {
	if host == "" {
		host = f.title()
	}
	if p, twice := c.hosts[host]; twice {
		c.fail(f.pos, "there is a kernel %s already, at %s: kernels cannot be overloaded", host, p)
	}
	if !isVoid(f.result.T) || f.result.Ref != noRef {
		c.fail(f.pos, "a kernel returns void, not %s", f.result)
	}
	if f.st != nil {
		c.fail(f.pos, "a kernel is not a method")
	}
	k := &typed.Kernel{Name: host, Func: f.tf, Params: make([]typed.KernelParam, len(f.params))}
	old := c.state
	defer func() { c.state = old }()
	c.scope = f.scope
	for _, a := range attrs {
		switch a.Name {
		case "max_total_threads_per_threadgroup", "required_threads_per_threadgroup":
			if a.Name[0] == 'r' {
				c.refuse(a.Pos, "required_threads_per_threadgroup", "")
			}
			if len(a.Args) != 1 {
				c.fail(a.Pos, "%s needs one number", a.Name)
			}
			n := c.constantInt(a.Args[0], a.Name)
			if n < 1 || n > 1024 {
				c.fail(a.Pos, "%s is 1 to 1024, not %d", a.Name, n)
			}
			k.MaxThreads = int(n)
		}
	}
	width := map[ir.InputKind]int{}
	var used indices
	var open []int // parameters without an index
	for i := range f.params {
		p := f.decl.Params[i]
		if p.Pack {
			c.refuse(p.Pos, "packs of a kernel's parameters", "write each parameter")
		}
		list := append(append([]syntax.Attribute(nil), p.Specs.Attrs...), p.Attrs...)
		if c.kernelParam(f, k, i, list, width, &used) {
			open = append(open, i)
		}
		if k.Params[i].Coherent = p.Specs.Coherent; p.Specs.Coherent {
			c.coherent[p.Pos] = true
		}
	}
	for _, i := range open {
		which := indexKind(&k.Params[i])
		n, some := 0, max(k.Params[i].Count, 1)
		for n+some <= maxIndex[which]+1 && slices.ContainsFunc(used[which][n:n+some], func(at typed.Pos) bool { return at.Line != 0 }) {
			n++
		}
		if n+some > maxIndex[which]+1 {
			c.fail(f.params[i].pos, "there are more than %d %ss", maxIndex[which]+1, indexWords[which])
		}
		k.Params[i].Index = n
		for j := range some {
			used[which][n+j] = f.params[i].pos
		}
	}
	if a, ok := width[ir.GridSize]; ok {
		if b, ok := width[ir.ThreadPositionInGrid]; ok && a != b {
			c.fail(f.pos, "grid_size and thread_position_in_grid have different numbers of components: %d and %d", a, b)
		}
	}
	c.hosts[host] = f.pos
	c.kernels = append(c.kernels, k)
}

// kernelParam judges one parameter of a kernel, and reports whether its index is to be found by counting.
func (c *checker) kernelParam(f *function, k *typed.Kernel, i int, attrs []syntax.Attribute, width map[ir.InputKind]int, used *indices) bool {
	p := &f.params[i]
	out := &k.Params[i]
	pos := p.pos
	if p.def != nil {
		c.fail(pos, "a parameter of a kernel has no default")
	}
	indexed, unknown, index := c.kernelAttributes(p, out, attrs, width)
	if out.IsInput {
		if indexed != "" {
			c.fail(pos, "%s is an input of the thread and no %s", p.name, indexed)
		}
		return false
	}
	if !c.resource(p, out) {
		c.memoryParam(f, p, out, unknown)
	}
	which := indexKind(out)
	want := indexWords[which]
	if indexed == "" {
		return true
	}
	if indexed != want {
		is := "in " + spaceWord[out.Space]
		if which >= textureIndex {
			is = "a " + want
		}
		c.fail(pos, "%s is %s: write [[%s(%d)]]", p.name, is, want, index)
	}
	out.Index = int(index)
	if last := int(index) + out.Count - 1; last > maxIndex[which] {
		c.fail(pos, "%s has %ss %d to %d, and the last that there may be is %d", p.name, want, index, last, maxIndex[which])
	}
	for j := range max(out.Count, 1) {
		if old := used[which][out.Index+j]; old.Line != 0 && out.Enabled == nil {
			c.fail(pos, "%s %d is another parameter's already, at %s", want, out.Index+j, old)
		}
		used[which][out.Index+j] = pos
	}
	return false
}

// memoryParam judges a parameter that is a pointer or a reference.
func (c *checker) memoryParam(f *function, p *param, out *typed.KernelParam, unknown string) {
	pos := p.pos
	space := p.q.space()
	elem := p.q.T
	isConst := p.q.Const
	if p.q.Ref == noRef {
		one := p.q.T
		if a, ok := one.(*typed.Array); ok {
			one, out.Count = a.Elem, a.Len
		}
		ptr, ok := one.(*typed.Pointer)
		if !ok || out.Count > 0 && ptr.Space != ir.Device && ptr.Space != ir.Constant {
			if unknown != "" {
				c.fail(pos, "%s of the kernel %s has the attribute %s, which is not known", p.name, f.name, unknown)
			}
			c.badKernelParam(f, p)
		}
		space, elem, isConst = ptr.Space, ptr.Elem, ptr.Const
	}
	if !isVoid(elem) {
		c.sized(pos, elem)
	}
	if space == ir.Thread {
		c.fail(pos, "the parameter %s of a kernel points into thread: write device, constant or threadgroup", p.name)
	}
	if typed.HoldsPointer(elem) {
		c.argumentBuffer(p, elem)
	}
	out.Space = space
	out.ReadOnly = out.ReadOnly || isConst || space == ir.Constant
	if out.WriteOnly && isConst {
		c.fail(pos, "%s is const and has access(write)", p.name)
	}
}

// kernelAttributes notes in out what the attributes of a parameter say, and returns the word and the number of its index, and the last attribute that
// is not known; "" if there is none.
func (c *checker) kernelAttributes(p *param, out *typed.KernelParam, attrs []syntax.Attribute, width map[ir.InputKind]int) (indexed, unknown string, index int64) {
	index = -1
	for _, a := range attrs {
		if kind, ok := stdlib.KernelAttribute(a.Name); ok {
			if out.IsInput {
				c.fail(a.Pos, "a parameter is one input of the thread")
			}
			out.IsInput, out.Input = true, kind
			c.inputType(a, kind, p.q, width)
			continue
		}
		switch a.Name {
		case "buffer", "threadgroup", "texture", "sampler":
			if len(a.Args) < 1 {
				c.fail(a.Pos, "%s needs its index: [[%s(0)]]", a.Name, a.Name)
			}
			if indexed != "" {
				c.fail(a.Pos, "this parameter has an index already")
			}
			indexed = a.Name
			index = c.constantInt(a.Args[0], "an index")
			if most := maxIndex[slices.Index(indexWords[:], a.Name)]; index < 0 || index > int64(most) {
				c.fail(a.Pos, "the index of a %s is 0 to %d, not %d", a.Name, most, index)
			}
		case "access":
			mode := ""
			if len(a.Args) == 1 {
				mode = exprKey(a.Args[0])
			}
			switch strings.TrimPrefix(strings.TrimPrefix(mode, "metal::"), "access::") {
			case "read":
				out.ReadOnly = true
			case "write":
				out.WriteOnly = true
			case "read_write":
			default:
				c.fail(a.Pos, "access is read, write or read_write")
			}
		case "function_constant":
			if len(a.Args) != 1 {
				c.fail(a.Pos, "function_constant needs the name of a constant")
			}
			x := c.condition(c.rvalue(a.Args[0]), "function_constant")
			if !ofConstants(x) {
				c.fail(a.Pos, "function_constant needs a function constant, or a constant that is made of them")
			}
			out.Enabled = x
		case "stage_in", "vertex_id", "instance_id", "position", "color", "attribute", "point_coord", "front_facing", "sample_id", "imageblock_data", "payload", "id":
			c.refuse(a.Pos, "the attribute "+a.Name, "only kernel functions run here")
		default:
			unknown = a.Name
		}
	}
	return indexed, unknown, index
}

// argumentBuffer judges a buffer that holds pointers.
func (c *checker) argumentBuffer(p *param, elem typed.Type) {
	if c.holdsTexture(elem) {
		c.refuse(p.pos, "textures in argument buffers", "pass each texture as a parameter")
	}
	if t := outsideBuffers(elem); t != nil {
		c.fail(p.pos, "%s holds a %s: pointers in a buffer point into device or constant", p.name, t)
	}
}

// outsideBuffers returns a pointer in an object of type t that does not point into device or constant memory, nil if there is none.
func outsideBuffers(t typed.Type) typed.Type {
	switch t := t.(type) {
	case *typed.Pointer:
		if t.Space == ir.Device || t.Space == ir.Constant {
			return nil
		}
		return t
	case *typed.Array:
		return outsideBuffers(t.Elem)
	case *typed.Struct:
		for _, f := range t.Fields {
			if typed.HoldsPointer(f.Type) {
				if p := outsideBuffers(f.Type); p != nil {
					return p
				}
			}
		}
	}
	return nil
}

func (c *checker) badKernelParam(f *function, p *param) {
	if c.holdsTexture(p.q.T) {
		c.refuse(p.pos, "arrays and structs of textures", "pass each texture as a parameter")
	}
	if a, ok := p.q.T.(*typed.Array); ok && typed.HoldsPointer(a) {
		c.refuse(p.pos, "arrays of what is no pointer into device or constant memory", "pass each buffer as a parameter")
	}
	name := p.name
	if name == "" {
		name = "a parameter"
	}
	if isStruct(p.q.T) && typed.HoldsPointer(p.q.T) {
		c.refuse(p.pos, "a struct with pointers that is passed by value", "write constant "+p.q.T.String()+"&, in a buffer that holds it")
	}
	c.fail(p.pos, "%s of the kernel %s is passed by value and has no attribute: write constant %s& for data from the host, or an attribute such as [[thread_position_in_grid]]", name, f.name, p.q.T)
}

// inputType judges the type of a position or size.
func (c *checker) inputType(a syntax.Attribute, kind ir.InputKind, q qual, width map[ir.InputKind]int) {
	n := 1
	s, ok := q.T.(*typed.Scalar)
	if v, is := q.T.(*typed.Vector); is && !v.Packed {
		s, n, ok = v.Elem, v.N, true
	}
	if !ok || q.Ref != noRef || s.Enum || s.Kind != ir.U16 && s.Kind != ir.U32 {
		c.fail(a.Pos, "%s is a uint or ushort, or a vector of them, not %s", a.Name, q)
	}
	if !kind.HasAxes() && n != 1 {
		c.fail(a.Pos, "%s is one number: a uint or ushort, not %s", a.Name, q)
	}
	if n > 3 {
		c.fail(a.Pos, "%s has at most 3 components, not %d", a.Name, n)
	}
	width[kind] = n
}

// instantiation checks template [[host_name("x")]] kernel void f<T>(…);
func (c *checker) instantiation(d *syntax.Instantiation) {
	if s, ok := d.Decl.(*syntax.StructDecl); ok {
		if s.Name == nil {
			c.fail(d.Pos, "an instantiation needs a name")
		}
		c.typeOf(&syntax.NameType{Pos: s.Pos, Name: s.Name})
		return
	}
	var f *function
	var args []targ
	attrs := append([]syntax.Attribute(nil), d.Specs.Attrs...)
	kernel := d.Specs.Kernel
	pos := d.Pos
	switch in := d.Decl.(type) {
	case *syntax.FuncDecl:
		if in.Name == nil || len(in.Name.Parts) == 0 {
			c.fail(d.Pos, "an instantiation needs a name")
		}
		attrs = append(append(attrs, in.Specs.Attrs...), in.Attrs...)
		kernel = kernel || in.Specs.Kernel
		r := c.resolve(in.Name)
		if r.ent == nil || r.ent.fns == nil {
			if r.ent == nil && r.typ == nil {
				c.undeclared(in.Name, r)
			}
			c.fail(in.Pos, "%s is not a function template", nameString(in.Name))
		}
		in2 := *in
		in2.Body = nil
		g := c.newFunction(&in2, nil, r.st)
		c.signature(g)
		f, args = c.matching(in.Pos, r.ent.fns, r.part, g)
	case nil:
		if d.Alias == nil || len(d.Alias.Parts) == 0 {
			c.fail(d.Pos, "an instantiation needs a name")
		}
		pos = d.Alias.Pos
		r := c.resolve(d.Alias)
		if r.ent == nil || r.ent.fns == nil {
			if r.ent == nil && r.typ == nil {
				c.undeclared(d.Alias, r)
			}
			c.fail(pos, "%s is not a function template", nameString(d.Alias))
		}
		var want *signature
		if d.Type != nil {
			q := c.typeOf(d.Type)
			if q.Func == nil {
				c.fail(pos, "the type of an instantiation without parameters is that of a function, not %s", q)
			}
			want = q.Func
		}
		f, args = c.aliased(pos, r, want)
	default:
		c.fail(d.Pos, "only functions and classes are instantiated")
	}
	g := c.instance(pos, f, args)
	for _, a := range attrs {
		kernel = kernel || a.Name == "kernel"
	}
	if hasAttr(f.decl, "kernel") || kernel {
		g.kernel = true
	}
	c.need(g)
	if g.kernel {
		all := append(append(append([]syntax.Attribute(nil), f.decl.Specs.Attrs...), f.decl.Attrs...), attrs...)
		c.within(pos, g.title(), func() { c.kernelDecl(g, hostName(attrs), all) })
	}
}

// aliased finds the template that a name with its arguments means, and whose instance has a type, if that is given.
func (c *checker) aliased(pos Pos, r ref, want *signature) (*function, []targ) {
	var found *function
	var args []targ
	for _, f := range r.ent.fns {
		if f.tparams == nil {
			continue
		}
		d := c.newDeduction(f)
		if !d.explicit(r.part) {
			continue
		}
		list, ok := d.finish(pos)
		if !ok {
			continue
		}
		g := c.tryInstance(pos, f, list)
		if g == nil {
			continue
		}
		if want != nil && !want.has(g) {
			c.reason = "its type is not " + want.String()
			continue
		}
		if found != nil {
			c.fail(pos, "%s is ambiguous: %s", r.name, candidates([]*function{found, f}))
		}
		found, args = f, list
	}
	if found == nil {
		c.fail(pos, "no template %s takes these arguments (%s); candidates: %s", r.name, c.reason, candidates(r.ent.fns))
	}
	return found, args
}
