//go:build linux && !android && (amd64 || arm64)

package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
)

// made compiles one of the fakes of testdata to a shared library of this name in a new folder, and returns the folder.
func made(t *testing.T, file, name string, defines ...string) string {
	t.Helper()
	dir := t.TempDir()
	makeIn(t, dir, file, name, defines...)
	return dir
}

// makeIn compiles one into a folder.
func makeIn(t *testing.T, dir, file, name string, defines ...string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here, which makes shared libraries for this test: ", err)
	}
	args := []string{"-shared", "-fPIC", "-w", "-o", filepath.Join(dir, name), filepath.Join("testdata", "fake", file)}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	if strings.Contains(name, "builtins") { // the others have none: the loader would find those of tests before by their bare names
		args = append(args, "-Wl,-soname,"+name)
	}
	out, err := exec.Command(gcc, append(args, "-ldl")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// from loads the libraries that GAMMA_CUDA_PATH names, or says what is wrong.
func from(t *testing.T, folders ...string) (*libraries, error) {
	t.Helper()
	path := strings.Join(folders, string(filepath.ListSeparator))
	l, err := loadFrom(surroundings{env: func(k string) string { return map[string]string{PathVariable: path}[k] }}, offload.System{})
	if err == nil {
		for _, file := range []string{l.driverPath, l.compilerPath} {
			if !strings.HasPrefix(file, os.TempDir()) {
				t.Skip("the loader itself finds ", file, " here")
			}
		}
	}
	return l, err
}

// TestBadPaths: what is wrong with GAMMA_CUDA_PATH, and with the files it leads to, is in the error.
func TestBadPaths(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	require.NoError(t, os.Mkdir(text, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(text, "libcuda.so.1"), []byte("this is no library\n"), 0o644))
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	empty := t.TempDir()
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "libcuda.so.1"), 0o755))
	for path, want := range map[string]string{
		filepath.Join(dir, "nowhere"):       "no such file or directory",
		filepath.Join(text, "libcuda.so.1"): "libcuda.so.1: ",
		text:                                "libcuda.so.1: ",
		text + "/libcuda.so.1/x":            "not a directory",
		loop:                                "too many levels of symbolic links",
		empty:                               "there is no libcuda.so.1 or libcuda.so in it",
		folder:                              "Is a directory",
		os.Args[0]:                          "a file is taken by its name, which has to begin with libcuda.so.1 or libcuda.so",
	} {
		_, err := from(t, path)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "libcuda", e.Library)
		require.Equal(t, "loading", e.Call)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, PathVariable)
	}
}

// TestWrongLibraries: libraries that load and are not the right ones.
func TestWrongLibraries(t *testing.T) {
	driver, compiler := made(t, "libcuda.c", "libcuda.so.1"), made(t, "libnvrtc.c", "libnvrtc.so.12")
	l, err := from(t, driver, compiler)
	require.NoError(t, err)
	require.Equal(t, driver+"/libcuda.so.1", l.driverPath)
	require.Equal(t, compiler+"/libnvrtc.so.12", l.compilerPath)

	other := made(t, "libnvrtc.c", "libcuda.so.1")
	old := made(t, "libcuda.c", "libcuda.so.1", "NO_FUNCTION")
	for want, folders := range map[string][]string{
		"libcuda.so.1: symbol cuInit":                     {other},
		"libcuda.so.1: symbol cuModuleGetFunction":        {old},
		"nvrtc: loading: nothing that loads was found":    {driver},
		"libnvrtc.so.12: cuda: NVRTC 10.0 is too old":     {driver, made(t, "libnvrtc.c", "libnvrtc.so.12", "MAJOR=10", "MINOR=0")},
		"libnvrtc.so.11.2: cuda: NVRTC 11.1 is too old":   {driver, made(t, "libnvrtc.c", "libnvrtc.so.11.2", "MAJOR=11", "MINOR=1")},
		"symbol nvrtcGetCUBINSize":                        {driver, made(t, "libnvrtc.c", "libnvrtc.so", "MAJOR=11", "MINOR=0", "NO_CUBIN")},
		"NVRTC 14.1 is newer than the driver's CUDA 13.0": {driver, made(t, "libnvrtc.c", "libnvrtc.so.14", "MAJOR=14", "MINOR=1"), made(t, "libnvrtc.c", "libnvrtc.so.13", "MAJOR=14", "MINOR=1")},
		"NVRTC 12.4 is newer than the driver's CUDA 0.0":  {made(t, "libcuda.c", "libcuda.so.1", "VERSION=0"), compiler},
	} {
		_, err := from(t, folders...)
		var e *Error
		require.ErrorAs(t, err, &e, want)
		require.ErrorContains(t, err, want)
	}
}

// TestVersionsApart: a library that was refused does not stand in the way of the next one, whose calls inside itself would go there.
func TestVersionsApart(t *testing.T) {
	driver := made(t, "libcuda.c", "libcuda.so.1")
	refused, right := made(t, "libnvrtc.c", "libnvrtc.so.13", "MAJOR=99"), made(t, "libnvrtc.c", "libnvrtc.so.12")
	l, err := from(t, driver, refused, right)
	require.NoError(t, err)
	require.Equal(t, right+"/libnvrtc.so.12", l.compilerPath)
	major, _, _ := l.compiler.Version()
	require.EqualValues(t, 12, major)
}

