package protocol

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
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
)

// FrontEnd compiles sources by metal/msl. It keeps what it has compiled: the same source and options, or constants, give the same kernel.
type FrontEnd struct {
	name   Name
	native func(*ir.Kernel) any
	mu     sync.Mutex
	known  map[string]*source
	bytes  int
}

// NewFrontEnd returns a FrontEnd whose errors begin with name. native makes the Native of a Function from its kernel; it may be nil.
func NewFrontEnd(name Name, native func(*ir.Kernel) any) *FrontEnd {
	return &FrontEnd{name: name, native: native}
}

// source is a compiled source with the functions made of it so far.
type source struct {
	front     *FrontEnd
	l         *msl.Library
	names     []string
	bytes     int
	mu        sync.Mutex
	functions map[string]*Function
}

// Limits of sources, and of what is kept for later.
const (
	maxSource      = 8 << 20
	maxSources     = 256
	maxSourceBytes = 16 << 20
	maxFunctions   = 256 // of one source
)

// Compile compiles a source that was not compiled before, with the same options. What headers in files hold may change, so that a source that
// has them is compiled each time.
func (f *FrontEnd) Compile(text string, o metal.CompileOptions) (Library, error) {
	if len(text) > maxSource {
		return nil, f.name.Errorf("the source has %d bytes; at most %d are possible, split it", len(text), maxSource)
	}
	key := sourceKey(text, o)
	var src *source
	if o.HeaderFiles == nil {
		f.mu.Lock()
		src = f.known[key]
		f.mu.Unlock()
	}
	if src == nil {
		l, err := f.compile(text, o)
		if err != nil {
			return nil, err
		}
		src = &source{front: f, l: l, bytes: len(key), functions: map[string]*Function{}}
		for _, x := range l.Functions() {
			src.names = append(src.names, x.Name)
		}
		if o.HeaderFiles == nil {
			f.keep(key, src)
		}
	}
	return src, nil
}

func (f *FrontEnd) compile(text string, o metal.CompileOptions) (l *msl.Library, err error) {
	defer f.name.Rescue("compiling the source", &err)
	return msl.Compile(text, msl.Options(o))
}

func (f *FrontEnd) keep(key string, src *source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxSources || f.bytes+src.bytes > maxSourceBytes {
		f.known, f.bytes = map[string]*source{}, 0
	}
	if f.known[key] == nil {
		f.known[key] = src
		f.bytes += src.bytes
	}
}

// Names returns the names of the kernels, in the order of the source.
func (s *source) Names() []string { return s.names }

// Function returns the kernel called name with its constants, made now or before.
func (s *source) Function(name string, constants metal.FunctionConstants) (f *Function, err error) {
	key, err := constantsKey(constants)
	if err != nil {
		return nil, s.front.name.Errorf("function %q: %w", name, err)
	}
	key = name + "\x00" + key
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.functions[key]; f != nil {
		return f, nil
	}
	doing := "compiling function " + quoted(name)
	defer s.front.name.Rescue(doing, &err)
	k, err := s.l.Kernel(name, constants)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(k); err != nil {
		return nil, s.front.name.Bug(doing, err)
	}
	ir.Optimise(k)
	if len(s.functions) >= maxFunctions {
		clear(s.functions)
	}
	f = &Function{Name: k.Name, Kernel: k, Members: s.l.Members(name)}
	if s.front.native != nil {
		f.Native = s.front.native(k)
	}
	s.functions[key] = f
	return f, nil
}

// sourceKey holds all that decides what a source means, each text after its length.
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
		for _, x := range metal.Components(v) {
			switch x := x.(type) {
			case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, metal.Half, metal.BFloat:
			case float32:
				text += " " + strconv.FormatUint(uint64(math.Float32bits(x)), 16)
			default:
				return "", fmt.Errorf("function constant %v: its value is a %T; use bool, int8 to int64, uint8 to uint64, float32, metal.Half or metal.BFloat, "+
					"or an array of 2 to 4 of one of them", k, v)
			}
		}
		list = append(list, fmt.Sprintf("%T %q %s", k, fmt.Sprint(k), text))
	}
	sort.Strings(list)
	return strings.Join(list, ";"), nil
}
