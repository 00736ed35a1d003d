package engine

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// DeviceClaim says, beside the claim, what of a device the claim holds for. It goes with the Run functions that end in On. A
// property holds on a device only if it holds for every behaviour admitted, and for every launch.
type DeviceClaim struct {
	// Admits holds the most that the claim allows the device: a case draws each field plain or as here. Of Order also those
	// before it are drawn, in the order "", reverse, stages, accesses; of Flush any part; Seed is always drawn.
	// The zero value admits the plain behaviour alone.
	Admits model.Behaviour
	// Widths are the sizes of a simdgroup that are admitted beside the device's own. Nil: none.
	Widths []int
	// Strict: contraction and rewrites change nothing, since the source forbids them by pragmas or has nothing to change. A
	// tree, a compensation and a fusion are then claimed under every behaviour; else only while these fields are plain.
	Strict bool
	// HostCopies: the host code in Run moves bits and computes nothing. Unless it says so, Go code beside the device may add, multiply and
	// convert, and what it computes is rounded to nearest even, whatever the device does under a behaviour.
	HostCopies bool
	// Checked: the device looks for faults, and Run returns those it finds as model.Findings. The laws kernel.race,
	// kernel.bounds, kernel.init, kernel.barrier, kernel.integers and kernel.assert then apply.
	Checked bool
	// Launches returns the launches to draw from for n leaves. Nil: the zero launch, which leaves it to Run. Without Fits they are all
	// that there are: no case is reduced to another launch, and one on file that has another is refused.
	Launches func(n int) []model.Launch
	// Fits says why a launch cannot run n leaves, for cases that are reduced or on file. Nil: those of Launches can, and every launch
	// where Launches is nil, too.
	Fits func(n int, l model.Launch) error
	// Schedule returns the tree of n leaves that the kernel follows in a launch; it takes the place of Claim.Tree.
	Schedule func(n int, l model.Launch) *sumtree.Tree
	// Under returns what the kernel claims under a behaviour that is admitted. Nil: Weaken.
	Under func(c model.Claim, b model.Behaviour) model.Claim
	// MaxN is the longest vector to draw; 0: no limit of its own. Cases on file may be longer.
	MaxN int
	// Kind names the device in reports: "sim", "cuda", "metal", "opencl". "": the simulator.
	Kind string
	// Hardware: the device behaves as it does, and no behaviour can be imposed on it. Admits is what it was found to do, and every case
	// runs under it; cases on file that need another arithmetic are counted and left out. The laws device.equal, device.repeat
	// and device.order then apply.
	Hardware bool
	// Detail says in reports which device of its kind it is: name, family, driver.
	Detail string
	// Reference names the device that a run with Setting.Reference is on, such as "sim": what device.equal compares with. "": there is none.
	Reference string
	// MathMode is the mode that the source is compiled in: safe, relaxed or fast. Summaries say it; "" where no source is compiled.
	MathMode string
	// DefaultMode returns the subject in the mode that it is compiled in where nobody says which, Metal's fast, with all that is claimed of it. A search
	// judges a few inputs of that, and the summary says which law fails first; that fails no test. Nil: it is not judged.
	DefaultMode func() (Subject, error)
	// Cost says how many runs of a Go function one run takes as long as: so many times fewer cases are drawn. 0: 10.
	Cost int

	residues bool // the subject computes with integers alone
}

// defaultCost is Device.Cost where it is not set, and leastChecks how many cases are drawn whatever the cost.
const (
	defaultCost = 10
	leastChecks = 20
)

// Set reports whether any field is.
func (d *DeviceClaim) Set() bool {
	return d.Admits != (model.Behaviour{}) || d.Widths != nil || d.Strict || d.HostCopies || d.Checked || d.Launches != nil || d.Fits != nil || d.Schedule != nil ||
		d.Under != nil || d.MaxN != 0 || d.Cost != 0 || d.Kind != "" || d.Detail != "" || d.Hardware || d.Reference != "" || d.MathMode != "" || d.DefaultMode != nil
}

// Checks returns how many cases to draw where a Go function has n.
func (d *DeviceClaim) Checks(n int) int {
	cost := d.Cost
	if cost == 0 {
		cost = defaultCost
	}
	return min(n, max(n/cost, leastChecks))
}

