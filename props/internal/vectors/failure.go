package vectors

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Failure is a violation by a kernel that takes vectors: the law, the smallest case, what is known of its cause, and where
// it was saved. Text and JSON report it.
type Failure struct {
	engine.Violation
	Law   Law
	Claim model.Claim
	// Case is the reduced case, Original the one that was drawn.
	Case, Original *corpus.Case
	Reduction      ReduceStats
	Explanation    Explanation
	Runs           int // further runs of the reduced case, each of which failed too
	// Expected is the claimed schedule of the leaves that matter, drawn, and Observed the one found in
	// the kernel's results; "" if unknown. ScheduleNote says what they show, or why there is none.
	Expected, Observed, ScheduleNote string
	// Arithmetic says by what other arithmetic than the claimed one the kernel's results come about, ""
	// if none is known.
	Arithmetic string
	// Doubt says how oracle and math/big disagree about the exact value, "" if they do not;
	// Confirmed reports that they were compared and agree.
	Doubt     string
	Confirmed bool

	// Lengths says at which lengths the kernel is right and wrong where that follows a rule, such as multiples of 4; "" if none is known.
	Lengths string

	// Strides says how far neighbours lie apart in the vectors of a strided kernel, "" if they are dense.
	Strides string

	dense      string        // that the kernel fails for its strides alone; "" if that is not known
	index      string        // that an index or a count has too few bits; "" if that is not known
	refuted    bool          // further runs do not show the fault that would explain the case
	exact      oracle.Dyadic // of the row that failed, if Confirmed
	nearest    uint64        // the exact result rounded once, if Confirmed
	foundPlain bool          // Found is of a run of the case under the plain behaviour
	part       string        // of the bound, where it decides and the bound's name does not tell it
	ownTree    bool          // the schedule comes of a function of the subject
}

// save writes the case to the directory of the settings.
func (r *Run) save(f *Failure) {
	c := *f.Case
	c.Law, c.Kernel, c.Expect = f.Law.ID, f.Subject, corpus.ExpectHolds
	var notes []string
	if n := f.Original.N(); n != f.Case.N() {
		notes = append(notes, fmt.Sprintf("Reduced from %s.", report.Count(n, "leaf")))
	}
	f.Recipe = f.Original.Gen
	r.Save(&f.Violation, &c, "The case", nil, notes...)
}

// Cause says what is to blame, in a word for machines and a sentence for people.
func (f *Failure) Cause() (kind, text string) {
	own := engine.IsOwn(Laws(), &f.Law)
	switch v := &f.Verdict; {
	case f.Doubt != "":
		return "oracle disagreement", "whatever the kernel did, the judge is wrong. " + f.Doubt + " Please report this case."
	case f.Flaky:
		if found := f.foundText(); found != "" {
			return "flaky", "the case failed in some runs and passed in others, and " + found
		}
		how := "the case failed in some runs and passed in others."
		if !v.Fails() {
			how = "the case failed when it was drawn and passed when it was run again."
		}
		return "flaky", how + " The result depends on something besides the input: a race, memory that is not initialised, an earlier call."
	case f.Culprit() == "" && f.foundText() != "":
		return "kernel", f.foundText()
	case !f.Case.Behaviour.Plain() && slices.Contains(f.Explanation.Matter, "behaviour"):
		text = fmt.Sprintf("%s: it fails %s, and holds under the plain behaviour. A device may behave so.", f.Case.Behaviour, engine.Needed(f.Case.Behaviour))
		if f.Arithmetic != "" {
			text += " Here " + f.Arithmetic + "."
		}
		return "behaviour", text
	case f.Culprit() != "":
		return f.Culprit(), f.PanicText(own)
	case f.Environment() != "":
		return "kernel", f.Environment()
	case v.Outcome == verdict.Broken:
		return "kernel", "it gave no result that can be judged."
	case own:
		return "kernel or law", "the law is the subject's own."
	}
	text = f.blame()
	if known := cmp.Or(f.dense, f.index); known != "" {
		text = known
	}
	if f.Lengths != "" {
		text = f.Lengths + " " + strings.ToUpper(text[:1]) + text[1:]
	}
	if f.Confirmed {
		text += " math/big confirms the oracle's exact value."
	}
	return "kernel", text
}

// foundText is what the device's checkers found, of a law that is not about that.
func (f *Failure) foundText() string {
	if f.Law.Found != nil {
		return ""
	}
	text := engine.FoundText(f.Found)
	if f.foundPlain {
		text = strings.Replace(text, " in this run;", " when it ran this case under the plain behaviour;", 1)
	}
	return text
}

