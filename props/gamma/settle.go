package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"gamma/metal/msl/ir"
	"gamma/model"
	"gamma/props/judge"
)

// Sizes that are tried of n where nobody gave it, a larger one where something is wrong with these, elements that an array grows to: n², within these,
// and threads that a guessed grid of several dimensions has, about.
var tried = []int{256, 64, 16}

const (
	larger      = 4096
	leastLimit  = 1 << 16
	mostLimit   = 1 << 22
	mostThreads = 1 << 14
)

// spread makes the grid one of several dimensions, where threads ask for their position along these and nobody said how large it is.
func (k *kernel) spread() {
	code, err := k.compiled.Kernel(k.name, k.fixed)
	if err != nil || k.flat || k.grid != nil || k.launch != (model.Size3{}) || k.shared || k.piece != nil || slices.ContainsFunc(k.params, param.texture) {
		return
	}
	for _, in := range code.Inputs {
		if in.Kind == ir.ThreadPositionInGrid {
			k.plane = max(k.plane, in.Axis+1)
		}
	}
	if s := [...]model.Size3{1: k.threads, 2: {X: 8, Y: 8, Z: 1}, 3: {X: 8, Y: 4, Z: 2}}[k.plane]; s.X*s.Y*s.Z <= k.largest {
		k.threads = s
	} else {
		k.plane = 1
	}
}

// best checks the kernel, and where something is found that a guessed launch may explain, with a grid of one dimension instead of more. What was found with the first is a note, if nothing is with the other,
// or if the time for that was up.
func (k *kernel) best() *record {
	flat := *k
	flat.flat = true
	first := k.check()
	if len(first.Findings) == 0 || k.plane == 1 || k.launch != (model.Size3{}) || k.grid != nil || k.piece != nil {
		return first
	}
	r := flat.check()
	if len(r.Findings) > 0 {
		return first
	}
	var found []string
	for _, f := range first.Findings {
		found = append(found, strings.TrimSuffix(f.Check+" at "+f.At, " at "))
	}
	r.Notes = append(r.Notes, elsewhere(first.Launch, found))
	return r
}

// settle finds the sizes that nobody gave, and which arrays hold inputs.
func (k *kernel) settle() error {
	if k.around(); k.broke == nil && k.unsafe && k.plane == 1 && k.piece == nil {
		k.settled = k.settled.Add(k.limit / 4)
		k.another()
	}
	if errors.Is(k.broke, errTime) {
		return errTime
	}
	for i := range k.params {
		p := &k.params[i]
		if p.suspect && p.changed { // it is a result, and read before it is written
			p.filled = false
		}
	}
	return nil
}

// around tries the shapes of threadgroups.
func (k *kernel) around() {
	best, inside, as := k.threads, false, k.group()
	for _, k.threads = range append([]model.Size3{k.threads}, k.shapes()...) {
		if k.group() != as && !k.outside {
			continue // fewer threads may hide what is wrong
		}
		if k.fits(); !k.outside && !k.unsafe || errors.Is(k.broke, errTime) {
			break
		}
		if !k.outside && !inside {
			best, inside = k.threads, true
		}
	}
	if k.outside || k.unsafe { // whatever the shape is
		k.threads = best
		k.fits()
	}
}

// shapes are other threadgroups to try where nobody said how many threads there are, and something is wrong that a shape which the kernel is not made for
// may explain.
func (k *kernel) shapes() (list []model.Size3) {
	all := []model.Size3{{X: 16, Y: 16, Z: 1}, {X: 8, Y: 8, Z: 4}, {X: 8, Y: 8, Z: 1}}
	if k.simdgroups() { // whole ones in a row
		all = append(all[:2], model.Size3{X: 128, Y: 1, Z: 1}, model.Size3{X: 64, Y: 1, Z: 1}, model.Size3{X: 32, Y: 1, Z: 1})
	}
	if !k.asks(ir.ThreadPositionInGrid, ir.ThreadPositionInThreadgroup, ir.ThreadsPerThreadgroup) {
		all = all[2:] // as many threads in another shape are the same to it
	}
	for _, s := range all {
		if k.launch == (model.Size3{}) && s.X*s.Y*s.Z <= k.largest {
			list = append(list, s)
		}
	}
	return list
}

