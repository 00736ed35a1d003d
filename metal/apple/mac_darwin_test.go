package apple

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/protocoltest"
)

// TestOnThisMac is the first thing to run on a Mac: it asks every class for every selector, opens each device, prints what the self-test
// found, and runs one kernel through the whole interface.
func TestOnThisMac(t *testing.T) {
	names, err := Devices()
	require.NoError(t, err)
	t.Logf("devices: %s", strings.Join(names, ", "))
	if len(names) == 0 {
		t.Skip("this Mac has no Metal device: a virtual machine, or a login without a screen")
	}
	for _, name := range names {
		d, err := Open(Options{Name: name, SkipSelfTest: true})
		require.NoError(t, err)
		t.Logf("%+v", d.Properties())
		d.Release()
		d, err = Open(Options{Name: name})
		require.NoError(t, err)
		t.Logf("\n%s", d.Report())
		kernels(t, d)
		d.Release()
		protocoltest.Suite{Open: func(t *testing.T) metal.Device {
			d, err := Open(Options{Name: name, SkipSelfTest: true})
			require.NoError(t, err)
			return d
		}}.Run(t)
	}
}

// kernels runs all that the interface has, once.
func kernels(t *testing.T, d metal.Device) {
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) { c.run(t, d) })
	}
}
