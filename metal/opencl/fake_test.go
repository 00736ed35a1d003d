package opencl

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
)

// fake is a driver that notes its calls. Memory is Go's; a kernel is a Go function.
type fake struct {
	mu       sync.Mutex
	calls    []string
	fail     map[string]result // by the call's name
	next     uintptr
	memory   map[uintptr][]byte // by address or handle
	live     map[string]int     // objects by kind
	args     map[uint32]any     // set for the next launch: uint64, []byte or a number of bytes of local memory
	info     map[uint32]any     // of the device; a number or a text
	platform string
	devices  int
	status   int32 // of every event
	noSVM    bool
	text     string
	kernel   func(f *fake, p part, args map[uint32]any)
}

func newFake() *fake {
	return &fake{
		fail: map[string]result{}, next: 1 << 40, memory: map[uintptr][]byte{}, live: map[string]int{}, args: map[uint32]any{}, devices: 1,
		platform: "Fake Computing", info: map[uint32]any{
			deviceName: "Fake Device", deviceVersion: "OpenCL 3.0 fake", driverVersion: "1.0", deviceAvailable: 1, deviceCompiler: 1, deviceLittleEndian: 1,
			deviceDoubles: 63, deviceMaxDimensions: 3, deviceMaxGroup: 4096, deviceLocalMemory: 64 << 10, deviceGlobalMemory: 1 << 30,
			deviceMaxAllocation: 1 << 20, deviceBaseAlign: 1024, deviceSharedMemory: 1,
			deviceMaxItems: string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 4096), 4096), 64)),
		},
	}
}

// call notes a call, and returns what it is to give.
func (f *fake) call(name string, args ...any) result {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.TrimSuffix(name+" "+fmt.Sprintln(args...), "\n"))
	return f.fail[name]
}

// named returns the names of the calls so far, without the questions, and forgets them.
func (f *fake) named() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, c := range f.calls {
		if n, _, _ := strings.Cut(c, " "); !strings.HasPrefix(n, "Get") {
			list = append(list, n)
		}
	}
	f.calls = nil
	return strings.Join(list, " ")
}

