package transforms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// NTTFailure is a violation of a law by a transform, reduced.
type NTTFailure struct {
	engine.FailureOf[*NTTCase, modular.TransformClaim]
	Claim     modular.TransformClaim
	Transform modular.Transform
	X, Y      []uint64 // the reduced inputs, in natural order; of ntt.refuses none
	// Hints say what the results look like: another root, another order, a factor.
	Hints    []string
	Original modular.Transform
	Evals    int // of the reduction

	diff *nttDifference
}

// Examine reduces a failing case, judges what is left once more, and saves it.
func (r *NttRun) Examine(l *NTTLaw, in *NttInput, st *engine.LawStats) engine.Failure {
	x := engine.Examine(r, r.Trial(), l, in)
	failing := 0
	if diff := r.Own.diff; diff != nil {
		failing = diff.Batch
	}
	x.Reduce(reduceNTTs, func(m *reduce.Loop[*NttInput]) { r.shrink(l, m, failing) })
	small, _ := related(l, x.Small)
	f := r.describe(l, small, in, x.Last)
	f.Cases, f.Seen, f.Evals, f.Original, f.Flaky = st.Cases, st.Seen, x.Evals, in.T, x.Flaky()
	r.save(f, small)
	return f
}

// Shrink leaves the fewest transforms of a call, of the smallest size and modulus, and the smallest numbers.
func (r *NttRun) Shrink(l *NTTLaw, m *reduce.Loop[*NttInput]) { r.shrink(l, m, 0) }

// shrink does so where one transform is known to fail.
func (r *NttRun) shrink(l *NTTLaw, m *reduce.Loop[*NttInput], failing int) {
	(&nttReducer{Loop: m, r: r, l: l, d: NewNTTDrawer(r.Own, r.Pool, l, 1)}).run(failing)
}

func (r *NttRun) Failure(l *NTTLaw, in *NttInput, v verdict.Verdict, _ engine.Trial[*NTTCase, modular.TransformClaim, *NttInput]) engine.Failure {
	return r.describe(l, in, in, v)
}

// describe describes a case as it was judged last, and which was reduced from another, or is that.
func (r *NttRun) describe(l *NTTLaw, in, original *NttInput, v verdict.Verdict) *NTTFailure {
	f := &NTTFailure{
		FailureOf: r.Failing("transforms", l, v, in.at, claimTextNTT(&r.S.Claim), in.recipe.String(), r.Own.found), Claim: r.S.Claim, Transform: in.T, Original: in.T, X: in.X, Y: in.Y,
		diff: r.Own.diff,
	}
	f.Weaker = weaker(l, &r.S.Claim, in.T)
	if p := r.Own.plans[nttKey{in.at, in.T}]; p != nil && p.err == nil {
		f.Transform = p.t
	}
	if v.Outcome == verdict.Violated && !l.Refuses && l.Found == nil && engine.FirstFinding(f.Found) == nil {
		if !r.S.Device.OnHardware() && l.Calls == nil { // whose reason says it
			f.Fault, f.Cause = r.needs(l, in, original)
		}
		f.Hints = r.hints(in, original)
		if d := f.diff; len(f.Hints) == 0 && d != nil && d.word {
			f.Hints = []string{"words are too large: a subtraction of q is missing, or its comparison is wrong."}
			if room := ^uint64(0)>>(64-f.Claim.Bits) - d.Got; f.Transform.Modulus < 1<<(f.Claim.Bits-4) && room/4 <= f.Transform.Modulus {
				f.Hints = []string{"words are next to the greatest there are: a difference has gone below 0, since too small a multiple of q was added to it, or none."}
			} else if text := r.unsubtracted(original); text != "" {
				f.Hints = []string{text}
			}
		}
	}
	return f
}

// residueNumber is a number of a report: in hex and in decimal, and as a multiple of q where it is not reduced.
func residueNumber(label string, v, q uint64) report.Number {
	n := report.Number{Label: label, Hex: "0x" + strconv.FormatUint(v, 16), Decimal: strconv.FormatUint(v, 10)}
	switch {
	case q > 1 && v == q:
		n.Note = "= q"
	case q > 1 && v == q-1 && q > 3:
		n.Note = "= q-1"
	case q > 1 && v > q && v%q == 0:
		n.Note = fmt.Sprintf("= %d·q", v/q)
	case q > 1 && v > q:
		n.Note = fmt.Sprintf("= %s·q, ≡ %d", multipleOf(v, q), v%q)
	}
	return n
}

