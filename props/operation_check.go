package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model/word"
)

// wordRun is the kind of operations on words.
type wordRun struct {
	*session
	p *wordSubject
}

type wordEngine = engine[*WordRow, word.Claim, *wordCase]

// openWords makes the operation that fields describe ready to be judged.
func openWords(fields func() (*wordSubject, error), set settings) (judged, error) {
	p, err := fields()
	if err != nil {
		return nil, err
	}
	return &wordEngine{kind: newWordRun(p, set)}, nil
}

func newWordRun(p *wordSubject, set settings) *wordRun {
	return &wordRun{newSession(set, p.name, p.sub.device, p.claim.Op.String(), "row", "an operation on words"), p}
}

func (r *wordRun) laws() []WordLaw                               { return slices.Concat(wordLaws, r.p.laws) }
func (r *wordRun) applies(l *WordLaw) string                     { return r.p.applies(l) }
func (r *wordRun) shaped() shaped                                { return false }
func (r *wordRun) trial() trial[*WordRow, word.Claim, *wordCase] { return newWordTrial(r.p) }

func (r *wordRun) source(l *WordLaw, _ bool) (source[*wordCase], error) {
	return newWordDrawer(r, l), nil
}

func (r *wordRun) setting(c *wordCase) (at Setting, n int) {
	return c.at, c.in.Len() / r.p.claim.Op.In()
}

func (r *wordRun) under(c *wordCase, at Setting) *wordCase {
	own := *c
	own.at = at
	return &own
}

func (r *wordRun) accepts(_ *WordLaw, c *wordCase) error { return r.p.accepts(bitsOf(c.in), c.at) }

func (r *wordRun) owns(f *caseFile) bool {
	t, ok := f.Body.(*corpus.Table)
	return ok && t.Kernel == r.name && t.Format.Name == r.p.format.Name
}

// pieces returns the rows of a table, each alone, or all in one call if it is a batch.
func (r *wordRun) pieces(_ *WordLaw, f *caseFile) (list []piece[*wordCase], err error) {
	t, ok := f.Body.(*corpus.Table)
	if !ok {
		return nil, wrongBody(f, t)
	}
	step := 1
	if t.Batch {
		step = max(1, len(t.Rows))
	}
	for rows := range slices.Chunk(t.Rows, step) {
		p := piece[*wordCase]{rows: len(rows), place: fmt.Sprintf("%s:%d", f.Path, rows[0].Line), expect: rows[0].Expect}
		var words []uint64
		for _, row := range rows {
			for k, w := range row.Words {
				if w>>(r.p.format.Bits()-1)>>1 != 0 {
					return nil, fmt.Errorf("word %d, %#x, is no encoding of %s", k, w, r.p.format)
				}
			}
			words = append(words, row.Words...)
			p.reaches = max(p.reaches, row.Reaches)
			if row.Expect == corpus.ExpectViolated {
				p.expect = row.Expect
			}
		}
		if err := r.p.encodes(words); err != nil {
			return nil, err
		}
		p.in = &wordCase{at: Setting{Behaviour: t.Behaviour, Launch: t.Launch}, in: valuesOf(r.p.format, words), seed: t.Seed}
		list = append(list, p)
	}
	return list, nil
}

// served runs the kernel for another process.
func (r *wordRun) served() server { return (&run{sub: r.p.sub}).served() }

func (r *wordRun) isolate(ask asker) { r.p = r.isolated(ask).(*wordRun).p }

func (r *wordRun) isolated(ask asker) kind[*WordRow, word.Claim, *wordCase] {
	own, p := *r, *r.p
	p.sub = p.sub.elsewhere(ask)
	own.p = &p
	return &own
}

// rowsPerCheck is how many rows are drawn where a law of vectors would draw one case, and batchRows how many run in one call.
const (
	rowsPerCheck = 4
	batchRows    = 256
)

// wordDrawer draws batches for one law and one operation.
type wordDrawer struct {
	r        *wordRun
	families []string
	seed     uint64
	exp      wordExpander
	recipe   WordRecipe
	at       Setting
	plan     wordPlan
	batches  int // that were drawn
	out      wordCase
}

func newWordDrawer(r *wordRun, l *WordLaw) *wordDrawer {
	d := &wordDrawer{r: r, families: l.Families, seed: r.set.seedFor(string(l.ID), r.p.name)}
	if d.families == nil {
		d.families = numberFamilies
	}
	d.plan = planOf(r.checks(r.set.checks)*rowsPerCheck, len(r.p.sub.device.systematic(d.seed, wordRounds)))
	return d
}

