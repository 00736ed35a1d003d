package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"gamma/metal"
	"gamma/metal/msl/ir"
)

// front is a compiled source.
type front interface {
	Functions() []string
	Kernel(name string, constants metal.FunctionConstants) (*ir.Kernel, error)
}

// compiler is the front end.
type compiler func(source string, o metal.CompileOptions) (front, error)

// library is a metal.Library.
type library struct {
	thing
	src *source
}

// source is a compiled source with the kernels made of it so far.
type source struct {
	front   front
	names   []string
	bytes   int
	mu      sync.Mutex
	kernels map[string]*kernel
}

// Limits of what is kept for later.
const (
	maxSources     = 256
	maxSourceBytes = 16 << 20
	maxKernels     = 256 // of one source
	maxSource      = 8 << 20
)

// sources are compiled sources by their text and options. The same text gives the same one.
type sources struct {
	mu    sync.Mutex
	known map[string]*source
	bytes int
}

// NewLibrary compiles source. Sources that were compiled before, with the same options, are not compiled again.
func (d *Device) NewLibrary(text string, o metal.CompileOptions) (metal.Library, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if len(text) > maxSource {
		return nil, errorf("the source has %d bytes; at most %d are possible, split it", len(text), maxSource)
	}
	key := sourceKey(text, o)
	all := &d.s.sources
	all.mu.Lock()
	src := all.known[key]
	all.mu.Unlock()
	if src == nil {
		f, err := guardedCompile(d.s.compile, text, o)
		if err != nil {
			return nil, err
		}
		src = &source{front: f, names: f.Functions(), bytes: len(key), kernels: map[string]*kernel{}}
		all.keep(key, src)
	}
	return &library{thing: thing{d: d}, src: src}, nil
}

func guardedCompile(c compiler, text string, o metal.CompileOptions) (f front, err error) {
	defer rescue("compiling the source", &err)
	return c(text, o)
}

func (s *sources) keep(key string, src *source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSources || s.bytes+src.bytes > maxSourceBytes {
		s.known, s.bytes = map[string]*source{}, 0
	}
	if s.known[key] == nil {
		s.known[key] = src
		s.bytes += src.bytes
	}
}

// sourceKey holds all that decides what a source means, each text behind its length.
func sourceKey(text string, o metal.CompileOptions) string {
	size := 128 + len(text)
	for _, m := range []map[string]string{o.Macros, o.Headers} {
		for k, v := range m {
			size += len(k) + len(v) + 16
		}
	}
	b := fmt.Appendf(make([]byte, 0, size), "%d %d %d", o.MathMode, o.MathFunctions, o.LanguageVersion)
	add := func(text string) {
		b = strconv.AppendInt(append(b, ' '), int64(len(text)), 10)
		b = append(append(b, ' '), text...)
	}
	add(o.FileName)
	for _, m := range []map[string]string{o.Macros, o.Headers} {
		b = append(b, " {"...)
		for _, k := range slices.Sorted(maps.Keys(m)) {
			add(k)
			add(m[k])
		}
		b = append(b, " }"...)
	}
	add(text)
	return string(b)
}

// FunctionNames returns the names of the kernels, in the order of the source.
func (l *library) FunctionNames() []string { return slices.Clone(l.src.names) }

// Release ends the library; its functions stay.
func (l *library) Release() { l.ended.Store(true) }

// NewFunction returns the kernel called name.
func (l *library) NewFunction(name string, constants metal.FunctionConstants) (metal.Function, error) {
	if err := l.d.ready(); err != nil {
		return nil, err
	}
	if err := l.usable(l.d.s, "library"); err != nil {
		return nil, err
	}
	if !slices.Contains(l.src.names, name) {
		return nil, errorf("the library has no function called %q; %s", name, advice(name, l.src.names))
	}
	k, err := l.src.kernel(name, constants)
	if err != nil {
		return nil, err
	}
	return &function{thing: thing{d: l.d}, k: k}, nil
}

// kernel returns the kernel called name with its constants, made now or before.
func (s *source) kernel(name string, constants metal.FunctionConstants) (k *kernel, err error) {
	key, err := constantsKey(constants)
	if err != nil {
		return nil, errorf("function %q: %w", name, err)
	}
	key = name + "\x00" + key
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kernels[key]; k != nil {
		return k, nil
	}
	defer rescue("compiling function "+quoted(name), &err)
	code, err := s.front.Kernel(name, constants)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(code); err != nil {
		return nil, bug("compiling function "+quoted(name), err)
	}
	ir.Optimise(code)
	if len(s.kernels) >= maxKernels {
		clear(s.kernels)
	}
	k = &kernel{code: code}
	s.kernels[key] = k
	return k, nil
}

// constantsKey is the same text for the same function constants.
func constantsKey(constants metal.FunctionConstants) (string, error) {
	list := make([]string, 0, len(constants))
	for k, v := range constants {
		switch k.(type) {
		case int, string:
		default:
			return "", fmt.Errorf("function constant %v: its key is a %T; use the index as an int, or the name as a string", k, k)
		}
		text := fmt.Sprintf("%T %v", v, v)
		switch v := v.(type) {
		case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, metal.Half, metal.BFloat:
		case float32:
			text = "float32 " + strconv.FormatUint(uint64(math.Float32bits(v)), 16)
		default:
			return "", fmt.Errorf("function constant %v: its value is a %T; use bool, int8 to int64, uint8 to uint64, float32, metal.Half or metal.BFloat", k, v)
		}
		list = append(list, fmt.Sprintf("%T %q %s", k, fmt.Sprint(k), text))
	}
	sort.Strings(list)
	return strings.Join(list, ";"), nil
}

// advice names the functions that somebody who wrote name may have meant.
func advice(name string, names []string) string {
	if len(names) == 0 {
		return "it has no kernels at all; mark one with kernel, or instantiate a template"
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return distance(name, a) - distance(name, b) })
	more := ""
	if n := len(sorted); n > 8 {
		sorted, more = sorted[:8], fmt.Sprintf(" and %d more", n-8)
	}
	for i := range sorted {
		sorted[i] = quoted(sorted[i])
	}
	if distance(name, strings.Trim(sorted[0], `"`)) <= 1+len(name)/3 {
		if len(sorted) == 1 {
			return "did you mean " + sorted[0] + "?"
		}
		return "did you mean " + sorted[0] + "? There are also " + strings.Join(sorted[1:], ", ") + more
	}
	return "it has " + strings.Join(sorted, ", ") + more
}

// distance returns how many letters to insert, drop or change between a and b, as far as their first 64 go.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func quoted(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return strconv.Quote(s)
}
