package props

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/modular"
)

// NTTLaw is one theorem about number-theoretic transforms as an executable check.
//
// A law looks at one transform and its inputs, and runs the kernel as often as it needs through the case. It is exact: residues
// are compared as integers.
type NTTLaw struct {
	ID model.LawID
	// Statement is the theorem as an equation, in one line.
	Statement string
	// Hypotheses is what must be true of claim and case for Statement to be one.
	Hypotheses string
	// Source says where the theorem stands.
	Source string
	// Kills names planted faults that this law finds on generated cases.
	Kills []string
	// Applies says why the law has nothing to say about a claim, and "" if it has. Nil: applies.
	Applies func(c *modular.TransformClaim) string
	// Families names the families of inputs that the law draws from. Nil: all.
	Families []string
	// Pair: the law wants a second vector, Y.
	Pair bool
	// Judge judges one case.
	Judge func(c *NTTCase) Verdict

	// findings: the law is about what a device's checkers report.
	findings *Law
	// hardware: the law is about runs on hardware; compares: with Device.Reference.
	hardware, compares bool
	// outside: the cases are transforms that may not be claimed.
	outside bool
}

var nttLaws = slices.Concat(valueLawsNTT, rangeLawsNTT, findingLawsNTT, deviceLawsNTT)

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

// findingLawsNTT are the laws of kernels on a device that its checkers decide, for transforms.
var findingLawsNTT = func() []NTTLaw {
	var list []NTTLaw
	for i := range kernelLaws {
		if l := &kernelLaws[i]; l.Findings {
			list = append(list, NTTLaw{
				ID: l.ID, Statement: l.Statement, Hypotheses: l.Hypotheses, Source: l.Source, Kills: l.Kills, findings: l,
				Families: []string{"random", "sparse"},
			})
		}
	}
	return list
}()

// applies says why a law has nothing to say about the transform, and "" if it has.
func (s *nttSubject) applies(l *NTTLaw) string {
	if l.hardware {
		return s.device.onlyHardware(l.compares)
	}
	if l.findings != nil {
		switch {
		case s.device == nil:
			return "the law is one of kernels on a device"
		case !s.device.Checked:
			return "the device has no checkers"
		}
		return ""
	}
	if l.Applies != nil {
		return l.Applies(&s.claim)
	}
	return ""
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
	if l.Judge == nil && l.findings == nil {
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
