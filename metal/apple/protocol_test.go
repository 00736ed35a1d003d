package apple

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/metal/sim"
)

// library compiles a source under options.
func compiled(t *testing.T, d metal.Device, source string, o metal.CompileOptions) metal.Library {
	t.Helper()
	l, err := d.NewLibrary(source, o)
	require.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

const upSource = `kernel void up(device uint *y [[buffer(3)]], constant uint &n [[buffer(5)]], threadgroup uint *s [[threadgroup(1)]],
    uint i [[thread_position_in_grid]]) { s[0] = n; y[i] += 1; }`

// TestMessagesInOrder: what is sent, from the source to the end of a command buffer.
func TestMessagesInOrder(t *testing.T) {
	d, f := opened(t, sim.Options{})
	l := compiled(t, d, upSource, metal.CompileOptions{MathMode: metal.MathRelaxed, LanguageVersion: metal.Version32, Macros: map[string]string{"B": "2", "A": "1"}})
	require.Equal(t, []string{
		"MTLCompileOptions new",
		"MTLCompileOptions setMathMode: 1",
		"MTLCompileOptions setMathFloatingPointFunctions: 1",
		"MTLCompileOptions setLanguageVersion: 196610",
		"NSMutableDictionary new",
		`NSString stringWithUTF8String: "A"`,
		`NSString stringWithUTF8String: "1"`,
		`NSMutableDictionary setObject:forKey: "1" "A"`,
		`NSString stringWithUTF8String: "B"`,
		`NSString stringWithUTF8String: "2"`,
		`NSMutableDictionary setObject:forKey: "2" "B"`,
		"MTLCompileOptions setPreprocessorMacros: NSMutableDictionary",
		"NSMutableDictionary release",
		fmt.Sprintf("NSString stringWithUTF8String: %.40q", upSource),
		fmt.Sprintf("MTLDevice newLibraryWithSource:options:error: %.40q MTLCompileOptions &error", upSource),
		"MTLLibrary functionNames",
		"NSArray count",
		"NSArray objectAtIndex: 0",
		"MTLCompileOptions release",
	}, f.take())
	fn, err := l.NewFunction("up", nil)
	require.NoError(t, err)
	defer fn.Release()
	require.Equal(t, []string{`NSString stringWithUTF8String: "up"`, `MTLLibrary newFunctionWithName: "up"`}, f.take())
	require.Equal(t, "up", fn.Name())
	require.Equal(t, []metal.Argument{
		{Name: "y", Index: 3, ElementSize: 4, TypeName: "device uint*"},
		{Name: "n", Index: 5, ReadOnly: true, ElementSize: 4, TypeName: "uint&"},
		{Name: "s", Index: 1, Threadgroup: true, ElementSize: 4, TypeName: "threadgroup uint*"},
	}, fn.Arguments())
	p, err := d.NewComputePipelineState(fn)
	require.NoError(t, err)
	defer p.Release()
	require.Equal(t, []string{
		"MTLDevice newComputePipelineStateWithFunction:error: MTLFunction &error", "MTLComputePipelineState maxTotalThreadsPerThreadgroup",
		"MTLComputePipelineState threadExecutionWidth", "MTLComputePipelineState staticThreadgroupMemoryLength",
	}, f.take())
	b, err := d.NewBufferWithBytes(words(1, 2, 3))
	require.NoError(t, err)
	defer b.Release()
	z, err := d.NewBuffer(8)
	require.NoError(t, err)
	z.SetLabel("zeros")
	z.Release()
	require.Equal(t, []string{
		"MTLDevice newBufferWithBytes:length:options: * 12 0", "MTLBuffer contents",
		"MTLDevice newBufferWithLength:options: 8 0", "MTLBuffer contents",
		`NSString stringWithUTF8String: "zeros"`, `MTLBuffer setLabel: "zeros"`, "MTLBuffer release",
	}, f.take())
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	require.Equal(t, metal.NotEnqueued, c.Status())
	for _, kind := range []metal.DispatchType{metal.Serial, metal.Concurrent} {
		e, err := c.ComputeCommandEncoder(kind)
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(nil, 0, 30))
		require.NoError(t, e.SetBuffer(b, 4, 3))
		require.NoError(t, e.SetBytes(words(7), 5))
		require.NoError(t, e.SetThreadgroupMemoryLength(0, 2), "nothing to take back: Metal is not told")
		require.NoError(t, e.SetThreadgroupMemoryLength(32, 1))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(2)))
		require.NoError(t, e.MemoryBarrier())
		require.NoError(t, e.DispatchThreads(metal.Size{X: 1, Y: 1, Z: 1}, metal.Size{X: 2, Y: 3, Z: 4}))
		require.NoError(t, e.EndEncoding())
	}
	require.Equal(t, []string{"MTLDevice newCommandQueue"}, f.take(), "encoders record in Go")
	require.NoError(t, c.Commit())
	pass := func(kind string, barrier ...string) []string {
		list := []string{
			"MTLCommandBuffer computeCommandEncoderWithDispatchType: " + kind,
			encoding + "setComputePipelineState: MTLComputePipelineState",
			encoding + "setBuffer:offset:atIndex: MTLBuffer 4 3",
			encoding + "setBytes:length:atIndex: * 4 5",
			encoding + "setThreadgroupMemoryLength:atIndex: 32 1",
			encoding + "dispatchThreadgroups:threadsPerThreadgroup: {1 1 1} {2 1 1}",
		}
		list = append(list, barrier...)
		return append(list, encoding+"dispatchThreads:threadsPerThreadgroup: {1 1 1} {2 3 4}", encoding+"endEncoding")
	}
	want := append([]string{"MTLCommandQueue commandBuffer"}, pass("0")...)
	want = append(want, pass("1", encoding+"memoryBarrierWithScope: 1")...)
	want = append(want, "MTLCommandBuffer retain", "MTLCommandBuffer commit")
	require.Equal(t, want, f.take())
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []string{
		"MTLCommandBuffer waitUntilCompleted", "MTLCommandBuffer status", "MTLCommandBuffer GPUStartTime", "MTLCommandBuffer GPUEndTime", "MTLCommandBuffer release",
	}, f.take())
	require.EqualValues(t, 250e6, c.GPUTime())
	require.NoError(t, c.Error())
	require.Empty(t, f.take(), "an end is asked for once")
	require.Equal(t, []uint32{1, 6, 5}, held(t, b))
}

