package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// Opener checks the fields of a subject, names the one that is wrong, and makes the subject ready to be judged.
type Opener func(set Settings) (Judged, error)

// Judged is a subject of any kind, ready to be judged: an engine of its kind.
type Judged interface {
	Base() *Session
	// IDs returns the IDs of the laws that there are for the subject.
	IDs() []model.LawID
	// Recall makes a file of an input that an earlier process recorded.
	Recall(law model.LawID, text []byte) (corpus.Body, error)
	// Served returns what runs the kernel for another process, and isolate makes the kernel run in one.
	Served() Server
	Isolate(ask Asker)
	// Replay judges what is on file for the subject, and check searches law by law.
	Replay(t TB, parts Subtests)
	Check(t TB, parts Subtests, rapid Proposer)
	// Searches returns how many laws check searches.
	Searches() int
	// Targets returns how many laws a fuzz target can choose from, seeds what it starts from, and fuzz judges one byte string.
	Targets() int
	Seeds() [][]byte
	Fuzz(t TB, law int, data *Decoder)
}

// Session is what one subject's judgement in one test has, whatever its kind: its settings, statistics and record.
type Session struct {
	Set  Settings
	Sum  *SubjectSummary
	Open map[model.LawID]string // laws with a known open fault, and the file that shows it
	Rec  *Recorder
	// Guard is around the calls of the kernel.
	Guard *Guard
	// settled says that the kernel failed in a way that is the same under every law, so that no other is judged; "" if it did not.
	settled string

	Search string // begins what the seed of a search outside of a test is a hash of
	Name   string
	Device *DeviceClaim // nil: the kernel is a Go function
	unit   string       // what is counted: "case", or "row" of a batch
	What   string       // what a subject of the kind is: "an operation on words"
	told   bool         // a report of the subject has been printed
	Format string       // in kinds whose cases on file belong to one format, or width, beside a name
	// Anywhere: the subject says itself where it runs, so that -gamma.device leaves none out.
	Anywhere bool
	wentFar  bool          // a law has seen more rows than 16 bits count
	executed time.Duration // in new processes, to see what fails there
	looked   bool          // at threads, for what goroutines of the kernel left
	whole    time.Duration // the budget of a law whose share of the time is less
	together bool          // with others, in one test
	block    string        // the one that is judged, as -gamma.shard takes it; "" if the work is not cut
	book     map[Part]*Ledger
	stop     func() // ends what a hanging kernel has made necessary, or nil
}

// share gives the search of a law its share of the time of all until end is called.
func (s *Session) share() (end func()) {
	budget := s.Set.Budget
	share, done := searches.begin(s.Set.Total, budget)
	if share < budget {
		s.Set.Budget, s.whole = share, budget
	}
	return func() {
		s.Set.Budget, s.whole = budget, 0
		done()
	}
}

// NewSession returns a session without a record or a case judged. op names the operation in the summary, unit one input ("case", "row"), and what the subject as sentences name it.
func NewSession(set Settings, name string, d *DeviceClaim, op, unit, what string) *Session {
	guard := NewGuard(d)
	guard.sweeps = set.CaseFile != ""
	return &Session{
		Search: "find ", Set: set, Open: map[model.LawID]string{}, Rec: &Recorder{}, Guard: guard, Name: name, Device: d, unit: unit, What: what,
		Sum: &SubjectSummary{
			Subject: name, Device: d.where(), Op: op, Seed: set.SeedText, MathMode: d.mode(),
			what: strings.TrimPrefix(strings.TrimPrefix(what, "an "), "a "),
		},
	}
}

func (s *Session) Base() *Session { return s }

// Stats returns the statistics of a law.
func (s *Session) Stats(id model.LawID) *LawStats {
	for _, st := range s.Sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &LawStats{Law: id, Subject: s.Name}
	s.Sum.Laws = append(s.Sum.Laws, st)
	return st
}

// Start begins the judgement in a test. recall makes a file of an input that an earlier process recorded.
func (s *Session) Start(t TB, recall func(law model.LawID, text []byte) (corpus.Body, error)) {
	t.Helper()
	s.Sum.Test = t.Name()
	_, s.together = t.(Together)
	s.Rec = openRecorder(t, s.Name, recall)
	PublishFailure(nil)
}

