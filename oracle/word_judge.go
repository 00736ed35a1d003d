package oracle

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/word"
)

// WordJudge judges rows of an operation on words of a format: Judge exactly, Rows32 and Rows64 in batches. It is immutable
// and safe for concurrent use.
//
// A row is as word.Op says: the operands' words, then the results'. Operands need not be normalised, and hypotheses of theorems
// are not checked: the caller decides whether a row is in a theorem's domain.
type WordJudge struct {
	op      word.Op
	f       model.Format
	in, out int
	parts   int  // components
	short   bool // judgeSmall may apply
}

// NewWordJudge returns a judge of op over f, or an error if op is invalid.
func NewWordJudge(op word.Op, f model.Format) (*WordJudge, error) {
	if err := op.Check(); err != nil {
		return nil, err
	}
	if f.IsZero() {
		return nil, fmt.Errorf("oracle: a judge of a %s needs a format", op)
	}
	short := f.P <= 24 && op.Function != word.DotProduct
	return &WordJudge{op: op, f: f, in: op.In(), out: op.Out(), parts: op.Components(), short: short}, nil
}

// Op returns the operation that is judged.
func (j *WordJudge) Op() word.Op { return j.op }

// Format returns the format of every word.
func (j *WordJudge) Format() model.Format { return j.f }

// WordState says whether the error of a row is defined.
type WordState uint8

const (
	WordJudged    WordState = iota // operands and results are finite, and there is an exact result
	WordOperand                    // an operand has a word that is an infinity or a NaN
	WordUndefined                  // the exact result is not a number: y is 0, or the root is of a number below 0
	WordResult                     // a result has a word that is an infinity or a NaN, and the exact result is a number
)

var wordStates = [...]string{"judged", "an operand is not finite", "the exact result is undefined", "the result is not finite"}

// String returns the state in words.
func (s WordState) String() string {
	if int(s) < len(wordStates) {
		return wordStates[s]
	}
	return fmt.Sprintf("state %d", s)
}

// WordVerdict is the result of Judge for a row.
type WordVerdict struct {
	State WordState
	// Within: the row is within the limit, exactly. It is false in every state but WordJudged.
	Within bool
	// Ratio is error over limit, of the worst component or of the norm, and the error over half an ulp plus the limit if the
	// result was rounded once: by how much both must grow, for a norm. It is at most 1 exactly when Within is set; otherwise it is accurate to
	// a part in 2^40, or in 2^36 for a norm of rounded components, for reports, where the factor is neither below 2^-500 nor above 2^500. It is 0 without an error, +Inf for an error where none is allowed, and NaN in every state but WordJudged.
	Ratio float64
}

// Judge compares the error of one row with limit, exactly. The words are encodings in the judge's format.
//
// A sum, product or dot product is an integer times a power of two. A quotient is never formed: |z - x/y| <= B|x/y| is
// |z·y - x| <= B|x|. Nor is a root: with z² + (1-B²)x = A, |z - √x| <= B√x is A <= 2z√x, which squares of integers decide.
//
// It panics if the row does not have the operation's words, or if limit is rounded and the result has more than one word, or is of
// another format.
//
// Cost: about 0.2 µs for toy formats, whose rows fit in machine words, and 0.4 to 3 µs for binary32 and binary64; see
// BenchmarkWordJudge.
func (j *WordJudge) Judge(in, out []uint64, limit *WordLimit) WordVerdict {
	if len(in) != j.in || len(out) != j.out {
		panic(badRow)
	}
	if limit.rounded && (j.op.Z != 1 || limit.f != j.f) {
		panic(roundedWords)
	}
	if j.short && limit.small && !limit.rounded {
		if v, ok := j.judgeSmall(in, out, limit); ok {
			return v
		}
	}
	s := wordPool.Get().(*wordScratch)
	v := j.judge(s, in, out, limit)
	wordPool.Put(s)
	return v
}

// Judge32 is Judge for words that are float32s, of a judge over binary32.
func (j *WordJudge) Judge32(in, out []float32, limit *WordLimit) WordVerdict {
	if j.f != model.Binary32 {
		panic(notBinary32)
	}
	var words [maxRow]uint64
	b := words[:0]
	for _, x := range in {
		b = append(b, uint64(math.Float32bits(x)))
	}
	for _, x := range out {
		b = append(b, uint64(math.Float32bits(x)))
	}
	return j.Judge(b[:len(in)], b[len(in):], limit)
}

