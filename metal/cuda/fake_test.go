package cuda

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unsafe"

	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
)

// fake is a driver and a compiler that note their calls. Memory is Go's; a kernel is a Go function.
type fake struct {
	mu      sync.Mutex
	calls   []string
	fail    map[string]result // by the call's name
	late    result            // what EventQuery gives from now on
	next    uint64
	memory  map[address][]byte
	pinned  map[unsafe.Pointer][]byte
	live    map[string]int // objects by kind
	kernel  func(f *fake, entry string, grid, block [3]uint32, shared uint32, words []uint64)
	entries map[functionHandle]string
	archs   []int32
	flags   []string
	log     string
	each    bool // of the last launch
}

func newFake() *fake {
	return &fake{
		fail: map[string]result{}, next: 0x1000, memory: map[address][]byte{}, pinned: map[unsafe.Pointer][]byte{}, live: map[string]int{},
		entries: map[functionHandle]string{}, archs: []int32{75, 80, 90},
	}
}

func (f *fake) libraries() *libraries {
	return &libraries{driver: f, compiler: fakeCompiler{f}, driverPath: "libfake.so.1", compilerPath: "libfakertc.so"}
}

// call notes a call, and returns what it is to give.
func (f *fake) call(name string, args ...any) result {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.TrimSuffix(name+" "+fmt.Sprintln(args...), "\n"))
	return f.fail[name]
}

func (f *fake) made(kind string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live[kind] += n
}

func (f *fake) number() uint64 {
	f.next += 0x1000
	return f.next
}

// at returns the memory from an address on.
func (f *fake) at(a address) []byte {
	for base, b := range f.memory {
		if a >= base && a < base+address(len(b)) {
			return b[a-base:]
		}
	}
	return nil
}

// names returns the names of the calls so far, without those that poll, and forgets them.
func (f *fake) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, c := range f.calls {
		n, _, _ := strings.Cut(c, " ")
		if n != "EventQuery" {
			list = append(list, n)
		}
	}
	f.calls = nil
	return strings.Join(list, " ")
}

func (f *fake) Init(uint32) result                   { return f.call("Init") }
func (f *fake) DriverGetVersion() (int32, result)    { return 13000, f.call("DriverGetVersion") }
func (f *fake) DeviceGetCount() (int32, result)      { return 1, f.call("DeviceGetCount") }
func (f *fake) DeviceGet(i int32) (int32, result)    { return i, f.call("DeviceGet") }
func (f *fake) DeviceGetName(int32) (string, result) { return "Fake GPU", f.call("DeviceGetName") }

func (f *fake) DeviceGetAttribute(a, _ int32) (int32, result) {
	v := map[int32]int32{
		attrMajor: 9, attrWarpSize: 32, attrMaxThreads: 1024, attrMaxSharedOptin: 227 << 10, attrMaxBlockX: 1024, attrMaxBlockY: 1024, attrMaxBlockZ: 64,
		attrMaxGridX: 1<<31 - 1, attrMaxGridY: 65535, attrMaxGridZ: 65535, attrMultiprocessors: 100,
	}[a]
	return v, f.call("DeviceGetAttribute")
}

func (f *fake) DeviceTotalMem(int32) (uint64, result) { return 1 << 30, f.call("DeviceTotalMem") }

func (f *fake) DevicePrimaryCtxSetFlags(int32, uint32) result {
	return f.call("DevicePrimaryCtxSetFlags")
}

func (f *fake) DevicePrimaryCtxRetain(int32) (contextHandle, result) {
	r := f.call("DevicePrimaryCtxRetain")
	if r == success {
		f.made("context", 1)
	}
	return 7, r
}

func (f *fake) DevicePrimaryCtxRelease(int32) result {
	f.made("context", -1)
	return f.call("DevicePrimaryCtxRelease")
}
func (f *fake) CtxSetCurrent(contextHandle) result { return f.call("CtxSetCurrent") }

func (f *fake) ModuleLoadDataEx(image []byte) (moduleHandle, result) {
	r := f.call("ModuleLoadDataEx", string(image))
	if r == success {
		f.made("module", 1)
	}
	return moduleHandle(f.number()), r
}

func (f *fake) ModuleUnload(moduleHandle) result {
	f.made("module", -1)
	return f.call("ModuleUnload")
}

func (f *fake) ModuleGetFunction(_ moduleHandle, name string) (functionHandle, result) {
	h := functionHandle(f.number())
	f.entries[h] = name
	return h, f.call("ModuleGetFunction", name)
}

func (f *fake) FuncGetAttribute(a int32, _ functionHandle) (int32, result) {
	return map[int32]int32{funcMaxThreads: 1024, funcStatic: 64, funcRegisters: 20}[a], f.call("FuncGetAttribute")
}

func (f *fake) FuncSetAttribute(_ functionHandle, a, v int32) result {
	return f.call("FuncSetAttribute", a, v)
}

func (f *fake) MemAlloc(n int) (address, result) {
	r := f.call("MemAlloc", n)
	if r != success {
		return 0, r
	}
	f.made("memory", 1)
	a := address(f.number() << 20)
	f.memory[a] = make([]byte, n)
	return a, r
}

func (f *fake) MemFree(a address) result {
	f.made("memory", -1)
	delete(f.memory, a)
	return f.call("MemFree")
}

