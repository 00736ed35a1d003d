//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"runtime"
	"unsafe"

	"gamma/metal/internal/offload"
)

// load finds the library, once in a process if it succeeds: it is never unloaded.
var load = offload.Once(func() (*library, error) { return loadFrom(search(), offload.System{}) })

// notOpenCL is what is wrong with a library that lacks a symbol.
const notOpenCL = "the library is none of OpenCL 1.2 or later; install one, or set "

func loadFrom(s *offload.Search, o offload.Loader) (*library, error) {
	l := &library{}
	err := s.Find(o, func(lib uintptr, path string) error {
		d := &native{}
		l.driver, l.path = d, path
		d.shared = s.Bind(o, lib, path, &d.sharedMemory, notOpenCL) == nil
		return s.Bind(o, lib, path, d, notOpenCL)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// native is a library of OpenCL.
type native struct {
	shared bool
	sharedMemory
	getPlatformIDs         func(uint32, *platformHandle, *uint32) int32                                                                                 `symbol:"clGetPlatformIDs"`
	getPlatformInfo        func(platformHandle, uint32, uint64, *byte, *uint64) int32                                                                   `symbol:"clGetPlatformInfo"`
	getDeviceIDs           func(platformHandle, uint64, uint32, *deviceHandle, *uint32) int32                                                           `symbol:"clGetDeviceIDs"`
	getDeviceInfo          func(deviceHandle, uint32, uint64, *byte, *uint64) int32                                                                     `symbol:"clGetDeviceInfo"`
	createContext          func(properties uintptr, n uint32, d *deviceHandle, notify, data uintptr, r *int32) contextHandle                            `symbol:"clCreateContext"`
	releaseContext         func(contextHandle) int32                                                                                                    `symbol:"clReleaseContext"`
	createCommandQueue     func(contextHandle, deviceHandle, uint64, *int32) queueHandle                                                                `symbol:"clCreateCommandQueue"`
	releaseCommandQueue    func(queueHandle) int32                                                                                                      `symbol:"clReleaseCommandQueue"`
	createProgram          func(c contextHandle, n uint32, texts **byte, lengths *uint64, r *int32) programHandle                                       `symbol:"clCreateProgramWithSource"`
	buildProgram           func(p programHandle, n uint32, d *deviceHandle, options string, notify, data uintptr) int32                                 `symbol:"clBuildProgram"`
	getProgramBuildInfo    func(programHandle, deviceHandle, uint32, uint64, *byte, *uint64) int32                                                      `symbol:"clGetProgramBuildInfo"`
	releaseProgram         func(programHandle) int32                                                                                                    `symbol:"clReleaseProgram"`
	createKernel           func(programHandle, string, *int32) kernelHandle                                                                             `symbol:"clCreateKernel"`
	releaseKernel          func(kernelHandle) int32                                                                                                     `symbol:"clReleaseKernel"`
	getKernelWorkGroupInfo func(kernelHandle, deviceHandle, uint32, uint64, *uint64, *uint64) int32                                                     `symbol:"clGetKernelWorkGroupInfo"`
	setKernelArg           func(kernelHandle, uint32, uint64, unsafe.Pointer) int32                                                                     `symbol:"clSetKernelArg"`
	createBuffer           func(c contextHandle, flags, length uint64, host uintptr, r *int32) memoryHandle                                             `symbol:"clCreateBuffer"`
	createSubBuffer        func(m memoryHandle, flags uint64, kind uint32, region *[2]uint64, r *int32) memoryHandle                                    `symbol:"clCreateSubBuffer"`
	releaseMemObject       func(memoryHandle) int32                                                                                                     `symbol:"clReleaseMemObject"`
	enqueueReadBuffer      func(q queueHandle, m memoryHandle, block uint32, offset, length uint64, dst *byte, n uint32, list, e uintptr) int32         `symbol:"clEnqueueReadBuffer"`
	enqueueWriteBuffer     func(q queueHandle, m memoryHandle, block uint32, offset, length uint64, src *byte, n uint32, list, e uintptr) int32         `symbol:"clEnqueueWriteBuffer"`
	enqueueNDRangeKernel   func(q queueHandle, k kernelHandle, dim uint32, offset, global, local *uint64, n uint32, list uintptr, e *eventHandle) int32 `symbol:"clEnqueueNDRangeKernel"`
	flush                  func(queueHandle) int32                                                                                                      `symbol:"clFlush"`
	getEventInfo           func(eventHandle, uint32, uint64, *int32, *uint64) int32                                                                     `symbol:"clGetEventInfo"`
	getEventProfilingInfo  func(eventHandle, uint32, uint64, *uint64, *uint64) int32                                                                    `symbol:"clGetEventProfilingInfo"`
	releaseEvent           func(eventHandle) int32                                                                                                      `symbol:"clReleaseEvent"`
}

// sharedMemory are the calls of shared virtual memory, which came with OpenCL 2.0.
type sharedMemory struct {
	setKernelArgSVMPointer func(kernelHandle, uint32, address) int32                                                                  `symbol:"clSetKernelArgSVMPointer"`
	enqueueSVMMemcpy       func(q queueHandle, block uint32, dst, src unsafe.Pointer, length uint64, n uint32, list, e uintptr) int32 `symbol:"clEnqueueSVMMemcpy"`
	svmAlloc               func(c contextHandle, flags, length uint64, align uint32) address                                          `symbol:"clSVMAlloc"`
	svmFree                func(contextHandle, address)                                                                               `symbol:"clSVMFree"`
}

func (d *native) SharedMemory() bool { return d.shared }

func (d *native) GetPlatformIDs() ([]platformHandle, result) {
	var n uint32
	if r := d.getPlatformIDs(0, nil, &n); r != 0 || n == 0 {
		return nil, result(r)
	}
	list := make([]platformHandle, n)
	r := d.getPlatformIDs(n, &list[0], nil)
	return list, result(r)
}

// sized reads what has a size of its own.
func sized(get func(n uint64, dst *byte, size *uint64) int32) ([]byte, result) {
	var n uint64
	if r := get(0, nil, &n); r != 0 || n == 0 {
		return nil, result(r)
	}
	b := make([]byte, n)
	r := get(n, &b[0], nil)
	return b, result(r)
}

func (d *native) GetPlatformInfo(p platformHandle, what uint32) ([]byte, result) {
	return sized(func(n uint64, dst *byte, size *uint64) int32 { return d.getPlatformInfo(p, what, n, dst, size) })
}

func (d *native) GetDeviceIDs(p platformHandle) ([]deviceHandle, result) {
	var n uint32
	if r := d.getDeviceIDs(p, deviceTypeAll, 0, nil, &n); r != 0 || n == 0 {
		return nil, result(r)
	}
	list := make([]deviceHandle, n)
	r := d.getDeviceIDs(p, deviceTypeAll, n, &list[0], nil)
	return list, result(r)
}

func (d *native) GetDeviceInfo(dev deviceHandle, what uint32) ([]byte, result) {
	return sized(func(n uint64, dst *byte, size *uint64) int32 { return d.getDeviceInfo(dev, what, n, dst, size) })
}

func (d *native) CreateContext(dev deviceHandle) (contextHandle, result) {
	var r int32
	c := d.createContext(0, 1, &dev, 0, 0, &r)
	return c, result(r)
}

func (d *native) ReleaseContext(c contextHandle) result { return result(d.releaseContext(c)) }

func (d *native) CreateCommandQueue(c contextHandle, dev deviceHandle) (queueHandle, result) {
	var r int32
	q := d.createCommandQueue(c, dev, queueProfiling, &r)
	return q, result(r)
}

func (d *native) ReleaseCommandQueue(q queueHandle) result { return result(d.releaseCommandQueue(q)) }

func (d *native) CreateProgramWithSource(c contextHandle, text string) (programHandle, result) {
	var r int32
	n := uint64(len(text))
	if n == 0 {
		return 0, invalidValue
	}
	b := append([]byte(text), 0)
	var pin runtime.Pinner // texts holds its address
	pin.Pin(&b[0])
	defer pin.Unpin()
	texts := &b[0]
	p := d.createProgram(c, 1, &texts, &n, &r)
	return p, result(r)
}

func (d *native) BuildProgram(p programHandle, dev deviceHandle, options string) result {
	return result(d.buildProgram(p, 1, &dev, options, 0, 0))
}

func (d *native) GetProgramBuildLog(p programHandle, dev deviceHandle) (string, result) {
	b, r := sized(func(n uint64, dst *byte, size *uint64) int32 {
		return d.getProgramBuildInfo(p, dev, programLog, n, dst, size)
	})
	return text(b), r
}

func (d *native) ReleaseProgram(p programHandle) result { return result(d.releaseProgram(p)) }

func (d *native) CreateKernel(p programHandle, name string) (kernelHandle, result) {
	var r int32
	k := d.createKernel(p, name, &r)
	return k, result(r)
}

func (d *native) ReleaseKernel(k kernelHandle) result { return result(d.releaseKernel(k)) }

func (d *native) GetKernelWorkGroupInfo(k kernelHandle, dev deviceHandle, what uint32) (v uint64, r result) {
	r = result(d.getKernelWorkGroupInfo(k, dev, what, 8, &v, nil))
	return v, r
}

func (d *native) SetKernelArg(k kernelHandle, i uint32, bytes int, value unsafe.Pointer) result {
	return result(d.setKernelArg(k, i, uint64(bytes), value))
}

func (d *native) SetKernelArgSVMPointer(k kernelHandle, i uint32, p address) result {
	return result(d.setKernelArgSVMPointer(k, i, p))
}

func (d *native) CreateBuffer(c contextHandle, length int) (memoryHandle, result) {
	var r int32
	m := d.createBuffer(c, memoryReadWrite, uint64(length), 0, &r)
	return m, result(r)
}

func (d *native) CreateSubBuffer(m memoryHandle, offset, length int) (memoryHandle, result) {
	var r int32
	s := d.createSubBuffer(m, memoryReadWrite, subBufferRegion, &[2]uint64{uint64(offset), uint64(length)}, &r)
	return s, result(r)
}

func (d *native) ReleaseMemObject(m memoryHandle) result { return result(d.releaseMemObject(m)) }

func (d *native) EnqueueReadBuffer(q queueHandle, m memoryHandle, offset int, dst []byte) result {
	return result(d.enqueueReadBuffer(q, m, 1, uint64(offset), uint64(len(dst)), unsafe.SliceData(dst), 0, 0, 0))
}

func (d *native) EnqueueWriteBuffer(q queueHandle, m memoryHandle, offset int, data []byte) result {
	return result(d.enqueueWriteBuffer(q, m, 1, uint64(offset), uint64(len(data)), unsafe.SliceData(data), 0, 0, 0))
}

func (d *native) EnqueueSVMRead(q queueHandle, dst []byte, src address) result {
	r := d.enqueueSVMMemcpy(q, 1, unsafe.Pointer(unsafe.SliceData(dst)), pointer(src), uint64(len(dst)), 0, 0, 0)
	runtime.KeepAlive(dst)
	return result(r)
}

func (d *native) EnqueueSVMWrite(q queueHandle, dst address, data []byte) result {
	r := d.enqueueSVMMemcpy(q, 1, pointer(dst), unsafe.Pointer(unsafe.SliceData(data)), uint64(len(data)), 0, 0, 0)
	runtime.KeepAlive(data)
	return result(r)
}

// pointer is an address in memory that is not Go's.
func pointer(a address) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

func (d *native) SVMAlloc(c contextHandle, length int) address {
	return d.svmAlloc(c, memoryReadWrite, uint64(length), 0)
}

func (d *native) SVMFree(c contextHandle, p address) { d.svmFree(c, p) }

func (d *native) EnqueueNDRangeKernel(q queueHandle, k kernelHandle, offset, global, local [3]uint64) (e eventHandle, r result) {
	r = result(d.enqueueNDRangeKernel(q, k, 3, &offset[0], &global[0], &local[0], 0, 0, &e))
	return e, r
}

func (d *native) Flush(q queueHandle) result { return result(d.flush(q)) }

func (d *native) GetEventStatus(e eventHandle) (s int32, r result) {
	r = result(d.getEventInfo(e, eventStatus, 4, &s, nil))
	return s, r
}

func (d *native) GetEventProfilingInfo(e eventHandle, what uint32) (v uint64, r result) {
	r = result(d.getEventProfilingInfo(e, what, 8, &v, nil))
	return v, r
}

func (d *native) ReleaseEvent(e eventHandle) result { return result(d.releaseEvent(e)) }