// Weaken returns what is left of a claim under a behaviour, by what the theorems say of it: the rounding of the behaviour, with its
// larger bounds; flushing beside what the claim flushes itself; products fused or not, with contraction; no schedule and no
// compensation under reassociation; no sign of zeros without signed zeros. With strict, contraction and rewrites are as if they were off.
//
// A compensated sum has no bound under rounding toward zero, where its error-free transformations are not exact: its laws are
// then vacuous.
func Weaken(c model.Claim, b model.Behaviour, strict bool) model.Claim {
	if b.Rounding != model.NearestEven {
		c.Rounding = b.Rounding
	}
	c.Flush = JoinFlush(c.Flush, b.Flush)
	if narrow(c.In) || narrow(c.Acc) || narrow(c.Out) {
		c.Flush = JoinFlush(c.Flush, b.Flush16)
	}
	if strict {
		return c
	}
	if b.Contract != model.ContractOff && c.Fusion == model.Unfused {
		c.Fusion = model.FusedAny
	}
	if b.Rewrites.Reassociate {
		c.Tree, c.Height, c.Commutes = "", nil, false
		if c.Fusion == model.FusedChain {
			c.Fusion = model.FusedAny
		}
	}
	if b.Rewrites.NoSignedZeros {
		c.SignedZero = false
	}
	return c
}

func narrow(f model.Format) bool { return !f.IsZero() && f.Bits() <= 16 }

// JoinFlush returns what either flushes. Where only one decides by the exact result, either way is open: the larger loss counts.
func JoinFlush(a, b model.Flush) model.Flush {
	return model.Flush{In: a.In || b.In, Out: a.Out || b.Out, Before: a.Before || b.Before, AnySign: a.AnySign || b.AnySign}
}

// Orders are the orders of a behaviour, each more hostile than those before it.
var Orders = []string{"", "reverse", "stages", "accesses"}

// NotAdmitted says why the claim does not hold for a behaviour, or "".
func (d *DeviceClaim) NotAdmitted(b model.Behaviour) string {
	a := &d.Admits
	no := func(what string) string {
		return fmt.Sprintf("the claim does not admit %s: add it to Device.Admits, or take it out of the case", what)
	}
	switch {
	case b.Rounding != model.NearestEven && b.Rounding != a.Rounding:
		return no("rounding " + b.Rounding.String())
	case !partOf(b.Flush, a.Flush):
		return no("flushing " + b.Flush.String())
	case !partOf(b.Flush16, a.Flush16):
		return no("flushing " + b.Flush16.String() + " of 16-bit formats")
	case b.Contract > a.Contract:
		return no("contraction " + b.Contract.String())
	case b.Rewrites.Reassociate && !a.Rewrites.Reassociate, b.Rewrites.NoSignedZeros && !a.Rewrites.NoSignedZeros,
		b.Rewrites.Reciprocal && !a.Rewrites.Reciprocal, b.Rewrites.NoNaNs && !a.Rewrites.NoNaNs, b.Rewrites.NoInfs && !a.Rewrites.NoInfs:
		return no("these rewrites")
	case slices.Index(Orders, b.Order) > slices.Index(Orders, a.Order), slices.Index(Orders, b.Order) < 0:
		return no("order " + b.Order)
	case b.SIMDWidth != 0 && b.SIMDWidth != a.SIMDWidth && !slices.Contains(d.Widths, b.SIMDWidth):
		return fmt.Sprintf("the claim does not admit simdgroups of %d: add it to Device.Widths, or take it out of the case", b.SIMDWidth)
	case b.ULP && !a.ULP:
		return no("library functions that err")
	case b.Poison && !a.Poison:
		return no("poison in memory that is not initialised")
	}
	return ""
}

// partOf reports whether f flushes nothing that all does not.
func partOf(f, all model.Flush) bool {
	return !(f.In && !all.In || f.Out && !all.Out || f.Out && f.Before && !all.Before || f.OpenSign() && !all.AnySign)
}

