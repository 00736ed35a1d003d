package words

import (
	"strings"

	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
)

// Subject is what the engines work with: an Operation whose fields are sound.
type Subject struct {
	Name   string
	Claim  word.Claim
	Alg    *word.Algorithm // that of the claim; nil if it names none
	Format model.Format
	Laws   []WordLaw
	Silent string // why the laws of values say nothing on the hardware that the operation is on; "" if they do
	// Sub runs batches: one call of its kernel takes the words of all rows and gives those of their results.
	Sub *vectors.Kernel
}

// AlgorithmsFor lists the algorithms that a claim of an operation can name.
func AlgorithmsFor(op word.Op) string {
	var names []string
	for _, a := range word.Algorithms() {
		if a.Op.Function == op.Function && a.Op.X == op.X && a.Op.Y == op.Y && a.Op.Terms == op.Terms && a.Op.Z >= op.Z {
			names = append(names, a.Name)
		}
	}
	if names == nil {
		return "none that is known"
	}
	return strings.Join(names, ", ")
}

// CheckOwnWordLaws checks the laws that an operation brings itself.
func CheckOwnWordLaws(own []WordLaw) error {
	return engine.CheckOwn(own, BuiltIn, "dd.mine", wordFamilyByName)
}

// WeakenWord returns what is left of a claim under a behaviour, and what it leaves out altogether: "" or why no law of values
// says anything. Rounding and flushing are those of the behaviour beside the claim's own. Unless strict, which says that the
// source forbids it or has nothing to change: reassociation leaves nothing, contraction nothing of an algorithm that adds up a
// product, reciprocals nothing of one that divides; and so with library functions that err, of one that divides or takes roots.
func WeakenWord(c word.Claim, b model.Behaviour, strict bool) (left word.Claim, silent string) {
	if b.Rounding != model.NearestEven {
		c.Rounding = b.Rounding
	}
	c.Flush = engine.JoinFlush(c.Flush, b.Flush)
	var p *word.Program
	if a, ok := word.ByName(c.Algorithm); ok {
		p = a.Program
	}
	has := func(ops ...word.StepOp) bool {
		if p == nil {
			return true // an algorithm that is not known may have any step
		}
		for i := range p.Steps {
			for _, op := range ops {
				if p.Steps[i].Op == op {
					return true
				}
			}
		}
		return false
	}
	if b.ULP && has(word.StepDiv, word.StepSqrt) {
		return c, "quotients and roots may err inside the limits of the library"
	}
	if strict {
		return c, ""
	}
	switch {
	case b.Rewrites.Reassociate:
		return c, "additions may be reassociated, which removes every error term"
	case b.Contract != model.ContractOff && (p == nil || len(p.Contractions(true, 1)) > 0):
		return c, "products may be fused with sums, and no bound is proved for the operation so changed"
	case b.Rewrites.Reciprocal && has(word.StepDiv):
		return c, "quotients may be products of reciprocals"
	}
	return c, ""
}
