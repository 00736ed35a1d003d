package device

import (
	"fmt"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props"
	"gamma/props/internal/devices"
)

// FFT is a shader that computes discrete Fourier transforms. Set Name, Source and Host; the rest has defaults.
type FFT struct {
	// Name is file and kernels, such as "myfft.metal#stages"; reports and case files use it.
	Name string
	// Source, Options, BothModes, Constants and Device are as those of Reduction.
	Source    string
	Options   metal.CompileOptions
	BothModes bool
	Constants metal.FunctionConstants
	Device    metal.Device

	// Claim is what the kernels promise. The zero value: both directions of any power of two in binary32, the inverse with 1/N, with errors of independent roundings. What
	// a behaviour flushes is taken from the claim; under rounding toward zero, and where rewrites are allowed and Strict is not set, only laws of kernels are judged.
	Claim fourier.Claim
	// Host computes the factors, allocates, binds, dispatches and reads: c says which transform, and has the arrays src and dst.
	Host func(r *Run, c *props.FFTCall) error
	// Twiddles returns the factors exp(-2πi·k/n), k = 0, 1, …, that Host takes, for law fft.twiddle to judge. Nil: they are not judged by themselves.
	Twiddles func(n int) []complex128

	// Admits, Widths and Strict are as those of Reduction; nil Admits leaves out roundings other than to nearest.
	Admits *model.Behaviour
	Widths []int
	Strict bool
	// Launches returns the launches to draw for n points. Nil: a thread for each butterfly of a stage, in threadgroups of several sizes.
	Launches func(n int) []model.Launch
	// Fits says why a launch cannot run transforms of n points. Nil: those of Launches can, and without these each with a thread for each butterfly.
	Fits func(n int, l model.Launch) error
	// MaxN is the most points to draw. 0: 256.
	MaxN int

	// Laws are theorems of the user's own.
	Laws []props.FFTLaw
}

func (f FFT) device() metal.Device { return f.Device }

func (f FFT) inFast() literal[props.FFT] {
	own := f.Admits != nil
	fastMode(&f.Name, &f.Options, &f.Admits, &f.Widths, &f.Strict)
	if !own {
		f.Admits.Rounding = model.NearestEven
	}
	return f
}

func (f FFT) both() bool { return f.BothModes && f.Options.MathMode != metal.MathFast }

func (f FFT) open(dev metal.Device) (props.FFT, error) {
	f.Device = dev
	s := &shader{
		kind: "FFT", name: f.Name, source: f.Source, options: f.Options, constants: f.Constants, dev: f.Device,
		admits: f.Admits, widths: f.Widths, strict: f.Strict, launches: f.Launches, fits: f.Fits, maxN: f.MaxN,
		both: f.BothModes, inFast: func() (props.Subject, error) { return f.inFast().open(f.Device) },
	}
	if f.Host == nil {
		return props.FFT{}, fmt.Errorf("device: FFT %s has no Host; set it to the host code of a transform", f.Name)
	}
	if err := s.open(1); err != nil {
		return props.FFT{}, err
	}
	if s.maxN == 0 {
		s.maxN = devices.MaxFFT
	}
	if s.fits == nil && s.launches == nil {
		s.fits = threadAButterfly
	}
	if s.launches == nil {
		s.launches = func(n int) []model.Launch { return rowLaunches(max(n/2, 1)) }
	}
	if s.admits == nil {
		b := widestBehaviour(s.options.MathMode)
		b.Rounding = model.NearestEven
		s.admits = &b
		if s.widths == nil {
			s.widths = defaultWidths
		}
	}
	d := s.conditions()
	d.Cost = devices.CostFFT
	return props.FFT{
		Name: f.Name, Claim: f.Claim, Device: d, Twiddles: f.Twiddles, Laws: f.Laws,
		CallOn: func(at props.Setting, c *props.FFTCall) error {
			return s.run(at, c.N, func(r *Run) error { return f.Host(r, c) })
		},
	}, nil
}

// Check judges the shader, as props.FFT.Check does.
func (f FFT) Check(t *testing.T) {
	t.Helper()
	check(t, f)
}

// Fuzz judges the shader on inputs that Go's fuzzer makes.
func (f FFT) Fuzz(t *testing.F) {
	t.Helper()
	fuzz(t, f)
}

// Replay judges the cases on file alone.
func (f FFT) Replay(t *testing.T) {
	t.Helper()
	replay(t, f)
}
