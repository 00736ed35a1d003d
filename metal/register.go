package metal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// registered are the kinds of devices that are linked into the program.
var registered = struct {
	sync.Mutex
	open map[string]func() (Device, error)
}{open: map[string]func() (Device, error){}}

// Register makes a kind of device known to Open: a lower-case word such as "cuda". The package of a device calls it once, when it is
// initialised, so that a blank import links the device into a program:
//
//	import _ "gamma/metal/cuda"
//
// open returns a device of its own for every call, or says what is missing. Register panics if kind is empty or registered already.
func Register(kind string, open func() (Device, error)) {
	registered.Lock()
	defer registered.Unlock()
	if kind == "" || open == nil || registered.open[kind] != nil {
		panicRegister(kind)
	}
	registered.open[kind] = open
}

// Open opens a device of a kind that is linked in, with its defaults. The error says what is missing on this machine, or which import
// links the kind in.
func Open(kind string) (Device, error) {
	registered.Lock()
	open := registered.open[kind]
	registered.Unlock()
	if open == nil {
		return nil, fmt.Errorf("metal: no device of kind %q is linked into this program, only %s; import its package for its effect, such as _ %q",
			kind, strings.Join(Kinds(), ", "), "gamma/metal/cuda")
	}
	return open()
}

// Kinds returns the kinds that are linked in, sorted.
func Kinds() []string {
	registered.Lock()
	defer registered.Unlock()
	return slices.Sorted(maps.Keys(registered.open))
}
