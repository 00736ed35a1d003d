package props

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/model"
	"gamma/model/modular"
)

// NTTFailure is a violation of a law by a transform, reduced.
type NTTFailure struct {
	// Device names the hardware that it ran on, with its detail; "" on the simulator and for Go functions.
	Device    string
	Law       NTTLaw
	Subject   string
	Claim     modular.TransformClaim
	Setting   Setting
	Transform modular.Transform
	X, Y      []uint64 // the reduced inputs, in natural order; of ntt.refuses none
	Verdict   Verdict
	// Found is what the device's checkers found in the runs that the verdict judged; of laws about findings the witness has them.
	Found model.Findings
	// Hints say what the results look like: another root, another order, a factor.
	Hints    []string
	Recipe   string // that the case was drawn by; "" if none is known
	Original modular.Transform
	Evals    int // of the reduction
	Cases    int // judged, the failing one included
	Seed     string
	Test     string
	File     string // where the case is saved; "" if it is not
	NotSaved string // why there is no file
	Replayed bool   // a case on file
	Flaky    bool   // the case failed when it was drawn, and not when it was judged again

	Stack []string // of a kernel that panicked: its own calls, the innermost first

	diff *nttDifference
	seen string // what the law said of a flaky case when it failed
}

// examine reduces a failing case, judges what is left once more, and saves it.
func (r *nttRun) examine(l *NTTLaw, in *nttInput, st *lawStats) failure {
	first := insist(l.Hardware, func() Verdict { return r.own.judge(l, in) })
	if !first.fails() {
		f := r.describe(l, in, first)
		f.Cases, f.Flaky, f.seen = st.Cases, true, st.seen
		r.save(f, in)
		return f
	}
	small, evals := r.reduce(l, in, first.Outcome)
	v := insist(l.Hardware, func() Verdict { return r.own.judge(l, small) })
	f := r.describe(l, small, v)
	f.Cases, f.Evals, f.Original, f.Flaky = st.Cases, evals, in.t, !v.fails()
	r.save(f, small)
	return f
}

func (f *NTTFailure) replayed(file string) { f.File, f.Replayed = file, true }
func (f *NTTFailure) saw(what string)      { f.seen = what }

func (r *nttRun) failure(l *NTTLaw, in *nttInput, v Verdict, _ trial[*NTTCase, modular.TransformClaim, *nttInput]) failure {
	return r.describe(l, in, v)
}

// describe describes a case as it was judged last.
func (r *nttRun) describe(l *NTTLaw, in *nttInput, v Verdict) *NTTFailure {
	f := &NTTFailure{
		Law: *l, Subject: r.s.name, Claim: r.s.claim, Device: r.s.device.text(), Setting: in.at, Transform: in.t, Original: in.t, X: in.x, Y: in.y, Verdict: v,
		Seed: r.set.seedText, Test: r.sum.Test, diff: r.own.diff,
	}
	f.Stack = ownStack(v.Stack)
	if in.recipe.Family != "" {
		f.Recipe = in.recipe.String()
	}
	if p := r.own.plans[nttKey{in.at, in.t}]; p != nil && p.err == nil {
		f.Transform = p.t
	}
	if l.Found == nil {
		f.Found = slices.Clone(r.own.found)
	}
	if v.Outcome == Violated && !l.Refuses && l.Found == nil && firstFinding(f.Found) == nil {
		f.Hints = r.hints(in)
		if d := f.diff; len(f.Hints) == 0 && d != nil && d.word {
			f.Hints = []string{"words are too large: a subtraction of q is missing, or its comparison is wrong."}
			if room := ^uint64(0)>>(64-f.Claim.Bits) - d.Got; f.Transform.Modulus < 1<<(f.Claim.Bits-4) && room/4 <= f.Transform.Modulus {
				f.Hints = []string{"words are next to the greatest there are: a difference has gone below 0, since too small a multiple of q was added to it, or none."}
			}
		}
	}
	return f
}

