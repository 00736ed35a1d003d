package device

import (
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/sumtree"
)

// Reduction is a shader that sums. Set Name, Source and Function; the rest has defaults.
type Reduction struct {
	// Name is file and kernel, such as "mysum.metal#sum"; reports and case files use it.
	Name string
	// Source is the text of the shader, Function the kernel's name in it, and Constants its function constants.
	Source   string
	Function string
	// Options are what it is compiled with, in math mode safe unless they say so. BothModes: the claim has to hold in math mode fast, too, which is Metal's
	// default, under all that it allows a compiler; without it a few cases are judged so, and the summary line says which law fails.
	Options   metal.CompileOptions
	BothModes bool
	Constants metal.FunctionConstants
	// Device is what it runs on. Nil: every device that -gamma.device chooses; Props then takes a simulator that checks everything.
	Device metal.Device

	// Claim is what the kernel promises. Its leaves are in Claim.In; the zero value means binary32.
	Claim model.Claim
	// Admits is what the claim allows the device; nil: the most that the specification allows under Options.MathMode. A device of hardware behaves as it does.
	Admits *model.Behaviour
	// Widths are the sizes of a simdgroup that are drawn. Nil: 4 to 64. No widths: the device's own.
	Widths []int
	// Strict says that contraction and rewrites change nothing, by the source's pragmas: tree and bits are then claimed under
	// them too.
	Strict bool
	// HostCopies says that Host moves bits and computes nothing: no sum, product or conversion is made in Go, which rounds to nearest. Nil hosts
	// compute nothing.
	HostCopies bool
	// Launches returns the launches to draw for n leaves. Nil: one threadgroup of 1, 2, 8, 32, 64 or 256 threads.
	Launches func(n int) []model.Launch
	// Fits says why a launch cannot run n leaves. Nil: those of Launches can, and without these one threadgroup of any size.
	Fits func(n int, l model.Launch) error
	// Schedule returns the tree that the kernel follows in a launch. Nil: Claim.Tree says it, or any order is right.
	Schedule func(n int, l model.Launch) *sumtree.Tree
	// MaxN is the longest vector to draw. 0: 1100.
	MaxN int

	// Host allocates, binds, dispatches and reads. Nil: the arguments of Function are bound by their types: the read-only
	// array is the leaves, the other array takes the result in its first element, a scalar constant is n, and
	// threadgroup memory has an element a thread. An integer that is called inc and the leaves' name, as BLAS has incx, is how far neighbours lie apart:
	// the shader is then judged with memory between them.
	Host func(r *Run, x []float32) (float32, error)
	// HostBits is Host for leaves in 16 bits, and returns an encoding of Claim.Out.
	HostBits func(r *Run, x []uint16) (uint64, error)
	// HostTree is Host for a kernel that follows the schedule it is given.
	HostTree func(r *Run, t *sumtree.Tree, x []float32) (float32, error)
	// HostStrided is Host for leaves of which neighbours lie incx apart: r.N leaves x[0], x[incx], x[2·incx], …
	HostStrided func(r *Run, x []float32, incx int) (float32, error)

	// Laws are theorems of the user's own.
	Laws []props.Law
}

func (r Reduction) shader() *shader {
	return &shader{
		kind: "Reduction", name: r.Name, source: r.Source, function: r.Function, options: r.Options, constants: r.Constants, dev: r.Device,
		claim: r.Claim, admits: r.Admits, widths: r.Widths, strict: r.Strict,
		copies: r.HostCopies || r.Host == nil && r.HostBits == nil && r.HostTree == nil && r.HostStrided == nil, launches: r.Launches, fits: r.Fits, schedule: r.Schedule, maxN: r.MaxN,
		both: r.BothModes, inFast: func() (props.Subject, error) { return r.inFast().open(r.Device) },
	}
}

func (r Reduction) device() metal.Device { return r.Device }

func (r Reduction) inFast() literal[props.Reduction] {
	fastMode(&r.Name, &r.Options, &r.Admits, &r.Widths, &r.Strict)
	return r
}

func (r Reduction) both() bool { return r.BothModes && r.Options.MathMode != metal.MathFast }

func (r Reduction) open(dev metal.Device) (props.Reduction, error) {
	r.Device = dev
	s := r.shader()
	hosts := 0
	for _, set := range []bool{r.Host != nil, r.HostBits != nil, r.HostTree != nil, r.HostStrided != nil} {
		if set {
			hosts++
		}
	}
	if err := s.open(hosts); err != nil {
		return props.Reduction{}, err
	}
	p := props.Reduction{Name: r.Name, Claim: s.claim, Laws: r.Laws, Device: s.conditions()}
	switch {
	case r.HostTree != nil:
		p.RunTreeOn = func(at props.Setting, t *sumtree.Tree, x []float32) (v float32, err error) {
			err = s.run(at, len(x), func(run *Run) error {
				v, err = r.HostTree(run, t, x)
				return err
			})
			return v, err
		}
	case r.HostBits != nil:
		p.RunBitsOn = func(at props.Setting, x []uint16) (v uint64, err error) {
			err = s.run(at, len(x), func(run *Run) error {
				v, err = r.HostBits(run, x)
				return err
			})
			return v, err
		}
	case r.Host != nil:
		p.RunOn = func(at props.Setting, x []float32) (v float32, err error) {
			err = s.run(at, len(x), func(run *Run) error {
				v, err = r.Host(run, x)
				return err
			})
			return v, err
		}
	case r.HostStrided != nil:
		p.RunStridedOn = func(at props.Setting, n int, x []float32, incx int) (v float32, err error) {
			err = s.run(at, n, func(run *Run) error {
				v, err = r.HostStrided(run, x, incx)
				return err
			})
			return v, err
		}
	default:
		b, err := s.binding(1)
		switch {
		case err != nil:
			return props.Reduction{}, err
		case b.increments == nil && s.narrow():
			p.RunBitsOn = func(at props.Setting, x []uint16) (uint64, error) { return b.call(at, len(x), nil, x) }
		case b.increments == nil:
			p.RunOn = func(at props.Setting, x []float32) (float32, error) { return float(b.call(at, len(x), nil, Floats(x))) }
		case s.narrow():
			p.RunBitsStridedOn = func(at props.Setting, n int, x []uint16, incx int) (uint64, error) {
				return b.call(at, n, []int{incx}, x)
			}
		default:
			p.RunStridedOn = func(at props.Setting, n int, x []float32, incx int) (float32, error) {
				return float(b.call(at, n, []int{incx}, Floats(x)))
			}
		}
	}
	return p, nil
}

// Check judges the shader, as props.Reduction.Check does.
func (r Reduction) Check(t *testing.T) {
	t.Helper()
	check(t, r)
}

// Fuzz judges the shader on cases that Go's fuzzer makes.
func (r Reduction) Fuzz(f *testing.F) {
	f.Helper()
	fuzz(f, r)
}

// Replay judges the cases on file alone.
func (r Reduction) Replay(t *testing.T) {
	t.Helper()
	replay(t, r)
}
