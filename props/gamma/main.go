package main

import (
	"bufio"
	"cmp"
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
	"gamma/props/internal/devices"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `gamma check [flags] FILE|FOLDER…

Judges kernels. Exit code: 0 nothing found, 1 findings, 2 wrong call, or a kernel or source refused and nothing found.

With -claim or -formula: the function -kernel of a shared library (its declaration in C), of a .py file, of another program (-process), or of a .cu or
.metal file, by all laws that say something of the claim. Of a .json file all its "subjects".

  gamma check libmine.so -kernel "float my_sum(const float *x, size_t n)" -claim "sum tree=left repeats"
  gamma check kernels.py -kernel softmax -formula "x binary32[n]; e = exp(sub(x, max(x, n))); result div(e, sum(e, n))"
  gamma check libmine.so -kernel "int mulmod(uint32_t q, uint32_t *dst, const uint32_t *src, size_t rows)" -claim "modular product bits=32"
  gamma check -mlx piece.json -formula "x binary16[n]; result add(x, x)"
  gamma check -process "julia kernels.jl" -kernel total -claim sum
  gamma check gamma.json -sarif gamma.sarif

gamma suggest takes the same, and prints the tightest claim against which nothing was found, as Go, with what it rests on. Of a function in C it needs no -claim.

  gamma suggest libmine.so -kernel "float my_sum(const float *x, size_t n)"

Without a claim: every kernel of Metal sources, on the simulator: races, bounds, initialisation, barriers, undefined integers, failed assertions, unwritten
results, the same bits in every order of threads and in every call. Of a folder all .metal below it are checked.

  gamma check shader.metal
  gamma check shader.metal -kernel rms_norm -buffer x=float:n -buffer out=float:n -scalar eps=1e-5 -n 1024
  gamma check shader.metal -constant tiled=true -constant width=32 -n 1000..1024
  gamma check gemm.metal -n 64 -n m=32,k=48 -bind "a=m*k b=k*n c=m*n rows=m depth=k" -grid "n/16 m/16" -threads 16x16
  gamma check -mlx piece.json -json
  gamma check shaders -time 1m -resume report.jsonl
  gamma check shaders -shard 3/16 -dir results

gamma merge puts together what shards have found: gamma merge -h.

Sizes are products such as rows*n/16 of numbers, n, the sizes that -n names, and threads, those of a threadgroup.

`

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// options are what the command was called with.
type options struct {
	kernels, buffers, scalars, sizes, defines, includes list
	constants                                           list
	bind, grid, threads, math, mlx, seed, resume        string
	claim, formula, process, sarif, shard, dir          string
	only                                                list
	cases                                               int
	limit                                               time.Duration
	json                                                bool
	casesGiven, suggest                                 bool
	unsaid                                              list // flags that say nothing of kernels with a claim

	files    []string
	axes     map[string]int    // sizes by name; n is absent if nobody gave it
	spans    map[string][]int  // all sizes of each
	given    map[string]string // by parameter, or parameter.field
	constant map[string]string // by function constant
	launch   model.Size3       // threads of a threadgroup, zero if nobody gave them
	again    string            // the flags that another run of one kernel needs
	source   metal.CompileOptions
}

// read reads the command line.
func read(args []string, stderr io.Writer) (*options, error) {
	o := &options{axes: map[string]int{}, spans: map[string][]int{}, given: map[string]string{}, constant: map[string]string{}}
	f := flag.NewFlagSet("gamma check", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, usage); f.PrintDefaults() }
	f.Var(&o.kernels, "kernel", "check the kernel of this `name` alone; may be repeated, as may all flags that name something")
	f.Var(&o.buffers, "buffer", "a parameter and its array, `name=type:size`, and \":inout\" if the kernel also reads what it holds before, or \":<8\": its integers are below 8")
	f.Var(&o.scalars, "scalar", "a parameter, or a field of one, and its value, `name=value`: a number or a size")
	f.Var(&o.sizes, "n", "the `size` n, or a range of 1000..1024, of which at most 32 are checked; or sizes by name: m=32,k=48 (default 256)")
	f.Var(&o.defines, "define", "a macro, `name=text`")
	f.Var(&o.includes, "include", "a `folder` of headers")
	f.Var(&o.constants, "constant", "a function constant and its value, `name=value`, of a vector 1,2,3 (default, where a kernel needs it: false or 1)")
	f.StringVar(&o.bind, "bind", "", "what parameters are, `\"name=size …\"` of arrays and name=value of scalars")
	f.StringVar(&o.grid, "grid", "", "`sizes` of the grid in threadgroups: \"n/16 m/16\" (default: 1 if the kernel has threadgroup memory, else n threads along x, and up to 64 along y if it asks for them)")
	f.StringVar(&o.threads, "threads", "", "threads of a threadgroup, `16x16` (default: 256 or as many as the kernel allows; 64 without threadgroup memory)")
	f.StringVar(&o.math, "math", "safe", "math `mode`: safe, relaxed, or fast, Metal's own default")
	f.StringVar(&o.mlx, "mlx", "", "a `file` in JSON: a piece for MLX's metal_kernel, with name, header, source, inputs, outputs, template, grid, threadgroup")
	f.StringVar(&o.claim, "claim", "", "what a kernel `promises`: sum, dot, fft, operation, modular or ntt, and more words such as \"sum acc=binary64 height=log2 repeats\"; a wrong word lists them")
	f.StringVar(&o.formula, "formula", "", "what a kernel computes, as package formula prints it: `\"x binary32[n]; e = exp(sub(x, max(x, n))); result div(e, sum(e, n))\"`")
	f.StringVar(&o.process, "process", "", "the `command` of a program that speaks the protocol of package process: its -kernel is judged by -claim or -formula")
	f.Var(&o.only, "only", "of a JSON file the subject of this `name` alone")
	f.IntVar(&o.cases, "cases", 16, "`number` of runs for each check; of a claim, inputs for each law (default 2000)")
	f.DurationVar(&o.limit, "time", 30*time.Second, "longest `time` for a kernel")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each kernel instead of tables")
	f.StringVar(&o.sarif, "sarif", "", "write findings to this `file` as SARIF 2.1.0, for code review; - prints them instead of tables")
	f.StringVar(&o.seed, "seed", "fixed", "`number` that all draws follow from")
	f.StringVar(&o.resume, "resume", "", "`file` that results are appended to; kernels in it are not checked again")
	f.StringVar(&o.shard, "shard", "", "`I/N`: check the I-th of N parts of the kernels alone, which gamma merge puts together; what is on file is not checked again")
	f.StringVar(&o.dir, "dir", "", "the `folder` of what shards find")
	if len(args) == 0 || args[0] != "check" && args[0] != "suggest" {
		f.Usage()
		return nil, errors.New("gamma has the commands check, suggest and merge")
	}
	o.suggest = args[0] == "suggest"
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
		if slices.Contains([]string{"n", "buffer", "scalar", "define", "include", "constant"}, f.Name) {
			o.unsaid = append(o.unsaid, "-"+f.Name)
		}
		o.casesGiven = o.casesGiven || f.Name == "cases"
		values := []string{f.Value.String()}
		if l, ok := f.Value.(*list); ok {
			values = *l
		}
		for _, v := range values {
			if !slices.Contains([]string{"kernel", "json", "resume", "mlx", "sarif", "only", "claim", "formula", "process", "shard", "dir"}, f.Name) {
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
	if len(o.files) == 0 && o.mlx == "" && o.process == "" {
		return errors.New("no file is named: name a .metal, .cu, .so, .py or .json file, a folder, -process and a command, or -mlx and a piece")
	}
	var err error
	if o.source, err = readMath(o.math); err != nil {
		return err
	}
	o.source.Macros, o.source.Headers = map[string]string{}, map[string]string{}
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
		if list := readSizes(text); list != nil {
			o.axes[name], o.spans[name] = list[0], list
		} else if s != "" {
			return fmt.Errorf("-n has %q; it takes a size of 1 to 65536, a range such as 1000..1024, or sizes by name such as m=32,k=48", s)
		}
	}
	if o.threads != "" {
		if o.launch, err = readThreads(o.threads); err != nil {
			return err
		}
	}
	for _, w := range slices.Concat(strings.Fields(o.bind), o.scalars, o.buffers) {
		name, what, ok := strings.Cut(w, "=")
		if !ok || name == "" || what == "" {
			return fmt.Errorf("%q names no parameter; write name=what, such as -buffer x=float:n, -scalar eps=1e-5 or -bind \"x=n eps=1e-5\"", w)
		}
		o.given[name] = what
	}
	for _, w := range o.constants {
		name, what, ok := strings.Cut(w, "=")
		if !ok || name == "" || what == "" {
			return fmt.Errorf("-constant takes name=value, such as tiled=true, and not %q", w)
		}
		o.constant[name] = what
	}
	// Of the laws' draws. Nobody replays what this command would save.
	if err := errors.Join(flag.Set("gamma.seed", o.seed), flag.Set("gamma.save", "off"), flag.Set("gamma.checks", "")); err != nil {
		return err
	}
	if o.casesGiven {
		if err := flag.Set("gamma.checks", strconv.Itoa(o.cases)); err != nil {
			return err
		}
	}
	for _, folder := range o.includes {
		if err := headers(o.source.Headers, folder, true); err != nil {
			return err
		}
	}
	return nil
}

// readMath returns the options of a math mode.
func readMath(name string) (o metal.CompileOptions, err error) {
	modes := []string{"safe", "relaxed", "fast"}
	mode := slices.Index(modes, name)
	if mode < 0 {
		return o, fmt.Errorf("-math is %q; it is one of %v", name, modes)
	}
	if o.MathMode = metal.MathMode(mode); o.MathMode == metal.MathFast {
		o.MathFunctions = metal.FunctionsFast
	}
	return o, nil
}

// readThreads returns the threads of a threadgroup.
func readThreads(text string) (size model.Size3, err error) {
	size = model.Size3{X: 1, Y: 1, Z: 1}
	for i, t := range strings.Split(text, "x") {
		n, err := strconv.Atoi(t)
		if err != nil || n < 1 || i > 2 {
			return size, fmt.Errorf("-threads is %q; it is such as 256, 16x16 or 8x8x2", text)
		}
		*[...]*int{&size.X, &size.Y, &size.Z}[i] = n
	}
	return size, nil
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

// claimed returns the kernels with a claim among what is named: entries of JSON files, and what flags say of one kernel of another file or process.
func (o *options) claimed() (list []subject, err error) {
	names := map[string]bool{}
	for _, file := range append(slices.Clone(o.files), "") {
		if filepath.Ext(file) == ".json" {
			some, err := readSubjects(file)
			if err != nil {
				return nil, err
			}
			for _, s := range some {
				if s.settle() == nil && names[s.Name] {
					return nil, fmt.Errorf("%s: two subjects are called %s; give one a name of its own", file, s.Name)
				}
				names[s.Name] = true
				if len(o.only) == 0 || slices.Contains(o.only, s.Name) {
					list = append(list, s)
				}
			}
			continue
		}
		if file == "" && o.process == "" && !o.pieceClaimed() || file != "" && !o.asks(file) {
			continue
		}
		one := subject{File: file, Claim: o.claim, Formula: o.formula, Bind: o.bind, Grid: o.grid, Threads: o.threads}
		if file == "" {
			if one.Process = o.process; o.process == "" {
				one.MLX = o.mlx
			}
		}
		if o.math != "safe" {
			one.Math = o.math
		}
		for _, one.Kernel = range append(slices.Clone(o.kernels), "")[:max(len(o.kernels), 1)] {
			list = append(list, one)
		}
	}
	return list, unknown("subject", o.only, names)
}

// pieceClaimed reports whether -mlx is judged by a claim.
func (o *options) pieceClaimed() bool { return o.mlx != "" && o.claim+o.formula != "" }

// asks reports whether a file is judged by a claim.
func (o *options) asks(file string) bool {
	return (o.suggest || o.claim+o.formula != "") && filepath.Ext(file) != ".json" || isLibrary(file) || filepath.Ext(file) == ".py" || filepath.Ext(file) == ".cu"
}

// sources returns the files to be checked without a claim.
func (o *options) sources() (files []string, err error) {
	for _, name := range o.files {
		if filepath.Ext(name) == ".json" || o.asks(name) {
			continue
		}
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
	if len(args) > 0 && args[0] == "merge" {
		return mergeShards(args[1:], stdout, stderr)
	}
	o, err := read(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	c := &command{options: o, stdout: stdout, stderr: stderr, names: map[string]bool{}, parameters: map[string]bool{}, fixed: map[string]bool{}, done: map[string]*record{}}
	if err == nil {
		err = c.all()
	}
	if c.part != nil && err == nil {
		err = c.part.ledger.End(0)
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
	fixed             map[string]bool // function constants
	done              map[string]*record
	records           []*record
	log               io.Writer // of -resume, or nil
	part              *shard    // of -shard, or nil
}

// all checks all sources.
func (c *command) all() error {
	files, err := c.sources()
	if err != nil {
		return err
	}
	subjects, err := c.claimed()
	if err != nil {
		return err
	}
	if len(subjects) > 0 && len(files) == 0 && (c.mlx == "" || c.pieceClaimed()) && len(c.unsaid) > 0 {
		return fmt.Errorf("%s: that is said of a kernel with a claim by the claim's own words, such as n==64, by -bind, or in the source", strings.Join(c.unsaid, ", "))
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
	if c.shard != "" {
		if c.part, err = c.openShard(); err != nil {
			return err
		}
	}
	if c.mlx != "" && !c.pieceClaimed() {
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
	for i := range subjects {
		s := &subjects[i]
		c.progress("%s %s, %d of %d", s.of(), s.function(), i+1, len(subjects))
		if done, err := c.settled(cmp.Or(s.File, s.Process, s.MLX), s.function(), s.described()); done || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		judge := s.judge
		if c.suggest {
			judge = s.suggest
		}
		if err := c.add(judge(c.options)); err != nil {
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
		for _, folder := range append(slices.Clone(c.files), filepath.Dir(name)) { // the folder that was named has headers for those in it
			if at, err := filepath.Rel(folder, name); err != nil || at == "." || strings.HasPrefix(at, "..") {
				continue
			}
			if err := headers(o.Headers, folder, false); err != nil {
				return err
			}
		}
	}
	if r := c.done[name+"#"]; r != nil { // refused then
		c.records = append(c.records, r)
		return nil
	}
	refuse := func(why error) error {
		if done, err := c.settled(name, "", ""); done || err != nil {
			return err
		}
		return c.add(&record{File: name, Refused: firstLine(why)})
	}
	lib, err := msl.Compile(text, msl.Options(o))
	if err != nil {
		return refuse(err)
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
			for _, m := range a.Members {
				c.parameters[a.Name+"."+m.Name] = true
			}
		}
	}
	for _, x := range lib.Constants() {
		c.fixed[x.Name] = true
	}
	if last {
		if err := errors.Join(unknown("function constant", slices.Sorted(maps.Keys(c.constant)), c.fixed), unknown("kernel", c.kernels, c.names), unknown("parameter", slices.Sorted(maps.Keys(c.given)), c.parameters)); err != nil {
			return err
		}
	}
	dev := sim.New(sim.Options{Workers: 1, Steps: steps, ThreadSteps: devices.ThreadSteps, FixedReductions: true})
	defer dev.Release()
	library, err := dev.NewLibrary(text, o)
	if err != nil {
		return refuse(err)
	}
	for i, f := range kernels {
		if done, err := c.settled(name, f.Name, ""); done || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		c.progress("%s %s, %d of %d", name, f.Name, i+1, len(kernels))
		k := &kernel{options: c.options, file: name, text: text, name: f.Name, fields: f.Fields, dev: dev, library: library, compiled: lib, source: o, piece: p}
		if err := c.add(k.over()); err != nil {
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
	if c.part != nil {
		return c.part.add(r)
	}
	if c.log == nil {
		return nil
	}
	return json.NewEncoder(c.log).Encode(r)
}

// settled reports whether a kernel need not be checked by this call: what an earlier one found of it is kept, or it is another shard's.
func (c *command) settled(file, kernel, claim string) (done bool, err error) {
	r, takes := c.done[file+"#"+kernel], true
	if c.part != nil {
		r, takes, err = c.part.takes(file, strings.TrimSpace(kernel+" "+claim))
	} else if r != nil && r.Claim != claim {
		r = nil
	}
	if r != nil && err == nil {
		c.records = append(c.records, r)
	}
	return !takes || r != nil, err
}