// TestMathOptions: both properties are always set, or the old one stands for them.
func TestMathOptions(t *testing.T) {
	d, f := opened(t, sim.Options{})
	for mode, a := range map[metal.MathMode]string{metal.MathSafe: "0", metal.MathRelaxed: "1", metal.MathFast: "2"} {
		for functions, b := range map[metal.MathFunctions]string{metal.FunctionsPrecise: "1", metal.FunctionsFast: "0"} {
			compiled(t, d, "", metal.CompileOptions{MathMode: mode, MathFunctions: functions})
			require.Equal(t, []string{"MTLCompileOptions setMathMode: " + a, "MTLCompileOptions setMathFloatingPointFunctions: " + b}, f.take()[1:3])
		}
	}
	d, f = opened(t, sim.Options{})
	f.absent["MTLCompileOptions setMathMode:"] = true
	f.absent["MTLCompileOptions setMathFloatingPointFunctions:"] = true
	compiled(t, d, "", metal.CompileOptions{})
	require.Equal(t, "MTLCompileOptions setFastMathEnabled: 0", f.take()[1])
	compiled(t, d, "", metal.CompileOptions{MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast})
	require.Equal(t, "MTLCompileOptions setFastMathEnabled: 1", f.take()[1])
	for _, o := range []metal.CompileOptions{{MathMode: metal.MathRelaxed}, {MathMode: metal.MathFast}, {MathFunctions: metal.FunctionsFast}} {
		_, err := d.NewLibrary("", o)
		require.ErrorContains(t, err, "this system has no mathMode")
	}
	// The self-test goes without what such a system cannot do.
	f = newFake(t, sim.Options{})
	f.absent["MTLCompileOptions setMathMode:"] = true
	old, err := open(newHost(f), Options{})
	require.NoError(t, err)
	defer old.Release()
	require.Contains(t, old.Properties().Detail, "relaxed was not probed")
	require.Contains(t, old.Report().String(), "relaxed    not probed: apple: this system has no mathMode")
}

