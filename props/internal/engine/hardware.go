package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// HardwareOrder is why the law of schedules says nothing on hardware.
const HardwareOrder = "the device is hardware: it chooses the order of threads, and none can be asked for"

// OnHardware reports whether a subject runs on hardware; d may be nil.
func (d *DeviceClaim) OnHardware() bool { return d != nil && d.Hardware }

// Own returns the arithmetic of hardware, under which all its cases run. Order, junk and what is drawn from a seed are not imposed and
// so not named; nor is the size of a simdgroup, which is the device's.
func (d *DeviceClaim) Own() model.Behaviour {
	a := &d.Admits
	return model.Behaviour{Rounding: a.Rounding, Flush: a.Flush, Flush16: a.Flush16, Contract: a.Contract, Rewrites: a.Rewrites, ULP: a.ULP}
}

// Setting returns what a case runs under that asks for at: on hardware the device's own arithmetic. d may be nil.
func (d *DeviceClaim) Setting(at verdict.Setting) verdict.Setting {
	if d.OnHardware() {
		at.Behaviour = d.Own()
	}
	return at
}

// OfResidues returns d for a subject that computes with integers alone: no arithmetic of floating point changes them, so that on hardware
// every case is as under the plain one. The rest is as for For.
func (d DeviceClaim) OfResidues(on, set, what string) (*DeviceClaim, error) {
	own, err := d.For(on, set, "what a device may do to floating point changes no integer", what)
	if own != nil {
		if own.residues = true; own.Hardware {
			own.Admits = model.Behaviour{Order: own.Admits.Order, SIMDWidth: own.Admits.SIMDWidth}
		}
	}
	return own, err
}

// LeftOut says why hardware cannot run a case under its behaviour, so that it is left out; "" if it can, or d is nil or no hardware.
// Order, seed, poison and the errors of library functions are the device's to choose, and no reason. Where the source forbids contraction
// and rewrites they change nothing.
func (d *DeviceClaim) LeftOut(b model.Behaviour) string {
	if !d.OnHardware() {
		return ""
	}
	if d.residues {
		return d.wrongWidth(b)
	}
	own := d.Own()
	needs := func(what, is string) string {
		return fmt.Sprintf("the case needs %s, and the device has %s", what, is)
	}
	switch {
	case b.Rounding != own.Rounding:
		return needs("rounding "+b.Rounding.String(), own.Rounding.String())
	case !sameNumbers(b.Flush, own.Flush):
		return needs("flushing "+b.Flush.String(), own.Flush.String())
	case !sameNumbers(b.Flush16, own.Flush16):
		return needs("flushing "+b.Flush16.String()+" of 16-bit formats", own.Flush16.String())
	case b.Contract != own.Contract && !d.Strict:
		return needs("contraction "+b.Contract.String(), own.Contract.String())
	case b.Rewrites != own.Rewrites && !d.Strict:
		return "the case needs the compiler to rewrite as another math mode does"
	}
	return d.wrongWidth(b)
}

// sameNumbers reports whether a and b flush the same numbers. Of which sign the zeros are is the device's to choose where its claim leaves it open.
func sameNumbers(a, b model.Flush) bool {
	a.AnySign, b.AnySign = false, false
	return a == b
}

// wrongWidth says that a case needs simdgroups that hardware does not have, or "". Of residues it is all that can be missing: no
// arithmetic of floating point changes them.
func (d *DeviceClaim) wrongWidth(b model.Behaviour) string {
	if d.OnHardware() && b.SIMDWidth != 0 && b.SIMDWidth != d.Admits.SIMDWidth {
		return fmt.Sprintf("the case needs simdgroups of %d threads, and the device has %d", b.SIMDWidth, d.Admits.SIMDWidth)
	}
	return ""
}

