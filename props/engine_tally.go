package props

// rowTally counts the rows of one batch.
type rowTally struct {
	holds   int         // rows that hold
	empty   []emptyRows // vacuous ones, and why
	worst   Verdict     // of the rows that hold, the one nearest to its bound
	failing int         // the row that the verdict is about
	differ  int         // rows in which a device and its reference differ, inside the claim
	// distinct is how many results runs of the batch gave at most; 0: it ran once.
	distinct int
}

// emptyRows are vacuous rows of one verdict.
type emptyRows struct {
	v    Verdict
	rows int
}

// begin forgets the batch before.
func (t *rowTally) begin() { *t = rowTally{empty: t.empty[:0], worst: Verdict{Outcome: Vacuous}} }

// see counts a verdict that does not fail for so many rows.
func (t *rowTally) see(v *Verdict, rows int) {
	switch v.Outcome {
	case Vacuous:
		if t.holds == 0 {
			t.worst = *v
		}
		for i := range t.empty {
			if t.empty[i].v.Reason == v.Reason {
				t.empty[i].rows += rows
				return
			}
		}
		t.empty = append(t.empty, emptyRows{*v, rows})
	case Holds:
		if t.holds == 0 || v.Ratio > t.worst.Ratio {
			t.worst = *v
		}
		t.holds += rows
	}
}

// into adds the batch, of so many rows of a family, to the statistics of a law.
func (t *rowTally) into(st *lawStats, v *Verdict, family string, rows int) {
	st.see(v)
	st.Holds += t.holds
	st.Cases += t.holds
	for i := range t.empty {
		st.vacuous(&t.empty[i].v, t.empty[i].rows)
		st.Cases += t.empty[i].rows
	}
	if v.fails() {
		st.Cases++
	}
	st.Differ += t.differ
	st.MaxDistinct = max(st.MaxDistinct, t.distinct)
	if t.holds > 0 && t.worst.Bound != "" {
		st.decided(t.worst.Bound, t.holds)
		st.reach(&t.worst, family, rows)
	}
}
