package words

import (
	"encoding/binary"
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// wordTrial runs batches of one operation and judges their rows. It keeps its memory from batch to batch.
type wordTrial struct {
	p     *Subject
	t     *vectors.Trial // runs the kernel: lends it copies, and notices what it does to them
	c     *rowContext
	claim word.Claim // under the batch's behaviour
	row   WordRow

	Rows    int
	In      corpus.Values
	Results []uint64
	words   []uint64 // of one row of operands

	seen        map[string]bool
	rest        []int // rows that the screen leaves to Judge
	clear       []int // rows whose hypotheses the screen has seen to be met
	in32, out32 []float32
	engine.RowTally
	again []uint64 // results of another run
	Slow  bool     // every row is left to Judge

	from *WordCase // that was judged last
	same bool      // every row of it was
	pad  []uint64  // results of a batch with rows added
}

// NewWordTrial returns a trial that runs and judges batches of one subject.
func NewWordTrial(p *Subject) *wordTrial {
	w := &wordTrial{p: p, t: vectors.NewTrial(p.Sub), claim: p.Claim}
	w.c = NewContext(p.Format, &w.claim, p.Alg)
	return w
}

// Judge runs a batch and judges its rows, and returns the verdict on the first that fails, or else the worst of those that hold.
func (w *wordTrial) Judge(l *WordLaw, c *WordCase) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	op := &w.p.Claim.Op
	n := op.In()
	at := w.p.Sub.Device.Setting(c.At)
	w.Begin()
	w.t.Met = nil
	if !w.admit(l, c) {
		return w.Worst
	}
	w.t.C = &corpus.Case{X: w.In, Rows: w.Rows, Seed: c.Seed}
	w.t.Length, w.t.Rows, w.t.At, w.t.Law, w.t.Claimed = n, w.Rows, at, &vectors.Law{Found: l.Found}, w.p.Sub.Claim
	w.Results = draw.Grow(w.Results, w.Rows*op.Out())
	if b := w.run(at, w.Results); b != nil {
		v = verdict.Breaks(b)
		w.See(&v, w.Rows)
		return v
	}
	if l.Found != nil {
		v = l.Found(w.t.Found)
		w.See(&v, w.Rows)
		return v
	}
	if l.Hardware {
		return wordRuns[l.ID](w)
	}
	silent := ""
	dev := w.p.Sub.Device
	w.claim = w.p.Claim
	if dev != nil {
		w.claim, silent = Under(w.p.Claim, dev, at.Behaviour)
	}
	own := engine.IsOwn(BuiltIn, l) // what a law of one's own says under a behaviour is its author's to decide
	if silent != "" && !own {
		v = verdict.Unclaimed(silent)
		w.See(&v, w.Rows)
		return v
	}
	loose := w.loose(at) && !own
	if l.Calls != nil {
		if v = verdict.NotMet("the behaviour takes NaNs or infinities for impossible"); !loose {
			v = l.Calls(wordCalls{w})
		}
		if !v.Fails() {
			w.See(&v, w.Rows)
		}
		return v
	}
	w.rest = w.rest[:0]
	if screen := ScreenOf(l); w.Rows > BatchRows {
		w.distinct()
	} else if screen != nil && !loose && !w.Slow {
		screen(w)
	} else {
		for i := range w.Rows {
			w.rest = append(w.rest, i)
		}
	}
	for _, i := range w.rest {
		w.Failing = i // what panics below is about this row
		v := w.judgeRow(l, i, loose)
		if v.Fails() {
			if v.Witness != nil {
				v.Witness.Row, v.Witness.N = i, n
			}
			return v
		}
		w.See(&v, 1)
	}
	w.Failing = 0
	return w.Worst
}

// distinct leaves to Judge the rows of a large batch that differ from all before them in operands or results: the law is a function of
// both.
func (w *wordTrial) distinct() {
	clear(w.seen)
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	n, m := w.p.Claim.Op.In(), w.p.Claim.Op.Out()
	var key []byte
	for i := range w.Rows {
		key = key[:0]
		for k := range n {
			key = binary.LittleEndian.AppendUint64(key, w.In.At(i*n+k))
		}
		key = engine.AppendWords(key, w.Results[i*m:(i+1)*m]...)
		if !w.seen[string(key)] {
			w.seen[string(key)] = true
			w.rest = append(w.rest, i)
		}
	}
}

// loose reports whether a setting lets the compiler take NaNs or infinities for impossible.
func (w *wordTrial) loose(at verdict.Setting) bool {
	dev := w.p.Sub.Device
	return dev != nil && !dev.Strict && (at.Behaviour.Rewrites.NoNaNs || at.Behaviour.Rewrites.NoInfs)
}

// Count counts the verdict on the batch that was judged last, and kept returns a copy of it that outlives the next draw.
func (w *wordTrial) Count(st *engine.LawStats, v *verdict.Verdict, c *WordCase) {
	w.Into(st, v, c.recipe.Family, w.Rows)
}

