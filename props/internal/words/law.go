package words

import (
	"fmt"
	"math/big"
	"slices"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// WordLaw is a law about operations on words, a pure function of a row: its claim, its operands and its results.
type WordLaw = engine.LawOf[*WordRow, word.Claim]

// WordRow is one row as a law sees it.
type WordRow struct {
	Claim   word.Claim // as the behaviour leaves it
	Format  model.Format
	In, Out []uint64 // encodings of the operands and of the results; do not write to them

	Alg *word.Algorithm
	W   *rowContext
	x   []oracle.Dyadic // the operands, once asked for
	// ends: a step may overflow, as inRange has seen.
	ends bool
}

// BuiltIn holds the built-in laws.
var BuiltIn = engine.BuiltIn(transformLaws, doubleLaws, complexLaws, wordProgramLaws, engine.FoundLaws[*WordRow, word.Claim](), wordDeviceLaws)

// WordLaws returns the built-in laws of operations on words.
func WordLaws() []WordLaw { return slices.Clone(BuiltIn) }

// JudgeWords judges one row that is already computed, in any format: the results out of an operation with this claim for the
// operands in. It is an error if the claim is wrong, or the row has not as many words as the operation; a law that says nothing
// about the claim gives a Vacuous verdict.
func JudgeWords(l WordLaw, c word.Claim, f model.Format, in, out []uint64) (verdict.Verdict, error) {
	none := verdict.Verdict{Outcome: verdict.Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	if err := c.Op.Check(); err != nil {
		return none, err
	}
	alg, ok := word.ByName(c.Algorithm)
	switch {
	case l.Judge == nil:
		return none, fmt.Errorf("props: law %q has no Judge function for rows", l.ID)
	case c.Algorithm != "" && !ok:
		return none, fmt.Errorf("props: no algorithm is called %q", c.Algorithm)
	case f.IsZero() || f.P < 2:
		return none, fmt.Errorf("props: there is no format to judge %s in", l.ID)
	case len(in) != c.Op.In() || len(out) != c.Op.Out():
		return none, fmt.Errorf("props: a row of %s has %d words and %d results, not %d and %d", c.Op, c.Op.In(), c.Op.Out(), len(in), len(out))
	}
	if why := AppliesToWords(&l, &c, true); why != "" {
		v := verdict.NotMet(why)
		v.Law = l.ID
		return v, nil
	}
	r := WordRow{Claim: c, Format: f, In: in, Out: out, Alg: alg, W: NewContext(f, &c, alg)}
	v := l.Judge(&r)
	v.Law = l.ID
	return v, nil
}

// AppliesToWords says why a law has nothing to say about a claim, and "" if it has. may says that flushing may come of a behaviour.
func AppliesToWords(l *WordLaw, c *word.Claim, may bool) string {
	if l.Flushes && !may && !c.Flush.Any() {
		return "the claim flushes nothing"
	}
	if l.Applies != nil {
		return l.Applies(c)
	}
	return ""
}

// Applies says why a law has nothing to say about the operation, and "" if it has.
func (p *Subject) Applies(l *WordLaw) string {
	dev := p.Sub.Device
	if why := l.About(dev); why != "" || l.Found != nil || l.Hardware {
		return why
	}
	if p.Silent != "" {
		return p.Silent
	}
	return AppliesToWords(l, &p.Claim, dev != nil && dev.Admits.Flush.Any())
}

// accepts says why the operation cannot run rows.
func (p *Subject) accepts(rows []uint64, at verdict.Setting) error {
	n := p.Claim.Op.In()
	if len(rows) == 0 || len(rows)%n != 0 {
		return fmt.Errorf("props: %d words are no rows of %d, which %s takes", len(rows), n, p.Name)
	}
	if err := p.encodes(rows); err != nil {
		return err
	}
	return p.Sub.Device.Runs("rows for "+p.Name, len(rows)/n, at)
}

// sumOf returns the sum of words.
func sumOf(f model.Format, words []uint64) oracle.Dyadic {
	sum := oracle.FromBits(f, words[0])
	for _, b := range words[1:] {
		sum = sum.Add(oracle.FromBits(f, b))
	}
	return sum
}

// X returns the numbers that the operands are. The words must be finite.
func (r *WordRow) X() []oracle.Dyadic {
	if r.x == nil {
		k := 0
		for _, n := range r.Claim.Op.Operands() {
			r.x = append(r.x, sumOf(r.Format, r.In[k:k+n]))
			k += n
		}
	}
	return r.x
}

// Finite reports whether all of the words are.
func Finite(f model.Format, words []uint64) bool {
	for _, b := range words {
		if !f.IsFinite(b) {
			return false
		}
	}
	return true
}

// rowContext is what the rows of one operation share.
type rowContext struct {
	walker
	judge  *oracle.WordJudge
	limits map[limitKey]*oracle.WordLimit
	dot    *big.Rat // see dotFactor
}

type limitKey struct {
	b       *word.Bound
	rounded bool
	r       model.Rounding
}

// NewContext returns what all rows of one claim share: oracle, bound and scratch.
func NewContext(f model.Format, c *word.Claim, alg *word.Algorithm) *rowContext {
	j, err := oracle.NewWordJudge(c.Op, f)
	if err != nil {
		panic(err.Error()) // Op.Check has passed
	}
	return &rowContext{walker: newWalker(f, c, alg), judge: j, limits: map[limitKey]*oracle.WordLimit{}}
}

// limit returns a bound made ready for the context's format. rounded: the result is rounded to one word at the end.
func (c *rowContext) limit(b *word.Bound, rounded bool) *oracle.WordLimit {
	key := limitKey{b, rounded, c.claim.Rounding}
	l := c.limits[key]
	if l == nil {
		if l = oracle.NewWordLimit(*b, c.a.F.P); rounded {
			if l = oracle.NewRoundedLimit(*b, c.a.F); key.r == model.NearestAway {
				l = l.TiesAway()
			}
		}
		c.limits[key] = l
	}
	return l
}

// bound returns the tightest bound of the claim that applies to the row, or why none does.
func (r *WordRow) bound() (b *word.Bound, why string) {
	if !r.Claim.Rounding.Nearest() {
		return nil, "bounds are proved for rounding to nearest alone"
	}
	try := func(b *word.Bound) string {
		switch {
		case r.Format.P < b.MinP:
			return fmt.Sprintf("the theorem admits p >= %d alone", b.MinP)
		case b.TiesEven && r.Claim.Rounding != model.NearestEven:
			return "the theorem wants ties to even"
		case b.Same && !r.sameSigns():
			return "the theorem wants operands of one sign"
		}
		return ""
	}
	if own := r.Claim.Bound; own != nil {
		if why := try(own); why != "" {
			return nil, why
		}
		return own, ""
	}
	why = "no bound is proved for the algorithm"
	if r.Alg == nil {
		return nil, "the claim has neither an algorithm nor a bound"
	}
	for i := range r.Alg.Bounds {
		if why = try(&r.Alg.Bounds[i]); why == "" {
			return &r.Alg.Bounds[i], ""
		}
	}
	return nil, why
}

// sameSigns reports whether x and y do not have opposite signs, component by component. Of normalised operands the first word
// has the sign.
func (r *WordRow) sameSigns() bool {
	op := &r.Claim.Op
	for i := range op.Components() {
		x, y := r.In[i*op.X], r.In[op.Components()*op.X+i*op.Y]
		if m := r.Format.SignBit(); (x^y)&m != 0 && x&^m != 0 && y&^m != 0 {
			return false
		}
	}
	return true
}

// Normalised says which operand is no double word: the sum of its words, rounded to nearest with ties to even, must be its first.
func (r *WordRow) Normalised() string {
	k := 0
	for i, n := range r.Claim.Op.Operands() {
		if n == 2 && !oracle.NormalDW(r.Format, r.In[k], r.In[k+1]) {
			return fmt.Sprintf("operand %d is not normalised: its high word is not the sum of its words, rounded", i)
		}
		k += n
	}
	return ""
}

// encodes says which word is not an encoding of the operation's format.
func (p *Subject) encodes(words []uint64) error {
	for i, b := range words {
		if b>>(p.Format.Bits()-1)>>1 != 0 {
			return fmt.Errorf("props: word %d, %#x, is no encoding of %s", i, b, p.Format)
		}
	}
	return nil
}
