package device

import (
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/sumtree"
)

// Dot is a shader that computes a dot product. Its fields are as those of Reduction; of the arguments that are bound by
// type, the first read-only array is x and the second y.
type Dot struct {
	Name      string
	Source    string
	Function  string
	Options   metal.CompileOptions
	BothModes bool
	Constants metal.FunctionConstants
	Device    metal.Device

	Claim      model.Claim
	Admits     *model.Behaviour
	Widths     []int
	Strict     bool
	HostCopies bool
	Launches   func(n int) []model.Launch
	Fits       func(n int, l model.Launch) error
	Schedule   func(n int, l model.Launch) *sumtree.Tree
	MaxN       int

	Host        func(r *Run, x, y []float32) (float32, error)
	HostBits    func(r *Run, x, y []uint16) (uint64, error)
	HostStrided func(r *Run, x []float32, incx int, y []float32, incy int) (float32, error)

	Laws []props.Law
}

func (d Dot) shader() *shader {
	return &shader{
		kind: "Dot", name: d.Name, source: d.Source, function: d.Function, options: d.Options, constants: d.Constants, dev: d.Device,
		claim: d.Claim, admits: d.Admits, widths: d.Widths, strict: d.Strict,
		copies: d.HostCopies || d.Host == nil && d.HostBits == nil && d.HostStrided == nil, launches: d.Launches, fits: d.Fits, schedule: d.Schedule, maxN: d.MaxN,
		both: d.BothModes, inFast: func() (props.Subject, error) { return d.inFast().open(d.Device) },
	}
}

func (d Dot) device() metal.Device { return d.Device }

func (d Dot) inFast() literal[props.Dot] {
	fastMode(&d.Name, &d.Options, &d.Admits, &d.Widths, &d.Strict)
	return d
}

func (d Dot) both() bool { return d.BothModes && d.Options.MathMode != metal.MathFast }

func (d Dot) open(dev metal.Device) (props.Dot, error) {
	d.Device = dev
	s := d.shader()
	hosts := 0
	for _, set := range []bool{d.Host != nil, d.HostBits != nil, d.HostStrided != nil} {
		if set {
			hosts++
		}
	}
	if err := s.open(hosts); err != nil {
		return props.Dot{}, err
	}
	p := props.Dot{Name: d.Name, Claim: s.claim, Laws: d.Laws, Device: s.conditions()}
	switch {
	case d.HostBits != nil:
		p.RunBitsOn = func(at props.Setting, x, y []uint16) (v uint64, err error) {
			err = s.run(at, len(x), func(run *Run) error {
				v, err = d.HostBits(run, x, y)
				return err
			})
			return v, err
		}
	case d.Host != nil:
		p.RunOn = func(at props.Setting, x, y []float32) (v float32, err error) {
			err = s.run(at, len(x), func(run *Run) error {
				v, err = d.Host(run, x, y)
				return err
			})
			return v, err
		}
	case d.HostStrided != nil:
		p.RunStridedOn = func(at props.Setting, n int, x []float32, incx int, y []float32, incy int) (v float32, err error) {
			err = s.run(at, n, func(run *Run) error {
				v, err = d.HostStrided(run, x, incx, y, incy)
				return err
			})
			return v, err
		}
	default:
		b, err := s.binding(2)
		switch {
		case err != nil:
			return props.Dot{}, err
		case b.increments == nil && s.narrow():
			p.RunBitsOn = func(at props.Setting, x, y []uint16) (uint64, error) { return b.call(at, len(x), nil, x, y) }
		case b.increments == nil:
			p.RunOn = func(at props.Setting, x, y []float32) (float32, error) {
				return float(b.call(at, len(x), nil, Floats(x), Floats(y)))
			}
		case s.narrow():
			p.RunBitsStridedOn = func(at props.Setting, n int, x []uint16, incx int, y []uint16, incy int) (uint64, error) {
				return b.call(at, n, []int{incx, incy}, x, y)
			}
		default:
			p.RunStridedOn = func(at props.Setting, n int, x []float32, incx int, y []float32, incy int) (float32, error) {
				return float(b.call(at, n, []int{incx, incy}, Floats(x), Floats(y)))
			}
		}
	}
	return p, nil
}

// Check judges the shader, as props.Dot.Check does.
func (d Dot) Check(t *testing.T) {
	t.Helper()
	check(t, d)
}

// Fuzz judges the shader on cases that Go's fuzzer makes.
func (d Dot) Fuzz(f *testing.F) {
	f.Helper()
	fuzz(f, d)
}

// Replay judges the cases on file alone.
func (d Dot) Replay(t *testing.T) {
	t.Helper()
	replay(t, d)
}
