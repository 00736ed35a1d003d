package transforms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

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
		return engine.Answer(out, inProcess(&k, c, out))
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
