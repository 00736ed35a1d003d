package transforms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// NttRun is the kind of number-theoretic transforms.
type NttRun struct {
	engine.Lawful[*NTTCase, modular.TransformClaim]
	S    *Subject
	Own  *nttTrial // keeps plans from law to law
	Pool *nttPool
}

// Open makes a subject ready to be judged.
func Open(fields func() (*Subject, error), set engine.Settings) (engine.Judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return engine.New(NewNTTRun(s, set)), nil
}

// NewNTTRun returns the kind of number-theoretic transforms for one subject.
func NewNTTRun(s *Subject, set engine.Settings) *NttRun {
	name := "cyclic NTT"
	if s.Claim.Negacyclic {
		name = "negacyclic NTT"
	}
	session := engine.NewSession(set, s.Name, s.Device, name, "case", "a transform")
	own := *s
	own.Guard = session.Guard
	laws := engine.Lawful[*NTTCase, modular.TransformClaim]{Session: session, BuiltIn: BuiltIn, Own: s.Laws, Says: s.Applies}
	return &NttRun{laws, &own, NewNTTTrial(&own), NewNTTPool(&own, &set)}
}

// checksPerNTT is for how many cases of a law of vectors one of a transform is drawn: it runs thousands of butterflies.
const checksPerNTT = 20

func (r *NttRun) Trial() engine.Trial[*NTTCase, modular.TransformClaim, *NttInput] {
	return r.Own
}

func (r *NttRun) Source(l *NTTLaw, find bool) (engine.Source[*NttInput], error) {
	if !r.Pool.any() {
		return nil, fmt.Errorf("props: %s claims no prime that has a transform of 1 to %d points: look at Claim.Moduli, MinN and MaxN, and at -gamma.maxn", r.Name, 1<<maxLogN)
	}
	purpose := ""
	if find {
		purpose = r.Search
	}
	d := NewNTTDrawer(r.Own, r.Pool, l, r.Set.SeedFor(purpose+string(l.ID), r.Name))
	d.set = r.Set
	if r.Own.reach = nil; !l.Refuses && !find {
		d.First = func() []int { return r.Pool.Each(l) }
	}
	return d, nil
}

func (r *NttRun) Setting(in *NttInput) (at verdict.Setting, n int) { return in.at, in.T.N }

func (r *NttRun) Under(in *NttInput, at verdict.Setting) *NttInput {
	own := *in
	own.at = at
	return &own
}

func (r *NttRun) Accepts(l *NTTLaw, in *NttInput) error { return r.Own.Accepts(l, in) }

func (r *NttRun) Owns(f *engine.CaseFile) bool {
	c, ok := f.Body.(*corpus.Residues)
	return ok && c.N > 0 && c.Kernel == r.Name
}

func (r *NttRun) Pieces(l *NTTLaw, f *engine.CaseFile) ([]engine.Piece[*NttInput], error) {
	c, ok := f.Body.(*corpus.Residues)
	if !ok {
		return nil, engine.WrongBody(f, c)
	}
	in, err := r.FromFile(l, c)
	return []engine.Piece[*NttInput]{{In: in, Rows: 1, Place: f.Path, Expect: c.Expect}}, err
}

func (r *NttRun) Isolated(ask engine.Asker) engine.Kind[*NTTCase, modular.TransformClaim, *NttInput] {
	own := *r
	own.move(ask)
	return &own
}

// Draws returns how often an engine draws for the law.
func (d *NttDrawer) Draws() int {
	n := max(1, d.set.Checks/checksPerNTT)
	if dev := d.trial.s.Device; dev != nil {
		return dev.Checks(n)
	}
	return n
}

// Make expands a draw into a case.
func (d *NttDrawer) Make(w engine.Draw, _ int) (*NttInput, bool) {
	return d.Expand(draw.Even(w.Family, w.A, w.B, w.Seed), w.A, w.B, w.Seed), true
}

// Next draws a case from a generator of numbers.
func (d *NttDrawer) Next(rng *draw.Splitmix) (*NttInput, int) {
	x := rng.Next()
	return d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), rng.Next()), 1
}

// Toward makes the drawer draw from these families, or from the general ones if there are none.
func (d *NttDrawer) Toward(families []string, _ []int) {
	if d.families = families; len(families) == 0 {
		d.families = generalFamilies
	}
}

// Count counts the verdict on the case that was judged last, and kept returns it.
func (tr *nttTrial) Count(st *engine.LawStats, v *verdict.Verdict, in *NttInput) {
	st.Add(v, in.recipe.Family, in.T.N)
	if v.Outcome == verdict.Holds && st.Law == model.DeviceRepeat {
		st.MaxDistinct = 1
	}
}

func (tr *nttTrial) Kept(in *NttInput) *NttInput { return in }

