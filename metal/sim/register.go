package sim

import "gamma/metal"

func init() {
	metal.Register("sim", func() (metal.Device, error) { return New(Options{}), nil })
}
