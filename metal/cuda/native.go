//go:build (linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64))

package cuda

import (
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"gamma/metal"
	"gamma/metal/internal/offload"
)

// load finds both libraries, once in a process if it succeeds: they are never unloaded.
var load = offload.Once(func() (*libraries, error) { return loadFrom(here(), offload.System{}) })

// tooOld is what is wrong with a library that lacks a symbol.
const tooOld = "the library is too old or none of NVIDIA's; install a newer one, or set "

func loadFrom(s surroundings, o offload.Loader) (*libraries, error) {
	l := &libraries{}
	search := s.driver()
	err := search.Find(o, func(library uintptr, path string) error {
		d := &nativeDriver{}
		l.driver, l.driverPath = d, path
		return search.Bind(o, library, path, d, tooOld)
	})
	if err != nil {
		return nil, err
	}
	newest, r := l.driver.DriverGetVersion()
	if err := l.wrong("cuDriverGetVersion", r); err != nil {
		return nil, err
	}
	search = s.compiler()
	err = search.Find(o, func(library uintptr, path string) error {
		c := &nativeCompiler{}
		l.compiler, l.compilerPath = c, path
		if err := search.Bind(o, library, path, c, tooOld); err != nil {
			return err
		}
		major, minor, r := c.Version()
		if r != success {
			return errorf("nvrtcVersion gave %d", r)
		}
		if major < 11 || major == 11 && minor < 2 {
			return errorf("NVRTC %d.%d is too old; 11.2 and later can be used", major, minor)
		}
		if major > newest/1000 {
			return errorf("NVRTC %d.%d is newer than the driver's CUDA %d.%d", major, minor, newest/1000, newest%1000/10)
		}
		loadBuiltins(o, path)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// loadBuiltins loads what lies beside NVRTC, which opens its builtins by a bare name while it compiles: loaded before, by their path, they are found.
func loadBuiltins(o offload.Loader, path string) {
	dir := filepath.Dir(path)
	if dir == "." {
		return
	}
	for _, pattern := range []string{"libnvrtc-builtins.so*", "nvrtc-builtins64_*.dll"} {
		more, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			continue
		}
		for _, p := range more {
			// If this fails NVRTC says what it misses.
			_, _ = o.Open(p)
		}
	}
}

// nativeDriver is libcuda.
type nativeDriver struct {
	init               func(uint32) int32                                                                `symbol:"cuInit"`
	driverGetVersion   func(*int32) int32                                                                `symbol:"cuDriverGetVersion"`
	deviceGetCount     func(*int32) int32                                                                `symbol:"cuDeviceGetCount"`
	deviceGet          func(*int32, int32) int32                                                         `symbol:"cuDeviceGet"`
	deviceGetName      func(*byte, int32, int32) int32                                                   `symbol:"cuDeviceGetName"`
	deviceGetAttribute func(*int32, int32, int32) int32                                                  `symbol:"cuDeviceGetAttribute"`
	deviceTotalMem     func(*uint64, int32) int32                                                        `symbol:"cuDeviceTotalMem_v2"`
	primaryCtxSetFlags func(int32, uint32) int32                                                         `symbol:"cuDevicePrimaryCtxSetFlags_v2,cuDevicePrimaryCtxSetFlags"`
	primaryCtxRetain   func(*contextHandle, int32) int32                                                 `symbol:"cuDevicePrimaryCtxRetain"`
	primaryCtxRelease  func(int32) int32                                                                 `symbol:"cuDevicePrimaryCtxRelease_v2,cuDevicePrimaryCtxRelease"`
	ctxSetCurrent      func(contextHandle) int32                                                         `symbol:"cuCtxSetCurrent"`
	moduleLoadDataEx   func(*moduleHandle, unsafe.Pointer, uint32, unsafe.Pointer, unsafe.Pointer) int32 `symbol:"cuModuleLoadDataEx"`
	moduleUnload       func(moduleHandle) int32                                                          `symbol:"cuModuleUnload"`
	moduleGetFunction  func(*functionHandle, moduleHandle, string) int32                                 `symbol:"cuModuleGetFunction"`
	funcGetAttribute   func(*int32, int32, functionHandle) int32                                         `symbol:"cuFuncGetAttribute"`
	funcSetAttribute   func(functionHandle, int32, int32) int32                                          `symbol:"cuFuncSetAttribute"`
	memAlloc           func(*address, uint64) int32                                                      `symbol:"cuMemAlloc_v2"`
	memFree            func(address) int32                                                               `symbol:"cuMemFree_v2"`
	memAllocHost       func(*unsafe.Pointer, uint64) int32                                               `symbol:"cuMemAllocHost_v2"`
	memFreeHost        func(unsafe.Pointer) int32                                                        `symbol:"cuMemFreeHost"`
	memcpyHtoDAsync    func(address, unsafe.Pointer, uint64, streamHandle) int32                         `symbol:"cuMemcpyHtoDAsync_v2"`
	memcpyDtoHAsync    func(unsafe.Pointer, address, uint64, streamHandle) int32                         `symbol:"cuMemcpyDtoHAsync_v2"`
	memcpyDtoDAsync    func(address, address, uint64, streamHandle) int32                                `symbol:"cuMemcpyDtoDAsync_v2"`
	streamCreate       func(*streamHandle, uint32) int32                                                 `symbol:"cuStreamCreate"`
	streamDestroy      func(streamHandle) int32                                                          `symbol:"cuStreamDestroy_v2"`
	streamSynchronize  func(streamHandle) int32                                                          `symbol:"cuStreamSynchronize"`
	eventCreate        func(*eventHandle, uint32) int32                                                  `symbol:"cuEventCreate"`
	eventDestroy       func(eventHandle) int32                                                           `symbol:"cuEventDestroy_v2"`
	eventRecord        uintptr                                                                           `symbol:"cuEventRecord"` // the calls of a dispatch go by SyscallN, which costs a third
	eventQuery         uintptr                                                                           `symbol:"cuEventQuery"`
	eventElapsedTime   func(*float32, eventHandle, eventHandle) int32                                    `symbol:"cuEventElapsedTime_v2,cuEventElapsedTime"`
	launchKernel       uintptr                                                                           `symbol:"cuLaunchKernel"`
	getErrorName       func(int32, **byte) int32                                                         `symbol:"cuGetErrorName"`
	getErrorString     func(int32, **byte) int32                                                         `symbol:"cuGetErrorString"`
}

func (d *nativeDriver) Init(flags uint32) result { return result(d.init(flags)) }

func (d *nativeDriver) DriverGetVersion() (v int32, r result) {
	r = result(d.driverGetVersion(&v))
	return v, r
}

func (d *nativeDriver) DeviceGetCount() (n int32, r result) {
	r = result(d.deviceGetCount(&n))
	return n, r
}

func (d *nativeDriver) DeviceGet(ordinal int32) (dev int32, r result) {
	r = result(d.deviceGet(&dev, ordinal))
	return dev, r
}

func (d *nativeDriver) DeviceGetName(dev int32) (string, result) {
	name := make([]byte, 256)
	r := result(d.deviceGetName(&name[0], int32(len(name)), dev))
	return offload.Text(name), r
}

func (d *nativeDriver) DeviceGetAttribute(attribute, dev int32) (v int32, r result) {
	r = result(d.deviceGetAttribute(&v, attribute, dev))
	return v, r
}

func (d *nativeDriver) DeviceTotalMem(dev int32) (n uint64, r result) {
	r = result(d.deviceTotalMem(&n, dev))
	return n, r
}

func (d *nativeDriver) DevicePrimaryCtxSetFlags(dev int32, flags uint32) result {
	return result(d.primaryCtxSetFlags(dev, flags))
}

func (d *nativeDriver) DevicePrimaryCtxRetain(dev int32) (c contextHandle, r result) {
	r = result(d.primaryCtxRetain(&c, dev))
	return c, r
}

func (d *nativeDriver) DevicePrimaryCtxRelease(dev int32) result {
	return result(d.primaryCtxRelease(dev))
}

func (d *nativeDriver) CtxSetCurrent(c contextHandle) result { return result(d.ctxSetCurrent(c)) }

func (d *nativeDriver) ModuleLoadDataEx(image []byte) (m moduleHandle, r result) {
	image = append(image[:len(image):len(image)], 0) // PTX ends in NUL
	r = result(d.moduleLoadDataEx(&m, unsafe.Pointer(&image[0]), 0, nil, nil))
	runtime.KeepAlive(image)
	return m, r
}

func (d *nativeDriver) ModuleUnload(m moduleHandle) result { return result(d.moduleUnload(m)) }

func (d *nativeDriver) ModuleGetFunction(m moduleHandle, name string) (f functionHandle, r result) {
	r = result(d.moduleGetFunction(&f, m, name))
	return f, r
}

func (d *nativeDriver) FuncGetAttribute(attribute int32, f functionHandle) (v int32, r result) {
	r = result(d.funcGetAttribute(&v, attribute, f))
	return v, r
}

func (d *nativeDriver) FuncSetAttribute(f functionHandle, attribute, value int32) result {
	return result(d.funcSetAttribute(f, attribute, value))
}

func (d *nativeDriver) MemAlloc(bytes int) (a address, r result) {
	r = result(d.memAlloc(&a, uint64(bytes)))
	return a, r
}

func (d *nativeDriver) MemFree(a address) result { return result(d.memFree(a)) }

func (d *nativeDriver) MemAllocHost(bytes int) (p unsafe.Pointer, r result) {
	r = result(d.memAllocHost(&p, uint64(bytes)))
	return p, r
}

func (d *nativeDriver) MemFreeHost(p unsafe.Pointer) result { return result(d.memFreeHost(p)) }

func (d *nativeDriver) MemcpyHtoDAsync(dst address, src []byte, s streamHandle) result {
	r := result(d.memcpyHtoDAsync(dst, unsafe.Pointer(unsafe.SliceData(src)), uint64(len(src)), s))
	runtime.KeepAlive(src)
	return r
}

func (d *nativeDriver) MemcpyDtoHAsync(dst []byte, src address, s streamHandle) result {
	r := result(d.memcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), src, uint64(len(dst)), s))
	runtime.KeepAlive(dst)
	return r
}

