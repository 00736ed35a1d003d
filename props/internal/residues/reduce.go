package residues

import (
	"math/bits"
	"slices"
	"time"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// reduceBatches is how many batches a reduction may run.
const reduceBatches = 4000

// ModularReducer makes a failing batch smaller.
type ModularReducer struct {
	R       *Run
	L       *ModularLaw
	trial   *modularTrial
	outcome verdict.Outcome
	seed    uint64
	end     time.Time
	evals   int
	steps   int
	g       ModularGenerator
}

// fails returns the row that fails as the first one did, or -1.
func (m *ModularReducer) fails(at verdict.Setting, q uint64, in []uint64, rows int) int {
	if m.evals++; m.evals > reduceBatches || time.Now().After(m.end) || m.R.P.Accepts(m.L, at, q, in, rows) != nil {
		return -1
	}
	if v := m.trial.Judge(m.L, &ModularCase{Batch: &ModularBatch{At: at, Q: q, In: in, Rows: rows, seed: m.seed}}); v.Outcome != m.outcome {
		return -1
	}
	return m.trial.Failing
}

// anyFails tries rows alone that need no company, in one call or, where a call that breaks tells no row, in several.
func (m *ModularReducer) anyFails(at verdict.Setting, q uint64, rows [][]uint64) []uint64 {
	if len(rows) == 0 {
		return nil
	}
	size := len(rows)
	if m.outcome == verdict.Broken {
		size = 1
	} else {
		size = m.R.P.Device.Most(size)
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
func (m *ModularReducer) fit(at verdict.Setting, rows int) verdict.Setting {
	d := m.R.P.Device
	if d == nil || d.Accepts(rows, at) == nil {
		return at
	}
	if d.Launches != nil {
		for _, l := range d.Launches(rows) {
			if s := (verdict.Setting{Behaviour: at.Behaviour, Launch: l}); d.Accepts(rows, s) == nil {
				return s
			}
		}
	}
	return at
}

// Examine reduces a failing batch, judges what is left once more, and saves it: one row if that fails alone, the smallest modulus
// for which it still does, the plainest words.
func (r *Run) Examine(l *ModularLaw, c *ModularCase, st *engine.LawStats) engine.Failure {
	p, b := r.P, c.Batch
	m := &ModularReducer{R: r, L: l, trial: NewModularTrial(p), seed: b.seed, end: time.Now().Add(engine.ReduceTime)}
	first := engine.Insist(l.Hardware, func() verdict.Verdict { return m.trial.Judge(l, c) })
	if !first.Fails() {
		f := r.Describe(l, c, first)
		f.Flaky, f.Cases, f.Seen = true, st.Cases, st.Seen
		r.SaveBatch(f, c)
		return f
	}
	m.outcome = first.Outcome
	n, row := len(p.Claim.In), m.trial.Failing
	at, q, words := b.At, b.Q, slices.Clone(b.In)
	original := slices.Clone(words[row*n : (row+1)*n])
	rows := b.Rows
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
		at.Behaviour = vectors.Plainest(at.Behaviour, func(b model.Behaviour) bool {
			return m.fails(verdict.Setting{Behaviour: b, Launch: at.Launch}, q, words, rows) >= 0
		})
	}
	if rows == 1 {
		q, words = m.smaller(at, q, words)
		if !l.Refuses {
			words = m.plainer(at, q, words)
		}
	}
	small := &ModularCase{Batch: &ModularBatch{At: at, Q: q, In: words, Rows: rows, seed: b.seed}, recipe: c.recipe}
	v := engine.Insist(l.Hardware, func() verdict.Verdict { return m.trial.Judge(l, small) })
	small.row = m.trial.Failing
	f := r.Describe(l, small, v)
	f.Cases = st.Cases
	f.Original, f.OriginalModulus, f.Steps, f.Flaky = original, b.Q, m.steps, !v.Fails()
	f.Fault, f.Cause = r.Cause(l, small, b.Q, original)
	r.SaveBatch(f, small)
	return f
}

// smaller returns the smallest modulus, of those at which something changes, for which a row fails, and that row.
func (m *ModularReducer) smaller(at verdict.Setting, q uint64, row []uint64) (modulus uint64, words []uint64) {
	list := slices.Clone(m.R.P.Moduli.Edges)
	if m.L.Refuses {
		list = slices.Clone(m.R.P.Moduli.Refused)
	}
	for k := uint64(0); k < 64; k++ {
		list = append(list, k, q>>k, q>>k|1)
	}
	slices.Sort(list)
	for _, s := range slices.Compact(list) {
		if s >= q {
			break
		}
		if m.L.Refuses {
			if m.fails(at, s, row, 1) >= 0 {
				m.steps++
				return s, row
			}
			continue
		}
		if Admitted(&m.R.P.Claim, s) != nil {
			continue
		}
		if w := m.anyFails(at, s, m.Candidates(row, q, s)); w != nil {
			m.steps++
			q, row = s, w
			break
		}
	}
	if m.L.Refuses {
		return q, row
	}
	for k := bits.Len64(q) - 2; k > 0; k-- { // clear bits, the highest first
		s := q &^ (1 << k)
		if s == q || Admitted(&m.R.P.Claim, s) != nil {
			continue
		}
		if w := m.anyFails(at, s, m.Candidates(row, q, s)); w != nil {
			m.steps++
			q, row = s, w
		}
	}
	return q, row
}

// Candidates returns rows for modulus s made of a row for q, of special words, and drawn ones.
func (m *ModularReducer) Candidates(row []uint64, q, s uint64) (rows [][]uint64) {
	c := &m.R.P.Claim
	if len(row) == 0 {
		return [][]uint64{{}}
	}
	m.g.Begin(c, q)
	was := make([][]uint64, len(row))
	for i := range row {
		was[i] = slices.Clone(m.g.Special[i])
	}
	m.g.Begin(c, s)
	m.g.Rng, m.g.B = draw.Splitmix(1), 255
	add := func(fill func(i int) uint64) {
		next := make([]uint64, len(row))
		for i := range next {
			next[i] = m.g.Fit(i, fill(i))
		}
		m.g.Fix(next)
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
		list := []uint64{0, 1, s - 1, s / 2, last, last - 1, m.g.Unit[i], s, 2}
		return slices.DeleteFunc(list, func(v uint64) bool { return m.g.Fit(i, v) != v })
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
	families := m.L.Families
	if families == nil {
		families = allModularFamilies
	}
	for k := range 64 {
		next := make([]uint64, len(row))
		modularFamilyByName[families[k%len(families)]].Draw(&m.g, next)
		m.g.Fix(next)
		rows = append(rows, next)
	}
	return rows
}

// plainer makes the words of a row plainer, one after the other, as long as it fails.
func (m *ModularReducer) plainer(at verdict.Setting, q uint64, row []uint64) []uint64 {
	c := &m.R.P.Claim
	m.g.Begin(c, q)
	for again := true; again; {
		again = false
		for i := range row {
			if c.In[i].Shoup {
				continue
			}
			var rows [][]uint64
			limit := WordCost(row[i], q)
			for _, v := range PlainerWords(row[i], q, m.g.Unit[i]) {
				if m.g.Fit(i, v) != v || WordCost(v, q) >= limit {
					continue
				}
				next := slices.Clone(row)
				next[i] = v
				m.g.Fix(next)
				if next[i] == v {
					rows = append(rows, next)
				}
			}
			slices.SortStableFunc(rows, func(a, b []uint64) int { return WordCost(a[i], q) - WordCost(b[i], q) })
			if w := m.anyFails(at, q, rows); w != nil {
				row, again = w, true
				m.steps++
			}
		}
	}
	return row
}

// WordCost says how far a word is from a plain one: 0, 1, …, q-1, q-2, ….
func WordCost(v, q uint64) int {
	size := func(v uint64) int { return 3*bits.Len64(v) + bits.OnesCount64(v) }
	cost := size(v)
	if v <= q {
		cost = min(cost, 4+size(q-v))
	} else {
		cost = min(cost, 5+size(v-q))
	}
	return min(cost, 6+size(^v))
}

// PlainerWords offers words in the place of v.
func PlainerWords(v, q, unit uint64) []uint64 {
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
