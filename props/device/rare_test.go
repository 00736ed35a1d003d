package device_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model"
)

// rare is hardware that rounds toward zero in one command buffer of fifty, and says that it does not.
type rare struct{ *fake }

func (r rare) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := r.fake.NewCommandQueue()
	return rareQueue{q, r}, err
}

type rareQueue struct {
	metal.CommandQueue
	r rare
}

func (q rareQueue) CommandBuffer() (metal.CommandBuffer, error) {
	if q.r.queues.Add(1)%50 != 49 {
		return q.CommandQueue.CommandBuffer()
	}
	other, err := q.r.sim.With(model.Behaviour{Rounding: model.TowardZero}).NewCommandQueue()
	if err != nil {
		return nil, err
	}
	return other.CommandBuffer()
}

// TestFakeRare: a fault that shows once in a while is found, and shows again where -gamma.case names its case.
func TestFakeRare(t *testing.T) {
	t.Parallel()
	for _, test := range []string{"^TestFakeShader$/shaders/^sum.metal#tree$", "^TestFakeShader$/shaders/^dd.metal#plus_dw$", "^TestFakeShader$/shaders/^fft.metal#tiled$"} {
		dir, text, passed := runFake(t, "rare", test, "GAMMA_DEVICE=fake", "GAMMA_LAW=device.repeat", "GAMMA_BUDGET=1m")
		require.False(t, passed, text)
		found := regexp.MustCompile(`saved as +(\S+)`).FindStringSubmatch(text)
		require.NotNil(t, found, text)
		_, text, passed = runFake(t, "rare", test, "GAMMA_DEVICE=fake", "GAMMA_CASE="+filepath.Join(dir, found[1]))
		require.False(t, passed, text)
		require.Contains(t, text, "device.repeat")
	}
}