// For returns the device of a subject that sets one of its functions, or nil if that is not on, the one that runs on a device. left says what
// is left of a claim of its kind under a behaviour, and what is what has no schedule.
func (d DeviceClaim) For(on, set, left, what string) (*DeviceClaim, error) {
	why := d.Check()
	switch {
	case set != on && d.Set():
		return nil, fmt.Errorf(" sets Device beside %s, which runs on none; set %s, or leave Device out", set, on)
	case set != on:
		return nil, nil
	case why != "":
		return nil, fmt.Errorf(": %s", why)
	case d.Under != nil:
		return nil, fmt.Errorf(": Device.Under is set, which speaks of sums; leave it out: %s", left)
	case d.Schedule != nil:
		return nil, fmt.Errorf(": Device.Schedule is set, and %s has no schedule; leave it out", what)
	}
	return &d, nil
}

// Check says what is wrong with d itself.
func (d *DeviceClaim) Check() string {
	switch {
	case !slices.Contains(Orders, d.Admits.Order):
		return fmt.Sprintf("Device.Admits.Order is %q; it can be reverse, stages, accesses or empty", d.Admits.Order)
	case d.Admits.Seed != 0:
		return "Device.Admits.Seed is set; leave it out, seeds are drawn"
	case d.MaxN < 0 || d.Cost < 0:
		return fmt.Sprintf("Device.MaxN and Cost are %d and %d; neither is negative", d.MaxN, d.Cost)
	case slices.ContainsFunc(d.Widths, func(w int) bool { return w < 1 || w > 1024 }):
		return fmt.Sprintf("Device.Widths is %v; a simdgroup has 1 to 1024 threads", d.Widths)
	}
	return ""
}

// Accepts says why a setting of a case cannot be; where d is nil any can. Hardware takes every behaviour for its own: see LeftOut.
func (d *DeviceClaim) Accepts(n int, s verdict.Setting) error {
	if d == nil {
		return nil
	}
	if why := d.NotAdmitted(s.Behaviour); why != "" && !d.Hardware {
		return fmt.Errorf("behaviour %s: %s", s.Behaviour, why)
	}
	l := s.Launch
	for _, size := range []model.Size3{l.Groups, l.Threads} {
		if (size.X < 1 || size.Y < 1 || size.Z < 1) && !(l.IsZero() && d.Launches == nil) {
			return fmt.Errorf("launch %s: a launch has at least one threadgroup and one thread; write one such as %s", l, model.Launch1D(1, 32))
		}
	}
	if err := d.Declares(n, l); err != nil {
		return fmt.Errorf("launch %s: %w", l, err)
	}
	return nil
}

// Declares says why a launch is none of those that the claim is about, for n elements.
func (d *DeviceClaim) Declares(n int, l model.Launch) error {
	switch {
	case d.Fits != nil:
		return d.Fits(n, l)
	case d.Launches == nil || slices.Contains(d.Launches(n), l):
		return nil
	}
	return fmt.Errorf("the subject declares no such launch for %d elements: add it to those of Launches, admit it by Fits, or delete the case", n)
}

// Fitted returns a setting in which n elements can run: at itself if it can be, and else at with the first launch of those that are
// declared, of as many threads in a threadgroup if there is one. d may be nil.
func (d *DeviceClaim) Fitted(n int, at verdict.Setting) verdict.Setting {
	if d == nil || d.Launches == nil || d.Accepts(n, at) == nil {
		return at
	}
	list := slices.DeleteFunc(slices.Clone(d.Launches(n)), func(l model.Launch) bool {
		return d.Accepts(n, verdict.Setting{Behaviour: at.Behaviour, Launch: l}) != nil
	})
	if len(list) == 0 {
		return at
	}
	at.Launch = list[max(0, slices.IndexFunc(list, func(l model.Launch) bool { return l.Threads == at.Launch.Threads }))]
	return at
}

// Declared returns the launches that are declared for n elements, nil where any will do; d may be nil.
func (d *DeviceClaim) Declared(n int) []model.Launch {
	if d == nil || d.Launches == nil {
		return nil
	}
	return d.Launches(n)
}

// Most returns how many of n elements are drawn; d may be nil.
func (d *DeviceClaim) Most(n int) int {
	if d == nil {
		return n
	}
	return draw.Most(n, d.MaxN)
}

// Runs says why a subject on d, nil for Go functions, cannot run n elements as at says; what names them in errors, "a case for k" for instance.
func (d *DeviceClaim) Runs(what string, n int, at verdict.Setting) error {
	switch {
	case d != nil:
		if err := d.Accepts(n, at); err != nil {
			return fmt.Errorf("props: %s: %w", what, err)
		}
	case at != (verdict.Setting{}):
		return fmt.Errorf("props: %s with a behaviour or a launch: it runs on no device", what)
	}
	return nil
}

