package device_test

import (
	"sync/atomic"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// fake is hardware for tests: a simulator that nobody can tell how to behave. What it does is is, and what it says that it does is says.
type fake struct {
	metal.Device
	sim  *sim.Device
	says model.Behaviour
	// shuffled: the order of threads is another one in every queue.
	shuffled bool
	queues   atomic.Uint64
}

// newFake returns hardware that behaves as it says.
func newFake(b model.Behaviour) *fake { return newLiar(b, b) }

// newLiar returns hardware whose self-test found says, and that does is.
func newLiar(says, is model.Behaviour) *fake {
	s := sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 27, Behaviour: is})
	says.Order = "accesses"
	return &fake{Device: s, sim: s, says: says}
}

func (f *fake) Properties() metal.Properties {
	p := f.Device.Properties()
	p.Kind, p.Name, p.Detail, p.Behaviour = "fake", "Fake GPU", "driver 0.1", f.says
	return p
}

func (f *fake) NewCommandQueue() (metal.CommandQueue, error) {
	if !f.shuffled {
		return f.Device.NewCommandQueue()
	}
	b := f.sim.Behaviour()
	b.Order, b.Seed = "accesses", f.queues.Add(1)
	return f.sim.With(b).NewCommandQueue()
}
