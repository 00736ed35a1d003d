package apple

import (
	"slices"
	"strings"
	"sync"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl"
)

// library is an MTLLibrary.
type library struct {
	*object
	names []string
	front func() *msl.Library // what our front end makes of the same source; nil if it does not take it
}

// maxSource is the largest source, in bytes, with its headers.
const maxSource = 16 << 20

// Compile compiles source. The diagnostics in the error are Metal's own.
func (b *backend) Compile(source string, o metal.CompileOptions) (protocol.Library, error) {
	switch {
	case o.MathMode > metal.MathFast:
		return nil, errorf("there is no MathMode(%d); use MathSafe, MathRelaxed or MathFast", o.MathMode)
	case o.MathFunctions > metal.FunctionsFast:
		return nil, errorf("there is no MathFunctions(%d); use FunctionsPrecise or FunctionsFast", o.MathFunctions)
	}
	file := o.FileName
	if file == "" {
		file = programSource
	}
	macros, defines, err := splitMacros(o.Macros)
	if err != nil {
		return nil, err
	}
	text, err := inline(source, file, o.Headers, o.HeaderFiles, defines)
	if err != nil {
		return nil, err
	}
	l := &library{front: sync.OnceValue(func() *msl.Library {
		m, err := b.front(source, msl.Options(o))
		if err != nil {
			return nil
		}
		return m
	})}
	l.object, err = b.create(func(p *pool) (*object, error) {
		options, err := p.options(o, macros)
		if err != nil {
			return nil, err
		}
		defer p.release(options)
		code, err := p.text("the source "+file, text)
		if err != nil {
			return nil, err
		}
		failed := new(id)
		x := p.send(msgNewLibraryWithSource, b.ref, objectArg(code), objectArg(options), errorArg(failed)).object()
		if x == 0 { // with warnings alone there is an NSError too
			return nil, renamed(p.failure("newLibraryWithSource:options:error:", *failed), file)
		}
		made := b.adopt(x)
		if err := p.understands(b.ref, x, "MTLLibrary"); err != nil {
			return made, err
		}
		list := p.send(msgFunctionNames, x).object()
		if list == 0 {
			return made, nil
		}
		for i := range p.send(msgCount, list).word {
			l.names = append(l.names, p.string(p.send(msgObjectAtIndex, list, unsignedArg(i)).object()))
		}
		slices.Sort(l.names) // Metal's order means nothing
		return made, nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// programSource is what Metal calls a source that has no file.
const programSource = "program_source"

// renamed puts the source's name into Metal's diagnostics.
func renamed(err error, file string) error {
	if e, ok := err.(*Error); ok {
		e.Text = strings.ReplaceAll(e.Text, programSource+":", file+":")
	}
	return err
}

// options returns an MTLCompileOptions, +1.
func (p *pool) options(o metal.CompileOptions, macros map[string]string) (id, error) {
	x, err := p.make("MTLCompileOptions")
	if err != nil {
		return 0, err
	}
	if err = p.understands(0, x, "MTLCompileOptions"); err == nil {
		err = p.fill(x, o, macros)
	}
	if err != nil {
		p.release(x)
		return 0, err
	}
	return x, nil
}

// fill sets the options' properties. The math mode and functions are always set: Metal's defaults differ between systems.
func (p *pool) fill(x id, o metal.CompileOptions, macros map[string]string) error {
	if p.responds(0, x, msgSetMathMode) && p.responds(0, x, msgSetMathFloatingPointFunctions) {
		mode := map[metal.MathMode]int64{metal.MathSafe: mathModeSafe, metal.MathRelaxed: mathModeRelaxed, metal.MathFast: mathModeFast}
		functions := map[metal.MathFunctions]int64{metal.FunctionsPrecise: functionsPrecise, metal.FunctionsFast: functionsFast}
		p.send(msgSetMathMode, x, signedArg(mode[o.MathMode]))
		p.send(msgSetMathFloatingPointFunctions, x, signedArg(functions[o.MathFunctions]))
	} else if p.responds(0, x, msgSetFastMathEnabled) {
		switch {
		case o.MathMode == metal.MathSafe && o.MathFunctions == metal.FunctionsPrecise:
			p.send(msgSetFastMathEnabled, x, boolArg(false))
		case o.MathMode == metal.MathFast && o.MathFunctions == metal.FunctionsFast:
			p.send(msgSetFastMathEnabled, x, boolArg(true))
		default:
			return errorf("this system has no mathMode, which is there from macOS 15 on, and fastMathEnabled is only safe with precise functions or fast with fast ones; use one of these two")
		}
	} else {
		return errorf("this system's MTLCompileOptions knows neither mathMode with mathFloatingPointFunctions nor fastMathEnabled, so that its arithmetic would be unknown; it is too old or too new for this package")
	}
	if o.LanguageVersion != 0 {
		p.send(msgSetLanguageVersion, x, unsignedArg(uint64(o.LanguageVersion)))
	}
	if len(macros) == 0 {
		return nil
	}
	table, err := p.make("NSMutableDictionary")
	if err != nil {
		return err
	}
	defer p.release(table)
	for _, name := range sortedKeys(macros) {
		key, err := p.text("macro "+name, name)
		if err != nil {
			return err
		}
		value, err := p.text("the text of macro "+name, macros[name])
		if err != nil {
			return err
		}
		p.send(msgSetObjectForKey, table, objectArg(value), objectArg(key))
	}
	p.send(msgSetPreprocessorMacros, x, objectArg(table))
	return nil
}

// Names returns the names of the kernels in the order of the source, or by name if our front end does not take it.
func (l *library) Names() []string {
	names := slices.Clone(l.names)
	m := l.front()
	if m == nil {
		return names
	}
	place := map[string]int{}
	for i, f := range m.Functions() {
		place[f.Name] = i + 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	return names
}

// Function returns the kernel called name.
func (l *library) Function(name string, constants metal.FunctionConstants) (*protocol.Function, error) {
	values, err := l.constants(constants)
	if err != nil {
		return nil, errorf("function %s: %w", name, err)
	}
	// Where a source has function constants Metal wants values, be they none: what newFunctionWithName: returns then is good for reflection
	// only, and no pipeline can be made of it (gfx-rs/gfx, pull request 1703).
	special := len(values) > 0
	f := &protocol.Function{Name: name}
	if m := l.front(); m != nil {
		special = special || len(m.Constants()) > 0
		if k, err := m.Kernel(name, constants); err == nil {
			f.Kernel = k
		}
	}
	o, err := l.b.create(func(p *pool) (*object, error) {
		text, err := p.text("the function's name", name)
		if err != nil {
			return nil, err
		}
		if !special {
			x := p.send(msgNewFunction, l.ref, objectArg(text)).object()
			if x == 0 {
				return nil, errorf("newFunctionWithName: returned nil for %s; give it its function constants, if it has any", name)
			}
			return l.b.adopt(x), nil
		}
		table, err := p.constantValues(values)
		if err != nil {
			return nil, err
		}
		defer p.release(table)
		failed := new(id)
		x := p.send(msgNewFunctionWithConstants, l.ref, objectArg(text), objectArg(table), errorArg(failed)).object()
		if x == 0 {
			return nil, p.failure("newFunctionWithName:constantValues:error: of "+name, *failed)
		}
		return l.b.adopt(x), nil
	})
	if err != nil {
		return nil, err
	}
	f.Native = o
	return f, nil
}
