package transforms

import (
	"fmt"

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
	Calls  *engine.Calls // what guards the calls of Plan, and of the functions that it returns
}

// calls returns what guards the kernel's calls.
func (s *Subject) calls() *engine.Calls {
	if s.Calls == nil {
		return engine.NewCalls(s.Device)
	}
	return s.Calls
}

// CheckOwnNTTLaws checks the laws that a transform brings itself.
func CheckOwnNTTLaws(own []NTTLaw) error {
	for i := range own {
		l := &own[i]
		_, unknown := engine.LawByID(NTTLaws(), l.ID)
		switch {
		case l.ID == "":
			return fmt.Errorf("law %d of its own has no ID; give it one such as %q", i, "ntt.mine")
		case l.Judge == nil:
			return fmt.Errorf("law %d of its own, %q, has no Judge function", i, l.ID)
		case unknown == nil:
			return fmt.Errorf("law %q of its own has the ID of a built-in law; give it another", l.ID)
		}
		for _, f := range l.Families {
			if nttFamilyByName[f] == nil {
				return fmt.Errorf("law %q of its own draws from family %q, which there is not; props.NTTFamilies lists those there are", l.ID, f)
			}
		}
	}
	return nil
}

// accepts says why the transform cannot run a case.
func (s *Subject) accepts(t modular.Transform, at verdict.Setting) error {
	switch d := s.Device; {
	case d != nil:
		if err := d.Accepts(t.N, at); err != nil {
			return fmt.Errorf("props: a case for %s: %w", s.Name, err)
		}
	case at != (verdict.Setting{}):
		return fmt.Errorf("props: a case for %s has a behaviour or a launch, and it runs on no device", s.Name)
	}
	return nil
}
