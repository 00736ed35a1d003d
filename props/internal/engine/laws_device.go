package engine

import (
	"fmt"
)

// distinctText says how many results came of runs of one case, and how often devices differ; "" where nobody counted.
func (s *LawStats) distinctText() string {
	text := ""
	switch {
	case s.MaxDistinct == 1:
		text = "; one result each"
	case s.MaxDistinct > 1:
		text = fmt.Sprintf("; up to %d results, as at n=%d: %s", s.MaxDistinct, s.DistinctN, s.Distinct)
	}
	if s.Differ > 0 {
		text += fmt.Sprintf("; %d inside the bounds with other bits than on the reference device", s.Differ)
	}
	return text
}
