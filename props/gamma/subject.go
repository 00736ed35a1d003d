package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/props/device"
	"gamma/props/foreign"
	"gamma/props/internal/devices"
	"gamma/props/judge"
	"gamma/props/process"
)

// subject is a kernel with a claim, as an entry of "subjects" in a file of JSON, or as flags say it.
type subject struct {
	Name    string            `json:"name"`    // "": of file and kernel
	File    string            `json:"file"`    // a shared library, a file of Python, .cu or .metal
	Process string            `json:"process"` // or a command line, of a program that speaks the protocol of package process
	MLX     string            `json:"mlx"`     // or a piece for MLX's metal_kernel
	Kernel  string            `json:"kernel"`  // the function's name, of a library its declaration in C
	Claim   string            `json:"claim"`
	Formula string            `json:"formula"`
	Strided map[string]string `json:"strided"` // as of a props.Kernel
	Bind    string            `json:"bind"`    // these as of a device.Kernel
	Grid    string            `json:"grid"`
	Threads string            `json:"threads"`
	Math    string            `json:"math"`

	list   string // the file that it is an entry of, or ""
	words  words
	launch []model.Size3
}

// readSubjects reads a file of JSON. Files in it are found from its folder.
func readSubjects(name string) (list []subject, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all struct {
		Subjects []subject `json:"subjects"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(all.Subjects) == 0 {
		return nil, fmt.Errorf("%s has no subjects: it is such as {\"subjects\": [{\"file\": \"libmine.so\", \"kernel\": \"float my_sum(const float *x, size_t n)\", \"claim\": \"sum\"}]}", name)
	}
	for i := range all.Subjects {
		s := &all.Subjects[i]
		if s.list = name; s.File != "" && !filepath.IsAbs(s.File) {
			if file := filepath.Join(filepath.Dir(name), s.File); !isLibrary(file) || exists(file) { // else the system's loader may find it
				s.File = file
			}
		}
		if s.MLX != "" && !filepath.IsAbs(s.MLX) {
			s.MLX = filepath.Join(filepath.Dir(name), s.MLX)
		}
	}
	return all.Subjects, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// isLibrary reports whether a file is called as shared libraries are.
func isLibrary(file string) bool {
	return slices.Contains([]string{".so", ".dylib", ".dll"}, filepath.Ext(file)) || strings.Contains(filepath.Base(file), ".so.")
}

// fault ends the making of a subject: what a test would be failed with.
type fault struct{ error }

// closing is what a subject needs until it has been judged; package foreign and process see a test.
type closing []func()

func (c *closing) Helper()          {}
func (c *closing) Cleanup(f func()) { *c = append(*c, f) }
func (c *closing) Fatalf(format string, args ...any) {
	panic(fault{fmt.Errorf(format, args...)})
}

func (c *closing) close() {
	for _, f := range slices.Backward(*c) {
		f()
	}
}

// open opens what holds the kernel, which is closed with c, and returns what makes the subject, of package judge, of the claim as it is then.
func (s *subject) open(c *closing) (make func() (judge.Subject, error), err error) {
	if err := s.settle(); err != nil {
		return nil, err
	}
	if s.MLX != "" {
		return s.piece(c)
	}
	if s.Process == "" {
		if _, err := os.Stat(s.File); err != nil && !isLibrary(s.File) { // the loader looks elsewhere, too
			return nil, err
		}
	}
	defer caught(&err)
	var of caller
	switch {
	case s.Process != "":
		words := strings.Fields(s.Process)
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, err
		}
		of, err = serving(process.Start(c, words[0], words[1:]...), s.Kernel)
	case filepath.Ext(s.File) == ".py":
		of, err = serving(process.Python(c, s.File), s.Kernel)
	case isLibrary(s.File):
		of = library{foreign.Load(c, s.File), s.Kernel}
	case filepath.Ext(s.File) == ".cu", filepath.Ext(s.File) == ".metal":
		return s.shader(c)
	default:
		return nil, fmt.Errorf("%s is no shared library (.so, .dylib, .dll), and neither .py, .cu nor .metal; of another program say the command that runs it, as process", s.File)
	}
	if err != nil {
		return nil, err
	}
	return func() (j judge.Subject, err error) {
		defer caught(&err)
		return s.called(of)
	}, nil
}

// serving returns a kernel of a process that runs: one that does not start, or has no such kernel, has no verdict.
func serving(p *process.Process, kernel string) (caller, error) {
	if err := p.Open(); err != nil {
		return nil, err
	}
	return remote{p, kernel}, nil
}

// caught makes an error of what would fail a test.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}

// settle reads what the fields hold.
func (s *subject) settle() (err error) {
	switch {
	case len(slices.DeleteFunc([]string{s.File, s.Process, s.MLX}, func(v string) bool { return v == "" })) != 1:
		return errors.New("a subject has a file, a process or a piece for MLX (mlx), and one of these alone")
	case s.MLX != "" && (s.Formula == "" || s.Kernel+s.Bind+s.Grid+s.Threads != "" || s.Strided != nil):
		return errors.New("a piece for MLX has a formula here, and says kernel, arrays, grid and threads itself")
	case s.Process != "" && strings.TrimSpace(s.Process) == "":
		return errors.New("its process is empty")
	case s.Kernel == "" && s.MLX == "":
		return errors.New("it has no kernel: say the function's name, of a library its declaration in C")
	case s.Claim == "" && s.Formula == "" && filepath.Ext(s.File) != ".cu":
		return errors.New("it has no claim: say one such as sum, or a formula")
	}
	if s.words, err = readClaim(s.Claim, s.Formula); err != nil {
		return err
	}
	if s.Threads != "" {
		size, err := readThreads(s.Threads)
		if err != nil {
			return err
		}
		s.launch = []model.Size3{size}
	}
	name := s.function()
	if before, _, ok := strings.Cut(name, "("); ok { // of a declaration
		name = strings.TrimLeft(before[max(0, strings.LastIndexAny(before, " *")):], " *")
	}
	s.Name = cmp.Or(s.Name, filepath.Base(s.of())+"#"+name)
	return nil
}

// of returns the file, or the program, that the kernel is in.
func (s *subject) of() string { return cmp.Or(s.File, s.MLX, strings.Fields(s.Process + " -")[0]) }

// function returns the kernel's name, of a library its declaration.
func (s *subject) function() string {
	if s.MLX != "" {
		return "piece"
	}
	return s.Kernel
}

// caller makes Go functions of a kernel that is no Go function, as packages foreign and process do.
type caller interface {
	sum(w *words, r *judge.Reduction) error
	dot(w *words, d *judge.Dot) error
	kernel() func(c *judge.KernelCall) error
	fft(w *words, f *judge.FFT)
	operation(w *words, o *judge.Operation) error
	modular(c modular.Claim) func(q uint64, dst, src []uint64) error
	ntt(c modular.TransformClaim) func(t modular.Transform) (modular.Transforms, error)
}

// called makes the subject of a function that is called.
func (s *subject) called(c caller) (judge.Subject, error) {
	if s.Bind+s.Grid+s.Threads+s.Math != "" {
		return nil, errors.New("bind, grid, threads and math are of .metal and .cu alone")
	}
	w := &s.words
	switch {
	case w.formula != nil:
		return judge.Kernel{
			Name: s.Name, Formula: w.formula, Claim: w.rounding, Out: w.out, Repeats: w.claim.Repeats, Strided: s.Strided, Call: c.kernel(),
			Min: w.sizes[">="], Max: w.sizes["<="], Fixed: w.sizes["=="], Multiple: w.sizes["%"],
		}, nil
	case w.op == "fft":
		f := judge.FFT{Name: s.Name, Claim: fourier.Claim{MaxN: w.claim.MaxN}}
		c.fft(w, &f)
		return f, nil
	case w.op == "dot":
		d := judge.Dot{Name: s.Name, Claim: w.claim}
		err := c.dot(w, &d)
		return d, err
	case w.op == "operation":
		o := judge.Operation{Name: s.Name, Claim: w.operation}
		err := c.operation(w, &o)
		return o, err
	case w.op == "modular":
		return judge.Modular{Name: s.Name, Claim: w.modular, Run: c.modular(w.modular)}, nil
	case w.op == "ntt":
		return judge.NTT{Name: s.Name, Claim: w.transform, Plan: c.ntt(w.transform)}, nil
	}
	r := judge.Reduction{Name: s.Name, Claim: w.claim}
	err := c.sum(w, &r)
	return r, err
}

// remote is a function of another process.
type remote struct {
	p    *process.Process
	name string
}

func (r remote) sum(w *words, s *judge.Reduction) error {
	switch in := w.claim.In; {
	case in == model.Binary64:
		s.Run64Err = r.p.Sum64(r.name)
	case in.Bits() <= 16 && !in.IsZero():
		s.RunBitsErr = r.p.SumBits(r.name)
	case w.strided:
		s.RunStridedErr = r.p.SumStrided(r.name)
	default:
		s.RunErr = r.p.Sum(r.name)
	}
	return nil
}

func (r remote) dot(w *words, d *judge.Dot) error {
	switch in := w.claim.In; {
	case w.strided:
		return errors.New("dot products with increments are not called in other processes")
	case in == model.Binary64:
		d.Run64Err = r.p.Dot64(r.name)
	case in.Bits() <= 16 && !in.IsZero():
		d.RunBitsErr = r.p.DotBits(r.name)
	default:
		d.RunErr = r.p.Dot(r.name)
	}
	return nil
}

func (r remote) kernel() func(c *judge.KernelCall) error { return r.p.Kernel(r.name) }

func (r remote) fft(w *words, f *judge.FFT) {
	if w.claim.In == model.Binary64 {
		f.Plan64 = r.p.FFT64(r.name)
		return
	}
	f.Plan = r.p.FFT(r.name)
}

func (r remote) operation(w *words, o *judge.Operation) error {
	if op := w.operation.Op; w.claim.In == model.Binary64 {
		o.Run64Err = r.p.Operation64(r.name, op.In(), op.Out())
	} else {
		o.RunErr = r.p.Operation(r.name, op.In(), op.Out())
	}
	return nil
}

func (r remote) modular(c modular.Claim) func(q uint64, dst, src []uint64) error {
	return r.p.Modular(r.name, c)
}

func (r remote) ntt(c modular.TransformClaim) func(t modular.Transform) (modular.Transforms, error) {
	return r.p.NTT(r.name, c)
}

// library is a function of a shared library.
type library struct {
	l           *foreign.Library
	declaration string
}

// elements returns the type of the arrays that the function reads, and whether it takes increments.
func (l library) elements() (t reflect.Kind, strided bool, err error) {
	f, err := foreign.Parse(l.declaration)
	if err != nil {
		return 0, false, err
	}
	for _, p := range f.Params {
		if name := strings.ToLower(p.Name); p.Array && (p.Const || t == 0) {
			t = p.Type.Kind()
		} else if strings.HasPrefix(name, "inc") || strings.HasPrefix(name, "stride") {
			strided = true
		}
	}
	return t, strided, nil
}

func (l library) sum(_ *words, s *judge.Reduction) error {
	t, strided, err := l.elements()
	switch {
	case err != nil:
		return err
	case t == reflect.Float64 && strided:
		s.Run64StridedErr = l.l.SumStrided64(l.declaration)
	case t == reflect.Float64:
		s.Run64Err = l.l.Sum64(l.declaration)
	case t == reflect.Uint16:
		s.RunBitsErr = l.l.SumBits(l.declaration)
	case strided:
		s.RunStridedErr = l.l.SumStrided(l.declaration)
	default:
		s.RunErr = l.l.Sum(l.declaration)
	}
	return nil
}

func (l library) dot(_ *words, d *judge.Dot) error {
	t, strided, err := l.elements()
	switch {
	case err != nil:
		return err
	case t == reflect.Float64 && strided:
		d.Run64StridedErr = l.l.DotStrided64(l.declaration)
	case t == reflect.Float64:
		d.Run64Err = l.l.Dot64(l.declaration)
	case t == reflect.Uint16:
		d.RunBitsErr = l.l.DotBits(l.declaration)
	case strided:
		d.RunStridedErr = l.l.DotStrided(l.declaration)
	default:
		d.RunErr = l.l.Dot(l.declaration)
	}
	return nil
}

func (l library) kernel() func(c *judge.KernelCall) error { return l.l.Kernel(l.declaration) }

func (l library) fft(_ *words, f *judge.FFT) {
	if t, _, err := l.elements(); err == nil && t == reflect.Float64 {
		f.Plan64 = l.l.FFT64(l.declaration)
		return
	}
	f.Plan = l.l.FFT(l.declaration)
}

func (l library) operation(w *words, o *judge.Operation) error {
	t, _, err := l.elements()
	if t == reflect.Float64 {
		o.Run64Err = l.l.Operation64(l.declaration, w.operation.Op.In())
	} else {
		o.RunErr = l.l.Operation(l.declaration, w.operation.Op.In())
	}
	return err
}

func (l library) modular(c modular.Claim) func(q uint64, dst, src []uint64) error {
	return l.l.Modular(l.declaration, c)
}

func (l library) ntt(c modular.TransformClaim) func(t modular.Transform) (modular.Transforms, error) {
	return l.l.NTT(l.declaration, c)
}

// shader opens the device of a kernel in Metal, the simulator, or in CUDA C++, a GPU, and returns what makes the subject.
func (s *subject) shader(c *closing) (func() (judge.Subject, error), error) {
	text, err := os.ReadFile(s.File)
	if err != nil {
		return nil, err
	}
	o, err := readMath(cmp.Or(s.Math, "safe"))
	if err != nil {
		return nil, err
	}
	o.FileName = s.File
	var dev metal.Device
	if filepath.Ext(s.File) == ".cu" {
		if dev, err = cuda.Open(cuda.Options{Isolate: true}); err != nil {
			return nil, fmt.Errorf("%s needs an NVIDIA GPU: %w", s.File, err)
		}
		c.Cleanup(dev.Release)
	} else {
		o.Headers = map[string]string{}
		if err := headers(o.Headers, filepath.Dir(s.File), false); err != nil {
			return nil, err
		}
		dev = simulator(c)
	}
	return func() (judge.Subject, error) { return s.on(dev, string(text), o) }, nil
}

func simulator(c *closing) metal.Device {
	dev := sim.New(sim.Options{Workers: runtime.GOMAXPROCS(0), Steps: steps, ThreadSteps: devices.ThreadSteps})
	c.Cleanup(dev.Release)
	return dev
}

// piece reads a piece for MLX, and returns what makes its subject, on the simulator.
func (s *subject) piece(c *closing) (func() (judge.Subject, error), error) {
	p, err := readPiece(s.MLX)
	if err != nil {
		return nil, err
	}
	o, err := readMath(cmp.Or(s.Math, "safe"))
	if err != nil {
		return nil, err
	}
	dev := simulator(c)
	return func() (judge.Subject, error) {
		w := &s.words
		return p.subject(device.Kernel{
			Name: s.Name, Options: o, Device: dev, Formula: w.formula, Claim: w.rounding, Out: w.out, Repeats: w.claim.Repeats,
			Min: w.sizes[">="], Max: w.sizes["<="], Fixed: w.sizes["=="], Multiple: w.sizes["%"],
		})
	}, nil
}

// on makes the subject of a kernel on a device.
func (s *subject) on(dev metal.Device, text string, o metal.CompileOptions) (judge.Subject, error) {
	w := &s.words
	switch {
	case w.formula != nil, w.op == "":
		return device.Props(device.Kernel{
			Name: s.Name, Source: text, Function: s.Kernel, Options: o, Device: dev, Formula: w.formula, Claim: w.rounding, Out: w.out, Repeats: w.claim.Repeats,
			Bind: s.Bind, Grid: s.Grid, Threads: s.launch, Min: w.sizes[">="], Max: w.sizes["<="], Fixed: w.sizes["=="], Multiple: w.sizes["%"],
		})
	case s.Bind+s.Grid != "" || s.Strided != nil:
		return nil, errors.New("bind, grid and strided are for formulas alone")
	case w.op == "dot":
		return device.Props(device.Dot{Name: s.Name, Source: text, Function: s.Kernel, Options: o, Device: dev, Claim: w.claim, Launches: s.launches()})
	case w.op == "sum":
		return device.Props(device.Reduction{Name: s.Name, Source: text, Function: s.Kernel, Options: o, Device: dev, Claim: w.claim, Launches: s.launches()})
	}
	return nil, fmt.Errorf("the claim %q is not made of shaders by this command; write a test with package device", w.op)
}

// launches returns the launch that threads say, of one threadgroup.
func (s *subject) launches() func(int) []model.Launch {
	if s.launch == nil {
		return nil
	}
	l := model.Launch{Groups: model.Size3{X: 1, Y: 1, Z: 1}, Threads: s.launch[0]}
	return func(int) []model.Launch { return []model.Launch{l} }
}

// described says in words what is claimed.
func (s *subject) described() string {
	if s.Formula == "" {
		return s.Claim
	}
	return strings.TrimSpace(s.Claim + " " + strings.Join(strings.Fields(strings.ReplaceAll(s.Formula, "\n", "; ")), " "))
}
