package formulas

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Kernel is a function on arrays, judged by a formula that says what it computes. Each element of a result has to lie among those that an
// evaluation of the formula may give under the claim, for the input at hand. Set Name, Formula and one of the functions.
type Kernel struct {
	// Name is package and function, such as "mykernel.Softmax"; reports and case files use it.
	Name string
	// Formula says what the kernel computes. Its inputs' types and axes are those of the kernel's.
	Formula *formula.Expr
	// Claim is what the kernel promises about rounding. The zero value: binary32 or finer, sums in any order.
	Claim formula.Claim
	// Out is the type of the result's elements; the zero value is the formula's own type, or binary32 if it says none.
	Out formula.Type

	// Run computes dst from x, for a formula of one input of binary32 numbers, and a result of these.
	Run func(dst, x []float32)
	// Run64 is Run for binary64 numbers, with a Claim in binary64 if it computes in that.
	Run64 func(dst, x []float64)
	// Call is for all other formulas, and also says why there is no result.
	Call func(c *Call) error
	// CallOn runs on a device as at says, and may return a model.Findings.
	CallOn func(at verdict.Setting, c *Call) error
	// Device goes with CallOn. Its Under and Schedule are not for formulas.
	Device engine.DeviceClaim
	// Repeats says of a kernel on a device that each order of its threads gives the same bits.
	Repeats bool

	// Inputs are those that the kernel takes beside the formula's. With Bytes they are for a kernel on a device without a Formula. Of its results, which are Bytes bytes together where axes have the sizes that
	// size returns, it is claimed that they are the same in every order and every call.
	Inputs []*formula.Expr
	Bytes  func(size func(axis string) int) int

	// Min, Max and Fixed are the least and the greatest sizes of axes that are claimed, and the only one, by the axes' names. What is not
	// set is 0, and any. Sizes are multiples of Multiple.
	Min, Max, Multiple, Fixed map[string]int
	// Strided names an axis of an array, of the formula's inputs or the result, along which neighbours may lie further apart than they must: the
	// rows of a matrix that is part of a larger one (lda of BLAS), or the elements of a vector (incx). How far is drawn, and Call.Stride says it.
	// Between the elements lie NaNs and large numbers. A kernel must not read them to any effect, and in the result not write there. The distance is
	// a multiple of what the sizes of the axes after that one are multiples of, by Multiple and Fixed.
	Strided map[string]string
	// InPlace names the inputs over which the kernel may write its result, each alone: the array of the result is then that of the input. They have the
	// result's type and axes. It is for functions in Go, which the law formula.pure then judges both ways.
	InPlace []string
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []Law
}

// Judged checks the fields and names the one that is wrong.
func (k Kernel) Judged(s engine.Settings) (engine.Judged, error) {
	r := &run{k: k}
	set, err := engine.Chosen(k, "a Kernel", "mykernel.Softmax", "Run, Run64, Call, or for a device CallOn", "Run", "Run64", "Call", "CallOn")
	if err != nil {
		return nil, err
	}
	d, err := k.Device.For("CallOn", set, "what a device may flush is part of what its formula allows then", "a formula")
	if err != nil {
		return nil, fmt.Errorf("props: Kernel %s%w", k.Name, err)
	}
	if err := r.compile(); err != nil {
		return nil, fmt.Errorf("props: Kernel %s: %w", k.Name, err)
	}
	if err := engine.CheckOwn(k.Laws, laws, "formula.mine", familyByName); err != nil {
		return nil, fmt.Errorf("props: Kernel %s%w", k.Name, err)
	}
	r.Lawful = engine.Lawful[*Call, Kernel]{BuiltIn: laws, Own: k.Laws, Says: func(l *Law) string {
		if l.ID == model.KernelSchedule && d != nil && d.Hardware {
			return engine.HardwareOrder
		}
		if why := l.About(d); why == "" && l.ID == model.DeviceEqual && k.Formula == nil {
			return valued(&r.k)
		}
		return l.AboutClaim(d, &r.k)
	}}
	what := "formula of "
	if k.Formula == nil {
		what = "bytes from "
	}
	r.Session = engine.NewSession(s.For(k), k.Name, d, what+strings.Join(r.names(), ", "), "case", "a kernel that computes a formula")
	r.work = r.here()
	return engine.New(r), nil
}

