package judge

import (
	"fmt"
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/words"
	"gamma/sumtree"
)

// Operation is an operation on words to be judged: an error-free transform, arithmetic of double words, a complex product. Set
// Name, Claim.Op and exactly one of the Run functions.
//
// A Run function gets a batch of rows, one after the other: src holds Claim.Op.In() words for each row, and the function writes
// Claim.Op.Out() words for each into dst. It must neither keep nor change src, unless
// dst begins there by Claim.InPlace; the judge notices if it does. Rows22 and its like
// make a batch function of one that takes a row.
type Operation struct {
	// Name is package and function, such as "dd.Times3"; reports and tables of cases use it.
	Name string

	Run   func(dst, src []float32)
	Run64 func(dst, src []float64)

	// The same with an error, for operations that can fail.
	RunErr   func(dst, src []float32) error
	Run64Err func(dst, src []float64) error

	// RunOn runs the batch on a device, such as a shader, as at says. The error may be a model.Findings, as for Reduction.
	RunOn func(at Setting, dst, src []float32) error
	// Device goes with RunOn. Its numbers of elements are numbers of rows, and its Under and Schedule are not for operations.
	Device DeviceClaim

	// Claim is what the operation promises.
	Claim word.Claim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []WordLaw
}

// Subject checks the fields and names the one that is wrong.
func (o Operation) Subject() (*words.Subject, error) {
	fail := func(format string, args ...any) (*words.Subject, error) {
		return nil, fmt.Errorf("props: Operation %s%w", o.Name, fmt.Errorf(format, args...))
	}
	set, err := engine.Chosen(o, "an Operation", "mykernel.Times", "one of Run, Run64, one of these with the suffix Err, or for a device RunOn",
		"Run", "Run64", "RunErr", "Run64Err", "RunOn")
	if err != nil {
		return nil, err
	}
	c := o.Claim
	if c.Op == (word.Op{}) {
		return fail(": Claim.Op is not set; set it to one such as word.DWTimesDW")
	}
	if err := c.Op.Check(); err != nil {
		return fail(": Claim.Op: %w", err)
	}
	if transform := c.Op == word.TwoSum || c.Op == word.TwoProduct || c.Op == word.Split; !transform && c.Op.Function != word.DotProduct &&
		c.Algorithm == "" && c.Bound == nil && len(o.Laws) == 0 {
		return fail(" claims a %s and no accuracy: set Claim.Algorithm to one of %s, or Claim.Bound to a bound of its own", c.Op, words.AlgorithmsFor(c.Op))
	}
	p := &words.Subject{Name: o.Name, Claim: c, Format: model.Binary32, Laws: o.Laws}
	if o.Run64 != nil || o.Run64Err != nil {
		p.Format = model.Binary64
	}
	if c.Algorithm != "" {
		alg, ok := word.ByName(c.Algorithm)
		if !ok {
			return fail(": Claim.Algorithm is %q, and no algorithm of word.Algorithms has that name; for a %s there are %s", c.Algorithm, c.Op, words.AlgorithmsFor(c.Op))
		}
		// The algorithm may compute more words than the operation returns: it is then the one that is rounded.
		if a := alg.Op; a.Function != c.Op.Function || a.X != c.Op.X || a.Y != c.Op.Y || a.Terms != c.Op.Terms || a.Z < c.Op.Z {
			return fail(": Claim.Algorithm %s computes %s, and Claim.Op is %s", c.Algorithm, alg.Op, c.Op)
		}
		p.Alg = alg
	}
	switch {
	case c.Exact && p.Alg == nil:
		return fail(": Claim.Exact is set, and no Claim.Algorithm says what the bits are; name one")
	case c.Exact && p.Alg.Op.Z != c.Op.Z:
		return fail(": Claim.Exact is set, and %s returns %d words where Claim.Op has %d; leave Exact out", c.Algorithm, p.Alg.Op.Z, c.Op.Z)
	case c.Bound != nil && c.Bound.Normwise && c.Op.Components() != 2:
		return fail(": Claim.Bound is one of the norm, and %s has one component", c.Op)
	case c.Bound != nil && c.Bound.Text == "":
		return fail(": Claim.Bound has no Text, which reports need")
	case c.Bound != nil && !c.Op.Complex() && max(c.Op.X, c.Op.Y, c.Op.Z) > 2 && len(o.Laws) == 0:
		return fail(": Claim.Bound is set, and no built-in law judges numbers of more than two words; give a law of your own in Laws")
	case c.Multiple < 0 || c.Multiple > modular.MaxMultiple:
		return fail(": Claim.Multiple is %d; it is 0 to %d", c.Multiple, modular.MaxMultiple)
	case c.InPlace && c.Op.Out() > c.Op.In():
		return fail(": Claim.InPlace is set, and a row has %d words and %d results, which would lie over later words; leave it out", c.Op.In(), c.Op.Out())
	case c.Rounding > model.TowardZero:
		return fail(": Claim.Rounding is %v; use one of model's roundings", c.Rounding)
	}
	if err := words.CheckOwnWordLaws(o.Laws); err != nil {
		return fail("%w", err)
	}
	p.Sub = &vectors.Kernel{
		Name: o.Name, Rows: true, Run: o.runner(false),
		Claim: model.Claim{In: p.Format, Acc: p.Format, Out: p.Format, Rounding: c.Rounding, Flush: c.Flush},
	}
	if c.InPlace && set != "RunOn" { // whose buffers are the host code's
		p.Sub.InPlace = o.runner(true)
	}
	d, err := o.Device.For("RunOn", set, "WeakenWord says what is left of an operation's claim", "an operation")
	if err != nil {
		return fail("%w", err)
	}
	if p.Sub.Device = d; d.OnHardware() {
		p.Claim, p.Silent = words.Under(c, d, d.Own())
		p.Sub.Claim.Rounding, p.Sub.Claim.Flush = p.Claim.Rounding, p.Claim.Flush
	}
	return p, nil
}

