package enclosure

import (
	"math"

	"gamma/model/formula"
)

// operand is an array as one operation sees it: with the place of each element, and its errors as symbols where it is broadcast.
type operand struct {
	*array
	at     []int32 // nil if elements stand in the same places, or if there is one for all
	mask   int     // 0 if there is one for all, -1 otherwise
	shared *symbol // its total error, where it is broadcast
}

func (o *operand) place(i int) int {
	if o.at == nil {
		return i & o.mask
	}
	return int(o.at[i])
}

// see returns a as an operand of to.
func (r *run) see(a, to *array) operand {
	o := operand{array: a, mask: -1}
	if len(a.axes) == 0 {
		o.mask = 0
	} else {
		o.at = r.indices(a, to)
	}
	if r.p.method == plain || a.exact || a.n == to.n && len(a.axes) == len(to.axes) {
		return o
	}
	o.shared = r.share(a)
	return o
}

// share returns the total error of a as one symbol.
func (r *run) share(a *array) *symbol {
	if a.own == nil || a.split {
		radius := r.p.pool.floats(a.n)
		for i := range radius {
			radius[i] = a.error(i)
		}
		a.own = &symbol{a, radius}
	}
	return a.own
}

// meanValue returns what the mean-value form says of element i's distance from the exact value.
func (a *array) meanValue(i int) float64 {
	total := a.diag[i]
	for k := range a.symbols {
		total = up(total + a.symbols[k].reach(i))
	}
	if total != total {
		return math.Inf(1)
	}
	return total
}

// remainder returns what T says of it.
func (a *array) remainder(i int) float64 {
	left := max(up(a.whi[i]-a.clo[i]), up(a.chi[i]-a.wlo[i]))
	if left != left {
		return math.Inf(1)
	}
	return left
}

// error returns the lesser of both.
func (a *array) error(i int) float64 {
	if a.exact {
		return 0
	}
	return min(a.meanValue(i), a.remainder(i))
}

// elementwise evaluates an operation element by element.
func (r *run) elementwise(s *step) (*array, error) {
	var in [3]operand
	exact := true
	for _, k := range s.args {
		exact = exact && r.arrays[k].exact
	}
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	for k, a := range s.args {
		in[k] = r.see(r.arrays[a], z)
	}
	e := elements{run: r, step: s, z: z, in: in[:len(s.args)], asHeld: r.readsAsHeld(s)}
	if !e.fast() {
		e.symbols()
		for i := range z.n {
			e.element(i)
		}
	}
	if exact {
		z.exact = z.allPoints()
	}
	return z, nil
}

// allPoints reports whether no element has an error.
func (a *array) allPoints() bool {
	if a.nan != nil {
		return false
	}
	for i := range a.n {
		if a.lo[i] != a.hi[i] || a.clo[i] != a.lo[i] || a.chi[i] != a.lo[i] || a.diag[i] != 0 {
			return false
		}
	}
	return true
}

// elements is the evaluation of one elementwise operation.
type elements struct {
	*run
	*step
	z      *array
	in     []operand
	asHeld bool // no operand is read otherwise than it is held
}

// symbols gives z the symbols of its operands.
func (e *elements) symbols() {
	add := func(s *symbol) {
		for _, c := range e.z.symbols {
			if c.symbol == s {
				return
			}
		}
		p := &e.p.pool
		e.z.symbols = append(e.z.symbols, coefficient{s, p.floats(e.z.n), p.floats(e.z.n), e.indices(s.of, e.z)})
	}
	for k := range e.in {
		if e.in[k].shared != nil {
			add(e.in[k].shared)
			continue
		}
		for _, c := range e.in[k].array.symbols {
			add(c.symbol)
		}
	}
}

