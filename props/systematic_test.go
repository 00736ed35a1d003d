package props

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/words"
)

// TestSystematic: a law's first cases on a device go through each field that is admitted alone, and all at once, in an order by the seed.
func TestSystematic(t *testing.T) {
	d := &DeviceClaim{Widths: []int{8, 16}, Cost: 3, Admits: model.Behaviour{
		Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true, Before: true}, Contract: model.ContractFast, Order: "accesses", ULP: true, Poison: true,
		Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true, NoNaNs: true, NoInfs: true},
	}}
	orders := map[string]bool{}
	for seed := range uint64(8) {
		list := d.Systematic(seed, 1)
		require.Len(t, list, 14)
		var text []string
		for i := range list {
			require.Empty(t, d.NotAdmitted(list[i]))
			if list[i].Rewrites != (model.Rewrites{}) {
				require.Zero(t, list[i].Seed, "it takes every liberty")
			}
			list[i].Seed = 0
			text = append(text, list[i].String())
		}
		for _, b := range []model.Behaviour{
			{},
			{Rounding: model.TowardZero},
			{Flush: d.Admits.Flush},
			{Contract: model.ContractFast},
			{Rewrites: model.Rewrites{Reassociate: true}},
			{Rewrites: model.Rewrites{NoSignedZeros: true}},
			{Rewrites: model.Rewrites{Reciprocal: true}},
			{Rewrites: model.Rewrites{NoNaNs: true}},
			{Rewrites: model.Rewrites{NoInfs: true}},
			{Order: "accesses"},
			{ULP: true},
			{Poison: true},
		} {
			require.Contains(t, list, b)
		}
		orders[strings.Join(text, "; ")] = true
	}
	require.Greater(t, len(orders), 4)
	require.Empty(t, (&DeviceClaim{Hardware: true, Admits: d.Admits}).Systematic(1, 1))

	first := len(d.Systematic(1, words.WordRounds))
	require.Equal(t, 28, first)
	for checks, least := range map[int]int{2000: first, 20000: first, 400: first, 1: 1} {
		rows := d.Checks(checks) * words.RowsPerCheck
		p := words.PlanOf(rows, first)
		require.GreaterOrEqual(t, p.First, least, "%+v", p)
		require.LessOrEqual(t, p.First*p.FirstRows+p.Drawn*p.DrawnRows, max(rows, words.LeastRows), "%+v", p)
		if checks >= 2000 {
			require.GreaterOrEqual(t, p.Drawn, words.LeastDrawn, "%+v", p)
		}
	}
	require.Equal(t, words.WordPlan{Drawn: 10, DrawnRows: words.BatchRows}, words.PlanOf(10*words.BatchRows, 0))
}

// TestNamedCase: what -gamma.case names is an error for all kinds where no file is called so, and only another's where one is.
func TestNamedCase(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(engine.SaveDirName, 0o755))
	for _, name := range []string{"a-sum-11111111.case", "a-times.cases", "a-mul-33333333.residues", "b-sum-44444444.case", "c-sum-44444444.case"} {
		require.NoError(t, os.WriteFile(filepath.Join(engine.SaveDirName, name), nil, 0o644))
	}
	for name, owner := range map[string]string{
		"11111111": ".case", "11111111.case": ".case", "times": ".cases", "times.cases": ".cases", "33333333": ".residues", "33333333.residues": ".residues",
	} {
		s := engine.Settings{CaseFile: name}
		found := engine.FilesNamed(s.CaseFile)
		require.Len(t, found, 1, name)
		require.Equal(t, owner, filepath.Ext(found[0]))
	}
	for _, name := range []string{"deadbeef", "nowhere.case", "nowhere.cases", "nowhere.residues", "times.case"} {
		s := engine.Settings{CaseFile: name}
		_, errs := (&engine.Session{Set: s}).OnFile(func(*engine.CaseFile) bool { return true })
		require.Len(t, errs, 1, name)
		require.ErrorContains(t, errs[0], "-gamma.case is neither a file nor the end of the name of one below testdata/gamma")
	}
	_, err := (&engine.Settings{CaseFile: "44444444"}).NamedCase()
	require.ErrorContains(t, err, "b-sum-44444444.case")
}

// TestVacuousLine: the line of a law that is vacuous in more than a third of its cases says why, most often.
func TestVacuousLine(t *testing.T) {
	s := engine.LawStats{Law: "a.b", Subject: "k", Cases: 90, Holds: 59, Vacuous: 31, Reasons: map[string]int{"no bound": 20, "flushed": 11}}
	require.Equal(t, "k a.b: 90 cases, 59 judged, 31 vacuous, 20 of them: no bound", s.Line())
	s.Cases, s.Holds = 93, 62
	require.Equal(t, "k a.b: 93 cases, 62 judged, 31 vacuous", s.Line())
}
