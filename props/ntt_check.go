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

// nttRun is one transform's judgement in one test.
type nttRun struct {
	s     *nttSubject
	set   settings
	sum   *SubjectSummary
	trial *nttTrial
	pool  *nttPool
	open  map[model.LawID]string // laws with a known open fault, and the file that shows it
}

// checksPerNTT is for how many cases of a law of vectors one of a transform is drawn: it runs thousands of butterflies.
const checksPerNTT = 20

// openNTT reads settings and transform, and fails the test where either is wrong.
func openNTT(t testing.TB, n NTT) (*nttRun, bool) {
	t.Helper()
	r, err := newNTTRun(n)
	if err != nil {
		t.Error(err)
		return nil, false
	}
	r.sum.Test = t.Name()
	return r, true
}

func newNTTRun(n NTT) (*nttRun, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	s, err := n.ntt()
	if err != nil {
		return nil, err
	}
	r := &nttRun{s: s, set: set, trial: newNTTTrial(s), pool: newNTTPool(s, &set), open: map[model.LawID]string{}}
	kind := "cyclic NTT"
	if s.claim.Negacyclic {
		kind = "negacyclic NTT"
	}
	r.sum = &SubjectSummary{Subject: s.name, Device: s.device.where(), Op: kind, Seed: set.seedText}
	return r, nil
}

// beginNTT is what begin is to subjects. Transforms run in this process: -gamma.isolate is for kernels of vectors.
func beginNTT(t *testing.T, n NTT) (r *nttRun, end func()) {
	t.Helper()
	r, ok := openNTT(t, n)
	if !ok {
		return nil, nil
	}
	r.set.skipElsewhere(t, r.s.name, r.s.device)
	if mine, other := isChildFor(t.Name(), r.s.name); mine || other {
		return nil, nil
	}
	publishFailure(nil)
	return r, func() {
		t.Helper()
		if r.set.isolate {
			t.Log("props: transforms run in the test's own process; -gamma.isolate has no effect on them")
		}
		if file, err := publish(r.sum); err != nil {
			t.Logf("seed %s; the summary could not be written: %v", r.set.seedText, err)
		} else {
			t.Logf("seed %s; summary in %s", r.set.seedText, file)
		}
	}
}

func checkNTT(t *testing.T, n NTT) {
	t.Helper()
	r, end := beginNTT(t, n)
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

func replayNTT(t *testing.T, n NTT) {
	t.Helper()
	r, end := beginNTT(t, n)
	if r == nil {
		return
	}
	defer end()
	r.replay(t)
}

// all returns the built-in laws and the transform's own.
func (s *nttSubject) all() []NTTLaw { return append(NTTLaws(), s.laws...) }

// laws returns the laws that apply to the transform and that the options ask for.
func (r *nttRun) laws() []NTTLaw {
	return slices.DeleteFunc(r.s.all(), func(l NTTLaw) bool {
		return !strings.HasPrefix(string(l.ID), r.set.law) || r.s.applies(&l) != ""
	})
}

// noLaw says why nothing is searched.
func (r *nttRun) noLaw(t *testing.T) {
	t.Helper()
	for _, l := range r.s.all() {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s: %s", r.set.law, r.s.name, r.s.applies(&l))
		}
	}
	for _, l := range Laws() {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s, which is a transform", r.set.law, r.s.name)
		}
	}
	for _, l := range WordLaws() {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s, which is a transform", r.set.law, r.s.name)
		}
	}
	t.Skipf("props: -gamma.%s (or %s) is %q, and no law of transforms begins so; props.NTTLaws lists those there are", optLaw.name, optLaw.env(), r.set.law)
}

func (r *nttRun) stats(id model.LawID) *lawStats {
	for _, st := range r.sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &lawStats{Law: id, Subject: r.s.name}
	r.sum.Laws = append(r.sum.Laws, st)
	return st
}

// checks returns how many cases to draw for each law.
func (r *nttRun) checks() int {
	n := max(1, r.set.checks/checksPerNTT)
	if d := r.s.device; d != nil {
		return d.checks(n)
	}
	return n
}

