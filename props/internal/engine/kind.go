package engine

import (
	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// Kind is what the engine asks of a subject of one kind. J is what its laws look at, C its claim, I one input: a case, or a batch of
// rows in one call.
type Kind[J, C, I any] interface {
	Base() *Session
	Served() Server
	// Isolated returns the subject with its kernel in another process.
	Isolated(ask Asker) Kind[J, C, I]

	// Laws returns the built-in laws of the kind and the subject's own, and applies says why one has nothing to say about the
	// subject, "" if it has.
	Laws() []LawOf[J, C]
	Applies(l *LawOf[J, C]) string
	// Trial returns what runs and judges inputs, and source what draws them for a law; find: outside of a test.
	Trial() Trial[J, C, I]
	Source(l *LawOf[J, C], find bool) (Source[I], error)
	// Shaped says whether inputs have sizes and shapes that are drawn.
	Shaped() Shaped
	// Decode makes an input of bytes, whatever they are, and seeds returns bytes that lead a fuzzer to all that decode reads.
	Decode(d *Decoder, l *LawOf[J, C]) I
	Seeds() [][]byte
	// Setting returns what an input runs under and how many elements it has for a device, and under returns it under another setting.
	Setting(in I) (at verdict.Setting, n int)
	Under(in I, at verdict.Setting) I
	// Accepts says why the subject cannot run an input for a law.
	Accepts(l *LawOf[J, C], in I) error
	// Record appends an input without its setting to b, or returns nil if it is too long for that and has no recipe, and recorded reads
	// what it wrote. Body returns the file that holds an input.
	Record(b []byte, in I) []byte
	Recorded(text []byte) (I, error)
	Body(l *LawOf[J, C], in I) corpus.Body
	// Owns reports whether a file is one of the subject's, and pieces returns the inputs that it holds.
	Owns(f *CaseFile) bool
	Pieces(l *LawOf[J, C], f *CaseFile) ([]Piece[I], error)
	// Shrink makes the input of a reduction smaller, of a law, whatever its predicate is.
	Shrink(l *LawOf[J, C], m *reduce.Loop[I])
	// Examine reduces an input that fails, explains what is left, and saves it. failure describes one as it is.
	Examine(l *LawOf[J, C], in I, st *LawStats) Failure
	Failure(l *LawOf[J, C], in I, v verdict.Verdict, t Trial[J, C, I]) Failure
}

// Trial runs inputs and judges them. It keeps its memory from input to input.
type Trial[J, C, I any] interface {
	Judge(l *LawOf[J, C], in I) verdict.Verdict
	// Kept returns a copy of an input that outlives the next draw.
	Kept(in I) I
}

// Source draws inputs for one law.
type Source[I any] interface {
	// Draws is how often an engine draws. A draw stands for one input, or as many as a method Each says.
	Draws() int
	// Make expands a draw into its input number k, which is valid until the next; ok is false where the law skips it.
	Make(d Draw, k int) (in I, ok bool)
	// Next draws from a generator of numbers, as a search outside of a test does, and n is how many such inputs count for.
	Next(rng *draw.Splitmix) (in I, n int)
}

// counter is a trial that counts the verdict on the input that was judged last itself: rows of a batch, families, what runs gave.
type counter[I any] interface {
	Count(st *LawStats, v *verdict.Verdict, in I)
}
