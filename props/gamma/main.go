package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/sim"
	"gamma/model"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `gamma check [flags] FILE|FOLDER…

Checks every kernel of Metal sources on the simulator: races, bounds, initialisation, barriers, undefined integers, failed assertions, unwritten results, the same
bits in every order of threads and in every call. Of a folder all .metal below it are checked. Exit code: 0 nothing found, 1 findings, 2 wrong call,
or a source refused and nothing found.

  gamma check shader.metal
  gamma check shader.metal -kernel rms_norm -buffer x=float:n -buffer out=float:n -scalar eps=1e-5 -n 1024
  gamma check gemm.metal -n 64 -n m=32,k=48 -bind "a=m*k b=k*n c=m*n rows=m depth=k" -grid "n/16 m/16" -threads 16x16
  gamma check -mlx piece.json -json
  gamma check shaders -time 1m -resume report.jsonl

Sizes are products such as rows*n/16 of numbers, n, the sizes that -n names, and threads, those of a threadgroup.

`

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// options are what the command was called with.
type options struct {
	kernels, buffers, scalars, sizes, defines, includes list
	bind, grid, threads, math, mlx, seed, resume        string
	cases                                               int
	limit                                               time.Duration
	json                                                bool

	files  []string
	axes   map[string]int    // sizes by name; n is absent if nobody gave it
	given  map[string]string // by parameter, or parameter.field
	launch model.Size3       // threads of a threadgroup, zero if nobody gave them
	again  string            // the flags that another run of one kernel needs
	source metal.CompileOptions
}

// read reads the command line.
func read(args []string, stderr io.Writer) (*options, error) {
	o := &options{axes: map[string]int{}, given: map[string]string{}}
	f := flag.NewFlagSet("gamma check", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, usage); f.PrintDefaults() }
	f.Var(&o.kernels, "kernel", "check the kernel of this `name` alone; may be repeated, as may all flags that name something")
	f.Var(&o.buffers, "buffer", "a parameter and its array, `name=type:size`, and \":inout\" if the kernel also reads what it holds before, or \":<8\": its integers are below 8")
	f.Var(&o.scalars, "scalar", "a parameter, or a field of one, and its value, `name=value`: a number or a size")
	f.Var(&o.sizes, "n", "the `size` n, or sizes by name: m=32,k=48 (default 256)")
	f.Var(&o.defines, "define", "a macro, `name=text`")
	f.Var(&o.includes, "include", "a `folder` of headers")
	f.StringVar(&o.bind, "bind", "", "what parameters are, `\"name=size …\"` of arrays and name=value of scalars")
	f.StringVar(&o.grid, "grid", "", "`sizes` of the grid in threadgroups: \"n/16 m/16\" (default: 1 if the kernel has threadgroup memory, else n threads)")
	f.StringVar(&o.threads, "threads", "", "threads of a threadgroup, `16x16` (default: 256 or as many as the kernel allows; 64 without threadgroup memory)")
	f.StringVar(&o.math, "math", "safe", "math `mode`: safe, relaxed, or fast, Metal's own default")
	f.StringVar(&o.mlx, "mlx", "", "a `file` in JSON: a piece for MLX's metal_kernel, with name, header, source, inputs, outputs, template, grid, threadgroup")
	f.IntVar(&o.cases, "cases", 16, "`number` of runs for each check")
	f.DurationVar(&o.limit, "time", 30*time.Second, "longest `time` for a kernel")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each kernel instead of tables")
	f.StringVar(&o.seed, "seed", "fixed", "`number` that all draws follow from")
	f.StringVar(&o.resume, "resume", "", "`file` that results are appended to; kernels in it are not checked again")
	if len(args) == 0 || args[0] != "check" {
		f.Usage()
		return nil, errors.New("gamma has one command, check")
	}
	for args = args[1:]; ; args = args[1:] {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) == 0 {
			break
		}
		o.files = append(o.files, args[0])
	}
	f.Visit(func(f *flag.Flag) {
		values := []string{f.Value.String()}
		if l, ok := f.Value.(*list); ok {
			values = *l
		}
		for _, v := range values {
			if !slices.Contains([]string{"kernel", "json", "resume", "mlx"}, f.Name) {
				o.again += " -" + f.Name + " " + quoted(v)
			}
		}
	})
	return o, o.settle()
}

