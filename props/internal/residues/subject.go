package residues

import (
	"errors"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Subject is what the engines work with: a Modular whose fields are sound.
type Subject struct {
	Name   string
	Claim  modular.Claim
	Laws   []ModularLaw
	Device *engine.DeviceClaim
	Run    Words
	Moduli *moduli
}

// CheckOwnModularLaws checks the laws that an operation brings itself.
func CheckOwnModularLaws(own []ModularLaw) error {
	return engine.CheckOwn(own, BuiltIn, "mont.mine", modularFamilyByName)
}

// Words is a kernel that takes words modulo q, and gives words.
type Words func(at verdict.Setting, q uint64, dst, src []uint64) error

// Served runs the kernel for another process.
func (k Words) Served() engine.Server {
	var own ModularCall
	return func(c *engine.Call) *engine.Reply {
		out := make([]uint64, c.Out)
		if len(c.Numbers) != 1 || len(c.In) != 1 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent no modulus")}
		}
		return engine.Answer(out, own.Run(k, c.At, c.Numbers[0], out, c.In[0], 0))
	}
}

// Elsewhere returns a kernel that asks another process.
func (k Words) Elsewhere(ask engine.Asker) Words {
	return func(at verdict.Setting, q uint64, dst, src []uint64) error {
		a := ask(&engine.Call{At: at, Numbers: []uint64{q}, In: [][]uint64{src}, Out: len(dst)})
		copy(dst, a.Out)
		return a.Error()
	}
}

// ModularCall runs a kernel on copies of its operands, and notices what it does to them. It keeps its memory from call to call.
type ModularCall struct {
	base, was [2][]uint64
	lent      [2][]uint64
	out       [2]bool
	turn      int
	junk      uint64
}

// Run runs a kernel once and returns what it returned, or a breakage. seed says where in memory the operands lie.
func (c *ModularCall) Run(kernel Words, at verdict.Setting, q uint64, dst, src []uint64, seed uint64) error {
	before := c.turn
	c.turn ^= 1
	k := c.turn
	offset := int(seed & 7)
	n := offset + len(src)
	c.base[k] = draw.Grow(c.base[k], n)
	c.lent[k] = c.base[k][offset:n:n]
	copy(c.lent[k], src)
	c.was[k] = append(c.was[k][:0], src...)
	c.out[k] = false
	// Words that the kernel leaves unwritten hold junk, which differs from call to call.
	for i := range dst {
		c.junk++
		dst[i] = draw.Mix(c.junk)
	}
	dst = dst[:len(dst):len(dst)]
	err := guarded(kernel, at, q, dst, c.lent[k])
	var b *verdict.Breakage
	if errors.As(err, &b) {
		return err
	}
	if i := DiffersAt(c.lent[k], c.was[k]); i >= 0 {
		return verdict.Spoilt("the kernel changed word %d of its operands", i)
	}
	c.out[k] = true
	if c.out[before] { // the call before this one is over, and its operands must be as they were
		c.out[before] = false
		if i := DiffersAt(c.lent[before], c.was[before]); i >= 0 {
			return verdict.Spoilt("the kernel wrote to word %d of its operands after it had returned", i)
		}
	}
	return err
}

// guarded runs a kernel and makes a breakage of a panic and of a refusal.
func guarded(kernel Words, at verdict.Setting, q uint64, dst, src []uint64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = verdict.Panicked(verdict.KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	if err = kernel(at, q, dst, src); verdict.Refused(err) {
		return verdict.BreakageOf("the kernel", err)
	}
	return err
}

// DiffersAt returns the first place at which two slices of one length differ, or -1.
func DiffersAt(a, b []uint64) int {
	if slices.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
