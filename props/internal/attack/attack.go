package attack

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"gamma/model"
	"gamma/model/word"
)

// AttackOptions bound a search. The zero value is usable.
type AttackOptions struct {
	Seed     uint64        // of every draw: a search repeats
	Evals    int           // rows to run, at most; 0: 8,000,000
	Deadline time.Duration // time to spend, at most; 0: no limit. A search that it ends does not repeat.
	Until    float64       // the search ends when it has reached this ratio; 0: it goes on
	Ordered  bool          // draw |x| >= |y|, as Fast2Sum wants
	Starts   [][]float32   // rows to start from, beside those drawn

	Failed *error // the operation's error, which ends the search
}

// AttackResult is the worst row that a search met.
type AttackResult struct {
	Row []float32 // the operands; nil: no row of finite results was met
	Out []float32 // what the operation returned for them
	// Ratio is error/bound, rounded to nearest from the exact one; it is +Inf when the bound is 0 and the error is not.
	Ratio float64
	Evals int // rows run
}

// Attack looks for operands whose error is as large a part of bound as possible: a hill climb over structured mantissas, by
// several climbers of which the better ones stay.
//
// run gets batches of rows, as Operation.Run does. Operands are double words, all magnitudes near 1, so that no step overflows or
// underflows. The search compares errors that binary64 has computed, which are good to five digits at least; the ratio that it
// returns is exact.
func Attack(op word.Op, run func(dst, src []float32), bound word.Bound, o AttackOptions) AttackResult {
	if err := op.Check(); err != nil {
		panic(err.Error())
	}
	if o.Evals <= 0 {
		o.Evals = 8_000_000
	}
	a := NewAttacker(op, run, bound, o)
	a.Search()
	res := AttackResult{Evals: a.evals}
	if a.best.score >= 0 {
		res.Row = a.best.row
		res.Out = make([]float32, op.Out())
		run(res.Out, append([]float32(nil), res.Row...))
		res.Ratio = ExactRatio(op, bound, model.Binary32.P, res.Row, res.Out)
	}
	return res
}

// AttackBatch is how many rows a call of the operation gets: few enough to stay in cache.
const AttackBatch = 256

// climber is one row and its score: error/bound, or -1 before it has run. A climber goes on trips: it jumps, climbs for a few
// rounds from where it landed, and comes home unless it has got higher.
type climber struct {
	row    []float32
	score  float64
	home   []float32 // where the trip began
	height float64   // the score there
	left   int       // rounds of the trip that are left; 0: it is at home
	stale  int       // rounds since it last rose above its height
}

type attacker struct {
	op       word.Op
	run      func(dst, src []float32)
	o        AttackOptions
	same     bool
	score    func(in, out []float32) float64
	rng      rand.PCG
	Words    []int // of each operand
	Offsets  []int // where each operand stands in a row
	sum      bool  // exponents of the operands matter
	src, dst []float32
	evals    int
	end      time.Time
	best     climber
}

// NewAttacker returns an attacker of one operation: run computes rows of it, and bound is what their errors are compared with.
func NewAttacker(op word.Op, run func(dst, src []float32), bound word.Bound, o AttackOptions) *attacker {
	a := &attacker{
		op: op, run: run, o: o, same: bound.Same, score: Scorer(op, bound, model.Binary32.P), Words: op.Operands(),
		sum: op.Function == word.Sum || op.Function == word.Difference || op.Complex() || op.Function == word.DotProduct,
		src: make([]float32, AttackBatch*op.In()), dst: make([]float32, AttackBatch*op.Out()), best: climber{score: -1},
	}
	a.rng.Seed(o.Seed, 0x6a09e667f3bcc908)
	k := 0
	for _, w := range a.Words {
		a.Offsets = append(a.Offsets, k)
		k += w
	}
	if o.Deadline > 0 {
		a.end = time.Now().Add(o.Deadline)
	}
	return a
}

// intn returns a number below n.
func (a *attacker) intn(n int) int { return int((a.rng.Uint64() >> 32) * uint64(n) >> 32) }

// done reports whether the search has to end.
func (a *attacker) done() bool {
	return a.evals >= a.o.Evals || a.o.Failed != nil && *a.o.Failed != nil || a.o.Until > 0 && a.best.score >= a.o.Until || !a.end.IsZero() && !time.Now().Before(a.end)
}