// quoted returns a word as a shell takes it.
func quoted(s string) string {
	if strings.ContainsAny(s, " *<>$\"'()&;|") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// settle reads what the flags hold.
func (o *options) settle() error {
	if len(o.files) == 0 && o.mlx == "" {
		return errors.New("no file is named: name a .metal file, a folder, or -mlx and a piece")
	}
	modes := []string{"safe", "relaxed", "fast"}
	mode := slices.Index(modes, o.math)
	if mode < 0 {
		return fmt.Errorf("-math is %q; it is one of %v", o.math, modes)
	}
	o.source = metal.CompileOptions{MathMode: metal.MathMode(mode), Macros: map[string]string{}, Headers: map[string]string{}}
	if mode == int(metal.MathFast) {
		o.source.MathFunctions = metal.FunctionsFast
	}
	for _, d := range o.defines {
		name, text, ok := strings.Cut(d, "=")
		if o.source.Macros[name] = text; !ok {
			o.source.Macros[name] = "1"
		}
	}
	for _, s := range strings.Split(strings.Join(o.sizes, ","), ",") {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			name, text = "n", name
		}
		if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= 1<<16 {
			o.axes[name] = n
		} else if s != "" {
			return fmt.Errorf("-n has %q; it takes a size of 1 to 65536, or sizes by name such as m=32,k=48", s)
		}
	}
	if o.threads != "" {
		o.launch = model.Size3{X: 1, Y: 1, Z: 1}
		for i, t := range strings.Split(o.threads, "x") {
			n, err := strconv.Atoi(t)
			if err != nil || n < 1 || i > 2 {
				return fmt.Errorf("-threads is %q; it is such as 256, 16x16 or 8x8x2", o.threads)
			}
			*[...]*int{&o.launch.X, &o.launch.Y, &o.launch.Z}[i] = n
		}
	}
	for _, w := range slices.Concat(strings.Fields(o.bind), o.scalars, o.buffers) {
		name, what, ok := strings.Cut(w, "=")
		if !ok || name == "" || what == "" {
			return fmt.Errorf("%q names no parameter; write name=what, such as -buffer x=float:n, -scalar eps=1e-5 or -bind \"x=n eps=1e-5\"", w)
		}
		o.given[name] = what
	}
	if err := flag.Set("gamma.seed", o.seed); err != nil { // of the laws' draws
		return err
	}
	for _, folder := range o.includes {
		if err := headers(o.source.Headers, folder, true); err != nil {
			return err
		}
	}
	return nil
}

// headers adds the files in a folder that a source may include, by their names from there.
func headers(m map[string]string, folder string, deep bool) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && !deep && path != folder:
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".h", ".hpp", ".metal"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		m[filepath.ToSlash(name)] = string(text)
		return err
	})
}

// sources returns the files to be checked.
func (o *options) sources() (files []string, err error) {
	for _, name := range o.files {
		err = errors.Join(err, filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (path == name || filepath.Ext(path) == ".metal") {
				files = append(files, path)
			}
			return err
		}))
	}
	return files, err
}

// run is the command: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := read(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	c := &command{options: o, stdout: stdout, stderr: stderr, names: map[string]bool{}, parameters: map[string]bool{}, done: map[string]*record{}}
	if err == nil {
		err = c.all()
	}
	if err != nil {
		fmt.Fprintf(stderr, "gamma: %v; gamma check -h says what there is\n", err)
		return 2
	}
	return c.report()
}

// command is one run of the command.
type command struct {
	*options
	stdout, stderr    io.Writer
	names, parameters map[string]bool // met so far
	done              map[string]*record
	records           []*record
	log               io.Writer // of -resume, or nil
}

