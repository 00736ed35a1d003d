package props

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamma/corpus"
	"gamma/model/modular"
)

// casesOnFile loads the files of transforms that name the subject, and a law that is asked for.
func (r *nttRun) casesOnFile() ([]corpus.File[*corpus.Residues], []error) {
	return residuesOnFile(&r.set, func(c *corpus.Residues) bool { return c.N != 0 && c.Kernel == r.s.name })
}

// replay judges every case on file for the transform, that of -gamma.case alone if set.
func (r *nttRun) replay(t *testing.T) {
	t.Helper()
	files, errs := r.casesOnFile()
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		if r.set.caseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", r.set.caseFile, r.s.name)
		}
		return
	}
	t.Run("replay", func(t *testing.T) {
		for _, f := range files {
			r.replayFile(t, f)
		}
		t.Log(r.sum.replayedLine(len(files), "case"))
	})
}

// replayFile judges one case on file.
func (r *nttRun) replayFile(t testing.TB, f corpus.File[*corpus.Residues]) {
	t.Helper()
	if why := r.s.device.foreign(f.Body.Law); why != "" {
		r.stats(f.Body.Law).leaveOut(why, 1)
		return
	}
	l, in, err := r.fromFile(f.Body)
	if d := r.s.device; d.onHardware() && l.ID != "" {
		why := r.s.applies(&l)
		if in != nil && why == "" {
			why = d.leftOutOf(in.at, in.t.N)
			in.at = d.setting(in.at)
		}
		if why != "" {
			r.stats(l.ID).leaveOut(why, 1)
			return
		}
	}
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	st := r.stats(l.ID)
	st.Replayed++
	v := insist(l.hardware && r.set.caseFile != "", func() Verdict { return r.trial.judge(&l, in) })
	switch {
	case strings.HasPrefix(v.Reason, reasonRefused):
		st.Replayed--
		st.leaveOut(v.Reason, 1)
	case f.Body.Expect == corpus.ExpectViolated && !v.fails() && r.s.device.onHardware():
		st.leaveOut(notHere, 1)
	case f.Body.Expect == corpus.ExpectViolated && !v.fails():
		t.Errorf("%s: the case is on file as a known open fault, and the law does not fail it any more: %v. "+
			"If the fault is mended, change the file to 'expect holds'", f.Path, v)
	case f.Body.Expect == corpus.ExpectViolated:
		r.open[l.ID] = f.Path
		t.Logf("%s: still open: %v", f.Path, v)
	case v.fails():
		fl := r.failure(&l, in, v)
		fl.File, fl.Replayed = f.Path, true
		st.Violations++
		publishText(fl.JSON)
		t.Error("\n" + fl.Text())
	}
}

// fromFile returns the law and the case that a file stands for.
func (r *nttRun) fromFile(c *corpus.Residues) (l NTTLaw, in *nttInput, err error) {
	all := r.s.all()
	i := slices.IndexFunc(all, func(l NTTLaw) bool { return l.ID == c.Law })
	if i < 0 {
		return l, nil, fmt.Errorf("no law of transforms is called %q: if it was one of %s's own that is gone, delete the file", c.Law, r.s.name)
	}
	l = all[i]
	if why := r.s.applies(&l); why != "" {
		return l, nil, fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the file", l.ID, r.s.name, why)
	}
	if c.Bits != r.s.claim.Bits {
		return l, nil, fmt.Errorf("the file has words of %d bits, and %s of %d", c.Bits, r.s.name, r.s.claim.Bits)
	}
	in = &nttInput{
		at: Setting{Behaviour: c.Behaviour, Launch: c.Launch}, seed: c.Seed,
		t: modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root},
	}
	if !l.outside {
		if why, _ := refusal(&r.s.claim, in.t); why != "" { // before a recipe is expanded
			return l, nil, fmt.Errorf("%s does not claim the %s: %s", r.s.name, in.t, why)
		}
		if err := c.Expand(r.expandFile); err != nil {
			return l, nil, err
		}
		if in.x, in.y = c.X, c.Y; in.y == nil && r.s.claim.Product && !l.Pair {
			in.y = make([]uint64, len(in.x))
		}
	}
	return l, in, r.trial.accepts(&l, in)
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
	pair := slices.ContainsFunc(r.s.all(), func(l NTTLaw) bool { return l.ID == c.Law && l.Pair })
	t := modular.Transform{Modulus: c.Modulus, N: c.N, Negacyclic: c.Ring == corpus.Negacyclic, Root: c.Root}
	x, y = r.trial.expand(rec, t, pair)
	return x, y, nil
}

// maxFileNumbers is how many numbers a file lists; more are stored by their recipe, if they have one.
const maxFileNumbers = 1 << 12

// save writes the case below the directory of the settings.
func (r *nttRun) save(f *NTTFailure, in *nttInput) {
	switch {
	case r.set.save == "off":
		f.NotSaved = "-gamma.save=off"
		return
	case f.Flaky:
		f.NotSaved = "the case passed when it was judged again, so that a file would show nothing"
		return
	case in.t.N < 1:
		f.NotSaved = "a file has no transform of less than one point"
		return
	}
	c := &corpus.Residues{
		Law: f.Law.ID, Kernel: f.Subject, Behaviour: in.at.Behaviour, Launch: in.at.Launch, Bits: f.Claim.Bits, Modulus: in.t.Modulus,
		Seed: in.seed, N: in.t.N, Ring: corpus.Ring(ringName(in.t.Negacyclic)), Root: in.t.Root, X: in.x, Y: in.y,
		Comments: []string{f.Verdict.Reason},
	}
	c.Comments = append(c.Comments, foundOn(f.Device)...)
	if f.Original != in.t {
		c.Comments = append(c.Comments, fmt.Sprintf("Reduced from the %s.", f.Original))
	}
	if f.Recipe != "" {
		c.Comments = append(c.Comments, "Drawn as "+f.Recipe+".")
	}
	if n := len(in.x) / in.t.N; n > 1 {
		c.Count = n
	}
	if f.Law.outside {
		c.X = make([]uint64, in.t.N)
	}
	numbers := 0
	for _, v := range slices.Concat(in.x, in.y) {
		if v != 0 {
			numbers++
		}
	}
	if numbers > maxFileNumbers && in.recipe.Family != "" {
		x, y := r.trial.expand(in.recipe, in.t, f.Law.Pair)
		if slices.Equal(x, in.x) && slices.Equal(y, in.y) {
			c.Gen = recipeWord + in.recipe.String()
		}
	}
	file, err := corpus.Save(r.set.save, c, corpus.Options{})
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}