// evaluate runs the first n rows of src and returns their scores to f.
func (a *attacker) evaluate(n int, f func(i int, score float64)) {
	in, out := a.op.In(), a.op.Out()
	src, dst := a.src[:n*in], a.dst[:n*out]
	a.run(dst, src)
	a.evals += n
	for i := range n {
		row := src[i*in : (i+1)*in]
		s := a.score(row, dst[i*out:(i+1)*out])
		f(i, s)
		if s > a.best.score {
			a.best = climber{row: append([]float32(nil), row...), score: s}
		}
	}
}

// A tournament: how many batches of starts, how many climbers, rounds of the first phase (each later one is twice as long), and
// how many rounds the last climber may go without rising.
const (
	attackStarts   = 32
	attackClimbers = 16
	attackPhase    = 48
	attackPatience = 400
)

// Search runs tournaments until it is done: of many starts the best climb, the better half of those climbs on, and so on.
func (a *attacker) Search() {
	starts := a.o.Starts
	for first := true; first || !a.done(); first = false {
		c := a.gather(starts)
		starts = nil
		for rounds := attackPhase; len(c) > 0 && !a.done(); rounds *= 2 {
			for i := 0; i < rounds && !a.done(); i++ {
				a.round(c)
			}
			if len(c) == 1 && c[0].stale > attackPatience {
				break
			}
			c = better(c)
		}
	}
}

// higher orders climbers, the highest first.
func higher(c, d climber) int { return cmp.Compare(d.score, c.score) }

// better returns the better half of the climbers, one at least, best first.
func better(c []climber) []climber {
	for k := range c {
		if c[k].left > 0 {
			copy(c[k].row, c[k].home)
			c[k].score, c[k].left = c[k].height, 0
		}
	}
	slices.SortStableFunc(c, higher)
	return c[:(len(c)+1)/2]
}

// gather draws batches of starts and returns climbers at the best row of each, and at the given ones: the best of them all.
func (a *attacker) gather(given [][]float32) []climber {
	var c []climber
	in := a.op.In()
	for _, g := range given {
		if len(g) == in {
			copy(a.src, g)
			a.evaluate(1, func(_ int, s float64) {
				c = append(c, climber{row: append([]float32(nil), g...), score: s})
			})
		}
	}
	for range attackStarts {
		for i := range AttackBatch {
			row := a.src[i*in : (i+1)*in]
			a.Draw(row)
			a.Fix(row)
		}
		top, at := -1.0, -1
		a.evaluate(AttackBatch, func(i int, s float64) {
			if s > top {
				top, at = s, i
			}
		})
		if at >= 0 {
			c = append(c, climber{row: append([]float32(nil), a.src[at*in:(at+1)*in]...), score: top})
		}
		if a.done() {
			break
		}
	}
	slices.SortStableFunc(c, higher)
	return c[:min(attackClimbers, len(c))]
}

// round gives each climber an equal share of a batch. A climber that is on a trip moves to the best of its children if that is not
// lower, and at the end of the trip comes home if it has not got as high as it was.
func (a *attacker) round(c []climber) {
	in := a.op.In()
	share := AttackBatch / len(c)
	for k := range c {
		if c[k].left == 0 {
			c[k].home, c[k].height = append(c[k].home[:0], c[k].row...), c[k].score
			c[k].left = 1
			if a.intn(2) == 0 {
				c[k].left = 2 << a.intn(3)
				a.Perturb(c[k].row)
				a.Fix(c[k].row)
				c[k].score = -1
			}
		}
		for i := range share {
			row := a.src[(k*share+i)*in : (k*share+i+1)*in]
			copy(row, c[k].row)
			if i > 0 {
				a.Mutate(row)
				a.Fix(row)
			}
		}
	}
	top, at := make([]float64, len(c)), make([]int, len(c))
	for k := range top {
		top[k] = -1
	}
	a.evaluate(share*len(c), func(i int, s float64) {
		if k := i / share; s >= top[k] {
			top[k], at[k] = s, i
		}
	})
	for k := range c {
		c[k].stale++
		if top[k] > c[k].height {
			c[k].stale = 0
		}
		if top[k] >= c[k].score {
			copy(c[k].row, a.src[at[k]*in:(at[k]+1)*in])
			c[k].score = top[k]
		}
		if c[k].left--; c[k].left == 0 && c[k].score < c[k].height {
			copy(c[k].row, c[k].home)
			c[k].score = c[k].height
		}
	}
}
