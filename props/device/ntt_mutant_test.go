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

// Cases that a law judges for a mutant of a transform: of a law that must kill it, until it does, and of any other.
const (
	killNTTs = 400
	passNTTs = 30
)

// TestNTTShaderKillMatrix lets every law of transforms look at every mutant of a shader: each mutant is killed by each of the laws that
// must kill it, passes those that its author says it passes, and the matrix is the one on file. A number is the first case that kills.
func TestNTTShaderKillMatrix(t *testing.T) {
	all, laws := mutants.NTTs(), props.NTTLaws()
	type row struct {
		cells []string
		text  string
	}
	rows := make([]row, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		wait.Go(func() {
			var errs strings.Builder
			n := device.Shader(m.NTT, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})).(props.NTT)
			n.Device.MaxN = max(16, 2*m.MinN)
			for _, l := range laws {
				must := slices.Contains(m.Kills, l.ID)
				cases := passNTTs
				if must {
					cases = killNTTs
				}
				_, first, v, err := props.Search(l, n, cases)
				silent := first == 0 // the law says nothing about the transform
				if v.Outcome != props.Violated && v.Outcome != props.Broken {
					first = 0
				}
				cell := "-"
				switch {
				case err == nil && !must && silent:
					cell = ""
				case err != nil:
					fmt.Fprintf(&errs, "%s, %s: %v\n", n.Name, l.ID, err)
				case first > 0:
					cell = fmt.Sprint(first)
				}
				if must {
					if cell += "!"; first == 0 {
						fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", n.Name, l.ID, m.Fault)
					}
				}
				if first > 0 && slices.Contains(m.Survives, l.ID) {
					f, _, _ := props.Find(l, n, cases)
					fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s\n%s\n", n.Name, l.ID, m.Fault, f.Text())
				}
				rows[i].cells = append(rows[i].cells, cell)
			}
			rows[i].text = errs.String()
		})
	}
	wait.Wait()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-24s", "mutant")
	for _, l := range laws {
		fmt.Fprintf(&b, " %-11s", strings.TrimPrefix(strings.TrimPrefix(string(l.ID), "ntt."), "kernel."))
	}
	b.WriteString("\n")
	for i, m := range all {
		if rows[i].text != "" {
			t.Error(strings.TrimSpace(rows[i].text))
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.NTT.Name, "shaders/mutants/"), ".metal")
		fmt.Fprintf(&b, "%-24s", name)
		for _, cell := range rows[i].cells {
			fmt.Fprintf(&b, " %-11s", cell)
		}
		b.WriteString("\n")
	}
	t.Logf("the first case that kills; with ! of laws that must\n%s", b.String())
	for _, id := range []model.LawID{model.NTTExact, model.NTTRoundtrip, model.NTTShift, model.NTTImpulse, model.NTTEval, model.NTTButterfly, model.NTTRange, model.NTTFactor, model.KernelRace, model.KernelBounds} {
		require.True(t, slices.ContainsFunc(all, func(m mutants.NTT) bool { return slices.Contains(m.Kills, id) }), "law %s kills no mutant", id)
	}
	const file = "testdata/kill-matrix-transforms.txt"
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
