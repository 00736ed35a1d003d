package apple

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// opened returns a device on a fake, and sees to it that all is given back.
func opened(t *testing.T, o sim.Options) (*Device, *fake) {
	t.Helper()
	f := newFake(t, o)
	d, err := open(newHost(f), Options{SkipSelfTest: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		d.Release()
		require.Empty(t, f.left(), "objects that were not released")
	})
	f.take()
	return d, f
}

// TestOpenTestsTheDevice: the self-test runs through all layers and finds the behaviour of the GPU that the fake plays.
func TestOpenTestsTheDevice(t *testing.T) {
	b := model.Behaviour{Flush: model.Flush{In: true, Out: true}, Contract: model.ContractFast, SIMDWidth: 16}
	f := newFake(t, sim.Options{Behaviour: b})
	d, err := open(newHost(f), Options{})
	require.NoError(t, err)
	p := d.Properties()
	require.Equal(t, "metal", p.Kind)
	require.Equal(t, "Apple M9 Fake", p.Name)
	require.Equal(t, "macOS Version 99.1 (Build 99A1); families Apple9 Apple8 Apple7 Apple6 Apple5 Apple4 Metal3; registry 0xabc; low power", p.Detail)
	require.Equal(t, b.String(), p.Behaviour.String())
	require.Equal(t, 16, p.ThreadExecutionWidth)
	require.Equal(t, 1024, p.MaxTotalThreads)
	require.Equal(t, 512, p.MaxThreadsPerThreadgroup.Z)
	require.Equal(t, 32768, p.MaxThreadgroupMemoryLength)
	require.Equal(t, 1<<28, p.MaxBufferLength)
	require.Contains(t, d.Report().String(), "behaviour  "+b.String())
	require.Empty(t, d.b.objects, "the self-test releases all that it made")
	d.Release()
	d.Release()
	require.Empty(t, f.left())
	require.Equal(t, 4, f.freed["MTLLibrary"])
	require.Equal(t, 4, f.freed["MTLCommandBuffer"])
	require.Equal(t, 12, f.freed["MTLBuffer"])
}
