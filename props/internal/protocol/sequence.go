package protocol

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// sequenceKind is what a search by sequences of commands asks of systems of one kind. Commands and the model's first state are made of
// numbers, so that another process can make them, too.
type sequenceKind[S, T any] struct {
	kind, what, name string
	law              model.LawID
	statement        string
	checks, longest  int // sequences, and commands of the longest; 0: 60

	first func(rng *rand.Rand) []uint64
	start func(first []uint64) S
	open  func() T
	close func(T) // nil: nothing to do
	// draw draws a command for a state, which commands of some numbers lead to, and returns its own numbers. rng is nil when it is late.
	draw   func(s S, drawn []uint64, rng *rand.Rand) (c ProtocolCommand[S, T], numbers []uint64)
	decode func(numbers []uint64) ProtocolCommand[S, T]
	// offers returns simpler commands, and encode their numbers; nil: there are none.
	offers func(c ProtocolCommand[S, T]) []ProtocolCommand[S, T]
	encode func(c ProtocolCommand[S, T]) []uint64
}

// sequences judges a system by sequences of commands, which gopter draws and shortens.
type sequences[S, T any] struct {
	*engine.Session
	k   *sequenceKind[S, T]
	ask engine.Asker // nil: the system lives in this process
	st  *engine.LawStats

	own        sequenceSystem[S, T]
	count      int // sequences run
	steps, end int // commands run, and how many at most
	endTime    time.Time
	first      []uint64 // of the sequence that runs, with its commands and their texts
	history    []sequenceStep[S, T]
	texts      []string
	failed     bool
	last       *SequenceFailure // the last one seen, which gopter's shrinking leaves the simplest
	lastFirst  []uint64
	lastSteps  []sequenceStep[S, T]
}

func newSequences[S, T any](set engine.Settings, k *sequenceKind[S, T]) *sequences[S, T] {
	s := engine.NewSession(set, k.name, nil, "commands", "sequence", k.what)
	s.Anywhere = true
	return &sequences[S, T]{Session: s, k: k, own: sequenceSystem[S, T]{k: k, calls: s.Guard}}
}

// sequenceSystem is a system and the model of it.
type sequenceSystem[S, T any] struct {
	k      *sequenceKind[S, T]
	calls  *engine.Guard
	system T
	s      S
	opened bool
}

// begin makes a fresh system.
func (y *sequenceSystem[S, T]) begin(first []uint64) verdict.Verdict {
	y.end()
	err := y.calls.Do(func() error {
		y.system, y.s, y.opened = y.k.open(), y.k.start(first), true
		return nil
	})
	return broken(err)
}

// end frees the system.
func (y *sequenceSystem[S, T]) end() {
	if y.opened && y.k.close != nil {
		defer y.calls.End(y.calls.Begin(), new(error)) // nobody is asked: the sequence is over
		y.k.close(y.system)
	}
	y.opened = false
}

// broken returns the verdict on a system that left something changed.
func broken(err error) verdict.Verdict {
	if b := verdict.BreakageOf("the system", err); b != nil {
		return verdict.Breaks(b)
	}
	return verdict.Verdict{}
}

// do carries out a command, and compares what it showed with the model. The witness has the command as a report shows it.
func (y *sequenceSystem[S, T]) do(c ProtocolCommand[S, T]) (v verdict.Verdict) {
	text := c.String()
	defer func() {
		if p := recover(); p != nil {
			v = verdict.Breaks(verdict.Panicked(verdict.KernelPanicked, "the system panics: %v", p))
		}
		v.Witness = &verdict.Witness{GotText: text}
	}()
	why := ""
	err := y.calls.Do(func() error {
		shown, differs := c.Run(y.system)
		text = shown
		if y.s = c.Next(y.s); differs != nil {
			why = differs(y.s) // it may ask the system
		}
		return nil
	})
	if v = broken(err); !v.Fails() && why != "" {
		v = verdict.Fails(why, nil)
	}
	return v
}