// residueNumber is a number of a report: in hex and in decimal, and as a multiple of q where it is not reduced.
func residueNumber(label string, v, q uint64) number {
	n := number{label: label, hex: "0x" + strconv.FormatUint(v, 16), decimal: strconv.FormatUint(v, 10)}
	switch {
	case q > 1 && v == q:
		n.note = "= q"
	case q > 1 && v == q-1 && q > 3:
		n.note = "= q-1"
	case q > 1 && v > q && v%q == 0:
		n.note = fmt.Sprintf("= %d·q", v/q)
	case q > 1 && v > q:
		n.note = fmt.Sprintf("= %s·q, ≡ %d", multipleOf(v, q), v%q)
	}
	return n
}

// maxListed is how many numbers of an input a report lists.
const maxListed = 12

// inputs lists the numbers of an input that are not 0.
func (f *NTTFailure) inputs(name string, x []uint64) (rows []number, rest string) {
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
	var r report
	v := &f.Verdict
	verb, reason := "violates", headFinding(v)
	switch {
	case f.Flaky:
		verb, reason = "is flaky under", flakyText("a case", f.seen)
	case v.Outcome == Broken:
		verb = "breaks under"
	}
	r.wrap("", fmt.Sprintf("%s %s %s: %s.", f.Subject, verb, f.Law.ID, strings.TrimRight(reason, ".")))
	r.blank()
	r.wrap("law", f.Law.Statement)
	r.wrap("if", f.Law.Hypotheses)
	r.wrap("source", f.Law.Source)
	r.wrap("claim", claimTextNTT(&f.Claim))
	r.wrap("transform", f.transformText())
	if f.Device != "" {
		r.wrap("device", f.Device)
	}
	if !f.Setting.Behaviour.Plain() {
		r.wrap("behaviour", f.Setting.Behaviour.String())
	}
	if !f.Setting.Launch.IsZero() {
		r.wrap("launch", f.Setting.Launch.String())
	}
	r.blank()
	if w := v.Witness; w != nil && len(w.Findings) > 0 {
		writeFindings(&r, w.Findings)
		r.blank()
	}
	q := f.Transform.Modulus
	rows := []number{residueNumber("modulus", q, 0), residueNumber("root", f.Transform.Root, 0)}
	x, restX := f.inputs("x", f.X)
	y, restY := f.inputs("y", f.Y)
	if !f.Law.Pair && !f.Claim.Product {
		y, restY = nil, ""
	}
	rows = append(append(rows, x...), y...)
	if d := f.diff; d != nil && v.Outcome == Violated {
		got, want := residueNumber("got", d.Got, q), residueNumber("want", d.Want, q)
		if d.word {
			want.label = "below"
		}
		got.note = strings.TrimSpace(fmt.Sprintf("%s  at place %d of the %s%s", got.note, d.Place, d.What, batchText(d.Batch)))
		rows = append(rows, got, want)
	}
	r.table(rows)
	for _, rest := range []string{restX, restY} {
		if rest != "" {
			r.wrap("", rest)
		}
	}
	if d := f.diff; d != nil && v.Outcome == Violated {
		r.wrap("wrong", placesWrong(d))
	}
	for _, hint := range f.Hints {
		r.wrap("looks like", hint)
	}
	(&Failure{Stack: f.Stack}).writeStack(&r)
	r.blank()
	if f.Cases > 0 {
		found := fmt.Sprintf("case %d, -gamma.seed=%s", f.Cases, f.Seed)
		if f.Recipe != "" {
			found += ", of " + f.Recipe
		}
		if f.Evals > 0 {
			found += fmt.Sprintf("; reduced in %s from the %s", count(f.Evals, "evaluation"), f.Original)
		}
		r.wrap("found", found)
	}
	if found := foundText(f.Found); found != "" {
		r.wrap("cause", "kernel: "+found)
	}
	r.line("reproduce", f.reproduce())
	if f.File != "" {
		r.line("saved as", f.File)
	} else {
		r.line("not saved", strings.ReplaceAll(f.notSaved(), "\n", " "))
	}
	return strings.TrimSuffix(r.String(), "\n")
}

func placesWrong(d *nttDifference) string {
	if d.Of == 1 {
		return "the only place"
	}
	return fmt.Sprintf("%d of %d places", d.Differ, d.Of)
}

