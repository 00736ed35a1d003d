package apple

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"gamma/metal"
	"gamma/metal/sim"
)

// fake is a native that keeps books: it counts references, drains pools, knows the C types of each message by itself, writes down
// what is sent, and runs kernels on the simulator. What a Mac would punish by a crash is an error of the test.
type fake struct {
	t       *testing.T
	gpu     *sim.Device
	mu      sync.Mutex
	next    id
	objects map[id]*thing1
	classes map[string]id
	names   []string // of selectors, by selector-1
	pools   []*fakePool
	log     []string
	refuse  map[string]bool   // selectors, functions and classes that return nil
	absent  map[string]bool   // "Class selector" that objects do not know
	found   map[string]uint64 // results of getters that a test changes, by "Class selector"
	devices []string
	wrapped bool   // the default device is another object than the one in the list
	status  uint64 // of command buffers that were committed
	cbError *fakeError
	freed   map[string]int // objects that were freed, by class
}

// thing1 is an object of the fake's.
type thing1 struct {
	class  string
	ref    id
	count  int
	isA    bool // a class itself
	text   string
	bytes  []byte
	list   []id
	values map[string]any
	owns   []id // released with it
}

type fakePool struct {
	routine string
	owned   []id
	open    bool
}

type fakeError struct {
	domain string
	code   int64
	text   string
}

func newFake(t *testing.T, o sim.Options) *fake {
	o.NoChecks = true
	return &fake{
		t: t, gpu: sim.New(o), next: 0x1000, objects: map[id]*thing1{}, classes: map[string]id{}, refuse: map[string]bool{},
		absent: map[string]bool{}, found: map[string]uint64{}, devices: []string{"Apple M9 Fake"}, status: 4, freed: map[string]int{},
	}
}

// bad reports what would be a crash.
func (f *fake) bad(format string, args ...any) {
	f.t.Helper()
	f.t.Errorf("fake: "+format, args...)
}

func (f *fake) create(class string, count int) *thing1 {
	f.next += 16
	o := &thing1{class: class, ref: f.next, count: count, values: map[string]any{}}
	f.objects[o.ref] = o
	return o
}

// auto returns an object that the innermost pool owns.
func (f *fake) auto(class string) *thing1 {
	o := f.create(class, 1)
	f.pool().owned = append(f.pool().owned, o.ref)
	return o
}

func (f *fake) pool() *fakePool {
	routine, _ := locked()
	for _, p := range slices.Backward(f.pools) {
		if p.routine == routine {
			return p
		}
	}
	f.bad("no pool is open on this goroutine")
	p := &fakePool{routine: routine}
	f.pools = append(f.pools, p)
	return p
}

func (f *fake) free(x id) {
	o := f.objects[x]
	if o == nil {
		f.bad("release of %#x, which is no object any more", x)
		return
	}
	if o.count--; o.count > 0 {
		return
	}
	f.freed[o.class]++
	delete(f.objects, x)
	for i := range o.bytes {
		o.bytes[i] = 0xdd
	}
	for _, y := range o.owns {
		f.free(y)
	}
	if o.class == "MTLComputeCommandEncoder" && o.values["ended"] == nil {
		f.bad("an encoder was freed before endEncoding")
	}
}

// locked returns the name of this goroutine, and whether it keeps its thread: while it does, the one stands for the other.
func locked() (routine string, yes bool) {
	b := make([]byte, 100)
	b = b[:runtime.Stack(b, false)]
	line, _, _ := strings.Cut(string(b), "\n")
	routine, _, _ = strings.Cut(line, "[")
	return routine, strings.Contains(line, "locked to thread")
}

func (f *fake) class(name string) id {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse[name] {
		return 0
	}
	if f.classes[name] == 0 {
		o := f.create(name, 1<<30)
		o.isA = true
		f.classes[name] = o.ref
	}
	return f.classes[name]
}

func (f *fake) register(name string) selector {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.names, name) {
		f.bad("selector %s is registered twice", name)
	}
	f.names = append(f.names, name)
	return selector(len(f.names))
}

