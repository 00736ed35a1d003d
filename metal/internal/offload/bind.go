//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package offload

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Bind sets the fields of a struct, functions or their addresses, to what a library that Find found has by the names of their tags: the symbol's,
// and where there is one an earlier name. missing says what to do where a symbol is missing.
func (s *Search) Bind(l Loader, library uintptr, path string, calls any, missing string) error {
	v := reflect.ValueOf(calls).Elem()
	for i := range v.NumField() {
		name, old, _ := strings.Cut(v.Type().Field(i).Tag.Get("symbol"), ",")
		if name == "" {
			continue
		}
		at, err := l.Symbol(library, name)
		if err != nil && old != "" {
			at, err = l.Symbol(library, old)
		}
		if err != nil {
			return &Error{
				Device: s.Device, Library: path, Call: "symbol " + name, Text: strings.TrimPrefix(firstLine(err.Error()), path+": "),
				Fix: missing + s.Variable,
			}
		}
		field := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Interface() // it is not exported
		if p, ok := field.(*uintptr); ok {
			*p = at
			continue
		}
		purego.RegisterFunc(field, at)
	}
	return nil
}

// Once returns what load loads, once in a process if it succeeds: libraries are never unloaded.
func Once[T any](load func() (*T, error)) func() (*T, error) {
	var mu sync.Mutex
	var loaded *T
	return func() (x *T, err error) {
		mu.Lock()
		defer mu.Unlock()
		if loaded == nil {
			if x, err = load(); err == nil {
				loaded = x
			}
			return x, err
		}
		return loaded, nil
	}
}

// Text is b up to its NUL.
func Text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// CText copies a C string.
func CText(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
