//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package offload

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Symbol is a function variable, or the address of one, with the name of what it calls.
type Symbol struct {
	F    any
	Name string
	Old  string // an earlier name, "" for none
}

// Bind gives every function its address in a library that Find found. missing says what to do where there is none.
func (s *Search) Bind(l Loader, library uintptr, path string, list []Symbol, missing string) error {
	for _, x := range list {
		at, err := l.Symbol(library, x.Name)
		if err != nil && x.Old != "" {
			at, err = l.Symbol(library, x.Old)
		}
		if err != nil {
			return &Error{
				Device: s.Device, Library: path, Call: "symbol " + x.Name, Text: strings.TrimPrefix(firstLine(err.Error()), path+": "),
				Fix: missing + s.Variable,
			}
		}
		if p, ok := x.F.(*uintptr); ok {
			*p = at
			continue
		}
		purego.RegisterFunc(x.F, at)
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
