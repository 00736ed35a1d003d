package engine

import (
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// The engine is compiled once, and not again in the package of each kind: it sees a law as what it reads of one, and an input as any. What stands
// here hands what a kind says in its own types on to it, and adds nothing.

// AnyLaw is what the engine reads of a law of any kind; its fields are as in LawOf.
type AnyLaw struct {
	ID                          model.LawID
	Thorough, Flushes, Hardware bool
	Found, Calls, Judges        bool // the law has such a function, or any
	of                          any  // the *LawOf of its kind
}

// Erase returns a law as the engine sees it.
func Erase[J, C any](l *LawOf[J, C]) *AnyLaw {
	return &AnyLaw{l.ID, l.Thorough, l.Flushes, l.Hardware, l.Found != nil, l.Calls != nil, l.Judges(), l}
}

// anyKind is a Kind of any types.
type anyKind interface {
	Base() *Session
	Served() Server
	Isolated(ask Asker) anyKind
	Laws() []*AnyLaw
	// named returns a law that the kind does not have, of which the ID is all that is known.
	named(id model.LawID) *AnyLaw
	Applies(l *AnyLaw) string
	Trial() *trial
	Source(l *AnyLaw, find bool) (*source, error)
	Shaped() Shaped
	Decode(d *Decoder, l *AnyLaw) any
	Seeds() [][]byte
	Setting(in any) (at verdict.Setting, n int)
	Under(in any, at verdict.Setting) any
	Accepts(l *AnyLaw, in any) error
	Record(b []byte, in any) []byte
	Recorded(text []byte) (any, error)
	Body(l *AnyLaw, in any) corpus.Body
	Owns(f *CaseFile) bool
	Pieces(l *AnyLaw, f *CaseFile) ([]Piece[any], error)
	shrink(l *AnyLaw, in any, fails func(in any) bool, most int, late time.Time) (any, reduce.Stats)
	Examine(l *AnyLaw, in any, st *LawStats) Failure
	Failure(l *AnyLaw, in any, v verdict.Verdict, t *trial) Failure
	has(l *AnyLaw) bool // the law is one of the kind's
	Kind() any          // as it was given to New
}

// erased is a kind of certain types as one of any.
type erased[J, C, I any] struct{ k Kind[J, C, I] }

func (e erased[J, C, I]) law(l *AnyLaw) *LawOf[J, C] { return l.of.(*LawOf[J, C]) }

func (e erased[J, C, I]) Kind() any                  { return e.k }
func (e erased[J, C, I]) Base() *Session             { return e.k.Base() }
func (e erased[J, C, I]) Served() Server             { return e.k.Served() }
func (e erased[J, C, I]) Isolated(ask Asker) anyKind { return erased[J, C, I]{e.k.Isolated(ask)} }
func (e erased[J, C, I]) Shaped() Shaped             { return e.k.Shaped() }
func (e erased[J, C, I]) Seeds() [][]byte            { return e.k.Seeds() }
func (e erased[J, C, I]) Owns(f *CaseFile) bool      { return e.k.Owns(f) }

func (e erased[J, C, I]) has(l *AnyLaw) bool {
	_, ok := l.of.(*LawOf[J, C])
	return ok
}

func (e erased[J, C, I]) Laws() []*AnyLaw {
	laws := e.k.Laws()
	list := make([]*AnyLaw, len(laws))
	for i := range laws {
		list[i] = Erase(&laws[i])
	}
	return list
}

func (e erased[J, C, I]) named(id model.LawID) *AnyLaw { return Erase(&LawOf[J, C]{ID: id}) }

func (e erased[J, C, I]) Applies(l *AnyLaw) string { return e.k.Applies(e.law(l)) }

func (e erased[J, C, I]) Setting(in any) (at verdict.Setting, n int) { return e.k.Setting(in.(I)) }

func (e erased[J, C, I]) Under(in any, at verdict.Setting) any { return e.k.Under(in.(I), at) }

func (e erased[J, C, I]) Accepts(l *AnyLaw, in any) error { return e.k.Accepts(e.law(l), in.(I)) }

func (e erased[J, C, I]) Decode(d *Decoder, l *AnyLaw) any { return e.k.Decode(d, e.law(l)) }

func (e erased[J, C, I]) Record(b []byte, in any) []byte { return e.k.Record(b, in.(I)) }

func (e erased[J, C, I]) Recorded(text []byte) (any, error) { return e.k.Recorded(text) }

func (e erased[J, C, I]) Body(l *AnyLaw, in any) corpus.Body { return e.k.Body(e.law(l), in.(I)) }

func (e erased[J, C, I]) Pieces(l *AnyLaw, f *CaseFile) ([]Piece[any], error) {
	pieces, err := e.k.Pieces(e.law(l), f)
	list := make([]Piece[any], len(pieces))
	for i, p := range pieces {
		list[i] = Piece[any]{p.In, p.Rows, p.Place, p.Expect, p.Reaches, p.calls}
	}
	return list, err
}

// shrink reduces an input by the kind's own steps, whatever the predicate is.
func (e erased[J, C, I]) shrink(l *AnyLaw, in any, fails func(in any) bool, most int, late time.Time) (any, reduce.Stats) {
	o := reduce.Options[I]{MaxEvals: most, Deadline: late, Device: e.k.Base().Device}
	m := reduce.New(in.(I), e.k, func(in I) bool { return fails(in) }, o)
	return m.Run(func() { e.k.Shrink(e.law(l), m) })
}

func (e erased[J, C, I]) Examine(l *AnyLaw, in any, st *LawStats) Failure {
	return e.k.Examine(e.law(l), in.(I), st)
}

func (e erased[J, C, I]) Failure(l *AnyLaw, in any, v verdict.Verdict, t *trial) Failure {
	return e.k.Failure(e.law(l), in.(I), v, t.of.(Trial[J, C, I]))
}

// trial is a Trial of any types.
type trial struct {
	of    any
	Judge func(l *AnyLaw, in any) verdict.Verdict
	Kept  func(in any) any
	// Count adds the verdict on the input that was judged last to the statistics of a law.
	Count func(st *LawStats, v *verdict.Verdict, in any)
	wants func(in any) error // what a file states of the right result; nil: it states none
}

func (e erased[J, C, I]) Trial() *trial {
	of := e.k.Trial()
	t := &trial{
		of:    of,
		Judge: func(l *AnyLaw, in any) verdict.Verdict { return of.Judge(l.of.(*LawOf[J, C]), in.(I)) },
		Kept:  func(in any) any { return of.Kept(in.(I)) },
		Count: func(st *LawStats, v *verdict.Verdict, in any) {
			_, n := e.k.Setting(in.(I))
			st.Add(v, "", n)
		},
	}
	if c, ok := of.(counter[I]); ok {
		t.Count = func(st *LawStats, v *verdict.Verdict, in any) { c.Count(st, v, in.(I)) }
	}
	if o, ok := of.(interface{ CheckWant(in I) error }); ok {
		t.wants = func(in any) error { return o.CheckWant(in.(I)) }
	}
	return t
}

// source is a Source of any types. A function that is nil is of an interface that the source does not have.
type source struct {
	of     any
	Draws  func() int
	Make   func(d Draw, k int) (in any, ok bool)
	Next   func(rng *draw.Splitmix) (in any, n int)
	learn  func(in any)
	search func(try func(in any) bool, late func() bool) (stopped string)
	round  func() int
	beyond func(k int, far bool, rng *draw.Splitmix) (in any, ok bool)
	climb  func(judge func(in any) (ratio float64, enough bool))
}

func (e erased[J, C, I]) Source(l *AnyLaw, find bool) (*source, error) {
	of, err := e.k.Source(e.law(l), find)
	if err != nil {
		return nil, err
	}
	s := &source{
		of:    of,
		Draws: of.Draws,
		Make:  func(d Draw, k int) (any, bool) { return of.Make(d, k) },
		Next:  func(rng *draw.Splitmix) (any, int) { return of.Next(rng) },
	}
	if o, ok := of.(learning[I]); ok {
		s.learn = func(in any) { o.Learn(in.(I)) }
	}
	if o, ok := of.(searcher[I]); ok {
		s.search = func(try func(in any) bool, late func() bool) string {
			return o.Search(func(in I) bool { return try(in) }, late)
		}
	}
	if o, ok := of.(beyonder[I]); ok {
		s.round = o.Round
		s.beyond = func(k int, far bool, rng *draw.Splitmix) (any, bool) { return o.Beyond(k, far, rng) }
	}
	if o, ok := of.(ascent[I]); ok {
		s.climb = func(judge func(in any) (float64, bool)) {
			o.Climb(func(in I) (float64, bool) { return judge(in) })
		}
	}
	return s, nil
}
