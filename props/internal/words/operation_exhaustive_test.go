package words

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// TestTransformLawsExhaustively holds the laws of transforms, as they are judged, to every pair of a format of three bits, and
// at level thorough of four, under every way to flush: none may fail a sound algorithm, and each must have something to say.
func TestTransformLawsExhaustively(t *testing.T) {
	formats := []string{"toy3"}
	if set, err := engine.ReadSettings(); err == nil && set.Thorough {
		formats = append(formats, "toy4")
	}
	for _, name := range formats {
		f, err := model.FormatByName(name)
		require.NoError(t, err)
		for _, alg := range word.Algorithms() {
			op := alg.Op
			if op != word.TwoSum && op != word.TwoProduct && op != word.Split {
				continue
			}
			for _, fl := range []model.Flush{{}, {In: true}, {Out: true}, {In: true, Out: true}, {In: true, Out: true, Before: true}} {
				c := word.Claim{Op: op, Algorithm: alg.Name, Flush: fl}
				run := newWalker(f, &c, alg)
				run.a = round.Arith{F: f, Fl: fl}
				ctx := NewContext(f, &c, alg)
				judged := map[model.LawID]int{}
				end := f.SignBit() << 1
				for a := uint64(0); a < end; a++ {
					for b := uint64(0); b < end; b++ {
						in := []uint64{a, b}[:op.In()]
						if op.In() == 1 && b > 0 {
							break
						}
						copy(run.values, in)
						word.Run(alg.Program, &run, run.values, run.results)
						for _, l := range transformLaws {
							if AppliesToWords(&l, &c, false) != "" {
								continue
							}
							r := WordRow{Claim: c, Format: f, In: in, Out: run.results, Alg: alg, W: ctx}
							v := l.Judge(&r)
							require.False(t, v.Fails(), "%s %s flush %s %s: %#x -> %#x: %v", l.ID, alg.Name, fl, f, in, run.results, v)
							if v.Outcome == verdict.Holds {
								judged[l.ID]++
							}
						}
					}
				}
				for _, l := range transformLaws {
					if AppliesToWords(&l, &c, false) == "" && (l.Flushes || !fl.Any()) {
						require.Positive(t, judged[l.ID], "%s %s flush %s %s says nothing", l.ID, alg.Name, fl, f)
					}
				}
			}
		}
	}
}
