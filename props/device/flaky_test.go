package device_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
)

// forgetful is hardware on which an array that is read holds what the one before held, if that was as long.
type forgetful struct {
	*fake
	last *[]byte
}

func (f forgetful) NewBuffer(length int) (metal.Buffer, error) {
	b, err := f.fake.NewBuffer(length)
	return forgetfulBuffer{b, f.last}, err
}

func (f forgetful) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := f.fake.NewCommandQueue()
	return forgetfulQueue{q}, err
}

type forgetfulQueue struct{ metal.CommandQueue }

func (q forgetfulQueue) CommandBuffer() (metal.CommandBuffer, error) {
	c, err := q.CommandQueue.CommandBuffer()
	return forgetfulCommand{c}, err
}

type forgetfulCommand struct{ metal.CommandBuffer }

func (c forgetfulCommand) ComputeCommandEncoder(d metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	e, err := c.CommandBuffer.ComputeCommandEncoder(d)
	return forgetfulEncoder{e}, err
}

type forgetfulEncoder struct{ metal.ComputeCommandEncoder }

func (e forgetfulEncoder) SetBuffer(b metal.Buffer, offset, index int) error {
	if own, ok := b.(forgetfulBuffer); ok {
		b = own.Buffer
	}
	return e.ComputeCommandEncoder.SetBuffer(b, offset, index)
}

type forgetfulBuffer struct {
	metal.Buffer
	last *[]byte
}

func (b forgetfulBuffer) Read(offset int, dst []byte) error {
	err := b.Buffer.Read(offset, dst)
	was := *b.last
	if *b.last = bytes.Clone(dst); len(was) == len(dst) {
		copy(dst, was)
	}
	return err
}

// TestFakeForgetful: hardware whose results come of the run before fails when a case is drawn, and not when it is judged again. The report
// names the hardware and says how the case failed, and so does a case on file.
func TestFakeForgetful(t *testing.T) {
	t.Parallel()
	dir, text, passed := runFake(t, "forgetful", "^TestFakeShader$/shaders/^(sum.metal#tree|modular.metal#mont_mul)$",
		"GAMMA_DEVICE=fake", "GAMMA_LAW=device.equal", "GAMMA_CHECKS=200")
	require.False(t, passed, text)
	text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
	for _, name := range []string{"shaders/sum.metal#tree", "shaders/modular.metal#mont_mul"} {
		at := regexp.MustCompile(regexp.QuoteMeta(name) + ` is flaky under device.equal: a (case|row) failed, and passed when it was judged again. When it failed: on fake the (result|row) has other`)
		require.Regexp(t, at, text)
	}
	require.Len(t, regexp.MustCompile(` device fake: Fake GPU; driver 0\.1 `).FindAllString(text, -1), 2, text)
	require.Len(t, regexp.MustCompile(` reproduce \([^)]* -gamma\.device=fake `).FindAllString(text, -1), 2, text)
	found := regexp.MustCompile(`saved as (\S+\.case)`).FindStringSubmatch(text)
	require.NotNil(t, found, text)
	body, err := os.ReadFile(filepath.Join(dir, found[1]))
	require.NoError(t, err)
	require.Contains(t, string(body), "Found on fake: Fake GPU; driver 0.1.")
	require.Contains(t, string(body), "When it failed: on fake the result has other bits than on sim")
}
