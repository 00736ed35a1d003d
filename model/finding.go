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
	FindingAssertion     FindingKind = "assertion" // an assert of the kernel's own that does not hold
	FindingNote          FindingKind = "note"      // what the kernel logs: no fault
)

// What a lint finds in a source, without a run.
const (
	FindingContraction    FindingKind = "contraction"     // a product that may be fused into an addition
	FindingDoubleRounding FindingKind = "double-rounding" // a fused product that is rounded twice
	FindingLiteral        FindingKind = "literal"         // a literal that promotes or rounds
	FindingScaling        FindingKind = "scaling"         // a quotient or product by a constant that rounds where it need not
	FindingTransform      FindingKind = "transform"       // an error-free transform that a compiler may take apart
	FindingOrder          FindingKind = "order"           // a sum in no fixed order where the same bits are claimed
	FindingPartialProduct FindingKind = "partial-product" // a residue of a product that wrapped
	FindingBarrierScope   FindingKind = "barrier-scope"   // a barrier that other threadgroups do not wait at
	FindingAllowance      FindingKind = "allowance"       // a comment meant as an Allowance that is none
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

// Finding is one report of a device's checkers, or of a lint, as plain data.
type Finding struct {
	Kind    FindingKind
	Kernel  string // "" where a lint names none
	Pos     Position
	Other   Position // the second access of a race
	Threads []Size3  // position in grid of each thread concerned
	Buffer  string   // name of the buffer or variable
	Index   int64    // element, or -1
	Text    string   // one sentence
	Fix     string   // of a lint: what to write instead
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
	var s strings.Builder
	for _, part := range []string{f.Pos.String(), f.Kernel} {
		if part != "" {
			s.WriteString(part + ": ")
		}
	}
	fmt.Fprintf(&s, "%s: %s", f.Kind, f.Text)
	if f.Fix != "" {
		s.WriteString("; " + f.Fix)
	}
	return s.String()
}

// Findings is what a device's checkers found in one run, or a lint in sources. A kernel's Run function may return it as its error, together with
// the result: the laws of kernels judge the findings, and all others the result.
type Findings []Finding

// Faults returns the findings that are no notes, nil if there are none.
func (f Findings) Faults() Findings {
	var list Findings
	for _, x := range f {
		if x.Kind != FindingNote {
			list = append(list, x)
		}
	}
	return list
}

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
