package check

import (
	"fmt"
	"slices"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Pos is a place in the source.
type Pos = token.Pos

// Options are the compile options that change what a source means.
type Options struct {
	// FP is what the options say of floating point at the top of the file: safe mode is ContractOn alone; relaxed is
	// ContractFast, Reassoc, NoSignedZeros and Reciprocal; fast adds NoNaNs and NoInfs. FastFunctions is apart from them.
	FP ir.FP
	// Version is the version of the language, 320 for 3.2; 0 is the newest.
	Version int
	// Instances is how many templates the source may instantiate, 0 for MaxInstances. The work that the source may ask for grows with it.
	Instances int
}

// MaxInstances is how many templates a source may instantiate, unless the options say otherwise.
const MaxInstances = 100_000

// Bounds of what one source may ask of the checker.
const (
	maxDepth    = 256     // templates that instantiate one another
	maxSteps    = 1e6     // of one constant expression
	maxWork     = 10e6    // of all constant expressions
	maxNodes    = 4e6     // expressions, types and lists checked, those of templates once an instance
	perInstance = 1000    // steps and expressions more for each template that may be instantiated
	maxName     = 2048    // bytes of a type's name
	maxSize     = 1 << 30 // bytes of an object
	maxParts    = 1 << 16 // members of an object, those of its members counted too
	maxConstant = 1 << 22 // bytes of an object known at compile time
)

// Program checks one translation unit. The list holds errors and warnings; with an error among them there is
// no program. What is wrong with one kernel alone is in its Err.
func Program(f *syntax.File, opts Options) (prog *typed.Program, errs token.List) {
	c := &checker{
		opts:    opts,
		structs: map[*typed.Struct]*structInfo{},
		enums:   map[*typed.Scalar]*enumInfo{},
		funcs:   map[*typed.Func]*function{},
		outside: map[*syntax.FuncDecl]*syntax.FuncDecl{},
		names:   map[string]int{},
		hosts:   map[string]Pos{},
		known:   map[*typed.Var]typed.Expr{},
		cells:   map[*typed.Var]*cell{},
		strings: map[string]*typed.Var{}, coherent: map[Pos]bool{},
	}
	if c.opts.Instances == 0 {
		c.opts.Instances = MaxInstances
	}
	c.most = perInstance * c.opts.Instances
	c.file = &scope{kind: fileScope}
	c.scope = c.file
	c.fp = opts.FP
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(enough); !ok {
				c.errs.Add(c.near, "the checker failed inside here (%v); this is a fault of the checker: please report the source", r)
			}
			prog, errs = nil, c.errs
		}
	}()
	c.classes = &scope{kind: namespaceScope, name: "metal"} // in nothing, so that the source hides none of its names
	c.scope = c.classes
	c.declarations(prelude())
	c.scope = c.file
	c.declarations(f.Decls)
	c.drain(true)
	c.finish()
	if c.errs.Errors() > 0 {
		return nil, c.errs
	}
	if f.Coherents > len(c.coherent) { // what else is so may lead to any
		for _, k := range c.kernels {
			for i := range k.Params {
				k.Params[i].Coherent = true
			}
		}
	}
	return &typed.Program{Kernels: c.kernels, Constants: c.constants, Initialisers: c.initialisers, Warnings: slices.Clone(c.errs)}, c.errs
}

// checker is the state of one Program.
type checker struct {
	state
	opts Options
	file *scope
	// classes holds the class templates of Metal's library.
	classes *scope
	parts   [4]bool // which of libraryParts are declared
	errs    token.List

	structs map[*typed.Struct]*structInfo
	enums   map[*typed.Scalar]*enumInfo
	funcs   map[*typed.Func]*function
	outside map[*syntax.FuncDecl]*syntax.FuncDecl // methods of templates with the body from outside their class
	names   map[string]int                        // of structs, to keep them apart
	// coherent are the parameters of kernels that are declared so.
	coherent map[Pos]bool
	hosts    map[string]Pos // names of kernels

	queue []*function // bodies to check after the present declaration
	late  []*function // bodies of instances, checked at the end

	known     map[*typed.Var]typed.Expr // constants within functions
	cells     map[*typed.Var]*cell      // values of constants that were read
	strings   map[string]*typed.Var     // literals in quotes
	steps     int
	reason    string // why the last candidate does not fit
	defaults  int    // default arguments being evaluated
	nodes     int
	instances int
	most      int // what may be checked beyond maxNodes and maxWork
	work      int
	kernels   []*typed.Kernel
	constants []*typed.FunctionConstant
	externs   []*variable // constants that were declared before they are defined

	initialisers []typed.Expr
}

// state is what an attempt puts back.
type state struct {
	scope *scope
	fn    *function // whose body is checked
	fp    ir.FP
	depth int // of instantiation
	loops int // loops around
	exits int // loops and switches around
	near  Pos
	// folding: in an operand that is never evaluated, such as sizeof's.
	quiet int
}

// drain checks the bodies that wait.
func (c *checker) drain(all bool) {
	for len(c.queue) > 0 || all && len(c.late) > 0 {
		var f *function
		if len(c.queue) > 0 {
			f, c.queue = c.queue[0], c.queue[1:]
		} else {
			f, c.late = c.late[0], c.late[1:]
		}
		c.guard(func() { c.body(f) })
	}
}

// finish reports the functions that a kernel reaches and that have no body. Lowering finds recursion, as it knows which calls are the last.
func (c *checker) finish() {
	if c.errs.Errors() > 0 {
		return
	}
	for _, v := range c.externs {
		if v.v.Global == nil {
			c.report(&token.Error{Pos: v.v.Pos, Msg: fmt.Sprintf("%s is declared and not defined: a source is a library of its own here, with which no other is linked", v.v.Name)})
		}
	}
	seen := map[*function]bool{}
	var visit func(f *function)
	visit = func(f *function) {
		seen[f] = true
		for _, e := range f.calls {
			switch {
			case e.to.tf.Body == nil:
				if !e.to.undefined {
					e.to.undefined = true
					c.report(&token.Error{Pos: e.pos, Msg: fmt.Sprintf("%s is called but defined nowhere; it is declared at %s", e.to.title(), e.to.pos)})
				}
			case !seen[e.to]:
				visit(e.to)
			}
		}
	}
	for _, k := range c.kernels {
		if f := c.funcs[k.Func]; f != nil && !seen[f] {
			visit(f)
		}
	}
}

// report adds a diagnostic, and ends the check if there are too many.
func (c *checker) report(e *token.Error) {
	if e.Msg == "" {
		return // of a name whose declaration was wrong
	}
	if f := c.fn; f != nil && f.asked.Line != 0 {
		e = inInstance(e, f.asked, f.title())
	}
	for _, old := range c.errs {
		if *old == *e {
			return
		}
	}
	c.errs = append(c.errs, e)
	if c.errs.Errors() >= token.MaxErrors {
		panic(enough{})
	}
}

// tick counts the work of the whole check, and ends it when there is too much.
func (c *checker) tick(pos Pos) {
	if c.nodes++; c.nodes > maxNodes+c.most {
		c.report(&token.Error{Pos: pos, Msg: fmt.Sprintf("this source takes too long to check: templates, default arguments and lists in braces make more than %d expressions of it", int(maxNodes)+c.most)})
		panic(enough{})
	}
}

// warn adds a warning.
func (c *checker) warn(pos Pos, format string, args ...any) {
	if c.quiet == 0 {
		for _, e := range c.errs {
			if e.Warning && e.Pos == pos {
				return
			}
		}
		if len(c.errs) < 1000 {
			c.errs.Warn(pos, format, args...)
		}
	}
}
