package props

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gamma/corpus"
	"gamma/model"
)

// wordRun is one operation's judgement in one test.
type wordRun struct {
	p    *wordSubject
	set  settings
	sum  *SubjectSummary
	open map[model.LawID]string // laws with a known open fault, and the file that shows it
}

// rowsPerCheck is how many rows are drawn where a law of vectors would draw one case, and batchRows how many run in one call.
const (
	rowsPerCheck = 4
	batchRows    = 256
)

// openOperation reads settings and operation, and fails the test where either is wrong.
func openOperation(t testing.TB, o Operation) (*wordRun, bool) {
	t.Helper()
	set, err := readSettings()
	if err != nil {
		t.Error(err)
		return nil, false
	}
	p, err := o.operation()
	if err != nil {
		t.Error(err)
		return nil, false
	}
	r := &wordRun{p: p, set: set, open: map[model.LawID]string{}}
	r.sum = &SubjectSummary{Subject: p.name, Device: p.sub.device.where(), Op: p.claim.Op.String(), Seed: set.seedText, Test: t.Name()}
	return r, true
}

// beginOperation is what begin is to subjects.
func beginOperation(t *testing.T, o Operation) (r *wordRun, end func()) {
	t.Helper()
	r, ok := openOperation(t, o)
	if !ok {
		return nil, nil
	}
	r.set.skipElsewhere(t, r.p.name, r.p.sub.device)
	if mine, other := isChildFor(t.Name(), r.p.name); mine {
		if err := serve(r.p.sub); err != nil {
			t.Error(err)
		}
		return nil, nil
	} else if other {
		return nil, nil
	}
	stop := func() {}
	if r.set.isolate {
		stop = isolate(t.Name(), r.p.sub, r.set.timeout).stop
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

func checkOperation(t *testing.T, o Operation) {
	t.Helper()
	r, end := beginOperation(t, o)
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

// all returns the built-in laws and the operation's own.
func (p *wordSubject) all() []WordLaw { return append(WordLaws(), p.laws...) }

// laws returns the laws that apply to the operation and that the options ask for.
func (r *wordRun) laws() []WordLaw {
	return slices.DeleteFunc(r.p.all(), func(l WordLaw) bool {
		return !strings.HasPrefix(string(l.ID), r.set.law) || r.p.applies(&l) != ""
	})
}

// noLaw says why nothing is searched.
func (r *wordRun) noLaw(t *testing.T) {
	t.Helper()
	known := false
	for _, l := range r.p.all() {
		if strings.HasPrefix(string(l.ID), r.set.law) && r.set.law != "" {
			t.Skipf("no law that begins with %q says anything about %s: %s", r.set.law, r.p.name, r.p.applies(&l))
		}
		known = known || strings.HasPrefix(string(l.ID), r.set.law)
	}
	if known {
		t.Errorf("props: no law says anything about %s, which claims %s and neither an algorithm with a bound nor a bound of its own", r.p.name, r.p.claim.Op)
		return
	}
	for _, l := range Laws() {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s, which is an operation on words", r.set.law, r.p.name)
		}
	}
	t.Errorf("props: -gamma.%s (or %s) is %q, and no law begins so; props.Laws and props.WordLaws list those there are", optLaw.name, optLaw.env(), r.set.law)
}

func (r *wordRun) stats(id model.LawID) *lawStats {
	for _, st := range r.sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &lawStats{Law: id, Subject: r.p.name}
	r.sum.Laws = append(r.sum.Laws, st)
	return st
}

// wordDrawer draws batches for one law and one operation.
type wordDrawer struct {
	r        *wordRun
	families []string
	seed     uint64
	exp      wordExpander
	recipe   WordRecipe
	at       Setting
	first    []model.Behaviour // of the next batches; then they are drawn
}

func newWordDrawer(r *wordRun, l *WordLaw) *wordDrawer {
	d := &wordDrawer{r: r, families: l.Families, seed: r.set.seedFor(string(l.ID), r.p.name)}
	if d.families == nil {
		d.families = numberFamilies
	}
	return d
}

// make turns draws of any engine into a batch, which is valid until the next.
func (d *wordDrawer) make(place int, a, b uint8, seed uint64, rows int) corpus.Values {
	d.recipe = drawRecipe(d.families, place, a, b, seed, d.seed, rows)
	d.at = Setting{}
	if dev := d.r.p.sub.device; dev != nil {
		if dev.MaxN > 0 {
			d.recipe.Rows = min(rows, dev.MaxN)
		}
		rng := splitmix(mix(d.recipe.Seed))
		var c corpus.Case
		dev.draw(&c, d.recipe.Rows, &rng)
		d.at = Setting{Behaviour: c.Behaviour, Launch: c.Launch}
		if len(d.first) > 0 {
			d.at.Behaviour, d.first = d.first[0], d.first[1:]
		}
	}
	return d.exp.expand(d.recipe, d.r.p)
}

// batchSizes are the batches that are drawn beside full ones: kernels change what they do at the ends of tiles and vectors.
var batchSizes = []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100}

// sizeOf returns the rows of a batch: a full one, but for one in eight.
func sizeOf(seed uint64) int {
	h := mix(seed)
	if h>>61 == 0 {
		return batchSizes[int(h%uint64(len(batchSizes)))]
	}
	return batchRows
}

// wordRounds is how often a law's first batches go through the behaviours of Device.singles, leastRows how many rows these batches have at
// least, and leastDrawn how many batches are drawn after them, with fewer rows than batchRows if need be.
const (
	wordRounds = 2
	leastRows  = 8
	leastDrawn = 6
)

// wordPlan parts the rows of a search into batches: first, of firstRows each, whose behaviours are systematic, and then drawn, of about
// drawnRows each.
type wordPlan struct{ first, firstRows, drawn, drawnRows int }

// planOf plans a search of so many rows, where the behaviours of first batches are systematic.
func planOf(rows, first int) (p wordPlan) {
	if first == 0 {
		return wordPlan{drawn: max(1, rows/batchRows), drawnRows: batchRows}
	}
	p.firstRows = min(max(rows/2/first, leastRows), batchRows)
	p.first = min(first, max(1, rows/p.firstRows))
	rest := rows - p.first*p.firstRows
	p.drawnRows = min(max(rest/leastDrawn, p.firstRows), batchRows)
	p.drawn = max(0, rest/p.drawnRows)
	return p
}

// rowsOf returns the rows of the batch after so many.
func (p *wordPlan) rowsOf(batches int, seed uint64) int {
	if batches < p.first {
		return p.firstRows
	}
	return min(sizeOf(seed), p.drawnRows)
}

// leastBatches is how many batches are drawn, beside the systematic ones, before a law that is vacuous on nearly all rows fails: rows of a batch share their family and
// the device's behaviour.
const leastBatches = 8

// search draws batches for one law until a row violates it or enough have been judged.
func (r *wordRun) search(t *testing.T, l *WordLaw) {
	t.Helper()
	if file := r.open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the row holds", file)
	}
	st := r.stats(l.ID)
	d, trial := newWordDrawer(r, l), newWordTrial(r.p)
	want := r.set.checks
	if dev := r.p.sub.device; dev != nil {
		want = dev.checks(want)
	}
	d.first = r.p.sub.device.systematic(d.seed, wordRounds)
	plan := planOf(want*rowsPerCheck, len(d.first))
	start := time.Now()
	batches := 0
	var found *wordCase
	prop := func(place int, a, b uint8, seed uint64) (violated bool) {
		if found == nil && time.Since(start) > r.set.budget {
			st.OutOfTime = true
			return false
		}
		if found == nil { // else rapid runs again what failed; we know
			in := d.make(place, a, b, seed, plan.rowsOf(batches, seed))
			v := trial.judge(l, d.at, in, d.recipe.Seed)
			trial.add(st, &v, d)
			batches++
			if v.fails() {
				found = &wordCase{at: d.at, in: in.Clone(), seed: d.recipe.Seed, row: trial.failing, recipe: d.recipe, cases: st.Cases}
			}
		}
		return found != nil
	}
	err := runRapid(drawBatch(prop), plan.first+plan.drawn)
	st.Seconds = time.Since(start).Seconds()
	switch {
	case found != nil:
		r.fail(t, l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no row: -gamma.budget %v is over before the first", l.ID, r.p.name, r.set.budget)
	case err != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, r.p.name, err)
	case st.excused(t, r.p.sub.device):
	case st.tooVacuous() && batches-plan.first < leastBatches:
		t.Logf("%s on %s judged %d of %d rows, too few to say whether its hypotheses are ever met: -gamma.checks is %d",
			l.ID, r.p.name, st.Holds, st.Cases, r.set.checks)
	case st.tooVacuous() && !l.flushes:
		t.Errorf("props: %s on %s judged %d of %d rows; in the others a hypothesis was not met, most often: %s",
			l.ID, r.p.name, st.Holds, st.Cases, st.commonReason())
	}
	t.Log(st.line())
}

