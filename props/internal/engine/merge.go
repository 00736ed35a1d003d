package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally is what decides whether a law was judged too rarely; a summary leaves it out.
type Tally struct {
	Overflows int `json:"may_overflow,omitempty"` // vacuous cases whose sums may overflow
	Refusals  int `json:"refused,omitempty"`      // those of a kernel that the device refuses
	Unclaimed int `json:"unclaimed,omitempty"`    // those that the claim leaves out
	Enough    int `json:"enough,omitempty"`       // cases that hold which the search should have had; 0: not known yet
	// Lacks: the block alone was judged too rarely, and nothing excuses it.
	Lacks bool `json:"lacks,omitempty"`
}

// Merge adds the statistics of other inputs of the same law on the same subject: counts are added, and of the largest the larger stays, the same whatever
// the order is. Each field that LawStats has stands here.
func (s *LawStats) Merge(o *LawStats) {
	s.Replayed += o.Replayed
	s.Cases += o.Cases
	s.Holds += o.Holds
	s.Vacuous += o.Vacuous
	s.Violations += o.Violations
	s.Beyond += o.Beyond
	if o.MaxRatio > s.MaxRatio || o.MaxRatio == s.MaxRatio && o.MaxRatio > 0 &&
		cmp.Or(cmp.Compare(o.MaxN, s.MaxN), strings.Compare(o.MaxFamily, s.MaxFamily), strings.Compare(o.MaxBound, s.MaxBound)) < 0 {
		s.MaxRatio, s.MaxBound, s.MaxFamily, s.MaxN = o.MaxRatio, o.MaxBound, o.MaxFamily, o.MaxN
	}
	s.AttackRatio = max(s.AttackRatio, o.AttackRatio)
	s.Attacks += o.Attacks
	for _, line := range o.Remarks {
		s.Remark(line)
	}
	for i := range o.Measures {
		s.measure(&o.Measures[i])
	}
	s.Anomalies += o.Anomalies
	s.Decided = addCounts(s.Decided, o.Decided)
	s.LeftOut = addCounts(s.LeftOut, o.LeftOut)
	s.Reasons = addCounts(s.Reasons, o.Reasons)
	if o.MaxDistinct > s.MaxDistinct || o.MaxDistinct == s.MaxDistinct && o.MaxDistinct > 0 &&
		cmp.Or(cmp.Compare(o.DistinctN, s.DistinctN), strings.Compare(o.Distinct, s.Distinct)) < 0 {
		s.MaxDistinct, s.Distinct, s.DistinctN = o.MaxDistinct, o.Distinct, o.DistinctN
	}
	s.Differ += o.Differ
	s.Seconds += o.Seconds
	s.OutOfTime = s.OutOfTime || o.OutOfTime
	s.Harder += o.Harder
	s.Overflows += o.Overflows
	s.Refusals += o.Refusals
	s.Unclaimed += o.Unclaimed
	s.Enough += o.Enough
	s.Lacks = s.Lacks || o.Lacks
	if o.Profile != nil {
		s.profile().Merge(o.Profile)
	}
	if o.Default != nil {
		if s.Default == nil {
			s.Default = &Default{}
		}
		s.Default.merge(o.Default)
	}
}

// addCounts adds the counts of one map to those of another.
func addCounts(to, of map[string]int) map[string]int {
	if to == nil {
		return maps.Clone(of)
	}
	for k, n := range of {
		to[k] += n
	}
	return to
}

// TooRare says that a law was judged too rarely, on blocks of which one at least has no excuse for that; "" if it was not.
func (s *LawStats) TooRare() string {
	if !s.Lacks || !s.tooVacuous() {
		return ""
	}
	return fmt.Sprintf("%s on %s judged %d of %d cases, %d of them drawn towards its hypotheses; in the others one was not met, most often: %s",
		s.Law, s.Subject, s.Holds, s.Cases, s.Harder, s.commonReason())
}

// mostCounted is how many cases a block may say that it has: sums of those of 2^12 blocks are numbers yet.
const mostCounted = 1 << 50

// Check says which count of a block's line is none, as of a line that nobody's search has written.
func (b *Block) Check() error {
	for _, st := range b.all() {
		if err := st.LawStats.Check(); err != nil {
			return fmt.Errorf("the block: %w", err)
		}
	}
	return nil
}

// Check says which number is none that a search gives.
func (s *LawStats) Check() error {
	for i, n := range [...]int{s.Cases, s.Holds, s.Vacuous, s.Violations, s.Replayed, s.Beyond, s.Attacks, s.Anomalies, s.Differ, s.Harder, s.MaxN} {
		if n < 0 || n > mostCounted {
			return fmt.Errorf("%s is %d", [...]string{"cases", "holds", "vacuous", "violations", "replayed", "beyond", "attacks", "anomalies", "differ", "drawn_harder", "max_n"}[i], n)
		}
	}
	if s.Holds+s.Vacuous > s.Cases {
		return fmt.Errorf("%d hold and %d are vacuous: the number of cases is %d", s.Holds, s.Vacuous, s.Cases)
	}
	for _, of := range [...]map[string]int{s.Decided, s.LeftOut, s.Reasons} {
		for name, n := range of {
			if n < 0 || n > mostCounted {
				return fmt.Errorf("the number of %q is %d", name, n)
			}
		}
	}
	for i := range s.Measures {
		if err := s.Measures[i].check(); err != nil {
			return err
		}
	}
	if d := s.Default; d != nil && (d.Judged < 0 || d.Judged > mostCounted) {
		return fmt.Errorf("the number of inputs judged in the default mode is %d", d.Judged)
	}
	return s.Profile.check(s.Holds)
}

// Equal reports whether two lines say the same of one block: all but what was measured by a clock, and how far a failing input was reduced, which a clock ends.
func (b *Block) Equal(o *Block) bool {
	return bytes.Equal(b.judged(), o.judged())
}

// Sum returns a hash of what Equal compares.
func (b *Block) Sum() uint64 { return HashOf(string(b.judged())) }

func (b *Block) judged() []byte {
	own := *b
	own.LineHead, own.Failures = LineHead{}, nil
	own.Stat.LawStats = b.timeless()
	own.Laws = slices.Clone(b.Laws)
	for i := range own.Laws {
		own.Laws[i].LawStats = own.Laws[i].timeless()
	}
	text, err := json.Marshal(&own)
	if err != nil {
		return []byte(err.Error()) // of numbers that are none: it was a line
	}
	return text
}

// timeless returns the statistics without what a clock has measured.
func (s *LawStats) timeless() *LawStats {
	own := *s
	own.Seconds = 0
	return &own
}
