package model

import (
	"fmt"
	"strings"
)

// FindingKind names what a checker of a device found wrong with a kernel's run.
type FindingKind string

const (
	FindingRace          FindingKind = "race"
	FindingOutOfBounds   FindingKind = "out-of-bounds"
	FindingMisaligned    FindingKind = "misaligned"
	FindingUninitialised FindingKind = "uninitialised"
	FindingBarrier       FindingKind = "barrier"
	FindingInactiveLane  FindingKind = "inactive-lane"
	FindingInteger       FindingKind = "integer"
	FindingSteps         FindingKind = "steps"
)

// Position is a place in a source file. Line and Column count from 1; 0 is unknown.
type Position struct {
	File         string
	Line, Column int
}

// String returns "file:line:column", without the parts that are unknown.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one report of a device's checkers, as plain data.
type Finding struct {
	Kind    FindingKind
	Kernel  string
	Pos     Position
	Other   Position // the second access of a race
	Threads []Size3  // position in grid of each thread concerned
	Buffer  string   // name of the buffer or variable
	Index   int64    // element, or -1
	Text    string   // one sentence
}

// At returns "at" and the place in the source, or "in" and the kernel where the place is not known.
func (f Finding) At() string {
	if at := f.Pos.String(); at != "" {
		return "at " + at
	}
	return "in " + f.Kernel
}

// String returns the finding on one line, starting with the place.
func (f Finding) String() string {
	if f.Pos.String() == "" {
		return fmt.Sprintf("%s: %s: %s", f.Kernel, f.Kind, f.Text)
	}
	return fmt.Sprintf("%s: %s: %s: %s", f.Pos, f.Kernel, f.Kind, f.Text)
}

// Findings is what a device's checkers found in one run. A kernel's Run function may return it as its error, together with
// the result: the laws of kernels judge the findings, and all others the result.
type Findings []Finding

// Error returns the findings, one a line.
func (f Findings) Error() string {
	var s strings.Builder
	for i, x := range f {
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(x.String())
	}
	return s.String()
}
