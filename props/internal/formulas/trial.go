package formulas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle/enclosure"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Trial runs inputs and judges them. It keeps its memory from input to input.
type Trial struct {
	*run
	law     *Law
	c       *corpus.Arrays
	in      map[string]enclosure.Array
	allowed []*enclosure.Result // by formula: the kernel's, then those of Claim.AnyOf
	got     []uint64
	value   []float64
	at      verdict.Setting
	found   model.Findings
	special bool // an input has a NaN or an infinity
	failing int  // the element that the verdict is about
	over    int  // of the next call's place

	ordinary []measured // of normally distributed inputs
	attacked float64    // the greatest error/bound that Near returned
	elements int        // that lay in their enclosures
}

// Kept returns a copy of an input that outlives the next draw.
func (t *Trial) Kept(c *corpus.Arrays) *corpus.Arrays { return c.Clone() }

// Count adds the verdict on an input to the statistics of a law.
func (t *Trial) Count(st *engine.LawStats, v *verdict.Verdict, c *corpus.Arrays) {
	_, n := t.Setting(c)
	st.Add(v, familyOf(c), n)
}

// familyOf returns the family that the first input with a recipe was drawn from.
func familyOf(c *corpus.Arrays) string {
	for i := range c.Inputs {
		if gen := c.Inputs[i].Gen; gen != "" {
			family, _, _ := strings.Cut(gen, " ")
			return family
		}
	}
	return ""
}

// Judge runs the kernel on an input and judges what it gives.
func (t *Trial) Judge(l *Law, c *corpus.Arrays) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	at, _ := t.Setting(c)
	t.law, t.c, t.failing, t.found, t.at = l, c, 0, nil, t.Device.Setting(at)
	judged := t.k.Formula != nil && l.Found == nil && !l.OnDevice
	if why := t.unknown(t.at.Behaviour); why != "" && judged {
		return verdict.Unclaimed(why)
	}
	if len(t.wide) > 0 {
		if _, err := t.allSizes(c); err != nil {
			return verdict.NotMet("the formula is of no such sizes: " + err.Error())
		}
	}
	n, ok := t.length(c)
	t.allowed = t.allowed[:0]
	if !ok || judged && t.k.enclosed(l) { // the formula has an axis of its own, or each result is judged
		t.enclose(c)
		n = len(t.allowed[0].Lo)
	}
	t.got = draw.Grow(t.got, n)
	if b := t.once(c, t.got); b != nil {
		return verdict.Breaks(b)
	}
	if l.Found != nil {
		return l.Found(t.found)
	}
	t.value = values(t.value, t.out, t.got)
	if l.Calls != nil {
		return l.Calls(&calls{t: t})
	}
	return l.Judge(t.view())
}

// length returns how many elements the result has; ok = false says that its axes are not all of inputs.
func (t *Trial) length(c *corpus.Arrays) (n int, ok bool) {
	if t.k.Formula != nil {
		return c.Len(t.k.Formula.Axes())
	}
	return t.k.Bytes(func(axis string) int {
		n, _ := c.Size(axis)
		return n
	}), true
}

// view returns the call as laws see it.
func (t *Trial) view() *Call {
	c := &Call{r: t.run, c: t.c, t: t, sizes: t.sizesOf(t.c)}
	if engine.IsOwn(laws, t.law) { // the others look at the bits
		for i := range t.c.Inputs {
			c.arrays = append(c.arrays, stored(t.c.Inputs[i].Type).plain(t.c.Inputs[i].Bits))
		}
		c.arrays = append(c.arrays, stored(t.out).plain(t.got))
	}
	return c
}

// once runs the kernel once.
func (t *Trial) once(c *corpus.Arrays, dst []uint64) *verdict.Breakage {
	src := make([][]uint64, len(c.Inputs))
	for i := range c.Inputs {
		src[i] = c.Inputs[i].Bits
	}
	err := t.Device.Findings("the kernel", t.work(t.at, place{c.Seed, t.over}, t.sizesOf(c), dst, src), t.law.Found != nil, &t.found)
	if err == nil && !t.out.IsReal() {
		for i, b := range dst {
			if !within(t.out, b) {
				err = verdict.Spoilt("element %d of the result, %#x, is no %s", i, b, t.out)
				break
			}
		}
	}
	return verdict.BreakageOf("the kernel", err)
}

