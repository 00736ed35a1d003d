package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gamma/props/foreign"
	"gamma/props/judge"
	"gamma/props/process"
)

// library is one library, or one setting of it, with the claims of its functions.
type library struct {
	Name    string // "OpenBLAS"
	Setting string // "2 threads"; "" of one that has no settings
	Package string // what installs it
	// File is what the system's loader finds, Shim a source in shims that is compiled and linked with Link, and Python a file of kernels; where none is set, its functions are Go's.
	File, Shim, Python string
	Link               []string
	Probe              string   // a function of the Python file that fails where the library is absent
	Env                []string // of its process
	Module             string   // of Go, which this program links
	// Version is the command that prints its version, the last word of its first line.
	Version []string
	Claims  []claim
}

// title names the library with its setting.
func (l *library) title() string {
	if l.Setting != "" {
		return l.Name + ", " + l.Setting
	}
	return l.Name
}

// claim is one promise of one function.
type claim struct {
	Name   string // of the function, as the page has it, and what else tells two claims of one function apart
	Kernel string // its declaration in C, or its name in Python
	// Make makes the subject of the function.
	Make func(name string, of *opened, kernel string) judge.Subject
	Says string // what is claimed, in words
	From source // where that comes from
	// Found says of a claim that does not hold what was found by hand, and which test computes it; "" of one against which nothing is known.
	Found string
}

// source is where a claim comes from.
type source struct {
	Text  string // a sentence, quoted or in our words
	Where string // the document, and the place in it
}

// opened is what holds a library's functions while they are judged.
type opened struct {
	lib *foreign.Library
	run *process.Process
	c   *closing
	// file is the shared library's.
	file string
	// results counts those that functions returned.
	results int
}

// closing is what is left to do when a library has been judged; packages foreign and process see a test.
type closing []func()

// fault is what would end a test.
type fault struct{ error }

func (c *closing) Helper()                           {}
func (c *closing) Cleanup(f func())                  { *c = append(*c, f) }
func (c *closing) Fatalf(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

func (c *closing) close() {
	for _, f := range slices.Backward(*c) {
		f()
	}
}

// caught makes an error of what would end a test.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}

// open loads the library. The error says why it is absent.
func (l *library) open(o *options, c *closing) (of *opened, err error) {
	defer caught(&err)
	of = &opened{c: c}
	switch {
	case l.Shim != "":
		file, err := o.compiled(l)
		if err != nil {
			return nil, err
		}
		of.lib = foreign.Load(c, file, foreign.Env(l.Env...))
	case l.File != "":
		of.file = o.found(l.File)
		of.lib = foreign.Load(c, of.file, foreign.Env(l.Env...))
	case l.Python != "":
		of.run = process.Python(c, filepath.Join(o.source, l.Python))
		if err = of.run.Open(); err == nil {
			_, err = of.run.Sum64(l.Probe)([]float64{0})
		}
	}
	return of, err
}

// found returns the library's file below the folder of a bundle, or its name for the system's loader.
func (o *options) found(file string) string {
	if here := filepath.Join(o.libs, file); o.libs != "" {
		if _, err := os.Stat(here); err == nil {
			return here
		}
	}
	return file
}

// uncompiled is the error of a shim that does not compile though its library is installed: a fault of this program's, and not a library that is absent.
type uncompiled struct{ shim, why string }

func (u *uncompiled) Error() string {
	return fmt.Sprintf("shims/%s does not compile: %s", u.shim, u.why)
}

// compiled returns the shared library of a shim, which the folder of a bundle has, or else a compiler makes.
func (o *options) compiled(l *library) (string, error) {
	name := strings.TrimSuffix(l.Shim, filepath.Ext(l.Shim)) + ".so"
	if file := o.found(name); file != name {
		return file, nil
	}
	compiler, language := "gcc", "c"
	if filepath.Ext(l.Shim) == ".cc" {
		compiler, language = "g++", "c++"
	}
	source := filepath.Join(o.source, "shims", l.Shim)
	text, err := os.ReadFile(source)
	if err != nil {
		return "", &uncompiled{l.Shim, err.Error()}
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", fmt.Errorf("no %s here to compile shims/%s (apt-get install %s)", compiler, l.Shim, compiler)
	}
	to, headers := filepath.Join(o.built, name), filepath.Join(o.built, ".headers.so")
	defer os.Remove(headers)
	compile := func(to, source string, args ...string) error {
		cmd := exec.Command(compiler, slices.Concat([]string{"-O2", "-ffp-contract=off", "-fno-builtin", "-shared", "-fPIC", "-o", to}, args, l.Link)...)
		cmd.Stdin = strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.New(firstError(string(out)))
		}
		return nil
	}
	if err := compile(to, "", source); err == nil {
		return to, nil
	} else if absent := compile(headers, strings.Join(includes.FindAllString(string(text), -1), "\n"), "-x", language, "-", "-x", "none"); absent != nil {
		return "", absent // its headers alone, linked with nothing but it, do not compile either
	} else {
		return "", &uncompiled{l.Shim, err.Error()}
	}
}

// includes finds the headers of libraries in a shim.
var includes = regexp.MustCompile(`(?m)^#include <.*>`)

// firstError returns the line of a compiler's output that says what is wrong.
func firstError(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "error") || strings.Contains(line, "cannot find") {
			return strings.TrimSpace(line)
		}
	}
	return cmp.Or(strings.TrimSpace(out), "no reason given")
}

// version returns the version of a library that is there.
func (l *library) version() string {
	if l.Module != "" {
		return moduleVersion(l.Module)
	}
	if len(l.Version) == 0 {
		return ""
	}
	out, err := exec.Command(l.Version[0], l.Version[1:]...).Output()
	words := strings.Fields(strings.SplitN(string(out), "\n", 2)[0])
	if err != nil || len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// dpkg is the command that prints a Debian package's version.
func dpkg(name string) []string { return []string{"dpkg-query", "-W", "-f=${Version}", name} }