// expand turns draws of any engine into a batch, which is valid until the next.
func (d *wordDrawer) expand(place int, a, b uint8, seed uint64, rows int) *wordCase {
	d.recipe = drawRecipe(d.families, place, a, b, seed, d.seed, rows)
	d.at = Setting{}
	if dev := d.r.p.sub.device; dev != nil {
		if dev.MaxN > 0 {
			d.recipe.Rows = min(rows, dev.MaxN)
		}
		rng := splitmix(mix(d.recipe.Seed))
		var c corpus.Case
		dev.draw(&c, d.recipe.Rows, &rng)
		d.at = Setting{Behaviour: c.Behaviour, Launch: c.Launch}
	}
	d.out = wordCase{at: d.at, in: d.exp.expand(d.recipe, d.r.p), seed: d.recipe.Seed, recipe: d.recipe}
	return &d.out
}

// batchSizes are the batches that are drawn beside full ones: kernels change what they do at the ends of tiles and vectors.
var batchSizes = []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100}

// sizeOf returns the rows of a batch: a full one, but for one in eight.
func sizeOf(seed uint64) int {
	h := mix(seed)
	if h>>61 == 0 {
		return batchSizes[int(h%uint64(len(batchSizes)))]
	}
	return batchRows
}

// wordRounds is how often a law's first batches go through the behaviours of Device.singles, leastRows how many rows these batches have at
// least, and leastDrawn how many batches are drawn after them, with fewer rows than batchRows if need be.
const (
	wordRounds = 2
	leastRows  = 8
	leastDrawn = 6
)

// wordPlan parts the rows of a search into batches: first, of firstRows each, whose behaviours are systematic, and then drawn, of about
// drawnRows each.
type wordPlan struct{ first, firstRows, drawn, drawnRows int }

// planOf plans a search of so many rows, where the behaviours of first batches are systematic.
func planOf(rows, first int) (p wordPlan) {
	if first == 0 {
		return wordPlan{drawn: max(1, rows/batchRows), drawnRows: batchRows}
	}
	p.firstRows = min(max(rows/2/first, leastRows), batchRows)
	p.first = min(first, max(1, rows/p.firstRows))
	rest := rows - p.first*p.firstRows
	p.drawnRows = min(max(rest/leastDrawn, p.firstRows), batchRows)
	p.drawn = max(0, rest/p.drawnRows)
	return p
}

// rowsOf returns the rows of the batch after so many.
func (p *wordPlan) rowsOf(batches int, seed uint64) int {
	if batches < p.first {
		return p.firstRows
	}
	return min(sizeOf(seed), p.drawnRows)
}

// leastBatches is how many batches are drawn, beside the systematic ones, before a law that is vacuous on nearly all rows fails: rows of a batch share their family and
// the device's behaviour.
const leastBatches = 8

// draws returns how often an engine draws, each how many batches a draw stands for.
func (d *wordDrawer) draws() int { return d.plan.first + d.plan.drawn }
func (d *wordDrawer) each() int  { return 1 }

func (d *wordDrawer) rounds() int { return wordRounds }

// make expands a draw into a batch, which is valid until the next.
func (d *wordDrawer) make(w draw, _ int) (*wordCase, bool) {
	rows := d.plan.rowsOf(d.batches, w.seed)
	d.batches++
	return d.expand(even(w.family, w.a, w.b, w.seed), w.a, w.b, w.seed, rows), true
}

// next draws a batch from a generator of numbers.
func (d *wordDrawer) next(rng *splitmix) (*wordCase, int) {
	x, seed := rng.next(), rng.next()
	c := d.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, sizeOf(seed))
	return c, d.recipe.Rows
}

// few reports whether too few batches were drawn to say that a law is vacuous.
func (d *wordDrawer) few() bool { return d.batches-d.plan.first < leastBatches }

// maxFuzzRows is the largest batch that the decoder makes.
const maxFuzzRows = 64

func (r *wordRun) seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, 0, 0, 128, 63, 0, 0, 128, 51, 0, 0, 128, 63, 0, 0, 128, 179})
	}
	return list
}

// decode makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for words that are listed.
func (r *wordRun) decode(d *decoder, l *WordLaw) *wordCase {
	dr := newWordDrawer(r, l)
	if d.byte()&1 == 1 {
		place, a, b := int(d.word(2)), d.byte(), d.byte()
		return newWordTrial(r.p).kept(dr.expand(place, a, b, d.word(8), 1+int(d.byte())%maxFuzzRows))
	}
	f, n := r.p.format, r.p.claim.Op.In()
	width := f.Bits() / 8
	rows := min(max(1, len(*d)/(width*n)), maxFuzzRows)
	if dev := r.p.sub.device; dev != nil && dev.MaxN > 0 {
		rows = min(rows, dev.MaxN)
	}
	c := &wordCase{in: corpus.NewValues(f, rows*n)}
	for i := range rows * n {
		c.in.Set(i, d.word(width))
	}
	if dev := r.p.sub.device; dev != nil {
		rng := splitmix(mix(d.word(2) + 1))
		var k corpus.Case
		dev.draw(&k, rows, &rng)
		c.at = Setting{Behaviour: k.Behaviour, Launch: k.Launch}
	}
	return c
}
