package transforms

import (
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
	return s.Device.Runs("a case for "+s.Name, t.N, at)
}
