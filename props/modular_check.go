package props

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gamma/model"
)

// modularRun is one operation's judgement in one test.
type modularRun struct {
	p    *modularSubject
	set  settings
	sum  *SubjectSummary
	open map[model.LawID]string // laws with a known open fault, and the file that shows it
}

// openModular reads settings and operation, and fails the test where either is wrong.
func openModular(t testing.TB, m Modular) (*modularRun, bool) {
	t.Helper()
	set, err := readSettings()
	if err != nil {
		t.Error(err)
		return nil, false
	}
	p, err := m.modular()
	if err != nil {
		t.Error(err)
		return nil, false
	}
	r := &modularRun{p: p, set: set, open: map[model.LawID]string{}}
	r.sum = &SubjectSummary{Subject: p.name, Device: p.device.where(), Op: fmt.Sprintf("%s modulo q", p.claim.Function), Seed: set.seedText, Test: t.Name()}
	return r, true
}

// beginModular is what begin is to subjects.
func beginModular(t *testing.T, m Modular) (r *modularRun, end func()) {
	t.Helper()
	r, ok := openModular(t, m)
	if !ok {
		return nil, nil
	}
	r.set.skipElsewhere(t, r.p.name, r.p.device)
	if mine, other := isChildFor(t.Name(), r.p.name); mine {
		if err := serve(r.p.served()); err != nil {
			t.Error(err)
		}
		return nil, nil
	} else if other {
		return nil, nil
	}
	stop := func() {}
	if r.set.isolate {
		stop = r.p.isolated(t.Name(), &r.set)
	}
	publishFailure(nil)
	return r, func() {
		t.Helper()
		if file, err := publish(r.sum); err != nil {
			t.Logf("seed %s; the summary could not be written: %v", r.set.seedText, err)
		} else {
			t.Logf("seed %s; summary in %s", r.set.seedText, file)
		}
		stop()
	}
}

func checkModular(t *testing.T, m Modular) {
	t.Helper()
	r, end := beginModular(t, m)
	if r == nil {
		return
	}
	defer end()
	r.replay(t)
	if r.set.caseFile != "" {
		return
	}
	laws := r.laws()
	if len(laws) == 0 {
		r.noLaw(t)
	}
	for i := range laws {
		t.Run(string(laws[i].ID), func(t *testing.T) { r.search(t, &laws[i]) })
	}
}

func replayModular(t *testing.T, m Modular) {
	t.Helper()
	r, end := beginModular(t, m)
	if r == nil {
		return
	}
	defer end()
	r.replay(t)
}

// all returns the built-in laws and the operation's own.
func (p *modularSubject) all() []ModularLaw { return append(ModularLaws(), p.laws...) }

// laws returns the laws that apply to the operation and that the options ask for.
func (r *modularRun) laws() []ModularLaw {
	return slices.DeleteFunc(r.p.all(), func(l ModularLaw) bool {
		return !strings.HasPrefix(string(l.ID), r.set.law) || r.p.applies(&l) != ""
	})
}

// noLaw says why nothing is searched.
func (r *modularRun) noLaw(t *testing.T) {
	t.Helper()
	for _, l := range r.p.all() {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s: %s", r.set.law, r.p.name, r.p.applies(&l))
		}
	}
	if lawBegins(r.set.law) {
		t.Skipf("no law that begins with %q says anything about %s, which is an operation on residues", r.set.law, r.p.name)
	}
	t.Errorf("props: -gamma.%s (or %s) is %q, and no law begins so; props.Laws, props.WordLaws and props.ModularLaws list those there are",
		optLaw.name, optLaw.env(), r.set.law)
}

// lawBegins reports whether a law of vectors or of words begins so.
func lawBegins(prefix string) bool {
	return slices.ContainsFunc(Laws(), func(l Law) bool { return strings.HasPrefix(string(l.ID), prefix) }) ||
		slices.ContainsFunc(WordLaws(), func(l WordLaw) bool { return strings.HasPrefix(string(l.ID), prefix) }) ||
		strings.HasPrefix("ntt.", prefix) || strings.HasPrefix(prefix, "ntt.")
}

func (r *modularRun) stats(id model.LawID) *lawStats {
	for _, st := range r.sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &lawStats{Law: id, Subject: r.p.name}
	r.sum.Laws = append(r.sum.Laws, st)
	return st
}