// TestBuiltins: NVRTC finds its builtins beside it, though it opens them by a bare name and the loader does not look there.
func TestBuiltins(t *testing.T) {
	driver, alone, whole := made(t, "libcuda.c", "libcuda.so.1"), made(t, "libnvrtc.c", "libnvrtc.so.12", "BUILTINS"), made(t, "libnvrtc.c", "libnvrtc.so.12", "BUILTINS")
	s := &source{Name: "k", Text: "text", Entry: "k"}
	l, err := from(t, driver, alone)
	require.NoError(t, err)
	_, err = compile(l, s, "sm_90")
	require.ErrorContains(t, err, "nvrtcCompileProgram(k")
	require.ErrorContains(t, err, "gave 7 FAKERTC")
	require.ErrorContains(t, err, "own files are missing beside it")
	makeIn(t, whole, "builtins.c", "libnvrtc-builtins.so.12.4")
	l, err = from(t, driver, whole)
	require.NoError(t, err)
	image, err := compile(l, s, "sm_90")
	require.NoError(t, err)
	require.Equal(t, "cubin\x00", string(image))
}

// TestInitFails: what cuInit gives is in the error, with what to do, and no kernel is blamed.
func TestInitFails(t *testing.T) {
	compiler := made(t, "libnvrtc.c", "libnvrtc.so.12")
	o, err := Options{}.filled()
	require.NoError(t, err)
	for code, fix := range map[int]string{100: "CUDA_VISIBLE_DEVICES", 999: "nvidia-smi", 803: "restart the machine", 34: "to link against", 36: "too old", 3: ""} {
		driver := made(t, "libcuda.c", "libcuda.so.1", fmt.Sprintf("INIT=%d", code))
		l, err := from(t, driver, compiler)
		require.NoError(t, err)
		_, err = openLocal(l, o, &images{known: map[string][]byte{}})
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, Error{Device: "cuda", Library: driver + "/libcuda.so.1", Call: "cuInit(0)", Code: code, Name: "FAKE_NAME", Text: "fake text", Fix: e.Fix}, *e)
		require.Contains(t, e.Fix, fix)
	}
}

// TestGarbageSizes: a compiler that answers with a size that cannot be is refused, by name.
func TestGarbageSizes(t *testing.T) {
	l, err := from(t, made(t, "libcuda.c", "libcuda.so.1"), made(t, "libnvrtc.c", "libnvrtc.so.12", "SIZE=(1ul<<62)"))
	require.NoError(t, err)
	_, err = compile(l, &source{Name: "k", Text: "text", Entry: "k"}, "sm_90")
	require.ErrorContains(t, err, "libnvrtc.so.12: nvrtcGetCUBIN(k): it gave a size of more than")
}

// TestChildren: real children on a libcuda that faults, hangs, dies, or prints. The error says what the child was at and how it ended, the next work
// goes to another child, and none is left.
func TestChildren(t *testing.T) {
	driver, compiler := made(t, "libcuda.c", "libcuda.so.1"), made(t, "libnvrtc.c", "libnvrtc.so.12")
	t.Setenv(PathVariable, driver+string(filepath.ListSeparator)+compiler)
	t.Setenv(CacheVariable, "off")
	for _, x := range []struct {
		name, want string
		timeout    time.Duration
	}{
		{"kill", "running fill: the child is gone (EOF): signal: killed", 0},
		{"abort", "SIGABRT: abort", 0},
		{"segv", "the child is gone (EOF): exit status 2: ", 0},
		{"orphan", "file already closed): exit status 3", 0},
		{"garbage", "running fill", 0},
		{"hang", "did not end within", soon},
		{"fault", "gave 700 FAKE_NAME", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Setenv("FAKE_CUDA", x.name)
			o, err := Options{Isolate: true, Timeout: x.timeout}.filled()
			require.NoError(t, err)
			var children []*offload.Child
			b, _, err := openIsolated(o, func() (*offload.Child, error) {
				c, err := offload.Restart("cuda", ChildVariable)
				children = append(children, c)
				return c, err
			})
			require.NoError(t, err)
			defer func() {
				b.Close()
				for _, c := range children {
					require.NotContains(t, c.Kill(), "does not end", "a child is left")
				}
				require.Empty(t, offspring(t))
			}()
			m, err := b.Allocate(4, []byte{1, 2, 3, 4})
			require.NoError(t, err)
			run := func() error {
				w := b.Work()
				require.NoError(t, w.Add(&protocol.Dispatch{
					Pipeline: &protocol.Pipeline{Native: &offload.Kernel{Source: &source{
						Name: "fill", Entry: "fill", Text: "text", Key: "0123456789abcdef", Params: []emit.Param{{Kind: emit.BufferAddress}},
					}}},
					Grid: [3]int{1, 1, 1}, Groups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Args: []protocol.Arg{{Kind: protocol.Buffer, Memory: m, Length: 4}},
				}))
				require.NoError(t, w.Start(nil))
				return w.Wait()
			}
			begun := time.Now()
			err = run()
			var ce *Error
			require.ErrorAs(t, err, &ce)
			require.ErrorContains(t, err, x.want)
			require.Less(t, time.Since(begun), 20*time.Second)
			got := make([]byte, 4)
			require.NoError(t, m.Read(0, got))
			require.Equal(t, []byte{1, 2, 3, 4}, got)
			require.NoError(t, os.Unsetenv("FAKE_CUDA"))
			require.NoError(t, run(), "the device goes on")
			require.NoError(t, m.Read(0, got))
			require.Equal(t, []byte{2, 2, 3, 4}, got)
			require.Len(t, children, 2)
		})
	}
}

// offspring lists the processes that this one started and that live, from /proc.
func offspring(t *testing.T) (list []string) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	require.NoError(t, err)
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && len(strings.TrimSpace(string(b))) > 0 {
			list = append(list, strings.Fields(string(b))...)
		}
	}
	return list
}