// End writes the summary, says where it is, and removes the record of the running case: the process lives.
func (s *Session) End(t TB) {
	t.Helper()
	s.Rec.Close()
	if s.stop != nil {
		s.stop()
	}
	file, err := publish(s.Sum)
	switch {
	case err != nil:
		t.Logf("%sseed %s; the summary could not be written: %v", s.Sum.modes(), s.Set.SeedText, err)
	case file != "":
		t.Logf("%sseed %s; summary in %s", s.Sum.modes(), s.Set.SeedText, file)
	}
}

// Checks returns how many inputs to draw where a Go function would be given n.
func (s *Session) Checks(n int) int {
	if s.Device != nil {
		return s.Device.Checks(n)
	}
	return n
}

// Lawful is what a kind embeds: the session of a subject, and the laws there are about it.
type Lawful[J, C any] struct {
	*Session
	BuiltIn, Own []LawOf[J, C]
	// Says returns why a law has nothing to say about the subject, "" if it has.
	Says func(l *LawOf[J, C]) string
}

func (s *Lawful[J, C]) Laws() []LawOf[J, C] { return slices.Concat(s.BuiltIn, s.Own) }

func (s *Lawful[J, C]) Applies(l *LawOf[J, C]) string { return s.Says(l) }

// Shaped is true of kinds whose inputs have sizes and shapes: they say so themselves.
func (s *Lawful[J, C]) Shaped() Shaped { return false }

// Draw is what an engine draws for one input: small numbers, which a kind expands.
type Draw struct {
	Family, Size, Shape int // below 2^16
	A, B                uint8
	Seed                uint64
}

// Failure is a report under construction: what it has in common with all others may still change.
type Failure interface{ Report }

// Engine judges a subject of one kind.
type Engine struct {
	anyKind
	list  []*AnyLaw // what asked returns, once it has been called
	first []lead    // how the next inputs of the law that is searched run; then that is drawn
	now   running
	other *Engine // of the subject in the default math mode, once it has been made
}

// running is what is judged: what a hang is reported of.
type running struct {
	law   *AnyLaw
	trial *trial
	in    any
}

func (e *Engine) IDs() (list []model.LawID) {
	for _, l := range e.Laws() {
		list = append(list, l.ID)
	}
	return list
}

// New returns the engine of a kind.
func New[J, C, I any](k Kind[J, C, I]) *Engine { return &Engine{anyKind: erased[J, C, I]{k}} }

// Isolate makes the kernel run in another process.
func (e *Engine) Isolate(ask Asker) { e.anyKind = e.Isolated(ask) }

// Asked returns the laws that apply to the subject and that the options ask for.
func (e *Engine) Asked() []*AnyLaw {
	if e.list == nil {
		prefix := e.Base().Set.Law
		e.list = slices.DeleteFunc(e.Laws(), func(l *AnyLaw) bool {
			return !strings.HasPrefix(string(l.ID), prefix) || e.Applies(l) != ""
		})
	}
	return e.list
}

// Check searches for violations with rapid, law by law.
func (e *Engine) Check(t TB, parts Subtests, rapid Proposer) {
	t.Helper()
	laws := e.Asked()
	if len(laws) == 0 {
		e.noLaw(t)
	}
	e.promise()
	for _, l := range e.inOrder() {
		parts(string(l.ID), func(t TB) {
			switch c, err := e.cutting(l); {
			case err != nil:
				t.Error(err)
			case c != nil:
				c.judge(t)
			default:
				e.watched(t, func() { e.Search(t, l, rapid) })
			}
		})
	}
	s := e.Base()
	if !s.Set.Shard.On() { // a shard does so with the first block of each law
		for _, l := range e.Asked() {
			i := slices.IndexFunc(s.Sum.Laws, func(st *LawStats) bool { return st.Law == l.ID })
			if i >= 0 && !e.judgeDefault(l, s.Sum.Laws[i]) {
				break
			}
		}
	}
	s.Sum.NoteDefault()
}