// run is the kind of kernels that compute a formula.
type run struct {
	engine.Bodies[*Call, Kernel, corpus.Arrays, *corpus.Arrays]
	k Kernel
	// programs are those of the formula and of those that the claim admits in its place, by what a device does of its own accord.
	programs map[freedom][]*enclosure.Program
	inputs   []*formula.Expr
	axes     []string // of the inputs, each once
	out      formula.Type
	wide     [][]string          // axes of arrays that the formula makes, where one of them is of no input
	guides   map[string][]string // of integer inputs, the axes that they are indices along
	batch    string              // an axis along which rows do not depend on each other, or ""
	work     work
	wrong    string  // what a steered evaluation showed of Gamma itself, if anything
	steered  float64 // the greatest error/bound that steered evaluations of the formula reached
}

func (r *run) names() (list []string) {
	for _, e := range r.inputs {
		list = append(list, e.Node().Name)
	}
	return list
}

// compile makes the programs, and checks that the fields fit the formula.
func (r *run) compile() error {
	k := &r.k
	switch {
	case k.Formula == nil && k.Inputs != nil && k.Bytes != nil && k.CallOn != nil:
		r.out = formula.Uint(8)
		for _, in := range k.Inputs {
			if err := r.input(in); err != nil {
				return err
			}
		}
		return r.checkSizes()
	case k.Formula == nil:
		return fmt.Errorf("it has no Formula; set what the kernel computes")
	case k.Bytes != nil:
		return fmt.Errorf("it has Bytes beside Formula, which says how long the result is; leave them out")
	}
	if err := k.Formula.Err(); err != nil {
		return err
	}
	if r.out = k.Out; !r.out.IsStored() {
		r.out = k.Formula.Type()
	}
	switch {
	case r.out.IsReal() && r.out.Float.IsZero():
		r.out.Float = k.Claim.WithDefaults().Format
	case !r.out.IsStored():
		r.out.Bits, r.out.Int, r.out.Signed = 32, true, true
	}
	for _, e := range slices.Concat([]*formula.Expr{k.Formula}, k.Claim.AnyOf) {
		if err := e.Err(); err != nil {
			return err
		}
		if !slices.Equal(e.Axes(), k.Formula.Axes()) {
			return fmt.Errorf("a formula of Claim.AnyOf gives the axes %v, and Formula %v", e.Axes(), k.Formula.Axes())
		}
		for _, in := range e.Inputs() {
			if err := r.input(in); err != nil {
				return err
			}
		}
	}
	more := k.Inputs
	if w := k.Claim.Within; w.Err() == nil {
		more = slices.Concat(w.Inputs(), more)
	}
	for _, in := range more {
		if err := r.input(in); err != nil {
			return err
		}
	}
	r.programs = map[freedom][]*enclosure.Program{}
	if _, err := r.under(model.Behaviour{}); err != nil {
		return err
	}
	for _, run := range []struct {
		name string
		set  bool
		of   *storage
		in   string
	}{{"Run", k.Run != nil, ofFloat32, "binary32"}, {"Run64", k.Run64 != nil, ofFloat64, "binary64"}} {
		if x := r.inputs; run.set && (len(x) != 1 || stored(x[0].Type()) != run.of || stored(r.out) != run.of) {
			return fmt.Errorf("it sets %s, which takes one input of %s numbers and gives such; the formula takes %v and gives %s: set Call",
				run.name, run.in, strings.Join(r.names(), ", "), r.out)
		}
	}
	for _, e := range k.Formula.Nodes() {
		if axes := e.Axes(); slices.ContainsFunc(axes, func(axis string) bool { return !slices.Contains(r.axes, axis) }) {
			r.wide = append(r.wide, axes)
		}
	}
	r.batch = batchAxis(k.Formula)
	r.guides = guidesOf(slices.Concat([]*formula.Expr{k.Formula}, k.Claim.AnyOf))
	if err := r.checkVariable(); err != nil {
		return err
	}
	for i := range k.Claim.Points {
		if _, err := r.point(&k.Claim.Points[i]); err != nil {
			return err
		}
	}
	return r.checkSizes()
}

