package opencl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/protocoltest"
)

// TestProtocol holds a device on a fake library, and on the first that is installed, to the protocol of all devices.
func TestProtocol(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		protocoltest.Suite{NoResults: true, Open: func(t *testing.T) metal.Device {
			b, err := fakeLocal(newFake(), Options{})
			require.NoError(t, err)
			return &Device{base: fakeDevice(b, b.info), info: b.info}
		}}.Run(t)
	})
	t.Run("installed", func(t *testing.T) {
		protocoltest.Suite{Open: func(t *testing.T) metal.Device {
			d, err := Open(Options{})
			if err != nil {
				t.Skip(err)
			}
			return d
		}}.Run(t)
	})
}
