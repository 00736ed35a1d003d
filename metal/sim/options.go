package sim

import (
	"fmt"

	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// Engine says what runs kernels.
type Engine uint8

const (
	// Auto takes the fast engine where it can do what the behaviour asks for, and otherwise the adversarial one.
	Auto Engine = iota
	Fast
	Adversarial
)

// String returns auto, fast or adversarial.
func (e Engine) String() string {
	switch e {
	case Auto:
		return "auto"
	case Fast:
		return "fast"
	case Adversarial:
		return "adversarial"
	}
	return fmt.Sprintf("Engine(%d)", uint8(e))
}

// Options say what is simulated. The zero value is a plain device with 32 lanes in a simdgroup that checks everything.
type Options struct {
	// NoChecks leaves out the search for faults. A kernel that does not end is still found.
	NoChecks  bool
	Engine    Engine
	Behaviour model.Behaviour
	Workers   int   // cores that one dispatch may use; 0: all
	SIMDWidth int   // lanes of a simdgroup, unless the behaviour names a width; 0: 32
	Steps     int64 // instructions of all threads of one dispatch; 0: DefaultSteps
	// ThreadSteps is how many more a dispatch may run for each of its threads, so that one of many threads is not taken for one that does not end.
	ThreadSteps int64

	// FixedReductions: the values of a simdgroup's lanes are combined in one order by reductions and prefixes, and its matrices have one layout and one order
	// in products, whatever the order of threads is, as on each device alone. Metal does not say which, and without it all are tried.
	FixedReductions bool

	MaxTotalThreads      int // in a threadgroup; 0: 1024
	MaxThreadgroupMemory int // bytes; 0: 32 KiB
	MaxBuffer            int // bytes of all buffers together; 0: 1 GiB
}

// DefaultSteps bounds the instructions of a dispatch unless Options.Steps does. One that uses them up runs for up to a minute.
const DefaultSteps = 1 << 30

// Limits of Options.
const (
	mostThreads           = 1024
	mostThreadgroupMemory = 1 << 24
	defaultGroupMemory    = 32 << 10
	defaultBuffer         = 1 << 30
	mostWorkers           = 1024
)

// budget returns the steps of a dispatch of so many threads.
func (o *Options) budget(threads uint64) int64 {
	if most := uint64(engine.DefaultSteps - o.Steps); o.ThreadSteps > 0 && threads > most/uint64(o.ThreadSteps) {
		return engine.DefaultSteps
	}
	return o.Steps + o.ThreadSteps*int64(threads)
}

// filled returns o with its defaults, or what is wrong with it.
func (o Options) filled() (Options, error) {
	for _, f := range []struct {
		name        string
		v           *int
		def, lo, hi int
	}{
		{"Workers", &o.Workers, 0, 0, mostWorkers},
		{"SIMDWidth", &o.SIMDWidth, 32, 1, 1024},
		{"MaxTotalThreads", &o.MaxTotalThreads, mostThreads, 1, mostThreads},
		{"MaxThreadgroupMemory", &o.MaxThreadgroupMemory, defaultGroupMemory, 1, mostThreadgroupMemory},
		{"MaxBuffer", &o.MaxBuffer, defaultBuffer, 1, 1 << 40},
	} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < f.lo || *f.v > f.hi {
			return o, errorf("Options.%s is %d; use %d to %d, or 0 for the default", f.name, *f.v, f.lo, f.hi)
		}
	}
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	if o.Steps < 0 || o.Steps > engine.DefaultSteps {
		return o, errorf("Options.Steps is %d; use 1 to %d, or 0 for the default", o.Steps, int64(engine.DefaultSteps))
	}
	if o.ThreadSteps < 0 || o.ThreadSteps > 1<<20 {
		return o, errorf("Options.ThreadSteps is %d; use 0 to %d", o.ThreadSteps, 1<<20)
	}
	if o.Engine > Adversarial {
		return o, errorf("there is no %s; use Auto, Fast or Adversarial", o.Engine)
	}
	return o, o.fits(o.Behaviour)
}

// fits says whether a device with these options can have behaviour b.
func (o Options) fits(b model.Behaviour) error {
	if b.Rounding != model.NearestEven && b.Rounding != model.TowardZero {
		return errorf("no Metal device rounds by %s; use rne or zero", b.Rounding)
	}
	switch b.Order {
	case "", "reverse", "stages", "accesses":
	default:
		return errorf("no order is called %q; use reverse, stages or accesses, or leave it empty", b.Order)
	}
	if b.Contract > model.ContractFast {
		return errorf("there is no %s; use off, on or fast", b.Contract)
	}
	if b.SIMDWidth < 0 || b.SIMDWidth > 1024 {
		return errorf("a simdgroup has 1 to 1024 lanes, not %d; change Behaviour.SIMDWidth", b.SIMDWidth)
	}
	if w := o.width(b); w > fast.MaxWidth && o.Engine != Adversarial {
		return errorf("a simdgroup of %d lanes needs the Adversarial engine; use that, or at most %d lanes", w, fast.MaxWidth)
	}
	if o.Engine == Fast && !quick(b) {
		return errorf("the fast engine cannot run %q; use Auto or Adversarial, or a behaviour in program order, to nearest even, without ulp and poison", b)
	}
	return nil
}

// width returns the lanes of a simdgroup under behaviour b.
func (o Options) width(b model.Behaviour) int {
	if b.SIMDWidth != 0 {
		return b.SIMDWidth
	}
	return o.SIMDWidth
}

// quick reports whether the fast engine can do what b asks for, contraction and rewrites having been done to the kernel.
func quick(b model.Behaviour) bool {
	return b.Rounding == model.NearestEven && b.Order == "" && !b.ULP && !b.Poison
}

// engine returns the engine for behaviour b.
func (o Options) engine(b model.Behaviour) Engine {
	if o.Engine == Auto {
		if quick(b) {
			return Fast
		}
		return Adversarial
	}
	return o.Engine
}

// errorf makes an error of this package.
func errorf(format string, args ...any) error { return name.Errorf(format, args...) }