// make makes an object, unless the call is to fail.
func (f *fake) make(kind, call string, args ...any) (uintptr, result) {
	r := f.call(call, args...)
	if r != success {
		return 0, r
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live[kind]++
	f.next += 1 << 24
	return f.next, r
}

// drop releases one.
func (f *fake) drop(kind, call string) result {
	f.mu.Lock()
	f.live[kind]--
	f.mu.Unlock()
	return f.call(call)
}

// at returns the memory from an address on.
func (f *fake) at(a uintptr) []byte {
	for base, b := range f.memory {
		if a >= base && a < base+uintptr(len(b)) {
			return b[a-base:]
		}
	}
	return nil
}

func (f *fake) GetPlatformIDs() ([]platformHandle, result) {
	return []platformHandle{1}, f.call("GetPlatformIDs")
}

func (f *fake) GetPlatformInfo(_ platformHandle, what uint32) ([]byte, result) {
	name := f.platform
	if what == platformVersion {
		name = "OpenCL 3.0 " + f.platform
	}
	return []byte(name + "\x00"), f.call("GetPlatformInfo")
}

func (f *fake) GetDeviceIDs(platformHandle) ([]deviceHandle, result) {
	list := make([]deviceHandle, f.devices)
	return list, f.call("GetDeviceIDs")
}

func (f *fake) GetDeviceInfo(_ deviceHandle, what uint32) ([]byte, result) {
	switch v := f.info[what].(type) {
	case string:
		return []byte(v), f.call("GetDeviceInfo")
	case int:
		return binary.LittleEndian.AppendUint64(nil, uint64(v)), f.call("GetDeviceInfo")
	}
	return nil, invalidValue
}

func (f *fake) CreateContext(deviceHandle) (contextHandle, result) {
	v, r := f.make("context", "CreateContext")
	return contextHandle(v), r
}
func (f *fake) ReleaseContext(contextHandle) result { return f.drop("context", "ReleaseContext") }

func (f *fake) CreateCommandQueue(contextHandle, deviceHandle) (queueHandle, result) {
	v, r := f.make("queue", "CreateCommandQueue")
	return queueHandle(v), r
}

func (f *fake) ReleaseCommandQueue(queueHandle) result { return f.drop("queue", "ReleaseCommandQueue") }

func (f *fake) CreateProgramWithSource(_ contextHandle, text string) (programHandle, result) {
	f.text = text
	v, r := f.make("program", "CreateProgramWithSource")
	return programHandle(v), r
}

func (f *fake) BuildProgram(_ programHandle, _ deviceHandle, options string) result {
	return f.call("BuildProgram", options)
}

func (f *fake) GetProgramBuildLog(programHandle, deviceHandle) (string, result) {
	return "line 3: nonsense", f.call("GetProgramBuildLog")
}
func (f *fake) ReleaseProgram(programHandle) result { return f.drop("program", "ReleaseProgram") }

func (f *fake) CreateKernel(_ programHandle, name string) (kernelHandle, result) {
	v, r := f.make("kernel", "CreateKernel", name)
	return kernelHandle(v), r
}
func (f *fake) ReleaseKernel(kernelHandle) result { return f.drop("kernel", "ReleaseKernel") }

func (f *fake) GetKernelWorkGroupInfo(_ kernelHandle, _ deviceHandle, what uint32) (uint64, result) {
	return map[uint32]uint64{kernelGroup: 4096, kernelLocal: 32}[what], f.call("GetKernelWorkGroupInfo")
}

func (f *fake) SetKernelArg(_ kernelHandle, i uint32, bytes int, value unsafe.Pointer) result {
	f.args[i] = bytes
	if value != nil {
		v := *(*uint64)(value)
		f.args[i] = v
		if b := f.memory[uintptr(v)]; b != nil {
			f.args[i] = b
		}
	}
	return f.call("SetKernelArg", i)
}

func (f *fake) SetKernelArgSVMPointer(_ kernelHandle, i uint32, p address) result {
	f.args[i] = f.at(uintptr(p))
	return f.call("SetKernelArgSVMPointer", i)
}

func (f *fake) CreateBuffer(_ contextHandle, length int) (memoryHandle, result) {
	v, r := f.make("buffer", "CreateBuffer", length)
	if r == success {
		f.memory[v] = make([]byte, length)
	}
	return memoryHandle(v), r
}

func (f *fake) CreateSubBuffer(m memoryHandle, offset, length int) (memoryHandle, result) {
	v, r := f.make("buffer", "CreateSubBuffer", offset, length)
	if r == success {
		f.memory[v] = f.memory[uintptr(m)][offset:][:length]
	}
	return memoryHandle(v), r
}

func (f *fake) ReleaseMemObject(m memoryHandle) result {
	delete(f.memory, uintptr(m))
	return f.drop("buffer", "ReleaseMemObject")
}

func (f *fake) EnqueueReadBuffer(_ queueHandle, m memoryHandle, offset int, dst []byte) result {
	copy(dst, f.memory[uintptr(m)][offset:])
	return f.call("EnqueueReadBuffer")
}

func (f *fake) EnqueueWriteBuffer(_ queueHandle, m memoryHandle, offset int, data []byte) result {
	copy(f.memory[uintptr(m)][offset:], data)
	return f.call("EnqueueWriteBuffer")
}

func (f *fake) EnqueueSVMRead(_ queueHandle, dst []byte, src address) result {
	copy(dst, f.at(uintptr(src)))
	return f.call("EnqueueSVMMemcpy")
}

func (f *fake) EnqueueSVMWrite(_ queueHandle, dst address, data []byte) result {
	copy(f.at(uintptr(dst)), data)
	return f.call("EnqueueSVMMemcpy")
}

func (f *fake) SVMAlloc(_ contextHandle, length int) address {
	v, r := f.make("shared", "SVMAlloc", length)
	if r == success {
		f.memory[v] = make([]byte, length)
	}
	return address(v)
}

func (f *fake) SVMFree(_ contextHandle, p address) {
	delete(f.memory, uintptr(p))
	f.drop("shared", "SVMFree")
}

func (f *fake) EnqueueNDRangeKernel(_ queueHandle, _ kernelHandle, offset, global, local [3]uint64) (eventHandle, result) {
	v, r := f.make("event", "EnqueueNDRangeKernel", offset, global, local)
	if r == success && f.kernel != nil {
		f.kernel(f, part{offset, global, local}, f.args)
	}
	return eventHandle(v), r
}
func (f *fake) Flush(queueHandle) result { return f.call("Flush") }

func (f *fake) GetEventStatus(eventHandle) (int32, result) {
	r := f.call("GetEventInfo")
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status, r
}

func (f *fake) GetEventProfilingInfo(_ eventHandle, what uint32) (uint64, result) {
	return map[uint32]uint64{profilingStart: 1000, profilingEnd: 4000}[what], f.call("GetEventProfilingInfo")
}
func (f *fake) ReleaseEvent(eventHandle) result { return f.drop("event", "ReleaseEvent") }
func (f *fake) SharedMemory() bool              { return !f.noSVM }

// fakeLocal opens a device on f.
func fakeLocal(f *fake, o Options) (*local, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	return openLocal(&library{driver: f, path: "libfake.so.1"}, o)
}

// fakeDevice makes a device on b that prints with no self-test: there is nothing that computes.
func fakeDevice(b offload.Driver, i about) *protocol.Device {
	return offload.New(offload.Config{
		Name: name, Driver: b, Width: 1,
		Print:  func(k *ir.Kernel) (*emit.Program, error) { return emit.Print(k, emit.Options{Dialect: emit.OpenCL}) },
		Limits: protocol.Limits{MaxBlock: i.MaxBlock, MaxGrid: [3]int{1 << 30, 1 << 30, 1 << 30}, Shared: i.Shared, Memory: i.Memory},
	})
}
