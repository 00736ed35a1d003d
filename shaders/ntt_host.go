package shaders

import (
	"fmt"
	"math/bits"

	"gamma/model"
	"gamma/model/modular"
)

// Factors says in which form a kernel takes its factors, w of its stages and scale.
type Factors uint8

const (
	MontgomeryFactors Factors = iota // w·R mod q: Montgomery's product with it is w times a word
	ShoupFactors                     // w and ⌊w·R/q⌋, one after the other
	PlainFactors                     // w
)

// NTTHost is the host code of transforms. It runs any source whose functions take the arguments of those of ntt.metal, in any order of
// bits that the claim says:
//
//	natural to natural      BitReverse, stages of spans 1 to n/2; back: stages of spans n/2 to 1, FinalScale, which reverses bits
//	natural to bit-reversed stages of spans n/2 to 1; back: stages of spans 1 to n/2, FinalScale
//
// Set Program, Claim, Factors and the functions, of which Reduce may be left out, and tiles, columns and rows.
type NTTHost struct {
	Program
	Claim   modular.TransformClaim
	Factors Factors

	BitReverse, ForwardStage, InverseStage, FinalScale, Pointwise string
	// ForwardTile and InverseTile do BitReverse, FinalScale and the stages of small spans, a threadgroup for each tile; "" if there are none.
	ForwardTile, InverseTile string
	// ForwardColumns and InverseColumns do the eight stages of the greatest spans, ForwardRows and InverseRows those of the smallest, and
	// also what FinalScale and Reduce do, for transforms of 256 points or more from natural to bit-reversed order; "" if there are none.
	ForwardColumns, ForwardRows, InverseRows, InverseColumns string
	// ForwardFours and InverseFours do two stages, the first of which has the span that they are given; a last one that is left is done as above. "" if there
	// are none.
	ForwardFours, InverseFours string
	// Reduce reduces words. It runs after a lazy transform whose results are not lazy, and before Pointwise; "" if there is none.
	Reduce string
	// OneDispatch: one dispatch of ForwardStage or InverseStage does all stages.
	OneDispatch bool
}

// plan is a transform that is ready to run.
type plan struct {
	h       *NTTHost
	r       *Runner
	l       model.Launch
	n, log  int
	m       modulus
	field   []byte
	factors [2][]byte // of forward and inverse stages
	over    [2][]byte // the factor 1/n, and that after Pointwise; with InverseColumns, each times the last stage's factor as well
}

// Plan is NTT.Plan.
func (h NTTHost) Plan(r *Runner, l model.Launch, t modular.Transform) (modular.Transforms, error) {
	p, err := h.plan(r, l, t)
	if err != nil {
		return modular.Transforms{}, fmt.Errorf("%s: %w", h.Name, err)
	}
	x := modular.Transforms{
		Forward: func(dst, src []uint64) error { return p.transform(dst, src, &h.Claim.Forward, (*passes).forward) },
		Inverse: func(dst, src []uint64) error {
			return p.transform(dst, src, &h.Claim.Inverse, func(b *passes) { b.inverse(p.over[0]) })
		},
	}
	if h.Claim.Product {
		x.Product = p.product
	}
	if h.ForwardTile == "" && h.ForwardRows == "" && h.ForwardFours == "" && !h.OneDispatch {
		x.ForwardStages, x.InverseStages = p.forwardStages(), p.inverseStages()
	}
	return x, nil
}

// Dispatches returns the dispatches of the transforms of src, for callers that run them themselves, and the data that hold the results
// afterwards, with words as the device stores them. Every dispatch reads and writes each word once.
//
// Errors:  those of Plan, and of the transforms that it returns.
func (h NTTHost) Dispatches(r *Runner, l model.Launch, t modular.Transform, inverse bool, src []uint64) (list []Dispatch, results *Data, err error) {
	p, err := h.plan(r, l, t)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	in := h.Claim.Forward.In
	if inverse {
		in = h.Claim.Inverse.In
	}
	if err := p.sides(src, src, in); err != nil {
		return nil, nil, err
	}
	b := p.passes(src)
	if inverse {
		b.inverse(p.over[0])
	} else {
		b.forward()
	}
	return b.list, b.x, nil
}