// inOrder returns the laws that are asked for in the order in which they are searched: what the device's checkers find explains wrong values, and not the
// other way round.
func (e *Engine) inOrder() (list []*AnyLaw) {
	for _, findings := range []bool{true, false} {
		for _, l := range e.Asked() {
			if l.Found == findings {
				list = append(list, l)
			}
		}
	}
	return list
}

// promise notes what the subject claims.
func (e *Engine) promise() {
	s := e.Base()
	if k, ok := e.Kind().(promising); ok {
		s.Sum.Promise = k.Promise()
	}
	s.Sum.Promise.What, s.Sum.Promise.Test = s.Sum.what, s.Sum.Test
}

// noLaw says why nothing is searched: no law begins as -gamma.law says, or none of those that do applies to the subject.
func (e *Engine) noLaw(t TB) {
	t.Helper()
	s := e.Base()
	for _, l := range e.Laws() {
		if !strings.HasPrefix(string(l.ID), s.Set.Law) {
			continue
		}
		if s.Set.Law == "" {
			t.Errorf("props: no law says anything about %s: %s, for instance, since %s", s.Name, l.ID, e.Applies(l))
			return
		}
		t.Skipf("no law that begins with %q says anything about %s: %s", s.Set.Law, s.Name, e.Applies(l))
	}
	if LawBegins(s.Set.Law) {
		t.Skipf("no law that begins with %q says anything about %s, which is %s", s.Set.Law, s.Name, s.What)
	}
	t.Error(NoSuchLaw(s.Set.Law))
}

// NoSuchLaw says that no law of any kind begins as -gamma.law says, or which law judges what is called so.
func NoSuchLaw(prefix string) string {
	for _, c := range covered {
		if c.Name == prefix {
			return fmt.Sprintf("props: -gamma.%s (or %s) is %q, which is no law of its own: law %s judges it, %s", OptLaw.Name, OptLaw.Env(), prefix, c.Law, c.How)
		}
	}
	return fmt.Sprintf("props: -gamma.%s (or %s) is %q, and no law begins so; judge.Laws, judge.WordLaws, judge.ModularLaws, judge.NTTLaws, "+
		"judge.WrappingLaws, judge.FormulaLaws, judge.FFTLaws and props.RoundLaws list those there are", OptLaw.Name, OptLaw.Env(), prefix)
}

// Search draws inputs for one law until one violates it or enough have been judged.
func (e *Engine) Search(t TB, l *AnyLaw, rapid Proposer) {
	t.Helper()
	s := e.Base()
	defer s.Guard.Own()()
	if file := s.Open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the %s holds", file, s.unit)
	}
	if s.settled != "" {
		t.Skip("not judged: " + s.settled)
	}
	src, err := e.Source(l, false)
	if err != nil {
		t.Fatal(err)
	}
	st, trial := s.Stats(l.ID), e.Trial()
	defer s.share()()
	found, fails, stopped := e.seek(l, src, trial, st, rapid, true)
	switch {
	case fails:
		e.fail(t, l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no %s: -gamma.budget %v is over before the first", l.ID, s.Name, s.unit, s.Set.Budget)
	case stopped != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, s.Name, stopped)
	default:
		e.vacuity(t, l, st, src)
	}
	t.Log(st.Line())
	s.Guard.remark(t, s.Name)
	measure(trial.of, st)
	s.remarks(t, st)
}

// measure has a trial say what it has to say of all inputs together.
func measure(trial any, st *LawStats) {
	if m, ok := trial.(interface{ Measure(st *LawStats) }); ok {
		m.Measure(st)
	}
}

// remarks logs what there is to say of all inputs together.
func (s *Session) remarks(t TB, st *LawStats) {
	t.Helper()
	for _, line := range st.sentences() {
		t.Logf("%s: %s", s.Name, line)
	}
}

// seek draws inputs for one law until one violates it or enough have been judged. What comes before and after the draws is left out of all blocks but the
// first.
func (e *Engine) seek(l *AnyLaw, src *source, trial *trial, st *LawStats, propose Proposer, first bool) (found any, fails bool, stopped string) {
	if e.first = nil; first {
		e.first = e.leads(l, src)
	}
	found, fails, stopped = e.hunt(l, src, trial, st, propose, first)
	if fails && e.innocent(l, trial, found) {
		found, fails, stopped = e.hunt(l, src, trial, st, propose, first)
	}
	if _, all := src.of.(divided); !fails && stopped == "" && !all && e.lacking(l, st, src) {
		found, fails = e.harder(l, src, trial, st)
	}
	if !fails && st.Cases > 0 && e.spreads(l, trial) {
		found, fails = trial.Kept(e.now.in), true
	}
	return found, fails, stopped
}

