package enclosure

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/real"
)

// Program is a formula compiled for a claim. It may be used by one goroutine at a time: arrays of a run are used again by the next.
type Program struct {
	root   *formula.Expr
	claim  formula.Claim
	within *Program // of the claim's Within, or nil
	f      format
	out    format // of the results; its P is 0 if they are integers or truth values
	steps  []step
	inputs []*formula.Expr
	method method
	long   bool // exact values are enclosed in more bits than binary64 has: lengthen
	flaw   flaw
	pool   pool
	iota   []int // 0, 1, 2, …

	compounds []float64 // compound(h), by h; -1: not asked for
}

// method says which enclosures are intersected; all but both are for tests.
type method uint8

const (
	both method = iota
	plain
	meanValue
)

// step is one operation of a Program.
type step struct {
	formula.Node
	args    []int // steps of the operands
	axes    []string
	typ     formula.Type
	promise formula.Promise
	fusible bool // a product, one of whose uses may fuse it with an addition
	last    bool // its rounding is that of the result
	split   bool // its uses may see different roundings of it, since one of them may fuse it with an addition
	halves  bool // some of its elements may be flushed as they are read, by each use
	again   bool // a use that fuses it reads its operands again, which may be flushed then and not before
	plus    bool // no zero that it gives is -0
	convert bool // operands that are integers are converted to real numbers
}

// Compile returns the program that encloses e's values under c, in results of type out: the type of the kernel's result, which is the
// formula's own if it is zero.
//
// Errors: e.Err(); a claim's format of more than 26 bits, but for binary64; a claim's Within that does not fit the formula.
func Compile(e *formula.Expr, c formula.Claim, out formula.Type) (*Program, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	c = c.WithDefaults()
	if err := judges(c.Format); err != nil {
		return nil, err
	}
	if !out.IsStored() {
		out = e.Type()
	}
	if out.IsReal() && out.Float.IsZero() {
		out.Float = c.Format
	}
	if out.Int != e.Type().Int || out.Bool != e.Type().Bool {
		return nil, fmt.Errorf("enclosure: the formula gives %s, and the kernel %s", e.Type(), out)
	}
	p := &Program{root: e, claim: c, f: newFormat(c.Format), inputs: e.Inputs()}
	if out.IsReal() {
		if err := judges(out.Float); err != nil {
			return nil, err
		}
		p.out = newFormat(out.Float)
	}
	p.compile()
	if p.long = c.Format.P > most; !p.long && !p.correlated() {
		p.method = plain
	}
	return p, p.compileWithin()
}

// most is the precision of the formats whose rounding errors are wide beside those of binary64.
const most = 26

// judges says of a format whether a Program can be about it.
func judges(f model.Format) error {
	if f.P > most && f.Name != model.Binary64.Name {
		return fmt.Errorf("enclosure: %s has %d bits; formats of at most %d bits, and binary64, are judged", f, f.P, most)
	}
	return nil
}

// compileWithin compiles the claim's Within.
func (p *Program) compileWithin() (err error) {
	w := p.claim.Within
	if w == nil {
		return nil
	}
	if err := w.Err(); err != nil {
		return err
	}
	for _, axis := range w.Axes() {
		if !slices.Contains(p.root.Axes(), axis) {
			return fmt.Errorf("enclosure: the claim's Within has the axis %s, and the formula %v", axis, p.root.Axes())
		}
	}
	if !p.claim.Finite || p.out.p == 0 || !w.Type().IsReal() {
		return fmt.Errorf("enclosure: the claim has Within, which is a real number for real results of finite inputs: say Finite")
	}
	if p.within, err = Compile(w, formula.Claim{Format: p.claim.Format, Finite: true}, formula.Type{}); err == nil {
		for _, in := range p.within.inputs {
			if !slices.ContainsFunc(p.inputs, func(e *formula.Expr) bool { return e.Node().Name == in.Node().Name }) {
				p.inputs = append(p.inputs, in)
			}
		}
	}
	return err
}

// Inputs returns the formula's inputs.
func (p *Program) Inputs() []*formula.Expr { return p.inputs }