// maxListed is how many numbers of an input a report lists.
const maxListed = 12

// inputs lists the numbers of an input that are not 0.
func (f *NTTFailure) inputs(name string, x []uint64) (rows []report.Number, rest string) {
	n := max(f.Transform.N, 1)
	count := 0
	for i, v := range x {
		if v == 0 {
			continue
		}
		if count++; count > maxListed {
			continue
		}
		label := fmt.Sprintf("%s_%d", name, i%n)
		if len(x) > n {
			label = fmt.Sprintf("%s_%d,%d", name, i/n, i%n)
		}
		rows = append(rows, residueNumber(label, v, f.Transform.Modulus))
	}
	switch {
	case count == 0 && len(x) > 0:
		rest = fmt.Sprintf("all numbers of %s are 0", name)
	case count > maxListed:
		rest = fmt.Sprintf("%d more numbers of %s are not 0", count-maxListed, name)
	case count < len(x):
		rest = fmt.Sprintf("the other numbers of %s are 0", name)
	}
	return rows, rest
}

// Text returns the report in plain text: the law, the transform, the first wrong place, what the results look like, and a command
// that finds it again.
func (f *NTTFailure) Text() string {
	v := &f.Verdict
	r := f.Begin(engine.HeadFinding(v), [2]string{"transform", f.transformText()})
	q := f.Transform.Modulus
	rows := []report.Number{residueNumber("modulus", q, 0), residueNumber("root", f.Transform.Root, 0)}
	x, restX := f.inputs("x", f.X)
	y, restY := f.inputs("y", f.Y)
	if !f.Law.Pair && !f.Claim.Product {
		y, restY = nil, ""
	}
	rows = append(append(rows, x...), y...)
	if d := f.diff; d != nil && v.Outcome == verdict.Violated {
		got, want := residueNumber("got", d.Got, q), residueNumber("want", d.Want, q)
		if d.word {
			want.Label = "below"
		}
		got.Note = strings.TrimSpace(fmt.Sprintf("%s  at place %d of the %s%s", got.Note, d.Place, d.What, batchText(d.Batch)))
		rows = append(rows, got, want)
	}
	r.Table(rows)
	for _, rest := range []string{restX, restY} {
		if rest != "" {
			r.Wrap("", rest)
		}
	}
	if d := f.diff; d != nil && v.Outcome == verdict.Violated {
		r.Wrap("wrong", placesWrong(d))
	}
	for _, hint := range f.Hints {
		r.Wrap("looks like", hint)
	}
	r.WriteStack(f.Stack)
	r.Blank()
	smaller := ""
	if f.Evals > 0 {
		smaller = fmt.Sprintf("reduced in %s from the %s", report.Count(f.Evals, "evaluation"), f.Original)
	}
	return f.Finish(r, smaller, f.Cause)
}

func placesWrong(d *nttDifference) string {
	if d.Of == 1 {
		return "the only place"
	}
	return fmt.Sprintf("%d of %d places", d.Differ, d.Of)
}

// transformText writes the ring, the size and the root.
func (f *NTTFailure) transformText() string {
	t := f.Transform
	s := t.String()
	if t.N > 0 && t.Modulus > 1 {
		ring := fmt.Sprintf("x^%d - 1", t.N)
		if t.Negacyclic {
			ring = fmt.Sprintf("x^%d + 1", t.N)
		}
		s += fmt.Sprintf("; polynomials modulo %s", ring)
	}
	if len(f.X) > t.N && t.N > 0 {
		s += fmt.Sprintf("; %d in one call", len(f.X)/t.N)
	}
	return s
}

// Promise says what the subject claims.
func (r *NttRun) Promise() engine.Promise { return engine.Promise{Claim: claimTextNTT(&r.S.Claim)} }

