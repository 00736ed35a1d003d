package apple

import (
	"gamma/metal"
	"gamma/metal/msl/ir"
)

// pipeline is a metal.ComputePipelineState.
type pipeline struct {
	thing
	name   string
	code   *ir.Kernel // nil if our front end does not take the source
	most   int        // threads of a threadgroup
	width  int
	static int
}

// NewComputePipelineState makes f ready to run.
func (d *Device) NewComputePipelineState(f metal.Function) (metal.ComputePipelineState, error) {
	fn, ok := f.(*function)
	if !ok {
		return nil, foreign("function", f)
	}
	if err := fn.take(d, "function "+fn.name); err != nil {
		return nil, err
	}
	defer fn.drop()
	s := &pipeline{name: fn.name, code: fn.code}
	err := d.work(func(p *pool) error {
		failed := new(id)
		x := p.send(msgNewComputePipelineState, d.ref, objectArg(fn.ref), errorArg(failed)).object()
		if x == 0 {
			return p.failure("newComputePipelineStateWithFunction:error: of "+fn.name, *failed)
		}
		s.object = d.adopt(x)
		if err := p.understands(d.ref, x, "MTLComputePipelineState"); err != nil {
			return err
		}
		s.most = clip(p.send(msgMaxTotalThreadsPerThreadgroup, x).word)
		s.width = clip(p.send(msgThreadExecutionWidth, x).word)
		s.static = clip(p.send(msgStaticThreadgroupMemoryLength, x).word)
		return nil
	})
	if err != nil {
		if s.object != nil {
			s.Release()
		}
		return nil, err
	}
	return s, nil
}

// MaxTotalThreadsPerThreadgroup is Metal's: registers may make it less than the device's.
func (s *pipeline) MaxTotalThreadsPerThreadgroup() int { return s.most }

// ThreadExecutionWidth returns the lanes of a simdgroup.
func (s *pipeline) ThreadExecutionWidth() int { return s.width }

// StaticThreadgroupMemoryLength returns the bytes of variables in threadgroup memory.
func (s *pipeline) StaticThreadgroupMemoryLength() int { return s.static }

// title names the kernel in errors, with its place.
func (s *pipeline) title() string {
	if s.code != nil {
		if at := s.code.Pos.String(); at != "" {
			return "kernel " + s.name + " (" + at + ")"
		}
	}
	return "kernel " + s.name
}
