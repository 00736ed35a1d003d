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
}

// CheckOwnNTTLaws checks the laws that a transform brings itself.
func CheckOwnNTTLaws(own []NTTLaw) error {
	return engine.CheckOwn(own, BuiltIn, "ntt.mine", func(f string) bool { return nttFamilyByName[f] != nil }, "props.NTTFamilies")
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
