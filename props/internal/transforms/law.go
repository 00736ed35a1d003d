package transforms

import (
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/engine"
)

// NTTLaw is a law about number-theoretic transforms. It looks at one transform and its inputs, and runs the kernel as often as it
// needs through the case. It is exact: residues are compared as integers.
type NTTLaw = engine.LawOf[*NTTCase, modular.TransformClaim]

// BuiltIn holds the built-in laws.
var BuiltIn = engine.BuiltIn(valueLawsNTT, rangeLawsNTT, engine.FoundLaws[*NTTCase, modular.TransformClaim]("random", "sparse"), deviceLawsNTT)

// NTTLaws returns the built-in laws of transforms.
func NTTLaws() []NTTLaw { return slices.Clone(BuiltIn) }

// Applies says why a law has nothing to say about the transform, and "" if it has.
func (s *Subject) Applies(l *NTTLaw) string {
	return l.AboutClaim(s.Device, &s.Claim)
}