// point returns the input of a point of the claim, or what is wrong with it.
func (r *run) point(p *formula.Point) (*corpus.Arrays, error) {
	fail := func(format string, args ...any) (*corpus.Arrays, error) {
		return nil, fmt.Errorf("point %q of Claim.Points: %s", p.Name, fmt.Sprintf(format, args...))
	}
	if stored(r.out) != ofFloat32 {
		return fail("results are %s, and points are of binary32 numbers", r.out)
	}
	c := r.blank()
	for i, a := range c.Axes {
		c.Axes[i].Size = p.Sizes[a.Name]
		if !r.claimed(a.Name).has(p.Sizes[a.Name]) {
			return fail("axis %s has the size %d, which is not claimed", a.Name, p.Sizes[a.Name])
		}
	}
	for i := range c.Inputs {
		a := &c.Inputs[i]
		if n, _ := c.Len(a.Axes); n != len(p.Arrays[a.Name]) || stored(a.Type) != ofFloat32 {
			return fail("input %s is %d numbers of %s, and has %d of binary32", a.Name, n, a.Type, len(p.Arrays[a.Name]))
		}
		for _, x := range p.Arrays[a.Name] {
			a.Bits = append(a.Bits, uint64(math.Float32bits(x)))
		}
	}
	return c, nil
}

// checkSizes checks what is claimed of the sizes of axes.
func (r *run) checkSizes() error {
	k := &r.k
	for field, sizes := range map[string]map[string]int{"Min": k.Min, "Max": k.Max, "Multiple": k.Multiple, "Fixed": k.Fixed} {
		for _, axis := range slices.Sorted(maps.Keys(sizes)) {
			if !slices.Contains(r.axes, axis) || sizes[axis] < 0 {
				return fmt.Errorf("%s sets axis %q to %d; a size is not negative, and the inputs have the axes %v", field, axis, sizes[axis], r.axes)
			}
		}
	}
	for _, axis := range r.axes {
		if c := r.claimed(axis); c.most > 0 && c.least > c.most {
			return fmt.Errorf("axis %s: there is no multiple of %d from Min %d to Max %d", axis, c.step, k.Min[axis], k.Max[axis])
		}
	}
	if err := r.checkInPlace(); err != nil {
		return err
	}
	return r.checkStrided()
}

// checkInPlace checks the field.
func (r *run) checkInPlace() error {
	k := &r.k
	if len(k.InPlace) > 0 && (k.CallOn != nil || k.Formula == nil) {
		return fmt.Errorf("it sets InPlace beside CallOn, whose buffers are the host code's; leave it out")
	}
	for _, name := range k.InPlace {
		i := slices.Index(r.names(), name)
		switch {
		case i < 0:
			return fmt.Errorf("its field InPlace names %q; the formula takes %v", name, r.names())
		case !slices.Equal(r.inputs[i].Axes(), k.Formula.Axes()) || r.inputs[i].Type() != r.out:
			return fmt.Errorf("its field InPlace names %s, whose %s along %v are not the result's %s along %v", name, r.inputs[i].Type(), r.inputs[i].Axes(), r.out, k.Formula.Axes())
		case k.Strided[name] != "" || k.Strided[Result] != "":
			return fmt.Errorf("its field InPlace names %s, and Strided the same or the result; an array with a stride is not judged in place", name)
		}
	}
	return nil
}