// Judge64 is Judge for words that are float64s, of a judge over binary64.
func (j *WordJudge) Judge64(in, out []float64, limit *WordLimit) WordVerdict {
	if j.f != model.Binary64 {
		panic(notBinary64)
	}
	var words [maxRow]uint64
	b := words[:0]
	for _, x := range in {
		b = append(b, math.Float64bits(x))
	}
	for _, x := range out {
		b = append(b, math.Float64bits(x))
	}
	return j.Judge(b[:len(in)], b[len(in):], limit)
}

// maxRow is enough for the words of all but long dot products.
const maxRow = 32

// finite reports whether every word is finite.
func (j *WordJudge) finite(words []uint64) bool {
	for _, b := range words {
		if !wordFinite(&j.f, b) {
			return false
		}
	}
	return true
}

func (j *WordJudge) judge(s *wordScratch, in, out []uint64, limit *WordLimit) WordVerdict {
	if state := j.load(s, in, out); state != WordJudged {
		return WordVerdict{State: state, Ratio: math.NaN()}
	}
	if limit.rounded {
		return j.judgeRounded(s, out, limit)
	}
	return settle(j.distance(s, limit))
}

// settle combines an exact comparison with an approximate ratio.
func settle(sign int, ratio float64) WordVerdict {
	within := sign <= 0
	switch {
	case within && !(ratio <= 1):
		ratio = 1
	case !within && !(ratio > 1):
		ratio = math.Nextafter(1, 2)
	}
	return WordVerdict{Within: within, Ratio: ratio}
}

// load computes the exact and the computed components.
func (j *WordJudge) load(s *wordScratch, in, out []uint64) WordState {
	if !j.finite(in) {
		return WordOperand
	}
	f, x, y := &j.f, j.op.X, j.op.Y
	s.n[0].load(f, in[:x], s)
	switch j.op.Function {
	case word.Value:
		s.e[0].add(&s.n[0], &s.n[0], false, s)
		s.e[0].e-- // x+x
	case word.Root:
		s.e[0].add(&s.n[0], &s.n[0], false, s)
		s.e[0].e--
		if s.e[0].m.Sign() < 0 {
			return WordUndefined
		}
	case word.Sum, word.Difference:
		s.n[1].load(f, in[x:], s)
		s.e[0].add(&s.n[0], &s.n[1], j.op.Function == word.Difference, s)
	case word.Product:
		s.n[1].load(f, in[x:], s)
		s.e[0].mul(&s.n[0], &s.n[1])
	case word.Quotient:
		s.y.load(f, in[x:], s)
		s.e[0].add(&s.n[0], &s.n[0], false, s)
		s.e[0].e--
		switch s.y.m.Sign() {
		case 0:
			return WordUndefined
		case -1:
			s.y.m.Neg(&s.y.m)
			s.e[0].m.Neg(&s.e[0].m)
		}
	case word.ComplexSum, word.ComplexProduct:
		s.n[1].load(f, in[x:2*x], s)
		s.n[2].load(f, in[2*x:2*x+y], s)
		s.n[3].load(f, in[2*x+y:], s)
		if j.op.Function == word.ComplexSum {
			s.e[0].add(&s.n[0], &s.n[2], false, s)
			s.e[1].add(&s.n[1], &s.n[3], false, s)
			break
		}
		s.t.mul(&s.n[0], &s.n[2])
		s.p.mul(&s.n[1], &s.n[3])
		s.e[0].add(&s.t, &s.p, true, s)
		s.t.mul(&s.n[0], &s.n[3])
		s.p.mul(&s.n[1], &s.n[2])
		s.e[1].add(&s.t, &s.p, false, s)
	case word.DotProduct:
		s.e[0].setInt(0, 0)
		for i := range j.op.Terms {
			s.n[0].load(f, in[i*x:(i+1)*x], s)
			s.n[1].load(f, in[j.op.Terms*x+i*y:j.op.Terms*x+(i+1)*y], s)
			s.t.mul(&s.n[0], &s.n[1])
			s.e[0].add(&s.e[0], &s.t, false, s)
		}
	}
	if !j.finite(out) {
		return WordResult
	}
	for c := range j.parts {
		s.z[c].load(f, out[c*j.op.Z:(c+1)*j.op.Z], s)
	}
	return WordJudged
}