// TestChoice: devices by name.
func TestChoice(t *testing.T) {
	f := newFake(t, sim.Options{})
	f.devices = []string{"Apple M9 Max", "AMD Radeon 1", "AMD Radeon 12"}
	h := newHost(f)
	names, err := devices(h)
	require.NoError(t, err)
	require.Equal(t, f.devices, names)
	require.Empty(t, f.left())
	for want, name := range map[string]string{"": "Apple M9 Max", "apple": "Apple M9 Max", "AMD Radeon 1": "AMD Radeon 1", "radeon 12": "AMD Radeon 12", "amd radeon 1": "AMD Radeon 1"} {
		d, err := open(h, Options{Name: want, SkipSelfTest: true})
		require.NoError(t, err)
		require.Equal(t, name, d.Properties().Name)
		require.Nil(t, d.Report())
		require.Equal(t, map[string]int{"MTLDevice": 1}, f.left())
		d.Release()
		require.Empty(t, f.left())
	}
	for want, text := range map[string]string{
		"radeon": `2 devices have "radeon" in their names; the devices are "Apple M9 Max", "AMD Radeon 1", "AMD Radeon 12": say one of them`,
		"intel":  `no device is called "intel"; the devices are "Apple M9 Max"`,
	} {
		_, err := open(h, Options{Name: want})
		require.ErrorContains(t, err, text)
	}
	f.refuse["MTLCopyAllDevices"] = true
	_, err = open(h, Options{Name: "x"})
	require.ErrorContains(t, err, "MTLCopyAllDevices returned nil")
	_, err = devices(h)
	require.ErrorContains(t, err, "MTLCopyAllDevices returned nil")
	f.refuse["MTLCopyAllDevices"] = false
	f.devices = nil
	_, err = open(h, Options{})
	require.ErrorContains(t, err, "this machine has no Metal device, or the process may not use it")
	_, err = open(h, Options{Name: "x"})
	require.ErrorContains(t, err, "this machine has no Metal device at all")
	require.Empty(t, f.left())
}

