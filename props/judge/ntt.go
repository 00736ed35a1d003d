package judge

import (
	"fmt"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/transforms"
)

// NTT is a number-theoretic transform to be judged. Set Name, Claim and one of Plan and PlanOn.
//
// Plan makes a transform ready for a modulus, a size and a root; the judge keeps what it returns and runs it many times. All words
// of dst and src are uint64 below R = 2^Claim.Bits, whatever the kernel's own width; NTT32 adapts kernels on uint32.
type NTT struct {
	// Name is package and function, such as "ntt.Forward"; reports and case files use it.
	Name string

	// Plan returns the transform, ready to run, or an error that says what about t is not claimed.
	Plan func(t modular.Transform) (modular.Transforms, error)
	// PlanOn is Plan on a device, such as of a shader: what it returns runs as at says. Errors of the functions may be
	// model.Findings, as for Reduction.
	PlanOn func(at Setting, t modular.Transform) (modular.Transforms, error)
	// Device goes with PlanOn. Its numbers of elements are points of a transform, and its Under and Schedule are not for transforms.
	Device DeviceClaim

	// Claim is what the transform promises.
	Claim modular.TransformClaim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []NTTLaw
}

// Subject checks the fields and names the one that is wrong.
func (n NTT) Subject() (*transforms.Subject, error) {
	fail := func(format string, args ...any) (*transforms.Subject, error) {
		return nil, fmt.Errorf("props: NTT %s%w", n.Name, fmt.Errorf(format, args...))
	}
	set, err := engine.Chosen(n, "an NTT", "mykernel.NTT", "Plan, or for a device PlanOn", "Plan", "PlanOn")
	if err != nil {
		return nil, err
	}
	if err := n.Claim.Check(); err != nil {
		return fail(": Claim: %w", err)
	}
	if err := transforms.CheckStages(&n.Claim); err != nil {
		return fail(": %w", err)
	}
	s := &transforms.Subject{Name: n.Name, Claim: n.Claim, Plan: n.PlanOn, Laws: n.Laws}
	if err := transforms.CheckOwnNTTLaws(n.Laws); err != nil {
		return fail("%w", err)
	}
	if n.Plan != nil {
		s.Plan = func(_ Setting, t modular.Transform) (modular.Transforms, error) { return n.Plan(t) }
	}
	if s.Device, err = n.Device.OfResidues("PlanOn", set, "a transform"); err != nil {
		return fail("%w", err)
	}
	return s, nil
}