// modularCase is a batch that fails, and the row that does.
type modularCase struct {
	batch  *modularBatch
	row    int
	recipe ModularRecipe // that it was drawn by; without a family it was not
	cases  int           // judged until then
}

// checks returns how many draws to make for a law where a law of vectors would draw so many cases.
func (r *modularRun) checks() int {
	n := r.set.checks
	if dev := r.p.device; dev != nil {
		n = dev.checks(n)
	}
	return max(1, n*rowsPerCheck/rowsPerModulus)
}

// search draws batches for one law until a row violates it or enough have been judged.
func (r *modularRun) search(t *testing.T, l *ModularLaw) {
	t.Helper()
	if file := r.open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the row holds", file)
	}
	st := r.stats(l.ID)
	d, trial := newModularDrawer(r.p, l, &r.set), newModularTrial(r.p)
	start := time.Now()
	var found *modularCase
	prop := func(place int, a, b uint8, seed uint64) (violated bool) {
		if found == nil && time.Since(start) > r.set.budget {
			st.OutOfTime = true
			return false
		}
		for range d.batches() {
			if found != nil { // rapid runs again what failed; we know
				break
			}
			batch := d.make(place, a, b, seed, d.rowsOf(seed))
			seed = mix(seed)
			a = uint8(seed)
			v := trial.judge(l, batch)
			trial.add(st, &v, d)
			if v.fails() {
				found = &modularCase{batch: batch.clone(), row: trial.failing, recipe: d.recipe, cases: st.Cases}
			}
		}
		return found != nil
	}
	err := runRapid(drawBatch(prop), r.checks())
	st.Seconds = time.Since(start).Seconds()
	switch {
	case found != nil:
		r.fail(t, l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no row: -gamma.budget %v is over before the first", l.ID, r.p.name, r.set.budget)
	case err != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, r.p.name, err)
	case st.excused(t, r.p.device):
	case st.tooVacuous():
		t.Errorf("props: %s on %s judged %d of %d rows; in the others a hypothesis was not met, most often: %s",
			l.ID, r.p.name, st.Holds, st.Cases, st.commonReason())
	}
	t.Log(st.line())
}

// add counts a batch.
func (t *modularTrial) add(st *lawStats, v *Verdict, d *modularDrawer) {
	st.see(v)
	st.Holds += t.holds
	st.Vacuous += t.empty
	st.Cases += t.holds + t.empty
	if v.fails() {
		st.Cases++
	}
	if len(t.reasons) > 0 && st.Reasons == nil {
		st.Reasons = map[string]int{}
	}
	for reason, n := range t.reasons {
		st.Reasons[reason] += n
	}
	st.MaxDistinct = max(st.MaxDistinct, t.distinct)
	if best := &t.worst; t.holds > 0 && best.Bound != "" {
		if st.Decided == nil {
			st.Decided = map[string]int{}
		}
		st.Decided[best.Bound] += t.holds
		if best.Ratio > st.MaxRatio {
			st.MaxRatio, st.MaxBound, st.MaxFamily, st.MaxN = best.Ratio, best.Bound, d.recipe.Family, d.recipe.Rows
		}
	}
}

// fail reduces, reports and saves the first violation of a law.
func (r *modularRun) fail(t testing.TB, l *ModularLaw, c *modularCase, st *lawStats) {
	t.Helper()
	f := r.examine(l, c)
	f.seen = st.seen
	st.Violations++
	publishText(f.JSON)
	t.Error("\n" + f.Text())
}

// FindModular looks for a violation of one law by rows of about so many, and needs no testing package: it returns the report of the
// first one, reduced and not saved, or nil, and how many rows were judged.
func FindModular(l ModularLaw, m Modular, rows int) (f *ModularFailure, judged int, err error) {
	r, c, judged, err := findModular(&l, m, rows)
	if c == nil || err != nil {
		return nil, judged, err
	}
	return r.examine(&l, c), judged, nil
}

