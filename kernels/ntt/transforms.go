package ntt

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
)

// Transforms returns p in the form for the judge, with words as uint64 for any width.
func (p *Plan[W]) Transforms() modular.Transforms {
	t := modular.Transforms{
		Forward: lift(p, p.Forward), Inverse: lift(p, p.Inverse),
		ForwardStages: p.stages(&p.forward), InverseStages: p.stages(&p.inverse),
	}
	if p.claim.Product {
		t.Product = p.product()
	}
	return t
}

// lift returns f on words of uint64.
func lift[W Word](p *Plan[W], f func(dst, src []W) error) func(dst, src []uint64) error {
	if f, ok := any(f).(func(dst, src []uint64) error); ok {
		return f
	}
	return func(dst, src []uint64) error {
		if err := fits(p.name, p.t.N, dst, src); err != nil {
			return err
		}
		x, err := narrow(p, src)
		if err != nil {
			return err
		}
		if err := f(x, x); err != nil {
			return err
		}
		widen(dst, x)
		return nil
	}
}

// product returns Product on words of uint64.
func (p *Plan[W]) product() func(dst, a, b []uint64) error {
	if f, ok := any(p.Product).(func(dst, a, b []uint64) error); ok {
		return f
	}
	return func(dst, a, b []uint64) error {
		var operands [2][]W
		for i, src := range [2][]uint64{a, b} {
			if err := fits(p.name, p.t.N, dst, src); err != nil {
				return err
			}
			var err error
			if operands[i], err = narrow(p, src); err != nil {
				return err
			}
		}
		if err := p.Product(operands[0], operands[0], operands[1]); err != nil {
			return err
		}
		widen(dst, operands[0])
		return nil
	}
}

// narrow returns src as words of W, or an error that names one that does not fit.
func narrow[W Word](p *Plan[W], src []uint64) ([]W, error) {
	x := make([]W, len(src))
	for i, v := range src {
		if x[i] = W(v); uint64(x[i]) != v {
			return nil, fmt.Errorf("%s: word %d is %d; a word has %d bits", p.name, i, v, p.claim.Bits)
		}
	}
	return x, nil
}

func widen[W Word](dst []uint64, x []W) {
	for i, v := range x {
		dst[i] = uint64(v)
	}
}

// stages returns the steps of w, or nil if it has none. Ranges of words are not checked.
func (p *Plan[W]) stages(w *way[W]) *modular.Stages {
	if w.stage == nil {
		return nil
	}
	count := bits.Len(uint(p.t.N)) - 1
	prepare, finish := w.prepare, w.finish
	if w.before {
		prepare = then(permute, prepare)
	}
	if w.after {
		finish = then(finish, permute)
	}
	pass := func(f func(x []W)) func(x []uint64) error {
		if f == nil {
			return nil
		}
		run := lift(p, func(x, _ []W) error { return p.each(f, x) })
		return func(x []uint64) error { return run(x, x) }
	}
	list := make([]func(x []uint64) error, count)
	for s := range list {
		list[s] = pass(func(x []W) { w.stage(s, x) })
	}
	return &modular.Stages{
		Count: count, Prepare: pass(prepare), Finish: pass(finish),
		Stage: func(s int, x []uint64) error {
			if s < 0 || s >= count {
				return fmt.Errorf("%s: there is no stage %d; N = %d has %d, from 0", p.name, s, p.t.N, count)
			}
			return list[s](x)
		},
	}
}

// then returns a function that runs f and then g; either may be nil.
func then[W Word](f, g func(x []W)) func(x []W) {
	if f == nil {
		return g
	}
	if g == nil {
		return f
	}
	return func(x []W) { f(x); g(x) }
}
