package transforms

import (
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Subject is what the engines work with: an NTT whose fields are sound.
type Subject struct {
	Name   string
	Claim  modular.TransformClaim
	Plan   func(at verdict.Setting, t modular.Transform) (modular.Transforms, error)
	Device *engine.DeviceClaim
	Laws   []NTTLaw
	Guard  *engine.Guard // what guards the calls of Plan, and of the functions that it returns
}

// calls returns what guards the kernel's calls.
func (s *Subject) calls() *engine.Guard {
	if s.Guard == nil {
		return engine.NewGuard(s.Device)
	}
	return s.Guard
}

// CheckOwnNTTLaws checks the laws that a transform brings itself.
func CheckOwnNTTLaws(own []NTTLaw) error {
	return engine.CheckOwn(own, BuiltIn, "ntt.mine", nttFamilyByName)
}

// accepts says why the transform cannot run a case.
func (s *Subject) accepts(t modular.Transform, at verdict.Setting) error {
	return s.Device.Runs("a case for "+s.Name, t.N, at)
}

// NTTLaw is a law about number-theoretic transforms. It looks at one transform and its inputs, and runs the kernel as often as it
// needs through the case. It is exact: residues are compared as integers.
type NTTLaw = engine.LawOf[*NTTCase, modular.TransformClaim]

// BuiltIn holds the built-in laws.
var BuiltIn = engine.BuiltIn(valueLawsNTT, rangeLawsNTT, stateLawsNTT, engine.FoundLaws[*NTTCase, modular.TransformClaim]("random", "sparse"), deviceLawsNTT)

// NTTLaws returns the built-in laws of transforms.
func NTTLaws() []NTTLaw { return slices.Clone(BuiltIn) }

// Applies says why a law has nothing to say about the transform, and "" if it has.
func (s *Subject) Applies(l *NTTLaw) string {
	return l.AboutClaim(s.Device, &s.Claim)
}
