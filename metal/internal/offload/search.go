package offload

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Search says where to look for a vendor's library.
type Search struct {
	Device string   // cuda or opencl
	Title  string   // what the library is called
	Names  []string // of its file, the preferred first
	Bare   []string // what the loader itself is asked for; nil: Names
	// Variable of the environment lists folders or files, apart as in PATH, where the library is looked for first. A file there whose name is
	// none of Names is taken if AnyName says so, and no mistake if its name is one of Others.
	Variable string
	AnyName  bool
	Others   []string
	Below    []string // folders below those of Variable
	Roots    []string // variables of the environment that name a root, such as CUDA_PATH, with folders Below
	Usual    []string // patterns of folders
	Bundled  []string // folders below each folder, as Python's packages have them
	Python   string   // the interpreter's path, "" for none
	Missing  string   // what to do when there is none
	Env      func(string) string
}

// Python returns the path of the interpreter of Python, "" if there is none.
func Python() string {
	for _, name := range []string{"python3", "python"} {
		if at, err := exec.LookPath(name); err == nil {
			return at
		}
	}
	return ""
}

// Candidates lists what to try to load, in order: paths of files that exist, and bare names for the loader. notes are what is wrong with the
// entries of Variable.
func (s *Search) Candidates() (list, notes []string) {
	for _, p := range filepath.SplitList(s.Env(s.Variable)) {
		if p == "" {
			continue
		}
		found, note := s.entry(p)
		list = append(list, found...)
		if note != "" {
			notes = append(notes, s.Variable+": "+p+": "+note)
		}
	}
	if s.Bare != nil {
		list = append(list, s.Bare...)
	} else {
		list = append(list, s.Names...)
	}
	for _, v := range s.Roots {
		if dir := s.Env(v); dir != "" {
			list = append(list, s.below(dir)...)
		}
	}
	patterns := s.Usual
	if s.Python != "" {
		root := filepath.Dir(filepath.Dir(s.Python))
		for _, sub := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages"} {
			patterns = append(patterns[:len(patterns):len(patterns)], filepath.Join(root, sub))
		}
	}
	for _, pattern := range patterns {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			continue // a pattern of a home folder with odd letters
		}
		slices.Reverse(dirs) // the newest version first
		for _, dir := range dirs {
			list = append(list, s.folder(dir)...)
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(p string) bool { old := seen[p]; seen[p] = true; return old }), notes
}

// entry returns what an entry of Variable has, and what is wrong with it.
func (s *Search) entry(p string) (list []string, note string) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() {
		// A file is for the library whose name it has.
		switch {
		case s.AnyName || begins(p, s.Names):
			return []string{p}, ""
		case begins(p, s.Others):
			return nil, ""
		}
		return nil, "a file is taken by its name, which has to begin with " + strings.Join(s.Names, " or ")
	}
	if list = append(s.folder(p), s.below(p)...); len(list) > 0 {
		return list, ""
	}
	if _, err := os.ReadDir(p); err != nil {
		return nil, reason(err)
	}
	return nil, "there is no " + strings.Join(s.Names, " or ") + " in it"
}

// below lists the files in the folders Below dir.
func (s *Search) below(dir string) (list []string) {
	for _, sub := range s.Below {
		list = append(list, s.folder(filepath.Join(dir, sub))...)
	}
	return list
}

// folder lists the library's files in a folder, and in those Bundled below it.
func (s *Search) folder(dir string) (list []string) {
	for _, sub := range append([]string{"."}, s.Bundled...) {
		for _, name := range s.Names {
			list = append(list, versions(filepath.Join(dir, sub, name))...)
		}
	}
	return list
}

// begins says whether a file's name begins with one of names.
func begins(path string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(filepath.Base(path), n) })
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

// Loader loads libraries and finds symbols, by the operating system.
type Loader interface {
	Open(path string) (uintptr, error)
	Symbol(library uintptr, name string) (uintptr, error)
	// Close unloads a library that was refused.
	Close(library uintptr)
}

// Find opens the first candidate that opens and that accept takes. The error tells what was tried.
func (s *Search) Find(l Loader, accept func(library uintptr, path string) error) error {
	list, tried := s.Candidates()
	for _, path := range list {
		library, err := l.Open(path)
		if err == nil {
			if err = accept(library, path); err == nil {
				return nil
			}
			l.Close(library)
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
	return &Error{Device: s.Device, Library: s.Title, Call: "loading", Text: text, Fix: s.Missing}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
