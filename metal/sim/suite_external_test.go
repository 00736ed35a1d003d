package sim_test

import (
	"testing"

	"gamma/metal"
	"gamma/metal/internal/protocoltest"
	"gamma/metal/sim"
)

// TestProtocol holds both engines to the protocol of all devices.
func TestProtocol(t *testing.T) {
	for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
		t.Run(engine.String(), func(t *testing.T) {
			protocoltest.Suite{Open: func(*testing.T) metal.Device { return sim.New(sim.Options{Engine: engine}) }}.Run(t)
		})
	}
}
