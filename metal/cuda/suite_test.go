package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/protocoltest"
)

// TestProtocol holds a device on a fake driver, and on the GPU where there is one, to the protocol of all devices.
func TestProtocol(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		protocoltest.Suite{NoResults: true, Open: func(t *testing.T) metal.Device {
			d, err := fakeDevice(newFake(), Options{})
			require.NoError(t, err)
			return d
		}}.Run(t)
	})
	t.Run("GPU", func(t *testing.T) {
		protocoltest.Suite{Open: func(t *testing.T) metal.Device {
			d, err := Open(Options{})
			if err != nil {
				t.Skip(err)
			}
			return d
		}}.Run(t)
	})
}
