package props

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/judge"
)

// weakerResidues are the laws that a law is stronger than: an operation that holds it on every row holds them.
func weakerResidues(id model.LawID) []model.LawID {
	switch id {
	case model.MontValue:
		return []model.LawID{model.MontIdentity, model.MontDistributes, model.MontInverse}
	case model.MontRange:
		return []model.LawID{model.MontValue}
	case model.MontClosure:
		return []model.LawID{model.MontValue, model.MontRange}
	}
	return nil
}

// matrixRows is how many rows a law draws for a mutant.
const matrixRows = 8000

// TestModularKillMatrix runs every law on every mutant: each is killed by the law that must kill it, and the matrix, which counts the
// rows until then, is the one on file.
func TestModularKillMatrix(t *testing.T) {
	const file = "testdata/modular-kill-matrix.txt"
	type row struct {
		m     mutants.Modular
		kills map[model.LawID]int // 0: survives
	}
	var rows []row
	var lines []string
	var ids []model.LawID
	for _, l := range judge.ModularLaws() {
		if l.Found == nil && !l.Hardware {
			ids = append(ids, l.ID)
		}
	}
	for _, m := range mutants.Modulars() {
		s := Modular{Name: m.Name, Claim: m.Claim, Run: m.Run}
		p, err := s.Subject()
		require.NoError(t, err)
		r := row{m: m}
		lines = append(lines, asOnFile(file, matrixRows, func(limit int) string {
			r.kills = map[model.LawID]int{}
			for _, l := range judge.ModularLaws() {
				if p.Applies(&l) != "" {
					continue
				}
				n := limit
				if l.Refuses {
					n /= 8
				}
				_, v, st, err := engine.New(residues.NewModularRun(p, settingsOf(t))).Find(engine.Erase(&l), n)
				require.NoError(t, err)
				if r.kills[l.ID] = 0; v.Fails() {
					r.kills[l.ID] = st.Holds + 1
				}
			}
			return modularLine(m, ids, r.kills)
		}))
		rows = append(rows, r)
		if n, applies := r.kills[m.Kills]; !applies {
			t.Errorf("%s: law %s does not apply to its claim", m.Name, m.Kills)
		} else if n == 0 {
			t.Errorf("%s survives %s, which must kill it: %s", m.Name, m.Kills, m.Fault)
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(rows, func(r row) bool {
			return r.kills[id] > 0 && !slices.ContainsFunc(weakerResidues(id), func(w model.LawID) bool { return r.kills[w] > 0 })
		}) {
			t.Errorf("no mutant shows what %s adds to the weaker laws %v", id, weakerResidues(id))
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "rows until a law kills a mutant, of at most %d; -: it survives; (n): the law that must kill it\n\n%-34s", matrixRows, "mutant")
	for _, id := range ids {
		fmt.Fprintf(&b, " %11s", strings.TrimPrefix(string(id), "mont."))
	}
	b.WriteString("  fault\n")
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	golden(t, file, b.String())
}

// modularLine writes the row of a mutant as the matrix has it.
func modularLine(m mutants.Modular, ids []model.LawID, kills map[model.LawID]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s", m.Name)
	for _, id := range ids {
		n, applies := kills[id]
		text := ""
		switch {
		case id == m.Kills:
			text = fmt.Sprintf("(%d)", n)
		case n > 0:
			text = fmt.Sprint(n)
		case applies:
			text = "-"
		}
		fmt.Fprintf(&b, " %11s", text)
	}
	return b.String() + "  " + m.Fault
}
