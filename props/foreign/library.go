package foreign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"

	"gamma/props/internal/engine"
	"gamma/props/process"
)

// TB is what a test is asked for: a *testing.T, a *testing.B or a *testing.F.
type TB interface {
	Helper()
	Cleanup(f func())
	Fatalf(format string, args ...any)
}

// Library is a shared library whose functions are judged. Its methods may be called from many goroutines.
type Library struct {
	t       TB // nil outside of tests
	path    string
	process *process.Process // nil if it is loaded here
	server  *server          // the same
	env     []string         // of the process, beside this one's
}

// Option changes how a library is loaded.
type Option func(l *Library)

// Here loads it into this process.
func Here(l *Library) { l.server = &server{path: l.path} }

// Env sets variables of the environment, each as name=value, for the process of the library: what it reads as it is loaded, such as how many threads it starts. With Here there is
// no such process, and they are not set.
func Env(list ...string) Option { return func(l *Library) { l.env = append(l.env, list...) } }

// libraryEnv is the variable that makes this program serve a library in place of what it does.
const libraryEnv = "GAMMA_FOREIGN_LIBRARY"

func init() {
	path, ok := os.LookupEnv(libraryEnv)
	if !ok {
		return
	}
	_ = os.Unsetenv(libraryEnv)
	s := &server{path: path, guard: engine.NewGuard(nil)}
	release := s.guard.Own()
	if err := process.Serve(s.run); err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
	release()
	os.Exit(0)
}

// Open loads a shared library: a file's name, or what the system's loader finds, such as "libm.so.6". Close ends its process.
func Open(path string, options ...Option) (*Library, error) {
	l := &Library{path: path}
	if _, err := os.Stat(path); err == nil {
		if l.path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	for _, o := range options {
		o(l)
	}
	if l.server == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		l.process = process.Apart(func() *exec.Cmd {
			cmd := exec.Command(exe)
			cmd.Env = append(append(os.Environ(), l.env...), libraryEnv+"="+l.path)
			return cmd
		})
	}
	if _, err := l.call(opening, nil); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Load is Open for a test, which fails where that does, and which ends the process.
func Load(t TB, path string, options ...Option) *Library {
	t.Helper()
	l, err := Open(path, options...)
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	l.t = t
	t.Cleanup(l.Close)
	return l
}

// Close ends the process of the library.
func (l *Library) Close() {
	if l.process != nil {
		l.process.Close()
	}
}

// call calls a function by its declaration. Results stay until the next call.
func (l *Library) call(declaration string, in []process.Array, out ...process.Array) ([]process.Array, error) {
	if l.process != nil {
		return out, l.process.Call(declaration, in, out...)
	}
	got, err := l.server.run(declaration, in)
	if err != nil {
		return nil, err
	}
	for i := range out {
		reflect.Copy(reflect.ValueOf(out[i].Data), reflect.ValueOf(got[i].Data))
	}
	return out, nil
}

// function is a function of a library, with what each of its parameters is for.
type function struct {
	*Signature
	lib         *Library
	declaration string
}

// function looks a function up.
func (l *Library) function(declaration string) (*function, error) {
	s, err := Parse(declaration)
	if err != nil {
		return nil, err
	}
	if _, err := l.call(lookingUp+declaration, nil); err != nil {
		return nil, err
	}
	return &function{s, l, declaration}, nil
}

// must ends the test at an error.
func must[F any](l *Library, f F, err error) F {
	if err != nil {
		if l.t == nil {
			panic(err)
		}
		l.t.Helper()
		l.t.Fatalf("%v", err)
	}
	return f
}