// element evaluates element i.
func (e *elements) element(i int) {
	var t, w, c [3]interval
	var o outcome
	points, moved, left := true, false, false
	for k := range e.in {
		a, j := e.in[k].array, e.in[k].place(i)
		held := a.t(j)
		t[k], w[k], c[k] = held, held, a.c(j)
		if !e.asHeld {
			t[k] = e.read(k, held)
			w[k] = t[k]
		}
		if e.p.claim.Exactly {
			w[k] = a.w(j)
		}
		if !e.asHeld && e.Op != formula.OpSelect && e.alters(held, e.p.steps[e.args[k]].typ, e.convert) {
			moved, w[k] = true, w[k].hull(t[k]).hull(c[k])
		}
		if a.nan != nil {
			o |= a.nan[j]
		}
		points = points && t[k].isPoint() && c[k] == t[k]
	}
	z := e.z
	if e.p.flaw == firstBranch && e.Op == formula.OpSelect {
		t[0] = point(t[0].hi)
	}
	exact, made := apply(e.Op, t[0], t[1], t[2])
	if e.p.flaw == lowerJump && jumps(e.Op) {
		exact.hi = exact.lo
	}
	if hasPole(e.Op) {
		exact = poles(e.Op, exact, t[0], t[1], e.plus(i))
	}
	if o != number {
		exact, left = e.besideNaN(i, exact, t)
		moved = moved || left
	}
	o = e.nanRule(i, o, t) | made
	if e.rounds() && silent(&e.promise, t[len(e.in)-1]) {
		o = maybe
	}
	if o == maybe && e.p.flaw == noNaN {
		o = number
	}
	z.setNaN(i, o)
	if o == never {
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(1)
		if e.p.claim.Exactly {
			z.wlo[i], z.whi[i] = math.Inf(-1), math.Inf(1)
		}
		return
	}
	kept, local := exact, 0.0
	if e.rounds() {
		kept, local = e.rounded(e.step, exact, t[len(e.in)-1])
	}
	if points && (kept == exact && kept.isPoint() || kept.isPoint() && e.p.claim.Exactly) {
		z.set(i, kept)
		return
	}
	center := exact
	if !points {
		var undefined outcome
		if center, undefined = apply(e.Op, c[0], c[1], c[2]); undefined == never {
			center = everything // exactly there is no number, and with roundings there is
		}
		if hasPole(e.Op) {
			center = poles(e.Op, center, c[0], c[1], e.plus(i))
		}
		if left {
			center, _ = e.besideNaN(i, center, c)
		}
	}
	z.lo[i], z.hi[i], z.clo[i], z.chi[i] = kept.lo, kept.hi, center.lo, center.hi
	path := exact
	if e.p.claim.Exactly {
		if !points {
			path, _ = apply(e.Op, w[0], w[1], w[2])
		}
		wide := path.widen(local).beyond(kept)
		if moved {
			wide = wide.hull(kept).hull(center)
		}
		z.wlo[i], z.whi[i] = wide.lo, wide.hi
	}
	z.diag[i] = local
	if e.p.method == plain {
		z.diag[i] = math.Inf(1)
		return
	}
	switch {
	case moved:
		z.diag[i] = math.Inf(1) // what was read is not what is held, or NaN does not count
	case !points:
		e.carry(i, w, path)
	}
	e.run.settle(z, i)
}

// read returns what is read of operand k, which holds x.
func (e *elements) read(k int, x interval) interval {
	if e.Op == formula.OpSelect {
		return x
	}
	return e.operand(x, e.p.steps[e.args[k]].typ, e.convert)
}

// plus reports of each operand whether it is no -0.
func (e *elements) plus(i int) (plus [3]bool) {
	open := e.p.openSign() && e.p.flaw != sameSign
	for k := range e.in {
		s, a, j := &e.p.steps[e.args[k]], e.in[k].array, e.in[k].place(i)
		zero := a.t(j) == point(0) && a.c(j) == point(0)
		plus[k] = s.plus
		switch s.Op {
		case formula.OpInput:
			plus[k] = plus[k] || !math.Signbit(a.lo[j])
		case formula.OpExp, formula.OpExp2, opSquare: // an exact zero is that of -∞, or of 0, and no rounding gave it its sign
			plus[k] = plus[k] || zero
		}
		plus[k] = plus[k] && (zero || !open || !s.typ.IsReal())
	}
	return plus
}

// set makes element i a point.
func (a *array) set(i int, x interval) {
	a.lo[i], a.hi[i], a.clo[i], a.chi[i] = x.lo, x.hi, x.lo, x.hi
	a.wlo[i], a.whi[i] = x.lo, x.hi
}

// rounds reports whether the operation rounds its result: real numbers are rounded, and what moves or compares them is not.
func (e *elements) rounds() bool {
	return e.typ.IsReal() && rounds(e.Op)
}

// rounds reports whether an operation on real numbers rounds its result.
func rounds(op formula.Op) bool {
	switch op {
	case formula.OpMaximum, formula.OpMinimum, formula.OpAbs, formula.OpNeg, formula.OpSelect,
		formula.OpFloor, formula.OpCeil, formula.OpTrunc, formula.OpRound, formula.OpUfp, formula.OpStore:
		return false
	}
	return true
}

// nanRule returns what NaN among the operands of element i makes of it; o is the union of theirs.
func (e *elements) nanRule(i int, o outcome, t [3]interval) outcome {
	if o == number {
		return o
	}
	get := func(k int) outcome { return e.in[k].outcome(i) }
	switch e.Op {
	case formula.OpMaximum, formula.OpMinimum:
		return meant(e.Meaning, get(0)|get(1), get(0)&get(1))
	case formula.OpPow:
		if t[0].contains(1) || t[1].contains(0) {
			return maybe // 1^NaN and NaN^0 are 1
		}
	case formula.OpSelect:
		// What is not selected does not matter.
		c := e.in[0].t(e.in[0].place(i))
		switch {
		case c.lo == 1:
			return get(1)
		case c.hi == 0:
			return get(2)
		}
		return (get(1) | get(2)) & maybe
	case formula.OpLess, formula.OpLessEqual, formula.OpEqual:
		return number
	}
	return o
}

// outcome says whether the operand of element i may be NaN.
func (o *operand) outcome(i int) outcome {
	if o.nan == nil {
		return number
	}
	return o.nan[o.place(i)]
}

