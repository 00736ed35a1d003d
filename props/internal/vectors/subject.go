package vectors

import (
	"fmt"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// Runner runs a kernel once: it writes one encoding of the result format for each row into dst.
type Runner func(at verdict.Setting, t *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error

// Kernel is what the engines work with: one kernel in one shape.
type Kernel struct {
	Name  string
	Op    engine.Op
	Claim model.Claim // with defaults
	Run   Runner
	// InPlace runs one that writes its results over x, where that is claimed; nil if not.
	InPlace Runner
	// Follows: the kernel takes a schedule. rows: it reduces many rows. squares: y is x.
	// shared: the second factors are one vector for all rows. magnitudes: the terms are the |x_i|. strided: neighbours lie further apart.
	Follows, Rows, Squares, shared, Magnitudes, strided bool
	Laws                                                []Law
	Schedule                                            func(n int) *sumtree.Tree
	Device                                              *engine.DeviceClaim // nil: the kernel is a Go function
	// silent says why the laws of values say nothing on the hardware that the subject is on; "" if they do.
	silent string
	long   uint64 // a search has vectors of so many bytes and more, 0: it has not
	apart  bool   // the kernel runs in another process
	// timeout is the longest time for one call, 0 if it is not known.
	timeout time.Duration
}

// Variant is one of the shapes in which a kernel can come.
type Variant struct {
	Field string // the struct field that was set
	In    model.Format
	Run   Runner
	// what the shape implies for the subject
	Follows, Rows, Squares, Shared, Device, Strided bool
}

// NewSubject checks the parts that all subjects share. set holds the shapes whose field is not nil.
func NewSubject(kind, name string, op engine.Op, claim model.Claim, schedule bool, own []Law, dev *engine.DeviceClaim, set []Variant) (*Kernel, error) {
	fields := "Run, Run64, RunBits, RunTree, RunRows, RunStrided, Run64Strided"
	onDevice, example := "RunOn, RunBitsOn, RunTreeOn, RunRowsOn, RunStridedOn or RunBitsStridedOn", "mykernel.Sum"
	if op == engine.OpDot {
		fields, onDevice, example = fields+", RunSquares", "RunOn, RunBitsOn, RunTreeOn, RunStridedOn or RunBitsStridedOn", "mykernel.Dot"
	}
	if name == "" {
		return nil, fmt.Errorf("props: a %s has no Name; give it one such as %q, reports and case files need it", kind, example)
	}
	switch {
	case len(set) == 0:
		return nil, fmt.Errorf("props: %s %s sets no Run function; set one of %s, one of these with the suffix Err, or for a device %s", kind, name, fields, onDevice)
	case len(set) > 1:
		return nil, fmt.Errorf("props: %s %s sets both %s and %s; set exactly one", kind, name, set[0].Field, set[1].Field)
	}
	v := set[0]
	if v.In.IsZero() { // RunBits
		v.In = claim.In
		if v.In.IsZero() || v.In.Bits() > 16 {
			it := v.In.Name
			if v.In.IsZero() {
				it = "none"
			}
			return nil, fmt.Errorf("props: %s %s sets %s, so Claim.In must name a format of at most 16 bits, such as model.Binary16; it names %s", kind, name, v.Field, it)
		}
	} else if !claim.In.IsZero() && claim.In != v.In {
		return nil, fmt.Errorf("props: %s %s sets %s, which takes %s, but Claim.In is %s; leave it out, or set %s", kind, name, v.Field, v.In, claim.In, fieldFor(claim.In))
	}
	s := &Kernel{
		Name: name, Op: op, Claim: claim.WithDefaults(v.In), Run: v.Run, Laws: own,
		Follows: v.Follows, Rows: v.Rows, Squares: v.Squares, shared: v.Shared, strided: v.Strided,
	}
	out := s.Claim.Out
	if v.In == model.Binary32 && out != model.Binary32 || v.In == model.Binary64 && out != model.Binary64 {
		return nil, fmt.Errorf("props: %s %s sets %s, whose result is in %s, but Claim.Out is %s; leave it out", kind, name, v.Field, v.In, out)
	}
	if t := s.Claim.Tree; t != "" {
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
	if in, acc := s.Claim.In, s.Claim.Acc; op == engine.OpDot && (in.P > acc.P || in.Emax > acc.Emax || in.Emin-in.P < acc.Emin-acc.P) {
		return nil, fmt.Errorf("props: %s %s: Claim.Acc is %s, which does not hold every number of %s: no bound is proved for such dot products", kind, name, acc, in)
	}
	if v.Device {
		if why := dev.Check(); why != "" {
			return nil, fmt.Errorf("props: %s %s: %s", kind, name, why)
		}
		if dev.Schedule != nil && (claim.Tree != "" || schedule || v.Follows) {
			return nil, fmt.Errorf("props: %s %s: Device.Schedule is set beside Claim.Tree, Schedule or RunTreeOn; set one", kind, name)
		}
		if least := leastLength(&claim, 1); dev.MaxN > 0 && least > dev.MaxN {
			return nil, fmt.Errorf("props: %s %s: Device.MaxN is %d, and the shortest vector that Claim.MinN and Multiple admit has %d leaves; set MaxN to more", kind, name, dev.MaxN, least)
		}
		s.Device = dev
	} else if dev.Set() {
		return nil, fmt.Errorf("props: %s %s sets Device beside %s, which runs on none; set RunOn or another that ends in On, or leave Device out", kind, name, v.Field)
	}
	if err := checkOwn(own, op); err != nil {
		return nil, fmt.Errorf("props: %s %s%w", kind, name, err)
	}
	if s.Device != nil && s.Device.Hardware {
		s.Claim, s.silent = s.weakened(s.Device.Own())
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
func checkOwn(own []Law, op engine.Op) error {
	for _, l := range own {
		if l.Op != op && l.Op != engine.OpAny && l.ID != "" && l.Judges() {
			return fmt.Errorf(": law %q of its own is one of a %s: its Op is %s, and no case would be drawn for it; set Op to %s", l.ID, l.Op, opNames[l.Op&1], opNames[op&1])
		}
	}
	return engine.CheckOwn(own, BuiltIn, op.String()+".mine", families.FamilyByName)
}

var opNames = [...]string{engine.OpSum: "OpSum", engine.OpDot: "OpDot"}

// Accepts says why the subject cannot run a case.
func (s *Kernel) Accepts(c *corpus.Case) error {
	rows := max(c.Rows, 1)
	n, ny := c.X.Len()/rows, c.Y.Len()
	switch {
	case c.X.Format.IsZero():
		return fmt.Errorf("props: case has leaves in no format and %s takes %s", s.Name, s.Claim.In)
	case c.X.Format != s.Claim.In:
		return fmt.Errorf("props: case has leaves in %s and %s takes %s", c.X.Format, s.Name, s.Claim.In)
	case s.Op == engine.OpSum && ny > 0:
		return fmt.Errorf("props: case has second factors and %s is a sum", s.Name)
	case s.Op == engine.OpDot && !s.Squares && (ny != c.X.Len() && !(s.shared && ny == n) || ny > 0 && c.Y.Format != s.Claim.In):
		return fmt.Errorf("props: case has %d first and %d second factors and %s needs as many of both, in %s", c.X.Len(), ny, s.Name, s.Claim.In)
	case c.Rows < 0:
		return fmt.Errorf("props: case has %d rows; a case has one or more", c.Rows)
	case rows > 1 && !s.Rows:
		return fmt.Errorf("props: case has %d rows and %s reduces one", c.Rows, s.Name)
	case c.X.Len()%rows != 0:
		return fmt.Errorf("props: case has %d leaves, which is no multiple of its %d rows", c.X.Len(), c.Rows)
	case n == 0 && rows > families.MostEmpty:
		return fmt.Errorf("props: case has %d rows of no leaves; at most %d", rows, families.MostEmpty)
	case c.Tree != "" && !s.Follows && c.Tree != fmt.Sprintf("%s/%d", s.Claim.Tree, n):
		return fmt.Errorf("props: case names the tree %.60s, and %s follows none that it is given; take the line out of the case, or set RunTree", c.Tree, s.Name)
	case n < s.Claim.MinN:
		return fmt.Errorf("props: case has %d leaves and %s claims to need at least %d", n, s.Name, s.Claim.MinN)
	case s.Claim.MaxN > 0 && n > s.Claim.MaxN:
		return fmt.Errorf("props: case has %d leaves and %s claims to take at most %d", n, s.Name, s.Claim.MaxN)
	case s.Claim.Multiple > 1 && n%s.Claim.Multiple != 0:
		return fmt.Errorf("props: case has %d leaves and %s claims to take multiples of %d", n, s.Name, s.Claim.Multiple)
	}
	if s.Device == nil { // a behaviour says nothing to a Go function
		return nil
	}
	return s.Device.Runs("case for "+s.Name, n, verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch})
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
func wrongClaim(op engine.Op, c *model.Claim) string {
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
	case op == engine.OpSum && c.Fusion != model.Unfused:
		return fmt.Sprintf("Claim.Fusion is %q, and a sum has no products to fuse", c.Fusion)
	case c.MinN < 0 || c.MaxN < 0 || c.MaxN > 0 && c.MinN > c.MaxN:
		return fmt.Sprintf("Claim.MinN and MaxN are %d and %d; lengths are not negative, and the least is at most the greatest", c.MinN, c.MaxN)
	case c.Multiple < 0 || c.MaxN > 0 && leastLength(c, 1) > c.MaxN:
		return fmt.Sprintf("Claim.MinN, MaxN and Multiple are %d, %d and %d, and no vector has such a length but the empty one; set others", c.MinN, c.MaxN, c.Multiple)
	case c.Tree != "" && c.Height != nil:
		return "both Claim.Tree and Claim.Height are set; a tree has its own height, so leave Height out"
	case c.Rounding > model.TowardZero:
		return fmt.Sprintf("Claim.Rounding is %v; use one of model's roundings", c.Rounding)
	}
	return ""
}

// Law is a law about kernels that take vectors: sums and dot products.
type Law = engine.LawOf[*Trial, model.Claim]

// BuiltIn holds the built-in laws, each family in its own file.
var BuiltIn = engine.BuiltIn(sumLaws, dotLaws, stateLaws(engine.OpSum), stateLaws(engine.OpDot), KernelLaws, DeviceLaws)

// Laws returns the built-in laws.
func Laws() []Law { return slices.Clone(BuiltIn) }