// away sets d to |t - exact| of component c, times |y| of a quotient, and returns the sign of t - exact. Not for roots.
func (j *WordJudge) away(s *wordScratch, d, t *wordNumber, c int) int {
	if j.op.Function == word.Quotient {
		s.q.mul(t, &s.y)
		t = &s.q
	}
	d.add(t, &s.e[c], true, s)
	sign := d.m.Sign()
	d.m.Abs(&d.m)
	return sign
}

// distance compares the errors of the computed components with limit: the sign of error - limit, and error/limit.
func (j *WordJudge) distance(s *wordScratch, limit *WordLimit) (sign int, ratio float64) {
	if j.op.Function == word.Root {
		return j.rootDistance(s, &s.z[0], limit), j.rootRatio(s, limit)
	}
	for c := range j.parts {
		j.away(s, &s.d[c], &s.z[c], c)
	}
	if limit.normwise {
		return j.norm(s, limit)
	}
	sign = -1
	for c := range j.parts {
		s.e[c].m.Abs(&s.e[c].m)
		sign = max(sign, s.cmp(&s.d[c], &limit.den, &s.e[c], &limit.num))
		ratio = max(ratio, overLimit(s.over(&s.d[c], &s.e[c]), limit))
	}
	return sign, ratio
}

// overLimit divides a relative error by B.
func overLimit(r float64, limit *WordLimit) float64 {
	if r == 0 {
		return 0
	}
	return r / limit.b
}

// norm compares the norm of the distances with the limit of the exact result's. It squares both.
func (j *WordJudge) norm(s *wordScratch, limit *WordLimit) (sign int, ratio float64) {
	square := func(dst *wordNumber, v *[2]wordNumber) {
		dst.mul(&v[0], &v[0])
		if j.parts == 2 {
			s.p.mul(&v[1], &v[1])
			dst.add(dst, &s.p, false, s)
		}
	}
	square(&s.t, &s.d)
	square(&s.r, &s.e)
	sign = s.cmp(&s.t, &limit.den, &s.r, &limit.num)
	return sign, overLimit(math.Sqrt(s.over(&s.t, &s.r)), limit)
}

// rootDistance returns the sign of |t - √x| - B√x, which is that of den·(t²+x) - num·x - den·2t√x with num/den = B².
func (j *WordJudge) rootDistance(s *wordScratch, t *wordNumber, limit *WordLimit) int {
	x := &s.e[0]
	s.t.mul(t, t)
	s.t.add(&s.t, x, false, s)
	s.q.m.Mul(&s.t.m, &limit.den2)
	s.q.e = s.t.e
	s.p.m.Mul(&x.m, &limit.num2)
	s.p.e = x.e
	s.q.add(&s.q, &s.p, true, s) // den·(t²+x) - num·x
	a, c := s.q.m.Sign(), t.m.Sign()
	if x.m.Sign() == 0 {
		c = 0
	}
	if a != c {
		if a < c {
			return -1
		}
		return 1
	}
	if a == 0 {
		return 0
	}
	s.t.mul(&s.q, &s.q)
	s.r.m.Mul(&t.m, &limit.den2)
	s.r.e = t.e + 1
	s.p.mul(&s.r, &s.r)
	s.r.mul(&s.p, x)
	s.t.add(&s.t, &s.r, true, s)
	return a * s.t.m.Sign()
}

// rootRatio returns |z - √x|/(B√x), nearly, as |z² - x|/(|z|+√x) for z >= 0.
func (j *WordJudge) rootRatio(s *wordScratch, limit *WordLimit) float64 {
	z, x := &s.z[0], &s.e[0]
	if x.m.Sign() == 0 {
		if z.m.Sign() == 0 {
			return 0
		}
		return math.Inf(1)
	}
	s.t.mul(z, z)
	r := math.Sqrt(s.over(&s.t, x)) // |z|/√x
	if z.m.Sign() < 0 {
		return overLimit(r+1, limit)
	}
	s.r.add(&s.t, x, true, s)
	return overLimit(s.over(&s.r, x)/(r+1), limit)
}

