package engine

import (
	"fmt"
	"slices"

	"gamma/props/internal/report"
)

// narrowing is an index, or a count, that is too narrow for as many parts as there are: in the place of part i of n lies that of place which(i, n), or, of less
// than 0, nothing.
type narrowing struct {
	bits  int
	sign  bool
	text  string // of "an index", and the bits, what it does
	which func(i, n int) int
}

// narrowings returns those that there may be, of a unit such as "row".
func narrowings(unit string) (list []narrowing) {
	for _, bits := range []int{8, 16} {
		size := 1 << bits
		list = append(list, narrowing{bits, false, fmt.Sprintf("an index has %d bits: for %s i it takes %[2]s i mod 2^%[1]d", bits, unit), func(i, _ int) int { return i % size }})
		for _, sign := range []bool{false, true} {
			count := func(n int) int {
				if k := n % size; !sign || k < size/2 {
					return k
				}
				return 0 // below 0, and so none
			}
			text := fmt.Sprintf("a count has %d bits: of n %ss it takes the first n mod 2^%[1]d", bits, unit)
			if sign {
				text = fmt.Sprintf("a count has %d bits, a sign among them: of n %ss it takes as many as the last %[1]d bits of n say", bits, unit)
			}
			list = append(list, narrowing{bits, sign, text, func(i, n int) int {
				if i < count(n) {
					return i
				}
				return -1
			}})
		}
		list = append(list, narrowing{bits, false, fmt.Sprintf("it ends after 2^%d %ss, as if an index had so many bits", bits, unit), func(i, _ int) int {
			if i < size {
				return i
			}
			return -1
		}})
	}
	return list
}

// Narrow says in a sentence which index or count has too few bits, "" if none explains what the kernel does with as many parts as were drawn, with two other
// numbers of them, and that it is right before. fits reports whether a call with n parts gives for each what belongs to the place which(i), and for one below 0
// something else.
func Narrow(unit string, drawn int, fits func(n int, which func(i int) int) bool) string {
	same := func(i int) int { return i }
	for _, h := range narrowings(unit) {
		size := 1 << h.bits
		least := size
		if h.sign {
			least /= 2
		}
		lengths := []int{drawn, size + size/4 + 3, 3*size + size/3}
		if drawn < least || !fits(least-1, same) {
			continue
		}
		if !slices.ContainsFunc(lengths, func(n int) bool {
			return fits(n, same) || !fits(n, func(i int) int { return h.which(i, n) })
		}) {
			return fmt.Sprintf("%s. So it does with %d, %d and %s, and with %d it is right.", h.text, lengths[0], lengths[1], report.Plural(lengths[2], unit), least-1)
		}
	}
	return ""
}

// NarrowParts is how many parts of a call NarrowCalls tells apart, an odd number, so that an index that has lost its upper bits finds another; and NarrowRows the
// fewest parts of which an index or count has too few bits.
const (
	NarrowParts = 31
	NarrowRows  = 1 << 7
)

// NarrowCalls is Narrow for the parts of a call, of NarrowParts or more, which has run and whose results are right.
func NarrowCalls(c Calls, unit string, drawn int) string {
	const parts = NarrowParts
	if c.Parts() < parts || drawn < NarrowRows {
		return ""
	}
	outs := map[int][]uint64{}
	call := func(n int) []uint64 {
		if out, ok := outs[n]; ok {
			return out
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i % parts
		}
		out, ok, b := c.Call(order, Same)
		if !ok || b != nil || len(out)%n != 0 {
			out = nil
		}
		outs[n] = out
		return out
	}
	right := call(parts)
	if right == nil {
		return ""
	}
	words := len(right) / parts
	part := func(out []uint64, i int) []uint64 { return out[i*words : (i+1)*words] }
	return Narrow(unit, drawn, func(n int, which func(i int) int) bool {
		out := call(n)
		left, met := 0, 0 // places that have nothing, and those of them that hold what is right by chance
		for i := 0; out != nil && i < n; i++ {
			k := which(i)
			of := k
			if k < 0 {
				of = i
			}
			same := slices.Equal(part(out, i), part(right, of%parts))
			switch {
			case k >= 0 && !same:
				return false
			case k < 0:
				if left++; same {
					met++
				}
			}
		}
		return out != nil && 2*met <= left
	})
}