func (h *NTTHost) plan(r *Runner, l model.Launch, t modular.Transform) (*plan, error) {
	c := &h.Claim
	if err := admits(c, t); err != nil {
		return nil, err
	}
	m := newModulus(t.Modulus, c.Bits)
	if err := rooted(m, t); err != nil {
		return nil, err
	}
	if err := h.fitsTransform(t.N, l); err != nil {
		return nil, err
	}
	d := r.Device().Properties()
	if most := d.MaxTotalThreads; l.Threads.X > most {
		return nil, fmt.Errorf("launch %s: the device has at most %d threads in a threadgroup; use more threadgroups", l, most)
	}
	if tile := h.tile(t.N, l); c.Bits/8*tile > d.MaxThreadgroupMemoryLength {
		return nil, fmt.Errorf("launch %s: a tile of %d words needs %d bytes of threadgroup memory, and the device has %d; use fewer threads and more threadgroups",
			l, tile, c.Bits/8*tile, d.MaxThreadgroupMemoryLength)
	}
	p := &plan{h: h, r: r, l: l, n: t.N, log: log2(t.N), m: m, field: m.field()}
	inverse := m.pow(t.Root, t.RootOrder()-1)
	p.factors = [2][]byte{p.table(t.Root), p.table(inverse)}
	over := m.overPower(p.log)
	last := uint64(1)
	if c.Negacyclic {
		last = m.pow(inverse, uint64(t.N)/2)
	}
	for i := range p.over {
		p.over[i] = p.factor(over)
		if h.InverseColumns != "" {
			p.over[i] = append(p.over[i], p.factor(m.mul(over, last))...)
		}
		if h.Factors != PlainFactors { // Pointwise leaves a product over R
			over = m.mul(over, m.one)
		}
	}
	return p, nil
}

// admits returns an error unless t, apart from its root, is a transform of the claim.
func admits(c *modular.TransformClaim, t modular.Transform) error {
	if c.Bits != 32 && c.Bits != 64 {
		return fmt.Errorf("the claim has words of %d bits; a device's have 32 or 64", c.Bits)
	}
	if err := c.Moduli.Admits(t.Modulus, c.Bits); err != nil {
		return err
	}
	most := greatestN
	if c.MaxN > 0 {
		most = min(c.MaxN, most)
	}
	switch {
	case t.N < 1 || t.N&(t.N-1) != 0:
		return fmt.Errorf("a transform of %d points; use a power of two", t.N)
	case t.N < max(c.MinN, 1) || t.N > most:
		return fmt.Errorf("a transform of %d points; use %d to %d", t.N, max(c.MinN, 1), most)
	case t.Negacyclic != c.Negacyclic:
		return fmt.Errorf("%s: the kernel is for the other ring, negacyclic=%t", t, c.Negacyclic)
	}
	return nil
}

// rooted returns an error unless t has a valid root. q need not be prime: where the root's power of half its order is -1, the sums of
// the root's powers vanish, which is all that an inverse needs.
func rooted(m modulus, t modular.Transform) error {
	order := t.RootOrder()
	switch {
	case t.Root >= m.q:
		return fmt.Errorf("root %d is not below the modulus %d; reduce it first", t.Root, m.q)
	case order == 1 && t.Root == 1 || order > 1 && m.pow(t.Root, order/2) == m.q-1:
		return nil
	case (m.q-1)%order != 0:
		return fmt.Errorf("modulus %d: q-1 is divisible by 2^%d and no higher power of two, and a prime then has no root of order %d; use at most %d points, or another modulus",
			m.q, bits.TrailingZeros64(m.q-1), order, uint64(t.N)>>(bits.Len64(order)-1-bits.TrailingZeros64(m.q-1)))
	}
	return fmt.Errorf("root %d does not have order %d modulo %d, as a %s needs; take one whose power %d is -1", t.Root, order, m.q, kindOf(t), max(order/2, 1))
}

