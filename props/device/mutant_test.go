package device_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
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

var updateMatrix = flag.Bool("update-matrix", false, "rewrite testdata/kill-matrix.txt")

// Cases that a law draws for a mutant: those of a law that must kill it, and of any other.
const (
	killChecks = 600
	passChecks = 60
)

// mutantSteps ends mutants that do not end.
const mutantSteps = 1 << 20

func mutantSubject(m mutants.Mutant) props.Subject {
	return builtin.Shader(m.Kernel, sim.New(sim.Options{Workers: 1, Steps: mutantSteps}))
}

// TestKillMatrix lets every law look at every mutant: each mutant is killed by each of the laws that must kill it, passes those that
// its author says it passes, and the matrix is the one on file.
func TestKillMatrix(t *testing.T) {
	all := mutants.All()
	type row struct {
		kills map[model.LawID]bool
		text  string
	}
	rows := make([]row, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		rows[i].kills = map[model.LawID]bool{}
		wait.Go(func() {
			var errs strings.Builder
			for _, l := range judge.Laws() {
				must := slices.Contains(m.Kills, l.ID)
				checks := passChecks
				if must {
					checks = killChecks
				}
				c, cases, v, err := judge.Search(l, mutantSubject(m), checks)
				switch {
				case err != nil:
					fmt.Fprintf(&errs, "%s: %v\n", m.Kernel.Name, err)
				case cases == 0:
					if must {
						fmt.Fprintf(&errs, "%s: law %s does not apply to its claim: %s\n", m.Kernel.Name, l.ID, v.Reason)
					}
					continue
				case must && c == nil:
					fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", m.Kernel.Name, l.ID, m.Fault)
				case c != nil && slices.Contains(m.Survives, l.ID):
					fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s: %s\n", m.Kernel.Name, l.ID, m.Fault, v.Reason)
				}
				rows[i].kills[l.ID] = c != nil
			}
			rows[i].text = errs.String()
		})
	}
	wait.Wait()

	var b bytes.Buffer
	var ids []model.LawID
	for _, l := range judge.Laws() {
		if l.Op != props.OpDot && !l.Hardware && !l.Thorough {
			ids = append(ids, l.ID)
		}
	}
	fmt.Fprintf(&b, "%-24s", "mutant")
	for _, id := range ids {
		_, name, _ := strings.Cut(string(id), ".")
		fmt.Fprintf(&b, " %-11s", name)
	}
	b.WriteString("\n")
	killed := map[model.LawID]int{}
	for i, m := range all {
		if rows[i].text != "" {
			t.Error(strings.TrimSpace(rows[i].text))
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Kernel.Name, "shaders/mutants/"), ".metal")
		fmt.Fprintf(&b, "%-24s", name)
		for _, id := range ids {
			if m.Kernel.IsDot() {
				id = model.LawID(strings.Replace(string(id), "sum.", "dot.", 1))
			}
			mark := ""
			if kills, applies := rows[i].kills[id]; applies {
				mark = "passes"
				if kills {
					mark = "kills"
				}
				if slices.Contains(m.Kills, id) {
					mark = strings.ToUpper(mark)
					killed[id]++
				}
			}
			fmt.Fprintf(&b, " %-11s", mark)
		}
		b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
		b.WriteString("\n")
	}
	for _, l := range judge.Laws() {
		if l.Op == props.OpAny && !l.Hardware && killed[l.ID] == 0 {
			t.Errorf("law %s kills no mutant", l.ID)
		}
	}
	const file = "testdata/kill-matrix.txt"
	if *updateMatrix {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
