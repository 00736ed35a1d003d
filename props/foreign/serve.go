package foreign

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/props/process"
)

// What stands before a declaration, or in its place, in a call that is none of a function.
const (
	opening   = "\x00open"
	lookingUp = "\x00find "
)

// server calls the functions of a library.
type server struct {
	path      string
	guard     *engine.Guard // nil where the judge has one
	mu        sync.Mutex
	handle    uintptr
	functions map[string]*loaded
}

// loaded is a function that is ready to be called.
type loaded struct {
	*Signature
	f    reflect.Value
	lent engine.Lending
	args []reflect.Value
}

// refuse returns the fault of a call that cannot be made.
func refuse(format string, args ...any) error {
	return &process.Fault{Kind: process.Refused, Text: fmt.Sprintf(format, args...)}
}

// run is given a declaration and the arguments in the order of its parameters. The results are what the function returns, and then the arrays that it
// may have written.
func (s *server) run(declaration string, in []process.Array) ([]process.Array, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handle == 0 {
		h, err := openLibrary(s.path)
		if err != nil {
			fix := ""
			if strings.Contains(err.Error(), "undefined symbol") {
				fix = "; link it with the library that defines the symbol, such as -lm"
			}
			return nil, refuse("foreign: the library %s cannot be loaded: %v%s", s.path, err, fix)
		}
		s.handle, s.functions = h, map[string]*loaded{}
	}
	if declaration == opening {
		return nil, nil
	}
	declaration, only := strings.CutPrefix(declaration, lookingUp)
	f := s.functions[declaration]
	if f == nil {
		var err error
		if f, err = s.load(declaration); err != nil {
			return nil, refuse("%v", err)
		}
		s.functions[declaration] = f
	}
	if only {
		return nil, nil
	}
	return f.call(s.guard, in)
}

// load finds a function and makes it ready.
func (s *server) load(declaration string) (f *loaded, err error) {
	sig, err := Parse(declaration)
	if err != nil {
		return nil, err
	}
	at, err := findSymbol(s.handle, sig.Name)
	if err != nil {
		return nil, fmt.Errorf("foreign: the library %s has no function %s%s", s.path, sig.Name, others(s.path))
	}
	defer func() {
		if p := recover(); p != nil { // more parameters than purego passes
			err = fmt.Errorf("foreign: the function %q cannot be called: %v", declaration, p)
		}
	}()
	var in, out []reflect.Type
	for _, p := range sig.Params {
		t := p.Type
		if p.Array {
			t = reflect.TypeFor[unsafe.Pointer]()
		}
		in = append(in, t)
	}
	if sig.Return != nil {
		out = []reflect.Type{sig.Return}
	}
	fptr := reflect.New(reflect.FuncOf(in, out, false))
	register(fptr.Interface(), at)
	return &loaded{Signature: sig, f: fptr.Elem(), args: make([]reflect.Value, len(in))}, nil
}

// call calls the function on copies of the arrays.
func (f *loaded) call(guard *engine.Guard, in []process.Array) (out []process.Array, err error) {
	if len(in) != len(f.Params) {
		return nil, refuse("foreign: %s has %d parameters, and got %d arguments", f.Name, len(f.Params), len(in))
	}
	var written []process.Array
	for i, p := range f.Params {
		v := reflect.ValueOf(in[i].Data)
		switch {
		case v.Type().Elem() != p.Type || !p.Array && v.Len() != 1:
			f.lent.Forget()
			return nil, refuse("foreign: parameter %d of %s is of type %v, and got %d of %v", i+1, f.Name, p.Type, v.Len(), v.Type().Elem())
		case p.Array:
			data, at := lend(&f.lent, in[i].Data, p)
			f.args[i] = reflect.ValueOf(at)
			if !p.Const {
				written = append(written, process.Array{Dims: []int{v.Len()}, Data: data})
			}
		default:
			f.args[i] = v.Index(0)
		}
	}
	var returned []reflect.Value
	invoke := func() error { returned = f.f.Call(f.args); return nil }
	if guard == nil {
		err = invoke()
	} else {
		err = guard.Do(invoke)
	}
	if b := f.lent.Returned("the function"); b != nil && err == nil {
		return nil, &process.Fault{Kind: process.Spoilt, Text: b.Reason}
	}
	var b *verdict.Breakage
	if errors.As(err, &b) {
		return nil, &process.Fault{Kind: process.Changed, Text: b.Reason}
	}
	if len(returned) == 1 {
		one := reflect.MakeSlice(reflect.SliceOf(f.Return), 1, 1)
		one.Index(0).Set(returned[0])
		out = append(out, process.Array{Data: one.Interface()})
	}
	return append(out, written...), nil
}

// lend lends a function an array, and returns it and where it is.
func lend(l *engine.Lending, data any, p Param) (any, unsafe.Pointer) {
	switch v := data.(type) {
	case []float32:
		return lent(l, v, p)
	case []float64:
		return lent(l, v, p)
	case []bool:
		return lent(l, v, p)
	case []int8:
		return lent(l, v, p)
	case []int16:
		return lent(l, v, p)
	case []int32:
		return lent(l, v, p)
	case []int64:
		return lent(l, v, p)
	case []uint8:
		return lent(l, v, p)
	case []uint16:
		return lent(l, v, p)
	case []uint32:
		return lent(l, v, p)
	}
	return lent(l, data.([]uint64), p)
}

func lent[T engine.Element](l *engine.Lending, v []T, p Param) (any, unsafe.Pointer) {
	at := place(v)
	if p.Const {
		c := engine.Lend(l, "element", "its input "+p.Name, v, at)
		return c, unsafe.Pointer(unsafe.SliceData(c))
	}
	c := engine.LendResult[T](l, "element", "its array "+p.Name, len(v), at)
	copy(c, v)
	return c, unsafe.Pointer(unsafe.SliceData(c))
}

// place says how many elements into its memory an array begins, by what it holds, so that a case has its place each time.
func place[T engine.Element](v []T) int {
	var zero T
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
	h := uint32(len(v)) * 0x9e3779b1
	for _, x := range b[:min(len(b), 16)] {
		h = (h ^ uint32(x)) * 0x01000193
	}
	return int(h >> 28)
}
