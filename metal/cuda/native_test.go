//go:build linux && !android && (amd64 || arm64)

package cuda

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/offload"
)

// TestMissingSymbol loads a library that is none of NVIDIA's: the error names it and the symbol.
func TestMissingSymbol(t *testing.T) {
	s := offload.System{}
	lib, err := s.Open("libc.so.6")
	if err != nil {
		t.Skip("no libc.so.6 here: ", err)
	}
	err = here().driver().Bind(s, lib, "libc.so.6", &nativeDriver{}, tooOld)
	require.ErrorContains(t, err, "libc.so.6: symbol cuInit")
}

// TestWrongFiles searches with real dlopen in a folder of wrong files.
func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libcuda.so.1"), []byte("no library"), 0o644))
	env := func(k string) string { return map[string]string{PathVariable: dir}[k] }
	_, err := loadFrom(surroundings{env: env}, offload.System{})
	if err == nil {
		t.Skip("the loader itself finds a libcuda and an NVRTC here")
	}
	require.ErrorContains(t, err, PathVariable)
}

// TestCachePipe: a pipe where a kernel should lie is not waited for.
func TestCachePipe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, imageKey(kernelOf("text"), "sm_90", about{})), 0o644))
	image, err := cacheIn(dir, "").get(newFake().libraries(), kernelOf("text"), "sm_90", about{})
	require.NoError(t, err)
	require.Equal(t, "cubin", string(image))
}
