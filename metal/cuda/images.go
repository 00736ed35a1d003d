package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gamma/metal/internal/offload"
)

// CacheVariable names the folder for compiled kernels; off turns that off. DumpVariable names one for printed kernels.
const (
	CacheVariable = "GAMMA_CUDA_CACHE"
	DumpVariable  = "GAMMA_CUDA_DUMP"
)

// images are compiled kernels, in memory and on disk.
type images struct {
	dir, dump string // "" for none
	mu        sync.Mutex
	known     map[string][]byte
	bytes     int
	most      int64 // bytes on disk
}

// Limits of what is kept.
const (
	maxImages     = 64 << 20  // bytes in memory
	maxCacheBytes = 512 << 20 // bytes on disk, before the oldest go
	maxImage      = 1 << 30   // bytes of one
)

// newImages looks where the cache is to be.
func newImages(env func(string) string) *images {
	c := &images{dump: env(DumpVariable), known: map[string][]byte{}, most: maxCacheBytes}
	switch dir := env(CacheVariable); dir {
	case "off", "0", "none":
	case "":
		if base, err := os.UserCacheDir(); err == nil {
			c.dir = filepath.Join(base, "gamma", "cuda")
		}
	default:
		c.dir = dir
	}
	return c
}

// magic begins a file of the cache; the hash of what follows comes next.
const magic = "gamma cuda kernel 1\n"

// imageKey is the name of a compiled kernel.
func imageKey(s *source, arch string, i about) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q nvrtc %d.%d driver %d", s.Text, s.Entry, s.Flags, arch, i.NVRTCMajor, i.NVRTCMinor, i.Driver)
	return hex.EncodeToString(h.Sum(nil))
}

// get returns s compiled, now or before.
func (c *images) get(l *libraries, s *source, arch string, i about) ([]byte, error) {
	if s.Own != nil && s.Includes {
		return compile(l, s, arch)
	}
	key := imageKey(s, arch, i)
	if err := offload.Dump(string(name), DumpVariable, c.dump, ".cu", "nvrtc "+strings.Join(flags(s, arch), " "), s); err != nil {
		return nil, err
	}
	c.mu.Lock()
	image := c.known[key]
	c.mu.Unlock()
	if image != nil {
		return image, nil
	}
	if image = c.fetch(key); image == nil {
		var err error
		if image, err = compile(l, s, arch); err != nil {
			return nil, err
		}
		c.store(key, image)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += len(image); c.bytes > maxImages {
		clear(c.known)
		c.bytes = len(image)
	}
	c.known[key] = image
	return image, nil
}

// fetch returns a file of the cache, nil if there is none or it is broken.
func (c *images) fetch(key string) []byte {
	if c.dir == "" {
		return nil
	}
	path := filepath.Join(c.dir, key)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxCacheBytes {
		return nil // opening a pipe would wait for somebody to write
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	b, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(b) <= sha256.Size {
		return nil
	}
	sum := sha256.Sum256(b[sha256.Size:])
	if !bytes.Equal(sum[:], b[:sha256.Size]) {
		return nil
	}
	return b[sha256.Size:]
}

// store writes a file of the cache. One that cannot be written costs time only.
func (c *images) store(key string, image []byte) {
	if c.dir == "" || os.MkdirAll(c.dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(c.dir, partial+"*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(image)
	_, err = f.Write(slices.Concat([]byte(magic), sum[:], image))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, key))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	c.prune()
}

// partial begins the names of files that are being written.
const partial = "gamma-cuda-new-"

// ours says whether this package wrote a file, by its name: GAMMA_CUDA_CACHE may name a folder that has other files too.
func ours(name string) bool {
	if strings.HasPrefix(name, partial) {
		return true
	}
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sha256.Size
}

// begins says whether a file begins as those of the cache do.
func begins(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(magic))
	n, _ := io.ReadFull(f, b)
	return strings.HasPrefix(magic, string(b[:n]))
}

// prune removes the oldest files when there is too much. It touches none but its own.
func (c *images) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && ours(e.Name()) {
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= c.most {
			return
		}
		if begins(filepath.Join(c.dir, f.Name())) && os.Remove(filepath.Join(c.dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}

// flags returns NVRTC's flags for s.
func flags(s *source, arch string) []string {
	list := []string{"--gpu-architecture=" + arch, "--disable-warnings"}
	if !slices.ContainsFunc(s.Flags, func(f string) bool { return strings.HasPrefix(f, "--std") || strings.HasPrefix(f, "-std") }) {
		list = append(list, "--std=c++17")
	}
	return append(list, s.Flags...)
}

// compile compiles s by NVRTC: to machine code, or to PTX where NVRTC does not know the machine.
func compile(l *libraries, s *source, arch string) ([]byte, error) {
	c, file := l.compiler, s.Name+".cu"
	if s.Own != nil {
		file = s.File
	}
	p, r := c.CreateProgram(s.Text, file)
	if err := l.miscompiled("nvrtcCreateProgram("+s.Name+")", r); err != nil {
		return nil, err
	}
	defer c.DestroyProgram(p)
	options := flags(s, arch)
	if r := c.CompileProgram(p, options); r != success {
		err := l.miscompiled("nvrtcCompileProgram("+s.Name+", "+strings.Join(options, " ")+")", r)
		var e *Error
		if log, r := c.ProgramLog(p); r == success && errors.As(err, &e) {
			e.Text = offload.Head(strings.TrimSpace(log), 4000)
			if code := result(e.Code); code == nvrtcCompile && s.Own != nil {
				e.Fix = "NVRTC compiles what runs on the device alone: keep host code, and includes that it needs, out of the file, or inside #ifndef __CUDACC_RTC__"
			} else if code == nvrtcCompile {
				e.Fix = "the printed kernel is at fault: report it with the file that " + DumpVariable + " writes"
			}
		}
		return nil, err
	}
	get, call := c.CUBIN, "nvrtcGetCUBIN"
	if strings.HasPrefix(arch, "compute_") {
		get, call = c.PTX, "nvrtcGetPTX"
	}
	image, r := get(p)
	if err := l.miscompiled(call+"("+s.Name+")", r); err != nil {
		return nil, err
	}
	if len(image) == 0 {
		return nil, &Error{Device: string(name), Library: l.compilerPath, Call: call + "(" + s.Name + ")", Text: "it gave no code"}
	}
	return image, nil
}
