package props

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
)

// hardwareOrder is why the law of schedules says nothing on hardware.
const hardwareOrder = "the device is hardware: it chooses the order of threads, and none can be asked for"

// onHardware reports whether a subject runs on hardware; d may be nil.
func (d *Device) onHardware() bool { return d != nil && d.Hardware }

// own returns the arithmetic of hardware, under which all its cases run. Order, junk and what is drawn from a seed are not imposed and
// so not named; nor is the size of a simdgroup, which is the device's.
func (d *Device) own() model.Behaviour {
	a := &d.Admits
	return model.Behaviour{Rounding: a.Rounding, Flush: a.Flush, Flush16: a.Flush16, Contract: a.Contract, Rewrites: a.Rewrites, ULP: a.ULP}
}

// setting returns what a case runs under that asks for at: on hardware the device's own arithmetic. d may be nil.
func (d *Device) setting(at Setting) Setting {
	if d.onHardware() {
		at.Behaviour = d.own()
	}
	return at
}

// ofResidues returns d for a subject that computes with integers alone: no arithmetic of floating point changes them, so that on hardware
// every case is as under the plain one.
func (d Device) ofResidues() *Device {
	if d.residues = true; d.Hardware {
		d.Admits = model.Behaviour{Order: d.Admits.Order, SIMDWidth: d.Admits.SIMDWidth}
	}
	return &d
}

// leftOut says why hardware cannot run a case under its behaviour, so that it is left out; "" if it can, or d is nil or no hardware.
// Order, seed, poison and the errors of library functions are the device's to choose, and no reason. Where the source forbids contraction
// and rewrites they change nothing.
func (d *Device) leftOut(b model.Behaviour) string {
	if !d.onHardware() {
		return ""
	}
	if d.residues {
		return d.wrongWidth(b)
	}
	own := d.own()
	needs := func(what, is string) string {
		return fmt.Sprintf("the case needs %s, and the device has %s", what, is)
	}
	switch {
	case b.Rounding != own.Rounding:
		return needs("rounding "+b.Rounding.String(), own.Rounding.String())
	case b.Flush != own.Flush:
		return needs("flushing "+b.Flush.String(), own.Flush.String())
	case b.Flush16 != own.Flush16:
		return needs("flushing "+b.Flush16.String()+" of 16-bit formats", own.Flush16.String())
	case b.Contract != own.Contract && !d.Strict:
		return needs("contraction "+b.Contract.String(), own.Contract.String())
	case b.Rewrites != own.Rewrites && !d.Strict:
		return "the case needs the compiler to rewrite as another math mode does"
	}
	return d.wrongWidth(b)
}

// wrongWidth says that a case needs simdgroups that hardware does not have, or "". Of residues it is all that can be missing: no
// arithmetic of floating point changes them.
func (d *Device) wrongWidth(b model.Behaviour) string {
	if d.onHardware() && b.SIMDWidth != 0 && b.SIMDWidth != d.Admits.SIMDWidth {
		return fmt.Sprintf("the case needs simdgroups of %d threads, and the device has %d", b.SIMDWidth, d.Admits.SIMDWidth)
	}
	return ""
}

// kept returns the predicate of a reduction on hardware: it leaves the behaviour as it is, since every case runs under the same.
func (d *Device) kept(was *corpus.Case, fails func(*corpus.Case) bool) func(*corpus.Case) bool {
	if !d.onHardware() {
		return fails
	}
	return func(c *corpus.Case) bool { return c.Behaviour == was.Behaviour && fails(c) }
}

// leftOutOf is leftOut, or says that hardware cannot launch n elements so.
func (d *Device) leftOutOf(at Setting, n int) string {
	why := d.leftOut(at.Behaviour)
	if why == "" && d.onHardware() && d.Fits != nil {
		if err := d.Fits(n, at.Launch); err != nil {
			why = "the launch cannot be: " + err.Error()
		}
	}
	return why
}

// leaveOut counts cases on file, or rows, that hardware cannot run.
func (s *lawStats) leaveOut(why string, n int) {
	if s.LeftOut == nil {
		s.LeftOut = map[string]int{}
	}
	s.LeftOut[why] += n
}

// replayedLine says how many things on file were replayed, and why others were not.
func (s *SubjectSummary) replayedLine(what string) string {
	out, n := map[string]int{}, 0
	for _, l := range s.Laws {
		n += l.Replayed
		for why, k := range l.LeftOut {
			out[why] += k
		}
	}
	text := fmt.Sprintf("replayed %s on file", plural(n, what))
	for _, why := range slices.Sorted(maps.Keys(out)) {
		text += fmt.Sprintf("; left out %s: %s", plural(out[why], what), why)
	}
	return text
}

// refused reports whether an error is a device's refusal to run a kernel at all.
func refused(err error) bool {
	var r interface {
		error
		Refused() bool
	}
	return errors.As(err, &r) && r.Refused()
}

// excused reports whether hardware is why a law says too little: its arithmetic is not the plain one, so that hypotheses are never met. It
// says so in the log, and skips the test of a kernel that the device refuses.
func (s *lawStats) excused(t TB, d *Device) bool {
	t.Helper()
	if !d.onHardware() || !s.tooVacuous() {
		return false
	}
	reason := s.commonReason()
	if 2*s.refusals > s.Vacuous {
		t.Skipf("on %s %s", d.where(), reason)
	}
	if d.own().Plain() {
		return false
	}
	t.Logf("%s judged %d of %d cases: it says little on %s, whose arithmetic is %s; in the others a hypothesis was not met, most often: %s",
		s.Law, s.Holds, s.Cases, d.text(), d.own(), reason)
	return true
}

// where returns the kind of device that a subject runs on, "cpu" for Go functions; d is nil for these.
func (d *Device) where() string {
	switch {
	case d == nil:
		return "cpu"
	case d.Kind == "":
		return "sim"
	}
	return d.Kind
}

// text names hardware with its detail, and nothing else.
func (d *Device) text() string {
	switch {
	case !d.onHardware():
		return ""
	case d.Detail == "":
		return d.where()
	}
	return d.where() + ": " + d.Detail
}

// foundOn is the comment in a case that names the hardware that showed it, if it was hardware.
func foundOn(device string) []string {
	if device == "" {
		return nil
	}
	return []string{"Found on " + strings.Join(strings.Fields(device), " ") + "."}
}
