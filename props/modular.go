package props

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gamma/model/modular"
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
func (m Modular) Check(t *testing.T) { t.Helper(); check(t, m.judged) }

// Fuzz judges the operation on rows that Go's fuzzer makes: every byte string is a modulus and a batch.
func (m Modular) Fuzz(f *testing.F) { f.Helper(); fuzzAll(f, m.judged) }

// Replay judges the rows on file alone, without a search.
func (m Modular) Replay(t *testing.T) { t.Helper(); replay(t, m.judged) }

// Battery judges an operation on residues as a Battery does with scalar operations: by each law first all tuples of special values of
// its operands, at moduli where something changes, the simplest first, then rows that gopter draws and makes smaller. It replays the
// case that -gamma.case names; the others that are on file Check replays.
func (m Modular) Battery(t *testing.T) { t.Helper(); check(t, m.battery) }

func (m Modular) battery(set settings) (judged, error) { return openResidueBattery(m.modular, set) }

// FindByBattery looks for a violation of one law as Modular.Battery does, and needs no testing package: it returns the report of the
// first one, not saved, or nil.
func FindByBattery(l ModularLaw, m Modular) (*ModularFailure, error) {
	return findByBattery(l, m.modular)
}

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
		_, unknown := LawByID(ModularLaws(), l.ID)
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

// modularCall runs a kernel on copies of its operands, and notices what it does to them. It keeps its memory from call to call.
type modularCall struct {
	base, was [2][]uint64
	lent      [2][]uint64
	out       [2]bool
	turn      int
	junk      uint64
}

// run runs a kernel once and returns what it returned, or a breakage. seed says where in memory the operands lie.
func (c *modularCall) run(kernel func(at Setting, q uint64, dst, src []uint64) error, at Setting, q uint64, dst, src []uint64, seed uint64) error {
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
	err := guarded(kernel, at, q, dst, c.lent[k])
	var b *breakage
	if errors.As(err, &b) {
		return err
	}
	if i := differsAt(c.lent[k], c.was[k]); i >= 0 {
		return spoilt("the kernel changed word %d of its operands", i)
	}
	c.out[k] = true
	if c.out[before] { // the call before this one is over, and its operands must be as they were
		c.out[before] = false
		if i := differsAt(c.lent[before], c.was[before]); i >= 0 {
			return spoilt("the kernel wrote to word %d of its operands after it had returned", i)
		}
	}
	return err
}

// guarded runs a kernel and makes a breakage of a panic and of a refusal.
func guarded(kernel func(at Setting, q uint64, dst, src []uint64) error, at Setting, q uint64, dst, src []uint64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	if err = kernel(at, q, dst, src); refused(err) {
		return breakageOf("the kernel", err)
	}
	return err
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
