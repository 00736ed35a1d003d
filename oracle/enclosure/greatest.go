package enclosure

import (
	"math"

	"gamma/model/formula"
)

// greatest is the greatest of operands that may be NaN; -∞ of none.
type greatest struct {
	meaning     formula.Meaning
	t           interval
	n           int  // operands that may be numbers
	certain     bool // one of them is
	some, every outcome
}

func newGreatest(m formula.Meaning) greatest {
	return greatest{meaning: m, t: point(math.Inf(-1)), every: never}
}

// add adds an operand in x. One that may be NaN may be left out, but for PropagateNaN, which makes no number of it.
func (g *greatest) add(x interval, o outcome) {
	g.some |= o
	g.every &= o
	if o == never {
		return
	}
	g.n++
	switch {
	case o == number || g.meaning == formula.PropagateNaN:
		if !g.certain {
			g.t.lo = x.lo
		}
		g.certain = true
		g.t = g.t.greater(x)
	case g.n == 1:
		g.t = x
	case g.certain:
		g.t.hi = max(g.t.hi, x.hi)
	default:
		g.t = interval{min(g.t.lo, x.lo), max(g.t.hi, x.hi)}
	}
}

// outcome says whether the greatest may be NaN.
func (g *greatest) outcome() outcome {
	if g.n == 0 && g.some == number {
		return number
	}
	return meant(g.meaning, g.some, g.every)
}