func kindOf(t modular.Transform) string {
	if t.Negacyclic {
		return fmt.Sprintf("negacyclic transform of %d points", t.N)
	}
	return fmt.Sprintf("cyclic transform of %d points", t.N)
}

// factor returns a factor as the device takes it.
func (p *plan) factor(w uint64) []byte {
	switch p.h.Factors {
	case ShoupFactors:
		return p.m.words(w, p.m.shoup(w))
	case PlainFactors:
		return p.m.words(w)
	}
	return p.m.words(p.m.mul(w, p.m.one))
}

// table returns the factors of all stages for a root: those of the stage of span s start at s.
func (p *plan) table(root uint64) []byte {
	powers := make([]uint64, p.n)
	w := uint64(1)
	if p.h.Factors == MontgomeryFactors {
		w = p.m.one
	}
	for k := range powers {
		powers[k] = w
		w = p.m.mul(w, root)
	}
	table := make([]uint64, p.n)
	table[0] = powers[0]
	for s := 1; s < p.n; s *= 2 {
		for k := range s {
			e := k * (p.n / 2 / s)
			if p.h.Claim.Negacyclic {
				e = (2*k + 1) * (p.n / 2 / s)
			}
			table[s+p.order().Place(k, s)] = powers[e]
		}
	}
	if p.h.Factors != ShoupFactors {
		return p.m.words(table...)
	}
	pairs := make([]uint64, 0, 2*p.n)
	for _, w := range table {
		pairs = append(pairs, w, p.m.shoup(w))
	}
	return p.m.words(pairs...)
}

// order returns the order of the values, and of the factors of a stage.
func (p *plan) order() modular.Order { return p.h.Claim.Forward.Out.Order }

// sides checks the lengths of dst and src, and the words of src.
func (p *plan) sides(dst, src []uint64, in modular.Side) error {
	switch {
	case len(dst) != len(src):
		return fmt.Errorf("%s: dst has %d words and src %d; give as many of each", p.h.Name, len(dst), len(src))
	case len(src) == 0 || len(src)%p.n != 0:
		return fmt.Errorf("%s: %d words are not transforms of %d points", p.h.Name, len(src), p.n)
	case len(src) > p.n && !p.h.Claim.Batched:
		return fmt.Errorf("%s: %d words are %d transforms of %d points; give one", p.h.Name, len(src), len(src)/p.n, p.n)
	}
	limit, limits := multiple(in.Range, p.m.q, p.m.bits)
	for i, v := range src {
		if limits && v >= limit {
			return fmt.Errorf("%s: %w", p.h.Name, tooLarge(fmt.Sprintf("word %d", i), v, in.Range, p.m.q))
		}
		if v > p.m.greatest() {
			return fmt.Errorf("%s: word %d is %d, which needs %d bits; a word has %d", p.h.Name, i, v, bits.Len64(v), p.m.bits)
		}
	}
	return p.h.counts(len(src))
}

func (p *plan) transform(dst, src []uint64, d *modular.Direction, run func(*passes)) error {
	if err := p.sides(dst, src, d.In); err != nil {
		return err
	}
	b := p.passes(src)
	run(b)
	return b.run(dst)
}

// product transforms the factors as one batch, multiplies them word by word, and transforms the product back.
func (p *plan) product(dst, a, b []uint64) error {
	for _, x := range [][]uint64{a, b} {
		if err := p.sides(dst, x, modular.Side{Range: 1}); err != nil {
			return err
		}
	}
	if err := p.h.counts(2 * len(a)); err != nil {
		return err
	}
	x := p.passes(append(append(make([]uint64, 0, 2*len(a)), a...), b...))
	x.forward()
	if p.h.Claim.Forward.Out.Range > 1 {
		x.add(p.h.Reduce, x.data(), Arg{Value: p.field}, Uint(p.n))
	}
	x.batch /= 2
	x.add(p.h.Pointwise, x.data(), Arg{Value: p.field}, Uint(p.n), Uint(len(a)))
	x.inverse(p.over[1])
	if p.h.Claim.Inverse.Out.Range > 1 {
		x.add(p.h.Reduce, x.data(), Arg{Value: p.field}, Uint(p.n))
	}
	return x.run(dst)
}

