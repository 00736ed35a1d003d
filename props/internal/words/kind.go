package words

import (
	"slices"

	"gamma/corpus"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// wordRun is the kind of operations on words.
type wordRun struct {
	engine.Lawful[*WordRow, word.Claim]
	p *Subject
}

// Open makes a subject ready to be judged.
func Open(fields func() (*Subject, error), set engine.Settings) (engine.Judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return engine.New(NewWordRun(s, set)), nil
}

// NewWordRun returns the kind of operations on words for one subject.
func NewWordRun(p *Subject, set engine.Settings) *wordRun {
	s := engine.NewSession(set, p.Name, p.Sub.Device, p.Claim.Op.String(), "row", "an operation on words")
	s.Format = p.Format.Name
	own := *p
	own.Sub = p.Sub.Guarded(s.Guard)
	return &wordRun{engine.Lawful[*WordRow, word.Claim]{Session: s, BuiltIn: BuiltIn, Own: p.Laws, Says: p.Applies}, &own}
}

func (r *wordRun) Trial() engine.Trial[*WordRow, word.Claim, *WordCase] { return NewWordTrial(r.p) }

func (r *wordRun) Source(l *WordLaw, _ bool) (engine.Source[*WordCase], error) {
	return NewWordDrawer(r, l), nil
}

func (r *wordRun) Setting(c *WordCase) (at verdict.Setting, n int) {
	return c.At, c.In.Len() / r.p.Claim.Op.In()
}

func (r *wordRun) Under(c *WordCase, at verdict.Setting) *WordCase {
	own := *c
	own.At = at
	return &own
}

func (r *wordRun) Accepts(_ *WordLaw, c *WordCase) error {
	return r.p.accepts(vectors.BitsOf(c.In), c.At)
}

func (r *wordRun) Owns(f *engine.CaseFile) bool {
	t, ok := f.Body.(*corpus.Table)
	return ok && t.Kernel == r.Name && t.Format.Name == r.p.Format.Name
}

// Pieces returns the rows of a table, each alone, or all in one call if it is a batch.
func (r *wordRun) Pieces(_ *WordLaw, f *engine.CaseFile) ([]engine.Piece[*WordCase], error) {
	t, ok := f.Body.(*corpus.Table)
	if !ok {
		return nil, engine.WrongBody(f, t)
	}
	return engine.RowPieces(f, t.Rows, t.Batch, func(words []uint64, _ int) (*WordCase, error) {
		if err := r.p.encodes(words); err != nil {
			return nil, err
		}
		return &WordCase{At: verdict.Setting{Behaviour: t.Behaviour, Launch: t.Launch}, In: vectors.ValuesOf(r.p.Format, words), Seed: t.Seed}, nil
	})
}

// Served runs the kernel for another process.
func (r *wordRun) Served() engine.Server { return (&vectors.Run{Sub: r.p.Sub}).Served() }

func (r *wordRun) Isolated(ask engine.Asker) engine.Kind[*WordRow, word.Claim, *WordCase] {
	own, p := *r, *r.p
	p.Sub = p.Sub.Elsewhere(ask)
	own.p = &p
	return &own
}

// RowsPerCheck is how many rows are drawn where a law of vectors would draw one case, and BatchRows how many run in one call.
const (
	RowsPerCheck = 4
	BatchRows    = 256
)

// wordDrawer draws batches for one law and one operation.
type wordDrawer struct {
	r        *wordRun
	families []string
	seed     uint64
	found    bool // the law is one of what a device's checkers find
	exp      WordExpander
	recipe   WordRecipe
	plan     WordPlan
	batches  int // that were drawn
	out      WordCase
}

// NewWordDrawer returns the source of rows for one law, from the law's families or all.
func NewWordDrawer(r *wordRun, l *WordLaw) *wordDrawer {
	d := &wordDrawer{r: r, families: l.Families, found: l.Found != nil, seed: r.Set.SeedFor(string(l.ID), r.p.Name)}
	switch {
	case d.families != nil:
	case engine.IsOwn(BuiltIn, l):
		d.families = allWordFamilies
	default:
		d.families = numberFamilies
	}
	d.families = d.admitted(d.families)
	d.plan = PlanOf(r.Checks(r.Set.Checks)*RowsPerCheck, len(r.p.Sub.Device.Systematic(d.seed, WordRounds)))
	return d
}

// Expand turns draws of any engine into a batch, which is valid until the next.
func (d *wordDrawer) Expand(place int, a, b uint8, seed uint64, rows int) *WordCase {
	d.recipe = DrawRecipe(d.families, place, a, b, seed, d.seed, rows)
	d.recipe.Rows = d.r.Device.Most(rows)
	d.recipe.Rows += draw.Missing(d.recipe.Rows, d.r.p.Claim.Multiple)
	at := d.r.Device.DrawSetting(d.recipe.Rows, draw.Mix(d.recipe.Seed))
	d.out = WordCase{At: at, In: d.exp.Expand(d.recipe, d.r.p), Seed: d.recipe.Seed, recipe: d.recipe}
	return &d.out
}

// batchSizes are the batches that are drawn beside full ones: kernels change what they do at the ends of tiles and vectors.
var batchSizes = []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100}