func (p *Program) compile() {
	nodes := p.root.Nodes()
	place := make(map[*formula.Expr]int, len(nodes))
	for i, e := range nodes {
		n := e.Node()
		s := step{Node: n, axes: e.Axes(), typ: e.Type(), last: e == p.root}
		for _, a := range n.Args {
			s.args = append(s.args, place[a])
		}
		if n.Op == formula.OpMul && n.Args[0] == n.Args[1] {
			s.Op, s.args = opSquare, s.args[:1]
		} else {
			s.promise = p.claim.Functions.Ops[n.Op]
		}
		switch n.Op {
		case formula.OpAdd, formula.OpSub, formula.OpSum, formula.OpScanSum:
			for _, a := range s.args {
				p.fuse(a)
			}
		}
		if n.Op != formula.OpStore && n.Op != formula.OpSelect && n.Op.Class() != formula.Layout {
			s.convert = s.typ.IsReal()
			for _, a := range s.args {
				s.convert = s.convert || p.steps[a].typ.IsReal()
			}
		}
		s.plus = p.positiveZero(&s)
		s.halves = p.halves(s.typ) || n.Op.Class() == formula.Layout && slices.ContainsFunc(s.args, func(a int) bool { return p.steps[a].halves })
		s.split = s.split || s.halves
		place[e] = i
		p.steps = append(p.steps, s)
	}
	for i := range p.steps {
		s := &p.steps[i]
		s.again = s.fusible && slices.ContainsFunc(s.args, func(a int) bool { return p.steps[a].halves })
	}
}

// halves reports whether numbers of type t may be flushed as they are read or written, in a claim about a wider format.
func (p *Program) halves(t formula.Type) bool {
	return p.claim.Flush16.Any() && t.IsReal() && t.Float.Bits() == 16 && p.f.Bits() > 16
}

// fuse marks what an addition of step a may be fused with: a product, perhaps negated or moved.
func (p *Program) fuse(a int) {
	s := &p.steps[a]
	switch s.Op {
	case formula.OpMul, opSquare:
		s.fusible = !p.claim.Unfused
		s.split = s.split || s.fusible
	case formula.OpNeg, formula.OpRename, formula.OpOrder, formula.OpGather:
		p.fuse(s.args[0])
		s.split = s.split || !p.claim.Unfused
	}
}

// Array is one input: its elements, in row-major order of the input's axes.
type Array struct {
	Shape  []int
	Values []float64 // exact, as every number of a format, and every integer up to 2^53, is
}

// size checks inputs, and returns the size of each axis.
func (p *Program) size(in map[string]Array) (map[string]int, error) {
	given := map[string]int{}
	for _, e := range p.inputs {
		n := e.Node()
		a, ok := in[n.Name]
		if !ok {
			return nil, fmt.Errorf("enclosure: there is no input %s", n.Name)
		}
		if len(a.Shape) != len(n.Axes) {
			return nil, fmt.Errorf("enclosure: input %s has %d axes, and the formula's has %v", n.Name, len(a.Shape), n.Axes)
		}
		total := 1
		for i, x := range n.Axes {
			if old, known := given[x]; known && old != a.Shape[i] {
				return nil, fmt.Errorf("enclosure: axis %s has size %d in %s, and %d elsewhere", x, a.Shape[i], n.Name, old)
			}
			given[x] = a.Shape[i]
			total *= a.Shape[i]
		}
		if total != len(a.Values) {
			return nil, fmt.Errorf("enclosure: input %s has %d values for shape %v", n.Name, len(a.Values), a.Shape)
		}
	}
	return p.root.Sizes(given)
}

// Run encloses the results for one input, given by the names of its arrays.
//
// Errors: arrays that do not fit the formula; an axis whose size nothing gives.
func (p *Program) Run(in map[string]Array) (*Result, error) {
	sizes, err := p.size(in)
	if err != nil {
		return nil, err
	}
	p.pool.reset()
	r := &run{p: p, sizes: sizes, in: in, arrays: make([]*array, len(p.steps)), maps: map[[2]*array][]int32{}}
	for i := range p.steps {
		if err := r.step(i); err != nil {
			return nil, err
		}
	}
	z := r.result()
	if p.within != nil {
		return z, p.widen(z, in)
	}
	return z, nil
}

// pool lends slices of zeros, all taken back by reset.
type pool struct {
	slabs [][]float64
	slab  int
	used  int
}

const slabSize = 1 << 16

func (p *pool) reset() {
	p.slab, p.used = 0, 0
}

// floats returns n zeros.
func (p *pool) floats(n int) []float64 {
	if n > slabSize/4 {
		return make([]float64, n)
	}
	if p.slab < len(p.slabs) && p.used+n > slabSize {
		p.slab, p.used = p.slab+1, 0
	}
	if p.slab == len(p.slabs) {
		p.slabs = append(p.slabs, make([]float64, slabSize))
	}
	s := p.slabs[p.slab][p.used : p.used+n : p.used+n]
	p.used += n
	clear(s)
	return s
}