// add counts a batch.
func (w *wordTrial) add(st *lawStats, v *Verdict, d *wordDrawer) {
	st.see(v)
	st.Holds += w.holds
	st.Vacuous += w.empty
	st.Cases += w.holds + w.empty
	if v.fails() {
		st.Cases++
	}
	if len(w.reasons) > 0 && st.Reasons == nil {
		st.Reasons = map[string]int{}
	}
	for reason, n := range w.reasons {
		st.Reasons[reason] += n
	}
	st.Differ += w.differ
	st.MaxDistinct = max(st.MaxDistinct, w.distinct)
	if best := &w.worst; w.holds > 0 && best.Bound != "" {
		if st.Decided == nil {
			st.Decided = map[string]int{}
		}
		st.Decided[best.Bound] += w.holds
		if best.Ratio > st.MaxRatio {
			st.MaxRatio, st.MaxBound, st.MaxFamily, st.MaxN = best.Ratio, best.Bound, d.recipe.Family, d.recipe.Rows
		}
	}
}

// fail reduces, reports and saves the first violation of a law.
func (r *wordRun) fail(t testing.TB, l *WordLaw, c *wordCase, st *lawStats) {
	t.Helper()
	f := r.examine(l, c)
	f.seen = st.seen
	st.Violations++
	publishText(f.JSON)
	t.Error("\n" + f.Text())
}

