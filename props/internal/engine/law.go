package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// Thorough: the law is judged at level thorough alone, and where -gamma.case names one of its cases.
	Thorough bool
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

	// Calls judges further calls of the kernel on parts of the input, in place of Judge.
	Calls func(c Calls) verdict.Verdict

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
func (l *LawOf[J, C]) Judges() bool { return l.Judge != nil || l.Found != nil || l.Calls != nil }

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

// AboutClaim says why the law has nothing to say about kernels with a claim on d, which is nil for those in Go, and "" if it has.
func (l *LawOf[J, C]) AboutClaim(d *DeviceClaim, c *C) string {
	if why := l.About(d); why != "" || l.Found != nil || l.Hardware {
		return why
	}
	return l.AppliesTo(c)
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
	return LawOf[J, C]{}, fmt.Errorf("props: no law of %d is called %q; judge.Laws and its like list those there are", len(list), id)
}

// known holds the IDs of the built-in laws of all kinds that are linked in, for -gamma.law, and covered the names that these cover.
var (
	known   []model.LawID
	covered []Covered
)

// BuiltIn returns the built-in laws of a kind, family after family, which -gamma.law then knows.
func BuiltIn[J, C any](families ...[]LawOf[J, C]) []LawOf[J, C] {
	list := slices.Concat(families...)
	for i := range list {
		known = append(known, list[i].ID)
	}
	return list
}

// Covered is a name that no law has, since a law of it would only say again what another one judges: which, and how.
type Covered struct {
	Name string
	Law  model.LawID
	How  string
}

// Cover makes -gamma.law know names that laws of a kind cover. It returns how many these are.
func Cover(names ...Covered) int {
	covered = append(covered, names...)
	return len(names)
}

// CoveredNames returns those of all kinds that are linked in, in the order of the names.
func CoveredNames() []Covered {
	return slices.SortedFunc(slices.Values(covered), func(a, b Covered) int { return strings.Compare(a.Name, b.Name) })
}

// LawBegins reports whether a built-in law of any kind begins so.
func LawBegins(prefix string) bool {
	return slices.ContainsFunc(known, func(id model.LawID) bool { return strings.HasPrefix(string(id), prefix) })
}

// CheckOwn checks the laws that a subject brings itself: example is an ID that would do, and families are those of inputs, by their names. Its errors follow the name of the subject.
func CheckOwn[J, C, F any](own, builtIn []LawOf[J, C], example string, families map[string]F) error {
	for i := range own {
		l := &own[i]
		switch {
		case l.ID == "":
			return fmt.Errorf(": law %d of its own has no ID; give it one such as %q", i, example)
		case !l.Judges():
			return fmt.Errorf(": law %d of its own, %q, has no Judge function", i, l.ID)
		case !IsOwn(builtIn, l):
			return fmt.Errorf(": law %q of its own has the ID of a built-in law; give it another", l.ID)
		}
		for _, f := range l.Families {
			if _, ok := families[f]; !ok {
				return fmt.Errorf(": law %q of its own draws from family %q, which there is not; there are %s", l.ID, f, strings.Join(slices.Sorted(maps.Keys(families)), ", "))
			}
		}
	}
	return nil
}

// Every says that of n draws every so-manieth is judged. rapid's number of draws is one for all laws that are searched at once.
func (l *LawOf[J, C]) Every(n int) int {
	return max(1, min(l.Cost, n/leastChecks))
}

// Runs of a case by device.repeat.
const (
	RepeatRuns     = 8
	repeatThorough = 64
)

// RunsOf returns how many runs of a case device.repeat makes.
func RunsOf() int {
	if OptLevel.String() == "thorough" {
		return repeatThorough
	}
	return RepeatRuns
}

// Beside judges a run beside one on the reference device, or where it does not compare devices beside further runs on the device itself. other
// runs once more under a setting and judges; where says which run that is, "on sim" or "of run 2".
func (d *DeviceClaim) Beside(at verdict.Setting, compares bool, other func(at verdict.Setting, where string) verdict.Verdict) verdict.Verdict {
	if compares {
		v := other(d.OnReference(at), "on "+d.Reference)
		switch {
		case v.Cause != verdict.CauseStatement:
			v.Reason = fmt.Sprintf("on %s: %s", d.Reference, v.Reason)
		case v.Outcome == verdict.Holds:
			v = verdict.Held("no difference", 0)
		}
		return v
	}
	for k := 2; k <= RunsOf(); k++ {
		if v := other(at, fmt.Sprintf("of run %d", k)); v.Outcome != verdict.Holds {
			return v
		}
	}
	return verdict.Held("one result", 0)
}

// IntegerLaws are the laws of hardware for kernels that compute with integers, which leave no choice: what two devices give, and two runs.
func IntegerLaws[J, C any](equal, repeat LawOf[J, C]) []LawOf[J, C] {
	equal.ID, equal.Compares, repeat.ID = model.DeviceEqual, true, model.DeviceRepeat
	list := []LawOf[J, C]{equal, repeat}
	for i := range list {
		l := &list[i]
		l.Hypotheses = "no operation on integers is undefined (kernel.integers)" + l.Hypotheses
		l.Source, l.Hardware = "arithmetic modulo 2^b is exact", true
	}
	return list
}

// distinctText says how many results came of runs of one case, and how often devices differ; "" where nobody counted.
func (s *LawStats) distinctText() string {
	text := ""
	switch {
	case s.MaxDistinct == 1:
		text = "; one result each"
	case s.MaxDistinct > 1:
		text = fmt.Sprintf("; up to %d results, as at n=%d: %s", s.MaxDistinct, s.DistinctN, s.Distinct)
	}
	if s.Differ > 0 {
		text += fmt.Sprintf("; %d inside the bounds with other bits than on the reference device", s.Differ)
	}
	return text
}
