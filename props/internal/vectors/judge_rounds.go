package vectors

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// A schedule may round otherwise than by additions in the accumulator: by nodes Round, to another format, and by nodes Fused, with an adder of
// their own. What sum.tree says holds of these too. The theorems of model.SumBounds are about additions in Acc and one rounding into Out: a node
// that rounds in a format with a larger u errs by more than the v of its height, and by η of that format where it underflows, so that their laws
// say nothing, and say why.
//
// One such node changes nothing: a Round into Out at the root, of a sum that is no mean. What follows it is the claim's own rounding into Out,
// which leaves a number of Out as it is, flushed or not. So the result is that of the schedule below the root, rounded once, which the theorems
// are about, and the root adds nothing to the height.
//
// The other laws count what such nodes do:
//
//   - sum.integers: where all terms are multiples of 2^k, and their magnitudes sum to at most 2^(k+P), every partial sum is a multiple of 2^k
//     that large at most, which a format of precision P holds if its least number is at most 2^k. With P the least precision of the formats
//     that partial sums are rounded to, and the largest of their least numbers, every node is exact.
//   - sum.special: a node multiplies what it rounds by at most 1+2u, and adds 2^Emin at most where it underflows or flushes, in its own format,
//     and overflows beyond the format's largest finite number.

// detour is what the nodes of a schedule do that round otherwise than by additions in the accumulator.
type detour struct {
	formats []model.Format // the accumulator's aside, each once
	u       float64        // the sum of u over the nodes
	nodes   int
	cut     bool // an adder drops bits of exact sums, too
}

// detourOf returns the detour of a schedule under a claim.
func detourOf(tree *sumtree.Tree, c *model.Claim) (d detour) {
	if _, plain := tree.Plain(); plain || tree.NodeCount() == 0 {
		return d
	}
	var buf [2]sumtree.Ref
	for i := range tree.NodeCount() {
		var f model.Format
		r, steps := sumtree.Ref(i), 1
		switch tree.Kind(r) {
		case sumtree.Round:
			if f = tree.Format(r); f == c.Acc || r == tree.Root() && f == c.Out && !c.Mean {
				continue
			}
		case sumtree.Fused:
			a := tree.Adder(r)
			if f = a.OutFormat(); f == c.Acc && !a.Cut && !a.Late && a.Rounding == c.Rounding {
				continue
			}
			steps += len(tree.Operands(r, buf[:])) // each may lose a unit of the window
			d.cut = d.cut || a.Cut
		default:
			continue
		}
		d.nodes += steps
		d.u += float64(float64(steps) * f.U())
		if f != c.Acc && !slices.Contains(d.formats, f) {
			d.formats = append(d.formats, f)
		}
	}
	return d
}

// unproved says why the theorems about additions in the accumulator do not cover the trial's schedule, "" if they do.
func (t *Trial) unproved() string {
	switch d := &t.detour; {
	case d.nodes == 0:
		return ""
	case len(d.formats) > 0:
		return fmt.Sprintf("the schedule rounds partial results to %s, which the theorems about additions in %s leave out", d.formats[0], t.Claimed.Acc)
	}
	return "the schedule has an adder of its own, which the theorems about additions leave out"
}

// infinite reports whether accumulator, result and all other formats of partial results have infinities.
func (t *Trial) infinite() bool {
	c := &t.Claimed
	return c.Acc.HasInf && c.Out.HasInf && !slices.ContainsFunc(t.detour.formats, func(f model.Format) bool { return !f.HasInf })
}

// emin returns the largest exponent of a least normal number among the formats that the schedule rounds to and the result's.
func (t *Trial) emin() int {
	e := max(t.Claimed.Acc.Emin, t.Claimed.Out.Emin)
	for _, f := range t.detour.formats {
		e = max(e, f.Emin)
	}
	return e
}

// evaluated returns the value of a schedule over leaves of acc's format, as a number of to's. A root of another format than the accumulator's,
// as a Round is, is rounded into to's from there.
func evaluated(tree *sumtree.Tree, acc, to round.Arith, leaves []uint64) (uint64, error) {
	sum, err := eval.Bits(tree, acc, leaves)
	if f := eval.ResultFormat(tree, acc.F); err == nil && f != to.F {
		sum = round.Convert(to, f, sum)
	}
	return sum, err
}