func (f *fake) pushPool() uintptr {
	f.mu.Lock()
	defer f.mu.Unlock()
	routine, ok := locked()
	if !ok {
		f.bad("a pool is opened on a thread that is not locked")
	}
	f.pools = append(f.pools, &fakePool{routine: routine, open: true})
	return uintptr(len(f.pools))
}

func (f *fake) popPool(token uintptr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pools[token-1]
	if routine, ok := locked(); !ok || !p.open || p.routine != routine {
		f.bad("pool %d is closed on another thread, or twice", token)
	}
	for _, x := range slices.Backward(p.owned) {
		f.free(x)
	}
	p.open, p.owned, p.routine = false, nil, ""
}

func (f *fake) device(name string) *thing1 {
	for _, o := range f.objects {
		if o.class == "MTLDevice" && o.text == name && o.values["wrapped"] == nil {
			o.count++
			return o
		}
	}
	o := f.create("MTLDevice", 1)
	o.text = name
	return o
}

func (f *fake) defaultDevice() id {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pool()
	if len(f.devices) == 0 || f.refuse["MTLCreateSystemDefaultDevice"] {
		return 0
	}
	if f.wrapped {
		o := f.create("MTLDevice", 1)
		o.text, o.values["wrapped"] = f.devices[0], true
		return o.ref
	}
	return f.device(f.devices[0]).ref
}

func (f *fake) allDevices() id {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pool()
	if f.refuse["MTLCopyAllDevices"] {
		return 0
	}
	a := f.create("NSArray", 1)
	for _, name := range f.devices {
		a.list = append(a.list, f.device(name).ref)
	}
	a.owns = a.list
	return a.ref
}

// handler is a message that the fake knows, with its own opinion of the C types.
type handler struct {
	types string
	do    func(f *fake, o *thing1, a []argument) result
}

func (f *fake) send(m call) (r result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := f.names[m.sel-1]
	if _, ok := locked(); !ok {
		f.bad("%s is sent from a thread that is not locked", name)
	}
	f.pool()
	o := f.objects[m.to]
	if o == nil {
		f.bad("%s is sent to %#x, which is no object any more", name, m.to)
		return result{}
	}
	h, ok := handlers[o.class+" "+name]
	if o.isA {
		h, ok = handlers["+ "+name]
	} else if !ok {
		h, ok = handlers["* "+name]
	}
	if !ok || f.absent[o.class+" "+name] {
		f.bad("a %s does not know %s: the process would end here", o.class, name)
		return result{}
	}
	if got := m.sig.String(); got != h.types {
		f.bad("%s is of type %s, and was sent as %s", name, h.types, got)
		return result{}
	}
	entry := o.class + " " + name
	for i := range m.args {
		a := &m.args[i]
		switch a.kind {
		case cID:
			x := id(a.word)
			switch y := f.objects[x]; {
			case x == 0:
				entry += " nil"
			case y == nil:
				f.bad("%s: argument %#x is no object any more", name, x)
			case y.class == "NSString":
				entry += fmt.Sprintf(" %.40q", y.text)
			default:
				entry += " " + y.class
			}
		case cSize:
			entry += fmt.Sprintf(" {%d %d %d}", a.size.Width, a.size.Height, a.size.Depth)
		case cSEL:
			entry += " " + f.names[a.word-1]
		case cString:
			entry += fmt.Sprintf(" %.40q", cText(a.ptr))
		case cBytes:
			if a.ptr == nil {
				f.bad("%s: a pointer is NULL", name)
			}
			entry += " *"
		case cError:
			if *(*id)(a.ptr) != 0 {
				f.bad("%s: the place for the NSError is not nil", name)
			}
			entry += " &error"
		default:
			entry += fmt.Sprintf(" %d", int64(a.word))
		}
	}
	if name != "respondsToSelector:" && name != "UTF8String" {
		f.log = append(f.log, entry)
	}
	if f.refuse[name] {
		return result{}
	}
	if v, ok := f.found[o.class+" "+name]; ok {
		return result{word: v}
	}
	return h.do(f, o, m.args)
}

