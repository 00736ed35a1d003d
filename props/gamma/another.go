package main

import (
	"fmt"
	"slices"
	"strings"

	"gamma/model"
)

// another looks for other guesses with which nothing is unsafe, where something is with the first ones, and takes them.
func (k *kernel) another() {
	first := *k
	first.params = slices.Clone(k.params)
	k.deadline = k.settled
	if !k.right() {
		first.broke = k.broke
		*k = first
		return
	}
	var found []string
	for _, f := range first.found {
		if f.Kind != model.FindingNote {
			found = append(found, fmt.Sprintf("%s at %s", f.Kind, f.Pos))
		}
	}
	k.notes = []string{elsewhere(fmt.Sprintf("n=%d %s", first.n, first.geometry()), found)}
}

// right makes other guesses until nothing is unsafe, and reports whether it came to that: integers, elements of arrays, numbers of threads, and a larger n, for a kernel may ask for so many columns. Of a kernel with threadgroup memory
// a number of threads is taken if nothing is wrong with that memory then, and something is with half as many: fewer threads are not taken for right because they meet less often.
func (k *kernel) right() bool {
	n, params, threads, inside := k.n, slices.Clone(k.params), k.threads, k.inside
	if k.safe() { // what is wrong shows with some behaviours alone
		return false
	}
	if k.ones() || k.scatters() {
		return true
	}
	if inside && k.launch == (model.Size3{}) && k.grid == nil && threads.Y*threads.Z == 1 {
		for wrong, width := false, 1; width <= k.largest; width *= 2 {
			k.threads = model.Size3{X: width, Y: 1, Z: 1}
			safe, fewer := k.safe(), wrong
			if wrong = k.inside; fewer && !wrong && (safe || k.ones()) {
				return true
			}
		}
	}
	if k.n, k.params, k.threads = larger, params, threads; k.axes["n"] > 0 || n == larger {
		return false
	}
	for i := range k.params {
		k.params[i].reset(k)
	}
	return k.safe()
}

// ones takes 1 for an integer that nobody gave if nothing is unsafe then, while the threads run as many instructions as before, and change no fewer elements: so the same accesses are made, at other places. 0 is
// not tried, since what is multiplied by it is the same for all threads.
func (k *kernel) ones() bool {
	steps, wrote := k.steps, k.wrote
	for _, k.one = range k.unsaid() {
		if k.safe() && k.steps == steps && k.wrote >= wrote {
			return true
		}
	}
	k.one = ""
	return false
}

// scatters takes elements of arrays of integers that differ, as those of a permutation do, if nothing is unsafe then, and the kernel reads no array that it writes: a histogram without atomics is wrong.
func (k *kernel) scatters() bool {
	params := slices.Clone(k.params)
	for i := range k.params {
		p := &k.params[i]
		k.apart = k.apart || p.array() && slices.ContainsFunc(p.fields, func(f field) bool { return p.indices(&f) })
		p.filled = p.filled && (p.inout || !p.result())
	}
	if k.apart && k.safe() && !slices.ContainsFunc(k.params, func(p param) bool { return p.result() && p.filled }) {
		for i := range k.params {
			k.params[i].filled = params[i].filled
		}
		return true
	}
	k.apart, k.params = false, params
	return false
}

// safe runs the kernel, whose arrays keep their sizes or grow, and reports whether nothing was unsafe.
func (k *kernel) safe() bool {
	fits := k.grow(false)
	return fits && !k.unsafe && !k.outside && k.broke == nil
}

// elsewhere is the note of a record on what was found with another launch.
func elsewhere(launch string, found []string) string {
	var list []string
	for _, text := range found {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) > 3 {
		list = append(list[:3], "more")
	}
	return fmt.Sprintf("with %s, another guess, this is found: %s: say how the kernel is launched by -n, -grid, -threads and -scalar", launch, strings.Join(list, ", "))
}

// unsaid are the integers by themselves, and bools, that nobody gave.
func (k *kernel) unsaid() (list []string) {
	for i := range k.params {
		for _, f := range k.params[i].fields {
			if k.guessed(&k.params[i], &f) {
				list = append(list, k.params[i].named(&f))
			}
		}
	}
	return list
}
