package device

import (
	"fmt"
	"testing"

	"gamma/metal"
	"gamma/metal/msl/ranges"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props"
	"gamma/props/internal/devices"
)

// NTT is a shader that computes number-theoretic transforms. Set Name, Source, Claim and Plan; the rest has defaults.
type NTT struct {
	// Name is file and kernels, such as "myntt.metal#stages"; reports and case files use it.
	Name string
	// Source is the text of the shader, Options what it is compiled with and Constants its function constants. shaders.Headers has
	// device functions to include.
	Source    string
	Options   metal.CompileOptions
	Constants metal.FunctionConstants
	// Device is what it runs on. Nil: every device that -gamma.device chooses; Props then takes a simulator that checks everything.
	Device metal.Device

	// Claim is what the kernels promise.
	Claim modular.TransformClaim
	// Plan makes host code for one transform: it refuses what is not claimed, and computes factors.
	Plan func(t modular.Transform) (HostTransforms, error)

	// Facts says what the host code binds to each kernel, by its name: constants, and how large the words of arrays are that it reads.
	// It is then proved, from the kernels' code, that no word leaves its type up to the claim's greatest modulus; a claim for which that
	// fails is refused, with the place and the greatest modulus that can be claimed. Nil: nothing is proved, and words are watched.
	Facts func(q uint64) map[string]ranges.Facts

	// Admits is what the claim allows the device; nil: every order of threads, and junk in memory that nobody wrote: what else a device
	// may do changes no integer. A device of hardware behaves as it does.
	Admits *model.Behaviour
	// Widths are the sizes of a simdgroup that are drawn. Nil: 4 to 64, unless Admits is set.
	Widths []int
	// Launches returns the launches to draw for n points. Nil: a thread for each butterfly of a stage, in threadgroups of several sizes.
	Launches func(n int) []model.Launch
	// Fits says why a launch cannot run transforms of n points. Nil: those of Launches can, and without these each with a thread for each butterfly.
	Fits func(n int, l model.Launch) error
	// MaxN is the most points to draw. 0: 256.
	MaxN int

	// Laws are theorems of the user's own.
	Laws []props.NTTLaw
}

// HostTransforms is host code for one transform: each function allocates, binds, dispatches and reads. A function that is nil is not
// offered. Lengths are theirs to check. Words are as in modular.Transforms: uint64, whatever the width in the shader.
type HostTransforms struct {
	Root             uint64 // the root taken, if the claim says OwnRoot
	Forward, Inverse func(r *Run, dst, src []uint64) error
	Product          func(r *Run, dst, a, b []uint64) error
}

func (n NTT) device() metal.Device { return n.Device }

func (n NTT) inFast() literal[props.NTT] { return n }

func (NTT) both() bool { return false } // no math mode changes an integer

func (n NTT) open(dev metal.Device) (props.NTT, error) {
	n.Device = dev
	s := &shader{
		kind: "NTT", name: n.Name, source: n.Source, options: n.Options, constants: n.Constants, dev: n.Device,
		admits: n.Admits, widths: n.Widths, strict: true, launches: n.Launches, fits: n.Fits, maxN: n.MaxN,
	}
	if n.Plan == nil {
		return props.NTT{}, fmt.Errorf("device: NTT %s has no Plan; set it to the host code of a transform", n.Name)
	}
	if err := s.open(1); err != nil {
		return props.NTT{}, err
	}
	if n.Facts != nil {
		if err := n.proved(); err != nil {
			return props.NTT{}, err
		}
	}
	if s.maxN == 0 {
		s.maxN = devices.MaxNTT
	}
	if s.fits == nil && s.launches == nil {
		s.fits = threadAButterfly
	}
	if s.launches == nil {
		s.launches = func(n int) []model.Launch { return rowLaunches(max(n/2, 1)) }
	}
	if s.admits == nil {
		s.admits = &model.Behaviour{Order: "accesses", Poison: true}
		if s.widths == nil {
			s.widths = defaultWidths
		}
	}
	d := s.conditions()
	d.Cost = devices.CostNTT
	return props.NTT{
		Name: n.Name, Claim: n.Claim, Device: d, Laws: n.Laws,
		PlanOn: func(at props.Setting, t modular.Transform) (k modular.Transforms, err error) {
			h, err := n.Plan(t)
			if err != nil {
				return k, err
			}
			one := func(f func(r *Run, dst, src []uint64) error) func(dst, src []uint64) error {
				if f == nil {
					return nil
				}
				return func(dst, src []uint64) error {
					return s.run(at, t.N, func(r *Run) error { return f(r, dst, src) })
				}
			}
			k = modular.Transforms{Root: h.Root, Forward: one(h.Forward), Inverse: one(h.Inverse)}
			if h.Product != nil {
				k.Product = func(dst, a, b []uint64) error {
					return s.run(at, t.N, func(r *Run) error { return h.Product(r, dst, a, b) })
				}
			}
			return k, nil
		},
	}, nil
}

func threadAButterfly(n int, l model.Launch) error {
	if t := l.Groups.X * l.Groups.Y * l.Groups.Z * l.Threads.X * l.Threads.Y * l.Threads.Z; t < n/2 {
		return fmt.Errorf("launch %s: %d threads for %d butterflies of a stage; launch one each, or set Fits", l, t, n/2)
	}
	return nil
}

// Check judges the shader, as props.NTT.Check does.
func (n NTT) Check(t *testing.T) {
	t.Helper()
	check(t, n)
}

// Fuzz judges the shader on cases that Go's fuzzer makes.
func (n NTT) Fuzz(f *testing.F) {
	f.Helper()
	fuzz(f, n)
}

// Replay judges the cases on file alone.
func (n NTT) Replay(t *testing.T) {
	t.Helper()
	replay(t, n)
}