// all checks all sources.
func (c *command) all() error {
	files, err := c.sources()
	if err != nil {
		return err
	}
	if c.resume != "" {
		if err := c.past(); err != nil {
			return err
		}
		f, err := os.OpenFile(c.resume, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		c.log = f
	}
	if c.mlx != "" {
		p, err := readPiece(c.mlx)
		if err != nil {
			return err
		}
		p.say(c.options)
		return c.file(c.mlx, p.text(), p, true)
	}
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = c.file(name, string(text), nil, i == len(files)-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// past reads the results of an earlier run.
func (c *command) past() error {
	text, err := os.ReadFile(c.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for s := bufio.NewScanner(strings.NewReader(string(text))); s.Scan(); {
		r := &record{}
		if json.Unmarshal(s.Bytes(), r) == nil { // the last line may be cut off
			c.done[r.File+"#"+r.Kernel] = r
		}
	}
	return err
}

// file checks the kernels of one source.
func (c *command) file(name, text string, p *piece, last bool) error {
	o := c.source
	o.FileName, o.Headers = name, maps.Clone(o.Headers)
	if p == nil {
		if err := headers(o.Headers, filepath.Dir(name), false); err != nil {
			return err
		}
	}
	if r := c.done[name+"#"]; r != nil { // refused then
		c.records = append(c.records, r)
		return nil
	}
	lib, err := msl.Compile(text, msl.Options(o))
	if err != nil {
		return c.add(&record{File: name, Refused: firstLine(err)})
	}
	var kernels []msl.FunctionInfo
	for _, f := range lib.Functions() {
		if c.names[f.Name] = true; len(c.kernels) > 0 && !slices.Contains(c.kernels, f.Name) {
			continue
		}
		kernels = append(kernels, f)
		for _, a := range f.Args {
			c.parameters[a.Name] = true
			for _, field := range f.Fields[a.Name] {
				c.parameters[a.Name+"."+field.Name] = true
			}
		}
	}
	if last {
		if err := errors.Join(unknown("kernel", c.kernels, c.names), unknown("parameter", slices.Sorted(maps.Keys(c.given)), c.parameters)); err != nil {
			return err
		}
	}
	dev := sim.New(sim.Options{Workers: 1, Steps: steps, FixedReductions: true})
	defer dev.Release()
	library, err := dev.NewLibrary(text, o)
	if err != nil {
		return c.add(&record{File: name, Refused: firstLine(err)})
	}
	for i, f := range kernels {
		r := c.done[name+"#"+f.Name]
		if r != nil {
			c.records = append(c.records, r)
			continue
		}
		c.progress("%s %s, %d of %d", name, f.Name, i+1, len(kernels))
		k := &kernel{options: c.options, file: name, text: text, name: f.Name, fields: f.Fields, dev: dev, library: library, source: o, piece: p}
		if err := c.add(k.check()); err != nil {
			return err
		}
	}
	return nil
}

// unknown says which names are not among those known.
func unknown(what string, names []string, known map[string]bool) error {
	for _, name := range names {
		if known[name] {
			continue
		}
		all := slices.Sorted(maps.Keys(known))
		if n := len(all); n > 40 {
			all = append(all[:40], fmt.Sprintf("and %d more", n-40))
		}
		return fmt.Errorf("there is no %s %q in what is checked; there are: %s", what, name, strings.Join(all, ", "))
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// progress says on a terminal what is being checked.
func (c *command) progress(format string, args ...any) {
	if f, ok := c.stderr.(*os.File); ok {
		if s, err := f.Stat(); err == nil && s.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, "\r\x1b[K"+format, args...)
			if format == "" {
				return
			}
		}
	}
}

// add keeps a result, and appends it to the file of -resume.
func (c *command) add(r *record) error {
	c.progress("")
	c.records = append(c.records, r)
	if c.log == nil {
		return nil
	}
	return json.NewEncoder(c.log).Encode(r)
}