// Measure says which words the search has reached between stages.
func (tr *nttTrial) Measure(st *engine.LawStats) {
	for _, r := range tr.reach {
		st.Measure(r.name+" reached {x} of what its words are proved to stay below, and {x}·q", nil, r.ratio, r.word)
	}
}

// Climbing changes a few numbers of the input that came nearest to a bound, and keeps what comes nearer.
const (
	climbStarts = 4
	climbSteps  = 60
	climbN      = 64
)

// Climb looks for inputs that come near the bounds of the stages, of the law that has them.
func (d *NttDrawer) Climb(judge func(in *NttInput) (ratio float64, enough bool)) {
	if d.law.ID != model.NTTRange {
		return
	}
	rng := draw.Splitmix(draw.Mix(d.Seed))
	claim := &d.trial.s.Claim
	most := max(claim.Forward.In.Range, claim.Inverse.In.Range, 1)
	starts, steps := climbStarts, climbSteps
	if d.set.Thorough {
		starts, steps = 10*starts, 20*steps
	}
	start := func() (in *NttInput, ok bool) {
		for range 20 {
			if in = d.Expand(int(rng.Next()&0xffff), uint8(rng.Next()), uint8(rng.Next()), rng.Next()); in.T.N <= climbN && in.T.N > 1 {
				break
			}
		}
		return in, in.T.N <= climbN
	}
	change := func(in *NttInput) *NttInput {
		next := *in
		next.X = slices.Clone(in.X)
		q := in.T.Modulus
		for range 1 + rng.Below(3) {
			value := [...]uint64{0, q - 1, q / 2, rng.Next() % q, 1 % q}[rng.Below(5)]
			next.X[rng.Below(len(next.X))] = liftedNumber(value, rng.Next()%most, q, claim.Bits)
		}
		return &next
	}
	engine.Attack(engine.Ascent{Starts: starts, Climbs: starts, Steps: steps}, start, change, judge)
}

func (r *NttRun) Seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, byte(30 * i), 4, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0, 2})
	}
	return list
}

// maxFuzzLogN is the logarithm of the largest transform that the decoder lists numbers for.
const maxFuzzLogN = 8

// Decode makes a case: an odd first byte stands for a recipe, whose draws follow, and an even one for numbers that are listed,
// each in as many bytes as a word has.
func (r *NttRun) Decode(d *engine.Decoder, l *NTTLaw) *NttInput {
	dr := NewNTTDrawer(r.Own, r.Pool, l, r.Set.SeedFor(string(l.ID), r.S.Name))
	listed := d.Byte()&1 == 0
	in := dr.Expand(int(d.Word(2)), d.Byte(), d.Byte(), d.Word(8))
	if !listed || l.Refuses || in.T.N > 1<<maxFuzzLogN {
		return in
	}
	in.recipe = NTTRecipe{}
	in.X, in.Y = in.X[:in.T.N], in.Y[:min(len(in.Y), in.T.N)]
	lift := max(r.S.Claim.Forward.In.Range, r.S.Claim.Inverse.In.Range, 1)
	for _, v := range [][]uint64{in.X, in.Y} {
		for i := range v {
			w := d.Word(r.S.Claim.Bits / 8)
			v[i] = w % in.T.Modulus
			v[i] = liftedNumber(v[i], w/in.T.Modulus%lift, in.T.Modulus, r.S.Claim.Bits)
		}
	}
	return in
}

// FromFile returns the case that a file stands for.
func (r *NttRun) FromFile(l *NTTLaw, c *corpus.Residues) (in *NttInput, err error) {
	if c.Bits != r.S.Claim.Bits {
		return nil, fmt.Errorf("the file has words of %d bits, and %s of %d", c.Bits, r.S.Name, r.S.Claim.Bits)
	}
	in = &NttInput{
		at: verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}, Seed: c.Seed,
		T: modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root},
	}
	if !l.Refuses {
		if why, _ := refusal(&r.S.Claim, in.T); why != "" { // before a recipe is expanded
			return nil, fmt.Errorf("%s does not claim the %s: %s", r.S.Name, in.T, why)
		}
		if err := c.Expand(r.expandFile); err != nil {
			return nil, err
		}
		if in.X, in.Y = c.X, c.Y; in.Y == nil && r.S.Claim.Product && !l.Pair {
			in.Y = make([]uint64, len(in.X))
		}
	}
	return in, nil
}

// recipeWord begins a recipe of ours in a file.
const recipeWord = "ntt "

