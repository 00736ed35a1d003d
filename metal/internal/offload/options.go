package offload

import (
	"time"

	"gamma/metal/internal/protocol"
	"gamma/model"
)

// Settings are what the options of all drivers have.
type Settings struct {
	Behaviour model.Behaviour
	Isolate   bool
	Timeout   time.Duration
	MaxBuffer int
}

// Timeouts unless the options have one.
const (
	DefaultTimeout         = 2 * time.Minute
	DefaultIsolatedTimeout = 20 * time.Second
)

const isolatedBuffer = 1 << 30

// Fill sets the defaults, or says what is wrong. language is what kernels are printed in, and width the threads of a simdgroup that a
// behaviour may name, 0 for none.
func (s *Settings) Fill(name protocol.Name, language string, width int) error {
	if s.Timeout < 0 || s.MaxBuffer < 0 {
		return name.Errorf("Options.Timeout is %s and MaxBuffer %d; use more than 0, or 0 for the default", s.Timeout, s.MaxBuffer)
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
		if s.Isolate {
			s.Timeout = DefaultIsolatedTimeout
		}
	}
	if s.MaxBuffer == 0 && s.Isolate {
		s.MaxBuffer = isolatedBuffer
	}
	switch b := s.Behaviour; {
	case b.Rounding != model.NearestEven:
		return name.Errorf("Options.Behaviour rounds by %s, and kernels in %s round to nearest even; leave Rounding out", b.Rounding, language)
	case b.Contract > model.ContractFast:
		return name.Errorf("Options.Behaviour has %s; use off, on or fast", b.Contract)
	case b.SIMDWidth != 0 && b.SIMDWidth != width && width > 0:
		return name.Errorf("Options.Behaviour.SIMDWidth is %d, and a warp has %d threads; leave it out", b.SIMDWidth, width)
	case b.SIMDWidth != 0 && width == 0:
		return name.Errorf("Options.Behaviour.SIMDWidth is %d, and there are no simdgroups in %s; leave it out", b.SIMDWidth, language)
	case b.Order != "" || b.ULP || b.Poison:
		return name.Errorf("Options.Behaviour is %q; a device's order, library functions and undefined values are its own, leave order, ulp and poison out", b)
	}
	return nil
}

// Limit returns the bytes of all buffers together on a device that has most.
func (s *Settings) Limit(most int) int {
	if s.MaxBuffer > 0 {
		return s.MaxBuffer
	}
	return most
}
