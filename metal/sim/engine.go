package sim

import (
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/fast"
	"gamma/metal/sim/run"
)

// engine runs dispatches.
type engine interface {
	Run(d *run.Dispatch, o run.Options) (run.Result, error)
}

// compileFor prepares a kernel for an engine.
func compileFor(e Engine, k *ir.Kernel) (engine, error) {
	if e == Fast {
		return fast.Compile(k)
	}
	return adversary.Compile(k)
}
