package adversary

import (
	"gamma/metal/sim/engine"
)

// Run runs the dispatch under o.Behaviour and leaves the results in its buffers. The same dispatch and options give the same bits.
//
// An error says what is wrong with the dispatch or the options, and then nothing was run. What the kernel does wrong is a finding:
// with o.Checks all of them, without only a kernel that does not end. A run that has used up its steps ends where it is.
func (p *Program) Run(d *engine.Dispatch, o engine.Options) (engine.Result, error) {
	return p.run(d, o, true)
}

// run is Run. Without together, threads never run in lockstep; that gives the same bits.
func (p *Program) run(d *engine.Dispatch, o engine.Options, together bool) (engine.Result, error) {
	m, err := p.newMachine(d, o, o.Behaviour.Order)
	if err != nil {
		return engine.Result{}, err
	}
	defer m.release()
	switch {
	case together && m.lockstep():
	case m.order == "":
		m.sequence(false)
	case m.order == "reverse":
		m.sequence(true)
	case m.order == "stages":
		m.stages()
	default:
		m.accesses()
	}
	return engine.Result{Findings: m.findings.list, Steps: m.steps}, nil
}
