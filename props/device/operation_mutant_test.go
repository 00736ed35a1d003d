package device_test

import (
	"bytes"
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
	"gamma/props/device"
	"gamma/shaders/mutants"
)

// Rows that a law judges for a mutant of an operation: those of a law that must kill it, and of any other.
const (
	killRows = 20000
	passRows = 1500
)

// TestOperationKillMatrix lets every law of words look at every mutant of an operation, as TestKillMatrix does with those of sums.
func TestOperationKillMatrix(t *testing.T) {
	all, words := mutants.Operations(), props.WordLaws()
	type row struct {
		cells []string
		text  string
	}
	rows := make([]row, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		wait.Go(func() {
			var errs strings.Builder
			o := device.Shader(m.Operation, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})).(props.Operation)
			for _, l := range words {
				must := slices.Contains(m.Kills, l.ID)
				n := passRows
				if must {
					n = killRows
				}
				f, judged, err := props.Find(l, o, n)
				mark := "passes"
				switch {
				case err != nil && !must && strings.Contains(err.Error(), "says nothing about"):
					mark = ""
				case err != nil:
					fmt.Fprintf(&errs, "%s, %s: %v\n", m.Operation.Name, l.ID, err)
				case f != nil:
					mark = "kills"
				case judged == 0:
					mark = ""
				}
				if must {
					mark = strings.ToUpper(mark)
				}
				if must && f == nil {
					fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", m.Operation.Name, l.ID, m.Fault)
				}
				if f != nil && slices.Contains(m.Survives, l.ID) {
					fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s\n%s\n", m.Operation.Name, l.ID, m.Fault, f.Text())
				}
				rows[i].cells = append(rows[i].cells, mark)
			}
			rows[i].text = errs.String()
		})
	}
	wait.Wait()

	// A line a mutant, and the laws that say something about it.
	var b bytes.Buffer
	for i, m := range all {
		if rows[i].text != "" {
			t.Error(strings.TrimSpace(rows[i].text))
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Operation.Name, "shaders/mutants/"), ".metal")
		fmt.Fprintf(&b, "%-22s", name)
		for k, l := range words {
			if mark := rows[i].cells[k]; mark != "" {
				fmt.Fprintf(&b, " %s:%s", mark, l.ID)
			}
		}
		b.WriteString("\n")
	}
	for _, id := range []model.LawID{model.EFTSum, model.EFTSplit, model.EFTProduct, model.DDAdd, model.DDMul, model.DDNormal, model.DDRounded, model.ComplexMul, model.ComplexRounded, model.WordProgram, model.KernelBounds} {
		require.True(t, slices.ContainsFunc(all, func(m mutants.Operation) bool { return slices.Contains(m.Kills, id) }), "law %s kills no mutant", id)
	}
	const file = "testdata/kill-matrix-operations.txt"
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
