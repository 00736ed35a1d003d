package device_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders/mutants"
)

// Rows that a law judges for a mutant of an operation: those of a law that must kill it, and of any other.
const (
	killRows = 20000
	passRows = 1500
)

// planted is a mutant as a subject, with the laws that must kill it and those that it passes by construction.
type planted struct {
	subject         props.Subject
	name, fault     string
	kills, survives []model.LawID
}

// onFile returns how the line of a mutant begins in a matrix, with its name in so many columns, and what follows there on file; "" if the matrix is to be
// written anew.
func onFile(matrix []byte, mutant string, columns int) (begin, was string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(mutant, "shaders/mutants/"), "#")
	begin = fmt.Sprintf("%-*s", columns, strings.TrimSuffix(name, ".metal"))
	for line := range strings.Lines(string(matrix)) {
		if rest, ok := strings.CutPrefix(line, begin); ok && strings.HasPrefix(rest, " ") && !*updateMatrix {
			was = rest
		}
	}
	return begin, was
}

// requireMatrix lets every law look at every mutant, at most cases of those that must kill it and at few of any other, as TestKillMatrix does with
// mutants of sums. It compares the matrix with that on file, in which a mutant's line has the laws that say something about it.
//
// What passes by the line on file is asked of a 16th of the cases: that it passes all was seen when the line was written.
func requireMatrix[J, C any](t *testing.T, file string, laws []props.LawOf[J, C], all []planted, most, few int) {
	t.Helper()
	want, missing := device.FromTree(t, file)
	lines, errs := make([]string, len(all)), make([]string, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		begin, was := onFile(want, m.name, 22)
		wait.Go(func() {
			lines[i], errs[i] = matrixLine(laws, &m, was, most, few)
			lines[i] = begin + lines[i]
		})
	}
	wait.Wait()
	for _, text := range errs {
		if text != "" {
			t.Error(strings.TrimSpace(text))
		}
	}
	text := strings.Join(lines, "")
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, []byte(text)))
		return
	}
	require.NoError(t, missing, "run with -update-matrix to write it")
	require.Equal(t, string(want), text, "the kill matrix has changed; look at it, then run with -update-matrix")
}

// matrixLine returns the line of a mutant after its name, and what is wrong with it. was is the line on file, "" if there is none.
func matrixLine[J, C any](laws []props.LawOf[J, C], m *planted, was string, most, few int) (line, wrong string) {
	var errs strings.Builder
	for _, l := range laws {
		must := slices.Contains(m.kills, l.ID)
		n := few
		switch {
		case must:
			n = most
		case was != "" && !slices.Contains(strings.Fields(was), "kills:"+string(l.ID)):
			n = max(1, few/16)
		}
		var f props.Report
		c, judged, _, err := judge.Search(l, m.subject, n)
		if c != nil && (must || slices.Contains(m.survives, l.ID)) { // it is reduced and explained, too
			f, judged, err = judge.Find(l, m.subject, n)
		}
		mark := "passes"
		switch {
		case err != nil && !must && strings.Contains(err.Error(), "says nothing about"):
			mark = ""
		case err != nil:
			fmt.Fprintf(&errs, "%s, %s: %v\n", m.name, l.ID, err)
		case c != nil:
			mark = "kills"
		case judged == 0:
			mark = ""
		}
		if must {
			mark = strings.ToUpper(mark)
		}
		if must && f == nil {
			fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", m.name, l.ID, m.fault)
		}
		if f != nil && slices.Contains(m.survives, l.ID) {
			fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s\n%s\n", m.name, l.ID, m.fault, f.Text())
		}
		if mark != "" {
			line += fmt.Sprintf(" %s:%s", mark, l.ID)
		}
	}
	return line + "\n", errs.String()
}

// requireKillers requires that each of some laws must kill a mutant.
func requireKillers(t *testing.T, all []planted, ids ...model.LawID) {
	t.Helper()
	for _, id := range ids {
		require.True(t, slices.ContainsFunc(all, func(m planted) bool { return slices.Contains(m.kills, id) }), "law %s kills no mutant", id)
	}
}

// TestOperationKillMatrix lets every law of words look at every mutant of an operation, at so many rows.
func TestOperationKillMatrix(t *testing.T) {
	var all []planted
	for _, m := range mutants.Operations() {
		s := builtin.Shader(m.Operation, sim.New(sim.Options{Workers: 1, Steps: mutantSteps}))
		all = append(all, planted{s, m.Operation.Name, m.Fault, m.Kills, m.Survives})
	}
	requireKillers(t, all, model.EFTSum, model.EFTSplit, model.EFTProduct, model.DDAdd, model.DDMul, model.DDNormal, model.DDRounded, model.ComplexMul,
		model.ComplexRounded, model.WordProgram, model.KernelBounds)
	requireMatrix(t, "testdata/kill-matrix-operations.txt", judge.WordLaws(), all, killRows, passRows)
}

// TestFormulaKillMatrix lets every law of formulas look at every mutant of a kernel with one, at so many inputs.
func TestFormulaKillMatrix(t *testing.T) {
	var all []planted
	for _, m := range mutants.Formulas() {
		s := builtin.Shader(m.Formula, sim.New(sim.Options{Workers: 1, Steps: 256 * mutantSteps})) // all end
		all = append(all, planted{s, m.Formula.Name, m.Fault, m.Kills, m.Survives})
	}
	requireKillers(t, all, model.FormulaEnclosure, model.FormulaExact, model.FormulaSymmetry, model.KernelRace, model.KernelBounds, model.KernelInit)
	requireMatrix(t, "testdata/kill-matrix-formulas.txt", judge.FormulaLaws(), all, 400, 40)
}
