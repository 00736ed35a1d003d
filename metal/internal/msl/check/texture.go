package check

import (
	"fmt"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// textureOf returns the texture that the library's class t is, and what it may be used for: an enumerator of access. ok is false for other types.
func (c *checker) textureOf(t typed.Type) (x ir.Texture, access uint64, ok bool) {
	st := c.structOf(t)
	if st == nil || st.tmpl == nil || st.tmpl.scope != c.classes || len(st.args) != 2 {
		return x, 0, false
	}
	if x, ok = ir.ParseTexture(st.tmpl.name); !ok {
		return x, 0, false
	}
	x.Texel = ir.F32
	if s, is := st.args[0].q.T.(*typed.Scalar); is {
		switch s.Kind {
		case ir.I16, ir.I32:
			x.Texel = ir.I32
		case ir.U16, ir.U32:
			x.Texel = ir.U32
		}
	}
	return x, st.args[1].bits, true
}

// isSampler reports whether t is the library's sampler.
func (c *checker) isSampler(t typed.Type) bool {
	st, e := c.structOf(t), c.classes.names["sampler"]
	return st != nil && e != nil && e.typ != nil && same(e.typ.T, t)
}

// accessNames are the enumerators of access; from writable on a texture can be written.
var accessNames = [...]string{"sample", "read", "write", "read_write"}

const writable = 2

// resource reports whether a parameter is a texture or a sampler, and notes in out what it is.
func (c *checker) resource(p *param, out *typed.KernelParam) bool {
	x, access, ok := c.textureOf(p.q.T)
	switch {
	case !ok && !c.isSampler(p.q.T):
		return false
	case p.q.Ref != noRef:
		c.fail(p.pos, "%s is passed by value: write %s %s", p.name, p.q.T, p.name)
	case ok:
		c.complete(p.pos, c.structOf(p.q.T))
		out.Texture, out.Space, out.ReadOnly = x, ir.Device, access < writable
		out.TypeName = fmt.Sprintf("%s<%s, access::%s>", x, c.structOf(p.q.T).args[0], accessNames[min(access, uint64(len(accessNames)-1))])
	default:
		out.Sampler, out.Space, out.ReadOnly, out.TypeName = true, ir.Constant, true, "sampler"
	}
	return true
}

// holdsTexture reports whether there is a texture in an object of type t.
func (c *checker) holdsTexture(t typed.Type) bool {
	if _, _, ok := c.textureOf(t); ok {
		return true
	}
	switch t := t.(type) {
	case *typed.Array:
		return c.holdsTexture(t.Elem)
	case *typed.Struct:
		for _, f := range t.Fields {
			if typed.HoldsPointer(f.Type) && c.holdsTexture(f.Type) {
				return true
			}
		}
	}
	return false
}