// TestRefusals: every message that may return nil does, and nothing is left over.
func TestRefusals(t *testing.T) {
	const constants = "constant uint c [[function_constant(0)]];\nkernel void k(device uint *y) { y[0] = c; }"
	for _, x := range []struct {
		refuse, want string
	}{
		{"NSString", "no class NSString"},
		{"NSProcessInfo", "no class NSProcessInfo"},
		{"MTLCompileOptions", "no class MTLCompileOptions"},
		{"NSMutableDictionary", "no class NSMutableDictionary"},
		{"MTLFunctionConstantValues", "no class MTLFunctionConstantValues"},
		{"new", "new of MTLCompileOptions returned nil"},
		{"stringWithUTF8String:", "could not be made an NSString"},
		{"newLibraryWithSource:options:error:", "newLibraryWithSource:options:error: failed and Metal gave no NSError"},
		{"newFunctionWithName:constantValues:error:", "newFunctionWithName:constantValues:error: of k failed and Metal gave no NSError"},
		{"newComputePipelineStateWithFunction:error:", "newComputePipelineStateWithFunction:error: of k failed and Metal gave no NSError"},
		{"newBufferWithBytes:length:options:", "newBufferWithBytes:length:options: returned nil for 4 bytes: the device is out of memory"},
		{"newBufferWithLength:options:", "newBufferWithLength:options: returned nil for 8 bytes"},
		{"contents", "is NULL; its storage is not shared"},
		{"newCommandQueue", "newCommandQueue returned nil"},
		{"commandBuffer", "commandBuffer returned nil"},
		{"computeCommandEncoderWithDispatchType:", "computeCommandEncoderWithDispatchType: returned nil"},
	} {
		t.Run(x.refuse, func(t *testing.T) {
			f := newFake(t, sim.Options{})
			f.refuse[x.refuse] = true
			err := func() error {
				d, err := open(newHost(f), Options{SkipSelfTest: true})
				if err != nil {
					return err
				}
				defer d.Release()
				l, err := d.NewLibrary(constants, metal.CompileOptions{Macros: map[string]string{"A": "1"}})
				if err != nil {
					return err
				}
				fn, err := l.NewFunction("k", metal.FunctionConstants{0: uint32(1)})
				if err != nil {
					return err
				}
				p, err := d.NewComputePipelineState(fn)
				if err != nil {
					return err
				}
				b, err := d.NewBufferWithBytes(words(0))
				if err != nil {
					return err
				}
				if _, err := d.NewBuffer(8); err != nil {
					return err
				}
				q, err := d.NewCommandQueue()
				if err != nil {
					return err
				}
				c, err := q.CommandBuffer()
				if err != nil {
					return err
				}
				e, err := c.ComputeCommandEncoder(metal.Serial)
				require.NoError(t, err)
				require.NoError(t, e.SetComputePipelineState(p))
				require.NoError(t, e.SetBuffer(b, 0, 0))
				require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
				require.NoError(t, e.EndEncoding())
				return c.Commit()
			}()
			require.ErrorContains(t, err, x.want)
			require.Empty(t, f.left(), "objects that were not released")
		})
	}
}

// TestUnknownMessages: an object that does not know a message is an error that names it, and not the end of the process.
func TestUnknownMessages(t *testing.T) {
	for m := range messages {
		d := &table[m]
		if d.class || d.optional || !strings.HasPrefix(d.on, "MTL") || m == msgEndEncoding { // an encoder that cannot be ended cannot be saved
			continue
		}
		t.Run(d.selector, func(t *testing.T) {
			f := newFake(t, sim.Options{})
			f.absent[d.on+" "+d.selector] = true
			x, err := open(newHost(f), Options{})
			if d.on == "MTLFunctionConstantValues" { // the self-test has none
				require.NoError(t, err)
				l := compiled(t, x, "constant uint c [[function_constant(0)]];\nkernel void k(device uint *y) { y[0] = c; }", metal.CompileOptions{})
				_, err = l.NewFunction("k", metal.FunctionConstants{0: uint32(1)})
				l.Release()
				x.Release()
			}
			require.ErrorContains(t, err, d.on+" does not know "+d.selector)
			require.Empty(t, f.left(), "objects that were not released")
		})
	}
}

// TestFailedWork: an error of the GPU comes with domain, code and text.
func TestFailedWork(t *testing.T) {
	d, f := opened(t, sim.Options{})
	p := ready(t, d, addSource, "add", metal.CompileOptions{}, nil)
	x := filled(t, d, words(0))
	start := func() metal.CommandBuffer {
		return pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(x, 0, 0))
			require.NoError(t, e.SetBuffer(x, 0, 1))
			require.NoError(t, e.SetBytes(words(0), 2))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
		})
	}
	f.status, f.cbError = 5, &fakeError{"MTLCommandBufferErrorDomain", 2, "Caused GPU Timeout Error"}
	c := start()
	require.Equal(t, metal.Committed, c.Status())
	err := c.WaitUntilCompleted()
	require.EqualError(t, err, "apple: command buffer: Caused GPU Timeout Error (MTLCommandBufferErrorDomain, code 2, timeout: the kernel ran for too long)")
	require.Equal(t, metal.Failed, c.Status())
	require.Equal(t, err, c.Error())
	f.cbError = nil
	require.ErrorContains(t, start().WaitUntilCompleted(), "command buffer failed and Metal gave no NSError")
	f.status = 3
	c = start()
	require.ErrorContains(t, c.WaitUntilCompleted(), "waitUntilCompleted returned at status 3")
	f.status = 4
	require.NoError(t, c.WaitUntilCompleted(), "the device goes on, and so does the command buffer")
	require.NoError(t, start().WaitUntilCompleted(), "the device goes on")
	// Released in the middle.
	c = start()
	d.Release()
	require.ErrorContains(t, c.WaitUntilCompleted(), "the device was released")
	require.Equal(t, metal.Failed, c.Status())
}

