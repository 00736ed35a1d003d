package vectors

import (
	"slices"

	"gamma/model"
)

// noteFound notes what the checkers found in the failing runs, or else, since they do not see every fault in every order of threads, in
// a run of the same case under the plain behaviour.
func (f *Failure) noteFound(t *Trial) {
	f.Found = slices.Clone(t.Met)
	d := t.sub.Device
	if len(f.Found) > 0 || d == nil || !d.Checked || d.OnHardware() || f.Case == nil || f.Case.Behaviour.Plain() {
		return
	}
	c := *f.Case
	c.Behaviour = model.Behaviour{}
	plain := NewTrial(t.sub)
	plain.Judge(&f.Law, &c)
	f.Found, f.foundPlain = slices.Clone(plain.Met), true
}
