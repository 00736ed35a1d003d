package sim_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
)

// thorough makes tests long.
var thorough = os.Getenv("GAMMA_LEVEL") == "thorough"

// source reads a shader of testdata.
func source(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(text)
}

// pipeline compiles a kernel of a source.
func pipeline(t testing.TB, d metal.Device, text, name string) metal.ComputePipelineState {
	t.Helper()
	l, err := d.NewLibrary(text, metal.CompileOptions{FileName: "test.metal"})
	require.NoError(t, err)
	f, err := l.NewFunction(name, nil)
	require.NoError(t, err)
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	return p
}

// encoder returns an encoder and its command buffer.
func encoder(t testing.TB, d metal.Device) (metal.ComputeCommandEncoder, metal.CommandBuffer) {
	t.Helper()
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	return e, c
}

// finish ends the encoder, runs the command buffer and returns what it says.
func finish(t testing.TB, e metal.ComputeCommandEncoder, c metal.CommandBuffer) error {
	t.Helper()
	require.NoError(t, e.EndEncoding())
	require.NoError(t, c.Commit())
	return c.WaitUntilCompleted()
}

// words are bytes of 32-bit words, and back.
func words(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func read(t testing.TB, b metal.Buffer) []uint32 {
	t.Helper()
	raw := make([]byte, b.Length())
	require.NoError(t, b.Read(0, raw))
	return numbers(raw)
}

func numbers(raw []byte) []uint32 {
	v := make([]uint32, len(raw)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return v
}

func buffer(t testing.TB, d metal.Device, data []byte) metal.Buffer {
	t.Helper()
	b, err := d.NewBufferWithBytes(data)
	require.NoError(t, err)
	return b
}

func line(n int) metal.Size { return metal.Size{X: n, Y: 1, Z: 1} }