// asks reports whether the kernel asks for one of these along another axis than the first.
func (k *kernel) asks(kinds ...ir.InputKind) bool {
	code, err := k.compiled.Kernel(k.name, k.fixed)
	return err == nil && slices.ContainsFunc(code.Inputs, func(in ir.Input) bool { return in.Axis > 0 && slices.Contains(kinds, in.Kind) })
}

// simdgroups reports whether the kernel asks where a thread is in its simdgroup, or has functions of simdgroups or their matrices.
func (k *kernel) simdgroups() bool {
	code, err := k.compiled.Kernel(k.name, k.fixed)
	if err != nil {
		return false
	}
	uses := slices.ContainsFunc(code.Inputs, func(in ir.Input) bool {
		return in.Kind == ir.ThreadIndexInSimdgroup || in.Kind == ir.SimdgroupIndexInThreadgroup
	})
	code.Body.Each(func(in *ir.Instr) {
		uses = uses || ir.Ops[in.Op].Effect == ir.Lanes && in.Imm != 4 // 4: of a quadgroup
	})
	return uses
}

// fits finds the sizes for one shape of threadgroups.
func (k *kernel) fits() {
	for i, n := range k.sizes {
		k.n, k.deadline = n, time.Now().Add(time.Until(k.settled)/time.Duration(len(k.sizes)-i))
		for j := range k.params {
			k.params[j].reset(k)
		}
		if k.grow(true) && !errors.Is(k.broke, errTime) {
			break
		}
	}
}

// grow changes what nobody said until nothing is out of bounds because of it, and reports whether it came to that. A plain run looks for races; others, if they are asked for, are with behaviours that are drawn.
func (k *kernel) grow(others bool) bool {
	bounds, _ := judge.LawByID(judge.FormulaLaws(), model.KernelBounds)
	bounds.Found = func([]model.Finding) (v judge.Verdict) { return v } // what is found is looked at here
	admits, found := k.subject.Device.Admits, model.Findings(nil)
	search := func(b model.Behaviour, runs int) bool {
		k.subject.Device.Admits = b
		_, _, err := k.search(bounds, runs)
		found = append(found, k.found...)
		return err == nil && k.broke == nil
	}
	defer func() { k.subject.Device.Admits, k.found = admits, found }()
	for {
		found = nil
		ok := search(model.Behaviour{}, 1)
		steps, wrote := k.steps, k.wrote
		grows := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Kind == model.FindingOutOfBounds }) // and runs again
		if !ok || others && !grows && !search(admits, 2) {
			return true
		}
		k.steps, k.wrote = steps, wrote
		again, outside := false, false
		k.outside, k.unsafe, k.inside = false, false, false
		for _, f := range found {
			i := slices.IndexFunc(k.params, func(p param) bool { return p.Name == f.Buffer })
			switch {
			case f.Kind == model.FindingSteps:
				outside = true
			case i < 0 && f.Kind == model.FindingOutOfBounds:
				k.outside = true
			case f.Kind == model.FindingRace, f.Kind == model.FindingBarrier, f.Kind == model.FindingUninitialised && f.Kernel == k.name && (i < 0 || k.params[i].Threadgroup):
				k.unsafe, k.inside = true, k.inside || i < 0 || f.Kind == model.FindingBarrier || k.params[i].Threadgroup
			case i < 0 || f.Kernel != k.name:
			case f.Kind == model.FindingOutOfBounds && k.params[i].size == nil && k.params[i].array():
				if k.params[i].elements == k.params[i].before {
					grown := k.grown(&k.params[i], f.Index)
					again, outside = again || grown, outside || !grown
				}
			case f.Kind == model.FindingUninitialised && !k.params[i].filled && k.params[i].result():
				k.params[i].filled, k.params[i].suspect, again = true, k.params[i].size != nil && !k.params[i].inout, true
			}
		}
		if !again {
			return !outside
		}
		for i := range k.params {
			k.params[i].before = k.params[i].elements
		}
	}
}

// most is how many elements an array grows to.
func (k *kernel) most() int { return min(max(k.n*k.n, leastLimit), mostLimit) }