// search draws cases for one law until one violates it or enough have been judged.
func (r *nttRun) search(t *testing.T, l *NTTLaw) {
	t.Helper()
	if file := r.open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the case holds", file)
	}
	if len(r.pool.sizes) == 0 {
		t.Fatalf("props: %s claims no prime that has a transform of 1 to %d points: look at Claim.Moduli, MinN and MaxN, and at -gamma.maxn", r.s.name, 1<<maxLogN)
	}
	st := r.stats(l.ID)
	d := newNTTDrawer(r.trial, r.pool, l, r.set.seedFor(string(l.ID), r.s.name))
	r.trial.reach = nil
	if !l.outside {
		d.first = r.pool.each(l)
	}
	start := time.Now()
	var found *nttInput
	prop := func(place int, a, b uint8, seed uint64) (violated bool) {
		if found == nil && time.Since(start) > r.set.budget {
			st.OutOfTime = true
			return false
		}
		if found == nil { // else rapid runs again what failed; we know
			in := d.make(place, a, b, seed)
			v := r.trial.judge(l, in)
			addNTT(st, &v, in)
			if v.fails() {
				found = in
			}
		}
		return found != nil
	}
	err := runRapid(drawBatch(prop), r.checks())
	if l.ID == model.NTTRange && found == nil {
		found = r.climb(l, d, st, start)
	}
	st.Seconds = time.Since(start).Seconds()
	switch {
	case found != nil:
		r.fail(t, l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no case: -gamma.budget %v is over before the first", l.ID, r.s.name, r.set.budget)
	case err != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, r.s.name, err)
	case st.excused(t, r.s.device):
	case st.tooVacuous():
		t.Errorf("props: %s on %s judged %d of %d cases; in the others a hypothesis was not met, most often: %s",
			l.ID, r.s.name, st.Holds, st.Cases, st.commonReason())
	}
	t.Log(st.line())
	for _, reach := range r.trial.reach {
		t.Logf("%s: %s reached %s·q, proved below %s·q", r.s.name, reach.name, reach.word, reach.bound)
	}
}

// addNTT counts one verdict.
func addNTT(st *lawStats, v *Verdict, in *nttInput) {
	st.see(v)
	st.Cases++
	switch v.Outcome {
	case Holds:
		st.Holds++
		if st.Law == model.DeviceRepeat {
			st.MaxDistinct = 1
		}
		st.decided(v.Bound)
		if v.Ratio > st.MaxRatio {
			st.MaxRatio, st.MaxBound, st.MaxFamily, st.MaxN = v.Ratio, v.Bound, in.recipe.Family, in.t.N
		}
	case Vacuous:
		st.Vacuous++
		if st.Reasons == nil {
			st.Reasons = map[string]int{}
		}
		st.Reasons[v.Reason]++
	}
}

// Climbing changes a few numbers of the input that came nearest to a bound, and keeps what comes nearer.
const (
	climbStarts = 4
	climbSteps  = 60
	climbN      = 64
)

// climb looks for inputs that come near the bounds of the stages. It returns one that leaves them.
func (r *nttRun) climb(l *NTTLaw, d *nttDrawer, st *lawStats, start time.Time) *nttInput {
	rng := splitmix(mix(d.seed))
	most := max(r.s.claim.Forward.In.Range, r.s.claim.Inverse.In.Range, 1)
	starts, steps := climbStarts, climbSteps
	if r.set.thorough {
		starts, steps = 10*starts, 20*steps
	}
	for range starts {
		var in *nttInput
		for range 20 {
			if in = d.make(int(rng.next()&0xffff), uint8(rng.next()), uint8(rng.next()), rng.next()); in.t.N <= climbN && in.t.N > 1 {
				break
			}
		}
		if in.t.N > climbN {
			return nil
		}
		v := r.trial.judge(l, in)
		addNTT(st, &v, in)
		for range steps {
			if v.fails() {
				return in
			}
			if time.Since(start) > r.set.budget {
				return nil
			}
			next := *in
			next.x = slices.Clone(in.x)
			q := in.t.Modulus
			for range 1 + rng.below(3) {
				value := [...]uint64{0, q - 1, q / 2, rng.next() % q, 1 % q}[rng.below(5)]
				next.x[rng.below(len(next.x))] = liftedNumber(value, rng.next()%most, q, r.s.claim.Bits)
			}
			w := r.trial.judge(l, &next)
			addNTT(st, &w, &next)
			if w.fails() || w.Ratio >= v.Ratio {
				in, v = &next, w
			}
		}
	}
	return nil
}

// fail reduces, reports and saves the first violation of a law.
func (r *nttRun) fail(t testing.TB, l *NTTLaw, in *nttInput, st *lawStats) {
	t.Helper()
	f := r.examine(l, in, st.Cases)
	f.seen = st.seen
	st.Violations++
	publishText(f.JSON)
	t.Error("\n" + f.Text())
}

// FindNTT looks for a violation of one law by so many cases, and needs no testing package: it returns the report of the first
// one, reduced and not saved, or nil, and how many cases were judged.
func FindNTT(l NTTLaw, n NTT, cases int) (f *NTTFailure, judged int, err error) {
	r, d, err := findNTT(&l, n)
	if err != nil {
		return nil, 0, err
	}
	judged, _, in := r.count(&l, d, cases, true)
	if in == nil {
		return nil, judged, nil
	}
	return r.examine(&l, in, judged), judged, nil
}