// TestNoWitness: a device that runs nothing is found out, as a virtual machine was once.
func TestNoWitness(t *testing.T) {
	f := newFake(t, sim.Options{})
	old := handlers["MTLCommandBuffer commit"]
	defer func() { handlers["MTLCommandBuffer commit"] = old }()
	handlers["MTLCommandBuffer commit"] = handler{"void" + nullary, func(_ *fake, o *thing1, _ []argument) result {
		o.values["status"] = uint64(2)
		return result{}
	}}
	_, err := open(newHost(f), Options{})
	require.ErrorContains(t, err, "the self-test of Apple M9 Fake failed; Options.SkipSelfTest leaves it out: mode strict: thread 0 of a kernel that copies bits wrote 00000000")
	require.Empty(t, f.left())
}

// TestReleasedInBetween: an encoder, and a buffer, outlive their device as errors, and all objects are given back.
func TestReleasedInBetween(t *testing.T) {
	d, f := opened(t, sim.Options{})
	p := ready(t, d, upSource, "up", metal.CompileOptions{}, nil)
	b := filled(t, d, words(0, 0))
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(p))
	require.ErrorContains(t, e.DispatchThreads(line(1), metal.Size{X: 1, Y: 1, Z: 600}), "has more than 512 along z")
	require.NoError(t, e.SetBuffer(b, 0, 3))
	require.NoError(t, e.SetBytes(words(1), 5))
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 1))
	require.NoError(t, e.SetThreadgroupMemoryLength(32752, 2))
	require.NoError(t, e.DispatchThreads(line(1), line(1)), "the kernel has no argument at index 2, and Metal is not told of it")
	d.Release()
	require.NoError(t, e.EndEncoding())
	require.ErrorContains(t, c.Commit(), "the device was released; make another by Open")
	require.ErrorContains(t, b.Read(0, make([]byte, 4)), "went with its device")
	require.Empty(t, f.left())
}

// TestOldFamilies: no threadgroups of several sizes, and no family that is known.
func TestOldFamilies(t *testing.T) {
	f := newFake(t, sim.Options{})
	f.found["MTLDevice supportsFamily:"] = 0
	f.found["MTLDevice isLowPower"] = 0
	d, err := open(newHost(f), Options{})
	require.NoError(t, err, "the self-test does without them")
	defer d.Release()
	require.Equal(t, "macOS Version 99.1 (Build 99A1); no family that is known here; registry 0xabc", d.Properties().Detail)
	p := ready(t, d, upSource, "up", metal.CompileOptions{}, nil)
	pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		b := filled(t, d, words(0, 0, 0, 0))
		require.NoError(t, e.SetBuffer(b, 0, 3))
		require.NoError(t, e.SetBytes(words(7), 5))
		require.NoError(t, e.SetThreadgroupMemoryLength(16, 1))
		require.NoError(t, e.DispatchThreads(line(4), line(2)), "these have one size")
		require.ErrorContains(t, e.DispatchThreads(line(3), line(2)), "use DispatchThreadgroups and let threads beyond the end return")
	})
}

// TestWarnings: an NSError beside a library is a warning, and no failure.
func TestWarnings(t *testing.T) {
	d, _ := opened(t, sim.Options{})
	compiled(t, d, "#warning something\n", metal.CompileOptions{})
}

