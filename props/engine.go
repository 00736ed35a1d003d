package props

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
)

// opener checks the fields of a subject, names the one that is wrong, and makes the subject ready to be judged.
type opener func(set settings) (judged, error)

// judged is a subject of any kind, ready to be judged: an engine of its kind.
type judged interface {
	base() *session
	// recall makes a file of an input that an earlier process recorded.
	recall(law model.LawID, text []byte) (corpus.Body, error)
	// served returns what runs the kernel for another process, and isolate makes the kernel run in one.
	served() server
	isolate(ask asker)
	// replay judges what is on file for the subject, and check searches law by law.
	replay(t TB, parts subtests)
	check(t TB, parts subtests, rapid proposer)
	// targets returns how many laws a fuzz target can choose from, seeds what it starts from, and fuzz judges one byte string.
	targets() int
	seeds() [][]byte
	fuzz(t TB, law int, data *decoder)
}

// session is what one subject's judgement in one test has, whatever its kind: its settings, statistics and record.
type session struct {
	set  settings
	sum  *SubjectSummary
	open map[model.LawID]string // laws with a known open fault, and the file that shows it
	rec  *recorder
	// begins reports whether a law of any kind begins so. Nil: none is known.
	begins func(prefix string) bool

	search string // begins what the seed of a search outside of a test is a hash of
	name   string
	device *Device // nil: the kernel is a Go function
	unit   string  // what is counted: "case", or "row" of a batch
	what   string  // what a subject of the kind is: "an operation on words"
	// anywhere: the subject says itself where it runs, so that -gamma.device leaves none out.
	anywhere bool
}

func newSession(set settings, name string, d *Device, op, unit, what string) *session {
	return &session{
		search: "find ", set: set, open: map[model.LawID]string{}, rec: &recorder{}, name: name, device: d, unit: unit, what: what,
		sum: &SubjectSummary{Subject: name, Device: d.where(), Op: op, Seed: set.seedText},
	}
}

func (s *session) base() *session { return s }

// stats returns the statistics of a law.
func (s *session) stats(id model.LawID) *lawStats {
	for _, st := range s.sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &lawStats{Law: id, Subject: s.name}
	s.sum.Laws = append(s.sum.Laws, st)
	return st
}

// start begins the judgement in a test. recall makes a file of an input that an earlier process recorded.
func (s *session) start(t TB, recall func(law model.LawID, text []byte) (corpus.Body, error)) {
	t.Helper()
	s.sum.Test = t.Name()
	s.rec = openRecorder(t, s.name, recall)
	publishFailure(nil)
}

// end writes the summary, says where it is, and removes the record of the running case: the process lives.
func (s *session) end(t TB) {
	t.Helper()
	s.rec.close()
	file, err := publish(s.sum)
	if err != nil {
		t.Logf("seed %s; the summary could not be written: %v", s.set.seedText, err)
		return
	}
	t.Logf("seed %s; summary in %s", s.set.seedText, file)
}

// checks returns how many inputs to draw where a Go function would be given n.
func (s *session) checks(n int) int {
	if s.device != nil {
		return s.device.checks(n)
	}
	return n
}

// draw is what an engine draws for one input: small numbers, which a kind expands.
type draw struct {
	family, size, shape int // below 2^16
	a, b                uint8
	seed                uint64
}

