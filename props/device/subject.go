package device

import (
	"errors"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/props/internal/devices"
)

// literal is a subject of this package: a shader as source text, with its claim. On a device it is a P, a subject of package props.
type literal[P any] interface {
	device() metal.Device // that of the literal, nil if it names none
	open(dev metal.Device) (P, error)
	inFast() literal[P] // the literal in math mode fast
	both() bool         // that is judged, too
}

// judged are the subjects of package props that a literal can become.
type judged interface {
	props.Subject
	Check(t *testing.T)
	Fuzz(f *testing.F)
	Replay(t *testing.T)
}

// Props returns the subject that a Reduction, Dot, Operation, Modular, NTT, FFT or Kernel of this package is for package props, on the literal's
// device, or on a simulator that checks everything; with it judge.Judge, judge.Search and judge.Find judge a shader without a test. The
// error says what is wrong with the shader or the literal, with its place.
func Props[P props.Subject](l literal[P]) (P, error) { return l.open(l.device()) }

// onDevices runs f on the subject that a literal is on its device, or on each that is chosen if it names none.
func onDevices[P judged](t *testing.T, l literal[P], f func(t *testing.T, p P)) {
	t.Helper()
	on := func(t *testing.T, dev metal.Device) {
		t.Helper()
		p, err := l.open(dev)
		if refusal := (*metal.Refusal)(nil); errors.As(err, &refusal) {
			t.Skip(err)
		}
		if err != nil {
			t.Error(err)
			return
		}
		f(t, p)
	}
	if dev := l.device(); dev != nil {
		on(t, dev)
		return
	}
	devices.OnEach(t, on)
}

// inModes runs f on the subject that a literal is on each device; if both modes count, in a subtest for each.
func inModes[P judged](t *testing.T, l literal[P], f func(p P, t *testing.T)) {
	t.Helper()
	run := func(t *testing.T, l literal[P]) {
		t.Helper()
		onDevices(t, l, func(t *testing.T, p P) { t.Helper(); f(p, t) })
	}
	if !l.both() {
		run(t, l)
		return
	}
	t.Run("own", func(t *testing.T) { t.Helper(); run(t, l) })
	t.Run("fast", func(t *testing.T) { t.Helper(); run(t, l.inFast()) })
}

// fastMode changes the fields of a literal to those of the same one in math mode fast, of which all is claimed that is claimed of it, whatever that
// mode lets a compiler rewrite; what contraction leaves of a claim is judged in the other mode. The name is another one, since files of cases are.
func fastMode(name *string, o *metal.CompileOptions, admits **model.Behaviour, widths *[]int, strict *bool) {
	*name += "@fast"
	o.MathMode, o.MathFunctions = metal.MathFast, metal.FunctionsFast
	b := widestBehaviour(metal.MathFast)
	if *admits != nil {
		fast := b
		b = **admits
		b.Contract, b.Rewrites = fast.Contract, fast.Rewrites
	} else if *widths == nil {
		*widths = defaultWidths
	}
	if !*strict {
		b.Contract = model.ContractOff
	}
	*admits, *strict = &b, true
}

func check[P judged](t *testing.T, l literal[P]) {
	t.Helper()
	inModes(t, l, P.Check)
}

func replay[P judged](t *testing.T, l literal[P]) {
	t.Helper()
	inModes(t, l, P.Replay)
}

func fuzz[P judged](f *testing.F, l literal[P]) {
	f.Helper()
	dev := l.device()
	if dev == nil {
		dev = devices.First(f)
	}
	p, err := l.open(dev)
	if err != nil {
		f.Error(err)
		return
	}
	p.Fuzz(f)
}
