package props

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
	"gamma/sumtree"
)

// Modular is an operation on residues to be judged: a modular product, a reduction, a butterfly, a constant of Montgomery's
// arithmetic. Set Name, Claim, and Run or RunOn.
type Modular struct {
	// Name is package and function, such as "mykernel.MulMod"; reports and files of rows use it.
	Name string

	// Run runs a batch of rows, one after the other, all modulo q: src holds len(Claim.In) words for each row, and the function writes
	// len(Claim.Out) for each into dst. Every word is a uint64 below R = 2^Claim.Bits, whatever its width. It must neither keep nor
	// change src; the judge notices if it does. It returns an error for a modulus that Claim.Moduli does not admit.
	Run func(q uint64, dst, src []uint64) error

	// RunOn runs the batch on a device, such as a shader, as at says. The error may be a model.Findings, as for Reduction.
	RunOn func(at Setting, q uint64, dst, src []uint64) error
	// Device goes with RunOn. Its numbers of elements are numbers of rows, and its Under and Schedule are not for residues.
	Device Device

	// Claim is what the operation promises.
	Claim modular.Claim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []ModularLaw
}

// Check judges the operation: it replays the rows on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (m Modular) Check(t *testing.T) { t.Helper(); checkModular(t, m) }

// Fuzz judges the operation on rows that Go's fuzzer makes: every byte string is a modulus and a batch.
func (m Modular) Fuzz(f *testing.F) { f.Helper(); fuzzModulars(f, m) }

// Replay judges the rows on file alone, without a search.
func (m Modular) Replay(t *testing.T) { t.Helper(); replayModular(t, m) }

// modularSubject is what the engines work with: a Modular whose fields are sound.
type modularSubject struct {
	name   string
	claim  modular.Claim
	laws   []ModularLaw
	device *Device
	run    func(at Setting, q uint64, dst, src []uint64) error
	moduli *moduli
}

// modular checks the fields and names the one that is wrong.
func (m Modular) modular() (*modularSubject, error) {
	fail := func(format string, args ...any) (*modularSubject, error) {
		return nil, fmt.Errorf("props: Modular %s%w", m.Name, fmt.Errorf(format, args...))
	}
	c := m.Claim
	switch {
	case m.Name == "":
		return nil, fmt.Errorf("props: a Modular has no Name; give it one such as %q, reports and files of rows need it", "mykernel.MulMod")
	case m.Run == nil && m.RunOn == nil:
		return fail(" sets no Run function; set Run, or for a device RunOn")
	case m.Run != nil && m.RunOn != nil:
		return fail(" sets both Run and RunOn; set exactly one")
	case c.Bits == 0:
		return fail(": Claim.Bits is 0; set it to the bits of a word: 8, 16, 32 or 64")
	}
	if err := c.Check(); err != nil {
		return fail(": %w; mend Claim", err)
	}
	if err := checkOwnModularLaws(m.Laws); err != nil {
		return fail(": %w", err)
	}
	p := &modularSubject{name: m.Name, claim: c, laws: m.Laws}
	if m.Run != nil {
		p.run = func(_ Setting, q uint64, dst, src []uint64) error { return m.Run(q, dst, src) }
		if m.Device.set() {
			return fail(" sets Device beside Run, which runs on none; set RunOn, or leave Device out")
		}
	} else {
		p.run = m.RunOn
		d := m.Device
		switch why := d.check(); {
		case why != "":
			return fail(": %s", why)
		case d.Under != nil:
			return fail(": Device.Under is set, which speaks of sums; leave it out: what a device may do to floating point changes no residue")
		case d.Schedule != nil:
			return fail(": Device.Schedule is set, and an operation on residues has no schedule; leave it out")
		}
		p.device = d.ofResidues()
	}
	p.moduli = newModuli(&p.claim)
	if len(p.moduli.edges) == 0 {
		return fail(": Claim.Moduli admits no modulus that was found: look at Min, Max, Even, Prime and Only")
	}
	if err := checkRecurrence(&p.claim, p.moduli.edges); err != nil {
		return fail(": %w", err)
	}
	return p, nil
}

// checkOwnModularLaws checks the laws that an operation brings itself.
func checkOwnModularLaws(own []ModularLaw) error {
	for i := range own {
		l := &own[i]
		_, unknown := ModularLawByID(l.ID)
		switch {
		case l.ID == "":
			return fmt.Errorf("law %d of its own has no ID; give it one such as %q", i, "mont.mine")
		case l.Judge == nil:
			return fmt.Errorf("law %d of its own, %q, has no Judge function", i, l.ID)
		case unknown == nil:
			return fmt.Errorf("law %q of its own has the ID of a built-in law; give it another", l.ID)
		}
		for _, f := range l.Families {
			if modularFamilyByName[f] == nil {
				return fmt.Errorf("law %q of its own draws from family %q, which there is not; props.ModularFamilies lists those there are", l.ID, f)
			}
		}
	}
	return nil
}

