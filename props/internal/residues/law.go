package residues

import (
	"fmt"
	"slices"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// ModularLaw is a law about operations on residues, a pure function of a modulus, a row, and further rows that it asks for: its
// claim, its operands and its results.
type ModularLaw = engine.LawOf[*ModularRow, modular.Claim]

// ModularRow is one row as a law sees it.
type ModularRow struct {
	Claim   *modular.Claim
	Modulus uint64
	In, Out []uint64 // the words of operands and results; do not write to them
	// More are the rows that the law asked for by Again.
	More []ModularRun
	// Err is what the operation returned, of a law with Refuses.
	Err error

	res *residues
}

// ModularRun is the operands of a row that a law asked for, and their results.
type ModularRun struct{ In, Out []uint64 }

// residues is what the judge knows of a claim and a modulus: truth by division, and the powers of R.
type residues struct {
	claim    *modular.Claim
	q        uint64
	Truth    *oracle.Residues
	pow, inv [9]uint64 // R^k and R^-k modulo q
	want     []uint64  // of the row at hand
	steps    []uint64  // its operands, for a recurrence
	next     []uint64  // a row that a law makes of it
	places   []int     // of the words that are no Shoup factors
	in, out  []uint64  // the least number that a word of each kind may not be; 0: every word below R is one
}

// NewResidues prepares the judgement of rows modulo q, which the claim must admit.
func NewResidues(c *modular.Claim, q uint64) (*residues, error) {
	truth, err := oracle.NewResidues(c, q)
	if err != nil {
		return nil, err
	}
	s := &residues{claim: c, q: q, Truth: truth, places: operandsOf(c)}
	r := ^uint64(0) >> (64 - c.Bits) % q
	r = oracle.AddMod(r, 1%q, q)
	s.pow[0], s.inv[0] = 1%q, 1%q
	back, unit := oracle.InvMod(r, q)
	for k := 1; k < len(s.pow); k++ {
		s.pow[k] = oracle.MulMod(s.pow[k-1], r, q)
		if unit {
			s.inv[k] = oracle.MulMod(s.inv[k-1], back, q)
		}
	}
	for _, w := range c.In {
		s.in = append(s.in, limitOf(&w, q, c.Bits))
	}
	for _, w := range c.Out {
		s.out = append(s.out, limitOf(&w, q, c.Bits))
	}
	return s, nil
}

// limitOf returns the least number that a word may not be, and 0 if every word below R may be one.
func limitOf(w *modular.Word, q uint64, b int) uint64 {
	if w.Shoup || w.Range == 0 {
		return 0
	}
	most := ^uint64(0) >> (64 - b)
	if q > most/w.Range {
		return 0
	}
	return w.Range * q
}

// GreatestWord returns R-1.
func GreatestWord(b int) uint64 { return ^uint64(0) >> (64 - b) }

// value returns the residue that a word of power k stands for.
func (s *residues) value(w uint64, k int) uint64 { return oracle.MulMod(w%s.q, s.inv[k], s.q) }

// WrongWord says which operand of a row is none of the claim's, or "".
func (s *residues) WrongWord(in []uint64) string {
	for i, w := range s.claim.In {
		switch {
		case in[i] > GreatestWord(s.claim.Bits):
			return fmt.Sprintf("word %s is %#x, which has more than %d bits", w.Name, in[i], s.claim.Bits)
		case s.in[i] != 0 && in[i] >= s.in[i]:
			return fmt.Sprintf("word %s is %d, and is to be below %s = %d", w.Name, in[i], timesModulus(w.Range), s.in[i])
		case w.Shoup && in[i] != shoupFactor(in[i-1], s.q, s.claim.Bits):
			return fmt.Sprintf("word %s is %d, and Shoup's factor of %d is %d", w.Name, in[i], in[i-1], shoupFactor(in[i-1], s.q, s.claim.Bits))
		}
	}
	return ""
}

// timesModulus writes a multiple of q.
func timesModulus(f uint64) string {
	switch f {
	case 0:
		return "R"
	case 1:
		return "q"
	}
	return fmt.Sprintf("%d·q", f)
}

// Want returns the residues, reduced, that the results must be congruent to; of results that are integers, these. They are valid
// until the next call. Where nothing is claimed, why says so.
func (r *ModularRow) Want() (want []uint64, why string) {
	want, err := r.res.Truth.AppendRow(r.res.want[:0], r.In)
	if err != nil {
		return nil, err.Error()
	}
	r.res.want = want
	return want, ""
}

// BuiltIn holds the built-in laws.
var BuiltIn = engine.BuiltIn(residueLaws, engine.FoundLaws[*ModularRow, modular.Claim](), residueDeviceLaws)

// ModularLaws returns the built-in laws of operations on residues.
func ModularLaws() []ModularLaw { return slices.Clone(BuiltIn) }

// JudgeResidues judges one row modulo q that is already computed: the results out of an operation with this claim for the operands
// in. more are the rows that the law asks for by Again, run already; of a law that asks for none they are none. A law that says nothing
// about the claim gives a Vacuous verdict.
func JudgeResidues(l ModularLaw, c modular.Claim, q uint64, in, out []uint64, more ...ModularRun) (verdict.Verdict, error) {
	none := verdict.Verdict{Outcome: verdict.Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	if err := c.Check(); err != nil {
		return none, err
	}
	switch {
	case l.Judge == nil:
		return none, fmt.Errorf("props: law %q has no Judge function for rows", l.ID)
	case l.Refuses:
		return none, fmt.Errorf("props: law %s is about what the operation returns for a modulus that is not claimed; use Judge", l.ID)
	case len(in) != len(c.In) || len(out) != len(c.Out):
		return none, fmt.Errorf("props: a row of the claim has %d words and %d results, not %d and %d", len(c.In), len(c.Out), len(in), len(out))
	case len(more) != len(l.Again):
		return none, fmt.Errorf("props: law %s asks for %d rows more, and is given %d", l.ID, len(l.Again), len(more))
	}
	if err := Admitted(&c, q); err != nil {
		return none, fmt.Errorf("props: %w", err)
	}
	if why := l.AppliesTo(&c); why != "" {
		v := verdict.NotMet(why)
		v.Law = l.ID
		return v, nil
	}
	res, err := NewResidues(&c, q)
	if err != nil {
		return none, err
	}
	if why := res.WrongWord(in); why != "" {
		return none, fmt.Errorf("props: %s", why)
	}
	r := ModularRow{Claim: &c, Modulus: q, In: in, Out: out, More: more, res: res}
	v := judgeResidues(&l, &r)
	v.Law = l.ID
	return v, nil
}

// judgeResidues judges a row whose results may be no words at all.
func judgeResidues(l *ModularLaw, r *ModularRow) verdict.Verdict {
	if r.Err == nil {
		for i, w := range r.Out {
			if w > GreatestWord(r.Claim.Bits) {
				return verdict.Breaks(verdict.Spoilt("the kernel returned %#x for %s, which has more than %d bits", w, r.Claim.Out[i].Name, r.Claim.Bits))
			}
		}
	}
	return l.Judge(r)
}

// Applies says why a law has nothing to say about the operation, and "" if it has.
func (p *Subject) Applies(l *ModularLaw) string {
	return l.AboutClaim(p.Device, &p.Claim)
}

// Admitted says why a claim does not hold for a modulus, or nil.
func Admitted(c *modular.Claim, q uint64) error {
	if err := c.Moduli.Admits(q, c.Bits); err != nil {
		return err
	}
	if c.Moduli.Prime && !oracle.IsPrime(q) {
		return fmt.Errorf("modulus %d is not prime; it must be", q)
	}
	return nil
}

// Accepts says why the operation cannot run rows for a law.
func (p *Subject) Accepts(l *ModularLaw, at verdict.Setting, q uint64, in []uint64, rows int) error {
	n := len(p.Claim.In)
	if rows < 1 || len(in) != rows*n {
		return fmt.Errorf("props: %d words are no %d rows of %d, which %s takes", len(in), rows, n, p.Name)
	}
	switch err := Admitted(&p.Claim, q); {
	case l.Refuses && err == nil:
		return fmt.Errorf("props: rows for %s: modulus %d is claimed, and %s is about those that are not", p.Name, q, l.ID)
	case l.Refuses:
	case err != nil:
		return fmt.Errorf("props: rows for %s: %w", p.Name, err)
	default:
		res, err := NewResidues(&p.Claim, q)
		if err != nil {
			return err
		}
		for i := range rows {
			if why := res.WrongWord(in[i*n : (i+1)*n]); why != "" {
				return fmt.Errorf("props: row %d for %s: %s", i, p.Name, why)
			}
		}
	}
	return p.Device.Runs("rows for "+p.Name, rows, at)
}