// scheduled runs the kernel in program order and in others, two of them from two seeds. What else the behaviour draws from its seed stays plain, so
// that the order alone differs.
func (t *Trial) scheduled() verdict.Verdict {
	most := slices.Index(engine.Orders, t.Device.Admits.Order)
	if most <= 0 {
		return verdict.NotMet("the claim admits program order alone")
	}
	own := t.at
	defer func() { t.at = own }()
	b := &t.at.Behaviour
	b.ULP, b.Poison = false, false
	if !t.k.Device.Strict {
		b.Contract, b.Rewrites = model.ContractOff, model.Rewrites{}
	}
	other := make([]uint64, len(t.got))
	for _, o := range []struct {
		order string
		seed  uint64
	}{
		{"", 0},
		{own.Behaviour.Order, own.Behaviour.Seed},
		{"reverse", 0},
		{"stages", t.c.Seed},
		{"accesses", t.c.Seed},
		{"accesses", t.c.Seed + 1},
		{"stages", t.c.Seed + 1},
	} {
		k := slices.Index(engine.Orders, o.order)
		if k > most {
			continue
		}
		b.Order, b.Seed = o.order, o.seed
		dst := other
		if k == 0 {
			dst = t.got
		}
		if b := t.once(t.c, dst); b != nil {
			return verdict.Breaks(b)
		}
		for i := range other {
			if k > 0 && other[i] != t.got[i] {
				t.failing = i
				return verdict.Fails(fmt.Sprintf("in order %s with seed %d element %d of the result has other bits than in program order", o.order, o.seed, i),
					&verdict.Witness{N: len(other), Got: other[i], Out: t.out.Float, Own: true, WantText: fmt.Sprintf("%#x, in program order", t.got[i])})
			}
		}
	}
	return verdict.Held("", 0)
}

// arrays returns an input as programs take it, and notes whether something in it is special. It is valid until the next.
func (t *Trial) arrays(c *corpus.Arrays) map[string]enclosure.Array {
	if t.in == nil {
		t.in = map[string]enclosure.Array{}
	}
	t.special = false
	for i := range c.Inputs {
		a := &c.Inputs[i]
		old := t.in[a.Name]
		x := enclosure.Array{Shape: draw.Grow(old.Shape, len(a.Axes)), Values: values(old.Values, a.Type, a.Bits)}
		for k, axis := range a.Axes {
			x.Shape[k], _ = c.Size(axis)
		}
		for _, v := range x.Values {
			if v-v != 0 {
				t.special = true
				break
			}
		}
		t.in[a.Name] = x
	}
	t.allowed = t.allowed[:0]
	return t.in
}

// enclose finds what the claim allows on an input. That it cannot is the law's panic.
func (t *Trial) enclose(c *corpus.Arrays) {
	in := t.arrays(c)
	programs, err := t.under(t.at.Behaviour)
	if err != nil {
		panic(err)
	}
	for _, p := range programs {
		r, err := p.Run(in)
		if err != nil {
			panic(err)
		}
		t.allowed = append(t.allowed, r)
	}
}

// allows reports whether element i may be x.
func (t *Trial) allows(i int, x float64) bool {
	for _, r := range t.allowed {
		if r.Allows(i, x) {
			return true
		}
	}
	return false
}

// bounded reports whether anything is said of element i.
func (t *Trial) bounded(i int) bool {
	return !t.allows(i, math.Inf(1)) || !t.allows(i, math.Inf(-1)) || !t.allows(i, math.NaN())
}

// inside judges each element by what the claim allows.
func (t *Trial) inside() verdict.Verdict {
	bounded, ratio := len(t.got) == 0, 0.0
	r := t.allowed[0]
	for i, x := range t.value {
		if !r.Allows(i, x) && !t.allows(i, x) {
			return t.outside(i, "")
		}
		if !bounded {
			bounded = t.bounded(i)
		}
		end, near := r.Hi[i], r.ExactHi[i]
		if x < near {
			end, near = r.Lo[i], r.ExactLo[i]
		}
		if math.Abs(x-near) < float64(float64(ratio*math.Abs(end-near))*(1-0x1p-51)) {
			continue // less of what it may than another
		}
		if of := reached(r, i, x); of > ratio {
			ratio = of
		}
	}
	if !bounded {
		return verdict.Overflows("the claim allows any result at all: an operation may overflow, or its operand have no digit left")
	}
	t.elements += len(t.value)
	if familyOf(t.c) == normal {
		if m, ok := t.measure(); ok {
			t.ordinary = append(t.ordinary, m)
		}
	}
	return verdict.Held("enclosure", ratio)
}