// FindWord looks for a violation of one law by rows of about so many, and needs no testing package: it returns the report of the
// first one, reduced and not saved, or nil, and how many rows were judged.
func FindWord(l WordLaw, o Operation, rows int) (f *WordFailure, judged int, err error) {
	set, err := readSettings()
	if err != nil {
		return nil, 0, err
	}
	p, err := o.operation()
	if err != nil {
		return nil, 0, err
	}
	if l.Judge == nil && l.findings == nil {
		return nil, 0, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := p.applies(&l); why != "" {
		return nil, 0, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, p.name, why)
	}
	set.save = "off"
	r := &wordRun{p: p, set: set, sum: &SubjectSummary{}}
	d, trial := newWordDrawer(r, &l), newWordTrial(p)
	rng := splitmix(set.seedFor("find "+string(l.ID), p.name))
	for drawn := 0; drawn < rows; drawn += d.recipe.Rows {
		x, seed := rng.next(), rng.next()
		in := d.make(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, sizeOf(seed))
		v := trial.judge(&l, d.at, in, d.recipe.Seed)
		judged += trial.holds
		if v.fails() {
			return r.examine(&l, &wordCase{at: d.at, in: in.Clone(), seed: d.recipe.Seed, row: trial.failing, recipe: d.recipe, cases: judged + 1}), judged + 1, nil
		}
	}
	return nil, judged, nil
}

func replayOperation(t *testing.T, o Operation) {
	t.Helper()
	r, end := beginOperation(t, o)
	if r == nil {
		return
	}
	defer end()
	r.replay(t)
}