// run is one evaluation.
type run struct {
	p      *Program
	sizes  map[string]int
	in     map[string]Array
	arrays []*array
	maps   map[[2]*array][]int32
}

// symbol is an error that many elements share: total errors of a node, which others see by broadcasting.
type symbol struct {
	of     *array
	radius []float64 // one for each element of that node
}

// coefficient is the enclosure of a node's derivative by a symbol, one for each element of the node.
type coefficient struct {
	*symbol
	lo, hi []float64
	at     []int32 // where the node's elements are among the symbol's; nil if in the same places
}

// reach returns how far element i of the node may be moved by the symbol.
func (c *coefficient) reach(i int) float64 {
	j := i
	if c.at != nil {
		j = int(c.at[i])
	}
	return up(times(max(-c.lo[i], c.hi[i]), c.radius[j]))
}

// array is what is known of a node.
type array struct {
	axes  []string
	shape []int
	n     int

	lo, hi   []float64       // T: what a conforming evaluation may hold
	wlo, whi []float64       // where the mean-value form's path goes; T itself unless results are rounded exactly
	clo, chi []float64       // C: the exact value
	long     []real.Interval // C in more bits; an element, or the slice, is empty where binary64 says all that is known
	nan      []outcome       // nil if no element may be NaN

	diag     []float64 // nil if zero
	symbols  []coefficient
	greatest float64 // magnitude of T's ends, 0 while it is not known
	exact    bool    // every element is a point, without error
	stored   bool    // what an evaluation holds is always a number of the claim's format
	own      *symbol // what broadcasting made of it
	split    bool    // no use sees what another does
}

func (a *array) t(i int) interval { return interval{a.lo[i], a.hi[i]} }
func (a *array) w(i int) interval { return interval{a.wlo[i], a.whi[i]} }
func (a *array) c(i int) interval { return interval{a.clo[i], a.chi[i]} }

// newArray returns an array of the given axes with room for all; points share one pair of slices.
func (r *run) newArray(axes []string, exact bool) (*array, error) {
	a := &array{axes: axes, n: 1, exact: exact}
	for _, x := range axes {
		size, ok := r.sizes[x]
		if !ok {
			return nil, fmt.Errorf("enclosure: axis %s has no size", x)
		}
		a.shape = append(a.shape, size)
		a.n *= size
	}
	p := &r.p.pool
	a.lo = p.floats(a.n)
	if exact {
		a.hi, a.wlo, a.whi, a.clo, a.chi = a.lo, a.lo, a.lo, a.lo, a.lo
		return a, nil
	}
	a.hi, a.clo, a.chi = p.floats(a.n), p.floats(a.n), p.floats(a.n)
	a.wlo, a.whi = a.lo, a.hi
	if r.p.claim.Exactly {
		a.wlo, a.whi = p.floats(a.n), p.floats(a.n)
	}
	a.diag = p.floats(a.n)
	return a, nil
}

func (a *array) setNaN(i int, o outcome) {
	if o == number {
		return
	}
	if a.nan == nil {
		a.nan = make([]outcome, a.n)
	}
	a.nan[i] |= o
}

// indices returns for each element of to the place of its element in from, whose axes are among to's; nil if that is the same place.
func (r *run) indices(from, to *array) []int32 {
	if slices.Equal(from.axes, to.axes) {
		return nil
	}
	key := [2]*array{from, to}
	if m, ok := r.maps[key]; ok {
		return m
	}
	stride := strides(from, to.axes)
	m := make([]int32, to.n)
	walk(to.shape, stride, func(i, at int) { m[i] = int32(at) })
	r.maps[key] = m
	return m
}

// strides returns for each of axes how far apart neighbours along it lie in a; 0 if a has no such axis.
func strides(a *array, axes []string) []int {
	s := make([]int, len(axes))
	for i, x := range axes {
		k := slices.Index(a.axes, x)
		if k < 0 {
			continue
		}
		s[i] = 1
		for _, n := range a.shape[k+1:] {
			s[i] *= n
		}
	}
	return s
}

// walk visits the elements of shape in row-major order, with their place under stride.
func walk(shape, stride []int, visit func(i, at int)) {
	total := 1
	for _, n := range shape {
		total *= n
	}
	index := make([]int, len(shape))
	at := 0
	for i := range total {
		visit(i, at)
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			at += stride[k]
			if index[k] < shape[k] {
				break
			}
			at -= stride[k] * shape[k]
			index[k] = 0
		}
	}
}