// blame says, law by law, what may be wrong besides the kernel.
func (f *Failure) blame() string {
	family, law, _ := strings.Cut(string(f.Law.ID), ".")
	if f.Law.Hardware {
		return blameDevice(f.Law.ID)
	}
	switch law {
	case "pure":
		return "its result depends on something besides the input: an earlier call, or an address."
	case "independent":
		return "its result for a row depends on the other rows of the call, or on the row's place among them."
	}
	if f.Arithmetic != "" && law != "tree" {
		return f.Arithmetic + f.replays()
	}
	switch law {
	case "schedule":
		return "its result depends on the order of threads, and it claims that it does not."
	case "tree":
		switch {
		case f.Arithmetic != "":
			order := ""
			if f.Observed != "" {
				order = "its order is not the one that it claims, and "
			}
			return order + f.Arithmetic + f.replays()
		case f.Observed != "":
			return "its order is not the one that it claims: either has to change."
		case f.ScheduleNote == SameOrder:
			return "it adds in the claimed order, but otherwise than by single additions, each rounded as claimed."
		}
		return "it does not follow the tree that it claims, or rounds otherwise."
	case "height":
		if f.Observed != "" && f.Expected == "" {
			return "it adds in a taller tree than it claims."
		}
		return "it adds in a taller tree than it claims, or less precisely."
	case "compensated":
		return "it is not as precise as the scheme it claims."
	case "repeat":
		return "its result depends on something besides the input, and it claims to repeat."
	case "permute":
		return "its result depends on the order of the leaves, and it claims that it does not."
	case "rounded":
		return "it rounds more than once, or is not exact before that."
	case "member":
		if w := f.Verdict.Witness; f.Confirmed && w != nil && w.Got == f.nearest {
			return fmt.Sprintf("its result is the exact one rounded once, which no order of operations in %s gives: in places its arithmetic is finer than it claims. "+
				"Claim a wider Acc if all of it is; otherwise judge it as a props.Kernel whose formula is this sum: that claims at least a format.", f.Claim.Acc)
		}
		return "it loses, changes or doubles a term, or rounds otherwise than it claims."
	}
	if family == "kernel" {
		return "the device's checkers found it while it ran, whatever its result is: fix it where they point."
	}
	return "the law holds in every order of the additions, so that no choice of order excuses it."
}

// Doubts reports whether the oracle and math/big disagree.
func (f *Failure) Doubts() bool { return f.Doubt != "" }

// replays says what Arithmetic rests on.
func (f *Failure) replays() string {
	return fmt.Sprintf(". So replayed, this case and %d random vectors of its length give the kernel's bits.", arithmeticRuns)
}

// Hint says what single fault would explain the result exactly, "" if none of those it knows does, or if further runs refute it. It
// speaks under laws alone whose violation is no matter of rounding, and unless they exclude roundings
// altogether, not of errors so small that one may have absorbed the term.
func (f *Failure) Hint() string {
	i, factor := f.fault()
	if factor == 0 || f.refuted {
		return ""
	}
	name := fmt.Sprintf("x[%d]", i)
	if f.Law.Op == engine.OpDot {
		name = fmt.Sprintf("x[%[1]d]·y[%[1]d]", i)
	}
	if f.Case.Rows > 1 {
		name += fmt.Sprintf(" of row %d", f.Verdict.Witness.Row)
	}
	switch factor {
	case -1:
		return fmt.Sprintf("The result is what the sum without %s gives.", name)
	case 1:
		return fmt.Sprintf("The result is what the sum with %s twice gives.", name)
	}
	return fmt.Sprintf("The result is what the sum with the sign of %s changed gives.", name)
}