// replay judges every row on file for the operation, those of the table of -gamma.case alone if set.
func (r *wordRun) replay(t *testing.T) {
	t.Helper()
	files, errs := r.tablesOnFile()
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		if r.set.caseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", r.set.caseFile, r.p.name)
		}
		return
	}
	t.Run("replay", func(t *testing.T) {
		rows := 0
		for _, f := range files {
			rows += len(f.Body.Rows)
			r.replayTable(t, f)
		}
		t.Log(r.sum.replayedLine(rows, "row"))
	})
}

// tablesOnFile loads the tables that name the operation, its format, and a law that is asked for.
func (r *wordRun) tablesOnFile() (mine []corpus.File[*corpus.Table], errs []error) {
	if r.set.caseFile != "" {
		name, err := r.set.namedCase(".cases")
		if name == "" {
			return nil, onlyErr(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, []error{fmt.Errorf("props: -gamma.case is no table that can be read: %w", err)}
		}
		table, err := corpus.Parse[*corpus.Table](text, corpus.Options{File: name})
		if err != nil {
			return nil, []error{err}
		}
		if r.mine(table) {
			mine = append(mine, corpus.File[*corpus.Table]{Path: name, Body: table})
		}
		return mine, nil
	}
	files, errs := corpus.Load[*corpus.Table](os.DirFS(saveDirName), corpus.Options{})
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", saveDirName, errs[i])
	}
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
		onFile.Store(files[i].Path, files[i].Body.Kernel)
	}
	for _, f := range append(files, embeddedTables()...) {
		if r.mine(f.Body) && strings.HasPrefix(string(f.Body.Law), r.set.law) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

func (r *wordRun) mine(t *corpus.Table) bool {
	return t.Kernel == r.p.name && t.Format.Name == r.p.format.Name
}

// replayTable judges the rows of one table: alone, or in one call if it is a batch.
func (r *wordRun) replayTable(t testing.TB, f corpus.File[*corpus.Table]) {
	t.Helper()
	tab := f.Body
	if why := r.p.sub.device.foreign(tab.Law); why != "" {
		r.stats(tab.Law).leaveOut(why, len(tab.Rows))
		return
	}
	l, err := r.lawFor(tab)
	if err != nil && l.ID != "" && r.p.sub.device.onHardware() {
		r.stats(l.ID).leaveOut(r.p.applies(&l), len(tab.Rows))
		return
	}
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	at := Setting{Behaviour: tab.Behaviour, Launch: tab.Launch}
	st := r.stats(l.ID)
	step := 1
	if tab.Batch {
		step = max(1, len(tab.Rows))
	}
	if d := r.p.sub.device; d.onHardware() {
		if why := d.leftOutOf(at, step); why != "" {
			st.leaveOut(why, len(tab.Rows))
			return
		}
		at = d.setting(at)
	}
	trial := newWordTrial(r.p)
	for i := 0; i < len(tab.Rows); i += step {
		var words []uint64
		expect, reaches := tab.Rows[i].Expect, 0.0
		for _, row := range tab.Rows[i : i+step] {
			words = append(words, row.Words...)
			reaches = max(reaches, row.Reaches)
			if row.Expect == corpus.ExpectViolated {
				expect = row.Expect
			}
		}
		place := fmt.Sprintf("%s:%d", f.Path, tab.Rows[i].Line)
		if err := r.p.accepts(words, at); err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		in := store(corpus.Values{}, words, r.p.format)
		st.Replayed += step
		v := insist(l.hardware != nil && r.set.caseFile != "", func() Verdict { return trial.judge(&l, at, in, 0) })
		switch {
		case strings.HasPrefix(v.Reason, reasonRefused):
			st.Replayed -= step
			st.leaveOut(v.Reason, step)
		case expect == corpus.ExpectViolated && !v.fails() && r.p.sub.device.onHardware():
			st.leaveOut(notHere, step)
		case expect == corpus.ExpectViolated && !v.fails():
			t.Errorf("%s: the row is on file as a known open fault, and the law does not fail it any more: %v. If the fault is mended, write holds in the place of violated", place, v)
		case expect == corpus.ExpectViolated:
			r.open[l.ID] = place
			t.Logf("%s: still open: %v", place, v)
		case v.fails():
			fl := r.failure(&l, &wordCase{at: at, in: in, row: trial.failing}, v)
			fl.File, fl.Replayed = place, true
			st.Violations++
			publishText(fl.JSON)
			t.Error("\n" + fl.Text())
		case reaches > 0 && v.Ratio < reaches:
			t.Errorf("%s: the error is recorded to reach %g of its bound, and reaches %.17g of %s: the operation, or the bound, has changed", place, reaches, v.Ratio, v.Bound)
		}
	}
}

// lawFor finds the law of a table.
func (r *wordRun) lawFor(tab *corpus.Table) (WordLaw, error) {
	for _, l := range r.p.all() {
		if l.ID != tab.Law {
			continue
		}
		if why := r.p.applies(&l); why != "" {
			return l, fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the table", l.ID, r.p.name, why)
		}
		return l, nil
	}
	return WordLaw{}, fmt.Errorf("no law of operations on words is called %q: if it was one of %s's own that is gone, delete the table", tab.Law, r.p.name)
}

// FuzzOperations is Operation.Fuzz for several operations in one target: the first byte of an input chooses one.
func FuzzOperations(f *testing.F, operations ...Operation) {
	f.Helper()
	fuzzOperations(f, operations...)
}

func fuzzOperations(f *testing.F, operations ...Operation) {
	f.Helper()
	type target struct {
		r    *wordRun
		laws []WordLaw
	}
	var targets []target
	why := ""
	for _, o := range operations {
		r, ok := openOperation(f, o)
		if !ok {
			return
		}
		if why = cmp.Or(r.set.elsewhere(r.p.name, r.p.sub.device), why); !r.set.runs(r.p.sub.device) {
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
		f.Add([]byte{byte(i), byte(i), 0, 0, 0, 128, 63, 0, 0, 128, 51, 0, 0, 128, 63, 0, 0, 128, 179})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := decoder(data)
		tg := targets[int(b.byte())%len(targets)]
		l := &tg.laws[int(b.byte())%len(tg.laws)]
		c := b.rows(tg.r, l)
		trial := newWordTrial(tg.r.p)
		if v := trial.judge(l, c.at, c.in, c.seed); v.fails() {
			c.row = trial.failing
			tg.r.fail(t, l, c, tg.r.stats(l.ID))
		}
	})
}

// maxFuzzRows is the largest batch that the decoder makes.
const maxFuzzRows = 64

// rows makes a batch: an odd first byte stands for a recipe, whose draws follow, and an even one for words that are listed.
func (d *decoder) rows(r *wordRun, l *WordLaw) *wordCase {
	dr := newWordDrawer(r, l)
	if d.byte()&1 == 1 {
		place, a, b := int(d.word(2)), d.byte(), d.byte()
		in := dr.make(place, a, b, d.word(8), 1+int(d.byte())%maxFuzzRows)
		return &wordCase{at: dr.at, in: in.Clone(), seed: dr.recipe.Seed, recipe: dr.recipe}
	}
	f, n := r.p.format, r.p.claim.Op.In()
	width := f.Bits() / 8
	rows := min(max(1, len(*d)/(width*n)), maxFuzzRows)
	if dev := r.p.sub.device; dev != nil && dev.MaxN > 0 {
		rows = min(rows, dev.MaxN)
	}
	c := &wordCase{in: corpus.NewValues(f, rows*n)}
	for i := range rows * n {
		c.in.Set(i, d.word(width))
	}
	if dev := r.p.sub.device; dev != nil {
		rng := splitmix(mix(d.word(2) + 1))
		var k corpus.Case
		dev.draw(&k, rows, &rng)
		c.at = Setting{Behaviour: k.Behaviour, Launch: k.Launch}
	}
	return c
}