func (d *nativeDriver) MemcpyDtoDAsync(dst, src address, bytes int, s streamHandle) result {
	return result(d.memcpyDtoDAsync(dst, src, uint64(bytes), s))
}

func (d *nativeDriver) StreamCreate(flags uint32) (s streamHandle, r result) {
	r = result(d.streamCreate(&s, flags))
	return s, r
}

func (d *nativeDriver) StreamDestroy(s streamHandle) result { return result(d.streamDestroy(s)) }
func (d *nativeDriver) StreamSynchronize(s streamHandle) result {
	return result(d.streamSynchronize(s))
}

func (d *nativeDriver) EventCreate(flags uint32) (e eventHandle, r result) {
	r = result(d.eventCreate(&e, flags))
	return e, r
}

func (d *nativeDriver) EventDestroy(e eventHandle) result { return result(d.eventDestroy(e)) }

func (d *nativeDriver) EventRecord(e eventHandle, s streamHandle) result {
	r, _, _ := purego.SyscallN(d.eventRecord, uintptr(e), uintptr(s))
	return result(int32(r))
}

func (d *nativeDriver) EventQuery(e eventHandle) result {
	r, _, _ := purego.SyscallN(d.eventQuery, uintptr(e))
	return result(int32(r))
}

func (d *nativeDriver) EventElapsedTime(from, to eventHandle) (ms float32, r result) {
	r = result(d.eventElapsedTime(&ms, from, to))
	return ms, r
}