// kind is what the engine asks of a subject of one kind. J is what its laws look at, C its claim, I one input: a case, or a batch of
// rows in one call.
type kind[J, C, I any] interface {
	base() *session
	served() server
	isolate(ask asker)
	// isolated returns the subject with its kernel in another process, which isolate makes of the subject itself.
	isolated(ask asker) kind[J, C, I]

	// laws returns the built-in laws of the kind and the subject's own, and applies says why one has nothing to say about the
	// subject, "" if it has.
	laws() []LawOf[J, C]
	applies(l *LawOf[J, C]) string
	// trial returns what runs and judges inputs, and source what draws them for a law; find: outside of a test.
	trial() trial[J, C, I]
	source(l *LawOf[J, C], find bool) (source[I], error)
	// shaped says whether inputs have sizes and shapes that are drawn.
	shaped() shaped
	// decode makes an input of bytes, whatever they are, and seeds returns bytes that lead a fuzzer to all that decode reads.
	decode(d *decoder, l *LawOf[J, C]) I
	seeds() [][]byte
	// setting returns what an input runs under and how many elements it has for a device, and under returns it under another setting.
	setting(in I) (at Setting, n int)
	under(in I, at Setting) I
	// accepts says why the subject cannot run an input for a law.
	accepts(l *LawOf[J, C], in I) error
	// owns reports whether a file is one of the subject's, and pieces returns the inputs that it holds.
	recordable[J, C, I]
	owns(f *caseFile) bool
	pieces(l *LawOf[J, C], f *caseFile) ([]piece[I], error)
	// examine reduces an input that fails, explains what is left, and saves it. failure describes one as it is.
	examine(l *LawOf[J, C], in I, st *lawStats) failure
	failure(l *LawOf[J, C], in I, v Verdict, t trial[J, C, I]) failure
}

// trial runs inputs and judges them. It keeps its memory from input to input.
type trial[J, C, I any] interface {
	judge(l *LawOf[J, C], in I) Verdict
	// count counts the verdict on the input that was judged last, and kept returns a copy that outlives the next draw.
	count(st *lawStats, v *Verdict, in I)
	kept(in I) I
}

// source draws inputs for one law.
type source[I any] interface {
	// draws is how often an engine draws, and each how many inputs a draw stands for.
	draws() int
	each() int
	// make expands a draw into its input number k, which is valid until the next; ok is false where the law skips it.
	make(d draw, k int) (in I, ok bool)
	// next draws from a generator of numbers, as a search outside of a test does, and n is how many such inputs count for.
	next(rng *splitmix) (in I, n int)
}

// failure is a report under construction.
type failure interface {
	Report
	// replayed notes the file of a case that is on file and fails, and saw what the law said of an input that fails no more.
	replayed(file string)
	saw(what string)
}

// engine judges a subject of one kind.
type engine[J, C, I any] struct {
	kind[J, C, I]
	list  []LawOf[J, C]     // what asked returns, once it has been called
	first []model.Behaviour // of the next inputs of the law that is searched; then they are drawn
}

// asked returns the laws that apply to the subject and that the options ask for.
func (e *engine[J, C, I]) asked() []LawOf[J, C] {
	if e.list == nil {
		prefix := e.base().set.law
		e.list = slices.DeleteFunc(e.laws(), func(l LawOf[J, C]) bool {
			return !strings.HasPrefix(string(l.ID), prefix) || e.applies(&l) != ""
		})
	}
	return e.list
}

// check searches for violations with rapid, law by law.
func (e *engine[J, C, I]) check(t TB, parts subtests, rapid proposer) {
	t.Helper()
	laws := e.asked()
	if len(laws) == 0 {
		e.noLaw(t)
	}
	for i := range laws {
		parts(string(laws[i].ID), func(t TB) { e.search(t, &laws[i], rapid) })
	}
}

// noLaw says why nothing is searched: no law begins as -gamma.law says, or none of those that do applies to the subject.
func (e *engine[J, C, I]) noLaw(t TB) {
	t.Helper()
	s := e.base()
	for _, l := range e.laws() {
		if !strings.HasPrefix(string(l.ID), s.set.law) {
			continue
		}
		if s.set.law == "" {
			t.Errorf("props: no law says anything about %s: %s, for instance, since %s", s.name, l.ID, e.applies(&l))
			return
		}
		t.Skipf("no law that begins with %q says anything about %s: %s", s.set.law, s.name, e.applies(&l))
	}
	if s.begins != nil && s.begins(s.set.law) {
		t.Skipf("no law that begins with %q says anything about %s, which is %s", s.set.law, s.name, s.what)
	}
	t.Error(noSuchLaw(s.set.law))
}

// noSuchLaw says that no law of any kind begins as -gamma.law says.
func noSuchLaw(prefix string) string {
	return fmt.Sprintf("props: -gamma.%s (or %s) is %q, and no law begins so; props.Laws, props.WordLaws, props.ModularLaws, props.NTTLaws and "+
		"props.RoundLaws list those there are", optLaw.name, optLaw.env(), prefix)
}

