package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// Reduction is a sum, or a mean, to be judged. Set Name and exactly one of the Run functions.
//
// A Run function must not keep or change its arguments; the judge notices if it does.
type Reduction struct {
	// Name is package and function, such as "mykernel.Sum"; reports and case files use it.
	Name string

	Run   func(x []float32) float32
	Run64 func(x []float64) float64
	// RunBits takes encodings of Claim.In, a format of 16 or 8 bits, and returns an encoding of
	// Claim.Out: for binary16 leaves and a binary32 result,
	// func(x []uint16) uint64 { return uint64(math.Float32bits(sum(x))) }.
	RunBits func(x []uint16) uint64
	// RunTree follows the schedule it is given: every node is an addition of two operands.
	RunTree func(t *sumtree.Tree, x []float32) float32
	// RunRows reduces rows of n leaves: dst[i] is the sum of x[i*n:(i+1)*n].
	RunRows func(dst, x []float32, n int)

	// The same with an error, for kernels that can fail.
	RunErr     func(x []float32) (float32, error)
	Run64Err   func(x []float64) (float64, error)
	RunBitsErr func(x []uint16) (uint64, error)
	RunTreeErr func(t *sumtree.Tree, x []float32) (float32, error)
	RunRowsErr func(dst, x []float32, n int) error

	// The same for a kernel on a device, such as a shader, run as at says. The error may be a model.Findings, what the
	// device's checkers found, with the result beside it: the laws of kernels judge the findings and all others the result.
	RunOn     func(at Setting, x []float32) (float32, error)
	RunBitsOn func(at Setting, x []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x []float32) (float32, error)
	RunRowsOn func(at Setting, dst, x []float32, n int) error
	// Device says what of a device the claim holds for; it goes with the four above.
	Device Device

	// Magnitudes: the kernel sums the |x[i]|, as an L1 norm or BLAS's asum does.
	Magnitudes bool
	// Schedule returns the tree of n leaves that the kernel follows, for kernels whose order no shape
	// of package sumtree names; it takes the place of Claim.Tree.
	Schedule func(n int) *sumtree.Tree

	// Claim is what the kernel promises beyond adding every leaf once, in any order.
	Claim model.Claim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []Law
}

// Dot is a dot product to be judged. Set Name and exactly one of the Run functions.
type Dot struct {
	Name string

	Run   func(x, y []float32) float32
	Run64 func(x, y []float64) float64
	// RunBits is as for Reduction.
	RunBits func(x, y []uint16) uint64
	// RunTree follows the schedule it is given over the products x[i]·y[i].
	RunTree func(t *sumtree.Tree, x, y []float32) float32
	// RunRows multiplies a matrix of rows of n elements by a vector: dst[i] is the dot product of
	// a[i*n:(i+1)*n] and x.
	RunRows func(dst, a, x []float32, n int)
	// RunSquares is a sum of squares, the dot product of x with itself.
	RunSquares func(x []float32) float32

	RunErr        func(x, y []float32) (float32, error)
	Run64Err      func(x, y []float64) (float64, error)
	RunBitsErr    func(x, y []uint16) (uint64, error)
	RunTreeErr    func(t *sumtree.Tree, x, y []float32) (float32, error)
	RunRowsErr    func(dst, a, x []float32, n int) error
	RunSquaresErr func(x []float32) (float32, error)

	// These and Device are as for Reduction.
	RunOn     func(at Setting, x, y []float32) (float32, error)
	RunBitsOn func(at Setting, x, y []uint16) (uint64, error)
	RunTreeOn func(at Setting, t *sumtree.Tree, x, y []float32) (float32, error)
	Device    Device

	// Schedule is as for Reduction, over the products.
	Schedule func(n int) *sumtree.Tree

	Claim model.Claim
	Laws  []Law
}