// freedom is what a device does beside what the claim says.
type freedom struct {
	flush, flush16 model.Flush
	fuses          bool
}

// freedom returns that of a device that behaves so.
func (r *run) freedom(b model.Behaviour) freedom {
	f := freedom{b.Flush, b.Flush16, b.Contract != model.ContractOff && !r.k.Device.Strict}
	if narrow := r.k.Claim.WithDefaults().Format; narrow.Bits() <= 16 {
		f.flush = b.Flush16
	}
	return f
}

// under returns the programs for a device that behaves so.
func (r *run) under(b model.Behaviour) ([]*enclosure.Program, error) {
	f := r.freedom(b)
	if list, ok := r.programs[f]; ok {
		return list, nil
	}
	c := r.k.Claim
	c.Flush, c.Flush16, c.Unfused = engine.JoinFlush(c.Flush, f.flush), engine.JoinFlush(c.Flush16, f.flush16), c.Unfused && !f.fuses
	var list []*enclosure.Program
	for _, e := range slices.Concat([]*formula.Expr{r.k.Formula}, c.AnyOf) {
		p, err := enclosure.Compile(e, c, r.out)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	r.programs[f] = list
	return list, nil
}

// unknown says why nothing is claimed of a device that behaves so, "" if something is.
func (r *run) unknown(b model.Behaviour) string {
	if b.Rounding != 0 || b.Rewrites != (model.Rewrites{}) && !r.k.Device.Strict {
		return "what a formula's claim is worth under another rounding, or where a compiler rewrites, is not stated"
	}
	return ""
}

// input adds an input of a formula.
func (r *run) input(in *formula.Expr) error {
	n := in.Node()
	if n.Name == Result {
		return fmt.Errorf("an input is called %s, which is the name of the result", Result)
	}
	for _, old := range r.inputs {
		if m := old.Node(); m.Name == n.Name {
			if m.Type != n.Type || !slices.Equal(m.Axes, n.Axes) {
				return fmt.Errorf("input %s is %s %v and %s %v", n.Name, m.Type, m.Axes, n.Type, n.Axes)
			}
			return nil
		}
	}
	r.inputs = append(r.inputs, in)
	for _, axis := range n.Axes {
		if !slices.Contains(r.axes, axis) {
			r.axes = append(r.axes, axis)
		}
	}
	return nil
}

// sizes are those of an axis that are claimed: multiples of step from least to most, 0 for any.
type sizes struct{ least, most, step int }

func (r *run) claimed(axis string) sizes {
	k := &r.k
	if n := k.Fixed[axis]; n > 0 {
		return sizes{n, n, 1}
	}
	c := sizes{k.Min[axis], k.Max[axis], max(1, k.Multiple[axis])}
	c.least = (c.least + c.step - 1) / c.step * c.step
	c.most -= c.most % c.step
	return c
}

func (c sizes) has(n int) bool { return n >= c.least && (c.most == 0 || n <= c.most) && n%c.step == 0 }

// batchAxis returns the first axis of a formula's values along which each depends on its own row of the inputs alone, "" if there is none.
func batchAxis(e *formula.Expr) string {
	for _, axis := range batchAxes(e) {
		return axis
	}
	return ""
}

// batchAxes returns all of them.
func batchAxes(e *formula.Expr) (list []string) {
	for _, axis := range e.Axes() {
		alone, given := true, false
		for _, n := range e.Nodes() {
			node := n.Node()
			named := slices.Contains(node.Axes, axis) || node.To == axis
			switch node.Op {
			case formula.OpInput:
				given = given || named
			case formula.OpOrder:
			default:
				alone = alone && !named
			}
		}
		if alone && given {
			list = append(list, axis)
		}
	}
	return list
}

func (r *run) Trial() engine.Trial[*Call, Kernel, *corpus.Arrays] { return &Trial{run: r} }

func (r *run) Setting(c *corpus.Arrays) (at verdict.Setting, n int) { return r.At(c), r.greatest(c) }

// greatest returns how many elements the longest array has.
func (r *run) greatest(c *corpus.Arrays) (n int) {
	for i := range c.Inputs {
		n = max(n, len(c.Inputs[i].Bits))
	}
	return n
}

// sizesOf returns the sizes of the axes of an input.
func (r *run) sizesOf(c *corpus.Arrays) []int {
	list := make([]int, len(r.axes))
	for i, axis := range r.axes {
		list[i], _ = c.Size(axis)
	}
	return list
}

// allSizes returns the sizes of all axes of the formula: also of those that it makes. It is an error if the formula has none for such an input.
func (r *run) allSizes(c *corpus.Arrays) (map[string]int, error) {
	given := map[string]int{}
	for _, a := range c.Axes {
		given[a.Name] = a.Size
	}
	return r.k.Formula.Sizes(given)
}

// inner returns how many elements of the result lie side by side for each place along one of its axes: those along the axes after it.
func (r *run) inner(c *corpus.Arrays, axis string) int {
	axes, n := r.k.Formula.Axes(), 1
	sizes, err := r.allSizes(c)
	if err != nil {
		panic(err) // the enclosure has them
	}
	for _, x := range axes[slices.Index(axes, axis)+1:] {
		n *= sizes[x]
	}
	return n
}

func (r *run) Accepts(_ *Law, c *corpus.Arrays) error {
	for i, axis := range r.axes {
		size, ok := c.Size(axis)
		if claim := r.claimed(axis); !ok || !claim.has(size) {
			return fmt.Errorf("props: %s claims sizes of axis %s from %d to %d, where 0 is any, in steps of %d, and not %d", r.Name, r.axes[i], claim.least, claim.most, claim.step, size)
		}
	}
	if !r.takes(c) {
		return fmt.Errorf("props: the arrays are not the inputs of %s, which are %s", r.Name, strings.Join(r.names(), ", "))
	}
	for i := range c.Inputs {
		a := &c.Inputs[i]
		if n, ok := c.Len(a.Axes); !ok || n != len(a.Bits) {
			return fmt.Errorf("props: input %s for %s has %d elements, and its axes %d", a.Name, r.Name, len(a.Bits), n)
		}
		for k, b := range a.Bits {
			if !fits(a.Type, b) {
				return fmt.Errorf("props: element %d of input %s for %s, %#x, is no %s that is judged: integers are at most 2^53", k, a.Name, r.Name, b, a.Type)
			}
		}
	}
	at, n := r.Setting(c)
	return r.Device.Runs("an input of "+r.Name, n, at)
}

// takes reports whether arrays are those that the formula takes, whatever their sizes.
func (r *run) takes(c *corpus.Arrays) bool {
	return slices.EqualFunc(c.Inputs, r.inputs, func(a corpus.Array, e *formula.Expr) bool {
		n := e.Node()
		return a.Name == n.Name && a.Type.String() == n.Type.String() && slices.Equal(a.Axes, n.Axes)
	})
}

// fits reports whether bits are those of an element of a type that the judge takes.
func fits(t formula.Type, bits uint64) bool {
	if t.IsReal() {
		return t.Float.Bits() == 64 || bits>>t.Float.Bits() == 0
	}
	return within(t, bits) && math.Abs(value(t, bits)) <= 1<<53
}

// within reports whether bits are those of an integer or a truth value of type t. Integers beyond 2^53 are judged as the binary64 numbers next to them, which lie in an
// interval with ends in binary64 if they do.
func within(t formula.Type, bits uint64) bool {
	if t.Bool {
		return bits <= 1
	}
	v := value(t, bits)
	lo, hi := t.Range()
	return lo <= v && v <= hi
}

func (r *run) Owns(f *engine.CaseFile) bool {
	return r.Bodies.Owns(f) && r.takes(f.Body.(*corpus.Arrays))
}

// Record writes the seed, the sizes and the recipes of an input, or where it has none the elements.
func (r *run) Record(b []byte, c *corpus.Arrays) []byte {
	drawn := uint64(1)
	for i := range c.Inputs {
		if c.Inputs[i].Gen == "" {
			drawn = 0
		}
	}
	b = engine.AppendWords(b, c.Seed, drawn)
	for _, n := range r.sizesOf(c) {
		b = engine.AppendWords(b, uint64(n))
	}
	for i := range c.Inputs {
		a := &c.Inputs[i]
		if drawn == 1 {
			b = append(append(b, a.Gen...), '\n')
		} else {
			b = engine.AppendWords(b, a.Bits...)
		}
	}
	return b
}

func (r *run) Recorded(text []byte) (*corpus.Arrays, error) {
	head := 8 * (2 + len(r.axes))
	if len(text) < head {
		return nil, engine.ErrCutOff
	}
	words, err := engine.CutWords(text[:head], 2)
	if err != nil {
		return nil, err
	}
	c := r.blank()
	c.Seed = words[0]
	for i := range c.Axes {
		c.Axes[i].Size = int(min(words[2+i], corpus.MaxN+1))
	}
	rest := text[head:]
	for i := range c.Inputs {
		a := &c.Inputs[i]
		n, ok := c.Len(a.Axes)
		if !ok {
			return nil, engine.ErrCutOff
		}
		if words[1] == 0 {
			if len(rest) < 8*n {
				return nil, engine.ErrCutOff
			}
			a.Bits, err = engine.CutWords(rest[:8*n], n)
			rest = rest[8*n:]
		} else {
			line, after, found := strings.Cut(string(rest), "\n")
			if !found {
				return nil, engine.ErrCutOff
			}
			rest, a.Gen = []byte(after), line
			err = expandGen(a, n)
		}
		if err != nil {
			return nil, cmp.Or(err, engine.ErrCutOff)
		}
	}
	return c, nil
}

// blank returns an input of the formula's axes and arrays, without sizes and elements.
func (r *run) blank() *corpus.Arrays {
	c := &corpus.Arrays{}
	for _, axis := range r.axes {
		c.Axes = append(c.Axes, corpus.Axis{Name: axis})
	}
	for _, e := range r.inputs {
		n := e.Node()
		c.Inputs = append(c.Inputs, corpus.Array{Name: n.Name, Type: n.Type, Axes: n.Axes})
	}
	return c
}

// Promise says what the subject claims.
func (r *run) Promise() engine.Promise {
	p := engine.Promise{Claim: r.claimText()}
	if r.k.Formula != nil {
		p.Formula = formula.Print(r.k.Formula)
	}
	return p
}

// claimText says in a sentence what is promised.
func (r *run) claimText() string {
	if r.k.Formula == nil {
		return "the same bytes in every order of threads and every call, whatever they are"
	}
	c := r.k.Claim.WithDefaults()
	text := "each operation in " + c.Format.String()
	if c.Exactly {
		text += ", neither less nor more exactly"
	} else {
		text += " or a finer format"
	}
	text += fmt.Sprintf("; functions as accurate as %s", c.Functions.Name)
	if c.Within != nil {
		text = "the exact value, off by at most Within, and rounded once"
	}
	if c.Flush != (model.Flush{}) || c.Flush16 != (model.Flush{}) {
		text += "; subnormals may be flushed"
	}
	if len(c.AnyOf) > 0 {
		text += fmt.Sprintf("; or one of %d other formulas", len(c.AnyOf))
	}
	if c.Finite {
		text += "; finite inputs that let nothing overflow"
	}
	return text + variableText(&c) + "; results " + r.out.String()
}
