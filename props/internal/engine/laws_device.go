package engine

import (
	"fmt"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// Runs of a case by device.repeat.
const (
	RepeatRuns     = 8
	repeatThorough = 64
)

// RunsOf returns how many runs of a case device.repeat makes.
func RunsOf() int {
	if OptLevel.String() == "thorough" {
		return repeatThorough
	}
	return RepeatRuns
}

// Beside judges a run beside one on the reference device, or where it does not compare devices beside further runs on the device itself. other
// runs once more under a setting and judges; where says which run that is, "on sim" or "of run 2".
func (d *DeviceClaim) Beside(at verdict.Setting, compares bool, other func(at verdict.Setting, where string) verdict.Verdict) verdict.Verdict {
	if compares {
		v := other(d.OnReference(at), "on "+d.Reference)
		switch {
		case v.Cause != verdict.CauseStatement:
			v.Reason = fmt.Sprintf("on %s: %s", d.Reference, v.Reason)
		case v.Outcome == verdict.Holds:
			v = verdict.Held("no difference", 0)
		}
		return v
	}
	for k := 2; k <= RunsOf(); k++ {
		if v := other(at, fmt.Sprintf("of run %d", k)); v.Outcome != verdict.Holds {
			return v
		}
	}
	return verdict.Held("one result", 0)
}

// IntegerLaws are the laws of hardware for kernels that compute with integers, which leave no choice: what two devices give, and two runs.
func IntegerLaws[J, C any](equal, repeat LawOf[J, C]) []LawOf[J, C] {
	equal.ID, equal.Compares, repeat.ID = model.DeviceEqual, true, model.DeviceRepeat
	list := []LawOf[J, C]{equal, repeat}
	for i := range list {
		l := &list[i]
		l.Hypotheses = "no operation on integers is undefined (kernel.integers)" + l.Hypotheses
		l.Source, l.Hardware = "arithmetic modulo 2^b is exact", true
	}
	return list
}

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
