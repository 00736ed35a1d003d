package attack

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
)

// FingerprintResult says which known algorithms a black box behaves as.
type FingerprintResult struct {
	Op word.Op
	// Names are those that give the same bits on every witness row, the plainest first: an algorithm's own name, or one with
	// what a compiler or device has made of it, such as "DWTimesDW1 with xl·yh fused". More than one: no row of the
	// search tells them apart, or they are one and the same program.
	Names []string
	// Within: no name fits on every row, and Names fit on those whose steps stay far from overflow and underflow.
	Within bool
	Rows   int // witness rows that were run
}

// String lists the names.
func (r FingerprintResult) String() string {
	switch {
	case len(r.Names) == 0:
		return fmt.Sprintf("no algorithm that is known for a %s", r.Op)
	case r.Within:
		return strings.Join(r.Names, ", or ") + ", away from overflow and underflow"
	}
	return strings.Join(r.Names, ", or ")
}

// Fits reports whether the algorithm called name is among those that fit as it was written.
func (r FingerprintResult) Fits(name string) bool { return slices.Contains(r.Names, name) }

// Sentence says what ran where the algorithm called written was written: "the device ran DWTimesDW2 where DWTimesDW3 was written".
// who is its subject.
func (r FingerprintResult) Sentence(who, written string) string {
	switch {
	case r.Fits(written):
		return fmt.Sprintf("%s ran %s as it was written", who, written)
	case len(r.Names) == 0:
		return fmt.Sprintf("%s ran %s where %s was written", who, r, written)
	}
	s := r.Names[0]
	// What was made of the algorithm that was written comes before what another one explains.
	for _, n := range r.Names {
		if strings.HasPrefix(n, written+" ") && strings.Contains(r.Names[0], " ") {
			s = n
			break
		}
	}
	if rest := len(r.Names) - 1; rest > 0 && strings.Contains(s, " ") {
		s += fmt.Sprintf(" (or one of %d others with the same bits)", rest)
	}
	return fmt.Sprintf("%s ran %s where %s was written", who, s, written)
}

// Fingerprint runs a few witness rows and names the algorithms of op that give the same bits: each as written and exchanged, with
// every choice of products that a compiler may fuse with sums, with Dekker's product for a fused one, and all of these in
// arithmetic that flushes subnormals or rounds toward zero. Words are of binary32.
//
// The rows are found when an operation is first asked for, by a search of a fixed seed for rows that split the candidates into as
// many classes as they can; some more keep others than candidates from fitting by chance.
//
// Cost: a batch of some tens of rows; the first call for an operation takes some tenths of a second.
func Fingerprint(op word.Op, run func(dst, src []float32)) FingerprintResult {
	f := FingersOf(op)
	res := FingerprintResult{Op: op, Rows: len(f.Rows)}
	if len(f.Candidates) == 0 {
		return res
	}
	src := make([]float32, 0, len(f.Rows)*op.In())
	for _, r := range f.Rows {
		src = append(src, r.words...)
	}
	dst := make([]float32, len(f.Rows)*op.Out())
	run(dst, src)
	var out []string
	for i := range f.Rows {
		out = append(out, digest(Encodings(dst[i*op.Out():(i+1)*op.Out()])))
	}
	for _, within := range []bool{false, true} {
		for c, candidate := range f.Candidates {
			fits := true
			for i, r := range f.Rows {
				fits = fits && (within && r.edge || r.digests[c] == out[i])
			}
			if fits {
				res.Names = append(res.Names, candidate.Name)
			}
		}
		if len(res.Names) > 0 {
			res.Within = within
			break
		}
	}
	return res
}

// Keep leaves the names of those whose result for another row is got, too.
func (r *FingerprintResult) Keep(row, got []uint64) {
	want := digest(got)
	f := FingersOf(r.Op)
	r.Names = slices.DeleteFunc(r.Names, func(name string) bool {
		return !slices.ContainsFunc(f.Candidates, func(c Candidate) bool { return c.Name == name && c.run(row) == want })
	})
}

// Candidate is one thing that a black box may turn out to be.
type Candidate struct {
	Name    string
	Program *word.Program
	Results []int // which of the program's results are the operation's
	Arith   round.Arith
}

// fingerRow is a row and what each candidate makes of it.
type fingerRow struct {
	words   []float32
	edge    bool // it is there for the sake of overflow, underflow or signs of zero
	digests []string
}

// fingers are the candidates and witness rows of an operation.
type fingers struct {
	Candidates []Candidate
	Rows       []fingerRow
}

var (
	fingersMu sync.Mutex
	fingersBy = map[word.Op]*fingers{}
)

