package engine

import (
	"fmt"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// Op is the operation that a subject claims to compute.
type Op uint8

const (
	OpSum Op = iota // Σ x_i, or their mean
	OpDot           // Σ x_i·y_i
	OpAny           // either; of laws alone
)

// String returns "sum" or "dot", the first word of the operation's law IDs, or "sum or dot" for OpAny.
func (o Op) String() string {
	switch o {
	case OpDot:
		return "dot"
	case OpAny:
		return "sum or dot"
	}
	return "sum"
}

// LawOf is one theorem as an executable check, about inputs and results of type J and claims of type C. Each kind of kernels has
// its own: Law, WordLaw, ModularLaw, NTTLaw, ScalarLaw.
//
// A law is a pure function: Judge looks at nothing but its argument, and the same input gives the same verdict. It checks its
// hypotheses itself, exactly, and says Vacuous and why where they are not met and no weaker statement is true.
type LawOf[J, C any] struct {
	ID model.LawID
	// Op is the operation that the law is about, of kernels that take vectors.
	Op Op
	// Statement is the theorem as an inequality or equation, in one line.
	Statement string
	// Hypotheses is what must be true of claim and input for Statement to be one.
	Hypotheses string
	// Source is a key of the lists in the packages of model, with theorem number.
	Source string
	// Kills names planted faults that this law finds on generated inputs.
	Kills []string
	// Applies says why the law has nothing to say about a claim, and "" if it has. Nil: applies.
	Applies func(c *C) string
	// Families names the families of inputs that the law draws from. Nil: all; of rows of words a law of this package: all but those
	// of special values.
	Families []string
	// MaxN is the longest vector the law draws; 0: no limit of its own.
	MaxN int
	// Pair: the law wants a second input, of transforms.
	Pair bool
	// Again makes further rows of operands, each of the row and of the results until then; they are run as well, under the same
	// setting and modulus, and Judge finds them in More. One that returns nil asks for none: the law then sees no results there.
	Again []func(in J) []uint64
	// Refuses: the law draws what is not claimed, moduli or transforms, and judges how the kernel refuses it.
	Refuses bool
	// Flushes: the law says something under flushing alone, which a device's behaviour may bring.
	Flushes bool
	// Operands is how many operands Judge takes, of laws about single operations, and Specials makes zeros, infinities and NaNs half of
	// those that are drawn.
	Operands int
	Specials bool
	// Relate changes the operands of a row before it runs, so that they depend on each other, such as y = conj x: the words of a row,
	// or of vectors those of x and then those of y. It gives the same again for what it gave.
	Relate func(row []uint64)
	// Domain says why the law has nothing to say about operands, "" if it has: such rows do not run. Nil: it is about all.
	Domain func(row []uint64) string
	// Judge judges one row of one input.
	Judge func(in J) verdict.Verdict

	// OnDevice: the law says something of kernels on a device alone. Found judges what the device's checkers report, in place of
	// Judge and whatever the result is: the law then says something of devices with checkers alone.
	OnDevice bool
	Found    func(found []model.Finding) verdict.Verdict
	// Hardware: the law says something of kernels on hardware alone, which behaves as it does. Compares: and compares it with
	// Device.Reference.
	Hardware, Compares bool
	// Cost says how many times fewer inputs are drawn, since each takes so many runs more. 0: 1.
	Cost int
}

// Judges reports whether the law can judge anything.
func (l *LawOf[J, C]) Judges() bool { return l.Judge != nil || l.Found != nil }

// About says why the law has nothing to say about kernels on d, which is nil for those in Go, and "" if it has.
func (l *LawOf[J, C]) About(d *DeviceClaim) string {
	switch {
	case l.Hardware:
		return d.onlyHardware(l.Compares)
	case (l.OnDevice || l.Found != nil) && d == nil:
		return "the law is one of kernels on a device"
	case l.Found != nil && !d.Checked:
		return "the device has no checkers"
	}
	return ""
}

// AppliesTo says why the law has nothing to say about a claim, and "" if it has.
func (l *LawOf[J, C]) AppliesTo(c *C) string {
	if l.Applies != nil {
		return l.Applies(c)
	}
	return ""
}

// LawByID returns the law called id of a list, such as Laws or WordLaws returns.
func LawByID[J, C any](list []LawOf[J, C], id model.LawID) (LawOf[J, C], error) {
	for _, l := range list {
		if l.ID == id {
			return l, nil
		}
	}
	return LawOf[J, C]{}, fmt.Errorf("props: no law of %d is called %q; props.Laws and its like list those there are", len(list), id)
}

// Every says that of n draws every so-manieth is judged. rapid's number of draws is one for all laws that are searched at once.
func (l *LawOf[J, C]) Every(n int) int {
	return max(1, min(l.Cost, n/leastChecks))
}