// SearchNTT judges up to so many cases by one law, and returns how many it has judged and the last verdict: the first that fails, if one
// does. It needs no testing package, neither reduces nor saves, and draws the same cases each time unless -gamma.seed says otherwise.
func SearchNTT(l NTTLaw, n NTT, cases int) (judged int, v Verdict, err error) {
	r, d, err := findNTT(&l, n)
	if err != nil {
		return 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}, err
	}
	judged, _, in := r.count(&l, d, cases, true)
	if in == nil {
		return judged, Verdict{Law: l.ID}, nil
	}
	return judged, r.trial.judge(&l, in), nil
}

// findNTT makes a run that is no test's.
func findNTT(l *NTTLaw, n NTT) (*nttRun, *nttDrawer, error) {
	r, err := newNTTRun(n)
	if err != nil {
		return nil, nil, err
	}
	if l.Judge == nil && l.findings == nil {
		return nil, nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := r.s.applies(l); why != "" {
		return nil, nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, r.s.name, why)
	}
	if len(r.pool.sizes) == 0 {
		return nil, nil, fmt.Errorf("props: %s claims no prime that has a transform of 1 to %d points", r.s.name, 1<<maxLogN)
	}
	r.set.save = "off"
	return r, newNTTDrawer(r.trial, r.pool, l, r.set.seedFor("find "+string(l.ID), r.s.name)), nil
}

// count judges cases. With stop it stops at the first that fails, and returns how many were judged; else which was the first.
func (r *nttRun) count(l *NTTLaw, d *nttDrawer, cases int, stop bool) (first, killed int, failing *nttInput) {
	rng := splitmix(d.seed)
	for i := 1; i <= cases; i++ {
		x := rng.next()
		in := d.make(int(x&0xffff), uint8(x>>16), uint8(x>>24), rng.next())
		if v := r.trial.judge(l, in); v.fails() {
			killed++
			if first == 0 {
				first, failing = i, in
			}
			if stop {
				return i, killed, in
			}
		}
	}
	if stop {
		first = cases
	}
	return first, killed, failing
}

// FuzzNTTs is NTT.Fuzz for several transforms in one target: the first byte of an input chooses one.
func FuzzNTTs(f *testing.F, transforms ...NTT) {
	f.Helper()
	type target struct {
		r    *nttRun
		laws []NTTLaw
	}
	var targets []target
	why := ""
	for _, n := range transforms {
		r, ok := openNTT(f, n)
		if !ok {
			return
		}
		if why = cmp.Or(r.set.elsewhere(r.s.name, r.s.device), why); !r.set.runs(r.s.device) {
			continue
		}
		if laws := r.laws(); len(laws) > 0 && len(r.pool.sizes) > 0 {
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
		f.Add([]byte{byte(i), byte(i), 0, byte(30 * i), 4, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0, 2})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := decoder(data)
		tg := targets[int(b.byte())%len(targets)]
		l := &tg.laws[int(b.byte())%len(tg.laws)]
		in := b.transform(tg.r, l)
		if v := tg.r.trial.judge(l, in); v.fails() {
			tg.r.fail(t, l, in, tg.r.stats(l.ID))
		}
	})
}

// maxFuzzLogN is the logarithm of the largest transform that the decoder lists numbers for.
const maxFuzzLogN = 8

// transform makes a case: an odd first byte stands for a recipe, whose draws follow, and an even one for numbers that are listed,
// each in as many bytes as a word has.
func (d *decoder) transform(r *nttRun, l *NTTLaw) *nttInput {
	dr := newNTTDrawer(r.trial, r.pool, l, r.set.seedFor(string(l.ID), r.s.name))
	listed := d.byte()&1 == 0
	in := dr.make(int(d.word(2)), d.byte(), d.byte(), d.word(8))
	if !listed || l.outside || in.t.N > 1<<maxFuzzLogN {
		return in
	}
	in.recipe = NTTRecipe{}
	in.x, in.y = in.x[:in.t.N], in.y[:min(len(in.y), in.t.N)]
	lift := max(r.s.claim.Forward.In.Range, r.s.claim.Inverse.In.Range, 1)
	for _, v := range [][]uint64{in.x, in.y} {
		for i := range v {
			w := d.word(r.s.claim.Bits / 8)
			v[i] = w % in.t.Modulus
			v[i] = liftedNumber(v[i], w/in.t.Modulus%lift, in.t.Modulus, r.s.claim.Bits)
		}
	}
	return in
}