// Served runs commands for another process.
func (r *sequences[S, T]) Served() engine.Server {
	return func(c *engine.Call) *engine.Reply {
		var v verdict.Verdict
		if c.What == "begin" {
			v = r.own.begin(c.Numbers)
		} else {
			v = r.own.do(r.k.decode(c.Numbers))
		}
		return &engine.Reply{Verdict: &v}
	}
}

func (r *sequences[S, T]) Isolate(ask engine.Asker) { r.ask = ask }

// begin begins a sequence, and do carries out its next command; both return no verdict but of what breaks or differs first.
func (r *sequences[S, T]) begin(first []uint64) (v verdict.Verdict) {
	r.first, r.history, r.texts = first, nil, nil
	if r.ask != nil {
		v = r.ask(&engine.Call{What: "begin", Numbers: first}).OwnVerdict()
	} else {
		v = r.own.begin(first)
	}
	r.failed = v.Fails()
	return v
}

func (r *sequences[S, T]) do(c sequenceStep[S, T]) (v verdict.Verdict) {
	r.history, r.texts = append(r.history, c), append(r.texts, c.c.String())
	r.Rec.Note(r.k.law, func() string { return strings.Join(r.texts, "; ") })
	if r.ask != nil {
		v = r.ask(&engine.Call{What: "do", Numbers: c.numbers, Follows: true}).OwnVerdict()
	} else {
		v = r.own.do(c.c)
	}
	if v.Witness != nil {
		r.texts[len(r.texts)-1] = v.Witness.GotText
	}
	v.Law, v.Witness, r.failed = r.k.law, nil, v.Fails()
	return v
}

// Recall tells what commands ran when a process died.
func (r *sequences[S, T]) Recall(_ model.LawID, text []byte) (corpus.Body, error) {
	return nil, &engine.Unsavable{What: "the commands " + string(text)}
}

func (r *sequences[S, T]) IDs() []model.LawID { return []model.LawID{r.k.law} }

func (r *sequences[S, T]) Searches() int { return 1 }

func (r *sequences[S, T]) Targets() int { return 0 }

func (r *sequences[S, T]) Seeds() [][]byte { return nil }

func (r *sequences[S, T]) Fuzz(engine.TB, int, *engine.Decoder) {}

func (r *sequences[S, T]) Replay(t engine.TB, _ engine.Subtests) {
	t.Helper()
	if r.Set.CaseFile != "" {
		t.Skipf("the case %s is not one of %s: sequences of commands are not saved", r.Set.CaseFile, r.Name)
	}
}

func (r *sequences[S, T]) Check(t engine.TB, _ engine.Subtests, _ engine.Proposer) {
	t.Helper()
	switch {
	case strings.HasPrefix(string(r.k.law), r.Set.Law):
	case engine.LawBegins(r.Set.Law):
		t.Skipf("no law that begins with %q says anything about %s, which is %s", r.Set.Law, r.Name, r.What)
	default:
		t.Error(engine.NoSuchLaw(r.Set.Law))
		return
	}
	r.st = r.Stats(r.k.law)
	start := time.Now()
	var f *SequenceFailure
	var err error
	if find := func() { f, err = r.Find() }; r.ask != nil {
		find()
	} else if r.Guard.Watch(r.Set.Timeout, find) { // it hangs: the same sequences find that in another process, which can be ended
		iso := engine.NewIsolation(r.Sum.Test, r.Name, r.Set.Timeout)
		defer iso.Stop()
		r.Set.Isolate = true
		again := &sequences[S, T]{Session: r.Session, k: r.k, ask: iso.Ask, st: r.st}
		f, err = again.Find()
	}
	if err == nil && r.Guard.Spread() != "" { // a goroutine left a thread changed: the system's in a call, or another's before
		k := *r.k
		k.checks = min(k.checks, watchedSequences)
		f, err = (&sequences[S, T]{Session: r.Session, k: &k, own: sequenceSystem[S, T]{k: &k, calls: r.Guard}, st: r.st}).Find()
	}
	r.st.Seconds = time.Since(start).Seconds()
	if f != nil {
		r.st.Violations++
		f.AfterCalls = r.PassesAfresh(&f.Violation, f.Law)
		engine.PublishFailure(f)
		t.Error("\n" + f.Text())
	} else if err != nil {
		t.Error(err)
	}
	t.Log(r.st.Line())
}