func (d *nativeDriver) LaunchKernel(f functionHandle, grid, block [3]uint32, shared uint32, s streamHandle, words []uint64, each bool) result {
	// The driver copies the arguments before it returns.
	var params [metal.MaxBufferIndex + 1]unsafe.Pointer
	params[0] = unsafe.Pointer(unsafe.SliceData(words))
	for i := range words {
		if each {
			params[i] = unsafe.Pointer(&words[i])
		}
	}
	r, _, _ := purego.SyscallN(d.launchKernel, uintptr(f), uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]), uintptr(shared), uintptr(s), uintptr(unsafe.Pointer(&params)), 0)
	runtime.KeepAlive(words)
	return result(int32(r))
}

func (d *nativeDriver) GetErrorName(r result) string {
	var p *byte
	d.getErrorName(int32(r), &p)
	return offload.CText(p)
}

func (d *nativeDriver) GetErrorString(r result) string {
	var p *byte
	d.getErrorString(int32(r), &p)
	return offload.CText(p)
}

// nativeCompiler is NVRTC.
type nativeCompiler struct {
	version              func(*int32, *int32) int32                                                                  `symbol:"nvrtcVersion"`
	getNumSupportedArchs func(*int32) int32                                                                          `symbol:"nvrtcGetNumSupportedArchs"`
	getSupportedArchs    func(*int32) int32                                                                          `symbol:"nvrtcGetSupportedArchs"`
	createProgram        func(p *programHandle, text, name string, headers int32, texts, names unsafe.Pointer) int32 `symbol:"nvrtcCreateProgram"`
	compileProgram       func(p programHandle, n int32, flags unsafe.Pointer) int32                                  `symbol:"nvrtcCompileProgram"`
	getProgramLogSize    func(programHandle, *uint64) int32                                                          `symbol:"nvrtcGetProgramLogSize"`
	getProgramLog        func(programHandle, *byte) int32                                                            `symbol:"nvrtcGetProgramLog"`
	getCUBINSize         func(programHandle, *uint64) int32                                                          `symbol:"nvrtcGetCUBINSize"`
	getCUBIN             func(programHandle, *byte) int32                                                            `symbol:"nvrtcGetCUBIN"`
	getPTXSize           func(programHandle, *uint64) int32                                                          `symbol:"nvrtcGetPTXSize"`
	getPTX               func(programHandle, *byte) int32                                                            `symbol:"nvrtcGetPTX"`
	destroyProgram       func(*programHandle) int32                                                                  `symbol:"nvrtcDestroyProgram"`
	getErrorString       func(int32) *byte                                                                           `symbol:"nvrtcGetErrorString"`
}