// FingersOf returns the witness rows of an operation with what every known algorithm gives on them; they are searched for once in a process.
func FingersOf(op word.Op) *fingers {
	fingersMu.Lock()
	defer fingersMu.Unlock()
	f := fingersBy[op]
	if f == nil {
		if err := op.Check(); err != nil {
			panic(err.Error())
		}
		f = &fingers{Candidates: candidates(op)}
		f.Search(op)
		fingersBy[op] = f
	}
	return f
}

// digest makes words comparable; all NaNs are alike.
func digest(words []uint64) string {
	var b strings.Builder
	for _, w := range words {
		if model.Binary32.IsNaN(w) {
			w = model.Binary32.NaNBits()
		}
		fmt.Fprintf(&b, "%08x", w)
	}
	return b.String()
}

// WordArith is round.Arith as word.Run wants it.
type WordArith struct{ round.Arith }

func (a WordArith) One() uint64 { return uint64(1-a.F.Emin) << (a.F.P - 1) }

// Splitter returns 2^s+1 with s = ceil(p/2), which has at most p bits.
func (a WordArith) Splitter() uint64 {
	s := (a.F.P + 1) / 2
	return uint64(s+1-a.F.Emin)<<(a.F.P-1) | 1<<(a.F.P-1-s)
}

func (c *Candidate) run(in []uint64) string {
	p := c.Program
	values, out := make([]uint64, len(p.Inputs)+len(p.Steps)), make([]uint64, len(p.Results))
	copy(values, in)
	word.Run(p, WordArith{c.Arith}, values, out)
	picked := make([]uint64, len(c.Results))
	for i, r := range c.Results {
		picked[i] = out[r]
	}
	return digest(picked)
}

// Search draws rows and keeps, one after the other, the one that splits the candidates into the most classes, until none splits
// any. Rows of the normal range come first.
func (f *fingers) Search(op word.Op) {
	if len(f.Candidates) == 0 {
		return
	}
	classes := make([]string, len(f.Candidates))
	count := func(r *fingerRow) int {
		seen := map[string]bool{}
		for c, d := range r.digests {
			seen[classes[c]+d] = true
		}
		return len(seen)
	}
	for _, edge := range []bool{false, true} {
		pool := f.pool(op, edge)
		for n := count(&fingerRow{digests: make([]string, len(classes))}); ; {
			top, at := n, -1
			for i := range pool {
				if k := count(&pool[i]); k > top {
					top, at = k, i
				}
			}
			if at < 0 {
				break
			}
			n = top
			f.Rows = append(f.Rows, pool[at])
			number := map[string]string{}
			for c, d := range pool[at].digests {
				key := classes[c] + d
				if number[key] == "" {
					number[key] = fmt.Sprintf("%d.", len(number))
				}
				classes[c] = number[key]
			}
		}
		if !edge {
			f.Rows = append(f.Rows, pool[:min(32, len(pool))]...)
		}
	}
}

// pool draws rows and runs every candidate on them. Those at the edges have operands near the ends of the range or zeros.
func (f *fingers) pool(op word.Op, edge bool) []fingerRow {
	a := NewAttacker(op, nil, word.Bound{}, AttackOptions{Seed: 1})
	steps := 0
	for _, c := range f.Candidates {
		steps += len(c.Program.Steps)
	}
	n := min(600, 40+2_500_000/(steps+1))
	var rows []fingerRow
	for i := range n {
		row := make([]float32, op.In())
		a.Draw(row)
		a.Fix(row)
		if edge {
			a.toEdge(row, i)
		}
		r := fingerRow{words: row, edge: edge}
		in := Encodings(row)
		for c := range f.Candidates {
			r.digests = append(r.digests, f.Candidates[c].run(in))
		}
		rows = append(rows, r)
	}
	return rows
}

// toEdge scales the operands of a row to where a step may overflow or underflow, or makes one of them zero.
func (a *attacker) toEdge(row []float32, i int) {
	for k, words := range a.Words {
		e := 0
		switch i % 6 {
		case 0: // products and errors of sums are subnormal
			e = -64 + a.intn(16)
			if a.op.Function == word.Sum || a.op.Function == word.ComplexSum || a.op.Function == word.Value {
				e = -125 + a.intn(24)
			}
		case 1: // a high word is too large to split
			if k == a.intn(len(a.Words)) {
				e = 117 + a.intn(6)
			} else {
				e = -20 + a.intn(10)
			}
		case 2:
			e = -126 + a.intn(100)
		case 3:
			if a.intn(2) == 0 {
				e = -200
			}
		case 4:
			e = -100 + a.intn(200)
		case 5: // the whole row may be large
			e = 110 + a.intn(12)
		}
		for j := a.Offsets[k]; j < a.Offsets[k]+words; j++ {
			row[j] = float32(math.Ldexp(float64(row[j]), e))
			if i%12 == 11 && j > a.Offsets[k] {
				row[j] = 0
			}
		}
	}
}