// runner runs a kernel once: it writes one encoding of the result format for each row into dst.
type runner func(at Setting, t *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error

// subject is what the engines work with: one kernel in one shape.
type subject struct {
	name  string
	op    Op
	claim model.Claim // with defaults
	run   runner
	// follows: the kernel takes a schedule. rows: it reduces many rows. squares: y is x.
	// shared: the second factors are one vector for all rows. magnitudes: the terms are the |x_i|.
	follows, rows, squares, shared, magnitudes bool
	laws                                       []Law
	schedule                                   func(n int) *sumtree.Tree
	device                                     *Device // nil: the kernel is a Go function
	// silent says why the laws of values say nothing on the hardware that the subject is on; "" if they do.
	silent string
}

// variant is one of the shapes in which a kernel can come.
type variant struct {
	field string // the struct field that was set
	in    model.Format
	run   runner
	// what the shape implies for the subject
	follows, rows, squares, shared, device bool
}

// newSubject checks the parts that all subjects share. set holds the shapes whose field is not nil.
func newSubject(kind, name string, op Op, claim model.Claim, schedule bool, own []Law, dev *Device, set []variant) (*subject, error) {
	fields := "Run, Run64, RunBits, RunTree, RunRows"
	onDevice, example := "RunOn, RunBitsOn, RunTreeOn or RunRowsOn", "mykernel.Sum"
	if op == OpDot {
		fields, onDevice, example = fields+", RunSquares", "RunOn, RunBitsOn or RunTreeOn", "mykernel.Dot"
	}
	if name == "" {
		return nil, fmt.Errorf("props: a %s has no Name; give it one such as %q, reports and case files need it", kind, example)
	}
	switch {
	case len(set) == 0:
		return nil, fmt.Errorf("props: %s %s sets no Run function; set one of %s, one of these with Err behind, or for a device %s", kind, name, fields, onDevice)
	case len(set) > 1:
		return nil, fmt.Errorf("props: %s %s sets both %s and %s; set exactly one", kind, name, set[0].field, set[1].field)
	}
	v := set[0]
	if v.in.IsZero() { // RunBits
		v.in = claim.In
		if v.in.IsZero() || v.in.Bits() > 16 {
			it := v.in.Name
			if v.in.IsZero() {
				it = "none"
			}
			return nil, fmt.Errorf("props: %s %s sets %s, so Claim.In must name a format of at most 16 bits, such as model.Binary16; it names %s", kind, name, v.field, it)
		}
	} else if !claim.In.IsZero() && claim.In != v.in {
		return nil, fmt.Errorf("props: %s %s sets %s, which takes %s, but Claim.In is %s; leave it out, or set %s", kind, name, v.field, v.in, claim.In, fieldFor(claim.In))
	}
	s := &subject{
		name: name, op: op, claim: claim.WithDefaults(v.in), run: v.run, laws: own,
		follows: v.follows, rows: v.rows, squares: v.squares, shared: v.shared,
	}
	out := s.claim.Out
	if v.in == model.Binary32 && out != model.Binary32 || v.in == model.Binary64 && out != model.Binary64 {
		return nil, fmt.Errorf("props: %s %s sets %s, whose result is in %s, but Claim.Out is %s; leave it out", kind, name, v.field, v.in, out)
	}
	if t := s.claim.Tree; t != "" {
		if _, err := sumtree.ParseShape(t); err != nil {
			return nil, fmt.Errorf("props: %s %s: Claim.Tree: %w", kind, name, err)
		}
	}
	if why := wrongClaim(op, &claim); why != "" {
		return nil, fmt.Errorf("props: %s %s: %s", kind, name, why)
	}
	if claim.Tree != "" && schedule {
		return nil, fmt.Errorf("props: %s %s: both Schedule and Claim.Tree are set; set one", kind, name)
	}
	if in, acc := s.claim.In, s.claim.Acc; op == OpDot && (in.P > acc.P || in.Emax > acc.Emax || in.Emin-in.P < acc.Emin-acc.P) {
		return nil, fmt.Errorf("props: %s %s: Claim.Acc is %s, which does not hold every number of %s: no bound is proved for such dot products", kind, name, acc, in)
	}
	if v.device {
		if why := dev.check(); why != "" {
			return nil, fmt.Errorf("props: %s %s: %s", kind, name, why)
		}
		if dev.Schedule != nil && (claim.Tree != "" || schedule || v.follows) {
			return nil, fmt.Errorf("props: %s %s: Device.Schedule is set beside Claim.Tree, Schedule or RunTreeOn; set one", kind, name)
		}
		s.device = dev
	} else if dev.set() {
		return nil, fmt.Errorf("props: %s %s sets Device beside %s, which runs on none; set RunOn or another that ends in On, or leave Device out", kind, name, v.field)
	}
	if err := checkOwn(own, op); err != nil {
		return nil, fmt.Errorf("props: %s %s: %w", kind, name, err)
	}
	if s.device != nil && s.device.Hardware {
		s.claim, s.silent = s.weakened(s.device.own())
	}
	return s, nil
}

// fieldFor names the Run function that takes a format.
func fieldFor(f model.Format) string {
	switch {
	case f == model.Binary32:
		return "Run"
	case f == model.Binary64:
		return "Run64"
	}
	return "RunBits"
}

// checkOwn checks the laws that a subject brings itself.
func checkOwn(own []Law, op Op) error {
	for i := range own {
		l := &own[i]
		_, unknown := LawByID(Laws(), l.ID)
		switch {
		case l.ID == "":
			return fmt.Errorf("law %d of its own has no ID; give it one such as \"%s.mine\"", i, op)
		case !l.judges():
			return fmt.Errorf("law %d of its own, %q, has no Judge function", i, l.ID)
		case l.Op != op && l.Op != OpAny:
			return fmt.Errorf("law %q of its own is one of a %s: its Op is %s, and no case would be drawn for it; set Op to %s", l.ID, l.Op, opNames[l.Op&1], opNames[op&1])
		case unknown == nil:
			return fmt.Errorf("law %q of its own has the ID of a built-in law; give it another", l.ID)
		}
		for _, f := range l.Families {
			if familyByName[f] == nil {
				return fmt.Errorf("law %q of its own draws from family %q, which there is not; props.Families lists those there are", l.ID, f)
			}
		}
	}
	return nil
}

var opNames = [...]string{OpSum: "OpSum", OpDot: "OpDot"}

// accepts says why the subject cannot run a case.
func (s *subject) accepts(c *corpus.Case) error {
	rows := max(c.Rows, 1)
	n, ny := c.X.Len()/rows, c.Y.Len()
	switch {
	case c.X.Format.IsZero():
		return fmt.Errorf("props: case has leaves in no format and %s takes %s", s.name, s.claim.In)
	case c.X.Format != s.claim.In:
		return fmt.Errorf("props: case has leaves in %s and %s takes %s", c.X.Format, s.name, s.claim.In)
	case s.op == OpSum && ny > 0:
		return fmt.Errorf("props: case has second factors and %s is a sum", s.name)
	case s.op == OpDot && !s.squares && (ny != c.X.Len() && !(s.shared && ny == n) || ny > 0 && c.Y.Format != s.claim.In):
		return fmt.Errorf("props: case has %d first and %d second factors and %s needs as many of both, in %s", c.X.Len(), ny, s.name, s.claim.In)
	case c.Rows < 0:
		return fmt.Errorf("props: case has %d rows; a case has one or more", c.Rows)
	case rows > 1 && !s.rows:
		return fmt.Errorf("props: case has %d rows and %s reduces one", c.Rows, s.name)
	case c.X.Len()%rows != 0:
		return fmt.Errorf("props: case has %d leaves, which is no multiple of its %d rows", c.X.Len(), c.Rows)
	case n == 0 && rows > mostEmpty:
		return fmt.Errorf("props: case has %d rows of no leaves; at most %d", rows, mostEmpty)
	case c.Tree != "" && !s.follows && c.Tree != fmt.Sprintf("%s/%d", s.claim.Tree, n):
		return fmt.Errorf("props: case names the tree %.60s, and %s follows none that it is given; take the line out of the case, or set RunTree", c.Tree, s.name)
	case c.X.Len()/max(c.Rows, 1) < s.claim.MinN:
		return fmt.Errorf("props: case has %d leaves and %s claims to need at least %d", c.X.Len(), s.name, s.claim.MinN)
	case s.claim.MaxN > 0 && n > s.claim.MaxN:
		return fmt.Errorf("props: case has %d leaves and %s claims to take at most %d", n, s.name, s.claim.MaxN)
	}
	if s.device != nil {
		if err := s.device.accepts(n, Setting{Behaviour: c.Behaviour, Launch: c.Launch}); err != nil {
			return fmt.Errorf("props: case for %s: %w", s.name, err)
		}
	}
	return nil
}

// compensations are the schemes that a claim can name.
var compensations = []model.Compensation{
	model.Uncompensated, model.Kahan, model.Sum2, model.Klein, model.KleinLeft, model.SumK, model.FABsum, model.Binned, model.DoubleWord, model.Rounded,
}

// maxFolds and maxBlock are far beyond what kernels have, and what the bounds are computed for.
const (
	maxFolds = 64
	maxBlock = 1 << 20
)

// wrongClaim says what is wrong with a claim whatever the kernel does, naming the field, or "".
func wrongClaim(op Op, c *model.Claim) string {
	switch {
	case !slices.Contains(compensations, c.Compensation):
		return fmt.Sprintf("Claim.Compensation is %q; it can be one of %q", c.Compensation, compensations[1:])
	case c.Compensation == model.SumK && c.Folds < 2:
		return fmt.Sprintf("Claim.Folds is %d; SumK makes 2 passes or more", c.Folds)
	case c.Compensation == model.Binned && c.Folds < 1:
		return fmt.Sprintf("Claim.Folds is %d; a binned sum has 1 fold or more", c.Folds)
	case c.Compensation == model.FABsum && c.Block < 1:
		return fmt.Sprintf("Claim.Block is %d; FABsum's blocks have 1 leaf or more", c.Block)
	case c.Folds < 0 || c.Folds > maxFolds:
		return fmt.Sprintf("Claim.Folds is %d; it is at most %d", c.Folds, maxFolds)
	case c.Block < 0 || c.Block > maxBlock:
		return fmt.Sprintf("Claim.Block is %d; it is at most %d", c.Block, maxBlock)
	case c.Fusion != model.Unfused && c.Fusion != model.FusedChain && c.Fusion != model.FusedAny:
		return fmt.Sprintf("Claim.Fusion is %q; it can be %q, %q or empty", c.Fusion, model.FusedChain, model.FusedAny)
	case op == OpSum && c.Fusion != model.Unfused:
		return fmt.Sprintf("Claim.Fusion is %q, and a sum has no products to fuse", c.Fusion)
	case c.MinN < 0 || c.MaxN < 0 || c.MaxN > 0 && c.MinN > c.MaxN:
		return fmt.Sprintf("Claim.MinN and MaxN are %d and %d; lengths are not negative, and the least is at most the greatest", c.MinN, c.MaxN)
	case c.Tree != "" && c.Height != nil:
		return "both Claim.Tree and Claim.Height are set; a tree has its own height, so leave Height out"
	case c.Rounding > model.TowardZero:
		return fmt.Sprintf("Claim.Rounding is %v; use one of model's roundings", c.Rounding)
	}
	return ""
}