// runner adapts the Run function that is set to batches of encodings. The words that the function leaves unwritten hold junk,
// which differs from call to call; in place they hold the operands.
func (o Operation) runner(inPlace bool) vectors.Runner {
	out32, out64 := results[float32]{bits: bits32}, results[float64]{bits: math.Float64bits}
	junk := uint64(0)
	narrow := func(call func(at Setting, dst, src []float32) error) vectors.Runner {
		return func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
			if inPlace {
				return out32.inPlace(dst, x.F32, func(dst, src []float32) error { return call(at, dst, src) })
			}
			junk = draw.Mix(junk + 1)
			v := math.Float32frombits(uint32(junk)&^(1<<30) | 0x7f<<23) // never a NaN or an infinity, so that every law sees it
			return out32.run(dst, x, v, func(dst []float32) error { return call(at, dst, x.F32) })
		}
	}
	wide := func(call func(dst, src []float64) error) vectors.Runner {
		return func(_ Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
			if inPlace {
				return out64.inPlace(dst, x.F64, call)
			}
			junk = draw.Mix(junk + 1)
			v := math.Float64frombits(junk&^(1<<62) | 0x3ff<<52)
			return out64.run(dst, x, v, func(dst []float64) error { return call(dst, x.F64) })
		}
	}
	switch {
	case o.Run != nil:
		return narrow(func(_ Setting, dst, src []float32) error { o.Run(dst, src); return nil })
	case o.RunErr != nil:
		return narrow(func(_ Setting, dst, src []float32) error { return o.RunErr(dst, src) })
	case o.RunOn != nil:
		return narrow(o.RunOn)
	case o.Run64 != nil:
		return wide(func(dst, src []float64) error { o.Run64(dst, src); return nil })
	}
	return wide(o.Run64Err)
}