func (w *wordTrial) Kept(c *WordCase) *WordCase {
	k := *c
	k.In, k.row = c.In, w.Failing
	if w.from == c && !w.same {
		k.In, k.period = w.In, 0
	}
	k.In = k.In.Clone()
	return &k
}

// Load makes row i the one to be judged.
func (w *wordTrial) Load(i int) *WordRow {
	op := &w.claim.Op
	n, m := op.In(), op.Out()
	w.words = draw.Grow(w.words, n)
	for k := range n {
		w.words[k] = w.In.At(i*n + k)
	}
	w.row = WordRow{Claim: w.claim, Format: w.p.Format, In: w.words, Out: w.Results[i*m : (i+1)*m], Alg: w.p.Alg, W: w.c}
	return &w.row
}

// judgeRow judges row i of the batch that has run.
func (w *wordTrial) judgeRow(l *WordLaw, i int, loose bool) verdict.Verdict {
	r := w.Load(i)
	if loose && !r.numbersAlone() {
		return verdict.NotMet("the behaviour takes NaNs or infinities for impossible, and here they may occur: any result is right")
	}
	v := l.Judge(r)
	if v.Outcome == verdict.Vacuous && r.ends {
		v.Cause = verdict.MayOverflow
	}
	return v
}

// numbersAlone reports whether no NaN and no infinity can occur on the way.
func (r *WordRow) numbersAlone() bool {
	if !Finite(r.Format, r.In) {
		return false
	}
	if r.farFromEnds() {
		return true
	}
	if r.Alg == nil {
		return false
	}
	r.W.walk(r.In)
	return !r.W.overflow
}

// ScreenOf returns what decides rows in bulk where their verdict is beyond doubt, and leaves the others to Judge; nil for most laws.
func ScreenOf(l *WordLaw) func(w *wordTrial) {
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
	for i := range w.Rows {
		w.rest = append(w.rest, i)
	}
}

// screenBound returns the bound that all rows of a batch have whose operands have no opposite signs, or nil.
func (w *wordTrial) screenBound() *word.Bound {
	if w.claim.Flush.Any() {
		return nil
	}
	r := WordRow{Claim: w.claim, Format: w.p.Format, In: make([]uint64, w.claim.Op.In()), Alg: w.p.Alg, W: w.c} // zeros have one sign
	b, _ := r.bound()
	return b
}

// screenRelative decides the rows of binary32 whose exponents show that nothing overflows or underflows, whose operands are
// normalised, and whose error package oracle finds within the bound in bulk.
func screenRelative(w *wordTrial) {
	b := w.screenBound()
	op := &w.claim.Op
	if b == nil || w.In.F32 == nil || op.Z == 1 && op.X > 1 || !w.c.direct {
		w.leave()
		return
	}
	n, m := op.In(), op.Out()
	w.sort(b.Same)
	k := len(w.clear)
	w.out32 = draw.Grow(w.out32, k*m)
	in, out := w.In.F32, w.out32
	if k < w.Rows {
		w.in32 = draw.Grow(w.in32, k*n)
		in = w.in32
		for j, i := range w.clear {
			copy(in[j*n:(j+1)*n], w.In.F32[i*n:(i+1)*n])
			for c := range m {
				out[j*m+c] = math.Float32frombits(uint32(w.Results[i*m+c]))
			}
		}
	} else {
		for j, e := range w.Results {
			out[j] = math.Float32frombits(uint32(e))
		}
	}
	limit := w.c.limit(b, false)
	was := len(w.rest)
	var spread oracle.Spread
	ratio, row, rest := w.c.judge.Rows32(in, out, limit, w.rest, &spread)
	for j := was; j < len(rest); j++ {
		rest[j] = w.clear[rest[j]]
	}
	w.rest = rest
	if decided := k - (len(rest) - was); decided > 0 && row >= 0 {
		v := verdict.Held(limit.String(), ratio)
		w.SeeSpread(&v, &spread)
	}
}

// screenNormal decides the rows whose hypotheses are seen to be met and whose results are normalised.
func screenNormal(w *wordTrial) {
	b := w.screenBound()
	if b == nil || w.In.F32 == nil || !w.c.direct || w.claim.Bound != nil || w.claim.Rounding != model.NearestEven {
		w.leave()
		return
	}
	m := w.claim.Op.Out()
	w.sort(b.Same)
	decided := 0
next:
	for _, i := range w.clear {
		for c := 0; c < m; c += 2 {
			h, l := math.Float32frombits(uint32(w.Results[i*m+c])), math.Float32frombits(uint32(w.Results[i*m+c+1]))
			if !normal32(h, l) {
				w.rest = append(w.rest, i)
				continue next
			}
		}
		decided++
	}
	if decided > 0 {
		v := verdict.Held("", 0)
		w.See(&v, decided)
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
	for i := range w.Rows {
		row := w.In.F32[i*n : (i+1)*n]
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
