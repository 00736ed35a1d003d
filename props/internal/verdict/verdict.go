package verdict

import (
	"fmt"

	"gamma/model"
	"gamma/oracle"
)

// Outcome is how a law judges a case.
type Outcome uint8

const (
	Holds    Outcome = iota // the statement is true
	Violated                // the statement is false: the kernel, the claim or the law is wrong
	Vacuous                 // a hypothesis of the law is not met, so that it says nothing
	Broken                  // the kernel gave no result that can be judged: panic, error, spoilt input
)

var outcomeNames = [...]string{"holds", "violated", "vacuous", "broken"}

// String returns holds, violated, vacuous or broken.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Verdict is a law's judgement of one case.
type Verdict struct {
	Outcome Outcome
	Law     model.LawID
	// Bound names the bound that decided, the tightest of those that apply; "" if the law has none.
	Bound string
	// Ratio is error/bound as an upper estimate in binary64, for reports alone; the verdict was
	// reached exactly. It is 0 for laws without a bound.
	Ratio float64
	// Reason is one sentence: the hypothesis not met, what differs, or how the kernel broke.
	Reason string
	// Cause says what the verdict comes of, where that is not the statement itself, and Stack has the calls of a panic.
	Cause Cause
	Stack string
	// Witness holds the numbers of a violation; nil otherwise.
	Witness *Witness
}

// Witness is what a violation compares, exactly.
type Witness struct {
	Row      int    // of a kernel that reduces many rows
	N        int    // leaves
	Got      uint64 // encoding of the kernel's result, in Out
	Out      model.Format
	GotText  string // the result, hex and decimal
	WantText string // what it should have been: exact value, encoding, or set
	// Exact, Error and Limit are the exact value, |got - exact| and the bound, where the law has one.
	Exact, Error, Limit oracle.Dyadic
	HasBound            bool
	Source              string // of the bound
	// Findings are what a device's checkers found, of a law about them.
	Findings []model.Finding

	Own bool `json:"-"` // Got was set by the law, and is not the result of the first run
}

// Fails reports whether v must fail a test.
func (v *Verdict) Fails() bool { return v.Outcome == Violated || v.Outcome == Broken }

// String returns the verdict on one line.
func (v Verdict) String() string {
	s := fmt.Sprintf("%s: %s", v.Law, v.Outcome)
	if v.Bound != "" {
		s += fmt.Sprintf(", error/bound %.6g of %s", v.Ratio, v.Bound)
	}
	if v.Reason != "" {
		s += ": " + v.Reason
	}
	return s
}

// Held is the verdict on a case that holds: the name of the tightest bound, and error/bound.
func Held(bound string, ratio float64) Verdict { return Verdict{Bound: bound, Ratio: ratio} }

// NotMet is the verdict on a case that does not meet a hypothesis of the law.
func NotMet(reason string) Verdict { return Verdict{Outcome: Vacuous, Reason: reason} }

// Fails is the verdict on a case that violates the law.
func Fails(reason string, w *Witness) Verdict {
	return Verdict{Outcome: Violated, Reason: reason, Witness: w}
}

// Overflows is the verdict on a case whose steps may overflow where the law says nothing then.
func Overflows(reason string) Verdict {
	return Verdict{Outcome: Vacuous, Cause: MayOverflow, Reason: reason}
}

// Breaks is the verdict on a kernel that broke; one that the device refuses did not, and nothing can be said of it there.
func Breaks(b *Breakage) Verdict {
	v := Verdict{Outcome: Broken, Cause: b.Cause, Reason: b.Reason, Stack: b.Stack}
	if b.Cause == DeviceRefused {
		v.Outcome = Vacuous
	}
	return v
}

// Settle gives the reason of a verdict that is still vacuous.
func (v *Verdict) Settle(reason string) {
	if v.Outcome == Vacuous {
		v.Reason = reason
	}
}