func (f *NTTFailure) notSaved() string {
	if f.NotSaved == "" {
		return "the case was judged outside of a test"
	}
	return f.NotSaved
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

// reproduce returns the command that runs the case again: the file where there is one, and else the search that found it.
func (f *NTTFailure) reproduce() string {
	file := f.File
	if i := strings.Index(file, ".residues:"); i >= 0 {
		file = file[:i+len(".residues")]
	}
	again := Failure{Device: f.Device, Law: Law{ID: f.Law.ID}, Seed: f.Seed, Test: f.Test, File: file}
	return again.reproduce()
}

// jsonNTTFailure is one line of failures.jsonl.
type jsonNTTFailure struct {
	Subject    string          `json:"subject"`
	Device     string          `json:"device,omitempty"` // of hardware, with its detail
	Law        string          `json:"law"`
	Statement  string          `json:"statement"`
	Hypotheses string          `json:"hypotheses,omitempty"`
	Source     string          `json:"source,omitempty"`
	Claim      string          `json:"claim"`
	Outcome    string          `json:"outcome"`
	Reason     string          `json:"reason,omitempty"`
	Bits       int             `json:"bits"`
	Ring       string          `json:"ring"`
	Modulus    string          `json:"modulus"`
	N          int             `json:"n"`
	Root       string          `json:"root"`
	Batch      int             `json:"batch"`
	Behaviour  string          `json:"behaviour,omitempty"`
	Launch     string          `json:"launch,omitempty"`
	X          []jsonResidue   `json:"x,omitempty"` // those that are not 0
	Y          []jsonResidue   `json:"y,omitempty"`
	Wrong      *jsonDifference `json:"wrong,omitempty"`
	Hints      []string        `json:"hints,omitempty"`
	Findings   []string        `json:"findings,omitempty"`
	Stack      []string        `json:"stack,omitempty"`
	Flaky      bool            `json:"flaky"`
	Test       string          `json:"test,omitempty"`
	Seed       string          `json:"seed,omitempty"`
	Cases      int             `json:"cases"`
	Recipe     string          `json:"recipe,omitempty"`
	Original   string          `json:"original,omitempty"`
	Evals      int             `json:"evals"`
	Replayed   bool            `json:"replayed"`
	Command    string          `json:"command"`
	File       string          `json:"file,omitempty"`
	NotSaved   string          `json:"not_saved,omitempty"`
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
	j := jsonNTTFailure{
		Subject: f.Subject, Device: f.Device, Law: string(f.Law.ID), Statement: f.Law.Statement, Hypotheses: f.Law.Hypotheses, Source: f.Law.Source,
		Claim: claimTextNTT(&f.Claim), Outcome: v.Outcome.String(), Reason: v.Reason, Bits: f.Claim.Bits, Ring: ringName(t.Negacyclic),
		Modulus: strconv.FormatUint(t.Modulus, 10), N: t.N, Root: strconv.FormatUint(t.Root, 10),
		X: jsonResidues(f.X), Hints: slices.Clone(f.Hints), Stack: f.Stack, Flaky: f.Flaky, Test: f.Test, Seed: f.Seed, Cases: f.Cases, Recipe: f.Recipe,
		Evals: f.Evals, Replayed: f.Replayed, Command: f.reproduce(), File: f.File,
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
	if f.File == "" {
		j.NotSaved = f.notSaved()
	}
	if !f.Setting.Behaviour.Plain() {
		j.Behaviour = f.Setting.Behaviour.String()
	}
	if !f.Setting.Launch.IsZero() {
		j.Launch = f.Setting.Launch.String()
	}
	if d := f.diff; d != nil && v.Outcome == Violated {
		j.Wrong = &jsonDifference{What: d.What, Batch: d.Batch, Place: d.Place, Got: strconv.FormatUint(d.Got, 10), Differ: d.Differ, Of: d.Of}
		if want := strconv.FormatUint(d.Want, 10); d.word {
			j.Wrong.Below = want
		} else {
			j.Wrong.Want = want
		}
	}
	j.Findings = findingTexts(v.Witness, f.Found)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(j); err != nil {
		return nil, fmt.Errorf("props: the report has no JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// ringName is a case file's word for the ring.
func ringName(negacyclic bool) string {
	if negacyclic {
		return "negacyclic"
	}
	return "cyclic"
}
