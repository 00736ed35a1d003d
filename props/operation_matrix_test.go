package props

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/word"
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
	type row struct {
		m     wordMutant
		kills map[model.LawID]bool
	}
	var rows []row
	var ids []model.LawID
	for _, l := range WordLaws() {
		if l.Found == nil && !l.Hardware {
			ids = append(ids, l.ID)
		}
	}
	for _, m := range wordMutants(t) {
		p, err := m.o.Subject()
		require.NoError(t, err)
		r := row{m, map[model.LawID]bool{}}
		for _, l := range WordLaws() {
			if p.Applies(&l) != "" {
				continue
			}
			_, _, v, err := Search(l, m.o, 20000)
			if l.ID == m.kills { // which is reduced and explained, too
				var f Report
				f, _, err = Find(l, m.o, 20000)
				require.Equal(t, v.Fails(), f != nil)
			}
			require.NoError(t, err)
			r.kills[l.ID] = v.Fails()
		}
		rows = append(rows, r)
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
	for _, r := range rows {
		var kills, passes []string
		for _, id := range ids {
			switch killed, applies := r.kills[id]; {
			case id == r.m.kills || !applies:
			case killed:
				kills = append(kills, string(id))
			default:
				passes = append(passes, string(id))
			}
		}
		fmt.Fprintf(&b, "%-30s %-16s %-34s %-60s %s\n", r.m.o.Name, r.m.kills, strings.Join(kills, " "), strings.Join(passes, " "), r.m.fault)
	}
	const file = "testdata/word-kill-matrix.txt"
	if *updateMatrix {
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