// findSequence looks for a sequence that shows a difference, outside of a test.
func findSequence(make engine.Opener) (*SequenceFailure, error) {
	set, err := engine.ReadSettings()
	if err != nil {
		return nil, err
	}
	j, err := make(set)
	if err != nil {
		return nil, err
	}
	return j.(interface {
		Find() (*SequenceFailure, error)
	}).Find()
}

// watchedSequences is how many sequences run again with a look at all threads after each command, which takes milliseconds.
const watchedSequences = 5

// shrinkSteps is how many commands are run to simplify a sequence that fails.
const shrinkSteps = 60_000

// sequenceStep joins a command to gopter.
type sequenceStep[S, T any] struct {
	r       *sequences[S, T]
	c       ProtocolCommand[S, T]
	numbers []uint64
}

// sequenceState is a state of the model, and the numbers that what led to it was drawn with.
type sequenceState[S any] struct {
	s            S
	first, drawn []uint64
}

func (c sequenceStep[S, T]) String() string { return c.c.String() }

func (c sequenceStep[S, T]) PreCondition(state commands.State) bool {
	return c.c.Possible(state.(sequenceState[S]).s)
}

func (c sequenceStep[S, T]) NextState(state commands.State) commands.State {
	before := state.(sequenceState[S])
	return sequenceState[S]{c.c.Next(before.s), before.first, c.numbers}
}

// Run carries the command out; nothing more is run where something differed, or the system could not be made.
func (c sequenceStep[S, T]) Run(begun commands.SystemUnderTest) commands.Result {
	r := c.r
	if v := begun.(verdict.Verdict); v.Fails() {
		r.keep(v)
		return v
	}
	if r.failed || r.last != nil && (r.steps > r.end || time.Now().After(r.endTime)) {
		return verdict.Verdict{} // enough of shrinking
	}
	r.steps++
	v := r.do(c)
	if v.Fails() {
		if r.last == nil {
			r.end, r.endTime = r.steps+shrinkSteps, time.Now().Add(engine.ReduceTime)
		}
		r.keep(v)
	}
	return v
}

// keep keeps the sequence that runs as one that fails.
func (r *sequences[S, T]) keep(v verdict.Verdict) {
	cases := r.count
	if r.last != nil {
		cases = r.last.Cases
	}
	r.last = &SequenceFailure{
		Violation: r.Violation(r.k.kind, v), Law: r.k.law, Statement: r.k.statement, Commands: slices.Clone(r.texts),
	}
	r.last.Cases = cases
	r.last.NotSaved = "sequences of commands have no file: the seed finds it again"
	r.lastFirst, r.lastSteps = r.first, slices.Clone(r.history)
}

func (c sequenceStep[S, T]) PostCondition(_ commands.State, result commands.Result) *gopter.PropResult {
	v := result.(verdict.Verdict)
	return gopter.NewPropResult(!v.Fails(), v.Reason)
}

// shrinker offers simpler commands in the place of one.
func (k *sequenceKind[S, T]) shrinker() gopter.Shrinker {
	if k.offers == nil {
		return gopter.NoShrinker
	}
	return func(v any) gopter.Shrink {
		c := v.(sequenceStep[S, T])
		list := k.offers(c.c)
		return func() (any, bool) {
			if len(list) == 0 {
				return nil, false
			}
			o := list[0]
			list = list[1:]
			return sequenceStep[S, T]{c.r, o, k.encode(o)}, true
		}
	}
}