// judgeRounded decides a row of NewRoundedLimit.
func (j *WordJudge) judgeRounded(s *wordScratch, out []uint64, limit *WordLimit) WordVerdict {
	var open bool     // an end that does not round to z is the nearest point
	var sign int      // of the componentwise comparisons
	var ratio float64 // the worst
	for c := range j.parts {
		lo, hi, e, loIn, hiIn, bounded := wordEnds(&j.f, out[c], limit.away)
		side := j.side(s, &s.z[c], c) // of z - exact
		s.d[c].setInt(0, 0)
		s.n[c].setInt(0, 0)
		s.n[2+c].setInt(0, 0)
		if side == 0 {
			continue // z itself, which is inside
		}
		end, in := lo, loIn
		if side < 0 {
			end, in = hi, hiIn
		}
		if !bounded && (side < 0) == (s.z[c].m.Sign() > 0) {
			continue // no end on that side
		}
		// The nearest point is the exact result if it lies between z and the end, and the end if not.
		s.r.setInt(end, e)
		past := j.side(s, &s.r, c)
		inside := past != 0 && past != side || past == 0 && in
		if !inside && !in {
			open = true
		}
		if limit.normwise && j.parts == 2 {
			j.away(s, &s.n[c], &s.z[c], c)
			s.r.setInt(end, e)
			s.n[2+c].add(&s.r, &s.z[c], true, s) // half an ulp
		} else {
			ratio = max(ratio, j.halfRatio(s, c, end, e, limit))
		}
		if j.op.Function == word.Root {
			if !inside {
				sign = j.rootDistance(s, s.n[0].copy(end, e), limit)
				if sign == 0 && !in {
					sign = 1
				}
			}
			continue
		}
		if inside {
			continue
		}
		s.r.setInt(end, e)
		j.away(s, &s.d[c], &s.r, c)
		if !limit.normwise {
			abs := s.n[1].absolute(&s.e[c])
			got := s.cmp(&s.d[c], &limit.den, abs, &limit.num)
			if got == 0 && !in {
				got = 1
			}
			sign = max(sign, got)
		}
	}
	if limit.normwise && j.op.Function != word.Root {
		if sign, _ = j.norm(s, limit); sign == 0 && open {
			sign = 1
		}
		if j.parts == 2 {
			ratio = j.boxRatio(s, limit)
		}
	}
	return settle(sign, ratio)
}

// copy sets n to m·2^e and returns it.
func (n *wordNumber) copy(m int64, e int) *wordNumber {
	n.setInt(m, e)
	return n
}

// absolute sets n to |a| and returns it.
func (n *wordNumber) absolute(a *wordNumber) *wordNumber {
	n.m.Abs(&a.m)
	n.e = a.e
	return n
}

// side returns the sign of t - exact of component c.
func (j *WordJudge) side(s *wordScratch, t *wordNumber, c int) int {
	if j.op.Function != word.Root {
		return j.away(s, &s.p, t, c)
	}
	if t.m.Sign() < 0 {
		return -1
	}
	s.t.mul(t, t)
	s.t.add(&s.t, &s.e[0], true, s)
	return s.t.m.Sign()
}

// halfRatio returns |z - exact| over half an ulp plus B·|exact|, nearly; half an ulp is what lies between z and end.
func (j *WordJudge) halfRatio(s *wordScratch, c int, end int64, e int, limit *WordLimit) float64 {
	s.t.setInt(end, e)
	s.t.add(&s.t, &s.z[c], true, s) // half an ulp
	if j.op.Function == word.Root {
		half, err := s.over(&s.t, &s.e[0]), j.rootRatio(s, &WordLimit{b: 1})
		x, xe := s.e[0].float(s)
		root := math.Sqrt(math.Ldexp(x, xe))
		return err / (float64(half*root) + limit.b)
	}
	if j.op.Function == word.Quotient {
		s.q.mul(&s.t, &s.y)
		s.t.add(&s.q, &s.q, false, s)
		s.t.e--
	}
	j.away(s, &s.r, &s.z[c], c)
	half := s.over(&s.t, &s.r) // over the error
	return 1 / (half + float64(s.over(&s.e[c], &s.r)*limit.b))
}

