package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Allowance is a comment by which a source says that what a lint finds is right, and why:
//
//	// gamma:allow scaling: the coefficient is the published one
//
// It speaks of its own line, or of the next one if it stands alone in its line.
type Allowance struct {
	Pos    Position
	Alone  bool
	Kind   FindingKind
	Reason string
}

// ParseAllowance reads a comment that begins with // at a place. It reports false for a comment that does not say gamma:allow first.
func ParseAllowance(at Position, alone bool, comment string) (Allowance, bool) {
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment, "//")), "gamma:allow")
	if !ok {
		return Allowance{}, false
	}
	kind, reason, _ := strings.Cut(text, ":")
	return Allowance{Pos: at, Alone: alone, Kind: FindingKind(strings.TrimSpace(kind)), Reason: strings.TrimSpace(reason)}, true
}

// answers reports whether a says that f is right.
func (a Allowance) answers(f Finding) bool {
	line := a.Pos.Line
	if a.Alone {
		line++
	}
	return a.Reason != "" && a.Kind == f.Kind && a.Pos.File == f.Pos.File && line == f.Pos.Line
}

// Allow returns the findings that no allowance in list answers, by place. An allowance without a reason answers nothing and is a finding
// itself; with idle so is one that had nothing to answer.
func (f Findings) Allow(list []Allowance, idle bool) Findings {
	var rest Findings
	used := map[Allowance]bool{}
	for _, x := range f {
		answered := false
		for _, a := range list {
			if a.answers(x) {
				answered, used[a] = true, true
			}
		}
		if !answered {
			rest = append(rest, x)
		}
	}
	for _, a := range list {
		x := Finding{Kind: FindingAllowance, Pos: a.Pos, Index: -1}
		switch {
		case a.Kind == "" || a.Reason == "":
			x.Text, x.Fix = "this comment allows nothing, since it does not say what and why", "write // gamma:allow kind: reason"
		case idle && !used[a]:
			x.Text, x.Fix = fmt.Sprintf("nothing of kind %q is found in the line of which this comment speaks", a.Kind), "delete the comment"
		default:
			continue
		}
		rest = append(rest, x)
	}
	slices.SortStableFunc(rest, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return rest
}