// SizeOf returns the rows of a batch: full ones, but for one in eight.
func SizeOf(seed uint64, full int) int {
	h := draw.Mix(seed)
	if h>>61 == 0 {
		return batchSizes[int(h%uint64(len(batchSizes)))]
	}
	return full
}

// WordRounds is how often a law's first batches go through the behaviours of Device.singles, LeastRows how many rows these batches have at
// least, and LeastDrawn how many batches are drawn after them, with fewer rows than BatchRows if need be.
const (
	WordRounds = 2
	LeastRows  = 8
	LeastDrawn = 6
)

// WordPlan parts the rows of a search into batches: first, of FirstRows each, whose behaviours are systematic, and then drawn, of about
// DrawnRows each.
type WordPlan struct{ First, FirstRows, Drawn, DrawnRows int }

// PlanOf plans a search of so many rows, where the behaviours of first batches are systematic.
func PlanOf(rows, first int) (p WordPlan) {
	if first == 0 {
		return WordPlan{Drawn: max(1, rows/BatchRows), DrawnRows: BatchRows}
	}
	p.FirstRows = min(max(rows/2/first, LeastRows), BatchRows)
	p.First = min(first, max(1, rows/p.FirstRows))
	rest := rows - p.First*p.FirstRows
	p.DrawnRows = min(max(rest/LeastDrawn, p.FirstRows), BatchRows)
	p.Drawn = max(0, rest/p.DrawnRows)
	return p
}

// rowsOf returns the rows of the batch after so many.
func (p *WordPlan) rowsOf(batches int, seed uint64) int {
	if batches < p.First {
		return p.FirstRows
	}
	return min(SizeOf(seed, BatchRows), p.DrawnRows)
}

// leastBatches is how many batches are drawn, beside the systematic ones, before a law that is vacuous on nearly all rows fails: rows of a batch share their family and
// the device's behaviour.
const leastBatches = 8

// Draws returns how often an engine draws, each how many batches a draw stands for.
func (d *wordDrawer) Draws() int { return d.plan.First + d.plan.Drawn }

func (d *wordDrawer) Rounds() int { return WordRounds }

// Make expands a draw into a batch, which is valid until the next.
func (d *wordDrawer) Make(w engine.Draw, _ int) (*WordCase, bool) {
	rows := d.plan.rowsOf(d.batches, w.Seed)
	d.batches++
	return d.Expand(draw.Even(w.Family, w.A, w.B, w.Seed), w.A, w.B, w.Seed, rows), true
}

// Next draws a batch from a generator of numbers.
func (d *wordDrawer) Next(rng *draw.Splitmix) (*WordCase, int) {
	x, seed := rng.Next(), rng.Next()
	c := d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, SizeOf(seed, BatchRows))
	return c, d.recipe.Rows
}

// Toward makes the drawer draw from these families, or from all if there are none.
func (d *wordDrawer) Toward(families []string, _ []int) {
	if d.families = families; len(families) == 0 {
		d.families = d.admitted(allWordFamilies)
	}
}

// admitted returns the families of a list that the claim is about.
func (d *wordDrawer) admitted(names []string) []string {
	if !d.r.p.Claim.Finite {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "specials" })
}

// Few reports whether too few batches were drawn to say that a law is vacuous.
func (d *wordDrawer) Few() bool { return d.batches-d.plan.First < leastBatches }

func (r *wordRun) Seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, 0, 0, 128, 63, 0, 0, 128, 51, 0, 0, 128, 63, 0, 0, 128, 179})
	}
	return list
}

// Decode makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for words that are listed.
func (r *wordRun) Decode(d *engine.Decoder, l *WordLaw) *WordCase {
	dr := NewWordDrawer(r, l)
	if d.Byte()&1 == 1 {
		place, a, b := int(d.Word(2)), d.Byte(), d.Byte()
		return NewWordTrial(r.p).Kept(dr.Expand(place, a, b, d.Word(8), 1+int(d.Byte())%engine.MaxFuzzRows))
	}
	f, n := r.p.Format, r.p.Claim.Op.In()
	width := f.Bits() / 8
	rows := r.Device.Most(min(max(1, len(*d)/(width*n)), engine.MaxFuzzRows))
	c := &WordCase{In: corpus.NewValues(f, rows*n)}
	for i := range rows * n {
		c.In.Set(i, d.Word(width))
	}
	c.At = r.Device.DrawSetting(rows, draw.Mix(d.Word(2)+1))
	return c
}
