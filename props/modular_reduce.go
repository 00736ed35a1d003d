package props

import (
	"math/bits"
	"slices"
	"time"

	"gamma/model"
)

// reduceBatches is how many batches a reduction may run.
const reduceBatches = 4000

// modularReducer makes a failing batch smaller.
type modularReducer struct {
	r       *modularRun
	l       *ModularLaw
	trial   *modularTrial
	outcome Outcome
	seed    uint64
	end     time.Time
	evals   int
	steps   int
	g       modularGenerator
}

// fails returns the row that fails as the first one did, or -1.
func (m *modularReducer) fails(at Setting, q uint64, in []uint64, rows int) int {
	if m.evals++; m.evals > reduceBatches || time.Now().After(m.end) || m.r.p.accepts(m.l, at, q, in, rows) != nil {
		return -1
	}
	if v := m.trial.judge(m.l, &modularCase{batch: &modularBatch{at: at, q: q, in: in, rows: rows, seed: m.seed}}); v.Outcome != m.outcome {
		return -1
	}
	return m.trial.failing
}

// anyFails tries rows alone that need no company, in one call or, where a call that breaks tells no row, in several.
func (m *modularReducer) anyFails(at Setting, q uint64, rows [][]uint64) []uint64 {
	if len(rows) == 0 {
		return nil
	}
	size := len(rows)
	if m.outcome == Broken {
		size = 1
	} else if d := m.r.p.device; d != nil && d.MaxN > 0 {
		size = min(size, d.MaxN)
	}
	for part := range slices.Chunk(rows, size) {
		if i := m.fails(m.fit(at, len(part)), q, slices.Concat(part...), len(part)); i >= 0 {
			if m.fails(at, q, part[i], 1) >= 0 {
				return part[i]
			}
		}
	}
	return nil
}

// fit returns a setting that runs so many rows.
func (m *modularReducer) fit(at Setting, rows int) Setting {
	d := m.r.p.device
	if d == nil || d.accepts(rows, at) == nil {
		return at
	}
	if d.Launches != nil {
		for _, l := range d.Launches(rows) {
			if s := (Setting{Behaviour: at.Behaviour, Launch: l}); d.accepts(rows, s) == nil {
				return s
			}
		}
	}
	return at
}

// examine reduces a failing batch, judges what is left once more, and saves it: one row if that fails alone, the smallest modulus
// for which it still does, the plainest words.
func (r *modularRun) examine(l *ModularLaw, c *modularCase, st *lawStats) failure {
	p, b := r.p, c.batch
	m := &modularReducer{r: r, l: l, trial: newModularTrial(p), seed: b.seed, end: time.Now().Add(reduceTime)}
	first := insist(l.Hardware, func() Verdict { return m.trial.judge(l, c) })
	if !first.fails() {
		f := r.describe(l, c, first)
		f.Flaky, f.Cases, f.seen = true, st.Cases, st.seen
		r.save(f, c)
		return f
	}
	m.outcome = first.Outcome
	n, row := len(p.claim.In), m.trial.failing
	at, q, words := b.at, b.q, slices.Clone(b.in)
	original := slices.Clone(words[row*n : (row+1)*n])
	rows := b.rows
	if alone := words[row*n : (row+1)*n]; rows > 1 && m.fails(at, q, alone, 1) >= 0 {
		words, rows = slices.Clone(alone), 1
	} else if rows > 1 {
		for size := rows / 2; size >= 1; size /= 2 {
			for k := 0; k+size <= rows && rows > size; {
				less := slices.Concat(words[:k*n], words[(k+size)*n:])
				if m.fails(at, q, less, rows-size) >= 0 {
					words, rows = less, rows-size
				} else {
					k += size
				}
			}
		}
	}
	if !at.Behaviour.Plain() {
		at.Behaviour = plainest(at.Behaviour, func(b model.Behaviour) bool {
			return m.fails(Setting{Behaviour: b, Launch: at.Launch}, q, words, rows) >= 0
		})
	}
	if rows == 1 {
		q, words = m.smaller(at, q, words)
		if !l.Refuses {
			words = m.plainer(at, q, words)
		}
	}
	small := &modularCase{batch: &modularBatch{at: at, q: q, in: words, rows: rows, seed: b.seed}, recipe: c.recipe}
	v := insist(l.Hardware, func() Verdict { return m.trial.judge(l, small) })
	small.row = m.trial.failing
	f := r.describe(l, small, v)
	f.Cases = st.Cases
	f.Original, f.OriginalModulus, f.Steps, f.Flaky = original, b.q, m.steps, !v.fails()
	f.Cause = r.cause(l, small, b.q)
	r.save(f, small)
	return f
}

