package device

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/internal/devices"
	"gamma/props/internal/engine"
	"gamma/sumtree"
)

// shader is a kernel's source with what is claimed of it, and once open, the compiled one.
type shader struct {
	kind, name, source, function string
	options                      metal.CompileOptions
	constants                    metal.FunctionConstants
	dev                          metal.Device
	claim                        model.Claim
	admits                       *model.Behaviour
	widths                       []int
	strict, copies               bool
	launches                     func(n int) []model.Launch
	fits                         func(n int, l model.Launch) error
	schedule                     func(n int, l model.Launch) *sumtree.Tree
	maxN                         int
	both                         bool                          // math mode fast is judged apart
	inFast                       func() (props.Subject, error) // the subject in that mode; nil of integers
	runs                         atomic.Uint64                 // on hardware
	library                      metal.Library                 // the source on dev, if it is compiled already

	*built                        // on dev
	beside func() (*built, error) // on the simulator that hardware is compared with
}

// defaultMaxN is the longest vector that is drawn where MaxN does not say.
const defaultMaxN = 1100

// DefaultWidths are the sizes of simdgroups that are drawn.
var defaultWidths = []int{4, 8, 16, 32, 64}

// widestBehaviour returns the most that the specification allows a device for a source compiled in a math mode: rounding to nearest or
// toward zero, flushing of subnormal numbers to zeros of either sign, contraction where no pragma forbids it, any order at every access, library
// functions anywhere inside their limits, junk in memory that nobody wrote, and the rewrites of the mode.
func widestBehaviour(m metal.MathMode) model.Behaviour {
	b := model.Behaviour{
		Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true, Before: true, AnySign: true},
		Contract: model.ContractFast, Order: "accesses", ULP: true, Poison: true,
	}
	if m != metal.MathSafe {
		b.Rewrites = model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true}
	}
	if m == metal.MathFast {
		b.Rewrites.NoNaNs, b.Rewrites.NoInfs = true, true
	}
	return b
}

// open compiles the source and the function.
func (s *shader) open(hosts int) error {
	example := "mysum.metal#sum"
	if s.kind == "Dot" {
		example = "mydot.metal#dot"
	}
	switch {
	case s.name == "":
		return fmt.Errorf("device: a %s has no Name; give it one such as %q, reports and case files need it", s.kind, example)
	case s.source == "":
		return fmt.Errorf("device: %s %s has no Source; set it to the text of the shader", s.kind, s.name)
	case s.function == "" && hosts == 0:
		return fmt.Errorf("device: %s %s has no Function; set it to the name of the kernel, or set Host", s.kind, s.name)
	case hosts > 1:
		return fmt.Errorf("device: %s %s has more than one host function; set one", s.kind, s.name)
	}
	if s.claim.In.IsZero() {
		s.claim.In = model.Binary32
	}
	if s.dev == nil {
		o := sim.Options{Workers: 1, Steps: devices.Steps, ThreadSteps: devices.ThreadSteps}
		o.Behaviour.Fair = s.admits != nil && s.admits.Fair
		s.dev = sim.New(o)
	}
	var err error
	if s.options.FileName == "" { // places in reports then name the source that Name names
		s.options.FileName, _, _ = strings.Cut(s.name, "#")
	}
	if s.built, err = s.build(s.dev); err != nil {
		return fmt.Errorf("device: %s %s: %w", s.kind, s.name, err)
	}
	s.beside = sync.OnceValues(func() (*built, error) { return s.build(devices.Reference(s.dev)) })
	if s.function != "" {
		if _, err := s.pipeline(s.function); err != nil {
			return fmt.Errorf("device: %s %s: %w", s.kind, s.name, err)
		}
	}
	return nil
}

// narrow reports whether the leaves are given as bits.
func (s *shader) narrow() bool { return s.claim.In.Bits() <= 16 }

// conditions returns what the claim holds for.
func (s *shader) conditions() props.DeviceClaim {
	d := props.DeviceClaim{
		Strict: s.strict, HostCopies: s.copies, Launches: s.launches, Fits: s.fits, Schedule: s.schedule, MaxN: s.maxN, MathMode: s.options.MathMode.String(),
	}
	if s.both && s.options.MathMode == metal.MathFast {
		d.MathMode += ", which BothModes asks for"
	}
	if d.MaxN == 0 {
		d.MaxN = defaultMaxN
	}
	if d.Launches == nil {
		if d.Launches = s.oneGroup; d.Fits == nil {
			d.Fits = oneGroupFits
		}
	}
	if s.sim == nil {
		devices.OnHardware(&d, s.dev, widestBehaviour(s.options.MathMode).Rewrites)
		if s.cuda() {
			asCompiled(&d, s.options.MathMode)
		}
		return d
	}
	devices.Describe(&d, s.dev)
	if s.inFast != nil && !s.both && s.options.MathMode != metal.MathFast {
		d.DefaultMode = func() (engine.Subject, error) { return s.inFast() }
	}
	d.Admits, d.Widths = widestBehaviour(s.options.MathMode), s.widths
	if s.admits != nil {
		d.Admits = *s.admits
	} else if d.Widths == nil {
		d.Widths = defaultWidths
	}
	return d
}

// cuda reports whether the source is CUDA C++.
func (s *shader) cuda() bool { return strings.HasSuffix(s.options.FileName, ".cu") }

// asCompiled says of CUDA C++ what NVRTC makes of it: products are fused into additions, and in math mode fast, --use_fast_math, subnormal numbers are flushed and
// quotients and square roots approximate. No simulator runs it, so that there is none to compare with.
func asCompiled(d *props.DeviceClaim, m metal.MathMode) {
	d.Reference, d.Admits.Contract = "", model.ContractFast
	if m == metal.MathFast {
		d.Admits.Flush, d.Admits.ULP = model.Flush{In: true, Out: true, Before: true}, true
	}
}

// oneGroup returns launches of one threadgroup.
func (s *shader) oneGroup(int) []model.Launch {
	most := s.dev.Properties().MaxTotalThreads
	if p := s.pipelines[s.function]; p != nil {
		most = p.MaxTotalThreadsPerThreadgroup()
	}
	var list []model.Launch
	for _, w := range []int{1, 2, 8, 32, 64, 256} {
		if w <= most {
			list = append(list, model.Launch1D(1, w))
		}
	}
	return list
}

// oneGroupFits is the Fits of subjects that declare no launches.
func oneGroupFits(_ int, l model.Launch) error {
	if l.Groups != (model.Size3{X: 1, Y: 1, Z: 1}) {
		return errors.New("a kernel is launched in one threadgroup where Launches is nil; set it, or Fits")
	}
	return nil
}

// run runs host code under a setting. What the checkers found is the error if nothing else is.
func (s *shader) run(at props.Setting, n int, host func(r *Run) error) (err error) {
	r, err := s.newRun(at, n)
	if err != nil {
		return err
	}
	defer r.release()
	if err = host(r); err == nil {
		err = r.finish()
	}
	return r.end(err)
}

// float returns the number of an encoding, with an error beside it.
func float(bits uint64, err error) (float32, error) { return math.Float32frombits(uint32(bits)), err }