// search draws inputs for one law until one violates it or enough have been judged.
func (e *engine[J, C, I]) search(t TB, l *LawOf[J, C], rapid proposer) {
	t.Helper()
	s := e.base()
	if file := s.open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the %s holds", file, s.unit)
	}
	src, err := e.source(l, false)
	if err != nil {
		t.Fatal(err)
	}
	st, trial := s.stats(l.ID), e.trial()
	e.first = e.systematic(l, src)
	found, fails, stopped := e.hunt(l, src, trial, st, rapid)
	switch {
	case fails:
		e.fail(t, l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no %s: -gamma.budget %v is over before the first", l.ID, s.name, s.unit, s.set.budget)
	case stopped != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, s.name, stopped)
	default:
		e.vacuity(t, l, st, src)
	}
	t.Log(st.line())
	if c, ok := trial.(interface{ remarks() []string }); ok {
		for _, line := range c.remarks() {
			t.Logf("%s: %s", s.name, line)
		}
	}
}

// hunt lets an engine draw until an input fails, enough have been judged, or the time is over: the source's own engine if it has one.
func (e *engine[J, C, I]) hunt(l *LawOf[J, C], src source[I], trial trial[J, C, I], st *lawStats, rapid proposer) (found I, fails bool, stopped string) {
	s, start := e.base(), time.Now()
	late := func() bool {
		st.OutOfTime = st.OutOfTime || time.Since(start) > s.set.budget
		return st.OutOfTime
	}
	try := func(in I) bool {
		in = e.underFirst(in)
		v := e.judge(trial, l, in)
		trial.count(st, &v, in)
		if fails = v.fails(); fails {
			found = trial.kept(in)
		}
		return fails
	}
	defer func() { st.Seconds = time.Since(start).Seconds() }()
	if own, ok := src.(searcher[I]); ok {
		stopped = own.search(try, late)
		return found, fails, stopped
	}
	stopped = rapid(src.draws(), e.shaped(), func(d draw) (violated bool) {
		// Rapid runs again what failed: we know.
		for k := 0; k < src.each() && !fails && (k > 0 || !late()); k++ {
			if in, ok := src.make(d, k); ok {
				try(in)
			}
		}
		return fails
	})
	if c, ok := src.(ascent[I]); ok && !fails {
		c.climb(func(in I) (float64, bool) {
			v := e.judge(trial, l, in)
			trial.count(st, &v, in)
			if v.fails() {
				found, fails = in, true
			}
			return v.Ratio, v.fails() || time.Since(start) > s.set.budget
		})
	}
	return found, fails, stopped
}

// found looks for a violation of one law by the source's own engine, outside of a test: it returns the report of the first one, not
// saved, or nil.
func (e *engine[J, C, I]) found(l *LawOf[J, C]) (failure, error) {
	s := e.base()
	if why := e.applies(l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, s.name, why)
	}
	src, err := e.source(l, true)
	if err != nil {
		return nil, err
	}
	s.set.save = "off"
	st := &lawStats{}
	in, fails, stopped := e.hunt(l, src, e.trial(), st, nil)
	switch {
	case fails:
		return e.examine(l, in, st), nil
	case stopped != "":
		return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s", l.ID, s.name, stopped)
	}
	return nil, nil
}

// searcher is a source with an engine of its own. It tries inputs until try is true of one, it is late, or there are enough of them, and
// returns what stopped it, or "".
type searcher[I any] interface {
	search(try func(in I) (fails bool), late func() bool) (stopped string)
}

// systematic returns the behaviours of a law's first inputs, so that a kernel of any kind runs under each that its device admits: one
// that is left to chance is missed by laws that draw few inputs.
func (e *engine[J, C, I]) systematic(l *LawOf[J, C], src source[I]) []model.Behaviour {
	rounds := 1
	if more, ok := src.(interface{ rounds() int }); ok {
		rounds = more.rounds()
	}
	s := e.base()
	return s.device.systematic(s.set.seedFor(string(l.ID), s.name), rounds)
}