// innocent reports whether an input that failed does not once threads are put back that others left changed. If the kernel leaves them so itself, each
// call that follows says so.
func (e *Engine) innocent(l *AnyLaw, trial *trial, in any) bool {
	g := e.Base().Guard
	left := g.Spread()
	if left == "" {
		return false
	}
	for range 3 {
		if v := trial.Judge(l, in); v.Fails() {
			return false
		}
	}
	g.acquit(left)
	return true
}

// spreads reports, once for a subject, whether goroutines of the kernel leave their threads changed, each time that it is called on the last input.
func (e *Engine) spreads(l *AnyLaw, trial *trial) bool {
	s := e.Base()
	if s.looked || !worthALook() {
		return false
	}
	s.looked = true
	left := s.Guard.Spread()
	if left == "" {
		return false
	}
	for range 2 {
		if v := trial.Judge(l, e.now.in); v.Cause != verdict.KernelEnvironment {
			s.Guard.acquit(left)
			return false
		}
	}
	return true
}

// hunt draws inputs, and if none fails and further is true attacks the bound and goes beyond what is drawn.
func (e *Engine) hunt(l *AnyLaw, src *source, trial *trial, st *LawStats, rapid Proposer, further bool) (found any, fails bool, stopped string) {
	start := time.Now()
	if found, fails, stopped = e.draws(l, src, trial, st, rapid); further && !fails && stopped == "" {
		found, fails = e.attack(l, src, trial, st)
	}
	if further && !fails && stopped == "" && !st.OutOfTime {
		found, _, fails = e.beyond(l, src, trial, st)
	}
	st.Seconds = time.Since(start).Seconds()
	return found, fails, stopped
}

// draws lets an engine draw until an input fails, enough have been judged, or the time is over: the source's own engine if it has one.
func (e *Engine) draws(l *AnyLaw, src *source, trial *trial, st *LawStats, rapid Proposer) (found any, fails bool, stopped string) {
	s, took := e.Base(), pace{start: time.Now()}
	end := func() time.Duration {
		if s.whole == 0 || st.Holds > 0 && st.Cases >= leastCases+len(e.first) {
			return s.Set.Budget
		}
		return s.whole // too little has been judged
	}
	late := func() bool {
		st.OutOfTime = st.OutOfTime || time.Since(took.start) > end()
		return st.OutOfTime
	}
	try := func(in any) bool {
		_, n := e.Setting(in)
		if !took.fits(n, end()) {
			st.leaveLate(n)
			return false
		}
		in = e.underFirst(in)
		begun := time.Now()
		v := e.Judge(trial, l, in)
		took.note(n, time.Since(begun))
		holds := st.Holds
		trial.Count(st, &v, in)
		if src.learn != nil && st.Holds > holds {
			src.learn(trial.Kept(in))
		}
		if fails = v.Fails(); fails {
			found = trial.Kept(in)
		}
		return fails
	}
	if src.search != nil {
		stopped = src.search(try, late)
		if own, ok := src.of.(interface{ Held() int }); ok { // judged by the source itself
			st.Cases += own.Held()
			st.Holds += own.Held()
		}
		return found, fails, stopped
	}
	each := 1
	if more, ok := src.of.(interface{ Each() int }); ok {
		each = more.Each()
	}
	stopped = rapid(src.Draws(), e.Shaped(), func(d Draw) (violated bool) {
		// Rapid runs again what failed: we know.
		for k := 0; k < each && !fails && (k > 0 || !late()); k++ {
			if in, ok := src.Make(d, k); ok {
				try(in)
			}
		}
		return fails
	})
	return found, fails, stopped
}

