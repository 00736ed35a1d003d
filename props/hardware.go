package props

import (
	"fmt"

	"gamma/corpus"
	"gamma/model"
)

// hardwareOrder is why the law of schedules says nothing on hardware.
const hardwareOrder = "the device is hardware: it chooses the order of threads, and none can be asked for"

// onHardware reports whether a subject runs on hardware; d may be nil.
func (d *Device) onHardware() bool { return d != nil && d.Hardware }

// own returns the arithmetic of hardware, under which all its cases run. Order, junk and what is drawn from a seed are not imposed and
// so not named; nor is the size of a simdgroup, which is the device's.
func (d *Device) own() model.Behaviour {
	a := &d.Admits
	return model.Behaviour{Rounding: a.Rounding, Flush: a.Flush, Flush16: a.Flush16, Contract: a.Contract, Rewrites: a.Rewrites, ULP: a.ULP}
}

// setting returns what a case runs under that asks for at: on hardware the device's own arithmetic. d may be nil.
func (d *Device) setting(at Setting) Setting {
	if d.onHardware() {
		at.Behaviour = d.own()
	}
	return at
}

// ofResidues returns d for a subject that computes with integers alone: no arithmetic of floating point changes them, so that on hardware
// every case is as under the plain one.
func (d Device) ofResidues() *Device {
	if d.Hardware {
		d.Admits = model.Behaviour{Order: d.Admits.Order, SIMDWidth: d.Admits.SIMDWidth}
	}
	return &d
}

// leftOut says why hardware cannot run a case under its behaviour, so that it is left out; "" if it can, or d is nil or no hardware.
// Order, seed, poison and the errors of library functions are the device's to choose, and no reason. Where the source forbids contraction
// and rewrites they change nothing.
func (d *Device) leftOut(b model.Behaviour) string {
	if !d.onHardware() {
		return ""
	}
	own := d.own()
	needs := func(what, is string) string {
		return fmt.Sprintf("the case needs %s, and the device has %s", what, is)
	}
	switch {
	case b.Rounding != own.Rounding:
		return needs("rounding "+b.Rounding.String(), own.Rounding.String())
	case b.Flush != own.Flush:
		return needs("flushing "+b.Flush.String(), own.Flush.String())
	case b.Flush16 != own.Flush16:
		return needs("flushing "+b.Flush16.String()+" of 16-bit formats", own.Flush16.String())
	case b.Contract != own.Contract && !d.Strict:
		return needs("contraction "+b.Contract.String(), own.Contract.String())
	case b.Rewrites != own.Rewrites && !d.Strict:
		return "the case needs the compiler to rewrite as another math mode does"
	}
	return d.wrongWidth(b)
}

// wrongWidth says that a case needs simdgroups that hardware does not have, or "". Of residues it is all that can be missing: no
// arithmetic of floating point changes them.
func (d *Device) wrongWidth(b model.Behaviour) string {
	if d.onHardware() && b.SIMDWidth != 0 && b.SIMDWidth != d.Admits.SIMDWidth {
		return fmt.Sprintf("the case needs simdgroups of %d threads, and the device has %d", b.SIMDWidth, d.Admits.SIMDWidth)
	}
	return ""
}

// kept returns the predicate of a reduction on hardware: it leaves the behaviour as it is, since every case runs under the same.
func (d *Device) kept(was *corpus.Case, fails func(*corpus.Case) bool) func(*corpus.Case) bool {
	if !d.onHardware() {
		return fails
	}
	return func(c *corpus.Case) bool { return c.Behaviour == was.Behaviour && fails(c) }
}
