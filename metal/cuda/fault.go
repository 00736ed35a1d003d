package cuda

import (
	"fmt"
	"slices"
	"strings"

	"gamma/metal/internal/offload"
)

// Error is a call of one of the libraries that failed. Its Code is a CUresult or an nvrtcResult. If it is Lost the context is gone: without
// Isolate, this process can use that GPU no more.
type Error = offload.Error

// fixes says what to do about results.
var fixes = map[result]string{
	invalidValue:    "a size is more than the GPU has: use fewer variables a thread, less threadgroup memory, or smaller threadgroups and buffers",
	outOfMemory:     "use smaller buffers, or release some; other programs may use the GPU too",
	noDevice:        "there is no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides it",
	systemNotReady:  "the GPU's services are not up; look at nvidia-smi",
	driverMismatch:  "the driver's library and its kernel module differ; restart the machine, or set GAMMA_CUDA_PATH to the folder of the right libcuda",
	notPermitted:    "give this user access to /dev/nvidia*",
	noBinary:        "the compiled kernel is for another GPU; empty the folder of GAMMA_CUDA_CACHE",
	invalidImage:    "the compiled kernel is none that this driver knows; set GAMMA_CUDA_PATH to the folder of an NVRTC no newer than the driver",
	unsupportedPTX:  "NVRTC is newer than the driver; set GAMMA_CUDA_PATH to the folder of an older NVRTC",
	insufficient:    "the driver is too old for this CUDA; install a newer one",
	stubLibrary:     "this libcuda is one to link against, and does nothing; take its folder out of GAMMA_CUDA_PATH and LD_LIBRARY_PATH",
	unavailable:     "another process has the GPU for itself; wait, or look at nvidia-smi",
	invalidDevice:   "there is no such GPU; change Options.Ordinal",
	osCall:          "a call of the operating system failed in the driver; look at its log (dmesg)",
	notCompatible:   "the libcuda is of a compatibility package, which this GPU cannot use; set GAMMA_CUDA_PATH to the folder of the driver's own",
	unknownError:    "the driver is not in order, as after a suspend or without its module nvidia-uvm; look at nvidia-smi, or restart the machine",
	launchResources: "the kernel needs more registers or threadgroup memory than there are; use smaller threadgroups",
}

// ownFix is the fix of faults of kernels in CUDA C++, which no simulator runs.
const ownFix = "a kernel faulted and took its process's context along; compute-sanitizer tells the place, and Options.Isolate lets a test go on"

// kernelFix is the fix of faults of kernels.
const kernelFix = "a kernel faulted and took its process's context along; run it on the simulator for the place, and with Options.Isolate to go on"

// wrong returns the error of a call of the driver, nil for success.
func (l *libraries) wrong(call string, r result) error {
	if r == success {
		return nil
	}
	e := &Error{Device: string(name), Library: l.driverPath, Call: call, Code: int(r), Lost: sticky(r) && !early(call), Fix: fixes[r]}
	e.Name, e.Text = l.driver.GetErrorName(r), l.driver.GetErrorString(r)
	if e.Lost {
		e.Fix = kernelFix
	}
	return e
}

// early says whether a call comes before there is a context: no kernel can be its fault.
func early(call string) bool {
	return slices.ContainsFunc([]string{"cuInit", "cuDriverGet", "cuDeviceGet", "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain"}, func(s string) bool {
		return strings.HasPrefix(call, s)
	})
}

// miscompiled is wrong for NVRTC.
func (l *libraries) miscompiled(call string, r result) error {
	if r == success {
		return nil
	}
	if r == implausible {
		return &Error{Device: string(name), Library: l.compilerPath, Call: call, Text: fmt.Sprintf("it gave a size of more than %d bytes", maxImage), Fix: "this is none of NVIDIA's; set " + PathVariable}
	}
	return &Error{
		Device: string(name), Library: l.compilerPath, Call: call, Code: int(r), Name: l.compiler.ErrorString(r),
		Fix: "if NVRTC's own files are missing beside it, set GAMMA_CUDA_PATH to the folder of a whole one",
	}
}
