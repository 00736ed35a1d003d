package apple

import (
	"gamma/metal"
	"gamma/metal/internal/protocol"
)

// Device is a GPU, through Metal.framework. It is made by Open, and may be used from many goroutines.
type Device struct {
	*base
	b        *backend
	p        metal.Properties
	families []string
	system   string // version and build of the operating system
	report   *Report
}

type base = protocol.Device

var _ metal.Device = (*Device)(nil)

// Properties says what the device is. Behaviour is what the self-test found: see Report.
func (d *Device) Properties() metal.Properties { return d.p }

// Report returns what the self-test found, nil if Open was told to skip it.
func (d *Device) Report() *Report { return d.report }