// Found looks for a violation of one law by the source's own engine, outside of a test: it returns the report of the first one, not
// saved, or nil.
func (e *Engine) Found(l *AnyLaw) (Failure, error) {
	s := e.Base()
	defer s.Guard.Own()()
	if why := e.Applies(l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, s.Name, why)
	}
	src, err := e.Source(l, true)
	if err != nil {
		return nil, err
	}
	s.Set.Save = "off"
	st, trial, blocks := &LawStats{}, e.Trial(), 1
	own, all := src.of.(divided)
	if all {
		blocks = own.Blocks()
	}
	for k := range blocks {
		if all {
			own.Block(k)
		}
		in, fails, stopped := e.hunt(l, src, trial, st, nil, k == 0)
		switch {
		case fails:
			return e.Examine(l, in, st), nil
		case stopped != "":
			return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s", l.ID, s.Name, stopped)
		}
	}
	return nil, nil
}

// searcher is a source with an engine of its own. It tries inputs until try is true of one, it is late, or there are enough of them, and
// returns what stopped it, or "".
type searcher[I any] interface {
	Search(try func(in I) (fails bool), late func() bool) (stopped string)
}

// leads returns how a law's first inputs run, so that a kernel of any kind runs under each behaviour that its device admits: one
// that is left to chance is missed by laws that draw few inputs.
func (e *Engine) leads(l *AnyLaw, src *source) (list []lead) {
	rounds := 1
	if more, ok := src.of.(interface{ Rounds() int }); ok {
		rounds = more.Rounds()
	}
	s := e.Base()
	for _, b := range s.Device.Systematic(s.Set.SeedFor(string(l.ID), s.Name), rounds) {
		list = append(list, lead{b: b})
	}
	if l.Found {
		list = append(list, s.Device.crowded()...)
	}
	return list
}

// underFirst returns an input as the next of the first inputs runs. An input without elements, of which nothing is found, is left as it is.
func (e *Engine) underFirst(in any) any {
	if len(e.first) == 0 {
		return in
	}
	at, n := e.Setting(in)
	if n == 0 && e.first[0].extent != 0 {
		return in
	}
	at, e.first = e.Base().Device.lead(n, at, e.first[0]), e.first[1:]
	return e.Under(in, at)
}

// Judge records an input and judges it, so that the record survives if the process does not.
func (e *Engine) Judge(t *trial, l *AnyLaw, in any) verdict.Verdict {
	e.record(l, in)
	e.now = running{l, t, in}
	return t.Judge(l, in)
}

// fail reduces, explains, reports and saves the first violation of a law.
func (e *Engine) fail(t TB, l *AnyLaw, in any, st *LawStats) {
	t.Helper()
	s, f := e.Base(), e.Examine(l, in, st)
	f.Common().Seen = st.Seen
	f = e.reproduced(l, in, f, st)
	common := f.Common()
	st.Violations++
	st.Failure = f
	s.settle(l.ID, &common.Verdict)
	PublishFailure(f)
	s.tell(t, f)
}

// watched runs a part of a judgement. If the kernel hangs in it, the input is judged and reported in isolation: nothing else ends a call.
func (e *Engine) watched(t TB, part func()) {
	t.Helper()
	s := e.Base()
	if s.Device != nil || s.Set.Isolate || s.Set.Again != "" { // devices stop kernels themselves, and another process, as all that the command judges is in, is ended
		part()
		return
	}
	if !s.Guard.Watch(s.Set.Timeout, part) {
		return
	}
	now := e.now
	reason := fmt.Sprintf("the kernel did not return within %v", s.Set.Timeout)
	s.settle(now.law.ID, &verdict.Verdict{Cause: verdict.KernelHung, Reason: reason})
	defer (&Guard{}).Own()()
	iso := NewIsolation(s.Sum.Test, s.Name, s.Set.Timeout)
	defer iso.Stop()
	s.Set.Isolate = true
	st := s.Stats(now.law.ID)
	st.Seen = reason
	(&Engine{anyKind: e.Isolated(iso.Ask)}).fail(t, now.law, now.trial.Kept(now.in), st)
}

// settle notes a verdict that is the same under every law.
func (s *Session) settle(law model.LawID, v *verdict.Verdict) {
	if v.Cause.Settles() && s.settled == "" {
		s.settled = fmt.Sprintf("under %s %s; fix that first", law, v.Reason)
	}
}

