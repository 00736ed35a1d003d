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
	if !together || !m.lockstep() {
		restore := func() {}
		if m.checks && !p.memory && !m.lost {
			restore = d.Keep()
		}
		if !m.lost {
			m.schedule()
		}
		if m.lost {
			restore()
			q, err := p.flagged()
			if err != nil {
				return engine.Result{}, err
			}
			return q.run(d, o, together)
		}
	}
	return engine.Result{Findings: m.findings.list, Steps: m.steps}, nil
}

// schedule runs the order that was asked for.
func (m *machine) schedule() {
	switch m.order {
	case "":
		m.sequence(false)
	case "reverse":
		m.sequence(true)
	case "stages":
		m.stages()
	default:
		m.accesses()
	}
}
