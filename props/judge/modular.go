package judge

import (
	"fmt"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
)

// Modular is an operation on residues to be judged: a modular product, a reduction, a butterfly, a constant of Montgomery's
// arithmetic. Set Name, Claim, and Run or RunOn.
type Modular struct {
	// Name is package and function, such as "mykernel.MulMod"; reports and files of rows use it.
	Name string

	// Run runs a batch of rows, one after the other, all modulo q: src holds len(Claim.In) words for each row, and the function writes
	// len(Claim.Out) for each into dst. Every word is a uint64 below R = 2^Claim.Bits, whatever its width. It must neither keep nor
	// change src, unless dst begins there by Claim.InPlace; the judge notices if it does. It returns an error for a modulus that Claim.Moduli does not admit.
	Run func(q uint64, dst, src []uint64) error

	// RunOn runs the batch on a device, such as a shader, as at says. The error may be a model.Findings, as for Reduction.
	RunOn func(at Setting, q uint64, dst, src []uint64) error
	// Device goes with RunOn. Its numbers of elements are numbers of rows, and its Under and Schedule are not for residues.
	Device DeviceClaim

	// Claim is what the operation promises.
	Claim modular.Claim
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []ModularLaw
}

// Subject checks the fields and names the one that is wrong.
func (m Modular) Subject() (*residues.Subject, error) {
	fail := func(format string, args ...any) (*residues.Subject, error) {
		return nil, fmt.Errorf("props: Modular %s%w", m.Name, fmt.Errorf(format, args...))
	}
	set, err := engine.Chosen(m, "a Modular", "mykernel.MulMod", "Run, or for a device RunOn", "Run", "RunOn")
	c := m.Claim
	switch {
	case err != nil:
		return nil, err
	case c.Bits == 0:
		return fail(": Claim.Bits is 0; set it to the bits of a word: 8, 16, 32 or 64")
	}
	if err := c.Check(); err != nil {
		return fail(": %w; fix Claim", err)
	}
	if err := residues.CheckOwnModularLaws(m.Laws); err != nil {
		return fail("%w", err)
	}
	p := &residues.Subject{Name: m.Name, Claim: c, Laws: m.Laws, Run: m.RunOn}
	if m.Run != nil {
		p.Run = func(_ Setting, q uint64, dst, src []uint64) error { return m.Run(q, dst, src) }
	}
	if p.Device, err = m.Device.OfResidues("RunOn", set, "an operation on residues"); err != nil {
		return fail("%w", err)
	}
	p.Claim.InPlace = c.InPlace && p.Device == nil // whose buffers are the host code's
	p.Moduli = residues.NewModuli(&p.Claim)
	if len(p.Moduli.Edges) == 0 {
		return fail(": Claim.Moduli admits no modulus that was found: look at Min, Max, Even, Prime and Only")
	}
	if err := residues.CheckRecurrence(&p.Claim, p.Moduli.Edges); err != nil {
		return fail(": %w", err)
	}
	return p, nil
}
