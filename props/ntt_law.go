package props

import (
	"slices"

	"gamma/model/modular"
)

// NTTLaw is a law about number-theoretic transforms. It looks at one transform and its inputs, and runs the kernel as often as it
// needs through the case. It is exact: residues are compared as integers.
type NTTLaw = LawOf[*NTTCase, modular.TransformClaim]

var nttLaws = slices.Concat(valueLawsNTT, rangeLawsNTT, foundLaws[*NTTCase, modular.TransformClaim]("random", "sparse"), deviceLawsNTT)

// NTTLaws returns the built-in laws of transforms.
func NTTLaws() []NTTLaw { return slices.Clone(nttLaws) }

// applies says why a law has nothing to say about the transform, and "" if it has.
func (s *nttSubject) applies(l *NTTLaw) string {
	if why := l.about(s.device); why != "" || l.Found != nil || l.Hardware {
		return why
	}
	return l.appliesTo(&s.claim)
}
