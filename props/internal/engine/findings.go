package engine

import (
	"fmt"
	"strings"

	"gamma/model"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// maxFindings is the number of findings that a report lists.
const maxFindings = 4

// kindsOfFindings says what a checker of a device finds.
var kindsOfFindings = map[model.FindingKind]string{
	model.FindingRace: "a race", model.FindingOutOfBounds: "an access out of bounds", model.FindingMisaligned: "a misaligned access",
	model.FindingUninitialised: "a read of what was never written", model.FindingBarrier: "a barrier that not all threads reach",
	model.FindingInactiveLane: "a read of an inactive lane", model.FindingInteger: "an undefined operation on integers",
	model.FindingAssertion: "an assertion that does not hold",
}

// FirstFinding returns the first finding of a run that explains a wrong result, nil if there is none. Of a run that did not end the
// verdict says so.
func FirstFinding(list []model.Finding) *model.Finding {
	for i := range list {
		if k := list[i].Kind; k != model.FindingSteps && k != model.FindingNote {
			return &list[i]
		}
	}
	return nil
}

// FoundText says that the device found a fault in the failing run, which comes before all other causes; "" if it found none.
func FoundText(list []model.Finding) string {
	f := FirstFinding(list)
	if f == nil {
		return ""
	}
	what := kindsOfFindings[f.Kind]
	if what == "" {
		what = "a fault (" + string(f.Kind) + ")"
	}
	return fmt.Sprintf("the device found %s %s in this run; fix that first.", what, f.At())
}

// findingTexts returns the findings of a law about them, or else those of the run, for reports in JSON.
func findingTexts(w *verdict.Witness, found []model.Finding) (list []string) {
	if w != nil && len(w.Findings) > 0 {
		found = w.Findings
	}
	for _, f := range unique(found) {
		list = append(list, f.String())
	}
	return list
}

// unique returns the findings without those that repeat one before them: the same fault at the same place, by other threads perhaps.
func unique(list []model.Finding) []model.Finding {
	type place struct {
		kind       model.FindingKind
		kernel     string
		pos, other model.Position
		buffer     string
	}
	seen := map[place]bool{}
	var own []model.Finding
	for _, f := range list {
		p := place{f.Kind, f.Kernel, f.Pos, f.Other, f.Buffer}
		if !seen[p] {
			seen[p] = true
			own = append(own, f)
		}
	}
	return own
}

// HeadFinding returns the reason of a verdict as the first line of a report gives it: of a finding its kind and place alone, since
// WriteFindings says the rest.
func HeadFinding(v *verdict.Verdict) string {
	if w := v.Witness; w != nil && len(w.Findings) > 0 && strings.HasSuffix(v.Reason, ": "+w.Findings[0].Text) {
		return strings.TrimSuffix(v.Reason, ": "+w.Findings[0].Text)
	}
	return v.Reason
}

// WriteFindings writes what a device's checkers found: the place, both threads, the buffer and the index.
func WriteFindings(r *report.Report, list []model.Finding) {
	list = unique(list)
	for i, f := range list {
		if i == maxFindings {
			r.Wrap("", fmt.Sprintf("… %d more", len(list)-i))
			break
		}
		r.Wrap("finding", fmt.Sprintf("%s: %s", f.Kind, f.Text))
		at := f.Kernel
		if p := f.Pos.String(); p != "" {
			at = p + " in " + at
		}
		if p := f.Other.String(); p != "" && f.Other != f.Pos {
			other := "; see also "
			if f.Kind == model.FindingRace {
				other = "; the other access at "
			}
			at += other + p
		}
		r.Wrap("at", at)
		if text := threadsText(f.Threads); text != "" {
			r.Wrap("threads", text)
		}
		if f.Buffer != "" {
			what := f.Buffer
			if f.Index >= 0 {
				what += fmt.Sprintf("[%d]", f.Index)
			}
			r.Wrap("memory", what)
		}
	}
}

// threadsText names threads by their positions in the grid.
func threadsText(list []model.Size3) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = fmt.Sprintf("(%d,%d,%d)", s.X, s.Y, s.Z)
	}
	text := strings.Join(parts, " and ")
	if text != "" {
		text += " of the grid"
	}
	return text
}

// Needed says in words what of a behaviour a failure needs, the reduction having made plain all that it does not.
func Needed(b model.Behaviour) string {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(b.Rounding != model.NearestEven, "with rounding %s", b.Rounding)
	add(b.Flush.Any(), "with subnormal numbers flushed (ftz=%s)", b.Flush)
	add(b.Flush16.Any(), "with subnormal numbers of 16-bit formats flushed (ftz16=%s)", b.Flush16)
	add(b.Contract == model.ContractStatement, "with contraction on")
	add(b.Contract == model.ContractFast, "with contraction across statements")
	add(b.Rewrites.Reassociate, "with additions reassociated")
	add(b.Rewrites.NoSignedZeros, "without signed zeros")
	add(b.Rewrites.Reciprocal, "with quotients as products of reciprocals")
	add(b.Rewrites.NoNaNs, "with NaNs taken for impossible")
	add(b.Rewrites.NoInfs, "with infinities taken for impossible")
	switch b.Order {
	case "":
	case "reverse":
		add(true, "with the order of threads reversed")
	case "stages":
		add(true, "with threads that take turns at barriers")
	default:
		add(true, "with threads that take turns at every access to shared memory")
	}
	add(b.SIMDWidth != 0, "with simdgroups of %d", b.SIMDWidth)
	add(b.ULP, "with library functions that err inside their limits")
	add(b.Poison, "with junk in memory that is not initialised")
	if len(parts) == 0 {
		return fmt.Sprintf("with seed %d", b.Seed)
	}
	return strings.Join(parts, ", ")
}
