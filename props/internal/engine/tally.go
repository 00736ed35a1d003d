package engine

import (
	"gamma/oracle"
	"gamma/props/internal/verdict"
)

// RowTally counts the rows of one batch.
type RowTally struct {
	Holds   int             // rows that hold
	empty   []emptyRows     // vacuous ones, and why
	Worst   verdict.Verdict // of the rows that hold, the one nearest to its bound
	Failing int             // the row that the verdict is about
	Differ  int             // rows in which a device and its reference differ, inside the claim
	// Distinct is how many results runs of the batch gave at most; 0: it ran once.
	Distinct int

	spread oracle.Spread // of the rows that hold by a bound; see Profile
}

// emptyRows are vacuous rows of one verdict.
type emptyRows struct {
	v    verdict.Verdict
	rows int
}

// Begin forgets the batch before.
func (t *RowTally) Begin() {
	*t = RowTally{empty: t.empty[:0], Worst: verdict.Verdict{Outcome: verdict.Vacuous}}
}

// See counts a verdict that does not fail for so many rows.
func (t *RowTally) See(v *verdict.Verdict, rows int) {
	switch v.Outcome {
	case verdict.Vacuous:
		if t.Holds == 0 {
			t.Worst = *v
		}
		for i := range t.empty {
			if t.empty[i].v.Reason == v.Reason {
				t.empty[i].rows += rows
				return
			}
		}
		t.empty = append(t.empty, emptyRows{*v, rows})
	case verdict.Holds:
		t.hold(v, rows)
		if v.Bound != "" {
			t.spread[spreadOf(v.Ratio)] += rows
		}
	}
}

// SeeSpread counts rows that hold by one bound, v that of the row nearest to it: counts[k] of them have the error/bound of element k of a Profile's Spread.
func (t *RowTally) SeeSpread(v *verdict.Verdict, counts *oracle.Spread) {
	rows := 0
	for k, n := range counts {
		t.spread[k] += n
		rows += n
	}
	t.hold(v, rows)
}

// hold counts rows that hold, and keeps the verdict nearest to its bound: one without a bound only while there is no other.
func (t *RowTally) hold(v *verdict.Verdict, rows int) {
	if t.Holds == 0 || v.Ratio > t.Worst.Ratio || t.Worst.Bound == "" && v.Bound != "" {
		t.Worst = *v
	}
	t.Holds += rows
}

// Into adds the batch, of so many rows of a family, to the statistics of a law.
func (t *RowTally) Into(st *LawStats, v *verdict.Verdict, family string, rows int) {
	st.see(v)
	st.Holds += t.Holds
	st.meet(family, rows, t.Holds)
	st.Cases += t.Holds
	for i := range t.empty {
		st.vacuous(&t.empty[i].v, t.empty[i].rows)
		st.Cases += t.empty[i].rows
	}
	if v.Fails() {
		st.Cases++
	}
	st.Differ += t.Differ
	st.MaxDistinct = max(st.MaxDistinct, t.Distinct)
	bounded := 0
	for k, n := range t.spread {
		if n > 0 {
			st.profile().count(k, n)
			bounded += n
		}
	}
	if bounded > 0 {
		st.CountBound(t.Worst.Bound, bounded)
		st.reach(&t.Worst, family, rows)
	}
}
