package engine

import (
	"slices"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// Calls is a kernel and the input that is judged, for the laws about what a result may not depend on: the calls before, where in memory the
// operands lie, and the rest of the same call. A call has parts whose results have nothing to do with each other: the rows of a batch. The
// kernel has been called once.
type Calls interface {
	// Parts returns how many parts the call had.
	Parts() int
	// Call calls the kernel with len(order) parts, of which part i is the input's part order[i], or for Zeros one of zeros. ok = false says that
	// it cannot be asked for that.
	Call(order []int, p Place) (out []uint64, ok bool, b *verdict.Breakage)
	// Compare judges part i of the first call beside part j of a later one: it fails for a given reason if they differ and the claim leaves no
	// choice.
	Compare(i int, out []uint64, j int, reason string) verdict.Verdict
}

// Place says where the operands of a call lie.
type Place uint8

const (
	Same      Place = iota // where those of the first call lay
	Elsewhere              // at another address
	Aliased                // dst begins where src does, if it did not in the first call, or does not, if it did
)

// Shift is how many elements further on operands lie that are elsewhere.
const Shift = 3

// Zeros is the number of a part that is all zeros, of Calls.
const Zeros = -1

// Rows returns the rows of n words that a call of an order has, of those of an input.
func Rows(words []uint64, n int, order []int) []uint64 {
	some := make([]uint64, len(order)*n)
	for j, i := range order {
		if i != Zeros {
			copy(some[j*n:(j+1)*n], words[i*n:])
		}
	}
	return some
}

// StateLaws returns the two laws of calls for a kind whose laws' IDs begin with prefix; kills and applies are the kind's.
func StateLaws[J, C any](prefix string, pure, independent []string, applies func(c *C) string) []LawOf[J, C] {
	return []LawOf[J, C]{
		{
			ID:         model.LawID(prefix + ".pure"),
			Statement:  "the same operands give the same results, whatever was computed between, wherever in memory they lie, and in place where that is claimed",
			Hypotheses: "none",
			Source:     "the definition of a function",
			Kills:      pure,
			Applies:    applies,
			Calls:      judgePure,
			Cost:       4,
		},
		{
			ID:         model.LawID(prefix + ".independent"),
			Statement:  "a row's results are the same wherever it stands in a batch, and whatever the other rows hold, zeros and copies among them",
			Hypotheses: "the kernel can be called with two rows",
			Source:     "the definition of a function",
			Kills:      independent,
			Applies:    applies,
			Calls:      judgeIndependent,
			Cost:       4,
		},
	}
}

// inOrder returns 0, 1, …, n-1.
func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// judgePure calls the kernel on copies of the input, and on the same input after calls on zeros, on the parts in another order, and on twice
// as many.
func judgePure(c Calls) verdict.Verdict {
	same := inOrder(c.Parts())
	again := func(p Place, reason string) verdict.Verdict {
		out, ok, b := c.Call(same, p)
		if b != nil {
			return verdict.Breaks(b)
		}
		for i := 0; ok && i < len(same); i++ {
			if v := c.Compare(i, out, i, reason); v.Fails() {
				return v
			}
		}
		return verdict.Held("", 0)
	}
	reasons := [...]string{
		Same:      "called once more the same operands give other results: state is kept between calls",
		Elsewhere: "at another address the same operands give other results: they depend on where the operands lie",
		Aliased:   "where dst is src the same operands give other results than where it is another slice",
	}
	for p, reason := range reasons {
		v := again(Place(p), reason)
		for k := 0; v.Fails() && k < 2; k++ { // what depends on the calls before does so in one place, too
			if w := again(Same, reasons[Same]); w.Fails() {
				v = w
			}
		}
		if v.Fails() {
			return v
		}
	}
	turned := slices.Clone(same)
	slices.Reverse(turned)
	for _, between := range [][]int{slices.Repeat([]int{Zeros}, len(same)), turned, slices.Concat(turned, same)} {
		// What a kernel makes of zeros that its function is not defined for is no matter of this law.
		if _, ok, b := c.Call(between, Same); !ok || b != nil && between[0] != Zeros {
			if b != nil {
				return verdict.Breaks(b)
			}
			continue
		}
		if v := again(Same, "after another call the same operands give other results than before it: state is kept between calls"); v.Fails() {
			return v
		}
	}
	return verdict.Held("", 0)
}

// judgeIndependent calls the kernel on the parts in the opposite order, and with every other part replaced by zeros or by a copy of the one
// beside it.
func judgeIndependent(c Calls) verdict.Verdict {
	const place = "in another place of a batch a row gives other results: they depend on its place"
	const zero = "with zeros in other rows a row gives other results: rows depend on each other"
	const copied = "with copies of rows in other rows a row gives other results: rows depend on each other"
	n := c.Parts()
	turned := inOrder(n)
	slices.Reverse(turned)
	type call struct {
		order  []int
		reason string
	}
	calls := []call{{turned, place}}
	if n == 1 {
		calls = []call{{[]int{0, 0}, copied}, {[]int{0, Zeros}, zero}, {[]int{Zeros, 0}, zero}}
	}
	for parity := range min(2, n*(n-1)) {
		zeros, copies := inOrder(n), inOrder(n)
		for i := parity; i < n; i += 2 {
			zeros[i], copies[i] = Zeros, i^1
			if copies[i] >= n {
				copies[i] = i - 1
			}
		}
		calls = append(calls, call{zeros, zero}, call{copies, copied})
	}
	called := false
	for _, k := range calls {
		out, ok, b := c.Call(k.order, Same)
		called = called || ok
		if !ok || b != nil && slices.Contains(k.order, Zeros) {
			continue
		}
		if b != nil {
			return verdict.Breaks(b)
		}
		for j, i := range k.order {
			if i == Zeros {
				continue
			}
			if v := c.Compare(i, out, j, k.reason); v.Fails() {
				return v
			}
		}
	}
	if !called {
		return verdict.NotMet("the kernel cannot be called with the row and another")
	}
	return verdict.Held("", 0)
}