// The parts of a transform, for Stages.

func (p *plan) forwardStages() *modular.Stages {
	s := &modular.Stages{Count: p.log}
	s.Stage = p.stage((*passes).forwardStage)
	if p.order() == modular.Natural {
		s.Prepare = p.part((*passes).prepare)
	}
	if p.reduces() {
		s.Finish = p.part((*passes).finish)
	}
	return s
}

func (p *plan) inverseStages() *modular.Stages {
	return &modular.Stages{
		Count: p.log, Stage: p.stage((*passes).inverseStage),
		Finish: p.part(func(b *passes) { b.scale(p.over[0]) }),
	}
}

func (p *plan) stage(f func(b *passes, stage int)) func(int, []uint64) error {
	return func(stage int, x []uint64) error {
		if stage < 0 || stage >= p.log {
			return fmt.Errorf("%s: there is no stage %d; there are %d, from 0", p.h.Name, stage, p.log)
		}
		return p.part(func(b *passes) { f(b, stage) })(x)
	}
}

// part runs a part of a transform in place. Words between parts may be anything.
func (p *plan) part(f func(*passes)) func([]uint64) error {
	return func(x []uint64) error { return p.transform(x, x, &modular.Direction{}, f) }
}

// reduces reports whether the forward transform ends with Reduce.
func (p *plan) reduces() bool { return p.h.Reduce != "" && p.h.Claim.Forward.Out.Range == 1 }

// passes collects dispatches on a batch of transforms in x; tiles are written to z, which then becomes x.
type passes struct {
	*plan
	batch   int
	x, z    *Data
	factors [2]*Data
	list    []Dispatch
}

// passes begins with words.
func (p *plan) passes(words []uint64) *passes {
	b := &passes{plan: p, batch: len(words) / p.n, x: Input("x", p.m.words(words...))}
	b.factors = [2]*Data{Input("w", p.factors[0]), Input("w", p.factors[1])}
	if p.h.ForwardTile != "" {
		b.z = &Data{Name: "z", Length: len(b.x.Bytes)}
	}
	return b
}

func (b *passes) data() Arg { return Arg{Data: b.x} }

// add adds a dispatch of a function, with a row of the grid for each transform.
func (b *passes) add(function string, args ...Arg) {
	l := b.l
	l.Groups.Y = b.batch
	b.list = append(b.list, Dispatch{Function: function, Launch: l, Args: args})
}

// tiles adds a dispatch from x to z, and swaps the two.
func (b *passes) tiles(function string, w *Data, more ...Arg) {
	tile := b.h.tile(b.n, b.l)
	b.add(function, append([]Arg{{Data: b.x}, {Data: b.z}, {Data: w}, {Value: b.field}, Uint(b.n), Uint(tile)}, more...)...)
	b.list[len(b.list)-1].Shared = []int{b.m.bits / 8 * tile}
	b.x, b.z = b.z, b.x
}

// span returns the span of a stage; spans grow if up is set.
func (b *passes) span(stage int, up bool) int {
	if up {
		return 1 << stage
	}
	return b.n >> (stage + 1)
}

func (b *passes) butterflies(function string, w *Data, span int) {
	b.add(function, b.data(), Arg{Data: w}, Arg{Value: b.field}, Uint(b.n), Uint(span))
}

func (b *passes) prepare() {
	if b.order() == modular.Natural {
		b.add(b.h.BitReverse, b.data(), Uint(b.n))
	}
}

func (b *passes) forwardStage(stage int) {
	b.butterflies(b.h.ForwardStage, b.factors[0], b.span(stage, b.order() == modular.Natural))
}

func (b *passes) inverseStage(stage int) {
	b.butterflies(b.h.InverseStage, b.factors[1], b.span(stage, b.order() != modular.Natural))
}

// forwardRange and inverseRange add stages from one on, up to the one before end.
func (b *passes) forwardRange(from, end int) {
	for ; b.h.ForwardFours != "" && from+1 < end; from += 2 {
		b.butterflies(b.h.ForwardFours, b.factors[0], b.span(from, b.order() == modular.Natural))
	}
	for ; from < end; from++ {
		b.forwardStage(from)
	}
}