// findModular is FindModular without a reduction.
func findModular(l *ModularLaw, m Modular, rows int) (r *modularRun, c *modularCase, judged int, err error) {
	set, err := readSettings()
	if err != nil {
		return nil, nil, 0, err
	}
	p, err := m.modular()
	if err != nil {
		return nil, nil, 0, err
	}
	if l.Judge == nil && l.findings == nil {
		return nil, nil, 0, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := p.applies(l); why != "" {
		return nil, nil, 0, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, p.name, why)
	}
	set.save = "off"
	r = &modularRun{p: p, set: set, sum: &SubjectSummary{}}
	d, trial := newModularDrawer(p, l, &set), newModularTrial(p)
	rng := splitmix(set.seedFor("find "+string(l.ID), p.name))
	for drawn := 0; drawn < rows; drawn += d.recipe.Rows {
		x, seed := rng.next(), rng.next()
		batch := d.make(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, d.rowsOf(seed))
		v := trial.judge(l, batch)
		judged += trial.holds
		if v.fails() {
			judged++
			return r, &modularCase{batch: batch.clone(), row: trial.failing, recipe: d.recipe, cases: judged}, judged, nil
		}
	}
	return r, nil, judged, nil
}

// FuzzModulars is Modular.Fuzz for several operations in one target: the first byte of an input chooses one.
func FuzzModulars(f *testing.F, operations ...Modular) {
	f.Helper()
	fuzzModulars(f, operations...)
}

func fuzzModulars(f *testing.F, operations ...Modular) {
	f.Helper()
	type target struct {
		r    *modularRun
		laws []ModularLaw
	}
	var targets []target
	why := ""
	for _, m := range operations {
		r, ok := openModular(f, m)
		if !ok {
			return
		}
		if why = cmp.Or(r.set.elsewhere(r.p.name, r.p.device), why); !r.set.runs(r.p.device) {
			continue
		}
		if laws := r.laws(); len(laws) > 0 {
			targets = append(targets, target{r, laws})
		}
	}
	skipAll(f, len(targets), why)
	if len(targets) == 0 {
		f.Error("props: no law applies to what is fuzzed; look at the claims and at -gamma.law")
		return
	}
	for i := range 8 {
		f.Add([]byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3})
		f.Add([]byte{byte(i), byte(i), 0, byte(i), 255, 255, 255, 255, 255, 255, 255, 255, 254, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := decoder(data)
		tg := targets[int(b.byte())%len(targets)]
		l := &tg.laws[int(b.byte())%len(tg.laws)]
		c := b.residues(tg.r, l)
		trial := newModularTrial(tg.r.p)
		if v := trial.judge(l, c.batch); v.fails() {
			c.row = trial.failing
			tg.r.fail(t, l, c, tg.r.stats(l.ID))
		}
	})
}

// residues makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for a modulus and words that are
// listed. What the claim does not admit is mended.
func (d *decoder) residues(r *modularRun, l *ModularLaw) *modularCase {
	dr := newModularDrawer(r.p, l, &r.set)
	most := maxFuzzRows
	if l.Refuses || len(r.p.claim.In) == 0 {
		most = 1
	}
	if d.byte()&1 == 1 {
		place, a, b := int(d.word(2)), d.byte(), d.byte()
		batch := dr.make(place, a, b, d.word(8), 1+int(d.byte())%most)
		return &modularCase{batch: batch.clone(), recipe: dr.recipe}
	}
	c, n := &r.p.claim, len(r.p.claim.In)
	place, q := d.byte(), d.word(8)
	rng := splitmix(mix(q))
	if (admitted(c, q) == nil) == l.Refuses {
		if l.Refuses {
			q = r.p.moduli.refuse(place, &rng)
		} else {
			q = r.p.moduli.draw(place, &rng)
		}
	}
	width := c.Bits / 8
	rows := min(max(1, len(*d)/(width*max(n, 1))), most)
	if dev := r.p.device; dev != nil && dev.MaxN > 0 {
		rows = min(rows, dev.MaxN)
	}
	batch := &modularBatch{q: q, in: make([]uint64, rows*n), rows: rows}
	for i := range batch.in {
		batch.in[i] = d.word(width)
	}
	if l.Refuses {
		clear(batch.in)
	} else {
		dr.g.begin(c, q)
		for i := range rows {
			row := batch.in[i*n : (i+1)*n]
			for k := range row {
				row[k] = dr.g.fit(k, row[k])
			}
			dr.g.mend(row)
		}
	}
	if dev := r.p.device; dev != nil {
		batch.at = dev.drawSetting(rows, mix(d.word(2)+1))
	}
	return &modularCase{batch: batch}
}