// TestUnknownSource: what our front end does not take and Metal does has no arguments, and is not checked.
func TestUnknownSource(t *testing.T) {
	d, _ := opened(t, sim.Options{})
	d.b.front = func(string, msl.Options) (*msl.Library, error) { return nil, errors.New("not this one") }
	l := compiled(t, d, upSource, metal.CompileOptions{})
	require.Equal(t, []string{"up"}, l.FunctionNames())
	fn, err := l.NewFunction("up", nil)
	require.NoError(t, err)
	defer fn.Release()
	require.Nil(t, fn.Arguments())
	p, err := d.NewComputePipelineState(fn)
	require.NoError(t, err)
	defer p.Release()
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(p))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	require.NoError(t, e.EndEncoding())
	c, err = q.CommandBuffer()
	require.NoError(t, err)
	e, err = c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	b, gone := filled(t, d, words(1, 2)), filled(t, d, words(0))
	require.NoError(t, e.SetComputePipelineState(p))
	require.NoError(t, e.SetBuffer(gone, 0, 3))
	gone.Release()
	require.ErrorContains(t, e.DispatchThreads(line(2), line(1)), "buffer index 3: ")
	require.NoError(t, e.SetBuffer(b, 0, 3))
	require.NoError(t, e.SetBytes(words(7), 5))
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 1))
	require.NoError(t, e.DispatchThreads(line(2), line(1)))
	require.NoError(t, e.EndEncoding())
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []uint32{2, 3}, held(t, b), "all that is bound reaches the kernel")
}

// TestManyGoroutines: pools stay on their threads, and nothing is lost, while many use one device and it is released under them.
func TestManyGoroutines(t *testing.T) {
	d, f := opened(t, sim.Options{Workers: 1})
	p := ready(t, d, `kernel void up(device uint *y, uint i [[thread_position_in_grid]]) { y[i] += 1; }`, "up", metal.CompileOptions{}, nil)
	var wg sync.WaitGroup
	done := make(chan struct{}, 1000)
	for range 8 {
		wg.Go(func() {
			for {
				err := once(d, p)
				if err != nil {
					if !strings.Contains(err.Error(), "released") {
						t.Errorf("%v", err)
					}
					return
				}
				select {
				case done <- struct{}{}:
				default:
				}
			}
		})
	}
	stopped := make(chan struct{})
	go func() { wg.Wait(); close(stopped) }()
	for range 100 {
		select {
		case <-done:
		case <-stopped: // by errors, which are reported
		}
	}
	d.Release()
	wg.Wait()
	require.Empty(t, f.left())
}

// once runs a kernel from nothing to its result.
func once(d metal.Device, p metal.ComputePipelineState) error {
	b, err := d.NewBufferWithBytes(words(41))
	if err != nil {
		return err
	}
	defer b.Release()
	q, err := d.NewCommandQueue()
	if err != nil {
		return err
	}
	defer q.Release()
	c, err := q.CommandBuffer()
	if err != nil {
		return err
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return e.SetComputePipelineState(p) },
		func() error { return e.SetBuffer(b, 0, 0) },
		func() error { return e.DispatchThreadgroups(line(1), line(1)) },
		e.EndEncoding, c.Commit, c.WaitUntilCompleted,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	got := make([]byte, 4)
	if err := b.Read(0, got); err != nil {
		return err
	}
	if !bytes.Equal(got, words(42)) {
		return fmt.Errorf("read %v", got)
	}
	return nil
}

// TestTrace: each message is written down before it is sent.
func TestTrace(t *testing.T) {
	f := newFake(t, sim.Options{})
	var b strings.Builder
	d, err := open(newHost(newTracer(f, &b)), Options{SkipSelfTest: true})
	require.NoError(t, err)
	compiled(t, d, "", metal.CompileOptions{})
	d.Release()
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		require.Regexp(t, `^send 0x[0-9a-f]+ [A-Za-z0-9:]+ .* \(id,SEL.*\)`, line)
	}
	require.Contains(t, b.String(), "respondsToSelector: BOOL (id,SEL,SEL) maxBufferLength\n")
	require.Contains(t, b.String(), "setMathMode: void (id,SEL,NSInteger) 0x0\n")
}