// cText reads a C string.
func cText(p unsafe.Pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// setError makes an NSError.
func (f *fake) setError(at unsafe.Pointer, e fakeError) { *(*id)(at) = f.newError(e) }

func (f *fake) newError(e fakeError) id {
	o := f.auto("NSError")
	o.values["error"] = e
	return o.ref
}

func (f *fake) string(s string) result {
	o := f.auto("NSString")
	o.text = s
	return result{word: uint64(o.ref)}
}

// taken returns the result of f, nil with an NSError at e if it failed.
func taken[T any](f *fake, class string, key string, x T, err error, e unsafe.Pointer, domain string) result {
	if err != nil {
		f.setError(e, fakeError{domain, 3, err.Error()})
		return result{}
	}
	o := f.create(class, 1)
	o.values[key] = x
	return result{word: uint64(o.ref)}
}

func set(key string) func(f *fake, o *thing1, a []argument) result {
	return func(_ *fake, o *thing1, a []argument) result {
		o.values[key] = a[0].word
		return result{}
	}
}

func encode(op string) func(f *fake, o *thing1, a []argument) result {
	return func(f *fake, o *thing1, a []argument) result {
		if o.values["ended"] != nil {
			f.bad("%s after endEncoding", op)
		}
		s := fakeStep{op: op, args: slices.Clone(a)}
		if op == "setBytes" {
			s.bytes = slices.Clone(unsafe.Slice((*byte)(a[0].ptr), a[1].word))
		}
		if a != nil && a[0].kind == cID && a[0].word != 0 { // Metal retains what a command buffer uses
			f.objects[id(a[0].word)].count++
			cb := o.values["cb"].(*thing1)
			cb.owns = append(cb.owns, id(a[0].word))
		}
		steps, _ := o.values["steps"].([]fakeStep)
		o.values["steps"] = append(steps, s)
		return result{}
	}
}

type fakeStep struct {
	op    string
	args  []argument
	bytes []byte
}

func sizeBack(s size) metal.Size {
	return metal.Size{X: int(s.Width), Y: int(s.Height), Z: int(s.Depth)}
}

// run runs a command buffer on the simulator.
func (f *fake) run(cb *thing1) error {
	q, err := f.gpu.NewCommandQueue()
	if err != nil {
		return err
	}
	c, err := q.CommandBuffer()
	if err != nil {
		return err
	}
	encoders, _ := cb.values["encoders"].([]*thing1)
	used := map[*thing1]metal.Buffer{}
	for _, eo := range encoders {
		e, err := c.ComputeCommandEncoder(metal.DispatchType(eo.values["kind"].(uint64)))
		if err != nil {
			return err
		}
		steps, _ := eo.values["steps"].([]fakeStep)
		for _, s := range steps {
			a := s.args
			switch s.op {
			case "setPipeline":
				err = e.SetComputePipelineState(f.objects[id(a[0].word)].values["pipeline"].(metal.ComputePipelineState))
			case "setBuffer":
				if a[0].word == 0 {
					err = e.SetBuffer(nil, 0, int(a[2].word))
					break
				}
				b := f.objects[id(a[0].word)]
				if used[b] == nil {
					if used[b], err = f.gpu.NewBufferWithBytes(b.bytes); err != nil {
						return err
					}
				}
				err = e.SetBuffer(used[b], int(a[1].word), int(a[2].word))
			case "setBytes":
				err = e.SetBytes(s.bytes, int(a[2].word))
			case "setLength":
				err = e.SetThreadgroupMemoryLength(int(a[0].word), int(a[1].word))
			case "groups":
				err = e.DispatchThreadgroups(sizeBack(a[0].size), sizeBack(a[1].size))
			case "threads":
				err = e.DispatchThreads(sizeBack(a[0].size), sizeBack(a[1].size))
			case "barrier":
				err = e.MemoryBarrier()
			}
			if err != nil {
				return err
			}
		}
		if err := e.EndEncoding(); err != nil {
			return err
		}
	}
	if err := c.Commit(); err != nil {
		return err
	}
	err = c.WaitUntilCompleted()
	for b, s := range used {
		if err := s.Read(0, b.bytes); err != nil {
			return err
		}
		s.Release()
	}
	return err
}

func number64(n uint64) func(*fake, *thing1, []argument) result {
	return func(*fake, *thing1, []argument) result { return result{word: n} }
}

func getter(do func(f *fake, o *thing1) result) func(*fake, *thing1, []argument) result {
	return func(f *fake, o *thing1, _ []argument) result { return do(f, o) }
}

const (
	nullary  = " (id,SEL)"
	encoding = "MTLComputeCommandEncoder "
)

// handlers are by class and selector; * is any object, + any class.
var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"+ new": {"id" + nullary, func(f *fake, o *thing1, _ []argument) result {
			return result{word: uint64(f.create(o.class, 1).ref)}
		}},
		"* retain": {"id" + nullary, getter(func(f *fake, o *thing1) result {
			o.count++
			return result{word: uint64(o.ref)}
		})},
		"* release": {"void" + nullary, getter(func(f *fake, o *thing1) result {
			f.free(o.ref)
			return result{}
		})},
		"* respondsToSelector:": {"BOOL (id,SEL,SEL)", func(f *fake, o *thing1, a []argument) result {
			name := f.names[a[0].word-1]
			_, mine := handlers[o.class+" "+name]
			if mine && !f.absent[o.class+" "+name] {
				return result{word: 1}
			}
			return result{}
		}},
		"+ stringWithUTF8String:": {"id (id,SEL,const char*)", func(f *fake, _ *thing1, a []argument) result { return f.string(cText(a[0].ptr)) }},
		"NSString UTF8String": {"const char*" + nullary, getter(func(f *fake, o *thing1) result {
			o.bytes = append([]byte(o.text), 0)
			return result{ptr: unsafe.Pointer(&o.bytes[0])}
		})},
		"NSArray count": {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result { return result{word: uint64(len(o.list))} })},
		"NSArray objectAtIndex:": {"id (id,SEL,NSUInteger)", func(f *fake, o *thing1, a []argument) result {
			return result{word: uint64(o.list[a[0].word])}
		}},
		"NSMutableDictionary setObject:forKey:": {"void (id,SEL,id,id)", func(f *fake, o *thing1, a []argument) result {
			o.values[f.objects[id(a[1].word)].text] = f.objects[id(a[0].word)].text
			return result{}
		}},
		"NSError localizedDescription":               {"id" + nullary, getter(func(f *fake, o *thing1) result { return f.string(o.values["error"].(fakeError).text) })},
		"NSError domain":                             {"id" + nullary, getter(func(f *fake, o *thing1) result { return f.string(o.values["error"].(fakeError).domain) })},
		"NSError code":                               {"NSInteger" + nullary, getter(func(f *fake, o *thing1) result { return result{word: uint64(o.values["error"].(fakeError).code)} })},
		"+ processInfo":                              {"id" + nullary, getter(func(f *fake, o *thing1) result { return result{word: uint64(f.auto("NSProcessInfo").ref)} })},
		"NSProcessInfo operatingSystemVersionString": {"id" + nullary, getter(func(f *fake, o *thing1) result { return f.string("Version 99.1 (Build 99A1)") })},

		"MTLDevice name": {"id" + nullary, getter(func(f *fake, o *thing1) result { return f.string(o.text) })},
		"MTLDevice registryID": {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result {
			return result{word: 0xabc + uint64(slices.Index(f.devices, o.text))}
		})},
		"MTLDevice supportsFamily:": {"BOOL (id,SEL,NSInteger)", func(f *fake, _ *thing1, a []argument) result {
			if n := int64(a[0].word); n >= 1001 && n <= 1009 || n == 5001 {
				return result{word: 1}
			}
			return result{}
		}},
		"MTLDevice isLowPower":                 {"BOOL" + nullary, number64(1)},
		"MTLDevice maxThreadgroupMemoryLength": {"NSUInteger" + nullary, number64(32768)},
		"MTLDevice maxThreadsPerThreadgroup": {"MTLSize" + nullary, getter(func(f *fake, o *thing1) result {
			return result{size: size{Width: 1024, Height: 1024, Depth: 512}}
		})},
		"MTLDevice maxBufferLength": {"NSUInteger" + nullary, number64(1 << 28)},
		"MTLDevice newLibraryWithSource:options:error:": {"id (id,SEL,id,id,id*)", func(f *fake, _ *thing1, a []argument) result {
			text, o := f.objects[id(a[0].word)].text, f.objects[id(a[1].word)]
			options := metal.CompileOptions{FileName: "program_source", Macros: map[string]string{}}
			if v, ok := o.values["fastMath"]; ok {
				if v == uint64(1) {
					options.MathMode, options.MathFunctions = metal.MathFast, metal.FunctionsFast
				}
			} else if o.values["mode"] == nil || o.values["functions"] == nil {
				f.bad("a library is compiled with a math mode, or math functions, that was not set")
			} else {
				options.MathMode, options.MathFunctions = metal.MathMode(o.values["mode"].(uint64)), metal.MathFunctions(1-o.values["functions"].(uint64))
			}
			if v, ok := o.values["version"]; ok {
				options.LanguageVersion = metal.LanguageVersion(v.(uint64))
			}
			if v, ok := o.values["macros"]; ok {
				for k, v := range v.(map[string]any) {
					options.Macros[k] = v.(string)
				}
			}
			l, err := f.gpu.NewLibrary(text, options)
			if err == nil && strings.Contains(text, "#warning") {
				f.setError(a[2].ptr, fakeError{"MTLLibraryErrorDomain", 4, "program_source:1:1: warning: something"})
			}
			r := taken(f, "MTLLibrary", "library", l, err, a[2].ptr, "MTLLibraryErrorDomain")
			if err == nil {
				f.objects[id(r.word)].values["special"] = strings.Contains(text, "[[function_constant(")
			}
			return r
		}},
		"MTLDevice newComputePipelineStateWithFunction:error:": {"id (id,SEL,id,id*)", func(f *fake, _ *thing1, a []argument) result {
			fn := f.objects[id(a[0].word)]
			p, err := f.gpu.NewComputePipelineState(fn.values["function"].(metal.Function))
			if fn.values["plain"] == true {
				err = errors.New("the function is not specialised")
			}
			return taken(f, "MTLComputePipelineState", "pipeline", p, err, a[1].ptr, "AGXMetal")
		}},
		"MTLDevice newBufferWithLength:options:": {"id (id,SEL,NSUInteger,NSUInteger)", func(f *fake, _ *thing1, a []argument) result {
			o := f.create("MTLBuffer", 1)
			o.bytes = make([]byte, a[0].word)
			if a[1].word != 0 {
				f.bad("the storage of a buffer is not shared")
			}
			return result{word: uint64(o.ref)}
		}},
		"MTLDevice newBufferWithBytes:length:options:": {"id (id,SEL,const void*,NSUInteger,NSUInteger)", func(f *fake, _ *thing1, a []argument) result {
			o := f.create("MTLBuffer", 1)
			o.bytes = slices.Clone(unsafe.Slice((*byte)(a[0].ptr), a[1].word))
			if a[2].word != 0 {
				f.bad("the storage of a buffer is not shared")
			}
			return result{word: uint64(o.ref)}
		}},
		"MTLDevice newCommandQueue": {"id" + nullary, getter(func(f *fake, o *thing1) result { return result{word: uint64(f.create("MTLCommandQueue", 1).ref)} })},

		"MTLCompileOptions setFastMathEnabled:":            {"void (id,SEL,BOOL)", set("fastMath")},
		"MTLCompileOptions setMathMode:":                   {"void (id,SEL,NSInteger)", set("mode")},
		"MTLCompileOptions setMathFloatingPointFunctions:": {"void (id,SEL,NSInteger)", set("functions")},
		"MTLCompileOptions setLanguageVersion:":            {"void (id,SEL,NSUInteger)", set("version")},
		"MTLCompileOptions setPreprocessorMacros:": {"void (id,SEL,id)", func(f *fake, o *thing1, a []argument) result {
			o.values["macros"] = f.objects[id(a[0].word)].values // a copy, as the property's attribute says
			return result{}
		}},

		"MTLLibrary functionNames": {"id" + nullary, getter(func(f *fake, o *thing1) result {
			list := f.auto("NSArray")
			for _, n := range slices.Backward(o.values["library"].(metal.Library).FunctionNames()) {
				s := f.create("NSString", 1)
				s.text = n
				list.list = append(list.list, s.ref)
			}
			list.owns = list.list
			return result{word: uint64(list.ref)}
		})},
		"MTLLibrary newFunctionWithName:": {"id (id,SEL,id)", func(f *fake, o *thing1, a []argument) result {
			fn, err := o.values["library"].(metal.Library).NewFunction(f.objects[id(a[0].word)].text, nil)
			if err != nil {
				return result{}
			}
			r := taken(f, "MTLFunction", "function", fn, nil, nil, "")
			f.objects[id(r.word)].values["plain"] = o.values["special"]
			return r
		}},
		"MTLLibrary newFunctionWithName:constantValues:error:": {"id (id,SEL,id,id,id*)", func(f *fake, o *thing1, a []argument) result {
			c := metal.FunctionConstants{}
			for k, v := range f.objects[id(a[1].word)].values {
				if n, ok := strings.CutPrefix(k, "#"); ok {
					var i int
					_, _ = fmt.Sscan(n, &i)
					c[i] = v
				} else {
					c[k] = v
				}
			}
			fn, err := o.values["library"].(metal.Library).NewFunction(f.objects[id(a[0].word)].text, c)
			return taken(f, "MTLFunction", "function", fn, err, a[2].ptr, "MTLLibraryErrorDomain")
		}},
		"MTLFunctionConstantValues setConstantValue:type:atIndex:": {"void (id,SEL,const void*,NSUInteger,NSUInteger)", func(f *fake, o *thing1, a []argument) result {
			o.values[fmt.Sprintf("#%d", a[2].word)] = f.constant(a)
			return result{}
		}},
		"MTLFunctionConstantValues setConstantValue:type:withName:": {"void (id,SEL,const void*,NSUInteger,id)", func(f *fake, o *thing1, a []argument) result {
			o.values[f.objects[id(a[2].word)].text] = f.constant(a)
			return result{}
		}},

		"MTLComputePipelineState maxTotalThreadsPerThreadgroup": {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result {
			return result{word: uint64(o.values["pipeline"].(metal.ComputePipelineState).MaxTotalThreadsPerThreadgroup())}
		})},
		"MTLComputePipelineState threadExecutionWidth": {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result {
			return result{word: uint64(o.values["pipeline"].(metal.ComputePipelineState).ThreadExecutionWidth())}
		})},
		"MTLComputePipelineState staticThreadgroupMemoryLength": {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result {
			return result{word: uint64(o.values["pipeline"].(metal.ComputePipelineState).StaticThreadgroupMemoryLength())}
		})},
		"MTLBuffer contents":  {"void*" + nullary, getter(func(f *fake, o *thing1) result { return result{ptr: unsafe.Pointer(&o.bytes[0])} })},
		"MTLBuffer setLabel:": {"void (id,SEL,id)", func(f *fake, o *thing1, a []argument) result { o.text = f.objects[id(a[0].word)].text; return result{} }},

		"MTLCommandQueue commandBuffer": {"id" + nullary, getter(func(f *fake, o *thing1) result {
			cb := f.auto("MTLCommandBuffer")
			o.count++
			cb.owns = append(cb.owns, o.ref)
			cb.values["status"] = uint64(0)
			return result{word: uint64(cb.ref)}
		})},
		"MTLCommandBuffer computeCommandEncoderWithDispatchType:": {"id (id,SEL,NSUInteger)", func(f *fake, o *thing1, a []argument) result {
			e := f.auto("MTLComputeCommandEncoder")
			e.values["kind"], e.values["cb"] = a[0].word, o
			list, _ := o.values["encoders"].([]*thing1)
			for _, x := range list {
				if x.values["ended"] == nil {
					f.bad("an encoder is made while another is open")
				}
			}
			o.values["encoders"] = append(list, e)
			return result{word: uint64(e.ref)}
		}},
		"MTLCommandBuffer commit": {"void" + nullary, getter(func(f *fake, o *thing1) result {
			if o.values["status"] != uint64(0) {
				f.bad("a command buffer is committed twice")
			}
			o.values["status"] = uint64(2)
			if err := f.run(o); err != nil {
				f.bad("the command buffer does not run: %v", err)
			}
			return result{}
		})},
		"MTLCommandBuffer waitUntilCompleted": {"void" + nullary, getter(func(f *fake, o *thing1) result {
			if o.values["status"] == uint64(0) {
				f.bad("waiting for a command buffer that was not committed: this never ends")
			}
			o.values["status"] = f.status
			return result{}
		})},
		"MTLCommandBuffer status":       {"NSUInteger" + nullary, getter(func(f *fake, o *thing1) result { return result{word: o.values["status"].(uint64)} })},
		"MTLCommandBuffer GPUStartTime": {"double" + nullary, getter(func(f *fake, o *thing1) result { return result{double: 1000} })},
		"MTLCommandBuffer GPUEndTime":   {"double" + nullary, getter(func(f *fake, o *thing1) result { return result{double: 1000.25} })},
		"MTLCommandBuffer error": {"id" + nullary, getter(func(f *fake, o *thing1) result {
			if f.cbError == nil {
				return result{}
			}
			return result{word: uint64(f.newError(*f.cbError))}
		})},

		encoding + "setComputePipelineState:":                    {"void (id,SEL,id)", encode("setPipeline")},
		encoding + "setBuffer:offset:atIndex:":                   {"void (id,SEL,id,NSUInteger,NSUInteger)", encode("setBuffer")},
		encoding + "setBytes:length:atIndex:":                    {"void (id,SEL,const void*,NSUInteger,NSUInteger)", encode("setBytes")},
		encoding + "setThreadgroupMemoryLength:atIndex:":         {"void (id,SEL,NSUInteger,NSUInteger)", encode("setLength")},
		encoding + "dispatchThreadgroups:threadsPerThreadgroup:": {"void (id,SEL,MTLSize,MTLSize)", encode("groups")},
		encoding + "dispatchThreads:threadsPerThreadgroup:":      {"void (id,SEL,MTLSize,MTLSize)", encode("threads")},
		encoding + "memoryBarrierWithScope:":                     {"void (id,SEL,NSUInteger)", encode("barrier")},
		encoding + "endEncoding": {"void" + nullary, func(f *fake, o *thing1, _ []argument) result {
			if o.values["ended"] != nil {
				f.bad("endEncoding twice")
			}
			o.values["ended"] = true
			return result{}
		}},
	}
}

