package emit_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/shaders"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// kernel compiles one of package shaders' kernels.
func kernel(t *testing.T, file, name string) *ir.Kernel {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "shaders", file))
	require.NoError(t, err)
	o := msl.Options{FileName: file, Headers: shaders.ModularHeaders()}
	for n, text := range shaders.Headers() {
		o.Headers[n] = text
	}
	l, err := msl.Compile(string(source), o)
	require.NoError(t, err)
	k, err := l.Kernel(name, nil)
	require.NoError(t, err)
	ir.Optimise(k)
	return k
}

func TestGoldenTexts(t *testing.T) {
	for _, c := range []struct{ file, name string }{{"sum.metal", "sum_tree"}, {"ntt.metal", "ntt_forward_stage"}} {
		for dialect, ext := range map[emit.Dialect]string{emit.CUDA: ".cu", emit.OpenCL: ".cl"} {
			p, err := emit.Print(kernel(t, c.file, c.name), emit.Options{Dialect: dialect})
			require.NoError(t, err)
			path := filepath.Join("testdata", c.name+ext)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(p.Text), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), p.Text, "%s: run the test with -update where the new text is right", path)
		}
	}
}
