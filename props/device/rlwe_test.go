package device

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/kernels/rlwe"
	"gamma/metal/sim"
	"gamma/shaders"
)

// TestRLWE generates keys, encrypts and decrypts over the transforms of shaders on the simulator, as kernels/rlwe does over those of
// kernels/ntt: keys and ciphertexts are the same words, messages come back, and the noise is within its bound.
func TestRLWE(t *testing.T) {
	for _, name := range []string{"shaders/ntt.metal#stages", "shaders/ntt.metal#tiled", "shaders/ntt.metal#lazy"} {
		k, ok := shaders.FindNTT(name)
		require.True(t, ok, name)
		for _, n := range []int{1024, 8192} {
			dev := sim.New(sim.Options{})
			runner := shaders.NewRunner(dev)
			p := rlwe.NewParameters(n, 65537)
			transform, err := ntt.NewTransform(p.Q, n, true)
			require.NoError(t, err)
			launches := k.Launches(n)
			transforms, err := k.Plan(runner, launches[len(launches)-1], transform)
			require.NoError(t, err)
			ring, err := rlwe.NewRing(transform, k.Claim, transforms)
			require.NoError(t, err)
			onDevice, err := rlwe.NewScheme(p, ring)
			require.NoError(t, err)
			onCPU, err := rlwe.NewScheme(p, nil)
			require.NoError(t, err)

			source := func() *rand.ChaCha8 { return rand.NewChaCha8([32]byte{5}) }
			secret, public, err := onDevice.GenerateKeys(source())
			require.NoError(t, err)
			secret2, public2, err := onCPU.GenerateKeys(source())
			require.NoError(t, err)
			require.Equal(t, secret2, secret, name)
			require.Equal(t, public2, public, name)

			rng := rand.New(source())
			message := make([]uint64, n)
			for i := range message {
				message[i] = rng.Uint64N(p.T)
			}
			c, err := onDevice.Encrypt(source(), public, message)
			require.NoError(t, err)
			c2, err := onCPU.Encrypt(source(), public, message)
			require.NoError(t, err)
			require.Equal(t, c2, c, name)
			got, err := onDevice.Decrypt(secret, c)
			require.NoError(t, err)
			require.Equal(t, message, got, name)
			noise, err := onDevice.Noise(secret, c, message)
			require.NoError(t, err)
			most := int64(0)
			for _, v := range noise {
				most = max(most, v, -v)
			}
			require.LessOrEqual(t, uint64(most), p.NoiseBound())
			t.Logf("%s, N = %d: noise up to %d, bound %d", name, n, most, p.NoiseBound())
			runner.Release()
		}
	}
}
