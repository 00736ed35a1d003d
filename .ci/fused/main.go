// Command fused compares two builds of one program for amd64, the first for GOAMD64=v1 and the second for
// v3, and fails if the second has a fused multiply-add where the first has none: there the compiler
// contracted x*y + z, and what is computed depends on the target. It looks at the module in the current
// folder, tests aside; calls of math.FMA are in both builds.
package main

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fail("usage: fused program-of-v1 program-of-v3")
	}
	before, after := places(os.Args[1]), places(os.Args[2])
	ok := true
	for _, place := range slices.Sorted(maps.Keys(after)) {
		if !before[place] {
			fmt.Printf("%s: Go fuses a product into a sum here; write float32(x*y) + z or float64(x*y) + z (to the compiler, x/2 is x*0.5, and 2*(x*y) is x*y + x*y)\n", place)
			ok = false
		}
	}
	if !ok {
		os.Exit(1)
	}
}

// places returns the lines of the module that have a fused multiply-add in a program.
func places(program string) map[string]bool {
	root, err := os.Getwd()
	check(err)
	file, err := elf.Open(program)
	check(err)
	text, table := file.Section(".text"), file.Section(".gopclntab")
	if text == nil || table == nil {
		fail("%s has no Go code", program)
	}
	code, err := text.Data()
	check(err)
	lines, err := table.Data()
	check(err)
	names, err := file.Symbols()
	check(err)
	start := slices.IndexFunc(names, func(s elf.Symbol) bool { return s.Name == "runtime.text" })
	if start < 0 {
		fail("%s has no symbol runtime.text", program)
	}
	// With cgo, code of C stands before Go's.
	symbols, err := gosym.NewTable(nil, gosym.NewLineTable(lines, names[start].Value))
	check(err)
	found, all := map[string]bool{}, 0
	for i := range len(code) - 3 {
		if !fuses(code[i : i+4]) {
			continue
		}
		all++
		name, line, _ := symbols.PCToLine(text.Addr + uint64(i))
		if inside, ok := strings.CutPrefix(name, root+string(filepath.Separator)); ok && !strings.HasSuffix(name, "_test.go") {
			found[fmt.Sprintf("%s:%d", inside, line)] = true
		}
	}
	if all == 0 {
		fail("%s has no fused multiply-add at all: math.FMA should", program)
	}
	return found
}

// fuses reports whether an instruction is VFMADD231, VFMSUB231, VFNMADD231 or VFNMSUB231 of scalars, the forms
// that the compiler emits: a VEX prefix of three bytes for the map 0F38 and the prefix 66, and the opcode.
func fuses(b []byte) bool {
	return b[0] == 0xc4 && b[1]&0x1f == 2 && b[2]&7 == 1 && b[3]&0xf9 == 0xb9
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "fused: "+format+"\n", args...)
	os.Exit(1)
}