func (b *passes) inverseRange(from, end int) {
	for ; b.h.InverseFours != "" && from+1 < end; from += 2 {
		b.butterflies(b.h.InverseFours, b.factors[1], b.span(from, b.order() != modular.Natural))
	}
	for ; from < end; from++ {
		b.inverseStage(from)
	}
}

func (b *passes) finish() {
	if b.reduces() {
		b.add(b.h.Reduce, b.data(), Arg{Value: b.field}, Uint(b.n))
	}
}

func (b *passes) scale(over []byte) {
	b.add(b.h.FinalScale, b.data(), Arg{Value: b.field}, Uint(b.n), Arg{Value: over})
}

// columns and rows add a dispatch with the threadgroups that they need: a launch gives only the number of threads of each.
func (b *passes) columns(function string, w *Data, more ...Arg) {
	b.add(function, append([]Arg{b.data(), {Data: w}, {Value: b.field}, Uint(b.n)}, more...)...)
	b.sixteens(b.n/side/sixteens(b.l), b.batch)
}

func (b *passes) rows(function string, w *Data) {
	b.add(function, b.data(), Arg{Data: w}, Arg{Value: b.field}, Uint(b.n), Uint(b.batch))
	c := sixteens(b.l)
	b.sixteens(b.n/side, (b.batch+c-1)/c)
}

func (b *passes) sixteens(x, y int) {
	d := &b.list[len(b.list)-1]
	d.Launch.Groups.X, d.Launch.Groups.Y = x, y
	d.Shared = []int{b.m.bits / 8 * b.h.tile(b.n, b.l)}
}

// stages returns the number of dispatches of stages, without those of tiles.
func (b *passes) stages() int {
	switch {
	case b.h.ForwardTile != "":
		return b.log - log2(b.h.tile(b.n, b.l))
	case b.h.OneDispatch:
		return min(b.log, 1)
	}
	return b.log
}

func (b *passes) forward() {
	columns, rows := b.h.sides(b.n, b.l)
	if columns || rows {
		first, end := 0, b.log
		if columns {
			b.columns(b.h.ForwardColumns, b.factors[0])
			first = log2(side)
		}
		if rows {
			end -= log2(side)
		}
		b.forwardRange(first, end)
		if rows {
			b.rows(b.h.ForwardRows, b.factors[0])
		} else {
			b.finish()
		}
		return
	}
	first := 0
	if b.h.ForwardTile != "" {
		b.tiles(b.h.ForwardTile, b.factors[0])
		first = b.log - b.stages()
	} else {
		b.prepare()
	}
	b.forwardRange(first, first+b.stages())
	b.finish()
}

func (b *passes) inverse(over []byte) {
	columns, rows := b.h.sides(b.n, b.l)
	if columns || rows {
		first, end := 0, b.log
		if columns {
			end -= log2(side)
		}
		switch {
		case rows:
			b.rows(b.h.InverseRows, b.factors[1])
			first = log2(side)
		case end == 0: // columns take words as stages leave them
			b.add(b.h.Reduce, b.data(), Arg{Value: b.field}, Uint(b.n))
		}
		b.inverseRange(first, end)
		if columns {
			b.columns(b.h.InverseColumns, b.factors[1], Arg{Value: over})
		} else {
			b.scale(over)
		}
		return
	}
	b.inverseRange(0, b.stages())
	if b.h.ForwardTile != "" {
		b.tiles(b.h.InverseTile, b.factors[1], Arg{Value: over})
	} else {
		b.scale(over)
	}
}

// run runs the collected dispatches, and reads the first words.
func (b *passes) run(dst []uint64) error {
	if len(b.list) == 0 {
		readWords(dst, b.x.Bytes, b.m.bits)
		return nil
	}
	b.x.Read = true
	err := b.r.Run(b.h.Program, b.list...)
	if Completed(err) {
		readWords(dst, b.x.Bytes, b.m.bits)
	}
	return err
}
