package apple

import (
	"os"
	"runtime"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// world returns the Objective-C world of this process, loaded once.
var world = sync.OnceValues(func() (*host, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	if os.Getenv("GAMMA_APPLE_TRACE") != "" {
		return newHost(newTracer(m, os.Stderr)), nil
	}
	return newHost(m), nil
})

// mac is native on macOS. Nothing here decides anything.
type mac struct {
	*functions
	push   func() uintptr
	pop    func(pool uintptr)
	create func() id
	copy   func() id
}

// load opens the libraries and binds what is used of them.
func load() (*mac, error) {
	m := &mac{}
	runtime.LockOSThread() // dlerror, which says why dlopen failed, knows of its own thread alone
	defer runtime.UnlockOSThread()
	var send, stret uintptr
	for _, l := range []struct {
		path    string
		symbols []symbol
	}{
		{"/usr/lib/libobjc.A.dylib", []symbol{
			{"objc_msgSend", &send, nil}, {"objc_autoreleasePoolPush", nil, &m.push}, {"objc_autoreleasePoolPop", nil, &m.pop},
		}},
		{"/System/Library/Frameworks/Foundation.framework/Foundation", nil},
		{"/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics", nil}, // without it a command line tool gets no default device
		{"/System/Library/Frameworks/Metal.framework/Metal", []symbol{
			{"MTLCreateSystemDefaultDevice", nil, &m.create}, {"MTLCopyAllDevices", nil, &m.copy},
		}},
	} {
		library, err := purego.Dlopen(l.path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			return nil, errorf("%s could not be loaded: %w", l.path, err)
		}
		for _, s := range l.symbols {
			if err := s.bind(library, l.path); err != nil {
				return nil, err
			}
		}
		if runtime.GOARCH == "amd64" && stret == 0 {
			if err := (symbol{"objc_msgSend_stret", &stret, nil}).bind(library, l.path); err != nil {
				return nil, err
			}
		}
	}
	if stret == 0 {
		stret = send // arm64 has one for all
	}
	m.functions = bind(purego.RegisterFunc, send, stret)
	return m, nil
}

// symbol is a C function, whose address or a Go function of its type is wanted.
type symbol struct {
	name     string
	address  *uintptr
	function any
}

// bind finds the symbol in a library.
func (s symbol) bind(library uintptr, path string) error {
	address, err := purego.Dlsym(library, s.name)
	if err != nil {
		return errorf("%s has no %s: %w", path, s.name, err)
	}
	if s.address != nil {
		*s.address = address
	}
	if s.function != nil {
		purego.RegisterFunc(s.function, address)
	}
	return nil
}

func (m *mac) class(name string) id          { return id(objc.GetClass(name)) }
func (m *mac) register(name string) selector { return selector(objc.RegisterName(name)) }
func (m *mac) pushPool() uintptr             { return m.push() }
func (m *mac) popPool(pool uintptr)          { m.pop(pool) }
func (m *mac) defaultDevice() id             { return m.create() }
func (m *mac) allDevices() id                { return m.copy() }
