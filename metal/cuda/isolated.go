package cuda

import (
	"os"

	"gamma/metal/internal/offload"
)

// ChildVariable makes a program that has this package the child of an isolated device.
const ChildVariable = "GAMMA_CUDA_CHILD"

func init() {
	offload.Serves(ChildVariable, func(o Options) (offload.Driver, about, error) {
		l, err := load()
		if err != nil {
			return nil, about{}, err
		}
		return openDriver(l, o, newImages(os.Getenv))
	})
}

// openDriver opens an engine in this process.
func openDriver(l *libraries, o Options, c *images) (offload.Driver, about, error) {
	e, err := openLocal(l, o, c)
	if err != nil {
		return nil, about{}, err
	}
	return backend{e}, e.about(), nil
}

// openIsolated opens a device in a child, which start starts; nil: this executable.
func openIsolated(o Options, start func() (*offload.Child, error)) (offload.Driver, about, error) {
	return offload.Isolate[Options, about](offload.Isolation{Device: string(name), Variable: ChildVariable, Timeout: o.Timeout, Start: start}, o)
}
