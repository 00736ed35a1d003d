package props

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

var updateMatrix = flag.Bool("update-matrix", false, "rewrite testdata/kill-matrix.txt")

// hunt lets a law search for a violation by a subject with the budget that users get by default, and
// returns how many cases it took, or 0 if it found none.
func hunt(t *testing.T, s Subject, l Law, minN, checks int) (cases int, v Verdict) {
	t.Helper()
	sub, err := vectorSubject(s)
	require.NoError(t, err)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	r := vectors.NewRun(sub, set)
	d := vectors.NewDrawer(r, &l)
	trial := vectors.NewTrial(sub)
	rng := draw.Splitmix(set.SeedFor("hunt", sub.Name))
	if minN > draw.LongSizes[len(draw.LongSizes)-1] { // beyond what is drawn: one leaf after that many zeros
		x := make([]float32, minN)
		x[minN-1] = 1
		v = trial.Judge(&l, &corpus.Case{Law: l.ID, X: corpus.Float32s(x)})
		if v.Fails() {
			return 1, v
		}
		return 0, v
	}
	for i := range checks {
		v = trial.Judge(&l, drawnWith(d, &rng))
		if v.Fails() {
			return i + 1, v
		}
	}
	return 0, v
}

// asOnFile returns the line of a kill matrix that a 16th of the draws gives, or a quarter, if it is one of the lines on file, and else the line of
// all draws. What kills does so with the same draw any way. What survives is most of the matrix and nearly all of the time; that it survives
// all draws was seen when the line was written.
func asOnFile(file string, draws int, line func(draws int) string) string {
	if b, err := os.ReadFile(file); err == nil && !*updateMatrix {
		for _, part := range []int{16, 4} {
			if few := line(draws / part); strings.Contains("\n"+string(b), "\n"+few+"\n") {
				return few
			}
		}
	}
	return line(draws)
}

// killRow is a mutant of a kernel that takes vectors, and how many cases each law took to kill it; 0: it survived.
type killRow struct {
	m     mutants.Mutant
	kills map[model.LawID]int
}

// line writes the row as the matrix has it, with the laws of its operation.
func (r *killRow) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s", r.m.Kernel.Name)
	for _, id := range lawsOn(r.m.Kernel.IsDot()) {
		mark := ""
		if n, applies := r.kills[id]; applies {
			mark = "passes"
			if n > 0 {
				mark = "kills"
			}
			if id == r.m.Kills {
				mark = strings.ToUpper(mark)
			}
		}
		fmt.Fprintf(&b, " %-11s", mark)
	}
	return b.String() + " " + r.m.Fault
}

// lawsOn returns the IDs of the laws of dot products, or of sums.
func lawsOn(dot bool) (ids []model.LawID) {
	for _, l := range judge.Laws() {
		if (l.Op == OpDot && dot || l.Op == OpSum && !dot) && !l.Thorough {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// TestKillMatrix runs every law on every mutant: each mutant is killed by the law that must kill it,
// survives those that its comment says it survives, and the matrix is the one on file.
func TestKillMatrix(t *testing.T) {
	const file = "testdata/kill-matrix.txt"
	var rows []killRow
	for _, m := range mutants.All() {
		sub, err := vectorSubject(own.Vector(m.Kernel))
		require.NoError(t, err)
		var r killRow
		asOnFile(file, 2000, func(draws int) string {
			r = killRow{m, map[model.LawID]int{}}
			for _, l := range judge.Laws() {
				if sub.Applies(&l) == "" {
					r.kills[l.ID], _ = hunt(t, own.Vector(m.Kernel), l, m.MinN, draws)
				}
			}
			return r.line()
		})
		rows = append(rows, r)
		if n, ok := r.kills[m.Kills]; !ok {
			t.Errorf("%s: law %s does not apply to its claim", m.Kernel.Name, m.Kills)
		} else if n == 0 {
			t.Errorf("%s survives %s, which must kill it: %s", m.Kernel.Name, m.Kills, m.Fault)
		}
		for _, id := range m.Survives {
			if n := r.kills[id]; n != 0 {
				t.Errorf("%s is killed by %s after %d cases, which it passes by construction: %s", m.Kernel.Name, id, n, m.Fault)
			}
		}
	}

	var b bytes.Buffer
	for _, op := range []Op{OpSum, OpDot} {
		fmt.Fprintf(&b, "%-26s", op.String()+": mutant")
		for _, id := range lawsOn(op == OpDot) {
			_, name, _ := strings.Cut(string(id), ".")
			fmt.Fprintf(&b, " %-11s", name)
		}
		b.WriteString(" fault\n")
		for _, r := range rows {
			if r.m.Kernel.IsDot() != (op == OpDot) {
				continue
			}
			b.WriteString(r.line() + "\n")
		}
	}
	// Each law needs a mutant that every weaker law of its family passes.
	for _, l := range judge.Laws() {
		if l.Op == OpAny || l.Thorough {
			continue // package props/device has mutants for the laws of kernels, and vectors has tests of those at level thorough
		}
		if !slices.ContainsFunc(rows, func(r killRow) bool {
			if r.m.Kills != l.ID || r.kills[l.ID] == 0 {
				return false
			}
			for _, w := range weaker(l.ID) {
				if r.kills[w] != 0 {
					return false
				}
			}
			return true
		}) {
			t.Errorf("no mutant shows what %s adds to the weaker laws %v", l.ID, weaker(l.ID))
		}
	}
	golden(t, file, b.String())
}

// weaker returns the laws of the family that a law is stronger than: a kernel that holds it on every
// input holds them.
func weaker(id model.LawID) []model.LawID {
	family, name, _ := strings.Cut(string(id), ".")
	order := map[string][]string{
		"enclosure":   {},
		"height":      {"enclosure"},
		"tree":        {"enclosure", "height", "member"},
		"member":      {"enclosure"},
		"integers":    {"enclosure"},
		"special":     {"enclosure"},
		"repeat":      {"enclosure"},
		"permute":     {"enclosure", "repeat"},
		"compensated": {"enclosure"},
		"rounded":     {"enclosure"},
		"pure":        {"enclosure", "repeat"},
		"independent": {"enclosure", "repeat", "pure"},
	}
	var ids []model.LawID
	for _, w := range order[name] {
		ids = append(ids, model.LawID(family+"."+w))
	}
	return ids
}
