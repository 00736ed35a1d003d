package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cacheIn are images with a cache in dir, and with a folder for dumps unless that is "".
func cacheIn(dir, dump string) *images {
	return newImages(func(name string) string { return map[string]string{CacheVariable: dir, DumpVariable: dump}[name] })
}

func kernelOf(text string) *source {
	return &source{Name: "k", Entry: "k", Text: text, Key: fmt.Sprintf("%016x", len(text))}
}

// TestPruneOwnFiles: GAMMA_CUDA_CACHE may name a folder with files of somebody else's, even by names like ours, and they stay.
func TestPruneOwnFiles(t *testing.T) {
	dir := t.TempDir()
	hash := strings.Repeat("0123456789abcdef", 4)
	theirs := []string{"thesis.tex", "new-1", hash, hash[:63] + "g"}
	for i, name := range theirs {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("not a kernel"), 0o644))
		old := time.Now().Add(-time.Duration(100-i) * time.Hour)
		require.NoError(t, os.Chtimes(path, old, old))
	}
	left := filepath.Join(dir, partial+"1") // by a process that was killed
	require.NoError(t, os.WriteFile(left, []byte(magic[:5]), 0o644))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(left, old, old))
	require.NoError(t, os.WriteFile(filepath.Join(dir, theirs[0]), make([]byte, 5000), 0o644))
	compiled := func(most int64) bool {
		c, f := cacheIn(dir, ""), newFake()
		c.most = most
		_, err := c.get(f.libraries(), kernelOf("text"), "sm_90", about{})
		require.NoError(t, err)
		return strings.Contains(f.names(), "CompileProgram")
	}
	require.True(t, compiled(1000))
	require.False(t, compiled(1000), "files of others leave no less room")
	require.NoError(t, os.Remove(filepath.Join(dir, imageKey(kernelOf("text"), "sm_90", about{}))))
	require.True(t, compiled(0))
	var names []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, theirs, names)
}

// TestBadCaches: whatever lies where the cache should be costs time only.
func TestBadCaches(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	key := imageKey(kernelOf("text"), "sm_90", about{})
	taken := filepath.Join(dir, "taken") // by a folder of the kernel's name
	require.NoError(t, os.MkdirAll(filepath.Join(taken, key), 0o755))
	places := []string{file, filepath.Join(file, "below"), taken}
	if runtime.GOOS == "linux" {
		places = append(places, "/proc/gamma", "/dev/null")
	}
	for _, at := range places {
		image, err := cacheIn(at, "").get(newFake().libraries(), kernelOf("text"), "sm_90", about{})
		require.NoError(t, err, at)
		require.Equal(t, "cubin", string(image), at)
	}
	entries, err := os.ReadDir(taken)
	require.NoError(t, err)
	require.Len(t, entries, 1, "a file that was being written is left")
}

// TestBadDump: a folder for printed kernels was asked for, so it is an error if it cannot be written to.
func TestBadDump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, at := range []string{file, filepath.Join(file, "below")} {
		f := newFake()
		_, err := cacheIn("off", at).get(f.libraries(), kernelOf("text"), "sm_90", about{})
		require.ErrorContains(t, err, "cuda: writing the printed kernel k to "+DumpVariable+"="+at)
		require.ErrorContains(t, err, "name a folder that can be written to")
		require.Empty(t, f.names(), "nothing was compiled")
	}
}

// TestCacheTogether: many users of one cache, as processes are, while it is pruned, get their kernels whole.
func TestCacheTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				c := cacheIn(dir, "")
				c.most = int64(j % 3 * 100)
				image, err := c.get(newFake().libraries(), kernelOf(fmt.Sprint((i+j)%5)), "sm_90", about{})
				if err != nil || string(image) != "cubin" {
					t.Errorf("%q, %v", image, err)
				}
			}
		})
	}
	wg.Wait()
	left, err := filepath.Glob(filepath.Join(dir, partial+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