func (c *nativeCompiler) Version() (major, minor int32, r result) {
	r = result(c.version(&major, &minor))
	return major, minor, r
}

func (c *nativeCompiler) SupportedArchs() ([]int32, result) {
	var n int32
	if r := result(c.getNumSupportedArchs(&n)); r != success || n < 1 || n > 1000 {
		return nil, r
	}
	list := make([]int32, n)
	r := result(c.getSupportedArchs(&list[0]))
	return list, r
}

func (c *nativeCompiler) CreateProgram(source, name string) (p programHandle, r result) {
	r = result(c.createProgram(&p, source, name, 0, nil, nil))
	return p, r
}

func (c *nativeCompiler) CompileProgram(p programHandle, flags []string) result {
	list := make([]unsafe.Pointer, 0, len(flags)+1)
	for _, f := range flags {
		b := append([]byte(f), 0)
		list = append(list, unsafe.Pointer(&b[0]))
	}
	list = append(list, nil)
	r := result(c.compileProgram(p, int32(len(flags)), unsafe.Pointer(&list[0])))
	runtime.KeepAlive(list)
	return r
}

func (c *nativeCompiler) ProgramLog(p programHandle) (string, result) {
	b, r := sized(p, c.getProgramLogSize, c.getProgramLog)
	return offload.Text(b), r
}

func (c *nativeCompiler) CUBIN(p programHandle) ([]byte, result) {
	return sized(p, c.getCUBINSize, c.getCUBIN)
}

func (c *nativeCompiler) PTX(p programHandle) ([]byte, result) {
	return sized(p, c.getPTXSize, c.getPTX)
}

func (c *nativeCompiler) DestroyProgram(p programHandle) result {
	return result(c.destroyProgram(&p))
}

func (c *nativeCompiler) ErrorString(r result) string {
	return offload.CText(c.getErrorString(int32(r)))
}

// sized reads what has a size of its own.
func sized(p programHandle, size func(programHandle, *uint64) int32, get func(programHandle, *byte) int32) ([]byte, result) {
	var n uint64
	if r := result(size(p, &n)); r != success || n == 0 {
		return nil, r
	}
	if n > maxImage { // no compiler gives that much for a kernel
		return nil, implausible
	}
	b := make([]byte, n)
	r := result(get(p, &b[0]))
	return b, r
}
