package props

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/modular"
)

// NTTLaw is a law about number-theoretic transforms. It looks at one transform and its inputs, and runs the kernel as often as it
// needs through the case. It is exact: residues are compared as integers.
type NTTLaw = LawOf[*NTTCase, modular.TransformClaim]

var nttLaws = slices.Concat(valueLawsNTT, rangeLawsNTT, foundLaws[*NTTCase, modular.TransformClaim]("random", "sparse"), deviceLawsNTT)

// NTTLaws returns the built-in laws of transforms.
func NTTLaws() []NTTLaw { return slices.Clone(nttLaws) }

// NTTLawByID returns the built-in law of transforms called id.
func NTTLawByID(id model.LawID) (NTTLaw, error) {
	for _, l := range nttLaws {
		if l.ID == id {
			return l, nil
		}
	}
	return NTTLaw{}, fmt.Errorf("props: no law of transforms is called %q; props.NTTLaws lists those there are", id)
}

// applies says why a law has nothing to say about the transform, and "" if it has.
func (s *nttSubject) applies(l *NTTLaw) string {
	if why := l.about(s.device); why != "" || l.Found != nil || l.Hardware {
		return why
	}
	return l.appliesTo(&s.claim)
}

// JudgeNTT judges one case: the transform t, of inputs x and y in natural order. A number of x is a residue plus any multiple of
// the modulus, which a lazy kernel gets as far as its range admits it; y is needed where a product is judged. The zero Setting is
// the plain one. It needs no testing package.
func JudgeNTT(l NTTLaw, n NTT, at Setting, t modular.Transform, x, y []uint64) (Verdict, error) {
	none := Verdict{Outcome: Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	s, err := n.ntt()
	if err != nil {
		return none, err
	}
	if !l.judges() {
		return none, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := s.applies(&l); why != "" {
		v := vacuous(why)
		v.Law = l.ID
		return v, nil
	}
	in := &nttInput{at: at, t: t, x: x, y: y}
	trial := newNTTTrial(s)
	if err := trial.accepts(&l, in); err != nil {
		return none, err
	}
	return trial.judge(&l, in), nil
}