// besideNaN returns z, the values of element i over operands in t that are numbers, with those that it has where one of them is NaN, and
// whether there are any.
func (e *elements) besideNaN(i int, z interval, t [3]interval) (interval, bool) {
	x, y := e.in[0].outcome(i), number
	if len(e.in) > 1 {
		y = e.in[1].outcome(i)
	}
	switch e.Op {
	case formula.OpMaximum, formula.OpMinimum:
		switch {
		case e.Meaning == formula.PropagateNaN || x == never && y == never:
			return z, false
		case x == never:
			return t[1], true
		case y == never:
			return t[0], true
		}
		if x == maybe {
			z = z.hull(t[1])
		}
		if y == maybe {
			z = z.hull(t[0])
		}
		return z, true
	case formula.OpPow:
		return z.hull(point(1)), true
	case formula.OpLess, formula.OpLessEqual, formula.OpEqual:
		if x == never || y == never {
			return point(0), true
		}
		return z.hull(point(0)), true
	}
	return z, false
}

// meant returns whether a maximum may be NaN: some and every are the union and the intersection of its operands' outcomes.
func meant(m formula.Meaning, some, every outcome) outcome {
	switch {
	case every == never:
		return never
	case m == formula.PropagateNaN:
		return some
	case m == formula.AnyMeaning:
		return some & maybe
	}
	return every
}

// jumps reports whether the operation is no continuous function.
func jumps(op formula.Op) bool {
	switch op {
	case formula.OpFloor, formula.OpCeil, formula.OpTrunc, formula.OpRound, formula.OpUfp, formula.OpLess, formula.OpLessEqual, formula.OpEqual,
		formula.OpSelect, formula.OpQuo, formula.OpMod, formula.OpNot, formula.OpAnd, formula.OpOr:
		return true
	}
	return false
}

// carry adds to element i's errors those of its operands, whose path lies in w; path is where the exact result of these goes.
func (e *elements) carry(i int, w [3]interval, path interval) {
	z := e.z
	if jumps(e.Op) && !path.isPoint() && (e.Op != formula.OpSelect || !w[0].isPoint()) {
		z.diag[i] = math.Inf(1)
		return
	}
	for k := range e.in {
		// No derivative leads to an infinity.
		if o := &e.in[k]; !o.exact && w[k].infinite() && !w[k].isPoint() {
			z.diag[i] = math.Inf(1)
			return
		}
	}
	if e.p.flaw == centreDerivative {
		w, path = e.centre(i)
	}
	var d [3]interval
	d[0], d[1], d[2] = derivatives(e.Op, w[0], w[1], w[2], path)
	for k := range e.in {
		o := &e.in[k]
		j := o.place(i)
		if o.exact || d[k] == (interval{}) {
			continue
		}
		if o.shared != nil {
			z.accumulate(o.shared, i, d[k])
			continue
		}
		if o.diag[j] > 0 {
			z.diag[i] = up(z.diag[i] + up(times(d[k].magnitude(), o.diag[j])))
		}
		for s := range o.array.symbols {
			c := &o.array.symbols[s]
			if c.lo[j] != 0 || c.hi[j] != 0 {
				z.accumulate(c.symbol, i, d[k].mul(interval{c.lo[j], c.hi[j]}))
			}
		}
	}
}

// centre returns the exact values of the operands and of the result: too small a box for derivatives.
func (e *elements) centre(i int) (w [3]interval, path interval) {
	for k := range e.in {
		w[k] = e.in[k].c(e.in[k].place(i))
	}
	path, _ = apply(e.Op, w[0], w[1], w[2])
	return w, path
}

// accumulate adds d to the derivative of element i by s.
func (a *array) accumulate(s *symbol, i int, d interval) {
	for k := range a.symbols {
		if c := &a.symbols[k]; c.symbol == s {
			sum := interval{c.lo[i], c.hi[i]}.add(d)
			c.lo[i], c.hi[i] = sum.lo, sum.hi
			return
		}
	}
}

// settle intersects T of element i with what the mean-value form says, and takes the error that T leaves where that form has none, or
// where no symbol would be lost by it.
func (r *run) settle(z *array, i int) {
	if z.exact {
		return
	}
	if r.p.method == plain {
		z.diag[i] = math.Inf(1)
		return
	}
	total := z.meanValue(i)
	if (interval{z.wlo[i], z.whi[i]}).infinite() || (interval{z.lo[i], z.hi[i]}).infinite() {
		total = math.Inf(1)
	}
	method := r.p.method
	if !math.IsInf(total, 1) {
		m := interval{down(z.clo[i] - total), up(z.chi[i] + total)}
		if method == meanValue {
			z.lo[i], z.hi[i] = m.lo, m.hi
			return
		}
		z.lo[i], z.hi[i] = max(z.lo[i], m.lo), min(z.hi[i], m.hi)
		if r.p.claim.Exactly {
			z.wlo[i], z.whi[i] = max(z.wlo[i], m.lo), min(z.whi[i], m.hi)
		}
	}
	if left := z.remainder(i); len(z.symbols) == 0 && left < total || math.IsInf(total, 1) {
		z.diag[i] = left
		for k := range z.symbols {
			z.symbols[k].lo[i], z.symbols[k].hi[i] = 0, 0
		}
	}
}