// boxRatio returns the least r such that the errors lie within r·B·|exact| of the box of r half ulps each, nearly: the errors are
// n[0] and n[1], half an ulp of each is n[2] and n[3].
//
// If only one error sticks out of the box of r, it is r times half its ulp plus r·B·|exact|. If both do, |e - r·h| = r·b, whose
// least solution is |e|²/(e·h + √(b²|e|² - (e×h)²)).
func (j *WordJudge) boxRatio(s *wordScratch, limit *WordLimit) float64 {
	unit := &s.n[0] // the larger error
	if one := big.NewInt(1); s.cmp(s.t.absolute(&s.n[0]), one, s.r.absolute(&s.n[1]), one) < 0 {
		unit = &s.n[1]
	}
	if unit.m.Sign() == 0 {
		return 0
	}
	e0, e1 := s.over(&s.n[0], unit), s.over(&s.n[1], unit)
	h0, h1 := s.over(&s.n[2], unit), s.over(&s.n[3], unit)
	b := float64(math.Hypot(s.over(&s.e[0], unit), s.over(&s.e[1], unit)) * limit.b)
	square := float64(e0*e0) + float64(e1*e1)
	cross := float64(e0*h1) - float64(e1*h0)
	if d := float64(float64(b*b)*square) - float64(cross*cross); d >= 0 {
		r := square / (float64(e0*h0) + float64(e1*h1) + math.Sqrt(d))
		if float64(r*h0) <= e0 && float64(r*h1) <= e1 {
			return r
		}
	}
	part := func(e, h float64) float64 {
		if e == 0 {
			return 0
		}
		return e / (h + b)
	}
	return max(part(e0, h0), part(e1, h1))
}

// WordValue is a number: Lo if Lo = Hi, and otherwise strictly between them; they differ by less than a part in 2^200.
type WordValue struct{ Lo, Hi *big.Rat }

// Exact returns the number, and ok = false if it is not rational.
func (v WordValue) Exact() (r *big.Rat, ok bool) { return v.Lo, v.Lo.Cmp(v.Hi) == 0 }

// Float64 returns the number rounded to nearest, nearly.
func (v WordValue) Float64() float64 {
	x, _ := v.Lo.Float64()
	return x
}

// WordDetails holds the exact numbers of a row, for reports.
type WordDetails struct {
	State    WordState
	Exact    []WordValue // each component of the exact result; nil if it is not a number
	Computed []*big.Rat  // each component of the computed result; nil if one is not finite
	Errors   []WordValue // computed - exact; nil if either is
}

// Details returns the exact numbers of one row.
func (j *WordJudge) Details(in, out []uint64) WordDetails {
	if len(in) != j.in || len(out) != j.out {
		panic(badRow)
	}
	s := wordPool.Get().(*wordScratch)
	defer wordPool.Put(s)
	d := WordDetails{State: j.load(s, in, out)}
	if j.finite(out) {
		for c := range j.parts {
			s.z[c].load(&j.f, out[c*j.op.Z:(c+1)*j.op.Z], s)
			d.Computed = append(d.Computed, s.z[c].rat())
		}
	}
	if d.State == WordOperand || d.State == WordUndefined {
		return d
	}
	for c := range j.parts {
		e := s.e[c].rat()
		v := WordValue{e, e}
		switch j.op.Function {
		case word.Quotient:
			e.Quo(e, s.y.rat())
		case word.Root:
			v = root(e)
		}
		d.Exact = append(d.Exact, v)
		if d.Computed != nil {
			z := d.Computed[c]
			d.Errors = append(d.Errors, WordValue{new(big.Rat).Sub(z, v.Hi), new(big.Rat).Sub(z, v.Lo)})
		}
	}
	return d
}

// root returns an enclosure of √x, for x >= 0 that is an integer times a power of two.
func root(x *big.Rat) WordValue {
	if x.Sign() == 0 {
		return WordValue{x, x}
	}
	// √(n/d) = √(n·d)/d; n·d·4^k has 400 bits or more
	n := new(big.Int).Mul(x.Num(), x.Denom())
	k := uint(max(0, 400-n.BitLen())+1) / 2
	n.Lsh(n, 2*k)
	r := new(big.Int).Sqrt(n)
	d := new(big.Int).Lsh(x.Denom(), k)
	lo := new(big.Rat).SetFrac(r, d)
	if new(big.Int).Mul(r, r).Cmp(n) == 0 {
		return WordValue{lo, lo}
	}
	return WordValue{lo, new(big.Rat).SetFrac(r.Add(r, big.NewInt(1)), d)}
}
