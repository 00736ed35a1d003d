package opencl

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// PathVariable lists folders or files, apart as in PATH, where the library of OpenCL is looked for first.
const PathVariable = "GAMMA_OPENCL_PATH"

// surroundings are what a search looks at, so that tests can have their own.
type surroundings struct {
	env     func(string) string
	names   []string // of the file, the preferred first
	usual   []string // folders, as patterns
	missing string   // what to do when there is none
}

func here() surroundings {
	s := surroundings{
		env: os.Getenv, names: []string{"libOpenCL.so.1", "libOpenCL.so"},
		usual: []string{
			"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64", "/opt/rocm/lib", "/opt/*/lib",
		},
		missing: "install ocl-icd-libopencl1 and a driver such as pocl-opencl-icd, or set " + PathVariable + " to the folder of libOpenCL.so.1",
	}
	switch runtime.GOOS {
	case "windows":
		s.names, s.usual = []string{"OpenCL.dll"}, []string{`C:\Windows\System32`}
		s.missing = "install the driver of the graphics card, or set " + PathVariable + " to the folder of OpenCL.dll"
	case "darwin":
		s.names, s.usual = []string{"OpenCL"}, []string{"/System/Library/Frameworks/OpenCL.framework"}
		s.missing = "this macOS has no OpenCL.framework; set " + PathVariable + " to the folder of another library"
	}
	return s
}

// candidates lists what to try to load, in order: paths of files, and bare names for the loader.
func (s surroundings) candidates() []string {
	var list []string
	for _, p := range filepath.SplitList(s.env(PathVariable)) {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			for _, name := range s.names {
				list = append(list, filepath.Join(p, name))
			}
			continue
		}
		list = append(list, p) // also if there is none: the error names it
	}
	list = append(list, s.names...)
	for _, pattern := range s.usual {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		for _, dir := range dirs {
			for _, name := range s.names {
				list = append(list, filepath.Join(dir, name))
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(p string) bool { old := seen[p]; seen[p] = true; return old })
}

// loader loads libraries and finds symbols, by the operating system.
type loader interface {
	open(path string) (uintptr, error)
	symbol(lib uintptr, name string) (uintptr, error)
	// close unloads a library that was refused.
	close(lib uintptr)
}

// find opens the first candidate that opens and that accept takes. The error tells what was tried.
func find(s surroundings, l loader, accept func(lib uintptr, path string) error) error {
	var tried []string
	for _, path := range s.candidates() {
		lib, err := l.open(path)
		if err == nil {
			if err = accept(lib, path); err == nil {
				return nil
			}
			l.close(lib)
		}
		line, _, _ := strings.Cut(err.Error(), "\n")
		tried = append(tried, path+": "+line)
	}
	text := "nothing that loads was found"
	for i, t := range tried {
		if i == 6 {
			text += " …"
			break
		}
		text += "\n\t" + t
	}
	return &Error{Library: "OpenCL", Call: "loading", Text: text, Mend: s.missing}
}
