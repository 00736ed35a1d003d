package props

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
)

// fromFile returns the case that a file stands for.
func (r *nttRun) fromFile(l *NTTLaw, c *corpus.Residues) (in *nttInput, err error) {
	if c.Bits != r.s.claim.Bits {
		return nil, fmt.Errorf("the file has words of %d bits, and %s of %d", c.Bits, r.s.name, r.s.claim.Bits)
	}
	in = &nttInput{
		at: Setting{Behaviour: c.Behaviour, Launch: c.Launch}, seed: c.Seed,
		t: modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root},
	}
	if !l.Refuses {
		if why, _ := refusal(&r.s.claim, in.t); why != "" { // before a recipe is expanded
			return nil, fmt.Errorf("%s does not claim the %s: %s", r.s.name, in.t, why)
		}
		if err := c.Expand(r.expandFile); err != nil {
			return nil, err
		}
		if in.x, in.y = c.X, c.Y; in.y == nil && r.s.claim.Product && !l.Pair {
			in.y = make([]uint64, len(in.x))
		}
	}
	return in, nil
}

// recipeWord begins a recipe of ours in a file.
const recipeWord = "ntt "

// expandFile runs a recipe of a file.
func (r *nttRun) expandFile(c *corpus.Residues) (x, y []uint64, err error) {
	text, ok := strings.CutPrefix(c.Gen, recipeWord)
	if !ok {
		return nil, nil, errors.New("it is none of a transform's inputs; those begin with ntt")
	}
	rec, err := parseNTTRecipe(text)
	if err != nil {
		return nil, nil, err
	}
	if max(rec.Batch, 1) != max(c.Count, 1) {
		return nil, nil, fmt.Errorf("it is of %d transforms, and the file of %d", max(rec.Batch, 1), max(c.Count, 1))
	}
	pair := slices.ContainsFunc(r.laws(), func(l NTTLaw) bool { return l.ID == c.Law && l.Pair })
	t := modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root}
	x, y = r.own.expand(rec, t, pair)
	return x, y, nil
}

// maxFileNumbers is how many numbers a file lists; more are stored by their recipe, if they have one.
const maxFileNumbers = 1 << 12

// record writes a case by its numbers, recall makes a file of them, and body one of a case.
func (r *nttRun) record(b []byte, in *nttInput) []byte {
	if 8*(len(in.x)+len(in.y)) > recordSize/2 {
		return nil
	}
	b = appendWords(appendWords(appendSetting(b, in.at), in.seed), numbersOf(in.t)...)
	return appendWords(appendWords(appendWords(b, uint64(len(in.x))), in.x...), in.y...)
}

func (r *nttRun) recall(law model.LawID, text []byte) (corpus.Body, error) {
	at, text, err := cutSetting(text)
	if err != nil {
		return nil, err
	}
	w, err := cutWords(text)
	if err != nil || len(w) < 6 || uint64(len(w)-6) < w[5] {
		return nil, errCutOff
	}
	in := &nttInput{at: at, seed: w[0], t: transformOf(w[1:5])}
	in.x, in.y = w[6:6+w[5]], w[6+w[5]:]
	return r.body(&NTTLaw{ID: law}, in), nil
}

func (r *nttRun) body(l *NTTLaw, in *nttInput) corpus.Body {
	c := &corpus.Residues{
		Law: l.ID, Kernel: r.name, Behaviour: in.at.Behaviour, Launch: in.at.Launch, Bits: r.s.claim.Bits, Modulus: in.t.Modulus,
		Seed: in.seed, N: in.t.N, Ring: corpus.Ring(ringName(in.t.Negacyclic)), Root: in.t.Root, X: in.x, Y: in.y,
	}
	if n := len(in.x) / max(in.t.N, 1); n > 1 {
		c.Count = n
	}
	if l.Refuses && in.t.N > 0 {
		c.X = make([]uint64, in.t.N)
	}
	numbers := 0
	for _, v := range slices.Concat(in.x, in.y) {
		if v != 0 {
			numbers++
		}
	}
	if numbers > maxFileNumbers && in.recipe.Family != "" {
		x, y := r.own.expand(in.recipe, in.t, l.Pair)
		if slices.Equal(x, in.x) && slices.Equal(y, in.y) {
			c.Gen = recipeWord + in.recipe.String()
		}
	}
	return c
}

// save writes a failing case below the directory of the settings.
func (r *nttRun) save(f *NTTFailure, in *nttInput) {
	switch {
	case r.set.save == "off":
		f.NotSaved = "-gamma.save=off"
		return
	case in.t.N < 1:
		f.NotSaved = "a file has no transform of less than one point"
		return
	}
	c := r.body(&f.Law, in).(*corpus.Residues)
	c.Isolate = f.Verdict.Cause.isolated()
	c.Comments = []string{f.Verdict.Reason}
	if f.passedAgain() {
		c.Comments = []string{flakyText("The case", f.seen)}
	}
	c.Comments = append(c.Comments, foundOn(f.Device)...)
	if f.Original != in.t {
		c.Comments = append(c.Comments, fmt.Sprintf("Reduced from the %s.", f.Original))
	}
	if f.Recipe != "" {
		c.Comments = append(c.Comments, "Drawn as "+f.Recipe+".")
	}
	file, err := corpus.Save(r.set.save, c, replayOptions)
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}

// served runs the kernel for another process, and keeps its plans.
func (r *nttRun) served() server {
	type key struct {
		at Setting
		t  modular.Transform
	}
	plans := map[key]modular.Transforms{}
	return func(c *call) *reply {
		if len(c.Numbers) < 6 {
			return &reply{Broke: broke(KernelFailed, "the child process was sent no transform")}
		}
		t := transformOf(c.Numbers)
		k, ok := plans[key{c.At, t}]
		if !ok || c.What == callPlan {
			var err error
			if k, _, err = r.own.ask(c.At, t); err != nil {
				return answer(nil, err)
			}
			plans[key{c.At, t}] = k
		}
		if c.What == callPlan {
			a := answer(nil, nil)
			a.Numbers = offered(&k)
			return a
		}
		out := make([]uint64, c.Out)
		return answer(out, inProcess(&k, c, out))
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
