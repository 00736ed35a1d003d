package engine

import (
	"os"
	"path/filepath"
	"strings"
)

// ownStack returns the calls of the last panic of a kernel or a law, from the panic to the judge, one a
// line: "sum.go:17 in mykernel.Sum".
func ownStack(stack string) []string {
	const most = 5
	lines := strings.Split(stack, "\n")
	var own []string
	dir, _ := os.Getwd()
	started := false
	for i := 1; i+1 < len(lines); i += 2 {
		call, place := lines[i], strings.TrimSpace(lines[i+1])
		switch {
		case strings.HasPrefix(call, "panic("):
			started = true
			own = own[:0]
			continue
		case !started || strings.HasPrefix(call, "runtime."):
			continue
		case judges(call, place):
			return own
		case len(own) == most:
			return append(own, "…")
		}
		place, _, _ = strings.Cut(place, " +0x")
		if rel, err := filepath.Rel(dir, place); err == nil && !strings.HasPrefix(rel, "..") {
			place = rel
		}
		if j := strings.LastIndexByte(call, '('); j > 0 {
			call = call[:j]
		}
		own = append(own, place+" in "+call[strings.LastIndexByte(call, '/')+1:])
	}
	return own
}

// judges reports whether a call of a stack is the judge's: one of package props or of those inside of it, outside of their tests.
func judges(call, place string) bool {
	name := call[strings.LastIndexByte(call, '/')+1:]
	pkg, _, _ := strings.Cut(name, ".")
	pkg = call[:len(call)-len(name)] + pkg
	file, _, _ := strings.Cut(place, ".go:")
	return (pkg == "gamma/props" || pkg == "gamma/props/judge" || strings.HasPrefix(pkg, "gamma/props/internal/")) && !strings.HasSuffix(file, "_test")
}
