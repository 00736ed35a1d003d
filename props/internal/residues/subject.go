package residues

import (
	"errors"

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

// Guarded returns the kernel with its calls guarded.
func (k Words) Guarded(calls *engine.Guard) Words {
	return func(at verdict.Setting, q uint64, dst, src []uint64) (err error) {
		defer calls.End(calls.Begin(), &err)
		return k(at, q, dst, src)
	}
}

// Served runs the kernel for another process.
func (k Words) Served() engine.Server {
	var own ModularCall
	return func(c *engine.Call) *engine.Reply {
		out := make([]uint64, c.Out)
		if len(c.Numbers) != 1 || len(c.In) != 1 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent no modulus")}
		}
		return engine.Answer(out, own.Run(k, c.At, c.Numbers[0], out, c.In[0], 0, c.InPlace))
	}
}

// Elsewhere returns a kernel that asks another process.
func (k Words) Elsewhere(ask engine.Asker) Words {
	return func(at verdict.Setting, q uint64, dst, src []uint64) error {
		a := ask(&engine.Call{At: at, Numbers: []uint64{q}, In: [][]uint64{src}, Out: len(dst), InPlace: len(dst) > 0 && len(src) > 0 && &dst[0] == &src[0]})
		copy(dst, a.Out)
		return a.Error()
	}
}

// ModularCall runs a kernel on copies of its operands, and notices what it does to them. It keeps its memory from call to call.
type ModularCall struct {
	lent engine.Lending
	junk uint64
}

// Run runs a kernel once and returns what it returned, or a breakage. seed says where in memory the operands lie; in place the results lie there, too.
func (c *ModularCall) Run(kernel Words, at verdict.Setting, q uint64, dst, src []uint64, seed uint64, inPlace bool) error {
	var own []uint64
	if inPlace {
		src = engine.LendInPlace(&c.lent, "word", "its operands", src, len(dst), int(seed&7))
		own = src[:len(dst)]
	} else {
		src = engine.Lend(&c.lent, "word", "its operands", src, int(seed&7))
		own = engine.LendResult[uint64](&c.lent, "word", "its results", len(dst), int(seed>>3&7))
		// Words that the kernel leaves unwritten hold junk, which differs from call to call.
		for i := range own {
			c.junk++
			own[i] = draw.Mix(c.junk)
		}
	}
	err := guarded(kernel, at, q, own, src)
	copy(dst, own)
	var b *verdict.Breakage
	if errors.As(err, &b) {
		c.lent.Forget()
	} else if b = c.lent.Returned("the kernel"); b != nil {
		return b
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