// underFirst returns an input under the next of the first behaviours.
func (e *engine[J, C, I]) underFirst(in I) I {
	if len(e.first) == 0 {
		return in
	}
	at, _ := e.setting(in)
	at.Behaviour, e.first = e.first[0], e.first[1:]
	return e.under(in, at)
}

// judge records an input and judges it, so that the record survives if the process does not.
func (e *engine[J, C, I]) judge(t trial[J, C, I], l *LawOf[J, C], in I) Verdict {
	record(e.base().rec, e.kind, l, in)
	return t.judge(l, in)
}

// ascent is a source that changes inputs to come nearer to a bound: judge returns how near one came, and whether that is enough.
type ascent[I any] interface {
	climb(judge func(in I) (ratio float64, enough bool))
}

// vacuity fails a search whose law was judged too rarely, unless there is a reason for that.
func (e *engine[J, C, I]) vacuity(t TB, l *LawOf[J, C], st *lawStats, src source[I]) {
	t.Helper()
	s := e.base()
	if st.excused(t, s.device) {
		return
	}
	few, _ := src.(interface{ few() bool })
	switch {
	case l.Hardware && st.Holds == 0:
		t.Logf("%s on %s judged none of %s, most often: %s", l.ID, s.name, plural(st.Cases, s.unit), st.commonReason())
	case !st.tooVacuous() || l.Hardware:
	case few != nil && few.few():
		t.Logf("%s on %s judged %d of %s, too few to say whether its hypotheses are ever met: -gamma.checks is %d",
			l.ID, s.name, st.Holds, plural(st.Cases, s.unit), s.set.checks)
	case l.Flushes: // nothing may be flushed
	default:
		t.Errorf("props: %s on %s judged %d of %s; in the others a hypothesis was not met, most often: %s",
			l.ID, s.name, st.Holds, plural(st.Cases, s.unit), st.commonReason())
	}
}

// fail reduces, explains, reports and saves the first violation of a law.
func (e *engine[J, C, I]) fail(t TB, l *LawOf[J, C], in I, st *lawStats) {
	t.Helper()
	f := e.examine(l, in, st)
	f.saw(st.seen)
	common := f.Common()
	common.AfterCalls = e.passesAfresh(l, common)
	st.Violations++
	publishFailure(f)
	t.Error("\n" + f.Text())
}

// find looks for a violation of one law by inputs that count for n, and needs no testing package: it returns the first that fails.
func (e *engine[J, C, I]) find(l *LawOf[J, C], n int) (in I, v Verdict, st *lawStats, err error) {
	s := e.base()
	v, st = Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}, &lawStats{}
	if !l.judges() {
		return in, v, st, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := e.applies(l); why != "" {
		return in, v, st, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, s.name, why)
	}
	src, err := e.source(l, true)
	if err != nil {
		return in, v, st, err
	}
	s.set.save = "off"
	trial := e.trial()
	rng := splitmix(s.set.seedFor(s.search+string(l.ID), s.name))
	for drawn := 0; drawn < n; {
		var k int
		in, k = src.next(&rng)
		drawn += k
		v = trial.judge(l, in)
		if trial.count(st, &v, in); v.fails() {
			return trial.kept(in), v, st, nil
		}
	}
	return in, v, st, nil
}

// report finds a violation of one law as find does, and returns its report, reduced and not saved, or nil, and how many inputs were
// judged.
func (e *engine[J, C, I]) report(l *LawOf[J, C], n int) (f failure, judged int, err error) {
	in, v, st, err := e.find(l, n)
	if err != nil || !v.fails() {
		return nil, st.judged(), err
	}
	return e.examine(l, in, st), st.judged(), nil
}

func (e *engine[J, C, I]) targets() int {
	if _, err := e.source(&LawOf[J, C]{}, false); err != nil {
		return 0
	}
	return len(e.asked())
}

func (e *engine[J, C, I]) fuzz(t TB, law int, data *decoder) {
	t.Helper()
	l := &e.asked()[law]
	in, trial := e.decode(data, l), e.trial()
	if v := e.judge(trial, l, in); v.fails() {
		e.fail(t, l, trial.kept(in), e.base().stats(l.ID))
	}
}
