package sim

import (
	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
)

// compileMSL is the compiler of devices that New makes.
func compileMSL(source string, o metal.CompileOptions) (front, error) {
	l, err := msl.Compile(source, msl.Options(o))
	if err != nil {
		return nil, err
	}
	return compiled{l}, nil
}

// compiled is a library of the front end.
type compiled struct{ l *msl.Library }

func (c compiled) Functions() []string {
	list := c.l.Functions()
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
	}
	return names
}

func (c compiled) Kernel(name string, constants metal.FunctionConstants) (*ir.Kernel, error) {
	return c.l.Kernel(name, constants)
}
