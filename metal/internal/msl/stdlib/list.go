package stdlib

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Functions lists what Resolve knows, one form a line, sorted by name: the functions with the types that T stands for, as
// documentation prints them.
func Functions() []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		for _, f := range table[name] {
			_, result, _ := strings.Cut(f.sig, "->")
			line := f.describe(name, f.kinds) + ": gives " + resultWords[strings.TrimSpace(result)]
			if f.spec {
				line += "; also precise:: and fast::, of float"
			}
			lines = append(lines, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(atomicOps)) {
		o := atomicOps[name]
		lines = append(lines, fmt.Sprintf("%s: %s", o.usage(name), o.allowed()))
	}
	return append(lines,
		"as_type<T>(x): numbers and vectors of as many bits, not bool",
		"atomic_thread_fence(flags, order[, scope]): memory_order_seq_cst or relaxed",
		"make_uniform(x): gives x",
		"os_log::log, log_debug, log_info, log_error and log_fault(format, values…)",
		"simd_vote::any(), quad_vote::any() and, by a cast, the integer of a vote",
		"simdgroup_barrier(flags)",
		"threadgroup_barrier(flags)",
	)
}

// resultWords name the results of signatures.
var resultWords = map[string]string{
	"T": "T", "S": "an element of T", "I": "int or a vector of it", "B": "bool or a vector of it", "U": "unsigned T", "b": "bool",
	"v": "a vote", "V": "nothing",
}

// Refusals lists the functions that are known and refused, each with its feature, sorted by feature and name.
func Refusals() []string {
	byFeature := map[string][]string{}
	for name, feature := range refusals {
		byFeature[feature] = append(byFeature[feature], name)
	}
	var lines []string
	for _, feature := range slices.Sorted(maps.Keys(byFeature)) {
		slices.Sort(byFeature[feature])
		lines = append(lines, feature+": "+strings.Join(byFeature[feature], ", "))
	}
	return lines
}