// expandFile runs a recipe of a file.
func (r *NttRun) expandFile(c *corpus.Residues) (x, y []uint64, err error) {
	text, ok := strings.CutPrefix(c.Gen, recipeWord)
	if !ok {
		return nil, nil, errors.New("it is none of a transform's inputs; those begin with ntt")
	}
	rec, err := ParseNTTRecipe(text)
	if err != nil {
		return nil, nil, err
	}
	if max(rec.Batch, 1) != max(c.Count, 1) {
		return nil, nil, fmt.Errorf("it is of %d transforms, and the file of %d", max(rec.Batch, 1), max(c.Count, 1))
	}
	pair := slices.ContainsFunc(r.Laws(), func(l NTTLaw) bool { return l.ID == c.Law && l.Pair })
	t := modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root}
	x, y = r.Own.Expand(rec, t, pair)
	return x, y, nil
}

// maxFileNumbers is how many numbers a file lists; more are stored by their recipe, if they have one.
const maxFileNumbers = 1 << 12

// Record writes the seed, the transform and the numbers of a case.
func (r *NttRun) Record(b []byte, in *NttInput) []byte {
	if 8*(len(in.X)+len(in.Y)) > engine.RecordSize/2 {
		return nil
	}
	b = engine.AppendWords(engine.AppendWords(b, in.Seed), numbersOf(in.T)...)
	return engine.AppendWords(engine.AppendWords(engine.AppendWords(b, uint64(len(in.X))), in.X...), in.Y...)
}

func (r *NttRun) Recorded(text []byte) (*NttInput, error) {
	w, err := engine.CutWords(text, 6)
	if err != nil || uint64(len(w)-6) < w[5] {
		return nil, engine.ErrCutOff
	}
	return &NttInput{Seed: w[0], T: transformOf(w[1:5]), X: w[6 : 6+w[5]], Y: w[6+w[5]:]}, nil
}

func (r *NttRun) Body(l *NTTLaw, in *NttInput) corpus.Body {
	c := &corpus.Residues{
		Law: l.ID, Kernel: r.Name, Behaviour: in.at.Behaviour, Launch: in.at.Launch, Bits: r.S.Claim.Bits, Modulus: in.T.Modulus,
		Seed: in.Seed, N: in.T.N, Ring: corpus.Ring(RingName(in.T.Negacyclic)), Root: in.T.Root, X: in.X, Y: in.Y,
	}
	if n := len(in.X) / max(in.T.N, 1); n > 1 {
		c.Count = n
	}
	if l.Refuses && in.T.N > 0 {
		c.X = make([]uint64, in.T.N)
	}
	numbers := 0
	for _, v := range slices.Concat(in.X, in.Y) {
		if v != 0 {
			numbers++
		}
	}
	if numbers > maxFileNumbers && in.recipe.Family != "" {
		x, y := r.Own.Expand(in.recipe, in.T, l.Pair)
		if slices.Equal(x, in.X) && slices.Equal(y, in.Y) {
			c.Gen = recipeWord + in.recipe.String()
		}
	}
	return c
}

// save writes a failing case below the directory of the settings.
func (r *NttRun) save(f *NTTFailure, in *NttInput) {
	if in.T.N < 1 && r.Set.Save != "off" {
		f.NotSaved = "a file has no transform of less than one point"
		return
	}
	var notes []string
	if f.Original != in.T {
		notes = append(notes, fmt.Sprintf("Reduced from the %s.", f.Original))
	}
	r.Save(&f.Violation, r.Body(&f.Law, in), "The case", nil, notes...)
}

// Served runs the kernel for another process, and keeps its plans.
func (r *NttRun) Served() engine.Server {
	type key struct {
		at verdict.Setting
		t  modular.Transform
	}
	plans := map[key]modular.Transforms{}
	var lent engine.Lending
	return func(c *engine.Call) *engine.Reply {
		if len(c.Numbers) < 6 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent no transform")}
		}
		t := transformOf(c.Numbers)
		k, ok := plans[key{c.At, t}]
		if !ok || c.What == callPlan {
			var err error
			if k, _, err = r.Own.ask(c.At, t); err != nil {
				return engine.Answer(nil, err)
			}
			plans[key{c.At, t}] = k
		}
		if c.What == callPlan {
			a := engine.Answer(nil, nil)
			a.Numbers = offered(&k)
			return a
		}
		out := make([]uint64, c.Out)
		return engine.Answer(out, r.S.calls().Do(func() error { return inProcess(&lent, &k, c, out) }))
	}
}

// numbersOf writes a transform as the numbers of a call, and transformOf is its inverse.
func numbersOf(t modular.Transform) []uint64 {
	ring := uint64(0)
	if t.Negacyclic {
		ring = 1
	}
	return []uint64{t.Modulus, uint64(t.N), ring, t.Root}
}

func transformOf(n []uint64) modular.Transform {
	return modular.Transform{Modulus: n[0], N: int(int64(n[1])), Negacyclic: n[2] != 0, Root: n[3]}
}