// reached returns how far from the exact value x lies, of how far it may on that side: 0 if it is the exact value.
func reached(r *enclosure.Result, i int, x float64) float64 {
	end, near := r.Hi[i], r.ExactHi[i]
	if x < near {
		end, near = r.Lo[i], r.ExactLo[i]
	}
	off, room := math.Abs(x-near), math.Abs(end-near)
	if !(off > 0) || x >= r.ExactLo[i] && x <= r.ExactHi[i] || !(room > 0) || math.IsInf(room, 0) {
		return 0
	}
	return min(1, off/room)
}

// measured says of an input how wide its enclosures are, and how far from exact its results.
type measured struct {
	width float64 // half of the widest enclosure, in ulps of the largest element
	ratio float64 // the greatest error/bound of elements whose enclosures are half as wide or more
}

// measure measures the input that was judged last; ok is false where nothing bounds it.
func (t *Trial) measure() (m measured, ok bool) {
	if len(t.allowed) == 0 || !t.out.IsReal() {
		return m, false
	}
	r := t.allowed[0]
	large, wide := 0.0, 0.0
	for i := range r.Lo {
		large, wide = max(large, math.Abs(r.ExactLo[i]), math.Abs(r.ExactHi[i])), max(wide, r.Width(i))
	}
	if !(large > 0) || math.IsInf(large, 0) || math.IsInf(wide, 0) {
		return m, false
	}
	m.width = wide / ulp(t.out.Float, large)
	for i, x := range t.value {
		if r.Width(i) >= wide/2 {
			m.ratio = max(m.ratio, reached(r, i, x))
		}
	}
	return m, true
}

// typical returns the median width of ordinary inputs.
func (t *Trial) typical() float64 {
	if len(t.ordinary) == 0 {
		return 0
	}
	slices.SortFunc(t.ordinary, func(a, b measured) int { return cmp.Compare(a.width, b.width) })
	return t.ordinary[len(t.ordinary)/2].width
}

// Near returns the greatest error/bound of the input that was judged last, for an attack. In a narrow enclosure a rounding of the result alone
// reaches the end: where they are narrower than those of ordinary inputs it returns less than 0, the narrower the less.
func (t *Trial) Near() float64 {
	m, ok := t.measure()
	switch typical := t.typical(); {
	case !ok:
		return -1
	case m.width < typical:
		return m.width/typical - 1
	}
	t.attacked = max(t.attacked, m.ratio)
	return m.ratio
}

// Measure says how many elements were judged, and what measure noted; what a steered attack reached it says once, so that a block tells nothing of those before it in its process.
func (t *Trial) Measure(st *engine.LawStats) {
	if t.elements > 0 {
		st.Measure("{n element} judged by their enclosures", []int{t.elements})
	}
	if t.steered > 0 && len(t.ordinary) > 0 {
		st.Measure("by an evaluation whose orders and roundings the attack chooses, error/bound reached {x}", nil, t.steered)
	}
	if t.wrong != "" {
		st.Remark(t.wrong)
	}
	t.steered, t.wrong = 0, ""
	if len(t.ordinary) == 0 {
		return
	}
	typical, ratio := t.typical(), 0.0
	for _, m := range t.ordinary {
		if m.width >= typical {
			ratio = max(ratio, m.ratio)
		}
	}
	st.Measure("on {n normally distributed input}, enclosures had a half-width of {x} ulps of the largest element in the median (of the widest block) and {x} at most; "+
		"where they are as wide as that or wider, error/bound reached {x}, and by the attack {x}",
		[]int{len(t.ordinary)}, typical, t.ordinary[len(t.ordinary)-1].width, ratio, t.attacked)
}