// isolated replaces the subject's runner by one that asks a child process, and returns what ends that.
//
// The machinery of vectors does it: its leaves are words in the place of encodings, the modulus first.
func (p *modularSubject) isolated(test string, s *settings) (stop func()) {
	sub := p.served()
	iso := isolate(test, sub, s.timeout)
	p.run = func(at Setting, q uint64, dst, src []uint64) error {
		x := corpus.Values{Format: model.Binary64, F64: []float64{math.Float64frombits(q)}}
		for _, w := range src {
			x.F64 = append(x.F64, math.Float64frombits(w))
		}
		err := sub.run(at, nil, x, corpus.Values{Format: model.Binary64}, len(x.F64), dst)
		if b := brokenRun(""); errors.As(err, &b) {
			if text, ok := strings.CutPrefix(string(b), kernelError); ok {
				return errors.New(text)
			}
		}
		return err
	}
	return iso.stop
}

// kernelError begins the reason of a run that returned an error.
const kernelError = "the kernel returned an error: "

// served returns the subject that a child process serves.
func (p *modularSubject) served() *subject {
	var call modularCall
	run := p.run
	return &subject{
		name: p.name, rows: true, device: p.device, claim: model.Claim{In: model.Binary64, Acc: model.Binary64, Out: model.Binary64},
		run: func(at Setting, _ *sumtree.Tree, x, _ corpus.Values, _ int, dst []uint64) error {
			words := make([]uint64, len(x.F64))
			for i, v := range x.F64 {
				words[i] = math.Float64bits(v)
			}
			if len(words) == 0 {
				return brokenRun("the child process was sent no modulus")
			}
			reason, err := call.run(run, at, words[0], dst, words[1:], 0)
			if reason != "" {
				return brokenRun(reason)
			}
			return err
		},
	}
}

// modularCall runs a kernel on copies of its operands, and notices what it does to them. It keeps its memory from call to call.
type modularCall struct {
	base, was [2][]uint64
	lent      [2][]uint64
	out       [2]bool
	turn      int
	junk      uint64
}

// run runs a kernel once: err is what it returned, and reason says how it broke. seed says where in memory the operands lie.
func (c *modularCall) run(kernel func(at Setting, q uint64, dst, src []uint64) error, at Setting, q uint64, dst, src []uint64, seed uint64) (reason string, err error) {
	before := c.turn
	c.turn ^= 1
	k := c.turn
	offset := int(seed & 7)
	n := offset + len(src)
	c.base[k] = grow(c.base[k], n)
	c.lent[k] = c.base[k][offset:n:n]
	copy(c.lent[k], src)
	c.was[k] = append(c.was[k][:0], src...)
	c.out[k] = false
	// Words that the kernel leaves unwritten hold junk, which differs from call to call.
	for i := range dst {
		c.junk++
		dst[i] = mix(c.junk)
	}
	dst = dst[:len(dst):len(dst)]
	reason, err = guarded(kernel, at, q, dst, c.lent[k])
	if reason != "" {
		return reason, err
	}
	if i := differsAt(c.lent[k], c.was[k]); i >= 0 {
		return fmt.Sprintf("the kernel changed word %d of its operands", i), err
	}
	c.out[k] = true
	if c.out[before] { // the call before this one is over, and its operands must be as they were
		c.out[before] = false
		if i := differsAt(c.lent[before], c.was[before]); i >= 0 {
			return fmt.Sprintf("the kernel wrote to word %d of its operands after it had returned", i), err
		}
	}
	return "", err
}

// guarded runs a kernel and turns a panic into a reason.
func guarded(kernel func(at Setting, q uint64, dst, src []uint64) error, at Setting, q uint64, dst, src []uint64) (reason string, err error) {
	defer func() {
		if p := recover(); p != nil {
			reason = fmt.Sprintf("the kernel panicked: %v", p)
			(*Trial)(nil).noteStack(debug.Stack())
		}
	}()
	err = kernel(at, q, dst, src)
	if b := brokenRun(""); errors.As(err, &b) {
		return string(b), nil
	}
	if refused(err) {
		return reasonRefused + err.Error(), nil
	}
	return "", err
}

// differsAt returns the first place at which two slices of one length differ, or -1.
func differsAt(a, b []uint64) int {
	if slices.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
