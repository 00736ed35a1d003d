package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
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

// Law is one theorem as an executable check.
//
// A law is a pure function: Judge looks at nothing but the trial, and the same trial gives the same
// verdict. It checks its hypotheses itself, exactly, and says Vacuous and why where they are not met.
type Law struct {
	ID model.LawID
	Op Op
	// Statement is the theorem as an inequality or equation, in one line.
	Statement string
	// Hypotheses is what must be true of claim and case for Statement to be one.
	Hypotheses string
	// Source is a key of the list in package model, with theorem number.
	Source string
	// Kills names planted faults that this law finds on generated inputs.
	Kills []string
	// Applies says why the law has nothing to say about a claim, and "" if it has. Nil: applies.
	Applies func(c *model.Claim) string
	// Families names the families of inputs that the law draws from. Nil: all.
	Families []string
	// MaxN is the longest vector the law draws; 0: no limit of its own.
	MaxN int
	// Judge judges one row of one case.
	Judge func(t *Trial) Verdict
	// OnDevice: the law says something of kernels on a device alone. Findings: and only of one with checkers, whatever the
	// result is.
	OnDevice, Findings bool
	// Hardware: the law says something of kernels on hardware alone, which behaves as it does.
	Hardware bool

	compares bool // with Device.Reference
	// cost says how many times fewer cases are drawn, since each takes so many runs more. 0: 1.
	cost int
}

// laws holds the built-in laws, each family in its own file.
var laws = slices.Concat(sumLaws, dotLaws, kernelLaws, deviceLaws)

// Laws returns the built-in laws.
func Laws() []Law { return slices.Clone(laws) }

// LawByID returns the built-in law called id.
func LawByID(id model.LawID) (Law, error) {
	for _, l := range laws {
		if l.ID == id {
			return l, nil
		}
	}
	return Law{}, fmt.Errorf("props: no law is called %q; props.Laws lists those there are", id)
}

// Judge judges one case and needs no testing package. The case's values must be in the subject's
// input format; a case that the subject cannot run is an error, and a kernel that breaks is a
// Verdict. A law that says nothing about the subject's claim gives a Vacuous one.
func Judge(l Law, s Subject, c *corpus.Case) (Verdict, error) {
	// With an error comes no judgement: its Outcome must not read as Holds.
	none := Verdict{Outcome: Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	if s == nil {
		return none, fmt.Errorf("props: there is no subject to judge by %s: it is nil", l.ID)
	}
	sub, err := s.subject()
	if err != nil {
		return none, err
	}
	switch {
	case c == nil:
		return none, fmt.Errorf("props: there is no case to judge %s on: it is nil", sub.name)
	case l.Judge == nil:
		return none, fmt.Errorf("props: law %q has no Judge function", l.ID)
	case l.Op != sub.op && l.Op != OpAny:
		return none, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, sub.name, sub.applies(&l))
	}
	if err := sub.accepts(c); err != nil {
		return none, err
	}
	why := sub.applies(&l)
	if why == "" {
		why = sub.device.leftOut(c.Behaviour)
	}
	if why != "" {
		v := vacuous(why)
		v.Law = l.ID
		return v, nil
	}
	t := newTrial(sub)
	return t.judge(&l, c), nil
}
