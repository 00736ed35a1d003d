package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/oracle"
	"gamma/props/internal/verdict"
)

// TestTallyCountsBounds: rows that hold by a bound are in the spread, each by its own ratio, and decided by that bound; rows that hold by none are neither.
func TestTallyCountsBounds(t *testing.T) {
	for name, order := range map[string][]int{"the one without a bound first": {0, 1, 2}, "last": {2, 1, 0}} {
		var tally RowTally
		tally.Begin()
		for _, k := range order {
			switch k {
			case 0:
				v := verdict.Held("", 0)
				tally.See(&v, 5)
			case 1:
				v := verdict.Held("b", 0)
				tally.See(&v, 2)
			case 2:
				v := verdict.Held("b", 0.75)
				tally.SeeSpread(&v, &oracle.Spread{1: 1, 3: 4})
			}
		}
		st := &LawStats{}
		tally.Into(st, &tally.Worst, "f", 12)
		require.Equal(t, 12, st.Holds, name)
		require.Equal(t, []int{2, 1, 0, 4}, st.Profile.Spread, name)
		require.Equal(t, map[string]int{"b": 7}, st.Decided, name)
		require.Equal(t, 0.75, st.MaxRatio, name)
		require.NoError(t, st.Check(), name)
	}
	// A bound that no row comes near is one, too.
	var tally RowTally
	tally.Begin()
	none, bound := verdict.Held("", 0), verdict.Held("b", 0)
	tally.See(&none, 1)
	tally.See(&bound, 1)
	require.Equal(t, "b", tally.Worst.Bound)
}

// TestSpreadIsOfWhatHolds: a line whose profile has more inputs than hold is none of a search.
func TestSpreadIsOfWhatHolds(t *testing.T) {
	st := LawStats{Law: "l", Subject: "s", Cases: 5, Holds: 3, Profile: &Profile{Spread: []int{1, 2}, Bands: []Band{{N: 1, Cases: 3}}}}
	require.NoError(t, st.Check())
	st.Profile.Spread[1] = 3
	require.ErrorContains(t, st.Check(), "the profile has a spread of 4 cases, and 3 hold")
	st.Profile.Spread[1], st.Profile.Bands[0].Cases = 2, 4
	require.ErrorContains(t, st.Check(), "the profile has sizes of 4 cases, and 3 hold")
	st.Profile.Bands[0].Cases, st.Default = 3, &Default{Judged: -1}
	require.ErrorContains(t, st.Check(), "the number of inputs judged in the default mode is -1")
}

// TestNoteDefault: the first law that fails in the default mode, and not in the mode that is judged, is named; else all inputs are counted.
func TestNoteDefault(t *testing.T) {
	a, b := &LawStats{Law: "a", Default: &Default{Judged: 3, Unit: "case"}}, &LawStats{Law: "b", Default: &Default{Judged: 4, Unit: "case"}}
	s := &SubjectSummary{Laws: []*LawStats{a, {Law: "c"}, b}}
	s.NoteDefault()
	require.Equal(t, "in fast, Metal's default, 7 cases found no fault", s.DefaultMode)
	b.Default.Fails = "it is off"
	s.NoteDefault()
	require.Equal(t, "in fast, Metal's default, b fails: it is off", s.DefaultMode)
	b.Violations = 1
	s.NoteDefault()
	require.Equal(t, "in fast, Metal's default, 3 cases found no fault", s.DefaultMode)
	a.Default = &Default{Not: "no compiler"}
	s.NoteDefault()
	require.Equal(t, "it cannot be judged in fast, Metal's default: no compiler", s.DefaultMode)
}
