package words

import (
	"fmt"
	"slices"

	"gamma/props/internal/attack"
	"gamma/props/internal/draw"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// contractedRows are run to tell a contraction, at most so many of a batch.
const (
	contractedRows = 40
	rowsOfBatch    = 5
)

// contracted says of an operation in a wider format than binary32, whose witness rows are not known, which products of the algorithm that it
// claims are fused into additions: that explains the failing row, and others that are drawn. "" if none does.
func (r *wordRun) contracted(l *WordLaw, f *WordFailure) string {
	p, n, m := r.p, r.p.Claim.Op.In(), r.p.Claim.Op.Out()
	src, err := r.Source(l, true)
	if err != nil {
		return ""
	}
	finite := func(words []uint64) bool {
		return !slices.ContainsFunc(words, func(w uint64) bool { return !p.Format.IsFinite(w) })
	}
	var rows, got [][]uint64
	if rows = append(rows, f.Rows[f.Row]); !finite(rows[0]) || !finite(f.Out) {
		return ""
	}
	got = append(got, f.Out)
	trial, rng := NewWordTrial(p), draw.Splitmix(r.Set.SeedFor("contraction", p.Name))
	for k := 0; k < contractedRows && len(rows) < contractedRows; k++ {
		c, _ := src.Next(&rng)
		if v := trial.Judge(l, c); v.Outcome == verdict.Broken {
			return ""
		}
		words, out := vectors.BitsOf(trial.In), trial.Results
		for i := 0; i < min(rowsOfBatch, trial.Rows); i++ {
			if row, z := words[i*n:(i+1)*n], out[i*m:(i+1)*m]; finite(row) && finite(z) {
				rows, got = append(rows, row), append(got, slices.Clone(z))
			}
		}
	}
	does := attack.Contracted(p.Alg, p.Claim.Op, p.Format, rows, got)
	if does == "" {
		return ""
	}
	return fmt.Sprintf("the operation ran %s%s where %s was written: a product is fused into an addition (%s)", p.Claim.Algorithm, does, p.Claim.Algorithm, p.Format)
}