// TestProgrammersMistakes: what this package must not do panics.
func TestProgrammersMistakes(t *testing.T) {
	f := newFake(t, sim.Options{})
	h := newHost(f)
	_ = h.work(func(p *pool) error {
		c, err := p.class("NSString")
		require.NoError(t, err)
		require.PanicsWithValue(t, nilReceiver(&table[msgNew]), func() { p.send(msgNew, 0) })
		require.PanicsWithValue(t, wrongArguments(&table[msgNew], make([]argument, 1)), func() { p.send(msgNew, c, boolArg(true)) })
		require.PanicsWithValue(t, wrongArguments(&table[msgStringWithUTF8String], make([]argument, 1)), func() { p.send(msgStringWithUTF8String, c, boolArg(true)) })
		return nil
	})
}

// TestReadAgainstRelease: memory that is read is not freed meanwhile. What the fake frees it fills with 0xdd.
func TestReadAgainstRelease(t *testing.T) {
	d, _ := opened(t, sim.Options{})
	for range 20 {
		b, err := d.NewBuffer(1 << 18)
		require.NoError(t, err)
		started := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			dst := make([]byte, b.Length())
			for i := 0; ; i++ {
				if err := b.Read(0, dst); err != nil {
					return
				}
				if n := bytes.IndexByte(dst, 0xdd); n >= 0 {
					t.Errorf("byte %d was freed while it was read", n)
					return
				}
				if i == 2 {
					close(started)
				}
			}
		})
		<-started
		b.Release()
		wg.Wait()
	}
}

// TestDeprecatedMessages: systems that dropped what Apple deprecated are used all the same, and one with neither way to set the arithmetic
// is refused.
func TestDeprecatedMessages(t *testing.T) {
	f := newFake(t, sim.Options{})
	f.absent["MTLDevice isLowPower"] = true
	f.absent["MTLCompileOptions setFastMathEnabled:"] = true
	d, err := open(newHost(f), Options{})
	require.NoError(t, err)
	require.NotContains(t, d.Properties().Detail, "low power")
	d.Release()
	require.Empty(t, f.left())
	f = newFake(t, sim.Options{})
	f.absent["MTLCompileOptions setMathMode:"] = true
	f.absent["MTLCompileOptions setFastMathEnabled:"] = true
	_, err = open(newHost(f), Options{})
	require.ErrorContains(t, err, "knows neither mathMode with mathFloatingPointFunctions nor fastMathEnabled")
	require.Empty(t, f.left())
}

// TestWrappedDevice: Metal may hand out two objects for one GPU, as its debug layer might; the list has it once, as its default.
func TestWrappedDevice(t *testing.T) {
	list := []string{"Apple M9 Max", "AMD Radeon 1", "AMD Radeon 2"}
	f := newFake(t, sim.Options{})
	f.devices, f.wrapped = list, true
	h := newHost(f)
	names, err := devices(h)
	require.NoError(t, err)
	require.Equal(t, list, names)
	require.Empty(t, f.left())
	f.refuse["MTLCreateSystemDefaultDevice"] = true
	names, err = devices(h)
	require.NoError(t, err)
	require.Equal(t, list, names, "no default device does not hide the others")
	f = newFake(t, sim.Options{})
	f.absent["MTLDevice maxBufferLength"] = true
	_, err = devices(newHost(f))
	require.ErrorContains(t, err, "MTLDevice does not know maxBufferLength")
	require.Empty(t, f.left())
}