// leftOutOf is LeftOut, or says that hardware cannot launch n elements so.
func (d *DeviceClaim) leftOutOf(at verdict.Setting, n int) string {
	why := d.LeftOut(at.Behaviour)
	if why == "" && d.OnHardware() {
		if err := d.Declares(n, at.Launch); err != nil {
			why = "the launch cannot be: " + err.Error()
		}
	}
	return why
}

// leaveOut counts cases on file, or rows, that hardware cannot run.
func (s *LawStats) leaveOut(why string, n int) {
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
	text := fmt.Sprintf("replayed %s on file", report.Plural(n, what))
	for _, why := range slices.Sorted(maps.Keys(out)) {
		text += fmt.Sprintf("; left out %s: %s", report.Plural(out[why], what), why)
	}
	return text
}

// excused reports whether hardware is why a law says too little: its arithmetic is not the plain one, so that hypotheses are never met. It
// says so in the log, and skips the test of a kernel that the device refuses.
func (s *LawStats) excused(t TB, d *DeviceClaim) bool {
	t.Helper()
	if !d.OnHardware() || !s.tooVacuous() {
		return false
	}
	reason := s.commonReason()
	if 2*s.Refusals > s.Vacuous {
		t.Skipf("on %s %s", d.where(), reason)
	}
	if d.Own().Plain() {
		return false
	}
	t.Logf("%s judged %d of %d cases: it says little on %s, whose arithmetic is %s; in the others a hypothesis was not met, most often: %s",
		s.Law, s.Holds, s.Cases, d.text(), d.Own(), reason)
	return true
}

// where returns the kind of device that a subject runs on, "cpu" for Go functions; d is nil for these.
func (d *DeviceClaim) where() string {
	switch {
	case d == nil:
		return "cpu"
	case d.Kind == "":
		return "sim"
	}
	return d.Kind
}

// text names hardware with its detail, and nothing else.
func (d *DeviceClaim) text() string {
	switch {
	case !d.OnHardware():
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

// onlyHardware says why a law of hardware, or one that compares two devices, has nothing to say; d may be nil.
func (d *DeviceClaim) onlyHardware(compares bool) string {
	switch {
	case d == nil:
		return "the law is one of kernels on a device"
	case !d.Hardware:
		return "the law is one of hardware: of a simulator a case says all that happens, and kernel.schedule asks for other orders"
	case compares && d.Reference == "":
		return "there is no device to compare with"
	}
	return ""
}

// foreign says why a case on file of a law of hardware has nothing to say on d, which may be nil; "" for other laws.
func (d *DeviceClaim) foreign(id model.LawID) string {
	switch id {
	case model.DeviceEqual, model.DeviceRepeat, model.DeviceOrder:
		return d.onlyHardware(id == model.DeviceEqual)
	}
	return ""
}

// OnReference returns what a case runs under on the device that it is compared with: the arithmetic, and simdgroups of the size that the
// hardware has.
func (d *DeviceClaim) OnReference(at verdict.Setting) verdict.Setting {
	at.Reference = true
	if at.Behaviour.SIMDWidth == 0 {
		at.Behaviour.SIMDWidth = d.Admits.SIMDWidth
	}
	return at
}

// KindName returns what the device is called in reports.
func (d *DeviceClaim) KindName() string {
	if d.Kind == "" {
		return "the device"
	}
	return d.Kind
}

// insistence is how often a failing case, or the one that -gamma.case names, is judged again under a law of hardware until it fails: its faults
// may be rare.
const insistence = 16

// Insist judges, under a law of hardware until the case fails or has passed often.
func Insist(hardware bool, judge func() verdict.Verdict) verdict.Verdict {
	v := judge()
	for i := 0; i < insistence && hardware && !v.Fails(); i++ {
		v = judge()
	}
	return v
}

// DrawSetting is Draw, from a seed.
func (d *DeviceClaim) DrawSetting(n int, seed uint64) verdict.Setting {
	rng := draw.Splitmix(seed)
	return d.Draw(n, &rng)
}
