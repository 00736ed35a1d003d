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
	"gamma/model/word"
	"gamma/props/judge"
)

// wordMutant is an operation with one fault.
type wordMutant struct {
	o     Operation
	fault string
	kills model.LawID
}

// flushing returns an operation that computes a claim's algorithm with subnormal numbers flushed, but for a fault of its own.
func flushing(o Operation, fault func(dst, src []float32)) Operation {
	run := o.Run
	o.Claim.Flush = model.Flush{In: true, Out: true}
	o.Claim.Exact = false
	o.Run = func(dst, src []float32) { run(dst, src); fault(dst, src) }
	return o
}

// wordMutants returns the mutants on file, and those for laws that these leave out.
func wordMutants(t *testing.T) []wordMutant {
	t.Helper()
	var list []wordMutant
	for _, m := range mutants.Words() {
		list = append(list, wordMutant{Operation{Name: m.Name, Claim: m.Claim, Run: m.Run32}, m.Fault, m.Kills})
	}
	op := func(name, algorithm string, f func(dst, src []float32)) Operation {
		a, ok := word.ByName(algorithm)
		require.True(t, ok, algorithm)
		return Operation{Name: "mutants." + name, Claim: word.Claim{Op: a.Op, Algorithm: algorithm, Special: word.SpecialNotFinite}, Run: f}
	}
	nearest := func(v float32) float32 { return v }
	add := func(dst, src []float32) {
		for i := 0; i < len(src); i += 2 {
			dst[i], dst[i+1] = src[i]+src[i+1], 0
		}
	}
	list = append(list,
		wordMutant{flushing(op("FlushedSum", "2Sum", add), func(_, _ []float32) {}), "the error term is dropped, under flushing", model.EFTFlush},
		wordMutant{flushing(op("FlushedPlus", "DWPlusFP", func(dst, src []float32) {
			for i := 0; i < len(src)/3; i++ {
				dst[2*i], dst[2*i+1] = nearest(src[3*i]+src[3*i+2]), src[3*i+1]
			}
		}), func(_, _ []float32) {}), "the error term is dropped, under flushing", model.DDFlush},
		wordMutant{op("SloppyDropped", "SloppyDWPlusDW", func(dst, src []float32) {
			for i := 0; i < len(src)/4; i++ {
				s := src[4*i] + src[4*i+2]
				v := src[4*i+1] + src[4*i+3]
				z := s + v
				dst[2*i], dst[2*i+1] = z, v-(z-s)
			}
		}), "the error of the high words' sum is dropped", model.DDSloppy},
	)
	return list
}

// weakerWords are the laws that a law is stronger than: an operation that holds it on every row holds them.
func weakerWords(id model.LawID) []model.LawID {
	switch id {
	case model.WordProgram:
		return []model.LawID{
			model.EFTSum, model.EFTFast, model.EFTSplit, model.EFTProduct, model.DDAdd, model.DDAddFP, model.DDMul, model.DDMulFP,
			model.DDDiv, model.DDDivFP, model.DDSqrt, model.ComplexMul, model.ComplexAdd,
		}
	case model.DDNormal:
		return []model.LawID{model.DDAdd, model.DDAddFP, model.DDMul, model.DDMulFP, model.DDDiv, model.DDDivFP, model.DDSqrt}
	}
	return nil
}

// TestWordKillMatrix runs every law on every mutant: each is killed by the law that must kill it, and the matrix is the one on
// file.
func TestWordKillMatrix(t *testing.T) {
	const file = "testdata/word-kill-matrix.txt"
	type row struct {
		m     wordMutant
		kills map[model.LawID]bool
	}
	var rows []row
	var lines []string
	var ids []model.LawID
	for _, l := range judge.WordLaws() {
		if l.Found == nil && !l.Hardware {
			ids = append(ids, l.ID)
		}
	}
	for _, m := range wordMutants(t) {
		p, err := m.o.Subject()
		require.NoError(t, err)
		r := row{m: m}
		lines = append(lines, asOnFile(file, 20000, func(draws int) string {
			r.kills = map[model.LawID]bool{}
			for _, l := range judge.WordLaws() {
				if p.Applies(&l) != "" {
					continue
				}
				_, _, v, err := judge.Search(l, m.o, draws)
				require.NoError(t, err)
				r.kills[l.ID] = v.Fails()
			}
			return wordLine(m, ids, r.kills)
		}))
		rows = append(rows, r)
		l, err := judge.LawByID(judge.WordLaws(), m.kills)
		require.NoError(t, err)
		f, _, err := judge.Find(l, m.o, 20000) // it is reduced and explained, too
		require.NoError(t, err)
		require.Equal(t, r.kills[m.kills], f != nil)
		if killed, applies := r.kills[m.kills]; !applies {
			t.Errorf("%s: law %s does not apply to its claim", m.o.Name, m.kills)
		} else if !killed {
			t.Errorf("%s survives %s, which must kill it: %s", m.o.Name, m.kills, m.fault)
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(rows, func(r row) bool {
			return r.kills[id] && !slices.ContainsFunc(weakerWords(id), func(w model.LawID) bool { return r.kills[w] })
		}) {
			t.Errorf("no mutant shows what %s adds to the weaker laws %v", id, weakerWords(id))
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-30s %-16s %-34s %-60s %s\n", "mutant", "killed by", "and by", "passes", "fault")
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	golden(t, file, b.String())
}

// wordLine writes the row of a mutant as the matrix has it.
func wordLine(m wordMutant, ids []model.LawID, killed map[model.LawID]bool) string {
	var kills, passes []string
	for _, id := range ids {
		switch killed, applies := killed[id]; {
		case id == m.kills || !applies:
		case killed:
			kills = append(kills, string(id))
		default:
			passes = append(passes, string(id))
		}
	}
	by := string(m.kills)
	if !killed[m.kills] {
		by = "survives " + by
	}
	return fmt.Sprintf("%-30s %-16s %-34s %-60s %s", m.o.Name, by, strings.Join(kills, " "), strings.Join(passes, " "), m.fault)
}