func (f *fake) MemAllocHost(n int) (unsafe.Pointer, result) {
	r := f.call("MemAllocHost", n)
	if r != success {
		return nil, r
	}
	f.made("pinned", 1)
	b := make([]byte, n)
	p := unsafe.Pointer(&b[0])
	f.pinned[p] = b
	return p, r
}

func (f *fake) MemFreeHost(p unsafe.Pointer) result {
	f.made("pinned", -1)
	delete(f.pinned, p)
	return f.call("MemFreeHost")
}

func (f *fake) MemcpyHtoDAsync(dst address, src []byte, _ streamHandle) result {
	copy(f.at(dst), src)
	return f.call("MemcpyHtoDAsync", len(src))
}

func (f *fake) MemcpyDtoHAsync(dst []byte, src address, _ streamHandle) result {
	copy(dst, f.at(src))
	return f.call("MemcpyDtoHAsync", len(dst))
}

func (f *fake) MemcpyDtoDAsync(dst, src address, n int, _ streamHandle) result {
	copy(f.at(dst)[:n], f.at(src))
	return f.call("MemcpyDtoDAsync", n)
}

func (f *fake) StreamCreate(uint32) (streamHandle, result) {
	r := f.call("StreamCreate")
	if r != success {
		return 0, r
	}
	f.made("stream", 1)
	return 9, r
}

func (f *fake) StreamDestroy(streamHandle) result {
	f.made("stream", -1)
	return f.call("StreamDestroy")
}
func (f *fake) StreamSynchronize(streamHandle) result { return f.call("StreamSynchronize") }

func (f *fake) EventCreate(uint32) (eventHandle, result) {
	r := f.call("EventCreate")
	if r != success {
		return 0, r
	}
	f.made("event", 1)
	return eventHandle(f.number()), r
}

func (f *fake) EventDestroy(eventHandle) result {
	f.made("event", -1)
	return f.call("EventDestroy")
}
func (f *fake) EventRecord(eventHandle, streamHandle) result { return f.call("EventRecord") }

func (f *fake) EventQuery(eventHandle) result {
	if r := f.call("EventQuery"); r != success {
		return r
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.late
}

func (f *fake) EventElapsedTime(eventHandle, eventHandle) (float32, result) {
	return 0.5, f.call("EventElapsedTime")
}

func (f *fake) LaunchKernel(h functionHandle, grid, block [3]uint32, shared uint32, _ streamHandle, words []uint64, each bool) result {
	f.each = each
	r := f.call("LaunchKernel", f.entries[h], grid, block, shared)
	if r == success && f.kernel != nil {
		f.kernel(f, f.entries[h], grid, block, shared, words)
	}
	return r
}

func (f *fake) GetErrorName(r result) string   { return fmt.Sprintf("FAKE_%d", r) }
func (f *fake) GetErrorString(r result) string { return "fake text" }

type fakeCompiler struct{ *fake }

func (f fakeCompiler) Version() (major, minor int32, r result) { return 13, 0, f.call("Version") }
func (f fakeCompiler) SupportedArchs() ([]int32, result) {
	return f.archs, f.call("SupportedArchs")
}

func (f fakeCompiler) CreateProgram(text, name string) (programHandle, result) {
	r := f.call("CreateProgram", name)
	if r == success {
		f.made("program", 1)
	}
	return 3, r
}

func (f fakeCompiler) CompileProgram(_ programHandle, flags []string) result {
	f.flags = flags
	return f.call("CompileProgram")
}

func (f fakeCompiler) ProgramLog(programHandle) (string, result) {
	return f.log, f.call("ProgramLog")
}

func (f fakeCompiler) CUBIN(programHandle) ([]byte, result) { return []byte("cubin"), f.call("CUBIN") }
func (f fakeCompiler) PTX(programHandle) ([]byte, result)   { return []byte("ptx"), f.call("PTX") }

func (f fakeCompiler) DestroyProgram(programHandle) result {
	f.made("program", -1)
	return f.call("DestroyProgram")
}
func (f fakeCompiler) ErrorString(r result) string { return fmt.Sprintf("FAKERTC_%d", r) }

// fakePrint prints every kernel as its name, with all parameters there are.
func fakePrint(k *ir.Kernel, _ emit.Options) (*emit.Program, error) {
	p := &emit.Program{Text: "text of " + k.Name, Entry: k.Name, Flags: []string{"--fmad=false"}}
	for i, b := range k.Buffers {
		if b.Space == ir.Threadgroup {
			p.Params = append(p.Params, emit.Param{Kind: emit.ThreadgroupOffset, Index: i})
			continue
		}
		p.Params = append(p.Params, emit.Param{Kind: emit.BufferAddress, Index: i}, emit.Param{Kind: emit.BufferLength, Index: i})
	}
	for i := range 3 {
		p.Params = append(p.Params, emit.Param{Kind: emit.GridThreads, Index: i}, emit.Param{Kind: emit.Threadgroups, Index: i},
			emit.Param{Kind: emit.ThreadsPerThreadgroup, Index: i}, emit.Param{Kind: emit.GridOrigin, Index: i})
	}
	return p, nil
}

// fakeDevice opens a device on f, without a cache on disk.
func fakeDevice(f *fake, o Options) (*Device, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	e, err := openLocal(f.libraries(), o, &images{known: map[string][]byte{}})
	if err != nil {
		return nil, err
	}
	return newDevice(o, backend{e}, e.about(), fakePrint)
}

// soon is a timeout that a test waits for.
const soon = 30 * time.Millisecond
