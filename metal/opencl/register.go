//go:build linux || windows || darwin

package opencl

import "gamma/metal"

func init() {
	metal.Register("opencl", func() (metal.Device, error) {
		d, err := Open(Options{})
		if err != nil {
			return nil, err // and no device that is nil in an interface
		}
		return d, nil
	})
}
