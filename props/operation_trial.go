package props

import (
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
)

// wordTrial runs batches of one operation and judges their rows. It keeps its memory from batch to batch.
type wordTrial struct {
	p     *wordSubject
	t     *Trial // runs the kernel: lends it copies, and notices what it does to them
	c     *rowContext
	claim word.Claim // under the batch's behaviour
	row   WordRow

	rows    int
	in      corpus.Values
	results []uint64
	words   []uint64 // of one row of operands

	rest        []int // rows that the screen leaves to Judge
	clear       []int // rows whose hypotheses the screen has seen to be met
	in32, out32 []float32
	rowTally
	again []uint64 // results of another run
	slow  bool     // every row is left to Judge
}

func newWordTrial(p *wordSubject) *wordTrial {
	w := &wordTrial{p: p, t: newTrial(p.sub), claim: p.claim}
	w.c = newContext(p.format, &w.claim, p.alg)
	return w
}

// judge runs a batch and judges its rows, and returns the verdict on the first that fails, or else the worst of those that hold.
func (w *wordTrial) judge(l *WordLaw, c *wordCase) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(LawPanicked, "the law panicked: %v", p))
		}
		v.Law = l.ID
	}()
	op := &w.p.claim.Op
	n := op.In()
	at, in := w.p.sub.device.setting(c.at), c.in
	w.in, w.rows = in, in.Len()/n
	w.begin()
	w.t.met = nil
	w.t.c = &corpus.Case{X: in, Rows: w.rows, Seed: c.seed}
	w.t.n, w.t.rows, w.t.at, w.t.law, w.t.claim = n, w.rows, at, &Law{Found: l.Found}, w.p.sub.claim
	w.results = grow(w.results, w.rows*op.Out())
	if b := w.t.run(in, corpus.Values{Format: in.Format}, w.results); b != nil {
		v = broken(b)
		w.see(&v, w.rows)
		return v
	}
	if l.Found != nil {
		v = l.Found(w.t.found)
		w.see(&v, w.rows)
		return v
	}
	if l.Hardware {
		return wordRuns[l.ID](w)
	}
	silent := ""
	dev := w.p.sub.device
	w.claim = w.p.claim
	if dev != nil {
		w.claim, silent = WeakenWord(w.p.claim, at.Behaviour, dev.Strict)
	}
	if silent != "" {
		v = vacuous(silent)
		w.see(&v, w.rows)
		return v
	}
	loose := w.loose(at)
	w.rest = w.rest[:0]
	if screen := screenOf(l); screen != nil && !loose && !w.slow {
		screen(w)
	} else {
		for i := range w.rows {
			w.rest = append(w.rest, i)
		}
	}
	for _, i := range w.rest {
		w.failing = i // what panics below is about this row
		v := w.judgeRow(l, i, loose)
		if v.fails() {
			if v.Witness != nil {
				v.Witness.Row, v.Witness.N = i, n
			}
			return v
		}
		w.see(&v, 1)
	}
	w.failing = 0
	return w.worst
}

// loose reports whether a setting lets the compiler take NaNs or infinities for impossible.
func (w *wordTrial) loose(at Setting) bool {
	dev := w.p.sub.device
	return dev != nil && !dev.Strict && (at.Behaviour.Rewrites.NoNaNs || at.Behaviour.Rewrites.NoInfs)
}

// count counts the verdict on the batch that was judged last, and kept returns a copy of it that outlives the next draw.
func (w *wordTrial) count(st *lawStats, v *Verdict, c *wordCase) {
	w.into(st, v, c.recipe.Family, w.rows)
}

func (w *wordTrial) kept(c *wordCase) *wordCase {
	k := *c
	k.in, k.row = c.in.Clone(), w.failing
	return &k
}

// load makes row i the one to be judged.
func (w *wordTrial) load(i int) *WordRow {
	op := &w.claim.Op
	n, m := op.In(), op.Out()
	w.words = grow(w.words, n)
	for k := range n {
		w.words[k] = w.in.At(i*n + k)
	}
	w.row = WordRow{Claim: w.claim, Format: w.p.format, In: w.words, Out: w.results[i*m : (i+1)*m], alg: w.p.alg, w: w.c}
	return &w.row
}

// judgeRow judges row i of the batch that has run.
func (w *wordTrial) judgeRow(l *WordLaw, i int, loose bool) Verdict {
	r := w.load(i)
	if loose && !r.numbersAlone() {
		return vacuous("the behaviour takes NaNs or infinities for impossible, and here they may occur: any result is right")
	}
	v := l.Judge(r)
	if v.Outcome == Vacuous && r.ends {
		v.Cause = MayOverflow
	}
	return v
}

// numbersAlone reports whether no NaN and no infinity can occur on the way.
func (r *WordRow) numbersAlone() bool {
	if !finite(r.Format, r.In) {
		return false
	}
	if r.farFromEnds() {
		return true
	}
	if r.alg == nil {
		return false
	}
	r.w.walk(r.In)
	return !r.w.overflow
}

// screenOf returns what decides rows in bulk where their verdict is beyond doubt, and leaves the others to Judge; nil for most laws.
func screenOf(l *WordLaw) func(w *wordTrial) {
	switch l.ID {
	case model.DDNormal:
		return screenNormal
	case model.DDAdd, model.DDAddFP, model.DDMul, model.DDMulFP, model.DDDiv, model.DDDivFP, model.DDSqrt, model.ComplexMul, model.ComplexAdd:
		return screenRelative
	}
	return nil
}