// Find lets gopter draw sequences and shorten the first that fails, and runs what is left once more.
func (r *sequences[S, T]) Find() (*SequenceFailure, error) {
	k := r.k
	if r.st == nil {
		r.st, r.Rec = &engine.LawStats{}, &engine.Recorder{}
	}
	defer r.Guard.Own()()
	defer r.own.end()
	params := gopter.DefaultTestParametersWithSeed(int64(r.Set.SeedFor(string(k.law), k.name) >> 1))
	params.MinSuccessfulTests = k.checks
	longest := k.longest
	if longest == 0 {
		longest = 60
	}
	params.MinSize, params.MaxSize = 1, longest+1
	start := time.Now()
	shrinker := k.shrinker()
	result := commands.Prop(&commands.ProtoCommands{
		NewSystemUnderTestFunc: func(state commands.State) commands.SystemUnderTest {
			r.count++
			return r.begin(state.(sequenceState[S]).first)
		},
		DestroySystemUnderTestFunc: func(commands.SystemUnderTest) {
			if r.last == nil {
				r.st.Add(&verdict.Verdict{}, "", len(r.texts))
			}
		},
		InitialStateGen: func(p *gopter.GenParameters) *gopter.GenResult {
			first := k.first(p.Rng)
			return gopter.NewGenResult(sequenceState[S]{k.start(first), first, nil}, gopter.NoShrinker)
		},
		InitialPreConditionFunc: func(commands.State) bool { return true },
		GenCommandFunc: func(state commands.State) gopter.Gen {
			s := state.(sequenceState[S])
			return func(p *gopter.GenParameters) *gopter.GenResult {
				rng := p.Rng
				if r.last == nil && time.Since(start) > r.Set.Budget {
					r.st.OutOfTime, rng = true, nil // the rest are cheap commands
				}
				c, numbers := k.draw(s.s, s.drawn, rng)
				return gopter.NewGenResult(sequenceStep[S, T]{r, c, numbers}, shrinker)
			}
		},
	}).Check(params)
	if r.last == nil {
		if result.Passed() || r.st.OutOfTime {
			return nil, nil
		}
		return nil, fmt.Errorf("props: %s on %s: the engine stopped: %s %v", k.law, k.name, result.Status, result.Error)
	}
	f := r.last
	f.Sequences = r.count
	r.st.Add(&f.Verdict, "", len(f.Commands))
	v := r.begin(r.lastFirst)
	for i := 0; i < len(r.lastSteps) && !v.Fails(); i++ {
		v = r.do(r.lastSteps[i])
	}
	if !v.Fails() && v.Cause != verdict.NotRun {
		f.Flaky, f.Seen, f.Verdict = true, f.Verdict.Reason, v
	}
	return f, nil
}

// SequenceFailure is a sequence of commands after which a system shows something else than its model.
type SequenceFailure struct {
	engine.Violation
	Law       model.LawID
	Statement string
	Commands  []string // as Go writes them
	Sequences int      // run, those of the simplification included
}

// Text returns the report in plain text.
func (f *SequenceFailure) Text() string {
	var r report.Report
	r.Wrap("", f.Headline(f.Law, "a sequence", fmt.Sprintf("after %s %s", report.Count(len(f.Commands), "command"), f.Verdict.Reason)))
	r.Blank()
	r.WriteLaw(f.Statement, "", "", "")
	r.Blank()
	for i, c := range f.Commands {
		label := ""
		if i == 0 {
			label = "commands"
		}
		r.Wrap(label, report.Shorten(c, 3*(report.ReportWidth-report.LabelWidth)))
	}
	r.WriteStack(f.Stack)
	r.Blank()
	return f.End(&r, f.Law, f.FoundBy("sequence", "", fmt.Sprintf("%d run in all", f.Sequences)), "")
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *SequenceFailure) JSON() ([]byte, error) {
	return engine.LineOf(struct {
		engine.JSONViolation
		Commands  []string `json:"commands"`
		Sequences int      `json:"sequences"`
	}{f.CommonJSON(f.Law, f.Statement, "", "", "", "", verdict.Setting{}), f.Commands, f.Sequences})
}
