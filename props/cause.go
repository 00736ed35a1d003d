package props

import (
	"errors"
	"fmt"
	"runtime/debug"

	"gamma/model"
)

// Cause says what a verdict comes of, where that is more than the statement being true or false. Engines, reports and
// statistics act on it; the sentence for people is Verdict.Reason.
type Cause uint8

const (
	// CauseStatement: the statement of the law is true, false, or not met by the case.
	CauseStatement Cause = iota
	// KernelPanicked, and Verdict.Stack has its calls.
	KernelPanicked
	// KernelFailed: it returned an error.
	KernelFailed
	// KernelSpoilt: it changed its input, wrote outside of its output, or returned what is no result at all.
	KernelSpoilt
	// KernelEndless: the device stopped it after more steps than any kernel needs.
	KernelEndless
	// KernelHung: it did not return in time, and its process was ended.
	KernelHung
	// KernelDied: its process ended.
	KernelDied
	// LawPanicked and ClaimPanicked: the kernel was not judged, and is not to blame.
	LawPanicked
	ClaimPanicked
	// DeviceRefused: the device does not run the kernel at all, so that nothing is said of it.
	DeviceRefused
	// MayOverflow: the case is vacuous since a step may overflow.
	MayOverflow
)

// isolated reports whether only another process survives what happened.
func (c Cause) isolated() bool { return c == KernelHung || c == KernelDied }

// breakage is a run of a kernel that gave no result: what happened, in a sentence, and the stack of a panic. It is an error that
// passes through the Run functions of subjects, and between processes.
type breakage struct {
	Cause  Cause
	Reason string
	Stack  string
}

func (b *breakage) Error() string { return b.Reason }

// broke returns a breakage.
func broke(c Cause, format string, args ...any) *breakage {
	return &breakage{Cause: c, Reason: fmt.Sprintf(format, args...)}
}

// panicked returns the breakage of a panic, with the stack of the goroutine that calls it.
func panicked(c Cause, format string, args ...any) *breakage {
	b := broke(c, format, args...)
	b.Stack = string(debug.Stack())
	return b
}

// spoilt returns the breakage of a kernel that wrote where it must not, or returned what is no result.
func spoilt(format string, args ...any) *breakage { return broke(KernelSpoilt, format, args...) }

// on returns the breakage with the device where it happened.
func (b *breakage) on(device string) *breakage {
	c := *b
	c.Reason = fmt.Sprintf("on %s: %s", device, b.Reason)
	return &c
}

// breakageOf returns what an error of a run of who, "the kernel" for instance, says of it: nil for no error.
func breakageOf(who string, err error) *breakage {
	var b *breakage
	switch {
	case err == nil:
		return nil
	case errors.As(err, &b):
		return b
	case refused(err):
		return broke(DeviceRefused, "the device refuses the kernel: %v", err)
	}
	return broke(KernelFailed, "%s returned an error: %v", who, err)
}

// endless returns the breakage of a run in which a device's checkers found that who used up its steps, nil if they did not.
func endless(who string, found []model.Finding) *breakage {
	if f := stepsFinding(found); f != nil {
		return broke(KernelEndless, "%s did not end: %s", who, f)
	}
	return nil
}

// stepsFinding returns the finding that the kernel used up its steps, nil if it did not.
func stepsFinding(found []model.Finding) *model.Finding {
	for i := range found {
		if found[i].Kind == model.FindingSteps {
			return &found[i]
		}
	}
	return nil
}