// TestOptionalConstants: where the source has function constants, a kernel without any is made by the message with values.
func TestOptionalConstants(t *testing.T) {
	d, f := opened(t, sim.Options{})
	const source = `constant uint c [[function_constant(0)]];
kernel void k(device uint *y [[buffer(0)]]) { y[0] = is_function_constant_defined(c) ? c : 7; }`
	p := ready(t, d, source, "k", metal.CompileOptions{}, nil)
	require.Contains(t, f.take(), `MTLLibrary newFunctionWithName:constantValues:error: "k" MTLFunctionConstantValues &error`)
	b := filled(t, d, words(0))
	require.NoError(t, pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(b, 0, 0))
		require.NoError(t, e.DispatchThreads(line(1), line(1)))
	}).WaitUntilCompleted())
	require.Equal(t, []uint32{7}, held(t, b))
}

// TestConstantOffsets: a buffer in constant memory begins where the GPU can take it.
func TestConstantOffsets(t *testing.T) {
	const source = `kernel void k(constant uchar *x [[buffer(0)]], device uchar *y [[buffer(1)]]) { y[0] = x[0]; }`
	for apple, most := range map[bool]int{true: 4, false: 256} {
		f := newFake(t, sim.Options{})
		if !apple {
			f.found["MTLDevice supportsFamily:"] = 0
		}
		d, err := open(newHost(f), Options{SkipSelfTest: true})
		require.NoError(t, err)
		p := ready(t, d, source, "k", metal.CompileOptions{}, nil)
		b := filled(t, d, make([]byte, 1024))
		pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(b, 1, 1), "device memory is free")
			require.NoError(t, e.SetBuffer(b, most, 0))
			require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
			require.NoError(t, e.SetBuffer(b, most/2, 0))
			require.ErrorContains(t, e.DispatchThreadgroups(line(1), line(1)), fmt.Sprintf("this GPU needs multiples of %d", most))
			require.NoError(t, e.SetBytes([]byte{1}, 0))
			require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
		})
		d.Release()
	}
}

// TestAskWhileWaiting: while one goroutine waits, others learn how far the work is, and one of them the end.
func TestAskWhileWaiting(t *testing.T) {
	d, f := opened(t, sim.Options{})
	old := handlers["MTLCommandBuffer waitUntilCompleted"]
	defer func() { handlers["MTLCommandBuffer waitUntilCompleted"] = old }()
	waits, end := make(chan bool), make(chan bool)
	handlers["MTLCommandBuffer waitUntilCompleted"] = handler{old.types, func(f *fake, o *thing1, a []argument) result {
		f.mu.Unlock()
		waits <- true
		<-end
		f.mu.Lock()
		return old.do(f, o, a)
	}}
	p := ready(t, d, addSource, "add", metal.CompileOptions{}, nil)
	x := filled(t, d, words(0))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.SetBuffer(x, 0, 1))
		require.NoError(t, e.SetBytes(words(0), 2))
		require.NoError(t, e.DispatchThreads(line(1), line(1)))
	})
	f.mu.Lock()
	f.status, f.cbError = 5, &fakeError{"MTLCommandBufferErrorDomain", 10, "full"}
	f.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		wg.Go(func() { errs[i] = c.WaitUntilCompleted() })
		<-waits
	}
	require.Equal(t, metal.Committed, c.Status())
	require.NoError(t, c.Error())
	require.Zero(t, c.GPUTime())
	close(end)
	for range 100 {
		_, _, _ = c.Status(), c.Error(), c.GPUTime()
	}
	wg.Wait()
	for _, err := range errs {
		require.ErrorContains(t, err, "full (MTLCommandBufferErrorDomain, code 10, out of internal resources)")
	}
	require.Equal(t, metal.Failed, c.Status())
	require.Zero(t, f.left()["MTLCommandBuffer"])
}

// TestTexturesAreRefused: this package binds no textures, and says so.
func TestTexturesAreRefused(t *testing.T) {
	d, _ := opened(t, sim.Options{})
	_, err := d.NewTexture(metal.TextureDescriptor{Type: metal.Texture2D, Format: metal.R32Float, Width: 1, Height: 1})
	require.ErrorContains(t, err, "textures are not supported on this device; the simulator has them")
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	require.ErrorContains(t, e.SetSamplerState(metal.SamplerDescriptor{}, 0), "samplers are not supported on this device; the simulator has them")
}
