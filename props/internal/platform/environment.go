package platform

import "strings"

// Environment is what a thread's control words say of floating point: how it rounds, what it flushes, which exceptions trap. Go computes in
// one environment on all threads, and never looks at them again: code in another language that leaves one changed changes what Go computes
// on that thread, and on those that it starts.
type Environment uint64

// Left names in words in what an environment differs from the one before it: "the rounding mode at toward zero (MXCSR.RC)". It returns ""
// if it does not differ.
func (e Environment) Left(before Environment) string {
	if e == before {
		return ""
	}
	return strings.Join(e.changes(before), ", ")
}

// field is a field of a control word, and what to say of each of its values.
type field struct {
	shift, mask Environment
	texts       []string // by value; those that have none of their own get the last
}

// changesOf says of each field that differs what it is now.
func changesOf(fields []field, e, before Environment) (list []string) {
	for _, f := range fields {
		v := e >> f.shift & f.mask
		if v != before>>f.shift&f.mask {
			list = append(list, f.texts[min(int(v), len(f.texts)-1)])
		}
	}
	return list
}