// leave leaves all rows to Judge.
func (w *wordTrial) leave() {
	for i := range w.rows {
		w.rest = append(w.rest, i)
	}
}

// screenBound returns the bound that all rows of a batch have whose operands have no opposite signs, or nil.
func (w *wordTrial) screenBound() *word.Bound {
	if w.claim.Flush.Any() {
		return nil
	}
	r := WordRow{Claim: w.claim, Format: w.p.format, In: make([]uint64, w.claim.Op.In()), alg: w.p.alg, w: w.c} // zeros have one sign
	b, why := r.bound()
	if why != "" {
		return nil
	}
	return b
}

// screenRelative decides the rows of binary32 whose exponents show that nothing overflows or underflows, whose operands are
// normalised, and whose error package oracle finds within the bound in bulk.
func screenRelative(w *wordTrial) {
	b := w.screenBound()
	op := &w.claim.Op
	if b == nil || w.in.F32 == nil || op.Z == 1 && op.X > 1 || !w.c.direct {
		w.leave()
		return
	}
	n, m := op.In(), op.Out()
	w.sort(b.Same)
	k := len(w.clear)
	w.out32 = grow(w.out32, k*m)
	in, out := w.in.F32, w.out32
	if k < w.rows {
		w.in32 = grow(w.in32, k*n)
		in = w.in32
		for j, i := range w.clear {
			copy(in[j*n:(j+1)*n], w.in.F32[i*n:(i+1)*n])
			for c := range m {
				out[j*m+c] = math.Float32frombits(uint32(w.results[i*m+c]))
			}
		}
	} else {
		for j, e := range w.results {
			out[j] = math.Float32frombits(uint32(e))
		}
	}
	limit := w.c.limit(b, false)
	was := len(w.rest)
	ratio, row, rest := w.c.judge.Rows32(in, out, limit, w.rest)
	for j := was; j < len(rest); j++ {
		rest[j] = w.clear[rest[j]]
	}
	w.rest = rest
	if decided := k - (len(rest) - was); decided > 0 && row >= 0 {
		v := holds(limit.String(), ratio)
		w.see(&v, decided)
	}
}

// screenNormal decides the rows whose hypotheses are seen to be met and whose results are normalised.
func screenNormal(w *wordTrial) {
	b := w.screenBound()
	if b == nil || w.in.F32 == nil || !w.c.direct || w.claim.Bound != nil || w.claim.Rounding != model.NearestEven {
		w.leave()
		return
	}
	m := w.claim.Op.Out()
	w.sort(b.Same)
	decided := 0
next:
	for _, i := range w.clear {
		for c := 0; c < m; c += 2 {
			h, l := math.Float32frombits(uint32(w.results[i*m+c])), math.Float32frombits(uint32(w.results[i*m+c+1]))
			if !normal32(h, l) {
				w.rest = append(w.rest, i)
				continue next
			}
		}
		decided++
	}
	if decided > 0 {
		v := holds("", 0)
		w.see(&v, decided)
	}
}

// normal32 reports whether h = RN(h+l), for what is finite; what is not it may call either.
func normal32(h, l float32) bool { return h+l == h }

// sort parts the rows of a batch of binary32: into clear go those whose hypotheses are met, into rest all others. It repeats in
// terms of float32s what farFromEnds, normalised and sameSigns say; what they may say of more rows, Judge finds out.
func (w *wordTrial) sort(same bool) {
	op := &w.claim.Op
	n, cut := op.In(), op.Components()*op.X
	sum := false
	w.clear = w.clear[:0]
	switch op.Function {
	case word.Sum, word.Difference, word.ComplexSum:
		sum = true
	case word.Product, word.ComplexProduct:
	default:
		w.leave()
		return
	}
	const emin, emax, p = 1, 254, 24 // as fields of exponents
	most := uint32(emax - 6 - splitBits(p))
	if sum {
		most = emax - 4
	}
	var pairs [8]int
	k, at := 0, 0
	for _, words := range op.Operands() {
		if words == 2 && k < len(pairs) {
			pairs[k] = at
			k++
		} else if words > 2 {
			w.leave()
			return
		}
		at += words
	}
	for i := range w.rows {
		row := w.in.F32[i*n : (i+1)*n]
		// A zero has no exponent: it counts as far from both ends.
		least, leastY, top := uint32(emax), uint32(emax), uint32(0)
		for _, x := range row[:cut] {
			b := math.Float32bits(x) &^ (1 << 31)
			least, top = min(least, b>>23|(b-1)>>31<<8), max(top, b>>23)
		}
		for _, x := range row[cut:] {
			b := math.Float32bits(x) &^ (1 << 31)
			leastY, top = min(leastY, b>>23|(b-1)>>31<<8), max(top, b>>23)
		}
		ok := top <= most
		if !sum {
			// e_x+e_y >= Emin+P-1 in fields: both biases are 127, and Emin's field is 1
			ok = ok && 2*top <= 127+most && least+leastY >= 127+emin+p-1 && min(least, leastY) >= emin
		}
		for _, c := range pairs[:k] {
			ok = ok && normal32(row[c], row[c+1])
		}
		if ok && same {
			for c := range op.Components() {
				x, y := row[c*op.X], row[cut+c*op.Y]
				ok = ok && !(x > 0 && y < 0 || x < 0 && y > 0)
			}
		}
		if ok {
			w.clear = append(w.clear, i)
		} else {
			w.rest = append(w.rest, i)
		}
	}
}
