//go:build (darwin || freebsd || linux) && (amd64 || arm64)

package foreign

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/ebitengine/purego"
)

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

func register(fptr any, symbol uintptr) { purego.RegisterFunc(fptr, symbol) }

// mostOthers is how many functions of a library an error names.
const mostOthers = 8

// others says which functions a library has, "" if that is not known.
func others(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return ""
	}
	var list []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC && !strings.HasPrefix(s.Name, "_") {
			list = append(list, s.Name)
		}
	}
	slices.Sort(list)
	if len(list) == 0 {
		return "; it exports none"
	}
	more := ""
	if len(list) > mostOthers {
		more = fmt.Sprintf(" and %d more", len(list)-mostOthers)
	}
	return "; it has " + strings.Join(list[:min(len(list), mostOthers)], ", ") + more
}
