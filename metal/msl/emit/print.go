package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// Print returns the text of k. An error names the place and what is refused.
func Print(k *ir.Kernel, o Options) (*Program, error) {
	if o.Dialect > OpenCL {
		return nil, fmt.Errorf("emit: kernel %s: no dialect has the number %d", k.Name, o.Dialect)
	}
	return nil, fmt.Errorf("emit: kernel %s: %s is not printed yet", k.Name, o.Dialect)
}
