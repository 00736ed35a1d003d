package device

import (
	"errors"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/shaders"
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
	OnEachDevice(t, on)
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
		dev = FirstDevice(f)
	}
	p, err := l.open(dev)
	if err != nil {
		f.Error(err)
		return
	}
	p.Fuzz(f)
}

// Shader makes a subject of a kernel, an operation, an operation on residues, transforms or a kernel with a formula of package shaders, or of one of
// the same form, on dev; nil is a simulator that checks everything. It is a props.Reduction or props.Dot, a props.Operation, a props.Modular, a
// props.NTT, a props.FFT or a props.Kernel.
func Shader[K shaders.Kernel | shaders.Operation | shaders.Modular | shaders.NTT | shaders.FFT | shaders.Formula](k K, dev metal.Device) props.Subject {
	switch k := any(k).(type) {
	case shaders.Operation:
		return shaderOperation(k, dev)
	case shaders.Modular:
		return shaderModular(k, dev)
	case shaders.NTT:
		return shaderNTT(k, dev)
	case shaders.FFT:
		return shaderFFT(k, dev)
	case shaders.Formula:
		return shaderFormula(k, dev)
	case shaders.Kernel:
		return shaderKernel(k, dev)
	}
	panic("device: a kind of shader without a subject")
}

// Subjects returns the subjects of one type for what package shaders has, on dev; nil is a simulator that checks everything.
// Subjects[props.Modular] are the operations on residues, Subjects[props.Subject] all there are.
func Subjects[S props.Subject](dev metal.Device) []S {
	var list []S
	add := func(s props.Subject) {
		if s, ok := s.(S); ok {
			list = append(list, s)
		}
	}
	for _, k := range shaders.All() {
		add(Shader(k, dev))
	}
	for _, o := range shaders.Operations() {
		add(Shader(o, dev))
	}
	for _, m := range shaders.Modulars() {
		add(Shader(m, dev))
	}
	for _, n := range shaders.NTTs() {
		add(Shader(n, dev))
	}
	for _, f := range shaders.FFTs() {
		add(Shader(f, dev))
	}
	for _, f := range shaders.Formulas() {
		add(Shader(f, dev))
	}
	return list
}
