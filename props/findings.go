package props

import (
	"fmt"
	"strings"

	"gamma/model"
)

// maxFindings is the number of findings that a report lists.
const maxFindings = 4

// writeFindings writes what a device's checkers found: the place, both threads, the buffer and the index.
func writeFindings(r *report, list []model.Finding) {
	for i, f := range list {
		if i == maxFindings {
			r.wrap("", fmt.Sprintf("… %d more", len(list)-i))
			break
		}
		r.wrap("finding", fmt.Sprintf("%s: %s", f.Kind, f.Text))
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
		r.wrap("at", at)
		if text := threadsText(f.Threads); text != "" {
			r.wrap("threads", text)
		}
		if f.Buffer != "" {
			what := f.Buffer
			if f.Index >= 0 {
				what += fmt.Sprintf("[%d]", f.Index)
			}
			r.wrap("memory", what)
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

// needed says in words what of a behaviour a failure needs, the reduction having made plain all that it does not.
func needed(b model.Behaviour) string {
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
