package devices

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// qualifiers are the words of a parameter's type that are no part of its element's.
var qualifiers = []string{"const", "device", "constant", "threadgroup", "volatile", "restrict", "__restrict", "coherent(device)"}

// ElementType returns the name of what a parameter points at: "float" of "const device float* [[buffer(0)]]".
func ElementType(text string) string {
	text, _, _ = strings.Cut(text, "[[")
	words := strings.Fields(strings.NewReplacer("*", " ", "&", " ", "metal::", "").Replace(text))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(qualifiers, w) }), " ")
}

// Extent is a product of sizes of axes and of numbers, some of which divide, rounded up.
type Extent []factor

type factor struct {
	axis    string // or threads, or "" for n
	n       int
	divides bool
}

// Threads is what an extent calls the threads of a threadgroup.
const Threads = "threads"

// ReadExtent reads an extent, such as "rows*n/16", of some axes, or of "threads", those of a threadgroup.
func ReadExtent(text string, axes []string) (e Extent, err error) {
	divides := false
	for text != "" {
		word := text
		i := strings.IndexAny(text, "*/")
		next := false
		if i >= 0 {
			word, next, text = text[:i], text[i] == '/', text[i+1:]
		} else {
			text = ""
		}
		f := factor{divides: divides}
		switch n, err := strconv.Atoi(word); {
		case err == nil && n > 0:
			f.n = n
		case word == Threads, slices.Contains(axes, word):
			f.axis = word
		default:
			return nil, fmt.Errorf("%q is neither an axis of the inputs, which have %v, nor %s, nor a positive number", word, axes, Threads)
		}
		e, divides = append(e, f), next
	}
	if len(e) == 0 {
		return nil, errors.New("a size is empty")
	}
	return e, nil
}

// Of returns the extent for so many threads in a threadgroup.
func (e Extent) Of(size func(axis string) int, group int) int {
	total := 1
	for _, f := range e {
		n := f.n
		switch {
		case f.axis == Threads:
			n = group
		case f.axis != "":
			n = size(f.axis)
		}
		if !f.divides {
			total *= n
		} else {
			total = (total + n - 1) / max(n, 1)
		}
	}
	return total
}