// fault returns the place of a term and how many times that the result is off by: -1, 1 or -2, or 0 if there is no such term.
func (f *Failure) fault() (place int, factor int64) {
	w := f.Verdict.Witness
	integers := f.Law.ID == model.SumIntegers || f.Law.ID == model.DotIntegers
	if w != nil && !w.HasBound && !integers && f.Law.ID != model.SumMember && f.Law.ID != model.DotMember {
		return 0, 0
	}
	if !f.Confirmed || w == nil || f.Claim.Mean || f.Case.N() == 0 || !w.Out.IsFinite(w.Got) {
		return 0, 0
	}
	diff := oracle.FromBits(w.Out, w.Got).Sub(f.exact)
	if diff.IsZero() {
		return 0, 0
	}
	terms := f.terms(w.Row)
	if !integers {
		most := f.exact.Abs()
		for _, d := range terms {
			if d.Abs().Cmp(most) > 0 {
				most = d.Abs()
			}
		}
		if diff.Abs().Cmp(ulpOf(f.Claim.Acc, most).Scale(1)) <= 0 || diff.Abs().Cmp(ulpOf(w.Out, most).Scale(1)) <= 0 {
			return 0, 0
		}
	}
	for i, d := range terms {
		switch {
		case d.IsZero():
		case diff.Cmp(d.Neg()) == 0:
			return i, -1
		case diff.Cmp(d) == 0:
			return i, 1
		case diff.Cmp(d.Scale(1).Neg()) == 0:
			return i, -2
		}
	}
	return 0, 0
}

// terms returns the exact terms of a row.
func (f *Failure) terms(row int) []oracle.Dyadic {
	c, n := f.Case, f.rowLength()
	list := make([]oracle.Dyadic, n)
	for i := range list {
		list[i] = oracle.FromBits(c.X.Format, c.X.At(row*n+i))
		if f.Law.Op == engine.OpDot {
			y := c.Y
			if y.Len() == 0 {
				y = c.X // a sum of squares
			}
			list[i] = list[i].Mul(oracle.FromBits(y.Format, y.At(i)))
		}
	}
	return list
}

// ulpOf returns the distance of f's numbers in the binade of d, or in the lowest.
func ulpOf(f model.Format, d oracle.Dyadic) oracle.Dyadic {
	e, ok := d.Exponent()
	if !ok || e < f.Emin {
		e = f.Emin
	}
	return oracle.FromInt(1).Scale(e - f.P + 1)
}

// MaxReruns is how often a failing case is judged again, and maxRerunTime for how long at most.
const (
	MaxReruns    = 6
	maxRerunTime = 2 * time.Second
)

// rerun judges the case a few times more, to see whether it fails each time.
func (f *Failure) rerun(t *Trial) {
	again := NewTrial(t.sub)
	start := time.Now()
	judge := again.Judge
	if f.Verdict.Outcome == verdict.Broken {
		judge = func(l *Law, c *corpus.Case) verdict.Verdict {
			return engine.JudgeRepeatedly(func() verdict.Verdict { return again.Judge(l, c) })
		}
	}
	for f.Runs = 0; f.Runs < MaxReruns && time.Since(start) < maxRerunTime; f.Runs++ {
		if v := judge(&f.Law, f.Case); v.Outcome != f.Verdict.Outcome {
			f.Flaky = true
			return
		}
	}
}

// NoteOracle compares the trial's exact value with the one of math/big.
func (f *Failure) NoteOracle(t *Trial) {
	s := t.Sum()
	if !t.finite() {
		if s.IsFinite() {
			f.Doubt = "A term is infinite or no number, and the oracle's sum is finite."
		}
		return
	}
	twin := t.twin()
	switch {
	case !s.IsFinite():
		f.Doubt = "Every term is finite, and the oracle's sum is not."
	case s.Dyadic().Float().Cmp(twin) != 0:
		f.Doubt = fmt.Sprintf("The oracle's exact value is %s, and math/big's %s.", report.TidyHex(s.Dyadic().Hex()), report.TidyHex(twin.Text('x', -1)))
	default:
		f.Confirmed, f.exact, f.nearest = true, s.Dyadic(), t.roundedExact()
	}
}

// finite reports whether every value of the row is.
func (t *Trial) finite() bool {
	in := t.Claimed.In
	for i := range t.Length {
		if !in.IsFinite(t.x.At(i)) || t.sub.Op == engine.OpDot && !in.IsFinite(t.y.At(i)) {
			return false
		}
	}
	return true
}

// twin returns the exact value of the row by the oracle's slow twin.
func (t *Trial) twin() *big.Float {
	in64 := t.Claimed.In == model.Binary64
	switch {
	case t.sub.Op == engine.OpDot && in64:
		return oracle.DotTwin64(t.x.F64, t.y.F64)
	case in64:
		return oracle.SumTwin64(t.x.F64)
	case t.sub.Op == engine.OpDot:
		return oracle.DotTwin(t.wide32())
	}
	x, _ := t.wide32()
	return oracle.SumTwin(x)
}

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
