package verdict

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
	// KernelEnvironment: it left the thread rounding, flushing or trapping otherwise than before. It was put back.
	KernelEnvironment
	// KernelEndless: the device stopped it after more steps than any kernel needs.
	KernelEndless
	// KernelHung: it did not return in time, and its process was ended.
	KernelHung
	// NotRun: other inputs have hung for so long that this one was not run, and nothing is said of it.
	NotRun
	// KernelDied: its process ended.
	KernelDied
	// LawPanicked and ClaimPanicked: the kernel was not judged, and is not to blame.
	LawPanicked
	ClaimPanicked
	// DeviceRefused: the device does not run the kernel at all, so that nothing is said of it.
	DeviceRefused
	// MayOverflow: the case is vacuous since a step may overflow.
	MayOverflow
	// NotClaimed: the case is vacuous since the claim leaves it out, whatever else the law asks.
	NotClaimed
)

// Isolated reports whether only another process survives what happened.
func (c Cause) Isolated() bool { return c == KernelHung || c == KernelDied }

// Settles reports whether what happened is one fault of the kernel under every law, so that no other law has to find it again.
func (c Cause) Settles() bool { return c == KernelHung || c == KernelEnvironment }

// Breakage is a run of a kernel that gave no result: what happened, in a sentence, and the stack of a panic. It is an error that
// passes through the Run functions of subjects, and between processes.
type Breakage struct {
	Cause  Cause
	Reason string
	Stack  string
}

func (b *Breakage) Error() string { return b.Reason }

// Broke returns a breakage.
func Broke(c Cause, format string, args ...any) *Breakage {
	return &Breakage{Cause: c, Reason: fmt.Sprintf(format, args...)}
}

// Panicked returns the breakage of a panic, with the stack of the goroutine that calls it.
func Panicked(c Cause, format string, args ...any) *Breakage {
	b := Broke(c, format, args...)
	b.Stack = string(debug.Stack())
	return b
}

// Catch ends a judgement, deferred: it makes a verdict of a panic, which may be a breakage, and names the law.
func Catch(v *Verdict, law model.LawID, c Cause, format string) {
	switch p := recover().(type) {
	case nil:
	case *Breakage:
		*v = Breaks(p)
	default:
		*v = Breaks(Panicked(c, format, p))
	}
	v.Law = law
}

// Spoilt returns the breakage of a kernel that wrote where it must not, or returned what is no result.
func Spoilt(format string, args ...any) *Breakage { return Broke(KernelSpoilt, format, args...) }

// On returns the breakage with the device where it happened.
func (b *Breakage) On(device string) *Breakage {
	c := *b
	c.Reason = fmt.Sprintf("on %s: %s", device, b.Reason)
	return &c
}

// BreakageOf returns what an error of a run of who, "the kernel" for instance, says of it: nil for no error.
func BreakageOf(who string, err error) *Breakage {
	var b *Breakage
	switch {
	case err == nil:
		return nil
	case errors.As(err, &b):
		return b
	case Refused(err):
		return Broke(DeviceRefused, "the device refuses the kernel: %v", err)
	}
	return Broke(KernelFailed, "%s returned an error: %v", who, err)
}

// Endless returns the breakage of a run in which a device's checkers found that who used up its steps, nil if they did not.
func Endless(who string, found []model.Finding) *Breakage {
	if f := StepsFinding(found); f != nil {
		return Broke(KernelEndless, "%s did not end: %s", who, f)
	}
	return nil
}

// StepsFinding returns the finding that the kernel used up its steps, nil if it did not.
func StepsFinding(found []model.Finding) *model.Finding {
	for i := range found {
		if found[i].Kind == model.FindingSteps {
			return &found[i]
		}
	}
	return nil
}

// Refused reports whether an error is a device's refusal to run a kernel at all.
func Refused(err error) bool {
	var r interface {
		error
		Refused() bool
	}
	return errors.As(err, &r) && r.Refused()
}