// Draw returns one of the behaviours that are admitted, the plain one half of the time, and one of the launches of n elements. Of
// hardware there is one behaviour, and of no device, where d is nil, the zero setting.
func (d *DeviceClaim) Draw(n int, rng *draw.Splitmix) (at verdict.Setting) {
	if d == nil {
		return at
	}
	if d.Hardware {
		at.Behaviour = d.Own()
	} else if rng.Next()>>63 == 0 {
		at.Behaviour = d.drawBehaviour(rng)
	}
	if d.Launches != nil {
		if list := d.Launches(n); len(list) > 0 {
			at.Launch = list[rng.Below(len(list))]
		}
	}
	return at
}

// singles returns the behaviours that no law should miss: the plain one, each field of Admits alone and as far as it is admitted, and all
// fields at once; in an order that rng decides. The seeds of fused
// and rewritten code are 0, which takes every liberty.
func (d *DeviceClaim) singles(rng *draw.Splitmix) []model.Behaviour {
	all := d.Admits
	all.Fair = false // the device is, and no case says so
	if len(d.Widths) > 0 && (all.SIMDWidth == 0 || rng.Below(2) == 0) {
		all.SIMDWidth = d.Widths[rng.Below(len(d.Widths))]
	}
	list := []model.Behaviour{{}}
	add := func(b model.Behaviour) {
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	add(model.Behaviour{Rounding: all.Rounding})
	add(model.Behaviour{Flush: all.Flush})
	add(model.Behaviour{Flush16: all.Flush16})
	add(model.Behaviour{Contract: all.Contract})
	add(model.Behaviour{Rewrites: model.Rewrites{Reassociate: all.Rewrites.Reassociate}})
	add(model.Behaviour{Rewrites: model.Rewrites{NoSignedZeros: all.Rewrites.NoSignedZeros}})
	add(model.Behaviour{Rewrites: model.Rewrites{Reciprocal: all.Rewrites.Reciprocal}})
	add(model.Behaviour{Rewrites: model.Rewrites{NoNaNs: all.Rewrites.NoNaNs}})
	add(model.Behaviour{Rewrites: model.Rewrites{NoInfs: all.Rewrites.NoInfs}})
	add(model.Behaviour{Order: all.Order})
	add(model.Behaviour{SIMDWidth: all.SIMDWidth})
	add(model.Behaviour{ULP: all.ULP})
	add(model.Behaviour{Poison: all.Poison})
	add(all)
	for i := range list {
		b := &list[i]
		if (b.Order != "" || b.ULP || b.Poison) && *b != all {
			b.Seed = rng.Next() >> 48
		}
		k := rng.Below(i + 1)
		list[i], list[k] = list[k], list[i]
	}
	return list
}

// Alone returns each behaviour that is admitted, alone and all at once; those in which a compiler chooses what it fuses or reassociates
// so often, with other choices: most are harmless. It returns nil on hardware and without a device.
func (d *DeviceClaim) Alone(seed uint64, choices int) (list []model.Behaviour) {
	if d == nil || d.Hardware {
		return nil
	}
	rng := draw.Splitmix(draw.Mix(seed))
	for _, b := range d.singles(&rng) {
		list = append(list, b)
		for i := 1; i < choices && (b.Contract != model.ContractOff || b.Rewrites.Reassociate); i++ {
			b.Seed = 1 + rng.Next()>>48
			list = append(list, b)
		}
	}
	return list
}

// Systematic returns the behaviours of a law's first cases; none on hardware and without a device.
func (d *DeviceClaim) Systematic(seed uint64, rounds int) (list []model.Behaviour) {
	if d == nil || d.Hardware {
		return nil
	}
	rng := draw.Splitmix(draw.Mix(seed))
	for range rounds {
		list = append(list, d.singles(&rng)...)
	}
	return list
}

// lead is what a law's first cases are: a behaviour, in the launch that was drawn, or in that of the most threads a threadgroup, or of the fewest.
type lead struct {
	b      model.Behaviour
	extent int // 1: the most, -1: the fewest, 0: as drawn
}

// crowded returns each size of a simdgroup in the launches with the most and the fewest threads: as many simdgroups in a threadgroup as there can be, which
// fixed arrays do not hold, and simdgroups that are not full. It is for laws that judge what the device finds; none on hardware and without a device.
func (d *DeviceClaim) crowded() (list []lead) {
	if d == nil || d.Hardware || d.Launches == nil {
		return nil
	}
	for _, w := range d.Widths {
		for _, extent := range []int{1, -1} {
			list = append(list, lead{model.Behaviour{SIMDWidth: w}, extent})
		}
	}
	return list
}

// lead returns a setting of n elements in which a lead runs, of which at is what was drawn.
func (d *DeviceClaim) lead(n int, at verdict.Setting, x lead) verdict.Setting {
	at.Behaviour = x.b
	if x.extent == 0 {
		return at
	}
	count := func(l model.Launch) int { return x.extent * l.Threads.X * l.Threads.Y * l.Threads.Z }
	if list := d.Launches(n); len(list) > 0 {
		at.Launch = slices.MaxFunc(list, func(a, b model.Launch) int { return count(a) - count(b) })
	}
	return at
}

// drawBehaviour draws each field plain or as far as it is admitted.
func (d *DeviceClaim) drawBehaviour(rng *draw.Splitmix) (b model.Behaviour) {
	a := d.Admits
	coin := func(admitted bool) bool { return rng.Below(3) == 0 && admitted }
	flush := func(all model.Flush) (f model.Flush) {
		if coin(all.Any()) {
			f = all
			if all.In && all.Out {
				k := rng.Below(4)
				f.In, f.Out = k != 1, k != 2
			}
			f.Before = f.Out && f.Before && rng.Below(2) == 0
		}
		return f
	}
	if coin(a.Rounding != model.NearestEven) {
		b.Rounding = a.Rounding
	}
	b.Flush, b.Flush16 = flush(a.Flush), flush(a.Flush16)
	if coin(a.Contract != model.ContractOff) {
		b.Contract = model.Contraction(1 + rng.Below(int(a.Contract)))
	}
	r := &b.Rewrites
	r.Reassociate, r.NoSignedZeros, r.Reciprocal = coin(a.Rewrites.Reassociate), coin(a.Rewrites.NoSignedZeros), coin(a.Rewrites.Reciprocal)
	r.NoNaNs, r.NoInfs = coin(a.Rewrites.NoNaNs), coin(a.Rewrites.NoInfs)
	if most := slices.Index(Orders, a.Order); rng.Below(2) == 0 && most > 0 {
		b.Order = Orders[1+rng.Below(most)]
	}
	widths := d.Widths
	if a.SIMDWidth != 0 {
		widths = append(slices.Clone(widths), a.SIMDWidth)
	}
	if coin(len(widths) > 0) {
		b.SIMDWidth = widths[rng.Below(max(len(widths), 1))]
	}
	b.ULP, b.Poison = coin(a.ULP), coin(a.Poison)
	if !b.Plain() && rng.Below(3) > 0 { // seed 0 takes every liberty: all that may be fused is
		b.Seed = rng.Next() >> 48
	}
	return b
}

// Findings parts what d's checkers found in a run of who from the error of the run, and adds it to all. A run that used up its steps broke,
// unless a law judges the findings. d is nil for Go functions, which are not checked.
func (d *DeviceClaim) Findings(who string, err error, judged bool, all *model.Findings) error {
	if d == nil {
		return err
	}
	found, err := SplitFindings(err)
	*all = append(*all, found...)
	if b := verdict.Endless(who, found); b != nil && err == nil && !judged {
		return b
	}
	return err
}

// SplitFindings parts what a device's checkers found from what else an error says.
func SplitFindings(err error) (found model.Findings, rest error) {
	switch e := err.(type) { //nolint:errorlint // each link of the chain is looked at
	case nil:
		return nil, nil
	case model.Findings:
		return e, nil
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			f, r := SplitFindings(one)
			found = append(found, f...)
			if r != nil && rest == nil {
				rest = r
			}
		}
		return found, rest
	case interface{ Unwrap() error }:
		if f, r := SplitFindings(e.Unwrap()); len(f) > 0 && r == nil {
			return f, nil
		}
	}
	return nil, err
}
