package attack

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
)

// leastContradicted is how many rows an algorithm as it was written must not explain before a contraction is named.
const leastContradicted = 3

// Contracted says which contraction of an algorithm gives the results got for rows of finite words of a format, " with xl·yh fused"; "" if none
// does, or the algorithm explains all but a few rows as it was written.
func Contracted(a *word.Algorithm, op word.Op, f model.Format, rows, got [][]uint64) string {
	list := variants(a.Program, op)
	if mul := complexFactors[a.Name]; mul != "" {
		list = complexVariants(a.Program, mul)
	}
	var results []int
	for c := range op.Components() {
		for k := range op.Z {
			results = append(results, c*a.Op.Z+k)
		}
	}
	differ := func(p *word.Program) (n int) {
		c := Candidate{Program: p, Results: results, Arith: round.Arith{F: f}}
		for i, row := range rows {
			if c.run(row) != digest(got[i]) {
				n++
			}
		}
		return n
	}
	fused := func(p *word.Program) (n int) {
		for _, s := range p.Steps {
			if s.Op == word.StepFma {
				n++
			}
		}
		return n
	}
	if differ(list[0].program) < leastContradicted {
		return ""
	}
	list = slices.DeleteFunc(list[1:], func(w wayWritten) bool { return fused(w.program) <= fused(a.Program) || differ(w.program) > 0 })
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0].does
	}
	return fmt.Sprintf("%s (or one of %d others with the same bits)", list[0].does, len(list)-1)
}
