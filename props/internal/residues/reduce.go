package residues

import (
	"math/bits"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// Bounds of a reduction: how many batches it may run, up to how many words of a batch it makes plainer, and below what it looks for the
// smallest modulus, where above it looks for one of few bits.
const (
	reduceBatches = 20000
	reduceWords   = 32
	smallModulus  = 1 << 20
)

// reducer is a reduction of a batch at work.
type reducer struct {
	*reduce.Loop[*ModularCase]
	r     *Run
	l     *ModularLaw
	trial *modularTrial
	// breaks: the kernel breaks, so that a call does not tell on which row. later: the moduli have been tried before.
	breaks, later bool
}

// with returns the current batch with another modulus and other words.
func (m *reducer) with(q uint64, in []uint64) *ModularCase {
	c, b := *m.Cur, *m.Cur.Batch
	b.Q, b.In, b.period = q, in, 0
	if n := len(m.r.P.Claim.In); n > 0 {
		b.Rows = len(in) / n
	}
	c.Batch = &b
	return &c
}

// one tries batches in the place of the current one. Rows alone need no company, and share calls where a call that breaks still tells
// which row it was.
func (m *reducer) one(q uint64, batches [][]uint64) bool {
	size := m.r.P.Device.Most(len(batches))
	if n := len(m.r.P.Claim.In); m.Cur.Batch.Rows > 1 || n == 0 || m.breaks {
		size = 1
	}
	start := m.Tries()
	for part := range slices.Chunk(batches, max(size, 1)) {
		if size == 1 && m.Tired(start, reduce.StepMisses) {
			return false
		}
		if size > 1 {
			before := m.Evals
			if !m.Known(m.Fitted(m.with(q, slices.Concat(part...)))) || m.Evals == before {
				continue
			}
			part = part[m.trial.Failing : m.trial.Failing+1]
		}
		if m.Try(m.with(q, part[0])) {
			return true
		}
	}
	return false
}

// Examine reduces a failing batch, judges what is left once more, and saves it: one row if that fails alone, the smallest modulus
// for which it still does, the plainest words.
func (r *Run) Examine(l *ModularLaw, c *ModularCase, st *engine.LawStats) engine.Failure {
	trial, n, b, small, steps := NewModularTrial(r.P), len(r.P.Claim.In), c.Batch, *c, 0
	x := engine.Examine(r, trial, l, c)
	row := trial.Failing
	if x.First.Fails() {
		breaks := x.First.Outcome == verdict.Broken
		x.Reduce(reduceBatches, func(loop *reduce.Loop[*ModularCase]) {
			steps = (&reducer{Loop: loop, r: r, l: l, trial: trial, breaks: breaks, later: breaks}).run(row)
		})
		small = *trial.Kept(x.Small) // its operands are those that the law related
	}
	f := r.Describe(l, &small, x.Last)
	f.Original, f.OriginalModulus, f.Steps = b.In[row*n:(row+1)*n], b.Q, steps
	f.Flaky, f.Cases, f.Seen = x.Flaky(), st.Cases, st.Seen
	if x.First.Fails() {
		if f.Cause = r.narrow(l, c); f.Cause != "" {
			f.Cause = "kernel: " + f.Cause
		} else {
			f.Fault, f.Cause = r.Cause(l, &small, b.Q, f.Original)
		}
	}
	r.SaveBatch(f, &small)
	return f
}

// Shrink leaves the fewest rows, the smallest modulus and the plainest words.
func (r *Run) Shrink(l *ModularLaw, m *reduce.Loop[*ModularCase]) {
	(&reducer{Loop: m, r: r, l: l, breaks: true, later: true}).run(0)
}

// run does so where one row is known to fail, and returns how many steps it took after that.
func (m *reducer) run(failing int) (steps int) {
	b, n := m.Cur.Batch, len(m.r.P.Claim.In)
	m.Rows(len(b.In)/max(n, 1), failing, func(drop []bool) *ModularCase { return m.with(b.Q, reduce.Without(b.In, n, drop)) })
	m.Plain()
	before := m.Accepted
	if m.breaks { // each row costs a call
		m.plainer()
	}
	m.Until(m.smaller, m.sparser, m.plainer, m.Plain)
	return m.Accepted - before
}

// smaller finds the smallest modulus, of those at which something changes, for which the batch or another row fails.
func (m *reducer) smaller() {
	b, c := m.Cur.Batch, &m.r.P.Claim
	list := slices.Clone(m.r.P.Moduli.Edges)
	if m.l.Refuses {
		list = slices.Clone(m.r.P.Moduli.Refused)
	}
	for k := range 64 {
		list = append(list, uint64(k), b.Q>>k, b.Q>>k|1)
	}
	slices.Sort(list)
	for _, s := range slices.Compact(list) {
		if s >= b.Q {
			break
		}
		if (Admitted(c, s) == nil) != m.l.Refuses && m.one(s, m.candidates(s)) {
			break
		}
	}
}

// sparser lowers a modulus of few digits as far as it can, and clears bits of others, the highest first.
func (m *reducer) sparser() {
	c := &m.r.P.Claim
	for lo, hi := uint64(1), m.Cur.Batch.Q; hi-lo > 1 && hi < smallModulus && !m.l.Refuses; {
		mid := lo + (hi-lo)/2
		s := mid
		for s < hi && Admitted(c, s) != nil {
			s++
		}
		if s == hi || m.one(s, m.candidates(s)) {
			hi = min(s, mid)
		} else {
			lo = s
		}
	}
	for k := bits.Len64(m.Cur.Batch.Q) - 2; k > 0 && !m.l.Refuses; k-- {
		q := m.Cur.Batch.Q
		if s := q &^ (1 << k); s != q && Admitted(c, s) == nil {
			m.one(s, m.candidates(s))
		}
	}
	m.later = true
}

// candidates returns batches for modulus s in the place of the current one: like it, and at first also rows of special words.
func (m *reducer) candidates(s uint64) (list [][]uint64) {
	b, c := m.Cur.Batch, &m.r.P.Claim
	if len(c.In) == 0 || m.l.Refuses {
		return [][]uint64{b.In}
	}
	var g ModularGenerator
	g.Begin(c, s)
	for _, like := range []func(i int, v uint64) uint64{
		func(_ int, v uint64) uint64 { return v },
		func(i int, v uint64) uint64 { // as far from the end of the range as it was
			return g.limit[i] - 1 - (limitOf(&c.In[i], b.Q, c.Bits) - 1 - v)
		},
		func(_ int, v uint64) uint64 { return s + v - b.Q },
	} {
		var in []uint64
		for row := range slices.Chunk(b.In, len(c.In)) {
			in = append(in, g.filled(func(i int) uint64 { return like(i, row[i]) })...)
		}
		list = append(list, in)
	}
	if b.Rows == 1 && !m.later {
		list = append(list, m.r.special(m.l, s)...)
	}
	return list
}

// plainer makes the words of the batch plainer, one after the other, and those of each row together.
func (m *reducer) plainer() {
	c, n := &m.r.P.Claim, len(m.r.P.Claim.In)
	if m.l.Refuses || len(m.Cur.Batch.In) > reduceWords {
		return
	}
	for lo := 0; lo < len(m.Cur.Batch.In); lo += n {
		var row []int
		for k := range n {
			if !c.In[k].Shoup {
				row = append(row, lo+k)
				m.wordsPlainer(lo + k)
			}
		}
		if len(row) > 1 {
			m.wordsPlainer(row...)
		}
	}
}

// wordsPlainer makes words plainer in the same way.
func (m *reducer) wordsPlainer(places ...int) {
	var g ModularGenerator
	b, n := m.Cur.Batch, len(m.r.P.Claim.In)
	g.Begin(&m.r.P.Claim, b.Q)
	cost := func(in []uint64) (sum int) {
		for _, i := range places {
			sum += wordCost(&m.r.P.Claim.In[i%n], in[i], b.Q)
		}
		return sum
	}
	var plain, batches [][]uint64
	for _, i := range places {
		plain = append(plain, plainerWords(b.In[i], b.Q, g.Unit[i%n]))
	}
	for k := range plain[0] {
		next, fit := slices.Clone(b.In), true
		for j, i := range places {
			next[i] = g.Fit(i%n, plain[j][k])
			g.Fix(next[i/n*n : (i/n+1)*n])
		}
		for j, i := range places {
			fit = fit && next[i] == plain[j][k]
		}
		if fit && cost(next) < cost(b.In) {
			batches = append(batches, next)
		}
	}
	slices.SortStableFunc(batches, func(x, y []uint64) int { return cost(x) - cost(y) })
	m.one(b.Q, batches)
}

// filled returns a row of such words, or of what is left of them in the ranges.
func (g *ModularGenerator) filled(fill func(i int) uint64) []uint64 {
	row := make([]uint64, len(g.claim.In))
	for i := range row {
		row[i] = g.Fit(i, fill(i))
	}
	g.Fix(row)
	return row
}

// special returns rows of special words modulo s, and drawn ones.
func (r *Run) special(l *ModularLaw, s uint64) (rows [][]uint64) {
	c := &r.P.Claim
	var g ModularGenerator
	g.Begin(c, s)
	g.Rng, g.B = draw.Splitmix(1), 255
	few := func(i int) []uint64 {
		last := (g.limit[i] - 1) & g.mask
		list := []uint64{0, 1, s - 1, s / 2, last, last - 1, g.Unit[i], s, 2}
		return slices.DeleteFunc(list, func(v uint64) bool { return g.Fit(i, v) != v })
	}
	lists := make([][]uint64, len(c.In))
	total := 1
	for i := range c.In {
		if lists[i] = few(i); c.In[i].Shoup {
			lists[i] = []uint64{0}
		}
		total *= len(lists[i])
	}
	for k := range min(total, 400) {
		rows = append(rows, g.filled(func(i int) uint64 {
			v := lists[i][k%len(lists[i])]
			k /= len(lists[i])
			return v
		}))
	}
	families := l.Families
	if families == nil {
		families = allModularFamilies
	}
	for k := range 64 {
		next := make([]uint64, len(c.In))
		modularFamilyByName[families[k%len(families)]].Draw(&g, next)
		g.Fix(next)
		rows = append(rows, next)
	}
	return rows
}

// wordCost says how far a word is from a plain one: 0, 1, …, q-1, q-2, …; of an integer those next to q, and the greatest, come after
// small ones.
func wordCost(w *modular.Word, v, q uint64) int {
	size := func(v uint64) int { return 3*bits.Len64(v) + bits.OnesCount64(v) }
	far := 0
	if w.Integer {
		far = 24
	}
	cost := size(v)
	if v <= q {
		cost = min(cost, far+4+size(q-v))
	} else {
		cost = min(cost, far+5+size(v-q))
	}
	return min(cost, far+6+size(^v))
}

// plainerWords offers words in the place of v.
func plainerWords(v, q, unit uint64) []uint64 {
	list := []uint64{0, 1, 2, 3, q - 1, q - 2, q, q + 1, unit, q / 2, q/2 + 1, ^uint64(0)}
	for k := 1; k < 64; k++ {
		list = append(list, v>>k, v>>k<<k, v&^(1<<k), uint64(1)<<k, uint64(1)<<k-1)
		if v <= q {
			list = append(list, q-(q-v)>>k, q-(q-v)>>k<<k)
		} else {
			list = append(list, q+(v-q)>>k, q+(v-q)>>k<<k)
		}
	}
	return append(list, v&^1, v-1)
}