// constant reads a function constant by its MTLDataType.
func (f *fake) constant(a []argument) any {
	p := a[0].ptr
	switch a[1].word {
	case 3:
		return *(*float32)(p)
	case 4:
		return *(*[2]float32)(p)
	case 16:
		return *(*metal.Half)(p)
	case 29:
		return *(*int32)(p)
	case 31: // which has the room of four
		v := *(*[4]int32)(p)
		return [3]int32(v[:3])
	case 33:
		return *(*uint32)(p)
	case 37:
		return *(*int16)(p)
	case 41:
		return *(*uint16)(p)
	case 45:
		return *(*int8)(p)
	case 49:
		return *(*uint8)(p)
	case 53:
		return *(*uint8)(p) != 0
	case 81:
		return *(*int64)(p)
	case 85:
		return *(*uint64)(p)
	case 121:
		return *(*metal.BFloat)(p)
	}
	f.bad("there is no MTLDataType %d", a[1].word)
	return nil
}

// left lists the objects that live, by class, without classes.
func (f *fake) left() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := map[string]int{}
	for _, o := range f.objects {
		if !o.isA {
			m[o.class] += o.count
		}
	}
	return m
}

// take returns what was sent since the last call.
func (f *fake) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.log
	f.log = nil
	return list
}

// words are bytes of 32-bit words, and back.
func words(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func floats(v ...float32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
