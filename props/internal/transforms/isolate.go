package transforms

import (
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// A transform in another process: Plan asks for it, and what it returns are functions that send their words there.

// nttPart is a function of a transform, as a call between processes names it, that works on words in one slice or from one to
// another.
type nttPart struct {
	name string
	get  func(k *modular.Transforms) func(dst, src []uint64) error // nil if the transform has no such function
}

// nttParts are the functions of a transform, the product aside.
var nttParts = func() []nttPart {
	list := []nttPart{
		{"forward", func(k *modular.Transforms) func(dst, src []uint64) error { return k.Forward }},
		{"inverse", func(k *modular.Transforms) func(dst, src []uint64) error { return k.Inverse }},
	}
	for _, d := range []struct {
		name string
		get  func(k *modular.Transforms) *modular.Stages
	}{
		{"forward", func(k *modular.Transforms) *modular.Stages { return k.ForwardStages }},
		{"inverse", func(k *modular.Transforms) *modular.Stages { return k.InverseStages }},
	} {
		part := func(name string, f func(s *modular.Stages) func(x []uint64) error) {
			list = append(list, nttPart{d.name + " " + name, func(k *modular.Transforms) func(dst, src []uint64) error {
				s := d.get(k)
				if s == nil || f(s) == nil {
					return nil
				}
				return func(dst, _ []uint64) error { return f(s)(dst) }
			}})
		}
		part("prepare", func(s *modular.Stages) func(x []uint64) error { return s.Prepare })
		part("finish", func(s *modular.Stages) func(x []uint64) error { return s.Finish })
	}
	return list
}()

const (
	callPlan    = "plan"
	callProduct = "product"
)

// offered says which functions a transform has, as a reply to callPlan: the root, one number for each of nttParts, one for the
// product, and the stages of both directions.
func offered(k *modular.Transforms) []uint64 {
	has := func(ok bool) uint64 {
		if ok {
			return 1
		}
		return 0
	}
	list := []uint64{k.Root}
	for _, p := range nttParts {
		list = append(list, has(p.get(k) != nil))
	}
	list = append(list, has(k.Product != nil))
	for _, s := range []*modular.Stages{k.ForwardStages, k.InverseStages} {
		if s == nil {
			list = append(list, 0)
		} else {
			list = append(list, uint64(s.Count)+1)
		}
	}
	return list
}

// inProcess makes one call of a transform's functions, with slices that are lent, and writes its results into out. Number 4 of the call says
// which of its slices are one.
func inProcess(lent *engine.Lending, k *modular.Transforms, c *engine.Call, out []uint64) error {
	alias, stage := c.Numbers[4], c.Numbers[5]
	dst := engine.LendResult[uint64](lent, "word", "dst", len(out), 0)
	for i := range dst {
		dst[i] = draw.Mix(uint64(i)) >> 1
	}
	own := make([][]uint64, len(c.In))
	for i, x := range c.In {
		if alias>>i&1 != 0 { // it is dst
			own[i] = dst
			copy(dst, x)
		} else {
			own[i] = engine.Lend(lent, "word", "what it reads", x, 0)
		}
	}
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = verdict.Panicked(verdict.KernelPanicked, "the %s panicked: %v", c.What, p)
			}
		}()
		switch {
		case c.What == callProduct && alias&4 != 0: // both factors are one slice
			return k.Product(dst, own[0], own[0])
		case c.What == callProduct:
			return k.Product(dst, own[0], own[1])
		case c.What == "forward stage":
			return k.ForwardStages.Stage(int(stage), dst)
		case c.What == "inverse stage":
			return k.InverseStages.Stage(int(stage), dst)
		}
		for _, p := range nttParts {
			if p.name == c.What {
				return p.get(k)(dst, own[0])
			}
		}
		return verdict.Broke(verdict.KernelFailed, "a transform has no %s", c.What)
	}()
	if err != nil {
		lent.Forget()
	} else if b := lent.Returned("the " + c.What); b != nil {
		return b
	}
	copy(out, dst)
	return err
}

// move makes the kernel run in another process, with plans of its own.
func (r *NttRun) move(ask engine.Asker) {
	s := *r.S
	s.Guard = nil // those of the other process are guarded there
	s.Plan = func(at verdict.Setting, t modular.Transform) (k modular.Transforms, err error) {
		base := append(numbersOf(t), 0, 0)
		a := ask(&engine.Call{At: at, What: callPlan, Numbers: base})
		if err := a.Error(); err != nil || len(a.Numbers) < len(nttParts)+4 {
			return k, err
		}
		send := func(what string, stage int, dst []uint64, in ...[]uint64) error {
			c := &engine.Call{At: at, What: what, Numbers: slices.Clone(base), In: in, Out: len(dst)}
			c.Numbers[4], c.Numbers[5] = aliases(dst, in), uint64(stage)
			a := ask(c)
			copy(dst, a.Out)
			return a.Error()
		}
		remote := map[string]func(dst, src []uint64) error{}
		for i, p := range nttParts {
			if a.Numbers[1+i] != 0 {
				remote[p.name] = func(dst, src []uint64) error { return send(p.name, 0, dst, src) }
			}
		}
		k = modular.Transforms{Root: a.Numbers[0], Forward: remote["forward"], Inverse: remote["inverse"]}
		rest := a.Numbers[1+len(nttParts):]
		if rest[0] != 0 {
			k.Product = func(dst, x, y []uint64) error { return send(callProduct, 0, dst, x, y) }
		}
		stages := func(name string, count uint64) *modular.Stages {
			if count == 0 {
				return nil
			}
			inPlace := func(what string) func(x []uint64) error {
				if f := remote[name+" "+what]; f != nil {
					return func(x []uint64) error { return f(x, x) }
				}
				return nil
			}
			return &modular.Stages{
				Count: int(count - 1), Prepare: inPlace("prepare"), Finish: inPlace("finish"),
				Stage: func(stage int, x []uint64) error { return send(name+" stage", stage, x, x) },
			}
		}
		k.ForwardStages, k.InverseStages = stages("forward", rest[1]), stages("inverse", rest[2])
		return k, nil
	}
	r.S, r.Own = &s, NewNTTTrial(&s)
}

// aliases says which of the slices of a call are one.
func aliases(dst []uint64, in [][]uint64) (bits uint64) {
	same := func(a, b []uint64) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }
	if same(dst, in[0]) {
		bits |= 1
	}
	if len(in) > 1 {
		if same(dst, in[1]) {
			bits |= 2
		}
		if same(in[0], in[1]) {
			bits |= 4
		}
	}
	return bits
}