// smaller returns the smallest modulus, of those at which something changes, for which a row fails, and that row.
func (m *modularReducer) smaller(at Setting, q uint64, row []uint64) (modulus uint64, words []uint64) {
	list := slices.Clone(m.r.p.moduli.edges)
	if m.l.Refuses {
		list = slices.Clone(m.r.p.moduli.refused)
	}
	for k := uint64(0); k < 64; k++ {
		list = append(list, k, q>>k, q>>k|1)
	}
	slices.Sort(list)
	for _, s := range slices.Compact(list) {
		if s >= q {
			break
		}
		if m.l.Refuses {
			if m.fails(at, s, row, 1) >= 0 {
				m.steps++
				return s, row
			}
			continue
		}
		if admitted(&m.r.p.claim, s) != nil {
			continue
		}
		if w := m.anyFails(at, s, m.candidates(row, q, s)); w != nil {
			m.steps++
			q, row = s, w
			break
		}
	}
	if m.l.Refuses {
		return q, row
	}
	for k := bits.Len64(q) - 2; k > 0; k-- { // clear bits, the highest first
		s := q &^ (1 << k)
		if s == q || admitted(&m.r.p.claim, s) != nil {
			continue
		}
		if w := m.anyFails(at, s, m.candidates(row, q, s)); w != nil {
			m.steps++
			q, row = s, w
		}
	}
	return q, row
}

// candidates returns rows for modulus s made of a row for q, of special words, and drawn ones.
func (m *modularReducer) candidates(row []uint64, q, s uint64) (rows [][]uint64) {
	c := &m.r.p.claim
	if len(row) == 0 {
		return [][]uint64{{}}
	}
	m.g.begin(c, q)
	was := make([][]uint64, len(row))
	for i := range row {
		was[i] = slices.Clone(m.g.special[i])
	}
	m.g.begin(c, s)
	m.g.rng, m.g.b = splitmix(1), 255
	add := func(fill func(i int) uint64) {
		next := make([]uint64, len(row))
		for i := range next {
			next[i] = m.g.fit(i, fill(i))
		}
		m.g.mend(next)
		rows = append(rows, next)
	}
	add(func(i int) uint64 { return row[i] })
	add(func(i int) uint64 { // as far from the end of the range as it was
		return m.g.limit[i] - 1 - (limitOf(&c.In[i], q, c.Bits) - 1 - row[i])
	})
	add(func(i int) uint64 {
		if row[i] < q {
			return s - (q - row[i])
		}
		return row[i] - q + s
	})
	few := func(i int) []uint64 {
		last := (m.g.limit[i] - 1) & m.g.mask
		list := []uint64{0, 1, s - 1, s / 2, last, last - 1, m.g.unit[i], s, 2}
		return slices.DeleteFunc(list, func(v uint64) bool { return m.g.fit(i, v) != v })
	}
	lists := make([][]uint64, len(row))
	total := 1
	for i := range row {
		if lists[i] = few(i); c.In[i].Shoup {
			lists[i] = []uint64{0}
		}
		total *= len(lists[i])
	}
	for k := range min(total, 400) {
		add(func(i int) uint64 {
			v := lists[i][k%len(lists[i])]
			k /= len(lists[i])
			return v
		})
	}
	families := m.l.Families
	if families == nil {
		families = allModularFamilies
	}
	for k := range 64 {
		next := make([]uint64, len(row))
		modularFamilyByName[families[k%len(families)]].draw(&m.g, next)
		m.g.mend(next)
		rows = append(rows, next)
	}
	return rows
}

// plainer makes the words of a row plainer, one after the other, as long as it fails.
func (m *modularReducer) plainer(at Setting, q uint64, row []uint64) []uint64 {
	c := &m.r.p.claim
	m.g.begin(c, q)
	for again := true; again; {
		again = false
		for i := range row {
			if c.In[i].Shoup {
				continue
			}
			var rows [][]uint64
			limit := wordCost(row[i], q)
			for _, v := range plainerWords(row[i], q, m.g.unit[i]) {
				if m.g.fit(i, v) != v || wordCost(v, q) >= limit {
					continue
				}
				next := slices.Clone(row)
				next[i] = v
				m.g.mend(next)
				if next[i] == v {
					rows = append(rows, next)
				}
			}
			slices.SortStableFunc(rows, func(a, b []uint64) int { return wordCost(a[i], q) - wordCost(b[i], q) })
			if w := m.anyFails(at, q, rows); w != nil {
				row, again = w, true
				m.steps++
			}
		}
	}
	return row
}

// wordCost says how far a word is from a plain one: 0, 1, …, q-1, q-2, ….
func wordCost(v, q uint64) int {
	size := func(v uint64) int { return 3*bits.Len64(v) + bits.OnesCount64(v) }
	cost := size(v)
	if v <= q {
		cost = min(cost, 4+size(q-v))
	} else {
		cost = min(cost, 5+size(v-q))
	}
	return min(cost, 6+size(^v))
}

// plainerWords offers words in the place of v.
func plainerWords(v, q, unit uint64) []uint64 {
	list := []uint64{0, 1, 2, 3, q - 1, q - 2, q, q + 1, unit, q / 2, q/2 + 1, ^uint64(0)}
	for k := 1; k < 64; k++ {
		list = append(list, v>>k, v>>k<<k, v&^(1<<k), uint64(1)<<k, uint64(1)<<k-1)
		if v <= q {
			list = append(list, q-(q-v)>>k, q-(q-v)>>k<<k)
		} else {
			list = append(list, q+(v-q)>>k)
		}
	}
	return append(list, v&^1, v-1)
}
