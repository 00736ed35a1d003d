package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestTable: a table has a row for each kind and device with the largest ratio and whose it is, names what is violated, and fits a screen.
func TestTable(t *testing.T) {
	summaries.Lock()
	was := summaries.list
	summaries.Unlock()
	set := func(list []*SubjectSummary) {
		summaries.Lock()
		defer summaries.Unlock()
		summaries.list = list
	}
	t.Cleanup(func() { set(was) })
	set(nil)
	require.Empty(t, Table())
	subject := func(name, device, what string, laws ...*LawStats) *SubjectSummary {
		return &SubjectSummary{Subject: name, Device: device, Test: "TestProp/" + name, what: what, Laws: laws}
	}
	list := []*SubjectSummary{
		subject("a", "cpu", "sum", &LawStats{Law: model.SumTree, Cases: 10, Holds: 8, Vacuous: 2, MaxRatio: 0.25}, &LawStats{Law: model.SumEnclosure, Cases: 5, MaxRatio: 0.5, AttackRatio: 0.75}),
		subject("b", "cpu", "sum", &LawStats{Law: model.SumTree, Cases: 3, Replayed: 2, MaxRatio: 0.125}),
		subject("c", "sim", "sum", &LawStats{Law: model.SumTree, Cases: 1, Violations: 1}),
	}
	set(list)
	text := Table()
	require.Regexp(t, `(?m)^sum +cpu +2 +3 +18 +2 +0\.75\S* +a sum\.enclosure$`, text)
	require.Regexp(t, `(?m)^sum +sim +1 +1 +1 +0 +- *$`, text)
	require.Contains(t, text, "VIOLATED  c (TestProp/c): sum.tree\n")
	require.Contains(t, text, "3 subjects, 4 laws judged on 19 cases drawn and 2 on file: 1 violation\n")
	require.Regexp(t, `^b +1 laws +3 cases  error/bound 0\.125\S* +0\.00 s  2 on file$`, list[1].Line())
	require.Regexp(t, `VIOLATED: sum\.tree$`, list[2].Line())

	for k := range 39 { // all kinds on all devices
		list = append(list, subject(fmt.Sprint("s", k), "d", fmt.Sprint("kind ", k), &LawStats{Law: model.SumTree, Cases: 1, Violations: 1}))
	}
	set(list[3:])
	require.LessOrEqual(t, strings.Count(Table(), "\n"), 60)
	require.Contains(t, Table(), "VIOLATED  24 subjects more; the summary has them\n")
}
