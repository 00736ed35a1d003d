package formulas

import (
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// drawn are the families that inputs are drawn from: those made for formulas, and of those made for sums the ones that show something here.
var drawn = slices.Concat(families.Formulas(), slices.DeleteFunc(families.Families(), func(f families.Family) bool {
	return !slices.Contains([]string{"unit", "pow2", "subnormal", "overflow", "constant", "zeros", "window", "bits"}, f.Name)
}))

var familyByName = func() map[string]*families.Family {
	m := map[string]*families.Family{}
	for _, f := range []families.Family{families.Quadrants(), families.Quarters(), families.Hardest(), families.Consecutive()} {
		m[f.Name] = &f
	}
	for i := range drawn {
		m[drawn[i].Name] = &drawn[i]
	}
	return m
}()

// specialNames returns the names of the families that hold NaNs or infinities.
func specialNames() (list []string) {
	for _, f := range families.Formulas() {
		if f.Special {
			list = append(list, f.Name)
		}
	}
	return list
}

// normal is the family of inputs that are not what a case is about.
const normal = "normal"

// most bounds the product of the sizes of several axes.
const most = 1 << 13

// drawer draws inputs for one law and one kernel.
type drawer struct {
	engine.Seeded[*corpus.Arrays]
	r        *run
	seed     uint64
	families []string
	limit    int // of all sizes together
	c        *corpus.Arrays
	expand   []families.Expander // by input
	law      *Law
}

func (r *run) Source(l *Law, _ bool) (engine.Source[*corpus.Arrays], error) {
	d := &drawer{r: r, seed: r.Set.SeedFor(string(l.ID), r.Name), families: l.Families, c: r.blank(), limit: most, law: l}
	if len(r.axes) == 1 {
		d.limit = r.Set.MaxN
	}
	d.limit = r.Device.Most(min(d.limit, r.Set.MaxN))
	least := 1
	for _, axis := range r.axes {
		least *= max(1, r.claimed(axis).least)
	}
	if least > r.Set.MaxN {
		return nil, fmt.Errorf("props: %s claims sizes whose product is %d or more, and at most %d is drawn: look at -gamma.maxn", r.Name, least, r.Set.MaxN)
	}
	if d.limit = max(d.limit, least); d.families == nil {
		for i := range drawn {
			if !drawn[i].Special {
				d.families = append(d.families, drawn[i].Name)
			}
		}
		d.families = append(d.families, r.functionFamilies()...)
	}
	d.expand = make([]families.Expander, len(r.inputs))
	d.N, d.From = r.Checks(r.Set.Checks), d.make
	d.Every = l.Every(d.N)
	return r.swept(d, l)
}

// functionFamilies returns the families of the functions in the formula: where the argument is an angle, which is drawn twice as often as each of
// the others, and where a function is claimed to be correctly rounded.
func (r *run) functionFamilies() (list []string) {
	if r.k.Formula == nil {
		return nil
	}
	uses := func(ops ...formula.Op) bool {
		return slices.ContainsFunc(r.k.Formula.Nodes(), func(e *formula.Expr) bool { return slices.Contains(ops, e.Node().Op) })
	}
	if uses(formula.OpSin, formula.OpCos, formula.OpTan) {
		list = append(list, families.Quadrants().Name, families.Quadrants().Name)
	}
	if uses(formula.OpSinPi, formula.OpCosPi) {
		list = append(list, families.Quarters().Name, families.Quarters().Name)
	}
	if promises := r.k.Claim.WithDefaults().Functions.Ops; r.k.Claim.Exactly {
		for _, op := range []formula.Op{formula.OpSin, formula.OpCos, formula.OpExp, formula.OpLog, formula.OpTanh} {
			if uses(op) && promises[op] == (formula.Promise{}) {
				return append(list, families.Hardest().Name)
			}
		}
	}
	return list
}

// make expands a draw into an input, which is valid until the next.
func (d *drawer) make(seed uint64) *corpus.Arrays {
	rng := draw.Splitmix(draw.Mix(seed ^ d.seed))
	d.sizes(&rng)
	family := d.families[rng.Below(len(d.families))]
	about := rng.Below(max(1, len(d.c.Inputs)))
	for i := range d.c.Inputs {
		of := family
		switch {
		case i == about:
		case d.law.Families != nil:
			of = d.families[rng.Below(len(d.families))]
		case rng.Below(2) == 0:
			of = normal
		}
		d.fill(i, of, &rng)
	}
	return d.r.Seed(d.c, d.r.greatest(d.c), rng.Next()>>24)
}

// sizes draws the sizes of axes, one after the other in any order, so that their product is at most the limit.
func (d *drawer) sizes(rng *draw.Splitmix) {
	left, far := d.limit, rng.Below(draw.LongEvery) == 0
	order := make([]int, len(d.c.Axes))
	for i := range order {
		j := rng.Below(i + 1)
		order[i], order[j] = order[j], i
	}
	for k, i := range order {
		rest := 1 // what the others have at least
		for _, j := range order[k+1:] {
			rest *= max(1, d.r.claimed(d.r.axes[j]).least)
		}
		claim := d.r.claimed(d.r.axes[i])
		top := left / rest
		if claim.most > 0 {
			top = min(top, claim.most)
		}
		near, long := draw.Sizes(claim.least, max(top, claim.least))
		if far && len(long) > 0 {
			near = long
		}
		n := claim.least
		if len(near) > 0 {
			n = near[rng.Below(len(near))]
		}
		if n -= n % claim.step; rng.Below(8) == 0 || !claim.has(n) {
			n = claim.least
			if claim.least == 0 && rng.Below(4) > 0 {
				n = claim.step
			}
		}
		if !claim.has(n) {
			n = claim.least
		}
		d.c.Axes[i].Size = n
		left /= max(1, n)
	}
	d.bound()
}

// mostOwn bounds the elements of an array that the formula makes along axes of its own, as an outer product of a vector with itself.
const mostOwn = 1 << 18

// large reports whether such an array has more elements than that. An input for which the formula has no sizes is left to the judge to refuse.
func (d *drawer) large() bool {
	if len(d.r.wide) == 0 {
		return false
	}
	sizes, err := d.r.allSizes(d.c)
	return err == nil && slices.ContainsFunc(d.r.wide, func(axes []string) bool {
		n := 1
		for _, axis := range axes {
			if n *= sizes[axis]; n > mostOwn || n == 0 {
				break
			}
		}
		return n > mostOwn
	})
}

// bound halves the longest axis, as often as its claim lets it, until no array of the formula is too large.
func (d *drawer) bound() {
	for d.large() {
		longest, half := -1, 0
		for i := range d.c.Axes {
			a, claim := &d.c.Axes[i], d.r.claimed(d.r.axes[i])
			next := max(a.Size/2-a.Size/2%claim.step, claim.least)
			if next < a.Size && (longest < 0 || a.Size > d.c.Axes[longest].Size) {
				longest, half = i, next
			}
		}
		if longest < 0 {
			return // all are as short as is claimed
		}
		d.c.Axes[longest].Size = half
	}
}

// mostLong bounds the product of the sizes where one of several axes is longer than an index of 16 bits counts.
const mostLong = 1 << 18

// Round returns how many inputs there are beyond those that are drawn: one for each of several axes, where one of them is the result's.
func (d *drawer) Round() int {
	if len(d.c.Axes) < 2 || d.r.k.Formula == nil {
		return 0
	}
	return len(d.r.k.Formula.Axes())
}

// Beyond makes an axis of the result longer than an index of 16 bits counts, and the others short.
func (d *drawer) Beyond(k int, far bool, rng *draw.Splitmix) (*corpus.Arrays, bool) {
	n, ok := d.r.Device.WideRows(1, 1, far, rng)
	long := d.r.k.Formula.Axes()[k%d.Round()]
	total := 1
	for i := range d.c.Axes {
		claim, size := d.r.claimed(d.r.axes[i]), 1+rng.Below(2)
		if d.r.axes[i] == long {
			size = n
		}
		size = max(size-size%claim.step, claim.step, claim.least)
		if ok = ok && claim.has(size); !ok || size > mostLong/total {
			return nil, false
		}
		d.c.Axes[i].Size = size
		total *= size
	}
	if d.large() {
		return nil, false
	}
	family := d.families[rng.Below(len(d.families))]
	for i := range d.c.Inputs {
		d.fill(i, family, rng)
	}
	return d.r.Seed(d.c, d.r.greatest(d.c), rng.Next()>>24), total >= n
}

// fill draws the elements of input i.
func (d *drawer) fill(i int, family string, rng *draw.Splitmix) {
	a := &d.c.Inputs[i]
	n, _ := d.c.Len(a.Axes)
	a.Bits = draw.Grow(a.Bits, n)
	if !a.Type.IsReal() {
		d.r.fillWhole(d.c, i, rng)
		return
	}
	r := families.Recipe{Family: family, N: n, A: uint8(rng.Next()), B: uint8(rng.Next()), Seed: rng.Next() >> 24}
	if k := len(a.Axes); k > 1 {
		if r.N, _ = d.c.Size(a.Axes[k-1]); r.N > 0 {
			r.Rows = n / r.N
		}
	}
	if n == 0 {
		r.N, r.Rows = 0, 0
	}
	d.recipe(i, r)
}

// recipe gives input i the elements of a recipe.
func (d *drawer) recipe(i int, r families.Recipe) {
	a := &d.c.Inputs[i]
	n, _ := d.c.Len(a.Axes)
	a.Bits, a.Gen = draw.Grow(a.Bits, n), r.String()
	x, _ := d.expand[i].Encodings(r, a.Type.Float)
	copy(a.Bits, x[:n])
}

// wholeRange returns the least and the greatest integer that an array is given, or truth value.
func wholeRange(a *corpus.Array) (lo, hi int64) {
	if !a.Type.Int {
		return 0, 1
	}
	l, h := a.Type.Range()
	return int64(max(l, -1<<53)), int64(min(h, 1<<53))
}

// fillWhole fills an array with integers of its type, or truth values: small ones, extremes, all there are, one alone, or an ascending run.
func fillWhole(a *corpus.Array, rng *draw.Splitmix) {
	lo, hi := wholeRange(a)
	span := uint64(hi-lo) + 1
	way, place := rng.Below(5), rng.Below(max(1, len(a.Bits)))
	for i := range a.Bits {
		r := rng.Next()
		v := lo + int64(r%span)
		switch way {
		case 0:
			v = max(lo, min(hi, int64(r%9)-4))
		case 1:
			v = [...]int64{lo, hi, max(lo, 0), max(lo, -1)}[r%4]
		case 2:
			if v = max(lo, 0); i == place {
				v = 1
			}
		case 3:
			v = max(lo, 0) + int64(uint64(i)%(uint64(hi-max(lo, 0))+1))
		}
		a.Bits[i] = uint64(v)
	}
}

// expandGen gives an array the n elements of its recipe.
func expandGen(a *corpus.Array, n int) error {
	x, _, err := families.ExpandGen(a.Gen, a.Type.Float, n)
	if err != nil {
		return err
	}
	a.Bits = make([]uint64, n)
	for i := range a.Bits {
		a.Bits[i] = x.At(i)
	}
	return nil
}

// Decode makes an input of bytes: a seed, a size for each axis, and elements.
func (r *run) Decode(b *engine.Decoder, _ *Law) *corpus.Arrays {
	c, seed := r.blank(), uint64(b.Byte())
	left := draw.MaxFuzzN
	for i, axis := range r.axes {
		claim := r.claimed(axis)
		n := min(int(b.Byte())%40*claim.step, max(1, left))
		if n -= n % claim.step; !claim.has(n) {
			n = claim.least
		}
		c.Axes[i].Size = n
		left /= max(1, n)
	}
	for i := range c.Inputs {
		a := &c.Inputs[i]
		n, _ := c.Len(a.Axes)
		a.Bits = make([]uint64, n)
		size, index := r.guideSize(c, i, func(n int) int { return int(seed) % n })
		for k := range a.Bits {
			if index {
				a.Bits[k] = decodeIndex(a, size, b)
			} else {
				a.Bits[k] = element(a.Type, b)
			}
			if !fits(a.Type, a.Bits[k]) {
				a.Bits[k] = 0
			}
		}
	}
	return r.Seed(c, r.greatest(c), seed)
}

// element reads one element of a type.
func element(t formula.Type, b *engine.Decoder) uint64 {
	switch {
	case t.Bool:
		return uint64(b.Byte()) & 1
	case t.IsReal():
		w := b.Word((t.Float.Bits() + 7) / 8)
		if f := t.Float.Bits(); f < 64 {
			w &= 1<<f - 1
		}
		return w
	}
	w := b.Word(t.Bits / 8)
	if t.Signed {
		w = uint64(int64(w<<(64-t.Bits)) >> (64 - t.Bits))
	}
	return w
}

func (r *run) Seeds() (list [][]byte) {
	for i := range 40 { // subject, law, seed, sizes, elements
		b := []byte{byte(i), byte(i), byte(i), byte(i), byte(i / 2), byte(i / 3), byte(i / 5)}
		for k := range i & 31 {
			v := math.Float32bits(float32(k*k%7) - 2.5)
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		list = append(list, b)
	}
	return list
}