// Find looks for a violation of one law by inputs that count for n, and needs no testing package: it returns the first that fails. Where n
// is as many as a test draws or more, it also runs inputs under each behaviour that is admitted, and goes beyond them, as a test does.
func (e *Engine) Find(l *AnyLaw, n int) (in any, v verdict.Verdict, st *LawStats, err error) {
	s := e.Base()
	defer s.Guard.Own()()
	v, st = verdict.Verdict{Outcome: verdict.Vacuous, Law: l.ID, Reason: "no case was drawn"}, &LawStats{}
	if !l.Judges {
		return in, v, st, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	if why := e.Applies(l); why != "" {
		return in, v, st, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, s.Name, why)
	}
	src, err := e.Source(l, true)
	if err != nil {
		return in, v, st, err
	}
	s.Set.Save = "off"
	trial := e.Trial()
	rng := draw.Splitmix(s.Set.SeedFor(s.Search+string(l.ID), s.Name))
	for drawn := 0; drawn < n; {
		var k int
		in, k = src.Next(&rng)
		drawn += k
		v = trial.Judge(l, in)
		if trial.Count(st, &v, in); v.Fails() {
			return trial.Kept(in), v, st, nil
		}
	}
	if n >= s.Checks(s.Set.Checks) {
		// What a test begins with stands here at the end, so that the inputs before are the same ones.
		e.first = e.leads(l, src)
		for most := 8 * len(e.first); len(e.first) > 0 && most > 0; most-- { // inputs without elements do not count
			in, _ = src.Next(&rng)
			in = e.underFirst(in)
			v = trial.Judge(l, in)
			if trial.Count(st, &v, in); v.Fails() {
				return trial.Kept(in), v, st, nil
			}
		}
	}
	if n >= s.Set.Checks {
		if more, w, fails := e.beyond(l, src, trial, st); fails {
			return more, w, st, nil
		}
	}
	return in, v, st, nil
}

// Report finds a violation of one law as find does, and returns its report, reduced and not saved, or nil, and how many inputs were
// judged.
func (e *Engine) Report(l *AnyLaw, n int) (f Failure, judged int, err error) {
	defer e.Base().Guard.Own()()
	in, v, st, err := e.Find(l, n)
	if err != nil || !v.Fails() {
		return nil, st.judged(), err
	}
	return e.Examine(l, in, st), st.judged(), nil
}

func (e *Engine) Searches() int { return len(e.Asked()) }

func (e *Engine) Targets() int {
	if _, err := e.Source(e.named(""), false); err != nil {
		return 0
	}
	return len(e.Asked())
}

func (e *Engine) Fuzz(t TB, law int, data *Decoder) {
	t.Helper()
	defer e.Base().Guard.Own()()
	l := e.Asked()[law]
	in, trial := e.Decode(data, l), e.Trial()
	if v := e.Judge(trial, l, in); v.Fails() {
		e.fail(t, l, trial.Kept(in), e.Base().Stats(l.ID))
	}
}

// Subject is a kernel with its claim, of any kind: a Reduction, a Dot, an Operation, a Modular, an NTT.
type Subject interface {
	Judged(set Settings) (Judged, error)
}

// Chosen returns the name of the one function that a subject sets: those that it can set are fields of it. It is an error if the subject has no
// Name, of which example is one, or sets none or several; kind names the subject with its article, and choices the functions.
func Chosen(subject any, kind, example, choices string, fields ...string) (set string, err error) {
	v := reflect.ValueOf(subject)
	name, noun := v.FieldByName("Name").String(), v.Type().Name()
	if name == "" {
		return "", fmt.Errorf("props: %s has no Name; give it one such as %q, reports and case files need it", kind, example)
	}
	for _, f := range fields {
		switch {
		case v.FieldByName(f).IsNil():
		case set != "":
			return "", fmt.Errorf("props: %s %s sets both %s and %s; set exactly one", noun, name, set, f)
		default:
			set = f
		}
	}
	if set == "" {
		return "", fmt.Errorf("props: %s %s sets no Run function; set %s", noun, name, choices)
	}
	return set, nil
}