// claimTextNTT writes a claim in words.
func claimTextNTT(c *modular.TransformClaim) string {
	side := func(s modular.Side) string {
		text := s.Order.String()
		if s.Power != 0 {
			text += fmt.Sprintf(" times R^%d", s.Power)
		}
		return text + fmt.Sprintf(" in [0, %s)", multipleName(s.Range))
	}
	parts := []string{fmt.Sprintf("%d-bit words", c.Bits)}
	if c.Negacyclic {
		parts = append(parts, "negacyclic")
	} else {
		parts = append(parts, "cyclic")
	}
	if d := &c.Forward; d.Offered() {
		parts = append(parts, fmt.Sprintf("forward from %s to %s", side(d.In), side(d.Out)))
	}
	if d := &c.Inverse; d.Offered() {
		text := fmt.Sprintf("inverse from %s to %s", side(d.In), side(d.Out))
		if d.Unscaled {
			text += ", N times"
		}
		parts = append(parts, text)
	}
	if c.Product {
		parts = append(parts, "product")
	}
	if len(c.Moduli.Only) > 0 {
		parts = append(parts, fmt.Sprintf("moduli %v", c.Moduli.Only))
	} else {
		parts = append(parts, fmt.Sprintf("moduli %d to %d", c.Moduli.MinModulus(), c.Moduli.MaxModulus(c.Bits)))
	}
	switch {
	case c.Unchecked:
		parts = append(parts, "what is asked for is the caller's duty")
	case c.Moduli.Unchecked:
		parts = append(parts, "moduli are the caller's duty")
	case c.Moduli.UncheckedPrime:
		parts = append(parts, "prime as the caller sees to")
	}
	if c.OwnRoot {
		parts = append(parts, "a root of its own")
	}
	if c.Batched {
		parts = append(parts, "any number of transforms a call")
	}
	return strings.Join(parts, "; ")
}

func multipleName(f uint64) string {
	if f == 1 {
		return "q"
	}
	return fmt.Sprintf("%d·q", f)
}

// JSONNTTFailure is one line of failures.jsonl.
type JSONNTTFailure struct {
	engine.JSONViolation

	Bits     int             `json:"bits"`
	Ring     string          `json:"ring"`
	Modulus  string          `json:"modulus"`
	N        int             `json:"n"`
	Root     string          `json:"root"`
	Batch    int             `json:"batch"`
	X        []jsonResidue   `json:"x,omitempty"` // those that are not 0
	Y        []jsonResidue   `json:"y,omitempty"`
	Wrong    *jsonDifference `json:"wrong,omitempty"`
	Hints    []string        `json:"hints,omitempty"`
	Cause    string          `json:"cause,omitempty"`
	Original string          `json:"original,omitempty"`
	Evals    int             `json:"evals"`
}

// jsonResidue is one number of an input; a string, since readers of JSON round integers above 2^53.
type jsonResidue struct {
	Place int    `json:"place"`
	Value string `json:"value"`
}

type jsonDifference struct {
	What   string `json:"what"`
	Batch  int    `json:"batch,omitempty"`
	Place  int    `json:"place"`
	Got    string `json:"got"`
	Want   string `json:"want,omitempty"`
	Below  string `json:"below,omitempty"`
	Differ int    `json:"differ"`
	Of     int    `json:"of"`
}

// maxJSONNumbers is how many numbers of an input a line of JSON has.
const maxJSONNumbers = 4096

func jsonResidues(x []uint64) (list []jsonResidue) {
	for i, v := range x {
		if v != 0 && len(list) < maxJSONNumbers {
			list = append(list, jsonResidue{i, strconv.FormatUint(v, 10)})
		}
	}
	return list
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *NTTFailure) JSON() ([]byte, error) {
	v, t := &f.Verdict, f.Transform
	j := JSONNTTFailure{
		JSONViolation: f.InJSON(), Bits: f.Claim.Bits, Ring: RingName(t.Negacyclic), Modulus: strconv.FormatUint(t.Modulus, 10), N: t.N, Root: strconv.FormatUint(t.Root, 10),
		X: jsonResidues(f.X), Hints: slices.Clone(f.Hints), Cause: f.Cause, Evals: f.Evals,
	}
	if f.Law.Pair || f.Claim.Product {
		j.Y = jsonResidues(f.Y)
	}
	if t.N > 0 {
		j.Batch = len(f.X) / t.N
	}
	if f.Original != f.Transform {
		j.Original = f.Original.String()
	}
	if d := f.diff; d != nil && v.Outcome == verdict.Violated {
		j.Wrong = &jsonDifference{What: d.What, Batch: d.Batch, Place: d.Place, Got: strconv.FormatUint(d.Got, 10), Differ: d.Differ, Of: d.Of}
		if want := strconv.FormatUint(d.Want, 10); d.word {
			j.Wrong.Below = want
		} else {
			j.Wrong.Want = want
		}
	}
	return engine.LineOf(j)
}

// RingName is a case file's word for the ring.
func RingName(negacyclic bool) string {
	if negacyclic {
		return "negacyclic"
	}
	return "cyclic"
}
