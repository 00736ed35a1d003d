package cuda

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// PathVariable lists folders or files, apart as in PATH, where libcuda and NVRTC are looked for first.
const PathVariable = "GAMMA_CUDA_PATH"

// wanted is a library by the names of its file, the preferred first.
type wanted struct {
	title string
	names []string
	// bundled are its folders below site-packages of Python.
	bundled []string
	missing string // what to do when there is none
}

func wantedDriver() wanted {
	w := wanted{title: "libcuda", names: []string{"libcuda.so.1", "libcuda.so"}, missing: "install NVIDIA's driver, or set " + PathVariable + " to the folder of libcuda.so.1"}
	if runtime.GOOS == "windows" {
		w.names, w.missing = []string{"nvcuda.dll"}, "install NVIDIA's driver, or set "+PathVariable+" to the folder of nvcuda.dll"
	}
	return w
}

func wantedCompiler() wanted {
	w := wanted{
		title: "nvrtc", names: []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"},
		bundled: []string{"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"},
		missing: "install CUDA's NVRTC (pip install nvidia-cuda-nvrtc has it), or set " + PathVariable + " to the folder of libnvrtc.so",
	}
	if runtime.GOOS == "windows" {
		w.names = []string{"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"}
		w.bundled = []string{"nvidia/cu13/bin/x86_64", "nvidia/cu13/bin", "nvidia/cuda_nvrtc/bin"}
	}
	return w
}

// surroundings are what a search looks at, so that tests can have their own.
type surroundings struct {
	env    func(string) string
	python string   // the interpreter's path, "" for none
	usual  []string // patterns of folders
}

func here() surroundings {
	s := surroundings{env: os.Getenv, usual: []string{
		"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/local/nvidia/lib64", "/opt/cuda/lib64",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib",
		"/usr/lib/python3*/dist-packages", "/usr/local/lib/python3*/*-packages", "/opt/*/.venv/lib/python3*/site-packages",
	}}
	if runtime.GOOS == "windows" {
		s.usual = []string{`C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v*\bin`, `C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v*\bin\x64`}
	}
	if home, err := os.UserHomeDir(); err == nil {
		s.usual = append(s.usual, filepath.Join(home, ".local/lib/python3*/site-packages"))
	}
	for _, name := range []string{"python3", "python"} {
		if at, err := exec.LookPath(name); err == nil {
			s.python = at
			break
		}
	}
	return s
}

// candidates lists what to try to load, in order: paths of files that exist, and bare names for the loader. notes are what is wrong with the
// entries of PathVariable.
func (s surroundings) candidates(w wanted) (list, notes []string) {
	note := func(p, text string) { notes = append(notes, PathVariable+": "+p+": "+text) }
	folder := func(dir string) {
		for _, sub := range append([]string{"."}, w.bundled...) {
			for _, name := range w.names {
				list = append(list, versions(filepath.Join(dir, sub, name))...)
			}
		}
	}
	for _, p := range filepath.SplitList(s.env(PathVariable)) {
		if p == "" {
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			note(p, reason(err))
			continue
		}
		if !info.IsDir() {
			// A file is for the library whose name it has.
			switch {
			case w.takes(p):
				list = append(list, p)
			case !wantedDriver().takes(p) && !wantedCompiler().takes(p):
				note(p, "a file is taken by its name, which has to begin with "+strings.Join(w.names, " or "))
			}
			continue
		}
		before := len(list)
		for _, sub := range []string{".", "lib64", "lib", "bin", "bin/x64"} {
			folder(filepath.Join(p, sub))
		}
		if len(list) > before {
			continue
		}
		if _, err := os.ReadDir(p); err != nil {
			note(p, reason(err))
		} else {
			note(p, "there is no "+strings.Join(w.names, " or ")+" in it")
		}
	}
	list = append(list, w.names...)
	for _, v := range []string{"CUDA_PATH", "CUDA_HOME"} {
		if dir := s.env(v); dir != "" {
			for _, sub := range []string{"lib64", "lib", "bin", "bin/x64"} {
				folder(filepath.Join(dir, sub))
			}
		}
	}
	for _, pattern := range s.usual {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			continue // a pattern of a home folder with odd letters
		}
		slices.Reverse(dirs) // the newest version first
		for _, dir := range dirs {
			folder(dir)
		}
	}
	if s.python != "" {
		root := filepath.Dir(filepath.Dir(s.python))
		for _, sub := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"} {
			dirs, err := filepath.Glob(filepath.Join(root, sub))
			if err != nil {
				continue
			}
			for _, dir := range dirs {
				folder(dir)
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(p string) bool { old := seen[p]; seen[p] = true; return old }), notes
}

// takes says whether a file is the library, by its name.
func (w wanted) takes(path string) bool {
	return slices.ContainsFunc(w.names, func(n string) bool { return strings.HasPrefix(filepath.Base(path), n) })
}

// reason is an error about a path without the path.
func reason(err error) string {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// versions returns path if there is such a file, and files that only add a version to its name.
func versions(path string) []string {
	var list []string
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		list = append(list, path)
	}
	if more, err := filepath.Glob(path + ".*"); err == nil && strings.HasSuffix(path, ".so") {
		slices.Reverse(more)
		list = append(list, more...)
	}
	return list
}

// loader loads libraries and finds symbols, by the operating system.
type loader interface {
	open(path string) (uintptr, error)
	symbol(lib uintptr, name string) (uintptr, error)
	// close unloads a library that was refused.
	close(lib uintptr)
}

// find opens the first candidate that opens and that accept takes. The error tells what was tried.
func find(w wanted, s surroundings, l loader, accept func(lib uintptr, path string) error) error {
	list, tried := s.candidates(w)
	for _, path := range list {
		lib, err := l.open(path)
		if err == nil {
			if err = accept(lib, path); err == nil {
				return nil
			}
			l.close(lib)
		}
		tried = append(tried, path+": "+strings.TrimPrefix(firstLine(err.Error()), path+": "))
	}
	text := "nothing that loads was found"
	for i, t := range tried {
		if i == 6 {
			text += " …"
			break
		}
		text += "\n\t" + t
	}
	return &Error{Library: w.title, Call: "loading", Code: -1, Text: text, Mend: w.missing}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
