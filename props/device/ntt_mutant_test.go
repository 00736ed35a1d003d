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
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders/mutants"
)

// Cases that a law judges for a mutant of a transform: of a law that must kill it, until it does, and of any other.
const (
	killNTTs = 400
	passNTTs = 30
)

// cellWidth is how wide a column of such a matrix is, with the space before it.
const cellWidth = 12

// TestNTTShaderKillMatrix lets every law of transforms look at every mutant of a shader.
func TestNTTShaderKillMatrix(t *testing.T) {
	all, laws := mutants.NTTs(), judge.NTTLaws()
	ids := make([]model.LawID, len(laws))
	for i := range laws {
		ids[i] = laws[i].ID
	}
	rows := make([]mutantRow, len(all))
	for i, m := range all {
		n := builtin.Shader(m.NTT, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})).(props.NTT)
		n.Device.MaxN = max(16, 2*m.MinN)
		rows[i] = mutantRow{
			name: m.NTT.Name, fault: m.Fault, kills: m.Kills, survives: m.Survives,
			search: func(law, cases int) (int, props.Verdict, error) {
				_, first, v, err := judge.Search(laws[law], n, cases)
				return first, v, err
			},
			report: func(law, cases int) string {
				f, _, _ := judge.Find(laws[law], n, cases)
				return f.Text()
			},
		}
	}
	killMatrix(t, "testdata/kill-matrix-transforms.txt", ids, rows, model.NTTExact, model.NTTRoundtrip, model.NTTShift, model.NTTImpulse, model.NTTEval,
		model.NTTButterfly, model.NTTRange, model.NTTFactor, model.KernelRace, model.KernelBounds)
}

// mutantRow is a mutant of a transform in a matrix: search lets a law judge so many cases, and returns the number of the last, and report says what it finds.
type mutantRow struct {
	name, fault     string
	kills, survives []model.LawID
	search          func(law, cases int) (last int, v props.Verdict, err error)
	report          func(law, cases int) string
}

// killMatrix lets every law look at every mutant: each mutant is killed by each of the laws that must kill it, passes those that its author says
// it passes, each law of deadly must kill one, and the matrix is the one on file. A number is the first case that kills. What passes by the matrix on
// file is asked of an eighth of the cases: that it passes all was seen when the matrix was written.
func killMatrix(t *testing.T, file string, laws []model.LawID, all []mutantRow, deadly ...model.LawID) {
	t.Helper()
	type row struct {
		name  string
		cells []string
		text  string
	}
	rows := make([]row, len(all))
	want, missing := device.FromTree(t, file)
	var wait sync.WaitGroup
	for i, m := range all {
		begin, was := onFile(want, m.name, 24)
		rows[i].name = begin
		wait.Go(func() {
			var errs strings.Builder
			for l, id := range laws {
				must := slices.Contains(m.kills, id)
				cases := passNTTs
				if at := l * cellWidth; len(was) >= at+cellWidth && strings.TrimSpace(was[at:at+cellWidth]) == "-" {
					cases /= 8
				}
				if must {
					cases = killNTTs
				}
				first, v, err := m.search(l, cases)
				silent := first == 0 // the law says nothing about the transform
				if v.Outcome != props.Violated && v.Outcome != props.Broken {
					first = 0
				}
				cell := "-"
				switch {
				case err == nil && !must && silent:
					cell = ""
				case err != nil:
					fmt.Fprintf(&errs, "%s, %s: %v\n", m.name, id, err)
				case first > 0:
					cell = fmt.Sprint(first)
				}
				if must {
					if cell += "!"; first == 0 {
						fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", m.name, id, m.fault)
					}
				}
				if first > 0 && slices.Contains(m.survives, id) {
					fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s\n%s\n", m.name, id, m.fault, m.report(l, cases))
				}
				rows[i].cells = append(rows[i].cells, cell)
			}
			rows[i].text = errs.String()
		})
	}
	wait.Wait()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-24s", "mutant")
	for _, id := range laws {
		short := string(id)
		if kind, name, _ := strings.Cut(short, "."); kind != "device" {
			short = name
		}
		fmt.Fprintf(&b, " %-*s", cellWidth-1, short)
	}
	b.WriteString("\n")
	for i := range rows {
		if rows[i].text != "" {
			t.Error(strings.TrimSpace(rows[i].text))
		}
		b.WriteString(rows[i].name)
		for _, cell := range rows[i].cells {
			fmt.Fprintf(&b, " %-*s", cellWidth-1, cell)
		}
		b.WriteString("\n")
	}
	t.Logf("the first case that kills; with ! of laws that must\n%s", b.String())
	for _, id := range deadly {
		require.True(t, slices.ContainsFunc(all, func(m mutantRow) bool { return slices.Contains(m.kills, id) }), "law %s kills no mutant", id)
	}
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	require.NoError(t, missing, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
